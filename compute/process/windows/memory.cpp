// VirtualAlloc(). Machine code comes with unwind data, so that the system and debuggers can walk
// the stack through it.
#include "compute/process/memory.h"

#include <windows.h>

#include <cstring>
#include <new>

#include "compute/process/calling_convention.h"

namespace lanescope {

std::size_t physical_memory_bytes()
{
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? static_cast<std::size_t>(status.ullTotalPhys) : 0;
}

void* map_pages(std::size_t bytes) noexcept
{
    return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void unmap_pages(void* pages, std::size_t) noexcept
{
    VirtualFree(pages, 0, MEM_RELEASE);
}

// Memory of Windows' aligned malloc() cannot be freed by free(). Pages are aligned to 64 KB.
AlignedMemory allocate_aligned(std::size_t, std::size_t bytes) noexcept
{
    return {map_pages(bytes), bytes};
}

namespace {

// Describes the prologue of native code (NativeFrame), last step first, as Windows' documentation
// of exception handling on x64 specifies. It lies at the end of the code's pages.
struct UnwindData {
    RUNTIME_FUNCTION function;
    std::uint8_t version = 1, prologue_bytes = 0, slots = 0, frame_register = 0;
    std::uint16_t slot[40] = {};

    UnwindData(std::size_t code_bytes, std::size_t at)
    {
        enum : unsigned { push = 0, allocate = 1, save_vector = 8 };
        function.BeginAddress = 0;
        function.EndAddress = static_cast<DWORD>(code_bytes);
        function.UnwindData = static_cast<DWORD>(at + sizeof function);
        for (int i = NativeFrame::vectors - 1; i >= 0; --i) {
            add(save_vector, static_cast<unsigned>(NativeFrame::first_vector + i));
            slot[slots++] = static_cast<std::uint16_t>(NativeFrame::vectors_at / 16 + i);
        }
        add(allocate, 0);
        slot[slots++] = NativeFrame::bytes / 8;
        for (const unsigned pushed : {7u, 6u, 15u, 14u, 13u, 12u, 5u, 3u}) add(push, pushed);
    }

private:
    // Nothing interrupts the prologue, so its steps need no offsets of their own.
    void add(unsigned operation, unsigned operand)
    {
        slot[slots++] = static_cast<std::uint16_t>(operation << 8 | operand << 12);
    }
};

UnwindData* unwind_data_of(const CodePages& pages)
{
    return reinterpret_cast<UnwindData*>(pages.data + pages.bytes - sizeof(UnwindData));
}

} // namespace

std::size_t code_page_bytes(std::size_t code_bytes)
{
    constexpr std::size_t page = TouchedPages::page_bytes;
    return (code_bytes + sizeof(UnwindData) + page - 1) / page * page;
}

CodePages map_code(std::span<const std::byte> code) noexcept
{
    const std::size_t bytes = code_page_bytes(code.size());
    const CodePages pages{static_cast<std::byte*>(map_pages(bytes)), bytes};
    if (pages.data == nullptr) return {};
    std::memcpy(pages.data, code.data(), code.size());
    UnwindData* const unwind =
        new (unwind_data_of(pages)) UnwindData(code.size(), bytes - sizeof(UnwindData));
    DWORD before = 0;
    if (!VirtualProtect(pages.data, bytes, PAGE_EXECUTE_READ, &before)) {
        unmap_pages(pages.data, bytes);
        return {};
    }
    FlushInstructionCache(GetCurrentProcess(), pages.data, bytes);
    RtlAddFunctionTable(&unwind->function, 1, reinterpret_cast<DWORD64>(pages.data));
    return pages;
}

void unmap_code(const CodePages& pages) noexcept
{
    RtlDeleteFunctionTable(&unwind_data_of(pages)->function);
    unmap_pages(pages.data, pages.bytes);
}

bool is_mapped(std::uint64_t address)
{
    MEMORY_BASIC_INFORMATION about{};
    return VirtualQuery(reinterpret_cast<void*>(address), &about, sizeof about) != 0 &&
           about.State == MEM_COMMIT;
}

// Windows reports touched pages only for memory that is watched for writes, which slows it down.
TouchedPages::TouchedPages(const std::byte* begin, bool)
    : first_(reinterpret_cast<std::uintptr_t>(begin) / page_bytes)
{
}

TouchedPages::~TouchedPages() = default;

bool TouchedPages::may_contain(std::size_t page)
{
    return file_ < 0 || page < begin_ + count_ || page < first_ || entries_.empty();
}

void TouchedPages::read_from(std::size_t) {}

} // namespace lanescope
