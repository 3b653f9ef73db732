// Distinct warps are counted by a set of (sector, warp) pairs in memory, open-addressed: whoever
// puts a new pair in adds one to its sector. Lanes part in here, and meet again before they go on:
// the kernel must see them together, as they came.
#include "compute/ptx/probe_maps.h"

#include <algorithm>

#include "compute/ptx/probe_counters.h"
#include "compute/ptx/probe_template.h"
#include "compute/ptx/probe_text.h"

namespace lanescope::ptx {
namespace {

constexpr std::string_view touch = R"(
ld.global.u64 &base, [#begin#];
ld.global.u64 &limit, [#sizes#];
sub.s64 &offset, &address, &base;
shr.u64 &offset, &offset, 5;
shr.u64 &key, &limit, 32;
setp.lt.u64 &p, &offset, &key;
and.pred &p, &p, &fresh;
@!&p bra lsprobe_unwatched;
#warp_index#
shl.b64 &wide, &offset, 2;
ld.global.u64 &record, [#touches#];
add.s64 &record, &record, &wide;
red.global.add.u32 [&record], 1;
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
and.b32 &t, &t, &low;
mul.wide.u32 &record, &t, 8;
add.s64 &record, &record, &base;
atom.global.cas.b64 &old, [&record], 0, &key;
setp.eq.s64 &q, &old, &key;
@&q bra lsprobe_unwatched;
setp.eq.s64 &q, &old, 0;
@&q bra lsprobe_new;
add.u32 &t, &t, 1;
add.u32 &tries, &tries, 1;
setp.lt.u32 &q, &tries, 4096;
@&q bra lsprobe_search;
ld.global.u64 &record, [#overflow#];
red.global.add.u32 [&record], 1;
bra lsprobe_unwatched;
lsprobe_new:
ld.global.u64 &record, [#warps#];
add.s64 &record, &record, &wide;
red.global.add.u32 [&record], 1;
lsprobe_unwatched:
bar.warp.sync &mask;
)";

constexpr std::string_view footprint = R"(
ld.global.u64 &base, [#begin#];
ld.global.u64 &limit, [#bytes#];
sub.s64 &offset, &address, &base;
setp.ge.u64 &p, &offset, &limit;
@&p bra lsprobe_outside;
#warp_index#
add.u32 &warp, &warp, 1;
div.u64 &record, &offset, #element#;
shl.b64 &record, &record, 2;
ld.global.u64 &base, [#owners#];
add.s64 &record, &record, &base;
st.global.u32 [&record], &warp;
)";

} // namespace

std::string touch_text()
{
    return expand(touch, {{"begin", setting_address(Setting::watched_begin)},
                          {"sizes", setting_address(Setting::watched_sizes)},
                          {"touches", setting_address(Setting::touches)},
                          {"warps", setting_address(Setting::touch_warps)},
                          {"pairs", setting_address(Setting::pairs)},
                          {"overflow", setting_address(Setting::overflow)},
                          {"warp_index", warp_index()}});
}

std::string footprint_text(int width_bytes, int element_bytes)
{
    std::string text = expand(footprint, {{"begin", setting_address(Setting::footprint_begin)},
                                          {"bytes", setting_address(Setting::footprint_bytes)},
                                          {"owners", setting_address(Setting::owners)},
                                          {"element", element_bytes},
                                          {"warp_index", warp_index()}});
    // A wide store owns every element that it covers, as far as the buffer goes.
    for (int i = 1; i < width_bytes / element_bytes; ++i)
        text += expand("add.s64 &offset, &offset, #element#;\nsetp.ge.u64 &p, &offset, &limit;\n"
                       "@&p bra lsprobe_outside;\nst.global.u32 [&record+#at#], &warp;\n",
                       {{"element", element_bytes}, {"at", 4 * i}});
    return text + "lsprobe_outside:\nbar.warp.sync &mask;\n";
}

} // namespace lanescope::ptx
