// Memory that the threads of a team or a block share, as bodies ask for it: shared<T>(count).
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

struct shared_memory {
  unsigned char* pool;
#if KILN_DEBUG
  unsigned char* kiln_begin;
  unsigned char* kiln_end;  // of what the definition declares, or the launch gives
  KILN_FN shared_memory(unsigned char* p, index declared) : pool(p), kiln_begin(p), kiln_end(p + declared) {}
#else
  KILN_FN shared_memory(unsigned char* p, index) : pool(p) {}
#endif

  // Every thread calls it, in the same order.
#if KILN_DEBUG
  template <class T>
  KILN_FN T* shared(debug::at count) {
    const index bytes = kiln_bytes_of<T>(count.index);
    if (count.index < 0 || bytes > kiln_end - pool) {
      debug::too_much_shared(bytes, kiln_end - pool, count.line, count.column, count.file);
      return reinterpret_cast<T*>(kiln_begin);
    }
    return kiln_next<T>(bytes);
  }
#else
  template <class T>
  KILN_FN T* shared(index count) {
    return kiln_next<T>(kiln_bytes_of<T>(count));
  }
#endif

 private:
  template <class T>
  KILN_FN static index kiln_bytes_of(index count) {
    return (count * index(sizeof(T)) + 15) / 16 * 16;
  }
  template <class T>
  KILN_FN T* kiln_next(index bytes) {
    T* const place = reinterpret_cast<T*>(pool);
    pool += bytes;
    return place;
  }
};

}  // namespace kiln
