// `kiln devices`: the devices that kernels can run on, as a table or as JSON.
#pragma once

namespace CLI {
class App;
}

namespace kiln::tool {

class DevicesCommand {
 public:
  /// Adds the subcommand and its options to `app`, which must not outlive this.
  explicit DevicesCommand(CLI::App& app);

  [[nodiscard]] bool chosen() const;
  void run() const;

 private:
  CLI::App* command_;
  bool json_ = false;
  bool verbose_ = false;
};

}  // namespace kiln::tool
