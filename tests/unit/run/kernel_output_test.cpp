// The window captures standard output: everything is also forwarded to its original destination,
// and the last part is kept.
#include "app/run/kernel/kernel_output.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/run/kernel/printed_output.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

// Waits until the reader thread has received the output.
std::shared_ptr<const KernelOutput::Text> text_of(KernelOutput& output, std::uint64_t bytes)
{
    while (output.text()->bytes < bytes) std::this_thread::sleep_for(1ms);
    return output.text();
}

TEST(KernelOutput, KeepsAndForwardsOutput)
{
    PrintedOutput standard;
    {
        KernelOutput output;
        std::printf("warp %d\n", 3);
        const auto text = text_of(output, 7);
        EXPECT_EQ(text->kept, "warp 3\n");
        EXPECT_TRUE(text->whole());
        output.clear();
        EXPECT_EQ(output.text()->bytes, 0U);
        std::printf("warp %d\n", 4);
        EXPECT_EQ(text_of(output, 7)->kept, "warp 4\n");
    }
    std::printf("after\n");
    EXPECT_EQ(standard.take(1000), "warp 3\nwarp 4\nafter\n");
}

TEST(KernelOutput, KeepsLastWholeLines)
{
    PrintedOutput standard;
    constexpr int lines = 20'000;
    std::uint64_t bytes = 0;
    {
        KernelOutput output;
        for (int i = 0; i < lines; ++i)
            bytes += static_cast<std::uint64_t>(std::printf("thread %d\n", i));
        const auto text = text_of(output, bytes);
        EXPECT_FALSE(text->whole());
        EXPECT_LE(text->kept.size(), KernelOutput::max_kept);
        EXPECT_GT(text->kept.size(), KernelOutput::max_kept - 20);
        EXPECT_TRUE(text->kept.starts_with("thread "));
        EXPECT_TRUE(text->kept.ends_with("thread 19999\n"));
    }
    EXPECT_EQ(standard.take(bytes + 1).size(), bytes);
}

} // namespace
} // namespace lanescope::app
