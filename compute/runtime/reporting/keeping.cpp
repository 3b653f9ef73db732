// Unchanged contents take no space: they become hard links to the file written before.
#include "compute/runtime/reporting/keeping.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "compute/device/formats.h"

namespace lanescope::runtime {

namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// Largest file that a lab reads.
constexpr std::uint64_t max_file_bytes = std::uint64_t{64} << 20;
// Files occupy whole blocks. A launch also needs its folder, and space for its later record.
constexpr std::uint64_t disk_block_bytes = 4096;
constexpr std::uint64_t launch_bytes = 4 * disk_block_bytes;

std::uint64_t on_disk(std::uint64_t bytes)
{
    return (bytes + disk_block_bytes - 1) / disk_block_bytes * disk_block_bytes;
}

// Why a launch cannot be kept, as a sentence.
struct Refusal {
    std::string why;
};

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

std::string megabytes(std::uint64_t bytes)
{
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string hexadecimal(std::span<const std::byte> bytes)
{
    std::string text;
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
    return text;
}

template <class Visit>
void for_each_word(std::span<const std::byte> bytes, Visit visit)
{
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        visit(word);
    }
}

bool holds(const fs::path& path, std::span<const std::byte> bytes)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 65536> some{};
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t count = std::min(some.size(), bytes.size() - at);
        if (!file.read(some.data(), static_cast<std::streamsize>(count))) return false;
        if (std::memcmp(some.data(), bytes.data() + at, count) != 0) return false;
        at += count;
    }
    return true;
}

void store(const fs::path& path, std::span<const std::byte> bytes)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    std::size_t done = 0;
    while (file >= 0 && done < bytes.size()) {
        const ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
    const int why = errno;
    if (file >= 0) close(file);
    if (file < 0 || done < bytes.size())
        throw Refusal{fmt::format("{} could not be written: {}.", path.filename().string(),
                                  std::strerror(why))};
}

// Number of an address mode in lab records.
int number_of(device::AddressMode mode)
{
    switch (mode) {
    case device::AddressMode::border: return 0;
    case device::AddressMode::clamp: return 1;
    case device::AddressMode::wrap: return 2;
    case device::AddressMode::mirror: return 3;
    }
    return 1;
}

// "007_scale": index and kernel name, safe as a folder name.
std::string folder_name(int index, std::string_view kernel)
{
    std::string name = fmt::format("{:03}_", index);
    for (const char one : kernel.substr(0, kernel.find('<'))) {
        const bool plain = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') ||
                           (one >= '0' && one <= '9') || one == '_';
        if (plain && name.size() < 64) name += one;
    }
    return name;
}

} // namespace

Keeper& Keeper::instance()
{
    static Keeper* const keeper = new Keeper; // never destroyed: used during process exit
    return *keeper;
}

Keeper::Keeper() : folder_(environment("LANESCOPE_KEEP"))
{
    remaining_bytes_ = std::strtoull(environment("LANESCOPE_KEEP_BYTES").c_str(), nullptr, 10);
    if (const std::string one = environment("LANESCOPE_KEEP_LAUNCH"); !one.empty())
        only_ = std::atoi(one.c_str());
}

// Allocations reachable through pointers in the arguments, directly or through memory.
std::vector<LaunchMemory::Allocation> Keeper::reached(LaunchMemory& memory) const
{
    std::vector<LaunchMemory::Allocation> found;
    const auto look = [&](std::uint64_t word) {
        if (word == 0) return;
        auto allocation = memory.allocation(word);
        if (!allocation || allocation->bytes == 0) return;
        if (std::ranges::find(found, allocation->address, &LaunchMemory::Allocation::address) ==
            found.end())
            found.push_back(*std::move(allocation));
    };
    for (const auto argument : memory.arguments()) for_each_word(argument, look);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].bytes > max_file_bytes)
            throw Refusal{
                fmt::format("it uses an allocation of {}, but at most {} of one can be kept.",
                            megabytes(found[i].bytes), megabytes(max_file_bytes))};
        bytes += found[i].bytes;
        if (bytes > remaining_bytes_ + max_file_bytes)
            throw Refusal{fmt::format("it can access more than {}.", megabytes(bytes))};
        const LaunchMemory::Allocation one = found[i];
        for_each_word(memory.bytes(one), look);
    }
    return found;
}

void Keeper::spend(std::uint64_t bytes)
{
    full_ = full_ || bytes > remaining_bytes_;
    if (full_) throw Refusal{"earlier launches have used up the limit (--keep-limit)."};
    remaining_bytes_ -= bytes;
}

// Returns the file's name within its folder.
std::string Keeper::write(const fs::path& path, std::span<const std::byte> bytes,
                          const std::string& what)
{
    const auto before = last_.find(what);
    std::error_code problem;
    if (before != last_.end() && before->second.bytes == bytes.size() &&
        holds(before->second.path, bytes)) {
        fs::create_hard_link(before->second.path, path, problem);
        if (!problem) return path.filename().string();
    }
    spend(on_disk(bytes.size()));
    store(path, bytes);
    last_[what] = {path, bytes.size()};
    return path.filename().string();
}

// Writes the kernel's PTX once and returns the file's name.
std::string Keeper::text_of(LaunchMemory& memory)
{
    const std::string* const text = memory.text();
    if (text == nullptr) throw Refusal{"its PTX was not found."};
    std::string& file = texts_[text];
    if (file.empty()) {
        const std::string made = fmt::format("module_{}.ptx", texts_.size() - 1);
        spend(on_disk(text->size()));
        store(folder_ / made, std::as_bytes(std::span(*text)));
        file = made;
    }
    return file;
}

ordered_json Keeper::ranges_in(const fs::path& folder, LaunchMemory& memory)
{
    ordered_json ranges = ordered_json::array();
    for (const LaunchMemory::Allocation& one : reached(memory)) {
        ordered_json range{{"address", one.address}, {"bytes", one.bytes}, {"call", one.call}};
        // Unwritten memory gets no file: it is uninitialised again when the launch is rerun.
        if (memory.any_written(one))
            range["file"] = write(folder / fmt::format("memory_{}.bin", ranges.size()),
                                  memory.bytes(one), fmt::format("{:x}", one.address));
        ranges.push_back(std::move(range));
    }
    return ranges;
}

ordered_json Keeper::images_in(const fs::path& folder, LaunchMemory& memory)
{
    ordered_json images = ordered_json::array();
    std::set<std::uint64_t> handles;
    const auto look = [&](std::uint64_t word) {
        const auto image = memory.image(word);
        if (!image || !handles.insert(word).second) return;
        if (image->shape.depth > 0 || image->shape.layers > 0 || image->shape.levels > 1)
            throw Refusal{"it reads a three-dimensional, layered or mipmapped image."};
        if (image->texels.size() > max_file_bytes)
            throw Refusal{fmt::format("it uses an image of {}, but at most {} of one can be kept.",
                                      megabytes(image->texels.size()), megabytes(max_file_bytes))};
        const std::string file = fmt::format("image_{}.bin", images.size());
        ordered_json one{{"handle", word},
                         {"file", write(folder / file, image->texels, file)},
                         {"format", device::row_of(image->format).name},
                         {"width", image->shape.width},
                         {"height", image->shape.height},
                         {"surface", image->surface}};
        if (!image->surface) {
            const device::Sampling& sampling = image->sampling;
            one["address"] = number_of(sampling.address[0]);
            one["filter"] = sampling.filter == device::Filter::linear ? "linear" : "point";
            one["normalized_coordinates"] = sampling.normalized_coordinates;
            one["normalized_reads"] = sampling.normalized_reads;
            if (sampling.address[1] != sampling.address[0] && image->shape.height > 0)
                throw Refusal{"its texture has different address modes in x and y."};
            if (sampling.address[0] == device::AddressMode::border &&
                sampling.border != device::Sampling{}.border)
                throw Refusal{"its texture has a border colour."};
        }
        images.push_back(std::move(one));
    };
    for (const auto argument : memory.arguments()) for_each_word(argument, look);
    return images;
}

ordered_json Keeper::variables_in(const fs::path& folder, LaunchMemory& memory)
{
    ordered_json variables = ordered_json::array();
    for (const LaunchMemory::Variable& one : memory.variables()) {
        if (one.bytes.empty() || one.bytes.size() > max_file_bytes) continue;
        const std::string file = fmt::format("variable_{}.bin", variables.size());
        variables.push_back({{"name", one.name},
                             {"bytes", one.bytes.size()},
                             {"constant", one.constant},
                             {"file", write(folder / file, one.bytes, "variable " + one.name)}});
    }
    return variables;
}

void Keeper::remove(const fs::path& folder)
{
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    std::erase_if(last_,
                  [&](const auto& file) { return file.second.path.parent_path() == folder; });
}

void Keeper::drop(const ordered_json& kept)
{
    if (!kept.contains("folder")) return;
    remove(folder_ / kept["folder"].get<std::string>());
    remaining_bytes_ = remaining_before_;
}

ordered_json Keeper::keep(LaunchMemory& memory, int index, std::string_view kernel)
{
    const std::string made = folder_name(index, kernel);
    const fs::path folder = folder_ / made;
    std::error_code problem;
    remaining_before_ = remaining_bytes_;
    const auto refused = [&](std::string why) {
        remove(folder);
        return ordered_json{{"problem", std::move(why)}};
    };
    try {
        spend(launch_bytes);
        ordered_json arguments = ordered_json::array();
        for (const auto argument : memory.arguments()) arguments.push_back(hexadecimal(argument));
        fs::create_directory(folder, problem);
        if (problem)
            throw Refusal{fmt::format("{} could not be created: {}.", made, problem.message())};
        ordered_json kept{{"folder", made}};
        kept["text"] = text_of(memory);
        kept["arguments"] = std::move(arguments);
        kept["memory"] = ranges_in(folder, memory);
        kept["images"] = images_in(folder, memory);
        kept["variables"] = variables_in(folder, memory);
        return kept;
    } catch (const Refusal& refusal) {
        return refused(refusal.why);
    } catch (const std::exception& error) {
        return refused(error.what());
    }
}

} // namespace lanescope::runtime
