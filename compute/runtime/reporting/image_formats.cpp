// Integers of 32 bits are stored bit for bit as floats, which works since they are not filtered.
#include "compute/runtime/reporting/image_formats.h"

#include <bit>

#include "compute/device/formats.h"

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
    device::ChannelKind kind{};
    switch (channels.f) {
    case cudaChannelFormatKindUnsigned: kind = device::ChannelKind::unsigned_integer; break;
    case cudaChannelFormatKindSigned: kind = device::ChannelKind::signed_integer; break;
    case cudaChannelFormatKindFloat: kind = device::ChannelKind::real; break;
    default: return false; // normalised and compressed texels
    }
    if (channels.x == 32) kind = device::ChannelKind::real;
    const auto found = device::format_with(kind, count, channels.x / 8);
    if (found) format = *found;
    return found.has_value();
}

device::Sampling sampling_of(const cudaTextureDesc& description, device::Format format)
{
    device::Sampling sampling;
    for (std::size_t i = 0; i < 3; ++i) sampling.address[i] = mode_of(description.addressMode[i]);
    sampling.filter = description.filterMode == cudaFilterModeLinear ? device::Filter::linear
                                                                     : device::Filter::point;
    sampling.normalized_coordinates = description.normalizedCoords != 0;
    sampling.normalized_reads =
        device::has_integer_channels(format) && description.readMode == cudaReadModeNormalizedFloat;
    for (std::size_t i = 0; i < sampling.border.size(); ++i)
        sampling.border[i] = std::bit_cast<std::uint32_t>(description.borderColor[i]);
    sampling.level_bias = description.mipmapLevelBias;
    sampling.lowest_level = description.minMipmapLevelClamp;
    sampling.highest_level = description.maxMipmapLevelClamp;
    // With unnormalised coordinates a GPU clamps even where wrap or mirror was requested.
    if (!sampling.normalized_coordinates)
        for (auto& mode : sampling.address)
            if (mode == device::AddressMode::wrap || mode == device::AddressMode::mirror)
                mode = device::AddressMode::clamp;
    return sampling;
}

} // namespace lanescope::runtime
