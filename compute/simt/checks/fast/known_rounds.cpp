// Rounds are compared warp by warp, since the order in which warps take turns is irrelevant to
// races.
#include "compute/simt/checks/fast/known_rounds.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace lanescope::simt {

KnownRounds::Event::Event(const AccessEvent& event)
    : instruction(&event.instruction), access(&event.access), op(event.op),
      contiguous(event.contiguous), width_bytes(event.width_bytes), mask(event.mask),
      low(event.low), high(event.high)
{
    set_lanes(event.lanes, event.shift);
}

KnownRounds::Event::Event(const BatchEvent& event)
    : function(&event.function), batch(&event.batch), contiguous(event.group.at.contiguous),
      width_bytes(static_cast<std::int32_t>(event.group.width)), mask(event.mask),
      low(event.group.at.low - event.group.offset), high(event.group.at.high - event.group.offset)
{
    set_lanes(event.group.at.lane.data(), 0 - event.group.offset);
}

void KnownRounds::Event::set_lanes(const std::uint64_t* lanes, std::uint64_t shift)
{
    if (mask != full_mask) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::size_t>(lowest_lane(rest));
            lane[i] = lanes[i] + shift;
        }
        return;
    }
    for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = lanes[i] + shift;
    const std::uint64_t distance = lane[1] - lane[0];
    apart = static_cast<std::int32_t>(distance);
    by_octets = static_cast<std::uint64_t>(std::int64_t{apart}) == distance;
    for (std::size_t i = 0; i < lane.size() && by_octets; ++i)
        by_octets = lane[i] == lane[i & ~std::size_t{7}] + (i & 7) * distance;
    if (op == trace::Op::load) return;
    // Other stores may be disjoint, too, which would take sorting to find out.
    disjoint = std::ranges::adjacent_find(lane, std::ranges::greater_equal()) == lane.end() ||
               std::ranges::adjacent_find(lane, std::ranges::less_equal()) == lane.end();
}

bool KnownRounds::Event::has_lanes(const std::uint64_t* lanes, std::uint64_t shift) const
{
    std::uint64_t differences = 0;
    if (mask == full_mask) {
        for (std::size_t i = 0; i < lane.size(); ++i) differences |= lane[i] ^ (lanes[i] + shift);
        return differences == 0;
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(lowest_lane(rest));
        differences |= lane[i] ^ (lanes[i] + shift);
    }
    return differences == 0;
}

bool KnownRounds::Event::is(const BatchEvent& event) const
{
    return batch == &event.batch && mask == event.mask &&
           has_lanes(event.group.at.lane.data(), 0 - event.group.offset);
}

KnownRounds::KnownRounds(bool enabled, std::size_t warps)
    : mode_(enabled ? Mode::undecided : Mode::off), done_(warps), recorded_(warps)
{
}

void KnownRounds::block_begins()
{
    if (mode_ == Mode::off) return;
    if (mode_ == Mode::recording) keep_recorded();
    mode_ = credit_ > 0 ? Mode::undecided : Mode::off;
    executed_ = unmarked_ = 0;
    unchecked_ = 0;
    all_executed_known_ = true;
    last_ = max_rounds;
    expected_ = first_;
}

bool KnownRounds::is_partial() const
{
    if (unchecked_ == 0) return false;
    for (std::size_t warp = 0; warp < done_.size(); ++warp)
        if (done_[warp] != rounds_[current_].events[warp].size()) return true;
    return false;
}

void KnownRounds::round_ends()
{
    switch (mode_) {
    case Mode::off:
    case Mode::undecided: return;
    case Mode::matching:
        if (unchecked_ == 0) break; // only expected
        unchecked_ = 0;
        executed_ |= std::uint64_t{1} << current_;
        unmarked_ |= std::uint64_t{1} << current_;
        credit_ = std::min(credit_ + 1, max_credit);
        allowed_events_ = std::min(allowed_events_ + rounds_[current_].total, max_events);
        follows(current_);
        break;
    case Mode::recording: keep_recorded(); break;
    case Mode::lost:
        all_executed_known_ = false;
        last_ = max_rounds;
        break;
    }
    mode_ = credit_ > 0 || unmarked_ != 0 ? Mode::undecided : Mode::off;
}

void KnownRounds::follows(std::size_t round)
{
    if (last_ < rounds_.size())
        rounds_[last_].next = round;
    else
        first_ = round;
    last_ = round;
    expected_ = rounds_[round].next;
}

void KnownRounds::match(std::size_t round)
{
    mode_ = Mode::matching;
    current_ = round;
    std::ranges::fill(done_, 0);
}

void KnownRounds::record(std::size_t warp, const Event& event)
{
    if (events_ + recorded_events_ >= allowed_events_ || rounds_.size() == max_rounds ||
        !all_executed_known_) {
        for (Events& events : recorded_) events.clear();
        recorded_events_ = 0;
        --credit_;
        mode_ = Mode::lost;
        return;
    }
    recorded_[warp].push_back(event);
    ++recorded_events_;
}

// The recorded round becomes a known one.
void KnownRounds::keep_recorded()
{
    --credit_;
    const std::size_t number = rounds_.size();
    rounds_.push_back({std::exchange(recorded_, std::vector<Events>(done_.size())), executed_,
                       number + 1, recorded_events_});
    events_ += std::exchange(recorded_events_, 0);
    executed_ |= std::uint64_t{1} << number;
    follows(number);
}

void KnownRounds::settled()
{
    credit_ -= settling_cost;
    unmarked_ = 0;
    if (unchecked_ == 0) return;
    unchecked_ = 0;
    mode_ = Mode::recording;
    for (std::size_t warp = 0; warp < done_.size(); ++warp)
        for (std::size_t i = 0; i < done_[warp] && mode_ == Mode::recording; ++i)
            record(warp, rounds_[current_].events[warp][i]);
}

} // namespace lanescope::simt
