// Runs the step on a machine that records its launches. Buffers are the allocations that arguments
// point into, directly or through other buffers; pointers become references to them.
#include "app/run/doubt/runs/recorded_launch.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compute/ptx/debug/dwarf.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/operations/images/images.h"

namespace lanescope::app {
namespace {

using simt::Address;

[[noreturn]] void refuse(const std::string& why)
{
    throw Error(ExitStatus::unsupported, fmt::format("The launch {}.", why),
                "Describe the launch with --grid, --block and --arg.");
}

class Converter {
public:
    Converter(simt::SteppedDevice& device, const simt::NotedLaunch& noted, std::string ptx)
        : noted_(noted), state_(device.prepare(*noted.kernel, noted.launch))
    {
        launch_.ptx = std::move(ptx);
        launch_.kernel = std::string(noted.kernel->name());
        launch_.grid = noted.launch.grid;
        launch_.block = noted.launch.block;
        launch_.shared_bytes = noted.launch.dynamic_shared_bytes;
        launch_.parameter_names = noted.parameter_names;
    }

    KernelLaunch launch()
    {
        const ptx::Module& module = *state_.program.module;
        if (std::ranges::any_of(module.variables, [](const ptx::Variable& variable) {
                return variable.space == ptx::Space::constant && variable.initial.empty();
            }))
            refuse("reads __constant__ variables, which are not recorded");
        for (const device::Argument& argument : noted_.launch.arguments) add(argument.bytes());
        // Pointers into buffers are found last, since they may lead to further buffers.
        for (std::size_t done = 0; done < order_.size(); ++done) resolve_pointers(order_[done]);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto own = arguments_of_.find(order_[i]);
            Value& value = values_[order_[i]];
            if (own == arguments_of_.end())
                launch_.named.emplace_back(name_of(order_[i]), std::move(value));
            else
                launch_.arguments[own->second] = std::move(value);
        }
        return std::move(launch_);
    }

private:
    const simt::PagedRegion* region_of(Address address) const
    {
        for (const simt::PagedRegion& region : noted_.before.regions)
            if (address >= region.begin && address - region.begin < region.bytes &&
                state_.memory.find(region.begin) != nullptr)
                return &region;
        return nullptr;
    }

    void add(std::span<const std::byte> bytes)
    {
        const std::size_t index = launch_.arguments.size();
        Value value;
        value.bytes.assign(bytes.begin(), bytes.end());
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            Address word = 0;
            std::memcpy(&word, bytes.data() + at, 8);
            if (state_.images.texture(word) != nullptr || state_.images.surface(word) != nullptr)
                refuse("reads textures or surfaces, which are not recorded");
            const simt::PagedRegion* const region = region_of(word);
            if (region == nullptr) continue;
            take(*region);
            // An argument that consists only of a pointer to a buffer's start is passed as that
            // buffer.
            if (bytes.size() == 8 && word == region->begin &&
                arguments_of_.try_emplace(region->begin, index).second)
                break;
            value.references.push_back({at, {}, word - region->begin});
            pending_.push_back({index, value.references.size() - 1, region->begin});
        }
        launch_.arguments.push_back(std::move(value));
    }

    void take(const simt::PagedRegion& region)
    {
        if (!values_.contains(region.begin)) {
            Value value;
            value.kind = Value::Kind::buffer;
            value.bytes.resize(region.bytes);
            simt::PagedMemory::read(noted_.before, region.begin, value.bytes);
            value.elements = region.bytes / 4;
            values_.emplace(region.begin, std::move(value));
            order_.push_back(region.begin);
        }
    }

    void resolve_pointers(Address buffer)
    {
        const Bytes bytes = values_[buffer].bytes;
        std::vector<Reference> references;
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            Address word = 0;
            std::memcpy(&word, bytes.data() + at, 8);
            if (word < simt::global_window) continue;
            const simt::PagedRegion* const region = region_of(word);
            if (region == nullptr) continue;
            take(*region);
            references.push_back({at, name_of(region->begin), word - region->begin});
        }
        values_[buffer].references = std::move(references);
        for (const Pending& each : pending_)
            launch_.arguments[each.argument].references[each.reference].name = name_of(each.buffer);
    }

    std::string name_of(Address buffer) const
    {
        const auto own = arguments_of_.find(buffer);
        if (own != arguments_of_.end()) return std::to_string(own->second);
        const auto at = std::ranges::find(order_, buffer);
        return fmt::format("buffer{}", at - order_.begin());
    }

    struct Pending {
        std::size_t argument = 0;
        std::size_t reference = 0;
        Address buffer = 0;
    };

    const simt::NotedLaunch& noted_;
    const simt::LaunchState state_;
    KernelLaunch launch_;
    std::map<Address, Value> values_;
    std::vector<Address> order_;
    std::map<Address, std::size_t> arguments_of_; // argument that is the buffer
    std::vector<Pending> pending_;
};

const NumberType* type_of(const ptx::SourceType& type)
{
    using Kind = ptx::SourceType::Kind;
    if (type.kind != Kind::real && type.kind != Kind::integer && type.kind != Kind::character)
        return nullptr;
    const char letter = type.kind == Kind::real ? 'f' : type.is_signed ? 'i' : 'u';
    return number_type(fmt::format("{}{}", letter, 8 * type.bytes));
}

} // namespace

std::vector<KernelLaunch> recorded_launches(const RecordedStep& step, const DoubtLimits& limits)
{
    simt::Options options;
    options.step_budget = limits.step_budget;
    options.time_limit_s = limits.time_limit_s;
    simt::SteppedDevice device(options);
    device.set_printer([](std::string_view) {});
    device::PlainAllocator allocator(device);
    const auto experiment = step.lab.start(
        {device, allocator, step.lab, step.variant, step.values, step.seed, step.image});
    for (std::int64_t i = 0; i < step.steps_before; ++i) experiment->step();
    device.note(true);
    try {
        experiment->step();
    } catch (const device::KernelFault&) {
        // The versions fault, too, and report it.
    }
    std::vector<KernelLaunch> launches;
    const std::string ptx(step.lab.ptx(step.variant));
    for (const auto& noted : device.launches())
        launches.push_back(Converter(device, *noted, ptx).launch());
    return launches;
}

void describe_parameters(KernelLaunch& launch, const ptx::Module& compiled_with_g)
{
    const ptx::DebugInfo debug = ptx::read_debug_info(compiled_with_g);
    const ptx::DebugFunction* const function = debug.find(launch.kernel);
    if (function == nullptr) return;
    std::vector<const ptx::SourceVariable*> parameters;
    for (const ptx::SourceVariable& variable : function->variables)
        if (variable.is_parameter) parameters.push_back(&variable);
    if (parameters.size() != launch.arguments.size()) return;
    launch.parameter_names.clear();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        launch.parameter_names.push_back(parameters[i]->name);
        Value& value = launch.arguments[i];
        const auto& type = parameters[i]->type;
        if (value.kind != Value::Kind::buffer || value.type != nullptr || !type ||
            type->kind != ptx::SourceType::Kind::pointer || !type->element)
            continue;
        value.type = type_of(*type->element);
        if (value.type != nullptr && value.bytes.size() % value.type->bytes != 0)
            value.type = nullptr;
    }
}

} // namespace lanescope::app
