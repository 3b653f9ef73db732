// Reference for the shuffle record: the final value of every lane.
// Lanes past the last number hold 0.
#include "compute/experiment/record/named.h"

namespace lanescope::labs::shuffle {
namespace {

constexpr int warp = 32;

// Options: kind 0 broadcast, 1 rotate, 2 sum of the warp, 3 sum of the sub-group.
std::vector<double> after_shuffle(const Scope& scope)
{
    auto numbers = scope.input_of<float>("from");
    const std::size_t elements = numbers.size();
    const int count = scope.whole("count", 0);
    require_fit(scope.count("count") <= elements, "count numbers in from");
    numbers.resize((elements + warp - 1) / warp * warp);
    std::fill(numbers.begin() + count, numbers.end(), 0.0F);

    const int kind = scope.whole("kind");
    const int group = kind == 2 ? warp : scope.whole("lanes", 1, warp);
    require_fit(warp % group == 0, "groups that a warp is divided into");
    const int source = kind == 0 ? scope.whole("source", 0, warp - 1) : 0;
    const int distance = kind == 1 ? scope.whole("distance", 0, warp - 1) : 0;
    std::vector<double> after(elements);
    for (int i = 0; i < count; ++i) {
        const int first = i / warp * warp;
        if (kind == 0) {
            after[i] = numbers[first + source];
        } else if (kind == 1) {
            after[i] = numbers[first + (i + distance) % warp];
        } else {
            const int begin = i / group * group;
            for (int k = begin; k < begin + group; ++k) after[i] += numbers[k];
        }
    }
    return after;
}

const Named<Reference> reference{"shuffle", {.result = after_shuffle}};

} // namespace
} // namespace lanescope::labs::shuffle
