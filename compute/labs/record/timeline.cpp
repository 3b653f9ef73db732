// A mark before and one behind each operation, and one around all of them.
#include "compute/labs/record/timeline.h"

#include <algorithm>

namespace lanescope::labs {

double TimelineLog::now_ms() const
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
}

void TimelineLog::begin()
{
    timeline_ = std::make_shared<Timeline>();
    timeline_->alone_ms = alone_ms_;
    if (marks_) {
        device_.synchronize();
        if (unread_) marks_->read_ms();
        marks_->mark();
    }
    begun_ = Clock::now();
}

void TimelineLog::operation(Timeline::Unit unit, int stream, const std::function<void()>& what)
{
    const bool queued = marks_ && unit != Timeline::Unit::wait;
    if (queued) marks_->mark();
    Timeline::Operation one{.unit = unit, .stream = stream, .call_begin_ms = now_ms()};
    what();
    one.call_end_ms = now_ms();
    if (queued) marks_->mark();
    timeline_->operations.push_back(one);
}

void TimelineLog::end()
{
    streams_.join_streams();
    if (!marks_) return;
    marks_->mark();
    unread_ = true;
}

std::shared_ptr<const Timeline> TimelineLog::read()
{
    if (!unread_) return timeline_;
    unread_ = false;
    const std::vector<double> ms = marks_->read_ms();
    auto timed = std::make_shared<Timeline>(*timeline_);
    timed->timed = true;
    std::array<double, 3> unit_free{};
    std::size_t next = 1;
    for (Timeline::Operation& one : timed->operations) {
        if (one.unit == Timeline::Unit::wait) continue;
        double& free = unit_free[static_cast<std::size_t>(one.unit)];
        one.end_ms = ms.at(next + 1);
        one.begin_ms = std::min(std::max(ms.at(next), free), one.end_ms);
        free = std::max(free, one.end_ms);
        next += 2;
    }
    timed->total_ms = ms.at(next);
    timeline_ = std::move(timed);
    return timeline_;
}

double TimelineLog::alone_ms(const std::function<void()>& what)
{
    device_.synchronize();
    if (unread_) marks_->read_ms();
    unread_ = false;
    marks_->mark();
    what();
    marks_->mark();
    return marks_->read_ms().at(1);
}

void TimelineLog::set_alone(const std::array<double, 3>& alone_ms)
{
    alone_ms_ = alone_ms;
}

} // namespace lanescope::labs
