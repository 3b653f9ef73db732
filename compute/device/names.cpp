// Names and sizes of the device interface's enums.
#include "compute/device/device.h"

namespace lanescope::device {

std::string_view name(Engine engine)
{
    return engine == Engine::cuda ? "cuda" : "simt";
}

int channels(Format format)
{
    return channels_of(format).count;
}

int bytes_per_pixel(Format format)
{
    const Channels channels = channels_of(format);
    return channels.count * channels.bytes;
}

} // namespace lanescope::device
