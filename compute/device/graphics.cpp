// Keeps the maker of Graphics, which needs OpenGL and is therefore given by the application.
#include "compute/device/graphics.h"

#include <utility>

namespace lanescope::device {
namespace {

GraphicsMaker& the_maker()
{
    static GraphicsMaker maker;
    return maker;
}

} // namespace

void make_graphics_with(GraphicsMaker maker)
{
    the_maker() = std::move(maker);
}

GraphicsChoice graphics_of(Device& device)
{
    if (device.engine() == Engine::simt)
        return {nullptr, "The simulator has no clock, and draws nothing: it counts the calls."};
    if (!the_maker()) return {nullptr, "This program runs steps without OpenGL."};
    try {
        return the_maker()(device);
    } catch (const Error& error) {
        return {nullptr, error.what()};
    }
}

} // namespace lanescope::device
