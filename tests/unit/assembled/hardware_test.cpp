// Labs whose hardware counters on an H100 differ from the PTX's accesses
// (assets/manual/differences.md): counts of the assembled code explain the whole difference.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compute/assembled/assembly.h"
#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/assembled/tools.h"

namespace lanescope::assembled {
namespace {

struct Recorded {
    const char* lab;
    const char* variant;
    std::uint64_t (*count)(const trace::Totals&);
    std::uint64_t ptx_wavefronts;
    std::uint64_t hardware_count;
};

std::ostream& operator<<(std::ostream& out, const Recorded& one)
{
    return out << one.lab << '/' << one.variant;
}

class AsRecorded : public testing::TestWithParam<Recorded> {};

TEST_P(AsRecorded, CountMatchesHardware)
{
    NEED_SASS();
    const Recorded& one = GetParam();
    const labs::Lab& lab = labs::find(one.lab);
    const labs::Variant& variant = labs::find_variant(lab, one.variant);
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({*device, shown, lab, variant, labs::Values(lab), 1, {}});
    trace::Trace trace;
    trace.per_warp = false;
    trace.assembler = [](std::string_view text, std::string_view kernel) {
        const ptx::Module module = ptx::parse(text);
        return std::make_shared<const trace::Assembled>(
            assembled_sites(module, ptx::sites_of(module, kernel), kernel, *assemble(text)));
    };
    experiment->step(&trace);
    EXPECT_EQ(one.count(trace.totals()), one.ptx_wavefronts);
    EXPECT_EQ(one.count(trace.assembled_totals()), one.hardware_count);
}

std::uint64_t shared_loads(const trace::Totals& totals)
{
    return totals.shared_load.wavefronts;
}
std::uint64_t shared_stores(const trace::Totals& totals)
{
    return totals.shared_store.wavefronts;
}
std::uint64_t shared_atomics(const trace::Totals& totals)
{
    return totals.shared_atomic.wavefronts;
}
std::uint64_t global_loads(const trace::Totals& totals)
{
    return totals.global_load.sectors;
}

std::uint64_t divergent(const trace::Totals& totals)
{
    return totals.divergent_branches;
}

INSTANTIATE_TEST_SUITE_P(
    H100, AsRecorded,
    testing::Values(Recorded{"divergence", "matrix_edges", shared_loads, 87'808, 65'856},
                    Recorded{"divergence", "matrix_edges", divergent, 750, 0},
                    Recorded{"rod", "shared", divergent, 32, 0},
                    Recorded{"rod", "shared_aligned", divergent, 32, 0},
                    Recorded{"rotate", "global_bilinear", divergent, 647, 216},
                    Recorded{"histogram", "shared", shared_atomics, 41'943, 8'685},
                    Recorded{"histogram", "per_warp", shared_atomics, 41'943, 8'685},
                    Recorded{"histogram", "vector_loads", shared_atomics, 30'160, 21'589},
                    Recorded{"heat", "naive", global_loads, 179'200, 179'200},
                    Recorded{"transpose", "tile", shared_loads, 262'144, 262'144},
                    Recorded{"scan", "blelloch", shared_loads, 50'464, 46'368},
                    Recorded{"scan", "blelloch", shared_stores, 38'433, 36'385},
                    Recorded{"scan", "blelloch", divergent, 2'848, 0},
                    Recorded{"scan", "three_passes", shared_loads, 1'056, 576},
                    Recorded{"scan", "three_passes", divergent, 306, 0},
                    Recorded{"reduction", "strided", shared_loads, 24'415, 22'359},
                    Recorded{"reduction", "strided", divergent, 1'542, 0},
                    Recorded{"reduction", "grid_stride", divergent, 674, 1},
                    Recorded{"min_plus", "naive", divergent, 196, 0},
                    Recorded{"min_plus", "shared_tile", shared_loads, 702'464, 526'848},
                    Recorded{"min_plus", "float4", divergent, 914, 466},
                    Recorded{"min_plus", "tuned", divergent, 2'008, 32},
                    Recorded{"min_plus", "min_of_three", divergent, 2'088, 16}),
    [](const auto& info) {
        const Recorded& one = info.param;
        return fmt::format("{}_{}_{}", one.lab, one.variant, info.index);
    });

} // namespace
} // namespace lanescope::assembled
