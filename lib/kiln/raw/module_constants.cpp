#include "raw/module_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "kiln/error.hpp"

namespace kiln::raw {
namespace {

/// "_ZN4kiln4user2ns4coefE", as every compiler here names it.
std::string symbol_of(std::string_view name) {
  std::string symbol = "_ZN4kiln4user";
  while (!name.empty()) {
    const std::size_t end = std::min(name.find("::"), name.size());
    symbol += fmt::format("{}{}", end, name.substr(0, end));
    name.remove_prefix(std::min(end + 2, name.size()));
  }
  return symbol + "E";
}

}  // namespace

void ModuleConstants::set(const std::string& name, std::vector<std::byte> bytes) {
  static std::atomic<std::uint64_t> last{0};
  const std::lock_guard guard(mutex_);
  Value& value = values_[name];
  value.last = bytes.size();
  if (value.bytes != nullptr && value.bytes->size() > bytes.size())
    bytes.insert(bytes.end(), value.bytes->begin() + static_cast<std::ptrdiff_t>(bytes.size()), value.bytes->end());
  value.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  version_ = ++last;
}

void ModuleConstants::write(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) const {
  const std::lock_guard guard(mutex_);
  const std::lock_guard of_module(module.faults_mutex);
  if (module.constants == version_) return;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto value = values_.find(names_[i]);
    // The same kernel of another source may have written to it.
    if (value == values_.end() && module.constants == 0) continue;
    backend::ModuleVariable variable = module.variable(symbol_of(names_[i]));
    // Within extern "C" { … } it has no namespace.
    if (variable.address == nullptr) variable = module.variable(names_[i].substr(names_[i].rfind(':') + 1));
    if (variable.address == nullptr) continue;  // the kernel does not use it
    if (variable.bytes == 0) {
      std::uint64_t bytes = 0;
      const void* const size = module.variable(fmt::format("kiln_bytes_of_{}", i)).address;
      if (size != nullptr) std::memcpy(&bytes, size, sizeof bytes);
      variable.bytes = bytes;
    }
    Bytes bytes = value != values_.end() ? value->second.bytes : nullptr;
    if (bytes != nullptr && value->second.last > variable.bytes) {
      throw ShapeError(fmt::format("\"{}\" has {} bytes, and its values {}", names_[i], variable.bytes, value->second.last));
    }
    if (bytes == nullptr || bytes->size() != variable.bytes) {
      std::vector<std::byte> whole = bytes != nullptr ? *bytes : std::vector<std::byte>();
      whole.resize(variable.bytes);
      bytes = std::make_shared<const std::vector<std::byte>>(std::move(whole));
    }
    backend.upload(variable.address, std::move(bytes), queue);
  }
  module.constants = version_;
}

}  // namespace kiln::raw
