import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")


class KilnConan(ConanFile):
    """The library, from the repository that this file is in. What it is built from comes from the system, as docs/install.md lists it."""

    name = "kiln"
    license = "MIT"
    description = "NumPy-style universal functions from C++ strings, compiled at run time"
    topics = ("numpy", "ufunc", "jit", "gpu")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cpu": [True, False], "tools": [True, False]}
    default_options = {"cpu": True, "tools": False}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "lib", "clang", "VERSION"))
        self.version = text.strip()

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "THIRD-PARTY-NOTICES.txt", "README.md"):
            copy(self, name, root, self.export_sources_folder)
        # .deps: the headers that scripts/vendor-deps.sh copied, where it did.
        for folder in (".deps", "bench", "cmake", "docs", "examples", "include", "kernels-src", "lib", "tools"):
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder))

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        for name in ("cpu", "tools"):
            toolchain.cache_variables[f"KILN_{name.upper()}"] = bool(self.options.get_safe(name))
        toolchain.cache_variables.update({"KILN_TESTS": False, "KILN_EXAMPLES": False, "CMAKE_UNITY_BUILD": True, "CMAKE_UNITY_BUILD_BATCH_SIZE": "16"})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        targets = ["kiln", "kiln_emulator"]
        if self.options.cpu:
            targets += ["kiln_clang", "kiln_clang_program"]
        if self.options.tools:
            targets.append("kiln_tool")
        for target in targets:
            cmake.build(target=target)

    def package(self):
        CMake(self).install()
        for name in ("LICENSE", "THIRD-PARTY-NOTICES.txt"):
            copy(self, name, self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # kilnConfig.cmake is installed; Conan's generators make nothing of their own.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "kiln")]
        self.cpp_info.libs = ["kiln"]
