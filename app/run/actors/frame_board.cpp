// Keeps the newest frame until it is taken, and the last few problems.
#include "app/run/actors/frame_board.h"

#include <utility>

#include "app/run/actors/problems.h"

namespace lanescope::app {

void FrameBoard::note_problem(const Held&, const std::exception_ptr& error, Problem about)
{
    about.number = ++numbers_;
    about.sentence = sentence_of(error);
    about.error = error;
    constexpr std::size_t max_problems = 16; // many more than arise per window frame
    problems_.push_back(std::make_shared<const Problem>(std::move(about)));
    if (problems_.size() > max_problems) problems_.erase(problems_.begin());
    news_ = true;
}

std::shared_ptr<const Frame> FrameBoard::take(const Held& held, std::shared_ptr<const Frame> shown,
                                              const std::optional<OpeningFrame>& opening)
{
    shown = posted_.take(held, std::move(shown));
    if (!std::exchange(news_, false)) return shown;
    auto newer = std::make_shared<Frame>(*shown);
    newer->opening = opening;
    newer->problems = problems_;
    return newer;
}

} // namespace lanescope::app
