// Tasks wait in a queue until the thread that owns the OpenGL context processes them.
#include "render/shared/gl_tasks.h"

#include <future>
#include <utility>

namespace lanescope::render {

GlTaskQueue::GlTaskQueue(std::function<void()> arrived) : arrived_(std::move(arrived)) {}

GlTaskQueue::~GlTaskQueue()
{
    process();
}

void GlTaskQueue::add(GlTask task)
{
    {
        const std::scoped_lock lock(mutex_);
        waiting_.push_back(std::move(task));
    }
    if (arrived_) arrived_();
}

void GlTaskQueue::run(const std::function<void()>& work)
{
    if (on_owner_thread()) {
        work();
        return;
    }
    const auto task = std::make_shared<std::packaged_task<void()>>(work);
    std::future<void> done = task->get_future();
    add({[task] { (*task)(); }});
    done.get();
}

void GlTaskQueue::destroy_later(std::shared_ptr<void> held)
{
    if (on_owner_thread()) return; // `held` is destroyed here
    add({[held = std::move(held)]() mutable { held.reset(); }, true});
}

GlTaskQueue::Batch GlTaskQueue::take(bool destructions)
{
    const std::scoped_lock lock(mutex_);
    Batch due;
    while (!waiting_.empty() && (destructions || !waiting_.front().destroys)) {
        due.push_back(std::move(waiting_.front().run));
        waiting_.pop_front();
    }
    return due;
}

bool GlTaskQueue::has_more() const
{
    const std::scoped_lock lock(mutex_);
    return !waiting_.empty();
}

void GlTaskQueue::process()
{
    for (auto& task : take()) task();
}

} // namespace lanescope::render
