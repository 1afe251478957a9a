#include "inspect_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "kiln/error.hpp"
#include "kiln/inspect.hpp"
#include "operand.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "resource_text.hpp"
#include "target_option.hpp"
#include "terminal.hpp"
#include "tuned_text.hpp"
#include "usage.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

Json header(const Subject& subject) {
  const cache::Entry& entry = subject.contents.entry;
  Json json{{"id", entry.id}, {"kernel", entry.kernel}, {"signature", entry.signature}};
  if (!subject.variant.empty()) json["variant"] = subject.variant;
  json["target"] = entry.target;
  if (!entry.compiler.empty()) json["compiler"] = entry.compiler;  // none where it does not compile
  return json;
}

/// A comment in each of the forms.
std::string title(const Subject& subject, inspect::Form form) {
  const cache::Entry& entry = subject.contents.entry;
  return fmt::format("{} {} {}{}{} for {} ({})\n", form == inspect::Form::llvm_ir ? ";" : "//", printable(entry.kernel),
                     printable(entry.signature), subject.variant.empty() ? "" : ", ", subject.variant, printable(entry.target),
                     entry.id);
}

/// Of those that compiled; nothing where none did.
std::string resources_of(const std::vector<Subject>& subjects, const Terminal& terminal) {
  std::vector<inspect::Resources> resources;
  for (const Subject& subject : subjects) resources.push_back(inspect::resources(subject.contents));
  if (subjects.empty()) return "";
  return subjects.size() == 1 ? resource_lines(subjects[0], resources[0]) : resource_table(subjects, resources, terminal);
}

/// A subject in one form, or why its target has none such.
struct Shown {
  const Subject* subject = nullptr;
  std::string text = {};
  std::string missing = {};
};

/// Of those that compiled. TypeError where there are some, and none has that form.
std::vector<Shown> shown_in(const std::vector<Subject>& subjects, inspect::Form form) {
  std::vector<Shown> all;
  bool any = false;
  for (const Subject& subject : subjects) {
    if (!subject.error.empty()) continue;
    Shown& shown = all.emplace_back(Shown{.subject = &subject});
    try {
      shown.text = inspect::text(subject.contents, form);
      if (!shown.text.empty() && shown.text.back() != '\n') shown.text += '\n';
      any = true;
    } catch (const TypeError& error) {
      shown.missing = error.what();
    }
  }
  if (!any && !all.empty()) throw TypeError(all.front().missing);
  return all;
}

/// What is missing is a warning.
std::string texts_of(const std::vector<Shown>& all, inspect::Form form, const Terminal& terminal) {
  std::string text;
  for (const Shown& shown : all) {
    if (!shown.missing.empty()) {
      print_warning(shown.missing);
      continue;
    }
    if (all.size() > 1) text += (text.empty() ? "" : "\n") + title(*shown.subject, form);
    text += shown.text;
  }
  // Sources come from files: on a terminal nothing of them moves the cursor.
  return terminal.width > 0 ? printable(text, /*lines=*/true) : text;
}

Json json_of(const std::vector<Subject>& subjects, std::optional<inspect::Form> form, const std::string& name) {
  Json list = Json::array();
  const std::vector<Shown> texts = form ? shown_in(subjects, *form) : std::vector<Shown>();
  auto shown = texts.begin();
  for (const Subject& subject : subjects) {
    Json each = header(subject);
    if (!subject.error.empty()) {
      each["error"] = subject.error;
    } else if (form) {
      each["form"] = name;
      each[shown->missing.empty() ? "text" : "error"] = shown->missing.empty() ? shown->text : shown->missing;
      ++shown;
    } else {
      each["resources"] = to_json(inspect::resources(subject.contents));
      for (const cache::TunedShape& shape : subject.contents.tuned) each["tuned"].push_back(to_json(shape));
    }
    list.push_back(std::move(each));
  }
  return Json{{"kernels", std::move(list)}};
}

/// Reports the kernels that do not compile; whether there are any.
bool report_failed(const std::vector<Subject>& subjects) {
  bool any = false;
  for (const Subject& subject : subjects) {
    if (subject.error.empty()) continue;
    const cache::Entry& entry = subject.contents.entry;
    print_error(fmt::format("\"{}\" does not compile for {}\n{}", entry.kernel, entry.target, subject.error));
    any = true;
  }
  return any;
}

}  // namespace

InspectCommand::InspectCommand(CLI::App& app) {
  set_usage(app, "kiln inspect [OPTIONS] ID|MANIFEST");
  add_text(app, "subject", choice_.subject, "An id of `kiln cache list`, or a manifest", "ID|MANIFEST");
  add_text(app, "--as", form_, "resources (the default), source, asm, ptx, sass, amdgcn or llvm-ir", "FORM");
  add_target_option(app, choice_.targets, "Of a manifest: sm_90, gfx90a, x86-64-v3, native (the default), …");
  add_text(app, "-k,--kernel", choice_.kernel, "Of a manifest: this kernel alone", "NAME");
  add_text(app, "-o,--output", output_, "Write to a file instead of standard output", "FILE");
  choice_.cache.add_to(app);
  set_footer(
      app,
      R"(ID is the beginning of an entry's id, as many digits as tell it apart. MANIFEST is a file: its kernels are looked at for
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

Exit status: 0 done, 1 something failed: there is no such kernel, one does not compile (the others are shown), none has that
form, 2 the command line is wrong.)");
}

int InspectCommand::run() {
  if (choice_.subject.empty()) throw UsageError("nothing to look at: give an id of `kiln cache list`, or a manifest");
  const std::optional<inspect::Form> form = inspect::parse_form(form_);
  if (!form && form_ != kForms[0]) {
    throw UsageError(
        fmt::format("unknown form \"{}\": the forms are {}", form_, listed({std::begin(kForms), std::end(kForms)})));
  }
  std::vector<Subject> subjects = find_subjects(choice_);
  const bool to_file = !output_.empty() && !is_standard_stream(output_);
  if (subjects.empty()) print_warning(fmt::format("{} has no kernels to look at", choice_.subject));
  const bool failed = report_failed(subjects);
  std::string text;
  if (choice_.cache.json()) {
    text = json_text(json_of(subjects, form, form_));
  } else {
    const Terminal terminal = to_file ? Terminal() : Terminal::standard_output();
    std::erase_if(subjects, [](const Subject& subject) { return !subject.error.empty(); });
    text = form ? texts_of(shown_in(subjects, *form), *form, terminal) : resources_of(subjects, terminal);
  }
  if (!to_file) {
    print(text);
  } else if (!text.empty()) {
    write_text_file(output_, text);
  }
  return failed ? kFailed : kDone;
}

}  // namespace kiln::tool
