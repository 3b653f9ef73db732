// Memory whose owner may be destroyed by another thread than the one that uses the device.
#pragma once

namespace lanescope::device {

class Retires {
public:
    virtual ~Retires() = default;
    // By the thread that uses the device: no kernel and no copy names this memory any more. What
    // destroys it later, on whatever thread, leaves the device alone.
    virtual void retire() = 0;
};

inline void retire(auto& memory)
{
    if (auto* const retires = dynamic_cast<Retires*>(&memory)) retires->retire();
}

} // namespace lanescope::device
