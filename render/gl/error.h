// OpenGL failures as exceptions, and the driver's debug messages as a list that tests refuse to see
// filled.
#pragma once

#include <glad/gl.h>

#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include "compute/error.h"

namespace lanescope::render::gl {

class GlError : public Error {
public:
    explicit GlError(std::string cause, std::string cure = {})
        : Error(ExitStatus::device_unavailable, std::move(cause), std::move(cure))
    {
    }
};

// Throws GlError, naming the place, when OpenGL has recorded an error since the last call.
void check(std::source_location at = std::source_location::current());

// Collects what the driver says about a debug context (KHR_debug), from construction to
// destruction. The context must be current in both.
class DebugLog {
public:
    DebugLog();
    ~DebugLog();
    DebugLog(const DebugLog&) = delete;
    DebugLog& operator=(const DebugLog&) = delete;

    // Messages so far: errors, undefined behaviour and everything of high severity. The list is
    // emptied.
    std::vector<std::string> take();
    // Throws GlError with the messages, if there are any.
    void check();

private:
    // Its parameters are OpenGL's (GLDEBUGPROC).
    static void GLAD_API_PTR receive(GLenum source, GLenum type, GLuint id, GLenum severity,
                                     GLsizei length, const GLchar* text, const void* user);
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

} // namespace lanescope::render::gl
