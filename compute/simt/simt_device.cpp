// All work is complete when a call returns, so there is nothing to wait for.
#include "compute/simt/simt_device.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "compute/caches/recording.h"
#include "compute/device/checks.h"
#include "compute/device/kernel_names.h"
#include "compute/device/retires.h"
#include "compute/process/memory.h"
#include "compute/process/streams.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/launch/sampled_launch.h"
#include "compute/simt/machine/state/device_launches.h"
#include "compute/simt/operations/images/images.h"
#include "compute/simt/operations/memory/tensor_map.h"
#include "compute/simt/operations/rows/built.h"
#include "compute/simt/simt_module.h"
#include "compute/text.h"
#include "compute/thread_time.h"
#include "compute/threads.h"
#include "compute/trace/findings.h"
#include "compute/trace/sum.h"

namespace lanescope::simt {

namespace {

class SimtBuffer : public device::Buffer, public device::Retires {
public:
    SimtBuffer(Memory& memory, Address address, std::size_t bytes)
        : memory_(memory), address_(address), bytes_(bytes)
    {
    }
    ~SimtBuffer() override { SimtBuffer::retire(); }
    void retire() override
    {
        if (!std::exchange(retired_, true)) memory_.release(address_);
    }
    device::Address address() const override { return address_; }
    std::size_t bytes() const override { return bytes_; }

private:
    Memory& memory_;
    Address address_;
    std::size_t bytes_;
    bool retired_ = false;
};

class SimtImage : public device::Image, public device::HasShape, public device::Retires {
public:
    SimtImage(Images& images, ImageData data, std::unique_ptr<std::byte[]> owned)
        : images_(images), data_(data), owned_(std::move(owned)), surface_(images.add(data))
    {
    }
    ~SimtImage() override { SimtImage::retire(); }
    void retire() override
    {
        if (!std::exchange(retired_, true)) images_.remove(surface_);
    }
    int width() const override { return data_.width; }
    int height() const override { return data_.height; }
    int depth() const override { return data_.depth; }
    device::Format format() const override { return data_.format; }
    device::ImageShape shape() const override { return data_.shape(); }
    std::uint64_t surface() const override { return surface_; }

private:
    Images& images_;
    ImageData data_;
    std::unique_ptr<std::byte[]> owned_;
    std::uint64_t surface_;
    bool retired_ = false;
};

class SimtTexture : public device::Texture {
public:
    SimtTexture(Images& images, const TextureData& data)
        : images_(images), handle_(images.add(data))
    {
    }
    ~SimtTexture() override { images_.remove(handle_); }
    std::uint64_t handle() const override { return handle_; }

private:
    Images& images_;
    std::uint64_t handle_;
};

// Looks up by handle, because the image may be wrapped (in one that also has a texture for display,
// for example).
const ImageData& data_of(const Images& images, const device::Image& image)
{
    const ImageData* ours = images.surface(image.surface());
    if (ours == nullptr)
        throw device::LaunchError(
            "An image from another device was passed to the lockstep machine.",
            "Use images that this device created.");
    return *ours;
}

device::Properties describe_host(int threads, const counting::Gpu& gpu)
{
    device::Properties properties;
    properties.name =
        fmt::format("lockstep machine on {} core{}", threads, threads == 1 ? "" : "s");
    if (&gpu == counting::chosen_gpu()) properties.name += ", as " + gpu.with_article();
    properties.compute_major = gpu.compute_major;
    properties.compute_minor = gpu.compute_minor;
    properties.multiprocessors = threads;
    properties.memory_bytes = physical_memory_bytes();
    const counting::MultiprocessorLimits& limits = gpu.limits();
    properties.warps_per_multiprocessor = limits.warps;
    properties.registers_per_multiprocessor = limits.registers;
    properties.shared_per_multiprocessor = static_cast<std::size_t>(limits.shared_bytes);
    properties.shared_per_block_optin = static_cast<std::size_t>(limits.shared_bytes_per_block);
    return properties;
}

int core_count(const Options& options)
{
    if (options.threads > 0) return options.threads;
    return static_cast<int>(cores());
}

// Limits kernel output to a file, pipe or terminal, since a kernel that prints in every step would
// fill a disk. Terminals get no control sequences, files and pipes get every byte unchanged.
class StandardOutput {
public:
    void operator()(std::string_view text)
    {
        constexpr std::size_t max_on_terminal = std::size_t{1} << 20;
        constexpr std::size_t max_in_file = std::size_t{16} << 20;
        const bool terminal = is_terminal(standard_output);
        const std::size_t max_bytes = terminal ? max_on_terminal : max_in_file;
        if (bytes_ > max_bytes) return;
        if ((bytes_ += text.size()) <= max_bytes) {
            if (terminal) return write(printable(text));
            return write(text);
        }
        write(terminal ? "\n… It prints more than 1 MB; a file or a pipe gets 16 MB of it.\n"
                       : "\n… It prints more than 16 MB; the rest is left out.\n");
    }

private:
    static void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
    std::size_t bytes_ = 0;
};

} // namespace

SimtDevice::SimtDevice(const Options& options) : SimtDevice(options, 0, nullptr) {}

SimtDevice::SimtDevice(const Options& options, int number, const SimtDevice* first)
    : options_(options), properties_(describe_host(core_count(options), *options.gpu)),
      first_(first), memory_(std::make_unique<Memory>(options.checks.uninitialised, number)),
      images_(std::make_unique<Images>()), pool_(std::make_unique<Pool>(core_count(options))),
      print_(StandardOutput())
{
}

SimtDevice::~SimtDevice() = default;

void SimtDevice::set_printer(std::function<void(std::string_view)> print)
{
    print_ = std::move(print);
}

int SimtDevice::count() const
{
    return Memory::max_devices;
}

std::unique_ptr<device::Device> SimtDevice::beside(int number)
{
    devices_ = std::max(devices_, number + 1);
    std::unique_ptr<SimtDevice> made(new SimtDevice(options_, number, this));
    made->print_ = print_;
    return made;
}

std::string SimtDevice::words(int devices) const
{
    return fmt::format("{} devices simulated by the lockstep machine", devices);
}

std::unique_ptr<device::Buffer> SimtDevice::allocate(std::size_t bytes)
{
    return std::make_unique<SimtBuffer>(*memory_, memory_->allocate(bytes), bytes);
}

std::unique_ptr<device::Buffer> SimtDevice::adopt(std::span<std::byte> host)
{
    return std::make_unique<SimtBuffer>(*memory_, memory_->adopt(host), host.size());
}

std::unique_ptr<device::Buffer> SimtDevice::adopt_at(device::Address address,
                                                     std::span<std::byte> host)
{
    memory_->adopt_at(address, host);
    return std::make_unique<SimtBuffer>(*memory_, address, host.size());
}

std::span<std::byte> SimtDevice::bytes(device::Address address, std::size_t bytes)
{
    return memory_->range(address, bytes);
}

void SimtDevice::set_heap_limit(std::size_t bytes)
{
    memory_->set_heap_limit(bytes);
}

void SimtDevice::mark_written(device::Address address, std::size_t bytes)
{
    memory_->mark_written(address, bytes);
}

bool SimtDevice::any_written(device::Address address) const
{
    const Allocation* const found = memory_->find(address);
    if (found == nullptr || found->written.empty()) return true;
    return std::ranges::any_of(found->written, [](std::uint64_t cell) { return cell != 0; });
}

SimtDevice::Unwritten SimtDevice::unwritten(device::Address address, std::size_t bytes,
                                            std::size_t ignored) const
{
    // Gaps of up to seven bytes that end at a multiple of eight and recur at a constant distance
    // of 16 to 64 bytes are padding of structs, such as one of a pointer and an int. If the
    // distance is larger, the last element of each row or block is missing.
    constexpr std::size_t wide = 8, min_struct = 16, max_struct = 64;
    Unwritten found;
    device::Address last = 0, distance = 0;
    std::size_t gaps = 0;
    bool padding = true;
    memory_->for_unwritten(address, bytes, [&](device::Address begin, std::size_t run) {
        if (run <= ignored) return;
        padding = padding && run < wide && (begin + run) % wide == 0;
        if (gaps == 1) distance = begin - last;
        if (gaps > 0)
            padding = padding && distance >= min_struct && distance <= max_struct &&
                      begin - last == distance;
        last = begin;
        ++gaps;
        if (found.bytes == 0) found.begin = begin;
        found.end = begin + run;
        found.bytes += run;
    });
    if (padding && gaps > 1) return {};
    return found;
}

std::unique_ptr<device::Image> SimtDevice::allocate_image(int width, int height, int depth,
                                                          device::Format format)
{
    return allocate_shaped({width, height, depth}, format);
}

std::unique_ptr<device::Image> SimtDevice::allocate_shaped(const device::ImageShape& shape,
                                                           device::Format format)
{
    device::check_shape(shape);
    const std::size_t bytes = device::image_bytes(shape, format);
    auto owned = std::make_unique<std::byte[]>(bytes);
    const ImageData data{{owned.get(), bytes}, shape.width, shape.height, shape.depth, format,
                         shape.layers,         shape.cube,  shape.levels};
    return std::make_unique<SimtImage>(*images_, data, std::move(owned));
}

std::unique_ptr<device::Image> SimtDevice::adopt_image(std::span<std::byte> host, int width,
                                                       int height, device::Format format)
{
    device::check_image(width, height, 0);
    auto image =
        std::make_unique<SimtImage>(*images_, ImageData{host, width, height, 0, format}, nullptr);
    device::check_image_bytes(*image, host.size());
    return image;
}

std::unique_ptr<device::Image> SimtDevice::adopt_pitched(std::span<std::byte> host, int width,
                                                         int height, std::size_t pitch_bytes,
                                                         device::Format format)
{
    device::check_image(width, height, 0);
    ImageData data{host, width, height, 0, format};
    data.pitch_bytes = pitch_bytes;
    return std::make_unique<SimtImage>(*images_, data, nullptr);
}

std::unique_ptr<device::Image> SimtDevice::adopt_level(const device::Image& image, int level)
{
    ImageData data = data_of(*images_, image);
    const device::ImageShape whole = data.shape();
    std::size_t begin = 0;
    const auto bytes_of = [&](int which) {
        return device::image_bytes(device::level_of(whole, which), data.format);
    };
    for (int above = 0; above < level; ++above) begin += bytes_of(above);
    const device::ImageShape part = device::level_of(whole, level);
    data.texels = data.texels.subspan(begin, bytes_of(level));
    data.width = part.width;
    data.height = part.height;
    data.depth = part.depth;
    data.levels = 1;
    return std::make_unique<SimtImage>(*images_, data, nullptr);
}

std::unique_ptr<device::Texture> SimtDevice::texture(const device::Image& image,
                                                     const device::Sampling& sampling)
{
    return shaped_texture(image, sampling, device::Filter::point);
}

std::unique_ptr<device::Texture> SimtDevice::shaped_texture(const device::Image& image,
                                                            const device::Sampling& sampling,
                                                            device::Filter between_levels)
{
    device::check_sampling(image.format(), sampling);
    return std::make_unique<SimtTexture>(
        *images_, TextureData{data_of(*images_, image), sampling, between_levels});
}

void SimtDevice::upload(device::Address to, std::span<const std::byte> from)
{
    const auto range = memory_->range(to, from.size());
    if (!from.empty()) std::memcpy(range.data(), from.data(), from.size());
    memory_->mark_written(to, from.size());
}

void SimtDevice::download(std::span<std::byte> to, device::Address from)
{
    const auto range = memory_->range(from, to.size());
    if (!to.empty()) std::memcpy(to.data(), range.data(), to.size());
}

void SimtDevice::upload(const device::Image& to, std::span<const std::byte> from)
{
    device::check_image_bytes(to, from.size());
    std::memcpy(data_of(*images_, to).texels.data(), from.data(), from.size());
}

void SimtDevice::download(std::span<std::byte> to, const device::Image& from)
{
    device::check_image_bytes(from, to.size());
    const ImageData& data = data_of(*images_, from);
    if (data.pitch_bytes == 0) {
        std::memcpy(to.data(), data.texels.data(), to.size());
        return;
    }
    const std::size_t row = to.size() / static_cast<std::size_t>(data.height);
    for (std::size_t y = 0; y < static_cast<std::size_t>(data.height); ++y)
        std::memcpy(to.data() + y * row, data.texels.data() + y * data.pitch_bytes, row);
}

void SimtDevice::copy(device::Address to, device::Address from, std::size_t bytes)
{
    const auto target = memory_->range(to, bytes);
    const auto source = memory_->range(from, bytes);
    if (bytes != 0) std::memmove(target.data(), source.data(), bytes);
    memory_->mark_written(to, bytes);
}

void SimtDevice::copy(const device::Image& to, device::Address from)
{
    const auto texels = data_of(*images_, to).texels;
    std::memcpy(texels.data(), memory_->range(from, texels.size()).data(), texels.size());
}

void SimtDevice::fill(device::Address to, std::uint8_t value, std::size_t bytes)
{
    const auto range = memory_->range(to, bytes);
    if (bytes != 0) std::memset(range.data(), value, bytes);
    memory_->mark_written(to, bytes);
}

device::TensorMapBytes SimtDevice::tensor_map(const device::TensorBox& box)
{
    TensorMap map;
    map.address = box.address;
    map.type = box.element_bytes == 1   ? TensorType::u8
               : box.element_bytes == 2 ? TensorType::u16
               : box.element_bytes == 4 ? TensorType::u32
                                        : TensorType::u64;
    map.swizzle = box.swizzle_bytes == 0    ? TensorSwizzle::none
                  : box.swizzle_bytes == 32 ? TensorSwizzle::of_32
                  : box.swizzle_bytes == 64 ? TensorSwizzle::of_64
                                            : TensorSwizzle::of_128;
    map.rank = static_cast<int>(box.sizes.size());
    std::uint64_t stride = box.element_bytes;
    for (std::size_t i = 0; i < box.sizes.size(); ++i) {
        map.sizes[i] = box.sizes[i];
        map.box[i] = box.extents[i];
        if (i > 0) map.strides[i] = stride;
        stride *= box.sizes[i];
    }
    if (const std::string problem = problem_of(map); !problem.empty())
        throw device::LaunchError(fmt::format("A tensor map is impossible: {}.", problem),
                                  "Change the extents of the buffer or of the box.");
    device::TensorMapBytes bytes{};
    encode(map, std::span<std::byte, tensor_map_bytes>(bytes));
    return bytes;
}

std::unique_ptr<device::Module> SimtDevice::load(std::string_view ptx)
{
    return load_parsed(ptx::parse(ptx));
}

std::unique_ptr<device::Module> SimtDevice::load_parsed(ptx::Module module)
{
    // If no GPU was chosen, any text that the machine understands runs.
    const counting::Gpu& gpu = *options_.gpu;
    if (&gpu == counting::chosen_gpu() && module.architecture() > gpu.capability())
        throw device::LaunchError(
            fmt::format("The PTX is for sm_{}, but {} is {}.", module.architecture(),
                        gpu.with_article(), gpu.architecture()),
            "Compile it for that architecture or an older one, or choose another GPU with --gpu.");
    return std::make_unique<SimtModule>(std::move(module), *memory_,
                                        options_.isa.value_or(best_isa()), options_.meetings);
}

// Zeroed at the start of every launch. Not numbered among the user's buffers.
device::Address SimtDevice::grid_sync_words()
{
    constexpr std::size_t bytes = 64;
    if (grid_sync_ == 0) grid_sync_ = memory_->allocate_unnumbered(bytes);
    fill(grid_sync_, 0, bytes);
    return grid_sync_;
}

LaunchState SimtDevice::prepare(const device::Kernel& kernel, const device::Launch& launch)
{
    const auto* ours = dynamic_cast<const SimtKernel*>(&kernel);
    if (ours == nullptr)
        throw device::LaunchError(
            fmt::format("Kernel {} was loaded by another device.", kernel.name()),
            "Load its PTX with this device.");
    device::check_launch(kernel, launch, device::launch_limits(properties_));
    const Program& program = ours->program();
    device::KernelAttributes attributes;
    add_cluster(*program.entry().source, attributes);
    LaunchState state{.program = program,
                      .memory = *memory_,
                      .constants = ours->module().symbols().constants(),
                      .images = *images_,
                      .options = options_,
                      .addresses = address_functions(program.isa),
                      .shuffle = whole_warp_shuffle(program.isa),
                      .grid = launch.grid,
                      .block = launch.block,
                      .cluster = device::cluster_of(attributes, launch),
                      .explicit_cluster =
                          launch.cluster.has_value() || attributes.cluster.has_value(),
                      .shared_bytes = program.static_shared_bytes + launch.dynamic_shared_bytes,
                      .parameters = std::vector<std::byte>(program.parameter_bytes),
                      .parameter_names = launch.parameter_names,
                      .constant_rows = Rows(program.constants.size()),
                      .parallel = false,
                      .print = print_,
                      .launched = std::make_shared<DeviceLaunches>(),
                      .devices = first_ ? first_->devices_ : devices_,
                      .cancelled = first_ ? &first_->cancelled() : &cancelled()};
    // memcpy, because copying vectors with a custom allocator goes byte by byte.
    if (!program.constants.empty())
        std::memcpy(state.constant_rows.data(), program.constants.data(), program.constants.size());
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const auto bytes = launch.arguments[i].bytes();
        if (!bytes.empty())
            std::memcpy(state.parameters.data() + program.parameter_offsets[i], bytes.data(),
                        bytes.size());
    }
    state.launched->max_pending = launch.pending_launches;
    if (program.cooperative && launch.cooperative) state.grid_sync = grid_sync_words();
    fill_launch_rows(state);
    return state;
}

void SimtDevice::run(LaunchState& state, trace::Trace* trace)
{
    const SaveMemory save = [this] {
        return [this, kept = std::shared_ptr<const Snapshot>(snapshot())] { restore(*kept); };
    };
    run_launch(state, *pool_, trace, save);
    if (trace != nullptr && state.launched->lost) trace->faults.push_back(*state.launched->lost);
}

namespace {

struct KeptMemory : SimtDevice::Snapshot {
    struct Range {
        Address begin = 0;
        NonzeroPages bytes, written;
    };
    struct Texels {
        std::span<std::byte> place;
        std::vector<std::byte> bytes;
    };
    std::vector<Range> ranges;
    std::vector<Texels> texels;
    Memory::Heap heap;
};

} // namespace

std::unique_ptr<SimtDevice::Snapshot> SimtDevice::snapshot()
{
    auto made = std::make_unique<KeptMemory>();
    for (const Allocation* live : memory_->allocations())
        made->ranges.push_back(
            {live->begin,
             NonzeroPages({live->host, live->bytes()}, live->owned.get_deleter().mapped_bytes != 0),
             NonzeroPages(live->written.bytes(), live->written.is_mapped())});
    for (const ImageData& image : images_->surfaces())
        made->texels.push_back({image.texels, {image.texels.begin(), image.texels.end()}});
    made->heap = memory_->heap();
    return made;
}

void SimtDevice::restore(const Snapshot& kept)
{
    const auto& snapshot = dynamic_cast<const KeptMemory&>(kept);
    memory_->restore(snapshot.heap);
    for (const KeptMemory::Range& range : snapshot.ranges) {
        const Allocation* const live = memory_->find(range.begin);
        if (live == nullptr || live->begin != range.begin || live->bytes() != range.bytes.size())
            continue;
        range.bytes.restore({live->host, live->bytes()});
        memory_->restore_written(range.begin, range.written);
    }
    for (const KeptMemory::Texels& texels : snapshot.texels)
        std::ranges::copy(texels.bytes, texels.place.begin());
}

const device::Kernel& SimtDevice::child_kernel(const device::Kernel& parent,
                                               const DeviceLaunch& child)
{
    const SimtModule& module = dynamic_cast<const SimtKernel&>(parent).module();
    return module.kernel(module.function_name(child.function));
}

device::Launch SimtDevice::child_launch(const device::Kernel& kernel, const DeviceLaunch& child)
{
    device::Launch launch{.grid = child.grid, .block = child.block};
    launch.dynamic_shared_bytes = child.shared_bytes;
    const Program& program = dynamic_cast<const SimtKernel&>(kernel).program();
    for (std::size_t i = 0; i < program.parameter_sizes.size(); ++i) {
        const auto begin =
            child.parameters.begin() + static_cast<std::ptrdiff_t>(program.parameter_offsets[i]);
        launch.arguments.emplace_back(std::vector<std::byte>(
            begin, begin + static_cast<std::ptrdiff_t>(program.parameter_sizes[i])));
    }
    return launch;
}

void SimtDevice::run_memory_work(const DeviceLaunch& child)
{
    if (child.work == DeviceLaunch::Work::copy)
        copy(child.to, child.from, child.bytes);
    else
        fill(child.to, child.value, child.bytes);
}

std::shared_ptr<DeviceLaunches> SimtDevice::run_one(const device::Kernel& kernel,
                                                    const device::Launch& launch,
                                                    const LaunchOrigin& asked)
{
    LaunchState state = prepare(kernel, launch);
    state.launched->depth = asked.depth;
    if (asked.by != nullptr) state.grid_id = ++grid_ids_;
    if (launch.trace != nullptr && recordings_ != nullptr) {
        state.recording = &recordings_->add();
        state.recording->kernel = kernel.name();
        state.recording->from_device = asked.by != nullptr;
        state.recording->registers_per_thread = kernel.attributes().registers;
        state.recording->shared_bytes_per_block = static_cast<int>(state.shared_bytes);
    }
    run(state, launch.trace);
    if (state.recording != nullptr) state.recording->counts = launch.trace->counts;
    return state.launched;
}

namespace {

// Stops chains of short launches that never end, as when each kernel launches two more.
[[noreturn]] void stop_launches(const device::Kernel& kernel, trace::Trace* trace, double limit_s)
{
    trace::Fault fault;
    fault.kind = trace::kind::time_limit;
    fault.kernel = kernel.name();
    fault.message = fmt::format("The launches that kernel {} made from the device exceeded its "
                                "time limit of {} s and were stopped.",
                                device::short_name(fault.kernel), limit_s);
    if (trace != nullptr) trace->faults.push_back(fault);
    throw device::KernelFault(std::move(fault));
}

} // namespace

std::shared_ptr<DeviceLaunches> SimtDevice::run_with_origin(const device::Kernel& kernel,
                                                            const device::Launch& launch,
                                                            const LaunchOrigin& asked)
{
    const auto add_origin = [&](trace::Fault& fault) {
        fault.message +=
            fmt::format(" It was launched from the device, by thread {} of block {} of {}.",
                        text(asked.by->parent_thread), text(asked.by->parent_block), asked.parent);
    };
    const auto add_origin_to_all = [&] {
        if (launch.trace == nullptr || asked.by == nullptr) return;
        for (trace::Fault& fault : launch.trace->faults) add_origin(fault);
    };
    try {
        auto launched = run_one(kernel, launch, asked);
        add_origin_to_all();
        return launched;
    } catch (const device::KernelFault& found) {
        add_origin_to_all();
        if (asked.by == nullptr) throw;
        trace::Fault fault = found.fault();
        add_origin(fault);
        throw device::KernelFault(std::move(fault));
    }
}

namespace {

// Launches in another order that CUDA permits: those of one stream stay in order, streams take
// turns at random. A block's launches without a stream have one of their own. If there are copies,
// or handles that may be events, nothing says which stream they order: the usual order is kept.
std::vector<DeviceLaunch> in_other_order(const DeviceLaunches& launched, std::uint64_t seed)
{
    using Work = DeviceLaunch::Work;
    using Order = DeviceLaunch::Order;
    using Stream = std::array<std::uint64_t, 4>;
    std::vector<DeviceLaunch> all = launched.in_order();
    std::map<Stream, std::deque<DeviceLaunch>> streams;
    std::vector<Stream> turns;
    std::set<std::uint64_t> handles;
    for (const DeviceLaunch& one : all) {
        if (one.work != Work::kernel) return all;
        if (one.order == Order::tail) break;
        const Dim3 by = one.parent_block;
        Stream stream{0, by.x, by.y, by.z};
        if (one.order == Order::fire_and_forget)
            stream = {1, turns.size(), 0, 0};
        else if (one.stream != 0)
            stream = {2, *handles.insert(one.stream).first, 0, 0};
        streams[stream].push_back(one);
        turns.push_back(stream);
    }
    if (launched.streams != handles.size()) return all;
    std::mt19937_64 random(seed);
    std::ranges::shuffle(turns, random);
    for (std::size_t i = 0; i < turns.size(); ++i) {
        std::deque<DeviceLaunch>& rest = streams[turns[i]];
        all[i] = std::move(rest.front());
        rest.pop_front();
    }
    return all;
}

} // namespace

// Device-side launches run after their parent has finished, each followed by the launches it
// requests; tail launches run last. Chains may be thousands long, so they are kept in a list, not
// on the stack.
void SimtDevice::launch(const device::Kernel& kernel, const device::Launch& launch)
{
    grid_ids_ = 0;
    struct Waiting {
        const device::Kernel* parent;
        std::string name;               // name of the parent
        int depth;                      // nesting depth of the launches
        std::vector<DeviceLaunch> rest; // in reverse order
    };
    std::vector<Waiting> waiting;
    const auto run_grid = [&](const device::Kernel& of, const device::Launch& one,
                              const LaunchOrigin& asked) {
        const auto launched = run_with_origin(of, one, asked);
        if (launched == nullptr) return;
        std::vector<DeviceLaunch> rest =
            options_.order != 0 ? in_other_order(*launched, options_.order) : launched->in_order();
        if (rest.empty()) return;
        std::ranges::reverse(rest);
        waiting.push_back(
            {&of, device::short_name(std::string(of.name())), asked.depth + 1, std::move(rest)});
    };
    run_grid(kernel, launch, {});
    const ThreadWatch since;
    while (!waiting.empty()) {
        if (waiting.back().rest.empty()) {
            waiting.pop_back();
            continue;
        }
        if (options_.time_limit_s > 0 && since.passed(options_.time_limit_s))
            stop_launches(kernel, launch.trace, options_.time_limit_s);
        const DeviceLaunch next = std::move(waiting.back().rest.back());
        waiting.back().rest.pop_back();
        if (next.work != DeviceLaunch::Work::kernel) {
            run_memory_work(next);
            continue;
        }
        const device::Kernel& child = child_kernel(*waiting.back().parent, next);
        device::Launch one = child_launch(child, next);
        one.pending_launches = launch.pending_launches;
        const std::string parent = waiting.back().name;
        const LaunchOrigin asked{&next, parent, waiting.back().depth};
        if (launch.trace == nullptr) {
            run_grid(child, one, asked);
            continue;
        }
        trace::Trace counted = trace::child_trace(
            *launch.trace, dynamic_cast<const SimtKernel&>(child).program().sites);
        one.trace = &counted;
        try {
            run_grid(child, one, asked);
        } catch (const device::KernelFault&) {
            trace::add_child(*launch.trace, std::move(counted));
            throw;
        }
        trace::add_child(*launch.trace, std::move(counted));
    }
}

std::unique_ptr<SimtDevice> make_device(const Options& options)
{
    const Isa isa = options.isa.value_or(best_isa());
    if (!is_available(isa)) refuse_instruction_set(isa);
    return std::make_unique<SimtDevice>(options);
}

} // namespace lanescope::simt
