// See distant.h. What is given out owns the shared memory through a deleter that knows the way
// home.
#include "render/shared/distant.h"

#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "render/shared/sharing.h"
#include "render/shared/wrapped_image.h"

namespace lanescope::render {

class DistantAllocator::Home {
public:
    explicit Home(Sharing& sharing) : sharing_(sharing) {}

    // Runs `errand` on the owner's thread and returns when it is done.
    template <class Errand>
    void run(Errand&& errand)
    {
        if (at_home()) {
            errand(sharing_);
            return;
        }
        std::packaged_task<void()> task([&] { errand(sharing_); });
        std::future<void> done = task.get_future();
        {
            const std::scoped_lock lock(mutex_);
            errands_.push_back(std::move(task));
        }
        done.get();
    }

    template <class Memory>
    void bury(Memory* memory)
    {
        std::shared_ptr<void> held(memory);
        if (at_home()) return;
        const std::scoped_lock lock(mutex_);
        buried_.push_back(std::move(held));
    }

    void serve()
    {
        std::deque<std::packaged_task<void()>> errands;
        std::vector<std::shared_ptr<void>> buried;
        {
            const std::scoped_lock lock(mutex_);
            errands.swap(errands_);
            buried.swap(buried_);
        }
        for (auto& errand : errands) errand();
    }

    // `memory`, destroyed at home whoever drops it.
    template <class Memory>
    static std::shared_ptr<Memory> keep(const std::shared_ptr<Home>& home,
                                        std::unique_ptr<Memory> memory)
    {
        return {memory.release(), [home](Memory* dropped) { home->bury(dropped); }};
    }

private:
    bool at_home() const { return std::this_thread::get_id() == owner_; }

    Sharing& sharing_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::mutex mutex_;
    std::deque<std::packaged_task<void()>> errands_;
    std::vector<std::shared_ptr<void>> buried_;
};

namespace {

class HomedBuffer final : public device::Buffer, public Backing {
public:
    explicit HomedBuffer(std::shared_ptr<device::Buffer> inner) : inner_(std::move(inner)) {}
    device::Address address() const override { return inner_->address(); }
    std::size_t bytes() const override { return inner_->bytes(); }
    GLuint gl_name() const override { return backing().gl_name(); }
    std::size_t backing_bytes() const override { return backing().backing_bytes(); }

private:
    const Backing& backing() const { return dynamic_cast<const Backing&>(*inner_); }
    std::shared_ptr<device::Buffer> inner_;
};

} // namespace

DistantAllocator::DistantAllocator(Sharing& sharing) : home_(std::make_shared<Home>(sharing)) {}

DistantAllocator::~DistantAllocator()
{
    serve();
}

std::unique_ptr<device::Buffer> DistantAllocator::buffer(std::size_t bytes)
{
    std::shared_ptr<device::Buffer> made;
    home_->run([&](Sharing& sharing) { made = Home::keep(home_, sharing.buffer(bytes)); });
    return std::make_unique<HomedBuffer>(std::move(made));
}

std::unique_ptr<device::Image> DistantAllocator::image(int width, int height, device::Format format)
{
    std::shared_ptr<device::Image> made;
    home_->run(
        [&](Sharing& sharing) { made = Home::keep(home_, sharing.image(width, height, format)); });
    return wrap_image(made, {made, &dynamic_cast<Backing&>(*made)});
}

void DistantAllocator::serve()
{
    home_->serve();
}

} // namespace lanescope::render
