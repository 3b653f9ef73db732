// Sums that a lane keeps need no care under divergence: whichever lane counts, the warp's sum is
// that over its lanes.
#include "compute/ptx/probes/probe_counters.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "compute/ptx/probes/probe_template.h"
#include "compute/ptx/probes/probe_text.h"
#include "compute/ptx/probes/rewrite.h"

namespace lanescope::ptx {
namespace {

constexpr std::array<std::string_view, 11> warp_sums{"warp_instructions",
                                                     "thread_instructions",
                                                     "global_requests",
                                                     "global_sectors",
                                                     "global_ideal_sectors",
                                                     "shared_requests",
                                                     "shared_wavefronts",
                                                     "shared_ideal_wavefronts",
                                                     "branches",
                                                     "divergent_branches",
                                                     "memory_lanes"};

std::string register_of(WarpSum sum)
{
    return fmt::format("&sum_{}", warp_sums[static_cast<std::size_t>(sum)]);
}

} // namespace

std::string setting_address(Setting setting)
{
    return fmt::format("lsprobe_setting+{}", 8 * static_cast<int>(setting));
}

std::string setup_text()
{
    std::string parameters;
    std::string stores;
    constexpr int count = static_cast<int>(setting_count);
    for (int i = 0; i < count; ++i) {
        parameters += fmt::format("{}.param .u64 lsprobe_value{}", i == 0 ? "" : ", ", i);
        stores += fmt::format("ld.param.u64 %rd, [lsprobe_value{}];\n"
                              "st.global.u64 [lsprobe_setting+{}], %rd;\n",
                              i, 8 * i);
    }
    return fmt::format("\n.visible .global .align 8 .u64 lsprobe_setting[{}];\n"
                       ".visible .entry {}({})\n{{\n.reg .b64 %rd;\n{}ret;\n}}\n",
                       count, setup_kernel, parameters, stores);
}

std::string function_prologue(int records, int copies)
{
    std::string text(probe_registers);
    for (std::string_view sum : warp_sums)
        text += fmt::format(".reg .b64 &sum_{};\nmov.u64 &sum_{}, 0;\n", sum, sum);
    text += "{\n.reg .b32 &block, &size, &more;\n.reg .b64 &copy;\n"
            "mov.u32 &block, %ctaid.z;\nmov.u32 &size, %nctaid.y;\nmov.u32 &more, %ctaid.y;\n"
            "mad.lo.u32 &block, &block, &size, &more;\n"
            "mov.u32 &size, %nctaid.x;\nmov.u32 &more, %ctaid.x;\n"
            "mad.lo.u32 &block, &block, &size, &more;\n"
            "and.b32 &block, &block, #mask#;\nmul.wide.u32 &copy, &block, #stride#;\n"
            "ld.global.u64 &sites, [#setting#];\nadd.s64 &sites, &sites, &copy;\n}\n";
    return expand(text, {{"mask", copies - 1},
                         {"stride", static_cast<long long>(records * site_record_bytes)},
                         {"setting", setting_address(Setting::sites)}});
}

std::string add_to_warp(WarpSum sum, std::string_view value, std::string_view times)
{
    if (value.front() != '&')
        return fmt::format("@&leader add.u64 {0}, {0}, {1};\n", register_of(sum), value);
    return fmt::format("@&leader mad.wide.u32 {0}, {1}, {2}, {0};\n", register_of(sum), value,
                       times);
}

// None of the values exceeds a byte, so the record's eight additions fit in two registers: a lane
// takes its own out.
std::string add_to_site(int site, const std::vector<SiteSum>& sums)
{
    std::array<std::uint32_t, 2> ones{};
    std::string shifted;
    int last = 0;
    std::array<bool, 8> used{};
    for (const SiteSum& sum : sums) {
        const std::uint32_t unit = 1U << 8 * (sum.field % 4);
        last = std::max(last, sum.field);
        used[sum.field] = true;
        if (sum.value == "1")
            ones[sum.field / 4] += unit;
        else
            shifted += fmt::format("mad.lo.u32 {0}, {1}, {2}, {0};\n",
                                   sum.field < 4 ? "&low" : "&high", sum.value, unit);
    }
    const auto zero = std::ranges::find(used, false) - used.begin();
    std::string text =
        fmt::format("mov.u32 &low, {};\nmov.u32 &high, {};\n{}", ones[0], ones[1], shifted);
    text += R"(
mov.u32 &field, &rank;
lsprobe_record:
setp.gt.u32 &done, &field, #last#;
@&done bra lsprobe_recorded;
add.u32 &which, &field, #zeros#;
prmt.b32 &value, &low, &high, &which;
cvt.u64.u32 &wide, &value;
mul.wide.u32 &record, &field, 8;
add.s64 &record, &record, &sites;
setp.ne.u32 &p, &value, 0;
@&p red.global.add.u64 [&record+#offset#], &wide;
add.u32 &field, &field, &lanes;
bra lsprobe_record;
lsprobe_recorded:
)";
    // The three upper bytes of what a lane takes out come from a byte that is zero.
    return expand(text, {{"last", last},
                         {"zeros", static_cast<long long>(0x1110 * zero)},
                         {"offset", static_cast<long long>(site * site_record_bytes)}});
}

std::string warp_index()
{
    return "mov.u32 &x, %tid.z;\nmov.u32 &y, %ntid.y;\nmov.u32 &z, %tid.y;\n"
           "mad.lo.u32 &warp, &x, &y, &z;\n"
           "mov.u32 &z, %ntid.x;\nmov.u32 &x, %tid.x;\n"
           "mad.lo.u32 &warp, &warp, &z, &x;\nshr.u32 &warp, &warp, 5;\n"
           "mul.lo.u32 &y, &y, &z;\nmov.u32 &z, %ntid.z;\nmul.lo.u32 &y, &y, &z;\n"
           "add.u32 &y, &y, 31;\nshr.u32 &y, &y, 5;\n" // warps in a block
           "mov.u32 &x, %ctaid.z;\nmov.u32 &z, %nctaid.y;\nmov.u32 &u, %ctaid.y;\n"
           "mad.lo.u32 &x, &x, &z, &u;\nmov.u32 &z, %nctaid.x;\nmov.u32 &u, %ctaid.x;\n"
           "mad.lo.u32 &x, &x, &z, &u;\nmad.lo.u32 &warp, &x, &y, &warp;\n";
}

std::string flush_text()
{
    std::string text = warp_index();
    text += fmt::format("ld.global.u64 &base, [{}];\nmul.wide.u32 &offset, &warp, {};\n"
                        "add.s64 &base, &base, &offset;\n",
                        setting_address(Setting::warps), warp_record_bytes);
    for (std::size_t i = 0; i < warp_sums.size(); ++i)
        text += fmt::format("setp.ne.s64 &p, &sum_{0}, 0;\n"
                            "@&p red.global.add.u64 [&base+{1}], &sum_{0};\n"
                            "mov.u64 &sum_{0}, 0;\n",
                            warp_sums[i], 8 * i);
    return scoped(text);
}

} // namespace lanescope::ptx
