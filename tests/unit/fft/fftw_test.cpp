#include "fft/fftw.hpp"

#include <doctest/doctest.h>

#include <cstdio>

#include "kiln/error.hpp"

using namespace kiln::fft;

namespace {

std::string error_of_opening(bool single, const std::vector<std::string>& names) {
  try {
    const Fftw library(single, names);
  } catch (const kiln::DeviceError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("fftw: a library that is missing is told with every name that was tried") {
  const std::string text = error_of_opening(true, {"/nowhere/libfftw3f.so.3", "libkiln-no-such-fftw.so.3"});
  CHECK(text.starts_with("FFTW for float32 was not found: tried /nowhere/libfftw3f.so.3 ("));
  CHECK(text.find("), libkiln-no-such-fftw.so.3 (") != std::string::npos);
  CHECK(
      text.ends_with("; install FFTW (Debian: libfftw3-single3 and libfftw3-double3; Fedora: fftw-libs), or name its folder in "
                     "KILN_FFTW"));
}

TEST_CASE("fftw: a library of another precision") {
  const std::string text = error_of_opening(true, {"libfftw3.so.3"});
  if (text.find("was not found") != std::string::npos) {
    std::printf("KILN-NOT-RUN fftw 1\n");
    return;
  }
  CHECK(text.find(" has no symbol fftwf_plan_guru64_dft, which transforms of float32 need: it is not FFTW 3 of that precision; "
                  "install FFTW") != std::string::npos);
}
