// Lowering of kernels to SASS, as the window requests it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/run/side/assembling.h"
#include "compute/assembled/tools.h"

namespace lanescope::app {
namespace {

constexpr const char* text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry one() { ret; }
.visible .entry two(.param .u64 to)
{
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [to];
st.global.u32 [%rd1], 7;
ret;
}
)";

// Every counted step requests all of its kernels, until each is known.
TEST(Assembling, EventuallyCoversAllKernelsOfStep)
{
    if (const std::string missing = assembled::find_tools().missing; !missing.empty())
        GTEST_SKIP() << missing;
    Assembling assembling;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::shared_ptr<const trace::Assembled> one, two, none;
    while (std::chrono::steady_clock::now() < until) {
        one = assembling.of(text, "one");
        two = assembling.of(text, "two");
        none = assembling.of(text, "three");
        if (one && two && none) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(one && two && none);
    EXPECT_TRUE(one->reason.empty());
    EXPECT_TRUE(one->sites.empty());
    EXPECT_EQ(two->sites.size(), 1u);
    EXPECT_FALSE(none->reason.empty());
}

} // namespace
} // namespace lanescope::app
