// The words of an arithmetic instruction as a key, or nullopt when one of them is not understood.
#pragma once

#include <optional>

#include "compute/ptx/text/module.h"
#include "compute/simt/operations/rows/key.h"

namespace lanescope::simt {

std::optional<rows::Key> read_row_key(const ptx::Instruction& instruction);

} // namespace lanescope::simt
