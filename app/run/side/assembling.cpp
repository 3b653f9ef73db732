// One thread per kernel; the assembler takes some 100 ms.
#include "app/run/side/assembling.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "app/measure/assembled_counts.h"
#include "compute/threads.h"

namespace lanescope::app {

std::shared_ptr<const trace::Assembled> Assembling::of(std::string_view ptx,
                                                       std::string_view kernel)
{
    using namespace std::chrono_literals;
    constexpr std::size_t max_kernels = 64; // more kernels than a step has
    auto found = std::ranges::find_if(
        kernels_, [&](const Kernel& one) { return one.name == kernel && one.ptx == ptx; });
    if (found == kernels_.end()) {
        if (kernels_.size() >= max_kernels && kernels_.front().made != nullptr)
            kernels_.pop_front();
        kernels_.push_back({std::string(ptx), std::string(kernel), {}, {}});
        found = std::prev(kernels_.end());
        found->making = start_in_background([text = found->ptx, name = found->name] {
            return assembled_kernel(text, name, sass_architecture());
        });
    }
    if (found->making.valid() && found->making.wait_for(0s) == std::future_status::ready)
        found->made = found->making.get();
    return found->made;
}

} // namespace lanescope::app
