// The assembler's account of the kernel that runs, made beside the steps: nobody waits for it.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "compute/trace/assembled.h"

namespace lanescope::app {

class Assembling {
public:
    // Of that kernel, for the GPU at hand or the default architecture; null until it is made. Where
    // that cannot be, it has no sites and says why. A new kernel is begun once the last is done.
    std::shared_ptr<const trace::Assembled> of(std::string_view ptx, std::string_view kernel);

private:
    std::string ptx_, kernel_; // that `made_` will be of, or is
    std::future<std::shared_ptr<const trace::Assembled>> making_;
    std::shared_ptr<const trace::Assembled> made_;
};

} // namespace lanescope::app
