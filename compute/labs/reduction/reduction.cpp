// Reference for the reduction record: the sum in double precision.
#include <numeric>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::reduction {
namespace {

std::vector<double> sum(const Scope& scope)
{
    const auto numbers = scope.input_of<float>("from");
    const std::size_t count = scope.count("count");
    require_fit(count <= numbers.size(), "count numbers in from");
    return {std::accumulate(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count),
                            0.0)};
}

const Named<Reference> reference{"reduction", {.result = sum}};

} // namespace
} // namespace lanescope::labs::reduction
