// Every thread increments a global counter: Numba's example of a race, and of the atomic operation that has none.
//   thread_counter           the atomic one
//   thread_counter racy      the bad one: its count may be anything; where accesses are checked (KILN_DEVICE=emulated:sm_90, or
//                            KILN_DEBUG=race on the CPU), the race is a DeviceError with both lines
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <string_view>

namespace {

const auto thread_counter_race_condition = kiln::kernel({
    .name = "thread_counter_race_condition",
    .signature = "void(int32[:] global_counter)",
    .body = "global_counter[0] += 1;  // This is bad",
});

const auto thread_counter = kiln::kernel({
    .name = "thread_counter",
    .signature = "void(int32[:] global_counter)",
    .body = "atomic_add(&global_counter[0], 1);  // Safely add 1 to element 0 of global_counter",
});

}  // namespace

int main(int argc, char** argv) {
  const bool racy = argc > 1 && std::string_view(argv[1]) == "racy";
  const kiln::Array counter = to_device(kiln::Array::zeros({1}, kiln::DType::int32), kiln::Device::best());
  constexpr std::int32_t blocks = 64, threads = 64;
  try {
    (racy ? thread_counter_race_condition : thread_counter).configure(blocks, threads)(counter);
    const auto count = counter[{0}].item<std::int32_t>();
    if (!racy && count != blocks * threads) {
      std::cerr << count << " is wrong\n";
      return 1;
    }
    std::cout << blocks * threads << " threads counted to " << count << (racy ? ", in a race\n" : ", checked\n");
    return 0;
  } catch (const kiln::DeviceError& error) {
    std::cout << error.what() << '\n';
    return racy ? 0 : 1;
  }
}
