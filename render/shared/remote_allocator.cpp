// Memory is handed out with a deleter that destroys it on the owning thread.
#include "render/shared/remote_allocator.h"

#include <utility>

#include "compute/device/retires.h"
#include "render/shared/sharing.h"
#include "render/shared/wrapped_image.h"

namespace lanescope::render {
namespace {

// Wraps `memory` so that it is destroyed on the owning thread, whichever thread drops it.
template <class Memory>
std::shared_ptr<Memory> keep(const std::shared_ptr<GlTaskQueue>& gl_tasks,
                             std::unique_ptr<Memory> memory)
{
    return {memory.release(), [gl_tasks](Memory* dropped) {
                gl_tasks->destroy_later(std::shared_ptr<Memory>(dropped));
            }};
}

class HomedBuffer final : public device::Buffer, public Backing {
public:
    explicit HomedBuffer(std::shared_ptr<device::Buffer> inner) : inner_(std::move(inner)) {}
    // Destroyed on the thread that uses the device.
    ~HomedBuffer() override { device::retire(*inner_); }
    device::Address address() const override { return inner_->address(); }
    std::size_t bytes() const override { return inner_->bytes(); }
    GLuint gl_name() const override { return backing().gl_name(); }
    std::size_t backing_bytes() const override { return backing().backing_bytes(); }

private:
    const Backing& backing() const { return dynamic_cast<const Backing&>(*inner_); }
    std::shared_ptr<device::Buffer> inner_;
};

} // namespace

RemoteAllocator::RemoteAllocator(Sharing& sharing, std::shared_ptr<GlTaskQueue> gl_tasks)
    : sharing_(sharing), gl_tasks_(std::move(gl_tasks))
{
}

std::unique_ptr<device::Buffer> RemoteAllocator::buffer(std::size_t bytes)
{
    std::shared_ptr<device::Buffer> created;
    gl_tasks_->run([&] { created = keep(gl_tasks_, sharing_.buffer(bytes)); });
    return std::make_unique<HomedBuffer>(std::move(created));
}

std::unique_ptr<device::Image> RemoteAllocator::image(int width, int height, device::Format format)
{
    std::shared_ptr<device::Image> created;
    gl_tasks_->run([&] { created = keep(gl_tasks_, sharing_.image(width, height, format)); });
    return wrap_image(created, {created, &dynamic_cast<Backing&>(*created)});
}

} // namespace lanescope::render
