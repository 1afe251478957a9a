#include "call/staging.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "array/access.hpp"
#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "call/description.hpp"
#include "device/kernel_abi.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"
#include "registry/registry.hpp"

namespace kiln::call {
namespace {

/// What a call makes of an operand lies apart from what a manifest gives for others.
std::size_t made_of(std::size_t operand) {
  return std::size_t{2 * backend::kMaxOperands} + operand;
}

/// Page-locked memory for what is on its way: while the device takes one block the next is filled. Large enough that a copy's
/// start is nothing beside it.
constexpr std::size_t kBlock = std::size_t{8} << 20;
/// Below, the driver's own way is as quick.
constexpr std::size_t kStagedFrom = std::size_t{1} << 20;

/// Null where there is none.
std::shared_ptr<void> try_staging_block(backend::Backend& backend) {
  void* block = nullptr;
  try {
    block = backend.allocate_pinned(kBlock);
  } catch (const DeviceError&) {
    return nullptr;
  }
  return {block, [&backend](void* freed) noexcept { backend.deallocate_pinned(freed, kBlock); }};
}

/// `keep` holds `from`.
void upload(backend::Backend& backend, char* to, const char* from, std::size_t bytes, backend::Queue* queue,
            const std::shared_ptr<const void>& keep) {
  if (backend.is_page_locked(from, bytes)) return backend.upload_queued(to, from, bytes, queue, keep);
  if (bytes < kStagedFrom) return backend.upload(to, from, bytes, queue);
  constexpr std::size_t kBlocks = 4;  // more would lock memory for copies that are not begun
  std::array<std::shared_ptr<backend::Event>, kBlocks> done;
  for (std::size_t begin = 0; begin < bytes; begin += kBlock) {
    std::shared_ptr<backend::Event>& event = done[begin / kBlock % kBlocks];
    if (event != nullptr) event->synchronize();
    const std::size_t size = std::min(kBlock, bytes - begin);
    const std::shared_ptr<void> block = try_staging_block(backend);
    // Without page-locked memory the driver's own way is left.
    if (block == nullptr) return backend.upload(to + begin, from + begin, bytes - begin, queue);
    std::memcpy(block.get(), from + begin, size);
    backend.upload_queued(to + begin, block.get(), size, queue, block);
    if (event == nullptr) event = backend.make_event();
    event->record(queue);
  }
}

/// Waits.
void download(backend::Backend& backend, char* to, const char* from, std::size_t bytes, backend::Queue* queue) {
  if (bytes < kStagedFrom || backend.is_page_locked(to, bytes)) return backend.download(to, from, bytes, queue);
  const std::shared_ptr<void> blocks[] = {try_staging_block(backend), try_staging_block(backend)};
  if (blocks[0] == nullptr || blocks[1] == nullptr) return backend.download(to, from, bytes, queue);
  const std::shared_ptr<backend::Event> done[] = {backend.make_event(), backend.make_event()};
  const auto size_at = [&](std::size_t begin) { return std::min(kBlock, bytes - begin); };
  const auto start = [&](std::size_t begin) {
    const std::size_t which = begin / kBlock % 2;
    backend.download_queued(blocks[which].get(), from + begin, size_at(begin), queue, blocks[which]);
    done[which]->record(queue);
  };
  start(0);
  for (std::size_t begin = 0; begin < bytes; begin += kBlock) {
    if (begin + kBlock < bytes) start(begin + kBlock);
    const std::size_t which = begin / kBlock % 2;
    done[which]->synchronize();
    std::memcpy(to + begin, blocks[which].get(), size_at(begin));
  }
}

Array send_packed(const Array& host, const Device& device, backend::Queue* queue) {
  if (queue == nullptr) return to_device(host, device);
  const detail::ArrayRep& rep = *host.rep();
  const bool packed = rep.c_contiguous || rep.f_contiguous;
  const Array source = packed ? host : host.copy();
  const Order order = source.rep()->c_contiguous ? Order::c : Order::fortran;
  Array sent = allocate_for(queue, rep.shape, rep.dtype, device, order);
  const auto bytes = static_cast<std::size_t>(host.nbytes());
  backend::Backend& backend = backend::backend_for(device);
  const profiling::Copy copy("to_device", device, queue, rep.size, static_cast<std::int64_t>(bytes));
  upload(backend, sent.rep()->data, source.rep()->data, bytes, queue, detail::owner_of(source));
  detail::MappedFile::check(rep);
  return sent;
}

}  // namespace

Array allocate_for(backend::Queue* queue, const Shape& shape, DType dtype, const Device& device, Order order) {
  if (queue == nullptr) return device_array(shape, dtype, device, order);
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const auto bytes = static_cast<std::size_t>(detail::checked_size(shape, item) * item);
  backend::Backend& backend = backend::backend_for(device);
  detail::ArrayRep rep;
  rep.shape = shape;
  rep.strides = detail::packed_strides(shape, item, order);
  rep.dtype = dtype;
  rep.on_host = false;
  rep.device = device;
  void* const memory = backend.allocate(bytes, queue);
  rep.data = static_cast<char*>(memory);
  rep.buffer = std::shared_ptr<void>(
      memory, [&backend, bytes, queue](void* address) noexcept { backend.deallocate_scratch(address, bytes, queue); });
  return detail::make_array(std::move(rep));
}

void fetch(const Array& from, const Array& host, backend::Queue* queue) {
  const detail::ArrayRep& source = *from.rep();
  const detail::ArrayRep& target = *host.rep();
  if (queue == nullptr) return from.copy_to_host(host);
  if (source.size == 0) return;
  const auto fetch_to = [&](char* to) {
    const profiling::Copy copy("copy_to_host", source.device, queue, source.size, from.nbytes());
    download(backend::backend_for(source.device), to, source.data, static_cast<std::size_t>(from.nbytes()), queue);
  };
  if ((source.c_contiguous && target.c_contiguous) || (source.f_contiguous && target.f_contiguous))
    return fetch_to(target.data);
  // As it lies there.
  const Array bytes = Array::empty({from.nbytes()}, DType::uint8);
  fetch_to(bytes.rep()->data);
  detail::ArrayRep fetched = detail::view_rep(from);
  fetched.data = bytes.rep()->data;
  detail::copy_host(fetched, target);
}

Array send(const Array& host, const Device& device, backend::Queue* queue) {
  const Shape& shape = host.shape();
  detail::ArrayRep once = detail::view_rep(host);
  bool repeats = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && once.strides[i] == 0) {
      once.shape[i] = 1;
      repeats = true;
    }
  }
  if (!repeats || host.size() == 0) return send_packed(host, device, queue);
  return send_packed(detail::make_array(std::move(once)), device, queue).broadcast_to(shape);
}

Array as_sent(const detail::ArrayRep& rep, bool input, std::size_t operand, const Device& device) {
  Shape shape = rep.shape;
  for (std::size_t d = 0; d < shape.size() && input; ++d) {
    if (rep.strides[d] == 0) shape[d] = 1;
  }
  const Array sent = in_no_memory(shape, rep.strides, rep.dtype, operand, rep.device, rep.on_host);
  const detail::ArrayRep& once = *sent.rep();
  const Order order = input && once.f_contiguous && !once.c_contiguous ? Order::fortran : Order::c;
  Strides strides = detail::packed_strides(once.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), order);
  for (std::size_t d = 0; d < once.shape.size(); ++d) {
    if (once.shape[d] != rep.shape[d]) strides[d] = 0;
  }
  return in_no_memory(rep.shape, strides, rep.dtype, made_of(operand), device, false);
}

Array as_copied(const detail::ArrayRep& rep, std::size_t operand) {
  return in_no_memory(rep.shape, detail::packed_strides(rep.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), Order::c),
                      rep.dtype, made_of(operand), rep.device, rep.on_host);
}

void refuse_staging(const std::string& what, const Device& device) {
  if (backend::Capture::current() == nullptr) return;
  const std::string why =
      "it has arrays of the host and runs on " + to_string(device) + "; bring them there with to_device() first";
  backend::Capture::refuse(what, why.c_str());
}

void note_memory(backend::Capture& capture, std::span<const Array> arrays) {
  for (const Array& array : arrays) {
    if (!array.valid() || array.size() == 0) continue;
    const detail::ArrayRep& rep = *array.rep();
    const detail::Extent bytes = detail::covered(rep);
    const auto at = reinterpret_cast<std::uintptr_t>(rep.data);
    capture.memory.push_back(
        {at + static_cast<std::uintptr_t>(bytes.low), at + static_cast<std::uintptr_t>(bytes.high), detail::owner_of(array)});
  }
}

}  // namespace kiln::call
