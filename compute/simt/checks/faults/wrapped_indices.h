// Array indices that wrapped: computed in 32 bits, although their exact value needs more, and then
// widened to an address. Most wrapped indices lead out of their buffer, and the fault names the
// cause. In a buffer of more than 2^31 elements the access may stay inside and hit a wrong element;
// only launches with such a buffer are watched for that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compute/ptx/uses/widened_indices.h"
#include "compute/simt/checks/faults/line_warnings.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

struct LaunchState;

// Completes "because its index …": how the index that the lane used wrapped. Empty if it did not.
std::string wrapped_index_text(const Executor& executor, const Instruction& instruction, int lane,
                               std::uint64_t address);

class WrappedIndices : public Observer {
public:
    explicit WrappedIndices(const LaunchState& launch);
    // True if a parameter points to a buffer in which an index could wrap and stay inside.
    static bool may_stay_inside(const LaunchState& launch);

    void access(Executor& executor, const AccessEvent& event) override;
    void merge_into(std::vector<trace::Fault>& faults) const { warnings_.merge_into(faults); }

private:
    std::vector<ptx::WidenedIndex> indices_;
    LineWarnings warnings_;
};

} // namespace lanescope::simt
