// Arrays, mipmapped arrays, textures and surfaces.
#include <algorithm>
#include <bit>
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
    bool level = false;                  // level of a mipmapped array, which owns it
    std::optional<MappedImage> mapped{}; // part of an OpenGL resource, which owns it
};
struct Mipmap {
    Array whole;
    std::vector<std::unique_ptr<Array>> levels; // created when the program asks for them
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
    if (all<Array>().contains(known)) return known;
    for (const auto& [handle, mipmap] : all<Mipmap>())
        for (const auto& level : mipmap->levels)
            if (level.get() == known) return known;
    return nullptr;
}

Mipmap* own(cudaMipmappedArray_const_t mipmap)
{
    auto* const known = reinterpret_cast<Mipmap*>(const_cast<cudaMipmappedArray_t>(mipmap));
    return all<Mipmap>().contains(known) ? known : nullptr;
}

cudaError_t missing_format(const cudaChannelFormatDesc& channels)
{
    Report::instance().missing(
        "array format",
        fmt::format("The lockstep machine has no arrays with channels of {}, {}, {} and {} bits of "
                    "kind {}, only with one, two or four integers of 8, 16 or 32 bits or floats of "
                    "16 or 32.",
                    channels.x, channels.y, channels.z, channels.w, static_cast<int>(channels.f)));
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

// Creates the texels of an array or, with several levels, of a mipmapped array.
cudaError_t make_texels(Machine& machine, Array& made, const cudaChannelFormatDesc* channels,
                        cudaExtent extent, unsigned flags, int levels)
{
    if (channels == nullptr || !is_valid(*channels) || extent.width == 0)
        return cudaErrorInvalidValue;
    if (!format_of(*channels, made.format)) return missing_format(*channels);
    made.channels = *channels;
    made.extent = extent;
    made.flags = flags;
    made.element_bytes = static_cast<std::size_t>(device::bytes_per_pixel(made.format));
    device::ImageShape shape;
    shape.levels = levels;
    shape.width = static_cast<int>(extent.width);
    shape.height = static_cast<int>(extent.height);
    if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) {
        shape.layers = static_cast<int>(extent.depth);
        shape.cube = (flags & cudaArrayCubemap) != 0;
    } else {
        shape.depth = static_cast<int>(extent.depth);
    }
    if (levels > 1 && shape.depth > 0) {
        Report::instance().missing("three-dimensional mipmapped arrays",
                                   "Three-dimensional arrays have only one level here.");
        return cudaErrorNotSupported;
    }
    made.image = machine.simt().allocate_shaped(shape, made.format);
    return cudaSuccess;
}

cudaError_t make_array(Machine& machine, cudaArray_t* array, const cudaChannelFormatDesc* channels,
                       cudaExtent extent, unsigned flags)
{
    if (array == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<Array>();
    const cudaError_t result = make_texels(machine, *made, channels, extent, flags, 1);
    if (result != cudaSuccess) return result;
    Array* const handle = made.get();
    all<Array>().emplace(handle, std::move(made));
    *array = reinterpret_cast<cudaArray_t>(handle);
    return cudaSuccess;
}

// Reports a mistake with a mapped array; the resource's description replaces {} in the sentence.
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

// Invalidates the textures of an array or mipmapped array, and adds their handles to `handles`.
void drop_textures(const void* array, std::vector<std::uint64_t>& handles)
{
    for (auto& [handle, texture] : textures()) {
        const cudaResourceDesc& is = texture.resource;
        const bool uses =
            (is.resType == cudaResourceTypeArray && is.res.array.array == array) ||
            (is.resType == cudaResourceTypeMipmappedArray && is.res.mipmap.mipmap == array);
        if (!uses) continue;
        handles.push_back(handle);
        texture.texture.reset();
    }
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
    drop_textures(array, handles);
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
        const Mipmap* const mipmap = resource.resType == cudaResourceTypeMipmappedArray
                                         ? own(resource.res.mipmap.mipmap)
                                         : nullptr;
        if (mipmap != nullptr) image = mipmap->whole.image.get();
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
        if (own(array) == nullptr || own(array)->level) return cudaErrorInvalidResourceHandle;
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

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmap,
                                     const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned levels, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (mipmap == nullptr || levels == 0) return cudaErrorInvalidValue;
        // The last level is one texel; further levels are dropped.
        const auto sizes = static_cast<unsigned>(std::bit_width(
            std::max({extent.width, extent.height,
                      (flags & cudaArrayLayered) != 0 ? std::size_t{0} : extent.depth})));
        auto made = std::make_unique<Mipmap>();
        const cudaError_t result = make_texels(machine, made->whole, channels, extent, flags,
                                               static_cast<int>(std::min(levels, sizes)));
        if (result != cudaSuccess) return result;
        made->levels.resize(std::min(levels, sizes));
        Mipmap* const handle = made.get();
        all<Mipmap>().emplace(handle, std::move(made));
        *mipmap = reinterpret_cast<cudaMipmappedArray_t>(handle);
        return cudaSuccess;
    });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t mipmap,
                                       unsigned level)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        Mipmap* const known = own(mipmap);
        if (known == nullptr) return cudaErrorInvalidResourceHandle;
        if (array == nullptr || level >= known->levels.size()) return cudaErrorInvalidValue;
        std::unique_ptr<Array>& made = known->levels[level];
        if (!made) {
            made = std::make_unique<Array>(known->whole);
            made->image = machine.simt().adopt_level(*known->whole.image, static_cast<int>(level));
            const auto halved = [&](std::size_t size) {
                return size == 0 ? size : std::max<std::size_t>(size >> level, 1);
            };
            made->extent.width = halved(known->whole.extent.width);
            made->extent.height = halved(known->whole.extent.height);
            made->level = true;
        }
        *array = reinterpret_cast<cudaArray_t>(made.get());
        return cudaSuccess;
    });
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        if (mipmap == nullptr) return cudaSuccess;
        if (own(mipmap) == nullptr) return cudaErrorInvalidResourceHandle;
        machine.host_waits_for_device(this_thread().device);
        std::vector<std::uint64_t> handles;
        drop_textures(mipmap, handles);
        for (const auto& level : own(mipmap)->levels)
            if (level) drop_textures(level.get(), handles);
        all<Mipmap>().erase(own(mipmap));
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
            const Mipmap* const mipmap = own(resource->res.mipmap.mipmap);
            if (mipmap == nullptr) return cudaErrorInvalidResourceHandle;
            image = mipmap->whole.image.get();
            format = mipmap->whole.format;
            // Refused as on a GPU, since the levels have different sizes in texels.
            if (!description->normalizedCoords) return cudaErrorInvalidValue;
        }
        if (description->sRGB != 0)
            Report::instance().missing(
                "sRGB textures",
                "Textures with sRGB set are read without the conversion from sRGB.");
        Sampling sampling = sampling_of(*description, format);
        // Outside linear memory zero is read, whatever the address mode says (seen on an H200).
        if (resource->resType == cudaResourceTypeLinear) {
            sampling.address.fill(lanescope::device::AddressMode::border);
            sampling.border = {};
        }
        made.texture =
            machine.simt().shaped_texture(*image, sampling,
                                          description->mipmapFilterMode == cudaFilterModeLinear
                                              ? lanescope::device::Filter::linear
                                              : lanescope::device::Filter::point);
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
