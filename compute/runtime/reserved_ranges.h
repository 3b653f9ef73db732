// Address ranges of cuMemAddressReserve, as faults in them are explained.
#pragma once

#include <cstdint>

#include "compute/runtime/reporting/report.h"

namespace lanescope::runtime {

class Machine;

// Adds to the finding that the address is reserved, but not mapped or not accessible.
void explain_reserved(const Machine& machine, std::uint64_t address, Finding& finding);

} // namespace lanescope::runtime
