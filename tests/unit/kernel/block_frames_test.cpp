// Memory for the threads of a block that wait, asked for by a kernel.
#include "kernel/block_frames.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "../base/sanitizer.hpp"
#include "kiln/error.hpp"

using kiln::kinds::BlockFrames;

TEST_CASE("block frames: each thread has its own, which the next block has again") {
  for (const bool fenced : {false, true}) {
    BlockFrames frames(fenced);
    void* first[3];
    frames.run([&] {
      for (void*& frame : first) frame = frames.new_frame(frames.owner, 100);
    });
    CHECK(first[0] != first[1]);
    CHECK(first[1] != first[2]);
    for (const void* const frame : first) CHECK(reinterpret_cast<std::uintptr_t>(frame) % 64 == 0);
    frames.begin_block(frames.owner);
    CHECK(frames.new_frame(frames.owner, 100) == first[0]);
  }
}

#if !defined(KILN_SANITIZED)  // a sanitizer's allocator ends the process
TEST_CASE("block frames: where a thread finds no memory, the kernel ends, and the error says of what there was too much") {
  BlockFrames frames(false);
  bool went_on = false;
  std::string text;
  try {
    frames.run([&] {
      frames.new_frame(frames.owner, 64);
      frames.new_frame(frames.owner, std::int64_t{1} << 60);
      went_on = true;
    });
  } catch (const kiln::DeviceError& error) {
    text = error.what();
  }
  CHECK_FALSE(went_on);
  CHECK(text ==
        "no memory for what the threads of a block keep while they wait at a barrier(): 1152921504606846976 bytes more than 1 "
        "times as many; keep fewer variables across barriers, or give a smaller .block");
}
#endif
