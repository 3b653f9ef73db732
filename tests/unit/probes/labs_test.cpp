// Every variant of every lab with probes: the counts equal the machine's, and the results are
// unchanged.
#include <gtest/gtest.h>

#include <algorithm>

#include "compute/simt/debug/launches.h"
#include "tests/unit/labs/check_labs.h"
#include "tests/unit/probes/probing_device.h"
#include "tests/unit/probes/runs.h"

namespace lanescope::probes {
namespace {

class LabProbes : public testing::TestWithParam<labs::Case> {};

simt::Options one_core()
{
    simt::Options options;
    options.threads = 1;
    return options;
}

// A lab that has been started on a device.
class Running {
public:
    Running(device::Device& device, const labs::Case& one)
        : shown_(device),
          experiment_(one.lab->start({.device = device,
                                      .shown = shown_,
                                      .lab = *one.lab,
                                      .variant = *one.variant,
                                      .values = labs::values_of(*one.lab, *one.size),
                                      .seed = 1,
                                      .image = {}}))
    {
    }
    trace::Trace step(const trace::WatchedRequest& request = {})
    {
        trace::Trace trace;
        trace.request = request;
        const labs::Experiment::Result result = experiment_->next_result();
        if (result.buffer || result.image) trace.footprint = result.footprint();
        experiment_->step(&trace);
        return trace;
    }
    labs::Check check() { return experiment_->check(); }

private:
    device::PlainAllocator shown_;
    std::unique_ptr<labs::Experiment> experiment_;
};

// Probes make turns shorter, so blocks that meet at a barrier of the grid wait for other rounds.
bool waits_for_blocks(const labs::Variant& variant)
{
    return variant.id == "grid_barrier";
}

// Lanes in loops with volatile accesses may be spinning, so when such a turn ends, those that wait
// for them continue alone. Probes make turns shorter.
bool depends_on_turns(const labs::Variant& variant)
{
    return (variant.wrong && !variant.varies.empty()) || waits_for_blocks(variant);
}

TEST_P(LabProbes, CountsMatchMachine)
{
    if (depends_on_turns(*GetParam().variant)) GTEST_SKIP() << GetParam().variant->varies;
    const auto machine = simt::make_device(one_core());
    ProbingDevice probing(simt::make_device(one_core()));
    Running plain(*machine, GetParam());
    Running probed(probing, GetParam());
    const trace::Trace counted = plain.step();
    expect_equal(counted, probed.step());
    // A result that comes from atomics has no owners: that of the histogram and of the memory
    // model, which store elsewhere, and that of kernels without a store.
    const bool owned = std::ranges::any_of(counted.footprint.owners, [](auto o) { return o != 0; });
    const trace::Totals totals = counted.totals();
    const bool stores = totals.global_store.lanes + totals.surface_store.lanes > 0;
    const std::string& lab = GetParam().lab->id;
    EXPECT_EQ(owned, stores && lab != "histogram" && lab != "memory_model");
    const labs::Check check = probed.check();
    EXPECT_EQ(check.correct, !GetParam().variant->wrong) << check.message;
    EXPECT_EQ(plain.check().max_error, check.max_error);
}

TEST_P(LabProbes, RequestsMatchMachine)
{
    if (waits_for_blocks(*GetParam().variant)) GTEST_SKIP() << GetParam().variant->varies;
    simt::SteppedDevice machine(one_core()); // simulates as many devices as `probing`, so that
                                             // addresses are equal
    ProbingDevice probing(simt::make_device(one_core()));
    Running plain(machine, GetParam());
    Running probed(probing, GetParam());
    const trace::Trace counted = plain.step();
    probed.step();
    const labs::Case& one = GetParam();
    const bool launches = one.lab->ptx(*one.variant).find("__cudaCDP2") != std::string_view::npos;
    int noted = 0;
    // Each sampled request needs its own probed text, so for kernels with hundreds of sites only
    // some samples are used.
    constexpr std::size_t enough = 40;
    const std::vector<trace::WatchedRequest> samples = sample_requests(counted);
    for (std::size_t i = 0; i < samples.size(); i += 1 + samples.size() / enough) {
        const trace::WatchedRequest& wanted = samples[i];
        const trace::WatchedRequest request = plain.step(wanted).request;
        expect_equal(request, probed.step(wanted).request,
                     counted.sites[static_cast<std::size_t>(wanted.site)].ptx, launches);
        noted += request.active != 0 ? 1 : 0;
    }
    std::uint64_t requests = 0; // without those of texels and local memory, which have no addresses
    for (std::size_t i = 0; i < counted.sites.size(); ++i)
        if (trace::is_watchable(counted.sites[i])) requests += counted.counts[i].requests;
    EXPECT_EQ(noted > 0, requests > 0);
}

// The first test size of each variant, which is the smallest. Left out: bulk copies, which the
// machine alone counts, and clusters, where it counts a request for each block that lanes reach.
std::vector<labs::Case> cases()
{
    std::vector<labs::Case> all = labs::every_case_without_fault();
    std::erase_if(all, [](const labs::Case& one) {
        const bool copies =
            one.lab->ptx(*one.variant).find("cp.async.bulk") != std::string_view::npos;
        return one.size != one.lab->test_sizes.data() || copies || labs::is_in_clusters(one);
    });
    return all;
}

INSTANTIATE_TEST_SUITE_P(Labs, LabProbes, testing::ValuesIn(cases()), labs::case_name);

} // namespace
} // namespace lanescope::probes
