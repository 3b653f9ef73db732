// Properties of values are guessed in text order, ignoring branches: loops mostly keep the
// properties that values have at their start. A value whose guess needs a check is treated as
// affine only if an address depends on it.
#include "compute/simt/native/octets.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "compute/simt/machine/state/specials.h"
#include "compute/simt/native/activation.h"
#include "compute/simt/native/plan.h"

namespace lanescope::simt::native {

namespace {

constexpr std::int64_t farthest = 1 << 20; // maximum distance between lanes
constexpr std::uint32_t row_bytes = 4 * warp_lanes;

using Apart = std::optional<std::int32_t>;

RowBase base_kind(RowRef row)
{
    return static_cast<RowBase>(row & 3u);
}

// Distance between lanes of a special register, and whether the distance is a guess.
struct SpecialLanes {
    Apart apart;
    bool guessed = false;
};

SpecialLanes lanes_of(Special special)
{
    switch (special) {
    case Special::tid_x: return {1, true};
    case Special::tid_y:
    case Special::tid_z: return {0, true};
    case Special::laneid: return {1, true};
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: return {};
    default: return {0, false};
    }
}

// Known properties of a source: the distance between its lanes, and its value if constant.
struct Known {
    Apart apart;
    std::optional<std::int64_t> number;
};

Apart limited(std::int64_t apart)
{
    if (std::abs(apart) > farthest) return {};
    return static_cast<std::int32_t>(apart);
}

Apart product(const Known& a, const Known& b, bool is_unsigned = false)
{
    if (*a.apart == 0 && *b.apart == 0) return 0;
    const Known& number = *a.apart == 0 ? a : b;
    const Known& lanes = *a.apart == 0 ? b : a;
    if (!number.number || *number.apart != 0 || std::abs(*number.number) > farthest ||
        (is_unsigned && *number.number < 0))
        return {};
    return limited(*number.number * *lanes.apart);
}

// Distance between lanes of the result, given the sources; nullopt if unknown.
Apart result_apart(const Step& step, const std::array<Known, 3>& of)
{
    const Form& form = *step.form;
    if (step.guard != no_row || step.d2 != no_row) return {};
    bool all_same = true;
    for (std::size_t i = 0; i < form.sources; ++i) {
        if (step.source[i] == no_row) continue;
        if (!of[i].apart) return {};
        all_same = all_same && *of[i].apart == 0;
    }
    switch (form.operation) {
    case Operation::move32:
    case Operation::move64:
    case Operation::move_predicate:
    case Operation::low_half:
    case Operation::extend_u32:
    case Operation::extend_s32: return of[0].apart;
    case Operation::add32:
    case Operation::add64: return limited(std::int64_t{*of[0].apart} + *of[1].apart);
    case Operation::sub32:
    case Operation::sub64: return limited(std::int64_t{*of[0].apart} - *of[1].apart);
    case Operation::multiply32:
    case Operation::multiply64:
    case Operation::wide_u32:
    case Operation::wide_s32: return product(of[0], of[1], form.operation == Operation::wide_u32);
    case Operation::multiply_add32:
    case Operation::wide_add_u32:
    case Operation::wide_add_s32: {
        const Apart first = product(of[0], of[1], form.operation == Operation::wide_add_u32);
        return first ? limited(std::int64_t{*first} + *of[2].apart) : first;
    }
    case Operation::left32:
    case Operation::left64:
        if (all_same) return 0;
        if (*of[1].apart != 0 || !of[1].number || *of[1].number < 0 || *of[1].number > 20)
            return {};
        return limited(std::int64_t{*of[0].apart} << *of[1].number);
    case Operation::select32:
    case Operation::select64: return of[0].apart == of[1].apart ? of[0].apart : Apart{};
    case Operation::compare_s32:
    case Operation::compare_u32:
    case Operation::compare_s64:
    case Operation::compare_u64: return 0;
    case Operation::compare_s16:
    case Operation::compare_u16:
    case Operation::and32:
    case Operation::or32:
    case Operation::xor32:
    case Operation::and64:
    case Operation::or64:
    case Operation::xor64:
    case Operation::not32:
    case Operation::not64:
    case Operation::and_predicate:
    case Operation::or_predicate:
    case Operation::xor_predicate:
    case Operation::not_predicate:
    case Operation::right_u32:
    case Operation::right_s32:
    case Operation::right_u64:
    case Operation::min_s32:
    case Operation::max_s32:
    case Operation::min_u32:
    case Operation::max_u32: return all_same ? Apart{0} : Apart{};
    default: return {};
    }
}

// True if the code must check the sources before the result is valid.
bool needs_check(const Step& step, const std::array<OctetSource, 3>& of)
{
    switch (step.form->operation) {
    case Operation::wide_u32:
    case Operation::wide_s32:
    case Operation::wide_add_u32:
    case Operation::wide_add_s32:
    case Operation::compare_s32:
    case Operation::compare_u32:
    case Operation::compare_s64:
    case Operation::compare_u64: return of[0].apart != 0 || of[1].apart != 0;
    case Operation::extend_u32:
    case Operation::extend_s32: return of[0].apart != 0;
    default: return false;
    }
}

class OctetPlanner {
public:
    OctetPlanner(const Program& program, const Function& function, const std::vector<bool>& reached)
        : program_(program), function_(function), reached_(reached)
    {
    }
    std::vector<std::unique_ptr<OctetRegion>> run();

private:
    // Current contents of a row: a value, or unknown.
    struct Now {
        std::uint8_t bytes = 4;
        std::uint32_t value = no_index;
    };
    struct Guess {
        std::uint8_t bytes = 4;
        Apart apart;
    };
    std::unique_ptr<OctetRegion> region_at(std::size_t pc, bool by_lanes);
    bool take(std::size_t pc); // extends the region by an instruction; false: it ends here
    bool take_step(Step step, std::size_t pc);
    bool take_access(const Instruction& in);
    bool is_by_lanes(const Instruction& in, const Access& access) const;
    bool take_guard(const Instruction& in, OctetAccess& made);
    bool take_store(const Access& access, bool by_lanes);
    bool take_load(const Access& access, bool by_lanes);
    bool take_branch(const Instruction& in, std::size_t pc);
    void forget_inputs(std::size_t kept);
    void finish(std::size_t first, std::size_t end);
    void find_leads();
    void exclude_unneeded_guesses();
    bool exclude_divergent_comparisons();
    void need(const OctetSource& of, std::vector<bool>& needed) const;
    // nullopt: no known distance between lanes.
    std::optional<OctetSource> source(RowRef row, std::uint8_t bytes);
    bool is_read_at_other_width(const Step& step) const;
    bool is_stored(RowRef row) const { return std::ranges::find(stored_, row) != stored_.end(); }
    std::optional<std::int64_t> number(RowRef row, std::uint8_t bytes) const;
    void guess(std::size_t pc);

    const Program& program_;
    const Function& function_;
    const std::vector<bool>& reached_;
    std::map<RowRef, Guess> guesses_;
    std::uint32_t accesses_ = 0; // total of all regions

    // State of the region being built.
    std::unique_ptr<OctetRegion> made_;
    std::map<RowRef, Now> now_;
    std::vector<RowRef> stored_;        // rows to store when all steps are done
    std::vector<ptx::Space> stored_to_; // spaces that have been stored to
    std::vector<std::size_t> excluded_; // pcs of steps that must be computed per lane
    std::vector<std::size_t> places_;   // pc of each step
    // The region may be restarted, because it needs no earlier values.
    bool starts_kernel_ = false;
};

std::optional<std::int64_t> OctetPlanner::number(RowRef row, std::uint8_t bytes) const
{
    if (base_kind(row) != RowBase::constants || bytes == 0) return {};
    for (const LaunchRow& filled : program_.launch_rows)
        if (filled.row == row) return {};
    const std::byte* const at = program_.constants.data() + (row & ~3u);
    if (bytes == 8) {
        std::int64_t number = 0;
        std::memcpy(&number, at, sizeof number);
        return number;
    }
    std::int32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    return number;
}

std::optional<OctetSource> OctetPlanner::source(RowRef row, std::uint8_t bytes)
{
    const auto input = [&](std::int32_t apart) -> std::optional<OctetSource> {
        if (made_->values.size() == max_octet_values) return {};
        const auto value = static_cast<std::uint32_t>(made_->values.size());
        made_->values.push_back({row, bytes, apart, no_index, {}});
        now_[row] = {bytes, value};
        return OctetSource{row, value, apart};
    };
    if (row == no_row) return {};
    if (base_kind(row) == RowBase::constants) {
        if (bytes == 0) return {};
        return OctetSource{row, no_index, 0};
    }
    if (const auto found = now_.find(row); found != now_.end()) {
        const Now& now = found->second;
        if (now.value == no_index || now.bytes != bytes) return {};
        return OctetSource{row, now.value, made_->values[now.value].apart};
    }
    if (base_kind(row) == RowBase::specials) {
        const SpecialLanes lanes = lanes_of(static_cast<Special>((row & ~3u) / row_bytes));
        if (bytes != 4 || !lanes.apart) return {};
        return lanes.guessed ? input(*lanes.apart) : OctetSource{row, no_index, 0};
    }
    const auto guess = guesses_.find(row);
    if (bytes == 0 || guess == guesses_.end() || guess->second.bytes != bytes ||
        !guess->second.apart)
        return {};
    return input(*guess->second.apart);
}

// True if the step reads a row with a different lane width than the row was written with.
bool OctetPlanner::is_read_at_other_width(const Step& step) const
{
    const auto otherwise = [&](RowRef row, std::uint8_t bytes) {
        const auto found = now_.find(row);
        return found != now_.end() && found->second.bytes != bytes;
    };
    for (std::size_t i = 0; i < step.form->sources; ++i)
        if (step.source[i] != no_row && otherwise(step.source[i], step.form->source[i]))
            return true;
    if (step.guard == no_row) return false;
    return otherwise(step.guard, 0) ||
           (step.d != no_row && otherwise(step.d, step.form->destination)) ||
           (step.d2 != no_row && otherwise(step.d2, step.form->destination));
}

bool OctetPlanner::take_step(Step step, std::size_t pc)
{
    if (is_read_at_other_width(step) || is_stored(step.d) || is_stored(step.d2)) return false;
    std::array<Known, 3> known;
    OctetValue value;
    const std::size_t values = made_->values.size();
    const bool is_candidate =
        std::ranges::find(excluded_, pc) == excluded_.end() && step.guard == no_row;
    for (std::size_t i = 0; is_candidate && i < step.form->sources; ++i) {
        const auto found = source(step.source[i], step.form->source[i]);
        if (!found) continue;
        value.source[i] = *found;
        known[i] = {found->apart, number(step.source[i], step.form->source[i])};
    }
    const Apart apart = is_candidate ? result_apart(step, known) : Apart{};
    if (apart && made_->values.size() < max_octet_values) {
        value.row = step.d;
        value.bytes = step.form->destination;
        value.apart = *apart;
        value.step = static_cast<std::uint32_t>(made_->steps.size());
        step.value = static_cast<std::uint32_t>(made_->values.size());
        made_->values.push_back(value);
        now_[step.d] = {value.bytes, step.value};
    } else {
        forget_inputs(values);
        for (RowRef row : {step.d, step.d2})
            if (row != no_row) now_[row] = {step.form->destination, no_index};
    }
    places_.push_back(pc);
    made_->steps.push_back(step);
    return true;
}

// Drops inputs that turned out not to be usable.
void OctetPlanner::forget_inputs(std::size_t kept)
{
    for (; made_->values.size() > kept; made_->values.pop_back())
        now_.erase(made_->values.back().row);
}

std::uint8_t lane_bytes(const Access& access)
{
    return access.element_bytes == 8 ? 8 : 4;
}

// True if this kind of access can be computed per octet.
bool is_plain(const Access& access)
{
    const bool direct = access.space == ptx::Space::global || access.space == ptx::Space::shared;
    const bool by_register = access.kind == AddressKind::row64 || access.kind == AddressKind::row32;
    const bool words = access.mover.words && access.elements <= 4;
    const bool long_words = access.element_bytes == 8 && access.elements == 1;
    if (!direct || !by_register || access.synchronising || !(words || long_words)) return false;
    if (access.offset < -(1 << 30) || access.offset >= (1 << 30)) return false;
    for (std::size_t i = 0; i < access.elements; ++i)
        if (access.values[i] == no_row) return false;
    return true;
}

bool fits(const Instruction& in, const Access& access, std::int32_t apart)
{
    if (apart % access.width_bytes != 0) return false;
    if (access.element_bytes == 8) {
        return apart == 8 || (apart == 0 && in.kind == HandlerKind::load);
    }
    return in.kind == HandlerKind::load || apart != 0;
}

// True for an access by lanes, whose addresses are checked only after the lanes have computed them:
// if such a check fails, the code must start over. Loads that are checked as a batch are cheaper.
bool OctetPlanner::is_by_lanes(const Instruction& in, const Access& access) const
{
    if (!starts_kernel_ || access.elements != 1) return false;
    if (made_->lane_accesses == max_lane_accesses) return false;
    if (in.kind == HandlerKind::load && access.batch != no_index &&
        function_.batches[access.batch & ~joins].loads.size() > 1)
        return false;
    const auto found = now_.find(access.address);
    return found != now_.end() &&
           found->second.bytes == (access.kind == AddressKind::row64 ? 8 : 4);
}

bool OctetPlanner::take_guard(const Instruction& in, OctetAccess& made)
{
    if (!in.guarded) return true;
    const auto guard = source(in.guard, 0);
    if (!guard) return false;
    made.guard = *guard;
    made.guard_negated = in.guard_negated;
    return true;
}

bool OctetPlanner::take_store(const Access& access, bool by_lanes)
{
    for (std::size_t i = 0; i < access.elements; ++i) {
        const auto found = now_.find(access.values[i]);
        if (found != now_.end() && found->second.bytes != lane_bytes(access)) return false;
    }
    for (std::size_t i = 0; i < access.elements; ++i) stored_.push_back(access.values[i]);
    stored_to_.push_back(access.space);
    if (!by_lanes) return true;
    Step step; // records the addresses
    step.octets = static_cast<std::uint32_t>(made_->accesses.size());
    step.source[0] = access.address;
    places_.push_back(0);
    made_->steps.push_back(step);
    return true;
}

bool OctetPlanner::take_load(const Access& access, bool by_lanes)
{
    // A load must see earlier stores of its lanes.
    bool waits = std::ranges::find(stored_to_, access.space) != stored_to_.end();
    for (std::size_t i = 0; i < access.elements; ++i) waits = waits || is_stored(access.values[i]);
    if (waits) return false;
    for (std::uint8_t i = 0; i < access.elements; ++i) {
        Step step;
        step.d = access.values[i];
        step.octets = static_cast<std::uint32_t>(made_->accesses.size());
        step.element = i;
        if (by_lanes) step.source[0] = access.address;
        places_.push_back(0);
        made_->steps.push_back(step);
        now_[step.d] = {lane_bytes(access), no_index};
    }
    return true;
}

bool OctetPlanner::take_access(const Instruction& in)
{
    const Access& access = function_.accesses[in.extra];
    if (!is_plain(access) || made_->accesses.size() == max_octet_accesses) return false;
    const std::size_t values = made_->values.size();
    OctetAccess made;
    made.instruction = &in;
    made.access = &access;
    made.step = static_cast<std::uint32_t>(made_->steps.size());
    made.steps = made_->counted + in.counted;
    const auto address = source(access.address, access.kind == AddressKind::row64 ? 8 : 4);
    const bool by_lanes = !address || !fits(in, access, address->apart);
    if (!by_lanes) {
        made.address = *address;
    } else {
        forget_inputs(values);
        if (!is_by_lanes(in, access)) return false;
        made.address.row = access.address;
        made.lanes = made_->lane_accesses;
    }
    const bool stores = in.kind == HandlerKind::store;
    if (!take_guard(in, made) ||
        !(stores ? take_store(access, by_lanes) : take_load(access, by_lanes))) {
        forget_inputs(values);
        return false;
    }
    if (by_lanes) ++made_->lane_accesses;
    made_->accesses.push_back(made);
    return true;
}

bool OctetPlanner::take_branch(const Instruction& in, std::size_t pc)
{
    const Branch& branch = function_.branches[in.extra];
    if (!in.guarded || !made_->accesses.empty() || branch.target <= static_cast<int>(pc))
        return false;
    const auto guard = source(in.guard, 0);
    if (!guard) return false;
    made_->branches.push_back({&in, *guard, static_cast<std::uint32_t>(made_->steps.size()),
                               made_->counted + in.counted});
    return true;
}

bool OctetPlanner::take(std::size_t pc)
{
    const Instruction& in = function_.code[pc];
    Step step;
    bool taken = false;
    if (read_step(program_, function_, in, step))
        taken = take_step(step, pc);
    else if (in.kind == HandlerKind::load || in.kind == HandlerKind::store)
        taken = take_access(in);
    else if (in.kind == HandlerKind::branch)
        taken = take_branch(in, pc);
    if (taken) made_->counted += in.counted;
    return taken;
}

// Marks the value and everything it is computed from.
void OctetPlanner::need(const OctetSource& of, std::vector<bool>& needed) const
{
    if (of.value == no_index || needed[of.value]) return;
    needed[of.value] = true;
    if (made_->values[of.value].step == no_index) return;
    for (const OctetSource& each : made_->values[of.value].source) need(each, needed);
}

// Excludes steps whose results would need a check although no address depends on them.
void OctetPlanner::exclude_unneeded_guesses()
{
    const std::vector<OctetValue>& values = made_->values;
    std::vector<bool> needed(values.size());
    for (const OctetBranch& branch : made_->branches) need(branch.guard, needed);
    for (const OctetAccess& access : made_->accesses) {
        need(access.address, needed);
        need(access.guard, needed);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const OctetValue& value = values[i];
        if (value.step == no_index || needed[i]) continue;
        bool is_checked = needs_check(made_->steps[value.step], value.source);
        for (const OctetSource& of : value.source)
            is_checked = is_checked || (of.value != no_index && values[of.value].step == no_index);
        if (is_checked) excluded_.push_back(places_[value.step]);
    }
}

// Excludes comparisons whose result may differ between lanes, except those of branches, after which
// such lanes diverge. Returns false if there are none.
bool OctetPlanner::exclude_divergent_comparisons()
{
    const std::size_t before = excluded_.size();
    std::vector<bool> kept(made_->values.size());
    for (const OctetBranch& branch : made_->branches) need(branch.guard, kept);
    for (std::size_t i = 0; i < made_->values.size(); ++i) {
        const OctetValue& value = made_->values[i];
        if (value.step == no_index || kept[i] || !compares(*made_->steps[value.step].form))
            continue;
        if (value.source[0].apart != value.source[1].apart)
            excluded_.push_back(places_[value.step]);
    }
    return excluded_.size() != before;
}

// Finishes the region, and finds groups and slots that handlers after the region would otherwise
// reuse from accesses inside it.
void OctetPlanner::finish(std::size_t first, std::size_t end)
{
    made_->begin = static_cast<int>(first);
    made_->end = static_cast<int>(end);
    for (std::size_t pc = end; pc < function_.code.size(); ++pc) {
        const Instruction& in = function_.code[pc];
        if (in.kind != HandlerKind::load && in.kind != HandlerKind::store) continue;
        const Access& access = function_.accesses[in.extra];
        if (access.group == no_index || (access.group & joins) == 0) continue;
        const std::uint32_t group = access.group & ~joins;
        const auto leads = [&](const OctetAccess& each) { return each.access->group == group; };
        if (std::ranges::none_of(made_->accesses, leads)) continue;
        if (std::ranges::find(made_->groups, group) == made_->groups.end())
            made_->groups.push_back(group);
    }
    for (const OctetAccess& each : made_->accesses)
        if (each.access->batch != no_index && (each.access->batch & ~joins) < max_slots)
            made_->slots.push_back(each.access->batch & ~joins);
    std::ranges::sort(made_->slots);
    const auto again = std::ranges::unique(made_->slots);
    made_->slots.erase(again.begin(), again.end());
    for (std::uint32_t i = 0; i < made_->accesses.size(); ++i) {
        OctetAccess& each = made_->accesses[i];
        each.number = accesses_++;
        each.whole_batch =
            each.access->batch != no_index &&
            std::ranges::all_of(function_.batches[each.access->batch & ~joins].loads,
                                [&](std::uint32_t at) { return at >= first && at < end; });
        if (!each.whole_batch || (each.access->batch & joins) == 0) {
            made_->batch_reports.push_back(i);
            (each.access->space == ptx::Space::shared ? made_->shared_reports
                                                      : made_->global_reports)
                .push_back(i);
        }
        if (each.instruction->kind == HandlerKind::store) made_->stores.push_back(i);
    }
    find_leads();
}

// An access follows the first one that computes its address from the same value.
void OctetPlanner::find_leads()
{
    std::vector<OctetAccess>& accesses = made_->accesses;
    const auto leads = [](const OctetAccess& first, const OctetAccess& other) {
        const std::int64_t distance = other.access->offset - first.access->offset;
        const bool same_source = first.address.value == other.address.value &&
                                 first.address.row == other.address.row &&
                                 first.access->kind == other.access->kind;
        return first.lanes == no_index && other.lanes == no_index && same_source &&
               first.access->space == other.access->space &&
               first.access->width_bytes == other.access->width_bytes &&
               distance % first.access->width_bytes == 0 && std::abs(distance) <= farthest;
    };
    for (std::uint32_t i = 0; i < accesses.size(); ++i) {
        OctetAccess& each = accesses[i];
        each.lead = i;
        for (std::uint32_t k = 0; k < i && each.lead == i; ++k)
            if (accesses[k].lead == k && leads(accesses[k], each)) each.lead = k;
        OctetAccess& lead = accesses[each.lead];
        each.from_lead = static_cast<std::int32_t>(each.access->offset - lead.access->offset);
        lead.lowest = std::min(lead.lowest, each.from_lead);
        lead.highest = std::max(lead.highest, each.from_lead);
    }
}

std::unique_ptr<OctetRegion> OctetPlanner::region_at(std::size_t first, bool by_lanes)
{
    excluded_.clear();
    starts_kernel_ = first == 0 && function_.source->is_kernel && function_.unset.empty();
    std::size_t end = first;
    const int rounds = by_lanes ? 3 : 2;
    for (int round = 0; round < rounds; ++round) {
        made_ = std::make_unique<OctetRegion>();
        now_.clear();
        stored_.clear();
        stored_to_.clear();
        places_.clear();
        for (end = first; end < function_.code.size() && made_->steps.size() < max_steps; ++end)
            if ((end != first && reached_[end]) || !take(end)) break;
        if (made_->accesses.empty()) return nullptr;
        if (by_lanes && round == 0 && !exclude_divergent_comparisons()) return nullptr;
        const std::size_t excluded = excluded_.size();
        if (round < rounds - 1) exclude_unneeded_guesses();
        if (excluded_.empty() || (round > 0 && excluded_.size() == excluded)) break;
    }
    finish(first, end);
    return std::move(made_);
}

// Updates the guessed contents of rows after the instruction.
void OctetPlanner::guess(std::size_t pc)
{
    const Instruction& in = function_.code[pc];
    const auto lanes = [&](RowRef row, std::uint8_t bytes) -> Apart {
        if (row == no_row) return {};
        if (base_kind(row) == RowBase::constants) return 0;
        if (base_kind(row) == RowBase::specials)
            return lanes_of(static_cast<Special>((row & ~3u) / row_bytes)).apart;
        const auto found = guesses_.find(row);
        if (found == guesses_.end() || found->second.bytes != bytes) return {};
        return found->second.apart;
    };
    Step step;
    if (read_step(program_, function_, in, step)) {
        std::array<Known, 3> known;
        for (std::size_t i = 0; i < step.form->sources; ++i)
            known[i] = {lanes(step.source[i], step.form->source[i]),
                        number(step.source[i], step.form->source[i])};
        if (step.d2 != no_row) guesses_[step.d2] = {step.form->destination, Apart{}};
        if (step.d != no_row)
            guesses_[step.d] = {step.form->destination, result_apart(step, known)};
        return;
    }
    if (in.kind != HandlerKind::load) {
        if (in.d != no_row) guesses_.erase(in.d);
        return;
    }
    // Lanes that read one location get equal values.
    const Access& access = function_.accesses[in.extra];
    const Apart at = lanes(access.address, access.kind == AddressKind::row64 ? 8 : 4);
    for (RowRef row : access.values)
        if (row != no_row)
            guesses_[row] = {static_cast<std::uint8_t>(access.element_bytes == 8 ? 8 : 4),
                             at == Apart{0} ? at : Apart{}};
}

std::vector<std::unique_ptr<OctetRegion>> OctetPlanner::run()
{
    std::vector<std::unique_ptr<OctetRegion>> regions;
    std::size_t open_from = 0; // a region may start here if control can reach it
    for (std::size_t pc = 0; pc < function_.code.size();) {
        std::size_t next = pc + 1;
        Step step;
        if (reached_[pc] || pc == open_from) {
            if (auto region = region_at(pc, false)) {
                if (pc == 0) {
                    region->by_lanes = region_at(pc, true);
                    if (region->by_lanes && region->by_lanes->end != region->end)
                        region->by_lanes.reset();
                }
                next = static_cast<std::size_t>(region->end);
                open_from = next;
                regions.push_back(std::move(region));
            }
        }
        if (next == pc + 1 && !read_step(program_, function_, function_.code[pc], step))
            open_from = next;
        for (; pc < next; ++pc) guess(pc);
    }
    return regions;
}

} // namespace

std::vector<std::unique_ptr<OctetRegion>>
octet_regions(const Program& program, const Function& function, const std::vector<bool>& reached)
{
    return OctetPlanner(program, function, reached).run();
}

} // namespace lanescope::simt::native
