// One device, used by one thread at a time, and the memory that it shares with OpenGL.
#include "app/run/shared_device.h"

#include <utility>

namespace lanescope::app {

SharedDevice::SharedDevice(OpenedEngine engine, std::string choice,
                           std::shared_ptr<render::Errands> errands)
    : engine_(std::move(engine)), choice_(std::move(choice)), errands_(std::move(errands))
{
    errands_->run([this] { sharing_ = std::make_unique<render::Sharing>(*engine_.device); });
    shown_ = std::make_unique<render::DistantAllocator>(*sharing_, errands_);
}

// Errands are run in order: what was left before is gone when the sharing goes.
SharedDevice::~SharedDevice()
{
    errands_->run([this] { sharing_.reset(); });
}

} // namespace lanescope::app
