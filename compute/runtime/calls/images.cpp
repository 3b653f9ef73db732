// Arrays, textures and surfaces. The lockstep machine stores texels as bytes or floats.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "compute/device/shaped_image.h"
#include "compute/runtime/reporting/image_formats.h"
#include "compute/runtime/work.h"

namespace lanescope::runtime {

namespace {

struct Array {
    cudaChannelFormatDesc channels{};
    cudaExtent extent{};
    unsigned flags = 0;
    device::Format format{};
    std::size_t element_bytes = 0;
    std::shared_ptr<device::Image> image{};
    std::optional<MappedImage> mapped{}; // of a resource of OpenGL, which owns it
};
struct TextureObject {
    std::unique_ptr<device::Texture> texture;
    std::unique_ptr<device::Image> image; // over linear memory
    device::Sampling sampling{};
    cudaResourceDesc resource{};
    cudaTextureDesc description{};
};

// Size of a resource description in CUDA 12. CUDA 13's is longer, but the extra fields are not used
// here.
constexpr std::size_t description_bytes =
    offsetof(cudaResourceDesc, res) + sizeof(cudaResourceDesc{}.res.pitch2D);
static_assert(description_bytes == 64);

constexpr std::size_t texture_pitch_alignment = 32; // cudaDevAttrTexturePitchAlignment

cudaResourceDesc copy_of(const cudaResourceDesc& program)
{
    cudaResourceDesc copy{};
    std::memcpy(&copy, &program, description_bytes);
    return copy;
}

template <class T>
std::map<T*, std::unique_ptr<T>>& all()
{
    static auto* const made = new std::map<T*, std::unique_ptr<T>>;
    return *made;
}
std::map<std::uint64_t, TextureObject>& textures()
{
    static auto* const made = new std::map<std::uint64_t, TextureObject>;
    return *made;
}
std::map<std::uint64_t, cudaResourceDesc>& surfaces()
{
    static auto* const made = new std::map<std::uint64_t, cudaResourceDesc>;
    return *made;
}

Array* own(cudaArray_const_t array)
{
    auto* const known = reinterpret_cast<Array*>(const_cast<cudaArray_t>(array));
    return all<Array>().contains(known) ? known : nullptr;
}

cudaError_t missing_format(const cudaChannelFormatDesc& channels)
{
    Report::instance().missing(
        "array format",
        fmt::format(
            "The lockstep machine has no arrays with channels of {}, {}, {} and {} bits, only with "
            "one, two or four of 8, 16 or 32 bits.",
            channels.x, channels.y, channels.z, channels.w));
    return cudaErrorNotSupported;
}

bool is_valid(const cudaChannelFormatDesc& channels)
{
    const int sizes[] = {channels.x, channels.y, channels.z, channels.w};
    if (channels.x != 8 && channels.x != 16 && channels.x != 32) return false;
    bool ended = false;
    for (int size : sizes) {
        if (size == 0)
            ended = true;
        else if (ended || size != channels.x)
            return false;
    }
    return channels.z == 0 || channels.w != 0;
}

cudaError_t make_array(Machine& machine, cudaArray_t* array, const cudaChannelFormatDesc* channels,
                       cudaExtent extent, unsigned flags)
{
    if (array == nullptr || channels == nullptr || !is_valid(*channels) || extent.width == 0)
        return cudaErrorInvalidValue;
    auto made = std::make_unique<Array>();
    if (!format_of(*channels, made->format)) return missing_format(*channels);
    made->channels = *channels;
    made->extent = extent;
    made->flags = flags;
    made->element_bytes = static_cast<std::size_t>(device::bytes_per_pixel(made->format));
    device::ImageShape shape;
    shape.width = static_cast<int>(extent.width);
    shape.height = static_cast<int>(extent.height);
    if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) {
        shape.layers = static_cast<int>(extent.depth);
        shape.cube = (flags & cudaArrayCubemap) != 0;
    } else {
        shape.depth = static_cast<int>(extent.depth);
    }
    made->image = machine.simt().allocate_shaped(shape, made->format);
    Array* const handle = made.get();
    all<Array>().emplace(handle, std::move(made));
    *array = reinterpret_cast<cudaArray_t>(handle);
    return cudaSuccess;
}

// Reports a mistake with an array of a resource, whose words replace {} in the sentence.
void report_array(Machine& machine, const Array& array, trace::FindingKind kind,
                  fmt::format_string<const std::string&> sentence, const char* call)
{
    Finding finding{.kind = kind};
    finding.call = called_as(call);
    finding.site = CallSite::here();
    finding.other_site = array.mapped->site;
    finding.message =
        fmt::format("{} {}", finding.call, fmt::format(sentence, array.mapped->words));
    machine.find(std::move(finding));
}

} // namespace

bool array_info(cudaArray_const_t array, ArrayInfo& info)
{
    const Array* const known = own(array);
    if (known == nullptr) return false;
    info = {known->element_bytes, known->extent.width, known->extent.height, known->extent.depth};
    return true;
}

void read_array(Machine& machine, cudaArray_const_t array, std::vector<std::byte>& texels)
{
    const Array& known = *own(array);
    texels.resize(device::image_bytes(device::shape_of(*known.image), known.format));
    machine.simt().download(texels, *known.image);
}

void write_array(Machine& machine, cudaArray_t array, const std::vector<std::byte>& texels)
{
    machine.simt().upload(*own(array)->image, texels);
}

cudaError_t make_mapped_array(Machine& machine, const cudaChannelFormatDesc& channels,
                              cudaExtent extent, MappedImage image, cudaArray_t* array)
{
    const bool stores = (image.flags & cudaGraphicsRegisterFlagsSurfaceLoadStore) != 0;
    const cudaError_t result =
        make_array(machine, array, &channels, extent, stores ? cudaArraySurfaceLoadStore : 0);
    if (result == cudaSuccess) own(*array)->mapped = std::move(image);
    return result;
}

std::vector<std::uint64_t> drop_array(cudaArray_t array)
{
    const Array* const known = own(array);
    if (known == nullptr) return {};
    std::vector<std::uint64_t> handles{known->image->surface()};
    for (auto& [handle, texture] : textures()) {
        if (texture.resource.resType != cudaResourceTypeArray ||
            texture.resource.res.array.array != array)
            continue;
        handles.push_back(handle);
        texture.texture.reset();
    }
    all<Array>().erase(const_cast<Array*>(known));
    return handles;
}

std::optional<ImageBehind> image_owner(Machine& machine, std::uint64_t handle)
{
    ImageBehind behind;
    const device::Image* image = nullptr;
    const auto of = [&](const cudaResourceDesc& resource) {
        const Array* const array =
            resource.resType == cudaResourceTypeArray ? own(resource.res.array.array) : nullptr;
        if (array != nullptr) image = array->image.get();
    };
    if (const auto texture = textures().find(handle); texture != textures().end()) {
        behind.sampling = texture->second.sampling;
        image = texture->second.image.get();
        if (image == nullptr) of(texture->second.resource);
    } else if (const auto surface = surfaces().find(handle); surface != surfaces().end()) {
        behind.surface = true;
        of(surface->second);
    }
    if (image == nullptr) return {};
    behind.shape = device::shape_of(*image);
    behind.format = image->format();
    behind.texels.resize(device::image_bytes(behind.shape, behind.format));
    machine.simt().download(behind.texels, *image);
    return behind;
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;
using lanescope::device::Sampling;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                            std::size_t width, std::size_t height, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return make_array(machine, array, channels, {width, height, 0}, flags);
    });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                              cudaExtent extent, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return make_array(machine, array, channels, extent, flags);
    });
}
cudaError_t cudaFreeArray(cudaArray_t array)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        if (array == nullptr) return cudaSuccess;
        if (own(array) == nullptr) return cudaErrorInvalidResourceHandle;
        if (own(array)->mapped) {
            report_array(machine, *own(array), "invalid_free",
                         "frees an array of {}, which owns it. Unmap the resource instead.",
                         "cudaFreeArray");
            return cudaErrorInvalidResourceHandle;
        }
        machine.host_waits_for_device(this_thread().device);
        drop_array(array);
        return cudaSuccess;
    });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Array* const known = own(array);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        if (channels != nullptr) *channels = known->channels;
        if (extent != nullptr) *extent = known->extent;
        if (flags != nullptr) *flags = known->flags;
        return cudaSuccess;
    });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array)
{
    return call(Call::queues, __func__, [&](Machine&) {
        const Array* const known = own(array);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        if (channels == nullptr) return cudaErrorInvalidValue;
        *channels = known->channels;
        return cudaSuccess;
    });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc*)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (object == nullptr || resource == nullptr || description == nullptr)
            return cudaErrorInvalidValue;
        TextureObject made;
        made.resource = copy_of(*resource);
        made.description = *description;
        const lanescope::device::Image* image = nullptr;
        lanescope::device::Format format{};
        if (resource->resType == cudaResourceTypeArray) {
            const Array* const array = own(resource->res.array.array);
            if (array == nullptr) return cudaErrorInvalidResourceHandle;
            if (array->mapped &&
                (array->mapped->flags & cudaGraphicsRegisterFlagsWriteDiscard) != 0)
                report_array(machine, *array, "discarded_resource",
                             "makes a texture of {}, whose contents are undefined after the map: "
                             "its write-discard flag says that CUDA will not read it. Leave that "
                             "flag out.",
                             "cudaCreateTextureObject");
            image = array->image.get();
            format = array->format;
        } else if (resource->resType == cudaResourceTypeLinear ||
                   resource->resType == cudaResourceTypePitch2D) {
            const bool flat = resource->resType == cudaResourceTypeLinear;
            const auto& channels = flat ? resource->res.linear.desc : resource->res.pitch2D.desc;
            if (!format_of(channels, format)) return missing_format(channels);
            const auto element =
                static_cast<std::size_t>(lanescope::device::bytes_per_pixel(format));
            void* const pointer = flat ? resource->res.linear.devPtr : resource->res.pitch2D.devPtr;
            const std::size_t width =
                flat ? resource->res.linear.sizeInBytes / element : resource->res.pitch2D.width;
            const std::size_t height = flat ? 0 : resource->res.pitch2D.height;
            const std::size_t pitch = flat ? width * element : resource->res.pitch2D.pitchInBytes;
            if (!flat &&
                (height == 0 || pitch < width * element || pitch % texture_pitch_alignment != 0))
                return cudaErrorInvalidValue;
            const std::size_t bytes =
                (std::max<std::size_t>(height, 1) - 1) * pitch + width * element;
            if (machine.find(pointer) == nullptr) return cudaErrorInvalidValue;
            const std::span<std::byte> texels{machine.bytes_of(pointer, bytes), bytes};
            made.image =
                pitch == width * element
                    ? machine.simt().adopt_image(texels, static_cast<int>(width),
                                                 static_cast<int>(height), format)
                    : machine.simt().adopt_pitched(texels, static_cast<int>(width),
                                                   static_cast<int>(height), pitch, format);
            image = made.image.get();
        } else {
            Report::instance().missing("mipmapped textures",
                                       "Mipmapped textures are not supported for programs.");
            return cudaErrorNotSupported;
        }
        const Sampling sampling = sampling_of(*description, format);
        made.texture = machine.simt().texture(*image, sampling);
        made.sampling = sampling;
        *object = made.texture->handle();
        textures()[*object] = std::move(made);
        return cudaSuccess;
    });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return object == 0 || textures().erase(object) == 1 ? cudaSuccess : cudaErrorInvalidValue;
    });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (resource == nullptr || !textures().contains(object)) return cudaErrorInvalidValue;
        std::memcpy(resource, &textures()[object].resource, description_bytes);
        return cudaSuccess;
    });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t object)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (description == nullptr || !textures().contains(object)) return cudaErrorInvalidValue;
        *description = textures()[object].description;
        return cudaSuccess;
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
        if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidChannelDescriptor;
        const Array* const array = own(resource->res.array.array);
        if (array == nullptr) return cudaErrorInvalidResourceHandle;
        if (array->mapped &&
            (array->mapped->flags & cudaGraphicsRegisterFlagsSurfaceLoadStore) == 0) {
            report_array(machine, *array, "resource_access",
                         "makes a surface of {}, which is not registered for that. Register it "
                         "with cudaGraphicsRegisterFlagsSurfaceLoadStore.",
                         "cudaCreateSurfaceObject");
            return cudaErrorInvalidValue;
        }
        *object = array->image->surface();
        surfaces()[*object] = copy_of(*resource);
        return cudaSuccess;
    });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return object == 0 || surfaces().erase(object) == 1 ? cudaSuccess : cudaErrorInvalidValue;
    });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (resource == nullptr || !surfaces().contains(object)) return cudaErrorInvalidValue;
        std::memcpy(resource, &surfaces()[object], description_bytes);
        return cudaSuccess;
    });
}

} // extern "C"
