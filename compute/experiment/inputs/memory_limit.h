// Limits the memory of a lab, because an untrusted record could ask for any amount.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::labs {

// Half of the machine's memory, or the limit set by limit_memory().
std::size_t memory_limit();
// For tests. 0 restores the default, half of the machine's memory.
void limit_memory(std::size_t bytes);

// Returns the product of the extents, each at least 1. Throws Error (bad_usage), whose subject is
// `where` and `what`, if that many elements of `bytes` each exceed memory_limit().
std::size_t element_count(const std::vector<std::int64_t>& extents, std::size_t bytes,
                          const std::string& where, const std::string& what);

} // namespace lanescope::labs
