// The assembler's account of the kernels that run, made beside the steps: nobody waits for it.
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "compute/trace/assembled.h"

namespace lanescope::app {

class Assembling {
public:
    // Of that kernel, for the GPU at hand or the default architecture; null until it is made. Where
    // that cannot be, it has no sites and says why.
    std::shared_ptr<const trace::Assembled> of(std::string_view ptx, std::string_view kernel);

private:
    struct Kernel {
        std::string ptx, name;
        std::future<std::shared_ptr<const trace::Assembled>> making;
        std::shared_ptr<const trace::Assembled> made; // null until then
    };
    std::deque<Kernel> kernels_; // asked for lately, the oldest first
};

} // namespace lanescope::app
