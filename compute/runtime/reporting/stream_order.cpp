// Keeps few accesses per allocation: once a later write to the same bytes is ordered after an
// access, the access no longer matters.
#include "compute/runtime/reporting/stream_order.h"

#include <algorithm>

namespace lanescope::runtime {

namespace {

constexpr std::size_t max_uses = 64;

bool conflicts(Touch one, Touch other)
{
    if (one == Touch::read && other == Touch::read) return false;
    return !(one == Touch::update && other == Touch::update);
}

} // namespace

std::uint64_t Clock::advance(int timeline)
{
    const auto index = static_cast<std::size_t>(timeline);
    if (ticks_.size() <= index) ticks_.resize(index + 1);
    return ++ticks_[index];
}

bool Clock::includes(const Clock& other) const
{
    for (std::size_t i = 0; i < other.ticks_.size(); ++i)
        if (at(static_cast<int>(i)) < other.ticks_[i]) return false;
    return true;
}

void Clock::join(const Clock& other)
{
    if (ticks_.size() < other.ticks_.size()) ticks_.resize(other.ticks_.size());
    for (std::size_t i = 0; i < other.ticks_.size(); ++i)
        ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
}

std::optional<MemoryUse> History::conflict(const MemoryUse& use, const Clock& clock) const
{
    for (auto at = uses_.rbegin(); at != uses_.rend(); ++at)
        if (at->begin < use.end && use.begin < at->end && conflicts(at->touch, use.touch) &&
            !at->ordered_before(clock))
            return *at;
    return {};
}

void History::add(const MemoryUse& use, const Clock& clock)
{
    std::erase_if(uses_, [&](const MemoryUse& old) {
        const bool covered = use.begin <= old.begin && old.end <= use.end;
        const bool stronger = use.touch == Touch::write || old.touch == use.touch;
        return old.ordered_before(clock) && covered && stronger;
    });
    uses_.push_back(use);
    if (uses_.size() > max_uses) uses_.pop_front();
}

bool History::any_unordered(const Clock& clock, bool writing_only) const
{
    return std::ranges::any_of(uses_, [&](const MemoryUse& use) {
        return !(writing_only && use.touch == Touch::read) && !use.ordered_before(clock);
    });
}

} // namespace lanescope::runtime
