#include "files/zlib.hpp"

#include "base/dynamic_library.hpp"

namespace kiln::detail {

const Zlib& zlib() {
  static const auto* const one = [] {
    auto* const made = new Zlib;  // never destroyed, as the library is never closed
    const std::string names[] = {"libz.so.1"};
    auto opened = base::DynamicLibrary::open_first(names, base::Unload::never);
    const base::DynamicLibrary& library = opened.library;
    made->inflate_init = library.function<decltype(made->inflate_init)>("inflateInit2_");
    made->inflate = library.function<decltype(made->inflate)>("inflate");
    made->inflate_end = library.function<decltype(made->inflate_end)>("inflateEnd");
    made->crc = library.function<decltype(made->crc)>("crc32_z");
    made->bound = library.function<decltype(made->bound)>("compressBound");
    made->compress = library.function<decltype(made->compress)>("compress2");
    if (!library) {
      made->missing = base::describe(opened.attempts);
    } else if (!made->inflate_init || !made->inflate || !made->inflate_end || !made->crc || !made->bound || !made->compress) {
      made->missing = library.name() + " has not all functions of zlib 1.2.9 and later";
    }
    return made;
  }();
  return *one;
}

}  // namespace kiln::detail
