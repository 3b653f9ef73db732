// Evaluates formulas on a background thread: the values that beats reveal and cards test. Each
// formula is evaluated once.
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
    ~Answers(); // cancels the evaluation in progress
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;

    // Requests these formulas, in this order; drops earlier requests that are still pending.
    void want(const std::vector<Formula>& formulas);
    // Returns null until the formula has been evaluated, and if that failed. The pointer stays
    // valid.
    const Answer* find(const Formula& formula) const;
    // Why the evaluation failed, as a sentence; empty if it has not.
    std::string problem(const Formula& formula) const;
    // Evaluates one pending formula; returns false if none is pending. Called by the thread or, in
    // a build without threads, by the owner.
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
    LoopThread thread_; // last member: the thread uses all the others
};

} // namespace lanescope::app
