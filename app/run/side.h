// One running experiment, as the worker's thread has it: the lab's own state, its journal, what was
// counted and what was timed. A/B has two.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/counting.h"
#include "app/document/journal.h"
#include "app/run/assembling.h"
#include "app/run/frame.h"
#include "app/run/maps/memory_map.h"
#include "app/run/maps/simt_replay.h"
#include "app/run/maps/tiles.h"
#include "app/run/maps/warp_map.h"
#include "app/run/shared_device.h"
#include "compute/labs/lab.h"
#include "compute/labs/texts.h"

namespace lanescope::app {

struct StepCost;

// What is measured of the variants of a lab while they run; both sides of A/B add to it.
struct MeasuredLive {
    struct OfVariant {
        History step_ms;
        History probed_ms;
        History warp_instructions;
        History sectors; // global
        std::optional<labs::Work> work;
        std::optional<trace::Totals> totals;
        VariantFrame frame; // as it was published, kept while nothing is new
        bool is_new = true;
    };
    std::map<std::string, OfVariant> variants;
    bool times_outdated = false; // they were taken beside other work on the GPU

    void forget_counts(); // they are of other values
    void forget_outdated_times();
    std::map<std::string, VariantFrame> frame();
    Spread step_ms(const std::string& variant) const; // empty where there is no clock
    Spread probed_ms(const std::string& variant) const;
};

// Over 25 methods: half of them answer in a line what a frame or the runner asks, the others are
// the parts of work(). Counting as a class of its own would share the experiment, its sites and its
// memory with this one.
class Side {
public:
    // Starts afresh, and will replay what the journal holds. Throws what the lab throws.
    Side(SharedDevice& shared, const Journal& journal, MeasuredLive& measured);

    // Counts of the lockstep machine, shown until there are own ones: of the step that comes first,
    // with the values that it was started with; others are not taken.
    void show_counts_of_trial(const StepCost& cost);
    bool has_counts_of_trial() const { return counts_.of_trial; }

    // Done when work() begins, and kept in the journal; while it replays, it waits.
    void apply(Change change) { pending_.push_back(std::move(change)); }
    bool has_pending() const { return !pending_.empty(); }

    struct Work {
        std::int64_t steps = 1;
        // No further step begins after this time; at least one is done. None: all, whatever they
        // take.
        std::optional<std::chrono::duration<double>> budget;
        std::string view;
        Counting counting = {}; // of the last step, or of one more launch where steps is 0
        bool goes_on = false;   // more steps follow at once: what a replay records may lag behind
    };
    // While the shared memory is mapped. Queues; only counting waits for the device.
    void work(const Work& work);
    // Times that the device has ready by now; true when there were any.
    bool poll_times();
    bool times_are_due() const { return !stretches_.empty(); }

    bool replaying() const
    {
        return launches_ < replay_.steps ||
               (replayed_ < replay_.events.size() && replay_.events[replayed_].step <= launches_);
    }
    std::int64_t replay_left() const { return replay_.steps - launches_; }
    std::int64_t launches() const { return launches_; }
    std::int64_t steps() const { return experiment_->steps(); } // of the simulated thing
    const labs::Lab& lab() const { return lab_; }
    const labs::Variant& variant() const { return *variant_; }
    const labs::Values& values() const { return values_; }
    const Start& start() const { return *start_; }
    int steps_per_frame() const { return experiment_->steps_per_frame(); }
    const Counting& counted() const { return counts_.counting; }
    // The access whose request was counted, for the other side of A/B; empty: none was.
    std::optional<RequestChoice> counted_request() const;
    // Whether what was counted or recorded is of an earlier step: counts that were not asked for in
    // each; what the lockstep machine recorded for a GPU's side; or tiles, which cost more than a
    // step and stay as they are while steps follow each other.
    bool recording_lags() const
    {
        return counted_launch_ != shown_launch() || simt_replay_.lags(shown_launch()) || tiles_lag_;
    }
    double worst_excess() const; // of all accesses that were counted; 0: none were
    const std::string& view() const { return view_; } // of the picture; empty: none yet
    const labs::Picture* picture() const { return picture_ ? &*picture_ : nullptr; }
    Journal journal() const { return {*start_, events_, launches_}; }
    // The same lab from its start, with the values of now and that variant.
    Journal afresh(const std::string& variant) const;

    // As of now, for a frame. Asks the device nothing; every name in it is of memory that this side
    // has.
    SideFrame frame() const;

private:
    void apply_now(const Event& event);
    void apply_due();
    void advance(const Work& work);
    void run(const Work& work);
    void step();
    const std::vector<trace::Site>& sites_of(const std::string& variant);
    int site_of(const RequestChoice& choice);
    void find_request(const RequestChoice& wanted, trace::Trace& trace);
    std::int64_t shown_launch() const { return std::max<std::int64_t>(launches_, 1); }
    DebugStart replay_start() const;
    trace::Trace counted_launch(const Counting& wanted, bool steps, std::string& problem);
    void count(const Work& work, bool steps);
    bool counts_tiles(const Counting& wanted) const;
    bool records_tiles(const Counting& wanted) const; // without a replay
    bool tiles_may_lag(const Work& work) const;
    trace::Trace asked(const Counting& wanted);
    bool begin_stretch(bool probed);
    void end_stretch();
    void note_counts();
    Facts facts() const;
    bool may_be_shown(const trace::Site& site) const;
    void judge();

    SharedDevice& shared_;
    MeasuredLive& measured_;
    const labs::Lab& lab_;
    std::shared_ptr<const labs::Lab> held_ = labs::held(lab_);
    Journal replay_;           // what is to be lived through again
    std::size_t replayed_ = 0; // its events that are done
    std::shared_ptr<const Start> start_;
    std::vector<Event> events_;                                     // all that were done
    mutable std::shared_ptr<const std::vector<Event>> told_events_; // to the newest frame
    std::int64_t launches_ = 0;
    const labs::Variant* variant_;
    std::string right_; // see SideFrame
    labs::Values values_;
    std::deque<Change> pending_;
    std::unique_ptr<labs::Experiment> experiment_;
    JudgedNumbers judged_; // of the variant and the values of now
    std::optional<labs::Picture> picture_;
    Facts facts_; // as of the last work()
    std::string view_;
    WarpMap map_;
    MemoryMap memory_map_;
    Tiles tiles_;
    bool tiles_lag_ = false;          // they are of an earlier step
    std::int64_t counted_launch_ = 0; // that the counts are of
    SimtReplay simt_replay_;
    std::map<std::string, std::vector<trace::Site>> sites_; // by variant, as they were asked for
    Assembling assembling_;
    RequestChoice last_request_; // that was counted: its role is kept where nothing is chosen
    // Of a request that was asked for and is none: the one that was counted instead.
    struct StandIn {
        RequestChoice wanted;
        std::string variant;
        RequestChoice counted;
    };
    std::optional<StandIn> stand_in_;

    struct Counts {
        std::shared_ptr<const trace::Trace> trace = std::make_shared<trace::Trace>();
        Counting counting{}; // what was asked for
        bool of_trial = false;
        std::string problem{};
        std::optional<RequestedMemory> requested{};
        std::shared_ptr<const trace::Exchange> exchange{};
    };
    Counts counts_;

    std::unique_ptr<device::Timer> timer_;
    struct Stretch {
        std::string variant;
        int launches = 0;
        bool probed = false;
    };
    std::deque<Stretch> stretches_; // whose times have not come yet, oldest first
    bool stretch_open_ = false;     // the newest one has not ended
};

// The gl names behind a picture's memory.
DrawnPicture drawn(const labs::Picture& picture, const render::Sharing& sharing);

// Launches of `side` that bring it to the steps of `leader`, or just past them; 0 when it is there.
std::int64_t launches_behind(const Side& side, const Side& leader);
// Launches, at least `wanted`, after which both variants can stand at the same step.
std::int64_t launches_together(const Side& leader, const Side& other, std::int64_t wanted);

} // namespace lanescope::app
