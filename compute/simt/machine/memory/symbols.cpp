// Assigns addresses first, then initial values: an initialiser may contain the address of a later
// variable.
#include "compute/simt/machine/memory/symbols.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

constexpr Address function_stride = 16;
// The limit of all GPUs ("Technical specifications per compute capability", CUDA C++ Programming
// Guide).
constexpr std::size_t max_constant_bytes = 65536;
// Limits the time to initialise variables when a module is loaded, which can't be cancelled.
constexpr std::size_t max_variable_bytes = std::size_t{256} << 20;

void check_room(const ptx::Variable& variable, std::size_t taken, std::size_t max_bytes,
                std::string_view kind, std::string_view holder)
{
    if (taken <= max_bytes && variable.size_bytes() <= max_bytes - taken) return;
    throw device::LaunchError(
        fmt::format("The {} of this text take more than the {} bytes that {} "
                    "has for them: {} alone takes {}. Make it smaller, or pass a "
                    "buffer.",
                    kind, max_bytes, holder, variable.name, variable.size_bytes()));
}

} // namespace

Address function_address(std::size_t index)
{
    return code_window + function_stride * (index + 1);
}

int function_at(Address address, std::size_t count)
{
    if (address < code_window + function_stride || (address - code_window) % function_stride != 0)
        return -1;
    const Address index = (address - code_window) / function_stride - 1;
    return index < count ? static_cast<int>(index) : -1;
}

Symbols::Symbols(const ptx::Module& module, Memory& memory) : memory_(memory)
{
    for (std::size_t i = 0; i < module.functions.size(); ++i)
        if (!module.functions[i].is_declaration)
            places_[module.functions[i].name] = {ptx::Space::none, function_address(i)};
    for (const ptx::Variable& variable : module.variables) place(variable);
    for (const ptx::Variable& variable : module.variables) {
        const Place* found = find(variable.name);
        if (found == nullptr || variable.is_extern) continue;
        if (found->space == ptx::Space::constant)
            initialise(variable,
                       std::span(constants_).subspan(found->address, variable.size_bytes()));
        else if (found->space == ptx::Space::global)
            initialise(variable, memory_.range(found->address, variable.size_bytes()));
    }
}

Symbols::~Symbols()
{
    for (Address address : allocated_) memory_.release(address);
}

device::Variable Symbols::host_variable(const std::string& name)
{
    const auto size = sizes_.find(name);
    if (size == sizes_.end()) return {};
    const Place& place = places_.at(name);
    if (place.space == ptx::Space::global) return {place.address, size->second};
    if (constants_for_host_ == 0) {
        constants_for_host_ = memory_.adopt(constants_);
        allocated_.push_back(constants_for_host_);
    }
    return {constants_for_host_ + place.address, size->second};
}

void Symbols::place(const ptx::Variable& variable)
{
    if (variable.is_extern) return;
    if (variable.space == ptx::Space::global || variable.space == ptx::Space::constant)
        sizes_[variable.name] = variable.size_bytes();
    if (variable.space == ptx::Space::global) {
        check_room(variable, variable_bytes_, max_variable_bytes, "variables",
                   "the lockstep machine");
        variable_bytes_ += variable.size_bytes();
        const Address address = memory_.allocate(variable.size_bytes());
        memory_.mark_written(address, variable.size_bytes());
        allocated_.push_back(address);
        places_[variable.name] = {ptx::Space::global, address};
    } else if (variable.space == ptx::Space::constant) {
        const std::size_t offset = aligned(constants_.size(), variable.alignment);
        check_room(variable, offset, max_constant_bytes, "constant variables", "a GPU");
        constants_.resize(offset + variable.size_bytes());
        places_[variable.name] = {ptx::Space::constant, offset};
    }
}

void Symbols::initialise(const ptx::Variable& variable, std::span<std::byte> bytes)
{
    const std::size_t given = std::min(bytes.size(), variable.initial.size());
    std::ranges::copy(std::as_bytes(std::span(variable.initial)).first(given), bytes.begin());
    for (const ptx::Relocation& relocation : variable.relocations) {
        const Place* target = find(relocation.symbol);
        if (target == nullptr)
            throw device::LaunchError(
                fmt::format("The initial value of {} holds the address of {}, which is not "
                            "a variable or function of the PTX.",
                            variable.name, relocation.symbol));
        const Address address = (target->address + static_cast<Address>(relocation.addend) +
                                 (relocation.generic ? window(target->space) : 0)) >>
                                relocation.shift_bits;
        std::memcpy(bytes.data() + relocation.offset, &address,
                    static_cast<std::size_t>(relocation.size_bytes));
    }
}

const Symbols::Place* Symbols::find(const std::string& name) const
{
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
}

} // namespace lanescope::simt
