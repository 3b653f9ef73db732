// Finds accesses of a function that share the addresses computed by an earlier one.
#pragma once

#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

// Sets Access::group, Access::batch, Function::address_groups and Function::batches; batches are
// numbered from `batches`. Only unguarded accesses of one basic block are grouped, so the first
// access of a group always ran with the same lanes.
void group_addresses(Function& function, std::uint32_t& batches);

} // namespace lanescope::simt
