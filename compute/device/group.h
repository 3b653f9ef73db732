// Several devices that one program drives: memory and streams of each, and copies between them.
// They are real where the machine has as many; otherwise one device plays them all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compute/device/streams.h"

namespace lanescope::device {

// An engine that has, or can play, more devices than one implements Several beside Device.
class Several {
public:
    virtual ~Several() = default;
    virtual int count() const = 0; // with this one
    // Number 1 to count() - 1, with memory, kernels and streams of its own. This one must outlive
    // it; cancelling this one cancels it, too.
    virtual std::unique_ptr<Device> beside(int number) = 0;
    // How such a group is called on screen: "2 GPUs".
    virtual std::string words(int devices) const = 0;
};

// Devices from 0, which is the one that the group was made for. Work goes to one of a device's
// streams, from 0; the first that goes there after join() waits for all that came before.
class Group {
public:
    Group(Device& first, std::shared_ptr<Streams> streams)
        : first_(first), streams_(std::move(streams))
    {
    }

    // The devices that there are from now on; those that were there stay.
    void resize(int devices);
    int size() const { return size_; }
    // Whether all of them are the first one, which plays the others by streams of its own.
    bool played() const { return size_ > 1 && others_.empty(); }
    // "2 GPUs", "2 devices simulated on one GPU"; empty of one.
    std::string words() const;

    // The place among devices that are not the same: 0 of those that the first one plays.
    int own(int number) const { return played() ? 0 : number; }
    Device& device(int number);
    Streams& streams(int number);

    // Launches of device(number) and copies of streams(number) go to that stream from now on.
    void use(int number, int stream);
    // What is queued from now on where use() said last waits for that stream.
    void wait_for(int number, int stream);
    // Queued where use() said last: from memory of that device to memory of another one.
    void copy(int to, Address to_address, Address from_address, std::size_t bytes);
    // Stream 0 of the first device waits for everything, and is used again.
    void join();
    // The host waits for everything.
    void synchronize();

private:
    struct Other {
        std::unique_ptr<Device> device;
        std::shared_ptr<Streams> streams;
        bool used = false; // since the last join
    };
    int stream_number(int number, int stream) const;

    Device& first_;
    std::shared_ptr<Streams> streams_;
    std::vector<Other> others_;
    int size_ = 1;
    int current_ = 0; // device
};

} // namespace lanescope::device
