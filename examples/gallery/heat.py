"""Heat that spreads from a hot pen: each step reads shifted views of one array and writes another. All steps are queued on a stream."""
import kiln
import numpy as np

spread = kiln.vectorize("float32 spread(float32 here, float32 up, float32 down, float32 left, float32 right)"
                        " = 0.9995f * here + 0.2f * (up + down + left + right - 4 * here)")
press = kiln.vectorize("(inout float32 here) press(float32 row, float32 column) { here += exp(-(row * row + column * column) / 32); }")


def compute(width, height, steps=None):
    """Returns the temperature, as a root, after the pen has drawn its curve."""
    steps = steps or height * 5 // 2
    stream = kiln.Stream("cpu")
    now, after = np.zeros((height, width), np.float32), np.zeros((height, width), np.float32)
    time = np.linspace(0, 2 * np.pi, steps)
    rows = (height / 2 + (height * 0.42 - 14) * np.sin(5 * time)).astype(int)
    columns = (width / 2 + (width * 0.45 - 14) * np.cos(3 * time)).astype(int)
    near = np.arange(-12, 13, dtype=np.float32)
    for row, column in zip(rows, columns):
        press(near[:, np.newaxis], near, out=now[row - 12:row + 13, column - 12:column + 13], stream=stream)
        spread(now[1:-1, 1:-1], now[:-2, 1:-1], now[2:, 1:-1], now[1:-1, :-2], now[1:-1, 2:], out=after[1:-1, 1:-1], stream=stream)
        now, after = after, now
    stream.synchronize()
    return np.sqrt(now)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height), "magma")


if __name__ == "__main__":
    draw("heat.png")
