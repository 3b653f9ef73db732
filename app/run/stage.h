// One running lab on a device with graphics: the experiment, its memory shared with OpenGL, its
// journal and its timings. The window, `shot` and `record` all use it. Whatever may take long (the
// start, a change of the experiment, every frame's work on `simt`) runs on a thread of its own, so
// that the window never waits for it.
#pragma once

#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/journal.h"
#include "app/document/look.h"
#include "app/run/counting.h"
#include "app/run/history.h"
#include "app/run/memory_map.h"
#include "app/run/warp_map.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"
#include "render/shared/distant.h"
#include "render/shared/sharing.h"

namespace lanescope::app {

// What one frame computes.
struct FramePlan {
    std::int64_t steps = 1;
    // simt: no further step begins after this time; at least one is done. None: all steps, whatever
    // they take.
    std::optional<std::chrono::duration<double>> budget;
    std::string view;
    Counting counting = {}; // of the last step, or of one more launch where steps is 0
};

// What the panels tell about the experiment, as of the last frame that was collected.
struct StageFacts {
    std::int64_t steps = 0; // of the method; a launch may make several
    labs::Work work;
    labs::Experiment::Shape shape;
    int steps_per_frame = 1;
    std::string warning;
    std::vector<std::string> memory; // names of what the variant reads and writes
};

class Stage {
public:
    // Begins to start afresh, and will replay what the journal holds: finish_replay() at once, or
    // frame by frame. A context must be current, here and for every call.
    Stage(device::Device& device, const Journal& journal);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // Whether the experiment is there. Until then only busy(), wait_for(), apply() and journal()
    // may be asked. Throws what the lab threw; then there is nothing to be had from this stage.
    bool started();
    void wait_until_started();

    // Done at the beginning of the next frame, and kept in the journal.
    void apply(decltype(Event::what) what);

    // Queues a frame's work. Only when started and not busy().
    void begin_frame(const FramePlan& plan);
    // Whether a start or a frame's work is under way; also makes what that needs of OpenGL.
    bool busy();
    // Waits until not busy, at most so long.
    void wait_for(std::chrono::duration<double> at_most);
    bool has_pending() const { return !pending_.empty(); } // applied, but no frame begun since
    // True once for every frame, when it has been computed: picture() is new. Throws what the
    // frame's work threw.
    bool collect();
    // begin_frame and collect, waiting.
    void frame(const FramePlan& plan);
    // Lets what is under way end, whatever it throws; afterwards not busy.
    void settle() noexcept;

    bool replaying() const
    {
        return journal_.events.size() < replay_.events.size() || journal_.steps < replay_.steps;
    }
    std::int64_t replay_steps_left() const { return replay_.steps - journal_.steps; }
    double replay_share() const;        // 0 to 1
    void finish_replay(FramePlan plan); // whose steps do not matter

    const labs::Picture* picture() const
    {
        return picture_ ? &*picture_ : nullptr;
    } // null before the first frame
    // Of the last counted step; what it was not asked for is empty.
    const trace::Trace& trace() const { return shown_.trace; }
    // What has been counted last, of this variant.
    const Counting& counted() const { return shown_.counting; }
    std::optional<render::WarpMapData> warp_map() const { return shown_map_; }
    const MemoryMap& memory_map() const { return memory_map_; }
    // Why nothing is counted.
    const std::string& counting_problem() const { return shown_.problem; }
    render::Sharing& sharing() { return sharing_; }
    const render::Sharing& sharing() const { return sharing_; }
    device::Device& device() { return device_; }
    const Journal& journal() const { return journal_; }
    const labs::Lab& lab() const { return lab_; }
    const labs::Variant& variant() const { return *variant_; }
    const StageFacts& facts() const { return facts_; }
    // Times of steps by variant, in milliseconds; empty where the engine has no clock. Steps below
    // 20 µs are timed several at a time, because the clock resolves half a microsecond.
    Spread step_ms(const std::string& variant) const;
    // Times of counted steps, which carry probes and clear their counters before.
    Spread probed_ms(const std::string& variant) const;
    const std::map<std::string, History>& timings() const { return timings_; }

private:
    void apply_now(const Event& event);
    bool replay_left() const;
    void apply_due();
    void work(const FramePlan& plan);
    void step();
    const trace::Trace& last_trace() const;
    int site_of(const RequestChoice& choice) const;
    void count(const Counting& wanted, bool steps);
    trace::Trace asked(const Counting& wanted);
    bool begin_stretch(bool probed);
    void end_stretch();
    void poll_timer();
    void note_facts();

    device::Device& device_;
    const labs::Lab& lab_;
    Journal replay_; // what this stage is to live through again
    // As of the last frame that was collected.
    Journal journal_;
    const labs::Variant* variant_;
    std::vector<decltype(Event::what)> pending_;

    struct Counts {
        trace::Trace trace;
        Counting counting; // what was asked for
        std::string problem;
    };
    // The job's own, while one is under way.
    struct Progress {
        labs::Values values;
        const labs::Variant* variant;
        std::int64_t steps = 0;
        std::size_t replayed = 0;               // events of the replay that are done
        std::vector<decltype(Event::what)> due; // to be done before the next step
        std::vector<Event> applied;             // that the journal does not have yet
        std::optional<Counts> counts;           // newer than those that are shown
    };
    Progress progress_;

    render::Sharing sharing_;
    std::shared_ptr<render::Errands> errands_ = std::make_shared<render::Errands>();
    render::DistantAllocator distant_;
    std::unique_ptr<labs::Experiment> experiment_;
    bool started_ = false;
    std::optional<labs::Picture> picture_;
    WarpMap map_;
    MemoryMap memory_map_;
    Counts shown_;
    std::optional<render::WarpMapData> shown_map_;
    StageFacts facts_;
    std::unique_ptr<device::Timer> timer_;
    struct Stretch {
        std::string variant;
        int launches = 0;
        bool probed = false;
    };
    std::deque<Stretch> stretches_; // whose times have not come yet, oldest first
    bool stretch_open_ = false;     // the newest one has not ended
    std::map<std::string, History> timings_;
    std::map<std::string, History> probed_timings_;
    std::future<void> job_;
};

} // namespace lanescope::app
