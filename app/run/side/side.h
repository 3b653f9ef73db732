// One running experiment on the worker's thread: the lab's state, its journal, counts and times.
// A/B has two.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/experiment/journal.h"
#include "app/document/look/counting.h"
#include "app/measure/model/followed_caches.h"
#include "app/run/engine/shared_device.h"
#include "app/run/frame/frame.h"
#include "app/run/maps/memory_map.h"
#include "app/run/maps/simt_replay.h"
#include "app/run/maps/tiles.h"
#include "app/run/maps/warp_map.h"
#include "app/run/side/assembling.h"
#include "app/run/side/request_finder.h"
#include "app/run/side/step_times.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct StepCost;

// Measurements of a lab's variants while they run; both sides of A/B add to it.
struct MeasuredLive {
    struct VariantData {
        History step_ms;
        History probed_ms;
        History warp_instructions;
        History sectors; // global memory
        std::optional<labs::Work> work;
        std::optional<trace::Totals> totals;
        VariantFrame frame; // as published; reused until there is something new
        bool is_new = true;
    };
    std::map<std::string, VariantData> variants;
    bool times_outdated = false; // the GPU did other work meanwhile

    void forget_counts(); // call when the values change
    void forget_outdated_times();
    // Adds a launch of the variant, if it was counted per site.
    void add_counts(const labs::Variant& variant, const trace::Trace& trace);
    std::map<std::string, VariantFrame> frame();
    Spread step_ms(const std::string& variant) const; // empty without a clock
    Spread probed_ms(const std::string& variant) const;
};

// Also counts, because counting shares the experiment, its sites and its memory.
class Side {
public:
    // Starts from scratch; work() then replays the journal. Throws the lab's errors.
    Side(SharedDevice& shared, const Journal& journal, MeasuredLive& measured);

    // Shows the counts of a trial on the lockstep machine until newer counts exist. Only for the
    // first step with the initial values.
    void show_counts_of_trial(const StepCost& cost);
    bool has_counts_of_trial() const { return counts_.from_trial; }

    // Takes effect when work() starts, and is added to the journal; waits during a replay.
    void apply(Change change) { pending_.push_back(std::move(change)); }
    bool has_pending() const { return !pending_.empty(); }

    struct Work {
        std::int64_t steps = 1;
        // No step starts after this time, except the first one. Empty: unlimited.
        std::optional<std::chrono::duration<double>> budget;
        std::string view;
        Counting counting = {}; // for the last step, or for one more launch if steps is 0
        bool continues = false; // more steps follow at once, so recordings of a replay may lag
    };
    // Call while the shared memory is mapped. Queues work; only counting waits for the device.
    void work(const Work& work);
    // Collects times that are ready; returns true if there were any.
    bool poll_times();
    bool times_are_due() const { return times_.are_due(); }

    bool replaying() const
    {
        return launches_ < replay_.steps ||
               (replayed_ < replay_.events.size() && replay_.events[replayed_].step <= launches_);
    }
    std::int64_t replay_left() const { return replay_.steps - launches_; }
    std::int64_t launches() const { return launches_; }
    std::int64_t steps() const { return experiment_->steps(); } // simulation steps
    const labs::Lab& lab() const { return lab_; }
    const labs::Variant& variant() const { return *variant_; }
    const labs::Values& values() const { return values_; }
    const Start& start() const { return *start_; }
    int steps_per_frame() const { return experiment_->steps_per_frame(); }
    const Counting& counted() const { return counts_.counting; }
    // The access whose request was counted, for use by the other side of A/B; empty if none was.
    std::optional<RequestChoice> counted_request() const;
    // True if counts or recordings are older than the step on screen: counts that are not taken in
    // every step; recordings that the lockstep machine makes for a GPU's side; tiles, which cost
    // more than a step and are kept while steps follow each other.
    bool recording_lags() const
    {
        return counted_launch_ != shown_launch() || simt_replay_.lags(shown_launch()) || tiles_lag_;
    }
    // Over all counted accesses; 0 if none.
    double worst_excess() const { return requests_.worst_excess(*counts_.trace); }
    const std::string& view() const { return view_; } // view of the picture; empty: none yet
    const labs::Picture* picture() const { return picture_ ? &*picture_ : nullptr; }
    Journal journal() const { return {*start_, events_, launches_}; }
    // The same lab from the start, with the current values and that variant.
    Journal fresh_journal(const std::string& variant) const;

    // The current state, for a frame. Does not query the device; its OpenGL names refer to memory
    // that this side owns.
    SideFrame frame() const;

private:
    void apply_now(const Event& event);
    void apply_due();
    void advance(const Work& work);
    void run(const Work& work);
    void step();
    std::int64_t shown_launch() const { return std::max<std::int64_t>(launches_, 1); }
    DebugStart replay_start() const;
    struct Counted {
        trace::Trace trace{};
        std::shared_ptr<const trace::ServedBy> served{}; // null: not requested
        std::string problem{};                           // why nothing was counted; else empty
    };
    std::shared_ptr<const trace::ServedBy> follow(caches::Before before, const trace::Trace& trace,
                                                  const std::function<void()>& launch);
    Counted counted_launch(const Counting& wanted, bool steps);
    void count(const Work& work, bool steps);
    bool counts_tiles(const Counting& wanted) const;
    bool records_tiles(const Counting& wanted) const; // on this engine, without a replay
    trace::Trace asked(const Counting& wanted);
    void judge();

    SharedDevice& shared_;
    MeasuredLive& measured_;
    const labs::Lab& lab_;
    std::shared_ptr<const labs::Lab> held_ = labs::held(lab_);
    Journal replay_;           // the journal to replay
    std::size_t replayed_ = 0; // number of its events applied
    std::shared_ptr<const Start> start_;
    std::vector<Event> events_;                                          // all applied events
    mutable std::shared_ptr<const std::vector<Event>> published_events_; // as in the newest frame
    std::int64_t launches_ = 0;
    const labs::Variant* variant_;
    std::string right_; // see SideFrame
    labs::Values values_;
    std::deque<Change> pending_;
    std::unique_ptr<labs::Experiment> experiment_;
    JudgedNumbers judged_; // for the current variant and values
    std::optional<labs::Picture> picture_;
    Facts facts_; // as of the last work()
    std::string view_;
    WarpMap map_;
    MemoryMap memory_map_;
    Tiles tiles_;
    bool tiles_lag_ = false;          // tiles belong to an earlier step
    std::int64_t counted_launch_ = 0; // launch that the counts belong to
    SimtReplay simt_replay_;
    FollowedSteps followed_;
    Assembling assembling_;
    RequestFinder requests_;

    struct Counts {
        std::shared_ptr<const trace::Trace> trace = std::make_shared<trace::Trace>();
        std::shared_ptr<const trace::ServedBy> served{};
        Counting counting{}; // the requested counts
        bool from_trial = false;
        std::string problem{};
        std::optional<RequestedMemory> requested{};
        std::shared_ptr<const trace::Exchange> exchange{};
    };
    Counts counts_;

    StepTimes times_;
};

// The OpenGL names of a picture's memory.
DrawnPicture drawn(const labs::Picture& picture, const render::Sharing& sharing);

// Launches `side` needs to catch up with `leader` (may overshoot by less than one launch).
std::int64_t launches_to_catch_up(const Side& side, const Side& leader);
// Number of launches, at least `wanted`, after which both variants can be at the same step.
std::int64_t launches_together(const Side& leader, const Side& other, std::int64_t wanted);

} // namespace lanescope::app
