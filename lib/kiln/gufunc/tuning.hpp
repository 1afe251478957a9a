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

/// Items from which on a CPU computes several at once; below the second number the kernel has both ways, and counts.
inline constexpr std::int64_t kFewestItems = 2;
inline constexpr std::int64_t kManyItems = 16;
/// That a thread takes at once: of two vectors; of few items, so that several threads have some.
inline constexpr std::int64_t kGrain = 32;
inline constexpr std::int64_t kGrainOfFew = 4;
/// Bytes of a core up to which contiguous items are taken many at once: of longer ones a thread would have few.
inline constexpr std::int64_t kMostBytesOfCore = 16384;
/// The same where .each could share an item among threads.
inline constexpr std::int64_t kMostBytesFolded = 4096;
/// And of few items.
inline constexpr std::int64_t kMostBytesOfFew = 1024;
/// Bytes of the smallest tile of kernels for any sizes of cores; the next is twice as large.
inline constexpr int kLeastTile = 256;
/// Of a team whose size kiln chooses: threads at least (a CPU takes no more, so that none waits), and on a GPU elements of the
/// largest core for each of them, at least and at most.
inline constexpr int kFewestInTeam = 32;
inline constexpr std::int64_t kFewElementsOfLane = 2;
inline constexpr std::int64_t kManyElementsOfLane = 16;
/// Threads that fill a GPU: where there would be more, each does more.
inline constexpr std::int64_t kEnoughThreads = std::int64_t{1} << 18;
/// Neighbours along the last index of .each that a thread of a GPU takes, so that what they have in common is read once.
inline constexpr int kMostBeside = 4;
/// That a team shares: what every GPU has without asking for more, less what reductions need.
inline constexpr std::int64_t kTeamBytes = 48 * 1024 - 256;

/// Copies of cores in a GPU's shared memory. Bytes between cores from which on the lanes of a warp read too many sectors, and
/// up to which 32 bits count them.
inline constexpr std::int64_t kSector = 32;
inline constexpr std::int64_t kFarthestStagedItem = std::int64_t{1} << 23;
/// Of a block of threads that have items: at least a warp's, at most those of all its threads.
inline constexpr std::int64_t kFewestStagedItems = 32;
inline constexpr std::int64_t kMostStagedItems = 128;
inline constexpr int kStagedThreads = 128;
/// Of longer cores a block has fewer items. How many have to have room at least, so that a multiprocessor has enough threads
/// that compute. Any number is enough where all cores come to fewer bytes than multiprocessors hold a few times over.
inline constexpr std::int64_t kFewestLongItems = 10;
inline constexpr std::int64_t kMostBytesOfFewItems = std::int64_t{1} << 25;
/// That a block takes then, so that while it copies several others compute.
inline constexpr std::int64_t kUsualBytesOfLongItems = 24 * 1024;
/// Windows: items from which on a GPU has threads enough that wait for theirs, bytes of a core from which on they pay, and how
/// many inputs have them.
inline constexpr std::int64_t kFewestItemsOfWindows = std::int64_t{1} << 15;
inline constexpr std::int64_t kFewestBytesOfWindows = 1024;
inline constexpr int kMostWindows = 2;
/// Of a block of threads that have indices of .each.
inline constexpr std::int64_t kMostStagedItemsOfEach = 32;
/// Core dimensions up to this size are constants there.
inline constexpr std::int64_t kSmallStagedCore = 64;
/// Items from which on they are a block each, and bytes of their cores from which on copying pays.
inline constexpr std::int64_t kFewestStagedBlocks = 128;
inline constexpr std::int64_t kFewestStagedBytes = 1024;
/// Blocks that keep a GPU busy: with fewer, blocks have fewer items.
inline constexpr std::int64_t kEnoughStagedBlocks = 1024;
/// That a block takes where its items are small, so that several share a multiprocessor.
inline constexpr std::int64_t kUsualStagedBytes = 16 * 1024;
/// The most on AMD's GPUs, which have 64 KiB for all blocks of a compute unit.
inline constexpr std::int64_t kStagedBytesOfAmd = 32 * 1024;

}  // namespace kiln::gufunc::tuning
