// State of an experiment: the variants' numbers, memory and its contents, and steps.
#include "compute/experiment/record/experiment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/device/formats.h"
#include "compute/device/kernel_names.h"
#include "compute/device/tensor_maps.h"
#include "compute/experiment/inputs/memory_limit.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/record/record_scope.h"
#include "compute/experiment/source/source_text.h"
#include "compute/python_source.h"
#include "compute/read_number.h"

namespace lanescope::labs {
namespace {

constexpr int max_rounds = 1'000'000; // total over all loops of a step
constexpr int max_image_side = 16384;
constexpr std::int64_t max_pending = 1
                                     << 18; // device-side launches: a GPU reserves memory for each

// Stroke parameters are defined in every formula, but only meaningful in records that support
// painting.
constexpr const char* stroke_names[] = {"stroke_u", "stroke_v", "stroke_radius", "stroke_erases"};

constexpr std::array address_modes{device::AddressMode::border, device::AddressMode::clamp,
                                   device::AddressMode::wrap, device::AddressMode::mirror};

// A choice's value is its number if all choices are numbers, otherwise its index.
double number_of(const Parameter& parameter, double value)
{
    if (parameter.kind != Parameter::Kind::choice) return value;
    for (const std::string& choice : parameter.choices)
        if (choice.empty() || choice.find_first_not_of("0123456789.") != std::string::npos)
            return value;
    const std::string& text = parameter.choices.at(static_cast<std::size_t>(value));
    double number = value;
    read_number(text.data(), text.data() + text.size(), number);
    return number;
}

void for_each_action(const std::vector<Action>& actions, const auto& visit)
{
    for (const Action& action : actions) {
        visit(action);
        for_each_action(action.body, visit);
    }
}

void collect(const ArgumentPlan& argument, std::set<std::string>& used)
{
    if (!argument.name.empty()) used.insert(argument.name);
    for (const ArgumentPlan& member : argument.members) collect(member, used);
}

void collect(const LaunchPlan& launch, std::set<std::string>& used)
{
    for (const ArgumentPlan& argument : launch.arguments) collect(argument, used);
}

std::set<std::string> used_by(const Plan& plan)
{
    std::set<std::string> used{plan.result.of};
    for (const auto* actions : {&plan.before, &plan.step, &plan.scatter, &plan.gather})
        for_each_action(*actions, [&](const Action& action) {
            collect(action.launch, used);
            collect(action.upload, used);
            for (const std::string& name : {action.from, action.to})
                if (!name.empty()) used.insert(name);
        });
    for (const auto& [a, b] : plan.swap) used.insert({a, b});
    used.insert(plan.changes.begin(), plan.changes.end());
    for (const MemoryPlan& memory : plan.memory) used.insert(memory.buffer);
    for (const auto* variables : {&plan.constants, &plan.variables})
        for (const auto& [variable, buffer] : *variables) used.insert(buffer);
    for (const BufferPlan& buffer : plan.buffers) // pointers into any memory may occur
        if (buffer.address) used.insert(buffer.name);
    for (const ViewPlan& view : plan.views) {
        for (const PartPlan& array : view.arrays) used.insert(array.of);
        if (!view.part.of.empty()) used.insert(view.part.of);
        if (view.draw) collect(*view.draw, used);
    }
    if (plan.paint) collect(plan.paint->launch, used);
    if (plan.check.part) used.insert(plan.check.part->of);
    return used;
}

// Buffers read by pictures and by the comparison with the reference.
std::set<std::string> read_from(const Plan& plan)
{
    std::set<std::string> names{plan.result.of};
    for (const ViewPlan& view : plan.views) {
        names.insert(view.part.of);
        for (const PartPlan& array : view.arrays) names.insert(array.of);
    }
    if (plan.check.part) names.insert(plan.check.part->of);
    return names;
}

bool is_swapped(const Plan& plan, const std::string& name)
{
    return std::ranges::any_of(
        plan.swap, [&](const auto& pair) { return pair.first == name || pair.second == name; });
}

// The result and every buffer that is drawn start as zeros, unless the record fills or swaps them.
const FillPlan& fill_of(const Plan& plan, const std::string& name, const FillPlan& fill)
{
    static const FillPlan nothing{.kind = FillPlan::Kind::zero};
    if (fill.kind != FillPlan::Kind::none || is_swapped(plan, name)) return fill;
    const bool drawn = std::ranges::any_of(
        plan.views, [&](const ViewPlan& view) { return view.part.of == name && !view.draw; });
    return plan.result.of == name || drawn ? nothing : fill;
}

const ValuePlan* find_value(const Plan& plan, const std::string& name)
{
    const auto in = [&](const std::vector<ValuePlan>& values) -> const ValuePlan* {
        const auto found = std::ranges::find(values, name, &ValuePlan::name);
        return found == values.end() ? nullptr : &*found;
    };
    if (const ValuePlan* value = in(plan.values)) return value;
    return plan.paint ? in(plan.paint->values) : nullptr;
}

// True if an expression contains a real parameter or a value of a real type.
bool has_real_terms(const Lab& lab, const Plan& plan, const Formula& formula)
{
    for (const Parameter& parameter : lab.parameters)
        if (parameter.kind == Parameter::Kind::real && mentions(formula, parameter.id)) return true;
    return std::ranges::any_of(plan.values, [&](const ValuePlan& value) {
        const auto type = find_element(value.type);
        return type && type->is_real() && mentions(formula, value.name);
    });
}

constexpr std::string_view refused_launch = "launch"; // kind of fault

// Line of the kernel in `source`; 0 if it is not found.
int line_of(std::string_view source, std::string_view kernel)
{
    const std::size_t at = source.find(fmt::format("{}(", kernel));
    if (at == std::string_view::npos) return 0;
    return 1 + static_cast<int>(std::count(source.begin(), source.begin() + at, '\n'));
}

std::string words(Evaluator& numbers, const FillPlan& fill)
{
    std::string text = fmt::format("{} {} {} {}", static_cast<int>(fill.kind), fill.generator,
                                   fill.each.text, fill.file);
    for (const auto& [name, formula] : fill.options)
        text += fmt::format(" {}={}", name, numbers(formula));
    return text;
}

} // namespace

RecordedExperiment::~RecordedExperiment() = default;

device::Buffer& RecordedExperiment::Slot::held() const
{
    if (memory) return *memory;
    throw Error(ExitStatus::bad_usage, "A buffer of the lab could not be allocated.",
                "Restart the lab, with smaller extents.");
}

RecordedExperiment::RecordedExperiment(const Setup& setup)
    : device_(setup.device), streams_(device::streams_of(setup.device)),
      graphs_(device::graphs_of(setup.device)), group_(setup.device, streams_), shown_(setup.shown),
      lab_(setup.lab), held_(held(setup.lab)), record_(setup.lab.record),
      kernels_(setup.device, setup.lab), values_(setup.values), seed_(setup.seed),
      user_image_(setup.image), frame_calls_(setup.device), timeline_(group_)
{
    for (const Plan& plan : record_->plans)
        for (const ViewPlan& view : plan.views) {
            if (traits(view.kind).from_host_data || view.elements) continue;
            memory_.drawn.insert(view.part.of);
            for (const auto& [a, b] : plan.swap)
                if (view.part.of == a || view.part.of == b) memory_.drawn.insert({a, b});
        }
    for (const Parameter& parameter : lab_.parameters)
        past_.largest[parameter.id] = number_of(parameter, values_.real(parameter.id));
    run_ = &run_of(setup.variant);
    set(setup.values);
    enter(*run_);
    make_canvases();
}

RecordedExperiment::Run& RecordedExperiment::run_of(const Variant& variant)
{
    auto& run = runs_[&variant];
    if (run) return *run;
    if (!variant.runs_on(device_.engine()))
        throw device::LaunchError(fmt::format("{}/{} does not run on {}.", lab_.id, variant.id,
                                              device::name(device_.engine())),
                                  fmt::format("It runs on: {}.", fmt::join(variant.engines, ", ")));
    auto made = std::make_unique<Run>();
    made->variant = &variant;
    made->plan = &record_->plans.at(variant.index);
    made->used = used_by(*made->plan);
    int launches = 0;
    for_each_action(made->plan->step, [&](const Action& action) {
        launches += action.kind == Action::Kind::launch;
        made->several |= action.kind == Action::Kind::repeat || action.kind == Action::Kind::swap ||
                         action.when.has_value();
    });
    made->several |= launches != 1;
    made->timeline = std::ranges::any_of(
        made->plan->views, [](const ViewPlan& view) { return view.kind == ViewKind::timeline; });
    for_each_action(made->plan->step, [&](const Action& action) {
        made->draws |= action.kind == Action::Kind::present;
        if (action.kind == Action::Kind::register_memory) made->registered.insert(action.from);
    });
    made->several |= made->draws;
    for (const auto& buffer : made->plan->buffers)
        if (buffer.opengl && made->used.contains(buffer.name)) made->shared.insert(buffer.name);
    for (const auto& image : made->plan->images)
        if (image.opengl && made->used.contains(image.name)) made->shared.insert(image.name);
    for (const auto* actions :
         {&made->plan->before, &made->plan->step, &made->plan->scatter, &made->plan->gather})
        for_each_action(*actions, [&](const Action& action) {
            if (!action.variable.empty()) made->numbers.set(action.variable, 0);
        });
    for (const char* name : stroke_names) made->numbers.set(name, 0);
    for (const ValuePlan& value : made->plan->values) {
        made->numbers.set(value.name, 0);
        made->follows_steps |= mentions(value.is, "steps");
    }
    if (made->plan->paint)
        for (const ValuePlan& value : made->plan->paint->values) made->numbers.set(value.name, 0);
    refresh(*made);
    run = std::move(made);
    return *run;
}

void RecordedExperiment::evaluate(Run& run, const ValuePlan& value)
{
    if (!value.computed.empty()) {
        const Computed& computed = find_computed(value.computed, value.where);
        const std::pair key{value.computed, computed.by_variant ? &run : nullptr};
        auto found = computed_.find(key);
        if (found == computed_.end()) {
            const double number =
                reported_with(value.where, [&] { return computed.of(RecordScope(*this, run)); });
            found = computed_.emplace(key, number).first;
        }
        run.numbers.set(value.name, found->second);
        return;
    }
    const double number = run.numbers(value.is);
    if (value.type.empty()) return run.numbers.set(value.name, number);
    const ElementType type = *find_element(value.type);
    try {
        run.numbers.set(value.name, element_at(type, bytes_of(type, number), 0));
    } catch (const std::out_of_range&) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: {} is {}, which does not fit {}.", value.where, value.name,
                                number, value.type),
                    "Change the expression or its type.");
    }
}

// Updates the numbers to the current parameters and step count.
void RecordedExperiment::refresh(Run& run)
{
    for (const Parameter& parameter : lab_.parameters) {
        run.numbers.set(parameter.id, number_of(parameter, values_.real(parameter.id)));
        run.numbers.set("largest_" + parameter.id, past_.largest.at(parameter.id));
    }
    run.numbers.set("steps", static_cast<double>(steps_));
    run.numbers.set("events", static_cast<double>(past_.log.size()));
    const device::Properties& device = device_.properties();
    // The lockstep machine is a single multiprocessor, however many threads it uses.
    run.numbers.set("multiprocessors",
                    device_.engine() == device::Engine::simt ? 1 : device.multiprocessors);
    run.numbers.set("shared_per_multiprocessor",
                    static_cast<double>(device.shared_per_multiprocessor));
    run.numbers.set("shared_per_block", static_cast<double>(device.shared_per_block_optin));
    for (const ValuePlan& value : run.plan->values) evaluate(run, value);
}

const BufferPlan* RecordedExperiment::buffer_plan(const Run& run, std::string_view name) const
{
    const auto found = std::ranges::find(run.plan->buffers, name, &BufferPlan::name);
    return found == run.plan->buffers.end() ? nullptr : &*found;
}

RecordedExperiment::Shape3 RecordedExperiment::shape_of(Run& run, const BufferPlan& buffer) const
{
    Shape3 shape{.type = *find_element(run.numbers(buffer.type)), .extents = {}, .count = 1};
    for (const Formula& extent : buffer.extents) shape.extents.push_back(run.numbers.whole(extent));
    const std::string& where = buffer.extents.front().where;
    const std::string name = fmt::format("the buffer {}", buffer.name);
    shape.count = element_count(shape.extents, shape.type.bytes, where, name);
    if (!buffer.front) return shape;
    const std::int64_t front = run.numbers.whole(*buffer.front);
    if (front != 0) element_count({front}, shape.type.bytes, buffer.front->where, name);
    shape.front = static_cast<std::size_t>(front);
    return shape;
}

std::size_t RecordedExperiment::buffer_bytes(Run& run, const BufferPlan& buffer) const
{
    const Shape3 shape = shape_of(run, buffer);
    return (shape.front + shape.count) * shape.type.bytes;
}

// Maximum over all variants: memory that is drawn or keeps its contents must not
// move when the variant changes.
std::size_t RecordedExperiment::max_bytes_of(const std::string& name)
{
    std::size_t max_image_bytes = 0;
    for (const Variant& variant : lab_.variants) {
        if (!variant.runs_on(device_.engine())) continue;
        Run& run = run_of(variant);
        const BufferPlan* buffer = buffer_plan(run, name);
        if (!buffer || !run.used.contains(name)) continue;
        max_image_bytes = std::max(max_image_bytes, buffer_bytes(run, *buffer));
    }
    return max_image_bytes;
}

std::size_t RecordedExperiment::bytes_to_allocate(const BufferPlan& buffer, std::size_t bytes)
{
    return memory_.drawn.contains(buffer.name) || buffer.front ? max_bytes_of(buffer.name) : bytes;
}

// Adds up all memory that the record requires before allocating any,
// since the record is not trusted.
void RecordedExperiment::require_memory(Run& run)
{
    const std::size_t max_bytes = memory_limit();
    std::size_t bytes = 0;
    const auto add = [&](std::size_t more, const std::string& where, const std::string& what) {
        if (more <= max_bytes - bytes) {
            bytes += more;
            return;
        }
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: with {} the lab would need {:.1f} GB, but half of this "
                                "machine's memory is {:.1f} GB.",
                                where, what, static_cast<double>(bytes + more) / 1e9,
                                static_cast<double>(max_bytes) / 1e9),
                    "Choose smaller extents.");
    };
    const CheckPlan& check = run.plan->check;
    const std::string& checked = check.part ? check.part->of : run.plan->result.of;
    for (const BufferPlan& buffer : run.plan->buffers) {
        if (!run.used.contains(buffer.name)) continue;
        const std::string& where = buffer.extents.front().where;
        const std::string name = fmt::format("the buffer {}", buffer.name);
        const std::size_t own = bytes_to_allocate(buffer, buffer_bytes(run, buffer));
        for (int device = 0; device < (buffer.each_device ? group_.size() : 1); ++device)
            add(own, where, name);
        // Contents computed by an expression are doubles at first.
        const Shape3 shape = shape_of(run, buffer);
        if (buffer.fill.kind == FillPlan::Kind::each && shape.type.bytes < sizeof(double))
            add(shape.count * (sizeof(double) - shape.type.bytes), where, name);
        // The check compares a copy with a reference in double precision.
        if (buffer.name == checked)
            add(shape.count * (sizeof(double) + shape.type.bytes), where, name + ", checked,");
    }
    for (const ImagePlan& image : run.plan->images) {
        if (!run.used.contains(image.name)) continue;
        std::size_t texels = 16; // maximum bytes per texel
        for (const Formula& extent : image.extents) {
            const double size = run.numbers(extent);
            if (!(size >= 1 && size <= max_image_side))
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{}: the image {} would have {} pixels per side.",
                                        extent.where, image.name, size),
                            fmt::format("Choose 1 to {}.", max_image_side));
            texels *= static_cast<std::size_t>(size);
        }
        add(texels, image.where, fmt::format("the image {}", image.name));
    }
}

// Creates as many devices as the variant needs; their number is then fixed.
void RecordedExperiment::require_devices(Run& run)
{
    if (!run.plan->devices && group_.size() == 1) return;
    const std::int64_t wanted = run.plan->devices ? run.numbers.whole(*run.plan->devices) : 1;
    if (wanted == group_.size()) return;
    constexpr int max_devices = 8;
    const std::string where = run.plan->devices ? run.plan->devices->where : lab_.id;
    if (wanted < 1 || wanted > max_devices)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the lab would have {} devices.", where, wanted),
                    fmt::format("Choose 1 to {}.", max_devices));
    if (group_.size() > 1 || state_.begun)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the number of devices changes while the lab runs.", where),
                    "Make it depend only on parameters with \"restarts\", and not on the variant.");
    group_.resize(static_cast<int>(wanted));
    for (int device = 1; device < group_.size() && !group_.is_simulated(); ++device)
        kernels_of_others_.push_back(std::make_unique<Kernels>(group_.device(device), lab_));
}

void RecordedExperiment::allocate_others(const BufferPlan& buffer, Slot& place, std::size_t bytes)
{
    place.others.clear();
    if (!buffer.each_device) return;
    for (int device = 1; device < group_.size(); ++device)
        place.others.push_back(group_.device(device).allocate(bytes));
    state_.scattered = false;
    state_.pending = true;
}

// The current picture may still read the old memory until the next step.
void RecordedExperiment::replace(Slot& place)
{
    const auto is_in_slot = [&](const std::string& name) {
        const auto found = memory_.places.find(name);
        return found != memory_.places.end() && found->second == &place;
    };
    if (made_by_ && std::ranges::any_of(read_from(*made_by_->plan), is_in_slot))
        memory_.replaced_slots.try_emplace(
            &place, Slot{.memory = std::move(place.memory), .leading_bytes = place.leading_bytes});
    place.memory.reset();
}

const RecordedExperiment::Slot& RecordedExperiment::replaced_slot(const std::string& name) const
{
    const auto replaced = memory_.replaced_slots.find(memory_.places.at(name));
    return replaced == memory_.replaced_slots.end() ? slot(name) : replaced->second;
}

// Allocates all memory that the variant uses; its contents are filled before the next launch. If
// this fails, the previous variant stays current.
void RecordedExperiment::enter(Run& run)
{
    Run* const before = std::exchange(run_, &run);
    try {
        take_memory(run);
    } catch (...) {
        run_ = before;
        throw;
    }
}

void RecordedExperiment::take_memory(Run& run)
{
    launched_.clear();
    require_devices(run);
    require_memory(run);
    for (const BufferPlan& buffer : run.plan->buffers) {
        if (!run.used.contains(buffer.name)) continue;
        if (!memory_.places.contains(buffer.name))
            memory_.places[buffer.name] = &memory_.slots[buffer.name];
        Slot& place = slot(buffer.name);
        const Shape3 shape = shape_of(run, buffer);
        const FillPlan& fill = fill_of(*run.plan, buffer.name, buffer.fill);
        const std::size_t bytes = shape.count * shape.type.bytes;
        const std::size_t front = shape.front * shape.type.bytes;
        // Swapped buffers keep their contents across variants, in whichever slot they are.
        std::string contents =
            fmt::format("{} {} {}", run.numbers(buffer.type), fmt::join(shape.extents, "x"),
                        is_swapped(*run.plan, buffer.name) ? "state" : words(run.numbers, fill));
        const bool pinned = buffer.host == BufferPlan::Host::pinned;
        if (buffer.host != BufferPlan::Host::none) contents += pinned ? ", pinned" : ", pageable";
        const bool drawn = memory_.drawn.contains(buffer.name);
        if (place.memory && place.memory->bytes() >= front + bytes && place.contents == contents) {
            place.wanted_leading_bytes = front;
            state_.pending |= place.wanted_leading_bytes != place.leading_bytes;
            continue;
        }
        const bool refits = place.memory && place.memory->bytes() >= front + bytes &&
                            (drawn || fill.kind == FillPlan::Kind::none);
        if (!refits) {
            const std::size_t wanted = bytes_to_allocate(buffer, front + bytes);
            if (place.memory) replace(place);
            place.memory = buffer.opengl ? frame_calls_.buffer(buffer.name, wanted)
                           : drawn       ? shown_.buffer(wanted)
                                         : device_.allocate(wanted);
            allocate_others(buffer, place, wanted);
        }
        if (buffer.host != BufferPlan::Host::none)
            host_side_.memory[buffer.name] = streams_->allocate_host(bytes, pinned);
        else
            host_side_.memory.erase(buffer.name);
        place.contents = std::move(contents);
        place.leading_bytes = place.wanted_leading_bytes = front;
        place.bytes = bytes;
        place.fresh = fill.kind != FillPlan::Kind::none;
        if (place.fresh && !place.others.empty()) state_.scattered = false;
        state_.pending |= place.fresh;
    }
    for (const ImagePlan& image : run.plan->images) {
        if (!run.used.contains(image.name) || memory_.images.contains(image.name)) continue;
        const auto format = device::format_named(image.format);
        if (!format)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: there is no format '{}'.", image.where, image.format),
                        fmt::format("The formats are: {}.", format_names()));
        const auto width = static_cast<int>(run.numbers.whole(image.extents.at(0)));
        const auto height =
            image.extents.size() > 1 ? static_cast<int>(run.numbers.whole(image.extents[1])) : 0;
        memory_.images[image.name] = image.opengl
                                         ? frame_calls_.image(image.name, width, height, *format)
                                     : memory_.drawn.contains(image.name)
                                         ? shown_.image(width, height, *format)
                                         : device_.allocate_image(width, height, 0, *format);
        memory_.fresh_images.insert(image.name);
        state_.pending = true;
    }
    // Frees memory that other variants used and this one doesn't, if it can be recreated. After a
    // swap, a buffer is in the slot of another name.
    std::set<const Slot*> kept;
    for (const auto& [name, place] : memory_.places)
        if (run.used.contains(name) || memory_.drawn.contains(name) ||
            (made_by_ && made_by_->used.contains(name) && is_swapped(*made_by_->plan, name)))
            kept.insert(place);
    for (auto& [name, place] : memory_.slots) {
        if (kept.contains(&place) || !place.memory) continue;
        replace(place);
        place.others.clear();
        place.contents.clear();
    }
}

void RecordedExperiment::select(const Variant& variant)
{
    Run& run = run_of(variant);
    if (&run == run_) return;
    refresh(run);
    enter(run);
}

void RecordedExperiment::set(const Values& values)
{
    // Parameters that require a restart keep their values, since memory has their extents.
    for (const Parameter& parameter : lab_.parameters)
        if (!parameter.restarts) values_.set(parameter.id, values.real(parameter.id));
    std::vector<double> conditions;
    for (const Parameter& parameter : lab_.parameters) {
        const double number = number_of(parameter, values_.real(parameter.id));
        past_.largest[parameter.id] = std::max(past_.largest[parameter.id], number);
        const auto& frame = run_->plan->steps_per_frame;
        if (!frame || frame->text != parameter.id) conditions.push_back(number);
    }
    launched_.clear();
    refresh(*run_);
    if (!past_.log.empty() && conditions == past_.logged) return;
    past_.logged = std::move(conditions);
    past_.log.push_back({steps_, run_, run_->numbers.numbers(), {}, values_});
    run_->numbers.set("events", static_cast<double>(past_.log.size()));
}

device::HostMemory* RecordedExperiment::host_memory(const std::string& name) const
{
    const auto found = host_side_.memory.find(name);
    return found == host_side_.memory.end() ? nullptr : found->second.get();
}

device::Image* RecordedExperiment::image(const std::string& name) const
{
    const auto found = memory_.images.find(name);
    return found == memory_.images.end() ? nullptr : found->second.get();
}

// The numbers, plus a function for each filled buffer in the formula: from(i), from(x, y).
Evaluator RecordedExperiment::with_inputs(Run& run, const Formula& formula) const
{
    struct Input {
        Data data;
        Shape3 shape;
    };
    Evaluator all(run.numbers);
    for (const BufferPlan& buffer : run.plan->buffers) {
        const FillPlan& fill = fill_of(*run.plan, buffer.name, buffer.fill);
        if (fill.kind == FillPlan::Kind::none || all.has(buffer.name) ||
            !mentions(formula, buffer.name) || &buffer.fill.each == &formula)
            continue;
        auto input = std::make_shared<Input>();
        input->shape = shape_of(run, buffer);
        input->data = filled(run, buffer.fill, input->shape.type, input->shape.extents,
                             buffer.extents.front().where);
        all.set(buffer.name, [input](std::span<const double> at) {
            const auto& extents = input->shape.extents;
            double index = 0;
            double stride = 1;
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                index += at[axis] * stride;
                if (axis < extents.size()) stride *= static_cast<double>(extents[axis]);
            }
            // Also true for NaN, which fails every comparison.
            if (!(index >= 0 && index < static_cast<double>(input->shape.count)))
                return std::numeric_limits<double>::quiet_NaN();
            const auto i = static_cast<std::size_t>(index);
            if ((i + 1) * input->shape.type.bytes > input->data.bytes().size()) return 0.0;
            return element_at(input->shape.type, input->data.bytes(), i);
        });
    }
    return all;
}

Data RecordedExperiment::filled(Run& run, const FillPlan& fill, ElementType type,
                                const std::vector<std::int64_t>& extents,
                                const std::string& where) const
{
    switch (fill.kind) {
    case FillPlan::Kind::none:
    case FillPlan::Kind::zero: return {};
    case FillPlan::Kind::each: {
        const std::size_t count = element_count(extents, sizeof(double), where, "the numbers");
        const auto numbers =
            with_inputs(run, fill.each)
                .each(fill.each, count, extents.at(0), extents.size() > 1 ? extents[1] : 1);
        try {
            return bytes_of(type, numbers);
        } catch (const std::out_of_range& problem) {
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: an element of the buffer cannot be created: {}.",
                                    fill.each.where, problem.what()),
                        "Use floor(), or a type that can hold it.");
        }
    }
    case FillPlan::Kind::file: {
        const std::string_view bytes = lab_.file(fill.file);
        const bool picture = bytes.starts_with("\x89PNG") || bytes.starts_with("\xff\xd8");
        const FillRequest request{.extents = extents, .options = {}, .type = type};
        if (picture)
            return reported_with(
                where, [&] { return image_elements(decode_image(bytes, fill.file), request); });
        return std::vector<char>(bytes.begin(), bytes.end());
    }
    case FillPlan::Kind::generator: {
        FillRequest request{.extents = extents, .options = {}, .type = type};
        for (const auto& [name, formula] : fill.options)
            request.options.emplace(name, run.numbers(formula));
        return reported_with(where, [&] {
            return find_fill(fill.generator, where).make(RecordScope(*this, run), request);
        });
    }
    }
    return {};
}

void RecordedExperiment::fill_pending()
{
    if (!state_.pending) return;
    const LeavesWhen leaves(device_.cancelled()); // on cancellation, unfilled memory stays pending
    Run& run = *run_;
    for (const BufferPlan& buffer : run.plan->buffers) {
        if (!run.used.contains(buffer.name)) continue;
        Slot& place = slot(buffer.name);
        const device::Address base = place.held().address();

        if (place.fresh) {
            const Shape3 shape = shape_of(run, buffer);
            const FillPlan& fill = fill_of(*run.plan, buffer.name, buffer.fill);
            const Data data =
                filled(run, fill, shape.type, shape.extents, buffer.extents.front().where);
            std::vector<std::byte> moved;
            const auto bytes = with_addresses(
                run, fill, data.bytes().first(std::min(data.bytes().size(), place.bytes)), moved);
            if (device::HostMemory* const host = host_memory(buffer.name)) {
                device_.fill(base, 0, place.memory->bytes());
                std::ranges::fill(host->bytes(), std::byte{});
                std::ranges::copy(bytes, host->bytes().begin());
                place.fresh = false;
                continue;
            }
            if (fill.kind == FillPlan::Kind::zero)
                device_.fill(base, 0, place.memory->bytes());
            else if (bytes.size() < place.bytes)
                device_.fill(base + place.leading_bytes, 0, place.bytes);
            upload(base + place.leading_bytes, bytes);
            place.fresh = false;
        } else if (place.wanted_leading_bytes != place.leading_bytes) {
            // The old and new range overlap.
            const auto aside = device_.allocate(place.bytes);
            device_.copy(aside->address(), base + place.leading_bytes, place.bytes);
            device_.copy(base + place.wanted_leading_bytes, aside->address(), place.bytes);
            place.leading_bytes = place.wanted_leading_bytes;
            device_.synchronize();
        }
    }
    for (const ImagePlan& plan : run.plan->images) {
        if (!memory_.fresh_images.contains(plan.name) || !run.used.contains(plan.name)) continue;
        device::Image& image = *memory_.images.at(plan.name);
        std::vector<std::byte> texels(static_cast<std::size_t>(image.width()) *
                                      std::max(1, image.height()) *
                                      device::bytes_per_pixel(image.format()));
        // Generators return bytes for images with several channels.
        const ElementType type = device::channels(image.format()) == 1
                                     ? find_element(device::channel_type(image.format())).value()
                                     : ElementType{Element::u8, 1};
        const Data data = filled(run, fill_of(*run.plan, plan.name, plan.fill), type,
                                 {image.width(), image.height()}, plan.where);
        std::copy_n(data.bytes().begin(), std::min(data.bytes().size(), texels.size()),
                    texels.begin());
        device_.upload(image, texels);
        memory_.fresh_images.erase(plan.name);
    }
    if (!state_.scattered) perform_all(run, run.plan->scatter);
    state_.scattered = true;
    state_.gathered = run.plan->gather.empty();
    kept_.clear();
    state_.pending = false;
}

// Uploads in pieces, so that it can be cancelled in between.
void RecordedExperiment::upload(device::Address to, std::span<const std::byte> bytes)
{
    constexpr std::size_t max_bytes = std::size_t{64} << 20;
    for (std::size_t at = 0; at < bytes.size(); at += max_bytes) {
        if (device_.cancelled()) throw device::Cancelled();
        device_.upload(to + at, bytes.subspan(at, std::min(max_bytes, bytes.size() - at)));
    }
}

// Memory shared with OpenGL has no address before it is mapped, so initial contents are uploaded
// late.
void RecordedExperiment::begin()
{
    if (state_.begun) return;
    fill_pending();
    state_.begun = true;
}

// Visits the actions of a step in order, until `visit` returns false; with `whole_graphs`, graphs
// in place of the actions in them.
bool RecordedExperiment::walk(Run& run, const std::vector<Action>& actions,
                              const std::function<bool(const Action&)>& visit,
                              bool whole_graphs) const
{
    for (const Action& action : actions) {
        if (action.when && run.numbers(*action.when) == 0) continue;
        if (action.kind == Action::Kind::graph && !whole_graphs) {
            if (!walk(run, action.body, visit)) return false;
            continue;
        }
        if (action.kind != Action::Kind::repeat) {
            if (!visit(action)) return false;
            continue;
        }
        run.numbers.set(action.variable, run.numbers(action.first));
        for (int round = 0; run.numbers(action.condition) != 0; ++round) {
            if (round == max_rounds || ++rounds_ > max_rounds)
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{}: the loop over {} does not end.", action.where,
                                        action.variable),
                            "Check its \"while\" and \"next\".");
            if (!walk(run, action.body, visit, whole_graphs)) return false;
            run.numbers.set(action.variable, run.numbers(action.next));
        }
    }
    return true;
}

Kernels& RecordedExperiment::kernels_on(int device) const
{
    const int own = group_.own(device);
    return own == 0 ? kernels_ : *kernels_of_others_.at(static_cast<std::size_t>(own - 1));
}

const device::Kernel& RecordedExperiment::kernel_of(Run& run, const LaunchPlan& plan,
                                                    int device) const
{
    auto& kernel = launched_[{&plan, group_.own(device)}];
    if (!kernel) kernel = &kernels_on(device).get(plan.file, run.numbers(plan.kernel));
    return *kernel;
}

// The buffer's memory on that device. Throws if only device 0 has it.
const device::Buffer& RecordedExperiment::memory_on(const std::string& name, int device) const
{
    const Slot& place = slot(name);
    if (device == 0) return place.held();
    if (place.others.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: {} exists only on device 0, but device {} uses it.", lab_.id,
                                name, device),
                    "Give the buffer \"each_device\": true.");
    return *place.others.at(static_cast<std::size_t>(device - 1));
}

// Uploads constants only if their contents have changed, since module variables keep their values.
// Variables that kernels change are set before every step.
void RecordedExperiment::fill_variables(Run& run)
{
    for (const auto& [variable, buffer] : run.plan->constants) {
        std::string& given = constants_[{run.variant->source, variable}];
        const std::string& contents = slot(buffer).contents;
        if (given == contents) continue;
        given = contents;
        fill_variable(run, variable, buffer);
    }
    for (const auto& [variable, buffer] : run.plan->variables) fill_variable(run, variable, buffer);
}

void RecordedExperiment::fill_variable(Run& run, const std::string& variable,
                                       const std::string& buffer)
{
    const BufferPlan& plan = *buffer_plan(run, buffer);
    const Shape3 shape = shape_of(run, plan);
    const Data data = filled(run, plan.fill, shape.type, shape.extents, plan.extents.front().where);
    const device::Variable place = kernels_.module(run.variant->source).variable(variable);
    if (shape.count * shape.type.bytes > place.bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: {} has {} bytes, but the variable {} has {}.",
                                plan.extents.front().where, buffer, shape.count * shape.type.bytes,
                                variable, place.bytes),
                    "Make the variable as large as the buffer.");
    std::vector<std::byte> bytes(shape.count * shape.type.bytes); // zero past the end of the data
    std::ranges::copy(data.bytes().first(std::min(data.bytes().size(), bytes.size())),
                      bytes.begin());
    std::vector<std::byte> moved;
    device_.upload(place.address, with_addresses(run, plan.fill, bytes, moved));
}

// Returns the bytes of a file with pointers adjusted to the buffers' current addresses. If there
// may be pointers, `moved` holds the adjusted copy.
std::span<const std::byte> RecordedExperiment::with_addresses(Run& run, const FillPlan& fill,
                                                              std::span<const std::byte> bytes,
                                                              std::vector<std::byte>& moved) const
{
    const bool any = std::ranges::any_of(
        run.plan->buffers, [](const BufferPlan& buffer) { return buffer.address.has_value(); });
    if (fill.kind != FillPlan::Kind::file || !any) return bytes;
    moved.assign(bytes.begin(), bytes.end());
    move_addresses(run, moved);
    return moved;
}

void RecordedExperiment::move_addresses(Run& run, std::span<std::byte> bytes) const
{
    struct Range {
        std::uint64_t begin, end, now;
    };
    std::vector<Range> ranges;
    for (const BufferPlan& buffer : run.plan->buffers) {
        if (!buffer.address) continue;
        const Slot& place = slot(buffer.name);
        ranges.push_back({*buffer.address, *buffer.address + place.bytes,
                          place.held().address() + place.leading_bytes});
    }
    if (ranges.empty()) return;
    std::ranges::sort(ranges, {}, &Range::begin);
    std::uint64_t end = 0;
    for (const Range& range : ranges) end = std::max(end, range.end);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word < ranges.front().begin || word > end) continue;
        // The end of one range may be the start of the next one.
        const auto after = std::ranges::upper_bound(ranges, word, {}, &Range::begin);
        const Range& range = *std::prev(after);
        if (word > range.end) continue;
        word += range.now - range.begin;
        std::memcpy(bytes.data() + at, &word, sizeof word);
    }
}

// Grid, block and shared memory, without arguments.
device::Launch RecordedExperiment::shape_launch(Run& run, const LaunchPlan& plan) const
{
    const auto threes = [&](const std::vector<Formula>& formulas) {
        std::array<std::int64_t, 3> all{1, 1, 1};
        for (std::size_t i = 0; i < formulas.size(); ++i) {
            all[i] = run.numbers.whole(formulas[i]);
            if (all[i] < 1 || all[i] > std::numeric_limits<std::uint32_t>::max())
                throw device::LaunchError(
                    fmt::format("{}: \"{}\" is {}.", formulas[i].where, formulas[i].text, all[i]),
                    "Blocks, grids and tiles must have at least one element along each axis.");
        }
        return all;
    };
    const auto as_dim3 = [](const std::array<std::int64_t, 3>& all) {
        return Dim3{static_cast<std::uint32_t>(all[0]), static_cast<std::uint32_t>(all[1]),
                    static_cast<std::uint32_t>(all[2])};
    };
    device::Launch launch;
    launch.block = as_dim3(threes(plan.block));
    if (plan.grid.empty()) {
        const auto tile = threes(plan.tile.empty() ? plan.block : plan.tile);
        auto grid = threes(plan.over);
        for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = (grid[i] + tile[i] - 1) / tile[i];
        launch.grid = as_dim3(grid);
    } else {
        launch.grid = as_dim3(threes(plan.grid));
    }
    if (!plan.cluster.empty()) launch.cluster = as_dim3(threes(plan.cluster));
    if (plan.dynamic_shared_bytes) {
        const std::int64_t bytes = run.numbers.whole(*plan.dynamic_shared_bytes);
        if (bytes < 0 || bytes > std::numeric_limits<std::uint32_t>::max())
            throw device::LaunchError(
                fmt::format("{}: a block would have {} bytes of shared memory.",
                            plan.dynamic_shared_bytes->where, bytes),
                "Choose at least 0, and no more than a multiprocessor has.");
        launch.dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
    }
    if (plan.pending_launches)
        launch.pending_launches = static_cast<std::size_t>(
            std::clamp<std::int64_t>(run.numbers.whole(*plan.pending_launches), 0, max_pending));
    return launch;
}

const device::Texture& RecordedExperiment::texture(Run& run, const ArgumentPlan& plan)
{
    const std::string& filter = run.numbers(plan.filter);
    const std::int64_t mode = plan.address ? run.numbers.whole(*plan.address) : 1;
    if ((filter != "point" && filter != "linear") || mode < 0 || mode >= std::ssize(address_modes))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: there is no filter '{}' or address mode {}.", plan.where,
                                filter, mode),
                    "Filters are point and linear; modes 0 border, 1 clamp, 2 wrap, 3 mirror.");
    // Kept once created, since queued work may still read it.
    auto& texture = memory_.textures[{plan.name, filter, static_cast<int>(mode),
                                      plan.normalized_coordinates, plan.normalized_reads}];
    if (!texture)
        texture = device_.texture(
            *memory_.images.at(plan.name),
            {.address = {address_modes.at(mode), address_modes.at(mode), address_modes.at(mode)},
             .filter = filter == "linear" ? device::Filter::linear : device::Filter::point,
             .normalized_coordinates = plan.normalized_coordinates,
             .normalized_reads = plan.normalized_reads});
    return *texture;
}

// A tensor map of a whole buffer.
std::vector<std::byte> RecordedExperiment::tensor_map(Run& run, const ArgumentPlan& plan,
                                                      int device)
{
    const auto positive = [&](const Formula& formula) {
        const std::int64_t number = run.numbers.whole(formula);
        if (number < 0 || number > std::numeric_limits<std::uint32_t>::max())
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: \"{}\" is {}.", formula.where, formula.text, number),
                        "A box has 1 to 256 elements per dimension, a swizzle 0 to 128 bytes.");
        return static_cast<std::uint32_t>(number);
    };
    const Shape3 shape = shape_of(run, *buffer_plan(run, plan.name));
    device::TensorBox box;
    box.address = memory_on(plan.name, device).address() + slot(plan.name).leading_bytes;
    box.element_bytes = shape.type.bytes;
    box.sizes.assign(shape.extents.begin(), shape.extents.end());
    for (const Formula& extent : plan.box) box.extents.push_back(positive(extent));
    if (plan.swizzle) box.swizzle_bytes = positive(*plan.swizzle);
    const device::TensorMapBytes map = device::tensor_map_on(group_.device(device), box);
    return {map.begin(), map.end()};
}

// `bytes` is the size declared by the kernel; 0 within a struct.
std::vector<std::byte> RecordedExperiment::argument(Run& run, const ArgumentPlan& plan,
                                                    std::size_t bytes, int device)
{
    const auto raw = [](std::uint64_t value) {
        std::vector<std::byte> all(sizeof(value));
        std::memcpy(all.data(), &value, sizeof(value));
        return all;
    };
    switch (plan.kind) {
    case ArgumentPlan::Kind::buffer: {
        const device::Address memory = memory_on(plan.name, device).address();
        if (!plan.points_to_element) return raw(memory);
        const auto offset = static_cast<std::uint64_t>(run.numbers.whole(plan.number));
        const std::size_t element =
            find_element(run.numbers(buffer_plan(run, plan.name)->type))->bytes;
        return raw(memory + slot(plan.name).leading_bytes + offset * element);
    }
    case ArgumentPlan::Kind::host: {
        auto& copy = host_side_.copies[plan.name];
        if (copy.empty()) {
            const BufferPlan& buffer = *buffer_plan(run, plan.name);
            const Shape3 shape = shape_of(run, buffer);
            const Data data = filled(run, fill_of(*run.plan, plan.name, buffer.fill), shape.type,
                                     shape.extents, plan.where);
            copy.assign(data.bytes().begin(), data.bytes().end());
            copy.resize(shape.count * shape.type.bytes);
        }
        return raw(std::uint64_t{reinterpret_cast<std::uintptr_t>(copy.data())});
    }
    case ArgumentPlan::Kind::surface: return raw(memory_.images.at(plan.name)->surface());
    case ArgumentPlan::Kind::texture: return raw(texture(run, plan).handle());
    case ArgumentPlan::Kind::tensor_map: return tensor_map(run, plan, device);
    case ArgumentPlan::Kind::structure: {
        std::vector<std::byte> all;
        for (const ArgumentPlan& member : plan.members) {
            const auto one = argument(run, member, 0, device);
            if (one.empty()) continue;
            all.resize((all.size() + one.size() - 1) / one.size() * one.size());
            all.insert(all.end(), one.begin(), one.end());
        }
        if (bytes > all.size()) all.resize(bytes);
        return all;
    }
    case ArgumentPlan::Kind::bytes: {
        std::vector<std::byte> all = plan.bytes;
        move_addresses(run, all);
        return all;
    }
    case ArgumentPlan::Kind::number: break;
    }
    return number_argument(run, plan, bytes);
}

std::vector<std::byte> RecordedExperiment::number_argument(Run& run, const ArgumentPlan& plan,
                                                           std::size_t bytes)
{
    auto known = argument_types_.find(&plan);
    if (known == argument_types_.end()) {
        ElementType type{Element::i32, 4};
        const Parameter* parameter = lab_.find_parameter(plan.number.text);
        const auto* value = find_value(*run.plan, plan.number.text);
        const bool real = parameter && parameter->kind == Parameter::Kind::real;
        if (!plan.type.empty()) {
            type = *find_element(plan.type);
        } else if (value && !value->type.empty()) {
            type = *find_element(value->type);
        } else if (bytes == 8) {
            type = real ? ElementType{Element::f64, 8} : ElementType{Element::i64, 8};
        } else if (bytes == 2) {
            type = {Element::i16, 2};
        } else if (bytes == 1) {
            type = {Element::u8, 1};
        } else if (real) {
            type = {Element::f32, 4};
        }
        if (plan.type.empty() && !value && !real && has_real_terms(lab_, *run.plan, plan.number))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: it is unclear whether the kernel takes \"{}\" as a whole "
                                    "or a real number.",
                                    plan.where, plan.number.text),
                        "Give its type: {\"f32\": \"expression\"} or {\"i32\": …}.");
        known = argument_types_.emplace(&plan, type).first;
    }
    ElementType type = known->second;
    const double number = run.numbers(plan.number);
    if (type.element == Element::i32 && number >= 0x1p31 && plan.type.empty())
        type.element = Element::u32;
    try {
        return bytes_of(type, number);
    } catch (const std::out_of_range&) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the argument \"{}\" is {}, which its type cannot hold.",
                                plan.where, plan.number.text, number),
                    "Use a type that can: {\"f32\": \"expression\"}, {\"i64\": …}.");
    }
}

// Turns a refused launch into a fault of the kernel that it should have started.
trace::Fault RecordedExperiment::fault_of(const device::LaunchError& refused,
                                          const std::string& file, const device::Kernel& kernel,
                                          const device::Launch& launch) const
{
    trace::Fault fault;
    fault.kind = refused_launch;
    fault.message = refused.what();
    fault.kernel = kernel.name();
    fault.file = file;
    fault.line = line_of(lab_.file(file), kernel.name());
    fault.block = launch.block;
    return fault;
}

// Names in the source, which are those of the buffers for Python; empty if the text is PTX.
const std::vector<std::string>& RecordedExperiment::parameter_names(const LaunchPlan& plan,
                                                                    const device::Kernel& kernel)
{
    const auto [known, fresh] = parameter_names_.try_emplace(&kernel);
    if (fresh) {
        const SourceText text = read_source(lab_.file(plan.file));
        if (const SourceKernel* found = text.find(device::base_name(std::string(kernel.name()))))
            for (const SourceParameter& one : found->parameters) known->second.push_back(one.name);
        if (is_python_source(plan.file))
            for (const ArgumentPlan& one : plan.arguments)
                known->second.push_back(one.kind == ArgumentPlan::Kind::buffer ? one.name : "");
    }
    return known->second;
}

void RecordedExperiment::launch(Run& run, const LaunchPlan& plan, trace::Trace* trace, int device)
{
    const device::Kernel& kernel = kernel_of(run, plan, device);
    device::Launch launch = shape_launch(run, plan);
    launch.parameter_names = parameter_names(plan, kernel);
    const auto sizes = kernel.parameter_sizes();
    launch.arguments.reserve(plan.arguments.size());
    for (std::size_t i = 0; i < plan.arguments.size(); ++i)
        launch.arguments.emplace_back(
            argument(run, plan.arguments[i], i < sizes.size() ? sizes[i] : 4, device));
    launch.trace = trace;
    try {
        group_.device(device).launch(kernel, launch);
    } catch (const device::LaunchError& refused) {
        if (run.variant->fault != refused_launch) throw;
        throw device::KernelFault(fault_of(refused, plan.file, kernel, launch));
    }
}

// Performs all launches of a step, without the actions after it.
void RecordedExperiment::run_step(trace::Trace* trace)
{
    begin();
    fill_pending();
    rounds_ = 0;
    Run& run = *run_;
    if (run.follows_steps) refresh(run);
    fill_variables(run);
    if (!run.plan->before.empty()) execute(run.plan->before, nullptr);
    state_.gathered = run.plan->gather.empty();
    if (run.shared.empty()) {
        execute(run.plan->step, trace);
    } else {
        frame_calls_.begin(run.shared, run.registered);
        try {
            execute(run.plan->step, trace);
        } catch (...) {
            frame_calls_.end();
            throw;
        }
        frame_calls_.end();
    }
    group_.join();
    made_by_ = run_;
    made_numbers_ = run.numbers.numbers();
}

void RecordedExperiment::exchange()
{
    for (const auto& [a, b] : run_->plan->swap)
        std::swap(memory_.places.at(a), memory_.places.at(b));
}

void RecordedExperiment::step(trace::Trace* trace)
{
    run_step(trace);
    memory_.replaced_slots.clear();
    exchange();
    steps_ += run_->variant->steps;
}

// Repeats the last step, which gives the same result; or, if steps continue from their result, runs
// the next step, whose result is discarded. Before the first step, too, the result is discarded.
void RecordedExperiment::recount(trace::Trace& trace)
{
    const Plan& plan = *run_->plan;
    const bool repeats = plan.swap.empty() && steps_ > 0;
    const auto places = memory_.places;
    const auto made_by = made_by_;
    auto made_numbers = made_numbers_;
    begin();
    fill_pending();
    const bool gathered = state_.gathered;
    struct Saved {
        device::Device& device;
        device::Address address;
        std::unique_ptr<device::Buffer> copy;
    };
    std::vector<Saved> saved;
    if (group_.size() > 1) group_.synchronize();
    for (const std::string& name : plan.changes) {
        const auto others = static_cast<int>(slot(name).others.size());
        for (int i = 0; i <= others; ++i) {
            const device::Buffer& memory = memory_on(name, i);
            device::Device& on = group_.device(i);
            saved.push_back({on, memory.address(), on.allocate(memory.bytes())});
            on.copy(saved.back().copy->address(), memory.address(), memory.bytes());
            if (i > 0) on.synchronize();
        }
    }
    if (repeats) steps_ -= run_->variant->steps;
    run_step(&trace);
    if (repeats) steps_ += run_->variant->steps;
    // After swaps within the step, the buffers hold its result in their current slots.
    if (!repeats || !saved.empty()) memory_.places = places;
    if (!saved.empty()) group_.synchronize();
    for (const Saved& one : saved) {
        one.device.copy(one.address, one.copy->address(), one.copy->bytes());
        one.device.synchronize();
    }
    state_.gathered = gathered;
    if (repeats) {
        memory_.replaced_slots.clear();
        return;
    }
    made_by_ = made_by;
    made_numbers_ = std::move(made_numbers);
    if (steps_ > 0) return;
    for (const BufferPlan& buffer : plan.buffers)
        if (run_->used.contains(buffer.name) &&
            fill_of(plan, buffer.name, buffer.fill).kind == FillPlan::Kind::zero)
            slot(buffer.name).fresh = true;
    for (const ImagePlan& image : plan.images)
        if (run_->used.contains(image.name) && plan.result.of != image.name &&
            image.fill.kind == FillPlan::Kind::none)
            memory_.fresh_images.insert(image.name);
    if (memory_.images.contains(plan.result.of)) memory_.fresh_images.insert(plan.result.of);
    state_.pending = true;
    fill_pending();
}

} // namespace lanescope::labs
