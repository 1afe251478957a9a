# Snippets of docs/install.md, for a machine where kiln is not yet.
# snippet: python
python3 scripts/build-wheels.py
pip install build/wheels/dist/kiln_clang-*.whl build/wheels/dist/kiln-*.whl
# end

# snippet: packages
sudo scripts/packages.sh debian bookworm
sudo apt install ./build/packages/debian-bookworm/*.deb
# end

# snippet: scripts
bash scripts/demo.sh     # builds, runs `kiln eval` on .npy files and every example; ends with its timings and a picture
bash scripts/test.sh     # builds, runs all tests; fetches NVIDIA's compilers from PyPI where there is no CUDA toolkit
# end

# snippet: build
cmake --preset release -DKILN_TESTS=OFF && cmake --build build/release
build/release/bin/kiln eval 'float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)' a.npy b.npy c.npy -o d.npy --time
# end

# snippet: install
cmake --install build/release --prefix /usr/local
# end

# snippet: example
ldconfig                  # once, as root: the loader learns of /usr/local/lib
c++ -std=c++20 /usr/local/share/doc/kiln/examples/saxpy.cpp $(pkg-config --cflags --libs kiln) -o saxpy
./saxpy
# end
