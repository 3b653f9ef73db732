// Memory for machine code: written first, then made executable, never both at once. In a browser
// the code is a module, and this stores only its index in the program's function table.
#pragma once

#include <cstddef>
#include <span>

namespace lanescope::simt::native {

// Limit for all code of the process.
constexpr std::size_t max_code_bytes = std::size_t{64} << 20;

class CodeMemory {
public:
    // Empty if there is no room for the code or the system refuses to make it executable.
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
