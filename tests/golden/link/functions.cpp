// The same for processors.
extern "C" float scale(float x) {
  return x * 2.5f + 1.0f;
}
extern "C" int quotient(int* result, int a, int b) {
  if (b == 0) return 7;
  *result = a / b;
  return 0;
}
