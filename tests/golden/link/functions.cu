// Device functions that tests link with; make_link_files.sh compiles them.
extern "C" __device__ float scale(float x) { return x * 2.5f + 1.0f; }
extern "C" __device__ int quotient(int* result, int a, int b) {
  if (b == 0) return 7;
  *result = a / b;
  return 0;
}
