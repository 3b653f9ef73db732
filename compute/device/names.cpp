// Names and sizes of the device interface's enums.
#include "compute/device/device.h"

namespace lanescope::device {

std::string_view name(Engine engine)
{
    return engine == Engine::cuda ? "cuda" : "simt";
}

int channels(Format format)
{
    switch (format) {
    case Format::r8:
    case Format::r32f: return 1;
    case Format::rg32f: return 2;
    case Format::rgba8:
    case Format::rgba32f: return 4;
    }
    return 0;
}

int bytes_per_pixel(Format format)
{
    const bool bytes = format == Format::r8 || format == Format::rgba8;
    return channels(format) * (bytes ? 1 : 4);
}

} // namespace lanescope::device
