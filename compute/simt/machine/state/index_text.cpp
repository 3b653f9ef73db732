// All three dimensions are written, since most readers count them.
#include "compute/simt/machine/state/index_text.h"

#include <fmt/format.h>

namespace lanescope::simt {

std::string text(Dim3 index)
{
    return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

} // namespace lanescope::simt
