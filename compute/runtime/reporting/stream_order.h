// The happens-before order of a program's work, through streams, events and host waits. Unordered
// accesses to the same memory, one of them a write, are a race even if the lockstep machine runs
// them one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "compute/runtime/reporting/call_site.h"

namespace lanescope::runtime {

// Vector clock: the known progress of each timeline (a stream, or the host).
class Clock {
public:
    std::uint64_t at(int timeline) const
    {
        const auto index = static_cast<std::size_t>(timeline);
        return index < ticks_.size() ? ticks_[index] : 0;
    }
    std::uint64_t advance(int timeline);
    void join(const Clock& other);
    // True if this clock includes everything that the other clock knows.
    bool includes(const Clock& other) const;
    const std::vector<std::uint64_t>& ticks() const { return ticks_; } // indexed by timeline

private:
    std::vector<std::uint64_t> ticks_;
};

constexpr int host_timeline = 0;

// State that determines the order of a stream's work.
struct StreamOrder {
    int device = 0;
    int context = 0; // context on the device; 0: primary
    int timeline = 0;
    Clock clock{};
    bool blocking = true; // synchronises with the default stream
};

// `streams` are pointers to all non-default streams; `legacy` is the context's default stream.
template <class Streams>
void join_blocking_streams(StreamOrder& legacy, const Streams& streams)
{
    for (const StreamOrder* other : streams)
        if (other->device == legacy.device && other->context == legacy.context && other->blocking)
            legacy.clock.join(other->clock);
}

// Returns the clock of work that the host is about to queue in the stream.
template <class Streams>
const Clock& begin_work_in(StreamOrder& stream, StreamOrder& legacy, const Streams& streams,
                           const Clock& host)
{
    if (&stream == &legacy)
        join_blocking_streams(legacy, streams);
    else if (stream.blocking)
        stream.clock.join(legacy.clock);
    stream.clock.join(host);
    stream.clock.advance(stream.timeline);
    return stream.clock;
}

enum class Touch : std::uint8_t { read, write, update };

// An access to a memory range, with its time.
struct MemoryUse {
    std::uint64_t begin = 0, end = 0;
    Touch touch = Touch::read;
    int timeline = host_timeline;
    std::uint64_t tick = 0;
    std::string what{}; // "kernel scale in stream 2", "cudaMemcpyAsync in stream 1"
    CallSite site{};

    bool ordered_before(const Clock& clock) const { return clock.at(timeline) >= tick; }
};

// Recent accesses to one allocation.
class History {
public:
    // Returns the latest access that conflicts with this one and is unordered with it.
    std::optional<MemoryUse> conflict(const MemoryUse& use, const Clock& clock) const;
    // Adds an access, and drops accesses that it covers and follows.
    void add(const MemoryUse& use, const Clock& clock);
    // True if some accesses are not known to be complete at this clock.
    bool any_unordered(const Clock& clock, bool writing_only) const;
    bool empty() const { return uses_.empty(); }

private:
    std::deque<MemoryUse> uses_;
};

} // namespace lanescope::runtime
