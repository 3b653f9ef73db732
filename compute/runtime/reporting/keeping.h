// Saves launches to a folder with their memory before the launch: arguments, reachable allocations,
// images and module variables, so that each can run again without the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/device/device.h"
#include "compute/device/shaped_image.h"

namespace lanescope::runtime {

// The image behind a texture or surface handle, in its current state.
struct ImageBehind {
    device::ImageShape shape{};
    device::Format format{};
    device::Sampling sampling{}; // for textures
    bool surface = false;
    std::vector<std::byte> texels{};
};

// A launch about to run, with access to the program's memory on either engine.
class LaunchMemory {
public:
    struct Allocation {
        std::uint64_t address = 0, bytes = 0;
        std::string call{}; // API function that allocated it
    };
    struct Variable {
        std::string name{};
        bool constant = false;
        std::span<const std::byte> bytes{};
    };
    virtual ~LaunchMemory() = default;
    virtual std::vector<std::span<const std::byte>> arguments() = 0;
    // Returns the live allocation that contains the address, which may be any 64-bit value.
    virtual std::optional<Allocation> allocation(std::uint64_t address) = 0;
    // The allocation's bytes, valid during this object's lifetime.
    virtual std::span<const std::byte> bytes(const Allocation& allocation) = 0;
    // Returns false if it is known that nothing has been stored there.
    virtual bool any_written(const Allocation& allocation) = 0;
    // Empty if `handle` is not a handle. Throws std::exception for an image that cannot be kept.
    virtual std::optional<ImageBehind> image(std::uint64_t handle) = 0;
    virtual std::vector<Variable> variables() = 0; // module variables in the kernel's PTX
    virtual const std::string* text() = 0;         // the PTX; null if not found
};

class Keeper {
public:
    // Configured by the environment: LANESCOPE_KEEP is the folder, LANESCOPE_KEEP_BYTES the maximum
    // size, LANESCOPE_KEEP_LAUNCH the index of a single launch (default: all).
    static Keeper& instance();

    bool wants_any() const { return !folder_.empty(); }
    bool wants(int index) const { return !folder_.empty() && (only_ < 0 || index == only_); }

    // Call before a selected launch. Returns the description for the report, or {"problem":
    // reason}.
    nlohmann::ordered_json keep(LaunchMemory& memory, int index, std::string_view kernel);
    // Removes the launch that was kept last: it has not run, and is kept again when it does.
    void drop(const nlohmann::ordered_json& kept);

private:
    struct File {
        std::filesystem::path path;
        std::uint64_t bytes = 0;
    };
    Keeper();
    std::vector<LaunchMemory::Allocation> reached(LaunchMemory& memory) const;
    std::string write(const std::filesystem::path& path, std::span<const std::byte> bytes,
                      const std::string& what);
    void remove(const std::filesystem::path& folder);
    // Subtracts disk space from the remaining limit. Throws Refusal if too little remains.
    void spend(std::uint64_t bytes);
    std::string text_of(LaunchMemory& memory);
    nlohmann::ordered_json ranges_in(const std::filesystem::path& folder, LaunchMemory& memory);
    nlohmann::ordered_json images_in(const std::filesystem::path& folder, LaunchMemory& memory);
    nlohmann::ordered_json variables_in(const std::filesystem::path& folder, LaunchMemory& memory);

    std::filesystem::path folder_; // empty: keeping is off
    std::uint64_t remaining_bytes_ = 0;
    std::uint64_t remaining_before_ = 0; // before the launch that was kept last
    int only_ = -1;                      // -1: all
    bool full_ = false;
    std::map<std::string, File> last_; // last file of each allocation, image or variable
    std::map<const std::string*, std::string> texts_;
};

} // namespace lanescope::runtime
