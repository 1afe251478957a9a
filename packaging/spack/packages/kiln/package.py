import os

from spack.package import *


class Kiln(CMakePackage):
    """NumPy-style universal functions from C++ strings, compiled at run time for CPUs and GPUs."""

    # The repository that this file is in: `spack dev-build`, or `spack develop`, gives the source.
    has_code = True

    license("MIT")

    version("0.2.0")

    variant("cpu", default=True, description="Build the CPU backend, with LLVM inside")
    variant("tools", default=True, description="Build the kiln command")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("xxhash", type="build")
    depends_on("zlib-api")
    depends_on("cli11", type="build", when="+tools")
    depends_on("intel-oneapi-tbb", when="+cpu")
    # The archives are linked statically.
    depends_on("llvm@19 +clang +lld ~link_llvm_dylib", type="build", when="+cpu")
    depends_on("zstd", when="+cpu")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("KILN_CPU", "cpu"),
            self.define_from_variant("KILN_TOOLS", "tools"),
            self.define("KILN_TESTS", False),
            self.define("KILN_EXAMPLES", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CMAKE_UNITY_BUILD_BATCH_SIZE", "16"),
        ]
        if self.spec.satisfies("+cpu"):
            args.append(self.define("KILN_LLVM_CONFIG", os.path.join(self.spec["llvm"].prefix.bin, "llvm-config")))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+cpu +tools"):
            kiln = Executable(join_path(self.prefix.bin, "kiln"))
            if kiln("eval", "float64 twice(float64 a) = a + a", "21", output=str).strip() != "42.0":
                raise InstallError("kiln eval computes something else than 42")
