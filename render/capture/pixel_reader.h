// How a picture comes out of OpenGL: at once, or some frames later without stalling.
#pragma once

#include <glad/gl.h>

#include <deque>
#include <optional>
#include <vector>

#include "render/capture/pixels.h"
#include "render/gl/objects.h"

namespace lanescope::render {

// Waits for the drawing and reads. The framebuffer must have one sample a pixel
// (gl::Target::resolve); 0 is the window.
Pixels read_pixels(GLuint framebuffer, const PixelRect& part);

// Reads pictures without waiting for them: up to three are on their way at a time.
class PixelReader {
public:
    PixelReader() = default;
    ~PixelReader();
    PixelReader(const PixelReader&) = delete;
    PixelReader& operator=(const PixelReader&) = delete;

    // Queues a read of what has been drawn so far.
    void request(GLuint framebuffer, const PixelRect& part);
    // The oldest picture if it has arrived, or if waiting for it is better than a fourth on its
    // way.
    std::optional<Pixels> poll();
    // The oldest picture, waiting for it; nothing when none is on its way.
    std::optional<Pixels> wait();

private:
    struct Read {
        gl::MappedBuffer buffer;
        GLsync fence;
        int width;
        int height;
    };
    Pixels take();

    std::deque<Read> reads_;
    std::vector<gl::MappedBuffer> spare_;
};

} // namespace lanescope::render
