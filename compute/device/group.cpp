// All streams meet at the first device's own stream: they start after it,
// and it waits for them in join().
#include "compute/device/group.h"

#include <fmt/format.h>

namespace lanescope::device {
namespace {

constexpr int streams_per_device = 1024; // for devices simulated on one device

} // namespace

void Group::resize(int devices)
{
    if (devices == size_) return;
    join();
    auto* const several = dynamic_cast<Several*>(&first_);
    const bool real = several && devices > 1 && several->count() >= devices;
    others_.resize(real ? static_cast<std::size_t>(devices - 1) : 0);
    for (std::size_t i = 0; i < others_.size(); ++i) {
        if (others_[i].device) continue;
        others_[i].device = several->beside(static_cast<int>(i) + 1);
        others_[i].streams = streams_of(*others_[i].device);
    }
    size_ = devices;
    current_ = 0;
}

std::string Group::words() const
{
    if (size_ == 1) return {};
    if (!is_simulated()) return dynamic_cast<const Several&>(first_).words(size_);
    return fmt::format("{} devices simulated on one {}", size_,
                       first_.engine() == Engine::cuda ? "GPU" : "machine");
}

Device& Group::device(int number)
{
    const int own_number = own(number);
    return own_number == 0 ? first_ : *others_.at(static_cast<std::size_t>(own_number - 1)).device;
}

Streams& Group::streams(int number)
{
    const int own_number = own(number);
    return own_number == 0 ? *streams_
                           : *others_.at(static_cast<std::size_t>(own_number - 1)).streams;
}

int Group::stream_number(int number, int stream) const
{
    return 1 + stream + (is_simulated() ? streams_per_device * number : 0);
}

void Group::use(int number, int stream)
{
    current_ = number;
    if (const int own_number = own(number); own_number > 0) {
        Other& other = others_.at(static_cast<std::size_t>(own_number - 1));
        if (!other.used) {
            other.streams->use_stream(0);
            other.streams->wait_for(*streams_, 0);
            other.used = true;
        }
    }
    streams(number).use_stream(stream_number(number, stream));
}

void Group::wait_for(int number, int stream)
{
    streams(current_).wait_for(streams(number), stream_number(number, stream));
}

void Group::copy(int to, Address to_address, Address from_address, std::size_t bytes)
{
    streams(current_).copy_to(device(to), to_address, from_address, bytes);
}

void Group::join()
{
    streams_->join_streams();
    for (Other& other : others_) {
        if (!other.used) continue;
        other.streams->join_streams();
        streams_->wait_for(*other.streams, 0);
        other.used = false;
    }
    current_ = 0;
}

void Group::synchronize()
{
    join();
    first_.synchronize();
}

} // namespace lanescope::device
