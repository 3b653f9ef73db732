// An engine that executes everything in order has nothing to wait for.
#include "compute/device/streams.h"

namespace lanescope::device {
namespace {

class PageableMemory : public HostMemory {
public:
    explicit PageableMemory(std::size_t bytes) : bytes_(bytes) {}
    std::span<std::byte> bytes() override { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class InOrder : public Streams {
public:
    explicit InOrder(Device& device) : device_(device) {}
    std::unique_ptr<HostMemory> allocate_host(std::size_t bytes, bool /*pinned*/) override
    {
        return pageable_memory(bytes);
    }
    void copy_in(Address to, std::span<const std::byte> from) override { device_.upload(to, from); }
    void copy_out(std::span<std::byte> to, Address from) override { device_.download(to, from); }
    void use_stream(int /*number*/) override {}
    void join_streams() override {}
    void wait_for(Streams& /*other*/, int /*number*/) override {}
    void copy_to(Device& other, Address to, Address from, std::size_t bytes) override
    {
        std::vector<std::byte> between(bytes);
        device_.download(between, from);
        other.upload(to, between);
    }
    std::unique_ptr<Marks> marks() override { return nullptr; }

private:
    Device& device_;
};

} // namespace

std::shared_ptr<Streams> streams_of(Device& device)
{
    if (auto* own = dynamic_cast<Streams*>(&device)) return {std::shared_ptr<void>(), own};
    return std::make_shared<InOrder>(device);
}

std::unique_ptr<HostMemory> pageable_memory(std::size_t bytes)
{
    return std::make_unique<PageableMemory>(bytes);
}

} // namespace lanescope::device
