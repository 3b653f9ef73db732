// Fat binary layout of nvcc 10 to 13. Texts are compressed with Zstandard since CUDA 13 and LZ4
// before. Both libraries are opened on demand; every Linux has the first.
#include "compute/runtime/reporting/fat_binary.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "compute/counting/gpus.h"
#include "compute/runtime/reporting/carried_ptx.h"

namespace lanescope::runtime {

namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1, binary_magic = 0xba55ed50;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version; // 2: `linked` is a null-terminated list of further binaries
    const std::byte* binary;
    const void* const* linked;
};
struct Header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t bytes; // size of all entries
};
struct Entry {
    std::uint16_t kind; // 1: PTX, 2: machine code
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t bytes; // stored size after the header, with padding
    std::uint32_t compressed_bytes;
    std::uint32_t options_offset;
    std::uint16_t minor, major;
    std::uint32_t architecture;
    std::uint32_t name_offset, name_bytes;
    std::uint64_t flags;
    std::uint64_t zero;
    std::uint64_t plain_bytes; // uncompressed size; 0: stored uncompressed
};
constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::uint64_t compressed_lz4 = 0x2000, compressed_zstd = 0x8000;

template <class Function>
Function* find_function(const char* library, const char* name)
{
    void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
}

std::string plain(const Entry& entry, std::string_view stored, std::string& problem)
{
    constexpr std::string_view zstd_magic("\x28\xb5\x2f\xfd", 4);
    if (entry.compressed_bytes != 0) stored = stored.substr(0, entry.compressed_bytes);
    const bool zstd = stored.starts_with(zstd_magic);
    if (!zstd && (entry.flags & (compressed_lz4 | compressed_zstd)) == 0 && entry.plain_bytes == 0)
        return std::string(stored);
    std::string text(entry.plain_bytes, '\0');
    if (zstd) {
        const auto decompress =
            find_function<std::size_t(void*, std::size_t, const void*, std::size_t)>(
                "libzstd.so.1", "ZSTD_decompress");
        if (decompress == nullptr) {
            problem = "Its PTX is compressed with Zstandard, and libzstd.so.1 was not found. "
                      "Install libzstd, or build the program with nvcc --no-compress.";
            return {};
        }
        if (decompress(text.data(), text.size(), stored.data(), stored.size()) == text.size())
            return text;
    } else {
        const auto decompress =
            find_function<int(const char*, char*, int, int)>("liblz4.so.1", "LZ4_decompress_safe");
        if (decompress == nullptr) {
            problem = "Its PTX is compressed with LZ4, and liblz4.so.1 was not found. Install "
                      "liblz4, or build the program with nvcc --no-compress.";
            return {};
        }
        if (decompress(stored.data(), text.data(), static_cast<int>(stored.size()),
                       static_cast<int>(text.size())) == static_cast<int>(text.size()))
            return text;
    }
    problem = "Its PTX cannot be decompressed. Build it with nvcc --no-compress.";
    return {};
}

int target_of(std::string_view text)
{
    constexpr std::string_view word = ".target sm_";
    const std::size_t at = text.find(word);
    return at == text.npos ? 0 : std::atoi(std::string(text.substr(at + word.size(), 3)).c_str());
}

// Takes the PTX carried by the newest machine code that suits the simulated GPU.
void read_machine_code(const std::vector<std::pair<Entry, std::string_view>>& entries,
                       FatBinary& into)
{
    std::vector<std::string> texts;
    const auto capability = static_cast<std::uint32_t>(counting::simulated_gpu().capability());
    std::uint32_t newest = 0;
    for (const auto& [entry, stored] : entries) {
        std::string ignored;
        const std::string code = plain(entry, stored, ignored);
        if (!is_whole_elf(code)) continue;
        if (into.maker.empty()) into.maker = maker_name(code.data());
        if (entry.architecture > capability || entry.architecture <= newest) continue;
        std::vector<std::string> carried = carried_ptx(code.data());
        if (carried.empty()) continue;
        texts = std::move(carried);
        newest = entry.architecture;
    }
    std::ranges::move(texts, std::back_inserter(into.texts));
}

void read_binary(const std::byte* binary, FatBinary& into)
{
    Header header;
    std::memcpy(&header, binary, sizeof header);
    if (header.magic != binary_magic) {
        into.problem = "Its device code has an unknown format.";
        return;
    }
    const std::byte* at = binary + header.header_bytes;
    const std::byte* const end = at + header.bytes;
    const counting::Gpu& gpu = counting::simulated_gpu();
    std::string best;
    int best_target = -1, refused_target = 0;
    std::vector<std::pair<Entry, std::string_view>> machine_code;
    while (at + sizeof(Entry) <= end) {
        Entry entry;
        std::memcpy(&entry, at, sizeof entry);
        if (entry.header_bytes == 0 || entry.header_bytes > end - at ||
            entry.bytes > static_cast<std::uint64_t>(end - at) - entry.header_bytes)
            break;
        const std::string_view stored(reinterpret_cast<const char*>(at + entry.header_bytes),
                                      entry.bytes);
        if (entry.kind == 1) {
            std::string text = plain(entry, stored, into.problem);
            while (!text.empty() && text.back() == '\0') text.pop_back();
            const int target = target_of(text);
            if (target > gpu.capability()) {
                refused_target = target;
            } else if (!text.empty() && target > best_target) {
                best = std::move(text);
                best_target = target;
            }
        } else if (entry.kind == 2) {
            into.machine_architectures.push_back(static_cast<int>(entry.architecture));
            machine_code.emplace_back(entry, stored);
        }
        at += entry.header_bytes + entry.bytes;
    }
    if (!best.empty()) {
        into.texts.push_back(std::move(best));
        return;
    }
    read_machine_code(machine_code, into);
    if (into.texts.empty() && refused_target > 0 && into.problem.empty())
        into.problem = fmt::format(
            "Its PTX is for sm_{}, but {} is {}: build it with -gencode arch=compute_{},"
            "code=compute_{}.",
            refused_target, gpu.with_article(), gpu.architecture(), gpu.capability(),
            gpu.capability());
}

} // namespace

FatBinary read_fat_binary(const void* address)
{
    FatBinary read;
    Wrapper wrapper;
    std::memcpy(&wrapper, address, sizeof wrapper);
    if (wrapper.magic != wrapper_magic) {
        read.problem = "Its device code has an unknown format.";
        return read;
    }
    read_binary(wrapper.binary, read);
    if (wrapper.version == 2 && wrapper.linked != nullptr)
        for (const void* const* linked = wrapper.linked; *linked != nullptr; ++linked)
            read_binary(static_cast<const std::byte*>(*linked), read);
    return read;
}

namespace {

// Format of linked images: this line, then each text as its length in digits, a space and the text;
// a length of 0 ends the list.
constexpr std::string_view linked_magic = "lanescope linked PTX\n";

// Returns the end of the list.
const char* read_linked(const char* at, std::vector<std::string>& texts)
{
    for (at += linked_magic.size();;) {
        char* text = nullptr;
        const std::size_t bytes = std::strtoull(at, &text, 10);
        if (bytes == 0) return text + 1;
        texts.emplace_back(text + 1, bytes);
        at = text + 1 + bytes;
    }
}

// Architecture (sm_XX) of machine code, from the flags in its ELF header.
int architecture_of_machine_code(const void* image)
{
    std::uint32_t flags = 0;
    std::memcpy(&flags, static_cast<const std::byte*>(image) + 48, sizeof flags);
    std::uint8_t version = 0; // CUDA 13 stores the architecture one byte later
    std::memcpy(&version, static_cast<const std::byte*>(image) + 8, sizeof version);
    return static_cast<int>(version >= 8 ? (flags >> 8) & 0xff : flags & 0xff);
}

} // namespace

FatBinary read_device_code(const void* image)
{
    FatBinary read;
    const char* const text = static_cast<const char*>(image);
    std::uint32_t magic = 0;
    for (int i = 0; i < 4; ++i) { // a short text may end inside a magic number
        magic |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
        if (text[i] == '\0') break;
    }
    constexpr std::uint32_t machine_code = 0x464c457f;
    if (magic == wrapper_magic) return read_fat_binary(image);
    if (magic == binary_magic) {
        read_binary(static_cast<const std::byte*>(image), read);
    } else if (magic == machine_code) {
        read.machine_architectures.push_back(architecture_of_machine_code(image));
        read.maker = maker_name(image);
        read.texts = carried_ptx(image);
    } else if (std::strncmp(text, linked_magic.data(), linked_magic.size()) == 0) {
        read_linked(text, read.texts);
    } else if (std::strstr(text, ".version") != nullptr) {
        read.texts.emplace_back(text);
    } else {
        read.problem = "It is neither PTX nor a fat binary.";
    }
    return read;
}

namespace {

// Fat binaries in a section of a host object, one after another.
void read_binaries(std::string_view section, std::vector<std::string>& texts)
{
    while (section.size() >= sizeof(Header)) {
        Header header;
        std::memcpy(&header, section.data(), sizeof header);
        const std::uint64_t bytes = header.header_bytes + header.bytes;
        if (header.magic != binary_magic) {
            section.remove_prefix(8); // binaries are aligned to 8 bytes
            continue;
        }
        if (header.header_bytes < sizeof header || header.bytes > section.size() ||
            bytes > section.size())
            return;
        FatBinary read;
        read_binary(reinterpret_cast<const std::byte*>(section.data()), read);
        std::ranges::move(read.texts, std::back_inserter(texts));
        section.remove_prefix(bytes);
    }
}

// Members of an ar archive: each has a header of 60 bytes, with the size at byte 48.
void read_archive(std::string_view archive, std::vector<std::string>& texts)
{
    constexpr std::size_t header_bytes = 60, size_at = 48;
    archive.remove_prefix(archive_magic.size());
    while (archive.size() > header_bytes) {
        const std::size_t bytes =
            std::strtoull(std::string(archive.substr(size_at, 10)).c_str(), nullptr, 10);
        archive.remove_prefix(header_bytes);
        if (bytes > archive.size()) return;
        const std::string_view member = archive.substr(0, bytes);
        if (member.starts_with(ELFMAG) ||
            (member.size() >= 4 && std::memcmp(member.data(), &binary_magic, 4) == 0))
            std::ranges::move(texts_to_link(member), std::back_inserter(texts));
        archive.remove_prefix(std::min(bytes + bytes % 2, archive.size()));
    }
}

} // namespace

std::vector<std::string> texts_to_link(std::string_view input)
{
    std::vector<std::string> texts;
    if (input.size() < sizeof(Header)) return texts;
    if (std::memcmp(input.data(), &binary_magic, sizeof binary_magic) == 0) {
        read_binaries(input, texts);
    } else if (input.starts_with(archive_magic)) {
        read_archive(input, texts);
    } else if (input.starts_with(ELFMAG)) {
        if (!is_whole_elf(input)) return texts;
        texts = carried_ptx(input.data());
        each_section(input.data(), [&](std::string_view name, std::string_view contents) {
            if (name == ".nv_fatbin" || name == "__nv_relfatbin") read_binaries(contents, texts);
        });
    } else {
        texts = read_device_code(std::string(input).c_str()).texts;
    }
    return texts;
}

std::vector<std::string> texts_of_images(std::string_view images)
{
    std::vector<std::string> texts;
    for (;;) {
        images.remove_prefix(std::min(images.find_first_not_of('\0'), images.size()));
        if (!images.starts_with(linked_magic)) return texts;
        const char* const end = read_linked(images.data(), texts);
        images.remove_prefix(static_cast<std::size_t>(end - images.data()));
    }
}

std::string linked_image(const std::vector<std::string>& texts)
{
    std::string image(linked_magic);
    for (const std::string& text : texts) image += fmt::format("{} {}", text.size(), text);
    return image + "0 ";
}

} // namespace lanescope::runtime
