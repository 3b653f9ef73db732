// Errors reported to the user: one sentence of cause, one of cure, and an exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace lanescope {

// Exit status of the program.
enum class ExitStatus : int {
    done = 0,
    result_wrong = 1,
    bad_usage = 2,
    no_such_thing = 3,
    device_unavailable = 4,
    kernel_fault = 5,
    time_limit = 6,
    unsupported = 7, // not supported by the lockstep machine
};

// Base class of all errors that are reported to the user. what() returns the cause
// and the cure, one sentence each.
class Error : public std::runtime_error {
public:
    Error(ExitStatus status, std::string cause, std::string cure = {})
        : std::runtime_error(cure.empty() ? cause : cause + " " + cure), status_(status)
    {
    }

    ExitStatus status() const noexcept { return status_; }

private:
    ExitStatus status_;
};

} // namespace lanescope
