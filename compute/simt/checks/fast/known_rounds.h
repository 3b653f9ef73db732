// Rounds of a block that repeat. A round is the time between two barriers of the whole block.
// Whether accesses to shared memory race depends on nothing but the accesses of their round, so a
// round that makes the accesses of an earlier one, warp by warp, needs no checks of its own.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

// Rounds whose checks succeeded, and the progress of the running round. A round is assumed to
// repeat a known one while each of its events is the next one of its warp there; the events so far
// are then unchecked. Before any other event is checked, the owner must check these (unchecked()),
// and call settled().
//
// A known round relies on bytes that earlier rounds of its block initialised. It is known only in
// blocks that have executed at least the rounds that its block had executed before it.
class KnownRounds {
public:
    // An access to shared memory, the loads of a batch, or a meeting of the warp's lanes.
    struct Event {
        const Instruction* instruction = nullptr; // null: a batch or a meeting
        const Access* access = nullptr;
        const Function* function = nullptr;
        const LoadBatch* batch = nullptr;
        trace::Op op = trace::Op::load;
        bool contiguous = false;
        bool by_octets = false; // all lanes; in each eight of them, addresses are `apart` apart
        bool disjoint = false;  // a store of all lanes to different addresses
        std::int32_t apart = 0;
        std::int32_t width_bytes = 0;
        std::uint32_t mask = 0;
        std::uint64_t low = 0, high = 0;
        // Addresses; those of a batch before adding each load's offset.
        alignas(64) std::array<std::uint64_t, warp_lanes> lane{};

        explicit Event(const AccessEvent& event);
        explicit Event(const BatchEvent& event);
        Event() = default; // a meeting

        const void* what() const
        {
            return batch != nullptr ? static_cast<const void*>(batch) : instruction;
        }
        bool disjoint_or_loads() const { return disjoint || op == trace::Op::load; }
        bool is_meeting() const { return what() == nullptr; }
        bool is(const AccessEvent& event) const
        {
            return instruction == &event.instruction && mask == event.mask &&
                   width_bytes == event.width_bytes && has_lanes(event.lanes, event.shift);
        }
        bool is(const BatchEvent& event) const;
        // The address of each eight lanes' first lane.
        bool starts_at(const std::array<std::uint64_t, 4>& octets, std::uint64_t offset) const
        {
            std::uint64_t differences = 0;
            for (std::size_t i = 0; i < octets.size(); ++i)
                differences |= (lane[8 * i] + offset) ^ octets[i];
            return differences == 0;
        }
        bool has_lanes(const std::uint64_t* lanes, std::uint64_t shift) const;

    private:
        void set_lanes(const std::uint64_t* lanes, std::uint64_t shift);
    };
    using Events = std::vector<Event>;

    // `enabled`: otherwise no round is ever known.
    KnownRounds(bool enabled, std::size_t warps);
    void block_begins();
    // Returns true if only a part of a known round has been executed. It must be checked if the
    // round ends here.
    bool is_partial() const;
    // All warps of the block have met.
    void round_ends();

    // Return true if the event needs no check, because it is the warp's next one in a known round.
    template <class Observed>
    bool repeats(std::size_t warp, const Observed& event)
    {
        return repeats_if(warp, [&](const Event& next) { return next.is(event); });
    }
    bool meeting_repeats(std::size_t warp)
    {
        return repeats_if(warp, [](const Event& next) { return next.is_meeting(); });
    }
    // The events that the warp executes next if its round is a known one; null if it is not, or not
    // yet. Call advance() after executing some of them.
    struct Next {
        const Event* begin = nullptr;
        const Event* end = nullptr;
    };
    Next next_events(std::size_t warp)
    {
        if (mode_ == Mode::undecided && is_possible(expected_)) match(expected_);
        if (mode_ != Mode::matching) return {};
        const Events& events = rounds_[current_].events[warp];
        return {events.data() + done_[warp], events.data() + events.size()};
    }
    void advance(std::size_t warp, std::size_t events)
    {
        done_[warp] += events;
        unchecked_ += events;
    }

    // Records an event that has been checked.
    template <class... Observed>
    void checked(std::size_t warp, const Observed&... event)
    {
        if (mode_ == Mode::undecided) mode_ = Mode::recording;
        if (mode_ == Mode::recording) record(warp, Event(event...));
    }

    // True if events of this block, or only of this round, are unchecked.
    bool owes() const { return unchecked_ != 0 || unmarked_ != 0; }
    bool owes_in_this_round() const { return unchecked_ != 0; }
    // Calls use(event) for each event of earlier rounds of this block that is unchecked.
    template <class Use>
    void earlier_unchecked(const Use& use) const
    {
        for (std::uint64_t rest = unmarked_; rest != 0; rest &= rest - 1)
            for (const Events& events :
                 rounds_[static_cast<std::size_t>(std::countr_zero(rest))].events)
                for (const Event& event : events) use(event);
    }
    // The unchecked events of a warp in the running round.
    Next unchecked(std::size_t warp) const
    {
        if (mode_ != Mode::matching) return {};
        const Events& events = rounds_[current_].events[warp];
        return {events.data(), events.data() + done_[warp]};
    }
    void settled();

private:
    static constexpr std::size_t max_rounds = 64; // bits of executed_
    // Limits of events_: the first, and the highest, which it reaches if rounds repeat.
    static constexpr std::size_t first_events = 1024, max_events = 4096;
    static constexpr int first_credit = 64, max_credit = 512, settling_cost = 4;
    enum class Mode : std::uint8_t {
        off,
        undecided, // no event yet
        matching,  // all events so far are those of a known round
        recording, // all events so far are recorded
        lost       // some event is not recorded
    };
    struct Round {
        std::vector<Events> events;  // per warp
        std::uint64_t relies_on = 0; // rounds executed before it
        std::size_t next = 0;        // the round that followed it the last time
        std::size_t total = 0;       // events
    };

    bool is_possible(std::size_t round) const
    {
        return round < rounds_.size() && (rounds_[round].relies_on & ~executed_) == 0;
    }
    const Event* next_of(std::size_t warp) const
    {
        const Events& events = rounds_[current_].events[warp];
        return done_[warp] < events.size() ? &events[done_[warp]] : nullptr;
    }
    void match(std::size_t round);
    template <class Test>
    bool repeats_if(std::size_t warp, const Test& test)
    {
        if (unchecked_ == 0) {
            if (mode_ == Mode::matching) mode_ = Mode::undecided; // so far only expected
            if (mode_ == Mode::undecided) choose(warp, test);
        }
        if (mode_ != Mode::matching) return false;
        const Event* const next = next_of(warp);
        if (next == nullptr || !test(*next)) return false;
        advance(warp, 1);
        return true;
    }
    // Matches a round in which the warp's first event passes the test, if there is one.
    template <class Test>
    void choose(std::size_t warp, const Test& test)
    {
        const auto fits = [&](std::size_t round) {
            if (!is_possible(round)) return false;
            const Events& events = rounds_[round].events[warp];
            return !events.empty() && test(events.front());
        };
        if (fits(expected_)) return match(expected_);
        for (std::size_t round = 0; round < rounds_.size(); ++round)
            if (fits(round)) return match(round);
    }
    void record(std::size_t warp, const Event& event);
    void keep_recorded();
    void follows(std::size_t round);

    Mode mode_ = Mode::off;
    int credit_ = first_credit; // 0: too few rounds repeat
    std::vector<Round> rounds_;
    std::size_t allowed_events_ = first_events;
    std::size_t events_ = 0;         // total of rounds_
    std::uint64_t executed_ = 0;     // rounds executed by the running block
    std::uint64_t unmarked_ = 0;     // of these, the ones that are unchecked
    bool all_executed_known_ = true; // executed_ is everything that the block has executed
    std::size_t current_ = 0;        // matching: the known round
    std::size_t expected_ = 0;       // the most likely next round
    std::size_t last_ = max_rounds;  // the block's last round, if it is known
    std::size_t first_ = 0;          // the first round of the last block
    std::vector<std::size_t> done_;  // matching: events per warp
    std::size_t unchecked_ = 0;      // matching: total of done_
    std::vector<Events> recorded_;   // recording: per warp
    std::size_t recorded_events_ = 0;
};

} // namespace lanescope::simt
