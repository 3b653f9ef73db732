// A mark behind each operation. None before it: in front of a copy that waits for its unit an H100
// passes a mark only when the copy is done.
#include "compute/labs/record/timeline.h"

#include <algorithm>
#include <map>

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
    Timeline::Operation one{.unit = unit, .stream = stream, .call_begin_ms = now_ms()};
    what();
    one.call_end_ms = now_ms();
    if (marks_ && unit != Timeline::Unit::wait) marks_->mark();
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
    std::map<int, double> stream_free;
    std::size_t next = 1;
    for (Timeline::Operation& one : timed->operations) {
        if (one.unit == Timeline::Unit::wait) continue;
        double& unit = unit_free[static_cast<std::size_t>(one.unit)];
        double& stream = stream_free[one.stream];
        one.end_ms = ms.at(next++);
        one.begin_ms = std::min(std::max({one.call_begin_ms, unit, stream}), one.end_ms);
        unit = stream = one.end_ms;
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
