// The axioms are those of the PTX manual, "Memory Consistency Model", for tests in which every
// location is stored to once: an execution then consists of the store that each load reads from, if
// any, and the order of fence.sc.
#include "compute/labs/memory_model/ptx_model.h"

#include <algorithm>
#include <bitset>
#include <string_view>
#include <vector>

namespace lanescope::labs::memory_model {
namespace {

// Threads are separated by '|'. W, R: a store and a load; F: a fence, if the form has one. Loads
// are numbered from left to right, as litmus.cu numbers what it loads.
constexpr std::array<std::string_view, tests> programs{
    "Wx F Wy | Ry F Rx", "Wx F Ry | Wy F Rx",      "Rx F Wy | Ry F Wx",
    "Wx | Rx F Rx",      "Wx | Rx F Wy | Ry F Rx", "Wx | Wy | Rx F Ry | Ry F Rx"};

struct Event {
    char kind = 0; // W, R or F
    char location = 0;
    int thread = 0;
    bool reads_store = false; // a load: reads the test's store to its location, not the initial 0
};
using Events = std::vector<Event>;

constexpr std::size_t max_events = 16;
// Pairs of events, by their numbers.
class Relation {
public:
    bool has(std::size_t from, std::size_t to) const { return rows_[from][to]; }
    void add(std::size_t from, std::size_t to) { rows_[from].set(to); }
    void close()
    {
        for (std::size_t middle = 0; middle < max_events; ++middle)
            for (std::size_t from = 0; from < max_events; ++from)
                if (rows_[from][middle]) rows_[from] |= rows_[middle];
    }
    bool has_cycle() const
    {
        for (std::size_t i = 0; i < max_events; ++i)
            if (rows_[i][i]) return true;
        return false;
    }

private:
    std::array<std::bitset<max_events>, max_events> rows_{};
};

Events parse(std::string_view program)
{
    Events events;
    int thread = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
        if (program[i] == '|') ++thread;
        if (program[i] == 'F') events.push_back({.kind = 'F', .thread = thread});
        if (program[i] != 'W' && program[i] != 'R') continue;
        events.push_back({.kind = program[i], .location = program[i + 1], .thread = thread});
        ++i;
    }
    return events;
}

bool precedes_in_program(const Events& events, std::size_t i, std::size_t k)
{
    return i < k && events[i].thread == events[k].thread;
}

// One candidate: the events with the store that each load reads from.
class Execution {
public:
    Execution(const Events& events, Form form) : events_(events), form_(form) {}

    // `fences` has the numbers of the fences in the Fence-SC order.
    bool is_allowed(const std::vector<std::size_t>& fences) const
    {
        return respects_coherence() && respects_causality(causality(fences));
    }

private:
    // The load reads from the store.
    bool reads_from(std::size_t store, std::size_t load) const
    {
        return events_[store].kind == 'W' && events_[load].kind == 'R' &&
               events_[store].location == events_[load].location && events_[load].reads_store;
    }

    // Release patterns of a store: the store itself, or a fence before it. Acquire patterns of a
    // load: the load itself, or a fence after it. A fence for the block has no partner in another
    // block.
    bool releases(std::size_t first, std::size_t store) const
    {
        if (form_ == Form::acquire_release) return first == store;
        return form_ == Form::device_fence && events_[first].kind == 'F' &&
               precedes_in_program(events_, first, store);
    }
    bool acquires(std::size_t load, std::size_t last) const
    {
        if (form_ == Form::acquire_release) return last == load;
        return form_ == Form::device_fence && events_[last].kind == 'F' &&
               precedes_in_program(events_, load, last);
    }

    void add_synchronisation(std::size_t store, std::size_t load, Relation& base) const
    {
        for (std::size_t first = 0; first < events_.size(); ++first)
            for (std::size_t last = 0; last < events_.size(); ++last)
                if (releases(first, store) && acquires(load, last)) base.add(first, last);
    }

    // Causality: program order, synchronisation and the order of fence.sc, and what follows a load
    // that observes a store.
    Relation causality(const std::vector<std::size_t>& fences) const
    {
        Relation base;
        const std::size_t count = events_.size();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < count; ++k) {
                if (precedes_in_program(events_, i, k)) base.add(i, k);
                if (reads_from(i, k)) add_synchronisation(i, k, base);
            }
        if (form_ == Form::device_fence)
            for (std::size_t i = 0; i + 1 < fences.size(); ++i) base.add(fences[i], fences[i + 1]);
        base.close();
        Relation all = base;
        for (std::size_t store = 0; store < count; ++store)
            for (std::size_t load = 0; load < count; ++load)
                for (std::size_t after = 0; after < count; ++after)
                    if (reads_from(store, load) && base.has(load, after)) all.add(store, after);
        return all;
    }

    // No load reads from a store that it precedes, or misses one that precedes it. The order of
    // fences agrees.
    bool respects_causality(const Relation& causality) const
    {
        if (causality.has_cycle()) return false;
        for (std::size_t store = 0; store < events_.size(); ++store)
            for (std::size_t load = 0; load < events_.size(); ++load) {
                if (events_[store].kind != 'W' || events_[load].kind != 'R' ||
                    events_[store].location != events_[load].location)
                    continue;
                if (events_[load].reads_store ? causality.has(load, store)
                                              : causality.has(store, load))
                    return false;
            }
        return true;
    }

    // Sequential consistency per location: program order and communication have no cycle.
    bool respects_coherence() const
    {
        Relation order;
        for (std::size_t i = 0; i < events_.size(); ++i)
            for (std::size_t k = 0; k < events_.size(); ++k) {
                if (events_[i].location == 0 || events_[i].location != events_[k].location)
                    continue;
                const bool misses = events_[i].kind == 'R' && events_[k].kind == 'W' &&
                                    !events_[i].reads_store; // from-read
                if (precedes_in_program(events_, i, k) || reads_from(i, k) || misses)
                    order.add(i, k);
            }
        order.close();
        return !order.has_cycle();
    }

    const Events& events_;
    Form form_;
};

// The same as in count.cu.
std::size_t outcome_of(std::size_t test, const std::vector<bool>& loaded)
{
    const auto at = [&](std::size_t i) { return i < loaded.size() && loaded[i]; };
    const bool a = at(0), b = at(1), c = at(2), d = at(3);
    if (test == 1) return !a && !b ? weak : (a ? 2U : 0U) + (b ? 1U : 0U) - 1U;
    if (test == 2) return (a ? 2U : 0U) + (b ? 1U : 0U);
    if (test == 4) return a && b ? (c ? 2U : weak) : (c ? 1U : 0U);
    if (test == 5) return (a && !b ? 2U : 0U) + (c && !d ? 1U : 0U);
    return a ? (b ? 2U : weak) : (b ? 1U : 0U);
}

bool some_order_allows(const Events& events, Form form)
{
    std::vector<std::size_t> fences;
    for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i].kind == 'F') fences.push_back(i);
    const Execution execution(events, form);
    do
        if (execution.is_allowed(fences)) return true;
    while (std::next_permutation(fences.begin(), fences.end()));
    return false;
}

} // namespace

Allowed allowed_outcomes(Form form)
{
    Allowed allowed{};
    for (std::size_t test = 0; test < tests; ++test) {
        Events events = parse(programs[test]);
        std::vector<Event*> loads;
        for (Event& event : events)
            if (event.kind == 'R') loads.push_back(&event);
        for (unsigned choice = 0; choice < 1U << loads.size(); ++choice) {
            std::vector<bool> loaded;
            for (std::size_t i = 0; i < loads.size(); ++i) {
                loads[i]->reads_store = (choice >> i & 1) != 0;
                loaded.push_back(loads[i]->reads_store);
            }
            if (some_order_allows(events, form)) allowed[test][outcome_of(test, loaded)] = true;
        }
    }
    return allowed;
}

} // namespace lanescope::labs::memory_model
