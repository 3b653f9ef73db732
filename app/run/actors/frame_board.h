// The runner's frames on their way to OpenGL's thread, and what went wrong, which may be told
// without a frame of the runner's: it may be in the middle of a long step.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "app/run/actors/shared_state.h"
#include "app/run/frame.h"

namespace lanescope::app {

class FrameBoard {
public:
    explicit FrameBoard(SharedState& shared_state) : shared_state_(shared_state) {}

    void post(const Held& held, std::shared_ptr<const Frame> frame)
    {
        posted_.post(held, std::move(frame), shared_state_);
    }
    // `about` says what it is a problem of.
    void note_problem(const Held&, const std::exception_ptr& error, Problem about);
    // What is being opened, which no frame says yet.
    void note_news(const Held&) { news_ = true; }
    const std::vector<std::shared_ptr<const Problem>>& problems(const Held&) const
    {
        return problems_;
    }

    bool has_news(const Held& held) const { return posted_.is_new(held) || news_; }
    // The newest, with what is being opened; `shown` when nothing came since.
    std::shared_ptr<const Frame> take(const Held& held, std::shared_ptr<const Frame> shown,
                                      const std::optional<OpeningFrame>& opening);

private:
    SharedState& shared_state_;
    Published<Frame> posted_;
    std::vector<std::shared_ptr<const Problem>> problems_; // see Frame::problems
    std::uint64_t numbers_ = 0;                            // of problems
    bool news_ = false;                                    // that no frame has
};

} // namespace lanescope::app
