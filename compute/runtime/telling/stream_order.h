// Which work of a program is ordered before which other: by streams, events and what the host waits
// for. Work on the same memory in no order, one of them writing, is a race even where the lockstep
// machine does one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "compute/runtime/telling/call_site.h"

namespace lanescope::runtime {

// How far each timeline (a stream, or the host) is known to have come: a vector clock.
class Clock {
public:
    std::uint64_t at(int timeline) const
    {
        const auto index = static_cast<std::size_t>(timeline);
        return index < ticks_.size() ? ticks_[index] : 0;
    }
    std::uint64_t advance(int timeline);
    void join(const Clock& other);
    const std::vector<std::uint64_t>& ticks() const { return ticks_; } // by timeline

private:
    std::vector<std::uint64_t> ticks_;
};

constexpr int host_timeline = 0;

// What the order of a stream's work depends on.
struct StreamOrder {
    int device = 0;
    int context = 0; // of the device: 0 is its primary one
    int timeline = 0;
    Clock clock{};
    bool blocking = true; // waits for the default stream, and it for this one
};

// `streams` are pointers to all but default ones, `legacy` is the default stream of the context.
template <class Streams>
void join_blocking(StreamOrder& legacy, const Streams& streams)
{
    for (const StreamOrder* other : streams)
        if (other->device == legacy.device && other->context == legacy.context && other->blocking)
            legacy.clock.join(other->clock);
}

// The stream's clock for work that the host queues there now.
template <class Streams>
const Clock& begin_work_in(StreamOrder& stream, StreamOrder& legacy, const Streams& streams,
                           const Clock& host)
{
    if (&stream == &legacy)
        join_blocking(legacy, streams);
    else if (stream.blocking)
        stream.clock.join(legacy.clock);
    stream.clock.join(host);
    stream.clock.advance(stream.timeline);
    return stream.clock;
}

enum class Touch : std::uint8_t { read, write, update };

// Something that was done to a range of memory, and when.
struct MemoryUse {
    std::uint64_t begin = 0, end = 0;
    Touch touch = Touch::read;
    int timeline = host_timeline;
    std::uint64_t tick = 0;
    std::string what{}; // "kernel scale in stream 2", "cudaMemcpyAsync in stream 1"
    CallSite site{};

    bool ordered_before(const Clock& clock) const { return clock.at(timeline) >= tick; }
};

// The latest uses of one allocation.
class History {
public:
    // A use that is in no order with this one and conflicts with it, the latest one.
    std::optional<MemoryUse> conflict(const MemoryUse& use, const Clock& clock) const;
    // Forgets what is ordered before it and covered by it.
    void add(const MemoryUse& use, const Clock& clock);
    // Uses that whoever has this clock does not know to be over.
    bool any_unordered(const Clock& clock, bool writing_only) const;
    bool empty() const { return uses_.empty(); }

private:
    std::deque<MemoryUse> uses_;
};

} // namespace lanescope::runtime
