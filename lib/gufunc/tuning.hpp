// The numbers that choose a kernel of a generalized ufunc.
#pragma once

#include <cstdint>

namespace kiln::gufunc::tuning {

/// Core dimensions up to this size are constants of the kernel, so that loops over them unroll.
inline constexpr std::int64_t kSmallCore = 32;
/// Kernels of a loop with such constants; calls beyond share one for any sizes.
inline constexpr int kMaxSpecialized = 16;
/// Layouts of a loop's calls whose launches are remembered; looking through them must be cheap for a call that finds none.
inline constexpr int kMaxRemembered = 16;

/// Indices of .each in an item, up to which they are loops around the body and items are computed at once. One thread, 1e4
/// items of float32, nanoseconds of an item without and with it: matrix products of 3 × 3 8.4 and 3.9, of 5 × 5 16 and 11, of
/// 6 × 6 31 and 14.5. Not where rows are whole vectors: of 4 × 4 5.2 and 5.4, of 8 × 8 19.5 and 31 (with loops in the body).
/// Where items lie side by side, a core's elements apart, any number: of 5 × 5 43 and 7, of 8 × 8 281 and 36, of 14 × 14 2960
/// and 350; of 16 items of 14 × 14 1710 and 410, of 200 × 200 72 and 0.7 ms, two threads 36 and 0.6 ms.
inline constexpr std::int64_t kMostFolded = 64;
inline constexpr std::int64_t kFewestInVector = 4;

/// Elements of each operand of an item up to which a CPU computes several items at once. One thread, float32, nanoseconds of an
/// item without and with it: cross product 1.9 and 0.6, inner product of 4 1.4 and 0.6, of 8 2.2 and 1.0, of 16 5.0 and 4.8,
/// matrix product of 2 × 2 2.5 and 1.1, of 3 × 3 7.8 and 23: beyond 8 the compiler gathers elements one by one.
inline constexpr std::int64_t kTinyCore = 8;
/// Elements from one item of an input to the next, where it is not one behind the other, for which vectors are shuffled
/// together; and 0, one item for all. One thread, float32, over the time of items one behind the other, without and with it:
/// inner products of 2 of every second item 2.3 and 1.17, of 4 2.25 and 1.4, cross products of xyz of xyzw 3.3 and 1.15, one
/// vector for all 3.3 and 0.9, one of 8 for all 1.5 (staged) and 1.0. Of other strides elements would be gathered, and outputs
/// scattered.
inline constexpr std::int64_t kTinyStrides[] = {2, 4, 8};
inline constexpr int kMostItemStride = 8;
/// Bytes from one item of an input to the next up to which the stride is known to the kernel, and lengths of items one behind
/// the other up to which vectors are shuffled together: those of longer ones are gathered, and brought into a buffer instead
/// (float64, if the body calls functions) or computed one by one. AVX-512, one thread, nanoseconds of an inner product gathered
/// and now: of 8 float64 6.6 and 2.1, of 7 of every 8 6.0 and 1.9; of 4 complex64 1.9 and 1.6, of 5 7.2 and 2.0, of 8 12.1 and
/// 2.8; of 3 complex128 2.2 and 1.7, of 4 6.7 and 2.2. AVX2: of 8 float64 2.7 and 2.1, of 4 complex64 3.3 and 2.2, of 3
/// complex128 2.8 and 2.0.
inline constexpr std::int64_t kMostBytesApart = 32;
inline constexpr std::int64_t kMostBytesOfItem = 56;
inline constexpr std::int64_t kMostOfComplex64 = 3;
inline constexpr std::int64_t kMostOfComplex128 = 2;
/// Items from which on those that lie apart in another way are brought into a buffer, 16 at a time. One thread, float32, over
/// the time of items one behind the other, without and with it: inner products of 8, reversed, 2.1 and 1.2, of 3 2.2 and 1.4.
/// Of float64 where the body calls functions (sqrt of an inner product of 4 2.7 ns one by one and 1.6), else not: inner
/// products of 4, an element between them, 1.3 and 1.6, running sums of products 1.8 and 2.6, of 8 3.0 and 5.2. Of complex64
/// all but bodies that compute each element for itself: running sums of products of 4 3.4 and 2.2.
inline constexpr std::int64_t kFewestStaged = 64;
/// Elements of a core from which on items one behind the other go one by one, where the body is vectors along it. One thread,
/// float32, nanoseconds of a(i) * b(n - 1 - i) + 1: of 7 2.0 as vectors of items and 1.4, of 4 0.67 both.
inline constexpr std::int64_t kFewestAlongPacked = 5;
/// The same where items lie side by side, the elements of each apart: nothing is shuffled, but loops must unroll. One thread,
/// float32, nanoseconds of an item: cross product 0.7, inner product of 8 1.1, of 16 2.6, of 32 6.0, matrix product of 3 × 3
/// 2.4; of 5 × 5, which does not unroll, 56.
inline constexpr std::int64_t kTinyCoreAcross = 32;
/// Turns of a body's loops up to which nested ones unroll: others are lanes where items lie side by side.
inline constexpr double kMostUnrolled = 64;
/// Elements of an item's operands from which on, and bytes of all items up to which a CPU computes 16 items at once by turning
/// their cores (kernels-src/gufunc/items_cpu.hpp). One thread, 1e4 items of float32, nanoseconds of an item without and with
/// it: inner product of 9 2.6 and 2.5, of 16 4.7 and 3.0, of 32 12.0 and 6.0, of 64 31.9 and 12.9, of 128 70 and 26; running
/// sum of 9 2.7 and 3.2, of 16 4.6 and 4.1, of 64 30.5 and 18.2; matrix product without .each of 3 × 3 7.7 and 4.5, of 8 × 8
/// 142 and 32. Items beyond the caches are read in an order that no prefetcher knows: inner products of 64 over 2e5 items (100
/// MB) 32 and 51, matrices of 8 × 8 times vectors over 1e5 items 21 and 26; matrix products, whose loops have more turns than
/// cores have elements, 17.9 and 6.6 (4 × 4), 144 and 90 (8 × 8), 284 and 135 (10 × 10).
inline constexpr double kFewestOfItem = 24;
/// The same of float64, 8 items at once, of bodies that leave little (results, where a matrix product is none, are dear to
/// turn): inner products of 16 4.5 and 5.1, of 32 11.8 and 7, of 64 32.4 and 14; running sums of 16 6 and 8.9, of 64 33 and 52.
/// Matrix products, of any size, of 3 × 3 8.0 and 5.9, of 5 × 5 35 and 18, of 14 × 14 830 and 520; times vectors of 8 × 8 18.5
/// and 12.6.
inline constexpr double kFewestOfWideItem = 60;
/// And where items of some operands lie side by side, and one by one each element would be read from a line of its own: inner
/// products of 16 with one of the two so 7.2 and 3.8, of 64 44 and 14.3, matrices of 12 × 12 so times vectors 104 and 27,
/// matrix products of 5 × 5 with the result one behind the other 41 and 15, of 14 × 14 with the first so 1150 and 610. Of few
/// elements results are dear: running sums of products, inputs side by side, of 16 6.9 and 8.8; of 32 18.4 and 16.9, of 64 74
/// and 43 (16 items at once).
inline constexpr double kFewestOfWideBeside = 90;
/// Of whole numbers, elements that are turned for each that lies beside.
inline constexpr double kMostTurnedBeside = 4;
inline constexpr double kMostBytesOfItems = 16e6;
/// Bytes of a core up to which lanes have it in a tile: those of 32 lanes of a few operands are to stay in the second cache.
inline constexpr std::int64_t kMostBytesOfCore = 4096;
/// Of a team whose size kiln chooses: threads at least (a CPU takes no more, so that none waits), and on a GPU elements of the
/// largest core for each of them.
inline constexpr int kFewestInTeam = 32;
inline constexpr int kElementsOfLane = 2;
/// That a team shares: what every GPU has without asking for more, less what reductions need.
inline constexpr std::int64_t kTeamBytes = 48 * 1024 - 256;

}  // namespace kiln::gufunc::tuning
