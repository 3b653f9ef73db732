// Passes the runner's frames to OpenGL's thread. Problems can be reported without a frame, because
// the runner may be in the middle of a long step.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "app/run/actors/shared_state.h"
#include "app/run/frame/frame.h"

namespace lanescope::app {

class FrameBoard {
public:
    explicit FrameBoard(SharedState& shared_state) : shared_state_(shared_state) {}

    void post(const Held& held, std::shared_ptr<const Frame> frame)
    {
        posted_.post(held, std::move(frame), shared_state_);
    }
    // `about` says where the problem occurred.
    void note_problem(const Held&, const std::exception_ptr& error, Problem about);
    // Notes that the progress of the job being opened has changed; no frame contains it yet.
    void note_progress(const Held&) { news_ = true; }
    const std::vector<std::shared_ptr<const Problem>>& problems(const Held&) const
    {
        return problems_;
    }

    bool has_news(const Held& held) const { return posted_.is_new(held) || news_; }
    // Returns the newest frame, with the progress of the job being opened; returns `shown` if there
    // is no newer one.
    std::shared_ptr<const Frame> take(const Held& held, std::shared_ptr<const Frame> shown,
                                      const std::optional<OpeningFrame>& opening);

private:
    SharedState& shared_state_;
    Published<Frame> posted_;
    std::vector<std::shared_ptr<const Problem>> problems_; // see Frame::problems
    std::uint64_t numbers_ = 0;                            // number of problems so far
    bool news_ = false;                                    // changed, but not in a frame yet
};

} // namespace lanescope::app
