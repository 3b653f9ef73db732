// Non-float 32-bit values are stored bit for bit, which works as long as they are not filtered.
#include "compute/runtime/reporting/image_formats.h"

namespace lanescope::runtime {

namespace {

device::AddressMode mode_of(cudaTextureAddressMode mode)
{
    switch (mode) {
    case cudaAddressModeWrap: return device::AddressMode::wrap;
    case cudaAddressModeMirror: return device::AddressMode::mirror;
    case cudaAddressModeBorder: return device::AddressMode::border;
    default: return device::AddressMode::clamp;
    }
}

} // namespace

bool format_of(const cudaChannelFormatDesc& channels, device::Format& format)
{
    const int count = (channels.x > 0) + (channels.y > 0) + (channels.z > 0) + (channels.w > 0);
    if (channels.x == 8 && channels.f == cudaChannelFormatKindUnsigned &&
        (count == 1 || count == 4)) {
        format = count == 1 ? device::Format::r8 : device::Format::rgba8;
        return true;
    }
    if (channels.x == 32 && (count == 1 || count == 2 || count == 4)) {
        format = count == 1   ? device::Format::r32f
                 : count == 2 ? device::Format::rg32f
                              : device::Format::rgba32f;
        return true;
    }
    return false;
}

device::Sampling sampling_of(const cudaTextureDesc& description, device::Format format)
{
    device::Sampling sampling;
    for (std::size_t i = 0; i < 3; ++i) sampling.address[i] = mode_of(description.addressMode[i]);
    sampling.filter = description.filterMode == cudaFilterModeLinear ? device::Filter::linear
                                                                     : device::Filter::point;
    sampling.normalized_coordinates = description.normalizedCoords != 0;
    const bool bytes = format == device::Format::r8 || format == device::Format::rgba8;
    sampling.normalized_reads = bytes && description.readMode == cudaReadModeNormalizedFloat;
    // With unnormalised coordinates a GPU clamps where wrap or mirror was requested.
    if (!sampling.normalized_coordinates)
        for (auto& mode : sampling.address)
            if (mode == device::AddressMode::wrap || mode == device::AddressMode::mirror)
                mode = device::AddressMode::clamp;
    return sampling;
}

} // namespace lanescope::runtime
