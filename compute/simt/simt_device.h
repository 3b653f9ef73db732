// The lockstep machine as a device: memory, images and launches, executed on this computer's cores.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "compute/device/group.h"
#include "compute/device/shaped_image.h"
#include "compute/device/tensor_maps.h"
#include "compute/simt/machine/state/options.h"

namespace lanescope::caches {
class Recordings;
}

namespace lanescope::simt {

struct DeviceLaunch;
struct DeviceLaunches;
struct LaunchState;
class Images;
class Memory;
class Pool;
class SimtKernel;

class SimtDevice : public device::Device,
                   public device::ShapedImages,
                   public device::TensorMaps,
                   public device::Several {
public:
    explicit SimtDevice(const Options& options);
    ~SimtDevice() override;

    // Buffers and images over host memory (mapped GL memory), which kernels access in place. The
    // host memory must outlive the returned object. Images are tightly packed rows.
    std::unique_ptr<device::Buffer> adopt(std::span<std::byte> host);
    std::unique_ptr<device::Image> adopt_image(std::span<std::byte> host, int width, int height,
                                               device::Format format);
    // Same, with rows that are `pitch_bytes` apart. Not for surfaces.
    std::unique_ptr<device::Image> adopt_pitched(std::span<std::byte> host, int width, int height,
                                                 std::size_t pitch_bytes, device::Format format);
    // One mip level, which kernels and copies access in place. `image` must outlive it.
    std::unique_ptr<device::Image> adopt_level(const device::Image& image, int level);
    // Same as adopt(), at an address chosen by the caller, which must not be in use.
    std::unique_ptr<device::Buffer> adopt_at(device::Address address, std::span<std::byte> host);
    // Host bytes of a memory range, valid until it is freed. Throws LaunchError if the range is not
    // inside one allocation.
    std::span<std::byte> bytes(device::Address address, std::size_t bytes);
    // Size of the heap from which kernels allocate with malloc.
    void set_heap_limit(std::size_t bytes);
    // Marks bytes as initialised that were stored without using this interface.
    void mark_written(device::Address address, std::size_t bytes);
    // True if anything was ever stored in the allocation that contains the address; always true if
    // uninitialised reads are not checked.
    bool any_written(device::Address address) const;
    // Unwritten bytes of a range, in runs of more than `ignored` bytes that do not look like
    // padding of structs; none if uninitialised reads are not checked.
    struct Unwritten {
        device::Address begin = 0, end = 0; // start of the first run and end of the last
        std::size_t bytes = 0;
    };
    Unwritten unwritten(device::Address address, std::size_t bytes, std::size_t ignored) const;
    // Receives the output of printf in kernels; the default is standard output.
    void set_printer(std::function<void(std::string_view)> print);

    // Records the accesses of every traced launch from now on. Null ends the recording.
    void record_accesses(caches::Recordings* to) { recordings_ = to; }

    const Options& options() const { return options_; }
    // State of a launch, for stepping through it. Throws LaunchError like launch().
    LaunchState prepare(const device::Kernel& kernel, const device::Launch& launch);
    // Runs a prepared launch, without the launches that it requests. Throws like launch().
    void run(LaunchState& state, trace::Trace* trace);
    // Work requested by a completed launch: child_kernel() and child_launch() return the kernel and
    // the arguments of a device-side launch; run_memory_work() executes a copy or fill.
    const device::Kernel& child_kernel(const device::Kernel& parent, const DeviceLaunch& child);
    device::Launch child_launch(const device::Kernel& kernel, const DeviceLaunch& child);
    void run_memory_work(const DeviceLaunch& child);
    // Saves and restores the contents of all live memory, surfaces and the kernels' heap, to undo
    // launches. Allocations and frees by the host in between stay in effect.
    class Snapshot {
    public:
        virtual ~Snapshot() = default;
    };
    std::unique_ptr<Snapshot> snapshot();
    void restore(const Snapshot& snapshot);

    device::Engine engine() const override { return device::Engine::simt; }
    const device::Properties& properties() const override { return properties_; }
    std::unique_ptr<device::Buffer> allocate(std::size_t bytes) override;
    std::unique_ptr<device::Image> allocate_image(int width, int height, int depth,
                                                  device::Format format) override;
    std::unique_ptr<device::Image> allocate_shaped(const device::ImageShape& shape,
                                                   device::Format format) override;
    std::unique_ptr<device::Texture> texture(const device::Image& image,
                                             const device::Sampling& sampling) override;
    std::unique_ptr<device::Texture> shaped_texture(const device::Image& image,
                                                    const device::Sampling& sampling,
                                                    device::Filter between_levels) override;
    device::TensorMapBytes tensor_map(const device::TensorBox& box) override;
    void upload(device::Address to, std::span<const std::byte> from) override;
    void download(std::span<std::byte> to, device::Address from) override;
    void upload(const device::Image& to, std::span<const std::byte> from) override;
    void download(std::span<std::byte> to, const device::Image& from) override;
    void copy(device::Address to, device::Address from, std::size_t bytes) override;
    void copy(const device::Image& to, device::Address from) override;
    void fill(device::Address to, std::uint8_t value, std::size_t bytes) override;
    std::unique_ptr<device::Module> load(std::string_view ptx) override;
    std::unique_ptr<device::Module> load_parsed(ptx::Module module);
    void launch(const device::Kernel& kernel, const device::Launch& launch) override;
    void synchronize() override {}
    std::unique_ptr<device::Timer> timer() override { return nullptr; }

    // Simulates any number of devices with separate memories; kernels can't
    // access the memory of other devices.
    int count() const override;
    std::unique_ptr<device::Device> beside(int number) override;
    std::string words(int devices) const override;

protected:
    // Origin of a launch: the host, or a thread of a kernel.
    struct LaunchOrigin {
        const DeviceLaunch* by = nullptr;
        std::string_view parent{};
        int depth = 0;
    };
    // Runs one grid, launched by the host or the device. Returns its own requests; null if there
    // are none. Throws like launch().
    virtual std::shared_ptr<DeviceLaunches>
    run_one(const device::Kernel& kernel, const device::Launch& launch, const LaunchOrigin& asked);

private:
    SimtDevice(const Options& options, int number, const SimtDevice* first);
    device::Address grid_sync_words();
    // Calls run_one(); faults then name the origin.
    std::shared_ptr<DeviceLaunches> run_with_origin(const device::Kernel& kernel,
                                                    const device::Launch& launch,
                                                    const LaunchOrigin& asked);

    Options options_;
    device::Properties properties_;
    const SimtDevice* first_; // the device whose beside() created this one, or null
    int devices_ = 1;         // number of simulated devices
    std::unique_ptr<Memory> memory_;
    device::Address grid_sync_ = 0; // 0: not needed yet
    std::uint64_t grid_ids_ = 0;    // device-side launches since the last host launch
    std::unique_ptr<Images> images_;
    std::unique_ptr<Pool> pool_;
    std::function<void(std::string_view)> print_;
    caches::Recordings* recordings_ = nullptr;
};

std::unique_ptr<SimtDevice> make_device(const Options& options = {});

} // namespace lanescope::simt
