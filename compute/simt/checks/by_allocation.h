// What a launch knows of each allocation that it touches. A program may have thousands of them, or
// have had; a launch touches a few, and most of its accesses those that it touched before.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "compute/simt/machine/memory.h"

namespace lanescope::simt {

template <class Value>
class ByAllocation {
public:
    // Made where there is none; it stays where it is.
    Value& at(const Allocation& allocation)
    {
        Recent& recent = recent_[static_cast<std::size_t>(allocation.number) % recent_.size()];
        if (recent.begin != allocation.begin)
            recent = {allocation.begin, &values_[allocation.begin]};
        return *recent.value;
    }
    // Of the allocation that begins there; null where there is none.
    const Value* find(Address begin) const
    {
        const auto found = values_.find(begin);
        return found == values_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return values_.size(); }
    // Pairs of where an allocation begins and its value, in no order.
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

private:
    struct Recent {
        Address begin = 0; // no allocation begins there
        Value* value = nullptr;
    };
    std::array<Recent, 16> recent_{};
    std::unordered_map<Address, Value> values_; // by where it begins, which no other ever does
};

} // namespace lanescope::simt
