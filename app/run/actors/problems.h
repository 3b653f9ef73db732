// What went wrong, in words for the user.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "compute/trace/trace.h"

namespace lanescope::app {

// The same error; one of too little memory says for what.
std::exception_ptr in_words(const std::exception_ptr& error, const std::string& what);
std::string sentence_of(const std::exception_ptr& error);
// What a kernel did; null for any other error.
std::shared_ptr<const trace::Fault> fault_in(const std::exception_ptr& error);
bool is_out_of_memory(const std::exception_ptr& error);

} // namespace lanescope::app
