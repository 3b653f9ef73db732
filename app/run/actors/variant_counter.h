// Counts a step of every variant of a lab in the background, then predicts its time on the
// simulated GPU, so that variants can be compared before they are shown: on its own lockstep
// machine, with one low-priority thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "app/run/editing/trial.h"
#include "app/run/frame/frame.h"
#include "compute/experiment/lab/lab.h"
#include "compute/threads.h"

namespace lanescope::app {

class VariantCounter {
public:
    // Variants to count: every one that simt can run and that terminates, from its first step on.
    struct Subject {
        const labs::Lab* lab = nullptr; // null: nothing to count
        TrialStart start{};
        friend bool operator==(const Subject&, const Subject&) = default;
    };
    // Time budget for counting all variants at the current values. A variant that would exceed its
    // share is counted at the lab's largest test size.
    static constexpr std::chrono::milliseconds default_budget{has_threads ? 6000 : 400};
    // How long a subject must be unchanged before it is counted: a slider may be moving.
    static constexpr std::chrono::milliseconds default_settle_time{400};

    explicit VariantCounter(std::chrono::milliseconds budget = default_budget,
                            std::chrono::milliseconds settle_time = default_settle_time,
                            bool predicts = true)
        : budget_(budget), settle_time_(settle_time), predicts_(predicts)
    {
    }
    ~VariantCounter();
    VariantCounter(const VariantCounter&) = delete;
    VariantCounter& operator=(const VariantCounter&) = delete;

    // Starts over if the subject changed, cancelling the count in progress.
    void follow(Subject subject);
    // Returns the counts by variant if there are more than at the last call; else null.
    std::shared_ptr<const AllCountedInBackground> take();
    bool continues() const; // true while more counts may come

private:
    void run();
    void turn(); // counts one variant, or predicts one, if any is due
    void begin(const Subject& subject);
    void predict(const Subject& subject, std::uint64_t number, const labs::Variant& variant);
    void publish(std::uint64_t number, const labs::Variant& variant,
                 const std::function<void(CountedInBackground&)>& change);
    template <class Run>
    auto in_trial(Trials& trials, std::uint64_t number, const Run& run);
    void count(const Subject& subject, std::uint64_t number, const labs::Variant& variant,
               std::chrono::milliseconds limit);

    std::chrono::milliseconds budget_;
    std::chrono::milliseconds settle_time_;
    bool predicts_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Subject subject_{};
    std::uint64_t number_ = 0;                        // incremented with each subject
    std::uint64_t done_ = 0;                          // number of the last fully counted subject
    std::chrono::steady_clock::time_point requested_; // when the subject was set
    bool quit_requested_ = false;
    AllCountedInBackground counts_{};
    bool has_new_counts_ = false;
    Trials* trials_ = nullptr; // counting in progress
    // Used by the counting thread only.
    std::uint64_t begun_ = 0;                      // number of the subject being counted
    std::deque<const labs::Variant*> waiting_;     // to be counted
    std::deque<const labs::Variant*> unpredicted_; // counted at the current values
    double ends_s_ = 0; // deadline, in thread_seconds() of the counting thread
    LoopThread thread_; // last member, because it uses all of the above
};

} // namespace lanescope::app
