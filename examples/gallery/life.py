"""Conway's Game of Life on a torus: each cell reads its neighbours from the whole world, a raw input. The dead fade slowly."""
import kiln
import numpy as np

generation = kiln.vectorize("""(uint8 next) generation(raw uint8 world, int32 row, int32 column) {
    const int32 rows = world.shape(0), columns = world.shape(1);
    const int32 i[3] = {row > 0 ? row - 1 : rows - 1, row, row + 1 < rows ? row + 1 : 0};
    const int32 j[3] = {column > 0 ? column - 1 : columns - 1, column, column + 1 < columns ? column + 1 : 0};
    int alive = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) alive += world(i[a], j[b]) == 255;
    const int32 now = world(row, column);
    const bool lives = alive == 3 || (alive == 4 && now == 255);        // the cell itself is counted
    next = lives ? 255 : now > 0 ? now - 1 : 0;
}""")


def beginning(width, height):
    """Returns a world with a random square in the middle, symmetric in eight ways, as it then stays."""
    rows, columns = height // 4, width // 4
    seed = np.random.default_rng(9).random((rows // 3, rows // 3)) < 0.3
    seed |= seed.T
    half = np.concatenate([seed[::-1], seed])
    world = np.zeros((rows, columns), np.uint8)
    top, left = (rows - len(half)) // 2, (columns - len(half)) // 2
    world[top:top + len(half), left:left + len(half)] = np.concatenate([half[:, ::-1], half], axis=1) * 255
    return world


def compute(width, height, generations=255):
    """Returns 255 for the living, less for the dead by how long ago they died, and 0 where nothing has lived."""
    world = beginning(width, height)
    other, row, column = np.empty_like(world), *(np.arange(n, dtype=np.int32) for n in world.shape)
    for _ in range(generations):
        generation(world, row[:, np.newaxis], column, out=other)
        world, other = other, world
    return world.repeat(4, axis=0).repeat(4, axis=1)


def draw(path, width=1440, height=960):
    kiln.save_png(path, compute(width, height), "turbo")


if __name__ == "__main__":
    draw("life.png")
