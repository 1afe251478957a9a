// The order of things when a kernel is asked for, and who does the work.
#include "program/builder.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <set>
#include <utility>

#include "cache/debug_folders.hpp"
#include "compiler/compiler_ended.hpp"
#include "compiler/debug_folder.hpp"
#include "kernel/integer_divisions.hpp"
#include "kernel/spec.hpp"
#include "program/end_of_text.hpp"
#include "program/fork_guard.hpp"
#include "program/hints.hpp"
#include "shared/c_locale.hpp"
#include "shared/float_environment.hpp"
#include "source/cuda_words.hpp"
#include "source/misuse.hpp"

namespace kiln::program {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

// Of the user's texts and headers.
std::set<std::string> names_of_texts(const Job& job) {
  std::set<std::string> names;
  for (const auto& [name, text] : job.texts) names.insert(name);
  for (const auto& [name, text] : job.compile.headers) {
    if (!codegen::embedded_headers().contains(name)) names.insert(name);
  }
  return names;
}

// What a cache's entry holds of them, and a user reads.
constexpr std::size_t kMostWarnings = 100;
constexpr std::size_t kLongestLine = 1000;

Diagnostic in_words_of_cuda(Diagnostic found) {
  found.source_line = codegen::with_words_of_cuda(std::move(found.source_line));
  return found;
}

/// Those in texts of the user's: others are about what kiln wrote around them.
std::vector<Diagnostic> of_user(std::vector<Diagnostic> warnings, const Job& job) {
  if (warnings.empty()) return warnings;
  const std::set<std::string> names = names_of_texts(job);
  std::erase_if(warnings, [&](const Diagnostic& warning) { return !names.contains(warning.file); });
  if (warnings.size() > kMostWarnings) warnings.resize(kMostWarnings);
  for (Diagnostic& warning : warnings) {
    if (warning.source_line.size() > kLongestLine) warning.source_line.clear();
  }
  if (!job.as_written.empty()) std::ranges::transform(warnings, warnings.begin(), kinds::as_written);
  std::ranges::transform(warnings, warnings.begin(), in_words_of_cuda);
  return warnings;
}

/// The reason has its place in the unmodified text.
CompileReport of_user(CompileReport report, const Job& job) {
  std::optional<Diagnostic>& reason = report.scalar_because;
  if (reason && !job.as_written.empty()) reason = kinds::as_written(*std::move(reason));
  return report;
}

std::shared_ptr<const std::vector<Diagnostic>> shared(std::vector<Diagnostic> warnings) {
  return warnings.empty() ? nullptr : std::make_shared<const std::vector<Diagnostic>>(std::move(warnings));
}

/// Its stages, of which none is loading.
std::optional<CompileStages> stages_of(const backend::CompileResult& result) {
  if (!result.times) return std::nullopt;
  const backend::CompileTimes& times = *result.times;
  return CompileStages{.front_end = times.front_end, .passes = times.passes, .code = times.code, .link = times.link};
}

/// Compilers compute constants and read and print fractions, in the thread's environment and locale.
backend::CompileResult compile_as_everywhere(const backend::Compiler& compiler, const backend::CompileRequest& request) {
  const base::DefaultFloatEnvironment floats;
  const base::CLocale locale;
  return compiler.compile(request);
}

/// What the compiler says of the user's texts as they are.
CompileError as_written(const CompileError& error, const Job& job, const backend::Compiler& compiler) {
  if (job.as_written.empty() || dynamic_cast<const backend::CompilerEnded*>(&error) != nullptr) return error;
  backend::CompileRequest request = job.compile;
  request.source = job.as_written;
  try {
    (void)compile_as_everywhere(compiler, request);
  } catch (const CompileError& reported) {
    return reported;
  }
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  std::ranges::transform(diagnostics, diagnostics.begin(), kinds::as_written);
  return with_diagnostics(error, std::move(diagnostics));
}

struct Placed {
  std::string code;
  std::string folder;
};

/// The code of a kernel that is compiled for debuggers, with what they show of it written. Nothing for another, and where there
/// is no place.
std::optional<Placed> place_for_debuggers(const Job& job, const Code& code, const cache::DiskStore* store, DeviceKind kind) {
  const cache::Folder root = job.compile.debug && store != nullptr ? store->find_directory() : cache::Folder();
  if (!root) return std::nullopt;
  std::string folder = cache::debug_folder_of(root, job.digest);
  std::string placed = backend::with_debug_folder(code.bytes(), folder, kind);
  std::map<std::string, std::string> files(job.texts.begin(), job.texts.end());
  files.emplace("kiln/kernel.cpp", job.as_written.empty() ? job.compile.source : job.as_written);
  for (const auto& [name, text] : job.compile.headers) {
    if (!codegen::embedded_headers().contains(name)) files.emplace("include/" + name, text);
  }
  if (kind == DeviceKind::cpu) files[backend::debug_code_file(job.compile.name)] = placed;
  if (!cache::write_debug_folder(root, job.digest, files)) return std::nullopt;
  return Placed{.code = std::move(placed), .folder = std::move(folder)};
}

}  // namespace

CompileError about_texts(const CompileError& error, const Job& job, const backend::Compiler& compiler) {
  CompileError shown = as_written(error, job, compiler);
  for (const auto& [file, text] : job.texts) shown = at_end_of_text(shown, file, text);
  shown = with_hints(without_notes_of_others(shown, names_of_texts(job)), job.unnamed_parameters);
  if (std::vector<Diagnostic> all = shown.diagnostics(); !all.empty()) {
    std::ranges::transform(all, all.begin(), in_words_of_cuda);
    shown = with_diagnostics(shown, std::move(all));
  }
  if (!job.operands) return shown;
  return with_diagnostics(shown, codegen::in_words_of_operands(shown.diagnostics(), job.compile.name, job.body, *job.operands));
}

Builder::Builder(cache::DiskStore* store, Limits limits) : store_(store), memory_(limits), entries_(mutex_, limits.code_bytes) {
  guard_forks_of(this);
}

Builder::~Builder() {
  forget_forks_of(this);
}

Code Builder::build(const Job& job, const backend::Compiler& compiler) {
  for (;;) {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> other;
    std::optional<Outcome> known;
    {
      const std::lock_guard lock(mutex_);
      if (const Outcome* const found = memory_.find(job.digest)) {
        known = *found;
      } else {
        const auto [flight, first] = in_flight_.try_emplace(job.digest);
        if (first) {
          flight->second = promise.get_future().share();
        } else {
          other = flight->second;
        }
      }
    }
    if (!known && !other.valid()) return lead(job, compiler, std::move(promise));
    const Outcome& outcome = known ? *known : other.get();
    // One by chance may be for want of time, of which this job may have more.
    const bool of_another = outcome.by_chance && outcome.time_limit != job.compile.time_limit;
    if (outcome.known() && !of_another) return from_memory(outcome, job);
  }
}

std::shared_ptr<backend::Module> Builder::load(const Job& job, backend::Backend& backend, History* history) {
  if (auto module = loaded(job, backend, history)) return module;
  const Code code = build(job, job.by != nullptr ? *job.by : *backend.compiler());
  const Clock::time_point start = Clock::now();
  std::shared_ptr<backend::Module> module = load_code(job, code, backend);
  if (history != nullptr) {
    *history = {.origin = code.origin, .stages = code.stages};
    if (history->stages) history->stages->load = milliseconds(Clock::now() - start);
  }
  return module;
}

std::shared_ptr<backend::Module> Builder::load_found(const Job& job, backend::Backend& backend, History* history) {
  if (auto module = loaded(job, backend, history)) return module;
  Outcome outcome;
  if (!look_on_disk(job, &outcome, nullptr)) return nullptr;
  Counters::add(outcome.code.origin == Origin::disk ? counters_.disk_hits : counters_.read_only_hits, 1);
  counters_.add_saved_ms(outcome.code.compile_ms);
  if (history != nullptr) *history = {.origin = outcome.code.origin};
  return load_code(job, outcome.code, backend);
}

/// The module that is loaded already.
std::shared_ptr<backend::Module> Builder::loaded(const Job& job, backend::Backend& backend, History* history) {
  const std::lock_guard lock(mutex_);
  MemoryTier::Loaded loaded = memory_.find_module(job.digest, backend);
  if (loaded.module == nullptr) return nullptr;
  Counters::add(counters_.memory_hits, 1);
  counters_.add_saved_ms(loaded.compile_ms);
  if (history != nullptr) *history = {.origin = Origin::memory};
  return std::move(loaded.module);
}

std::shared_ptr<backend::Module> Builder::load_code(const Job& job, const Code& code, backend::Backend& backend) {
  // Two threads may load it at once; both go on with the first one's.
  const std::optional<Placed> placed = place_for_debuggers(job, code, store_, backend.kind());
  const std::shared_ptr<backend::Module> module =
      placed ? backend.load(placed->code, job.compile.name, placed->folder) : backend.load(code.bytes(), job.compile.name);
  module->warnings = code.warnings;
  module->fault_texts = job.fault_texts;
  module->label = std::make_shared<const backend::KernelLabel>(backend::KernelLabel{job.digest, job.kind, job.variant});
  MemoryTier::Dropped dropped;  // ends after the lock
  const std::lock_guard lock(mutex_);
  auto first = memory_.insert_module(job.digest, backend, {module, code.compile_ms}, dropped);
  counters_.memory_bytes.store(memory_.code_bytes(), std::memory_order_relaxed);
  return first;
}

// The one thread that looks on the disk and compiles, while others wait for the promise.
Code Builder::lead(const Job& job, const backend::Compiler& compiler, std::promise<Outcome> promise) {
  Outcome outcome;
  std::unique_ptr<cache::DiskStore::Flight> flight;
  try {
    cache::Miss miss = cache::Miss::absent;
    if (!look_on_disk(job, &outcome, &miss)) {
      if (store_ != nullptr) flight = store_->lock(job.key);
      // Another process may have compiled it while this one waited, also where the wait was given up.
      if (store_ == nullptr || !look_on_disk(job, &outcome, nullptr)) {
        Counters::add(counters_.misses[static_cast<std::size_t>(miss)], 1);
        outcome = compile(job, compiler);
      }
    }
    settle(job.digest, outcome);
  } catch (...) {
    settle(job.digest, {});
    promise.set_value({});
    throw;
  }
  promise.set_value(outcome);
  if (outcome.failure != nullptr) {
    Counters::add(counters_.failures, 1);
    rethrow(outcome, job);
  }
  if (outcome.code.origin == Origin::compiled) {
    outcome.code.kept = store(job, outcome.code);  // after the promise: the others need not wait for the disk
  } else {
    Counters::add(outcome.code.origin == Origin::disk ? counters_.disk_hits : counters_.read_only_hits, 1);
    counters_.add_saved_ms(outcome.code.compile_ms);
  }
  return outcome.code;
}

bool Builder::look_on_disk(const Job& job, Outcome* outcome, cache::Miss* miss) {
  if (store_ == nullptr) return false;
  cache::Found found = store_->find(job.key);
  Counters::add(counters_.bytes_read, found.bytes);
  if (!found) {
    if (miss != nullptr) *miss = found.flaw.reason;
    return false;
  }
  outcome->code = {.image = std::make_shared<const std::string>(std::move(found.record->payload)),
                   .origin = found.read_only ? Origin::read_only : Origin::disk,
                   .compile_ms = found.record->info.compile_ms,
                   .warnings = shared(std::move(found.record->info.warnings)),
                   .report = std::move(found.record->info.report)};
  return true;
}

Outcome Builder::compile(const Job& job, const backend::Compiler& compiler) {
  const Clock::time_point start = Clock::now();
  const auto elapsed_ns = [&] {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    return static_cast<std::uint64_t>(ns.count());
  };
  Counters::add(counters_.compiles, 1);
  Outcome outcome;
  try {
    backend::CompileResult result = compile_as_everywhere(compiler, job.compile);
    const std::uint64_t ns = elapsed_ns();
    Counters::add(counters_.compile_ns, ns);
    outcome.code = {.image = std::make_shared<const std::string>(std::move(result.code)),
                    .origin = Origin::compiled,
                    .compile_ms = static_cast<double>(ns) / 1e6,
                    .warnings = shared(of_user(std::move(result.warnings), job)),
                    .report = of_user(std::move(result.report), job),
                    .stages = stages_of(result)};
  } catch (const CompileError& error) {
    const auto* const ended = dynamic_cast<const backend::CompilerEnded*>(&error);
    outcome.by_chance = ended != nullptr && ended->by_chance();
    outcome.time_limit = job.compile.time_limit;
    CompileError shown = about_texts(error, job, compiler);
    Counters::add(counters_.compile_ns, elapsed_ns());
    outcome.failure = std::make_shared<const CompileError>(std::move(shown));
    outcome.signature = job.compile.context;
  }
  return outcome;
}

bool Builder::has(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    const Outcome* const known = memory_.find(job.digest);
    if (known != nullptr && known->code.image != nullptr) return true;
  }
  return store_ != nullptr && store_->find(job.key);
}

void Builder::adopt(const std::string& digest, cache::Record record) {
  const Outcome outcome{.code = {.image = std::make_shared<const std::string>(std::move(record.payload)),
                                 .origin = Origin::memory,
                                 .compile_ms = record.info.compile_ms,
                                 .warnings = shared(std::move(record.info.warnings)),
                                 .report = std::move(record.info.report)}};
  MemoryTier::Dropped dropped;  // ends after the lock
  const std::lock_guard lock(mutex_);
  memory_.insert(digest, outcome, dropped);
  counters_.memory_bytes.store(memory_.code_bytes(), std::memory_order_relaxed);
}

cache::Record record_of(const Job& job, const Code& code) {
  return {.info = {.kernel = job.compile.name,
                   .kind = job.kind,
                   .signature = job.compile.context,
                   .variant = job.variant,
                   .target = job.target,
                   .compiler = job.compiler,
                   .body = job.body,
                   .warnings = code.warnings != nullptr ? *code.warnings : std::vector<Diagnostic>{},
                   .report = code.report,
                   .compile_ms = code.compile_ms,
                   .created_unix = static_cast<std::int64_t>(std::time(nullptr))},
          .payload = code.bytes()};
}

// Whether it is on the disk now.
bool Builder::store(const Job& job, const Code& code) {
  cache::Record record = record_of(job, code);
  if (store_ == nullptr || store_->directory().empty()) {
    entries_.put(job.digest, cache::encode(job.key, record));
    return false;
  }
  const std::uint64_t written = store_->put(job.key, std::move(record));
  Counters::add(counters_.bytes_written, written);
  return written > 0;
}

void Builder::settle(const std::string& digest, const Outcome& outcome) {
  MemoryTier::Dropped dropped;  // ends after the lock
  const std::lock_guard lock(mutex_);
  in_flight_.erase(digest);
  if (!outcome.known() || outcome.by_chance) return;
  memory_.insert(digest, outcome, dropped);
  counters_.memory_bytes.store(memory_.code_bytes(), std::memory_order_relaxed);
}

Code Builder::from_memory(const Outcome& outcome, const Job& job) {
  if (outcome.failure != nullptr) {
    Counters::add(counters_.failures, 1);
    rethrow(outcome, job);
  }
  Counters::add(counters_.memory_hits, 1);
  counters_.add_saved_ms(outcome.code.compile_ms);
  Code code = outcome.code;
  code.origin = Origin::memory;
  code.stages.reset();
  return code;
}

// A copy for each thread. The signature is not part of the key, and the message must show that of this call.
void Builder::rethrow(const Outcome& outcome, const Job& job) {
  const CompileError& error = *outcome.failure;
  if (outcome.signature == job.compile.context) throw CompileError(error);
  throw CompileError({.diagnostics = error.diagnostics(),
                      .log = error.log(),
                      .source = error.source(),
                      .options = error.options(),
                      .target = error.target(),
                      .compiler = error.compiler(),
                      .context = job.compile.context});
}

void Builder::after_fork_in_child() {
  // The threads that were compiling are not in this process: whoever waited for them would wait for ever.
  in_flight_.clear();
  mutex_.unlock();
}

}  // namespace kiln::program
