// Measurements run on their own threads; the runner polls for their results.
#include "app/run/actors/background.h"

#include <chrono>

namespace lanescope::app {

using namespace std::chrono_literals;

void Background::measure_roofs(const device::Device& device)
{
    roofs_ = {};
    if (!pending_roofs_.valid()) expect_roofs(measure_roofs_in_background(device));
}

void Background::follow(const SweepSettings& wanted, const Side& side, const device::Device& device)
{
    if (wanted.sweep) sweep_.choose(*wanted.sweep);
    sweep_.all_variants = wanted.all_variants;
    if (wanted.follow && !side.lab().sweeps.empty())
        sweep_.follow(device, {&side.lab(), side.variant().id, side.values(), side.start().seed,
                               side.start().image});
}

namespace {

VariantCounter::Subject subject_of(const Side& side)
{
    return {&side.lab(),
            {as_texts(side.lab(), side.values()), side.start().seed, side.start().image}};
}

} // namespace

void Background::count_variants(const Side& side)
{
    VariantCounter::Subject subject = subject_of(side);
    if (subject == counted_subject_) return;
    counter_->follow(subject);
    counted_subject_ = std::move(subject);
    counted_.reset();
}

std::shared_ptr<const AllCountedInBackground> Background::counted(const Side& side) const
{
    return counted_ && counted_subject_ == subject_of(side) ? counted_ : nullptr;
}

bool Background::take(MeasuredLive& measured)
{
    bool has_news = false;
    if (auto counted = counter_ ? counter_->take() : nullptr) {
        counted_ = std::move(counted);
        has_news = true;
    }
    if (pending_roofs_.valid() && pending_roofs_.wait_for(0s) == std::future_status::ready) {
        has_news = true;
        roofs_ = pending_roofs_.get();
        measured.times_outdated = true;
    }
    sweep_.take_points();
    const SweepRun* const run = sweep_.run();
    const bool finished = run && run->finished();
    const auto plan = run ? run->plan() : nullptr;
    if (plan == plan_ && sweep_.points().size() == points_->size() && finished == finished_)
        return has_news;
    plan_ = plan;
    points_ = std::make_shared<const std::vector<SweepPoint>>(sweep_.points());
    finished_ = finished;
    error_ = run ? run->error() : "";
    return true;
}

std::optional<SweepFrame> Background::frame() const
{
    if (!plan_ && points_->empty()) return {};
    return SweepFrame{plan_, points_, finished_, error_};
}

void Background::end()
{
    sweep_ = {};
    counter_.reset();
    pending_roofs_ = {};
}

} // namespace lanescope::app
