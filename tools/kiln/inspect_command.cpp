#include "inspect_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "kernel_text.hpp"
#include "kiln/inspect.hpp"
#include "kiln/manifest.hpp"
#include "operand.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "resource_text.hpp"
#include "target_option.hpp"
#include "terminal.hpp"
#include "usage.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Whether it is an id: hex digits alone. A file of such a name is written ./abcd.
bool is_id(const std::string& subject) {
  return !subject.empty() && subject.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A comment in each of the forms.
std::string title(const Json& kernel) {
  const auto word = [&](const char* member) { return printable(kernel.value(member, std::string())); };
  return fmt::format("{} {} {}{}{} for {} ({})\n", kernel.at("form") == "llvm-ir" ? ";" : "//", word("kernel"),
                     word("signature"), kernel.contains("variant") ? ", " : "", word("variant"), word("target"), word("id"));
}

/// What is missing is a warning.
std::string texts_of(const std::vector<Json>& kernels, const Terminal& terminal) {
  std::string text;
  for (const Json& kernel : kernels) {
    if (kernel.contains("error")) {
      print_warning(kernel["error"].get<std::string>());
      continue;
    }
    if (kernels.size() > 1) text += (text.empty() ? "" : "\n") + title(kernel);
    text += kernel.at("text").get<std::string>();
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  // Sources come from files: on a terminal nothing of them moves the cursor.
  return terminal.width > 0 ? printable(text, /*lines=*/true) : text;
}

std::string resources_of(const std::vector<Json>& kernels, const Terminal& terminal) {
  if (kernels.empty()) return "";
  return kernels.size() == 1 ? resource_lines(kernels[0]) : resource_table(kernels, terminal);
}

/// Reports the kernels that do not compile, and returns the others.
std::vector<Json> compiled_of(const Json& reply) {
  std::vector<Json> compiled;
  for (const Json& kernel : reply.at("kernels")) {
    if (!kernel.contains("error") || kernel.contains("form")) {
      compiled.push_back(kernel);
      continue;
    }
    print_error(fmt::format("\"{}\" does not compile for {}\n{}", kernel.at("kernel").get<std::string>(),
                            kernel.at("target").get<std::string>(), kernel["error"].get<std::string>()));
  }
  return compiled;
}

}  // namespace

InspectCommand::InspectCommand(CLI::App& app) {
  set_usage(app, "kiln inspect [OPTIONS] ID|MANIFEST");
  add_text(app, "subject", subject_, "An id of `kiln cache list`, or a manifest", "ID|MANIFEST");
  add_text(app, "--as", form_, "resources (the default), source, asm, ptx, sass, amdgcn or llvm-ir", "FORM");
  add_target_option(app, targets_, "Of a manifest: sm_90, gfx90a, x86-64-v3, native (the default), …");
  add_text(app, "-k,--kernel", kernel_, "Of a manifest: this kernel alone", "NAME");
  add_text(app, "-o,--output", output_, "Write to a file instead of standard output", "FILE");
  choice_.add_to(app);
  set_footer(
      app,
      R"(ID is the beginning of an entry's id, as many digits as distinguish it. MANIFEST is a file: its kernels are looked at for
the target, and compiled where the cache does not have them. Write ./abc for a file whose name is all hex digits.

Forms: resources  registers, spills, stack, shared memory, vector width, size of the code
       source     the translation unit that was compiled
       asm        the machine code, disassembled: on NVIDIA's targets as sass, on AMD's as amdgcn
       ptx        of NVIDIA's targets; compiled again
       sass       of NVIDIA's targets; needs nvdisasm or cuobjdump of the CUDA toolkit
       amdgcn     of AMD's targets
       llvm-ir    of CPUs; compiled again
No device is needed for any of them.

Examples:
  kiln inspect 3a7dfc
  kiln inspect 3a7dfc --as asm
  kiln inspect kernels.json --target sm_90,gfx90a,native
  kiln inspect kernels.json --kernel saxpy --target sm_90 --as ptx -o saxpy.ptx

Exit status: 0 done. 1: there is no such kernel, one does not compile (the others are shown), or none has that form. 2: the
command line is wrong.)");
}

nlohmann::ordered_json InspectCommand::request() const {
  if (subject_.empty()) throw UsageError("nothing to look at: give an id of `kiln cache list`, or a manifest");
  if (form_ != kForms[0] && !inspect::parse_form(form_)) {
    throw UsageError(
        fmt::format("unknown form \"{}\": the forms are {}", form_, listed({std::begin(kForms), std::end(kForms)})));
  }
  Json request{{"command", "inspect"}, {"form", form_}};
  if (is_id(subject_)) {
    if (!targets_.empty()) throw UsageError("--target goes with a manifest: an id is of one target already");
    if (!kernel_.empty()) throw UsageError("--kernel goes with a manifest: an id is of one kernel already");
    request["id"] = subject_;
    return request;
  }
  request["manifest"] = is_standard_stream(subject_) ? Json(read_text_file(subject_)) : Json{{"file", subject_}};
  const Manifest manifest = is_standard_stream(subject_)
                                ? Manifest::parse(request["manifest"].get<std::string>(), "standard input")
                                : Manifest::read(subject_);
  const std::vector<std::string> targets = unique_targets(targets_);
  std::size_t kernels = 0;
  for (const std::string& target : targets) kernels += count_kernels(manifest, target, false);
  if (kernels == 0) print_warning(fmt::format("{} has no kernels to look at", subject_));
  request["targets"] = targets;
  if (!kernel_.empty()) request["kernel"] = kernel_;
  return request;
}

int InspectCommand::run() {
  const Json request = this->request();
  const bool to_file = !output_.empty() && !is_standard_stream(output_);
  const Json reply = reply_of(request, choice_.cache());
  const std::vector<Json> kernels = compiled_of(reply);
  std::string text;
  if (choice_.json()) {
    text = json_text(reply);
  } else {
    const Terminal terminal = to_file ? Terminal() : Terminal::standard_output();
    text = form_ != kForms[0] ? texts_of(kernels, terminal) : resources_of(kernels, terminal);
  }
  if (!to_file) {
    print(text);
  } else if (!text.empty()) {
    write_text_file(output_, text);
  }
  return kernels.size() < reply.at("kernels").size() ? kFailed : kDone;
}

}  // namespace kiln::tool
