// Determines the SASS lowering of running kernels in the background.
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
    // Lowering of that kernel for the GPU at hand or the default architecture; null until ready. If
    // it fails, it has no sites and a reason.
    std::shared_ptr<const trace::Assembled> of(std::string_view ptx, std::string_view kernel);

private:
    struct Kernel {
        std::string ptx, name;
        std::future<std::shared_ptr<const trace::Assembled>> making;
        std::shared_ptr<const trace::Assembled> made; // null until the lowering is ready
    };
    std::deque<Kernel> kernels_; // recently requested, oldest first
};

} // namespace lanescope::app
