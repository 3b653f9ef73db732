// The lockstep machine as a device: memory, images and launches on the cores of this computer.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "compute/device/group.h"
#include "compute/device/shaped_image.h"
#include "compute/simt/machine/options.h"

namespace lanescope::simt {

struct DeviceLaunch;
struct DeviceLaunches;
struct LaunchState;
class Images;
class Memory;
class Pool;
class SimtKernel;

class SimtDevice : public device::Device, public device::ShapedImages, public device::Several {
public:
    explicit SimtDevice(const Options& options);
    ~SimtDevice() override;

    // Buffers and images over memory of the host (mapped GL memory): kernels read and write it in
    // place. It must outlive the object returned. Images are tightly packed rows.
    std::unique_ptr<device::Buffer> adopt(std::span<std::byte> host);
    std::unique_ptr<device::Image> adopt_image(std::span<std::byte> host, int width, int height,
                                               device::Format format);
    // The same at an address of the caller's choice, which is no other's.
    std::unique_ptr<device::Buffer> adopt_at(device::Address address, std::span<std::byte> host);
    // The bytes of a range of memory, which stay where they are as long as it lives. Throws
    // LaunchError when it is not inside one allocation.
    std::span<std::byte> bytes(device::Address address, std::size_t bytes);
    // What was stored there past this interface counts as initialised.
    void mark_written(device::Address address, std::size_t bytes);
    // Whether anything has ever been stored in the allocation that holds the address; where
    // uninitialised reads are not watched, everything counts as stored.
    bool any_written(device::Address address) const;
    // Where printf in kernels goes; standard output unless set.
    void set_printer(std::function<void(std::string_view)> print);

    const Options& options() const { return options_; }
    // What a launch would run with, for stepping through it. Throws LaunchError like launch().
    LaunchState prepare(const device::Kernel& kernel, const device::Launch& launch);
    // Runs what prepare() gave, and no launches that it asks for. Throws as launch() does.
    void run(LaunchState& state, trace::Trace* trace);
    // What a launch that has run asked for: of a kernel, which one; of a copy or fill, does it.
    const device::Kernel& child_kernel(const device::Kernel& parent, const DeviceLaunch& child);
    device::Launch child_launch(const device::Kernel& kernel, const DeviceLaunch& child);
    void run_memory_work(const DeviceLaunch& child);
    // All live memory and surfaces as they are now, and back to that: what a launch did is undone.
    // Kernels' heap included; what was allocated or released by the host since then stays so.
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

    // It plays as many as are wanted, each with memory of its own: a kernel reaches no other's.
    int count() const override;
    std::unique_ptr<device::Device> beside(int number) override;
    std::string words(int devices) const override;

protected:
    // Who asked for a launch: the host, or a thread of a kernel.
    struct Asked {
        const DeviceLaunch* by = nullptr;
        std::string_view parent{};
        int depth = 0;
    };
    // Runs one grid, of the host's launch or of one from the device, and gives what it asked for in
    // turn; null: nothing. Throws as launch() does.
    virtual std::shared_ptr<DeviceLaunches>
    run_one(const device::Kernel& kernel, const device::Launch& launch, const Asked& asked);

private:
    SimtDevice(const Options& options, int number, const SimtDevice* first);
    device::Address grid_sync_words();
    // run_one() with faults that say who asked.
    std::shared_ptr<DeviceLaunches> run_asked(const device::Kernel& kernel,
                                              const device::Launch& launch, const Asked& asked);

    Options options_;
    device::Properties properties_;
    const SimtDevice* first_; // whom beside() was asked, if this came from there
    int devices_ = 1;         // beside each other
    std::unique_ptr<Memory> memory_;
    device::Address grid_sync_ = 0; // 0: no launch has needed it yet
    std::uint64_t grid_ids_ = 0;    // launches from the device since the host's last one
    std::unique_ptr<Images> images_;
    std::unique_ptr<Pool> pool_;
    std::function<void(std::string_view)> print_;
};

std::unique_ptr<SimtDevice> make_device(const Options& options = {});

} // namespace lanescope::simt
