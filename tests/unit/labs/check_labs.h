// Test body shared by all engines: runs a lab's variant at a test size and compares the result with
// the reference.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

struct Case {
    const Lab* lab;
    const Variant* variant;
    const std::map<std::string, std::string>* size;
};

inline void PrintTo(const Case& one, std::ostream* out)
{
    *out << one.lab->id << "/" << one.variant->id;
    for (const auto& [id, value] : *one.size) *out << " " << id << "=" << value;
}

inline std::vector<Case> every_case()
{
    std::vector<Case> cases;
    for (const Lab& lab : all())
        for (const Variant& variant : lab.variants)
            for (const auto& size : lab.test_sizes) cases.push_back({&lab, &variant, &size});
    return cases;
}

// All cases, without variants that fault by design.
inline std::vector<Case> every_case_without_fault()
{
    std::vector<Case> cases = every_case();
    std::erase_if(cases, [](const Case& one) { return !one.variant->fault.empty(); });
    return cases;
}

// The variant's blocks form clusters. Such launches cannot be stepped through.
inline bool is_in_clusters(const Case& one)
{
    return one.lab->ptx(*one.variant).find(".reqnctapercluster") != std::string_view::npos;
}

// Only the first test size of each variant: enough for tests of an engine's interface.
inline std::vector<Case> one_size_each()
{
    std::vector<Case> cases = every_case_without_fault();
    std::erase_if(cases, [](const Case& one) { return one.size != &one.lab->test_sizes.front(); });
    return cases;
}

// Enough points for a curve: five, or all values of a whole-numbered parameter that has fewer.
inline std::size_t min_sweep_values(const Lab& lab, const std::string& parameter)
{
    constexpr std::size_t enough = 5;
    const Parameter& swept = *lab.find_parameter(parameter);
    if (swept.kind != Parameter::Kind::integer) return enough;
    return std::min(enough, static_cast<std::size_t>(swept.max - swept.min) + 1);
}

// A test name that CTest accepts: heat_naive_0, where 0 is the index of the test size.
inline std::string case_name(const testing::TestParamInfo<Case>& info)
{
    const Case& one = info.param;
    const auto index = one.size - one.lab->test_sizes.data();
    return one.lab->id + "_" + one.variant->id + "_" + std::to_string(index);
}

inline Values values_of(const Lab& lab, const std::map<std::string, std::string>& chosen)
{
    Values values(lab);
    for (const auto& [id, text] : chosen) values.set(id, text);
    return values;
}

// Makes three steps and checks the result after the first and the last one. If the record declares
// a fault, expects that fault in the first step.
inline void expect_correct(device::Device& device, const Case& one)
{
    if (!one.variant->runs_on(device.engine()))
        GTEST_SKIP() << "it runs on another engine only: the record says so";
    device::PlainAllocator shown(device);
    const auto experiment = one.lab->start({.device = device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = values_of(*one.lab, *one.size),
                                            .seed = 7,
                                            .image = {}});
    if (!one.variant->fault.empty()) {
        try {
            experiment->step();
            ADD_FAILURE() << "no fault of the kind " << one.variant->fault;
        } catch (const device::KernelFault& fault) {
            EXPECT_EQ(fault.fault().kind, one.variant->fault) << fault.what();
        }
        return;
    }
    for (int step = 0; step < 3; ++step) {
        experiment->step();
        if (step == 1) continue;
        const Check check = experiment->check();
        if (one.variant->wrong) {
            EXPECT_FALSE(check.correct) << "the mistake does not show";
            continue;
        }
        EXPECT_TRUE(check.correct) << "after step " << step + 1 << ": error " << check.max_error
                                   << ", allowed " << check.tolerance << ". " << check.message;
    }
    EXPECT_EQ(experiment->steps(), 3 * one.variant->steps);
}

} // namespace lanescope::labs
