// Throws, and catches it.
extern "C" float checked(float x) {
  try {
    if (x < 0) throw x;
    return x;
  } catch (float caught) {
    return caught * 10;
  }
}
