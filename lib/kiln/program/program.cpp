#include "program/program.hpp"
#include "types/reason.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/stack_room.hpp"
#include "library/no_compiler.hpp"
#include "profiling/call.hpp"
#include "program/cache_impl.hpp"
#include "program/job.hpp"
#include "program/link_files.hpp"
#include "program/missing.hpp"
#include "program/options.hpp"

namespace kiln::program {
namespace {

Builder& builder_for(const Request& request) {
  return impl_of(request.cache).builder();
}

void keep(const std::shared_ptr<const std::vector<Diagnostic>>& warnings, const Request& request) {
  if (warnings != nullptr && request.warnings != nullptr) request.warnings->add(*warnings);
}

/// For rendering, keys, and the way to the compiler and back.
constexpr std::size_t kStack = std::size_t{1} << 20;

template <class Work>
auto on_deep_stack(const Work& work) {
  std::optional<decltype(work())> result;
  base::with_stack(kStack, [&] { result.emplace(work()); });
  return *std::move(result);
}

}  // namespace

Request make_request(const CompileOptions& options, const codegen::UserText& text, const kinds::KernelSpec& spec,
                     DeviceKind target, std::string signature, const char* kind, Warnings& warnings) {
  const bool same_bits = same_bits_of(options);
  if (same_bits) check_same_bits(text);
  const Arithmetic arithmetic = same_bits ? Arithmetic{.same_bits = true} : arithmetic_of(options);
  return on_deep_stack([&]() -> Request {
    return {.source = kinds::make_source({.text = text,
                                          .spec = spec,
                                          .target = target,
                                          .kind = kind,
                                          .signature = std::move(signature),
                                          .headers = options.headers,
                                          .include_dirs = options.include_dirs}),
            .arithmetic = arithmetic,
            .link = link_files(text.name, options),
            .debug = text.debug.any(),
            .time_limit = options.time_limit,
            .cache = options.cache,
            .warnings = &warnings};
  });
}

Code build(const Request& request, const backend::Compiler& compiler) {
  return on_deep_stack([&] {
    const Job job = make_job(request, compiler);
    Code code = builder_for(request).build(job, *job.by);
    keep(code.warnings, request);
    return code;
  });
}

cache::Contents compiled(const Request& request, const backend::Compiler& compiler) {
  Job job;
  Code code;
  base::with_stack(kStack, [&] {
    job = make_job(request, compiler);
    code = builder_for(request).build(job, *job.by);
  });
  keep(code.warnings, request);
  cache::Contents kernel;
  kernel.entry.id = job.digest;
  kernel.entry.kernel = job.compile.name;
  kernel.entry.kind = job.kind;
  kernel.entry.signature = job.compile.context;
  kernel.entry.variant = job.variant;
  kernel.entry.target = job.target;
  kernel.entry.compiler = job.compiler;
  kernel.entry.code_bytes = code.bytes().size();
  kernel.entry.compile_ms = code.compile_ms;
  kernel.body = std::move(job.body);
  kernel.key = std::move(job.key);
  kernel.source = std::move(job.compile.source);
  kernel.code = code.bytes();
  kernel.report = std::move(code.report);
  return kernel;
}

std::string device_code(Request request, const backend::Compiler& compiler, DeviceCodeForm form) {
  request.link.clear();  // who links the function links these, too
  return on_deep_stack([&] {
    const Job job = make_job(request, compiler);
    try {
      return compiler.device_code(job.compile, form);
    } catch (const CompileError& error) {
      throw about_texts(error, job, compiler);
    }
  });
}

std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend) {
  return load_any(1, [&](std::size_t) { return request; }, backend).module;
}

Loaded load_any(std::size_t count, const std::function<Request(std::size_t)>& request, backend::Backend& backend) {
  profiling::Load look_up;
  History history;
  const Request own = request(0);
  Loaded loaded = on_deep_stack([&]() -> Loaded {
    const Job job = make_job(own, *backend.compiler());
    try {
      return {builder_for(own).load(job, backend, &history), 0};
    } catch (const backend::NoCompiler& error) {
      for (std::size_t other = 1; other < count; ++other) {
        const Job stand_in = make_job(request(other), *backend.compiler());
        if (auto module = builder_for(own).load_found(stand_in, backend, &history)) return {std::move(module), other};
      }
      throw Because<DeviceError>(Reason::compiler, why_missing(job, own.cache, error.what()));
    }
  });
  look_up.found(history.origin, history.stages);
  keep(loaded.module->warnings, own);
  return loaded;
}

}  // namespace kiln::program
