// Counts distinct warps with an open-addressed hash set of (sector, warp) pairs in memory: the lane
// that inserts a new pair increments its sector's count. The code avoids divergence: lanes that
// diverge in a probe might stay diverged in the kernel, which would be counted as the kernel's own.
#include "compute/ptx/probes/probe_maps.h"

#include <algorithm>

#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_template.h"

namespace lanescope::ptx {
namespace {

// All lanes of &mask iterate together: a lane that has inserted its pair, or has none,
// repeats the loop without effect.
constexpr std::string_view touch = R"(
ld.global.u64 &base, [#begin#];
ld.global.u64 &limit, [#sizes#];
sub.s64 &offset, &address, &base;
shr.u64 &offset, &offset, 5;
shr.u64 &key, &limit, 32;
setp.lt.u64 &p, &offset, &key;
and.pred &p, &p, &fresh;
#warp_index#
shl.b64 &wide, &offset, 2;
ld.global.u64 &record, [#touches#];
add.s64 &record, &record, &wide;
@&p red.global.add.u32 [&record], 1;
cvt.u32.u64 &t, &offset;
add.u32 &u, &t, 1;
mov.b64 &key, {&warp, &u};
cvt.u32.u64 &low, &limit;
mul.lo.u32 &t, &t, 0x9E3779B1;
mul.lo.u32 &u, &warp, 0x85EBCA6B;
xor.b32 &t, &t, &u;
shr.u32 &u, &t, 15;
xor.b32 &t, &t, &u;
mov.u32 &tries, 0;
ld.global.u64 &base, [#pairs#];
lsprobe_search:
vote.sync.any.pred &q, &p, &mask;
@!&q bra lsprobe_entered;
and.b32 &t, &t, &low;
mul.wide.u32 &record, &t, 8;
add.s64 &record, &record, &base;
@&p atom.global.cas.b64 &old, [&record], 0, &key;
setp.eq.and.s64 &q, &old, 0, &p;
ld.global.u64 &record, [#warps#];
add.s64 &record, &record, &wide;
@&q red.global.add.u32 [&record], 1;
setp.ne.and.s64 &p, &old, 0, &p;
setp.ne.and.s64 &p, &old, &key, &p;
add.u32 &t, &t, 1;
add.u32 &tries, &tries, 1;
setp.lt.u32 &q, &tries, 4096;
@&q bra lsprobe_search;
ld.global.u64 &record, [#overflow#];
@&p red.global.add.u32 [&record], 1;
lsprobe_entered:
)";

constexpr std::string_view footprint = R"(
ld.global.u64 &base, [#begin#];
ld.global.u64 &limit, [#bytes#];
sub.s64 &offset, &address, &base;
setp.lt.u64 &p, &offset, &limit;
#warp_index#
add.u32 &warp, &warp, 1;
div.u64 &record, &offset, #element#;
shl.b64 &record, &record, 2;
ld.global.u64 &base, [#owners#];
add.s64 &record, &record, &base;
@&p st.global.u32 [&record], &warp;
)";

// Offset of a texel as if the surface's rows were packed from address 0; for texels out of bounds
// or in another surface, an address outside every footprint.
constexpr std::string_view surface_address = R"(
mov.b64 &key, #handle#;
ld.global.u64 &base, [#surface#];
setp.eq.u64 &p, &key, &base;
ld.global.u64 &limit, [#row_bytes#];
mov.b32 &x, #x#;
cvt.s64.s32 &offset, &x;
setp.lt.and.u64 &p, &offset, &limit, &p;
mov.b32 &y, #y#;
cvt.s64.s32 &wide, &y;
mul.lo.s64 &wide, &wide, &limit;
add.s64 &address, &wide, &offset;
selp.b64 &address, &address, -1, &p;
)";

} // namespace

std::string touch_text(const ProbeMaps& maps)
{
    return expand(touch, {{"begin", setting_address(Setting::watched_begin)},
                          {"sizes", setting_address(Setting::watched_sizes)},
                          {"touches", setting_address(Setting::touches)},
                          {"warps", setting_address(Setting::touch_warps)},
                          {"pairs", setting_address(Setting::pairs)},
                          {"overflow", setting_address(Setting::overflow)},
                          {"warp_index", warp_index(maps.launches)}});
}

std::string footprint_text(int width_bytes, const ProbeMaps& maps)
{
    const int element_bytes = maps.element_bytes;
    std::string text = expand(footprint, {{"begin", setting_address(Setting::footprint_begin)},
                                          {"bytes", setting_address(Setting::footprint_bytes)},
                                          {"owners", setting_address(Setting::owners)},
                                          {"element", element_bytes},
                                          {"warp_index", warp_index(maps.launches)}});
    // A wide store owns every element it covers, up to the end of the buffer.
    for (int i = 1; i < width_bytes / element_bytes; ++i)
        text += expand("add.s64 &offset, &offset, #element#;\n"
                       "setp.lt.and.u64 &p, &offset, &limit, &p;\n"
                       "@&p st.global.u32 [&record+#at#], &warp;\n",
                       {{"element", element_bytes}, {"at", 4 * i}});
    return text;
}

std::string surface_probe(std::string_view handle, std::string_view x, std::string_view y,
                          int width_bytes, const ProbeMaps& maps)
{
    return scoped(
        expand(surface_address, {{"handle", handle},
                                 {"x", x},
                                 {"y", y},
                                 {"surface", setting_address(Setting::surface)},
                                 {"row_bytes", setting_address(Setting::surface_row_bytes)}}) +
        footprint_text(width_bytes, maps));
}

} // namespace lanescope::ptx
