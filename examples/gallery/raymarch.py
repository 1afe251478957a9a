"""A scene by ray marching: one call gives three outputs, the red, green and blue of each pixel. Shadows are soft, and all things reflect."""
import kiln
import numpy as np

render = kiln.vectorize("""(float32 red, float32 green, float32 blue) render(float32 u, float32 v) {
    vec at = {0, 0.7f, -4.6f}, ray = unit({u, v - 0.28f, 1.9f}), sum = {0, 0, 0}, sun = unit({-0.6f, 0.7f, -0.5f});
    float32 weight = 1;
    for (int bounce = 0; bounce < 3; ++bounce) {
        const float32 t = march(at, ray), high = min(1.5f * sqrt(max(ray.y, 0.0f)), 1.0f);
        const vec colour = vec{1, 0.4f, 0.16f} * (1 - high) + vec{0.02f, 0.05f, 0.25f} * high;       // the evening sky
        if (t >= 30) { sum = sum + colour * weight; break; }
        at = at + ray * t;
        const float32 e = 0.001f, d = scene(at);
        const vec n = unit({scene(at + vec{e, 0, 0}) - d, scene(at + vec{0, e, 0}) - d, scene(at + vec{0, 0, e}) - d});
        vec paint = (int(floor(at.x)) + int(floor(at.z))) & 1 ? vec{0.01f, 0.01f, 0.02f} : vec{0.22f, 0.2f, 0.2f};
        const float32 mirror = blob(at) < 0.01f ? 0.2f : ring(at) < 0.01f ? 0.45f : 0.35f;
        if (mirror != 0.35f) paint = mirror < 0.3f ? vec{0.02f, 0.35f + 0.15f * at.y, 0.5f} : vec{0.9f, 0.6f, 0.15f};
        const float32 lit = max(dot(n, sun), 0.0f) * shadow(at + n * 0.01f, sun), sky = 0.5f + 0.5f * n.y, near = exp(-0.0025f * t * t);
        const vec light = vec{1.1f, 0.95f, 0.75f} * lit + vec{0.25f, 0.27f, 0.36f} * sky;
        paint = vec{paint.x * light.x, paint.y * light.y, paint.z * light.z};
        sum = sum + (colour * (1 - near) + paint * near) * (weight * (1 - mirror));
        weight *= mirror, ray = ray + n * (-2 * dot(ray, n)), at = at + n * 0.01f;
    }
    red = sqrt(sum.x), green = sqrt(sum.y), blue = sqrt(sum.z); }""", functions="""
    struct vec { float32 x, y, z; };
    vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    vec operator*(vec a, float32 s) { return {a.x * s, a.y * s, a.z * s}; }
    float32 dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
    vec unit(vec a) { return a * (1 / sqrt(dot(a, a))); }
    float32 ball(vec p, vec center, float32 r) { p = p + center * -1; return sqrt(dot(p, p)) - r; }
    float32 melt(float32 a, float32 b) { const float32 h = max(0.5f - abs(a - b), 0.0f); return min(a, b) - h * h * 0.5f; }
    float32 blob(vec p) { return melt(melt(ball(p, {}, 0.8f), ball(p, {0.5f, 0.95f, 0.1f}, 0.45f)), ball(p, {-0.8f, -0.45f, -0.4f}, 0.45f)); }
    float32 ring(vec p) {
        const float32 a = 0.8f * p.y + 0.6f * p.x, b = 0.8f * p.x - 0.6f * p.y, c = sqrt(b * b + p.z * p.z) - 1.65f;
        return sqrt(c * c + a * a) - 0.09f;
    }
    float32 scene(vec p) { return min(min(p.y + 1, blob(p)), ring(p)); }
    float32 march(vec at, vec ray) {
        float32 t = 0, d = 1;
        for (int i = 0; i < 120 && t < 30 && d >= 0.0005f; ++i) t += d = scene(at + ray * t);
        return t;
    }
    float32 shadow(vec at, vec sun) {
        float32 light = 1, t = 0.02f, d;
        for (int i = 0; i < 50 && t < 8 && light > 0.001f; ++i) d = scene(at + sun * t), light = min(light, 10 * d / t), t += max(d, 0.01f);
        return max(light, 0.0f);
    }""")


def compute(width, height):
    u, v = (np.arange(width) * 2 - width) / height, (height - np.arange(height) * 2) / height
    return np.stack(render(u.astype(np.float32), v.astype(np.float32)[:, np.newaxis]), axis=-1).clip(0, 1)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height))


if __name__ == "__main__":
    draw("raymarch.png")
