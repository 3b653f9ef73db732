// The lockstep machine, except that traced launches run the probed kernel and return the probes'
// counts as the trace.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compute/ptx/probes/rewrite.h"
#include "compute/simt/simt_device.h"

namespace lanescope::probes {

class ProbingDevice : public device::Device, public device::TensorMaps {
public:
    explicit ProbingDevice(std::unique_ptr<simt::SimtDevice> machine) : machine_(std::move(machine))
    {
    }

    std::unique_ptr<device::Module> load(std::string_view ptx) override;
    void launch(const device::Kernel& kernel, const device::Launch& launch) override;

    device::Engine engine() const override { return machine_->engine(); }
    const device::Properties& properties() const override { return machine_->properties(); }
    std::unique_ptr<device::Buffer> allocate(std::size_t bytes) override
    {
        return machine_->allocate(bytes);
    }
    std::unique_ptr<device::Image> allocate_image(int width, int height, int depth,
                                                  device::Format format) override
    {
        return machine_->allocate_image(width, height, depth, format);
    }
    std::unique_ptr<device::Texture> texture(const device::Image& image,
                                             const device::Sampling& sampling) override
    {
        return machine_->texture(image, sampling);
    }
    device::TensorMapBytes tensor_map(const device::TensorBox& box) override
    {
        return machine_->tensor_map(box);
    }
    void upload(device::Address to, std::span<const std::byte> from) override
    {
        machine_->upload(to, from);
    }
    void download(std::span<std::byte> to, device::Address from) override
    {
        machine_->download(to, from);
    }
    void upload(const device::Image& to, std::span<const std::byte> from) override
    {
        machine_->upload(to, from);
    }
    void download(std::span<std::byte> to, const device::Image& from) override
    {
        machine_->download(to, from);
    }
    void copy(device::Address to, device::Address from, std::size_t bytes) override
    {
        machine_->copy(to, from, bytes);
    }
    void copy(const device::Image& to, device::Address from) override { machine_->copy(to, from); }
    void fill(device::Address to, std::uint8_t value, std::size_t bytes) override
    {
        machine_->fill(to, value, bytes);
    }
    void synchronize() override { machine_->synchronize(); }
    std::unique_ptr<device::Timer> timer() override { return nullptr; }
    void cancel() noexcept override { machine_->cancel(); }
    void resume() noexcept override { machine_->resume(); }

private:
    class LoadedModule;
    struct Build {
        ptx::Probed probed;
        std::unique_ptr<device::Module> module;
        std::vector<std::string> variables; // module variables that the plain module has, too
    };
    struct Origin {
        std::string text;
        const device::Module* module = nullptr;
    };
    const Build& build(const device::Kernel& kernel, const trace::Trace& wanted);
    // Copies the values of module variables, since plain and probed launches may alternate.
    void copy_variables(const Build& build, const device::Module& from, const device::Module& to);

    std::unique_ptr<simt::SimtDevice> machine_;
    std::map<const device::Kernel*, Origin> origins_; // text and module of each kernel
    std::map<std::string, Build> builds_;             // keyed by text and options
};

} // namespace lanescope::probes
