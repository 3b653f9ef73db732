// What an actor does on a device and can be made to leave: a step, a comparison, an opening.
#pragma once

#include "app/run/actors/shared_state.h"
#include "compute/device/device.h"

namespace lanescope::app {

enum class Part { none, leader, comparison, opening };

class Interruption {
public:
    explicit Interruption(SharedState& shared_state) : shared_state_(shared_state) {}

    // What runs, if anything does; or only that part.
    void cancel(const Held&)
    {
        if (part_ == Part::none) return;
        device_->cancel();
        cancelled_ = true;
    }
    void cancel(const Held& held, Part part)
    {
        if (part_ == part) cancel(held);
    }

    // What became of work that can be cancelled: it may not even have begun.
    enum class Ended { whole, cancelled, before };
    // By the actor: does `what` on the device, unless it is not `wanted(held)` any more. Throws
    // what it throws, but for what a cancel made it throw.
    template <class IsWanted, class Do>
    Ended run(Part part, device::Device& device, IsWanted&& wanted, Do&& what)
    {
        {
            const Held held(shared_state_.mutex);
            if (!wanted(held)) return Ended::before;
            part_ = part;
            device_ = &device;
        }
        try {
            what();
        } catch (...) {
            if (leave()) return Ended::cancelled;
            throw;
        }
        leave();
        return Ended::whole;
    }

private:
    bool leave() // whether it was cancelled
    {
        const Held held(shared_state_.mutex);
        part_ = Part::none;
        device::Device* const device = std::exchange(device_, nullptr);
        if (!cancelled_) return false;
        device->resume();
        cancelled_ = false;
        return true;
    }

    SharedState& shared_state_;
    Part part_ = Part::none;
    device::Device* device_ = nullptr;
    bool cancelled_ = false; // resume() is due
};

} // namespace lanescope::app
