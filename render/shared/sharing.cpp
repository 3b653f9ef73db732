// Common part of all sharing paths: choice, state and timing; each path has its own file.
#include "render/shared/sharing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "compute/device/formats.h"
#include "compute/spread.h"
#include "render/shared/backend.h"

namespace lanescope::render {
namespace {

using Clock = std::chrono::steady_clock;

// The last 64 durations.
class Recent {
public:
    void add(Clock::duration duration)
    {
        values_[count_++ % values_.size()] =
            std::chrono::duration<double, std::micro>(duration).count();
    }
    double median() const
    {
        const auto count = static_cast<std::ptrdiff_t>(std::min(count_, values_.size()));
        return spread_of({values_.begin(), values_.begin() + count}).median;
    }

private:
    std::array<double, 64> values_{};
    std::size_t count_ = 0;
};

std::unique_ptr<Sharing::Backend> make_backend(SharingPath path, device::Device& device)
{
    switch (path) {
    case SharingPath::cuda_mapped: return make_cuda_mapped(device);
    case SharingPath::simt_mapped: return make_simt_mapped(device);
    case SharingPath::staged: break;
    }
    return make_staged(device);
}

GLuint gl_name_of(const void* object, const Backing* backing)
{
    if (object == nullptr || backing == nullptr)
        throw std::out_of_range(
            "This memory was not made by render::Sharing, so OpenGL has no name for it.");
    return backing->gl_name();
}

} // namespace

struct Sharing::State {
    SharingChoice choice;
    std::unique_ptr<Backend> backend;
    Recent map_times;
    Recent unmap_times;
    bool mapped = false;
    bool finished = false; // true once finish() has run after the last map()
};

Sharing::Sharing(device::Device& device, const SharingOptions& options)
    : state_(std::make_unique<State>())
{
    state_->choice = choose_sharing(device, options);
    state_->backend = make_backend(state_->choice.path, device);
}

Sharing::~Sharing() = default;

SharingPath Sharing::path() const
{
    return state_->choice.path;
}
const std::string& Sharing::explanation() const
{
    return state_->choice.explanation;
}
bool Sharing::mapped() const
{
    return state_->mapped;
}
double Sharing::map_us() const
{
    return state_->map_times.median();
}
double Sharing::unmap_us() const
{
    return state_->unmap_times.median();
}
std::size_t Sharing::shared_bytes() const
{
    return state_->backend->bytes();
}

std::unique_ptr<device::Buffer> Sharing::buffer(std::size_t bytes)
{
    return state_->backend->buffer(bytes);
}

std::unique_ptr<device::Image> Sharing::image(int width, int height, device::Format format)
{
    return state_->backend->image(width, height, format);
}

bool Sharing::try_map(std::chrono::nanoseconds at_most)
{
    if (state_->mapped) throw std::logic_error("Sharing::map() was called twice.");
    if (!state_->backend->drawn(at_most)) return false;
    const auto begin = Clock::now();
    state_->backend->map();
    state_->map_times.add(Clock::now() - begin);
    state_->mapped = true;
    state_->finished = false;
    return true;
}

void Sharing::map()
{
    if (!try_map(std::chrono::seconds(10)))
        throw Error(ExitStatus::device_unavailable,
                    "OpenGL has not finished drawing within ten seconds.",
                    "Restart the program; LIBGL_ALWAYS_SOFTWARE=1 makes it draw on the CPU.");
}

void Sharing::finish()
{
    state_->backend->finish();
    state_->finished = true;
}

void Sharing::unmap()
{
    if (!state_->mapped) throw std::logic_error("Sharing::unmap() was called without map().");
    state_->mapped = false;
    const auto begin = Clock::now();
    if (!state_->finished) state_->backend->finish();
    state_->backend->unmap();
    state_->unmap_times.add(Clock::now() - begin);
}

GLuint Sharing::gl_buffer(const device::Buffer& buffer) const
{
    return gl_name_of(&buffer, dynamic_cast<const Backing*>(&buffer));
}

GLuint Sharing::gl_texture(const device::Image& image) const
{
    return gl_name_of(&image, dynamic_cast<const Backing*>(&image));
}

TexelFormat texel_format(device::Format format)
{
    switch (format) {
    case device::Format::r8: return {GL_R8, GL_RED, GL_UNSIGNED_BYTE};
    case device::Format::rgba8: return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case device::Format::r32f: return {GL_R32F, GL_RED, GL_FLOAT};
    case device::Format::rg32f: return {GL_RG32F, GL_RG, GL_FLOAT};
    case device::Format::rgba32f: return {GL_RGBA32F, GL_RGBA, GL_FLOAT};
    default:
        throw device::LaunchError(
            fmt::format("Images of format {} cannot be shown.", device::row_of(format).name),
            "Show one of format r8, rgba8, r32f, rg32f or rgba32f.");
    }
}

} // namespace lanescope::render
