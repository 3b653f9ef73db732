// Global accesses whose address is a kernel's pointer plus a multiple of an index that is computed
// in 32 bits and then widened: i = blockIdx.x * blockDim.x + threadIdx.x, a[i]. The index is given
// as a sum of products, from which its exact value can be computed without wrapping.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// A 32-bit value from which an index is computed.
struct IndexLeaf {
    enum class Kind : std::uint8_t {
        special,   // a special register, such as %tid.x
        parameter, // 4 bytes of a kernel parameter
        reg,       // a register whose value is not computed from leaves of the other kinds
    };
    Kind kind = Kind::reg;
    std::string special{}; // "tid.x"
    int parameter = -1;    // index
    std::int64_t offset = 0;
    int reg = -1;

    friend auto operator<=>(const IndexLeaf&, const IndexLeaf&) = default;
};

struct IndexTerm {
    std::int64_t factor = 1;
    std::vector<int> leaves{}; // a product, as indices into WidenedIndex::leaves; empty: a constant
};

// The address is pointer + scale × index + offset.
struct WidenedIndex {
    int instruction = -1; // the access, in Function::instructions
    int pointer = -1;     // parameter that holds the pointer, at byte `pointer_offset`
    std::int64_t pointer_offset = 0;
    std::int64_t scale = 1;
    std::int64_t offset = 0;
    bool is_signed = true; // how the index is widened
    std::vector<IndexLeaf> leaves{};
    std::vector<IndexTerm> terms{};
};

// The accesses of a kernel whose index is computed by at least one addition, multiplication or
// shift.
std::vector<WidenedIndex> widened_indices(const Function& kernel);

// The same for one access, an index into Function::instructions.
std::optional<WidenedIndex> widened_index(const Function& kernel, int access);

} // namespace lanescope::ptx
