// Heat in a box that wraps around, over the ranks of MPI: a stencil of seven points in three dimensions. Each rank has a block
// with a layer of its neighbours' cells around it. The faces travel by MPI_Isend and MPI_Irecv while the inner part is
// computed.
//   mpirun -n 4 halo_exchange [CELLS] [STEPS]      cells along each axis; kernels run on the device that KILN_DEVICE names
// The last line is the same for any number of ranks, bit for bit.
#include <kiln/kiln.hpp>
#include <kiln/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

using kiln::Array;
using kiln::Slice;

const auto heat = kiln::vectorize(
    "float64 heat(float64 u, float64 west, float64 east, float64 south, float64 north, float64 down, float64 up)"
    " = u + 0.1 * (west + east + south + north + down + up - 6 * u)");

/// Along one axis: the inner cells are 1 to n; 0 and n + 1 are the neighbours'.
using Box = std::array<Slice, 3>;

Array part(const Array& u, const Box& box) {
  return u[{box[0], box[1], box[2]}];
}

/// Computes the cells of a box. The seven inputs are views of one array: nothing is copied.
void step(const Array& from, const Array& to, const Box& box, const kiln::Stream& stream) {
  const auto shifted = [&](std::size_t axis, std::int64_t by) {
    Box moved = box;
    moved[axis] = {*box[axis].start + by, *box[axis].stop + by};
    return part(from, moved);
  };
  if (part(to, box).size() == 0) return;
  heat(part(from, box), shifted(0, -1), shifted(0, 1), shifted(1, -1), shifted(1, 1), shifted(2, -1), shifted(2, 1),
       {.out = part(to, box), .stream = stream});
}

/// One face of a block, to and from a neighbour.
struct Face {
  Box sent;      ///< own cells
  Box received;  ///< the layer around
  int neighbour = 0;
  int tag = 0;
  Array out = {};  ///< packed, in the host's memory
  Array in = {};
};

class Block {
 public:
  Block(MPI_Comm ranks, const std::array<int, 3>& extents, const kiln::Device& device)
      : ranks_(ranks), extents_(extents), stream_(device), packed_(device) {
    const kiln::Shape shape{extents[0] + 2, extents[1] + 2, extents[2] + 2};
    u_ = Array::zeros(shape, kiln::DType::float64);
    next_ = Array::zeros(shape, kiln::DType::float64);
    for (int axis = 0; axis < 3; ++axis) {
      for (const bool high : {false, true}) add_face(axis, high);
    }
  }

  [[nodiscard]] Array inner() const { return part(u_, whole()); }

  /// Moves the arrays to the device, where they stay.
  void send_to(const kiln::Device& device) {
    u_ = to_device(u_, device);
    next_ = to_device(next_, device);
  }

  void advance() {
    // Each face is packed by one copy of a strided view, from a device as well. The event says when MPI may read them.
    for (const Face& face : faces_) part(u_, face.sent).copy_to_host(face.out, {.stream = stream_});
    packed_.record(stream_);
    std::vector<MPI_Request> requests;
    for (Face& face : faces_) {
      MPI_Irecv(face.in.data(), static_cast<int>(face.in.size()), MPI_DOUBLE, face.neighbour, face.tag ^ 1, ranks_,
                &requests.emplace_back());
    }
    // Cells that need no neighbour's are computed while the faces travel.
    Box inside;
    for (std::size_t axis = 0; axis < 3; ++axis) inside[axis] = {2, std::max(extents_[axis], 2)};
    packed_.synchronize();
    for (Face& face : faces_) {
      MPI_Isend(face.out.data(), static_cast<int>(face.out.size()), MPI_DOUBLE, face.neighbour, face.tag, ranks_,
                &requests.emplace_back());
    }
    step(u_, next_, inside, stream_);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    stream_.synchronize();
    for (const Face& face : faces_) part(u_, face.received).assign(face.in);
    u_.device().synchronize();  // assign() goes by the default stream
    for (const Box& shell : shells()) step(u_, next_, shell, stream_);
    stream_.synchronize();
    std::swap(u_, next_);
  }

 private:
  [[nodiscard]] Box whole() const { return {Slice{1, extents_[0] + 1}, Slice{1, extents_[1] + 1}, Slice{1, extents_[2] + 1}}; }

  void add_face(int axis, bool high) {
    const auto a = static_cast<std::size_t>(axis);
    Face face{.sent = whole(), .received = whole(), .tag = 2 * axis + (high ? 1 : 0)};
    const std::int64_t own = high ? extents_[a] : 1;
    const std::int64_t around = high ? extents_[a] + 1 : 0;
    face.sent[a] = {own, own + 1};
    face.received[a] = {around, around + 1};
    int low_rank = 0;
    int high_rank = 0;
    MPI_Cart_shift(ranks_, axis, 1, &low_rank, &high_rank);
    face.neighbour = high ? high_rank : low_rank;
    face.out = Array::zeros(part(u_, face.sent).shape(), kiln::DType::float64);
    face.in = Array::zeros(face.out.shape(), kiln::DType::float64);
    faces_.push_back(std::move(face));
  }

  /// What the inner part leaves: two slabs for each axis, which do not overlap.
  [[nodiscard]] std::vector<Box> shells() const {
    std::vector<Box> boxes;
    Box rest = whole();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t n = extents_[axis];
      Box low = rest;
      Box high = rest;
      low[axis] = {1, 2};
      high[axis] = {std::max<std::int64_t>(n, 2), n + 1};
      boxes.push_back(low);
      boxes.push_back(high);
      rest[axis] = {2, std::max<std::int64_t>(n, 2)};
    }
    return boxes;
  }

  MPI_Comm ranks_;
  std::array<int, 3> extents_;
  kiln::Stream stream_;
  kiln::Event packed_;
  Array u_;
  Array next_;
  std::vector<Face> faces_;
};

/// The value at the start of a cell, by its place in the whole box.
double at_start(int x, int y, int z) {
  return static_cast<double>((x * 7 + y * 13 + z * 29) % 101) / 8;
}

/// A sum of the bits of all cells, each with its place: the same in any order.
std::uint64_t checksum(const Array& cells, const std::array<int, 3>& origin) {
  const Array host = cells.copy_to_host().copy();
  const auto* const bits = static_cast<const std::uint64_t*>(host.data());
  std::uint64_t sum = 0;
  std::int64_t i = 0;
  for (int x = 0; x < host.shape()[0]; ++x) {
    for (int y = 0; y < host.shape()[1]; ++y) {
      for (int z = 0; z < host.shape()[2]; ++z, ++i) {
        const auto place = static_cast<std::uint64_t>(((origin[0] + x) * 1000 + origin[1] + y) * 1000 + origin[2] + z);
        sum += bits[i] * (2 * place + 1);
      }
    }
  }
  return sum;
}

/// The same box by plain loops.
Array by_loops(int n, int steps) {
  Array from = Array::zeros({n, n, n}, kiln::DType::float64);
  Array to = Array::zeros({n, n, n}, kiln::DType::float64);
  const auto at = [n](const Array& u, int x, int y, int z) -> double& {
    const int place = ((x + n) % n * n + (y + n) % n) * n + (z + n) % n;
    return static_cast<double*>(u.data())[place];
  };
  const auto each = [n](const auto& work) {
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z) work(x, y, z);
      }
    }
  };
  each([&](int x, int y, int z) { at(from, x, y, z) = at_start(x, y, z); });
  for (int i = 0; i < steps; ++i) {
    each([&](int x, int y, int z) {
      const double sum = at(from, x - 1, y, z) + at(from, x + 1, y, z) + at(from, x, y - 1, z) + at(from, x, y + 1, z) +
                         at(from, x, y, z - 1) + at(from, x, y, z + 1) - 6 * at(from, x, y, z);
      at(to, x, y, z) = at(from, x, y, z) + 0.1 * sum;
    });
    std::swap(from, to);
  }
  return from;
}

int run(int cells, int steps) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::array<int, 3> grid{};
  MPI_Dims_create(size, 3, grid.data());
  const std::array<int, 3> wraps{1, 1, 1};
  MPI_Comm ranks = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, grid.data(), wraps.data(), 0, &ranks);
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  std::array<int, 3> place{};
  MPI_Cart_coords(ranks, rank, 3, place.data());

  // Every kernel is compiled once among all ranks.
  const kiln::WarmReport report = kiln::warm(kiln::mpi::communicator(MPI_COMM_WORLD), {heat});
  if (rank == 0) std::printf("%s\n", to_string(report).c_str());

  // Extents that the ranks do not divide differ by one cell.
  std::array<int, 3> origin{};
  std::array<int, 3> extents{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    origin[axis] = cells * place[axis] / grid[axis];
    extents[axis] = cells * (place[axis] + 1) / grid[axis] - origin[axis];
  }
  const kiln::Device device = kiln::Device::best();
  Block block(ranks, extents, device);
  const Array start = Array::zeros({extents[0], extents[1], extents[2]}, kiln::DType::float64);
  auto* value = static_cast<double*>(start.data());
  for (int x = 0; x < extents[0]; ++x) {
    for (int y = 0; y < extents[1]; ++y) {
      for (int z = 0; z < extents[2]; ++z) *value++ = at_start(origin[0] + x, origin[1] + y, origin[2] + z);
    }
  }
  block.inner().assign(start);
  block.send_to(device);
  for (int i = 0; i < steps; ++i) block.advance();

  const std::uint64_t own = checksum(block.inner(), origin);
  std::uint64_t all = 0;
  MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, ranks);
  MPI_Comm_free(&ranks);
  if (rank != 0) return 0;
  std::printf("%d^3 cells, %d steps: %016llx\n", cells, steps, static_cast<unsigned long long>(all));
  constexpr int kFewCells = 100;
  return cells > kFewCells || all == checksum(by_loops(cells, steps), {0, 0, 0}) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = run(argc > 1 ? std::atoi(argv[1]) : 20, argc > 2 ? std::atoi(argv[2]) : 10);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return 0;
}
