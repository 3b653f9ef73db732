// Names of the ways an access was lowered.
#include "compute/trace/assembled.h"

namespace lanescope::trace {

std::string_view name(AssembledAs as)
{
    switch (as) {
    case AssembledAs::merged: return "merged";
    case AssembledAs::part: return "part";
    case AssembledAs::split: return "split";
    case AssembledAs::narrowed: return "narrowed";
    case AssembledAs::aggregated: return "aggregated";
    case AssembledAs::summed: return "summed";
    case AssembledAs::removed: return "removed";
    case AssembledAs::itself: break;
    }
    return "itself";
}

} // namespace lanescope::trace
