// Considers a quarter, an eighth and a sixteenth of an allocation: elements of 4, 8 and 16 bytes.
// Ignores halves, because programs often fill one half of a buffer first. Eight bytes of any larger
// allocation are the size of a pointer, in place of the size of the array that it points to.
#include "compute/runtime/counts_as_bytes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace lanescope::runtime {

namespace {

struct Share {
    std::uint64_t element_bytes;
    std::string_view words;
};
constexpr std::array shares{Share{4, "a quarter"}, Share{8, "an eighth"}, Share{16, "a sixteenth"}};

const Share* share_of(const Memory& memory, std::uint64_t bytes)
{
    const auto found = std::ranges::find_if(shares, [&](const Share& one) {
        return memory.bytes % one.element_bytes == 0 && memory.bytes / one.element_bytes == bytes;
    });
    return found == shares.end() ? nullptr : &*found;
}

bool is_size_of_pointer(const Memory& memory, std::uint64_t bytes)
{
    return bytes == sizeof(void*) && memory.bytes > bytes;
}

// Small numbers only: all bits set, 0x7f and 0x3f are usual as -1, NaN or a large number, and other
// patterns mark memory that nothing has written.
bool may_be_number(unsigned value)
{
    constexpr unsigned max_number = 50;
    const bool is_pattern = value == 0x11 || value == 0x22;
    return value >= 1 && value <= max_number && !is_pattern;
}

} // namespace

void note_written_part(Memory& memory, std::uint64_t bytes, const char* call, const CallSite& site)
{
    if (memory.kind != MemoryKind::device || bytes == 0) return;
    if (!is_size_of_pointer(memory, bytes) && share_of(memory, bytes) == nullptr) return;
    memory.written_part = {bytes, call, site};
}

void find_counts_as_bytes(Machine& machine, Memory& memory, const trace::Touched::Range& read,
                          const std::string& reader)
{
    const Memory::Part& part = memory.written_part;
    const std::uint64_t part_end = memory.address + part.bytes;
    if (part.bytes == 0 || !read.any() || read.end <= part_end) return;
    const std::uint64_t rest = memory.bytes - part.bytes;
    if (machine.simt().unwritten(part_end, rest, 0).bytes != rest) return;
    const Share* const share = share_of(memory, part.bytes);
    Finding finding{.kind = "count_as_bytes"};
    finding.call = part.call;
    finding.site = part.site;
    finding.other_site = memory.site;
    finding.message = fmt::format(
        "{} writes {} bytes{} of the {} bytes allocated by {}. Nothing has written the rest, but "
        "{} reads it. ",
        part.call, part.bytes, share != nullptr ? fmt::format(", {}", share->words) : "",
        memory.bytes, memory.call, reader);
    if (is_size_of_pointer(memory, part.bytes))
        finding.message +=
            "A pointer has 8 bytes: if the size is the sizeof of a pointer, pass the "
            "number of elements times sizeof(element).";
    else
        finding.message += fmt::format("Sizes are in bytes: if {} is a number of elements of {} "
                                       "bytes, multiply it by sizeof(element).",
                                       part.bytes, share->element_bytes);
    machine.find(finding);
    memory.written_part = {};
}

void find_counts_as_bytes(Machine& machine, const trace::Trace& trace, const LaunchRecord& record)
{
    for (const trace::Touched& touched : trace.touched) {
        Memory* const memory = machine.find(touched.allocation);
        if (memory == nullptr) continue;
        trace::Touched::Range read = touched.read;
        if (touched.updated.any()) read.add(touched.updated.begin, touched.updated.end);
        find_counts_as_bytes(machine, *memory, read, "kernel " + record.kernel);
    }
}

void note_fill(Memory& memory, std::uint64_t begin, std::uint64_t end, unsigned value,
               const char* call, const CallSite& site)
{
    memory.fill = {};
    constexpr std::uint64_t max_bytes = 4096; // compared before each launch
    if (may_be_number(value))
        memory.fill = {begin, std::min(end, begin + max_bytes), value, call, site};
}

void note_result(Memory& memory, const trace::Touched& touched)
{
    const trace::Touched::Range& written = touched.written;
    const bool is_whole =
        written.begin == memory.address && written.end == memory.address + memory.bytes;
    if (is_whole)
        memory.result = {.is_unused = true};
    else if (written.any() || touched.read.any() || touched.updated.any())
        memory.result = {};
}

void note_result_used(Memory& memory)
{
    memory.result = {};
}

void note_result_copied(Memory& memory, std::uint64_t begin, std::uint64_t bytes, const char* call,
                        const CallSite& site)
{
    constexpr std::uint64_t min_bytes = 64; // programs look at a few elements on purpose
    const bool may_be_count = memory.kind == MemoryKind::device && begin == memory.address &&
                              bytes >= min_bytes && share_of(memory, bytes) != nullptr;
    if (!may_be_count)
        memory.result = {};
    else if (memory.result.is_unused)
        memory.result.copied = {bytes, call, site};
}

void find_result_copied_in_part(Machine& machine, const Memory& memory)
{
    const Memory::Part& part = memory.result.copied;
    if (part.bytes == 0) return;
    const std::uint64_t rest = memory.bytes - part.bytes;
    if (machine.simt().unwritten(memory.address + part.bytes, rest, 0).bytes != 0) return;
    const Share& share = *share_of(memory, part.bytes);
    Finding finding{.kind = "count_as_bytes"};
    finding.call = part.call;
    finding.site = part.site;
    finding.other_site = memory.site;
    finding.message = fmt::format(
        "{} copies {} bytes to the host, {} of the {} bytes allocated by {}. Kernel {} has written "
        "all of them, but nothing reads the rest. Sizes are in bytes: if {} is a number of "
        "elements of {} bytes, multiply it by sizeof(element).",
        part.call, part.bytes, share.words, memory.bytes, memory.call, memory.writer.kernel,
        part.bytes, share.element_bytes);
    machine.find(finding);
}

} // namespace lanescope::runtime
