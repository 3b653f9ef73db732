// Compares memory after each order byte by byte; floating-point results may differ in rounding.
#include "app/run/kernel/orders.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run/engine/engine.h"
#include "compute/device/formats.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

// Memory as a launch left it.
struct LeftMemory {
    std::string name;                 // "argument 2"
    const NumberType* type = nullptr; // of its elements; null: bytes
    Bytes bytes;
};
using RunIn = std::function<std::vector<LeftMemory>(const simt::Options& options)>;

// A sentence about the first element that differs; empty if none does.
std::string difference(const LeftMemory& usual, const LeftMemory& other)
{
    if (usual.bytes == other.bytes) return {};
    const NumberType& type = usual.type != nullptr ? *usual.type : *number_type("u8");
    std::size_t differing = 0, first = 0;
    const std::size_t count = usual.bytes.size() / type.bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * type.bytes;
        if (std::memcmp(&usual.bytes[at], &other.bytes[at], type.bytes) == 0) continue;
        if (differing++ == 0) first = i;
    }
    return fmt::format(
        "{} of {} {} of {} differ; the first is number {}: {} instead of {}.", grouped(differing),
        grouped(count), usual.type != nullptr ? "elements" : "bytes", usual.name, grouped(first),
        type.text(&other.bytes[first * type.bytes]), type.text(&usual.bytes[first * type.bytes]));
}

OrderReport compared(const RunIn& run, const Orders& orders, simt::Options options)
{
    options.checks = {};
    options.keep_going = 0;
    options.threads = 1; // the usual order is that of one core
    const std::vector<LeftMemory> usual = run(options);
    OrderReport report;
    for (; report.tried < orders.count; ++report.tried) {
        options.order = orders.first + static_cast<std::uint64_t>(report.tried);
        std::string how;
        try {
            const std::vector<LeftMemory> other = run(options);
            for (std::size_t i = 0; i < usual.size() && how.empty(); ++i)
                how = difference(usual[i], other[i]);
        } catch (const device::KernelFault& fault) {
            how = fault.what();
        }
        if (how.empty()) continue;
        if (report.different.empty()) report.how = std::move(how);
        report.different.push_back(options.order);
    }
    return report;
}

} // namespace

OrderReport try_orders(const KernelLaunch& launch, const Orders& orders,
                       const simt::Options& options)
{
    const auto run = [&](const simt::Options& in) {
        const OpenedEngine engine = open_engine("simt", in);
        KernelRun kernel(*engine.device, launch);
        kernel.launch(nullptr);
        std::vector<LeftMemory> left;
        const auto add = [&](const std::string& name, const std::string& called,
                             const Value& value) {
            if (value.kind == Value::Kind::buffer || value.kind == Value::Kind::surface)
                left.push_back({called, value.type, kernel.contents(name)});
        };
        for (std::size_t i = 0; i < launch.arguments.size(); ++i)
            add(std::to_string(i), fmt::format("argument {}", i), launch.arguments[i]);
        for (const auto& [name, value] : launch.named) add(name, name, value);
        for (const auto& [name, value] : launch.variables)
            left.push_back({name, value.type, kernel.variable(name)});
        return left;
    };
    return compared(run, orders, options);
}

OrderReport try_orders(const OrderedSteps& steps, const Orders& orders,
                       const simt::Options& options)
{
    const auto run = [&](const simt::Options& in) {
        const OpenedEngine engine = open_engine("simt", in);
        device::PlainAllocator plain(*engine.device);
        const auto experiment = steps.lab.start({*engine.device, plain, steps.lab, steps.variant,
                                                 steps.values, steps.seed, steps.image});
        for (std::int64_t step = 0; step < steps.steps; ++step) experiment->step(nullptr);
        std::vector<LeftMemory> left;
        for (const labs::Experiment::Memory& memory : experiment->memory()) {
            left.push_back({memory.name, nullptr, Bytes(memory.bytes)});
            engine.device->download(left.back().bytes, memory.buffer->address());
        }
        if (const device::Image* const image = experiment->next_result().image) {
            left.push_back(
                {"the image", nullptr,
                 Bytes(static_cast<std::size_t>(image->width()) *
                       static_cast<std::size_t>(std::max(1, image->height())) *
                       static_cast<std::size_t>(device::bytes_per_pixel(image->format())))});
            engine.device->download(left.back().bytes, *image);
        }
        return left;
    };
    return compared(run, orders, options);
}

std::string text(const OrderReport& report)
{
    if (report.different.empty())
        return fmt::format("Other orders: the result is the same in all {} that were tried.\n",
                           report.tried);
    const std::uint64_t seed = report.different.front();
    return fmt::format("Other orders: the result changes in {} of {}. In order {}: {}\n"
                       "The result depends on an order that no synchronisation enforces. --orders "
                       "1 --order {} repeats this.\n",
                       report.different.size(), report.tried, seed, report.how, seed);
}

nlohmann::ordered_json as_json(const OrderReport& report)
{
    nlohmann::ordered_json json{{"tried", report.tried}, {"different", report.different}};
    if (!report.different.empty()) json["first_difference"] = report.how;
    return json;
}

} // namespace lanescope::app
