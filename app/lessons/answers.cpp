// Evaluates one formula at a time on one core, since the window's work takes precedence.
#include "app/lessons/answers.h"

#include <algorithm>
#include <exception>

#include "compute/device/device.h"

namespace lanescope::app {

Answers::Answers() : measurer_(1), thread_([this] { work(); }) {}

Answers::~Answers()
{
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    measurer_.cancel();
    changed_.notify_all();
    thread_.join();
}

void Answers::want(const std::vector<Formula>& formulas)
{
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    for (const Formula& formula : formulas)
        if (!found_.contains(formula.key()) && !problems_.contains(formula.key()))
            waiting_.push_back(formula);
    if (!waiting_.empty()) changed_.notify_all();
}

const Answer* Answers::find(const Formula& formula) const
{
    const std::scoped_lock lock(mutex_);
    const auto found = found_.find(formula.key());
    return found == found_.end() ? nullptr : &found->second;
}

std::string Answers::problem(const Formula& formula) const
{
    const std::scoped_lock lock(mutex_);
    const auto found = problems_.find(formula.key());
    return found == problems_.end() ? std::string() : found->second;
}

void Answers::work()
{
    for (;;) {
        if (turn()) continue;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
    }
}

bool Answers::turn()
{
    Formula next;
    {
        const std::scoped_lock lock(mutex_);
        if (ending_ || waiting_.empty()) return false;
        next = std::move(waiting_.front());
        waiting_.pop_front();
        if (found_.contains(next.key()) || problems_.contains(next.key())) return true;
    }
    Answer answer;
    std::string problem;
    try {
        answer = measurer_.find(next);
    } catch (const device::Cancelled&) {
        return false;
    } catch (const std::exception& error) {
        problem = error.what();
    }
    const std::scoped_lock lock(mutex_);
    if (problem.empty())
        found_.emplace(next.key(), std::move(answer));
    else
        problems_.emplace(next.key(), std::move(problem));
    return true;
}

} // namespace lanescope::app
