// Each open job runs on its own thread until the file has been located.
#include "app/run/actors/opener.h"

#include <chrono>
#include <utility>

#include "app/run/actors/problems.h"
#include "compute/threads.h"

namespace lanescope::app {

using namespace std::chrono_literals;

std::uint64_t Opener::open(OpenJob job)
{
    const Held held(links_.shared_state.mutex);
    const std::uint64_t number = ++numbers_;
    Opening opening{{number, job.what, std::chrono::steady_clock::now()}, std::move(job), {}};
    opening.beginning = start_in_background([this, number, job = opening.job] {
        try {
            Opening::Beginning made = begin(job);
            begun(number);
            return made;
        } catch (...) {
            report_failed_open(number, explain_out_of_memory(std::current_exception(), job.what));
            throw;
        }
    });
    if (next_) superseded_.push_back(std::move(next_->beginning));
    next_ = std::move(opening);
    links_.board.note_progress(held);
    switch_pending_ = false;
    links_.interruption.cancel(held, Part::opening);
    links_.inbox.note(held, true);
    return number;
}

Opening::Beginning Opener::begin(const OpenJob& job)
{
    Opening::Beginning made{job.find(), {}};
    if (job.engine) made.engine = links_.placement.open(*job.engine);
    bool careful = false;
    {
        const Held held(links_.shared_state.mutex);
        careful = links_.inbox.plan(held).careful && !links_.inbox.quits(held);
    }
    if (careful) links_.placement.validate_first(made.found.session.journal.start, job.validated);
    return made;
}

// Keeps showing the current lab until the new one has opened successfully.
void Opener::begun(std::uint64_t number)
{
    const Held held(links_.shared_state.mutex);
    if (numbers_ != number) return;
    switch_pending_ = true;
    links_.interruption.cancel(held);
    links_.inbox.note(held, false);
}

// Reports immediately, without waiting for the step in progress.
void Opener::report_failed_open(std::uint64_t number, const std::exception_ptr& error)
{
    const Held held(links_.shared_state.mutex);
    if (!next_ || next_->frame.number != number) return;
    superseded_.push_back(std::move(next_->beginning));
    next_.reset();
    links_.board.note_problem(held, error, {.opening = number});
    links_.inbox.note(held, false);
    links_.shared_state.for_window.notify_all();
}

std::optional<Opening> Opener::take_ready()
{
    const Held held(links_.shared_state.mutex);
    if (!next_ || next_->beginning.wait_for(0s) != std::future_status::ready) return {};
    started_ = next_->frame;
    switch_pending_ = false;
    return std::exchange(next_, {});
}

void Opener::note_started()
{
    const Held held(links_.shared_state.mutex);
    started_.reset();
}

void Opener::forget_ended(const Held&)
{
    std::erase_if(superseded_, [](const auto& beginning) {
        return beginning.wait_for(0s) == std::future_status::ready;
    });
}

void Opener::end()
{
    std::vector<std::future<Opening::Beginning>> left;
    {
        const Held held(links_.shared_state.mutex);
        if (next_) superseded_.push_back(std::move(next_->beginning));
        next_.reset();
        left = std::exchange(superseded_, {});
    }
}

} // namespace lanescope::app
