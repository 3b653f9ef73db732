// Several devices driven by one program: memory and streams per device, and copies between them.
// The devices are real if the machine has enough; otherwise one device simulates all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compute/device/streams.h"

namespace lanescope::device {

// Implemented in addition to Device by engines that have, or can simulate, several devices.
class Several {
public:
    virtual ~Several() = default;
    virtual int count() const = 0; // including this one
    // Returns device `number`, from 1 to count() - 1, with its own memory, kernels and streams.
    // This device must outlive it, and cancelling this device cancels it too.
    virtual std::unique_ptr<Device> beside(int number) = 0;
    // Display name of a group of this many devices: "2 GPUs".
    virtual std::string words(int devices) const = 0;
};

// Devices are numbered from 0; device 0 is the one that the group was created for. Each device has
// streams from 0; the first work on a stream after join() waits for all earlier work.
class Group {
public:
    Group(Device& first, std::shared_ptr<Streams> streams)
        : first_(first), streams_(std::move(streams))
    {
    }

    // Sets the number of devices; existing ones are kept.
    void resize(int devices);
    int size() const { return size_; }
    // True if all devices are simulated on the first one, as separate streams.
    bool is_simulated() const { return size_ > 1 && others_.empty(); }
    // "2 GPUs", "2 devices simulated on one GPU"; empty for one device.
    std::string words() const;

    // Index among distinct devices: 0 if the device is simulated on the first one.
    int own(int number) const { return is_simulated() ? 0 : number; }
    Device& device(int number);
    Streams& streams(int number);

    // Directs subsequent launches of device(number) and copies of streams(number) to this stream.
    void use(int number, int stream);
    // Makes subsequent work on the stream selected by use() wait for
    // stream `stream` of device `number`.
    void wait_for(int number, int stream);
    // Queues a copy from the current device's memory to another device, on the stream selected by
    // use().
    void copy(int to, Address to_address, Address from_address, std::size_t bytes);
    // Makes stream 0 of the first device wait for everything, and selects it again.
    void join();
    // Blocks the host until everything has completed.
    void synchronize();

private:
    struct Other {
        std::unique_ptr<Device> device;
        std::shared_ptr<Streams> streams;
        bool used = false; // since the last join()
    };
    int stream_number(int number, int stream) const;

    Device& first_;
    std::shared_ptr<Streams> streams_;
    std::vector<Other> others_;
    int size_ = 1;
    int current_ = 0; // device index
};

} // namespace lanescope::device
