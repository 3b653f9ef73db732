// A stretch runs eight lanes at a time: values of the strip stay in vector registers from their
// first use to their last, and a row is written when its last value is known. Predicates in
// registers are 32-bit lane masks.
#include "compute/simt/native/emit_affine.h"
#include "compute/simt/native/emitter.h"

#if defined(LANESCOPE_NATIVE)

namespace lanescope::simt::native {

Emitter::~Emitter() = default;

Address Emitter::row_address(RowRef row, int disp)
{
    return row_place(row, disp);
}

Address Emitter::words(std::uint32_t value)
{
    return ptr[rip + words_[value]];
}
Address Emitter::long_words(std::uint64_t value)
{
    return ptr[rip + long_words_[value]];
}
Address Emitter::lane_bits()
{
    if (!lane_bits_) lane_bits_.emplace();
    return ptr[rip + *lane_bits_];
}

// --- The function and its items ---

Code Emitter::run()
{
    begin();
    auto next_region = plan_.regions.begin();
    auto next_octets = plan_.octets.begin();
    for (const Item& item : plan_.items) {
        L(places_[static_cast<std::size_t>(item.begin)]);
        if (next_octets != plan_.octets.end() && (*next_octets)->begin == item.begin) {
            if (!variant_.masked) octets(**next_octets);
            ++next_octets;
        }
        if (next_region != plan_.regions.end() && (*next_region)->begin == item.begin) {
            if (!variant_.masked) region(**next_region);
            ++next_region;
        }
        if (item.counted != 0) add(r15, item.counted);
        switch (item.kind) {
        case Item::Kind::stretch: stretch(item.steps, item.live); break;
        case Item::Kind::row_function: row_function(item.begin); break;
        case Item::Kind::branch: branch(item.begin); break;
        case Item::Kind::mark: mark(item.begin); break;
        case Item::Kind::handler: handler(item.begin); break;
        }
        if (getSize() > max_bytes) return {};
    }
    ud2(); // control never reaches the end of the function
    end();
    ready(Xbyak::CodeArray::PROTECT_RW);
    Code made;
    made.straight = !variant_.masked;
    if (made.straight && plan_.straight_steps != 0)
        made.generic_entry = static_cast<std::uint32_t>(generic_entry_.getAddress() - getCode());
    const auto* const from = reinterpret_cast<const std::byte*>(getCode());
    made.bytes.assign(from, from + getSize());
    made.entry.assign(code_.size(), no_entry);
    for (const Item& item : plan_.items)
        made.entry[static_cast<std::size_t>(item.begin)] = static_cast<std::uint32_t>(
            places_[static_cast<std::size_t>(item.begin)].getAddress() - getCode());
    return made;
}

namespace {

Address saved_vector(int i)
{
    using namespace Xbyak::util;
    return ptr[rsp + NativeFrame::vectors_at + 16 * i];
}

} // namespace

void Emitter::begin()
{
    for (const Reg64& saved : {rbx, rbp, r12, r13, r14, r15}) push(saved);
    if (calling_convention.keeps_vectors)
        for (const Reg64& saved : {rsi, rdi}) push(saved);
    sub(rsp, NativeFrame::bytes);
    for (int i = 0; i < NativeFrame::vectors; ++i)
        vmovups(saved_vector(i), Xmm(NativeFrame::first_vector + i));
    mov(rbx, first_argument);
    mov(r12, field(&Activation::frame));
    mov(r13, field(&Activation::constants));
    mov(r14, field(&Activation::specials));
    mov(r15, field(&Activation::steps));
    mov(ebp, field(&Activation::active));
    if (variant_.masked) set_lanes();
    jmp(second_argument);
}

// Initialises Activation::lanes.
void Emitter::set_lanes()
{
    for (int strip = 0; strip < strips; ++strip) {
        mov(eax, ebp);
        if (strip != 0) shr(eax, 8 * strip);
        vmovd(xmm0, eax);
        vpbroadcastd(ymm0, xmm0);
        vpand(ymm0, ymm0, lane_bits());
        vpcmpeqd(ymm0, ymm0, lane_bits());
        vmovdqu(ptr[rbx + offset(&Activation::lanes) + strip * 32], ymm0);
    }
}

void Emitter::stubs()
{
    for (std::size_t i = 0; i < stubs_.size(); ++i) {
        const Stub& stub = *stubs_[i];
        L(stubs_[i]->label);
        const Instruction& in = code_[static_cast<std::size_t>(stub.pc)];
        switch (stub.kind) {
        case Stub::Kind::slice_over:
            mov(field32(&Activation::pc), stub.pc);
            mov(eax, static_cast<std::uint32_t>(Leave::slice_over));
            break;
        case Stub::Kind::mixed_branch:
            mov(edx, eax);
            call_handler(in);
            break;
        case Stub::Kind::mark:
            mov(edx, ebp);
            call_handler(in);
            test(eax, eax);
            jz(stubs_[i]->back, T_NEAR);
            break;
        case Stub::Kind::one_word:
            vbroadcastss(Ymm(stub.reg), ptr[rax + stub.offset]);
            jmp(stubs_[i]->back, T_NEAR);
            continue;
        case Stub::Kind::miss:
            mov(rax, field(&Activation::misses));
            mov(ecx, dword[rax + stub.offset]);
            add(ecx, 2);
            mov(edx, max_misses + turns_missed);
            cmp(ecx, max_misses);
            cmovae(ecx, edx);
            mov(dword[rax + stub.offset], ecx);
            jmp(stubs_[i]->back, T_NEAR);
            continue;
        case Stub::Kind::reported_branch:
            call_for_branch(in);
            jmp(stubs_[i]->back, T_NEAR);
            continue;
        case Stub::Kind::scattered:
            otherwise_ = stub.otherwise;
            load_scattered(stub.load);
            jmp(stubs_[i]->back, T_NEAR);
            continue;
        }
        jmp(leave_, T_NEAR);
    }
}

void Emitter::end()
{
    stubs();
    L(leave_);
    mov(field(&Activation::steps), r15);
    vzeroupper();
    for (int i = 0; i < NativeFrame::vectors; ++i)
        vmovups(Xmm(NativeFrame::first_vector + i), saved_vector(i));
    add(rsp, NativeFrame::bytes);
    if (calling_convention.keeps_vectors)
        for (const Reg64& saved : {rdi, rsi}) pop(saved);
    for (const Reg64& saved : {r15, r14, r13, r12, rbp, rbx}) pop(saved);
    ret();
    numbers();
}

// Constants that the code refers to.
void Emitter::numbers()
{
    align(32);
    for (auto& [value, label] : words_) {
        L(label);
        for (int i = 0; i < 8; ++i) dd(value);
    }
    for (auto& [value, label] : long_words_) {
        L(label);
        for (int i = 0; i < 4; ++i) dq(value);
    }
    for (auto& [apart, label] : lane_steps_) {
        L(label);
        for (std::int32_t i = 0; i < warp_lanes; ++i) dd(static_cast<std::uint32_t>(i * apart));
    }
    for (auto& [apart, label] : long_lane_steps_) {
        L(label);
        for (std::int64_t i = 0; i < warp_lanes; ++i) dq(static_cast<std::uint64_t>(i * apart));
    }
    if (lane_bits_) {
        L(*lane_bits_);
        for (std::uint32_t i = 0; i < 8; ++i) dd(1u << i);
    }
}

void Emitter::call(const void* function)
{
    vzeroupper();
    mov(rax, reinterpret_cast<std::uint64_t>(function));
    Xbyak::CodeGenerator::call(rax);
}

// Calls the handler for the lanes in edx.
void Emitter::call_handler(const Instruction& in)
{
    mov(rax, field(&Activation::slice_steps));
    mov(ptr[rax], r15);
    if (third_argument != rdx) mov(third_argument.cvt32(), edx);
    mov(first_argument, rbx);
    mov(second_argument, reinterpret_cast<std::uint64_t>(&in));
    call(reinterpret_cast<const void*>(helpers_.handler));
}

void Emitter::handler(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    Label skipped;
    if (in.guarded) {
        mov(edx, row_address(in.guard));
        if (in.guard_negated) not_(edx);
        and_(edx, ebp);
        if (!in.always) jz(skipped, T_NEAR);
    } else {
        mov(edx, ebp);
    }
    call_handler(in);
    test(eax, eax);
    jnz(leave_, T_NEAR);
    L(skipped);
}

void Emitter::row_function(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    const auto give = [&](RowRef row, std::size_t disp) {
        if (row == no_row) {
            xor_(eax, eax);
        } else {
            lea(rax, row_address(row));
        }
        mov(ptr[rbx + static_cast<int>(disp)], rax);
    };
    static const Activation sample{};
    const auto* const begin = reinterpret_cast<const std::byte*>(&sample);
    const auto offset = [&](const void* member) {
        return static_cast<std::size_t>(static_cast<const std::byte*>(member) - begin);
    };
    give(in.d, offset(&sample.operands.d));
    give(in.a, offset(&sample.operands.a));
    give(in.b, offset(&sample.operands.b));
    give(in.c, offset(&sample.operands.c));
    lea(first_argument, field(&Activation::operands));
    mov(second_argument.cvt32(), ebp);
    call(reinterpret_cast<const void*>(in.run));
}

void Emitter::take_branch(int target)
{
    auto stub = std::make_unique<Stub>();
    stub->kind = Stub::Kind::slice_over;
    stub->pc = target;
    cmp(r15, field(&Activation::slice));
    jae(stub->label, T_NEAR);
    jmp(places_[static_cast<std::size_t>(target)], T_NEAR);
    stubs_.push_back(std::move(stub));
}

void Emitter::call_for_branch(const Instruction& in)
{
    mov(rax, field(&Activation::slice_steps));
    mov(ptr[rax], r15);
    mov(first_argument, rbx);
    mov(second_argument, reinterpret_cast<std::uint64_t>(&in));
    call(reinterpret_cast<const void*>(helpers_.uniform_branch));
    test(eax, eax);
    jnz(leave_, T_NEAR);
}

// Reports or counts a uniform branch; counting suffices if no observer needs more. Branches that
// are not a site are not reported.
void Emitter::report_branch(const Instruction& in)
{
    if (!variant_.observed || in.site == no_index) return;
    if (variant_.masked) return call_for_branch(in);
    auto reported = std::make_unique<Stub>();
    reported->kind = Stub::Kind::reported_branch;
    reported->pc = static_cast<int>(&in - code_.data());
    mov(rax, field(&Activation::branch_counts));
    test(rax, rax);
    jz(reported->label, T_NEAR);
    inc(qword[rax + static_cast<int>(in.site * sizeof(std::uint64_t))]);
    inc(qword[rbx + offset(&Activation::branches)]);
    L(reported->back);
    stubs_.push_back(std::move(reported));
}

void Emitter::branch(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    const int target = plan_.function->branches[in.extra].target;
    if (!in.guarded) {
        report_branch(in);
        take_branch(target);
        return;
    }
    Label stays;
    auto stub = std::make_unique<Stub>();
    stub->kind = Stub::Kind::mixed_branch;
    stub->pc = pc;
    mov(eax, row_address(in.guard));
    if (in.guard_negated) not_(eax);
    and_(eax, ebp);
    cmp(eax, ebp);
    jne(stays, T_NEAR);
    report_branch(in);
    take_branch(target);
    L(stays);
    test(eax, eax);
    jnz(stub->label, T_NEAR);
    report_branch(in);
    stubs_.push_back(std::move(stub));
}

void Emitter::mark(int pc)
{
    auto stub = std::make_unique<Stub>();
    stub->kind = Stub::Kind::mark;
    stub->pc = pc;
    cmp(field32(&Activation::reconvergence), pc);
    je(stub->label, T_NEAR);
    L(stub->back);
    stubs_.push_back(std::move(stub));
}

// --- A stretch ---

Address Emitter::strip_address(RowRef row, std::uint8_t bytes, int part)
{
    // All lanes of a constant are equal.
    if (base_of(row) == RowBase::constants) return row_address(row);
    return row_address(row, strip_ * 8 * bytes + part * 32);
}

std::size_t Emitter::next_use(RowRef row, std::size_t after) const
{
    const std::vector<Step>& steps = *steps_;
    for (std::size_t i = after + 1; i < steps.size(); ++i) {
        const Step& step = steps[i];
        const bool reads = step.form != nullptr && step.value == no_index;
        if (step.form == nullptr && step.source[0] == row) return i; // access by lanes: addresses
        for (std::size_t k = 0; reads && k < step.form->sources; ++k)
            if (step.source[k] == row) return i;
        const bool writes = step.d == row || step.d2 == row;
        if (step.guard == row || (writes && step.guard != no_row)) return i;
        if (writes) return steps.size();
    }
    return steps.size();
}

bool Emitter::is_read_later(RowRef row, std::size_t after) const
{
    return next_use(row, after) < steps_->size();
}

// Determines which steps give a row its last value, if that is needed after the stretch. Some
// predicates are gathered in general registers, one byte per strip.
void Emitter::plan_stores()
{
    const std::vector<Step>& steps = *steps_;
    stores_.assign(steps.size(), 0);
    gathered_.clear();
    std::vector<RowRef> seen;
    std::vector<Reg32> free = {r8d, r9d, r10d, r11d, esi, edi};
    for (std::size_t i = steps.size(); i-- > 0;) {
        const Step& step = steps[i];
        // Per-octet values are written to their rows separately.
        for (RowRef row : {step.d, step.d2}) {
            if (row == no_row || std::ranges::find(seen, row) != seen.end()) continue;
            seen.push_back(row);
            if (step.value != no_index || !std::ranges::binary_search(*live_, row)) continue;
            stores_[i] |= row == step.d ? 1 : 2;
            if (step.form != nullptr && step.form->destination == 0 && !free.empty()) {
                gathered_.emplace(row, free.back());
                free.pop_back();
            }
        }
    }
}

void Emitter::stretch(const std::vector<Step>& steps, const std::vector<RowRef>& live)
{
    steps_ = &steps;
    live_ = &live;
    plan_stores();
    for (auto& [row, reg] : gathered_) xor_(reg, reg);
    for (strip_ = 0; strip_ < strips; ++strip_) {
        Label next;
        if (variant_.masked) {
            test(ebp, 0xffu << (8 * strip_));
            jz(next, T_NEAR);
        }
        strip();
        if (octets_ != nullptr) write_octets();
        L(next);
    }
    if (octets_ != nullptr) write_octet_predicates();
    for (auto& [row, reg] : gathered_) {
        if (variant_.masked) {
            mov(eax, row_address(row));
            xor_(reg, eax);
            and_(reg, ebp);
            xor_(reg, eax);
        }
        mov(row_address(row), reg);
    }
}

// Emitted before the region's items; falls through to them if a check of the loads fails.
void Emitter::region(const LoadRegion& region)
{
    Label items, usual;
    mov(first_argument, rbx);
    mov(second_argument, reinterpret_cast<std::uint64_t>(&region));
    mov(third_argument, r15);
    call(reinterpret_cast<const void*>(helpers_.check_loads));
    test(eax, eax);
    jz(usual, T_NEAR);
    cmp(eax, static_cast<std::uint32_t>(Leave::jump));
    jne(leave_, T_NEAR);
    jmp(items, T_NEAR);
    L(usual);
    if (region.counted != 0) add(r15, region.counted);
    stretch(region.steps, region.live);
    jmp(places_[static_cast<std::size_t>(region.end)], T_NEAR);
    L(items);
}

void Emitter::strip()
{
    held_.clear();
    octet_rows_.clear();
    busy_ = pinned_ = 0;
    for (std::size_t i = 0; i < steps_->size(); ++i) step(i);
}

void Emitter::load(const Step& step, std::size_t index)
{
    static const Activation sample{};
    const auto offset = [&](const void* member) {
        return static_cast<int>(static_cast<const std::byte*>(member) -
                                reinterpret_cast<const std::byte*>(&sample));
    };
    const auto strip = static_cast<std::size_t>(strip_);
    Held value;
    value.row = step.d;
    value.reg[0] = take();
    auto stub = std::make_unique<Stub>();
    stub->kind = Stub::Kind::one_word;
    stub->reg = value.reg[0];
    stub->offset = step.offset;
    mov(rax, ptr[rbx + offset(&sample.slots[step.slot].at[strip])]);
    cmp(byte[rbx + offset(&sample.one_word[step.slot][strip])], 0);
    jne(stub->label, T_NEAR);
    vmovups(Ymm(value.reg[0]), ptr[rax + step.offset]);
    L(stub->back);
    stubs_.push_back(std::move(stub));
    give(index, step.d, value);
    release_dead_values(index);
}

// Makes the step's result the current value of the row.
void Emitter::give(std::size_t index, RowRef row, Held value)
{
    if (row == no_row) {
        for (int reg : value.reg)
            if (reg >= 0) busy_ &= ~(1u << reg);
        return;
    }
    drop(row);
    octet_rows_.erase(row);
    value.dirty = true;
    held_.push_back(value);
    if ((stores_[index] & (row == (*steps_)[index].d ? 1 : 2)) == 0) return;
    Held& last = held_.back();
    settle(last);
    if (last.bytes != 0) {
        store(last);
        last.dirty = false;
        return;
    }
    const auto found = gathered_.find(row);
    if (found == gathered_.end()) {
        spill(last);
        return;
    }
    // Memory is updated only at the end of the stretch, so the value stays dirty.
    if (strip_ == 0) {
        vmovmskps(found->second, Ymm(last.reg[0]));
    } else {
        vmovmskps(eax, Ymm(last.reg[0]));
        shl(eax, 8 * strip_);
        or_(found->second, eax);
    }
}

void Emitter::release_dead_values(std::size_t index)
{
    for (std::size_t i = held_.size(); i-- > 0;)
        if (!is_read_later(held_[i].row, index)) drop(held_[i].row);
}

Held* Emitter::find(RowRef row)
{
    for (Held& held : held_)
        if (held.row == row) return &held;
    return nullptr;
}

void Emitter::drop(RowRef row)
{
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i].row != row) continue;
        for (int reg : held_[i].reg)
            if (reg >= 0) busy_ &= ~(1u << reg);
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

// Allocates a register: a free one, or the one whose next use is farthest away.
int Emitter::take()
{
    for (;;) {
        for (int reg = 0; reg < value_registers; ++reg) {
            if ((busy_ >> reg & 1u) != 0) continue;
            busy_ |= 1u << reg;
            return reg;
        }
        Held* farthest = nullptr;
        std::size_t use = 0;
        for (Held& held : held_) {
            bool needed_now = false;
            for (int reg : held.reg)
                needed_now = needed_now || (reg >= 0 && (pinned_ >> reg & 1u) != 0);
            if (needed_now) continue;
            const std::size_t next = next_use(held.row, at_ - 1); // including the current step
            if (farthest != nullptr && next <= use) continue;
            farthest = &held;
            use = next;
        }
        if (farthest == nullptr) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
        if (farthest->dirty && use < steps_->size()) spill(*farthest);
        drop(farthest->row);
    }
}

Held& Emitter::hold(RowRef row, std::uint8_t bytes)
{
    Held held;
    held.row = row;
    held.bytes = bytes;
    for (int part = 0; part < held.parts(); ++part) {
        held.reg[static_cast<std::size_t>(part)] = take();
        pinned_ |= 1u << held.reg[static_cast<std::size_t>(part)];
    }
    held_.push_back(held);
    return held_.back();
}

void Emitter::settle_register(int reg)
{
    const Ymm value(reg);
    vcmpunordps(ymm15, value, value);
    vblendvps(value, value, words(0x7fffffffu), ymm15);
}

void Emitter::settle(Held& held)
{
    if (!held.unsettled) return;
    settle_register(held.reg[0]);
    held.unsettled = false;
}

void Emitter::spill(Held& held)
{
    settle(held);
    if (held.bytes == 0) {
        // Always written to memory, because it is read from there.
        vmovmskps(eax, Ymm(held.reg[0]));
        if (variant_.masked) {
            movzx(ecx, byte[row_address(held.row, strip_).getRegExp()]);
            xor_(eax, ecx);
            mov(edx, ebp);
            if (strip_ != 0) shr(edx, 8 * strip_);
            and_(eax, edx);
            xor_(eax, ecx);
        }
        mov(byte[row_address(held.row, strip_).getRegExp()], al);
    } else {
        store(held);
    }
    held.dirty = false;
}

// Mask of the active lanes of the strip, or of half of it.
void Emitter::lanes_of(int reg, std::uint8_t bytes, int part)
{
    static const Activation sample{};
    const auto disp = static_cast<int>(reinterpret_cast<const std::byte*>(&sample.lanes) -
                                       reinterpret_cast<const std::byte*>(&sample)) +
                      strip_ * 32 + part * 16;
    if (bytes == 8)
        vpmovsxdq(Ymm(reg), ptr[rbx + disp]);
    else
        vmovups(Ymm(reg), ptr[rbx + disp]);
}

// Writes the value to its row. Not for predicates.
void Emitter::store(const Held& held)
{
    for (int part = 0; part < held.parts(); ++part) {
        const Ymm value(held.reg[static_cast<std::size_t>(part)]);
        const Address to = strip_address(held.row, held.bytes, part);
        if (!variant_.masked) {
            vmovups(to, value);
            continue;
        }
        lanes_of(15, held.bytes, part);
        vmovups(ymm14, to);
        vblendvps(ymm14, ymm14, value, ymm15);
        vmovups(to, ymm14);
    }
}

void Emitter::load_predicate(int reg, RowRef row)
{
    const Ymm to(reg);
    const int disp = base_of(row) == RowBase::constants ? 0 : strip_;
    vpbroadcastb(to, row_address(row, disp));
    vpand(to, to, lane_bits());
    vpcmpeqd(to, to, lane_bits());
}

Source Emitter::get(RowRef row, std::uint8_t bytes, std::size_t index, bool settled,
                    bool in_register)
{
    Held* held = find(row);
    if (held != nullptr && held->bytes != bytes) {
        if (held->dirty) spill(*held);
        drop(row);
        held = nullptr;
    }
    Source source;
    if (held == nullptr && octet_rows_.contains(row)) {
        held = &hold(row, bytes);
        expand(row, bytes, held->reg);
    }
    if (held == nullptr) {
        const bool once = !is_read_later(row, index);
        if (bytes != 0 && !in_register && (base_of(row) == RowBase::constants || once)) {
            source.memory = true;
            source.address[0] = strip_address(row, bytes, 0);
            source.address[1] = strip_address(row, bytes, 1);
            return source;
        }
        held = &hold(row, bytes);
        if (bytes == 0)
            load_predicate(held->reg[0], row);
        else
            for (int part = 0; part < held->parts(); ++part)
                vmovups(Ymm(held->reg[static_cast<std::size_t>(part)]),
                        strip_address(row, bytes, part));
    }
    if (settled) settle(*held);
    source.reg = held->reg;
    for (int reg : held->reg)
        if (reg >= 0) pinned_ |= 1u << reg;
    return source;
}

void Emitter::invert(int to, int from)
{
    vpxor(Ymm(to), Ymm(from), words(~0u));
}

// Register of a predicate source; an inverted copy in ymm14 if needed.
int Emitter::source_predicate(const Step& step, std::size_t i, std::size_t index)
{
    const Source source = get(step.source[i], 0, index);
    if ((step.inverted >> i & 1u) == 0) return source.reg[0];
    invert(14, source.reg[0]);
    return 14;
}

void Emitter::wide_mask(int to, int predicate, int part)
{
    if (part == 0) {
        vpmovsxdq(Ymm(to), Xmm(predicate));
    } else {
        vextracti128(Xmm(to), Ymm(predicate), 1);
        vpmovsxdq(Ymm(to), Xmm(to));
    }
}

// Widens 32-bit lanes to 64-bit ones.
void Emitter::widen(int to, const Source& source, int part, bool is_signed)
{
    const Ymm wide(to);
    if (source.memory) {
        const Address from = ptr[source.address[0]->getRegExp() + part * 16];
        is_signed ? vpmovsxdq(wide, from) : vpmovzxdq(wide, from);
        return;
    }
    Xmm from(source.reg[0]);
    if (part == 1) {
        vextracti128(Xmm(to), Ymm(source.reg[0]), 1);
        from = Xmm(to);
    }
    is_signed ? vpmovsxdq(wide, from) : vpmovzxdq(wide, from);
}

// Combines two masks of 64-bit lanes into one of 32-bit lanes.
void Emitter::reduce_masks(int d, int low, int high)
{
    vshufps(Ymm(d), Ymm(low), Ymm(high), 0x88);
    vpermq(Ymm(d), Ymm(d), 0xd8);
}

void Emitter::step(std::size_t index)
{
    const Step& step = (*steps_)[index];
    at_ = index;
    pinned_ = 0;
    if (step.value != no_index) {
        drop(step.d);
        octet_rows_[step.d] = step.value;
        return release_dead_values(index);
    }
    if (step.octets != no_index) return octet_load(step, index);
    if (step.form == nullptr) return load(step, index);
    const std::uint8_t bytes = step.form->destination;
    const bool compares = step.form->operation >= Operation::compare_s32 &&
                          step.form->operation <= Operation::compare_u16;
    // A step has at most two results; its sources may be needed until these are computed.
    for (const Held& held : held_)
        if (next_use(held.row, index - 1) == index)
            for (int reg : held.reg)
                if (reg >= 0) pinned_ |= 1u << reg;
    std::array<int, 2> d{-1, -1};
    int complement = -1;
    d[0] = take();
    pinned_ |= 1u << d[0];
    if (bytes == 8 || step.d2 != no_row) {
        const int second = take();
        pinned_ |= 1u << second;
        (bytes == 8 ? d[1] : complement) = second;
    }
    if (compares)
        compare(step, index, d[0], complement);
    else
        compute(step, index, d);
    bool unsettled = bytes == 4 && step.form->operation >= Operation::add_f32 &&
                     step.form->operation <= Operation::cut_f32;
    if (step.guard != no_row) {
        if (unsettled) settle_register(d[0]);
        unsettled = false;
        const auto keep = [&](RowRef row, const std::array<int, 2>& made) {
            if (row == no_row) return;
            pinned_ &= (1u << d[0]) | (d[1] >= 0 ? 1u << d[1] : 0u) |
                       (complement >= 0 ? 1u << complement : 0u);
            const int guard = get(step.guard, 0, index).reg[0];
            const Source old = get(row, bytes, index, true, true);
            for (std::size_t part = 0; part < (bytes == 8 ? 2u : 1u); ++part) {
                int mask = guard;
                if (bytes == 8) {
                    wide_mask(15, guard, static_cast<int>(part));
                    mask = 15;
                }
                const Ymm now(made[part]);
                const Ymm before(old.reg[part]);
                if (step.guard_negated)
                    vblendvps(now, now, before, Ymm(mask));
                else
                    vblendvps(now, before, now, Ymm(mask));
            }
        };
        // The guard may also be a result.
        keep(step.d, d);
        keep(step.d2, {complement, -1});
    }
    Held value;
    value.row = step.d;
    value.bytes = bytes;
    value.reg = d;
    value.unsettled = unsettled;
    give(index, step.d, value);
    if (compares && complement >= 0) {
        value.row = step.d2;
        value.reg = {complement, -1};
        give(index, step.d2, value);
    }
    release_dead_values(index);
}

void Emitter::compare_floats(const Form& form, const Source& a, const Source& b, const Ymm& out,
                             int part)
{
    static constexpr std::uint8_t codes[] = {0x00, 0x0c, 0x11, 0x12, 0x1e, 0x1d, 0x08,
                                             0x04, 0x19, 0x1a, 0x16, 0x15, 0x07, 0x03};
    const std::uint8_t code = codes[static_cast<std::size_t>(form.compare)];
    const Ymm left = reg(a, 13, part);
    form.source[0] == 8 ? vcmppd(out, left, operand(b, part), code)
                        : vcmpps(out, left, operand(b, part), code);
}

// Compares the low halves only, since the upper halves are undefined. Returns true if the result is
// the complement.
bool Emitter::compare_halves(const Form& form, const Source& a, const Source& b, const Ymm& out)
{
    const bool equality = form.compare == Compare::eq || form.compare == Compare::ne;
    vpslld(ymm13, reg(a, 13), 16);
    vpslld(ymm14, reg(b, 14), 16);
    if (!equality && form.operation == Operation::compare_u16) {
        vpxor(ymm13, ymm13, words(0x80000000u));
        vpxor(ymm14, ymm14, words(0x80000000u));
    }
    const bool swap = form.compare == Compare::lt || form.compare == Compare::ge;
    if (equality)
        vpcmpeqd(out, ymm13, ymm14);
    else
        swap ? vpcmpgtd(out, ymm14, ymm13) : vpcmpgtd(out, ymm13, ymm14);
    return form.compare == Compare::ne || form.compare == Compare::le ||
           form.compare == Compare::ge;
}

// Returns true if the result is the complement.
bool Emitter::compare_integers(const Form& form, const Source& a, const Source& b, const Ymm& out,
                               int part)
{
    const bool wide = form.source[0] == 8;
    if (form.compare == Compare::eq || form.compare == Compare::ne) {
        const Ymm left = reg(a, 13, part);
        wide ? vpcmpeqq(out, left, operand(b, part)) : vpcmpeqd(out, left, operand(b, part));
        return form.compare == Compare::ne;
    }
    // a > b, or b > a for a < b; the other comparisons are complements.
    const bool swapped = form.compare == Compare::lt || form.compare == Compare::ge;
    const bool complement = form.compare == Compare::le || form.compare == Compare::ge;
    const Source& left = swapped ? b : a;
    const Source& right = swapped ? a : b;
    if (form.operation != Operation::compare_u32 && form.operation != Operation::compare_u64) {
        const Ymm first = reg(left, 13, part);
        wide ? vpcmpgtq(out, first, operand(right, part))
             : vpcmpgtd(out, first, operand(right, part));
        return complement;
    }
    const Address sign = wide ? long_words(std::uint64_t{1} << 63) : words(0x80000000u);
    vmovups(ymm15, sign);
    vpxor(ymm13, ymm15, operand(left, part));
    vpxor(ymm15, ymm15, operand(right, part));
    wide ? vpcmpgtq(out, ymm13, ymm15) : vpcmpgtd(out, ymm13, ymm15);
    return complement;
}

void Emitter::compare(const Step& step, std::size_t index, int to, int complement)
{
    const Form& form = *step.form;
    const Ymm d(to);
    const bool floats =
        form.operation == Operation::compare_f32 || form.operation == Operation::compare_f64;
    const bool wide = form.source[0] == 8;
    const Source a = get(step.source[0], form.source[0], index, false);
    const Source b = get(step.source[1], form.source[1], index, false);
    bool negate = false;
    const auto one = [&](const Ymm& out, int part) {
        if (floats)
            compare_floats(form, a, b, out, part);
        else if (form.operation == Operation::compare_s16 ||
                 form.operation == Operation::compare_u16)
            negate = compare_halves(form, a, b, out);
        else
            negate = compare_integers(form, a, b, out, part);
    };
    one(d, 0);
    if (wide) {
        one(ymm14, 1);
        reduce_masks(to, to, 14);
    }
    const auto combine = [&](const Ymm& out) {
        if (form.boolean == Boolean::none) return;
        const Ymm with(source_predicate(step, 2, index));
        switch (form.boolean) {
        case Boolean::bit_and: vpand(out, out, with); break;
        case Boolean::bit_or: vpor(out, out, with); break;
        default: vpxor(out, out, with); break;
        }
    };
    if (complement >= 0) {
        if (negate)
            vmovaps(Ymm(complement), d);
        else
            invert(complement, to);
        combine(Ymm(complement));
    }
    if (negate) invert(to, to);
    combine(d);
}

// f64: if `given` is a NaN, the result is that NaN, quietened.
void Emitter::quieten(const Ymm& result, const Operand& given)
{
    vmovups(ymm13, given);
    vcmpunordpd(ymm15, ymm13, ymm13);
    vorpd(ymm13, ymm13, long_words(std::uint64_t{1} << 51));
    vblendvpd(result, result, ymm13, ymm15);
}

// Divides via f64, as explained in rows/integer.cpp. A quotient that doesn't fit becomes the lowest
// number, which is the wrapped-around result. Unsigned numbers are offset by 2^31 first. Division
// by zero yields all ones.
void Emitter::divide(const Step& step, const Source& a, const Source& b, int to)
{
    const Operation operation = step.form->operation;
    const Ymm d(to);
    const bool is_unsigned =
        operation == Operation::divide_u32 || operation == Operation::remainder_u32;
    constexpr std::uint64_t two_to_31 = 0x41e0000000000000u; // as f64
    for (int part = 0; part < 2; ++part) {
        const auto widened = [&](int spare, const Source& from) {
            vmovups(Ymm(spare), operand(from));
            if (part == 1) vextracti128(Xmm(spare), Ymm(spare), 1);
            if (is_unsigned) vpxor(Xmm(spare), Xmm(spare), words(0x80000000u));
            vcvtdq2pd(Ymm(spare), Xmm(spare));
            if (is_unsigned) vaddpd(Ymm(spare), Ymm(spare), long_words(two_to_31));
        };
        widened(13, a);
        widened(14, b);
        vdivpd(ymm13, ymm13, ymm14);
        if (is_unsigned) {
            vroundpd(ymm13, ymm13, 11);
            vsubpd(ymm13, ymm13, long_words(two_to_31));
        }
        if (part == 0) {
            vcvttpd2dq(Xmm(to), ymm13);
        } else {
            vcvttpd2dq(xmm13, ymm13);
            vinserti128(d, d, xmm13, 1);
        }
    }
    if (is_unsigned) vpxor(d, d, words(0x80000000u));
    if (operation == Operation::remainder_s32 || operation == Operation::remainder_u32) {
        vpmulld(d, d, operand(b));
        vmovups(ymm13, operand(a));
        vpsubd(d, ymm13, d);
    }
    vpxor(ymm13, ymm13, ymm13);
    vpcmpeqd(ymm13, ymm13, operand(b));
    vpor(d, d, ymm13);
    if (variant_.masked) vpand(ymm13, ymm13, ptr[rbx + offset(&Activation::lanes) + 32 * strip_]);
    Label fine;
    vmovmskps(eax, ymm13);
    test(eax, eax);
    jz(fine, T_NEAR);
    mov(byte[rbx + offset(&Activation::divided_by_zero)], 1);
    mov(rcx, field(&Activation::zero_divisor_lanes));
    or_(byte[rcx + 4 * step.pc + strip_], al);
    L(fine);
}

// d = a op b per part; the second operand may be in memory.
template <class Emit>
void Emitter::binary(const Work& work, Emit emit)
{
    for (int part = 0; part < work.parts(); ++part)
        emit(Ymm(work.to[static_cast<std::size_t>(part)]), reg(work.a, 13, part),
             operand(work.b, part));
}

// d = op a per part; the operand may be in memory.
template <class Emit>
void Emitter::unary(const Work& work, Emit emit)
{
    for (int part = 0; part < work.parts(); ++part)
        emit(Ymm(work.to[static_cast<std::size_t>(part)]), operand(work.a, part));
}

// Operations that are one instruction (operations.def). Returns false for the others.
bool Emitter::compute_by_one(const Work& work)
{
#define ONE(instruction, ...)                                                                      \
    unary(work, [&](const auto& to, const auto& from) {                                            \
        instruction(to, from __VA_OPT__(, ) __VA_ARGS__);                                          \
    });                                                                                            \
    return true
#define TWO(instruction)                                                                           \
    binary(work, [&](const auto& to, const auto& a, const auto& b) { instruction(to, a, b); });    \
    return true
#define WRITTEN return false
#define OPERATION(name, instructions, x64, wasm)                                                   \
    case Operation::name: x64;
    switch (work.step.form->operation) {
#include "compute/simt/native/operations.def"
    }
#undef WRITTEN
#undef TWO
#undef ONE
    return false;
}

// Distances of funnel shifts.
void Emitter::shift_amounts(const Work& work, const Ymm& out)
{
    const Operation operation = work.step.form->operation;
    const bool clamps =
        operation == Operation::funnel_left_clamp || operation == Operation::funnel_right_clamp;
    vmovups(out, operand(work.c));
    clamps ? vpminud(out, out, words(32)) : vpand(out, out, words(31));
}

// Moves, predicates and selection. Returns false for other operations.
bool Emitter::compute_predicates(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const Step& step = work.step;
    const std::size_t index = work.index;
    const int parts = work.parts();
    const std::array<int, 2>& to = work.to;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    const Source& b = work.b;
    switch (operation) {
    case Operation::move_predicate: vmovaps(d, Ymm(source_predicate(step, 0, index))); break;
    case Operation::not_predicate: {
        const int from = source_predicate(step, 0, index);
        invert(to[0], from);
        break;
    }
    case Operation::and_predicate:
    case Operation::or_predicate:
    case Operation::xor_predicate: {
        vmovaps(d, Ymm(source_predicate(step, 0, index)));
        const Ymm with(source_predicate(step, 1, index));
        if (operation == Operation::and_predicate)
            vpand(d, d, with);
        else if (operation == Operation::or_predicate)
            vpor(d, d, with);
        else
            vpxor(d, d, with);
        break;
    }
    case Operation::select32:
    case Operation::select64: {
        const int chosen = source_predicate(step, 2, index);
        for (int part = 0; part < parts; ++part) {
            int mask = chosen;
            if (parts == 2) {
                wide_mask(15, chosen, part);
                mask = 15;
            }
            const Ymm otherwise = reg(b, 13, part);
            vblendvps(Ymm(to[static_cast<std::size_t>(part)]), otherwise, operand(a, part),
                      Ymm(mask));
        }
        break;
    }
    default: return false;
    }
    return true;
}

// The upper halves of products of 32 bits.
void Emitter::high_halves(const Work& work, bool is_signed)
{
    const Ymm d(work.to[0]);
    const Ymm l = reg(work.a, 13);
    const Ymm r = reg(work.b, 14);
    vpsrlq(ymm15, l, 32);
    vpsrlq(d, r, 32);
    if (is_signed) {
        vpmuldq(ymm15, ymm15, d);
        vpmuldq(d, l, r);
    } else {
        vpmuludq(ymm15, ymm15, d);
        vpmuludq(d, l, r);
    }
    vpsrlq(d, d, 32);
    vpblendd(d, d, ymm15, 0xaa);
}

// Products of 32 bits in 64, and a third operand added to them.
void Emitter::wide_products(const Work& work, bool is_signed)
{
    const bool adds = work.step.form->sources > 2;
    for (int part = 0; part < 2; ++part) {
        const Ymm out(work.to[static_cast<std::size_t>(part)]);
        widen(13, work.a, part, false);
        widen(14, work.b, part, false);
        is_signed ? vpmuldq(out, ymm13, ymm14) : vpmuludq(out, ymm13, ymm14);
        if (adds) vpaddq(out, out, operand(work.c, part));
    }
}

// Integers of 32 bits. Returns false for other operations.
bool Emitter::compute_words(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const Step& step = work.step;
    const std::array<int, 2>& to = work.to;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    const Source& b = work.b;
    const Source& c = work.c;
    switch (operation) {
    case Operation::multiply_add32:
        binary(work, [&](const auto& o, const auto& l, const auto& r) { vpmulld(o, l, r); });
        vpaddd(d, d, operand(c));
        break;
    case Operation::high_u32: high_halves(work, false); break;
    case Operation::high_s32: high_halves(work, true); break;
    case Operation::divide_s32:
    case Operation::divide_u32:
    case Operation::remainder_s32:
    case Operation::remainder_u32: divide(step, a, b, to[0]); break;
    case Operation::wide_u32:
    case Operation::wide_add_u32: wide_products(work, false); break;
    case Operation::wide_s32:
    case Operation::wide_add_s32: wide_products(work, true); break;
    case Operation::negate32:
        vpxor(ymm15, ymm15, ymm15);
        vpsubd(d, ymm15, operand(a));
        break;
    default: return false;
    }
    return true;
}

// Integers of 64 bits. Returns false for other operations.
bool Emitter::compute_long_words(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const std::array<int, 2>& to = work.to;
    const Source& a = work.a;
    const Source& b = work.b;
    switch (operation) {
    case Operation::multiply64:
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            const Ymm l = reg(a, 13, part);
            const Ymm r = reg(b, 14, part);
            vpsrlq(ymm15, l, 32);
            vpmuludq(ymm15, ymm15, r);
            vpsrlq(out, r, 32);
            vpmuludq(out, out, l);
            vpaddq(ymm15, ymm15, out);
            vpsllq(ymm15, ymm15, 32);
            vpmuludq(out, l, r);
            vpaddq(out, out, ymm15);
        }
        break;
    case Operation::negate64:
        vpxor(ymm15, ymm15, ymm15);
        for (int part = 0; part < 2; ++part)
            vpsubq(Ymm(to[static_cast<std::size_t>(part)]), ymm15, operand(a, part));
        break;
    default: return false;
    }
    return true;
}

// Logic and shifts. Returns false for other operations.
bool Emitter::compute_bits(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const int parts = work.parts();
    const std::array<int, 2>& to = work.to;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    const Source& b = work.b;
    switch (operation) {
    case Operation::not32:
    case Operation::not64:
        for (int part = 0; part < parts; ++part) {
            vmovups(ymm15, words(~0u));
            vpxor(Ymm(to[static_cast<std::size_t>(part)]), ymm15, operand(a, part));
        }
        break;
    case Operation::left64:
    case Operation::right_u64:
    case Operation::right_s64:
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            widen(14, b, part, false);
            const Ymm l = reg(a, 13, part);
            if (operation == Operation::left64) {
                vpsllvq(out, l, ymm14);
            } else if (operation == Operation::right_u64) {
                vpsrlvq(out, l, ymm14);
            } else {
                // Shifts in the sign from the left.
                vpxor(ymm15, ymm15, ymm15);
                vpcmpgtq(ymm15, ymm15, l);
                vpxor(out, l, ymm15);
                vpsrlvq(out, out, ymm14);
                vpxor(out, out, ymm15);
            }
        }
        break;
    case Operation::funnel_left_wrap:
    case Operation::funnel_left_clamp:
    case Operation::funnel_right_wrap:
    case Operation::funnel_right_clamp: {
        const bool left =
            operation == Operation::funnel_left_wrap || operation == Operation::funnel_left_clamp;
        shift_amounts(work, ymm14);
        vmovups(ymm15, words(32));
        vpsubd(ymm15, ymm15, ymm14);
        const Ymm low = reg(a, 13);
        left ? vpsrlvd(d, low, ymm15) : vpsrlvd(d, low, ymm14);
        const Ymm high = reg(b, 13);
        left ? vpsllvd(ymm14, high, ymm14) : vpsllvd(ymm14, high, ymm15);
        vpor(d, d, ymm14);
        break;
    }
    default: return false;
    }
    return true;
}

// f32. Returns false for other operations.
bool Emitter::compute_floats(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    const Source& b = work.b;
    const Source& c = work.c;
    switch (operation) {
    case Operation::fused_f32: {
        vmovups(d, operand(a));
        const Ymm factor = reg(b, 13);
        vfmadd213ps(d, factor, operand(c));
        break;
    }
    case Operation::reciprocal_f32:
        vmovups(ymm15, words(0x3f800000u));
        vdivps(d, ymm15, operand(a));
        break;
    case Operation::min_f32:
    case Operation::max_f32: {
        // The sign decides between zeros; a number wins over a NaN.
        const Ymm l = reg(a, 13);
        const Ymm r = reg(b, 14);
        vcmpeqps(ymm15, l, r);
        if (operation == Operation::min_f32) {
            vminps(d, l, r); // b if they are equal or one is a NaN
            vandps(ymm15, ymm15, l);
            vorps(d, d, ymm15);
        } else {
            vmaxps(d, l, r);
            vandnps(ymm15, l, ymm15); // all ones, except where a is zero
            vandnps(d, ymm15, d);
        }
        vcmpunordps(ymm15, r, r);
        vblendvps(d, d, l, ymm15);
        break;
    }
    case Operation::abs_f32:
        vmovups(ymm15, words(0x7fffffffu));
        vandps(d, ymm15, operand(a));
        break;
    case Operation::negate_f32:
        vmovups(ymm15, words(0x80000000u));
        vxorps(d, ymm15, operand(a));
        break;
    default: return false;
    }
    return true;
}

// f64. Returns false for other operations.
bool Emitter::compute_doubles(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const std::array<int, 2>& to = work.to;
    const Source& a = work.a;
    const Source& b = work.b;
    const Source& c = work.c;
    switch (operation) {
    case Operation::add_f64:
    case Operation::multiply_f64:
        // With two NaNs the processor returns the first operand's, so b must come first.
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            const Ymm first = reg(b, 13, part);
            operation == Operation::add_f64 ? vaddpd(out, first, operand(a, part))
                                            : vmulpd(out, first, operand(a, part));
        }
        break;
    case Operation::sub_f64:
    case Operation::divide_f64:
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            const Ymm first = reg(a, 13, part);
            if (operation == Operation::divide_f64) {
                vdivpd(out, first, operand(b, part)); // a's NaN has priority here
            } else {
                vsubpd(out, first, operand(b, part));
                quieten(out, operand(b, part));
            }
        }
        break;
    case Operation::fused_f64:
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            vmovups(out, operand(a, part));
            const Ymm factor = reg(b, 13, part);
            vfmadd213pd(out, factor, operand(c, part));
            quieten(out, operand(a, part));
            quieten(out, operand(c, part));
            quieten(out, operand(b, part));
        }
        break;
    default: return false;
    }
    return true;
}

// Conversions to floating point. Returns false for other operations.
bool Emitter::compute_to_floats(const Work& work)
{
    const Form& form = *work.step.form;
    const Operation operation = work.step.form->operation;
    const std::array<int, 2>& to = work.to;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    switch (operation) {
    case Operation::f32_from_u32:
    case Operation::f64_from_u32:
        // Converts via the signed number offset by 2^31: exact in f64.
        for (int part = 0; part < 2; ++part) {
            const Ymm out = form.destination == 8 ? Ymm(to[static_cast<std::size_t>(part)])
                                                  : Ymm(part == 0 ? 13 : 14);
            vmovups(ymm15, words(0x80000000u));
            vpxor(ymm15, ymm15, operand(a));
            if (part == 1) vextracti128(xmm15, ymm15, 1);
            vcvtdq2pd(out, xmm15);
            vaddpd(out, out, long_words(0x41e0000000000000u));
        }
        if (form.destination == 4) {
            vcvtpd2ps(xmm13, ymm13);
            vcvtpd2ps(xmm14, ymm14);
            vinsertf128(d, ymm13, xmm14, 1);
        }
        break;
    case Operation::f64_from_s32:
    case Operation::f64_from_f32:
        for (int part = 0; part < 2; ++part) {
            const Ymm out(to[static_cast<std::size_t>(part)]);
            vmovups(ymm15, operand(a));
            if (part == 1) vextracti128(xmm15, ymm15, 1);
            operation == Operation::f64_from_s32 ? vcvtdq2pd(out, xmm15) : vcvtps2pd(out, xmm15);
        }
        break;
    case Operation::f32_from_f64: {
        const Ymm low = reg(a, 13, 0);
        vcvtpd2ps(xmm13, low);
        const Ymm high = reg(a, 14, 1);
        vcvtpd2ps(xmm14, high);
        vinsertf128(d, ymm13, xmm14, 1);
        break;
    }
    default: return false;
    }
    return true;
}

// Conversions to integers, and parts of them. Returns false for other operations.
bool Emitter::compute_to_integers(const Work& work)
{
    const Operation operation = work.step.form->operation;
    const std::array<int, 2>& to = work.to;
    const Ymm d(work.to[0]);
    const Source& a = work.a;
    switch (operation) {
    case Operation::s32_from_f32: {
        const Ymm from = reg(a, 13);
        // Out-of-range values become the lowest number: correct at the lower end, off by one at the
        // upper end, wrong for NaNs.
        vcmpps(ymm15, from, words(0x4f000000u), 0x1d);
        vcvttps2dq(d, from);
        vpxor(d, d, ymm15);
        vcmpordps(ymm15, from, from);
        vpand(d, d, ymm15);
        break;
    }
    case Operation::u32_from_f32: {
        const Ymm from = reg(a, 13);
        vcmpps(ymm15, from, words(0x4f000000u), 0x1d);
        vandps(ymm14, ymm15, words(0x4f000000u));
        vsubps(ymm14, from, ymm14);
        vpslld(ymm15, ymm15, 31);
        vxorps(d, d, d);
        vmaxps(ymm14, ymm14, d); // also 0 for a NaN
        vcvttps2dq(d, ymm14);
        vpor(d, d, ymm15);
        vcmpps(ymm15, from, words(0x4f800000u), 0x1d);
        vpor(d, d, ymm15);
        break;
    }
    case Operation::extend_u32:
    case Operation::extend_s32:
        for (int part = 0; part < 2; ++part)
            widen(to[static_cast<std::size_t>(part)], a, part, operation == Operation::extend_s32);
        break;
    case Operation::low_half: {
        const Ymm low = reg(a, 13, 0);
        vshufps(d, low, operand(a, 1), 0x88);
        vpermq(d, d, 0xd8);
        break;
    }
    case Operation::low_u16:
    case Operation::low_u8:
        vmovups(ymm15, words(operation == Operation::low_u8 ? 0xffu : 0xffffu));
        vpand(d, ymm15, operand(a));
        break;
    case Operation::low_s16:
    case Operation::low_s8: {
        const std::uint8_t shift = operation == Operation::low_s8 ? 24 : 16;
        vpslld(d, reg(a, 13), shift);
        vpsrad(d, d, shift);
        break;
    }
    default: return false;
    }
    return true;
}

void Emitter::compute(const Step& step, std::size_t index, const std::array<int, 2>& to)
{
    const Form& form = *step.form;
    const Operation operation = form.operation;
    const bool f32 = operation >= Operation::add_f32 && operation <= Operation::cut_f32;
    const bool takes_any_nan =
        f32 || operation == Operation::s32_from_f32 || operation == Operation::u32_from_f32;
    Work work{step, index, to, {}, {}, {}};
    if (form.destination != 0) { // predicates are not in registers of their own
        // Conversions and shifts unpack their sources themselves.
        work.a = get(step.source[0], form.source[0], index, !takes_any_nan);
        if (form.sources > 1) work.b = get(step.source[1], form.source[1], index, !takes_any_nan);
        if (form.sources > 2 && form.source[2] != 0)
            work.c = get(step.source[2], form.source[2], index, !takes_any_nan);
    }
    if (!compute_by_one(work) && !compute_predicates(work) && !compute_words(work) &&
        !compute_long_words(work) && !compute_bits(work) && !compute_floats(work) &&
        !compute_doubles(work) && !compute_to_floats(work) && !compute_to_integers(work))
        throw Xbyak::Error(Xbyak::ERR_INTERNAL);
}

Code emit(const Plan& plan, const Variant& variant, const Helpers& helpers)
{
    try {
        return Emitter(plan, variant, helpers).run();
    } catch (const Xbyak::Error&) {
        return {};
    }
}

} // namespace lanescope::simt::native

#elif !defined(__wasm__)

namespace lanescope::simt::native {

Code emit(const Plan&, const Variant&, const Helpers&)
{
    return {};
}

} // namespace lanescope::simt::native

#endif
