// Memory shared with OpenGL, allocated from a thread without a context.
#include <gtest/gtest.h>

#include <future>

#include "compute/simt/simt_device.h"
#include "render/gl/census.h"
#include "render/shared/remote_allocator.h"
#include "render/shared/sharing.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

class RemoteAllocation : public Scene {
protected:
    // Runs `work` on another thread, and processes its requests here until it returns.
    template <class Work>
    auto elsewhere(Work work)
    {
        auto done = std::async(std::launch::async, work);
        while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
            gl_tasks_->process();
        return done.get();
    }

    std::unique_ptr<simt::SimtDevice> device_ = simt::make_device();
    Sharing sharing_{*device_};
    std::shared_ptr<GlTaskQueue> gl_tasks_ = std::make_shared<GlTaskQueue>();
    RemoteAllocator distant_{sharing_, gl_tasks_};
};

TEST_F(RemoteAllocation, BuffersAndImagesAreShared)
{
    const auto buffer = elsewhere([&] { return distant_.buffer(64); });
    const auto image = elsewhere([&] { return distant_.image(4, 2, device::Format::rgba8); });
    EXPECT_EQ(buffer->bytes(), 64u);
    EXPECT_EQ(image->width(), 4);
    std::vector<std::byte> texels(32);
    {
        const MappedScope mapped(sharing_);
        device_->fill(buffer->address(), 7, 64);
        device_->upload(*image, std::vector<std::byte>(32, std::byte{9}));
        device_->download(texels, *image);
    }
    EXPECT_EQ(texels, std::vector<std::byte>(32, std::byte{9}));
    std::vector<unsigned char> seen(64);
    glGetNamedBufferSubData(sharing_.gl_buffer(*buffer), 0, 64, seen.data());
    EXPECT_EQ(seen, std::vector<unsigned char>(64, 7));
    EXPECT_TRUE(glIsTexture(sharing_.gl_texture(*image)));
}

TEST_F(RemoteAllocation, DestroysOnOwnerThread)
{
    const auto before = gl::census();
    elsewhere([&] {
        const auto buffer = distant_.buffer(64);
        const auto image = distant_.image(4, 2, device::Format::rgba8);
        return 0;
    });
    gl_tasks_->process();
    EXPECT_EQ(gl::census(), before);
}

// The device's records of allocations belong to the thread that uses the device. Dropping an
// allocation on that thread removes it from them at once; its destruction later, on the owner's
// thread, must not change them.
TEST_F(RemoteAllocation, DroppedMemoryLeavesDeviceImmediately)
{
    device::Address address = 0;
    std::uint64_t surface = 0;
    elsewhere([&] {
        const auto buffer = distant_.buffer(64);
        const auto image = distant_.image(4, 2, device::Format::rgba8);
        address = buffer->address();
        surface = image->surface();
        return 0;
    });
    EXPECT_NE(surface, 0u);
    std::vector<std::byte> bytes(64);
    EXPECT_THROW(device_->download(bytes, address), device::LaunchError);
    const auto next = device_->allocate(64);
    gl_tasks_->process();
    EXPECT_NO_THROW(device_->download(bytes, next->address()));
}

TEST_F(RemoteAllocation, OwnerAllocatesDirectly)
{
    const auto before = gl::census();
    {
        const auto buffer = distant_.buffer(64);
        EXPECT_EQ(buffer->bytes(), 64u);
    }
    EXPECT_EQ(gl::census(), before);
}

TEST_F(RemoteAllocation, FailuresReachCaller)
{
    EXPECT_THROW(elsewhere([&] { return distant_.image(-1, 2, device::Format::rgba8); }),
                 std::exception);
    context_.debug_log()->take(); // discards OpenGL's report of the same error
}

} // namespace
} // namespace lanescope::render
