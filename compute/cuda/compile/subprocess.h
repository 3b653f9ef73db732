// Runs another program and keeps what it prints. Arguments go as they are: no shell reads them.
#pragma once

#include <string>
#include <vector>

namespace lanescope::cuda {

struct Finished {
    int status = 0;     // exit status; 128 + signal when killed; 127 when it could not be started
    std::string output; // stdout and stderr, in the order written
};

Finished run_program(const std::vector<std::string>& arguments);

} // namespace lanescope::cuda
