// Reads framebuffers back, directly and through a ring of pixel buffers.
#include "render/capture/pixel_reader.h"

#include <cstddef>
#include <span>

namespace lanescope::render {
namespace {

constexpr std::size_t max_in_flight = 3;
constexpr GLuint64 forever = ~GLuint64{0};

// Converts OpenGL's RGBA with the bottom row first to Pixels.
Pixels turn(std::span<const std::byte> rgba, int width, int height)
{
    const auto columns = static_cast<std::size_t>(width);
    const auto rows = static_cast<std::size_t>(height);
    Pixels pixels{width, height, std::vector<std::uint8_t>(3 * columns * rows)};
    for (std::size_t row = 0; row < rows; ++row) {
        const std::byte* from = rgba.data() + 4 * columns * (rows - 1 - row);
        std::uint8_t* to = pixels.rgb.data() + 3 * columns * row;
        for (std::size_t column = 0; column < columns; ++column, from += 4, to += 3) {
            to[0] = static_cast<std::uint8_t>(from[0]);
            to[1] = static_cast<std::uint8_t>(from[1]);
            to[2] = static_cast<std::uint8_t>(from[2]);
        }
    }
    return pixels;
}

std::size_t bytes_of(const PixelRect& part)
{
    return 4 * static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
}

void read(GLuint framebuffer, const PixelRect& part, void* to)
{
    GLint bound = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &bound);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(part.x, part.y, part.width, part.height, GL_RGBA, GL_UNSIGNED_BYTE, to);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(bound));
    gl::check();
}

} // namespace

Pixels read_pixels(GLuint framebuffer, const PixelRect& part)
{
    std::vector<std::byte> rgba(bytes_of(part));
    read(framebuffer, part, rgba.data());
    return turn(rgba, part.width, part.height);
}

PixelReader::~PixelReader()
{
    for (const Read& read : reads_) glDeleteSync(read.fence);
}

void PixelReader::request(GLuint framebuffer, const PixelRect& part)
{
    std::erase_if(spare_, [&](const gl::MappedBuffer& buffer) {
        return buffer.memory().size() != bytes_of(part);
    });
    if (spare_.empty()) spare_.emplace_back(bytes_of(part), gl::MappedBuffer::Access::read);
    gl::MappedBuffer buffer = std::move(spare_.back());
    spare_.pop_back();
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer.id());
    read(framebuffer, part, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    reads_.push_back({std::move(buffer), glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0), part.width,
                      part.height});
}

std::optional<Pixels> PixelReader::poll()
{
    if (reads_.empty()) return std::nullopt;
    const bool full = reads_.size() >= max_in_flight;
    const GLenum state =
        glClientWaitSync(reads_.front().fence, GL_SYNC_FLUSH_COMMANDS_BIT, full ? forever : 0);
    if (state == GL_TIMEOUT_EXPIRED) return std::nullopt;
    return take();
}

std::optional<Pixels> PixelReader::wait()
{
    if (reads_.empty()) return std::nullopt;
    glClientWaitSync(reads_.front().fence, GL_SYNC_FLUSH_COMMANDS_BIT, forever);
    return take();
}

Pixels PixelReader::take()
{
    Read read = std::move(reads_.front());
    reads_.pop_front();
    glDeleteSync(read.fence);
    Pixels pixels = turn(read.buffer.memory(), read.width, read.height);
    spare_.push_back(std::move(read.buffer));
    return pixels;
}

} // namespace lanescope::render
