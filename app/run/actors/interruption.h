// Work of an actor on a device that can be cancelled: a step, a comparison, an opening.
#pragma once

#include "app/run/actors/shared_state.h"
#include "compute/device/device.h"

namespace lanescope::app {

enum class Part { none, leader, comparison, opening };

class Interruption {
public:
    explicit Interruption(SharedState& shared_state) : shared_state_(shared_state) {}

    // Cancels the running work, if any; with `part`, only if `part` is running.
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

    // Outcome of cancellable work; `before` if it did not start.
    enum class Ended { whole, cancelled, before };
    // Called by the actor. Runs `action` on the device, unless wanted(held) has become false.
    // Rethrows its exceptions, except those that a cancel causes.
    template <class IsWanted, class Action>
    Ended run(Part part, device::Device& device, IsWanted&& wanted, Action&& action)
    {
        {
            const Held held(shared_state_.mutex);
            if (!wanted(held)) return Ended::before;
            part_ = part;
            device_ = &device;
        }
        try {
            action();
        } catch (...) {
            if (leave()) return Ended::cancelled;
            throw;
        }
        leave();
        return Ended::whole;
    }

private:
    bool leave() // returns true if the work was cancelled
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
    bool cancelled_ = false; // the device needs resume()
};

} // namespace lanescope::app
