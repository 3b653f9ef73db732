// Counts a step of every variant of a lab beside the experiment, so that each can be compared with
// the others before it was shown: on a lockstep machine of its own, on one thread that gives way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "app/run/editing/trial.h"
#include "app/run/frame.h"
#include "compute/labs/lab.h"
#include "compute/threads.h"

namespace lanescope::app {

class VariantCounter {
public:
    // What is counted: every variant that simt can run and that ends, from the first step on.
    struct Subject {
        const labs::Lab* lab = nullptr; // null: nothing
        TrialStart start{};
        friend bool operator==(const Subject&, const Subject&) = default;
    };
    // In which all variants are to be counted at the values that are shown. What would take longer
    // than its share is counted at the lab's largest test size.
    static constexpr std::chrono::milliseconds usual_budget{has_threads ? 6000 : 400};
    // How long a subject stays the same before it is counted: a slider may be moving.
    static constexpr std::chrono::milliseconds usually_settles{400};

    explicit VariantCounter(std::chrono::milliseconds budget = usual_budget,
                            std::chrono::milliseconds settles = usually_settles)
        : budget_(budget), settles_(settles)
    {
    }
    ~VariantCounter();
    VariantCounter(const VariantCounter&) = delete;
    VariantCounter& operator=(const VariantCounter&) = delete;

    // Begins afresh where it is another one; what runs is given up.
    void follow(Subject subject);
    // The counts of the subject so far, by variant, where there are more of them than at the last
    // call; else null.
    std::shared_ptr<const AllCountedInBackground> take();
    bool goes_on() const; // more may come

private:
    void run();
    void turn(); // counts a variant, if one is to be counted
    void count(const Subject& subject, std::uint64_t number, const labs::Variant& variant,
               std::chrono::milliseconds limit);

    std::chrono::milliseconds budget_;
    std::chrono::milliseconds settles_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Subject subject_{};
    std::uint64_t number_ = 0;                    // of the subject: rises with each
    std::uint64_t done_ = 0;                      // the number of the last that was counted whole
    std::chrono::steady_clock::time_point asked_; // when there was the subject
    bool quits_ = false;
    AllCountedInBackground counts_{};
    bool is_news_ = false;
    Trials* trials_ = nullptr; // under way
    // The counting's own.
    std::uint64_t begun_ = 0; // the number of whose variants these are
    std::deque<const labs::Variant*> waiting_;
    double ends_s_ = 0; // by thread_seconds() of who counts
    LoopThread thread_; // last: it uses all of the above
};

} // namespace lanescope::app
