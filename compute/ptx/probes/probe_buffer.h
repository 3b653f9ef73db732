// The device buffer with a probed kernel's counters: its size, its layout, and the conversion to a
// trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "compute/dim3.h"
#include "compute/ptx/probes/probe_text.h"
#include "compute/ptx/probes/rewrite.h"
#include "compute/trace/trace.h"

namespace lanescope::ptx {

// One buffer of bytes() on the device, 256-byte aligned and zeroed before each launch. Its
// size follows from the launch's shape and from `wanted.footprint` and `wanted.watched`,
// which only apply if the probed text was built with those options, as does
// `wanted.request`. `probed` must outlive this.
class ProbeBuffer {
public:
    ProbeBuffer(const Probed& probed, Dim3 grid, Dim3 block, const trace::Trace& wanted);

    std::size_t bytes() const { return end_; }

    // Arguments of the setup kernel, all u64, for a buffer at `address`.
    std::array<std::uint64_t, setting_count> setup_arguments(std::uint64_t address) const;

    // Fills kernel, grid, block, sites, counts, warps, the instruction totals, footprint, watched
    // and request of `trace` from the buffer's contents after the launch. `watched.warps` stays
    // empty if there were more (sector, warp) pairs than the buffer holds.
    void read(std::span<const std::byte> buffer, trace::Trace& trace) const;

    // Reads only the request, from request_bytes() bytes at request_at() in the buffer; 0 bytes if
    // none is recorded.
    std::size_t request_at() const { return request_at_; }
    std::size_t request_bytes() const;
    void read_request(std::span<const std::byte> record, trace::WatchedRequest& request) const;

    // If kernels launch kernels, launches_bytes() bytes at launches_at() hold the number of
    // launches and warps, including the host's launch; otherwise 0 bytes.
    std::size_t launches_at() const { return grids_at_; }
    std::size_t launches_bytes() const;
    struct Launches {
        std::uint64_t from_device = 0;
        // Number of warps with their own index; all others share the last index.
        std::size_t warps = 0;
    };
    Launches read_launches(std::span<const std::byte> record) const;

private:
    std::size_t reserve(std::size_t bytes);

    Probed const* probed_;
    Dim3 grid_;
    Dim3 block_;
    trace::Footprint footprint_;
    trace::SectorTouches watched_;
    trace::WatchedRequest request_;
    std::size_t own_warps_ = 0;  // warps of the host's launch
    std::size_t warp_count_ = 0; // capacity
    std::size_t sectors_ = 0;
    std::size_t elements_ = 0;
    std::size_t pairs_ = 0; // capacity of the (sector, warp) set, a power of two
    std::size_t end_ = 0;
    std::size_t sites_at_ = 0;
    std::size_t warps_at_ = 0;
    std::size_t owners_at_ = 0;
    std::size_t touches_at_ = 0;
    std::size_t touch_warps_at_ = 0;
    std::size_t overflow_at_ = 0;
    std::size_t pairs_at_ = 0;
    std::size_t request_at_ = 0;
    std::size_t grids_at_ = 0;
};

} // namespace lanescope::ptx
