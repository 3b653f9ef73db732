// Emits a module with one function, which enters at any item through a jump table. A stretch runs
// four lanes at a time: values are locals from their first use to their last, and a row is written
// when its last value is known. Predicates are 32-bit lane masks in the meantime.
#include "compute/simt/native/emit.h"

#ifdef __wasm__

#include <algorithm>
#include <map>

#include "compute/simt/native/webassembly/fused_row.h"
#include "compute/simt/native/webassembly/wasm_code.h"

namespace lanescope::simt::native {

namespace {

using rows::Boolean;
using rows::Compare;

constexpr int strip_lanes = 4;
constexpr int max_live_predicates = 16;                   // limit for a stretch's live predicates
constexpr std::size_t max_items = 4000;                   // limit per function
constexpr std::size_t max_bytes = std::size_t{512} << 10; // limit for the function's code
constexpr std::uint32_t nan_bits = 0x7fffffff;            // the NaN that f32 arithmetic produces

struct Place {
    int base = 0; // index of the local that holds the base address
    std::uint32_t offset = 0;
};

// A value of the strip: one local, or two locals of two lanes each for 64-bit lanes.
struct Held {
    RowRef row = no_row;
    std::uint8_t bytes = 4;
    std::array<int, 2> local{-1, -1};
    bool dirty = false;     // not yet written to memory
    bool unsettled = false; // f32: NaNs may not be canonical yet
    int parts() const { return bytes == 8 ? 2 : 1; }
};
using Locals = std::array<int, 2>;

class WasmEmitter {
public:
    WasmEmitter(const Plan& plan, const Variant& variant, const Helpers& helpers)
        : plan_(plan), code_(plan.function->code), variant_(variant), helpers_(helpers)
    {
    }
    Code run();

private:
    using Binary = wasm::Binary;
    using Bytes = wasm::Bytes;
    using enum wasm::Opcode;
    using enum wasm::Type;
    using enum wasm::Vector;

    // Parameters, and locals grouped by type.
    enum Local {
        activation,
        entry,
        item, // i32
        frame,
        constants,
        specials,
        active,
        narrow, // base of the strip's frame rows with 32-bit lanes
        wide,
        narrow_specials,
        wide_specials,
        first_lane, // first lane of the strip
        octet,      // activation + octet index
        octet_word, // activation + 4 × octet index
        upper_half, // 16 if the strip is the second half of its octet, else 0
        result,
        mask,
        amount,
        gathered_first,
        steps = gathered_first + max_live_predicates, // i64
        lane_bits,                                    // v128
        lanes,                                        // active lanes as a mask
        t0,
        t1,
        t2,
        t3,
        values // v128, as many as needed
    };
    enum Signature { enter_, handler_, branch_, look_, row_ };

    // --- Instructions ---
    WasmEmitter& op(wasm::Opcode opcode)
    {
        out_ << Bytes{opcode};
        return *this;
    }
    WasmEmitter& op(wasm::Vector instruction)
    {
        (out_ << Bytes{vector}).number(instruction);
        return *this;
    }
    WasmEmitter& get(int local) { return with_number(local_get, local); }
    WasmEmitter& set(int local) { return with_number(local_set, local); }
    WasmEmitter& tee(int local) { return with_number(local_tee, local); }
    WasmEmitter& number(std::int32_t value)
    {
        op(i32_const);
        out_.signed_number(value);
        return *this;
    }
    WasmEmitter& pointer(const void* value)
    {
        return number(static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(value)));
    }
    WasmEmitter& words(std::uint32_t value)
    {
        out_ << wasm::constant({value, value, value, value});
        return *this;
    }
    WasmEmitter& long_words(std::uint64_t value)
    {
        const auto low = static_cast<std::uint32_t>(value),
                   high = static_cast<std::uint32_t>(value >> 32);
        out_ << wasm::constant({low, high, low, high});
        return *this;
    }
    WasmEmitter& at(wasm::Opcode access, int alignment, std::size_t offset)
    {
        (out_ << Bytes{access, alignment}).number(offset);
        return *this;
    }
    WasmEmitter& at(wasm::Vector access, int alignment, std::size_t offset)
    {
        op(access);
        (out_ << Bytes{alignment}).number(offset);
        return *this;
    }
    WasmEmitter& with_number(wasm::Opcode opcode, int value)
    {
        (out_ << Bytes{opcode}).number(static_cast<std::uint64_t>(value));
        return *this;
    }
    WasmEmitter& call(Signature signature)
    {
        out_ << Bytes{call_indirect, signature, 0};
        return *this;
    }
    void open(wasm::Opcode construct, wasm::Type type = nothing)
    {
        out_ << Bytes{construct, type};
        ++nesting_;
    }
    void close()
    {
        op(end);
        --nesting_;
    }
    void choose(const std::array<int, 16>& bytes)
    {
        op(i8x16_shuffle);
        for (const int byte : bytes) out_ << Bytes{byte};
    }
    void even_words() { choose({0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}); }
    void odd_words() { choose({4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}); }
    void low_halves() { choose({0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23}); }
    void upper_to_lower(int local)
    {
        get(local).get(local);
        choose({8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15});
    }

    // --- The function and its items ---
    Binary module() const;
    void begin();
    void one(const Item& item);
    void handler(int pc);
    void row_function(int pc);
    void branch(int pc);
    void reconvergence(int pc);
    void call_handler(const Instruction& in, int lanes_mask);
    void leave_unless_zero();
    void leave(Leave how);
    void leave_with_result();
    void note_steps();
    void count(std::uint32_t instructions);
    void take_branch(int target);
    void go_to(int pc);
    void push_row_address(RowRef row);

    // --- A stretch ---
    void region(const LoadRegion& region);
    void stretch(const std::vector<Step>& steps, const std::vector<RowRef>& live);
    void begin_strips(bool loads);
    void end_strips(bool loads);
    void plan_stores();
    void load(const Step& step, std::size_t index);
    void step(std::size_t index);
    void keep_unguarded(const Step& step, std::size_t index, const Locals& d, int complement);
    void give(std::size_t index, RowRef row, Held value);
    void release_dead_values(std::size_t index);
    bool is_read_later(RowRef row, std::size_t after) const;
    int take();
    Held* find(RowRef row);
    void drop(RowRef row);
    Locals hold(RowRef row, std::uint8_t bytes, bool settled = true);
    void settle(int local);
    void store(const Held& held);
    Place place_of(RowRef row, std::uint8_t bytes, int part) const;
    void push_predicate(const Step& step, std::size_t i);
    void push_wide(int mask, int part);

    // --- Steps ---
    void compare(const Step& step, int d, int complement);
    void compare_floats(Compare how, const Locals& a, const Locals& b, int part, bool is_wide);
    void compare_integers(const Form& form, int a, int b);
    void combine(const Step& step);
    bool compute(const Step& step, const Locals& d);
    bool predicates(const Step& step, int d);
    bool by_one(const Step& step, const Locals& d);
    bool moves(const Step& step, const Locals& d);
    bool products(const Step& step, const Locals& d);
    bool bits(const Step& step, const Locals& d);
    bool shifts(const Step& step, const Locals& d);
    bool floats(const Step& step, const Locals& d);
    bool doubles(const Step& step, const Locals& d);
    bool conversions(const Step& step, const Locals& d);
    bool narrowing(const Step& step, const Locals& d);
    void extreme(int a, int b, bool is_max);
    void fused(int a, int b, int c);
    void fused_exactly(int a, int b, int c, int part);
    void funnel(const Step& step, int d);
    void shift(wasm::Vector by, int value, int part, int d);
    void shift_bits(wasm::Vector by, int value, int part, int d);
    void set_amount(const Step& step, std::size_t i);
    Locals source(const Step& step, std::size_t i, bool settled = true)
    {
        return hold(step.source[i], step.form->source[i], settled);
    }
    void each(const Locals& d, const Locals& a, wasm::Vector instruction)
    {
        for (std::size_t part = 0; part < 2 && d[part] >= 0; ++part)
            get(a[part]).op(instruction).set(d[part]);
    }
    void each(const Locals& d, const Locals& a, const Locals& b, wasm::Vector instruction)
    {
        for (std::size_t part = 0; part < 2 && d[part] >= 0; ++part)
            get(a[part]).get(b[part]).op(instruction).set(d[part]);
    }

    const Plan& plan_;
    const std::vector<Instruction>& code_;
    Variant variant_;
    Helpers helpers_;
    Binary out_;
    std::vector<int> item_of_; // indexed by pc
    int current_ = 0;          // item being emitted
    int nesting_ = 0;          // nesting depth of blocks within it
    bool failed_ = false;

    // State of the stretch being emitted.
    const std::vector<Step>* steps_ = nullptr;
    const std::vector<RowRef>* live_ = nullptr;
    std::vector<Held> held_;
    std::vector<int> free_; // free locals
    int used_ = 0;          // locals used by this stretch
    int max_used_ = 0;      // maximum over all stretches
    // Per step, whether each result (1: d, 2: d2) is the last value of its row and needed.
    std::vector<std::uint8_t> stores_;
    std::map<RowRef, int> gathered_; // predicates assembled strip by strip
    // State of the shift being emitted.
    bool is_uniform_ = false;
    std::uint32_t lane_width_ = 32;
};

// --- The function and its items ---

Code WasmEmitter::run()
{
    Code made;
    const std::size_t items = plan_.items.size();
    if (items > max_items) return made;
    item_of_.assign(code_.size(), -1);
    for (std::size_t i = 0; i < items; ++i)
        item_of_[static_cast<std::size_t>(plan_.items[i].begin)] = static_cast<int>(i);
    begin();
    auto next_region = plan_.regions.begin();
    for (const Item& each : plan_.items) {
        op(end); // ends the block that jumps to `leave`
        nesting_ = 0;
        if (next_region != plan_.regions.end() && (*next_region)->begin == each.begin) {
            if (!variant_.masked) region(**next_region);
            ++next_region;
        }
        count(each.counted);
        one(each);
        ++current_;
        if (failed_ || out_.size() > max_bytes) return made;
    }
    op(unreachable); // unreachable: control never reaches the end of the function
    op(end).op(unreachable).op(end);
    const Binary whole = module();
    const auto bytes = std::as_bytes(whole.bytes());
    made.bytes.assign(bytes.begin(), bytes.end());
    made.entry.assign(code_.size(), no_entry);
    for (std::size_t i = 0; i < items; ++i)
        made.entry[static_cast<std::size_t>(plan_.items[i].begin)] = static_cast<std::uint32_t>(i);
    return made;
}

void WasmEmitter::begin()
{
    const auto field = [&](std::size_t offset, Local to) {
        get(activation).at(i32_load, 2, offset).set(to);
    };
    field(offsetof(Activation, frame), frame);
    field(offsetof(Activation, constants), constants);
    field(offsetof(Activation, specials), specials);
    field(offsetof(Activation, active), active);
    get(activation).at(i64_load, 3, offsetof(Activation, steps)).set(steps);
    get(entry).with_number(global_get, 0).op(i32_sub).set(item);
    const std::size_t items = plan_.items.size();
    out_ << Bytes{loop, nothing};
    for (std::size_t i = 0; i < items; ++i) out_ << Bytes{block, nothing};
    get(item).op(br_table);
    out_.number(items - 1);
    for (std::size_t i = 0; i < items; ++i) out_.number(i);
}

WasmEmitter::Binary WasmEmitter::module() const
{
    constexpr int function_type = 0x60;
    Binary types, body, functions, whole;
    types << Bytes{5} << Bytes{function_type, 2, i32, i32, 1, i32}
          << Bytes{function_type, 3, i32, i32, i32, 1, i32}
          << Bytes{function_type, 2, i32, i32, 1, i32}
          << Bytes{function_type, 3, i32, i32, i64, 1, i32} << Bytes{function_type, 2, i32, i32, 0};
    body << Bytes{3};
    body.number(steps - item) << Bytes{i32, 1, i64};
    body.number(static_cast<std::uint64_t>(values - lane_bits + max_used_)) << Bytes{v128} << out_;
    functions << Bytes{1};
    functions.counted(body);
    whole << Bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
    whole.section(1, types)
        .section(2, wasm::imports())
        .section(3, Binary() << Bytes{1, enter_})
        .section(7, Binary() << Bytes{1, 1, 'f', 0, 0})
        .section(10, functions);
    return whole;
}

void WasmEmitter::one(const Item& item)
{
    switch (item.kind) {
    case Item::Kind::stretch: return stretch(item.steps, item.live);
    case Item::Kind::row_function: return row_function(item.begin);
    case Item::Kind::branch: return branch(item.begin);
    case Item::Kind::mark: return reconvergence(item.begin);
    case Item::Kind::handler: return handler(item.begin);
    }
}

void WasmEmitter::count(std::uint32_t instructions)
{
    if (instructions == 0) return;
    get(steps).op(i64_const);
    out_.signed_number(instructions);
    op(i64_add).set(steps);
}

void WasmEmitter::note_steps()
{
    get(activation).at(i32_load, 2, offsetof(Activation, slice_steps));
    get(steps).at(i64_store, 3, 0);
}

void WasmEmitter::leave_with_result()
{
    get(activation).get(steps).at(i64_store, 3, offsetof(Activation, steps));
    get(result).op(return_);
}

void WasmEmitter::leave(Leave how)
{
    number(static_cast<std::int32_t>(how)).set(result);
    leave_with_result();
}

// The result of a call is on the stack.
void WasmEmitter::leave_unless_zero()
{
    tee(result);
    open(if_);
    leave_with_result();
    close();
}

void WasmEmitter::call_handler(const Instruction& in, int lanes_mask)
{
    note_steps();
    get(activation).pointer(&in).get(lanes_mask);
    pointer(reinterpret_cast<const void*>(helpers_.handler)).call(handler_);
    leave_unless_zero();
}

void WasmEmitter::handler(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    if (!in.guarded) return call_handler(in, active);
    const Place guard = place_of(in.guard, 0, 0);
    get(guard.base).at(i32_load, 2, guard.offset);
    if (in.guard_negated) number(-1).op(i32_xor);
    get(active).op(i32_and).set(mask);
    if (in.always) return call_handler(in, mask);
    get(mask);
    open(if_);
    call_handler(in, mask);
    close();
}

void WasmEmitter::push_row_address(RowRef row)
{
    if (row == no_row) {
        number(0);
        return;
    }
    const Place place = place_of(row, 0, 0);
    get(place.base).number(static_cast<std::int32_t>(place.offset)).op(i32_add);
}

void WasmEmitter::row_function(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    constexpr std::size_t operands = offsetof(Activation, operands);
    for (const auto& [row, offset] :
         {std::pair{in.d, offsetof(RowOperands, d)}, std::pair{in.a, offsetof(RowOperands, a)},
          std::pair{in.b, offsetof(RowOperands, b)}, std::pair{in.c, offsetof(RowOperands, c)}}) {
        get(activation);
        push_row_address(row);
        at(i32_store, 2, operands + offset);
    }
    get(activation).number(operands).op(i32_add).get(active);
    pointer(reinterpret_cast<const void*>(in.run)).call(row_);
}

void WasmEmitter::go_to(int pc)
{
    const int target = item_of_[static_cast<std::size_t>(pc)];
    const int open_blocks = static_cast<int>(plan_.items.size()) - 1 - current_;
    if (target < 0) {
        failed_ = true;
    } else if (target > current_) {
        with_number(br, nesting_ + target - current_ - 1);
    } else {
        number(target).set(item);
        with_number(br, nesting_ + open_blocks);
    }
}

void WasmEmitter::take_branch(int target)
{
    get(steps).get(activation).at(i64_load, 3, offsetof(Activation, slice)).op(i64_ge_u);
    open(if_);
    get(activation).number(target).at(i32_store, 2, offsetof(Activation, pc));
    leave(Leave::slice_over);
    close();
    go_to(target);
}

void WasmEmitter::branch(int pc)
{
    const Instruction& in = code_[static_cast<std::size_t>(pc)];
    const int target = plan_.function->branches[in.extra].target;
    const auto report = [&] {
        // Branches that are not a site are not reported.
        if (!variant_.observed || in.site == no_index) return;
        note_steps();
        get(activation).pointer(&in);
        pointer(reinterpret_cast<const void*>(helpers_.uniform_branch)).call(branch_);
        leave_unless_zero();
    };
    if (!in.guarded) {
        report();
        return take_branch(target);
    }
    const Place guard = place_of(in.guard, 0, 0);
    get(guard.base).at(i32_load, 2, guard.offset);
    if (in.guard_negated) number(-1).op(i32_xor);
    get(active).op(i32_and).tee(mask).get(active).op(i32_eq);
    open(if_);
    report();
    take_branch(target);
    close();
    get(mask);
    open(if_);
    call_handler(in, mask);
    leave(Leave::next); // never returned by the handler of a divergent branch
    close();
    report();
}

void WasmEmitter::reconvergence(int pc)
{
    get(activation).at(i32_load, 2, offsetof(Activation, reconvergence)).number(pc).op(i32_eq);
    open(if_);
    call_handler(code_[static_cast<std::size_t>(pc)], active);
    close();
}

// --- A stretch ---

Place WasmEmitter::place_of(RowRef row, std::uint8_t bytes, int part) const
{
    const std::uint32_t offset = row & ~3u;
    const std::uint32_t at = offset + 16 * static_cast<std::uint32_t>(part);
    switch (static_cast<RowBase>(row & 3u)) {
    case RowBase::constants: return {constants, offset}; // all lanes are equal
    case RowBase::specials:
        return {bytes == 0 ? specials : bytes == 8 ? wide_specials : narrow_specials, at};
    default: return {bytes == 0 ? frame : bytes == 8 ? wide : narrow, at};
    }
}

bool WasmEmitter::is_read_later(RowRef row, std::size_t after) const
{
    const std::vector<Step>& steps = *steps_;
    for (std::size_t i = after + 1; i < steps.size(); ++i) {
        const Step& step = steps[i];
        for (std::size_t k = 0; step.form != nullptr && k < step.form->sources; ++k)
            if (step.source[k] == row) return true;
        const bool writes = step.d == row || step.d2 == row;
        if (step.guard == row || (writes && step.guard != no_row)) return true;
        if (writes) return false;
    }
    return false;
}

// Determines which steps give a row its last value, if that is needed after the stretch.
void WasmEmitter::plan_stores()
{
    const std::vector<Step>& steps = *steps_;
    stores_.assign(steps.size(), 0);
    gathered_.clear();
    std::vector<RowRef> seen;
    for (std::size_t i = steps.size(); i-- > 0;) {
        const Step& step = steps[i];
        for (const RowRef row : {step.d, step.d2}) {
            if (row == no_row || std::ranges::find(seen, row) != seen.end()) continue;
            seen.push_back(row);
            if (!std::ranges::binary_search(*live_, row)) continue;
            stores_[i] |= row == step.d ? 1 : 2;
            if (step.form == nullptr || step.form->destination != 0) continue;
            if (gathered_.size() == max_live_predicates) failed_ = true;
            gathered_.emplace(row, gathered_first + static_cast<int>(gathered_.size()));
        }
    }
}

void WasmEmitter::begin_strips(bool loads)
{
    for (const auto& [from, to] :
         {std::pair{frame, narrow}, std::pair{frame, wide}, std::pair{specials, narrow_specials},
          std::pair{specials, wide_specials}})
        get(from).set(to);
    number(0).set(first_lane);
    out_ << wasm::constant({1, 2, 4, 8});
    set(lane_bits);
    open(loop);
    if (variant_.masked) {
        open(block);
        get(active).get(first_lane).op(i32_shr_u).number(15).op(i32_and).op(i32_eqz);
        with_number(br_if, 0);
        get(active).op(i32x4_splat).get(lane_bits).op(v128_and).get(lane_bits).op(i32x4_eq);
        set(lanes);
    }
    if (!loads) return;
    get(activation).get(first_lane).number(3).op(i32_shr_u).tee(amount).op(i32_add).set(octet);
    get(activation).get(amount).number(2).op(i32_shl).op(i32_add).set(octet_word);
    get(first_lane).number(4).op(i32_and).number(2).op(i32_shl).set(upper_half);
}

void WasmEmitter::end_strips(bool)
{
    if (variant_.masked) close();
    for (const auto& [local, bytes] :
         {std::pair{narrow, 16}, std::pair{wide, 32}, std::pair{narrow_specials, 16},
          std::pair{wide_specials, 32}})
        get(local).number(bytes).op(i32_add).set(local);
    get(lane_bits).number(strip_lanes).op(i32x4_shl).set(lane_bits);
    get(first_lane).number(strip_lanes).op(i32_add).tee(first_lane);
    number(warp_lanes).op(i32_lt_u);
    with_number(br_if, 0);
    close();
}

void WasmEmitter::stretch(const std::vector<Step>& steps, const std::vector<RowRef>& live)
{
    steps_ = &steps;
    live_ = &live;
    plan_stores();
    held_.clear();
    free_.clear();
    used_ = 0;
    for (const auto& [row, local] : gathered_) number(0).set(local);
    const bool loads = std::ranges::any_of(steps, [](const Step& s) { return s.form == nullptr; });
    begin_strips(loads);
    for (std::size_t i = 0; i < steps.size() && !failed_; ++i) step(i);
    end_strips(loads);
    max_used_ = std::max(max_used_, used_);
    for (const auto& [row, local] : gathered_) {
        const Place place = place_of(row, 0, 0);
        get(place.base);
        if (variant_.masked) {
            get(local).get(place.base).at(i32_load, 2, place.offset).tee(amount).op(i32_xor);
            get(active).op(i32_and).get(amount).op(i32_xor);
        } else {
            get(local);
        }
        at(i32_store, 2, place.offset);
    }
}

// Emitted before the region's items; falls through to them if a check of the loads fails.
void WasmEmitter::region(const LoadRegion& region)
{
    get(activation).pointer(&region).get(steps);
    pointer(reinterpret_cast<const void*>(helpers_.check_loads)).call(look_).tee(result);
    op(i32_eqz);
    open(if_);
    count(region.counted);
    stretch(region.steps, region.live);
    go_to(region.end);
    close();
    get(result).number(static_cast<std::int32_t>(Leave::jump)).op(i32_ne);
    open(if_);
    leave_with_result();
    close();
}

void WasmEmitter::load(const Step& step, std::size_t index)
{
    Held value;
    value.row = step.d;
    value.local[0] = take();
    const std::size_t slot = offsetof(Activation, slots) + step.slot * sizeof(LoadSlot);
    const std::size_t one =
        offsetof(Activation, one_word) + step.slot * sizeof(std::array<std::uint8_t, 4>);
    get(octet_word).at(i32_load, 2, slot);
    if (step.offset != 0) number(step.offset).op(i32_add);
    set(amount);
    get(octet).at(i32_load8_u, 0, one);
    out_ << Bytes{if_, v128};
    get(amount).at(v128_load32_splat, 0, 0);
    op(else_);
    get(amount).get(upper_half).op(i32_add).at(v128_load, 0, 0);
    op(end).set(value.local[0]);
    give(index, step.d, value);
    release_dead_values(index);
}

// Makes the step's result the current value of the row.
void WasmEmitter::give(std::size_t index, RowRef row, Held value)
{
    if (row == no_row) {
        for (const int local : value.local)
            if (local >= 0) free_.push_back(local);
        return;
    }
    drop(row);
    value.row = row;
    value.dirty = true;
    if ((stores_[index] & (row == (*steps_)[index].d ? 1 : 2)) != 0) {
        if (value.unsettled) settle(value.local[0]);
        value.unsettled = false;
        if (value.bytes != 0) {
            store(value);
            value.dirty = false;
        } else {
            const int word = gathered_.at(row); // written to memory at the end of the stretch
            get(value.local[0]).op(i32x4_bitmask).get(first_lane).op(i32_shl);
            get(word).op(i32_or).set(word);
        }
    }
    held_.push_back(value);
}

void WasmEmitter::release_dead_values(std::size_t index)
{
    for (std::size_t i = held_.size(); i-- > 0;)
        if (!is_read_later(held_[i].row, index)) drop(held_[i].row);
}

int WasmEmitter::take()
{
    if (free_.empty()) return values + used_++;
    const int local = free_.back();
    free_.pop_back();
    return local;
}

Held* WasmEmitter::find(RowRef row)
{
    const auto found = std::ranges::find(held_, row, &Held::row);
    return found == held_.end() ? nullptr : &*found;
}

void WasmEmitter::drop(RowRef row)
{
    const auto found = std::ranges::find(held_, row, &Held::row);
    if (found == held_.end()) return;
    for (const int local : found->local)
        if (local >= 0) free_.push_back(local);
    held_.erase(found);
}

// Loads the row's value into locals, which don't change while it is held.
Locals WasmEmitter::hold(RowRef row, std::uint8_t bytes, bool settled)
{
    Held* held = find(row);
    if (held != nullptr && held->bytes != bytes) {
        if (held->dirty && held->bytes == 0) failed_ = true;
        if (held->unsettled) settle(held->local[0]);
        if (held->dirty && held->bytes != 0) store(*held);
        drop(row);
        held = nullptr;
    }
    if (held == nullptr) {
        Held made;
        made.row = row;
        made.bytes = bytes;
        for (int part = 0; part < made.parts(); ++part) {
            const int local = made.local[static_cast<std::size_t>(part)] = take();
            const Place place = place_of(row, bytes, part);
            get(place.base);
            if (bytes == 0) {
                at(v128_load32_splat, 2, place.offset).get(lane_bits).op(v128_and);
                get(lane_bits).op(i32x4_eq);
            } else {
                at(v128_load, 4, place.offset);
            }
            set(local);
        }
        held_.push_back(made);
        held = &held_.back();
    }
    if (settled && held->unsettled) {
        settle(held->local[0]);
        held->unsettled = false;
    }
    return held->local;
}

void WasmEmitter::settle(int local)
{
    get(local).words(nan_bits).get(local).get(local).op(f32x4_eq).op(v128_bitselect).set(local);
}

// Writes the value to its row. Not for predicates.
void WasmEmitter::store(const Held& held)
{
    for (int part = 0; part < held.parts(); ++part) {
        const Place place = place_of(held.row, held.bytes, part);
        get(place.base).get(held.local[static_cast<std::size_t>(part)]);
        if (variant_.masked) {
            get(place.base).at(v128_load, 4, place.offset);
            if (held.bytes == 8)
                push_wide(lanes, part);
            else
                get(lanes);
            op(v128_bitselect);
        }
        at(v128_store, 4, place.offset);
    }
}

// Pushes half of a four-lane mask as a mask of two 64-bit lanes.
void WasmEmitter::push_wide(int mask, int part)
{
    get(mask).op(part == 0 ? i64x2_extend_low_s : i64x2_extend_high_s);
}

void WasmEmitter::push_predicate(const Step& step, std::size_t i)
{
    get(hold(step.source[i], 0)[0]);
    if ((step.inverted >> i & 1u) != 0) op(v128_not);
}

// --- Steps ---

void WasmEmitter::step(std::size_t index)
{
    const Step& step = (*steps_)[index];
    if (step.form == nullptr) return load(step, index);
    const Operation operation = step.form->operation;
    const std::uint8_t bytes = step.form->destination;
    const bool compares =
        operation >= Operation::compare_s32 && operation <= Operation::compare_u16;
    const Locals d{take(), bytes == 8 ? take() : -1};
    const int complement = step.d2 != no_row ? take() : -1;
    if (compares)
        compare(step, d[0], complement);
    else if (!compute(step, d))
        failed_ = true;
    Held value;
    value.bytes = bytes;
    value.unsettled =
        bytes == 4 && operation >= Operation::add_f32 && operation <= Operation::cut_f32;
    if (step.guard != no_row) {
        if (value.unsettled) settle(d[0]);
        value.unsettled = false;
        keep_unguarded(step, index, d, complement);
    }
    value.local = d;
    give(index, step.d, value);
    if (complement >= 0) {
        value.local = {complement, -1};
        give(index, step.d2, value);
    }
    release_dead_values(index);
}

// Lanes excluded by the guard keep the old values of their rows.
void WasmEmitter::keep_unguarded(const Step& step, std::size_t, const Locals& d, int complement)
{
    const std::uint8_t bytes = step.form->destination;
    const int guard = hold(step.guard, 0)[0]; // may also be a result
    for (const auto& [row, made] :
         {std::pair{step.d, d}, std::pair{step.d2, Locals{complement, -1}}}) {
        if (row == no_row) continue;
        const Locals old = hold(row, bytes);
        for (int part = 0; part < (bytes == 8 ? 2 : 1); ++part) {
            const auto i = static_cast<std::size_t>(part);
            get(step.guard_negated ? old[i] : made[i]).get(step.guard_negated ? made[i] : old[i]);
            if (bytes == 8)
                push_wide(guard, part);
            else
                get(guard);
            op(v128_bitselect).set(made[i]);
        }
    }
}

// Pushes the result mask of a floating-point comparison. `how` has the semantics of the vector
// instructions, except that != is true for NaNs.
void WasmEmitter::compare_floats(Compare how, const Locals& a, const Locals& b, int part,
                                 bool is_wide)
{
    const auto holds = [&](wasm::Vector f32_compare) {
        const auto i = static_cast<std::size_t>(part);
        get(a[i]).get(b[i]);
        op(static_cast<wasm::Vector>(f32_compare + (is_wide ? f64x2_eq - f32x4_eq : 0)));
    };
    const auto is_number = [&](const Locals& value) {
        const auto i = static_cast<std::size_t>(part);
        get(value[i]).get(value[i]).op(is_wide ? f64x2_eq : f32x4_eq);
    };
    const bool negated =
        how == Compare::equ || how == Compare::nan || (how >= Compare::ltu && how <= Compare::geu);
    switch (how) {
    case Compare::eq: holds(f32x4_eq); break;
    case Compare::neu: holds(f32x4_ne); break;
    case Compare::lt:
    case Compare::geu: holds(f32x4_lt); break;
    case Compare::le:
    case Compare::gtu: holds(f32x4_le); break;
    case Compare::gt:
    case Compare::leu: holds(f32x4_gt); break;
    case Compare::ge:
    case Compare::ltu: holds(f32x4_ge); break;
    case Compare::ne:
    case Compare::equ:
        holds(f32x4_lt);
        holds(f32x4_gt);
        op(v128_or);
        break;
    default:
        is_number(a);
        is_number(b);
        op(v128_and);
    }
    if (negated) op(v128_not);
}

void WasmEmitter::compare_integers(const Form& form, int a, int b)
{
    const Operation operation = form.operation;
    const auto how = static_cast<int>(form.compare);
    if (form.compare > Compare::ge) failed_ = true;
    const bool is_unsigned = operation == Operation::compare_u32 ||
                             operation == Operation::compare_u64 ||
                             operation == Operation::compare_u16;
    if (form.source[0] == 8) {
        static constexpr wasm::Vector instructions[] = {i64x2_eq,   i64x2_ne,   i64x2_lt_s,
                                                        i64x2_le_s, i64x2_gt_s, i64x2_ge_s};
        for (const int value : {a, b}) {
            get(value);
            if (is_unsigned) long_words(std::uint64_t{1} << 63).op(v128_xor);
        }
        op(instructions[how]);
        return;
    }
    static constexpr wasm::Vector instructions[2][6] = {
        {i32x4_eq, i32x4_ne, i32x4_lt_s, i32x4_le_s, i32x4_gt_s, i32x4_ge_s},
        {i32x4_eq, i32x4_ne, i32x4_lt_u, i32x4_le_u, i32x4_gt_u, i32x4_ge_u}};
    // Compares narrow types in the low halves only: the upper halves are undefined.
    const bool is_narrow =
        operation == Operation::compare_s16 || operation == Operation::compare_u16;
    for (const int value : {a, b}) {
        get(value);
        if (is_narrow) number(16).op(i32x4_shl);
    }
    op(instructions[is_unsigned ? 1 : 0][how]);
}

// Combines the mask on the stack with the step's third source.
void WasmEmitter::combine(const Step& step)
{
    const Boolean boolean = step.form->boolean;
    if (boolean == Boolean::none) return;
    push_predicate(step, 2);
    op(boolean == Boolean::bit_and ? v128_and : boolean == Boolean::bit_or ? v128_or : v128_xor);
}

void WasmEmitter::compare(const Step& step, int d, int complement)
{
    const Form& form = *step.form;
    const Locals a = source(step, 0, false);
    const Locals b = source(step, 1, false);
    if (form.boolean != Boolean::none) hold(step.source[2], 0);
    const bool is_wide = form.source[0] == 8;
    for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
        const auto i = static_cast<std::size_t>(part);
        if (form.operation == Operation::compare_f32 || form.operation == Operation::compare_f64)
            compare_floats(form.compare, a, b, part, is_wide);
        else
            compare_integers(form, a[i], b[i]);
    }
    if (is_wide) even_words();
    if (complement >= 0) {
        tee(d).op(v128_not);
        combine(step);
        set(complement).get(d);
    }
    combine(step);
    set(d);
}

bool WasmEmitter::compute(const Step& step, const Locals& d)
{
    return by_one(step, d) || predicates(step, d[0]) || moves(step, d) || products(step, d) ||
           bits(step, d) || shifts(step, d) || floats(step, d) || doubles(step, d) ||
           conversions(step, d) || narrowing(step, d);
}

bool WasmEmitter::predicates(const Step& step, int d)
{
    switch (step.form->operation) {
    case Operation::move_predicate: push_predicate(step, 0); break;
    case Operation::not_predicate:
        push_predicate(step, 0);
        op(v128_not);
        break;
    case Operation::and_predicate:
    case Operation::or_predicate:
    case Operation::xor_predicate: {
        const Operation operation = step.form->operation;
        push_predicate(step, 0);
        push_predicate(step, 1);
        op(operation == Operation::and_predicate  ? v128_and
           : operation == Operation::or_predicate ? v128_or
                                                  : v128_xor);
        break;
    }
    default: return false;
    }
    set(d);
    return true;
}

// Operations that are one instruction (operations.def). Returns false for the others.
bool WasmEmitter::by_one(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    // Only f32 arithmetic takes any NaN.
    const bool settled = operation < Operation::add_f32 || operation > Operation::cut_f32;
#define ONE(instruction)                                                                           \
    each(d, source(step, 0, settled), instruction);                                                \
    return true
#define TWO(instruction)                                                                           \
    {                                                                                              \
        const Locals a = source(step, 0, settled);                                                 \
        each(d, a, source(step, 1, settled), instruction);                                         \
        return true;                                                                               \
    }
#define WRITTEN return false
#define OPERATION(name, instructions, x64, wasm)                                                   \
    case Operation::name: wasm;
    switch (operation) {
#include "compute/simt/native/operations.def"
    }
#undef WRITTEN
#undef TWO
#undef ONE
    return false;
}

bool WasmEmitter::moves(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    if (operation != Operation::move32 && operation != Operation::move64) return false;
    const Locals a = source(step, 0);
    for (std::size_t part = 0; part < 2 && d[part] >= 0; ++part) get(a[part]).set(d[part]);
    return true;
}

bool WasmEmitter::products(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    const bool is_signed = operation == Operation::high_s32 || operation == Operation::wide_s32 ||
                           operation == Operation::wide_add_s32;
    const auto product = [&](int part) {
        const int a = source(step, 0)[0];
        get(a).get(source(step, 1)[0]);
        op(part == 0 ? (is_signed ? i64x2_extmul_low_s : i64x2_extmul_low_u)
                     : (is_signed ? i64x2_extmul_high_s : i64x2_extmul_high_u));
    };
    switch (operation) {
    case Operation::multiply_add32:
        each(d, source(step, 0), source(step, 1), i32x4_mul);
        each(d, d, source(step, 2), i32x4_add);
        return true;
    case Operation::high_u32:
    case Operation::high_s32:
        product(0);
        product(1);
        odd_words();
        set(d[0]);
        return true;
    case Operation::wide_u32:
    case Operation::wide_s32:
    case Operation::wide_add_u32:
    case Operation::wide_add_s32:
        for (int part = 0; part < 2; ++part) {
            product(part);
            set(d[static_cast<std::size_t>(part)]);
        }
        if (step.form->sources > 2) each(d, d, source(step, 2), i64x2_add);
        return true;
    default: return false;
    }
}

bool WasmEmitter::bits(const Step& step, const Locals& d)
{
    switch (step.form->operation) {
    case Operation::select32:
    case Operation::select64: {
        const Locals a = source(step, 0);
        const Locals b = source(step, 1);
        const bool is_wide = d[1] >= 0;
        push_predicate(step, 2);
        set(t0);
        for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
            const auto i = static_cast<std::size_t>(part);
            get(a[i]).get(b[i]);
            if (is_wide)
                push_wide(t0, part);
            else
                get(t0);
            op(v128_bitselect).set(d[i]);
        }
        return true;
    }
    default: return false;
    }
}

// Loads a shift amount: a scalar if it is uniform, otherwise per lane, in t0.
void WasmEmitter::set_amount(const Step& step, std::size_t i)
{
    const RowRef row = step.source[i];
    is_uniform_ = static_cast<RowBase>(row & 3u) == RowBase::constants;
    if (is_uniform_) {
        const Place place = place_of(row, 4, 0);
        get(place.base).at(i32_load, 2, place.offset).set(amount);
    } else {
        get(source(step, i)[0]).set(t0);
    }
}

// Shifts the local `value` by the amount, into d. Shifting by the width or more leaves zero, or the
// sign for arithmetic shifts.
void WasmEmitter::shift(wasm::Vector by, int value, int part, int d)
{
    const bool brings_sign = by == i32x4_shr_s || by == i64x2_shr_s;
    if (!is_uniform_) return shift_bits(by, value, part, d);
    const auto max_amount = static_cast<std::int32_t>(lane_width_ - 1);
    get(value);
    if (brings_sign) {
        get(amount).number(max_amount).get(amount).number(max_amount + 1).op(i32_lt_u);
        op(select).op(by).set(d);
        return;
    }
    get(amount).op(by).words(0).get(amount).number(max_amount + 1).op(i32_lt_u);
    out_ << Bytes{select_typed, 1, v128};
    set(d);
}

// Shifts by per-lane amounts, with one step per bit of the amount.
void WasmEmitter::shift_bits(wasm::Vector by, int value, int part, int d)
{
    const bool is_wide = lane_width_ == 64;
    const bool brings_sign = by == i32x4_shr_s || by == i64x2_shr_s;
    get(t0);
    if (brings_sign) words(lane_width_ - 1).op(i32x4_min_u);
    if (is_wide) op(part == 0 ? i64x2_extend_low_u : i64x2_extend_high_u);
    set(t1);
    get(value).set(d);
    const int top = static_cast<int>(lane_width_) - 1;
    for (int bit = 0; 1u << bit < lane_width_; ++bit) {
        get(d).number(1 << bit).op(by).get(d);
        get(t1).number(top - bit).op(is_wide ? i64x2_shl : i32x4_shl);
        number(top).op(is_wide ? i64x2_shr_s : i32x4_shr_s);
        op(v128_bitselect).set(d);
    }
    if (brings_sign) return;
    get(d).get(t0).words(lane_width_).op(i32x4_lt_u);
    if (is_wide) op(part == 0 ? i64x2_extend_low_s : i64x2_extend_high_s);
    op(v128_and).set(d);
}

void WasmEmitter::funnel(const Step& step, int d)
{
    const Operation operation = step.form->operation;
    const bool left =
        operation == Operation::funnel_left_wrap || operation == Operation::funnel_left_clamp;
    const bool clamps =
        operation == Operation::funnel_left_clamp || operation == Operation::funnel_right_clamp;
    const int low = source(step, 0)[0];
    const int high = source(step, 1)[0];
    set_amount(step, 2);
    if (is_uniform_ && clamps) {
        get(amount).number(32).get(amount).number(32).op(i32_lt_u).op(select).set(amount);
    } else if (is_uniform_) {
        get(amount).number(31).op(i32_and).set(amount);
    } else {
        get(t0).words(clamps ? 32 : 31).op(clamps ? i32x4_min_u : v128_and).set(t0);
    }
    if (left)
        shift(i32x4_shl, high, 0, d);
    else
        shift(i32x4_shr_u, low, 0, d);
    if (is_uniform_)
        number(32).get(amount).op(i32_sub).set(amount);
    else
        words(32).get(t0).op(i32x4_sub).set(t0);
    if (left)
        shift(i32x4_shr_u, low, 0, t2);
    else
        shift(i32x4_shl, high, 0, t2);
    get(d).get(t2).op(v128_or).set(d);
}

bool WasmEmitter::shifts(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    lane_width_ = d[1] >= 0 ? 64 : 32;
    const auto both = [&](wasm::Vector narrow_one, wasm::Vector wide_one) {
        const Locals a = source(step, 0);
        set_amount(step, 1);
        for (std::size_t part = 0; part < 2 && d[part] >= 0; ++part)
            shift(d[1] >= 0 ? wide_one : narrow_one, a[part], static_cast<int>(part), d[part]);
        return true;
    };
    switch (operation) {
    case Operation::left32:
    case Operation::left64: return both(i32x4_shl, i64x2_shl);
    case Operation::right_u32:
    case Operation::right_u64: return both(i32x4_shr_u, i64x2_shr_u);
    case Operation::right_s32:
    case Operation::right_s64: return both(i32x4_shr_s, i64x2_shr_s);
    case Operation::funnel_left_wrap:
    case Operation::funnel_left_clamp:
    case Operation::funnel_right_wrap:
    case Operation::funnel_right_clamp: funnel(step, d[0]); return true;
    default: return false;
    }
}

// -0 is below +0; a number wins over a NaN.
void WasmEmitter::extreme(int a, int b, bool is_max)
{
    get(a).get(b).get(a).get(b).op(is_max ? f32x4_gt : f32x4_lt).op(v128_bitselect).set(t0);
    get(a).get(b).op(is_max ? v128_and : v128_or);
    get(t0).get(a).get(b).op(f32x4_eq).op(v128_bitselect);
    get(a).get(b).get(b).op(f32x4_eq).op(v128_bitselect);
}

// Same as in rows/floats/floats.h: the product is exact in f64, and the sum is rounded to odd using
// its error term, so that rounding to f32 equals a single rounding.
void WasmEmitter::fused_exactly(int a, int b, int c, int part)
{
    const auto widened = [&](int value) {
        if (part == 0)
            get(value);
        else
            upper_to_lower(value);
        op(promote_f32x4);
    };
    widened(a);
    widened(b);
    op(f64x2_mul).set(t0); // the product
    widened(c);
    set(t1);
    get(t0).get(t1).op(f64x2_add).set(t2); // the sum
    get(t2).get(t0).op(f64x2_sub).set(t3); // the addend after rounding
    get(t0).get(t2).get(t3).op(f64x2_sub).op(f64x2_sub);
    get(t1).get(t3).op(f64x2_sub).op(f64x2_add).set(t1); // the error
    // One up or down, toward the side of the error.
    long_words(1).long_words(~std::uint64_t{0});
    get(t1).words(0).op(f64x2_gt).get(t2).words(0).op(f64x2_gt).op(v128_xor).op(v128_not);
    op(v128_bitselect).set(t3);
    // Only where the sum is even and inexact.
    get(t2).long_words(1).op(v128_and).words(0).op(i64x2_eq);
    get(t1).words(0).op(f64x2_lt).get(t1).words(0).op(f64x2_gt).op(v128_or).op(v128_and);
    get(t3).op(v128_and).get(t2).op(i64x2_add).op(demote_f64x2);
}

void WasmEmitter::fused(int a, int b, int c)
{
    if (has_fused_row()) {
        get(a).get(b).get(c).op(f32x4_relaxed_madd);
        return;
    }
    fused_exactly(a, b, c, 0);
    fused_exactly(a, b, c, 1);
    low_halves();
}

bool WasmEmitter::floats(const Step& step, const Locals& d)
{
    switch (step.form->operation) {
    case Operation::reciprocal_f32: {
        const int a = source(step, 0, false)[0];
        words(0x3f800000u).get(a).op(f32x4_div).set(d[0]);
        return true;
    }
    case Operation::fused_f32: {
        const int a = source(step, 0, false)[0];
        const int b = source(step, 1, false)[0];
        fused(a, b, source(step, 2, false)[0]);
        set(d[0]);
        return true;
    }
    case Operation::min_f32:
    case Operation::max_f32: {
        const int a = source(step, 0, false)[0];
        extreme(a, source(step, 1, false)[0], step.form->operation == Operation::max_f32);
        set(d[0]);
        return true;
    }
    default: return false;
    }
}

// A NaN result is the first NaN operand, quietened, or the default NaN of invalid operations.
bool WasmEmitter::doubles(const Step& step, const Locals& d)
{
    wasm::Vector instruction{};
    bool first_is_b = true;
    switch (step.form->operation) {
    case Operation::add_f64: instruction = f64x2_add; break;
    case Operation::sub_f64: instruction = f64x2_sub; break;
    case Operation::multiply_f64: instruction = f64x2_mul; break;
    case Operation::divide_f64:
        instruction = f64x2_div;
        first_is_b = false;
        break;
    default: return false;
    }
    const Locals a = source(step, 0);
    const Locals b = source(step, 1);
    for (std::size_t part = 0; part < 2; ++part) {
        get(a[part]).get(b[part]).op(instruction).set(t0);
        long_words(0xfff8000000000000u).set(t1);
        for (const int value : {first_is_b ? a[part] : b[part], first_is_b ? b[part] : a[part]}) {
            get(t1).get(value).long_words(std::uint64_t{1} << 51).op(v128_or);
            get(value).get(value).op(f64x2_eq).op(v128_bitselect).set(t1);
        }
        get(t0).get(t1).get(t0).get(t0).op(f64x2_eq).op(v128_bitselect).set(d[part]);
    }
    return true;
}

bool WasmEmitter::conversions(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    const auto convert_halves = [&](wasm::Vector instruction) {
        const int a = source(step, 0)[0];
        get(a).op(instruction).set(d[0]);
        upper_to_lower(a);
        op(instruction).set(d[1]);
        return true;
    };
    switch (operation) {
    case Operation::s32_from_f32: each(d, source(step, 0, false), i32x4_trunc_s); return true;
    case Operation::u32_from_f32: each(d, source(step, 0, false), i32x4_trunc_u); return true;
    case Operation::f64_from_s32: return convert_halves(f64x2_convert_s);
    case Operation::f64_from_u32: return convert_halves(f64x2_convert_u);
    case Operation::f64_from_f32: return convert_halves(promote_f32x4);
    case Operation::f32_from_f64: {
        const Locals a = source(step, 0);
        get(a[0]).op(demote_f64x2).get(a[1]).op(demote_f64x2);
        low_halves();
        set(d[0]);
        return true;
    }
    case Operation::extend_u32:
    case Operation::extend_s32: {
        const bool is_signed = operation == Operation::extend_s32;
        const int a = source(step, 0)[0];
        get(a).op(is_signed ? i64x2_extend_low_s : i64x2_extend_low_u).set(d[0]);
        get(a).op(is_signed ? i64x2_extend_high_s : i64x2_extend_high_u).set(d[1]);
        return true;
    }
    default: return false;
    }
}

bool WasmEmitter::narrowing(const Step& step, const Locals& d)
{
    const Operation operation = step.form->operation;
    switch (operation) {
    case Operation::low_half: {
        const Locals a = source(step, 0);
        get(a[0]).get(a[1]);
        even_words();
        break;
    }
    case Operation::low_u16:
    case Operation::low_u8:
        get(source(step, 0)[0]).words(operation == Operation::low_u8 ? 0xffu : 0xffffu);
        op(v128_and);
        break;
    case Operation::low_s16:
    case Operation::low_s8: {
        const int bits = operation == Operation::low_s8 ? 24 : 16;
        get(source(step, 0)[0]).number(bits).op(i32x4_shl).number(bits).op(i32x4_shr_s);
        break;
    }
    default: return false;
    }
    set(d[0]);
    return true;
}

} // namespace

Code emit(const Plan& plan, const Variant& variant, const Helpers& helpers)
{
    return WasmEmitter(plan, variant, helpers).run();
}

} // namespace lanescope::simt::native

#endif
