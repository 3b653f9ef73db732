// The memory of launches as it was before each, in a folder: arguments, what they point to, images
// and the module's variables, so that a launch can be done again without its program.
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

// What a kernel gets at by the handle of a texture or a surface, as it is now.
struct ImageBehind {
    device::ImageShape shape{};
    device::Format format{};
    device::Sampling sampling{}; // of a texture
    bool surface = false;
    std::vector<std::byte> texels{};
};

// A launch that is about to be done, and the program's memory, wherever that is.
class LaunchMemory {
public:
    struct Allocation {
        std::uint64_t address = 0, bytes = 0;
        std::string call{}; // that made it
    };
    struct Variable {
        std::string name{};
        bool constant = false;
        std::span<const std::byte> bytes{};
    };
    virtual ~LaunchMemory() = default;
    virtual std::vector<std::span<const std::byte>> arguments() = 0;
    // The live allocation that holds the address. Any word may be asked for.
    virtual std::optional<Allocation> allocation(std::uint64_t address) = 0;
    // Its bytes, which stay while this does.
    virtual std::span<const std::byte> bytes(const Allocation& allocation) = 0;
    // False where it is known that nobody has stored anything there.
    virtual bool any_written(const Allocation& allocation) = 0;
    // Nothing for what is no handle. Throws std::exception for an image that cannot be kept.
    virtual std::optional<ImageBehind> image(std::uint64_t handle) = 0;
    virtual std::vector<Variable> variables() = 0; // that the kernel's PTX has
    virtual const std::string* text() = 0;         // the PTX; null: not found
};

class Keeper {
public:
    // Asked for by the environment: LANESCOPE_KEEP names the folder, LANESCOPE_KEEP_BYTES how much
    // may be written there, LANESCOPE_KEEP_LAUNCH one launch by its index, else all are kept.
    static Keeper& instance();

    bool wants_any() const { return !folder_.empty(); }
    bool wants(int index) const { return !folder_.empty() && (only_ < 0 || index == only_); }

    // To be called before the launch, of one that it wants. The launch's description, which belongs
    // into the report, or {"problem": why it was not kept}.
    nlohmann::ordered_json keep(LaunchMemory& memory, int index, std::string_view kernel);

private:
    struct File {
        std::filesystem::path path;
        std::uint64_t bytes = 0;
    };
    Keeper();
    std::vector<LaunchMemory::Allocation> reached(LaunchMemory& memory) const;
    std::string write(const std::filesystem::path& path, std::span<const std::byte> bytes,
                      const std::string& what);
    std::string text_of(LaunchMemory& memory);
    nlohmann::ordered_json ranges_in(const std::filesystem::path& folder, LaunchMemory& memory);
    nlohmann::ordered_json images_in(const std::filesystem::path& folder, LaunchMemory& memory);
    nlohmann::ordered_json variables_in(const std::filesystem::path& folder, LaunchMemory& memory);

    std::filesystem::path folder_; // empty: nothing is kept
    std::uint64_t left_bytes_ = 0;
    int only_ = -1; // -1: all
    bool full_ = false;
    std::map<std::string, File> last_; // by what is in it, the file that was written last
    std::map<const std::string*, std::string> texts_;
};

} // namespace lanescope::runtime
