// Follows the owner of each buffer and image, and passes the calls on to OpenGL if there is one.
#include "compute/experiment/record/frame_calls.h"

#include <utility>

#include <fmt/format.h>

namespace lanescope::labs {
namespace {

[[noreturn]] void misuse(const char* kind, const HostCall& call, std::string message)
{
    trace::Fault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    fault.kernel = call.kernel;
    fault.file = call.file;
    fault.line = call.line;
    throw device::KernelFault(std::move(fault));
}

} // namespace

std::string_view call_words(Action::Kind kind, bool is_image)
{
    switch (kind) {
    case Action::Kind::register_memory: return "cudaGraphicsGLRegister";
    case Action::Kind::unregister_memory: return "cudaGraphicsUnregisterResource";
    case Action::Kind::map: return "cudaGraphicsMapResources";
    case Action::Kind::unmap: return "cudaGraphicsUnmapResources";
    case Action::Kind::to_opengl: return is_image ? "glTexSubImage2D" : "glBufferSubData";
    case Action::Kind::draw: return "glDraw";
    case Action::Kind::present: return "SwapBuffers";
    case Action::Kind::finish: return "glFinish";
    case Action::Kind::wait: return "cudaDeviceSynchronize";
    case Action::Kind::copy_out: return "cudaMemcpyDeviceToHost";
    case Action::Kind::launch: return "<<<";
    default: return {};
    }
}

// The first request decides: a context of OpenGL's takes time to create.
void FrameCalls::choose()
{
    if (std::exchange(chosen_, true)) return;
    device::GraphicsChoice choice = device::graphics_of(device_);
    graphics_ = std::move(choice.graphics);
    reason_ = std::move(choice.reason);
}

std::shared_ptr<device::Buffer> FrameCalls::buffer(const std::string& name, std::size_t bytes)
{
    choose();
    const device::GraphicsScope current(graphics_.get());
    device::GraphicsBuffer made =
        graphics_ ? graphics_->buffer(bytes) : device::GraphicsBuffer{device_.allocate(bytes)};
    if (made.resource) made.resource->map();
    std::shared_ptr<device::Buffer> memory = std::move(made.memory);
    all_[name] = {.alive = memory, .resource = made.resource, .address = memory->address()};
    return memory;
}

std::shared_ptr<device::Image> FrameCalls::image(const std::string& name, int width, int height,
                                                 device::Format format)
{
    choose();
    const device::GraphicsScope current(graphics_.get());
    device::GraphicsImage made =
        graphics_ ? graphics_->image(width, height, format)
                  : device::GraphicsImage{device_.allocate_image(width, height, 0, format)};
    if (made.resource) made.resource->map();
    std::shared_ptr<device::Image> memory = std::move(made.memory);
    all_[name] = {.alive = memory, .resource = made.resource, .image = memory.get()};
    return memory;
}

void FrameCalls::begin(const std::set<std::string>& names, const std::set<std::string>& registering)
{
    used_ = names;
    if (graphics_) graphics_->make_current();
    running_ = true;
    for (const std::string& name : used_) {
        Memory& one = at(name);
        if (std::exchange(one.mapped, false) && one.resource) one.resource->unmap();
        if (!registering.contains(name)) continue;
        if (std::exchange(one.registered, false) && one.resource) one.resource->unregister();
    }
}

// Also after a fault, in whichever state it left the memory.
void FrameCalls::end()
{
    if (!std::exchange(running_, false)) return;
    for (const std::string& name : used_) {
        Memory& one = at(name);
        if (one.alive.expired()) continue;
        if (!std::exchange(one.registered, true) && one.resource) one.resource->register_it();
        if (!std::exchange(one.mapped, true) && one.resource) one.resource->map();
    }
    if (graphics_) graphics_->release();
}

void FrameCalls::register_memory(const std::string& name, const HostCall& call)
{
    Memory& one = at(name);
    if (one.registered)
        misuse("resource_access", call,
               fmt::format("{} is registered already. Register it once, before the first frame.",
                           name));
    if (one.resource) one.resource->register_it();
    one.registered = true;
}

void FrameCalls::unregister_memory(const std::string& name, const HostCall& call)
{
    require_unmapped(name, call, "unregistered");
    Memory& one = at(name);
    if (one.resource) one.resource->unregister();
    one.registered = false;
}

void FrameCalls::map(const std::string& name, const HostCall& call)
{
    Memory& one = at(name);
    if (!one.registered)
        misuse("resource_access", call,
               fmt::format("{} is mapped, but not registered with CUDA.", name));
    require_unmapped(name, call, "mapped again");
    if (one.resource) one.resource->map();
    one.mapped = true;
}

void FrameCalls::unmap(const std::string& name, const HostCall& call)
{
    Memory& one = at(name);
    if (!one.mapped)
        misuse("unmapped_resource", call,
               fmt::format("{} cannot be unmapped: it is not mapped.", name));
    if (one.resource) one.resource->unmap();
    one.mapped = false;
}

void FrameCalls::update(const std::string& name, std::span<const std::byte> bytes,
                        const HostCall& call)
{
    require_unmapped(name, call, "written by OpenGL");
    const Memory& one = at(name);
    if (one.resource) return one.resource->update(bytes);
    if (one.image) return device_.upload(*one.image, bytes);
    device_.upload(one.address, bytes);
}

void FrameCalls::draw(const std::string& name, const HostCall& call)
{
    require_unmapped(name, call, "drawn");
    if (const Memory& one = at(name); one.resource) one.resource->draw();
}

void FrameCalls::present()
{
    if (graphics_) graphics_->present();
}

void FrameCalls::finish()
{
    if (graphics_) graphics_->finish();
}

void FrameCalls::require_mapped(const std::string& name, const HostCall& call) const
{
    const auto found = all_.find(name);
    if (!running_ || found == all_.end() || found->second.mapped) return;
    misuse("unmapped_resource", call,
           fmt::format("The kernel uses {}, but OpenGL owns it: launch between "
                       "cudaGraphicsMapResources and cudaGraphicsUnmapResources.",
                       name));
}

void FrameCalls::require_unmapped(const std::string& name, const HostCall& call,
                                  std::string_view does)
{
    if (!at(name).mapped) return;
    misuse("mapped_resource", call,
           fmt::format("{} is {} while it is mapped: CUDA owns it, and a kernel may still write "
                       "it. Call cudaGraphicsUnmapResources first.",
                       name, does));
}

} // namespace lanescope::labs
