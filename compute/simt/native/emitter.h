// State of the x86-64 (AVX2) emitter while it compiles a function.
#pragma once

#include "compute/process/calling_convention.h"
#include "compute/simt/native/emit.h"

#if defined(LANESCOPE_NATIVE)

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include <xbyak/xbyak.h>

namespace lanescope::simt::native {

using rows::Boolean;
using rows::Compare;
using Xbyak::Address;
using Xbyak::Label;
using Xbyak::Operand;
using Xbyak::Reg32;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Xbyak::Ymm;

constexpr int strips = 4;
constexpr int value_registers = 13;                      // the remaining three are temporaries
constexpr std::size_t max_bytes = std::size_t{16} << 20; // limit per function

constexpr std::uint32_t offset_of(RowRef row)
{
    return row & ~3u;
}
constexpr RowBase base_of(RowRef row)
{
    return static_cast<RowBase>(row & 3u);
}

// A value of the strip in registers: one, or two of four lanes each for 64-bit lanes.
struct Held {
    RowRef row = no_row;
    std::uint8_t bytes = 4;
    std::array<int, 2> reg{-1, -1};
    bool dirty = false;     // not yet written to memory
    bool unsettled = false; // f32: NaNs may not be canonical yet
    int parts() const { return bytes == 8 ? 2 : 1; }
};

// A source operand: registers, or memory addresses.
struct Source {
    bool memory = false;
    std::array<int, 2> reg{-1, -1};
    std::array<std::optional<Address>, 2> address;
};

// Address of a row: each kind of row has a base register.
inline Address row_place(RowRef row, int disp = 0)
{
    using namespace Xbyak::util;
    const int offset = static_cast<int>(offset_of(row)) + disp;
    switch (base_of(row)) {
    case RowBase::constants: return ptr[r13 + offset];
    case RowBase::specials: return ptr[r14 + offset];
    default: return ptr[r12 + offset];
    }
}

template <class Object, class T>
int offset_in(T Object::*member)
{
    static const Object sample{};
    return static_cast<int>(reinterpret_cast<const std::byte*>(&(sample.*member)) -
                            reinterpret_cast<const std::byte*>(&sample));
}

constexpr std::size_t octet_bytes = sizeof(Activation::Octet);

const Xbyak::Reg64 first_argument(calling_convention.first),
    second_argument(calling_convention.second), third_argument(calling_convention.third);

class AffineValues;

class Emitter : Xbyak::CodeGenerator {
public:
    Emitter(const Plan& plan, const Variant& variant, const Helpers& helpers)
        : Xbyak::CodeGenerator(std::size_t{1} << 16, Xbyak::AutoGrow), plan_(plan),
          code_(plan.function->code), variant_(variant), helpers_(helpers), places_(code_.size())
    {
    }
    ~Emitter();
    Code run();

private:
    // --- The function and its items ---
    void begin();
    void set_lanes();
    void end();
    void stubs();
    void numbers();
    void handler(int pc);
    void row_function(int pc);
    void branch(int pc);
    void report_branch(const Instruction& in);
    void call_for_branch(const Instruction& in);
    void mark(int pc);
    void call_handler(const Instruction& in);
    void call(const void* function);
    void take_branch(int target);
    Address row_address(RowRef row, int disp = 0);
    template <class T>
    Address field(T Activation::*member);
    template <class T>
    Address field32(T Activation::*member)
    {
        return dword[field(member).getRegExp()];
    }

    // --- An octet region (emit_octets.cpp) ---
    void octets(const OctetRegion& region);
    void region_form(const OctetRegion& region, RegionForm form);
    void continue_after(const OctetRegion& region);
    void leave_straight(Leave how);
    void report_accesses(const OctetRegion& region, RegionForm form);
    void prefetch_loads(const OctetRegion& region);
    void forget_groups(const OctetRegion& region);
    void affine_values(const OctetRegion& region);
    void find_affine(const OctetValue& value);
    int lane_offset(std::int32_t apart) const; // displacement from an access's pointer
    // Address of the strip's first lane in the access's lead, minus lane_offset().
    Address access_place(std::size_t index);
    // An access by lanes (emit_lanes.cpp).
    struct LaneAccess {
        const OctetAccess* made = nullptr;
        int strip = 0;
        std::array<int, 2> address{-1, -1};
        std::array<int, 2> to{-1, -1};
        std::uint8_t bytes = 4;
        bool wide() const { return made->access->kind == AddressKind::row64; }
    };
    void lane_access(const Step& step, std::size_t index);
    void lane_load(LaneAccess load, const Step& step, std::size_t index);
    void lane_store(const OctetAccess& made);
    void keep_lane_addresses(const LaneAccess& access, bool inside);
    void check_neighbours(const LaneAccess& load, Label& scattered);
    void compute_host_distance(const Access& access, const Reg64& way);
    void load_scattered(const LaneAccess& load);
    void lane_addresses(const LaneAccess& load, int part);
    void check_inside(const LaneAccess& load);
    void octet_values(const OctetRegion& region);
    void find_octets(const OctetValue& value, std::uint32_t index);
    void octet_step(const OctetValue& value, std::uint32_t index);
    void octet_arithmetic(const OctetValue& value, int to);
    void octet_multiply(const OctetValue& value, int to);
    void octet_compare(const OctetValue& value, std::uint32_t index, int to);
    void octet_order(const Form& form, int to, int a, int b);
    void reach(const OctetAccess& made, std::size_t index);
    void require_uniform(bool set, const OctetSource& predicate);
    void octet_load(const Step& step, std::size_t index);
    void octet_store(const OctetAccess& made, std::size_t index);
    void store_fours(const OctetAccess& made);
    void store_words(const OctetAccess& made);
    void expand(RowRef row, std::uint8_t bytes, const std::array<int, 2>& to);
    void write_octets();           // writes the strip's values to live rows
    void write_octet_predicates(); // writes the predicates of all strips
    void check_no_wrap(const OctetSource& of, bool wide, bool is_signed);
    int octet_source(const OctetValue& value, std::size_t i, int spare);
    int octet_source(const OctetSource& of, std::uint8_t bytes, int spare);
    void record_violation(int reg, bool wide); // records a violation where any bit is set
    Address lane_steps(std::int32_t apart, int strip = 0);
    Address long_lane_steps(std::int32_t apart, int part, int strip = 0);
    template <class T>
    int offset(T Activation::*member, std::size_t bytes = 0)
    {
        static const Activation sample{};
        return static_cast<int>(reinterpret_cast<const std::byte*>(&(sample.*member)) -
                                reinterpret_cast<const std::byte*>(&sample)) +
               static_cast<int>(bytes);
    }

    // --- A stretch ---
    void region(const LoadRegion& region);
    void stretch(const std::vector<Step>& steps, const std::vector<RowRef>& live);
    void plan_stores();
    void strip();
    void load(const Step& step, std::size_t index);
    void give(std::size_t index, RowRef row, Held value);
    void release_dead_values(std::size_t index);
    void step(std::size_t index);
    void compute(const Step& step, std::size_t index, const std::array<int, 2>& d);
    // A step with its sources.
    struct Work {
        const Step& step;
        std::size_t index;
        const std::array<int, 2>& to;
        Source a, b, c;
        int parts() const { return step.form->destination == 8 ? 2 : 1; }
    };
    bool compute_predicates(const Work& work);
    bool compute_words(const Work& work);
    void high_halves(const Work& work, bool is_signed);
    void wide_products(const Work& work, bool is_signed);
    bool compute_long_words(const Work& work);
    bool compute_bits(const Work& work);
    bool compute_floats(const Work& work);
    bool compute_doubles(const Work& work);
    bool compute_to_floats(const Work& work);
    bool compute_to_integers(const Work& work);
    bool compute_by_one(const Work& work);
    template <class Emit>
    void unary(const Work& work, Emit emit);
    template <class Emit>
    void binary(const Work& work, Emit emit);
    void shift_amounts(const Work& work, const Ymm& out);
    void compare(const Step& step, std::size_t index, int d, int d2);
    void compare_floats(const Form& form, const Source& a, const Source& b, const Ymm& out,
                        int part);
    bool compare_halves(const Form& form, const Source& a, const Source& b, const Ymm& out);
    bool compare_integers(const Form& form, const Source& a, const Source& b, const Ymm& out,
                          int part);
    bool is_read_later(RowRef row, std::size_t after) const;
    std::size_t next_use(RowRef row, std::size_t after) const;
    int take();
    Held* find(RowRef row);
    void drop(RowRef row);
    Held& hold(RowRef row, std::uint8_t bytes);
    Source get(RowRef row, std::uint8_t bytes, std::size_t index, bool settled = true,
               bool in_register = false);
    void settle(Held& held);
    void spill(Held& held);
    void store(const Held& held);
    void load_predicate(int reg, RowRef row);
    Address strip_address(RowRef row, std::uint8_t bytes, int part);
    void lanes_of(int reg, std::uint8_t bytes, int part); // mask of active lanes
    int source_predicate(const Step& step, std::size_t i, std::size_t index);
    void invert(int to, int from);
    void wide_mask(int to, int predicate, int part);
    void widen(int to, const Source& source, int part, bool is_signed);
    void settle_register(int reg);
    void divide(const Step& step, const Source& a, const Source& b, int to);
    void quieten(const Ymm& result, const Operand& given);
    void reduce_masks(int d, int low, int high);

    const Operand& operand(const Source& source, int part = 0)
    {
        if (source.memory) return *source.address[static_cast<std::size_t>(part)];
        operands_[next_operand_ = (next_operand_ + 1) % operands_.size()] =
            Ymm(source.reg[static_cast<std::size_t>(part)]);
        return operands_[next_operand_];
    }
    // Returns the value's register, or loads it into `spare`.
    Ymm reg(const Source& source, int spare, int part = 0)
    {
        if (!source.memory) return Ymm(source.reg[static_cast<std::size_t>(part)]);
        vmovups(Ymm(spare), *source.address[static_cast<std::size_t>(part)]);
        return Ymm(spare);
    }
    Address words(std::uint32_t value);      // constant, repeated eight times
    Address long_words(std::uint64_t value); // constant, repeated four times
    Address lane_bits();

    const Plan& plan_;
    const std::vector<Instruction>& code_;
    Variant variant_;
    Helpers helpers_;
    std::vector<Label> places_; // indexed by pc
    Label leave_;
    Label generic_entry_; // start of the items of a straight-line kernel's region
    struct Stub {
        Label label;
        Label back;
        int pc = 0;
        enum class Kind : std::uint8_t {
            slice_over,
            mixed_branch,
            mark,
            one_word,
            miss,
            scattered,
            reported_branch
        } kind{};
        LaneAccess load{};          // scattered: the load
        Label* otherwise = nullptr; // scattered: jump target if an assumption fails
        int reg = -1;               // one_word: destination register
        int offset = 0;             // one_word: added to rax; miss: offset of its counter
    };
    std::vector<std::unique_ptr<Stub>> stubs_;
    std::map<std::uint32_t, Label> words_;
    std::map<std::uint64_t, Label> long_words_;
    std::optional<Label> lane_bits_;
    std::array<Ymm, 16> operands_;
    std::size_t next_operand_ = 0;

    std::map<std::int32_t, Label> lane_steps_, long_lane_steps_;

    // State of the octet region being emitted.
    const OctetRegion* octets_ = nullptr;
    std::unique_ptr<AffineValues> affine_;       // whole-warp form only; null for per-octet forms
    Label* otherwise_ = nullptr;                 // jump target if the form's assumptions fail
    std::map<RowRef, std::uint32_t> octet_rows_; // last value of each row
    std::array<std::uint32_t, 11> octet_regs_{}; // value held by each register
    std::size_t next_octet_reg_ = 0;

    // State of the stretch and strip being emitted.
    const std::vector<Step>* steps_ = nullptr;
    const std::vector<RowRef>* live_ = nullptr;
    int strip_ = 0;
    std::vector<Held> held_;
    std::uint32_t busy_ = 0;   // registers in use
    std::uint32_t pinned_ = 0; // registers used by the current step
    std::size_t at_ = 0;       // the current step
    // Per step, whether each result (1: d, 2: d2) is the last value of its row and needed.
    std::vector<std::uint8_t> stores_;
    std::map<RowRef, Reg32> gathered_; // predicates assembled strip by strip
};

template <class T>
Address Emitter::field(T Activation::*member)
{
    static const Activation sample{};
    const auto disp = static_cast<int>(reinterpret_cast<const std::byte*>(&(sample.*member)) -
                                       reinterpret_cast<const std::byte*>(&sample));
    return ptr[rbx + disp];
}

} // namespace lanescope::simt::native

#endif
