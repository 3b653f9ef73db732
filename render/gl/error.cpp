// Names of OpenGL errors, and the callback that collects debug messages.
#include "render/gl/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

namespace lanescope::render::gl {
namespace {

const char* error_name(GLenum code)
{
    switch (code) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST: return "GL_CONTEXT_LOST";
    default: return "an unknown error";
    }
}

} // namespace

void check(std::source_location at)
{
    const GLenum code = glGetError();
    if (code == GL_NO_ERROR) return;
    const std::string place =
        fmt::format("{}:{}", std::filesystem::path(at.file_name()).filename().string(), at.line());
    if (code == GL_OUT_OF_MEMORY)
        throw GlError(fmt::format("OpenGL is out of memory ({}).", place),
                      "Choose a smaller size.");
    throw GlError(fmt::format("OpenGL reports {} ({}).", error_name(code), place));
}

DebugLog::DebugLog()
{
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(receive, this);
}

DebugLog::~DebugLog()
{
    glDebugMessageCallback(nullptr, nullptr);
}

void GLAD_API_PTR DebugLog::receive(GLenum, GLenum type, GLuint id, GLenum severity, GLsizei,
                                    const GLchar* text, const void* user)
{
    const bool bad = type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR ||
                     severity == GL_DEBUG_SEVERITY_HIGH;
    if (!bad) return;
    auto& log = *static_cast<DebugLog*>(const_cast<void*>(user));
    const std::scoped_lock lock(log.mutex_);
    // An error in a frame may repeat forever, so the number of messages is limited.
    if (log.messages_.size() < 100)
        log.messages_.push_back(fmt::format("{} (message {})", text, id));
}

std::vector<std::string> DebugLog::take()
{
    const std::scoped_lock lock(mutex_);
    return std::exchange(messages_, {});
}

void DebugLog::check()
{
    const auto messages = take();
    if (!messages.empty())
        throw GlError(fmt::format("OpenGL message: {}", fmt::join(messages, "; ")));
}

} // namespace lanescope::render::gl
