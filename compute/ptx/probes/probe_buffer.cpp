// Layout: site counters (copies × sites × trace::Counts), warp counters, owners, touches, distinct
// warps, the hash set, the recorded request.
#include "compute/ptx/probes/probe_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_request.h"
#include "compute/trace/spaces.h"

namespace lanescope::ptx {
namespace {

template <class T>
std::vector<T> copy_of(std::span<const std::byte> buffer, std::size_t at, std::size_t count)
{
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), buffer.data() + at, count * sizeof(T));
    return values;
}

RecordKind record_kind(const trace::Site& site)
{
    if (site.op == trace::Op::branch) return RecordKind::branch;
    return trace::costs_passes(site.space) ? RecordKind::shared : RecordKind::global;
}

} // namespace

ProbeBuffer::ProbeBuffer(const Probed& probed, Dim3 grid, Dim3 block, const trace::Trace& wanted)
    : probed_(&probed), grid_(grid), block_(block)
{
    own_warps_ = grid.count() * ((block.count() + 31) / 32);
    warp_count_ = own_warps_ + (probed.launches ? GridTable::more_warps : 0);
    if (probed.options.footprint) footprint_ = wanted.footprint;
    if (probed.options.touches) watched_ = wanted.watched;
    request_ = wanted.request;
    const std::size_t element = probed.options.footprint_element_bytes;
    elements_ = footprint_.bytes / element;
    sectors_ = (watched_.bytes + 31) / 32;
    // Few warps touch each sector in most kernels, so 16 slots per sector keep the set fast.
    if (sectors_ != 0)
        pairs_ = std::bit_ceil(std::clamp<std::size_t>(16 * sectors_, 1 << 12, 1 << 24));

    sites_at_ =
        reserve(static_cast<std::size_t>(probed.copies * probed.records) * site_record_bytes());
    warps_at_ = reserve(warp_count_ * sizeof(trace::WarpCounts));
    owners_at_ = reserve(elements_ * sizeof(std::uint32_t));
    touches_at_ = reserve(sectors_ * sizeof(std::uint32_t));
    touch_warps_at_ = reserve(sectors_ * sizeof(std::uint32_t));
    overflow_at_ = reserve(sizeof(std::uint32_t));
    pairs_at_ = reserve(pairs_ * sizeof(std::uint64_t));
    request_at_ = reserve(request_bytes());
    grids_at_ = reserve(probed.launches ? GridTable::bytes : 0);
}

std::size_t ProbeBuffer::reserve(std::size_t bytes)
{
    constexpr std::size_t alignment = 256;
    const std::size_t at = end_;
    end_ += (bytes + alignment - 1) / alignment * alignment;
    return at;
}

std::array<std::uint64_t, setting_count> ProbeBuffer::setup_arguments(std::uint64_t address) const
{
    std::array<std::uint64_t, setting_count> values{};
    const auto set = [&](Setting setting, std::uint64_t value) {
        values[static_cast<std::size_t>(setting)] = value;
    };
    set(Setting::sites, address + sites_at_);
    set(Setting::warps, address + warps_at_);
    set(Setting::owners, address + owners_at_);
    set(Setting::footprint_begin, footprint_.address);
    set(Setting::footprint_bytes, elements_ * probed_->options.footprint_element_bytes);
    set(Setting::touches, address + touches_at_);
    set(Setting::touch_warps, address + touch_warps_at_);
    set(Setting::overflow, address + overflow_at_);
    set(Setting::pairs, address + pairs_at_);
    set(Setting::watched_begin, watched_.address);
    // Upper half: number of sectors; lower half: mask for indices into the set.
    set(Setting::watched_sizes, std::uint64_t{sectors_} << 32 | (pairs_ == 0 ? 0 : pairs_ - 1));
    set(Setting::surface, footprint_.surface);
    set(Setting::surface_row_bytes, footprint_.row_bytes);
    set(Setting::request, address + request_at_);
    set(Setting::wanted_request,
        static_cast<std::uint64_t>(request_.occurrence) << 32 | request_.warp);
    set(Setting::grids, address + grids_at_);
    set(Setting::last_warp, warp_count_ - 1);
    return values;
}

void ProbeBuffer::read(std::span<const std::byte> buffer, trace::Trace& trace) const
{
    trace.kernel = probed_->options.kernel;
    trace.grid = grid_;
    trace.block = block_;
    trace.sites = probed_->sites;
    const std::size_t sites = probed_->sites.size();
    const auto records_per_copy = static_cast<std::size_t>(probed_->records);
    const std::size_t stride = site_record_bytes() / sizeof(std::uint64_t);
    const auto sums = copy_of<std::uint64_t>(
        buffer, sites_at_, static_cast<std::size_t>(probed_->copies) * records_per_copy * stride);
    trace.counts.assign(records_per_copy, {});
    for (std::size_t i = 0; i < records_per_copy; ++i) {
        const auto& fields =
            record_fields(i < sites ? record_kind(trace.sites[i]) : RecordKind::shared);
        for (std::size_t record = i * stride; record < sums.size();
             record += records_per_copy * stride)
            for (std::size_t at = 0; at < fields.size(); ++at)
                trace.counts[i].*fields[at].field += sums[record + at];
    }
    for (std::size_t i = sites; i < records_per_copy; ++i) {
        trace::Counts part = trace.counts[i];
        part.lanes = 0; // these lanes are already counted by the site
        trace.counts[i - sites] += part;
    }

    trace.warps = copy_of<trace::WarpCounts>(buffer, warps_at_, warp_count_);
    trace.warp_instructions = trace.thread_instructions = 0;
    for (const trace::WarpCounts& warp : trace.warps) {
        trace.warp_instructions += warp.warp_instructions;
        trace.thread_instructions += warp.thread_instructions;
    }
    const Launches launches = read_launches(buffer.subspan(grids_at_, launches_bytes()));
    trace.device_launches = launches.from_device;
    trace.warps.resize(launches.warps);
    if (!trace.per_warp) trace.warps.clear();
    trace.footprint.owners = copy_of<std::uint32_t>(buffer, owners_at_, elements_);
    trace.watched.touches = copy_of<std::uint32_t>(buffer, touches_at_, sectors_);
    trace.watched.warps = copy_of<std::uint32_t>(buffer, touch_warps_at_, sectors_);
    if (copy_of<std::uint32_t>(buffer, overflow_at_, 1)[0] != 0) trace.watched.warps.clear();
    read_request(buffer.subspan(request_at_, request_bytes()), trace.request);
}

std::size_t ProbeBuffer::launches_bytes() const
{
    return probed_->launches ? sizeof(GridTable::Head) : 0;
}

ProbeBuffer::Launches ProbeBuffer::read_launches(std::span<const std::byte> record) const
{
    if (record.empty()) return {0, own_warps_};
    GridTable::Head head;
    std::memcpy(&head, record.data(), sizeof head);
    return {std::max<std::uint64_t>(head.launches, 1) - 1,
            static_cast<std::size_t>(std::min<std::uint64_t>(head.warps, warp_count_))};
}

std::size_t ProbeBuffer::request_bytes() const
{
    return probed_->options.request_site < 0 ? 0 : sizeof(RequestRecord);
}

void ProbeBuffer::read_request(std::span<const std::byte> record,
                               trace::WatchedRequest& request) const
{
    RequestRecord noted;
    std::memcpy(&noted, record.data(), std::min(record.size(), sizeof(noted)));
    request.seen = noted.seen;
    request.active = noted.active;
    request.space = trace::Space::none;
    if (noted.active != 0) {
        const auto site = static_cast<std::size_t>(probed_->options.request_site);
        request.space = probed_->sites[site].space;
        if (request.space == trace::Space::generic)
            request.space = noted.is_shared != 0 ? trace::Space::shared : trace::Space::global;
    }
    request.addresses = noted.addresses;
}

} // namespace lanescope::ptx
