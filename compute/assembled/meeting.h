// Where lanes that a branch parts meet again in the GPU's own code. The assembler marks such a
// region: BSSY names the place and the lanes that will meet, BSYNC waits there, BREAK leaves lanes
// out. Where it marks none, lanes meet at the next WARPSYNC.ALL that all of them come to.
#pragma once

#include "compute/assembled/sass.h"
#include "compute/ptx/text/module.h"

namespace lanescope::assembled {

// Fills Function::meetings for those branches of the PTX whose places can be read off the SASS. A
// branch that the assembler turned into guards has none, nor one whose copies meet in different
// places. Gives how many are known.
int set_meetings(ptx::Module& module, const Sass& sass);

} // namespace lanescope::assembled
