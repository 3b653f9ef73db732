// Runs a case on a device, and compares outputs element by element.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/device/device.h"
#include "tests/conformance/case.h"

namespace lanescope::conformance {

namespace {

std::string_view ptx_of(const Case& test)
{
    if (!test.ptx.empty()) return test.ptx;
    std::string path = test.source;
    if (path.ends_with(".cu")) path.replace(path.size() - 3, 3, ".ptx");
    const auto text = assets::find(path);
    if (!text) throw std::runtime_error("This program does not carry " + path + ".");
    return *text;
}

int size_of(Element element)
{
    switch (element) {
    case Element::f16:
    case Element::bf16: return 2;
    case Element::f32: return 4;
    case Element::f64: return 8;
    case Element::bits: return 4;
    }
    return 4;
}

double from_half(std::uint64_t bits)
{
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = static_cast<double>(bits & 1023);
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return exponent == 0 ? sign * std::ldexp(fraction, -24)
                         : sign * std::ldexp(fraction + 1024, exponent - 25);
}

double value_of(std::uint64_t bits, Element element)
{
    switch (element) {
    case Element::f16: return from_half(bits);
    case Element::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    case Element::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
    }
}

// Distance between neighbouring f32 values near x.
double ulp_of(double x)
{
    const int exponent = std::max(std::ilogb(x == 0 ? 1e-300 : x), -126);
    return std::ldexp(1.0, exponent - 23);
}

// Distance between subnormal values: a lower bound for relative tolerances.
double smallest_of(Element element)
{
    switch (element) {
    case Element::f16: return std::ldexp(1.0, -24);
    case Element::bf16: return std::ldexp(1.0, -133);
    case Element::f32: return std::ldexp(1.0, -149);
    default: return std::ldexp(1.0, -1074);
    }
}

bool agrees(std::uint64_t got, std::uint64_t want, const Output& output)
{
    if (got == want) return true;
    if (output.tolerance.kind == Tolerance::Kind::exact || output.element == Element::bits)
        return false;
    const double g = value_of(got, output.element);
    const double w = value_of(want, output.element);
    if (std::isnan(g) || std::isnan(w)) return std::isnan(g) && std::isnan(w);
    if (std::isinf(g) || std::isinf(w)) return g == w;
    if (output.tolerance.kind == Tolerance::Kind::any_nan) return false;
    const double error = std::abs(g - w);
    switch (output.tolerance.kind) {
    case Tolerance::Kind::ulps: return error <= output.tolerance.bound * ulp_of(w);
    case Tolerance::Kind::relative:
        return error <= output.tolerance.bound * std::abs(w) ||
               error <= smallest_of(output.element);
    default:
        return error <= output.tolerance.bound || error <= output.tolerance.bound * std::abs(w);
    }
}

std::uint64_t element_at(const Bytes& bytes, std::size_t index, int size)
{
    std::uint64_t value = 0;
    const std::size_t offset = index * static_cast<std::size_t>(size);
    std::memcpy(&value, bytes.data() + offset, std::min<std::size_t>(size, bytes.size() - offset));
    return value;
}

// Describes the thread's inputs; empty unless the case has one value of each input per thread.
std::string inputs_of(const Case& test, std::size_t index, std::size_t count)
{
    std::string text;
    for (const Bytes& input : test.inputs) {
        if (input.size() % count != 0) return {};
        const int size = static_cast<int>(input.size() / count);
        if (size > 8) return {};
        text +=
            fmt::format("{}{:#x}", text.empty() ? " for " : ", ", element_at(input, index, size));
    }
    return text;
}

} // namespace

std::vector<Bytes> run(device::Device& device, const Case& test, trace::Trace* trace)
{
    const auto module = device.load(ptx_of(test));
    device::Launch launch;
    launch.trace = trace;
    launch.grid = test.grid;
    launch.block = test.block;
    launch.dynamic_shared_bytes = test.dynamic_shared_bytes;
    std::vector<std::unique_ptr<device::Buffer>> buffers;
    std::vector<std::unique_ptr<device::Image>> images;
    std::vector<std::unique_ptr<device::Texture>> textures;
    for (const Output& output : test.outputs) {
        buffers.push_back(device.allocate(output.bytes));
        device.fill(buffers.back()->address(), 0, output.bytes);
        launch.arguments.emplace_back(*buffers.back());
    }
    for (const Bytes& input : test.inputs) {
        buffers.push_back(device.allocate(std::max<std::size_t>(input.size(), 1)));
        device.upload(buffers.back()->address(), input);
        launch.arguments.emplace_back(*buffers.back());
    }
    for (const ImageInput& input : test.images) {
        auto& shaped = dynamic_cast<device::ShapedImages&>(device);
        images.push_back(shaped.allocate_shaped(input.shape, input.format));
        device.upload(*images.back(), input.texels);
        if (input.is_surface) {
            launch.arguments.emplace_back(images.back()->surface());
        } else {
            textures.push_back(
                shaped.shaped_texture(*images.back(), input.sampling, input.between_levels));
            launch.arguments.emplace_back(textures.back()->handle());
        }
    }
    for (const device::Argument& scalar : test.scalars) launch.arguments.push_back(scalar);
    device.launch(module->kernel(test.kernel), launch);
    device.synchronize();
    std::vector<Bytes> results;
    for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        results.emplace_back(test.outputs[i].bytes);
        device.download(results.back(), buffers[i]->address());
    }
    return results;
}

std::string difference(const Case& test, const std::vector<Bytes>& got,
                       const std::vector<Bytes>& want)
{
    if (got.size() != want.size())
        return fmt::format("{} outputs, {} recorded", got.size(), want.size());
    std::string text;
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        const Output& output = test.outputs[k];
        if (got[k].size() != want[k].size())
            return fmt::format("output {}: {} bytes, {} recorded", k, got[k].size(),
                               want[k].size());
        const std::uint64_t threads = test.grid.count() * test.block.count();
        const bool one_per_thread = got[k].size() % threads == 0 && got[k].size() / threads <= 8;
        const int size = one_per_thread && output.element == Element::bits
                             ? static_cast<int>(got[k].size() / threads)
                             : size_of(output.element);
        const std::size_t count = (got[k].size() + size - 1) / size;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t g = element_at(got[k], i, size);
            const std::uint64_t w = element_at(want[k], i, size);
            if (agrees(g, w, output)) continue;
            if (++wrong <= 6)
                text += fmt::format("\n  output {}[{}]: {:#0{}x}, recorded {:#0{}x}{}", k, i, g,
                                    2 * size + 2, w, 2 * size + 2, inputs_of(test, i, count));
        }
    }
    return wrong == 0
               ? ""
               : fmt::format("{}/{}: {} elements differ{}", test.group, test.name, wrong, text);
}

} // namespace lanescope::conformance
