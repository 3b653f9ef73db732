// A counter in memory numbers a warp's requests, since diverged groups of lanes each need the next
// number. As in probe_maps.cpp, the inserted code has no branches.
#include "compute/ptx/probes/probe_request.h"

#include <cstddef>

#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_template.h"
#include "compute/ptx/probes/probe_text.h"

namespace lanescope::ptx {
namespace {

// &t is the number of this group's first request, &value the number of its requests; &p is set in
// lanes of the watched warp.
constexpr std::string_view take_number = R"(
#warp_index#
ld.global.u64 &wide, [#wanted#];
mov.b64 {&low, &high}, &wide;
ld.global.u64 &record, [#request#];
setp.eq.u32 &p, &warp, &low;
and.pred &q, &p, &leader;
mov.u32 &t, 0;
@&q atom.global.add.u32 &t, [&record], &value;
shfl.sync.idx.b32 &t, &t, &first, 31, &mask;
)";

// The part with the lowest lane is the first request, the other part the second; lanes in neither
// space make none. &group: lanes of this lane's request.
constexpr std::string_view choose_part = R"(
brev.b32 &u, &shared_lanes;
brev.b32 &unit, &global_lanes;
setp.gt.u32 &q, &u, &unit;
selp.u32 &u, 0, 1, &q;
xor.b32 &unit, &u, 1;
selp.u32 &u, &u, &unit, &to_shared;
add.u32 &t, &t, &u;
selp.b32 &group, &shared_lanes, &global_lanes, &to_shared;
or.pred &q, &to_shared, &to_global;
and.pred &p, &p, &q;
cvta.to.shared.u64 &address, &generic;
cvt.u32.u64 &u, &address;
cvt.u64.u32 &address, &u;
selp.b64 &address, &address, &generic, &to_shared;
)";

constexpr std::string_view note = R"(
setp.eq.and.u32 &p, &t, &high, &p;
mov.u32 &u, %laneid;
mul.wide.u32 &offset, &u, 8;
add.s64 &offset, &offset, &record;
@&p st.global.u64 [&offset+#addresses#], &address;
mov.u32 &u, %lanemask_lt;
and.b32 &u, &u, &group;
setp.eq.and.u32 &p, &u, 0, &p;
@&p st.global.u32 [&record+#active#], &group;
)";

constexpr std::string_view note_space = R"(
selp.u32 &u, 1, 0, &to_shared;
@&p st.global.u32 [&record+#is_shared#], &u;
)";

std::string taken_number(bool launches)
{
    return expand(take_number, {{"warp_index", warp_index(launches)},
                                {"wanted", setting_address(Setting::wanted_request)},
                                {"request", setting_address(Setting::request)}});
}

std::string noted()
{
    return expand(note, {{"addresses", static_cast<long long>(offsetof(RequestRecord, addresses))},
                         {"active", static_cast<long long>(offsetof(RequestRecord, active))}});
}

} // namespace

std::string request_text(bool launches)
{
    return "mov.u32 &value, 1;\nmov.b32 &group, &mask;\n" + taken_number(launches) + noted();
}

std::string generic_request_text(bool launches)
{
    const std::string parts = "setp.ne.u32 &p, &shared_lanes, 0;\nselp.u32 &value, 1, 0, &p;\n"
                              "setp.ne.u32 &p, &global_lanes, 0;\nselp.u32 &u, 1, 0, &p;\n"
                              "add.u32 &value, &value, &u;\n";
    return parts + taken_number(launches) + std::string(choose_part) + noted() +
           expand(note_space,
                  {{"is_shared", static_cast<long long>(offsetof(RequestRecord, is_shared))}});
}

} // namespace lanescope::ptx
