// Two threads meet in one mutex: OpenGL's, which calls Worker, and the worker's own, which runs
// Thread::run(). What belongs to one of them alone stands in a section of its own below.
#include "app/run/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "app/measure/measured_roofs.h"
#include "app/run/comparison.h"
#include "app/run/difference.h"
#include "app/run/editing/first_run.h"
#include "app/run/shared_device.h"
#include "app/run/side.h"
#include "app/run/sweep/live_sweep.h"
#include "compute/simt/machine/options.h"

namespace lanescope::app {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::duration<double> simt_budget = 12ms; // of steps between two pictures
constexpr double cuda_budget_ms = 8;

// Whose the shared memory is. OpenGL's thread moves it from wanted to device and from computed to
// opengl; the worker's moves it from opengl to wanted (and back) and from device to computed.
enum class Memory { opengl, wanted, mapping, device, computed };

// What can be cancelled.
enum class Part { none, leader, comparison, opening };

// For the user: too little memory is an Error too.
std::exception_ptr in_words(const std::exception_ptr& error, const std::string& what)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        return std::make_exception_ptr(Error(
            ExitStatus::device_unavailable, fmt::format("There is not enough memory for {}.", what),
            "Choose a smaller size."));
    } catch (...) {
        return error;
    }
}

std::string sentence_of(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return "Something went wrong that has no name.";
    }
}

// What a kernel did; null for any other error.
std::shared_ptr<const trace::Fault> fault_in(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const device::KernelFault& fault) {
        return std::make_shared<const trace::Fault>(fault.fault());
    } catch (...) {
        return nullptr;
    }
}

bool is_lack_of_memory(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return known.status() == ExitStatus::device_unavailable;
    } catch (...) {
        return false;
    }
}

} // namespace

class Worker::Thread {
public:
    explicit Thread(const WorkerOptions& options) : options_(options)
    {
        thread_ = std::thread([this] { run(); });
    }
    ~Thread() { thread_.join(); }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // --- OpenGL's thread ---

    std::uint64_t open(OpenJob job);
    void tell(const Plan& plan);
    void apply(std::uint64_t opened, Change change);
    void step(std::uint64_t opened, std::int64_t launches);
    // The newest frame there is; `shown` when none came since.
    std::shared_ptr<const Frame> process_gl_tasks(std::shared_ptr<const Frame> shown);
    void release_frame();
    bool drawable() const { return drawable_; }
    double busy_s() const;
    // Also until all is done, where that is waited for.
    void wait(std::chrono::duration<double> at_most, bool for_all = false);
    bool settled();
    void quit();
    bool finished();

private:
    void try_map(std::chrono::nanoseconds at_most);
    void unmap();

    // --- both, under the mutex ---

    void cancel_part(); // what runs, if anything does
    struct Opening {
        OpeningFrame frame;
        OpenJob job;
        struct Beginning {
            Found found;
            std::optional<OpenedEngine> engine;
        };
        std::future<Beginning> beginning;
    };
    void try_first(const Start& start,
                   const std::string& validated); // these three lock it themselves
    void begun(std::uint64_t number);
    void not_begun(std::uint64_t number, const std::exception_ptr& error);
    void note_problem(const std::exception_ptr& error, Problem about);
    std::optional<OpeningFrame> what_opens() const;
    struct Asked { // by the window, of what was open then
        std::uint64_t opened = 0;
        Change change;
    };

    // --- the worker's thread ---

    void run() noexcept;
    bool round(); // true when there may be more to do
    void rest();  // until something is asked, or may have become ready
    void tear_down();
    bool follow_opening();
    void open_found(Opening opening);
    bool opening_pending();
    OpenedEngine open_device(const std::string& choice) const
    {
        return options_.open_engine ? options_.open_engine(choice) : open_engine(choice);
    }
    void start(Opening::Beginning& made, const Opening& opening);
    void keep_measured(const labs::Lab& lab, MeasuredLive& measured) const;
    void close();
    void reopen();
    void take_back();
    std::unique_ptr<Side> make_side(SharedDevice& shared, const Journal& journal);
    void take_changes();
    void choose(const labs::Variant& variant);
    std::string refusal(const labs::Variant& variant, device::Engine engine, const Start& start);
    std::shared_ptr<SharedDevice> device_for(const std::shared_ptr<SharedDevice>& chosen,
                                             const Journal& journal);
    bool exchange_comparison();
    bool follow_beside(); // the sweep, the roofs, and times that arrive
    bool has_something_beside() const;
    Counting counting() const;
    std::string view() const;
    bool counts_anew(const Side& side) const;
    bool halted() const { return lost_ || halted_at_ == seen_nudges_; }
    std::int64_t steps_on_clock(const Side& side, std::int64_t wanted) const;
    bool is_quick(const Side& side, const Side::Work& work) const;
    std::optional<Side::Work> leader_work() const;
    std::optional<Side::Work> comparison_work() const;
    bool difference_is_due() const;
    bool sweep_measures() const;
    bool together() const;
    bool work();
    void work_mapped(const std::optional<Side::Work>& leaders);
    bool borrow();
    void give_back();
    // What became of work that can be cancelled: it may not even have begun.
    enum class Ended { whole, cancelled, before };
    template <class Do>
    Ended cancellable(Part part, device::Device& device, Do&& what);
    void fail(const std::exception_ptr& error, std::uint64_t opening = 0, bool comparison = false);
    void note_sides();
    void post();
    std::shared_ptr<const Frame> make_frame();

    const WorkerOptions options_;
    FirstRuns first_runs_;

    // Both threads', under the mutex.
    std::mutex mutex_;
    std::condition_variable for_worker_;
    std::condition_variable for_window_;
    std::uint64_t inputs_ = 0;  // rises with everything that is asked
    std::uint64_t nudges_ = 0;  // … but for a mere pause
    std::uint64_t settled_ = 0; // the inputs with which the worker had nothing left to do
    bool quits_ = false;
    bool finished_ = false;
    std::uint64_t numbers_ = 0; // of openings
    bool leaves_ = false;       // something can be opened: what runs is not wanted any more
    Plan plan_;
    std::deque<Asked> changes_;
    std::uint64_t steps_of_ = 0; // what the steps were asked of
    std::int64_t steps_ = 0;
    std::optional<Opening> opening_;
    std::vector<std::future<Opening::Beginning>> superseded_;
    Memory memory_ = Memory::opengl;
    SharedDevice* lent_ = nullptr; // whose memory is not opengl's
    std::exception_ptr map_error_;
    std::shared_ptr<const Frame> posted_;
    std::optional<OpeningFrame> opens_;                           // what the worker is opening
    std::vector<std::shared_ptr<const Problem>> newest_problems_; // see Frame::problems
    std::uint64_t problems_ = 0;
    bool news_ = false; // of these or opening_, that no frame has
    bool gl_tasks_wait_ = false;
    Part part_ = Part::none;
    device::Device* cancels_ = nullptr;
    bool cancelled_ = false; // resume() is due
    double map_us_ = 0;
    double unmap_us_ = 0;

    std::atomic<Clock::rep> busy_since_{0};

    // OpenGL's thread's.
    bool given_back_ = true; // release_frame() since the last picture
    bool drawable_ = false;
    const std::shared_ptr<render::GlTaskQueue> gl_tasks_ =
        std::make_shared<render::GlTaskQueue>([this] {
            const std::scoped_lock lock(mutex_);
            gl_tasks_wait_ = true;
            for_window_.notify_all();
        });

    // The worker's thread's. Memory before the device, so that it goes first.
    std::shared_ptr<SharedDevice> chosen_; // what the user chose …
    std::shared_ptr<SharedDevice> shared_; // … or simt, for what must not run there
    std::unique_ptr<MeasuredLive> measured_;
    std::unique_ptr<Side> leader_;
    std::unique_ptr<Side> comparison_;
    // Its step was cancelled; goes after a frame without it.
    std::unique_ptr<Side> spoiled_comparison_;
    std::unique_ptr<Difference> differing_;
    std::optional<DifferenceFrame> difference_;
    std::uint64_t difference_of_ = 0; // the picture that it was last tried for
    std::string refused_;             // a variant that could not be the other side
    bool leader_spoiled_ = false;     // its step was cancelled
    struct Closed {
        Journal journal;
        std::uint64_t opened = 0;
    };
    std::optional<Closed> closed_; // for something that is not open yet
    LiveSweep sweep_;
    const SweepRun* sweep_shown_ = nullptr; // whose plan and points are these
    std::shared_ptr<const SweepPlan> sweep_plan_;
    std::shared_ptr<const std::vector<SweepPoint>> sweep_points_ =
        std::make_shared<std::vector<SweepPoint>>();
    bool sweep_finished_ = false;
    std::future<Roofs> roofs_to_come_;
    Roofs roofs_;
    Plan now_;                   // the plan of this round
    std::int64_t steps_now_ = 0; // the steps asked for, of this round
    std::uint64_t seen_ = 0;     // the inputs of this round
    std::uint64_t seen_nudges_ = 0;
    std::uint64_t halted_at_ = UINT64_MAX; // the nudges with which something failed
    bool lost_ = false;
    std::uint64_t frames_ = 0;
    std::uint64_t pictures_ = 0;
    std::uint64_t opened_ = 0;
    std::shared_ptr<const Found> found_;
    SideFrame leader_frame_;
    std::optional<SideFrame> comparison_frame_;
    std::shared_ptr<const trace::Fault> fault_; // Frame::fault, while halted

    std::thread thread_; // last: it uses all of the above
};

// --- OpenGL's thread ---

std::uint64_t Worker::Thread::open(OpenJob job)
{
    const std::scoped_lock lock(mutex_);
    const std::uint64_t number = ++numbers_;
    Opening opening{{number, job.what, Clock::now()}, std::move(job), {}};
    opening.beginning = std::async(
        std::launch::async, [this, number, find = opening.job.find, what = opening.job.what,
                             engine = opening.job.engine, tried = opening.job.validated] {
            try {
                Opening::Beginning made{find(), {}};
                if (engine) made.engine = open_device(*engine);
                try_first(made.found.session.journal.start, tried);
                begun(number);
                return made;
            } catch (...) {
                not_begun(number, in_words(std::current_exception(), what));
                throw;
            }
        });
    if (opening_) superseded_.push_back(std::move(opening_->beginning));
    opening_ = std::move(opening);
    news_ = true;
    leaves_ = false;
    if (part_ == Part::opening) cancel_part();
    ++inputs_;
    ++nudges_;
    for_worker_.notify_all();
    return number;
}

// Beside what is shown. Programs that wait look only at what would run on another engine, once they
// know it.
void Worker::Thread::try_first(const Start& start, const std::string& validated)
{
    const labs::Lab& lab = labs::find(start.lab);
    const labs::Variant& variant = labs::find_variant(lab, start.variant);
    {
        const std::scoped_lock lock(mutex_);
        if (!is_foreign(lab) || !plan_.careful || quits_) return;
    }
    if (validated == variant.id)
        first_runs_.note(lab, variant, start);
    else if (!options_.waits)
        first_runs_.anew(lab, variant, start);
}

// What is shown is left only for what can be opened.
void Worker::Thread::begun(std::uint64_t number)
{
    const std::scoped_lock lock(mutex_);
    if (numbers_ != number) return;
    leaves_ = true;
    cancel_part();
    ++inputs_;
    for_worker_.notify_all();
}

// Told at once, however long the step under way takes.
void Worker::Thread::not_begun(std::uint64_t number, const std::exception_ptr& error)
{
    const std::scoped_lock lock(mutex_);
    if (!opening_ || opening_->frame.number != number) return;
    superseded_.push_back(std::move(opening_->beginning));
    opening_.reset();
    note_problem(error, {.opening = number});
    ++inputs_;
    for_worker_.notify_all();
    for_window_.notify_all();
}

// `about` says what it is a problem of.
void Worker::Thread::note_problem(const std::exception_ptr& error, Problem about)
{
    about.number = ++problems_;
    about.sentence = sentence_of(error);
    about.error = error;
    constexpr std::size_t most = 16; // many more than a window's frame has time for
    newest_problems_.push_back(std::make_shared<const Problem>(std::move(about)));
    if (newest_problems_.size() > most) newest_problems_.erase(newest_problems_.begin());
    news_ = true;
}

std::optional<OpeningFrame> Worker::Thread::what_opens() const
{
    return opening_ ? std::optional(opening_->frame) : opens_;
}

void Worker::Thread::tell(const Plan& plan)
{
    const std::scoped_lock lock(mutex_);
    if (plan == plan_) return;
    Plan paused = plan_;
    paused.running = false;
    if (plan != paused) ++nudges_;
    if (plan.compare != plan_.compare && part_ == Part::comparison) cancel_part();
    plan_ = plan;
    ++inputs_;
    for_worker_.notify_all();
}

void Worker::Thread::apply(std::uint64_t opened, Change change)
{
    const std::scoped_lock lock(mutex_);
    changes_.push_back({opened, std::move(change)});
    ++inputs_;
    ++nudges_;
    for_worker_.notify_all();
}

void Worker::Thread::step(std::uint64_t opened, std::int64_t launches)
{
    const std::scoped_lock lock(mutex_);
    if (steps_of_ != opened) steps_ = 0;
    steps_of_ = opened;
    steps_ += launches;
    ++inputs_;
    ++nudges_;
    for_worker_.notify_all();
}

// A frame without some memory is posted before that memory is left to be destroyed: who takes the
// tasks first and the frame afterwards never shows what is gone. Who has not released the frame
// since the last picture may draw an older frame, whatever has been opened since: its memory stays
// as long.
std::shared_ptr<const Frame> Worker::Thread::process_gl_tasks(std::shared_ptr<const Frame> shown)
{
    bool computed = false;
    bool held = false;
    {
        const std::scoped_lock lock(mutex_);
        gl_tasks_wait_ = false;
        computed = memory_ == Memory::computed;
        held = !given_back_ && !quits_;
    }
    render::GlTaskQueue::Batch due = gl_tasks_->take(!held);
    if (computed) unmap();
    {
        const std::scoped_lock lock(mutex_);
        if (posted_) shown = std::exchange(posted_, nullptr);
        if (std::exchange(news_, false)) {
            auto newer = std::make_shared<Frame>(*shown);
            newer->opening = what_opens();
            newer->problems = newest_problems_;
            shown = std::move(newer);
        }
    }
    for (auto& task : due) task();
    if (gl_tasks_->has_more()) {
        const std::scoped_lock lock(mutex_);
        gl_tasks_wait_ = true;
    }
    if (given_back_) try_map({});
    return shown;
}

void Worker::Thread::unmap()
{
    render::Sharing& sharing = lent_->sharing(); // the worker leaves it alone meanwhile
    std::exception_ptr error;
    try {
        sharing.unmap();
    } catch (...) {
        error = std::current_exception();
    }
    drawable_ = !error;
    given_back_ = false;
    const std::scoped_lock lock(mutex_);
    map_us_ = sharing.map_us();
    unmap_us_ = sharing.unmap_us();
    memory_ = Memory::opengl;
    lent_ = nullptr;
    if (error) {
        map_error_ = error;
        ++inputs_;
    }
    for_worker_.notify_all();
}

void Worker::Thread::release_frame()
{
    given_back_ = true;
    try_map({});
}

void Worker::Thread::try_map(std::chrono::nanoseconds at_most)
{
    SharedDevice* wanted = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        if (memory_ != Memory::wanted || quits_) return;
        memory_ = Memory::mapping;
        wanted = lent_;
    }
    std::exception_ptr error;
    bool mapped = false;
    try {
        mapped = wanted->sharing().try_map(at_most);
    } catch (...) {
        error = std::current_exception();
    }
    if (mapped) drawable_ = false;
    const std::scoped_lock lock(mutex_);
    memory_ = mapped ? Memory::device : Memory::wanted;
    if (error) map_error_ = error;
    for_worker_.notify_all();
}

double Worker::Thread::busy_s() const
{
    const Clock::rep since = busy_since_;
    if (since == 0) return 0;
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(since))
        .count();
}

void Worker::Thread::wait(std::chrono::duration<double> at_most, bool for_all)
{
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most);
    std::unique_lock lock(mutex_);
    const auto has_news = [&] {
        return posted_ || news_ || (gl_tasks_wait_ && given_back_) || memory_ == Memory::computed ||
               finished_ || (for_all && settled_ == inputs_);
    };
    while (!has_news() && Clock::now() < end) {
        if (memory_ != Memory::wanted || !given_back_) {
            for_window_.wait_until(lock, end, [&] {
                return has_news() || (memory_ == Memory::wanted && given_back_);
            });
            continue;
        }
        lock.unlock();
        try_map(std::min<Clock::duration>(end - Clock::now(), 2ms)); // OpenGL may still be drawing
        lock.lock();
    }
}

bool Worker::Thread::settled()
{
    const std::scoped_lock lock(mutex_);
    return settled_ == inputs_ && !opening_ && memory_ == Memory::opengl && !posted_ && !news_ &&
           !gl_tasks_wait_;
}

void Worker::Thread::quit()
{
    const std::scoped_lock lock(mutex_);
    quits_ = true;
    first_runs_.cancel();
    cancel_part();
    ++inputs_;
    for_worker_.notify_all();
}

bool Worker::Thread::finished()
{
    const std::scoped_lock lock(mutex_);
    return finished_;
}

// --- both ---

void Worker::Thread::cancel_part()
{
    if (part_ == Part::none) return;
    cancels_->cancel();
    cancelled_ = true;
}

// --- the worker's thread ---

void Worker::Thread::run() noexcept
{
    for (;;) {
        {
            const std::scoped_lock lock(mutex_);
            if (quits_) break;
        }
        try {
            if (!round()) rest();
        } catch (...) {
            fail(std::current_exception());
            post();
        }
    }
    tear_down();
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    for_window_.notify_all();
}

void Worker::Thread::tear_down()
{
    {
        // What is mapped, or has been, is OpenGL's again before it is destroyed.
        std::unique_lock lock(mutex_);
        for_worker_.wait(lock, [&] { return memory_ != Memory::mapping; });
        if (memory_ == Memory::device) memory_ = Memory::computed;
        if (memory_ == Memory::wanted) memory_ = Memory::opengl;
        for_window_.notify_all();
        for_worker_.wait(lock, [&] { return memory_ == Memory::opengl; });
        if (opening_) superseded_.push_back(std::move(opening_->beginning));
        opening_.reset();
    }
    sweep_ = {};
    spoiled_comparison_.reset();
    comparison_.reset();
    leader_.reset();
    differing_.reset();
    shared_.reset();
    chosen_.reset();
    superseded_.clear();
    roofs_to_come_ = {};
}

bool Worker::Thread::round()
{
    std::exception_ptr map_error;
    {
        const std::scoped_lock lock(mutex_);
        now_ = plan_;
        steps_now_ = steps_of_ == opened_ ? steps_ : 0;
        seen_ = inputs_;
        seen_nudges_ = nudges_;
        map_error = std::exchange(map_error_, nullptr);
        std::erase_if(superseded_, [](const auto& beginning) {
            return beginning.wait_for(0s) == std::future_status::ready;
        });
    }
    if (map_error && !halted()) { // else the first sentence stands, and this follows from it
        fail(map_error);
        post();
    }
    if (follow_opening()) return true;
    if (leader_spoiled_ && !halted() && !opening_pending()) {
        reopen();
        return true;
    }
    if (!leader_ || lost_ || leader_spoiled_) return false;
    bool did = !halted() && follow_beside();
    if (now_.opened != opened_) return did;
    take_changes();
    did |= exchange_comparison();
    did |= work();
    return did;
}

void Worker::Thread::rest()
{
    std::unique_lock lock(mutex_);
    if (inputs_ != seen_ || map_error_) return;
    const auto asked = [&] { return inputs_ != seen_ || map_error_ || quits_; };
    if (opening_) {
        for_worker_.wait_for(lock, 2ms, asked);
        return;
    }
    if (settled_ != seen_) {
        settled_ = seen_;
        for_window_.notify_all();
    }
    if (has_something_beside())
        for_worker_.wait_for(lock, 20ms, asked);
    else
        for_worker_.wait(lock, asked);
}

// --- the worker's thread: what is open ---

bool Worker::Thread::opening_pending()
{
    const std::scoped_lock lock(mutex_);
    return opening_.has_value();
}

bool Worker::Thread::follow_opening()
{
    std::optional<Opening> ready;
    {
        const std::scoped_lock lock(mutex_);
        if (!opening_ || opening_->beginning.wait_for(0s) != std::future_status::ready)
            return false;
        ready = std::exchange(opening_, {});
        opens_ = ready->frame;
        leaves_ = false;
    }
    open_found(std::move(*ready));
    {
        const std::scoped_lock lock(mutex_);
        opens_.reset();
    }
    post();
    return true;
}

void Worker::Thread::open_found(Opening opening)
{
    std::exception_ptr error;
    try {
        Opening::Beginning made = opening.beginning.get();
        try {
            start(made, opening);
        } catch (...) {
            const auto first = in_words(std::current_exception(), opening.job.what);
            if (!leader_ || opening.job.engine || !is_lack_of_memory(first))
                std::rethrow_exception(first);
            close(); // where memory does not hold both, what is shown goes first
            start(made, opening);
        }
    } catch (const device::Cancelled&) { // by a newer job
    } catch (...) {
        error = in_words(std::current_exception(), opening.job.what);
    }
    if (closed_) take_back();
    if (error) fail(error, opening.frame.number);
}

// All that is new is made before anything of the old goes.
void Worker::Thread::start(Opening::Beginning& made, const Opening& opening)
{
    const Session& session = made.found.session;
    std::shared_ptr<SharedDevice> chosen = chosen_;
    if (!made.engine && (!chosen || lost_))
        made.engine = open_device(chosen ? chosen->choice() : session.device);
    const bool is_new_device = made.engine.has_value();
    if (is_new_device)
        chosen = std::make_shared<SharedDevice>(
            std::move(*std::exchange(made.engine, {})),
            opening.job.engine.value_or(chosen_ ? chosen_->choice() : session.device), gl_tasks_);
    std::shared_ptr<SharedDevice> shared = device_for(chosen, session.journal);
    auto measured = std::make_unique<MeasuredLive>();
    std::unique_ptr<Side> side;
    const Ended ended = cancellable(Part::opening, shared->device(), [&] {
        side = std::make_unique<Side>(*shared, session.journal, *measured);
        // On a GPU the driver takes longer to compile the probes than all before it together.
        if (opening.job.counts && shared->has_clock())
            side->show_counts_of_trial(*opening.job.counts);
    });
    if (ended != Ended::whole) throw device::Cancelled();
    if (is_new_device) {
        roofs_ = {};
        if (!roofs_to_come_.valid()) roofs_to_come_ = measure_roofs_beside(chosen->device());
    }
    if (leader_ && !is_new_device && leader_->values() == side->values())
        keep_measured(side->lab(), *measured);
    // The old ones go at the end, after a frame without them.
    std::swap(chosen_, chosen);
    std::swap(shared_, shared);
    std::swap(leader_, side);
    std::swap(measured_, measured);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    const auto differing = std::exchange(differing_, std::make_unique<Difference>(*shared_));
    difference_.reset();
    difference_of_ = 0;
    refused_.clear();
    lost_ = false;
    leader_spoiled_ = false;
    closed_.reset();
    halted_at_ = UINT64_MAX;
    sweep_.keep_to(leader_->lab());
    opened_ = opening.frame.number;
    found_ = std::make_shared<const Found>(std::move(made.found));
    note_sides();
    post();
}

// What was measured of variants whose texts are the same, of a lab in which others were edited.
void Worker::Thread::keep_measured(const labs::Lab& lab, MeasuredLive& measured) const
{
    const labs::Lab& left = leader_->lab();
    if (left.origin() != lab.origin() || left.place == lab.place) return;
    for (const auto& [id, one] : measured_->variants) {
        const labs::Variant* const was = left.find_variant(id);
        const labs::Variant* const is = lab.find_variant(id);
        if (was && is && left.source(*was) == lab.source(*is)) {
            measured.variants[id] = one;
            measured.variants[id].is_new = true;
        }
    }
}

// A fault would take a GPU's context along, and needs whoever looks for it.
bool runs_apart(const labs::Variant& variant, device::Engine engine)
{
    return !variant.fault.empty() ||
           (!variant.runs_on(engine) && variant.runs_on(device::Engine::simt));
}

// Why the variant must not run on the engine: what its first run on the lockstep machine came to.
// Empty: it may. What only takes long may take long on simt, if it was opened as a folder: a record
// says what its author meant.
std::string Worker::Thread::refusal(const labs::Variant& variant, device::Engine engine,
                                    const Start& start)
{
    const labs::Lab& lab = labs::find(start.lab);
    const bool on_simt = engine == device::Engine::simt;
    if (!is_foreign(lab) || !now_.careful || (on_simt && options_.waits)) return {};
    const Tried tried = first_runs_.result(lab, variant, start);
    const bool stops = tried.kind == TextOutcome::Kind::stopped && (!on_simt || lab.texts);
    return tried.kind == TextOutcome::Kind::fault || stops ? tried.sentence : std::string();
}

// Where all that the journal runs can run: on the chosen device, or on simt beside it, which looks
// for every kind of fault.
std::shared_ptr<SharedDevice>
Worker::Thread::device_for(const std::shared_ptr<SharedDevice>& chosen, const Journal& journal)
{
    const labs::Lab& lab = labs::find(journal.start.lab);
    const device::Engine engine = chosen->device().engine();
    const labs::Variant* apart = nullptr;
    std::string why;
    const auto look_at = [&](const std::string& id) {
        const labs::Variant& variant = labs::find_variant(lab, id);
        if (apart) return;
        if (!runs_apart(variant, engine)) why = refusal(variant, engine, journal.start);
        if (runs_apart(variant, engine) || !why.empty()) apart = &variant;
    };
    look_at(journal.start.variant);
    for (const Event& event : journal.events)
        if (const auto* change = std::get_if<VariantChange>(&event.what)) look_at(change->id);
    if (!apart) return chosen;
    const simt::Options options =
        is_foreign(lab) ? Trials::careful_options() : simt::Options{.checks = simt::Checks::all()};
    OpenedEngine simt =
        options_.open_engine ? options_.open_engine("simt") : open_engine("simt", options);
    if (!why.empty())
        simt.reason = fmt::format("{} did not come through its first run on the lockstep machine, "
                                  "and runs nowhere else until it is mended.",
                                  apart->title);
    else if (engine == device::Engine::simt)
        simt.reason = "Ends in a fault: simt looks for races and unset memory, too.";
    else
        simt.reason = fmt::format("{} runs on simt: {} would take the GPU's context along. Other "
                                  "variants go back to {}.",
                                  apart->title, apart->fault.empty() ? "it" : "its fault",
                                  chosen->device().properties().name);
    return std::make_shared<SharedDevice>(std::move(simt), chosen->choice(), gl_tasks_);
}

void Worker::Thread::close()
{
    closed_ = {leader_->journal(), opened_};
    const std::unique_ptr<Side> leader = std::exchange(leader_, nullptr);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    const std::unique_ptr<Difference> differing = std::exchange(differing_, nullptr);
    difference_.reset();
    leader_spoiled_ = false; // it is not wanted again
    opened_ = 0;
    leader_frame_ = {};
    comparison_frame_.reset();
    post();
}

// What was closed for something that could not be opened either, from its journal. Where even that
// fails, nothing is open: why the other could not be opened is said anyway.
void Worker::Thread::take_back()
{
    try {
        std::unique_ptr<Side> again = make_side(*shared_, closed_->journal);
        if (!again) return; // what is being opened may fail, too
        differing_ = std::make_unique<Difference>(*shared_);
        leader_ = std::move(again);
        opened_ = closed_->opened;
        note_sides();
        post();
    } catch (...) {
    }
    closed_.reset();
}

// After a step that was cancelled, and nothing came of what it was cancelled for: the same again,
// from its journal. Until that is made, frames show the memory of the one that was spoiled.
void Worker::Thread::reopen()
{
    std::unique_ptr<Side> again = make_side(*shared_, leader_->journal());
    if (!again) return;
    std::swap(leader_, again);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    difference_.reset();
    leader_spoiled_ = false;
    note_sides();
    post();
}

// Of the lab that is measured. Null: something else is being opened.
std::unique_ptr<Side> Worker::Thread::make_side(SharedDevice& shared, const Journal& journal)
{
    std::unique_ptr<Side> side;
    const Ended ended = cancellable(Part::opening, shared.device(), [&] {
        side = std::make_unique<Side>(shared, journal, *measured_);
    });
    return ended == Ended::whole ? std::move(side) : nullptr;
}

// --- the worker's thread: what it does ---

void Worker::Thread::take_changes()
{
    std::deque<Asked> changes;
    {
        const std::scoped_lock lock(mutex_);
        changes = std::exchange(changes_, {});
    }
    for (const Asked& asked : changes) {
        if (asked.opened != opened_) continue;
        if (const auto* change = std::get_if<VariantChange>(&asked.change)) {
            choose(labs::find_variant(leader_->lab(), change->id));
            continue;
        }
        if (comparison_) comparison_->apply(asked.change);
        leader_->apply(asked.change);
    }
}

// On the same device the experiment goes on; for another one it starts afresh.
void Worker::Thread::choose(const labs::Variant& variant)
{
    try {
        const bool is_apart = shared_ != chosen_;
        const device::Engine engine = chosen_->device().engine();
        const Journal journal = leader_->afresh(variant.id);
        const bool goes_apart =
            runs_apart(variant, engine) || !refusal(variant, engine, journal.start).empty();
        if (goes_apart == is_apart) return leader_->apply(VariantChange{variant.id});
        std::shared_ptr<SharedDevice> shared = device_for(chosen_, journal);
        std::unique_ptr<Side> side = make_side(*shared, journal);
        if (!side) return;
        // The old ones go at the end, after a frame without them.
        std::swap(shared_, shared);
        std::swap(leader_, side);
        const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
        const auto differing = std::exchange(differing_, std::make_unique<Difference>(*shared_));
        difference_.reset();
        difference_of_ = 0;
        note_sides();
        post();
    } catch (...) {
        fail(in_words(std::current_exception(), variant.title));
        post();
    }
}

// The other side begins where the leader stands still: its journal tells the way there.
bool Worker::Thread::exchange_comparison()
{
    const std::string& wanted = now_.compare;
    if (refused_ != wanted) refused_.clear();
    if (comparison_ && comparison_->variant().id != wanted) {
        const std::unique_ptr<Side> old = std::move(comparison_);
        difference_.reset();
        comparison_frame_.reset();
        post();
        return true;
    }
    if (comparison_ || wanted.empty() || !refused_.empty() || lost_ || leader_->replaying() ||
        leader_->has_pending())
        return false;
    try {
        const labs::Variant& other = labs::find_variant(leader_->lab(), wanted);
        if (!other.fault.empty())
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} ends in a fault before it has a picture.", other.title),
                        "Choose another variant to compare with.");
        const std::string why =
            shared_ == chosen_ ? refusal(other, shared_->device().engine(), leader_->start()) : "";
        if (!why.empty())
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} does not come through its first run: {}", other.title, why),
                        "Mend it, or choose another variant to compare with.");
        cancellable(Part::comparison, shared_->device(), [&] {
            comparison_ = std::make_unique<Side>(
                *shared_, comparison_journal(leader_->journal(), wanted), *measured_);
        });
        difference_of_ = 0;
    } catch (...) {
        refused_ = wanted;
        fail(in_words(std::current_exception(), "the comparison"), 0, true); // the leader goes on
    }
    note_sides();
    post();
    return true;
}

bool Worker::Thread::has_something_beside() const
{
    return (sweep_.run() && !sweep_finished_) || roofs_to_come_.valid() ||
           (leader_ && leader_->times_are_due()) || (comparison_ && comparison_->times_are_due());
}

bool Worker::Thread::follow_beside()
{
    bool is_news = false;
    if (roofs_to_come_.valid() && roofs_to_come_.wait_for(0s) == std::future_status::ready) {
        is_news = true;
        roofs_ = roofs_to_come_.get();
        measured_->forget_times(); // what ran beside the copies took longer
    }
    if (now_.sweep && now_.opened == opened_) {
        if (now_.sweep->sweep) sweep_.choose(*now_.sweep->sweep);
        sweep_.all_variants = now_.sweep->all_variants;
        if (now_.sweep->follow && !leader_->lab().sweeps.empty())
            sweep_.follow(shared_->device(),
                          {&leader_->lab(), leader_->variant().id, leader_->values(),
                           leader_->start().seed, leader_->start().image});
    }
    sweep_.take_points();
    const SweepRun* const run = sweep_.run();
    const bool finished = run && run->finished();
    if (run != sweep_shown_ || sweep_.points().size() != sweep_points_->size() ||
        finished != sweep_finished_) {
        is_news = true;
        if (run != sweep_shown_)
            sweep_plan_ = run ? std::make_shared<const SweepPlan>(run->plan()) : nullptr;
        sweep_points_ = std::make_shared<const std::vector<SweepPoint>>(sweep_.points());
        sweep_shown_ = run;
        sweep_finished_ = finished;
    }
    if (leader_->poll_times()) is_news = true;
    if (comparison_ && comparison_->poll_times()) is_news = true;
    if (is_news) post();
    return false;
}

// simt counts what it cannot time. On a GPU, where that costs time, the sides of A/B are counted
// once.
Counting Worker::Thread::counting() const
{
    Counting wanted = now_.counting;
    if (!now_.totals) return wanted;
    const auto known = [&](const Side& side) {
        const auto found = measured_->variants.find(side.variant().id);
        return found != measured_->variants.end() && found->second.totals.has_value();
    };
    wanted.sites |=
        !shared_->has_clock() || (comparison_ && !(known(*leader_) && known(*comparison_)));
    return wanted;
}

std::string Worker::Thread::view() const
{
    return now_.view.empty() ? leader_->lab().views.front() : now_.view;
}

bool Worker::Thread::counts_anew(const Side& side) const
{
    const Counting wanted = counting();
    return wanted.any() && side.counted() != wanted;
}

// So many steps as take no longer than the budget, by what is known of them.
std::int64_t Worker::Thread::steps_on_clock(const Side& side, std::int64_t wanted) const
{
    const Spread known = measured_->step_ms(side.variant().id);
    const double step_ms = known.count > 0 ? std::max(known.median, 1e-3) : cuda_budget_ms;
    return std::min(wanted, 1 + static_cast<std::int64_t>(cuda_budget_ms / step_ms));
}

// Whether the GPU is known to be done with it so soon that OpenGL can queue behind it.
bool Worker::Thread::is_quick(const Side& side, const Side::Work& work) const
{
    constexpr double soon_ms = 10;
    if (side.has_pending() || side.replaying() || counts_anew(side)) return false;
    // Of the steps the last one is counted. Where each is, none has the plain kernel's time.
    const bool counts = work.counting.any();
    const std::int64_t plain = counts ? std::max<std::int64_t>(work.steps - 1, 0) : work.steps;
    const Spread step = measured_->step_ms(side.variant().id);
    const Spread probed = measured_->probed_ms(side.variant().id);
    if ((plain > 0 && step.count == 0) || (counts && probed.count == 0)) return false;
    return step.median * static_cast<double>(plain) + (counts ? probed.median : 0) < soon_ms;
}

bool Worker::Thread::sweep_measures() const
{
    return shared_->has_clock() && now_.sweep && sweep_.run() && !sweep_.run()->finished();
}

bool Worker::Thread::together() const
{
    return comparison_ && leader_->picture() && comparison_->picture() && !leader_->replaying() &&
           !comparison_->replaying() && launches_behind(*comparison_, *leader_) == 0;
}

// Nothing where nothing is due.
std::optional<Side::Work> Worker::Thread::leader_work() const
{
    Side::Work work{.steps = 0, .budget = {}, .view = view(), .counting = counting()};
    // The picture first, if there are counts to show beside it.
    if (leader_->has_counts_of_trial() && !leader_->picture()) work.counting = {};
    const bool replays = leader_->replaying();
    const bool waits_for_comparison =
        comparison_ && !replays &&
        (comparison_->replaying() || launches_behind(*comparison_, *leader_) > 0);
    if (replays)
        work.steps = leader_->replay_left();
    else if (waits_for_comparison || (sweep_measures() && !now_.unhurried))
        work.steps = 0; // on the same GPU its steps would be part of the sweep's times
    else
        work.steps = now_.running ? leader_->steps_per_frame() : steps_now_;
    if (comparison_ && !replays && work.steps > 0)
        work.steps = launches_together(*leader_, *comparison_, work.steps);
    if (options_.waits || (now_.unhurried && !replays) || (comparison_ && !replays)) {
        // A fixed number, however long it takes.
    } else if (shared_->has_clock()) {
        work.steps = steps_on_clock(*leader_, work.steps);
    } else {
        work.budget = simt_budget;
    }
    const bool due = work.steps > 0 || replays || leader_->has_pending() || !leader_->picture() ||
                     leader_->view() != work.view || counts_anew(*leader_);
    return due ? std::optional(work) : std::nullopt;
}

std::optional<Side::Work> Worker::Thread::comparison_work() const
{
    if (!comparison_ || leader_->replaying() || !leader_->picture()) return {};
    Side::Work work{.steps = 0, .budget = {}, .view = view(), .counting = counting()};
    const bool replays = comparison_->replaying();
    work.steps = replays ? comparison_->replay_left() : launches_behind(*comparison_, *leader_);
    if (replays && !options_.waits) {
        if (shared_->has_clock())
            work.steps = steps_on_clock(*comparison_, work.steps);
        else
            work.budget = simt_budget;
    }
    const bool due = work.steps > 0 || replays || comparison_->has_pending() ||
                     !comparison_->picture() || comparison_->view() != work.view ||
                     counts_anew(*comparison_);
    return due ? std::optional(work) : std::nullopt;
}

// Where the experiment moves on by itself on a GPU, its number would cost two downloads a frame:
// then only if it is drawn.
bool Worker::Thread::difference_is_due() const
{
    const bool wanted = now_.difference || now_.unhurried || !now_.running || !shared_->has_clock();
    return wanted && together() && difference_of_ != pictures_;
}

bool Worker::Thread::work()
{
    if (halted()) return false;
    const std::optional<Side::Work> leaders = leader_work();
    if (!leaders && !comparison_work() && !difference_is_due()) return false;
    if (!borrow()) return true;
    busy_since_ = Clock::now().time_since_epoch().count();
    try {
        work_mapped(leaders);
    } catch (...) {
        fail(std::current_exception());
    }
    give_back();
    return true;
}

bool Worker::Thread::borrow()
{
    std::unique_lock lock(mutex_);
    const auto changed = [&] { return inputs_ != seen_ || quits_ || map_error_ != nullptr; };
    // Where something goes on beside, it is looked at from time to time.
    const auto until = [&](auto ready) {
        if (opening_ || has_something_beside())
            for_worker_.wait_for(lock, 20ms, ready);
        else
            for_worker_.wait(lock, ready);
    };
    until([&] { return memory_ == Memory::opengl || changed(); });
    if (memory_ != Memory::opengl || changed()) return false;
    memory_ = Memory::wanted;
    lent_ = shared_.get();
    for_window_.notify_all();
    until([&] { return memory_ == Memory::device || (memory_ == Memory::wanted && changed()); });
    for_worker_.wait(lock, [&] { return memory_ != Memory::mapping; });
    if (memory_ == Memory::device) return true;
    memory_ = Memory::opengl;
    lent_ = nullptr;
    return false;
}

template <class Do>
Worker::Thread::Ended Worker::Thread::cancellable(Part part, device::Device& device, Do&& what)
{
    {
        const std::scoped_lock lock(mutex_);
        const bool newer = part == Part::opening ? opening_.has_value() : leaves_;
        if (quits_ || newer || (part == Part::comparison && plan_.compare != now_.compare))
            return Ended::before;
        part_ = part;
        cancels_ = &device;
    }
    const auto was_cancelled = [&] {
        const std::scoped_lock lock(mutex_);
        part_ = Part::none;
        cancels_ = nullptr;
        if (!cancelled_) return false;
        device.resume();
        cancelled_ = false;
        return true;
    };
    try {
        what();
    } catch (...) {
        if (was_cancelled()) return Ended::cancelled;
        throw;
    }
    was_cancelled();
    return Ended::whole;
}

void Worker::Thread::work_mapped(const std::optional<Side::Work>& leaders)
{
    device::Device& device = shared_->device();
    bool quick = true;
    bool is_new = false;
    if (leaders) {
        quick = is_quick(*leader_, *leaders);
        const std::int64_t before = leader_->launches();
        const bool replays = leader_->replaying();
        const Ended ended = cancellable(Part::leader, device, [&] { leader_->work(*leaders); });
        leader_spoiled_ = ended == Ended::cancelled;
        if (ended != Ended::whole) return;
        is_new = true;
        const std::scoped_lock lock(mutex_);
        if (!replays && !now_.running && steps_of_ == opened_)
            steps_ = std::max<std::int64_t>(0, steps_ - (leader_->launches() - before));
    }
    if (const auto compared = comparison_work()) {
        quick = quick && is_quick(*comparison_, *compared);
        const Ended ended =
            cancellable(Part::comparison, device, [&] { comparison_->work(*compared); });
        if (ended == Ended::cancelled) spoiled_comparison_ = std::move(comparison_);
        if (ended != Ended::whole) return;
        is_new = true;
    }
    if (is_new && (!comparison_ || together())) {
        ++pictures_;
        difference_.reset();
    }
    if (difference_is_due()) {
        difference_of_ = pictures_;
        difference_ = differing_->between(*leader_->picture(), *comparison_->picture());
    }
    // Copies for OpenGL read what tasks may still be adding to.
    if (shared_->sharing().path() == render::SharingPath::staged) gl_tasks_->run([] {});
    cancellable(Part::leader, device, [&] {
        shared_->sharing().finish();
        if (!quick) device.synchronize();
    });
}

void Worker::Thread::give_back()
{
    if (leader_) {
        leader_->poll_times();
        if (comparison_) comparison_->poll_times();
    }
    note_sides();
    auto frame = make_frame();
    busy_since_ = 0; // before anybody can see that it is done
    {
        const std::scoped_lock lock(mutex_);
        posted_ = std::move(frame);
        memory_ = Memory::computed;
        for_window_.notify_all();
    }
    spoiled_comparison_.reset();
}

// --- the worker's thread: what it tells ---

void Worker::Thread::fail(const std::exception_ptr& error, std::uint64_t opening, bool comparison)
{
    const bool of_step = opening == 0 && !comparison;
    if (of_step) {
        fault_ = fault_in(error);
        halted_at_ = seen_nudges_;
        lost_ = lost_ || (shared_ && shared_->has_clock() && fault_);
    }
    const bool expected = of_step && fault_ && leader_ && !leader_->variant().fault.empty();
    const std::scoped_lock lock(mutex_);
    note_problem(error, {.opening = opening,
                         .comparison = comparison,
                         .lost = of_step && lost_,
                         .expected = expected});
}

// What the sides are now. On a lost device nothing more can be asked: then as they were.
void Worker::Thread::note_sides()
{
    try {
        if (leader_) leader_frame_ = leader_->frame();
        comparison_frame_.reset();
        if (comparison_) comparison_frame_ = comparison_->frame();
    } catch (...) {
        if (!halted()) fail(std::current_exception());
    }
}

void Worker::Thread::post()
{
    auto frame = make_frame();
    const std::scoped_lock lock(mutex_);
    posted_ = std::move(frame);
    for_window_.notify_all();
}

std::shared_ptr<const Frame> Worker::Thread::make_frame()
{
    auto frame = std::make_shared<Frame>();
    frame->number = ++frames_;
    frame->picture = pictures_;
    frame->opened = opened_;
    frame->found = found_;
    {
        const std::scoped_lock lock(mutex_);
        frame->opening = what_opens();
        frame->problems = newest_problems_;
    }
    if (shared_) {
        frame->engine.choice = shared_->choice();
        frame->engine.engine = shared_->device().engine();
        frame->engine.reason = shared_->reason();
        frame->engine.properties = shared_->device().properties();
        frame->engine.has_clock = shared_->has_clock();
        frame->engine.path = shared_->sharing().path();
        frame->engine.sharing = shared_->sharing().explanation();
        if (shared_ == chosen_) frame->engine.roofs = roofs_;
        const std::scoped_lock lock(mutex_);
        frame->engine.map_us = map_us_;
        frame->engine.unmap_us = unmap_us_;
    }
    if (opened_ == 0) return frame;
    frame->a = leader_frame_;
    if (halted()) frame->fault = fault_;
    frame->b = comparison_frame_;
    frame->together = leader_ && together();
    frame->difference = difference_;
    frame->variants = measured_->frame();
    if (sweep_plan_ || !sweep_points_->empty())
        frame->sweep = {sweep_plan_, sweep_points_, sweep_finished_,
                        sweep_shown_ ? sweep_shown_->error() : ""};
    return frame;
}

// --- Worker ---

Worker::Worker(const WorkerOptions& options)
    : thread_(std::make_unique<Thread>(options)), newest_(std::make_shared<const Frame>())
{
}

Worker::~Worker()
{
    while (!end(1s)) {
    }
}

std::uint64_t Worker::open(OpenJob job)
{
    return thread_->open(std::move(job));
}

void Worker::tell(const Plan& plan)
{
    thread_->tell(plan);
}

void Worker::apply(Change change)
{
    thread_->apply(newest_->opened, std::move(change));
}

void Worker::step(std::int64_t launches)
{
    thread_->step(newest_->opened, launches);
}

void Worker::process_gl_tasks()
{
    newest_ = thread_->process_gl_tasks(std::move(newest_));
}

void Worker::release_frame()
{
    thread_->release_frame();
}

bool Worker::drawable() const
{
    return thread_->drawable();
}

double Worker::busy_s() const
{
    return thread_->busy_s();
}

bool Worker::idle() const
{
    return thread_->settled();
}

void Worker::wait(std::chrono::duration<double> at_most)
{
    thread_->wait(at_most);
}

std::shared_ptr<const Frame> Worker::settle()
{
    for (;;) {
        process_gl_tasks();
        if (const auto problem = newest_->problem(); problem && problem->number > told_) {
            told_ = problem->number;
            std::rethrow_exception(problem->error);
        }
        if (thread_->settled()) return newest_;
        release_frame();
        thread_->wait(1s, true);
    }
}

bool Worker::end(std::chrono::duration<double> at_most)
{
    if (!thread_) return true;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most);
    thread_->quit();
    for (;;) {
        process_gl_tasks();
        if (thread_->finished()) break;
        if (Clock::now() >= end) return false;
        thread_->wait(std::min<Clock::duration>(end - Clock::now(), 10ms));
    }
    thread_.reset();
    return true;
}

} // namespace lanescope::app
