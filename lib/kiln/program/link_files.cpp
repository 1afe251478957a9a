#include "program/link_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "cache/key.hpp"
#include "kiln/error.hpp"

namespace kiln::program {
namespace {

[[noreturn]] void fail(const std::string& kernel, const std::string& why) {
  CompileError::Details details;
  details.diagnostics = {{.severity = Severity::error, .file = kernel, .line = 0, .column = 0, .text = why, .source_line = {}}};
  throw CompileError(std::move(details));
}

std::shared_ptr<const std::string> read(const std::string& kernel, const LinkFile& file) {
  if (file.bytes != nullptr) return file.bytes;
  base::FileError error;
  auto contents = base::read_file(file.name, {}, &error);
  if (!contents) throw IoError(kernel + ": a file of .compile.link: " + error.text);
  return std::make_shared<const std::string>(std::move(contents->bytes));
}

std::string whole_path(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

/// "bar.o (an object for the CPU), old.cubin (a cubin for sm_80)".
std::string listed(const std::vector<backend::LinkPart>& files) {
  std::string text;
  for (const backend::LinkPart& file : files) {
    text += (text.empty() ? "" : ", ") + file.name + " (" + name_of(file.format) + " for ";
    std::string archs;
    for (const std::string& arch : file.archs) archs += (archs.empty() ? "" : ", ") + arch;
    if (archs.empty()) {
      archs = file.kind == DeviceKind::cpu ? "the CPU" : file.kind == DeviceKind::cuda ? "NVIDIA's GPUs" : "AMD's GPUs";
    }
    text += archs + ")";
  }
  return text;
}

}  // namespace

std::vector<backend::LinkPart> link_files(const std::string& kernel, const CompileOptions& options) {
  std::vector<backend::LinkPart> all;
  for (const LinkFile& file : options.link) {
    std::string why;
    std::vector<backend::LinkPart> parts = backend::parts_of(file.name, read(kernel, file), &why);
    if (parts.empty()) fail(kernel, "cannot link " + file.name + ": " + why);
    for (backend::LinkPart& part : parts) {
      // By its whole path: the loader would look for a bare name in the system's folders.
      if (part.format == backend::LinkFormat::shared_object && file.bytes == nullptr) part.path = whole_path(file.name);
      all.push_back(std::move(part));
    }
  }
  return all;
}

std::vector<LinkFile> with_bytes(const std::string& kernel, const std::vector<LinkFile>& files) {
  std::vector<LinkFile> all;
  for (const LinkFile& file : files) {
    std::shared_ptr<const std::string> bytes = read(kernel, file);
    std::string why;
    const std::vector<backend::LinkPart> parts = backend::parts_of(file.name, bytes, &why);
    LinkFile& kept = all.emplace_back(file);
    if (std::ranges::any_of(parts, [](const auto& part) { return part.format == backend::LinkFormat::shared_object; })) {
      kept.name = whole_path(file.name);
    } else {
      kept.bytes = std::move(bytes);
    }
  }
  return all;
}

std::vector<backend::LinkPart> files_for(const Request& request, const backend::Compiler& compiler) {
  std::vector<backend::LinkPart> chosen;
  const std::string target = compiler.short_target();
  for (const backend::LinkPart& file : request.link) {
    // The same file twice, by whatever names, would define everything twice.
    const auto same = [&](const backend::LinkPart& other) {
      return other.format == file.format && *other.bytes == *file.bytes;
    };
    if (file.kind == compiler.kind() && backend::serves(file, target) && std::ranges::none_of(chosen, same))
      chosen.push_back(file);
  }
  if (chosen.empty() && !request.link.empty()) {
    fail(request.source.name, "no file of .compile.link is for " + target + ": there are " + listed(request.link) +
                                  "; add one that is compiled for it");
  }
  return chosen;
}

std::vector<std::string> digests_of(const std::vector<backend::LinkPart>& files) {
  std::vector<std::string> digests;
  for (const backend::LinkPart& file : files) {
    digests.push_back(cache::digest(*file.bytes) + (file.lazy ? " where needed" : "") +
                      (file.path.empty() ? "" : " " + file.path));
  }
  return digests;
}

}  // namespace kiln::program
