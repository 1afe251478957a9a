#include "base/stack_room.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/of_thread.hpp"

namespace kiln {
namespace {

constexpr std::size_t kSmall = std::size_t{256} << 10;

/// Runs it on a thread with a small stack.
void on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSmall);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
}

/// The type of a value of threads'.
struct Number {
  int value = 0;
};

}  // namespace

TEST_CASE("stack room: it is what a thread has left") {
  CHECK(base::stack_room() > kSmall);
  on_small_stack([] {
    CHECK(base::stack_room() > 0);
    CHECK(base::stack_room() < kSmall);
  });
}

TEST_CASE("stack room: work goes to another thread where there is too little") {
  const auto thread_of = [](std::size_t bytes) {
    std::thread::id id;
    base::with_stack(bytes, [&] {
      id = std::this_thread::get_id();
      CHECK(base::stack_room() >= bytes);
    });
    return id;
  };
  CHECK(thread_of(1000) == std::this_thread::get_id());
  on_small_stack([&] {
    CHECK(thread_of(1000) == std::this_thread::get_id());
    CHECK(thread_of(std::size_t{1} << 20) != std::this_thread::get_id());
    std::string caught;
    try {
      base::with_stack(std::size_t{1} << 20, [] { throw std::runtime_error("thrown there"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    CHECK(caught == "thrown there");
  });
}

TEST_CASE("a value of a thread is made once for each") {
  base::of_thread<Number>().value = 7;
  CHECK(base::of_thread<Number>().value == 7);
  std::thread([] { CHECK(base::of_thread<Number>().value == 0); }).join();
  CHECK(base::of_thread<Number>().value == 7);
}

}  // namespace kiln
