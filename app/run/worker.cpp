// Forwards the calls of OpenGL's thread to the actors.
#include "app/run/worker.h"

#include <algorithm>
#include <utility>

#include "app/run/actors/runner.h"
#include "compute/threads.h"

namespace lanescope::app {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// In dependency order. Each actor that publishes frames has a Published, which wait() and
// process_gl_tasks() check.
struct Worker::Actors {
    explicit Actors(const WorkerOptions& options) : placement(options, loan.tasks())
    {
        runner.emplace(
            Runner::Links{shared_state, interruption, inbox, board, loan, placement, opener},
            options.waits);
    }

    // `draws`: without threads, the caller keeps drawing meanwhile.
    void wait(std::chrono::duration<double> at_most, bool for_all, bool draws)
    {
        const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most);
        const auto has_news = [this, for_all](const Held& held) {
            return board.has_news(held) || runner->finished(held) ||
                   (for_all && inbox.settled(held));
        };
        if constexpr (has_threads) return loan.wait(end, has_news);
        const auto run = [this, end, has_news] {
            const auto is_due = [&] {
                const Held held(shared_state.mutex);
                // While memory is held, the runner must not run: it would destroy memory on this
                // thread.
                return loan.is_due(held, has_news) || (loan.is_held() && !inbox.quits(held));
            };
            while (!is_due() && runner->turn() && Clock::now() < end) {
            }
        };
        if (draws)
            start_yielding_work(run);
        else
            run();
    }
    bool settled()
    {
        const Held held(shared_state.mutex);
        return inbox.settled(held) && !opener.pending(held) && loan.idle(held) &&
               !board.has_news(held);
    }

    SharedState shared_state;
    Interruption interruption{shared_state};
    Inbox inbox{shared_state, interruption};
    FrameBoard board{shared_state};
    GlLoan loan{shared_state, inbox};
    Placement placement;
    Opener opener{{shared_state, inbox, interruption, board, placement}};
    std::optional<Runner> runner; // last member: its thread uses all of the above
};

Worker::Worker(const WorkerOptions& options)
    : actors_(std::make_unique<Actors>(options)), newest_(std::make_shared<const Frame>())
{
}

Worker::~Worker()
{
    while (!end(1s)) {
    }
}

std::uint64_t Worker::open(OpenJob job)
{
    return actors_->opener.open(std::move(job));
}

void Worker::tell(const Plan& plan)
{
    actors_->inbox.tell(plan);
}

void Worker::apply(Change change)
{
    actors_->inbox.apply(newest_->opened, std::move(change));
}

void Worker::step(std::int64_t launches)
{
    actors_->inbox.step(newest_->opened, launches);
}

bool Worker::process_gl_tasks()
{
    auto tasks = actors_->loan.begin_tasks();
    const bool any = !tasks.empty();
    {
        const Held held(actors_->shared_state.mutex);
        newest_ = actors_->board.take(held, std::move(newest_), actors_->opener.opening_job(held));
    }
    actors_->loan.run(std::move(tasks));
    return any;
}

std::shared_ptr<const Frame> Worker::newest_held() const
{
    struct HeldFrame {
        std::shared_ptr<const Frame> frame;
        std::shared_ptr<const void> hold;
    };
    const auto held = std::make_shared<const HeldFrame>(HeldFrame{newest_, actors_->loan.hold()});
    return {held, held->frame.get()};
}

void Worker::release_frame()
{
    actors_->loan.release_frame();
}

void Worker::lend(std::chrono::duration<double> at_most)
{
    release_frame();
    if constexpr (!has_threads) return; // there is no other thread
    const auto is_lent = [this](const Held& held) { return actors_->loan.is_lent(held); };
    actors_->loan.wait(Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most),
                       is_lent);
}

bool Worker::drawable() const
{
    return actors_->loan.drawable();
}

double Worker::busy_s() const
{
    return actors_->runner->busy_s();
}

bool Worker::idle() const
{
    return actors_->settled();
}

void Worker::wait(std::chrono::duration<double> at_most)
{
    actors_->wait(at_most, false, newest_->opened != 0);
}

std::shared_ptr<const Frame> Worker::settle()
{
    for (;;) {
        process_gl_tasks();
        if (const auto problem = newest_->problem(); problem && problem->number > reported_) {
            reported_ = problem->number;
            std::rethrow_exception(problem->error);
        }
        if (actors_->settled()) return newest_;
        release_frame();
        actors_->wait(1s, true, false);
    }
}

bool Worker::end(std::chrono::duration<double> at_most)
{
    if (!actors_) return true;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most);
    actors_->inbox.quit();
    actors_->placement.cancel();
    for (;;) {
        process_gl_tasks();
        {
            const Held held(actors_->shared_state.mutex);
            if (actors_->runner->finished(held)) break;
        }
        if (Clock::now() >= end) return false;
        actors_->wait(std::min<Clock::duration>(end - Clock::now(), 10ms), false, false);
    }
    actors_.reset();
    return true;
}

} // namespace lanescope::app
