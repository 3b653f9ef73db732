// Deliberate mistakes in labs: each fault names its location and leads to a correct variant.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"

namespace lanescope::labs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

trace::Fault fault_of(const Lab& lab, const Variant& variant)
{
    const auto device = simt::make_device({.checks = simt::Checks::all()});
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = variant,
                                       .values = Values(lab),
                                       .image = {}});
    try {
        experiment->step();
    } catch (const device::KernelFault& fault) {
        return fault.fault();
    }
    ADD_FAILURE() << variant.id << " runs through";
    return {};
}

// Returns the source line with this number, at which the fault is reported.
std::string line_of(const Lab& lab, const Variant& variant, int line)
{
    std::string_view text = lab.source(variant);
    for (int i = 1; i < line; ++i) text.remove_prefix(text.find('\n') + 1);
    return std::string(text.substr(0, text.find('\n')));
}

TEST(Faults, AreReportedAtTheirLine)
{
    const Lab& lab = find("faults");
    const std::map<std::string, std::pair<std::string, std::string>> expected{
        {"out_of_bounds", {"to[i] = 1 - from[i];", "past the end of the buffer"}},
        {"misaligned", {"(from + i + 1);", "not a multiple of 16"}},
        {"missing_barrier", {"piece[", "since the last barrier"}},
        {"divergent_barrier", {"__syncthreads();", ""}},
        {"uninitialised", {"tile[t + 1]", "which nothing has written"}},
        {"too_many_threads", {"__global__ void faults_guard(", "2048 threads per block"}},
        {"reported_late", {"to[i + 1] = from[i];", "past the end of the buffer"}}};
    std::size_t seen = 0;
    for (const Variant& variant : lab.variants) {
        if (variant.fault.empty()) continue;
        SCOPED_TRACE(variant.id);
        ++seen;
        const trace::Fault fault = fault_of(lab, variant);
        const auto& [text, words] = expected.at(variant.id);
        EXPECT_THAT(line_of(lab, variant, fault.line), HasSubstr(text)) << fault.message;
        EXPECT_THAT(fault.message, HasSubstr(words));
        EXPECT_EQ(fault.kind, variant.fault);
    }
    EXPECT_EQ(seen, expected.size());
}

TEST(Faults, LinkToFixedVariant)
{
    for (const Lab& lab : all())
        for (const Variant& variant : lab.variants) {
            if (variant.fault.empty()) continue;
            SCOPED_TRACE(lab.id + "/" + variant.id);
            const Variant* const mended = lab.counterpart(variant);
            ASSERT_NE(mended, nullptr);
            EXPECT_EQ(mended->fault, "");
            EXPECT_FALSE(variant.runs_on(device::Engine::cuda)) << "its context would be lost";
        }
}

TEST(Faults, NumberKeysSelectMistakes)
{
    const Lab& lab = find("faults");
    std::vector<std::string> ids;
    for (const Variant* one : lab.rungs()) ids.push_back(one->id);
    EXPECT_THAT(ids, ElementsAre("sound", "out_of_bounds", "misaligned", "missing_barrier",
                                 "divergent_barrier", "uninitialised", "too_many_threads",
                                 "reported_late", "cpu_clock"));
    EXPECT_EQ(find_variant(lab, "told_late_mended").id, "reported_late_fixed") << "of before";
    const Variant& mended = find_variant(lab, "misaligned_fixed");
    EXPECT_EQ(lab.counterpart(mended), lab.find_variant("misaligned")) << "and back";
    EXPECT_EQ(lab.counterpart(lab.variants.front()), nullptr);
    const Lab& other = find("vector_add"); // its faulty variant comes last, after the fixed one
    EXPECT_EQ(other.rungs().size(), other.variants.size());
}

} // namespace
} // namespace lanescope::labs
