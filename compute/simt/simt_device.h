// The lockstep machine as a device: memory, images and launches on the cores of this computer.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "compute/device/shaped_image.h"
#include "compute/simt/machine/options.h"

namespace lanescope::simt {

struct LaunchState;
class Images;
class Memory;
class Pool;
class SimtKernel;

class SimtDevice : public device::Device, public device::ShapedImages {
public:
    explicit SimtDevice(const Options& options);
    ~SimtDevice() override;

    // Buffers and images over memory of the host (mapped GL memory): kernels read and write it in
    // place. It must outlive the object returned. Images are tightly packed rows.
    std::unique_ptr<device::Buffer> adopt(std::span<std::byte> host);
    std::unique_ptr<device::Image> adopt_image(std::span<std::byte> host, int width, int height,
                                               device::Format format);
    // Where printf in kernels goes; standard output unless set.
    void set_printer(std::function<void(std::string_view)> print);

    const Options& options() const { return options_; }
    // What a launch would run with, for stepping through it. Throws LaunchError like launch().
    LaunchState prepare(const device::Kernel& kernel, const device::Launch& launch);

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
    void launch(const device::Kernel& kernel, const device::Launch& launch) override;
    void synchronize() override {}
    std::unique_ptr<device::Timer> timer() override { return nullptr; }

private:
    device::Address grid_sync_words();

    Options options_;
    device::Properties properties_;
    std::unique_ptr<Memory> memory_;
    device::Address grid_sync_ = 0; // 0: no launch has needed it yet
    std::unique_ptr<Images> images_;
    std::unique_ptr<Pool> pool_;
    std::function<void(std::string_view)> print_;
};

std::unique_ptr<SimtDevice> make_device(const Options& options = {});

} // namespace lanescope::simt
