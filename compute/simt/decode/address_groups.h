// Which accesses of a function share the addresses that an earlier one has formed.
#pragma once

#include "compute/simt/machine/program.h"

namespace lanescope::simt {

// Sets Access::group, Access::batch, Function::address_groups and Function::batches, which are
// numbered on from `batches`. Only accesses of one basic block that are not guarded share, so that
// the first of them has always run with the same lanes.
void group_addresses(Function& function, std::uint32_t& batches);

} // namespace lanescope::simt
