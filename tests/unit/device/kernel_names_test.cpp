// Readable kernel names from the mangled names of compilers.
#include <gtest/gtest.h>

#include "compute/device/kernel_names.h"

namespace {

using lanescope::device::demangled;
using lanescope::device::short_name;

TEST(KernelNames, OmitParameters)
{
    EXPECT_EQ(short_name("add"), "add");
    EXPECT_EQ(short_name("_Z3addPiS_"), "add");
    EXPECT_EQ(demangled("_Z3addPiS_"), "add(int*, int*)");
}

TEST(KernelNames, OmitTags)
{
    EXPECT_EQ(demangled("_ZN8__main__3addB2v1B3cwXEPf"), "__main__::add(float*)");
    EXPECT_EQ(short_name("_ZN8__main__3addB2v1B3cwXEPf"), "add");
    EXPECT_EQ(short_name("_ZN8__main__4main12_3clocals_3e3addB2v1B3cwXEPf"), "add");
}

} // namespace
