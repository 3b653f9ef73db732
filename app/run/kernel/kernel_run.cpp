// Allocates everything first, then fills it, because contents may refer to later allocations.
#include "app/run/kernel/kernel_run.h"

#include <fmt/format.h>

#include <cstring>

#include "compute/device/formats.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {

struct KernelRun::Made {
    std::string name;
    const Value* value = nullptr;
    Bytes bytes; // storage of the buffer; empty: device memory
    std::unique_ptr<device::Buffer> buffer;
    std::unique_ptr<device::Image> image;
    std::unique_ptr<device::Texture> texture;
};

KernelRun::~KernelRun() = default;

KernelRun::Made* KernelRun::find(const std::string& name)
{
    for (const auto& made : made_)
        if (made->name == name) return made.get();
    return nullptr;
}

// The value that owns the image: usually itself.
KernelRun::Made& KernelRun::image_owner(Made& made)
{
    if (made.value->image_of.empty()) return made;
    Made* other = find(made.value->image_of);
    if (other == nullptr || !other->image)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("@{} is not an argument with its own image.", made.value->image_of),
            "An image can be shared only with an argument that is itself a texture or surface: "
            "give its index or its --let name.");
    return *other;
}

void KernelRun::make_buffer(Made& made, Value* taken)
{
    auto* const machine = dynamic_cast<simt::SimtDevice*>(&device_);
    if (taken == nullptr || taken->bytes.empty() || machine == nullptr) {
        made.buffer = device_.allocate(made.value->bytes.size());
        return;
    }
    made.bytes = std::move(taken->bytes);
    made.buffer = machine->adopt(made.bytes);
}

void KernelRun::make_image(Made& made)
{
    made.image = shaped_.allocate_shaped(made.value->shape, made.value->format);
    device_.upload(*made.image, made.value->bytes);
}

void KernelRun::resolve(const Value& value, Bytes& bytes)
{
    if (value.is_tensor_map && device_.engine() != device::Engine::simt)
        throw Error(ExitStatus::bad_usage,
                    "Tensor maps on the command line are only for the lockstep machine.",
                    "Use --device simt.");
    for (const Reference& reference : value.references) {
        Made* made = find(reference.name);
        if (made == nullptr || made->value->kind == Value::Kind::bytes)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("@{} is not a buffer, texture or surface.", reference.name),
                        "Name an argument by its index, from 0, or by its --let name.");
        if (!made->buffer && reference.addend != 0)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("@{} is a handle, which cannot have an offset.", reference.name),
                "Only addresses of buffers take +BYTES.");
        const std::uint64_t word = made->buffer    ? made->buffer->address() + reference.addend
                                   : made->texture ? made->texture->handle()
                                                   : image_owner(*made).image->surface();
        std::memcpy(bytes.data() + reference.offset, &word, sizeof word);
    }
}

KernelRun::KernelRun(device::Device& device, const KernelLaunch& launch)
    : KernelRun(device, launch, device.load(launch.ptx), nullptr)
{
}

KernelRun::KernelRun(device::Device& device, KernelLaunch& launch,
                     std::unique_ptr<device::Module> module)
    : KernelRun(device, launch, std::move(module), &launch)
{
}

KernelRun::KernelRun(device::Device& device, const KernelLaunch& launch,
                     std::unique_ptr<device::Module> module, KernelLaunch* taken)
    : device_(device), shaped_(dynamic_cast<device::ShapedImages&>(device)), launch_(launch),
      module_(std::move(module))
{
    const auto add = [&](std::string name, const Value& value, Value* its_bytes) {
        made_.push_back(std::make_unique<Made>());
        Made& made = *made_.back();
        made.name = std::move(name);
        made.value = &value;
        if (value.kind == Value::Kind::buffer) make_buffer(made, its_bytes);
        if (value.is_image() && value.image_of.empty()) make_image(made);
    };
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        add(std::to_string(i), launch.arguments[i], taken ? &taken->arguments[i] : nullptr);
    for (std::size_t i = 0; i < launch.named.size(); ++i)
        add(launch.named[i].first, launch.named[i].second,
            taken ? &taken->named[i].second : nullptr);
    for (const auto& made : made_) {
        if (!made->value->is_image()) continue;
        const device::Image& image = *image_owner(*made).image;
        if (made->value->kind != Value::Kind::texture) continue;
        device::Sampling sampling = made->value->sampling;
        sampling.normalized_reads =
            sampling.normalized_reads && device::has_integer_channels(image.format());
        made->texture = shaped_.shaped_texture(image, sampling, made->value->between_levels);
    }
    for (const auto& made : made_) {
        if (!made->buffer) continue;
        if (!made->bytes.empty()) {
            resolve(*made->value, made->bytes);
            continue;
        }
        if (made->value->references.empty()) {
            device.upload(made->buffer->address(), made->value->bytes);
            continue;
        }
        Bytes contents = made->value->bytes;
        resolve(*made->value, contents);
        device.upload(made->buffer->address(), contents);
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        Value value;
        if (launch.arguments[i].kind == Value::Kind::bytes) {
            value = launch.arguments[i];
        } else {
            value.bytes.resize(sizeof(device::Address));
            value.references.push_back({0, std::to_string(i), 0});
        }
        resolve(value, value.bytes);
        arguments_.emplace_back(std::move(value.bytes));
    }
    for (const auto& [name, value] : launch.variables) {
        Bytes contents = value.bytes;
        resolve(value, contents);
        device.upload(module_->variable(name).address, contents);
    }
}

void KernelRun::launch(trace::Trace* trace)
{
    device_.launch(module_->kernel(launch_.kernel), {.grid = launch_.grid,
                                                     .block = launch_.block,
                                                     .dynamic_shared_bytes = launch_.shared_bytes,
                                                     .arguments = arguments_,
                                                     .trace = trace,
                                                     .parameter_names = launch_.parameter_names,
                                                     .cluster = launch_.cluster});
}

Bytes KernelRun::contents(const std::string& name)
{
    Made& made = *find(name);
    if (made.buffer) {
        Bytes bytes(made.buffer->bytes());
        device_.download(bytes, made.buffer->address());
        return bytes;
    }
    Made& behind = image_owner(made);
    Bytes bytes(behind.value->bytes.size());
    device_.download(bytes, *behind.image);
    return bytes;
}

Bytes KernelRun::variable(const std::string& name)
{
    const device::Variable place = module_->variable(name);
    Bytes bytes(place.bytes);
    device_.download(bytes, place.address);
    return bytes;
}

KernelRun::Location KernelRun::location(const std::string& name, bool is_variable)
{
    if (is_variable) return {module_->variable(name).address, 0};
    Made& made = *find(name);
    if (made.buffer) return {made.buffer->address(), 0};
    return {0, image_owner(made).image->surface()};
}

} // namespace lanescope::app
