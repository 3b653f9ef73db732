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
    using enum device::Format;
    const int count = (channels.x > 0) + (channels.y > 0) + (channels.z > 0) + (channels.w > 0);
    if (count != 1 && count != 2 && count != 4) return false;
    const auto one_of = [&](device::Format one, device::Format two, device::Format four) {
        format = count == 1 ? one : count == 2 ? two : four;
        return true;
    };
    const bool has_sign = channels.f == cudaChannelFormatKindSigned;
    const bool is_integer = has_sign || channels.f == cudaChannelFormatKindUnsigned;
    switch (channels.x) {
    case 8:
        if (!is_integer) return false;
        return has_sign ? one_of(r8s, rg8s, rgba8s) : one_of(r8, rg8, rgba8);
    case 16:
        if (!is_integer) return one_of(r16f, rg16f, rgba16f);
        return has_sign ? one_of(r16s, rg16s, rgba16s) : one_of(r16, rg16, rgba16);
    case 32: return one_of(r32f, rg32f, rgba32f);
    default: return false;
    }
}

device::Sampling sampling_of(const cudaTextureDesc& description, device::Format format)
{
    device::Sampling sampling;
    for (std::size_t i = 0; i < 3; ++i) sampling.address[i] = mode_of(description.addressMode[i]);
    sampling.filter = description.filterMode == cudaFilterModeLinear ? device::Filter::linear
                                                                     : device::Filter::point;
    sampling.normalized_coordinates = description.normalizedCoords != 0;
    sampling.normalized_reads = device::channels_of(format).are_integers() &&
                                description.readMode == cudaReadModeNormalizedFloat;
    // With unnormalised coordinates a GPU clamps where wrap or mirror was requested.
    if (!sampling.normalized_coordinates)
        for (auto& mode : sampling.address)
            if (mode == device::AddressMode::wrap || mode == device::AddressMode::mirror)
                mode = device::AddressMode::clamp;
    return sampling;
}

} // namespace lanescope::runtime
