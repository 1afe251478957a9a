// What is known of cubins and code objects.
#include "compiler/inspector.hpp"

#include "binary/code_object.hpp"
#include "binary/cubin.hpp"
#include "binary/disassembler_program.hpp"
#include "compiler/gpu/compiler.hpp"
#include "library/arch.hpp"

namespace kiln::backend::gpu {
namespace {

using inspect::Form;

std::vector<Form> with_ir(const StoredCode& code, std::vector<Form> forms) {
  if (code.by_clang) forms.push_back(Form::llvm_ir);
  return forms;
}

class CudaInspector final : public Inspector {
 public:
  std::vector<Form> forms(const StoredCode& code) const override {
    if (is_assembly(code)) return with_ir(code, {Form::source, Form::ptx});
    return {Form::source, Form::ptx, Form::sass, Form::assembly};
  }
  std::optional<std::string> text(const StoredCode& code, Form form) const override {
    if (form == Form::ptx && is_assembly(code)) return std::string(code.bytes.substr(0, code.bytes.find('\0')));
    if (form != Form::sass && form != Form::assembly) return std::nullopt;
    static_cast<void>(cubin_resources(code));  // no other program is given what is no cubin
    return disassemble_by_program(dialect_of(DeviceKind::cuda), code);
  }
  inspect::Resources resources(const StoredCode& code) const override {
    // PTX takes nothing yet: the driver decides when it finishes it.
    return is_assembly(code) ? inspect::Resources{} : cubin_resources(code);
  }

 private:
  /// PTX is kept for a device that is newer than NVRTC, and wherever Clang is the compiler.
  static bool is_assembly(const StoredCode& code) { return code.target.find(kAssemblyMark) != std::string_view::npos; }
};

class HipInspector final : public Inspector {
 public:
  std::vector<Form> forms(const StoredCode& code) const override {
    return with_ir(code, {Form::source, Form::amdgcn, Form::assembly});
  }
  std::optional<std::string> text(const StoredCode& code, Form form) const override {
    if (form != Form::amdgcn && form != Form::assembly) return std::nullopt;
    return code_object_assembly(code);
  }
  inspect::Resources resources(const StoredCode& code) const override { return code_object_resources(code); }
};

}  // namespace

const Inspector* inspector_for_target(std::string_view target) {
  static const CudaInspector cuda;
  static const HipInspector hip;
  const std::optional<DeviceKind> kind = vendor_of(short_name(target));
  if (!kind) return nullptr;
  return *kind == DeviceKind::hip ? static_cast<const Inspector*>(&hip) : &cuda;
}

}  // namespace kiln::backend::gpu
