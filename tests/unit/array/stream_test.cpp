// Streams, events and queued copies on the CPU, whose queue is held up here as long as a case wants.
#include <doctest/doctest.h>

#include "base/have_cpu.hpp"

#if KILN_HAVE_CPU
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "../types/golden.hpp"
#include "device/backend.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "kiln/stream.hpp"

using namespace kiln;
using golden::message_of;

namespace {

/// Holds a stream's work up until it is opened, or goes.
class Gate {
 public:
  explicit Gate(const Stream& stream) {
    stream.queue()->run([opened = gate_.get_future().share()] { opened.wait(); });
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() {
    if (!std::exchange(open_, true)) gate_.set_value();
  }

 private:
  std::promise<void> gate_;
  bool open_ = false;
};

}  // namespace

TEST_CASE("streams: a copy to the host is queued, and keeps both arrays") {
  const Stream stream(Device::cpu());
  Array target = Array::zeros({2, 3}, DType::float32);
  std::weak_ptr<const detail::ArrayRep> source_alive;
  {
    Gate gate(stream);
    const Array source = to_device(Array::full({2, 3}, 7.0F), Device::cpu(), {.stream = stream});
    source_alive = source.rep();
    source.copy_to_host(target, {.stream = stream});
    // One with gaps as well: the CPU puts each element in its place.
    const Array gaps = target[{all, Slice{.step = 2}}];
    source[{all, Slice{0, 2}}].copy_to_host(gaps, {.stream = stream});
    CHECK(target.to_vector<float>() == std::vector<float>(6, 0));
  }
  stream.synchronize();
  CHECK(target.to_vector<float>() == std::vector<float>(6, 7));
  CHECK(source_alive.expired());
  // On a default stream it is there when the call returns.
  Array::full({2, 3}, 9.0F).copy_to_host(target, {});
  CHECK(target.to_vector<float>() == std::vector<float>(6, 9));
  CHECK_THROWS_AS(target.copy_to_host(Array::zeros({3}, DType::float32), {.stream = stream}), ShapeError);
  CHECK_THROWS_AS(target.copy_to_host(target.as_read_only(), {.stream = stream}), TypeError);
}

TEST_CASE("streams: an event marks work, holds another stream up, and tells the time") {
  const Stream first(Device::cpu());
  const Stream second(Device::cpu({.threads = 1}));
  const Event start(Device::cpu());
  const Event end(Device::cpu());
  CHECK(start.device() == Device::cpu());
  CHECK(end.done());
  end.synchronize();
  second.wait(end);  // nothing to wait for
  CHECK(message_of<DeviceError>([&] { static_cast<void>(end.elapsed_ms(start)); }) ==
        "failed to take the time between events on the CPU: one is not recorded or not reached; synchronize() both first");
  const Array value = to_device(Array::zeros({1}, DType::int32), Device::cpu());
  const Array seen = Array::zeros({1}, DType::int32);
  {
    Gate gate(first);
    start.record(first);
    first.queue()->run([&] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    first.queue()->run([&] { value.fill(5); });
    end.record(first);
    CHECK_FALSE(end.done());
    second.wait(end);
    value.copy_to_host(seen, {.stream = second});
    CHECK(seen.item<int>() == 0);
  }
  end.synchronize();
  CHECK(end.done());
  CHECK(end.elapsed_ms(start) >= 20.0);
  second.synchronize();
  CHECK(seen.item<int>() == 5);
  // The CPU's default stream is the caller.
  end.record();
  CHECK(end.done());
  CHECK(end.elapsed_ms(start) > 20.0);
  Stream().wait(end);
}

TEST_CASE("streams: auto_synchronize waits where its scope ends, however that is left") {
  const Stream stream(Device::cpu());
  bool done = false;
  const auto slow = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    done = true;
  };
  {
    const auto scope = auto_synchronize(stream);
    stream.queue()->run(slow);
  }
  CHECK(done);
  done = false;
  CHECK(message_of<std::runtime_error>([&] {
          const auto scope = auto_synchronize(stream);
          stream.queue()->run(slow);
          throw std::runtime_error("the program's own");
        }) == "the program's own");
  CHECK(done);
  // A fault of the work is thrown at the end of the scope, but never in the place of another exception.
  CHECK(message_of<DeviceError>([&] {
          const auto scope = auto_synchronize(stream);
          stream.queue()->run([] { throw DeviceError("the work's"); });
        }) == "the work's");
  CHECK(message_of<std::runtime_error>([&] {
          const auto scope = auto_synchronize(stream);
          stream.queue()->run([] { throw DeviceError("the work's"); });
          throw std::runtime_error("the program's own");
        }) == "the program's own");
  stream.synchronize();  // told, and forgotten
}

TEST_CASE("streams: each thread has one of its own on a device") {
  const Stream mine = Stream::per_thread(Device::cpu());
  CHECK_FALSE(mine.is_default());
  CHECK(Stream::per_thread(Device::cpu()).queue() == mine.queue());
  CHECK(Stream::per_thread(Device::cpu({.threads = 1})).queue() != mine.queue());
  bool done = false;
  std::weak_ptr<backend::Queue> other;
  std::thread([&] {
    const Stream theirs = Stream::per_thread(Device::cpu());
    other = theirs.queue();
    CHECK(theirs.queue() != mine.queue());
    theirs.queue()->run([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done = true;
    });
  }).join();
  CHECK(done);
  CHECK(other.expired());
}

TEST_CASE("streams: a priority is only a hint on the CPU") {
  const Stream stream(Device::cpu(), {.priority = -3});
  bool done = false;
  stream.queue()->run([&] { done = true; });
  stream.synchronize();
  CHECK(done);
}
#endif
