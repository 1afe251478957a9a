// Runs the cases, then says what was not here to run them on: "KILN-NOT-RUN cuda 12", a line for each missing thing.
// KILN_REQUIRE_DEVICE=cuda,hip,cpu makes a missing device a failure.
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "../locale.hpp"
#include "../support/sample.hpp"
#include "../support/silent_reporter.hpp"
#include "../support/turns.hpp"
#include "devices.hpp"
#include "kiln/error.hpp"
#include "report.hpp"

namespace conformance {
namespace {

std::string running_case;
std::set<std::string> device_cases;
std::map<std::string, std::set<std::string>> cases_not_run;

/// Tells which case is running.
struct CaseListener : kiln::test::SilentReporter {
  explicit CaseListener(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData& data) override { running_case = data.m_name; }
};
REGISTER_LISTENER("case", 1, CaseListener);

const std::pair<const char*, kiln::DeviceKind> kKinds[] = {
    {"cpu", kiln::DeviceKind::cpu}, {"cuda", kiln::DeviceKind::cuda}, {"hip", kiln::DeviceKind::hip}};

bool present(kiln::DeviceKind kind) {
  for (const kiln::Device& device : devices()) {
    if (device.kind() == kind) return true;
  }
  return false;
}

/// Why a required device is missing, one line for each; empty where all are here.
std::string missing_devices() {
  const char* text = std::getenv("KILN_REQUIRE_DEVICE");
  std::istringstream words(text == nullptr ? "" : text);
  std::string missing;
  for (std::string word; std::getline(words, word, ',');) {
    try {
      const kiln::Device device = kiln::Device::from_string(word);
      if (!present(device.kind())) missing += word + " is required (KILN_REQUIRE_DEVICE) and not in this build\n";
    } catch (const kiln::DeviceError& error) {
      missing += word + " is required (KILN_REQUIRE_DEVICE): " + error.what() + "\n";
    }
  }
  return missing;
}

}  // namespace

void note_device_case() {
  device_cases.insert(running_case);
}
void note_not_run(const std::string& what) {
  cases_not_run[what].insert(running_case);
}

}  // namespace conformance

int main(int argc, char** argv) {
  using namespace conformance;
  kiln::test::use_locale_of_environment(true);
  if (const std::string missing = missing_devices(); !missing.empty()) {
    std::cout << missing;
    return 1;
  }
  for (const kiln::Device& device : devices())
    std::cout << "device " << to_string(device) << ": " << device.info().name << "\n";
  std::cout << "KILN_TEST_SEED=" << seed() << " KILN_TEST_FIRST=" << kiln::test::Sample::first() << "\n" << std::flush;
  doctest::Context context(argc, argv);
  kiln::test::take_turn(context, argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;
  for (const auto& [name, kind] : kKinds) {
    if (chosen(kind) && !present(kind) && !device_cases.empty())
      std::cout << "KILN-NOT-RUN " << name << " " << device_cases.size() << "\n";
  }
  for (const auto& [what, cases] : cases_not_run) std::cout << "KILN-NOT-RUN " << what << " " << cases.size() << "\n";
  return result;
}
