// Names and sizes of the device interface's enums.
#include "compute/device/formats.h"

namespace lanescope::device {

std::string_view name(Engine engine)
{
    return engine == Engine::cuda ? "cuda" : "simt";
}

int channels(Format format)
{
    return row_of(format).channels;
}

int bytes_per_pixel(Format format)
{
    return row_of(format).channels * row_of(format).channel_bytes;
}

} // namespace lanescope::device
