// Sums in shared memory that add the upper half to the lower half until one element is left:
// for (s = n / 2; s > 0; s /= 2) if (i < s) sums[i] += sums[i + s]. If n is no power of two, a half
// is rounded down at some step, and an element is left out.
#pragma once

#include <optional>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

struct HalvingSum {
    int instruction = -1; // load of the upper half, in Function::instructions
    int axis = 0;         // x, y or z, along which threads add
    int parameter = -1; // the kernel parameter that is halved; -1: the block's size along the axis
};

// Empty if the kernel also reads its shared memory in other ways, which may add the elements that
// halving leaves out.
std::optional<HalvingSum> halving_sum(const Module& module, const Function& kernel);

} // namespace lanescope::ptx
