// One device, used by one thread at a time, and the memory that it shares with OpenGL.
#include "app/run/engine/shared_device.h"

#include <utility>

namespace lanescope::app {

SharedDevice::SharedDevice(OpenedEngine engine, std::string choice,
                           std::shared_ptr<render::GlTaskQueue> gl_tasks)
    : engine_(std::move(engine)), choice_(std::move(choice)), gl_tasks_(std::move(gl_tasks))
{
    gl_tasks_->run([this] { sharing_ = std::make_unique<render::Sharing>(*engine_.device); });
    shown_ = std::make_unique<render::RemoteAllocator>(*sharing_, gl_tasks_);
}

// The queue runs in order: memory released earlier is destroyed before `sharing_`.
SharedDevice::~SharedDevice()
{
    gl_tasks_->run([this] { sharing_.reset(); });
}

} // namespace lanescope::app
