// Buffers are copied when they are mapped, textures when the program asks for their arrays.
#include "compute/runtime/graphics.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "compute/runtime/graphics/opengl.h"
#include "compute/runtime/work.h"

namespace lanescope::runtime::graphics {

namespace {

constexpr unsigned read_only = cudaGraphicsRegisterFlagsReadOnly;
constexpr unsigned write_discard = cudaGraphicsRegisterFlagsWriteDiscard;
constexpr unsigned load_store = cudaGraphicsRegisterFlagsSurfaceLoadStore;
constexpr unsigned image_flags =
    read_only | write_discard | load_store | cudaGraphicsRegisterFlagsTextureGather;
static_assert(read_only == cudaGraphicsMapFlagsReadOnly &&
              write_discard == cudaGraphicsMapFlagsWriteDiscard);

// One image of a mapped texture, copied when the program asks for its array.
struct Part {
    gl::ImagePart image{};
    cudaArray_t array = nullptr;
    std::vector<std::byte> before{}; // contents in OpenGL before it was mapped
};

struct Resource {
    unsigned name = 0;   // OpenGL's name of the object
    unsigned target = 0; // of an image; 0 for a buffer
    unsigned flags = 0, map_flags = 0;
    gl::BufferState buffer{}; // at registration
    gl::ImageState image{};
    gl::TexelFormat format{};
    gl::CurrentContext context{};
    const Context* cuda_context = nullptr;
    CallSite site{};        // where it was registered
    bool by_driver = false; // registered through the driver API
    int maps = 0;

    bool mapped = false;
    CallSite map_site{};
    std::uint64_t address = 0; // of a mapped buffer
    std::vector<std::byte> before{};
    trace::Touched::Range written{}; // written by CUDA since the map
    std::vector<Part> parts{};

    bool is_image() const { return target != 0; }
    unsigned access() const { return flags | map_flags; }
    std::string words() const
    {
        if (!is_image()) return fmt::format("OpenGL buffer {} ({} bytes)", name, buffer.bytes);
        const char* const kind = target == gl::renderbuffer ? "renderbuffer" : "texture";
        return fmt::format("OpenGL {} {} ({}, {} x {}{})", kind, name,
                           gl::format_name(image.format), image.width, image.height,
                           image.depth > 0 ? fmt::format(" x {}", image.depth) : "");
    }
};

// Addresses or a handle that were valid while a resource was mapped.
struct Past {
    std::uint64_t begin = 0, end = 0;
    const Resource* resource = nullptr; // may have been destroyed: for comparison only
    std::string words;
    std::string unmapped_by;
    CallSite site{}; // where it was unmapped
    bool is_buffer = false;
};

// Consecutive registrations of an object that did not change between them.
struct Repeats {
    int count = 0;
    gl::BufferState buffer{};
    gl::ImageState image{};
};

struct State {
    std::map<const Resource*, std::unique_ptr<Resource>> resources;
    std::vector<const Resource*> in_order; // in the order of their registration
    std::deque<Past> past;
    std::map<std::tuple<unsigned, unsigned, const void*>, Repeats> repeats;
};

std::atomic<int> mapped_resources = 0; // readable without the machine's lock

State& state()
{
    static auto* const made = new State; // never destroyed: used during process exit
    return *made;
}

Resource* own(cudaGraphicsResource_t handle)
{
    const auto found = state().resources.find(reinterpret_cast<const Resource*>(handle));
    return found == state().resources.end() ? nullptr : found->second.get();
}

// "cudaGraphicsMapResources", or the driver API's name if the program uses that API.
std::string function(std::string_view name)
{
    return fmt::format("{}{}", this_thread().driver_call == nullptr ? "cuda" : "cu", name);
}

// Returns the flag's name in the API that the program uses.
std::string flag_name(std::string_view runtime, std::string_view driver)
{
    return this_thread().driver_call == nullptr ? fmt::format("cudaGraphics{}", runtime)
                                                : fmt::format("CU_GRAPHICS_{}", driver);
}

void report(Machine& machine, trace::FindingKind kind, std::string message, const char* call,
            const CallSite* other = nullptr)
{
    Finding finding{.kind = kind, .message = std::move(message)};
    finding.call = called_as(call);
    finding.site = CallSite::here();
    if (other != nullptr) finding.other_site = *other;
    machine.find(std::move(finding));
}

// Reports an OpenGL object that has changed since its registration.
cudaError_t check_object(Machine& machine, const Resource& resource, const char* call)
{
    const char* const name = called_as(call);
    const CallSite* const registered_at = &resource.site;
    if (const cudaError_t failed = check_context(machine, call); failed != cudaSuccess)
        return failed;
    const bool other_context = gl::current_context() != resource.context;
    const std::string registering =
        function(resource.is_image() ? "GraphicsGLRegisterImage" : "GraphicsGLRegisterBuffer");
    const auto wrong = [&](std::string_view sentence) {
        report(machine, "gl_object", fmt::format("{}: {} {}", name, resource.words(), sentence),
               call, registered_at);
        return cudaErrorUnknown;
    };
    const gl::BufferState buffer =
        resource.is_image() ? gl::BufferState{} : gl::buffer_state(resource.name);
    const gl::ImageState image =
        resource.is_image() ? gl::image_state(resource.name, resource.target) : gl::ImageState{};
    const bool exists = buffer.exists || image.exists;
    if (!exists && other_context) {
        report(machine, "gl_context",
               fmt::format("{}: {} was registered with another OpenGL context, and the one that is "
                           "current on this thread does not share its objects. Make that context "
                           "current first.",
                           name, resource.words()),
               call, registered_at);
        return cudaErrorInvalidGraphicsContext;
    }
    if (!exists)
        return wrong(fmt::format("was deleted in OpenGL {}. Call {} before deleting it.",
                                 resource.mapped ? "while it was mapped" : "since registration",
                                 function("GraphicsUnregisterResource")));
    if (buffer.bytes != resource.buffer.bytes)
        return wrong(fmt::format("now has {} bytes: OpenGL gave it new memory {}. Unregister it "
                                 "before glBufferData, then call {} again.",
                                 buffer.bytes,
                                 resource.mapped ? "while it was mapped" : "since registration",
                                 registering));
    if (resource.is_image() && !image.has_memory_of(resource.image))
        return wrong(fmt::format("is now {}, {} x {}: OpenGL gave it new memory {}. Unregister "
                                 "it before glTexImage2D, then call {} again.",
                                 gl::format_name(image.format), image.width, image.height,
                                 resource.mapped ? "while it was mapped" : "since registration",
                                 registering));
    if (buffer.is_mapped) return wrong("is mapped by glMapBuffer. Call glUnmapBuffer first.");
    return cudaSuccess;
}

// Warns if the program registers the same object again and again.
void count_registration(Machine& machine, const Resource& resource, const char* call)
{
    constexpr int too_many = 4;
    Repeats& repeats = state().repeats[{resource.name, resource.target, resource.context.handle}];
    const bool same = repeats.buffer.bytes == resource.buffer.bytes &&
                      repeats.image.has_memory_of(resource.image);
    repeats.count = same ? repeats.count + 1 : 1;
    repeats.buffer = resource.buffer;
    repeats.image = resource.image;
    if (repeats.count != too_many) return;
    report(
        machine, "reregistered",
        fmt::format("{} registers {} for the {}th time, and each registration was mapped once or "
                    "never. A GPU waits for all its work to register, but maps in microseconds: "
                    "register once, and map it every frame.",
                    called_as(call), resource.words(), too_many),
        call);
}

cudaError_t add(Machine& machine, cudaGraphicsResource_t* handle,
                std::unique_ptr<Resource> resource, const char* call)
{
    resource->context = gl::current_context();
    resource->cuda_context = &current_context();
    resource->site = CallSite::here();
    resource->by_driver = this_thread().driver_call != nullptr;
    count_registration(machine, *resource, call);
    Resource* const made = resource.get();
    state().resources.emplace(made, std::move(resource));
    state().in_order.push_back(made);
    *handle = reinterpret_cast<cudaGraphicsResource_t>(made);
    return cudaSuccess;
}

void note_use(Machine& machine, Memory& memory, Stream& stream, const Clock& clock,
              const char* call)
{
    MemoryUse use{
        .begin = memory.address, .end = memory.address + memory.bytes, .touch = Touch::write};
    use.timeline = stream.timeline;
    use.tick = clock.at(stream.timeline);
    use.what = fmt::format("{} in {}", called_as(call), stream.words());
    use.site = CallSite::here();
    machine.note(memory, use, clock, called_as(call));
}

cudaError_t map_buffer(Machine& machine, Resource& resource, Stream& stream, const Clock& clock,
                       const char* call)
{
    const std::uint64_t bytes = resource.buffer.bytes;
    Memory* const memory =
        machine.allocate(bytes, MemoryKind::graphics, this_thread().device, call);
    if (memory == nullptr) return cudaErrorMapBufferObjectFailed;
    memory->flags = resource.access();
    resource.address = memory->address;
    resource.before.resize(bytes);
    gl::read_buffer(resource.name, resource.before);
    // Copied even if the map discards the contents: a GPU keeps them in memory, too.
    machine.simt().upload(memory->address, resource.before);
    resource.written = {};
    note_use(machine, *memory, stream, clock, call);
    return cudaSuccess;
}

void report_changed(Machine& machine, const Resource& resource, const char* call)
{
    report(
        machine, "mapped_resource",
        fmt::format("{} changed in OpenGL while it was mapped for CUDA; what CUDA wrote replaces "
                    "the change. Call {} before OpenGL uses it.",
                    resource.words(), function("GraphicsUnmapResources")),
        call, &resource.map_site);
}

void unmap_buffer(Machine& machine, Resource& resource, const char* call)
{
    const auto written = machine.simt().bytes(resource.address, resource.buffer.bytes);
    std::vector<std::byte> held(written.size());
    gl::read_buffer(resource.name, held);
    if (held != resource.before) report_changed(machine, resource, call);
    const bool writes = (resource.access() & read_only) == 0;
    if (writes && !std::ranges::equal(written, held)) gl::write_buffer(resource.name, written);
}

void unmap_image(Machine& machine, Resource& resource, const char* call)
{
    std::vector<std::byte> texels, held;
    for (const Part& part : resource.parts) {
        read_array(machine, part.array, texels);
        held.resize(texels.size());
        gl::read_image(part.image, held);
        if (held != part.before) report_changed(machine, resource, call);
        const bool writes = texels != part.before;
        if (writes && (resource.access() & read_only) != 0)
            report(machine, "resource_access",
                   fmt::format("{} was written while mapped, but it is registered read-only: "
                               "OpenGL will not see it. Register it without {}.",
                               resource.words(),
                               flag_name("RegisterFlagsReadOnly", "REGISTER_FLAGS_READ_ONLY")),
                   call, &resource.site);
        else if (writes)
            gl::write_image(part.image, texels);
    }
}

void remember(const Resource& resource, std::uint64_t begin, std::uint64_t end, const char* call)
{
    constexpr std::size_t max_remembered = 4096;
    Past past{begin,
              end,
              &resource,
              resource.words(),
              called_as(call),
              CallSite::here(),
              !resource.is_image()};
    state().past.push_back(std::move(past));
    if (state().past.size() > max_remembered) state().past.pop_front();
}

// Ends a mapping without copying anything back.
void end_mapping(Machine& machine, Resource& resource, const char* call)
{
    if (Memory* const memory = resource.is_image() ? nullptr : machine.find(resource.address)) {
        remember(resource, memory->address, memory->address + memory->bytes, call);
        machine.release(*memory, call);
    }
    for (const Part& part : resource.parts)
        for (const std::uint64_t handle : drop_array(part.array))
            remember(resource, handle, handle + 1, call);
    resource.parts.clear();
    resource.before.clear();
    mapped_resources -= resource.mapped ? 1 : 0;
    resource.mapped = false;
    resource.address = 0;
}

cudaError_t check_handles(int count, cudaGraphicsResource_t* resources, const Stream& stream)
{
    if (count <= 0 || resources == nullptr) return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i)
        if (own(resources[i]) == nullptr) return cudaErrorInvalidResourceHandle;
    return stream.capture != nullptr ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

void report_not_mapped(Machine& machine, const Resource& resource, std::string_view verb,
                       const char* call)
{
    report(machine, "unmapped_resource",
           fmt::format("{} {} {}, which is not mapped. Call {} first.", called_as(call), verb,
                       resource.words(), function("GraphicsMapResources")),
           call, &resource.site);
}

// Returns why an image cannot be registered; empty if it can.
std::string refusal(const gl::ImageState& image)
{
    if (image.samples > 0)
        return fmt::format("it has {} samples per pixel. Resolve it into a texture with "
                           "glBlitFramebuffer, and register that.",
                           image.samples);
    if (gl::texel_format(image.format)) return {};
    const std::string four = gl::four_channel_name(image.format);
    if (!four.empty())
        return fmt::format("{} has three channels, and CUDA reads one, two or four. Use {}.",
                           gl::format_name(image.format), four);
    return fmt::format("CUDA cannot read the format {}. Use one of GL_R, GL_RG and GL_RGBA with 8, "
                       "16, 16F or 32F, or integers (8UI, 32I, …).",
                       gl::format_name(image.format));
}

} // namespace

cudaError_t check_context(Machine& machine, const char* call)
{
    if (gl::current_context()) return cudaSuccess;
    report(machine, "gl_context",
           fmt::format("{} needs an OpenGL context that is current on this thread, and there is "
                       "none. Create one and make it current here first (glutCreateWindow, "
                       "glfwMakeContextCurrent, eglMakeCurrent).",
                       called_as(call)),
           call);
    return cudaErrorInvalidGraphicsContext;
}

cudaError_t register_buffer(Machine& machine, cudaGraphicsResource_t* handle, unsigned buffer,
                            unsigned flags, const char* call)
{
    if (handle == nullptr || (flags & ~(read_only | write_discard)) != 0)
        return cudaErrorInvalidValue;
    if (const cudaError_t failed = check_context(machine, call); failed != cudaSuccess)
        return failed;
    auto made = std::make_unique<Resource>();
    made->name = buffer;
    made->flags = flags;
    made->buffer = gl::buffer_state(buffer);
    if (!made->buffer.exists || made->buffer.bytes == 0) {
        report(
            machine, "gl_object",
            fmt::format("{}: OpenGL buffer {} {} first.", called_as(call), buffer,
                        made->buffer.exists
                            ? "has no memory yet. Call glBufferData"
                            : "does not exist. Call glGenBuffers, glBindBuffer and glBufferData"),
            call);
        return cudaErrorInvalidValue;
    }
    return add(machine, handle, std::move(made), call);
}

cudaError_t register_image(Machine& machine, cudaGraphicsResource_t* handle, unsigned image,
                           unsigned target, unsigned flags, const char* call)
{
    if (handle == nullptr || (flags & ~image_flags) != 0) return cudaErrorInvalidValue;
    if (const cudaError_t failed = check_context(machine, call); failed != cudaSuccess)
        return failed;
    const char* const name = called_as(call);
    if (gl::target_name(target).empty()) {
        report(machine, "resource_format",
               fmt::format("{} cannot share textures of target {:#x}. Take GL_TEXTURE_2D, "
                           "GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, "
                           "GL_TEXTURE_2D_ARRAY or GL_RENDERBUFFER.",
                           name, target),
               call);
        return cudaErrorInvalidValue;
    }
    if (gl::is_embedded()) {
        Report::instance().missing(
            name, "The lockstep machine shares textures with OpenGL only, not with "
                  "OpenGL ES. Share a buffer, and copy it with glTexSubImage2D.");
        return cudaErrorNotSupported;
    }
    auto made = std::make_unique<Resource>();
    made->name = image;
    made->target = target;
    made->flags = flags;
    made->image = gl::image_state(image, target);
    if (!made->image.exists || made->image.width == 0) {
        report(machine, "gl_object",
               fmt::format("{}: OpenGL has no image {} of target {}{}", name, image,
                           gl::target_name(target),
                           made->image.exists
                               ? " with memory. Call glTexImage2D or glTexStorage2D first."
                               : ". Pass the target to which it was bound first."),
               call);
        return cudaErrorInvalidValue;
    }
    if (const std::string why = refusal(made->image); !why.empty()) {
        report(machine, "resource_format",
               fmt::format("{} cannot register {}: {}", name, made->words(), why), call);
        return cudaErrorInvalidValue;
    }
    made->format = *gl::texel_format(made->image.format);
    return add(machine, handle, std::move(made), call);
}

cudaError_t unregister(Machine& machine, cudaGraphicsResource_t handle, const char* call)
{
    Resource* const resource = own(handle);
    if (resource == nullptr) return cudaErrorInvalidResourceHandle;
    if (resource->mapped) {
        report(machine, "mapped_resource",
               fmt::format("{} is given {}, which is mapped. Call {} first.", called_as(call),
                           resource->words(), function("GraphicsUnmapResources")),
               call, &resource->map_site);
        end_mapping(machine, *resource, call);
    }
    if (resource->maps > 1)
        state().repeats.erase({resource->name, resource->target, resource->context.handle});
    std::erase(state().in_order, resource);
    state().resources.erase(resource);
    return cudaSuccess;
}

cudaError_t set_map_flags(Machine& machine, cudaGraphicsResource_t handle, unsigned flags,
                          const char* call)
{
    Resource* const resource = own(handle);
    if (resource == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags > write_discard) return cudaErrorInvalidValue;
    if (resource->mapped) {
        report(
            machine, "mapped_resource",
            fmt::format("{} is given {}, which is mapped: flags apply from the next map on. Call "
                        "it before {}.",
                        called_as(call), resource->words(), function("GraphicsMapResources")),
            call, &resource->map_site);
        return cudaErrorAlreadyMapped;
    }
    resource->map_flags = flags;
    return cudaSuccess;
}

cudaError_t map(Machine& machine, int count, cudaGraphicsResource_t* handles, Stream& stream,
                const char* call)
{
    if (const cudaError_t wrong = check_handles(count, handles, stream); wrong != cudaSuccess)
        return wrong;
    for (int i = 0; i < count; ++i) {
        const Resource& resource = *own(handles[i]);
        const bool twice = std::find(handles, handles + i, handles[i]) != handles + i;
        if (resource.mapped || twice) {
            report(machine, "mapped_resource",
                   fmt::format("{} maps {}, which is mapped already. Call {} before it is mapped "
                               "again.",
                               called_as(call), resource.words(),
                               function("GraphicsUnmapResources")),
                   call, resource.mapped ? &resource.map_site : nullptr);
            return cudaErrorAlreadyMapped;
        }
        if (const cudaError_t wrong = check_object(machine, resource, call); wrong != cudaSuccess)
            return wrong;
    }
    machine.run_delayed(true);
    const Clock& clock = machine.begin_work(stream);
    for (int i = 0; i < count; ++i) {
        Resource& resource = *own(handles[i]);
        if (!resource.is_image()) {
            const cudaError_t failed = map_buffer(machine, resource, stream, clock, call);
            if (failed != cudaSuccess) return failed;
        }
        resource.mapped = true;
        ++mapped_resources;
        resource.map_site = CallSite::here();
        ++resource.maps;
    }
    return cudaSuccess;
}

cudaError_t unmap(Machine& machine, int count, cudaGraphicsResource_t* handles, Stream& stream,
                  const char* call)
{
    if (const cudaError_t wrong = check_handles(count, handles, stream); wrong != cudaSuccess)
        return wrong;
    for (int i = 0; i < count; ++i) {
        if (own(handles[i])->mapped) continue;
        report_not_mapped(machine, *own(handles[i]), "unmaps", call);
        return cudaErrorNotMapped;
    }
    machine.run_delayed(true);
    const Clock& clock = machine.begin_work(stream);
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < count; ++i) {
        Resource& resource = *own(handles[i]);
        if (!resource.mapped) continue; // listed twice in the call
        const cudaError_t wrong = check_object(machine, resource, call);
        if (wrong == cudaErrorInvalidGraphicsContext) return wrong; // the resource stays mapped
        if (Memory* const memory = resource.is_image() ? nullptr : machine.find(resource.address))
            note_use(machine, *memory, stream, clock, call);
        if (wrong != cudaSuccess)
            result = wrong;
        else if (stream.in->fault == cudaSuccess && resource.is_image())
            unmap_image(machine, resource, call);
        else if (stream.in->fault == cudaSuccess)
            unmap_buffer(machine, resource, call);
        end_mapping(machine, resource, call);
    }
    return result;
}

cudaError_t mapped_pointer(Machine& machine, void** pointer, std::size_t* bytes,
                           cudaGraphicsResource_t handle, const char* call)
{
    const Resource* const resource = own(handle);
    if (resource == nullptr) return cudaErrorInvalidResourceHandle;
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (!resource->mapped) {
        report_not_mapped(machine, *resource, "asks for the address of", call);
        return cudaErrorNotMapped;
    }
    if (resource->is_image()) {
        report(machine, "resource_access",
               fmt::format("{} is given {}, which has no address. Get its array, with {}.",
                           called_as(call), resource->words(),
                           function("GraphicsSubResourceGetMappedArray")),
               call, &resource->site);
        return cudaErrorNotMappedAsPointer;
    }
    *pointer = reinterpret_cast<void*>(resource->address);
    if (bytes != nullptr) *bytes = resource->buffer.bytes;
    return cudaSuccess;
}

cudaError_t mapped_array(Machine& machine, cudaArray_t* array, cudaGraphicsResource_t handle,
                         unsigned layer, unsigned level, const char* call)
{
    Resource* const resource = own(handle);
    if (resource == nullptr) return cudaErrorInvalidResourceHandle;
    if (array == nullptr) return cudaErrorInvalidValue;
    if (!resource->mapped) {
        report_not_mapped(machine, *resource, "asks for the array of", call);
        return cudaErrorNotMapped;
    }
    if (!resource->is_image()) {
        report(machine, "resource_access",
               fmt::format("{} is given {}, which has no array. Get its address, with {}.",
                           called_as(call), resource->words(),
                           function("GraphicsResourceGetMappedPointer")),
               call, &resource->site);
        return cudaErrorNotMappedAsArray;
    }
    const gl::ImageState& image = resource->image;
    const bool is_solid = resource->target == gl::texture_3d;
    const int layers = is_solid ? 1 : std::max(image.depth, 1);
    if (layer >= static_cast<unsigned>(layers) || level >= static_cast<unsigned>(image.levels))
        return cudaErrorInvalidValue;
    Part part;
    part.image.image = resource->name;
    part.image.target = resource->target;
    part.image.layer = static_cast<int>(layer);
    part.image.level = static_cast<int>(level);
    part.image.layers = layers;
    for (const Part& known : resource->parts)
        if (known.image.layer == part.image.layer && known.image.level == part.image.level) {
            *array = known.array;
            return cudaSuccess;
        }
    part.image.width = std::max(image.width >> level, 1);
    part.image.height = std::max(image.height >> level, 1);
    part.image.depth = is_solid ? std::max(image.depth >> level, 1) : 0;
    part.image.format = resource->format;
    const auto texels = [](int size) { return static_cast<std::size_t>(size); };
    const cudaError_t failed = make_mapped_array(
        machine, resource->format.channels,
        {texels(part.image.width), texels(part.image.height), texels(part.image.depth)},
        {resource->words(), resource->access(), resource->site}, &part.array);
    if (failed != cudaSuccess) return failed;
    read_array(machine, part.array, part.before); // sets the size of part.before
    if (!gl::read_image(part.image, part.before)) {
        Report::instance().missing(called_as(call),
                                   "This OpenGL cannot copy a renderbuffer: the lockstep machine "
                                   "needs OpenGL 3.0 or later to share one.");
        drop_array(part.array);
        return cudaErrorNotSupported;
    }
    write_array(machine, part.array, part.before);
    *array = part.array;
    resource->parts.push_back(std::move(part));
    return cudaSuccess;
}

cudaGraphicsResource_t registration_of_buffer(unsigned buffer)
{
    for (auto each = state().in_order.rbegin(); each != state().in_order.rend(); ++each)
        if (!(*each)->is_image() && (*each)->name == buffer)
            return reinterpret_cast<cudaGraphicsResource_t>(const_cast<Resource*>(*each));
    return nullptr;
}

bool any_mapped()
{
    return mapped_resources.load(std::memory_order_relaxed) > 0;
}

namespace {

// Returns a verb for the call's use of the resource; empty if it does not use it.
std::string_view use_of(const Resource& resource, OpenGlUse use, unsigned object)
{
    const auto if_buffer = [&](unsigned buffer, std::string_view words) {
        return !resource.is_image() && buffer == resource.name ? words : std::string_view();
    };
    switch (use) {
    case OpenGlUse::draw:
        if (!resource.is_image())
            return gl::draws_from_buffer(resource.name) ? "draws from" : std::string_view();
        [[fallthrough]];
    case OpenGlUse::texture:
        return resource.is_image() && gl::draws_from_texture(resource.name, resource.target)
                   ? "draws from"
                   : std::string_view();
    case OpenGlUse::unpack: return if_buffer(gl::unpack_buffer(), "reads");
    case OpenGlUse::pack: return if_buffer(gl::pack_buffer(), "writes");
    case OpenGlUse::write: return if_buffer(gl::bound_buffer(object), "writes");
    case OpenGlUse::write_named: return if_buffer(object, "writes");
    case OpenGlUse::delete_buffer: return if_buffer(object, "deletes");
    case OpenGlUse::delete_texture:
        return resource.is_image() && resource.target != gl::renderbuffer && resource.name == object
                   ? "deletes"
                   : std::string_view();
    }
    return {};
}

} // namespace

void check_use(const char* call, OpenGlUse use, unsigned object)
{
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    for (const Resource* const resource : state().in_order) {
        if (!resource->mapped || resource->cuda_context->fault != cudaSuccess) continue;
        const std::string_view verb = use_of(*resource, use, object);
        if (verb.empty()) continue;
        Finding finding{.kind = "mapped_resource"};
        finding.call = call;
        finding.site = CallSite::here();
        finding.other_site = resource->map_site;
        finding.message = fmt::format(
            "{} {} {} while it is mapped for CUDA, which leaves undefined what either sees. Call "
            "{} first.",
            call, verb, resource->words(),
            resource->by_driver ? "cuGraphicsUnmapResources" : "cudaGraphicsUnmapResources");
        machine.find(std::move(finding));
    }
}

namespace {

// The newest copies to different places of the host.
struct HostCopies {
    std::deque<HostCopy> all;
    std::map<std::pair<std::string, const void*>, int> uploads; // by call and first byte
};

std::atomic<bool> copied_to_host = false; // readable without the machine's lock

HostCopies& host_copies()
{
    static auto* const made = new HostCopies; // never destroyed: used during process exit
    return *made;
}

bool still_on_device(Machine& machine, const HostCopy& copy, const std::byte* data,
                     std::size_t bytes)
{
    const std::uint64_t from = copy.device + static_cast<std::uint64_t>(data - copy.host);
    const Memory* const memory = machine.find(from);
    if (memory == nullptr || from + bytes > memory->address + memory->bytes) return false;
    return std::ranges::equal(machine.simt().bytes(from, bytes), std::span(data, bytes));
}

} // namespace

void note_host_copy(HostCopy copy)
{
    constexpr std::size_t max_noted = 16;
    auto& all = host_copies().all;
    std::erase_if(all, [&](const HostCopy& other) { return other.host == copy.host; });
    all.push_front(std::move(copy));
    if (all.size() > max_noted) all.pop_back();
    copied_to_host.store(true, std::memory_order_relaxed);
}

bool any_host_copies()
{
    return copied_to_host.load(std::memory_order_relaxed);
}

void check_upload(const char* call, const void* data, std::size_t bytes, bool is_texture)
{
    const auto* const first = static_cast<const std::byte*>(data);
    if (first == nullptr || bytes == 0) return;
    Machine& machine = Machine::instance();
    const CallLock lock(machine);
    auto& [all, uploads] = host_copies();
    constexpr int too_many = 2;
    const std::pair<std::string, const void*> upload(call, data);
    const auto known = uploads.find(upload);
    if (known != uploads.end() && known->second == too_many) return; // has its warning
    const auto found = std::ranges::find_if(all, [&](const HostCopy& copy) {
        return first >= copy.host && first + bytes <= copy.host + copy.bytes;
    });
    if (found == all.end() || !still_on_device(machine, *found, first, bytes)) return;
    if (++uploads[upload] != too_many) return;
    const bool runtime = found->call.starts_with("cuda");
    const auto named = [&](std::string_view name) {
        return fmt::format("{}{}", runtime ? "cuda" : "cu", name);
    };
    Finding finding{.kind = "copied_through_host"};
    finding.call = call;
    finding.site = CallSite::here();
    finding.other_site = found->site;
    finding.message = fmt::format(
        "{} copies {} bytes to OpenGL that {} has copied from the device, and not for the first "
        "time: they go through the host and back. Register the {} once with {}, and between {} and "
        "{} let the kernel write its memory: then nothing is copied.",
        call, bytes, found->call, is_texture ? "texture" : "buffer",
        named(is_texture ? "GraphicsGLRegisterImage" : "GraphicsGLRegisterBuffer"),
        named("GraphicsMapResources"), named("GraphicsUnmapResources"));
    machine.find(std::move(finding));
}

void forget(const Context& context)
{
    std::vector<Resource*> gone;
    for (const auto& [key, resource] : state().resources)
        if (resource->cuda_context == &context) gone.push_back(resource.get());
    for (Resource* const resource : gone) {
        if (resource->mapped) end_mapping(Machine::instance(), *resource, "cudaDeviceReset");
        std::erase(state().in_order, resource);
        state().resources.erase(resource);
    }
}

bool explain_stale(std::uint64_t address, Finding& finding)
{
    const auto& past = state().past;
    const auto found = std::find_if(past.rbegin(), past.rend(), [&](const Past& each) {
        return address >= each.begin && address < each.end;
    });
    if (found == past.rend()) return false;
    const auto now = state().resources.find(found->resource);
    const bool mapped_again = now != state().resources.end() && now->second->mapped;
    finding.kind = "unmapped_resource";
    finding.other_site = found->site;
    finding.message += fmt::format(
        " It belonged to {} until {}. {} {} after each {}.", found->words, found->unmapped_by,
        mapped_again ? "The resource has been mapped again since then: get"
                     : "Map the resource first, and get",
        found->is_buffer ? "its address" : "its array, and make textures and surfaces of it,",
        found->unmapped_by.starts_with("cuda") ? "cudaGraphicsMapResources"
                                               : "cuGraphicsMapResources");
    return true;
}

namespace {

Finding access_finding(const LaunchRecord& record, const trace::Touched::Line& line)
{
    Finding finding{.kind = "resource_access"};
    finding.kernel = record.kernel;
    finding.launch = record.index;
    finding.file = line.file;
    finding.line = line.line;
    if (line.file.empty()) finding.site = record.site;
    return finding;
}

Resource* resource_at(std::uint64_t address)
{
    for (const auto& [key, resource] : state().resources)
        if (resource->mapped && !resource->is_image() && resource->address == address)
            return resource.get();
    return nullptr;
}

// Returns true if the launch reads contents from before the map. If the kernel's first load follows
// its first store in the PTX, it is assumed to read only its own results.
bool reads_discarded(const Resource& resource, const trace::Touched& touched)
{
    const auto is_written = [&](const trace::Touched::Range& range) {
        return !range.any() ||
               (range.begin >= resource.written.begin && range.end <= resource.written.end);
    };
    if (!is_written(touched.updated)) return true;
    const bool stores_first =
        touched.writer.ptx_line != 0 && touched.writer.ptx_line < touched.reader.ptx_line;
    return !is_written(touched.read) && !stores_first;
}

std::string read_only_words(const Resource& resource)
{
    const bool by_register = (resource.flags & read_only) != 0;
    return fmt::format("which is {} read-only: OpenGL may not see it. {} without {}.",
                       by_register ? "registered" : "mapped",
                       by_register ? "Register it" : "Map it",
                       by_register ? flag_name("RegisterFlagsReadOnly", "REGISTER_FLAGS_READ_ONLY")
                                   : flag_name("MapFlagsReadOnly", "MAP_RESOURCE_FLAGS_READ_ONLY"));
}

} // namespace

void check_access(Machine& machine, const Memory& memory, const trace::Touched& touched,
                  const LaunchRecord& record)
{
    Resource* const resource = resource_at(memory.address);
    if (resource == nullptr) return;
    const bool writes = touched.written.any() || touched.updated.any();
    if (writes && (memory.flags & read_only) != 0) {
        Finding finding = access_finding(record, touched.writer);
        finding.other_site = resource->site;
        finding.message = fmt::format("Kernel {} writes {}, {}", record.kernel, resource->words(),
                                      read_only_words(*resource));
        machine.find(std::move(finding));
    }
    if ((memory.flags & write_discard) != 0 && reads_discarded(*resource, touched)) {
        Finding finding =
            access_finding(record, touched.read.any() ? touched.reader : touched.writer);
        finding.kind = "discarded_resource";
        finding.other_site = resource->site;
        finding.message =
            fmt::format("Kernel {} reads {}, whose contents are undefined after a map: it is {} as "
                        "write-discard. Leave that flag out, or write what is read first.",
                        record.kernel, resource->words(),
                        (resource->flags & write_discard) != 0 ? "registered" : "mapped");
        machine.find(std::move(finding));
    }
    for (const auto& range : {touched.written, touched.updated})
        if (range.any()) resource->written.add(range.begin, range.end);
}

void check_write(Machine& machine, const Memory& memory, const MemoryUse& use,
                 std::string_view call)
{
    Resource* const resource = resource_at(memory.address);
    if (resource == nullptr) return;
    resource->written.add(use.begin, use.end);
    if ((memory.flags & read_only) == 0) return;
    Finding finding{.kind = "resource_access"};
    finding.call = std::string(call);
    finding.site = use.site;
    finding.other_site = resource->site;
    finding.message =
        fmt::format("{} writes {}, {}", call, resource->words(), read_only_words(*resource));
    machine.find(std::move(finding));
}

} // namespace lanescope::runtime::graphics
