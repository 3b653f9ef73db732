// Code of an octet region: its forms, one after another, each starting with its values. Per-octet
// values of a warp are four numbers in one register: 32-bit ones and predicates (as masks) in the
// lower half. Nothing has a side effect until all values and accesses have been checked; ymm11 and
// ymm12 collect violations.
#include "compute/simt/native/emit_affine.h"
#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::native {

namespace {

constexpr int wrong32 = 11, wrong64 = 12;

// Xmm for 32-bit values and predicates, Ymm for 64-bit values.
Xmm four(int reg, bool wide)
{
    if (wide) return Ymm(reg);
    return Xmm(reg);
}

} // namespace

Address Emitter::lane_steps(std::int32_t apart, int strip)
{
    return ptr[rip + lane_steps_[apart] + strip * 32];
}
Address Emitter::long_lane_steps(std::int32_t apart, int part, int strip)
{
    return ptr[rip + long_lane_steps_[apart] + strip * 64 + part * 32];
}

void Emitter::record_violation(int reg, bool wide)
{
    if (wide)
        vpor(Ymm(wrong64), Ymm(wrong64), Ymm(reg));
    else
        vpor(Xmm(wrong32), Xmm(wrong32), Xmm(reg));
}

void Emitter::octets(const OctetRegion& region)
{
    region_form(region, RegionForm::whole_warps);
    if (region.by_lanes) region_form(*region.by_lanes, RegionForm::by_lanes);
    region_form(region, RegionForm::eights);
    if (region.begin == 0 && plan_.straight_steps != 0) {
        leave_straight(Leave::jump);
        L(generic_entry_);
    }
}

// Leaves if the warp is straight-line: it has no path, so code outside the region can't run it.
void Emitter::leave_straight(Leave how)
{
    Label has_path;
    cmp(byte[rbx + offset(&Activation::straight)], 0);
    je(has_path);
    mov(eax, static_cast<std::uint32_t>(how));
    jmp(leave_, T_NEAR);
    L(has_path);
}

void Emitter::continue_after(const OctetRegion& region)
{
    if (region.begin == 0 && plan_.straight_steps != 0) leave_straight(Leave::ended);
    jmp(places_[static_cast<std::size_t>(region.end)], T_NEAR);
}

// Falls through, without side effects, if the region's assumptions for this form fail.
void Emitter::region_form(const OctetRegion& region, RegionForm form)
{
    Label otherwise, turn;
    octets_ = &region;
    auto miss = std::make_unique<Stub>();
    miss->kind = Stub::Kind::miss;
    miss->pc = region.begin;
    miss->offset = static_cast<int>(4 * form_number(region.number, form));
    otherwise_ = &miss->label;
    mov(rax, field(&Activation::misses));
    cmp(dword[rax + miss->offset], max_misses);
    jb(turn, T_NEAR);
    dec(dword[rax + miss->offset]);
    jmp(otherwise, T_NEAR);
    L(turn);
    if (form == RegionForm::eights)
        octet_values(region);
    else
        affine_values(region);
    // Observers of per-lane accesses are notified afterwards, when the addresses are known.
    const bool reports_first = region.lane_accesses == 0;
    if (variant_.observed && reports_first) {
        prefetch_loads(region);
        report_accesses(region, form);
    }
    stretch(region.steps, region.live);
    if (variant_.observed && !reports_first) report_accesses(region, form);
    mov(rax, field(&Activation::misses));
    sub(dword[rax + miss->offset], 1);
    adc(dword[rax + miss->offset], 0);
    if (region.counted != 0) add(r15, region.counted);
    for (std::size_t i = 0; i < region.accesses.size(); ++i)
        if (region.accesses[i].instruction->kind == HandlerKind::store)
            octet_store(region.accesses[i], i);
    forget_groups(region);
    continue_after(region);
    L(miss->back);
    L(otherwise);
    stubs_.push_back(std::move(miss));
    affine_.reset();
    octets_ = nullptr;
}

// Observers take about as long as a cache miss.
void Emitter::prefetch_loads(const OctetRegion& region)
{
    constexpr std::size_t max_prefetched = 8; // accesses
    constexpr int line_bytes = 64;
    std::size_t prefetched = 0;
    for (std::size_t i = 0; i < region.accesses.size() && prefetched < max_prefetched; ++i) {
        const OctetAccess& made = region.accesses[i];
        if (made.instruction->kind != HandlerKind::load || made.lanes != no_index ||
            made.access->space == ptx::Space::shared)
            continue;
        ++prefetched;
        int from = -line_bytes; // displacement of the last prefetched line
        for (strip_ = 0; strip_ < strips; ++strip_) {
            const int disp = lane_offset(made.address.apart);
            if (affine_ && std::abs(disp - from) < line_bytes) continue;
            from = disp;
            if (!affine_ || strip_ == 0) mov(rax, access_place(i));
            prefetcht0(ptr[rax + disp + made.from_lead]);
        }
    }
}

void Emitter::report_accesses(const OctetRegion& region, RegionForm form)
{
    mov(first_argument, rbx);
    mov(second_argument, reinterpret_cast<std::uint64_t>(&region));
    mov(third_argument, r15);
    call(reinterpret_cast<const void*>(helpers_.report_region[static_cast<std::size_t>(form)]));
    Label reported;
    test(eax, eax);
    jz(reported, T_NEAR);
    cmp(eax, static_cast<std::uint32_t>(Leave::jump));
    je(*otherwise_, T_NEAR);
    jmp(leave_, T_NEAR);
    L(reported);
}

// Invalidates groups of the region's accesses, which handlers after
// the region would otherwise reuse.
void Emitter::forget_groups(const OctetRegion& region)
{
    if (!region.groups.empty()) {
        mov(rax, field(&Activation::groups));
        xor_(ecx, ecx);
        for (std::uint32_t group : region.groups) {
            const auto at = static_cast<int>(group * sizeof(AddressGroup));
            mov(ptr[rax + at + offset_in(&AddressGroup::entered)], rcx);
            mov(ptr[rax + at + offset_in(&AddressGroup::batch_entered)], rcx);
        }
    }
    for (std::uint32_t slot : region.slots) mov(byte[rbx + offset(&Activation::valid, slot)], 0);
}

// The mapping of lanes to threads is known at launch; rows read by the region are checked.
void Emitter::affine_values(const OctetRegion& region)
{
    affine_ = std::make_unique<AffineValues>(static_cast<Xbyak::CodeGenerator&>(*this), region,
                                             variant_.observed);
    bool threads = false, rows = false;
    for (const OctetValue& input : region.values) {
        if (input.step != no_index) continue;
        if (base_of(input.row) == RowBase::specials) {
            threads = true;
            continue;
        }
        if (!rows) vpxor(Ymm(wrong64), Ymm(wrong64), Ymm(wrong64));
        rows = true;
        find_affine(input);
    }
    if (threads) {
        cmp(byte[rbx + offset_in(&Activation::affine_threads)], 0);
        je(*otherwise_, T_NEAR);
    }
    if (rows) {
        vptest(Ymm(wrong64), Ymm(wrong64));
        jnz(*otherwise_, T_NEAR);
    }
    affine_->emit(*otherwise_);
}

// Checks that all lanes of a row have the expected distance from the first.
void Emitter::find_affine(const OctetValue& value)
{
    const bool wide = value.bytes == 8;
    wide ? vpbroadcastq(ymm14, row_address(value.row))
         : vpbroadcastd(ymm14, row_address(value.row));
    for (int strip = 0; strip < strips; ++strip) {
        for (int part = 0; part < (wide ? 2 : 1); ++part) {
            vmovdqu(ymm13, row_address(value.row, strip * 8 * value.bytes + part * 32));
            if (value.apart != 0)
                wide ? vpsubq(ymm13, ymm13, long_lane_steps(value.apart, part, strip))
                     : vpsubd(ymm13, ymm13, lane_steps(value.apart, strip));
            vpxor(ymm13, ymm13, ymm14);
            record_violation(13, true);
        }
    }
}

void Emitter::octet_values(const OctetRegion& region)
{
    octet_regs_.fill(no_index);
    vpxor(Xmm(wrong32), Xmm(wrong32), Xmm(wrong32));
    vpxor(Xmm(wrong64), Xmm(wrong64), Xmm(wrong64));
    for (std::uint32_t i = 0; i < region.values.size(); ++i)
        if (region.values[i].step == no_index) find_octets(region.values[i], i);
    std::size_t access = 0, branch = 0;
    const auto reach_before = [&](std::size_t step) {
        for (; branch < region.branches.size() && region.branches[branch].step <= step; ++branch)
            require_uniform(region.branches[branch].instruction->guard_negated,
                            region.branches[branch].guard);
        for (; access < region.accesses.size() && region.accesses[access].step <= step; ++access)
            reach(region.accesses[access], access);
    };
    for (std::size_t i = 0; i < region.steps.size(); ++i) {
        reach_before(i);
        const Step& step = region.steps[i];
        if (step.value != no_index) octet_step(region.values[step.value], step.value);
    }
    reach_before(region.steps.size());
    vpor(Ymm(wrong64), Ymm(wrong64), Ymm(wrong32));
    vptest(Ymm(wrong64), Ymm(wrong64));
    jnz(*otherwise_, T_NEAR);
}

// Loads the first lane of each octet of a row, and checks that the others have the expected
// distances.
void Emitter::find_octets(const OctetValue& value, std::uint32_t index)
{
    const bool wide = value.bytes == 8;
    for (int strip = 0; strip < strips; ++strip) {
        for (int part = 0; part < (wide ? 2 : 1); ++part) {
            vmovdqu(ymm13, row_address(value.row, strip * 8 * value.bytes + part * 32));
            if (value.apart != 0)
                wide ? vpsubq(ymm13, ymm13, long_lane_steps(value.apart, part))
                     : vpsubd(ymm13, ymm13, lane_steps(value.apart));
            if (part == 0) wide ? vpbroadcastq(ymm14, xmm13) : vpbroadcastd(ymm14, xmm13);
            vpxor(ymm13, ymm13, ymm14);
            record_violation(13, true);
        }
    }
    const auto at = [&](int strip) { return row_address(value.row, strip * 8 * value.bytes); };
    const Address slot = ptr[rbx + offset(&Activation::values, octet_bytes * index)];
    if (wide) {
        vmovq(xmm13, at(0));
        vpinsrq(xmm13, xmm13, at(1), 1);
        vmovq(xmm14, at(2));
        vpinsrq(xmm14, xmm14, at(3), 1);
        vinserti128(ymm13, ymm13, xmm14, 1);
        vmovdqu(slot, ymm13);
        return;
    }
    vmovd(xmm13, at(0));
    for (std::uint8_t strip = 1; strip < strips; ++strip) vpinsrd(xmm13, xmm13, at(strip), strip);
    vmovdqu(slot, xmm13);
}

int Emitter::octet_source(const OctetSource& of, std::uint8_t bytes, int spare)
{
    const bool wide = bytes == 8;
    if (of.value == no_index) {
        vmovdqu(four(spare, wide), row_address(of.row));
        return spare;
    }
    for (std::size_t reg = 0; reg < octet_regs_.size(); ++reg)
        if (octet_regs_[reg] == of.value) return static_cast<int>(reg);
    vmovdqu(four(spare, wide), ptr[rbx + offset(&Activation::values, octet_bytes * of.value)]);
    return spare;
}

// Returns source operand i of the value, inverted if the step negates it.
int Emitter::octet_source(const OctetValue& value, std::size_t i, int spare)
{
    const Step& step = octets_->steps[value.step];
    const int reg = octet_source(value.source[i], step.form->source[i], spare);
    if ((step.inverted >> i & 1u) == 0) return reg;
    vpxor(Xmm(spare), Xmm(reg), words(~0u));
    return spare;
}

void Emitter::octet_step(const OctetValue& value, std::uint32_t index)
{
    const auto reg = static_cast<int>(next_octet_reg_);
    next_octet_reg_ = (next_octet_reg_ + 1) % octet_regs_.size();
    // The register's old value may be a source, so compute into ymm15 first.
    const Form& form = *octets_->steps[value.step].form;
    if (compares(form))
        octet_compare(value, index, 15);
    else
        octet_arithmetic(value, 15);
    octet_regs_[static_cast<std::size_t>(reg)] = index;
    const bool wide = value.bytes == 8;
    vmovdqa(four(reg, wide), four(15, wide));
    vmovdqu(ptr[rbx + offset(&Activation::values, octet_bytes * index)], four(15, wide));
}

// Records a violation if some lane of the source overflows its type.
void Emitter::check_no_wrap(const OctetSource& of, bool wide, bool is_signed)
{
    if (of.apart == 0) return;
    const int from = octet_source(of, wide ? 8 : 4, 13);
    const Xmm first = four(13, wide), last = four(14, wide);
    if (wide) {
        if (!is_signed) {
            vpxor(first, four(from, wide), long_words(std::uint64_t{1} << 63));
        } else if (from != 13) {
            vmovdqa(first, four(from, wide));
        }
        vpaddq(last, first, long_words(static_cast<std::uint64_t>(std::int64_t{7} * of.apart)));
        of.apart > 0 ? vpcmpgtq(last, first, last) : vpcmpgtq(last, last, first);
    } else {
        if (!is_signed) {
            vpxor(first, four(from, wide), words(0x80000000u));
        } else if (from != 13) {
            vmovdqa(first, four(from, wide));
        }
        vpaddd(last, first, words(static_cast<std::uint32_t>(7 * of.apart)));
        of.apart > 0 ? vpcmpgtd(last, first, last) : vpcmpgtd(last, last, first);
    }
    record_violation(14, wide);
}

// Compares a with b as integers, giving a mask of the operand width in `to`. Clobbers nothing else.
void Emitter::octet_order(const Form& form, int to, int a, int b)
{
    const bool wide = form.source[0] == 8;
    const Xmm out = four(to, wide);
    const auto greater = [&](int l, int r) {
        wide ? vpcmpgtq(out, four(l, wide), four(r, wide))
             : vpcmpgtd(out, four(l, wide), four(r, wide));
    };
    switch (form.compare) {
    case Compare::gt:
    case Compare::le: greater(a, b); break;
    case Compare::lt:
    case Compare::ge: greater(b, a); break;
    default:
        wide ? vpcmpeqq(out, four(a, wide), four(b, wide))
             : vpcmpeqd(out, four(a, wide), four(b, wide));
        break;
    }
    if (form.compare == Compare::le || form.compare == Compare::ge || form.compare == Compare::ne)
        vpxor(out, out, words(~0u));
}

void Emitter::octet_compare(const OctetValue& value, std::uint32_t index, int to)
{
    const Form& form = *octets_->steps[value.step].form;
    const bool wide = form.source[0] == 8;
    const bool is_signed = form.operation == Operation::compare_s32 ||
                           form.operation == Operation::compare_s64 ||
                           form.operation == Operation::compare_s16;
    const bool equality = form.compare == Compare::eq || form.compare == Compare::ne;
    const OctetSource &a = value.source[0], &b = value.source[1];
    const bool moves = a.apart != b.apart;
    if (!equality || moves) {
        check_no_wrap(a, wide, is_signed);
        check_no_wrap(b, wide, is_signed);
    }
    const bool halves =
        form.operation == Operation::compare_s16 || form.operation == Operation::compare_u16;
    const auto order = [&](const Form& by, int out, std::int32_t lane) {
        const auto operand = [&](const OctetSource& of, int spare) {
            const int reg = octet_source(of, form.source[0], spare);
            const Xmm at = four(spare, wide);
            if (reg != spare) vmovdqa(at, four(reg, wide));
            const std::int64_t on = std::int64_t{lane} * of.apart;
            if (on != 0)
                wide ? vpaddq(at, at, long_words(static_cast<std::uint64_t>(on)))
                     : vpaddd(at, at, words(static_cast<std::uint32_t>(on)));
            if (halves) vpslld(at, at, 16); // the upper halves are undefined
            if (!is_signed)
                vpxor(at, at, wide ? long_words(std::uint64_t{1} << 63) : words(0x80000000u));
        };
        operand(a, 13);
        operand(b, 14);
        octet_order(by, out, 13, 14);
    };
    order(form, to, 0);
    if (moves && equality) {
        // Affine sequences are nowhere equal if they differ at both ends and don't cross.
        Form other = form;
        for (const Compare by : {Compare::gt, Compare::eq}) {
            other.compare = by;
            order(other, 13, 0);
            const Address slot = ptr[rbx + offset(&Activation::values, octet_bytes * index)];
            vmovdqu(slot, four(13, wide));
            order(other, 13, 7);
            if (by == Compare::gt)
                vpxor(four(13, wide), four(13, wide), slot);
            else
                vpor(four(13, wide), four(13, wide), slot);
            record_violation(13, wide);
        }
    } else if (moves) {
        // The operands' order changes at most once across the lanes.
        order(form, 13, 7);
        vpxor(four(13, wide), four(13, wide), four(to, wide));
        record_violation(13, wide);
    }
    if (wide) { // a mask of 32-bit lanes
        vextracti128(xmm14, Ymm(to), 1);
        vshufps(Xmm(to), Xmm(to), xmm14, 0x88);
    }
    if (form.boolean == Boolean::none) return;
    const Xmm with(octet_source(value, 2, 13));
    switch (form.boolean) {
    case Boolean::bit_and: vpand(Xmm(to), Xmm(to), with); break;
    case Boolean::bit_or: vpor(Xmm(to), Xmm(to), with); break;
    default: vpxor(Xmm(to), Xmm(to), with); break;
    }
}

void Emitter::octet_multiply(const OctetValue& value, int to)
{
    const Form& form = *octets_->steps[value.step].form;
    const Operation operation = form.operation;
    const bool is_signed = operation == Operation::wide_s32 || operation == Operation::wide_add_s32;
    const Ymm out(to);
    if (operation == Operation::multiply64) {
        const Ymm l(octet_source(value, 0, 13)), r(octet_source(value, 1, 14));
        vpsrlq(out, l, 32);
        vpmuludq(out, out, r);
        // Preserve the sources: temporaries go through memory.
        const Address slot =
            ptr[rbx + offset(&Activation::values, octet_bytes * octets_->steps[value.step].value)];
        vmovdqu(slot, out);
        vpsrlq(out, r, 32);
        vpmuludq(out, out, l);
        vpaddq(out, out, slot);
        vpsllq(out, out, 32);
        vmovdqu(slot, out);
        vpmuludq(out, l, r);
        vpaddq(out, out, slot);
        return;
    }
    check_no_wrap(value.source[0], false, is_signed);
    check_no_wrap(value.source[1], false, is_signed);
    vpmovzxdq(ymm13, Xmm(octet_source(value, 0, 13)));
    vpmovzxdq(ymm14, Xmm(octet_source(value, 1, 14)));
    is_signed ? vpmuldq(out, ymm13, ymm14) : vpmuludq(out, ymm13, ymm14);
    if (form.sources > 2) vpaddq(out, out, Ymm(octet_source(value, 2, 13)));
}

void Emitter::octet_arithmetic(const OctetValue& value, int to)
{
    const Form& form = *octets_->steps[value.step].form;
    const Operation operation = form.operation;
    const bool wide = value.bytes == 8;
    const Xmm d = four(to, wide);
    const auto a = [&] { return four(octet_source(value, 0, 13), wide); };
    const auto b = [&] { return four(octet_source(value, 1, 14), wide); };
    switch (operation) {
    case Operation::move32:
    case Operation::move64:
    case Operation::move_predicate: vmovdqa(d, a()); break;
    case Operation::not32:
    case Operation::not64:
    case Operation::not_predicate: vpxor(d, a(), words(~0u)); break;
    case Operation::add32: vpaddd(d, a(), b()); break;
    case Operation::add64: vpaddq(d, a(), b()); break;
    case Operation::sub32: vpsubd(d, a(), b()); break;
    case Operation::sub64: vpsubq(d, a(), b()); break;
    case Operation::multiply32: vpmulld(d, a(), b()); break;
    case Operation::multiply_add32:
        vpmulld(d, a(), b());
        vpaddd(d, d, Xmm(octet_source(value, 2, 13)));
        break;
    case Operation::multiply64:
    case Operation::wide_u32:
    case Operation::wide_s32:
    case Operation::wide_add_u32:
    case Operation::wide_add_s32: octet_multiply(value, to); break;
    case Operation::and32:
    case Operation::and64:
    case Operation::and_predicate: vpand(d, a(), b()); break;
    case Operation::or32:
    case Operation::or64:
    case Operation::or_predicate: vpor(d, a(), b()); break;
    case Operation::xor32:
    case Operation::xor64:
    case Operation::xor_predicate: vpxor(d, a(), b()); break;
    case Operation::min_s32: vpminsd(d, a(), b()); break;
    case Operation::max_s32: vpmaxsd(d, a(), b()); break;
    case Operation::min_u32: vpminud(d, a(), b()); break;
    case Operation::max_u32: vpmaxud(d, a(), b()); break;
    case Operation::left32: vpsllvd(d, a(), b()); break;
    case Operation::right_u32: vpsrlvd(d, a(), b()); break;
    case Operation::right_s32: vpsravd(d, a(), b()); break;
    case Operation::left64:
    case Operation::right_u64:
        vpmovzxdq(ymm14, Xmm(octet_source(value, 1, 14)));
        operation == Operation::left64 ? vpsllvq(d, a(), ymm14) : vpsrlvq(d, a(), ymm14);
        break;
    case Operation::select32:
    case Operation::select64: {
        const int chosen = octet_source(value, 2, to);
        if (wide)
            vpmovsxdq(Ymm(to), Xmm(chosen));
        else if (chosen != to)
            vmovdqa(Xmm(to), Xmm(chosen));
        const Xmm first = a(), otherwise = b();
        vblendvps(d, otherwise, first, d);
        break;
    }
    case Operation::extend_u32:
    case Operation::extend_s32: {
        const bool is_signed = operation == Operation::extend_s32;
        check_no_wrap(value.source[0], false, is_signed);
        const Xmm from(octet_source(value, 0, 13));
        is_signed ? vpmovsxdq(Ymm(to), from) : vpmovzxdq(Ymm(to), from);
        break;
    }
    case Operation::low_half: {
        const int from = octet_source(value, 0, 13);
        vextracti128(xmm14, Ymm(from), 1);
        vshufps(Xmm(to), Xmm(from), xmm14, 0x88);
        break;
    }
    default: throw Xbyak::Error(Xbyak::ERR_INTERNAL);
    }
}

void Emitter::require_uniform(bool set, const OctetSource& predicate)
{
    const int reg = octet_source(predicate, 0, 13);
    vpxor(xmm13, Xmm(reg), words(set ? ~0u : 0u));
    record_violation(13, false);
}

// Checks that the access and those that it leads are aligned and inside the allocation that it hit
// last, and that all lanes execute it.
void Emitter::reach(const OctetAccess& made, std::size_t index)
{
    const Access& access = *made.access;
    const auto offset_to = static_cast<std::uint64_t>(access.offset);
    if (made.guard.row != no_row) require_uniform(!made.guard_negated, made.guard);
    if (made.lanes != no_index || made.lead != index) return;
    if (access.kind == AddressKind::row64) {
        const Ymm from(octet_source(made.address, 8, 13));
        vpaddq(ymm13, from, long_words(offset_to));
    } else {
        const Xmm from(octet_source(made.address, 4, 13));
        vpaddd(xmm13, from, words(static_cast<std::uint32_t>(offset_to)));
        vpmovzxdq(ymm13, xmm13);
    }
    vpand(ymm14, ymm13, long_words(access.width_bytes - 1u));
    record_violation(14, true);
    const std::int64_t last = std::int64_t{7} * made.address.apart;
    const auto low = static_cast<std::uint64_t>(std::max<std::int64_t>(-last, 0) - made.lowest);
    const auto high = static_cast<std::uint64_t>(std::max<std::int64_t>(last, 0) + made.highest) +
                      access.width_bytes;
    const bool shared = access.space == ptx::Space::shared;
    const auto hit = static_cast<int>(access.cache * sizeof(Region));
    if (!shared) mov(rax, field(&Activation::hits));
    const Address begin = ptr[rax + hit + offset_in(&Region::begin)];
    if (shared)
        vpxor(xmm14, xmm14, xmm14);
    else
        vpbroadcastq(ymm14, begin);
    vpaddq(ymm15, ymm14, long_words(low));
    vpcmpgtq(ymm15, ymm15, ymm13);
    record_violation(15, true);
    if (shared)
        vpbroadcastq(ymm15, field(&Activation::shared_bytes));
    else
        vpbroadcastq(ymm15, ptr[rax + hit + offset_in(&Region::end)]);
    vpsubq(ymm15, ymm15, long_words(high));
    vpcmpgtq(ymm15, ymm13, ymm15);
    record_violation(15, true);
    if (shared)
        vpbroadcastq(ymm15, field(&Activation::shared));
    else
        vpbroadcastq(ymm15, ptr[rax + hit + offset_in(&Region::host)]);
    vpsubq(ymm14, ymm13, ymm14);
    vpaddq(ymm14, ymm14, ymm15);
    vmovdqu(ptr[rbx + offset(&Activation::places, octet_bytes * index)], ymm14);
    if (variant_.observed)
        vmovdqu(ptr[rbx + offset(&Activation::addresses, octet_bytes * index)], ymm13);
}

void Emitter::octet_load(const Step& step, std::size_t index)
{
    if (step.source[0] != no_row) return lane_access(step, index);
    const OctetAccess& made = octets_->accesses[step.octets];
    const std::int32_t apart = made.address.apart;
    Held value;
    value.row = step.d;
    value.bytes = made.access->element_bytes == 8 ? 8 : 4;
    for (int part = 0; part < value.parts(); ++part) {
        value.reg[static_cast<std::size_t>(part)] = take();
        pinned_ |= 1u << value.reg[static_cast<std::size_t>(part)];
    }
    mov(rax, access_place(step.octets));
    const int disp = lane_offset(apart) + made.from_lead + 4 * step.element;
    const Ymm first(value.reg[0]);
    if (value.bytes == 8) {
        for (int part = 0; part < 2; ++part) {
            const Ymm to(value.reg[static_cast<std::size_t>(part)]);
            apart == 0 ? vbroadcastsd(to, ptr[rax + disp])
                       : vmovups(to, ptr[rax + disp + 32 * part]);
        }
    } else if (apart == 0) {
        vbroadcastss(first, ptr[rax + disp]);
    } else if (apart == 4) {
        vmovups(first, ptr[rax + disp]);
    } else {
        vmovdqu(ymm14, lane_steps(apart));
        vpcmpeqd(ymm15, ymm15, ymm15);
        vgatherdps(first, ptr[rax + ymm14 + disp], ymm15);
    }
    give(index, step.d, value);
    release_dead_values(index);
}

void Emitter::octet_store(const OctetAccess& made, std::size_t index)
{
    if (made.lanes != no_index) return lane_store(made);
    const Access& access = *made.access;
    const bool dense = made.address.apart == access.width_bytes;
    for (strip_ = 0; strip_ < strips; ++strip_) {
        mov(rax, access_place(index));
        if (dense && access.elements == 1) {
            for (int part = 0; part < access.width_bytes / 4; ++part) {
                vmovups(ymm0, strip_address(access.values[0], access.element_bytes, part));
                vmovups(ptr[rax + lane_offset(made.address.apart) + made.from_lead + 32 * part],
                        ymm0);
            }
        } else if (dense && access.elements == 4) {
            store_fours(made);
        } else {
            store_words(made);
        }
    }
}

// Stores four words per lane of the strip, lane by lane.
void Emitter::store_fours(const OctetAccess& made)
{
    const Access& access = *made.access;
    for (int i = 0; i < 4; ++i)
        vmovups(Ymm(i), strip_address(access.values[static_cast<std::size_t>(i)], 4, 0));
    vunpcklps(ymm4, ymm0, ymm1);
    vunpckhps(ymm5, ymm0, ymm1);
    vunpcklps(ymm6, ymm2, ymm3);
    vunpckhps(ymm7, ymm2, ymm3);
    vunpcklpd(ymm0, ymm4, ymm6);
    vunpckhpd(ymm1, ymm4, ymm6);
    vunpcklpd(ymm2, ymm5, ymm7);
    vunpckhpd(ymm3, ymm5, ymm7);
    const int disp = lane_offset(access.width_bytes) + made.from_lead;
    for (int lane = 0; lane < 4; ++lane) {
        vmovups(ptr[rax + disp + 16 * lane], Xmm(lane));
        vextractf128(ptr[rax + disp + 16 * (lane + 4)], Ymm(lane), 1);
    }
}

// Stores word by word.
void Emitter::store_words(const OctetAccess& made)
{
    const Access& access = *made.access;
    const int disp = lane_offset(made.address.apart) + made.from_lead;
    for (int lane = 0; lane < 8; ++lane) {
        for (int i = 0; i < access.elements; ++i) {
            const RowRef row = access.values[static_cast<std::size_t>(i)];
            const bool same = base_of(row) == RowBase::constants;
            mov(ecx, row_address(row, same ? 0 : strip_ * 32 + lane * 4));
            mov(ptr[rax + disp + lane * made.address.apart + 4 * i], ecx);
        }
    }
}

int Emitter::lane_offset(std::int32_t apart) const
{
    return affine_ ? 8 * strip_ * apart : 0;
}

Address Emitter::access_place(std::size_t index)
{
    const std::size_t strip = affine_ ? 0 : static_cast<std::size_t>(strip_);
    return ptr[rbx + offset(&Activation::places,
                            octet_bytes * octets_->accesses[index].lead + 8 * strip)];
}

// Expands the last value of a row to the strip's lanes.
void Emitter::expand(RowRef row, std::uint8_t bytes, const std::array<int, 2>& to)
{
    const std::uint32_t index = octet_rows_.at(row);
    OctetSource from{row, index, octets_->values[index].apart};
    if (affine_) from = affine_->root(from);
    for (int part = 0; part < (bytes == 8 ? 2 : 1); ++part) {
        const Ymm out(to[static_cast<std::size_t>(part)]);
        if (from.value == no_index) { // all lanes are equal
            vmovups(out, row_address(from.row));
            continue;
        }
        const int strip = affine_ ? 0 : strip_, lanes = affine_ ? strip_ : 0;
        const int slot = offset(&Activation::values, octet_bytes * from.value);
        if (bytes == 8) {
            vpbroadcastq(out, ptr[rbx + slot + 8 * strip]);
            if (from.apart != 0) vpaddq(out, out, long_lane_steps(from.apart, part, lanes));
        } else {
            vpbroadcastd(out, ptr[rbx + slot + 4 * strip]);
            if (bytes == 4 && from.apart != 0) vpaddd(out, out, lane_steps(from.apart, lanes));
        }
    }
}

void Emitter::write_octets()
{
    for (const auto& [row, index] : octet_rows_) {
        const std::uint8_t bytes = octets_->values[index].bytes;
        if (bytes == 0 || !std::ranges::binary_search(*live_, row)) continue;
        expand(row, bytes, {13, 14});
        vmovups(strip_address(row, bytes, 0), ymm13);
        if (bytes == 8) vmovups(strip_address(row, bytes, 1), ymm14);
    }
}

void Emitter::write_octet_predicates()
{
    for (const auto& [row, index] : octet_rows_) {
        if (octets_->values[index].bytes != 0 || !std::ranges::binary_search(*live_, row)) continue;
        if (affine_) {
            const std::uint32_t value = affine_->root(index).value;
            mov(eax, ptr[rbx + offset(&Activation::values, octet_bytes * value)]);
            mov(row_address(row), eax);
            continue;
        }
        vmovdqu(xmm13, ptr[rbx + offset(&Activation::values, octet_bytes * index)]);
        vpackssdw(xmm13, xmm13, xmm13);
        vpacksswb(xmm13, xmm13, xmm13);
        vmovd(dword[row_address(row).getRegExp()], xmm13);
    }
}

} // namespace lanescope::simt::native

#endif
