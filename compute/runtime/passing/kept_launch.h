// A launch that is kept: the host waits for the device before and after the launch and reads the
// memory that the kernel can reach.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "compute/runtime/passing/recorder.h"
#include "compute/runtime/reporting/keeping.h"

namespace lanescope::runtime::passing {

class KeptLaunch : public LaunchMemory {
public:
    // `function` is null if unknown.
    KeptLaunch(const Function* function, void** arguments, StreamName stream);

    // Call before the launch. Returns null if it was not selected, else the result of
    // Keeper::keep().
    nlohmann::ordered_json keep();
    // Call after the launch. Records which memory the launch wrote, as far as known.
    void note_written(nlohmann::ordered_json& kept);

    std::vector<std::span<const std::byte>> arguments() override;
    std::optional<Allocation> allocation(std::uint64_t address) override;
    std::span<const std::byte> bytes(const Allocation& allocation) override;
    bool any_written(const Allocation&) override { return true; } // unknown on a GPU
    std::optional<ImageBehind> image(std::uint64_t handle) override;
    std::vector<Variable> variables() override;
    const std::string* text() override;

private:
    std::set<std::uint64_t> stored_into();
    std::span<const std::byte> copied(std::uint64_t address, std::uint64_t bytes);

    const Function* function_;
    void** arguments_;
    StreamName stream_;
    std::unique_lock<std::mutex> alone_; // serialises kept launches
    std::map<std::uint64_t, passing::Allocation> memory_;
    std::map<std::uint64_t, std::vector<std::byte>> copies_; // keyed by address
};

} // namespace lanescope::runtime::passing
