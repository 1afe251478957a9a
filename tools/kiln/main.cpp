// The kiln command: reads the command line, runs one subcommand, and turns what went wrong into a message and a status.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices_command.hpp"
#include "eval_command.hpp"
#include "help_text.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/version.hpp"
#include "usage_error.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int report(int status, std::string_view message) {
  fmt::print(stderr, "kiln: error: {}\n", message);
  return status;
}

int report_usage(std::string_view message, std::string_view command) {
  report(kUsage, message);
  fmt::print(stderr, "Try '{} --help'.\n", command);
  return kUsage;
}

int run(int argc, char** argv) {
  CLI::App app("kiln: NumPy-style universal functions from C++ strings, compiled at run time");
  app.name("kiln");
  kiln::tool::set_usage(app, "kiln COMMAND [OPTIONS]");
  app.set_version_flag("--version", "kiln " KILN_VERSION);
  app.footer("Try 'kiln eval --help' for how kernels are written, with examples.");
  app.require_subcommand(0, 1);
  const kiln::tool::EvalCommand eval(app);
  const kiln::tool::DevicesCommand devices(app);
  const auto command = [&] { return eval.chosen() ? "kiln eval" : devices.chosen() ? "kiln devices" : "kiln"; };
  try {
    // CLI11 takes its arguments last one first.
    std::vector<std::string> arguments = kiln::tool::EvalCommand::protect({argv + std::min(argc, 1), argv + argc});
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
    if (eval.chosen()) {
      eval.run();
    } else if (devices.chosen()) {
      devices.run();
    } else {
      return report_usage("no command: eval or devices", "kiln");
    }
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    if (!eval.chosen() && !devices.chosen() && argc > 1) {
      return report_usage(fmt::format("unknown command or option \"{}\": the commands are eval and devices", argv[1]), "kiln");
    }
    return report_usage(error.what(), command());
  } catch (const kiln::tool::UsageError& error) {
    return report_usage(error.what(), command());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    kiln::cache::set_log([](std::string_view line) { fmt::print(stderr, "kiln: warning: {}\n", line); });
    return run(argc, argv);
  } catch (const kiln::CompileError& error) {
    // The diagnostics begin lines of their own, NAME:LINE:COLUMN first, for tools that look for that.
    return report(kFailed, fmt::format("the kernel does not compile\n{}", error.what()));
  } catch (const std::bad_alloc&) {
    return report(kFailed, "out of memory");
  } catch (const std::exception& error) {
    return report(kFailed, error.what());
  }
}
