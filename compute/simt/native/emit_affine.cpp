// Most blocks are wide enough that a warp's lanes are consecutive in x. A value of an octet region
// is then affine over the whole warp: one number and a constant step per lane, computed by one
// instruction. Values are kept in general registers; only values needed per lane go through memory.
// Predicates are all ones or zero.
#include "compute/simt/native/emit_affine.h"

#if defined(LANESCOPE_NATIVE)

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::native {

using namespace Xbyak::util;

namespace {

constexpr std::array<int, 6> pool{Operand::RDX, Operand::RSI, Operand::RDI,
                                  Operand::R8,  Operand::R9,  Operand::R10};
// rax, rcx and r11 are temporaries.
constexpr std::int64_t last_lane = warp_lanes - 1;
constexpr auto near_jump = Xbyak::CodeGenerator::T_NEAR;

Xbyak::Reg general(int index, std::uint8_t bytes)
{
    if (bytes == 8) return Reg64(index);
    return Reg32(index);
}

int activation_values(std::uint32_t value)
{
    return offset_in(&Activation::values) + static_cast<int>(octet_bytes * value);
}

bool copies(const Step& step)
{
    const Operation operation = step.form->operation;
    return operation == Operation::move32 || operation == Operation::move64 ||
           (operation == Operation::move_predicate && step.inverted == 0);
}

} // namespace

AffineValues::AffineValues(Xbyak::CodeGenerator& code, const OctetRegion& region, bool observed)
    : c_(code), region_(region), observed_(observed), last_use_(region.values.size()),
      lanes_need_(region.values.size()), stored_(region.values.size())
{
    held_.fill(no_index);
    note_uses();
    note_lanes();
}

OctetSource AffineValues::root(OctetSource of) const
{
    while (of.value != no_index) {
        const OctetValue& value = region_.values[of.value];
        if (value.step == no_index || !copies(step_of(value))) break;
        of = value.source[0];
    }
    return of;
}

void AffineValues::note_uses()
{
    const auto use = [&](const OctetSource& of, std::size_t step) {
        const OctetSource from = root(of);
        if (from.value != no_index) last_use_[from.value] = std::max(last_use_[from.value], step);
    };
    for (const OctetValue& value : region_.values)
        if (value.step != no_index)
            for (const OctetSource& of : value.source) use(of, value.step);
    for (const OctetBranch& branch : region_.branches) use(branch.guard, branch.step);
    for (const OctetAccess& access : region_.accesses) {
        use(access.address, access.step);
        use(access.guard, access.step);
    }
}

// Finds the values that per-lane steps read, and those that rows must hold after the region.
void AffineValues::note_lanes()
{
    std::map<RowRef, std::uint32_t> rows;
    const auto need = [&](RowRef row) {
        const auto found = rows.find(row);
        if (found == rows.end()) return;
        const OctetSource from = root(found->second);
        if (from.value != no_index) lanes_need_[from.value] = true;
    };
    for (const Step& step : region_.steps) {
        if (step.value == no_index && step.form != nullptr) {
            for (std::size_t i = 0; i < step.form->sources; ++i) need(step.source[i]);
            need(step.guard);
            if (step.guard != no_row) need(step.d), need(step.d2);
        }
        // For an access by lanes, the source is its addresses.
        if (step.form == nullptr) need(step.source[0]);
        rows.erase(step.d);
        rows.erase(step.d2);
        if (step.value != no_index) rows[step.d] = step.value;
    }
    for (const RowRef row : region_.live) need(row);
}

Address AffineValues::slot(std::uint32_t value, std::uint8_t bytes) const
{
    const int at = activation_values(value);
    return bytes == 8 ? qword[rbx + at] : dword[rbx + at];
}

void AffineValues::emit(Label& otherwise)
{
    otherwise_ = &otherwise;
    keep_inputs();
    std::size_t access = 0, branch = 0;
    const auto emit_checks_before = [&](std::size_t step) {
        at_ = step;
        for (; branch < region_.branches.size() && region_.branches[branch].step <= step; ++branch)
            require_uniform(region_.branches[branch].instruction->guard_negated,
                            region_.branches[branch].guard);
        for (; access < region_.accesses.size() && region_.accesses[access].step <= step; ++access)
            reach(region_.accesses[access], access);
    };
    for (std::size_t i = 0; i < region_.steps.size(); ++i) {
        emit_checks_before(i);
        if (region_.steps[i].value != no_index) step(region_.steps[i].value);
    }
    emit_checks_before(region_.steps.size());
}

void AffineValues::keep_inputs()
{
    for (std::uint32_t i = 0; i < region_.values.size(); ++i) {
        const OctetValue& input = region_.values[i];
        if (input.step != no_index || !lanes_need_[i]) continue;
        c_.mov(general(Operand::RAX, input.bytes), row_place(input.row));
        c_.mov(slot(i, input.bytes), general(Operand::RAX, input.bytes));
    }
}

// --- Registers ---

int AffineValues::take()
{
    int chosen = -1;
    std::size_t latest = 0;
    for (int i = 0; i < static_cast<int>(pool.size()); ++i) {
        if ((pinned_ >> i & 1u) != 0) continue;
        const std::uint32_t value = held_[static_cast<std::size_t>(i)];
        const bool free = value == no_index || last_use_[value] < at_;
        const std::size_t use = free ? ~std::size_t{0} : last_use_[value];
        if (chosen >= 0 && use <= latest) continue;
        chosen = i;
        latest = use;
    }
    if (chosen < 0) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
    if (latest != ~std::size_t{0}) store(chosen);
    held_[static_cast<std::size_t>(chosen)] = no_index;
    return chosen;
}

void AffineValues::store(int place)
{
    const std::uint32_t value = held_[static_cast<std::size_t>(place)];
    if (stored_[value]) return;
    stored_[value] = true;
    c_.mov(slot(value, 8), Reg64(pool[static_cast<std::size_t>(place)]));
}

Scalar AffineValues::source(const OctetSource& of, std::uint8_t bytes)
{
    const OctetSource from = root(of);
    Scalar scalar;
    const auto row = [&] {
        const Address at = row_place(from.row);
        scalar.memory = bytes == 8 ? qword[at.getRegExp()] : dword[at.getRegExp()];
        return scalar;
    };
    if (from.value == no_index) return row();
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i] != from.value) continue;
        pinned_ |= 1u << i;
        scalar.reg = general(pool[i], bytes);
        return scalar;
    }
    if (region_.values[from.value].step == no_index) return row();
    scalar.memory = slot(from.value, bytes);
    return scalar;
}

// Returns source operand i of the value, inverted if the step negates it.
Scalar AffineValues::source(const OctetValue& value, std::size_t i, int spare)
{
    const Step& step = step_of(value);
    const Scalar from = source(value.source[i], step.form->source[i]);
    if ((step.inverted >> i & 1u) == 0) return from;
    Scalar inverted;
    inverted.reg = Reg32(spare);
    c_.mov(Reg32(spare), from);
    c_.not_(Reg32(spare));
    return inverted;
}

// --- Values ---

void AffineValues::step(std::uint32_t index)
{
    const OctetValue& value = region_.values[index];
    if (copies(step_of(value))) return;
    if (last_use_[index] == 0 && !lanes_need_[index]) return;
    pinned_ = 0;
    for (std::size_t i = 0; i < step_of(value).form->sources; ++i)
        if (step_of(value).source[i] != no_row) source(value.source[i], 4);
    const int place = take();
    pinned_ |= 1u << place;
    const int to = pool[static_cast<std::size_t>(place)];
    if (compares(*step_of(value).form))
        compare(value, to);
    else
        arithmetic(value, to);
    held_[static_cast<std::size_t>(place)] = index;
    if (lanes_need_[index]) store(place);
}

void AffineValues::arithmetic(const OctetValue& value, int to)
{
    const Operation operation = step_of(value).form->operation;
    const Xbyak::Reg d = general(to, value.bytes);
    const auto first = [&] { c_.mov(d, source(value, 0, Operand::RAX)); };
    const auto second = [&] { return source(value, 1, Operand::RCX); };
    switch (operation) {
    case Operation::move_predicate: first(); break;
    case Operation::not32:
    case Operation::not64:
    case Operation::not_predicate: first(), c_.not_(d); break;
    case Operation::add32:
    case Operation::add64: first(), c_.add(d, second()); break;
    case Operation::sub32:
    case Operation::sub64: first(), c_.sub(d, second()); break;
    case Operation::and32:
    case Operation::and64:
    case Operation::and_predicate: first(), c_.and_(d, second()); break;
    case Operation::or32:
    case Operation::or64:
    case Operation::or_predicate: first(), c_.or_(d, second()); break;
    case Operation::xor32:
    case Operation::xor64:
    case Operation::xor_predicate: first(), c_.xor_(d, second()); break;
    case Operation::min_s32: first(), c_.cmp(d, second()), c_.cmovg(d, second()); break;
    case Operation::max_s32: first(), c_.cmp(d, second()), c_.cmovl(d, second()); break;
    case Operation::min_u32: first(), c_.cmp(d, second()), c_.cmova(d, second()); break;
    case Operation::max_u32: first(), c_.cmp(d, second()), c_.cmovb(d, second()); break;
    case Operation::low_half: c_.mov(d, source(value.source[0], 4)); break;
    case Operation::extend_u32:
    case Operation::extend_s32: extend(value, to); break;
    case Operation::select32:
    case Operation::select64: select(value, to); break;
    case Operation::left32:
    case Operation::left64:
    case Operation::right_u32:
    case Operation::right_u64:
    case Operation::right_s32: shift(value, to); break;
    default: multiply(value, to); break;
    }
}

void AffineValues::multiply(const OctetValue& value, int to)
{
    const Operation operation = step_of(value).form->operation;
    const Xbyak::Reg d = general(to, value.bytes);
    const auto plus = [&] { c_.add(d, source(value, 2, Operand::RAX)); };
    switch (operation) {
    case Operation::multiply32:
    case Operation::multiply_add32:
    case Operation::multiply64:
        c_.mov(d, source(value, 0, Operand::RAX));
        c_.imul(d, source(value, 1, Operand::RCX));
        if (operation == Operation::multiply_add32) plus();
        return;
    case Operation::wide_s32:
    case Operation::wide_add_s32:
        check_no_wrap(value.source[0], false, true);
        check_no_wrap(value.source[1], false, true);
        c_.movsxd(Reg64(to), source(value, 0, Operand::RAX));
        c_.movsxd(rax, source(value, 1, Operand::RCX));
        break;
    case Operation::wide_u32:
    case Operation::wide_add_u32:
        check_no_wrap(value.source[0], false, false);
        check_no_wrap(value.source[1], false, false);
        c_.mov(Reg32(to), source(value, 0, Operand::RAX));
        c_.mov(eax, source(value, 1, Operand::RCX));
        break;
    default: throw Xbyak::Error(Xbyak::ERR_INTERNAL);
    }
    c_.imul(d, rax);
    if (step_of(value).form->sources > 2) plus();
}

// Shifting by the width or more leaves zero, or the sign.
void AffineValues::shift(const OctetValue& value, int to)
{
    const Operation operation = step_of(value).form->operation;
    const Xbyak::Reg d = general(to, value.bytes);
    c_.mov(ecx, source(value, 1, Operand::RCX));
    if (operation == Operation::right_s32) {
        c_.mov(eax, 31);
        c_.cmp(ecx, eax);
        c_.cmova(ecx, eax);
        c_.mov(d, source(value, 0, Operand::RAX));
        c_.sar(d, cl);
        return;
    }
    c_.mov(d, source(value, 0, Operand::RAX));
    const bool left = operation == Operation::left32 || operation == Operation::left64;
    left ? c_.shl(d, cl) : c_.shr(d, cl);
    c_.xor_(eax, eax);
    c_.cmp(ecx, 8 * value.bytes);
    c_.cmovae(d, general(Operand::RAX, value.bytes));
}

void AffineValues::select(const OctetValue& value, int to)
{
    const Xbyak::Reg d = general(to, value.bytes);
    c_.mov(d, source(value, 1, Operand::RCX));
    c_.cmp(source(value.source[2], 0), 0);
    const bool inverted = (step_of(value).inverted >> 2 & 1u) != 0;
    inverted ? c_.cmovz(d, source(value, 0, Operand::RAX))
             : c_.cmovnz(d, source(value, 0, Operand::RAX));
}

void AffineValues::extend(const OctetValue& value, int to)
{
    const bool is_signed = step_of(value).form->operation == Operation::extend_s32;
    check_no_wrap(value.source[0], false, is_signed);
    if (is_signed)
        c_.movsxd(Reg64(to), source(value.source[0], 4));
    else
        c_.mov(Reg32(to), source(value.source[0], 4));
}

// --- Comparisons ---

namespace {

bool compares_signed(const Form& form)
{
    return form.operation == Operation::compare_s32 || form.operation == Operation::compare_s64 ||
           form.operation == Operation::compare_s16;
}

} // namespace

// Compares the operands of this lane, setting the processor's flags.
void AffineValues::order_lane(const OctetValue& value, std::int64_t lane)
{
    const Form& form = *step_of(value).form;
    const bool halves =
        form.operation == Operation::compare_s16 || form.operation == Operation::compare_u16;
    const auto operand = [&](const OctetSource& of, int spare) {
        Scalar from = source(of, form.source[0]);
        const std::int64_t on = lane * of.apart;
        if (on == 0 && !halves && !(spare == Operand::RAX && from.memory)) return from;
        Scalar there;
        there.reg = general(spare, form.source[0]);
        c_.mov(there.reg, from);
        if (on != 0) c_.add(there.reg, static_cast<std::uint32_t>(on));
        if (halves) // the upper halves are undefined
            compares_signed(form) ? c_.movsx(Reg32(spare), Xbyak::Reg16(spare))
                                  : c_.movzx(Reg32(spare), Xbyak::Reg16(spare));
        return there;
    };
    const Scalar a = operand(value.source[0], Operand::RAX);
    const Scalar b = operand(value.source[1], Operand::RCX);
    c_.cmp(a, b);
}

// Sets the lowest byte of `to` to 1 or 0 according to the flags.
void AffineValues::set(Compare by, bool is_signed, const Reg32& to)
{
    const Xbyak::Reg8 low = to.cvt8();
    switch (by) {
    case Compare::eq: c_.sete(low); break;
    case Compare::ne: c_.setne(low); break;
    case Compare::lt: is_signed ? c_.setl(low) : c_.setb(low); break;
    case Compare::le: is_signed ? c_.setle(low) : c_.setbe(low); break;
    case Compare::gt: is_signed ? c_.setg(low) : c_.seta(low); break;
    case Compare::ge: is_signed ? c_.setge(low) : c_.setae(low); break;
    default: throw Xbyak::Error(Xbyak::ERR_INTERNAL);
    }
}

void AffineValues::compare(const OctetValue& value, int to)
{
    const Form& form = *step_of(value).form;
    const bool wide = form.source[0] == 8;
    const bool equality = form.compare == Compare::eq || form.compare == Compare::ne;
    const OctetSource &a = value.source[0], &b = value.source[1];
    const bool moves = a.apart != b.apart;
    if (!equality || moves) {
        check_no_wrap(a, wide, compares_signed(form));
        check_no_wrap(b, wide, compares_signed(form));
    }
    if (moves && equality) {
        meet(value, to);
    } else {
        order(value, to);
    }
    combine(value, to);
}

// Compares the first lane, and also the last one if the operands have different steps: their order
// changes at most once across the lanes.
void AffineValues::order(const OctetValue& value, int to)
{
    const Form& form = *step_of(value).form;
    const bool is_signed = compares_signed(form);
    const Reg32 d(to);
    order_lane(value, 0);
    set(form.compare, is_signed, d);
    if (value.source[0].apart != value.source[1].apart) {
        order_lane(value, last_lane);
        set(form.compare, is_signed, eax);
        c_.cmp(al, d.cvt8());
        c_.jne(*otherwise_, near_jump);
    }
    c_.movzx(d, d.cvt8());
    c_.neg(d);
}

// Two affine sequences with different steps are nowhere equal if they differ at both ends and don't
// cross.
void AffineValues::meet(const OctetValue& value, int to)
{
    const Form& form = *step_of(value).form;
    const bool is_signed = compares_signed(form);
    const Reg32 d(to);
    order_lane(value, 0);
    c_.je(*otherwise_, near_jump);
    set(Compare::gt, is_signed, d);
    order_lane(value, last_lane);
    c_.je(*otherwise_, near_jump);
    set(Compare::gt, is_signed, eax);
    c_.cmp(al, d.cvt8());
    c_.jne(*otherwise_, near_jump);
    c_.mov(d, form.compare == Compare::ne ? ~0u : 0u);
}

void AffineValues::combine(const OctetValue& value, int to)
{
    const Form& form = *step_of(value).form;
    if (form.boolean == Boolean::none) return;
    const Scalar with = source(value, 2, Operand::RCX);
    switch (form.boolean) {
    case Boolean::bit_and: c_.and_(Reg32(to), with); break;
    case Boolean::bit_or: c_.or_(Reg32(to), with); break;
    default: c_.xor_(Reg32(to), with); break;
    }
}

// --- Violated assumptions ---

// Fails if some lane of the source overflows its type.
void AffineValues::check_no_wrap(const OctetSource& of, bool wide, bool is_signed)
{
    if (of.apart == 0) return;
    const OctetSource from = root(of);
    const std::pair<std::uint32_t, bool> looked{from.value, is_signed};
    if (std::ranges::find(within_, looked) != within_.end()) return;
    within_.push_back(looked);
    const Xbyak::Reg last = general(Operand::RAX, wide ? 8 : 4);
    const auto way = static_cast<std::int32_t>(last_lane * std::abs(of.apart));
    c_.mov(last, source(of, wide ? 8 : 4));
    if (of.apart > 0)
        c_.add(last, static_cast<std::uint32_t>(way));
    else
        c_.sub(last, static_cast<std::uint32_t>(way));
    is_signed ? c_.jo(*otherwise_, near_jump) : c_.jc(*otherwise_, near_jump);
}

void AffineValues::require_uniform(bool set, const OctetSource& predicate)
{
    c_.cmp(source(predicate, 0), 0);
    set ? c_.je(*otherwise_, near_jump) : c_.jne(*otherwise_, near_jump);
}

// Checks that the access and those that it leads are aligned and inside the allocation that it hit
// last, and that all lanes execute it.
void AffineValues::reach(const OctetAccess& made, std::size_t index)
{
    if (made.guard.row != no_row) require_uniform(!made.guard_negated, made.guard);
    if (made.lanes != no_index || made.lead != index) return;
    const Access& access = *made.access;
    const auto at = static_cast<int>(octet_bytes * index);
    const std::int64_t last = last_lane * made.address.apart;
    const std::uint8_t bytes = access.kind == AddressKind::row64 ? 8 : 4;
    const Xbyak::Reg address = general(Operand::RAX, bytes);
    c_.mov(address, source(made.address, bytes));
    if (access.offset != 0) c_.add(address, static_cast<std::uint32_t>(access.offset));
    if (observed_) c_.mov(qword[rbx + offset_in(&Activation::addresses) + at], rax);
    find_place(c_, access,
               {static_cast<std::int32_t>(std::min<std::int64_t>(last, 0) + made.lowest),
                static_cast<std::uint32_t>(std::abs(last) + access.width_bytes + made.highest -
                                           made.lowest)},
               r11, *otherwise_);
    c_.mov(qword[rbx + offset_in(&Activation::places) + at], rax);
}

void find_place(Xbyak::CodeGenerator& c, const Access& access, Extent extent, const Reg64& spare,
                Label& otherwise)
{
    const auto hit = static_cast<int>(access.cache * sizeof(Region));
    const bool shared = access.space == ptx::Space::shared;
    const auto low = static_cast<std::uint32_t>(extent.low);
    if (access.width_bytes > 1) {
        c.test(al, access.width_bytes - 1u);
        c.jnz(otherwise, near_jump);
    }
    // rax: offset of its lowest byte in that allocation; rcx: the maximum allowed.
    if (low != 0) c.add(rax, low);
    if (shared) {
        c.mov(rcx, qword[rbx + offset_in(&Activation::shared_bytes)]);
    } else {
        c.mov(spare, qword[rbx + offset_in(&Activation::hits)]);
        c.sub(rax, qword[spare + hit + offset_in(&Region::begin)]);
        c.mov(rcx, qword[spare + hit + offset_in(&Region::end)]);
        c.sub(rcx, qword[spare + hit + offset_in(&Region::begin)]);
    }
    c.sub(rcx, extent.bytes);
    c.jl(otherwise, near_jump);
    c.cmp(rax, rcx);
    c.ja(otherwise, near_jump);
    if (shared)
        c.add(rax, qword[rbx + offset_in(&Activation::shared)]);
    else
        c.add(rax, qword[spare + hit + offset_in(&Region::host)]);
    if (low != 0) c.sub(rax, low);
}

} // namespace lanescope::simt::native

#endif
