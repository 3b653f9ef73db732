// Errands wait in a queue until the thread that OpenGL belongs to comes by.
#include "render/shared/errands.h"

#include <future>
#include <utility>

namespace lanescope::render {

Errands::Errands(std::function<void()> arrived) : arrived_(std::move(arrived)) {}

Errands::~Errands()
{
    serve();
}

void Errands::add(Errand errand)
{
    {
        const std::scoped_lock lock(mutex_);
        waiting_.push_back(std::move(errand));
    }
    if (arrived_) arrived_();
}

void Errands::run(const std::function<void()>& errand)
{
    if (at_home()) {
        errand();
        return;
    }
    const auto task = std::make_shared<std::packaged_task<void()>>(errand);
    std::future<void> done = task->get_future();
    add({[task] { (*task)(); }});
    done.get();
}

void Errands::leave(std::shared_ptr<void> held)
{
    if (at_home()) return; // dropped here and now
    add({[held = std::move(held)]() mutable { held.reset(); }, true});
}

Errands::Batch Errands::take(bool leavings)
{
    const std::scoped_lock lock(mutex_);
    Batch due;
    while (!waiting_.empty() && (leavings || !waiting_.front().destroys)) {
        due.push_back(std::move(waiting_.front().run));
        waiting_.pop_front();
    }
    return due;
}

bool Errands::has_more() const
{
    const std::scoped_lock lock(mutex_);
    return !waiting_.empty();
}

void Errands::serve()
{
    for (auto& errand : take()) errand();
}

} // namespace lanescope::render
