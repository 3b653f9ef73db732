// Memory whose owner may be destroyed on a different thread than the one that uses the device.
#pragma once

namespace lanescope::device {

class Retires {
public:
    virtual ~Retires() = default;
    // Called by the thread that uses the device once no kernel or copy refers to this memory.
    // Destruction, on any thread, then doesn't touch the device.
    virtual void retire() = 0;
};

inline void retire(auto& memory)
{
    if (auto* const retires = dynamic_cast<Retires*>(&memory)) retires->retire();
}

} // namespace lanescope::device
