// A small device with the kernels of one test file, and memory filled from vectors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assets/assets.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

class Machine {
public:
    // `kernels`: "flow" for tests/unit/simt/kernels/flow.cu.
    explicit Machine(std::string_view kernels, const Options& options = {})
        : device_(make_device(options)),
          module_(device_->load(
              *assets::find("tests/unit/simt/kernels/" + std::string(kernels) + ".ptx")))
    {
    }
    static Machine from_text(std::string_view ptx, const Options& options = {})
    {
        return Machine(Text{ptx}, options);
    }

    template <class T>
    std::unique_ptr<device::Buffer> buffer(const std::vector<T>& values)
    {
        auto made = device_->allocate(values.size() * sizeof(T));
        device::upload<T>(*device_, made->address(), values);
        return made;
    }
    template <class T>
    std::vector<T> values(const device::Buffer& buffer)
    {
        return device::download<T>(*device_, buffer.address(), buffer.bytes() / sizeof(T));
    }

    struct Shape {
        Dim3 grid{1, 1, 1};
        Dim3 block{32, 1, 1};
        std::uint32_t shared = 0;
        std::optional<Dim3> cluster{};
    };
    template <class... Arguments>
    void run(std::string_view kernel, const Shape& shape, const Arguments&... arguments)
    {
        run_traced(nullptr, kernel, shape, arguments...);
    }
    template <class... Arguments>
    void run_traced(trace::Trace* trace, std::string_view kernel, const Shape& shape,
                    const Arguments&... arguments)
    {
        device::Launch launch{
            shape.grid, shape.block, shape.shared, {device::Argument(arguments)...}, trace};
        launch.cluster = shape.cluster;
        device_->launch(module_->kernel(kernel), launch);
    }
    // Returns the launch's fault; kind "none" if it completes.
    template <class... Arguments>
    trace::Fault fault(std::string_view kernel, const Shape& shape, const Arguments&... arguments)
    {
        try {
            run(kernel, shape, arguments...);
        } catch (const device::KernelFault& fault) {
            return fault.fault();
        }
        trace::Fault none;
        none.kind = "none";
        return none;
    }

    SimtDevice& device() { return *device_; }
    device::Module& module() { return *module_; }

private:
    struct Text {
        std::string_view ptx;
    };
    Machine(Text text, const Options& options)
        : device_(make_device(options)), module_(device_->load(text.ptx))
    {
    }

    std::unique_ptr<SimtDevice> device_;
    std::unique_ptr<device::Module> module_;
};

// Pseudo-random integers, the same on every run.
inline std::vector<int> numbers(std::size_t count, int below, std::uint32_t seed = 1)
{
    std::vector<int> values(count);
    for (int& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(below));
    }
    return values;
}

} // namespace lanescope::simt
