// Finds where the lanes of a divergent branch reconverge in the GPU's own code. The assembler marks
// such a region: BSSY sets the lanes and the place where they reconverge, BSYNC waits there for
// them, and BREAK removes lanes. Without a marked region, lanes reconverge at the next WARPSYNC.ALL
// that all of them reach.
#pragma once

#include "compute/assembled/sass.h"
#include "compute/ptx/text/module.h"

namespace lanescope::assembled {

// Fills Function::meetings for the PTX branches whose reconvergence points can be read from the
// SASS. Branches that became predicates have none, nor do branches whose copies reconverge in
// different places. Returns the number found.
int fill_reconvergence_points(ptx::Module& module, const Sass& sass);

} // namespace lanescope::assembled
