// A device together with the memory that it shares with OpenGL. The memory must be destroyed before
// the device, on any thread.
#pragma once

#include <memory>
#include <string>

#include "app/run/engine/engine.h"
#include "render/shared/remote_allocator.h"
#include "render/shared/sharing.h"

namespace lanescope::app {

// Created and destroyed by the worker, while OpenGL's thread processes its tasks.
class SharedDevice {
public:
    SharedDevice(OpenedEngine engine, std::string choice,
                 std::shared_ptr<render::GlTaskQueue> gl_tasks);
    ~SharedDevice();
    SharedDevice(const SharedDevice&) = delete;
    SharedDevice& operator=(const SharedDevice&) = delete;

    device::Device& device() const { return *engine_.device; }
    const std::string& reason() const { return engine_.reason; }
    const std::string& choice() const { return choice_; } // argument of open_engine()
    render::Sharing& sharing() const { return *sharing_; }
    // Allocates memory that OpenGL draws from; callable from any thread.
    device::Allocator& shown() const { return *shown_; }
    bool tolerates_first_run_warnings() const { return engine_.tolerates_first_run_warnings; }
    bool has_clock() const { return engine_.device->engine() == device::Engine::cuda; }

private:
    OpenedEngine engine_;
    std::string choice_;
    std::shared_ptr<render::GlTaskQueue> gl_tasks_;
    std::unique_ptr<render::Sharing> sharing_; // used by OpenGL's thread
    std::unique_ptr<render::RemoteAllocator> shown_;
};

} // namespace lanescope::app
