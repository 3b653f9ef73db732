// Classifies errors by type: caused by the program, by a kernel or by the machine.
#include "app/run/actors/problems.h"

#include <fmt/format.h>

#include <new>

#include "compute/device/device.h"
#include "compute/error.h"
#include "compute/system_failure.h"

namespace lanescope::app {

std::exception_ptr explain_out_of_memory(const std::exception_ptr& error, const std::string& what)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        return std::make_exception_ptr(Error(ExitStatus::device_unavailable,
                                             fmt::format("Not enough memory for {}.", what),
                                             "Choose a smaller size."));
    } catch (...) {
        return error;
    }
}

std::string sentence_of(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        const auto refused = system_failure(known);
        return refused ? refused->what() : known.what();
    } catch (...) {
        return "Unknown error.";
    }
}

std::shared_ptr<const trace::Fault> fault_in(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const device::KernelFault& fault) {
        return std::make_shared<const trace::Fault>(fault.fault());
    } catch (...) {
        return nullptr;
    }
}

bool is_out_of_memory(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return known.status() == ExitStatus::device_unavailable;
    } catch (...) {
        return false;
    }
}

} // namespace lanescope::app
