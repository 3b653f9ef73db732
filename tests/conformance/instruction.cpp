// Builds the kernel around an instruction: load this thread's sources, execute, store the
// destinations.
#include "tests/conformance/instruction.h"

#include <algorithm>

#include <fmt/format.h>

#include "tests/conformance/values.h"

namespace lanescope::conformance {

namespace {

constexpr int threads_per_block = 128;
constexpr std::string_view source_names[] = {"A", "B", "C", "E"};

std::vector<Operand> read_operands(std::string_view list)
{
    std::vector<Operand> operands;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(' '), list.size());
        operands.push_back({list.substr(0, end)});
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return operands;
}

std::string_view memory_type(const Operand& operand)
{
    switch (operand.bytes()) {
    case 1: return "u8";
    case 2: return "b16";
    case 4: return operand.register_type() == "f32" ? "f32" : "b32";
    default: return operand.register_type() == "f64" ? "f64" : "b64";
    }
}

std::string address_of(std::string_view parameter, const Operand& operand)
{
    return fmt::format(
        "    ld.param.u64 %address, [{}];\n    cvta.to.global.u64 %address, %address;\n"
        "    mad.wide.u32 %address, %index, {}, %address;\n",
        parameter, operand.bytes());
}

std::string load(std::string_view name, const Operand& operand)
{
    const std::string address = address_of(name, operand);
    if (operand.register_type() == "pred")
        return address +
               fmt::format(
                   "    ld.global.u8 %small, [%address];\n    setp.ne.u16 %{}, %small, 0;\n", name);
    if (operand.type == "s8")
        return address + fmt::format("    ld.global.s8 %{}, [%address];\n", name);
    return address + fmt::format("    ld.global.{} %{}, [%address];\n", memory_type(operand), name);
}

std::string store(std::string_view name, const Operand& operand)
{
    const std::string address = address_of(name, operand);
    if (operand.register_type() == "pred")
        return address +
               fmt::format(
                   "    selp.u16 %small, 1, 0, %{};\n    st.global.u8 [%address], %small;\n", name);
    return address + fmt::format("    st.global.{} [%address], %{};\n", memory_type(operand), name);
}

} // namespace

namespace {

// A case that runs the instruction on the fixed inputs or, given a seed, on random ones.
Case case_of(std::string_view group, const Instruction& instruction, std::uint32_t times,
             const std::uint64_t* seed)
{
    const std::vector<Operand> destinations = read_operands(instruction.destinations);
    const std::vector<Operand> sources = read_operands(instruction.sources);
    std::string parameters;
    std::string registers;
    std::string loads;
    std::string stores;
    std::vector<std::string> operands;
    const auto declare = [&](const std::string& name, const Operand& operand) {
        parameters += fmt::format("{}.param .u64 {}", parameters.empty() ? "" : ", ", name);
        registers += fmt::format("    .reg .{} %{};\n", operand.register_type(), name);
        operands.push_back("%" + name);
    };
    Case made;
    const std::uint32_t blocks = (sources.size() > 1 ? 4 : 2) * times; // two sources give more
                                                                       // combinations
    const int count = static_cast<int>(threads_per_block * blocks);
    for (std::size_t i = 0; i < destinations.size(); ++i) {
        const std::string name = fmt::format("D{}", i);
        declare(name, destinations[i]);
        stores += store(name, destinations[i]);
        made.outputs.push_back({static_cast<std::size_t>(count * destinations[i].bytes()),
                                destinations[i].element(), instruction.tolerance});
    }
    const auto values =
        seed == nullptr ? inputs(sources, count) : drawn_inputs(sources, count, *seed);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        declare(std::string(source_names[i]), sources[i]);
        loads += load(source_names[i], sources[i]);
        made.inputs.push_back(to_bytes(values[i], sources[i].bytes()));
    }
    const std::string body = instruction.body.empty() ? fmt::format("{} {};", instruction.name,
                                                                    fmt::join(operands, ", "))
                                                      : instruction.body;
    made.group = group;
    made.name = instruction.name;
    made.kernel = "instruction";
    made.recorded = instruction.recorded;
    made.grid = {blocks, 1, 1};
    made.block = {threads_per_block, 1, 1};
    made.ptx = fmt::format(
        ".version {}\n.target sm_90\n.address_size 64\n\n.visible .entry instruction({})\n{{\n"
        "    .reg .b64 %address;\n    .reg .b32 %index, %width, %block, %X<8>;\n    .reg .b16 "
        "%small;\n"
        "    .reg .pred %P, %Q;\n{}"
        "    mov.u32 %index, %tid.x;\n    mov.u32 %block, %ctaid.x;\n    mov.u32 %width, %ntid.x;\n"
        "    mad.lo.u32 %index, %block, %width, %index;\n{}{}\n{}    ret;\n}}\n",
        instruction.version, parameters, registers, loads, "    " + body, stores);
    return made;
}

} // namespace

Case make_case(std::string_view group, const Instruction& instruction)
{
    Case made = case_of(group, instruction, 1, nullptr);
    made.more = [group = std::string(group), instruction,
                 destinations = std::string(instruction.destinations),
                 sources = std::string(instruction.sources)](std::uint32_t times,
                                                             std::uint64_t seed) {
        Instruction same = instruction;
        same.destinations = destinations;
        same.sources = sources;
        return case_of(group, same, times, &seed);
    };
    return made;
}

void add_cases(std::vector<Case>& cases, std::string_view group,
               const std::vector<Instruction>& instructions)
{
    for (const Instruction& instruction : instructions)
        cases.push_back(make_case(group, instruction));
}

} // namespace lanescope::conformance
