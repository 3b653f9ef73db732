// The memory model lab: the model allows and forbids the outcomes that textbooks name, no order of
// the lockstep machine shows a forbidden one, and the recorded table is that of these orders.
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/labs/memory_model/recorded.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs::memory_model {
namespace {

constexpr std::array<const char*, forms> variants{"relaxed", "block_fence", "acquire_release",
                                                  "device_fence"};
// In the order of litmus.cu.
enum LitmusTest : std::size_t {
    passing,
    store_buffering,
    load_buffering,
    coherence,
    write_to_read,
    reads
};

bool allows_weak(Form form, LitmusTest test)
{
    return allowed_outcomes(form)[test][weak];
}

TEST(MemoryModel, ForbidsWhatFencesOrder)
{
    for (const Form form : {Form::relaxed, Form::block_fence}) {
        for (const LitmusTest test :
             {passing, store_buffering, load_buffering, write_to_read, reads})
            EXPECT_TRUE(allows_weak(form, test)) << test;
        EXPECT_FALSE(allows_weak(form, coherence));
    }
    for (const LitmusTest test : {passing, load_buffering, coherence, write_to_read})
        EXPECT_FALSE(allows_weak(Form::acquire_release, test)) << test;
    EXPECT_TRUE(allows_weak(Form::acquire_release, store_buffering));
    EXPECT_TRUE(allows_weak(Form::acquire_release, reads));
    for (std::size_t test = 0; test < tests; ++test)
        EXPECT_FALSE(allows_weak(Form::device_fence, static_cast<LitmusTest>(test))) << test;
}

TEST(MemoryModel, AllowsTakingTurns)
{
    for (std::size_t form = 0; form < forms; ++form)
        for (const auto& test : allowed_outcomes(static_cast<Form>(form)))
            for (std::size_t outcome = 0; outcome < weak; ++outcome) EXPECT_TRUE(test[outcome]);
}

// The outcomes of one launch in the order with this number.
Counts seen_in(std::uint64_t order, const char* variant)
{
    simt::Options options;
    options.order = order;
    options.threads = 1;
    const auto device = simt::make_device(options);
    device::PlainAllocator shown(*device);
    const Lab& lab = find("memory_model");
    const auto experiment =
        lab.start({.device = *device,
                   .shown = shown,
                   .lab = lab,
                   .variant = find_variant(lab, variant),
                   .values = values_of(lab, {{"instances", std::to_string(recorded_instances)}}),
                   .seed = 1,
                   .image = {}});
    experiment->step();
    const Check check = experiment->check();
    EXPECT_TRUE(check.correct) << variant << ", order " << order << ": " << check.max_error;
    const auto numbers = device::download<std::int32_t>(
        *device, experiment->buffer("seen")->address(), tests * outcomes);
    Counts seen{};
    for (std::size_t i = 0; i < numbers.size(); ++i) seen[i / outcomes][i % outcomes] = numbers[i];
    return seen;
}

std::string as_rows(const std::array<Counts, forms>& all)
{
    std::string text = "// Outcomes in other orders on the lockstep machine, by form, test and "
                       "outcome (recorded.h).\n";
    for (const Counts& form : all) {
        text += "    {{";
        for (std::size_t test = 0; test < tests; ++test)
            text += fmt::format("{}{{{}, {}, {}, {}}}", test == 0 ? "" : ", ", form[test][0],
                                form[test][1], form[test][2], form[test][3]);
        text += "}},\n";
    }
    return text;
}

TEST(MemoryModel, OrdersShowTheRecordedOutcomes)
{
    std::array<Counts, forms> all{};
    for (std::size_t form = 0; form < forms; ++form)
        for (int order = 1; order <= recorded_orders; ++order) {
            const Counts seen = seen_in(static_cast<std::uint64_t>(order), variants[form]);
            for (std::size_t test = 0; test < tests; ++test)
                for (std::size_t outcome = 0; outcome < outcomes; ++outcome)
                    all[form][test][outcome] += seen[test][outcome];
        }
    if (std::getenv("UPDATE_LITMUS") != nullptr)
        std::ofstream(LANESCOPE_SOURCE_DIR "/compute/labs/memory_model/orders.def") << as_rows(all);
    EXPECT_EQ(all, seen_in_orders) << as_rows(all);
}

// Every instance has one outcome, and PTX allows it.
TEST(MemoryModel, RecordedRunsOnH200AreAllowed)
{
    constexpr std::int32_t runs = 50'000 * 256;
    for (std::size_t form = 0; form < forms; ++form) {
        const Allowed may = allowed_outcomes(static_cast<Form>(form));
        for (std::size_t test = 0; test < tests; ++test) {
            std::int32_t all = 0;
            for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
                const std::int32_t seen = seen_on_h200[form][test][outcome];
                all += seen;
                EXPECT_TRUE(seen == 0 || may[test][outcome]) << form << ", " << test;
            }
            EXPECT_EQ(all, runs) << form << ", " << test;
        }
    }
}

} // namespace
} // namespace lanescope::labs::memory_model
