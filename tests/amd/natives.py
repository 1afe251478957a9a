"""Instructions whose pseudocode is corrected, in its own words, or is not translated but written by hand."""
from fractions import Fraction

import numpy as np

import arithmetic as A
from pseudocode import Function

# The printed pseudocode of a division is wrong: DIV_SCALE says nothing of a value that is not scaled, and scales the denominator
# up where its inverse is a denormal; DIV_FMAS has neither the factors that DIV_SCALE leaves behind nor their sign.
DIV_SCALE = """
D0.fN = S0.fN;
VCC = 0x0LL;
if ((S2.fN == 0.0) || (S1.fN == 0.0)) then
D0.fN = NAN.fN
elsif exponent(S2.fN) - exponent(S1.fN) >= FAR then
VCC = 0x1LL;
if S0.fN == S1.fN then
D0.fN = ldexp(S0.fN, UP)
endif
elsif S1.fN == DENORM.fN then
D0.fN = ldexp(S0.fN, UP)
elsif ((1.0 / 64'F(S1.fN) == DENORM.f64) && (S2.fN / S1.fN == DENORM.fN)) then
VCC = 0x1LL;
if S0.fN == S1.fN then
D0.fN = ldexp(S0.fN, -UP)
endif
elsif 1.0 / 64'F(S1.fN) == DENORM.f64 then
D0.fN = ldexp(S0.fN, -UP)
elsif S2.fN / S1.fN == DENORM.fN then
VCC = 0x1LL;
if S0.fN == S2.fN then
D0.fN = ldexp(S0.fN, UP)
endif
elsif exponent(S2.fN) <= TINY then
D0.fN = ldexp(S0.fN, UP)
endif
"""

CORRECTED = {
    "V_DIV_SCALE_F32": DIV_SCALE.replace("fN", "f32").replace("FAR", "96").replace("UP", "64").replace("TINY", "23"),
    "V_DIV_SCALE_F64": DIV_SCALE.replace("fN", "f64").replace("FAR", "768").replace("UP", "128").replace("TINY", "53"),
    # By one operation, which does not overflow on the way.
    "V_LDEXP_F32": "D0.f32 = ldexp(S0.f32, S1.i32)",
    "V_LDEXP_F64": "D0.f64 = ldexp(S0.f64, S1.i32)",
    "V_LDEXP_F16": "D0.f16 = ldexp(S0.f16, 32'I(S1.i16))",
    # The 65th bit is a lane's.
    "V_MAD_U64_U32": "D0.u64 = 64'U(S0.u32) * 64'U(S1.u32) + S2.u64;\nVCC.u64[laneId] = D0.u64 < S2.u64",
    "V_MAD_I64_I32": "D0.i64 = 64'I(S0.i32) * 64'I(S1.i32) + S2.i64;\nVCC.u64[laneId] = 1'0U",
    # Of its half of the register: where the other is kept, the write does so.
    "V_MAD_LEGACY_U16": "D0.u16 = S0.u16 * S1.u16 + S2.u16",
    "V_MAD_LEGACY_I16": "D0.i16 = S0.i16 * S1.i16 + S2.i16",
    "V_MAC_F16": "D0.f16 = S0.f16 * S1.f16 + D0.f16",
    "V_PACK_B32_F16": "D0.u32 = { S1.b16, S0.b16 }",
    "V_BFE_U32": "D0.u32 = ((S0.u32 >> S1[4 : 0].u32) & ((1U << S2[4 : 0].u32) - 1U))",
}
# Parts of a text. The steps before DIV_FIXUP end in NaN where the quotient overflows.
REPLACED = {f"V_DIV_FIXUP_{kind.upper()}": (
    f"D0.{kind} = sign_out ? -abs(S0.{kind}) : abs(S0.{kind})",
    f"D0.{kind} = isNAN(S0.{kind}) ? (sign_out ? -INF.{kind} : +INF.{kind}) : (sign_out ? -abs(S0.{kind}) : abs(S0.{kind}))")
    for kind in ("f32", "f64")}
# The same without its dozen branches. tests/amd/executor_test.py compares the two.
for _type in ("f16", "f32", "f64"):
    for _extreme in ("min", "max"):
        CORRECTED[f"V_{_extreme.upper()}_{_type.upper()}"] = f"D0.{_type} = v_{_extreme}_{_type}(S0.{_type}, S1.{_type})"


def fma_scaled(a, b, c, towards):
    """fma(a, b, c) · 2^towards, rounded once."""
    result = np.ldexp(A.fma(a, b, c), towards)
    tiny = 2.0 ** {4: -125, 8: -1021}[a.dtype.itemsize]
    near = np.flatnonzero(np.atleast_1d(np.isfinite(result) & (np.abs(result) < tiny) & (result != 0)))
    if near.size:
        shape = np.shape(result)
        a, b, c, towards = (np.broadcast_to(x, shape or (1,)).ravel() for x in (a, b, c, towards))
        result = np.array(result, ndmin=1)
        for i in near:
            exact = (Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))) * Fraction(2) ** int(towards[i])
            result[i] = nearest(exact, a.dtype.itemsize)
        result = result.reshape(shape)
    return result


def nearest(exact, size):
    """Of a denormal: a multiple of the smallest, ties to even, as round() does."""
    unit = Fraction(2) ** {4: -149, 8: -1074}[size]
    return float(round(exact / unit) * unit)


def div_fmas(dtype, up, middle):
    def call(S0, S1, S2, VCCL, LANES=64):
        a, b, c = (x.view(dtype) for x in (S0, S1, S2))
        plain = A.fma(a, b, c)
        if not np.any(VCCL):
            return (np.asarray(plain).view(S0.dtype),)
        towards = np.where(A.exponent(c) > middle, up, -up).astype(np.int32)
        return (np.where(VCCL, fma_scaled(a, b, c, towards), plain).astype(dtype).view(S0.dtype),)
    return Function(call, ["D0"], "")


def mbcnt(shift):
    def call(S0, S1, LANES=64):
        lanes = A.LANES[LANES]
        if shift:
            below = np.where(lanes >= 32, (np.uint64(1) << np.maximum(lanes, 32).astype(np.uint64) - np.uint64(32)) - np.uint64(1), 0)
        else:
            below = np.where(lanes >= 32, np.uint64(0xffffffff), (np.uint64(1) << lanes.astype(np.uint64)) - np.uint64(1))
        return ((A.bit_counts(S0 & below.astype(np.uint32)) + S1).astype(np.uint32),)
    return Function(call, ["D0"], "")


def perm(S0, S1, S2, LANES=64):
    both = (S0.astype(np.uint64) << np.uint64(32)) | S1
    result = np.zeros_like(S0 | S1 | S2)
    for byte in range(4):
        selector = (S2 >> (8 * byte)) & 0xff
        picked = ((both >> ((selector & 7).astype(np.uint64) * np.uint64(8))) & np.uint64(0xff)).astype(np.uint32)
        # 8 to 11: the sign of byte 1, 3, 5 or 7, for all of the byte.
        of = ((selector.astype(np.int64) - 8) * 2 + 1).clip(0, 7).astype(np.uint64)
        sign = (both >> (of * np.uint64(8) + np.uint64(7))) & np.uint64(1)
        picked = np.where(selector >= 13, 0xff, np.where(selector == 12, 0, np.where(
            selector >= 8, sign.astype(np.uint32) * np.uint32(0xff), picked))).astype(np.uint32)
        result = result | (picked << (8 * byte))
    return (result.astype(np.uint32),)


def sign_extended(x, bits):
    """The low bits of an int32, as a number of that many; 0 of none."""
    shift = (32 - bits.astype(np.int32)) & 31
    return np.where(bits == 0, np.int32(0), (x.view(np.int32) << shift) >> shift).astype(np.int32)[()]


def bfe_signed(S0, S1, S2, LANES=64):
    field = S0.view(np.int32) >> (S1 & 31).astype(np.int32)
    return (np.asarray(sign_extended(field, S2 & 31)).view(np.uint32),)


def s_bfe_signed(S0, S1, LANES=64):
    result = np.asarray(sign_extended(S0.view(np.int32) >> (S1 & 31).astype(np.int32), (S1 >> 16) & 0x7f)).view(np.uint32)[()]
    return result, result != 0


def s_bfe_signed_64(S0, S1, LANES=64):
    offset, bits = int(S1) & 63, int(S1) >> 16 & 0x7f
    sign = 1 << bits >> 1
    result = (((int(S0) >> offset) & ((1 << bits) - 1)) ^ sign) - sign
    return np.uint64(result & 0xffffffffffffffff), result != 0


def leading_signs(x):
    """Bits after the first that equal it; all ones where all do, as AMD's."""
    signed = x.view(np.dtype(f"i{x.dtype.itemsize}"))
    return A.leading_zeros((x ^ (signed >> (x.dtype.itemsize * 8 - 1)).view(x.dtype)))


def one(function, *outputs):
    """Of S0 alone; SCC where a scalar instruction says whether the result is other than 0."""
    def call(S0, LANES=64):
        result = function(S0)
        return (result, result != 0) if "SCC" in outputs else (result,)
    return Function(call, ["D0", *outputs], "")


def bits_of(function):
    return lambda x: np.asarray(function(x)).astype(np.uint32)[()]


def frexp_exponent(dtype, out):
    def call(S0, LANES=64):
        x = S0.astype(np.uint16).view(dtype) if dtype == np.float16 else S0.view(dtype)
        exponent = np.where(np.isfinite(x), np.frexp(x)[1], 0)
        return (exponent.astype(out).view(out.replace("int", "uint")),)
    return Function(call, ["D0"], "")


def frexp_mantissa(dtype):
    def call(S0, LANES=64):
        x = S0.astype(np.uint16).view(dtype) if dtype == np.float16 else S0.view(dtype)
        return (A.raw(np.where(np.isfinite(x), np.frexp(x)[0], x).astype(dtype)),)
    return Function(call, ["D0"], "")


def fma_mix(half):
    """CDNA's table calls it MAD_MIX; it is fused there, too."""
    def call(S0, S1, S2, LANES=64):
        result = A.fma(*(np.asarray(x).view(np.float32) for x in (S0, S1, S2)))
        return (A.raw(result.astype(np.float16) if half else result),)
    return Function(call, ["D0"], "")


def to_even(dtype):
    """The printed floor(x + 0.5) rounds twice, and makes -0 a 0."""
    def call(S0, LANES=64):
        x = S0.astype(np.uint16).view(dtype) if dtype == np.float16 else S0.view(dtype)
        return (A.raw(np.rint(x)),)
    return Function(call, ["D0"], "")


NATIVE = {
    "V_RNDNE_F16": to_even(np.float16),
    "V_RNDNE_F32": to_even(np.float32),
    "V_RNDNE_F64": to_even(np.float64),
    **{f"V_{name}_{to}": fma_mix(to != "MIX_F32") for name in ("FMA", "MAD") for to in ("MIX_F32", "MIXLO_F16", "MIXHI_F16")},
    "V_DIV_FMAS_F32": div_fmas(np.float32, 64, 127),
    "V_DIV_FMAS_F64": div_fmas(np.float64, 128, 1023),
    "V_MBCNT_LO_U32_B32": mbcnt(0),
    "V_MBCNT_HI_U32_B32": mbcnt(1),
    "V_PERM_B32": Function(perm, ["D0"], ""),
    "V_BFE_I32": Function(bfe_signed, ["D0"], ""),
    "S_BFE_I32": Function(s_bfe_signed, ["D0", "SCC"], ""),
    "S_BFE_I64": Function(s_bfe_signed_64, ["D0", "SCC"], ""),
    "V_BCNT_U32_B32": Function(lambda S0, S1, LANES=64: ((A.bit_counts(S0) + S1).astype(np.uint32),), ["D0"], ""),
    **{name: one(bits_of(A.trailing_zeros)) for name in
       ("V_FFBL_B32", "V_CTZ_I32_B32", "S_FF1_I32_B32", "S_FF1_I32_B64", "S_CTZ_I32_B32", "S_CTZ_I32_B64")},
    **{name: one(bits_of(A.leading_zeros)) for name in
       ("V_FFBH_U32", "V_CLZ_I32_U32", "S_FLBIT_I32_B32", "S_FLBIT_I32_B64", "S_CLZ_I32_U32", "S_CLZ_I32_U64")},
    **{name: one(bits_of(leading_signs)) for name in
       ("V_FFBH_I32", "V_CLS_I32", "S_FLBIT_I32", "S_FLBIT_I32_I64", "S_CLS_I32", "S_CLS_I32_I64")},
    **{name: one(bits_of(A.bit_counts), "SCC") for name in ("S_BCNT1_I32_B32", "S_BCNT1_I32_B64")},
    "V_FREXP_EXP_I32_F32": frexp_exponent(np.float32, "int32"),
    "V_FREXP_EXP_I32_F64": frexp_exponent(np.float64, "int32"),
    "V_FREXP_EXP_I16_F16": frexp_exponent(np.float16, "int16"),
    "V_FREXP_MANT_F32": frexp_mantissa(np.float32),
    "V_FREXP_MANT_F64": frexp_mantissa(np.float64),
    "V_FREXP_MANT_F16": frexp_mantissa(np.float16),
}
