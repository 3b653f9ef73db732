// The memory of launches as it was before each, in a folder: arguments, what they point to, images
// and the module's variables, so that a launch can be done again without its program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "compute/device/device.h"

namespace lanescope::runtime {

class Machine;
struct Memory;
struct Module;

class Keeper {
public:
    // Asked for by the environment: LANESCOPE_KEEP names the folder, LANESCOPE_KEEP_BYTES how much
    // may be written there, LANESCOPE_KEEP_LAUNCH one launch by its index, else all are kept.
    static Keeper& instance();

    // To be called before the launch; null where it is not asked for. Else its description, which
    // belongs into the report, or {"problem": why it was not kept}.
    nlohmann::ordered_json keep(Machine& machine, const device::Kernel& kernel,
                                const device::Launch& launch, int index, std::string_view name);

private:
    struct File {
        std::filesystem::path path;
        std::uint64_t bytes = 0;
    };
    Keeper();
    std::vector<const Memory*> reached(Machine& machine, const device::Launch& launch) const;
    std::string write(const std::filesystem::path& path, std::span<const std::byte> bytes,
                      const std::string& what);
    std::string text_of(Machine& machine, const device::Kernel& kernel);

    std::filesystem::path folder_; // empty: nothing is kept
    std::uint64_t left_bytes_ = 0;
    int only_ = -1; // -1: all
    bool full_ = false;
    std::map<std::string, File> last_; // by what is in it, the file that was written last
    std::map<const std::string*, std::string> texts_;
};

} // namespace lanescope::runtime
