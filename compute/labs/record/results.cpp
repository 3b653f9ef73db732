// What an experiment shows: pictures, checks against the reference, work, and where memory lies.
#include "compute/labs/record/experiment.h"

#include <algorithm>
#include <cmath>

#include <fmt/args.h>
#include <fmt/format.h>

#include "compute/labs/compare.h"
#include "compute/labs/record/record_scope.h"

namespace lanescope::labs {
namespace {

// Gives a run's numbers back what they were before.
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
                    "Give it: an expression over i, x and y.");
    return experiment_.with_inputs(run_, found->second)
        .each(found->second, part_->count, part_->width, part_->height);
}

int RecordedExperiment::steps_per_frame() const
{
    const auto& frame = run_->plan->steps_per_frame;
    return frame ? static_cast<int>(run_->numbers.whole(*frame)) : 1;
}

RecordedExperiment::Part RecordedExperiment::part_of(Run& run, const PartPlan& plan) const
{
    Part part;
    std::vector<std::int64_t> extents;
    if (const BufferPlan* buffer = buffer_plan(run, plan.of)) {
        Shape3 shape = shape_of(run, *buffer);
        part.type = shape.type;
        part.offset = shape.front;
        extents = std::move(shape.extents);
    } else {
        const auto image = std::ranges::find(run.plan->images, plan.of, &ImagePlan::name);
        part.type = {Element::u8, 1};
        for (const Formula& extent : image->extents) extents.push_back(run.numbers.whole(extent));
        if (const auto format = find_format(image->format))
            part.type = {Element::bytes,
                         static_cast<std::size_t>(device::bytes_per_pixel(*format))};
    }
    if (!plan.extents.empty()) {
        extents.clear();
        for (const Formula& extent : plan.extents) extents.push_back(run.numbers.whole(extent));
    }
    if (plan.offset) part.offset += run.numbers.whole(*plan.offset);
    part.width = static_cast<int>(extents.at(0));
    for (std::size_t i = 1; i < extents.size(); ++i) part.height *= static_cast<int>(extents[i]);
    part.count = static_cast<std::size_t>(part.width) * part.height;
    return part;
}

Picture RecordedExperiment::picture(std::string_view wanted)
{
    begin();
    Run& run = made();
    const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
    const auto& views = run.plan->views;
    auto view = std::ranges::find(views, wanted, &ViewPlan::id);
    if (view == views.end()) view = views.begin();
    if (view->draw) launch(run, *view->draw, nullptr);
    if (view->kind == "image") return ImagePicture{images_.at(view->part.of).get()};
    const Part part = part_of(run, view->part);
    const auto number = [&](const std::optional<Formula>& formula, double otherwise) {
        return static_cast<float>(formula ? run.numbers(*formula) : otherwise);
    };
    const float low = number(view->low, 0);
    const float high = number(view->high, 1);
    const device::Buffer* memory = slot(view->part.of).memory.get();
    if (view->kind == "surface")
        return SurfacePicture{memory, part.width,     part.height, low,
                              high,   view->quantity, view->unit};
    if (view->kind == "curve")
        return CurvePicture{memory, part.width, low, high, view->quantity, view->unit};
    if (view->kind == "bars")
        return BarsPicture{memory, part.width, high, view->quantity, view->axis};
    return FieldPicture{memory, part.width, part.height, low, high, view->quantity, view->unit};
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
    log_.push_back({steps_, &run, run.numbers.numbers(), true});
    run.numbers.set("events", static_cast<double>(log_.size()));
}

// Brings the reference to where the device is, through everything that happened on the way.
const std::vector<double>& RecordedExperiment::follow(Run& run)
{
    const CheckPlan& check = run.plan->check;
    const Reference& reference = find_reference(check.reference, check.where);
    if (!reference_) {
        const std::string& name = run.plan->result.of;
        const BufferPlan& buffer = *buffer_plan(run, name);
        const Installed as_begun(log_.front().run->numbers, &log_.front().numbers);
        const Shape3 shape = shape_of(*log_.front().run, buffer);
        const Data data = filled(*log_.front().run, buffer.fill, shape.type, shape.extents,
                                 buffer.extents.front().where);
        reference_.emplace(shape.count);
        const std::size_t filled_count = data.bytes().size() / shape.type.bytes;
        for (std::size_t i = 0; i < std::min(shape.count, filled_count); ++i)
            (*reference_)[i] = element_at(shape.type, data.bytes(), i);
    }
    while (true) {
        for (; reference_events_ < log_.size() && log_[reference_events_].step == reference_steps_;
             ++reference_events_) {
            const Event& event = log_[reference_events_];
            if (!event.stroke) {
                conditions_ = reference_events_;
            } else if (reference.paint) {
                const Installed as_painted(event.run->numbers, &event.numbers);
                reference.paint(*reference_, RecordScope(*this, *event.run, &check));
            }
        }
        if (reference_steps_ == steps_) return *reference_;
        const Event& conditions = log_[conditions_];
        const std::int64_t until = reference_events_ < log_.size()
                                       ? std::min(steps_, log_[reference_events_].step)
                                       : steps_;
        const Installed as_then(conditions.run->numbers, &conditions.numbers);
        const RecordScope scope(*this, *conditions.run, &check);
        for (; reference_steps_ < until; ++reference_steps_) reference.advance(*reference_, scope);
    }
}

std::vector<double> RecordedExperiment::wanted(Run& run, const Part& part)
{
    const CheckPlan& check = run.plan->check;
    if (!check.each) {
        const Reference& reference = find_reference(check.reference, check.where);
        if (reference.advance) {
            const std::vector<double>& state = follow(run);
            // The state has no unused elements in front.
            const PartPlan& plan = check.part ? *check.part : run.plan->result;
            const std::size_t offset = plan.offset ? run.numbers.whole(*plan.offset) : 0;
            return {state.begin() + offset, state.begin() + offset + part.count};
        }
        if (steps_ == 0) return std::vector<double>(part.count);
        return reference.result(RecordScope(*this, run, &check, &part));
    }
    if (steps_ == 0) return std::vector<double>(part.count);
    return with_inputs(run, *check.each).each(*check.each, part.count, part.width, part.height);
}

Check RecordedExperiment::compared(std::span<const std::byte> got)
{
    Run& run = made();
    const CheckPlan& check = run.plan->check;
    // Before the reference looks: conditions that changed since belong to its tolerance too.
    const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
    run.numbers.set("steps", static_cast<double>(steps_));
    run.numbers.set("events", static_cast<double>(log_.size()));
    for (const auto& [id, largest] : largest_) run.numbers.set("largest_" + id, largest);
    const double tolerance = check.tolerance ? run.numbers(*check.tolerance) : 0;
    if (!check.reference.empty())
        if (const Reference& reference = find_reference(check.reference, check.where);
            reference.check && steps_ > 0)
            return reference.check(RecordScope(*this, run, &check), got, tolerance);

    const Part part = part_of(run, check.part ? *check.part : run.plan->result);
    if (part.type.element == Element::bytes) { // an image, before its first step
        const bool empty =
            std::ranges::all_of(got, [](std::byte one) { return one == std::byte{}; });
        return {.max_error = empty ? 0.0 : 1.0,
                .tolerance = tolerance,
                .correct = empty,
                .message = empty ? "" : "The picture is not empty before the first step."};
    }
    const std::vector<double> want = wanted(run, part);
    std::vector<double> numbers(got.size() / part.type.bytes);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = element_at(part.type, got, i);
    return compare(numbers, want, tolerance, part.width,
                   [&](double value) { return element_text(part.type, value); });
}

Check RecordedExperiment::check()
{
    begin();
    Run& run = made();
    std::vector<std::byte> got;
    {
        const Installed as_made(run.numbers, made_by_ ? &made_numbers_ : nullptr);
        const PartPlan& plan = run.plan->check.part ? *run.plan->check.part : run.plan->result;
        const Part part = part_of(run, plan);
        got.resize(part.count * part.type.bytes);
        if (const device::Image* result = image(plan.of)) {
            got.resize(static_cast<std::size_t>(result->width()) * std::max(1, result->height()) *
                       device::bytes_per_pixel(result->format()));
            device_.download(got, *result);
        } else {
            const Slot& place = slot(plan.of);
            // The contents may still lie where another variant wants them.
            const std::size_t offset = plan.offset ? run.numbers.whole(*plan.offset) : 0;
            device_.download(got, place.memory->address() + place.front_bytes +
                                      offset * part.type.bytes);
        }
    }
    return check(got);
}

Check RecordedExperiment::check(std::span<const std::byte> result)
{
    const Check check = compared(result);
    kept_.clear(); // an input may be large
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
                  .height = part.height};
    result.image = image(plan.of);
    if (result.image) return result;
    auto places = places_;
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
        std::size_t bytes = place.wanted_front_bytes + place.bytes;
        if (!plan.extents.empty()) {
            bytes = find_element(run_->numbers(buffer_plan(*run_, plan.buffer)->type))->bytes;
            for (const Formula& extent : plan.extents) bytes *= run_->numbers.whole(extent);
        }
        all.push_back({plan.name, place.memory.get(), bytes});
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
    const auto found = places_.find(std::string(name));
    return found == places_.end() ? nullptr : found->second->memory.get();
}

double RecordedExperiment::number(std::string_view name) const
{
    return run_->numbers.number(name);
}

} // namespace lanescope::labs
