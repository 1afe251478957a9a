// Bessel functions, of the first and second kind and modified ones, under CUDA's names; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_SAME_BITS
#include "kiln/math/same_bessel.hpp"
#endif
#if KILN_OWN_SPECIAL
#include "kiln/math/circular.hpp"
#include "kiln/math/exp.hpp"
#include "kiln/math/horner.hpp"
#include "kiln/math/log.hpp"

// Polynomials are of scripts/special_functions.py. float32 is computed in float64.
KILN_PRECISE_BEGIN
namespace kiln::own {

// I(x) of x >= 8, by exp(x) / sqrt(x): in two factors, of which the first alone does not overflow.
KILN_FN double bessel_i_of_large(double x, double scaled) {
  if (x > 720) return INFINITY;
  const double half = exp(0.5 * x);
  return half * (scaled / sqrt(x)) * half;
}
KILN_FN double cyl_bessel_i0(double x) {
  const double size = fabs(x), z = 0.25 * x * x;
  if (size < 8)
    return 1 + z * horner(z, 0x1.0000000000000p+0, 0x1.0000000000000p-2, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-10,
                          0x1.23456789abcdep-14, 0x1.02e85c0898b8cp-19, 0x1.522a43f65448bp-25, 0x1.522a43f65aa38p-31,
                          0x1.0b3132894e3c0p-37, 0x1.5601886a3b13fp-44, 0x1.69ca9c0252f23p-51, 0x1.4197b684743b3p-58,
                          0x1.e72404c556d3fp-66, 0x1.3e2e8719bfdc6p-73, 0x1.6960559968505p-81, 0x1.6f70b777509a0p-89,
                          0x1.1ebe19b60e9c3p-97, 0x1.78dc8c51ed0cdp-105);
  return bessel_i_of_large(
      size, horner(1 / size - 0.0625, 0x1.9bd428ad249a5p-2, 0x1.b87969bb93bcbp-5, 0x1.1daa72b5ccfadp-5, 0x1.75e5ee702e57ap-5,
                   0x1.8e513c6a21829p-4, 0x1.3f49ac32e14bfp-2, 0x1.7d0cd4fd1f2b8p+0, 0x1.51ccdc47b6c77p+3, 0x1.7288379f891f7p+6,
                   0x1.03bcdeab408e2p+9, -0x1.d72c8d3f0b6bcp+12, -0x1.cd5da3da6b614p+17, -0x1.58ce729fc478ap+20,
                   0x1.05248ba2f26a0p+25, 0x1.c034e59a2db9bp+28, -0x1.ece52144ada18p+31, -0x1.3756a636aa04fp+36,
                   0x1.ba2352eb42f20p+38, 0x1.295fc465ff477p+43, -0x1.5be16a36a0da0p+45, -0x1.650b3e7f898b0p+49,
                   0x1.852f5d42d1ca3p+51, 0x1.90df137cc1a36p+54, -0x1.ada2c97f3fdddp+56));
}
KILN_FN double cyl_bessel_i1(double x) {
  const double size = fabs(x), z = 0.25 * x * x;
  if (size < 8) {
    const double half = 0.5 * x;
    return half + half * (z * horner(z, 0x1.0000000000000p-1, 0x1.5555555555555p-4, 0x1.c71c71c71c71cp-8, 0x1.6c16c16c16c17p-12,
                                     0x1.845c8a0ce5129p-17, 0x1.27e4fb7789f67p-22, 0x1.522a43f6546e4p-28, 0x1.2c9758daf834ap-34,
                                     0x1.ab81ea75a4e3dp-41, 0x1.f17697d86e749p-48, 0x1.e2637b319e038p-55, 0x1.8bce6406a47c7p-62,
                                     0x1.165df616194a3p-69, 0x1.5361920efb0acp-77, 0x1.69806b2249f15p-85, 0x1.58fe2d73d8b3ap-93,
                                     0x1.023bfecff8e43p-101, 0x1.37324dea07741p-109));
  }
  return copysign(bessel_i_of_large(
                      size, horner(1 / size - 0.0625, 0x1.8ebe783a84030p-2, -0x1.3f796198ee63dp-3, -0x1.cbc54df1d28edp-5,
                                   -0x1.f89c2304c35d3p-5, -0x1.ec8e127b73a3fp-4, -0x1.761383996dea0p-2, -0x1.ad8afba84040bp+0,
                                   -0x1.727891f52aef6p+3, -0x1.91e870dc073a7p+6, -0x1.21ba2485afab4p+9, 0x1.d68fdf13b4f0fp+12,
                                   0x1.e2d0791db759ap+17, 0x1.7ee7fbfb39f90p+20, -0x1.0821c71098c2bp+25, -0x1.dd37812c1dd72p+28,
                                   0x1.e14768d6db225p+31, 0x1.475d4e2f2acfep+36, -0x1.a250a944e85b4p+38, -0x1.36f288e187d2ep+43,
                                   0x1.42be4263f9ec5p+45, 0x1.7455f3bd09231p+49, -0x1.6612a100e112cp+51, -0x1.a1752f6235857p+54,
                                   0x1.8a72ab2fc6959p+56)),
                  x);
}

// What J and Y of x >= 8 are made of (H. Hankel's expansion): cos and sin of the angle, and their factors.
struct hankel_parts {
  double sine, cosine, p, q;
};
KILN_FN hankel_parts hankel_0(double x) {
  const double t = 64 / (x * x) - 0.5, size = 0x1.20dd750429b6dp-1 / sqrt(x);
  const double p = horner(t, 0x1.ffb8dd328503dp-1, -0x1.193600c1deb24p-10, 0x1.9be00160e8efap-16, -0x1.b8d2d6f78975cp-20,
                          0x1.b7ef11b353c63p-23, -0x1.4d2f30ef6ca83p-25, 0x1.54df50d4037c8p-27, -0x1.b5cb66423ff8ep-29,
                          0x1.4fd2ac4222e9cp-30, -0x1.29503e0760042p-31, 0x1.2c6b4c14be94cp-32, -0x1.4cb3236e5f54ap-33,
                          0x1.3fcce8bf4bfffp-34, -0x1.801beee89914bp-35, 0x1.420871ad65d39p-34, -0x1.f1270e181149fp-35);
  const double q = horner(t, -0x1.fdb5c0b2f3d5bp-4, 0x1.1e9a6138fee37p-10, -0x1.8c8435284bfffp-15, 0x1.3135a89eac43cp-18,
                          -0x1.858d1b7cadd6fp-21, 0x1.61a55ba63fdeep-23, -0x1.a0835af0753aap-25, 0x1.2ba595b6cc591p-26,
                          -0x1.f9076155db4a3p-28, 0x1.e444704637c15p-29, -0x1.079e2dd2743a5p-29, 0x1.36c36974db323p-30,
                          -0x1.28b12201b3229p-31, 0x1.6ff999ac45e36p-32, -0x1.6c7842f8c83a8p-31, 0x1.24f4798680cd2p-31) /
                   x;
  return {sin(x), cos(x), p * size, q * size};
}
KILN_FN hankel_parts hankel_1(double x) {
  const double t = 64 / (x * x) - 0.5, size = 0x1.20dd750429b6dp-1 / sqrt(x);
  const double p = horner(t, 0x1.003b716033732p+0, 0x1.d73b8ea3c1238p-10, -0x1.0b1541bfc3f6ap-15, 0x1.07762641d0205p-19,
                          -0x1.f96170c79bbadp-23, 0x1.75eaf6c410f68p-25, -0x1.78ba6da33b5f4p-27, 0x1.dea2a18d66de7p-29,
                          -0x1.6c34b40168bd4p-30, 0x1.406f1c02c3513p-31, -0x1.42141714a6d88p-32, 0x1.6332811268259p-33,
                          -0x1.553dc071127c9p-34, 0x1.98ec74eefdf04p-35, -0x1.53f6709baa104p-34, 0x1.05da5f02213e4p-34);
  const double q = horner(t, 0x1.7f323705062fbp-2, -0x1.938da0a0a698fp-10, 0x1.e8e009ca92529p-15, -0x1.6423127936b6bp-18,
                          0x1.b9302a5483622p-21, -0x1.8922dd989b9cbp-23, 0x1.c92e5da63f5ffp-25, -0x1.45e2ecc3da930p-26,
                          0x1.10b6d80edd55dp-27, -0x1.0411351bfc4ddp-28, 0x1.19c832637c619p-29, -0x1.4aeae364097ddp-30,
                          0x1.3c11a5323ea94p-31, -0x1.8745d51c238afp-32, 0x1.801439c284428p-31, -0x1.341b3ac36783ap-31) /
                   x;
  return {sin(x), cos(x), p * size, q * size};
}

KILN_FN double j0(double x) {
  const double size = fabs(x);
  if (size < 4)
    return 1 + x * x *
                   horner(x * x - 8, -0x1.3250f9d9471adp-3, 0x1.42dc723e41fbep-7, -0x1.355ef74636a57p-12, 0x1.48236b508607bp-18,
                          -0x1.b729d160f0ff6p-25, 0x1.93fffdce33ba6p-32, -0x1.0f13a4abfea79p-39, 0x1.150f58ce45c3bp-47,
                          -0x1.bdc0fc827e120p-56, 0x1.2198b613f988ep-64, -0x1.364633ef1ee38p-73, 0x1.16d45cf90786ep-82,
                          -0x1.aa87b401c7da6p-92, 0x1.18d9f25165d3cp-101);
  if (size < 8)
    return horner(size - 6, 0x1.3485802986392p-3, 0x1.1b530367f4bbep-2, -0x1.92f6814c2d227p-4, -0x1.427fa0b72ebeep-5,
                  0x1.2ff8250ad6ea2p-7, 0x1.96ad62dbc113ep-10, -0x1.40d55deca1250p-12, -0x1.f7f41b785fa1fp-16,
                  0x1.5eca549e0b17cp-18, 0x1.78f324e2e3425p-22, -0x1.d96b40a4d52eep-25, -0x1.7b768ebaa9230p-29,
                  0x1.b37de771cb7bcp-32, 0x1.13397055f4339p-36, -0x1.2333f267198bfp-39, -0x1.2d3dc299b9867p-44,
                  0x1.27e3dec93d49ep-47, 0x1.eb80792d4cf8ep-53, -0x1.c3f1d82e1ec83p-56);
  if (size == double(INFINITY)) return 0;
  const hankel_parts h = hankel_0(size);
  return h.p * (h.cosine + h.sine) + h.q * (h.cosine - h.sine);
}
KILN_FN double j1(double x) {
  const double size = fabs(x);
  if (size < 4)
    return x * horner(x * x - 8, 0x1.21c581744c39cp-3, -0x1.eb0968d968a52p-6, 0x1.9287ceca38d6bp-10, -0x1.2cb0ce3a76f7cp-15,
                      0x1.02b222f2889a5p-21, -0x1.224b12a296dbep-28, 0x1.cb3b8951b5d1bp-36, -0x1.0e1854dc3c4f1p-43,
                      0x1.eb4abdac329dep-52, -0x1.63ef848dc2311p-60, 0x1.a4a2f6a9531d3p-69, -0x1.9d3f5d96abb3ep-78,
                      0x1.5701dbb2525aap-87, -0x1.e71b39a7a896fp-97);
  if (size < 8)
    return copysign(1.0, x) * horner(size - 6, -0x1.1b530367f4bbfp-2, 0x1.92f6814c2d226p-3, 0x1.e3bf7112c6209p-4,
                                     -0x1.2ff8250ad6e79p-5, -0x1.fc58bb92b25e2p-8, 0x1.e1400ce2f07d7p-10, 0x1.b8f59809af14cp-13,
                                     -0x1.5eca549dc7cf7p-15, -0x1.a811899f0f60dp-19, 0x1.27e30857d6ae7p-21,
                                     0x1.04e1884f222d1p-25, -0x1.469e69b83bd38p-28, -0x1.bf4025ba72505p-33,
                                     0x1.fd99caeea3128p-36, 0x1.1ac8b4b258257p-40, -0x1.27ce236f8bb4dp-43,
                                     -0x1.1289871d0ae54p-48, 0x1.f9b8bf3fd802bp-52, 0x1.9447a2377ab13p-57);
  if (size == double(INFINITY)) return copysign(0.0, x);
  const hankel_parts h = hankel_1(size);
  return copysign(1.0, x) * (h.p * (h.sine - h.cosine) + h.q * (h.sine + h.cosine));
}
// Of numbers that are not above 0.
KILN_FN double y_of_no_positive(double x) {
  return x == 0 ? -double(INFINITY) : double(NAN);
}
KILN_FN double y0(double x) {
  if (!(x > 0)) return y_of_no_positive(x);
  if (x < 4)
    return 0x1.45f306dc9c883p-1 * (log(x) * j0(x)) +
           horner(x * x - 8, 0x1.1de47f3d61dbbp-1, 0x1.a1331a69b9ad2p-8, -0x1.9d62c655f0441p-8, 0x1.3403132dcde10p-12,
                  -0x1.9408055c44088p-18, 0x1.343e1fcd280ebp-24, -0x1.36d3e4868d88dp-31, 0x1.bf172600a64e7p-39,
                  -0x1.e2e0081ac1c89p-47, 0x1.96817b9dacc97p-55, -0x1.1273bb3bae117p-63, 0x1.2ff9d08b45303p-72,
                  -0x1.195f08291a027p-81, 0x1.b98395342a3bap-91);
  if (x < 8)
    return horner(x - 6, -0x1.271c81da53e77p-2, 0x1.666bd2c9daf3ep-3, 0x1.093e304981a87p-3, -0x1.2340be04f1d67p-5,
                  -0x1.1fae10370f476p-7, 0x1.e9effcc108ef7p-10, 0x1.e3918f787ef13p-13, -0x1.655d4319e6601p-15,
                  -0x1.d15f0272faf39p-19, 0x1.32df9c39a8417p-21, 0x1.101a53d7a473ap-25, -0x1.45e544f2885ddp-28,
                  -0x1.04c13a0a2a656p-32, 0x1.22a5329ce35a2p-35, 0x1.2b82413f43c3ep-41, -0x1.d35bf4c61d48dp-45,
                  -0x1.322e1638e4fd7p-46, 0x1.6cb45d5237cc0p-49, -0x1.7c73257425a93p-52, 0x1.e9163bab3d9b3p-55,
                  -0x1.c106a484e0fe9p-58, 0x1.1d2a0a1ff5f37p-60, -0x1.d95563f2929dap-62, 0x1.2f76d3a0016bap-64);
  if (x == double(INFINITY)) return 0;
  const hankel_parts h = hankel_0(x);
  return h.p * (h.sine - h.cosine) + h.q * (h.sine + h.cosine);
}
KILN_FN double y1(double x) {
  if (!(x > 0)) return y_of_no_positive(x);
  if (x < 4)
    return 0x1.45f306dc9c883p-1 * (log(x) * j1(x) - 1 / x) +
           x * horner(x * x - 8, 0x1.51dd34f6a80c0p-4, 0x1.369daf19b82a4p-6, -0x1.9cc7b4993ede7p-10, 0x1.79eb3dc1c8d58p-15,
                      -0x1.6fd45fc6380fap-21, 0x1.c22abaa98d925p-28, -0x1.7c6b1708d3b12p-35, 0x1.d7d9ec146573fp-43,
                      -0x1.c0737666ad22ep-51, 0x1.514dc65e2193fp-59, -0x1.9bcb473a6ce5ep-68, 0x1.a051a93f08284p-77,
                      -0x1.628185e6ab823p-86, 0x1.0193e701301cfp-95);
  if (x < 8)
    return horner(x - 6, -0x1.666bd2c9daf3ep-3, -0x1.093e304981a87p-2, 0x1.b4e11d076ac1bp-4, 0x1.1fae10370f480p-5,
                  -0x1.3235fdf8a5938p-7, -0x1.6aad2b9a5fc69p-10, 0x1.38b19ab6a86dcp-12, 0x1.d15f027370b1ap-16,
                  -0x1.593b8fc03f2e8p-18, -0x1.5420e902285bbp-22, 0x1.c01b3e6adc60bp-25, 0x1.8721f3a54a2d3p-29,
                  -0x1.d84c4c0eef1a3p-32, -0x1.0625d847871a0p-37, 0x1.b6005df770946p-41, 0x1.334ed07faec40p-42,
                  -0x1.82bf91a2a8e17p-45, 0x1.96b4a81800b31p-48, -0x1.271c3e286163ep-50, 0x1.9693d2b5c7057p-53,
                  -0x1.54e0b41700226p-56, 0x1.c6fe73c148c15p-59, -0x1.cdb5f614367cfp-60, 0x1.34a5ada835cadp-62);
  if (x == double(INFINITY)) return 0;
  const hankel_parts h = hankel_1(x);
  return h.q * (h.sine - h.cosine) - h.p * (h.sine + h.cosine);
}

// By recurrence: upwards up to n = x, and beyond downwards from where the terms are small (J. Miller).
KILN_FN double jn(int32 n, double x) {
  if (n < 0) return NAN;
  if (n < 2) return n == 0 ? j0(x) : j1(x);
  const double size = fabs(x);
  if (!(size > 0 && size < double(INFINITY))) return x != x ? x : 0;
  double result;
  if (static_cast<double>(n) <= size) {
    double before = j0(size);
    result = j1(size);
    for (int32 k = 1; k < n; ++k) {
      const double next = 2 * k / size * result - before;
      before = result;
      result = next;
    }
  } else if (size < 0x1p-20) {
    double term = 1;
    for (int32 k = 1; k <= n && term != 0; ++k) term *= 0.5 * size / k;
    result = term * (1 - 0.25 * size * size / (n + 1.0));
  } else {
    const int32 first = 2 * ((n + int32(sqrt(64.0 * n)) + 16) / 2);
    double above = 0, here = 1, sum = 0;
    result = 0;
    for (int32 k = first; k > 0; --k) {
      const double below = 2 * k / size * here - above;
      above = here;
      here = below;
      if (fabs(here) > 0x1p300) {
        here *= 0x1p-300;
        above *= 0x1p-300;
        result *= 0x1p-300;
        sum *= 0x1p-300;
      }
      if (k - 1 == n) result = here;
      if (((k - 1) & 1) == 0) sum += k == 1 ? here : 2 * here;
    }
    result /= sum;
  }
  return x < 0 && (n & 1) != 0 ? -result : result;
}
KILN_FN double yn(int32 n, double x) {
  if (n < 0) return NAN;
  if (n < 2) return n == 0 ? y0(x) : y1(x);
  if (!(x > 0 && x < double(INFINITY))) return x > 0 ? 0 : y_of_no_positive(x);
  double before = y0(x), result = y1(x);
  for (int32 k = 1; k < n && result != -double(INFINITY); ++k) {
    const double next = 2 * k / x * result - before;
    before = result;
    result = next;
  }
  return result;
}
KILN_OWN_SINGLE(cyl_bessel_i0)
KILN_OWN_SINGLE(cyl_bessel_i1)
KILN_OWN_SINGLE(j0)
KILN_OWN_SINGLE(j1)
KILN_OWN_SINGLE(y0)
KILN_OWN_SINGLE(y1)
KILN_FN float jnf(int32 n, float x) {
  return static_cast<float>(jn(n, static_cast<double>(x)));
}
KILN_FN float ynf(int32 n, float x) {
  return static_cast<float>(yn(n, static_cast<double>(x)));
}

}  // namespace kiln::own
KILN_PRECISE_END
#endif

namespace kiln {

KILN_SPECIAL_1(cyl_bessel_i0)
KILN_SPECIAL_1(cyl_bessel_i1)
KILN_FUNCTION_1(j0, KILN_SPECIAL(j0f), KILN_SAME(j0, KILN_SPECIAL(j0)))
KILN_FUNCTION_1(j1, KILN_SPECIAL(j1f), KILN_SAME(j1, KILN_SPECIAL(j1)))
KILN_FUNCTION_1(y0, KILN_SPECIAL(y0f), KILN_SAME(y0, KILN_SPECIAL(y0)))
KILN_FUNCTION_1(y1, KILN_SPECIAL(y1f), KILN_SAME(y1, KILN_SPECIAL(y1)))
template <real_number T>
KILN_FN float_of<T> jn(int n, T x) {
  if constexpr (same<float_of<T>, float>) {
    return KILN_SPECIAL(jnf)(n, static_cast<float>(x));
  } else {
    return KILN_SPECIAL(jn)(n, static_cast<double>(x));
  }
}
template <real_number T>
KILN_FN float_of<T> yn(int n, T x) {
  if constexpr (same<float_of<T>, float>) {
    return KILN_SPECIAL(ynf)(n, static_cast<float>(x));
  } else {
    return KILN_SPECIAL(yn)(n, static_cast<double>(x));
  }
}

}  // namespace kiln
