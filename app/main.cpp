// The program's entry: turns whatever went wrong into one line on stderr and the exit status that
// fits.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "app/commands/program.h"

int main(int argc, char** argv)
{
    using lanescope::ExitStatus;
    try {
        return static_cast<int>(lanescope::app::run_program(argc, argv));
    } catch (const lanescope::Error& error) {
        fmt::print(stderr, "lanescope: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "lanescope: An error that should not happen: {}. Please report it.\n",
                   error.what());
        return static_cast<int>(ExitStatus::result_wrong);
    }
}
