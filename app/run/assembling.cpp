// One thread a kernel; the assembler takes some tenths of a second.
#include "app/run/assembling.h"

#include <chrono>

#include "app/measure/assembled_counts.h"
#include "compute/threads.h"

namespace lanescope::app {

std::shared_ptr<const trace::Assembled> Assembling::of(std::string_view ptx,
                                                       std::string_view kernel)
{
    using namespace std::chrono_literals;
    if (making_.valid()) {
        if (making_.wait_for(0s) != std::future_status::ready) return nullptr;
        made_ = making_.get();
    }
    if (ptx_ == ptx && kernel_ == kernel) return made_;
    ptx_ = ptx;
    kernel_ = kernel;
    made_.reset();
    making_ = start_beside([text = ptx_, name = kernel_] {
        const AssembledOrNot made = assembled_kernel(text, name, sass_architecture());
        if (made.assembled != nullptr) return made.assembled;
        auto none = std::make_shared<trace::Assembled>();
        none->reason = made.reason;
        return std::shared_ptr<const trace::Assembled>(std::move(none));
    });
    return nullptr;
}

} // namespace lanescope::app
