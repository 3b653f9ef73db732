// Probes of blocks and branches; memory accesses are in probe_memory.cpp, counters in
// probe_counters.cpp.
#include "compute/ptx/probes/probe_text.h"

#include "compute/ptx/probes/probe_counters.h"
#include "compute/ptx/probes/probe_template.h"

namespace lanescope::ptx {
std::string block_probe(int instructions)
{
    std::string text = lanes_here();
    text += add_to_warp(WarpPart::instructions, instructions);
    return scoped(text);
}

std::string branch_probe(int site, std::string_view target, bool lanes_known)
{
    std::string text = lanes_known ? "" : lanes_here();
    text += target;
    text += "match.any.sync.b32 &same, &target, &mask;\n"
            "setp.ne.b32 &p, &same, &mask;\nselp.b32 &divergent, 1, 0, &p;\n";
    text += add_to_warp(WarpPart::branch);
    text += add_to_site(site, RecordKind::branch);
    return scoped(text);
}

std::string guarded(std::string_view text, std::string_view predicate, bool negated)
{
    return fmt::format("{{\n@{}{} bra lsprobe_skip;\n{}lsprobe_skip:\n}}\n", negated ? "" : "!",
                       predicate, text);
}

} // namespace lanescope::ptx
