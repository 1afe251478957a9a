# Snippets of docs/coming-from/numpy.md.
# snippet: before
import numpy as np

def haversine(lat1, lon1, lat2, lon2):
    a = np.sin((lat2 - lat1) / 2)**2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2)**2
    return 12742 * np.arcsin(np.sqrt(a))

lat, lon = np.radians([52.52, 48.86, 40.71]), np.radians([13.40, 2.35, -74.01])
print(haversine(lat[0], lon[0], lat, lon).round(1))
# end

# snippet: fused
import kiln

fused = kiln.fuse(haversine)
print(fused(lat[0], lon[0], lat, lon).round(1))
# end

# snippet: text
distance = kiln.vectorize("""
    T distance(T lat1, T lon1, T lat2, T lon2) where T: float32, float64 {
      const T north = sin((lat2 - lat1) / 2), east = sin((lon2 - lon1) / 2);
      return 12742 * asin(sqrt(north * north + cos(lat1) * cos(lat2) * east * east));
    }""")
print(distance(lat[0], lon[0], lat, lon).round(1))
# end

# snippet: bites
print(kiln.vectorize("int64 rest(int64 a, int64 b) = a % b")(-7, 3), np.remainder(-7, 3))
print(kiln.vectorize("float64 half(float64 a) = 1/2 * a")(3.0), 1/2 * 3.0)
print(kiln.math.add(np.ones(3), 1, where=np.array([True, False, True])))
# end
