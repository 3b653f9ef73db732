// The values of an octet region for warps all of whose lanes are as far apart: one number in a
// general register stands for 32 of them.
#pragma once

#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

namespace lanescope::simt::native {

// A source at hand: a general register, or memory.
struct Scalar {
    Xbyak::Reg reg;
    std::optional<Address> memory;
    operator const Operand&() const
    {
        if (memory) return *memory;
        return reg;
    }
};

// rax becomes where a lane's bytes are on this machine, from their address; it goes to `otherwise`
// where the access reaches beyond what it hit last, from so far before to so many bytes behind, or
// is misaligned. Uses rcx and `spare`.
struct Extent {
    std::int32_t low = 0;
    std::uint32_t bytes = 0; // from there
};
void find_place(Xbyak::CodeGenerator& code, const Access& access, Extent extent, const Reg64& spare,
                Label& otherwise);

class AffineValues {
public:
    AffineValues(Xbyak::CodeGenerator& code, const OctetRegion& region, bool observed);
    // Rows that the region finds have been looked at. Behind it Activation::values has what lanes
    // need and Activation::places where the first lane of each access goes, as
    // Activation::addresses where somebody observes. Goes to `otherwise` before anything is done
    // where a value or an access is not as expected.
    void emit(Label& otherwise);
    // What the value is a copy of.
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
    void must_not_wrap(const OctetSource& of, bool wide, bool is_signed);
    void must_all_be(bool set, const OctetSource& predicate);
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
    std::size_t at_ = 0;                // the step at hand
    std::vector<std::size_t> last_use_; // by value: the last step or access that takes it
    std::vector<bool> lanes_need_;      // by value
    std::vector<bool> stored_;          // by value: its slot has it
    std::array<std::uint32_t, 6> held_; // by place in the pool: a value
    std::uint32_t pinned_ = 0;          // places that the step at hand needs
    // Values whose lanes are known to stay within their type's numbers.
    std::vector<std::pair<std::uint32_t, bool>> within_;
};

} // namespace lanescope::simt::native

#endif
