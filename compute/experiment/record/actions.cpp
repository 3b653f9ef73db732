// Executes the passes of a step: chooses their queues, copies between buffers, devices and host,
// and logs them for a timeline.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "compute/experiment/record/experiment.h"
#include "compute/trace/sum.h"

namespace lanescope::labs {

// Byte range of a buffer selected by "offset" and "extent".
RecordedExperiment::Bytes RecordedExperiment::copied_bytes(Run& run, const Action& action,
                                                           std::size_t all)
{
    const std::size_t element =
        find_element(run.numbers(buffer_plan(run, action.from)->type))->bytes;
    const std::size_t elements = all / element;
    const auto first = static_cast<std::size_t>(run.numbers.whole(action.offset));
    const std::size_t count =
        action.extent ? static_cast<std::size_t>(run.numbers.whole(*action.extent)) : elements;
    if (first > elements || count > elements - first)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: {} elements starting at element {} are copied, but {} has {}.",
                                action.where, static_cast<std::int64_t>(count),
                                static_cast<std::int64_t>(first), action.from, elements),
                    "Check \"offset\" and \"extent\".");
    return {first * element, count * element};
}

// Copies between a buffer and its host copy.
void RecordedExperiment::copy_host(Run& run, const Action& action)
{
    const int on = device_of(run, action);
    const std::span<std::byte> host = host_memory(action.from)->bytes();
    const Bytes copied = copied_bytes(run, action, host.size());
    const device::Address there =
        memory_on(action.from, on).address() + slot(action.from).leading_bytes + copied.first;
    if (action.kind == Action::Kind::copy_in)
        group_.streams(on).copy_in(there, host.subspan(copied.first, copied.count));
    else
        group_.streams(on).copy_out(host.subspan(copied.first, copied.count), there);
}

int RecordedExperiment::existing_device(Run& run, const Formula& formula) const
{
    const std::int64_t number = run.numbers.whole(formula);
    if (number >= 0 && number < group_.size()) return static_cast<int>(number);
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: there is no device {}.", formula.where, number),
                fmt::format("There are {}, numbered from 0.", group_.size()));
}

// Device on which the action is queued.
int RecordedExperiment::device_of(Run& run, const Action& action) const
{
    return action.device ? existing_device(run, *action.device) : 0;
}

int RecordedExperiment::stream_of(Run& run, const Formula& formula)
{
    constexpr std::int64_t max_streams = 1024; // streams per device
    const std::int64_t number = run.numbers.whole(formula);
    if (number >= 0 && number < max_streams) return static_cast<int>(number);
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: there is no stream {}.", formula.where, number),
                fmt::format("Choose 0 to {}.", max_streams - 1));
}

int RecordedExperiment::stream_of(Run& run, const std::optional<Formula>& formula)
{
    return formula ? stream_of(run, *formula) : 0;
}

// An action without stream and device runs after all earlier actions and before all later ones.
void RecordedExperiment::choose_queue(Run& run, const Action& action)
{
    const int stream = stream_of(run, action.stream);
    if (action.device || action.stream)
        group_.use(device_of(run, action), stream);
    else if (action.kind != Action::Kind::swap)
        group_.join();
}

RecordedExperiment::Passage RecordedExperiment::passage(Run& run, const Action& action)
{
    const int from = device_of(run, action);
    const int to = existing_device(run, *action.to_device);
    const Bytes copied = copied_bytes(run, action, slot(action.from).bytes);
    return {.from = from,
            .to = to,
            .stream = stream_of(run, action.stream),
            .from_address = memory_on(action.from, from).address() + copied.first,
            .to_address = memory_on(action.from, to).address() + copied.first,
            .bytes = copied.count};
}

// Uses pageable memory, as programs do by default: the call returns when the copy is complete.
void RecordedExperiment::bring_to_host(Run& run, const Action& action)
{
    const Passage way = passage(run, action);
    if (!host_side_.passing || host_side_.passing->bytes().size() < way.bytes)
        host_side_.passing = streams_->allocate_host(way.bytes, false);
    group_.use(way.from, way.stream);
    group_.streams(way.from).copy_out(host_side_.passing->bytes().first(way.bytes),
                                      way.from_address);
}

void RecordedExperiment::bring_from_host(Run& run, const Action& action)
{
    const Passage way = passage(run, action);
    group_.use(way.to, way.stream);
    group_.streams(way.to).copy_in(way.to_address, host_side_.passing->bytes().first(way.bytes));
}

void RecordedExperiment::copy_on_device(Run& run, const Action& action)
{
    const int on = device_of(run, action);
    const Slot& from = slot(action.from);
    const device::Address from_address = memory_on(action.from, on).address() + from.leading_bytes;
    if (device::Image* to = image(action.to)) return device_.copy(*to, from_address);
    const Slot& to = slot(action.to);
    group_.device(on).copy(memory_on(action.to, on).address() + to.leading_bytes, from_address,
                           std::min(from.bytes, to.bytes));
}

void RecordedExperiment::upload_structure(Run& run, const Action& action)
{
    const int on = device_of(run, action);
    const Slot& to = slot(action.to);
    const std::vector<std::byte> all = argument(run, action.upload, to.bytes, on);
    if (all.size() > to.bytes)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the structure has {} bytes, but {} has {}.", action.where,
                                all.size(), action.to, to.bytes),
                    "Make the buffer's elements the same size: \"bytesN\".");
    group_.device(on).upload(memory_on(action.to, on).address() + to.leading_bytes, all);
}

void RecordedExperiment::fill_zero(Run& run, const Action& action)
{
    if (device::Image* target = image(action.from)) {
        device_.upload(*target, std::vector<std::byte>(static_cast<std::size_t>(target->width()) *
                                                       std::max(1, target->height()) *
                                                       device::bytes_per_pixel(target->format())));
        return;
    }
    const int on = device_of(run, action);
    const Slot& place = slot(action.from);
    group_.device(on).fill(memory_on(action.from, on).address() + place.leading_bytes, 0,
                           place.bytes);
}

namespace {

void reset_loops(Evaluator& numbers, const std::vector<Action>& actions)
{
    for (const Action& action : actions) {
        if (!action.variable.empty()) numbers.set(action.variable, 0);
        reset_loops(numbers, action.body);
    }
}

} // namespace

// A graph keeps its arguments: it is captured again for other numbers or other memory.
void RecordedExperiment::launch_graph(Run& run, const Action& action)
{
    constexpr std::size_t max_graphs = 32;
    reset_loops(run.numbers, action.body); // a captured graph leaves them unchanged
    GraphKey key{&action, run.numbers.numbers(), {}};
    for (const auto& [name, place] : memory_.places)
        key.memory.push_back(place->memory ? place->memory->address() : 0);
    for (const auto& [name, image] : memory_.images)
        key.memory.push_back(image ? image->surface() : 0);
    const auto known = captured_.find(key);
    if (known != captured_.end()) {
        memory_.places = known->second.places;
        return known->second.graph->launch();
    }
    if (captured_.size() >= max_graphs) {
        group_.synchronize();
        captured_.clear();
    }
    Captured made;
    made.graph = graphs_->capture([&] {
        walk(run, action.body, [&](const Action& one) {
            perform(run, one, nullptr);
            return true;
        });
    });
    made.places = memory_.places;
    captured_.emplace(std::move(key), std::move(made)).first->second.graph->launch();
}

HostCall RecordedExperiment::call_of(const Run& run, const Action& action) const
{
    HostCall call{run.variant->kernel, run.variant->source};
    const bool is_image =
        action.kind == Action::Kind::to_opengl && frame_calls_.is_image(action.to);
    const std::string_view words = call_words(action.kind, is_image);
    const std::string_view source = lab_.file(call.file);
    const std::size_t at = words.empty() ? source.npos : source.find(words);
    if (at != source.npos)
        call.line = 1 + static_cast<int>(std::count(source.begin(), source.begin() + at, '\n'));
    return call;
}

// Returns false for actions that do not concern OpenGL.
bool RecordedExperiment::call_opengl(const Run& run, const Action& action)
{
    const auto call = [&] { return call_of(run, action); };
    const std::string& name = action.from;
    switch (action.kind) {
    case Action::Kind::register_memory: frame_calls_.register_memory(name, call()); return true;
    case Action::Kind::unregister_memory: frame_calls_.unregister_memory(name, call()); return true;
    case Action::Kind::map: frame_calls_.map(name, call()); return true;
    case Action::Kind::unmap: frame_calls_.unmap(name, call()); return true;
    case Action::Kind::draw: frame_calls_.draw(name, call()); return true;
    case Action::Kind::to_opengl:
        frame_calls_.update(action.to, host_memory(name)->bytes(), call());
        return true;
    case Action::Kind::present: frame_calls_.present(); return true;
    case Action::Kind::finish: frame_calls_.finish(); return true;
    default: return false;
    }
}

// Kernels of a step may use OpenGL's memory only while it is mapped.
void RecordedExperiment::require_mapped(const Run& run, const Action& action) const
{
    if (!frame_calls_.running()) return;
    for (const ArgumentPlan& argument : action.launch.arguments)
        if (frame_calls_.shares(argument.name))
            frame_calls_.require_mapped(argument.name, call_of(run, action));
}

void RecordedExperiment::perform(Run& run, const Action& action, trace::Trace* trace)
{
    if (call_opengl(run, action)) return;
    require_mapped(run, action);
    choose_queue(run, action);
    switch (action.kind) {
    case Action::Kind::launch: return launch(run, action.launch, trace, device_of(run, action));
    case Action::Kind::copy_in:
    case Action::Kind::copy_out: return copy_host(run, action);
    case Action::Kind::wait: return group_.synchronize();
    case Action::Kind::wait_for:
        return group_.wait_for(existing_device(run, action.awaited_device),
                               stream_of(run, action.awaited_stream));
    case Action::Kind::fill: return fill_zero(run, action);
    case Action::Kind::copy: {
        if (!action.to_device) return copy_on_device(run, action);
        if (action.through_host) {
            bring_to_host(run, action);
            return bring_from_host(run, action);
        }
        const Passage way = passage(run, action);
        return group_.copy(way.to, way.to_address, way.from_address, way.bytes);
    }
    case Action::Kind::upload: return upload_structure(run, action);
    case Action::Kind::swap:
        std::swap(memory_.places.at(action.from), memory_.places.at(action.to));
        return;
    case Action::Kind::graph: return launch_graph(run, action);
    default: return;
    }
}

// Performs actions that are not part of a step.
void RecordedExperiment::perform_all(Run& run, const std::vector<Action>& actions)
{
    rounds_ = 0;
    walk(run, actions, [&](const Action& action) {
        perform(run, action, nullptr);
        return true;
    });
    group_.join();
}

// Gathers the last step's results from several devices.
void RecordedExperiment::collect()
{
    if (state_.gathered) return;
    perform_all(made(), made().plan->gather);
    state_.gathered = true;
}

namespace {

std::optional<Timeline::Unit> unit_of(const Action& action)
{
    switch (action.kind) {
    case Action::Kind::launch: return Timeline::Unit::kernel;
    case Action::Kind::copy_in: return Timeline::Unit::to_device;
    case Action::Kind::copy_out: return Timeline::Unit::to_host;
    case Action::Kind::wait:
    case Action::Kind::finish: return Timeline::Unit::wait;
    case Action::Kind::register_memory:
    case Action::Kind::unregister_memory: return Timeline::Unit::registration;
    case Action::Kind::map: return Timeline::Unit::map;
    case Action::Kind::unmap: return Timeline::Unit::unmap;
    case Action::Kind::to_opengl: return Timeline::Unit::to_opengl;
    case Action::Kind::draw: return Timeline::Unit::draw;
    case Action::Kind::present: return Timeline::Unit::present;
    case Action::Kind::copy:
        if (action.to_device) return Timeline::Unit::peer;
        return std::nullopt;
    default: return std::nullopt;
    }
}

} // namespace

// Measures the total time of each unit's operations in a step, while the other units are idle. With
// several devices, measures only their kernels, running concurrently.
void RecordedExperiment::measure_isolated(Run& run)
{
    if (!timeline_.timed()) return;
    if (times_.variant == run.variant && times_.values == run.numbers.numbers()) return;
    std::array<double, 3> alone_ms{};
    for (std::size_t unit = 0; unit < alone_ms.size(); ++unit) {
        bool any = false;
        const auto only = [&] {
            walk(run, run.plan->step, [&](const Action& action) {
                if (unit_of(action) != static_cast<Timeline::Unit>(unit)) return true;
                any = true;
                if (action.device)
                    perform(run, action, nullptr);
                else if (action.kind == Action::Kind::launch)
                    launch(run, action.launch, nullptr);
                else
                    copy_host(run, action);
                return true;
            });
        };
        group_.join();
        only(); // warm-up: touches memory and raises the clocks
        const double ms = timeline_.alone_ms(only);
        if (any) alone_ms[unit] = ms;
    }
    timeline_.set_isolated(alone_ms);
    times_.variant = run.variant;
    times_.values = run.numbers.numbers();
}

void RecordedExperiment::perform_logged(Run& run, const Action& action)
{
    const int stream = stream_of(run, action.stream);
    const int device = device_of(run, action);
    if (action.kind == Action::Kind::wait_for) {
        perform(run, action, nullptr);
        return timeline_.waits({device, stream},
                               {static_cast<int>(run.numbers.whole(action.awaited_device)),
                                stream_of(run, action.awaited_stream)});
    }
    const auto unit = unit_of(action);
    if (!unit) return perform(run, action, nullptr);
    Timeline::Operation one{
        .unit = *unit, .stream = stream, .device = device, .title = action.title};
    if (action.to_device) one.other = static_cast<int>(run.numbers.whole(*action.to_device));
    if (run.draws) one.bytes = host_bytes(run, action);
    if (!action.through_host)
        return timeline_.operation(one, [&] { perform(run, action, nullptr); });
    one.unit = Timeline::Unit::to_host;
    timeline_.operation(one, [&] { bring_to_host(run, action); });
    one.unit = Timeline::Unit::to_device;
    std::swap(one.device, one.other);
    timeline_.operation(one, [&] { bring_from_host(run, action); });
}

// Bytes that the action copies to or from the host.
std::uint64_t RecordedExperiment::host_bytes(Run& run, const Action& action)
{
    const bool copies = action.kind == Action::Kind::copy_in ||
                        action.kind == Action::Kind::copy_out ||
                        action.kind == Action::Kind::to_opengl;
    if (!copies) return 0;
    const std::size_t all = host_memory(action.from)->bytes().size();
    return action.kind == Action::Kind::to_opengl ? all : copied_bytes(run, action, all).count;
}

// Measures the time per frame over many frames, without the marks of a timeline between its calls.
void RecordedExperiment::measure_frames(Run& run)
{
    if (!frame_calls_.graphics() || !timeline_.timed()) return;
    std::vector<double> chosen; // numbers that follow the steps would differ every time
    for (const Parameter& parameter : lab_.parameters) chosen.push_back(values_.real(parameter.id));
    if (times_.variant == run.variant && times_.values == chosen) return;
    using Clock = std::chrono::steady_clock;
    constexpr double enough_ms = 300;
    constexpr int warm_ups = 3, max_steps = 40;
    int frames = 0;
    const auto play = [&] {
        walk(run, run.plan->step, [&](const Action& action) {
            frames += action.kind == Action::Kind::present;
            perform(run, action, nullptr);
            return true;
        });
    };
    const auto finish = [&] {
        group_.synchronize();
        frame_calls_.finish();
    };
    for (int i = 0; i < warm_ups; ++i) play();
    finish();
    frames = 0;
    const auto start = Clock::now();
    const auto elapsed_ms = [&start] {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    for (int i = 0; i < max_steps && elapsed_ms() < enough_ms; ++i) play();
    finish();
    frame_ms_ = elapsed_ms() / std::max(frames, 1);
    times_.variant = run.variant;
    times_.values = std::move(chosen);
}

void RecordedExperiment::execute_logged(Run& run)
{
    if (run.draws)
        measure_frames(run);
    else
        measure_isolated(run);
    timeline_.begin(run.draws ? frame_calls_.graphics() : nullptr);
    walk(run, run.plan->step, [&](const Action& action) {
        perform_logged(run, action);
        return true;
    });
    timeline_.end();
}

void RecordedExperiment::execute(const std::vector<Action>& actions, trace::Trace* trace)
{
    Run& run = *run_;
    if (run.timeline && !trace && &actions == &run.plan->step) return execute_logged(run);
    if (!trace || !run.several) {
        const auto visit = [&](const Action& action) {
            perform(run, action, trace);
            return true;
        };
        walk(run, actions, visit, !trace && graphs_);
        return;
    }
    // The calls of frames are counted in every step, and timed in those without a trace.
    const bool logs =
        run.draws && run.timeline && !timeline_.timed() && &actions == &run.plan->step;
    if (logs) timeline_.begin();
    bool first = true;
    const auto count = [&](const Action& action) {
        if (action.kind != Action::Kind::launch) {
            perform(run, action, nullptr);
        } else if (trace->keep_on_device) {
            // Only the first launch's counts stay on the device.
            perform(run, action, first ? trace : nullptr);
            first = false;
        } else {
            trace::Trace one = trace::with_same_requests(*trace);
            perform(run, action, &one);
            if (first) trace->kernel.clear();
            first = false;
            // Warp maps show only the stores of device 0.
            if (device_of(run, action) > 0) one.warps.clear();
            trace::add_launch(*trace, std::move(one));
        }
    };
    walk(run, actions, [&](const Action& action) {
        const auto unit = logs ? unit_of(action) : std::nullopt;
        if (unit)
            timeline_.operation(
                {.unit = *unit, .bytes = host_bytes(run, action), .title = action.title},
                [&] { count(action); });
        else
            count(action);
        return true;
    });
}

} // namespace lanescope::labs
