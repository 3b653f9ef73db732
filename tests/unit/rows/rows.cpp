// Parses single instructions and runs them on rows given by a test.
#include "tests/unit/rows/rows.h"

#include <algorithm>
#include <vector>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/native/emit.h"
#include "compute/simt/native/native.h"

namespace lanescope::simt {

ptx::Instruction instruction(std::string_view words, int operands)
{
    ptx::Instruction made;
    std::size_t end = std::min(words.find('.'), words.size());
    const std::string_view opcode = words.substr(0, end);
    std::vector<std::string_view> modifiers;
    while (end < words.size()) {
        words.remove_prefix(end + 1);
        end = std::min(words.find('.'), words.size());
        modifiers.push_back(words.substr(0, end));
    }
    const ptx::Reading reading = ptx::read_words(opcode, modifiers);
    if (reading.form == nullptr) return made; // has no operands, so it cannot run
    made.op = reading.form->op;
    made.modifiers = reading.modifiers;
    made.operands.resize(static_cast<std::size_t>(operands));
    for (ptx::Operand& operand : made.operands) operand.kind = ptx::Operand::Kind::reg;
    return made;
}

std::vector<Isa> runnable_sets()
{
    std::vector<Isa> sets;
    for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
        if (is_available(isa)) sets.push_back(isa);
    return sets;
}

Result run(const RowOperation& operation, const std::array<Row, 4>& sources, std::uint32_t active,
           const Row& before, std::uint32_t carry)
{
    Result result;
    result.destinations.fill(before);
    result.carry = carry;
    RowOperands operands;
    operands.d = &result.destinations[0];
    operands.a = &sources[0];
    operands.b = &sources[1];
    operands.c = &sources[2];
    const auto further = [&](int index) {
        return operation.destination_count > index
                   ? &result.destinations[static_cast<std::size_t>(index)]
                   : nullptr;
    };
    const MoreOperands more{.d2 = further(1),
                            .d3 = further(2),
                            .d4 = further(3),
                            .e = &sources[3],
                            .carry = &result.carry};
    operands.more = &more;
    operation.run(operands, active);
    return result;
}

namespace {

std::uint32_t leave(native::Activation*, const Instruction*, std::uint32_t)
{
    return static_cast<std::uint32_t>(native::Leave::blocked);
}
std::uint32_t no_branch(native::Activation*, const Instruction*)
{
    return 0;
}

} // namespace

std::optional<Result> run_native(const RowOperation& operation, Isa isa,
                                 const std::array<Row, 4>& sources, std::uint32_t active,
                                 const Row& before, std::optional<std::uint32_t> guard)
{
    const native::Form* form = native::find_form(operation.run, isa);
    if (form == nullptr || !native::is_possible()) return std::nullopt;
    // The frame that native code works on: three sources, two results and the guard.
    struct alignas(64) Frame {
        std::array<Row, 6> rows;
    } frame{};
    for (std::size_t i = 0; i < 3; ++i) frame.rows[i] = sources[i];
    frame.rows[3] = frame.rows[4] = before;
    frame.rows[5].set(0, guard.value_or(0));
    const auto row = [](std::size_t i) { return row_ref(i * sizeof(Row), RowBase::frame); };
    Function function;
    function.code.resize(2);
    native::Step step;
    step.form = form;
    step.d = row(3);
    if (operation.destination_count > 1) step.d2 = row(4);
    for (std::size_t i = 0; i < form->sources; ++i) step.source[i] = row(i);
    if (guard) step.guard = row(5);
    native::Plan plan;
    plan.function = &function;
    plan.entry = {true, true};
    plan.items.resize(2);
    plan.items[0].kind = native::Item::Kind::stretch;
    plan.items[0].end = plan.items[1].begin = 1;
    plan.items[0].steps = {step};
    plan.items[0].live = {row(3), row(4)};
    native::Code code =
        native::emit(plan, {false, active != full_mask}, {leave, no_branch, nullptr, nullptr});
    if (code.bytes.empty()) throw std::runtime_error("no native code");
    const native::FunctionCode made(code.bytes, std::move(code.entry));
    native::Activation activation;
    std::uint32_t zero_divisor_lanes = 0;
    activation.zero_divisor_lanes = &zero_divisor_lanes;
    activation.frame = frame.rows[0].bytes.data();
    std::uint64_t slice_steps = 0;
    activation.slice_steps = &slice_steps;
    activation.active = active;
    for (int lane = 0; lane < warp_lanes; ++lane)
        activation.lanes[lane] = (active >> lane & 1u) != 0 ? ~0u : 0u;
    made.enter()(&activation, made.entry(0));
    Result result;
    result.destinations.fill(before);
    result.destinations[0] = frame.rows[3];
    if (operation.destination_count > 1) result.destinations[1] = frame.rows[4];
    return result;
}

} // namespace lanescope::simt
