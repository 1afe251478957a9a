#include "device/gpu/fft_plan.hpp"

#include <array>

#include "device/gpu/queue.hpp"
#include "device/scratch.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

/// The libraries' number of a kind, of float32; float64 is 0x40 more.
int type_of(FftKind kind, bool single) {
  const int type = kind == FftKind::complex ? 0x29 : kind == FftKind::real_to_complex ? 0x2a : 0x2c;
  return single ? type : type + 0x40;
}

std::array<FftTable::Integer, 3> integers(const std::array<std::int64_t, 3>& values) {
  return {values[0], values[1], values[2]};
}

}  // namespace

GpuFftPlan::GpuFftPlan(GpuBackend& backend, const Core& core, const FftLayout& layout)
    : backend_(backend), core_(core), library_(FftLibrary::of(core.driver())), kind_(layout.kind), single_(layout.single) {
  const FftTable& calls = library_.calls();
  check(calls.create(&plan_), "make an FFT plan");
  auto n = integers(layout.n);
  auto in_embed = integers(layout.in.embed);
  auto out_embed = integers(layout.out.embed);
  auto status = calls.auto_allocation(plan_, 0);
  if (status == abi::kSuccess) {
    status =
        calls.make_plan(plan_, layout.rank, n.data(), in_embed.data(), layout.in.stride, layout.in.distance, out_embed.data(),
                        layout.out.stride, layout.out.distance, type_of(kind_, single_), layout.batch, &work_bytes_);
  }
  if (status != abi::kSuccess) {
    calls.destroy(plan_);
    check(status, "make an FFT plan");
  }
}

GpuFftPlan::~GpuFftPlan() {
  if (!core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) library_.calls().destroy(plan_);
}

void GpuFftPlan::check(FftTable::Status status, const char* what) const {
  if (status != abi::kSuccess) throw library_.error(status, what, core_.name());
}

FftTable::Status GpuFftPlan::start(void* in, void* out, bool inverse) const {
  const FftTable& calls = library_.calls();
  if (kind_ == FftKind::complex) return (single_ ? calls.c2c : calls.z2z)(plan_, in, out, inverse ? 1 : -1);
  if (kind_ == FftKind::real_to_complex) return (single_ ? calls.r2c : calls.d2z)(plan_, in, out);
  return (single_ ? calls.c2r : calls.z2d)(plan_, in, out);
}

void GpuFftPlan::execute(void* in, void* out, bool inverse, Queue* queue, const std::shared_ptr<const void>& keep) {
  core_.require_usable();
  const Current current(core_);
  const Scratch work(backend_, work_bytes_, queue);
  auto* const gpu_queue = static_cast<GpuQueue*>(queue);
  if (gpu_queue != nullptr) gpu_queue->wait_for_memory();
  {
    const std::lock_guard guard(mutex_);
    const FftTable& calls = library_.calls();
    check(calls.stream(plan_, stream_of(queue)), "choose the stream of an FFT");
    if (work.address() != nullptr) check(calls.work_area(plan_, work.address()), "give an FFT its work area");
    check(start(in, out, inverse), "run an FFT");
  }
  if (gpu_queue != nullptr && keep) gpu_queue->hold(keep);
}

std::shared_ptr<FftPlan> GpuBackend::make_fft(const FftLayout& layout) {
  core_.require_usable();
  const Current current(core_);
  return std::make_shared<GpuFftPlan>(*this, core_, layout);
}

}  // namespace kiln::backend::gpu
