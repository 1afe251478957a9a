# Snippets of docs/inspect.md.
export KILN_GPU_COMPILER=clang
cat > kernels.json <<'END'
{"kiln_manifest": 2, "kernels": [{"kernel": "float32 saxpy(float32 a, float32 x, float32 y) = a * x + y"}, {"kernel": "float64 wave(float64 x) = exp(-x) * sin(x)"}]}
END
# snippet: resources
kiln inspect kernels.json --target x86-64-v3,gfx90a
kiln inspect kernels.json --kernel wave --target x86-64-v3
# end

# snippet: assembly
kiln inspect kernels.json --kernel wave --target x86-64-v3 --as asm
# end
