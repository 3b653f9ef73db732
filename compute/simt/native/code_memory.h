// Memory that holds machine code: written first, executable afterwards, never both. In a browser
// the code is a module, and what stands for its memory is the place of its function in the
// program's table.
#pragma once

#include <cstddef>
#include <span>

namespace lanescope::simt::native {

// All that this process may have of it at once.
constexpr std::size_t max_code_bytes = std::size_t{64} << 20;

class CodeMemory {
public:
    // Empty when there is no room for the code, or the system does not let it be executed.
    explicit CodeMemory(std::span<const std::byte> code);
    ~CodeMemory();
    CodeMemory(const CodeMemory&) = delete;
    CodeMemory& operator=(const CodeMemory&) = delete;

    const std::byte* data() const { return data_; } // null: empty

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace lanescope::simt::native
