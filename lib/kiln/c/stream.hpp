// Streams, events and stops as C handles.
#pragma once

#include <stop_token>
#include <utility>

#include "c/handle.hpp"
#include "kiln/c/kiln.h"
#include "kiln/event.hpp"
#include "kiln/stream.hpp"

struct kiln_stream : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::stream;
  explicit kiln_stream(kiln::Stream made) : Handle(kTag), stream(std::move(made)) {}
  kiln::Stream stream;
};

struct kiln_event : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::event;
  explicit kiln_event(const kiln::Device& device) : Handle(kTag), event(device) {}
  kiln::Event event;
};

struct kiln_stop : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::stop;
  kiln_stop() : Handle(kTag) {}
  std::stop_source source;
};

namespace kiln::c {

/// Returns the stream; NULL is the default one.
[[nodiscard]] inline Stream stream_of(const kiln_stream* stream) {
  return stream != nullptr ? checked(stream, "stream").stream : Stream();
}

}  // namespace kiln::c
