// Launches a kernel, and reports differences between two launches.
#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {

namespace {

// The buffers of a launch. On a GPU they share one allocation and are copied at once, because each
// copy waits for other processes that use the GPU.
class Buffers {
public:
    Buffers(device::Device& device, const std::vector<std::vector<std::byte>>& contents)
        : device_(device)
    {
        const bool together = device.engine() == device::Engine::cuda;
        std::vector<std::byte> all;
        for (const std::vector<std::byte>& bytes : contents) {
            parts_.push_back({together ? 0 : made_.size(), all.size(), bytes.size()});
            if (together) {
                all.insert(all.end(), bytes.begin(), bytes.end());
                all.resize((all.size() + alignment - 1) / alignment * alignment);
            } else {
                make(bytes);
            }
        }
        if (together) make(all);
    }

    device::Address address(std::size_t k) const
    {
        return made_[parts_[k].buffer]->address() + parts_[k].at;
    }

    std::vector<std::vector<std::byte>> read() const
    {
        std::vector<std::vector<std::byte>> whole;
        for (const auto& buffer : made_) {
            whole.emplace_back(buffer->bytes());
            device_.download(whole.back(), buffer->address());
        }
        std::vector<std::vector<std::byte>> contents;
        for (const Part& part : parts_) {
            const auto begin = whole[part.buffer].begin() + static_cast<std::ptrdiff_t>(part.at);
            contents.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(part.bytes));
        }
        return contents;
    }

private:
    static constexpr std::size_t alignment = 256;
    struct Part {
        std::size_t buffer, at, bytes;
    };

    void make(const std::vector<std::byte>& bytes)
    {
        made_.push_back(device_.allocate(bytes.size()));
        device_.upload(made_.back()->address(), bytes);
    }

    device::Device& device_;
    std::vector<std::unique_ptr<device::Buffer>> made_;
    std::vector<Part> parts_;
};

} // namespace

std::vector<std::vector<std::byte>> run(device::Device& device, const device::Module& module,
                                        const RandomKernel& kernel, trace::Trace* trace)
{
    device::Launch launch;
    launch.trace = trace;
    launch.grid = kernel.grid;
    launch.block = kernel.block;
    launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
    const Buffers buffers(device, kernel.buffers);
    for (std::size_t k = 0; k < kernel.buffers.size(); ++k)
        launch.arguments.emplace_back(buffers.address(k));
    for (const std::uint32_t scalar : kernel.scalars) launch.arguments.emplace_back(scalar);
    device.launch(module.kernel(kernel.kernel), launch);
    device.synchronize();
    return buffers.read();
}

std::vector<std::vector<std::byte>> run(device::Device& device, const RandomKernel& kernel,
                                        trace::Trace* trace)
{
    const auto module = device.load(kernel.ptx);
    return run(device, *module, kernel, trace);
}

std::string difference(const std::vector<std::vector<std::byte>>& one,
                       const std::vector<std::vector<std::byte>>& other)
{
    static constexpr std::string_view names[] = {"in", "out", "slots", "totals"};
    for (std::size_t k = 0; k < one.size(); ++k) {
        std::size_t differing = 0, first = 0;
        const auto word = [](const std::vector<std::byte>& bytes, std::size_t i) {
            std::uint32_t value = 0;
            for (std::size_t b = 0; b < 4; ++b)
                value |= std::to_integer<std::uint32_t>(bytes[4 * i + b]) << 8 * b;
            return value;
        };
        for (std::size_t i = 0; i < one[k].size() / 4; ++i)
            if (word(one[k], i) != word(other[k], i) && differing++ == 0) first = i;
        if (differing > 0)
            return fmt::format("{} words of `{}`, the first {}: {:#x} and {:#x}", differing,
                               names[k], first, word(one[k], first), word(other[k], first));
    }
    return {};
}

std::string difference(const trace::Trace& one, const trace::Trace& other, bool& same_lanes,
                       bool with_models)
{
    same_lanes = one.sites.size() == other.sites.size();
    if (!same_lanes) return fmt::format("{} sites and {}", one.sites.size(), other.sites.size());
    std::string text;
    for (std::size_t i = 0; i < std::min(one.counts.size(), other.counts.size()); ++i) {
        const trace::Counts& a = one.counts[i];
        const trace::Counts& b = other.counts[i];
        if (a.lanes != b.lanes) same_lanes = false;
        if (!text.empty()) continue;
        const trace::Site& site = one.sites[i % one.sites.size()];
        for (const trace::CountRow& row : trace::count_rows) {
            if (row.of == trace::CountOf::model && !with_models) continue;
            if (a.*row.field != b.*row.field) {
                text = fmt::format("line {}, `{}`: {} {} and {}", site.ptx_line, site.ptx, row.name,
                                   a.*row.field, b.*row.field);
                break;
            }
        }
    }
    if (one.thread_instructions != other.thread_instructions) same_lanes = false;
    if (!text.empty()) return text;
    for (std::size_t w = 0; w < std::min(one.warps.size(), other.warps.size()); ++w)
        for (const trace::WarpCountRow& row : trace::warp_count_rows) {
            if (row.field == &trace::WarpCounts::texel_sectors && !with_models) continue;
            if (one.warps[w].*row.field != other.warps[w].*row.field)
                return fmt::format("warp {}: {} {} and {}", w, row.name, one.warps[w].*row.field,
                                   other.warps[w].*row.field);
        }
    if (one.warps.size() == other.warps.size()) return {};
    return fmt::format("{} warps and {}", one.warps.size(), other.warps.size());
}

std::string difference(const std::vector<trace::Fault>& one, const std::vector<trace::Fault>& other)
{
    const auto place = [](const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); };
    const auto words = [&](const trace::Fault& fault) {
        std::string message = fault.message;
        const std::string address = fmt::format("{:#x}", fault.address);
        if (const std::size_t at = message.find(address); at != std::string::npos)
            message.replace(at, address.size(), "ADDRESS");
        return fmt::format("{} in {}, line {}, block {}, thread {}, parameter {}: {}", fault.kind,
                           fault.kernel, fault.line, place(fault.block), place(fault.thread),
                           fault.parameter, message);
    };
    for (std::size_t k = 0; k < std::min(one.size(), other.size()); ++k)
        if (words(one[k]) != words(other[k]))
            return fmt::format("fault {}: {}; and {}", k, words(one[k]), words(other[k]));
    if (one.size() == other.size()) return {};
    return fmt::format("{} faults and {}", one.size(), other.size());
}

} // namespace lanescope::random_kernels
