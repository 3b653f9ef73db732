// Strings of the current context, and how to tell software from hardware.
#include "render/context/context_info.h"

#include <glad/gl.h>

#include <array>
#include <string_view>

namespace lanescope::render {
namespace {

std::string text(GLenum what)
{
    const auto* bytes = reinterpret_cast<const char*>(glGetString(what));
    return bytes == nullptr ? std::string("unknown") : std::string(bytes);
}

} // namespace

ContextInfo describe_context(std::string route)
{
    ContextInfo info{text(GL_VENDOR), text(GL_RENDERER), text(GL_VERSION), std::move(route), false};
    for (const std::string_view rasteriser :
         {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software"})
        info.software |= info.renderer.find(rasteriser) != std::string::npos;
    return info;
}

} // namespace lanescope::render
