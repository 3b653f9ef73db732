// Reference for the scan record: running sums in double precision.
#include <numeric>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::scan {
namespace {

std::vector<double> running_sums(const Scope& scope)
{
    const auto numbers = scope.input_of<float>("from");
    std::vector<double> sums(numbers.begin(), numbers.end());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return sums;
}

const Named<Reference> reference{"scan", {.result = running_sums}};

} // namespace
} // namespace lanescope::labs::scan
