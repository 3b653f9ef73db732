// The table of hardware counters, validated against our rules on an H100.
#include "compute/trace/hardware.h"

#include <cmath>

namespace lanescope::trace {
namespace {

constexpr std::string_view arbitration = "The hardware also counts wavefronts that lose "
                                         "arbitration for the data pipe, a few per cent at most.";

constexpr std::string_view merged =
    "The assembler merges loads of neighbouring words into LDS.64 or LDS.128 where it can, which "
    "take fewer wavefronts in total; the hardware also counts wavefronts that lose arbitration for "
    "the data pipe, a few per cent at most.";

constexpr std::string_view combined =
    "If an atomic adds one and its result is unused, the compiler emits ATOMS.POPC.INC, which "
    "handles all lanes at one address together; wavefronts that lose arbitration are counted too.";

constexpr std::string_view predicated = "The compiler turns short branches into predicated "
                                        "instructions, which do not diverge, and adds "
                                        "branches of its own.";

constexpr std::string_view added =
    "The compiler adds branches of its own and duplicates those of loops.";

constexpr std::string_view revisited =
    "For a request over more than four lines the hardware sometimes counts a sector twice: of 40 "
    "single "
    "requests over five to eight lines, 9 counted one more; of 20 over two lines, none.";

constexpr std::string_view device_runtime =
    "The GPU's counters include the device runtime's work to launch kernels.";

const std::vector<ComparedCount>& table()
{
    static const std::vector<ComparedCount> lines{
        {"global load requests",
         {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
         [](const Totals& t) { return t.global_load.requests; },
         {},
         {}},
        {"global load sectors",
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
         [](const Totals& t) { return t.global_load.sectors; },
         {},
         {}},
        {"global store requests",
         {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
         [](const Totals& t) { return t.global_store.requests; },
         {},
         {}},
        {"global store sectors",
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
         [](const Totals& t) { return t.global_store.sectors; },
         {},
         {}},
        {"global atomic requests",
         {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
          "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
         [](const Totals& t) { return t.global_atomic.requests; },
         {},
         {}},
        {"global atomic sectors",
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
         [](const Totals& t) { return t.global_atomic.sectors; },
         revisited,
         revisited},
        {"shared load wavefronts",
         {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
         [](const Totals& t) { return t.shared_load.wavefronts; },
         merged,
         arbitration},
        {"shared store wavefronts",
         {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
         [](const Totals& t) { return t.shared_store.wavefronts; },
         arbitration,
         arbitration},
        {"shared atomic wavefronts",
         {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
         [](const Totals& t) { return t.shared_atomic.wavefronts; },
         combined,
         arbitration},
        {"divergent branches",
         {"smsp__sass_branch_targets_threads_divergent.sum"},
         [](const Totals& t) { return t.divergent_branches; },
         predicated,
         added},
    };
    return lines;
}

} // namespace

std::span<const ComparedCount> compared_counts()
{
    return table();
}

std::string metric_list()
{
    std::string list;
    for (const ComparedCount& line : table())
        for (std::string_view metric : line.metrics) {
            if (!list.empty()) list += ',';
            list += metric;
        }
    return list;
}

std::optional<std::uint64_t> hardware_value(const ComparedCount& line, const HardwareCounts& counts)
{
    double sum = 0;
    for (std::string_view metric : line.metrics) {
        const auto found = counts.metrics.find(metric);
        if (found == counts.metrics.end()) return std::nullopt;
        sum += found->second;
    }
    return static_cast<std::uint64_t>(std::llround(sum));
}

std::vector<Comparison> compare(const Totals& simt, const std::optional<Totals>& probes,
                                const std::optional<HardwareCounts>& hardware,
                                const std::optional<Totals>& assembled)
{
    std::vector<Comparison> lines;
    for (const ComparedCount& count : table()) {
        Comparison line{.title = count.title,
                        .simt = count.ours(simt),
                        .assembled = {},
                        .probes = {},
                        .hardware = {},
                        .reason = {}};
        if (probes) line.probes = count.ours(*probes);
        if (hardware) line.hardware = hardware_value(count, *hardware);
        if (assembled) line.assembled = count.ours(*assembled);
        if (line.hardware && *line.hardware > line.expected() && simt.device_launches > 0)
            line.reason = device_runtime;
        else if (line.hardware && *line.hardware != line.expected())
            line.reason = assembled ? count.noise_as_assembled : count.noise;
        if (line.simt != 0 || line.probes.value_or(0) != 0 || line.hardware.value_or(0) != 0)
            lines.push_back(line);
    }
    return lines;
}

} // namespace lanescope::trace
