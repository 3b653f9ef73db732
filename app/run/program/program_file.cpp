// Reads the few parts of an ELF file that matter here.
#include "app/run/program/program_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "app/run/program/elf_format.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{2} << 30;
constexpr std::size_t max_name_bytes = 4096;
constexpr std::size_t max_names = 10'000; // limit on the number of library names

template <class T>
T read_at(const std::string& bytes, std::uint64_t offset)
{
    T value{};
    if (offset <= bytes.size() && sizeof value <= bytes.size() - offset)
        std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string string_at(const std::string& bytes, std::uint64_t offset)
{
    if (offset >= bytes.size()) return {};
    const std::string_view found = std::string_view(bytes).substr(offset, max_name_bytes);
    return std::string(found.substr(0, found.find('\0')));
}

} // namespace

bool is_built_program(const std::filesystem::path& path)
{
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return false;
    std::array<char, elf::magic.size()> begin{};
    std::ifstream file(path, std::ios::binary);
    return file.read(begin.data(), begin.size()) &&
           std::string_view(begin.data(), begin.size()) == elf::magic;
}

bool is_whole_program(std::string_view source)
{
    constexpr std::array launches{"<<<", "cudaLaunch", "cuLaunch"};
    if (std::ranges::none_of(launches,
                             [&](const char* word) { return source.find(word) != source.npos; }))
        return false;
    const auto is_letter = [](char one) {
        return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
    };
    constexpr std::string_view word = "main";
    for (std::size_t at = source.find(word); at != source.npos; at = source.find(word, at + 1)) {
        if (at > 0 && is_letter(source[at - 1])) continue;
        const std::size_t next = source.find_first_not_of(" \t\n", at + word.size());
        const std::size_t line = source.rfind('\n', at) + 1; // skip matches inside comments
        if (next != source.npos && source[next] == '(' &&
            source.substr(line, at - line).find("//") == source.npos)
            return true;
    }
    return false;
}

ProgramFile read_program_file(const std::filesystem::path& path)
{
    std::error_code none;
    if (std::filesystem::file_size(path, none) > max_file_bytes && !none)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is larger than {} GB.", path.string(), max_file_bytes >> 30),
                    "Name a .cu file, or a program that nvcc has built.");
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream && bytes.empty())
        throw Error(ExitStatus::no_such_thing, fmt::format("Cannot read {}.", path.string()),
                    "Name a .cu file, or a program that nvcc has built.");
    const auto header = read_at<elf::Header>(bytes, 0);
    if (!std::string_view(bytes).starts_with(elf::magic) ||
        header.e_ident[elf::class_at] != elf::class_64)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is not a program for this machine.", path.string()),
                    "Name a .cu file, or a program that nvcc has built.");
    ProgramFile file;
    std::vector<elf::Segment> loads;
    elf::Segment dynamic{};
    for (int i = 0; i < header.e_phnum; ++i) {
        const auto segment = read_at<elf::Segment>(
            bytes, header.e_phoff + static_cast<std::uint64_t>(i) * header.e_phentsize);
        if (segment.p_type == elf::load) loads.push_back(segment);
        if (segment.p_type == elf::dynamic) dynamic = segment;
    }
    if (!loads.empty()) file.first_address = loads.front().p_vaddr & ~std::uint64_t{4095};
    const auto file_offset = [&](std::uint64_t address) -> std::uint64_t {
        for (const elf::Segment& load : loads)
            if (address >= load.p_vaddr && address < load.p_vaddr + load.p_filesz)
                return address - load.p_vaddr + load.p_offset;
        return bytes.size();
    };
    std::uint64_t strings = bytes.size();
    std::vector<std::uint64_t> names;
    std::uint64_t search_path = 0;
    const std::uint64_t entries =
        std::min<std::uint64_t>(dynamic.p_filesz, bytes.size()) / sizeof(elf::Dynamic);
    for (std::uint64_t i = 0; i < entries && names.size() < max_names; ++i) {
        const auto entry =
            read_at<elf::Dynamic>(bytes, dynamic.p_offset + i * sizeof(elf::Dynamic));
        if (entry.d_tag == elf::end) break;
        if (entry.d_tag == elf::string_table) strings = file_offset(entry.d_val);
        if (entry.d_tag == elf::needed) names.push_back(entry.d_val);
        if (entry.d_tag == elf::runpath || entry.d_tag == elf::rpath) search_path = entry.d_val;
    }
    if (search_path != 0) file.search_path = string_at(bytes, strings + search_path);
    for (const std::uint64_t name : names) {
        file.libraries.push_back(string_at(bytes, strings + name));
        constexpr std::string_view runtime = "libcudart.so.";
        if (file.libraries.back().starts_with(runtime))
            file.cuda_version = std::atoi(file.libraries.back().c_str() + runtime.size());
    }
    file.uses_driver = bytes.find("libcuda.so") != bytes.npos;
    const auto is_python = [](const std::string& name) { return name.starts_with("libpython"); };
    file.opens_libraries =
        bytes.find("dlopen") != bytes.npos || std::ranges::any_of(file.libraries, is_python);
    const auto section_names = read_at<elf::Section>(
        bytes, header.e_shoff + static_cast<std::uint64_t>(header.e_shstrndx) * header.e_shentsize);
    for (int i = 0; i < header.e_shnum; ++i) {
        const auto section = read_at<elf::Section>(
            bytes, header.e_shoff + static_cast<std::uint64_t>(i) * header.e_shentsize);
        if (string_at(bytes, section_names.sh_offset + section.sh_name) == ".nv_fatbin")
            file.has_kernels = true;
    }
    return file;
}

std::vector<std::string> libraries_with_kernels(const ProgramFile& file)
{
    constexpr std::array foreign{"libcublas",   "libcufft", "libcurand", "libcusolver",
                                 "libcusparse", "libcudnn", "libnccl"};
    std::vector<std::string> found;
    for (const std::string& library : file.libraries)
        if (std::ranges::any_of(foreign,
                                [&](const char* name) { return library.starts_with(name); }))
            found.push_back(library);
    return found;
}

void require_own_kernels(const ProgramFile& file, const std::filesystem::path& path)
{
    const auto foreign = libraries_with_kernels(file);
    if (foreign.empty()) return;
    throw Error(
        ExitStatus::bad_usage,
        fmt::format("{} needs {}, whose kernels run on GPUs only.", path.string(), foreign.front()),
        "The lockstep machine can only run kernels that are compiled with the program, such as "
        "those of Thrust and CUB.");
}

int library_version(const ProgramFile& file)
{
    if (file.cuda_version != 0) return file.cuda_version;
    for (const std::string& library : file.libraries)
        if (library.starts_with("libnvrtc.so.12")) return 12;
    return 13;
}

void require_shared_runtime(const ProgramFile& file, const std::filesystem::path& path)
{
    if (file.cuda_version == 12 || file.cuda_version == 13) return;
    // A program without kernels of its own may load them through the driver.
    const bool may_load = file.uses_driver || file.opens_libraries;
    if (file.cuda_version == 0 && may_load && !file.has_kernels) return;
    if (file.cuda_version != 0)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} was built with CUDA {}.", path.string(), file.cuda_version),
                    "Build it with CUDA 12 or 13.");
    if (file.has_kernels)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("{} is linked with the static CUDA runtime, which cannot be replaced.",
                        path.string()),
            "Build it with nvcc -cudart shared.");
    throw Error(ExitStatus::bad_usage, fmt::format("{} uses no CUDA.", path.string()),
                "Name a program that nvcc has built with -cudart shared.");
}

} // namespace lanescope::app
