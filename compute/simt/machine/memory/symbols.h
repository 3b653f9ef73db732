// A module's variables in memory: .global variables as allocations, .const ones in the constant
// bank, initialised including addresses in them; and function addresses for indirect calls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compute/simt/machine/memory/memory.h"

namespace lanescope::simt {

// Rounds up to a multiple of the alignment; 0 counts as 1.
template <class T>
constexpr T aligned(T offset, int alignment)
{
    const auto unit = static_cast<T>(alignment < 1 ? 1 : alignment);
    return (offset + unit - 1) / unit * unit;
}

class Symbols {
public:
    // `module` and `memory` must outlive this. Undefined extern variables get no address: kernels
    // that name one are refused. Throws LaunchError for more constants than a GPU has (64 KiB), or
    // more than 256 MiB of other variables.
    Symbols(const ptx::Module& module, Memory& memory);
    ~Symbols();
    Symbols(const Symbols&) = delete;
    Symbols& operator=(const Symbols&) = delete;

    struct Place {
        ptx::Space space = ptx::Space::none; // none: a function
        Address address = 0;                 // within the space
    };
    // Null for names that are not a .global or .const variable or a function.
    const Place* find(const std::string& name) const;
    std::span<std::byte> constants() { return constants_; }
    // Address for host access to a .global or .const variable: constants get a global address on
    // first request. Null address for other names.
    device::Variable host_variable(const std::string& name);

private:
    void place(const ptx::Variable& variable);
    void initialise(const ptx::Variable& variable, std::span<std::byte> bytes);

    Memory& memory_;
    std::map<std::string, Place> places_;
    std::map<std::string, std::size_t> sizes_; // sizes of variables in bytes
    std::vector<Address> allocated_;
    std::vector<std::byte> constants_;
    std::size_t variable_bytes_ = 0; // total size of .global variables
    Address constants_for_host_ = 0; // 0: not requested yet
};

// Address of the function with this index in Module::functions, and the inverse (-1: not a
// function's address).
Address function_address(std::size_t index);
int function_at(Address address, std::size_t count);

} // namespace lanescope::simt
