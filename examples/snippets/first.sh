kiln eval 'float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)' 1 5 2
