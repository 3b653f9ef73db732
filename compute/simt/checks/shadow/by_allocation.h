// Per-launch state of each touched allocation. A program may have thousands of allocations, live or
// freed; a launch touches only a few, mostly those it touched recently.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "compute/simt/machine/memory/memory.h"

namespace lanescope::simt {

template <class Value>
class ByAllocation {
public:
    // Returns the allocation's value, created on first use. References stay valid.
    Value& at(const Allocation& allocation)
    {
        Recent& recent = recent_[static_cast<std::size_t>(allocation.number) % recent_.size()];
        if (recent.begin != allocation.begin)
            recent = {allocation.begin, &values_[allocation.begin]};
        return *recent.value;
    }
    // Value of the allocation that starts at `begin`; null if there is none.
    const Value* find(Address begin) const
    {
        const auto found = values_.find(begin);
        return found == values_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return values_.size(); }
    // Iterates over (start address, value) in no particular order.
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

private:
    struct Recent {
        Address begin = 0; // 0 is never the start of an allocation
        Value* value = nullptr;
    };
    std::array<Recent, 16> recent_{};
    std::unordered_map<Address, Value> values_; // keyed by start address, never reused
};

} // namespace lanescope::simt
