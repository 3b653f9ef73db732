// Translates an arithmetic instruction's modifiers to a key; nullopt if one of them is unknown.
#pragma once

#include <optional>

#include "compute/ptx/text/module.h"
#include "compute/simt/operations/rows/key.h"

namespace lanescope::simt {

std::optional<rows::Key> read_row_key(const ptx::Instruction& instruction);

} // namespace lanescope::simt
