// Generators and references for the histogram record: samples, their counts, and the highest bar.
#include <algorithm>

#include "compute/experiment/record/named.h"
#include "compute/labs/histogram/stream.h"

namespace lanescope::labs::histogram {
namespace {

const Stream& stream(const Scope& scope)
{
    return scope.kept<Stream>("histogram_stream", [&] {
        fitting_count({scope.count("size")});
        return make_stream(scope.text("source"), scope.whole("size", 0), scope.whole("bins", 1),
                           scope.seed(), scope.image());
    });
}

Data samples(const Scope& scope, const FillRequest&)
{
    const Stream& made = stream(scope);
    if (made.sample_bytes == 1) return made.bytes;
    return made.words;
}

const Named<Fill> stream_fill{"histogram_stream", {samples}};

const Named<Computed> top{"histogram_top", {[](const Scope& scope) -> double {
                              const auto counts = count(stream(scope), scope.whole("bins", 1));
                              return 1.05F * static_cast<float>(std::ranges::max(counts));
                          }}};

const Named<Reference> reference{"histogram", {.result = [](const Scope& scope) {
                                     const auto counts =
                                         count(stream(scope), scope.whole("bins", 1));
                                     return std::vector<double>(counts.begin(), counts.end());
                                 }}};

} // namespace
} // namespace lanescope::labs::histogram
