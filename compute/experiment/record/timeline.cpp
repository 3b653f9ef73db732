// Places a mark after each operation. Marks before operations would mislead: on an H100, a mark
// that precedes a waiting copy executes only when the copy has completed.
#include "compute/experiment/record/timeline.h"

#include <algorithm>
#include <utility>

namespace lanescope::labs {

namespace {

constexpr auto opengl_queue = static_cast<std::size_t>(-1); // in a Mark

bool is_opengls(Timeline::Unit unit)
{
    return unit == Timeline::Unit::to_opengl || unit == Timeline::Unit::draw ||
           unit == Timeline::Unit::present;
}

} // namespace

TimelineLog::TimelineLog(device::Group& group) : group_(group)
{
    if (auto marks = group.streams(0).marks()) marks_.push_back(std::move(marks));
    marked_.resize(marks_.size());
}

double TimelineLog::now_ms() const
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
}

// Marks the completion of everything queued so far on the device's current queue.
TimelineLog::Mark TimelineLog::mark(int device)
{
    const auto own = static_cast<std::size_t>(group_.own(device));
    marks_.at(own)->mark();
    return {own, marked_.at(own)++};
}

// Discards unread marks.
void TimelineLog::forget()
{
    for (std::size_t i = 0; i < marks_.size(); ++i)
        if (marked_[i] > 0) marks_[i]->read_ms();
    std::ranges::fill(marked_, 0);
    unread_ = false;
}

// Device n's mark is between two marks of device 0: its clock is aligned with their midpoint, with
// an error of at most half of their distance.
void TimelineLog::compare_clocks()
{
    clocks_.clear();
    for (int device = 1; device < static_cast<int>(marks_.size()); ++device) {
        Between one;
        one.before = mark(0);
        group_.use(device, 0);
        one.moment = mark(device);
        group_.join();
        one.after = mark(0);
        clocks_.push_back(one);
    }
}

TimelineLog::Mark TimelineLog::mark_opengl()
{
    opengl_->mark();
    return {opengl_queue, opengl_marked_++};
}

void TimelineLog::begin(device::Graphics* graphics)
{
    opengl_ = graphics && timed() ? &graphics->clock() : nullptr;
    opengl_marked_ = 0;
    starts_.clear();
    frame_ = 0;
    if (opengl_) graphics->finish();
    timeline_ = std::make_shared<Timeline>();
    timeline_->alone_ms = isolated_ms_;
    last_.clear();
    awaited_.clear();
    ends_.clear();
    if (timed()) {
        const int devices = group_.is_simulated() ? 1 : group_.size();
        while (static_cast<int>(marks_.size()) < devices)
            marks_.push_back(group_.streams(static_cast<int>(marks_.size())).marks());
        marked_.resize(marks_.size());
        group_.synchronize();
        forget();
        compare_clocks();
        if (devices > 1) group_.synchronize();
        if (opengl_) opengl_->start();
        origin_ = mark(0);
    }
    begun_ = Clock::now();
}

void TimelineLog::operation(Timeline::Operation one, const std::function<void()>& action)
{
    const Queue queue{one.device, one.stream};
    if (one.unit != Timeline::Unit::wait) {
        one.after = std::exchange(awaited_[queue], {});
        last_[queue] = static_cast<int>(timeline_->operations.size());
    }
    one.frame = frame_;
    frame_ += one.unit == Timeline::Unit::present;
    const bool draws = opengl_ && is_opengls(one.unit);
    if (draws)
        starts_.push_back(mark_opengl());
    else if (opengl_ && one.unit != Timeline::Unit::wait)
        starts_.push_back(mark(one.device));
    one.call_start_ms = now_ms();
    action();
    one.call_end_ms = now_ms();
    if (draws)
        ends_.push_back(mark_opengl());
    else if (timed() && one.unit != Timeline::Unit::wait)
        ends_.push_back(mark(one.device));
    timeline_->operations.push_back(std::move(one));
}

void TimelineLog::waits(Queue queue, Queue awaited)
{
    const auto found = last_.find(awaited);
    if (found != last_.end()) awaited_[queue].push_back(found->second);
}

void TimelineLog::end()
{
    group_.join();
    if (!timed()) return;
    end_ = mark(0);
    unread_ = true;
}

std::function<double(TimelineLog::Mark)> TimelineLog::read_clocks()
{
    std::vector<std::vector<double>> ms;
    for (const auto& marks : marks_) ms.push_back(marks->read_ms());
    std::ranges::fill(marked_, 0);
    const auto at = [&](Mark mark) { return ms.at(mark.device).at(mark.index); };
    const double origin = at(origin_);
    std::vector<double> ahead{-origin}; // offset added to each device's clock
    for (const Between& one : clocks_)
        ahead.push_back((at(one.before) + at(one.after)) / 2 - at(one.moment) - origin);
    std::vector<double> opengl_ms;
    if (opengl_) opengl_ms = opengl_->read_ms();
    return [ms, ahead, opengl_ms](Mark mark) {
        if (mark.device == opengl_queue) return opengl_ms.at(mark.index);
        return ms.at(mark.device).at(mark.index) + ahead.at(mark.device);
    };
}

std::shared_ptr<const Timeline> TimelineLog::read()
{
    if (!unread_) return timeline_;
    unread_ = false;
    const auto ms = read_clocks();
    auto timed = std::make_shared<Timeline>(*timeline_);
    timed->timed = true;
    std::map<std::pair<int, Timeline::Unit>, double> unit_free;
    std::map<Queue, double> queue_free_at;
    auto end = ends_.begin();
    auto start = starts_.begin();
    for (Timeline::Operation& one : timed->operations) {
        if (one.unit == Timeline::Unit::wait) continue;
        double& unit = unit_free[{one.device, one.unit}];
        double& queue = queue_free_at[{one.device, one.stream}];
        double begin = std::max({one.call_start_ms, unit, queue});
        for (const int awaited : one.after)
            begin = std::max(begin, timed->operations.at(static_cast<std::size_t>(awaited)).end_ms);
        if (opengl_) begin = std::max(0.0, ms(*start++));
        one.end_ms = std::max(0.0, ms(*end++));
        one.start_ms = std::min(begin, one.end_ms);
        unit = queue = one.end_ms;
    }
    timed->total_ms = ms(end_);
    timeline_ = std::move(timed);
    return timeline_;
}

double TimelineLog::alone_ms(const std::function<void()>& action)
{
    group_.synchronize();
    forget();
    const Mark begin = mark(0);
    action();
    group_.join();
    const Mark end = mark(0);
    const std::vector<double> ms = marks_.front()->read_ms();
    std::ranges::fill(marked_, 0);
    return ms.at(end.index) - ms.at(begin.index);
}

void TimelineLog::set_isolated(const std::array<double, 3>& alone_ms)
{
    isolated_ms_ = alone_ms;
}

} // namespace lanescope::labs
