// Formats problems for the user.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "compute/trace/trace.h"

namespace lanescope::app {

// Returns the error unchanged, except for out of memory: then an error that says what the memory
// was for.
std::exception_ptr explain_out_of_memory(const std::exception_ptr& error, const std::string& what);
std::string sentence_of(const std::exception_ptr& error);
// The fault of a kernel; null for any other error.
std::shared_ptr<const trace::Fault> fault_in(const std::exception_ptr& error);
bool is_out_of_memory(const std::exception_ptr& error);

} // namespace lanescope::app
