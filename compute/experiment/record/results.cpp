// Output of an experiment: pictures, checks against the reference, amount of work, and memory
// locations.
#include "compute/device/formats.h"
#include "compute/experiment/record/experiment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/args.h>
#include <fmt/format.h>

#include "compute/experiment/inputs/memory_limit.h"
#include "compute/experiment/lab/compare.h"
#include "compute/experiment/record/record_scope.h"

namespace lanescope::labs {
namespace {

constexpr std::size_t max_dots = 4096; // maximum for a scatter plot; further dots are dropped

std::vector<double> elements(device::Device& device, const device::Buffer& memory, ElementType type,
                             std::size_t offset, std::size_t count)
{
    std::vector<std::byte> bytes(count * type.bytes);
    device.download(bytes, memory.address() + offset * type.bytes);
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = element_at(type, bytes, i);
    return numbers;
}

// Dots of one array over its index, or of the second array over the first.
std::shared_ptr<const std::vector<ScatterPicture::Dot>>
dots_of(const std::vector<std::vector<double>>& arrays)
{
    std::size_t count = arrays.empty() ? 0 : SIZE_MAX;
    for (const auto& array : arrays) count = std::min(count, array.size());
    std::vector<ScatterPicture::Dot> dots(count);
    for (std::size_t i = 0; i < count; ++i)
        dots[i] = {arrays.size() > 1 ? arrays[0][i] : static_cast<double>(i), arrays.back()[i]};
    std::ranges::stable_sort(dots, {}, &ScatterPicture::Dot::x);
    return std::make_shared<const std::vector<ScatterPicture::Dot>>(std::move(dots));
}

// RAII: evaluates with the numbers in `others` (if not null), and restores the previous numbers.
class Installed {
public:
    Installed(Evaluator& numbers, const std::vector<double>* others)
        : numbers_(numbers), before_(numbers.numbers())
    {
        if (others) numbers_.restore(*others);
    }
    ~Installed() { numbers_.restore(before_); }
    Installed(const Installed&) = delete;
    Installed& operator=(const Installed&) = delete;

private:
    Evaluator& numbers_;
    std::vector<double> before_;
};

} // namespace

double RecordedExperiment::RecordScope::number(std::string_view name) const
{
    if (check_)
        if (const auto option = check_->options.find(std::string(name));
            option != check_->options.end())
            return run_.numbers(option->second);
    return run_.numbers.number(name);
}

Data RecordedExperiment::RecordScope::input(std::string_view name) const
{
    const BufferPlan* buffer = experiment_.buffer_plan(run_, name);
    if (buffer) {
        const Shape3 shape = experiment_.shape_of(run_, *buffer);
        return experiment_.filled(run_, buffer->fill, shape.type, shape.extents,
                                  buffer->extents.front().where);
    }
    const auto image = std::ranges::find(run_.plan->images, name, &ImagePlan::name);
    if (image == run_.plan->images.end())
        throw std::out_of_range(fmt::format("no buffer or image '{}' in this record", name));
    std::vector<std::int64_t> extents;
    for (const Formula& extent : image->extents) extents.push_back(run_.numbers.whole(extent));
    return experiment_.filled(run_, image->fill, {Element::u8, 1}, extents, image->where);
}

std::vector<double> RecordedExperiment::RecordScope::each(std::string_view option) const
{
    if (!check_ || !part_) throw std::logic_error("only a reference has elements");
    const auto found = check_->options.find(std::string(option));
    if (found == check_->options.end())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the reference {} needs the option \"{}\".", check_->where,
                                check_->reference, option),
                    "Set it to an expression over i, x and y.");
    return experiment_.with_inputs(run_, found->second)
        .each(found->second, part_->count, part_->width, part_->height);
}

int RecordedExperiment::steps_per_frame() const
{
    const auto& frame = run_->plan->steps_per_frame;
    constexpr std::int64_t max_steps = 100'000;
    const std::int64_t steps = frame ? run_->numbers.whole(*frame) : 1;
    if (steps < 1 || steps > max_steps)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: a frame would have {} steps.", frame->where, steps),
                    fmt::format("Choose 1 to {}.", max_steps));
    return static_cast<int>(steps);
}

// Returns a part that lies within the memory, or throws Error: the record is not trusted.
RecordedExperiment::Part RecordedExperiment::part_of(Run& run, const PartPlan& plan) const
{
    Part part;
    std::vector<std::int64_t> extents;
    std::size_t held = 0; // elements of the memory
    const std::string& where = plan.where.empty() ? lab_.id : plan.where;
    if (const BufferPlan* buffer = buffer_plan(run, plan.of)) {
        Shape3 shape = shape_of(run, *buffer);
        part.type = shape.type;
        part.offset = shape.front;
        held = shape.front + shape.count;
        extents = std::move(shape.extents);
    } else {
        const auto image = std::ranges::find(run.plan->images, plan.of, &ImagePlan::name);
        part.type = {Element::u8, 1};
        for (const Formula& extent : image->extents) extents.push_back(run.numbers.whole(extent));
        if (const auto format = device::format_named(image->format))
            part.type = {Element::bytes,
                         static_cast<std::size_t>(device::bytes_per_pixel(*format))};
        held = element_count(extents, part.type.bytes, where, plan.of);
    }
    if (!plan.extents.empty()) {
        extents.clear();
        for (const Formula& extent : plan.extents) extents.push_back(run.numbers.whole(extent));
    }
    part.count = element_count(extents, part.type.bytes, where, plan.of);
    if (plan.offset) part.offset += static_cast<std::size_t>(run.numbers.whole(*plan.offset));
    constexpr std::int64_t longest = std::numeric_limits<int>::max();
    const std::int64_t rows = static_cast<std::int64_t>(part.count) / extents.front();
    if (part.offset > held || part.count > held - part.offset || extents.front() > longest ||
        rows > longest)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: {} elements of {} are named, but not all of them exist.",
                                where, part.count, plan.of),
                    "Check \"offset\" and \"extent\".");
    part.width = static_cast<int>(extents.front());
    part.height = static_cast<int>(rows);
    return part;
}

// Returns the index of the part's first element. Throws Error if the part exceeds `elements`.
std::size_t RecordedExperiment::first_element(Run& run, const PartPlan& plan, const Part& part,
                                              std::size_t elements) const
{
    const std::int64_t first = plan.offset ? run.numbers.whole(*plan.offset) : 0;
    if (first < 0 || static_cast<std::size_t>(first) > elements ||
        part.count > elements - static_cast<std::size_t>(first))
        throw Error(
            ExitStatus::bad_usage,
            fmt::format(
                "{}: {} elements starting at element {} are compared, but there are only {}.",
                plan.where, part.count, first, elements),
            "Check \"offset\" and \"extent\".");
    return static_cast<std::size_t>(first);
}

std::vector<std::int32_t> RecordedExperiment::download_integers(const std::string& name,
                                                                std::size_t offset,
                                                                std::size_t count) const
{
    const device::Buffer& memory = replaced_slot(name).held();
    const std::size_t held = memory.bytes() / sizeof(std::int32_t);
    if (offset > held || count > held - offset)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: the view draws {} numbers from {}, which has only {}.",
                                lab_.id, count, name, held),
                    "Use a buffer of i32 with that many numbers per cell or row.");
    std::vector<std::int32_t> numbers(count);
    device_.download(std::as_writable_bytes(std::span(numbers)),
                     memory.address() + offset * sizeof(std::int32_t));
    return numbers;
}

namespace {

// Size of the memory that a view is drawn from, in bytes; 0: the view is not drawn from memory.
std::size_t drawn_bytes(ViewKind kind, int width, int height)
{
    const auto row = static_cast<std::size_t>(width);
    switch (kind) {
    case ViewKind::surface: return 4 * sizeof(float) * row * static_cast<std::size_t>(height);
    case ViewKind::points: return 4 * sizeof(float) * row;
    case ViewKind::curve: return 2 * sizeof(float) * row;
    case ViewKind::bars: return sizeof(std::uint32_t) * row;
    case ViewKind::field: return sizeof(float) * row * static_cast<std::size_t>(height);
    default: return 0;
    }
}

// `low` and `high` apply unless the record has its own.
Axis axis_of(Evaluator& numbers, const AxisPlan& plan, double low, double high)
{
    Axis axis{plan.title, plan.low ? numbers(*plan.low) : low,
              plan.high ? numbers(*plan.high) : high};
    if (!(axis.low < axis.high)) axis.high = axis.low + 1;
    return axis;
}

// A curve always has an axis: it counts the elements unless the record says more.
Axis curve_axis(Evaluator& numbers, const ViewPlan& view, std::size_t elements)
{
    Axis axis =
        axis_of(numbers, view.axis, 0, static_cast<double>(std::max<std::size_t>(elements, 1) - 1));
    if (axis.title.empty()) axis.title = "index";
    return axis;
}

FieldPicture with_legend(FieldPicture field, Evaluator& numbers, const ViewPlan& view)
{
    field.x = axis_of(numbers, view.axis, 0, field.width);
    field.y = axis_of(numbers, view.axis_y, 0, field.height);
    field.outline = view.outline;
    return field;
}

float number_or(Evaluator& numbers, const std::optional<Formula>& formula, double otherwise)
{
    return static_cast<float>(formula ? numbers(*formula) : otherwise);
}

} // namespace

void RecordedExperiment::require_room(const PartPlan& plan, const Slot& place, std::size_t bytes,
                                      ViewKind kind)
{
    if (place.memory && bytes <= place.memory->bytes()) return;
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: {} has {} bytes, too few to be drawn as {}.", plan.where, plan.of,
                            place.memory ? place.memory->bytes() : 0, traits(kind).name),
                "Draw \"elements\", or let a launch fill what is drawn.");
}

Picture RecordedExperiment::picture(std::string_view wanted)
{
    begin();
    Run& run = made();
    const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
    const auto& views = run.plan->views;
    auto view = std::ranges::find(views, wanted, &ViewPlan::id);
    if (view == views.end()) view = views.begin();
    if (view->kind != ViewKind::timeline) collect();
    if (view->elements) return picture_of_elements(run, *view);
    if (view->draw) launch(run, *view->draw, nullptr);
    switch (view->kind) {
    case ViewKind::image: return ImagePicture{memory_.images.at(view->part.of)};
    case ViewKind::tiles: return picture_of_tiles(run, *view);
    case ViewKind::timeline: return picture_of_timeline(run);
    case ViewKind::scatter: return picture_of_dots(run, *view);
    case ViewKind::labels: return picture_of_labels(run, *view);
    case ViewKind::slots: return picture_of_slots(run, *view);
    default: return picture_of_part(run, *view);
    }
}

Picture RecordedExperiment::picture_of_tiles(Run& run, const ViewPlan& view)
{
    auto tiles = std::make_shared<Tiles>();
    for (const PartPlan& plan : view.arrays) {
        const Part part = part_of(run, plan);
        require_room(plan, replaced_slot(plan.of), (part.offset + part.count) * part.type.bytes,
                     ViewKind::tiles);
        tiles->arrays.push_back({.name = plan.of,
                                 .memory = replaced_slot(plan.of).memory.get(),
                                 .offset_bytes = part.offset * part.type.bytes,
                                 .element_bytes = static_cast<int>(part.type.bytes),
                                 .width = part.width,
                                 .height = part.height});
    }
    return TilesPicture{std::move(tiles), nullptr};
}

Picture RecordedExperiment::picture_of_timeline(const Run& run)
{
    const device::GraphicsScope current(run.draws ? frame_calls_.graphics() : nullptr);
    auto timeline = std::make_shared<Timeline>(*timeline_.read());
    timeline->lab = lab_.id;
    timeline->variant = run.variant->id;
    for (const Parameter& parameter : lab_.parameters)
        timeline->values[parameter.id] = values_.text(parameter.id);
    timeline->devices = group_.size();
    timeline->device_names = group_.words();
    if (run.draws) {
        for (const auto& one : timeline->operations)
            timeline->frames += one.unit == Timeline::Unit::present;
        timeline->frame_ms = frame_ms_;
        timeline->not_timed = frame_calls_.reason();
        timeline->timed &= frame_calls_.graphics() != nullptr;
    }
    return TimelinePicture{std::move(timeline)};
}

Picture RecordedExperiment::picture_of_dots(Run& run, const ViewPlan& view)
{
    std::vector<std::vector<double>> arrays;
    for (const PartPlan& array : view.arrays) {
        const Part part = part_of(run, array);
        std::size_t count = part.count;
        if (const auto& extents = view.part.extents; !extents.empty())
            count = std::min<std::size_t>(count, run.numbers.whole(extents.front()));
        arrays.push_back(elements(device_, replaced_slot(array.of).held(), part.type, part.offset,
                                  std::min(count, max_dots)));
    }
    ScatterPicture scatter{dots_of(arrays), {}, {}, view.quantity, view.axis.title};
    if (view.low) scatter.low = run.numbers(*view.low);
    if (view.high) scatter.high = run.numbers(*view.high);
    if (!view.unit.empty()) scatter.quantity += fmt::format(" ({})", view.unit);
    return scatter;
}

Picture RecordedExperiment::picture_of_labels(Run& run, const ViewPlan& view)
{
    const Part part = part_of(run, view.part);
    const auto layers = view.layers.size();
    LabelsPicture labels{.numbers = {},
                         .layers = view.layers,
                         .width = part.width,
                         .height = part.height,
                         .shown = static_cast<int>(number_or(run.numbers, view.show, 0)),
                         .high = number_or(run.numbers, view.high, 1),
                         .gap = view.quantity,
                         .rows = view.row_names,
                         .columns = view.column_names,
                         .later = view.later};
    labels.shown = std::clamp(labels.shown, 0, static_cast<int>(layers) - 1);
    labels.numbers = std::make_shared<const std::vector<std::int32_t>>(
        download_integers(view.part.of, part.offset, layers * part.count));
    return labels;
}

Picture RecordedExperiment::picture_of_slots(Run& run, const ViewPlan& view)
{
    constexpr std::size_t numbers_per_row = 4;
    const Part part = part_of(run, view.part);
    const auto numbers =
        download_integers(view.part.of, part.offset, numbers_per_row * view.rows.size());
    SlotsPicture slots{.rows = {}, .occupant = view.axis.title};
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
        const auto& [title, unit, share, mark] = view.rows[i];
        const std::int32_t* const row = numbers.data() + numbers_per_row * i;
        slots.rows.push_back({title, unit, share, mark, row[0], row[1], row[2], row[3]});
    }
    return slots;
}

// Views of one part of a buffer.
Picture RecordedExperiment::picture_of_part(Run& run, const ViewPlan& view)
{
    const Part part = part_of(run, view.part);
    const float low = number_or(run.numbers, view.low, 0);
    const float high = number_or(run.numbers, view.high, 1);
    replaced_slot(view.part.of).held(); // throws if there is no memory
    const std::shared_ptr<const device::Buffer> memory = replaced_slot(view.part.of).memory;
    require_room(view.part, replaced_slot(view.part.of),
                 drawn_bytes(view.kind, part.width, part.height), view.kind);
    if (view.kind == ViewKind::surface)
        return SurfacePicture{memory, part.width, part.height, low, high, view.quantity, view.unit};
    if (view.kind == ViewKind::points)
        return PointsPicture{memory, part.width, view.flat, low, high, view.quantity, view.unit};
    if (view.kind == ViewKind::curve)
        return CurvePicture{memory,
                            part.width,
                            low,
                            high,
                            view.quantity,
                            view.unit,
                            curve_axis(run.numbers, view, part.width)};
    if (view.kind == ViewKind::bars)
        return BarsPicture{memory, part.width, high, view.quantity, view.axis.title};
    return with_legend({memory, part.width, part.height, low, high, view.quantity, view.unit},
                       run.numbers, view);
}

// Where a view sets its own extents, the image has one channel for each buffer element per pixel.
ElementShape RecordedExperiment::element_shape(Run& run, const ViewPlan& view) const
{
    const Part part = part_of(run, view.part);
    ElementShape shape{part.type, part.width, part.height};
    if (view.kind == ViewKind::image && !view.part.extents.empty()) {
        const Part whole = part_of(run, {.of = view.part.of});
        shape.channels = static_cast<int>(std::max<std::size_t>(whole.count / part.count, 1));
    }
    return shape;
}

// Uses the maximum over all variants, because memory that is drawn must not move.
void RecordedExperiment::make_canvases()
{
    std::map<decltype(memory_.canvases)::key_type, ElementCanvas> wanted;
    for (const Variant& variant : lab_.variants) {
        if (!variant.runs_on(device_.engine())) continue;
        Run& run = run_of(variant);
        for (const ViewPlan& view : run.plan->views) {
            if (!view.elements) continue;
            const ElementCanvas canvas = canvas_of(view.kind, element_shape(run, view));
            ElementCanvas& largest = wanted[{view.id, view.kind}];
            if (largest.bytes < canvas.bytes) largest = canvas;
        }
    }
    std::size_t left = memory_limit();
    for (const auto& [view, canvas] : wanted) {
        constexpr int longest = 16384;
        const bool too_long =
            view.second == ViewKind::image && (canvas.width > longest || canvas.height > longest);
        if (too_long || canvas.bytes > left)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: the view {} would have {} × {} elements.", lab_.id,
                                    view.first, canvas.width, canvas.height),
                        "Choose smaller extents.");
        left -= canvas.bytes;
        if (view.second == ViewKind::image)
            memory_.canvases[view].image =
                shown_.image(canvas.width, canvas.height, device::Format::rgba8);
        else
            memory_.canvases[view].memory = shown_.buffer(canvas.bytes);
    }
}

// Reads the elements back, converts them to the view's format, and uploads them to the memory that
// is drawn: the same on both engines.
Picture RecordedExperiment::picture_of_elements(Run& run, const ViewPlan& view)
{
    const Part part = part_of(run, view.part);
    const ElementShape shape = element_shape(run, view);
    std::vector<std::byte> elements(part.count * shape.channels * part.type.bytes);
    device_.download(elements,
                     replaced_slot(view.part.of).held().address() + part.offset * part.type.bytes);
    const Canvas& canvas = memory_.canvases.at({view.id, view.kind});
    if (canvas.image) {
        device_.upload(*canvas.image, drawn(view.kind, shape, elements, {}));
        return ImagePicture{canvas.image};
    }
    Range range{0, 1};
    const bool found = !view.low || !view.high;
    if (found) range = range_of_elements(shape, elements);
    if (view.low) range.low = run.numbers(*view.low);
    if (view.high) range.high = run.numbers(*view.high);
    if (!(range.low < range.high)) range.high = range.low + 1;
    device_.upload(canvas.memory->address(), drawn(view.kind, shape, elements, range));
    const ElementCanvas size = canvas_of(view.kind, shape);
    const auto low = static_cast<float>(range.low);
    const auto high = static_cast<float>(range.high);
    const std::shared_ptr<const device::Buffer> memory = canvas.memory;
    if (view.kind == ViewKind::surface)
        return SurfacePicture{memory, size.width,    size.height, low,
                              high,   view.quantity, view.unit,   found};
    if (view.kind == ViewKind::curve)
        return CurvePicture{memory,
                            size.width,
                            low,
                            high,
                            view.quantity,
                            view.unit,
                            curve_axis(run.numbers, view, part.count)};
    if (view.kind == ViewKind::bars)
        return BarsPicture{memory, size.width, high, view.quantity, view.axis.title};
    return with_legend(
        {memory, size.width, size.height, low, high, view.quantity, view.unit, found}, run.numbers,
        view);
}

void RecordedExperiment::paint(const Stroke& stroke)
{
    Run& run = *run_;
    if (!run.plan->paint) return;
    begin();
    run.numbers.set("stroke_u", stroke.u);
    run.numbers.set("stroke_v", stroke.v);
    run.numbers.set("stroke_radius", stroke.radius);
    run.numbers.set("stroke_erases", stroke.erase ? 1 : 0);
    for (const ValuePlan& value : run.plan->paint->values) evaluate(run, value);
    launch(run, run.plan->paint->launch, nullptr);
    past_.log.push_back({steps_, &run, run.numbers.numbers(), stroke, values_});
    run.numbers.set("events", static_cast<double>(past_.log.size()));
}

// Advances the reference to the device's step, replaying all strokes and changes of parameters.
const std::vector<double>& RecordedExperiment::follow(Run& run)
{
    const CheckPlan& check = run.plan->check;
    const Reference& reference = find_reference(check.reference, check.where);
    if (!past_.reference) {
        const std::string& name = run.plan->result.of;
        const BufferPlan& buffer = *buffer_plan(run, name);
        const Installed initial_numbers(past_.log.front().run->numbers, &past_.log.front().numbers);
        const Shape3 shape = shape_of(*past_.log.front().run, buffer);
        const Data data = filled(*past_.log.front().run, buffer.fill, shape.type, shape.extents,
                                 buffer.extents.front().where);
        past_.reference.emplace(element_count(shape.extents, sizeof(double), check.where, name));
        const std::size_t filled_count = data.bytes().size() / shape.type.bytes;
        for (std::size_t i = 0; i < std::min(shape.count, filled_count); ++i)
            (*past_.reference)[i] = element_at(shape.type, data.bytes(), i);
    }
    while (true) {
        for (; past_.reference_events < past_.log.size() &&
               past_.log[past_.reference_events].step == past_.reference_steps;
             ++past_.reference_events) {
            const Event& event = past_.log[past_.reference_events];
            if (!event.stroke) {
                past_.conditions = past_.reference_events;
            } else if (reference.paint) {
                const Installed stroke_numbers(event.run->numbers, &event.numbers);
                reported_with(check.where, [&] {
                    reference.paint(*past_.reference, RecordScope(*this, *event.run, &check));
                });
            }
        }
        if (past_.reference_steps == steps_) return *past_.reference;
        const Event& conditions = past_.log[past_.conditions];
        const std::int64_t until = past_.reference_events < past_.log.size()
                                       ? std::min(steps_, past_.log[past_.reference_events].step)
                                       : steps_;
        const Installed step_numbers(conditions.run->numbers, &conditions.numbers);
        const RecordScope scope(*this, *conditions.run, &check);
        for (; past_.reference_steps < until; ++past_.reference_steps)
            reported_with(check.where, [&] { reference.advance(*past_.reference, scope); });
    }
}

std::vector<double> RecordedExperiment::wanted(Run& run, const Part& part)
{
    const CheckPlan& check = run.plan->check;
    element_count({static_cast<std::int64_t>(part.count)}, sizeof(double), check.where,
                  "the result");
    if (!check.each) {
        const Reference& reference = find_reference(check.reference, check.where);
        if (reference.advance) {
            const std::vector<double>& state = follow(run);
            // The state has no unused elements at the front.
            const PartPlan& plan = check.part ? *check.part : run.plan->result;
            const auto begin = state.begin() + static_cast<std::ptrdiff_t>(
                                                   first_element(run, plan, part, state.size()));
            return {begin, begin + static_cast<std::ptrdiff_t>(part.count)};
        }
        if (steps_ == 0) return std::vector<double>(part.count);
        if (!reference.result)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: the reference {} does its own comparison.", check.where,
                                    check.reference),
                        "See how the lab that introduced it uses it.");
        return reported_with(
            check.where, [&] { return reference.result(RecordScope(*this, run, &check, &part)); });
    }
    if (steps_ == 0) return std::vector<double>(part.count);
    return with_inputs(run, *check.each).each(*check.each, part.count, part.width, part.height);
}

// Compares with the correct variant's result for the same input: one step with the current values
// or, if steps continue from their result, all steps from the start.
Check RecordedExperiment::against_variant(std::span<const std::byte> got)
{
    Run& run = made();
    const CheckPlan& check = run.plan->check;
    if (check.variant == run.variant->id || steps_ == 0)
        return {.correct = true, .message = "no reference"};
    const Variant& right = *lab_.find_variant(check.variant);
    const Plan& plan = record_->plans.at(right.index);
    const bool continues =
        !plan.swap.empty() || !plan.changes.empty() || run_of(right).follows_steps;
    device::PlainAllocator memory(device_);
    RecordedExperiment other({.device = device_,
                              .shown = memory,
                              .lab = lab_,
                              .variant = right,
                              .values = continues ? past_.log.front().values : values_,
                              .seed = seed_,
                              .image = user_image_});
    if (continues) {
        for (const Event& event : past_.log) {
            while (other.steps() < event.step) other.step(nullptr);
            if (event.stroke)
                other.paint(*event.stroke);
            else
                other.set(event.values);
        }
        while (other.steps() < steps_) other.step(nullptr);
    } else {
        other.step(nullptr);
    }
    const std::vector<std::byte> want = other.result();
    const Part part = part_of(run, check.part ? *check.part : run.plan->result);
    const auto number = [&](std::span<const std::byte> bytes, std::size_t i) {
        return part.type.element == Element::bytes ? std::to_integer<int>(bytes[i])
                                                   : element_at(part.type, bytes, i);
    };
    const std::size_t bytes = part.type.element == Element::bytes ? 1 : part.type.bytes;
    std::vector<double> wanted(want.size() / bytes);
    double largest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        wanted[i] = number(want, i);
        if (std::isfinite(wanted[i])) largest = std::max(largest, std::abs(wanted[i]));
    }
    const double tolerance = check.tolerance ? run.numbers(*check.tolerance) * largest : 0;
    Check found = compare(
        got.size() / bytes, [&](std::size_t i) { return number(got, i); }, wanted, tolerance,
        part.width, [&](double value) { return element_text(part.type, value); });
    if (!found.correct)
        found.message += fmt::format(" (The variant {} gives the reference.)", right.id);
    return found;
}

Check RecordedExperiment::compared(std::span<const std::byte> got)
{
    Run& run = made();
    const CheckPlan& check = run.plan->check;
    if (!check.variant.empty()) {
        const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
        return against_variant(got);
    }
    // The tolerance uses the numbers with which the result was computed, and the
    // maximum of each parameter so far.
    const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
    run.numbers.set("steps", static_cast<double>(steps_));
    run.numbers.set("events", static_cast<double>(past_.log.size()));
    for (const auto& [id, largest] : past_.largest) run.numbers.set("largest_" + id, largest);
    const double tolerance = check.tolerance ? run.numbers(*check.tolerance) : 0;
    // A result that is also the next step's input exists before the first step.
    const bool result_exists =
        steps_ > 0 || std::ranges::any_of(run.plan->swap, [&](const auto& pair) {
            return pair.first == run.plan->result.of || pair.second == run.plan->result.of;
        });
    if (!check.reference.empty())
        if (const Reference& reference = find_reference(check.reference, check.where);
            reference.check && result_exists)
            return reported_with(check.where, [&] {
                return reference.check(RecordScope(*this, run, &check), got, tolerance);
            });

    const Part part = part_of(run, check.part ? *check.part : run.plan->result);
    if (part.type.element == Element::bytes) { // an image before its first step
        const bool empty =
            std::ranges::all_of(got, [](std::byte one) { return one == std::byte{}; });
        return {.max_error = empty ? 0.0 : 1.0,
                .tolerance = tolerance,
                .correct = empty,
                .message = empty ? "" : "The picture is not empty before the first step."};
    }
    const std::vector<double> want = wanted(run, part);
    return compare(
        got.size() / part.type.bytes, [&](std::size_t i) { return element_at(part.type, got, i); },
        want, tolerance, part.width, [&](double value) { return element_text(part.type, value); });
}

// Bytes to be compared.
std::vector<std::byte> RecordedExperiment::result()
{
    begin();
    Run& run = made();
    std::vector<std::byte> got;
    {
        const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
        collect();
        const PartPlan& plan = run.plan->check.part ? *run.plan->check.part : run.plan->result;
        const Part part = part_of(run, plan);
        got.resize(part.count * part.type.bytes);
        if (device::HostMemory* const host = host_memory(plan.of)) {
            device_.synchronize();
            const std::size_t first =
                first_element(run, plan, part, host->bytes().size() / part.type.bytes);
            const auto all = host->bytes().subspan(first * part.type.bytes, got.size());
            std::ranges::copy(all, got.begin());
        } else if (const device::Image* result = image(plan.of)) {
            got.resize(static_cast<std::size_t>(result->width()) * std::max(1, result->height()) *
                       device::bytes_per_pixel(result->format()));
            device_.download(got, *result);
        } else {
            const Slot& place = replaced_slot(plan.of);
            // The contents may still be in the slot of another variant.
            const auto offset =
                static_cast<std::uint64_t>(plan.offset ? run.numbers.whole(*plan.offset) : 0);
            device_.download(got, place.held().address() + place.leading_bytes +
                                      offset * part.type.bytes);
        }
    }
    return got;
}

Check RecordedExperiment::check()
{
    return check(result());
}

Check RecordedExperiment::check(std::span<const std::byte> result)
{
    const Check check = compared(result);
    kept_.clear(); // frees inputs, which may be large
    return check;
}

Work RecordedExperiment::work_per_launch() const
{
    const WorkPlan& work = run_->plan->work;
    return {.bytes = run_->numbers(work.bytes),
            .flops = run_->numbers(work.flops),
            .items = run_->numbers(work.items),
            .item = work.item};
}

Experiment::Shape RecordedExperiment::shape() const
{
    Shape shape;
    shape.launches_per_step = 0;
    walk(*run_, run_->plan->step, [&](const Action& action) {
        if (action.kind != Action::Kind::launch) return true;
        if (shape.launches_per_step++ == 0) {
            const device::Launch launch = shape_launch(*run_, action.launch);
            shape.kernel = &kernel_of(*run_, action.launch);
            shape.grid = launch.grid;
            shape.block = launch.block;
            shape.dynamic_shared_bytes = launch.dynamic_shared_bytes;
        }
        return true;
    });
    return shape;
}

Experiment::Result RecordedExperiment::next_result() const
{
    const PartPlan& plan = run_->plan->result;
    const Part part = part_of(*run_, plan);
    Result result{.element_bytes = static_cast<int>(part.type.bytes),
                  .width = part.width,
                  .height = part.height,
                  .stored_height = part.height};
    if (plan.stored) {
        const std::int64_t rows = run_->numbers.whole(*plan.stored);
        if (rows < 0 || rows > part.height)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("{}: cannot store {} of {} rows.", plan.where, rows, part.height),
                "Check \"stored\".");
        result.stored_height = static_cast<int>(rows);
    }
    result.image = image(plan.of);
    if (result.image) return result;
    auto places = memory_.places;
    if (run_->several)
        walk(*run_, run_->plan->step, [&](const Action& action) {
            if (action.kind == Action::Kind::swap)
                std::swap(places.at(action.from), places.at(action.to));
            return true;
        });
    for (const auto& [a, b] : run_->plan->swap) std::swap(places.at(a), places.at(b));
    result.buffer = places.at(plan.of)->memory.get();
    result.offset_bytes = part.offset * part.type.bytes;
    return result;
}

std::vector<Experiment::Memory> RecordedExperiment::memory() const
{
    std::vector<Memory> all;
    for (const MemoryPlan& plan : run_->plan->memory) {
        const Slot& place = slot(plan.buffer);
        const BufferPlan& buffer = *buffer_plan(*run_, plan.buffer);
        const std::size_t element = find_element(run_->numbers(buffer.type))->bytes;
        const auto& formulas = plan.extents.empty() ? buffer.extents : plan.extents;
        std::vector<std::int64_t> extents;
        for (const Formula& extent : formulas) extents.push_back(run_->numbers.whole(extent));
        const std::size_t named = element * element_count(extents, element, plan.where, plan.name);
        const std::size_t bytes =
            plan.extents.empty() ? place.wanted_leading_bytes + place.bytes : named;
        if (bytes > place.held().bytes())
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{}: {} would have {} bytes, but {} has {}.", plan.where,
                                    plan.name, bytes, plan.buffer, place.memory->bytes()),
                        "Check \"extent\".");
        const std::size_t row =
            extents.size() > 1 ? element * static_cast<std::size_t>(extents.front()) : 0;
        all.push_back({plan.name, place.memory.get(), bytes, row});
    }
    return all;
}

std::string RecordedExperiment::warning() const
{
    for (const WarningPlan& plan : run_->plan->warnings) {
        if (run_->numbers(plan.when) == 0) continue;
        fmt::dynamic_format_arg_store<fmt::format_context> numbers;
        for (const Formula& formula : plan.numbers) numbers.push_back(run_->numbers(formula));
        return fmt::vformat(plan.text, numbers);
    }
    return {};
}

const device::Buffer* RecordedExperiment::buffer(std::string_view name) const
{
    const auto found = memory_.places.find(std::string(name));
    return found == memory_.places.end() ? nullptr : found->second->memory.get();
}

double RecordedExperiment::number(const std::string& expression) const
{
    Evaluator numbers = run_->numbers; // a copy, which discards the compiled formula
    const Formula formula{expression, lab_.id + "/" + run_->variant->id};
    return numbers(formula);
}

} // namespace lanescope::labs
