// Dataflow analysis: each register has marks for the inputs that its value may derive from;
// instructions propagate the marks of all their sources until nothing changes.
#include "compute/ptx/uses/uses.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {
namespace {

using Marks = std::uint64_t;

// Parameters use the low bits, one each.
constexpr int max_parameters = 56;
constexpr Marks thread_mark = Marks{1} << 56; // three bits, for x, y and z
constexpr Marks block_mark = Marks{1} << 59;
constexpr Marks data_mark = Marks{1} << 62; // derived from memory
constexpr Marks all_threads = 7 * thread_mark;
constexpr Marks all_blocks = 7 * block_mark;

int axis_of(std::string_view special)
{
    return special.ends_with(".x")   ? 0
           : special.ends_with(".y") ? 1
           : special.ends_with(".z") ? 2
                                     : -1;
}

class Flow {
public:
    Flow(const Module& module, const Function& kernel)
        : kernel_(kernel), marks_(kernel.registers.size())
    {
        for (std::size_t i = 0; i < kernel.parameters.size() && i < max_parameters; ++i)
            places_[kernel.parameters[i].name] = i;
        use_.name = kernel.name;
        for (const Variable& parameter : kernel.parameters)
            use_.parameters.push_back({.bytes = parameter.size_bytes(), .type = parameter.type});
        for (const Variable& variable : module.variables)
            use_.dynamic_shared |=
                variable.space == Space::shared && variable.is_extern && mentions(variable.name);
        const auto directive = [&](const char* name) -> const std::vector<int>* {
            const auto found = kernel.directives.find(name);
            return found == kernel.directives.end() ? nullptr : &found->second;
        };
        if (const auto* block = directive("reqntid"))
            std::copy_n(block->begin(), std::min<std::size_t>(block->size(), 3),
                        use_.block.begin());
        if (const auto* max_sizes = directive("maxntid")) {
            use_.max_threads = 1;
            for (const int size : *max_sizes) use_.max_threads *= std::max(size, 1);
        }
        while (pass()) {
        }
        for (const Instruction& instruction : kernel.instructions) look_at(instruction);
    }

    KernelUse result() && { return std::move(use_); }

    std::vector<ParameterAccess> accesses() const
    {
        std::vector<ParameterAccess> all;
        for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
            const Instruction& in = kernel_.instructions[i];
            const Form& form = form_of(in.op);
            const auto place = static_cast<std::size_t>(form.address);
            if (form.address < 0 || form.unit == Unit::bulk_copy || place >= in.operands.size() ||
                in.modifiers.space == Space::param || in.modifiers.space == Space::shared)
                continue;
            ParameterAccess access{.instruction = static_cast<int>(i)};
            const Marks marks = marks_of(in.operands[place]);
            for (std::size_t k = 0; k < use_.parameters.size() && k < max_parameters; ++k)
                if (use_.parameters[k].bytes == sizeof(void*))
                    access.parameters |= marks & (Marks{1} << k);
            const bool updates = form.effect == Effect::updates || form.effect == Effect::reduces;
            access.reads = updates || form.effect == Effect::reads || form.effect == Effect::copies;
            access.writes = updates || form.effect == Effect::writes;
            if (access.parameters != 0) all.push_back(access);
        }
        return all;
    }

private:
    bool mentions(const std::string& variable) const
    {
        return std::ranges::any_of(kernel_.instructions, [&](const Instruction& instruction) {
            return std::ranges::any_of(instruction.operands, [&](const Operand& operand) {
                return operand.symbol == variable;
            });
        });
    }

    Marks marks_of(const Operand& operand) const
    {
        Marks marks = operand.reg >= 0 ? marks_[operand.reg] : 0;
        if (operand.kind == Operand::Kind::special) {
            const int axis = axis_of(operand.symbol);
            if (axis >= 0 && operand.symbol.starts_with("tid")) marks |= thread_mark << axis;
            if (axis >= 0 && operand.symbol.starts_with("ctaid")) marks |= block_mark << axis;
        }
        if (const auto place = places_.find(operand.symbol); place != places_.end())
            marks |= Marks{1} << place->second;
        for (const Operand& element : operand.elements) marks |= marks_of(element);
        return marks;
    }

    bool add(const Operand& to, Marks marks)
    {
        bool changed = false;
        if (to.reg >= 0 && (to.kind == Operand::Kind::reg || to.kind == Operand::Kind::pair)) {
            changed = (marks & ~marks_[to.reg]) != 0;
            marks_[to.reg] |= marks;
        }
        for (const Operand& element : to.elements) changed |= add(element, marks);
        return changed;
    }

    static bool from_memory(const Instruction& instruction, const Form& form)
    {
        return (form.effect == Effect::reads || form.effect == Effect::updates) &&
               instruction.modifiers.space != Space::param;
    }

    bool pass()
    {
        bool changed = false;
        for (const Instruction& instruction : kernel_.instructions) {
            const Form& form = form_of(instruction.op);
            const auto destinations = static_cast<std::size_t>(form.destinations);
            Marks marks = 0;
            if (from_memory(instruction, form))
                marks = data_mark;
            else
                for (std::size_t i = destinations; i < instruction.operands.size(); ++i)
                    marks |= marks_of(instruction.operands[i]);
            for (std::size_t i = 0; i < destinations && i < instruction.operands.size(); ++i)
                changed |= add(instruction.operands[i], marks);
        }
        return changed;
    }

    void look_at(const Instruction& instruction)
    {
        const Form& form = form_of(instruction.op);
        for (const Operand& operand : instruction.operands) {
            if (operand.kind != Operand::Kind::special) continue;
            const int axis = axis_of(operand.symbol);
            if (axis < 0) continue;
            if (operand.symbol.starts_with("tid")) use_.thread_axes[axis] = true;
            if (operand.symbol.starts_with("ctaid")) use_.block_axes[axis] = true;
            use_.strides |= operand.symbol.starts_with("nctaid");
        }
        if (form.address >= 0 && form.unit != Unit::bulk_copy &&
            instruction.modifiers.space != Space::param &&
            instruction.modifiers.space != Space::shared &&
            static_cast<std::size_t>(form.address) < instruction.operands.size())
            access(instruction, form,
                   marks_of(instruction.operands[static_cast<std::size_t>(form.address)]));
        if (form.unit == Unit::bulk_copy) copy(instruction);
        if (form.unit == Unit::comparison) compare(instruction);
    }

    // Bulk copies between global and shared memory.
    void copy(const Instruction& instruction)
    {
        const bool loads = instruction.op == Op::bulk_load;
        if (!loads && instruction.op != Op::bulk_store && instruction.op != Op::bulk_reduce) return;
        const Marks address = marks_of(instruction.operands[loads ? 1 : 0]);
        for (std::size_t i = 0; i < use_.parameters.size() && i < max_parameters; ++i) {
            ParameterUse& parameter = use_.parameters[i];
            if (!(address >> i & 1) || parameter.bytes != 8) continue;
            parameter.read |= loads;
            parameter.written |= instruction.op == Op::bulk_store;
            parameter.updated |= instruction.op == Op::bulk_reduce;
        }
    }

    void access(const Instruction& instruction, const Form& form, Marks address)
    {
        const std::size_t bytes =
            static_cast<std::size_t>(size_bytes(instruction.modifiers.type()));
        for (std::size_t i = 0; i < use_.parameters.size() && i < max_parameters; ++i) {
            ParameterUse& parameter = use_.parameters[i];
            if (!(address >> i & 1) || parameter.bytes != 8) continue;
            const bool stores = form.effect == Effect::writes || form.effect == Effect::updates ||
                                form.effect == Effect::reduces;
            if (stores && !parameter.written && !parameter.updated)
                parameter.depends_on_block = parameter.depends_on_nothing = true;
            int vector = 1;
            for (const Operand& operand : instruction.operands)
                vector = std::max(vector, static_cast<int>(operand.elements.size()));
            parameter.vector = parameter.vector == 0 ? vector : std::min(parameter.vector, vector);
            parameter.depends_on_data |= (address & data_mark) != 0;
            parameter.flowing |= address & ((Marks{1} << max_parameters) - 1) & ~(Marks{1} << i);
            parameter.read |= form.effect == Effect::reads || form.effect == Effect::copies;
            parameter.written |= form.effect == Effect::writes;
            parameter.updated |= form.effect == Effect::updates || form.effect == Effect::reduces;
            if (stores) {
                const Marks apart = address & (all_threads | data_mark);
                parameter.depends_on_block &= apart == 0 && (address & all_blocks) != 0;
                parameter.depends_on_nothing &= apart == 0 && (address & all_blocks) == 0;
            }
            if (bytes > 0 && (parameter.element_bytes == 0 || bytes < parameter.element_bytes))
                parameter.element_bytes = bytes;
            parameter.real_elements |= instruction.modifiers.type() == Type::f32 ||
                                       instruction.modifiers.type() == Type::f64;
        }
    }

    void compare(const Instruction& instruction)
    {
        Marks marks = 0;
        for (const Operand& operand : instruction.operands) marks |= marks_of(operand);
        if (marks & data_mark) return;
        for (int axis = 0; axis < 3; ++axis) {
            const Marks axis_marks = (thread_mark | block_mark) << axis;
            if (!(marks & axis_marks) || (marks & (all_threads | all_blocks) & ~axis_marks))
                continue;
            for (std::size_t i = 0; i < use_.parameters.size() && i < max_parameters; ++i)
                if (marks >> i & 1)
                    use_.parameters[i].bounds[static_cast<std::size_t>(axis)] = true;
        }
    }

    const Function& kernel_;
    std::map<std::string, std::size_t, std::less<>> places_;
    std::vector<Marks> marks_;
    KernelUse use_;
};

} // namespace

KernelUse kernel_use(const Module& module, const Function& kernel)
{
    return Flow(module, kernel).result();
}

std::vector<ParameterAccess> parameter_accesses(const Module& module, const Function& kernel)
{
    return Flow(module, kernel).accesses();
}

std::vector<KernelUse> kernel_uses(const Module& module)
{
    std::vector<KernelUse> all;
    for (const Function& function : module.functions)
        if (function.is_kernel && !function.is_declaration && !function.refusal)
            all.push_back(kernel_use(module, function));
    return all;
}

} // namespace lanescope::ptx
