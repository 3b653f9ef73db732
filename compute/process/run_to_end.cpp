// Runs a program and waits until it has ended, on every system.
#include <system_error>

#include "compute/process/process.h"

namespace lanescope {

Finished run_to_end(const std::vector<std::string>& arguments, const Process::Start& start)
{
    try {
        Process process(arguments, start);
        const int status = process.wait();
        return {status, process.output(), start.separate_stderr ? process.errors() : std::string()};
    } catch (const std::system_error& error) {
        return {127, arguments.front() + ": " + error.code().message()};
    }
}

} // namespace lanescope
