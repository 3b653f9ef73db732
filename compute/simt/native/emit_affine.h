// Values of an octet region for warps that are affine as a whole: one number in a general register
// stands for all 32 lanes.
#pragma once

#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

namespace lanescope::simt::native {

// A source operand: a general register, or memory.
struct Scalar {
    Xbyak::Reg reg;
    std::optional<Address> memory;
    operator const Operand&() const
    {
        if (memory) return *memory;
        return reg;
    }
};

// Converts a lane's address in rax to its host address. Jumps to `otherwise` if the access,
// extended by `extent`, leaves the allocation that it hit last, or is misaligned. Clobbers rcx and
// `spare`.
struct Extent {
    std::int32_t low = 0;
    std::uint32_t bytes = 0; // starting at `low`
};
void find_place(Xbyak::CodeGenerator& code, const Access& access, Extent extent, const Reg64& spare,
                Label& otherwise);

class AffineValues {
public:
    AffineValues(Xbyak::CodeGenerator& code, const OctetRegion& region, bool observed);
    // Requires that the rows read by the region have been checked. Afterwards Activation::values
    // holds the values that lanes need, Activation::places the first lane's host address of each
    // access and, if observed, Activation::addresses that lane's address in its space. Jumps to
    // `otherwise`, before any side effect, if an assumption about a value or an access fails.
    void emit(Label& otherwise);
    // Follows copies to the original value.
    OctetSource root(OctetSource of) const;
    OctetSource root(std::uint32_t value) const
    {
        return root(OctetSource{no_row, value, region_.values[value].apart});
    }

private:
    void note_uses();
    void note_lanes();
    void keep_inputs();
    void step(std::uint32_t index);
    void arithmetic(const OctetValue& value, int to);
    void multiply(const OctetValue& value, int to);
    void shift(const OctetValue& value, int to);
    void select(const OctetValue& value, int to);
    void extend(const OctetValue& value, int to);
    void compare(const OctetValue& value, int to);
    void order_lane(const OctetValue& value, std::int64_t lane);
    void order(const OctetValue& value, int to);
    void meet(const OctetValue& value, int to);
    void set(rows::Compare by, bool is_signed, const Reg32& to);
    void combine(const OctetValue& value, int to);
    void check_no_wrap(const OctetSource& of, bool wide, bool is_signed);
    void require_uniform(bool set, const OctetSource& predicate);
    void reach(const OctetAccess& made, std::size_t index);
    int take();
    void store(int reg);
    Scalar source(const OctetSource& of, std::uint8_t bytes);
    Scalar source(const OctetValue& value, std::size_t i, int spare);
    Address slot(std::uint32_t value, std::uint8_t bytes) const;
    const Step& step_of(const OctetValue& value) const { return region_.steps[value.step]; }

    Xbyak::CodeGenerator& c_;
    const OctetRegion& region_;
    const bool observed_;
    Label* otherwise_ = nullptr;
    std::size_t at_ = 0;                // the current step
    std::vector<std::size_t> last_use_; // per value: the last step or access that uses it
    std::vector<bool> lanes_need_;      // per value: needed in each lane
    std::vector<bool> stored_;          // per value: its slot in memory is up to date
    std::array<std::uint32_t, 6> held_; // value held by each register of the pool
    std::uint32_t pinned_ = 0;          // bit mask of registers used by the current step
    // Values known not to overflow in any lane, with the signedness of the check.
    std::vector<std::pair<std::uint32_t, bool>> within_;
};

} // namespace lanescope::simt::native

#endif
