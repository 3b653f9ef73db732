// Finds out formulas on a thread of its own, beside the window: what a beat will reveal and what
// decides a card. Each is found once.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/measure/quantity.h"
#include "compute/threads.h"

namespace lanescope::app {

class Answers {
public:
    Answers();
    ~Answers(); // gives up what is under way
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;

    // These are wanted now, in this order; what waited before them waits no longer.
    void want(const std::vector<Formula>& formulas);
    // Null: not found yet, or there is a problem. What it points at stays.
    const Answer* find(const Formula& formula) const;
    // Why it cannot be found, as a sentence; empty: nothing is known of that.
    std::string problem(const Formula& formula) const;
    // Finds a formula; false: none waits. The thread's or, where there is none, its owner's.
    bool turn();

private:
    void work();

    Measurer measurer_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Formula> waiting_;
    std::map<std::string, Answer> found_;
    std::map<std::string, std::string> problems_;
    bool ending_ = false;
    LoopThread thread_; // last: it uses all of these
};

} // namespace lanescope::app
