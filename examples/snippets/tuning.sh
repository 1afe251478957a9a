# Snippets of docs/tuning.md and of docs/cli.md, for a machine with a GPU.
# snippet: tune
kiln tune 'float32 axpy(float32 a, float32 x, float32 y) = a * x + y' 2.5 float32:16777216 float32:16777216
KILN_TUNE=1 ./app
# end

# snippet: command
kiln tune 'float32 axpy(float32 a, float32 x, float32 y) = a * x + y' 2.5 float32:16777216 float32:16777216
kiln tune hypot float64:1000,1000 float64:1000 --device cuda:1 --json
# end
