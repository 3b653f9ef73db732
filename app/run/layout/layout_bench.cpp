// The kernel stores each word's index in the tile, so a load shows which element it reached: a
// result that differs from the layout's formula is a bug.
#include "app/run/layout/layout_bench.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "compute/simt/simt_device.h"

namespace lanescope::app {

namespace {

using counting::Layout;
using counting::SharedCost;
using counting::Swizzle;
using AccessKind = TileAccess::Kind;

constexpr std::uint32_t no_offset = 0xffffffff;
constexpr std::size_t out_words = 4; // per lane

// Registers of a vector of 32-bit words: "{%r0, %r1}", or "%r0".
std::string registers(int words)
{
    std::string list = "%r0";
    for (int i = 1; i < words; ++i) list += fmt::format(", %r{}", i);
    return words == 1 ? list : "{" + list + "}";
}

// The instruction under test; its address is %where.
std::string instruction_of(const TileAccess& access)
{
    const bool loads = access.kind == AccessKind::load || access.kind == AccessKind::load_matrix;
    if (access.matrices != 0) {
        const std::string list = access.matrices == 1 ? "{%r0}" : registers(access.matrices);
        const std::string shape = fmt::format("sync.aligned.m8n8.x{}.shared.b16", access.matrices);
        return loads ? fmt::format("ldmatrix.{} {}, [%where]", shape, list)
                     : fmt::format("stmatrix.{} [%where], {}", shape, list);
    }
    const int words = std::max(access.width_bytes / 4, 1);
    const std::string type = fmt::format("{}u{}", words == 1 ? "" : fmt::format("v{}.", words),
                                         std::min(access.width_bytes * 8, 32));
    return loads ? fmt::format("ld.shared.{} {}, [%where]", type, registers(words))
                 : fmt::format("st.shared.{} [%where], {}", type, registers(words));
}

// Bits of a word that an access of less than four bytes moves.
std::uint32_t moved_bits(int width_bytes)
{
    return width_bytes >= 4 ? 0xffffffff : (1u << (8 * width_bytes)) - 1;
}

void check_results(const MeasuredAccess& measured, std::span<const std::uint32_t> out)
{
    if (measured.access.kind != AccessKind::load) return;
    const int words = std::max(measured.access.width_bytes / 4, 1);
    for (std::size_t lane = 0; lane < measured.offsets.size(); ++lane)
        for (std::size_t i = 0; i < static_cast<std::size_t>(words); ++i) {
            const std::uint64_t byte = measured.offsets[lane] + 4 * i;
            const std::uint32_t word = static_cast<std::uint32_t>(byte / 4);
            const std::uint32_t expected =
                word >> 8 * (byte % 4) & moved_bits(measured.access.width_bytes);
            if (out[lane * out_words + i] != expected)
                throw std::logic_error("an access reached another element than its layout says");
        }
}

SharedCost cost_by_rule(const TileAccess& access, const std::array<std::uint64_t, 32>& offsets)
{
    return access.kind == AccessKind::load
               ? counting::shared_load(offsets, access.active, access.width_bytes)
               : counting::shared_store(offsets, access.active, access.width_bytes);
}

// The candidate's costs, or nullopt if an access does not fit it.
std::optional<FoundLayout> candidate(std::span<const TileAccess> accesses, const Layout& layout,
                                     int element_bytes)
{
    FoundLayout found{layout, layout.memory() * static_cast<std::uint64_t>(element_bytes), {}};
    if (found.memory_bytes > max_tile_bytes) return {};
    for (const TileAccess& access : accesses) {
        std::array<std::uint64_t, 32> offsets{};
        if (!offsets_of(access, layout, element_bytes, offsets)) return {};
        found.costs.push_back(cost_by_rule(access, offsets));
    }
    return found;
}

// True if the layout maps no two elements to one place.
bool is_one_to_one(const Layout& layout)
{
    std::vector<bool> taken(layout.memory());
    for (std::uint64_t row = 0; row < layout.rows(); ++row)
        for (std::uint64_t column = 0; column < layout.columns(); ++column) {
            const std::uint64_t at = layout(row, column);
            if (taken[at]) return false;
            taken[at] = true;
        }
    return true;
}

std::vector<Swizzle> swizzles(std::uint64_t elements, int chunk_bits)
{
    constexpr int max_bits = 5; // 32 banks
    constexpr int max_shift = 8;
    std::vector<Swizzle> all;
    for (int base = chunk_bits; base <= chunk_bits + 2; ++base)
        for (int bits = 1; bits <= max_bits; ++bits)
            for (int shift = bits; shift <= max_shift; ++shift)
                if (std::uint64_t{1} << (base + shift) < elements)
                    all.push_back({bits, base, shift});
    return all;
}

} // namespace

std::string kernel_of(const TileAccess& access, std::uint64_t tile_bytes)
{
    const std::uint64_t words = (tile_bytes + 3) / 4;
    return fmt::format(
        ".version 7.8\n.target sm_90\n.address_size 64\n"
        ".extern .shared .align 128 .b8 tile[];\n"
        ".visible .entry access(.param .u64 offsets, .param .u64 out)\n{{\n"
        ".reg .pred %some, %more; .reg .b32 %r<4>, %lane, %i, %at, %where, %base; .reg .b64 %p, "
        "%q;\n"
        "mov.u32 %lane, %tid.x; mov.u32 %i, %lane; mov.u32 %base, tile;\n"
        "mov.u32 %r0, %lane; mov.u32 %r1, %lane; mov.u32 %r2, %lane; mov.u32 %r3, %lane;\n"
        "fill: shl.b32 %at, %i, 2; add.u32 %at, %at, %base; st.shared.u32 [%at], %i;\n"
        "add.u32 %i, %i, 32; setp.lt.u32 %more, %i, {}; @%more bra fill;\n"
        "bar.sync 0;\n"
        "ld.param.u64 %p, [offsets]; mad.wide.u32 %p, %lane, 4, %p; ld.global.u32 %where, [%p];\n"
        "setp.ne.u32 %some, %where, {}; selp.u32 %where, %where, 0, %some;\n"
        "add.u32 %where, %where, %base;\n"
        "{}{};\n"
        "ld.param.u64 %q, [out]; mad.wide.u32 %q, %lane, 16, %q;\n"
        "st.global.v4.u32 [%q], {{%r0, %r1, %r2, %r3}};\n"
        "ret;\n}}\n",
        words, no_offset, access.matrices != 0 ? "" : "@%some ", instruction_of(access));
}

MeasuredAccess measure(const TileAccess& access, const Layout& layout, int element_bytes)
{
    // The kernel fills whole words, and each lane one of them.
    const std::uint64_t elements = layout.memory() * static_cast<std::uint64_t>(element_bytes);
    const std::uint64_t bytes = std::max<std::uint64_t>((elements + 3) / 4 * 4, 128);
    if (bytes > max_tile_bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The layout {} takes {} bytes; a block has at most {} bytes of "
                                "shared memory.",
                                layout.text(), bytes, max_tile_bytes),
                    "Choose a smaller tile.");
    MeasuredAccess measured{access, offsets_of(access, layout, element_bytes), {}};
    std::vector<std::uint32_t> wanted(32, no_offset);
    for (std::size_t lane = 0; lane < wanted.size(); ++lane)
        if ((access.active >> lane & 1) != 0)
            wanted[lane] = static_cast<std::uint32_t>(measured.offsets[lane]);

    const auto device = simt::make_device({});
    const auto module = device->load(kernel_of(access, bytes));
    const auto offsets = device->allocate(wanted.size() * 4);
    const auto out = device->allocate(32 * out_words * 4);
    device::upload<std::uint32_t>(*device, offsets->address(), wanted);
    trace::Trace trace;
    device->launch(
        module->kernel("access"),
        {{1, 1, 1}, {32, 1, 1}, static_cast<std::uint32_t>(bytes), {*offsets, *out}, &trace});
    const auto site = std::ranges::find_if(trace.sites, [](const trace::Site& each) {
        return each.ptx.find("[%where]") != std::string::npos;
    });
    const trace::Counts& counts =
        trace.counts.at(static_cast<std::size_t>(site - trace.sites.begin()));
    measured.cost = {static_cast<std::uint32_t>(counts.wavefronts),
                     static_cast<std::uint32_t>(counts.ideal_wavefronts)};
    check_results(measured,
                  device::download<std::uint32_t>(*device, out->address(), 32 * out_words));
    return measured;
}

std::uint32_t FoundLayout::excess() const
{
    return std::accumulate(costs.begin(), costs.end(), 0u, [](std::uint32_t sum, const auto& cost) {
        return sum + cost.wavefronts - cost.ideal_wavefronts;
    });
}

std::vector<FoundLayout> search_layouts(std::span<const TileAccess> accesses, const Layout& layout,
                                        int element_bytes)
{
    int widest = element_bytes;
    for (const TileAccess& access : accesses) widest = std::max(widest, access.width_bytes);
    const int chunk = widest / element_bytes; // elements that must stay together
    const int chunk_bits = std::countr_zero(static_cast<unsigned>(chunk));
    std::vector<FoundLayout> found;
    const auto add = [&](const Layout& tried) {
        if (auto one = candidate(accesses, tried, element_bytes)) found.push_back(std::move(*one));
    };
    constexpr int max_paddings = 8;
    for (int i = 0; i <= max_paddings; ++i)
        add(Layout::padded(layout.rows(), layout.columns(), static_cast<std::uint64_t>(i * chunk)));
    const Layout plain = Layout::padded(layout.rows(), layout.columns(), 0);
    for (const Swizzle& swizzle : swizzles(plain.memory(), chunk_bits))
        if (const Layout tried = plain.swizzled(swizzle);
            tried.memory() == plain.memory() && is_one_to_one(tried))
            add(tried);
    std::ranges::stable_sort(found, [](const FoundLayout& a, const FoundLayout& b) {
        return std::pair(a.excess(), a.memory_bytes) < std::pair(b.excess(), b.memory_bytes);
    });
    return found;
}

std::string explanation(const Layout& layout, int element_bytes)
{
    const Swizzle& swizzle = layout.swizzle();
    if (swizzle.bits == 0) {
        const std::uint64_t unused = layout.memory() - layout.rows() * layout.columns();
        if (unused == 0 || layout.rows() < 2) return "elements in order";
        return fmt::format("each row begins {} bytes after the one before it",
                           (layout(1, 0) - layout(0, 0)) *
                               static_cast<std::uint64_t>(element_bytes));
    }
    const std::uint64_t chunk = std::uint64_t{1} << swizzle.base;
    const std::uint64_t per_row = std::uint64_t{1} << swizzle.shift;
    const std::string bytes = fmt::format("{} element{} ({} bytes)", chunk, chunk == 1 ? "" : "s",
                                          chunk * static_cast<std::uint64_t>(element_bytes));
    if (layout.columns() == chunk * per_row)
        return fmt::format("in row r, chunk k of {} moves to chunk k xor (r mod {})", bytes,
                           1 << swizzle.bits);
    return fmt::format("chunk k of {} moves to chunk k xor (floor(k / {}) mod {})", bytes, per_row,
                       1 << swizzle.bits);
}

} // namespace lanescope::app
