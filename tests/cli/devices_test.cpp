// kiln devices: the table and the JSON tell the same.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "command.hpp"

using cli::contains;
using cli::run;

TEST_CASE("devices lists every device, as a table and as JSON") {
  const auto table = run({"devices"});
  CHECK(table.status == 0);
  CHECK(table.err == "");
  CHECK(table.out.starts_with("DEVICE"));
  // Numbers end where their titles do.
  const std::string title = table.out.substr(0, table.out.find('\n'));
  const auto line = table.out.substr(title.size() + 1, table.out.find('\n', title.size() + 1) - title.size() - 1);
  const std::size_t end = title.find("UNITS") + 5;
  REQUIRE(line.size() >= end);
  CHECK(line[end - 1] != ' ');
  CHECK((line.size() == end || line[end] == ' '));
  const auto json_run = run({"devices", "--json"});
  REQUIRE(json_run.status == 0);
  const auto list = nlohmann::json::parse(json_run.out);
  REQUIRE(list.at("devices").is_array());
  // Below the devices a line for each kind: who compiles.
  CHECK(cli::occurrences(table.out, "\n") == list.at("devices").size() + 1 + 3);
  for (const auto& device : list.at("devices")) {
    CAPTURE(device.dump());
    REQUIRE_FALSE(device.contains("error"));
    CHECK(contains(table.out, "\n" + device.at("device").get<std::string>() + " "));
    CHECK(contains(table.out, device.at("name").get<std::string>()));
    CHECK_FALSE(device.at("name").get<std::string>().empty());
    CHECK_FALSE(device.at("target").get<std::string>().empty());
    CHECK(device.at("memory_bytes").get<std::int64_t>() > 1 << 20);
    CHECK(device.at("multiprocessors").get<int>() >= 1);
  }
}

TEST_CASE("devices tells who compiles the kernels of each kind, and why not the others") {
  const auto compilers = [](const std::map<std::string, std::string>& environment) {
    std::map<std::string, nlohmann::json> all;
    const auto result = run({"devices", "--json"}, {.environment = environment});
    REQUIRE(result.status == 0);
    const nlohmann::json json = nlohmann::json::parse(result.out);
    for (const auto& each : json.at("compilers")) {
      all[each.at("kind").get<std::string>() + " " + each.at("name").get<std::string>()] = each;
    }
    return all;
  };
  const auto usual = compilers({});
  REQUIRE(usual.size() == 5);
  const bool clang = !usual.at("cpu Clang").at("file").get<std::string>().empty();
  CHECK(usual.at("cpu Clang").at("taken") == clang);
  for (const auto& [kind, vendor, target] : {std::tuple("cuda", "NVRTC", "sm_90"), std::tuple("hip", "hipRTC", "gfx90a")}) {
    CAPTURE(vendor);
    const auto& own = usual.at(std::string(kind) + " " + vendor);
    const bool there = !own.at("file").get<std::string>().empty();
    CHECK(own.at("taken") == there);
    CHECK(usual.at(std::string(kind) + " Clang").at("taken") == (clang && !there));
    CHECK(contains(own.at("reason").get<std::string>(),
                   there ? "the vendor's own goes first" : std::string(vendor) + " was not found: tried "));
  }
  if (!clang) return;
  const auto wanted = compilers({{"KILN_GPU_COMPILER", "clang"}});
  CHECK(wanted.at("cuda Clang").at("taken") == true);
  CHECK(wanted.at("hip Clang").at("reason") == "KILN_GPU_COMPILER=clang asks for it");
  const auto none =
      compilers({{"KILN_CLANG", "none"}, {"KILN_NVRTC", "/nowhere/libnvrtc.so"}, {"KILN_HIPRTC", "/nowhere/libhiprtc.so"}});
  for (const auto& [name, info] : none) CHECK_MESSAGE(info.at("taken") == false, name);
  CHECK(none.at("cpu Clang").at("reason") == "kiln's Clang is not used: KILN_CLANG=none; unset it");
  const auto text = run({"devices"}, {.environment = {{"KILN_CLANG", "none"}, {"KILN_NVRTC", "/nowhere/libnvrtc.so"}}}).out;
  CHECK(contains(text,
                 "cuda kernels: nobody compiles them; not NVRTC: NVRTC was not found: tried /nowhere/libnvrtc.so (no such "
                 "file); not Clang: kiln's Clang is not used"));
}

TEST_CASE("devices --json tells of the devices also where KILN_DEVICE names none") {
  const auto result = run({"devices", "--json"}, {.environment = {{"KILN_DEVICE", "foo"}}});
  REQUIRE(result.status == 0);
  const auto list = nlohmann::json::parse(result.out);
  CHECK(list.at("best").is_null());
  CHECK(contains(list.at("best_error").get<std::string>(), "unknown device \"foo\""));
  CHECK(list.at("devices").size() >= 1);
}

TEST_CASE("--verbose says why a vendor has no device, with every path tried") {
  const auto list = nlohmann::json::parse(run({"devices", "--json"}).out);
  const auto verbose = run({"devices", "--verbose"});
  CHECK(verbose.status == 0);
  for (const char* vendor : {"cuda", "hip"}) {
    CAPTURE(vendor);
    const bool missing = list.at("unavailable").contains(vendor);
    bool listed = false;
    for (const auto& device : list.at("devices")) listed = listed || device.at("kind") == vendor;
    CHECK(missing != listed);
    CHECK(contains(verbose.out, std::string("no ") + vendor + " device: ") == missing);
  }
}
