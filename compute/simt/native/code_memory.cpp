// Allocates whole pages; the total of all programs stays within the limit.
#include "compute/simt/native/code_memory.h"

#include <atomic>

#include "compute/process/memory.h"
#ifdef __wasm__
#include "compute/simt/native/webassembly/wasm_code.h"
#endif

namespace lanescope::simt::native {

namespace {

std::atomic<std::size_t> bytes_in_use{0};

} // namespace

#ifdef __wasm__

CodeMemory::CodeMemory(std::span<const std::byte> code)
{
    if (bytes_in_use + code.size() > max_code_bytes) return;
    const int place =
        wasm::add_to_table({reinterpret_cast<const std::uint8_t*>(code.data()), code.size()});
    if (place == 0) return;
    data_ = reinterpret_cast<std::byte*>(place);
    bytes_ = code.size();
    bytes_in_use += bytes_;
}

CodeMemory::~CodeMemory()
{
    if (data_ == nullptr) return;
    wasm::remove_from_table(static_cast<int>(reinterpret_cast<std::uintptr_t>(data_)));
    bytes_in_use -= bytes_;
}

#else

CodeMemory::CodeMemory(std::span<const std::byte> code)
{
    if (code.empty()) return;
    const std::size_t bytes = code_page_bytes(code.size());
    if (bytes_in_use.fetch_add(bytes) + bytes > max_code_bytes) {
        bytes_in_use -= bytes;
        return;
    }
    const CodePages pages = map_code(code);
    if (pages.data == nullptr) {
        bytes_in_use -= bytes;
        return;
    }
    data_ = pages.data;
    bytes_ = bytes;
}

CodeMemory::~CodeMemory()
{
    if (data_ == nullptr) return;
    unmap_code({data_, bytes_});
    bytes_in_use -= bytes_;
}

#endif

} // namespace lanescope::simt::native
