// How many elements of an array the requests of a launch load. Requests whose lanes form a pattern
// are counted by that pattern; the test counts the set of elements of each request instead.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <random>
#include <set>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr std::uint32_t none = ~0U;
constexpr std::uint32_t data_bytes = 1 << 16;

// Each lane loads at data + offsets[index of the thread in the grid], unless that offset is `none`.
std::string kernel(int width)
{
    const char* const load = width == 1   ? "ld.global.u8 %r4, [%rd5];"
                             : width == 4 ? "ld.global.u32 %r4, [%rd5];"
                             : width == 8 ? "ld.global.v2.u32 {%r4, %r5}, [%rd5];"
                                          : "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd5];";
    return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 offsets, .param .u64 data)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [offsets];
    ld.param.u64 %rd2, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 32, %r1;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd3, %rd1, %rd3;
    ld.global.u32 %r8, [%rd3];
    setp.eq.u32 %p1, %r8, 0xffffffff;
    @%p1 bra out;
    cvt.u64.u32 %rd4, %r8;
    add.s64 %rd5, %rd2, %rd4;
    {}
out:
    ret;
}}
)",
                       load);
}

struct Watching {
    std::uint32_t begin, bytes; // the array: its byte offset in the data, and its size
    std::uint32_t element;
};

using Offsets = std::vector<std::uint32_t>; // 32 per block

std::uint64_t expected(const Offsets& offsets, std::uint32_t width, const Watching& array)
{
    std::uint64_t loads = 0;
    for (std::size_t warp = 0; warp < offsets.size(); warp += 32) {
        std::set<std::uint32_t> elements;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const std::uint32_t at = offsets[warp + lane];
            if (at == none || at < array.begin || at >= array.begin + array.bytes) continue;
            for (std::uint32_t byte = at - array.begin; byte < at - array.begin + width; ++byte)
                if (byte / array.element < array.bytes / array.element)
                    elements.insert(byte / array.element);
        }
        loads += elements.size();
    }
    return loads;
}

std::uint64_t counted(const Offsets& offsets, int width, const Watching& array)
{
    Machine machine = Machine::from_text(kernel(width));
    const auto at = machine.buffer(offsets);
    const auto data = machine.buffer(std::vector<std::uint8_t>(data_bytes));
    trace::Trace trace;
    trace.watched_block.block = 0;
    trace.watched_block.arrays.push_back({.address = data->address() + array.begin,
                                          .bytes = array.bytes,
                                          .element_bytes = static_cast<int>(array.element),
                                          .elements = {},
                                          .launch_loads = 0});
    machine.run_traced(&trace, "k",
                       {{static_cast<std::uint32_t>(offsets.size() / 32), 1, 1}, {32, 1, 1}}, *at,
                       *data);
    return trace.watched_block.arrays.front().launch_loads;
}

// Each pattern gives every lane an offset, as a multiple of the width.
Offsets patterns(std::uint32_t width, std::mt19937& random)
{
    const auto below = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(random() % most);
    };
    const std::uint32_t base = 64 * below(64);
    const std::uint32_t stride = 1 + below(40);
    const std::vector<std::function<std::uint32_t(std::uint32_t)>> all{
        [](std::uint32_t) { return none; },                            // no lane loads
        [&](std::uint32_t lane) { return base + lane; },               // adjacent
        [&](std::uint32_t) { return base; },                           // all equal
        [&](std::uint32_t lane) { return base + lane / 16 * stride; }, // two values, one per half
                                                                       // warp
        [&](std::uint32_t lane) { return base + lane % 8; },           // one row, four times
        [&](std::uint32_t lane) { return base + lane * stride; },
        [&](std::uint32_t lane) { return base + (31 - lane) * stride; },
        [&](std::uint32_t lane) { return lane % 3 == 0 ? none : base + lane * stride; },
        [&](std::uint32_t) { return base + below(20); },
        [&](std::uint32_t) { return below(data_bytes / width); },
        [&](std::uint32_t lane) { return lane % 5 == 0 ? none : base + below(100); },
    };
    Offsets offsets;
    for (const auto& pattern : all)
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const std::uint32_t at = pattern(lane);
            offsets.push_back(at == none ? none : at % (data_bytes / width) * width);
        }
    return offsets;
}

TEST(WatchedBlocks, CountEachElementOncePerRequest)
{
    std::mt19937 random(1);
    for (const std::uint32_t width : {1U, 4U, 8U, 16U})
        for (const std::uint32_t element : {1U, 4U, 8U, 12U, 16U})
            for (const auto& [begin, bytes] :
                 {std::pair{0U, data_bytes}, std::pair{48U, 4800U}, std::pair{4096U, 96U}}) {
                const Offsets offsets = patterns(width, random);
                for (std::size_t warp = 32; warp < offsets.size(); warp += 32) {
                    Offsets one(32, none);
                    one.insert(one.end(), offsets.begin() + static_cast<std::ptrdiff_t>(warp),
                               offsets.begin() + static_cast<std::ptrdiff_t>(warp) + 32);
                    const Watching array{begin, bytes, element};
                    EXPECT_EQ(counted(one, static_cast<int>(width), array),
                              expected(one, width, array))
                        << "pattern " << warp / 32 << ", " << width << " bytes a lane, elements of "
                        << element << ", array at " << begin;
                }
            }
}

} // namespace
} // namespace lanescope::simt
