// Parsing of real nvcc output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const Variable& variable(const Module& module, std::string_view name)
{
    return *std::ranges::find(module.variables, name, &Variable::name);
}

int count(const Function& function, Op op)
{
    return static_cast<int>(std::ranges::count(function.instructions, op, &Instruction::op));
}

TEST(Compiled, HeaderAndKernels)
{
    const Module module = parse(compiled("calls"));
    EXPECT_GE(module.version_major, 8);
    EXPECT_EQ(module.target, "sm_75");
    EXPECT_EQ(module.address_size, 64);
    EXPECT_THAT(module.kernel_names(),
                UnorderedElementsAre("call_directly", "call_pointer", "call_virtual"));
    EXPECT_EQ(module.find_function("nosuch"), nullptr);
}

TEST(Compiled, RecursionCallsByName)
{
    const Module module = parse(compiled("calls"));
    const Function* factorial = module.find_function("_Z9factoriali");
    ASSERT_NE(factorial, nullptr);
    EXPECT_FALSE(factorial->is_kernel);
    ASSERT_EQ(factorial->parameters.size(), 1u);
    ASSERT_EQ(factorial->results.size(), 1u);
    EXPECT_EQ(factorial->results[0].size_bytes(), 4u);
    const Function* kernel = module.find_function("call_directly");
    const auto call = std::ranges::find(kernel->instructions, Op::call, &Instruction::op);
    ASSERT_NE(call, kernel->instructions.end());
    ASSERT_EQ(call->operands.size(), 3u);
    EXPECT_EQ(call->operands[0].elements.size(), 1u);
    EXPECT_EQ(call->operands[1].symbol, "_Z9factoriali");
    EXPECT_EQ(call->operands[2].elements.size(), 1u);
}

TEST(Compiled, IndirectCallHasPrototype)
{
    const Module module = parse(compiled("calls"));
    const Function* kernel = module.find_function("call_pointer");
    bool found = false;
    for (const Instruction& instruction : kernel->instructions) {
        if (instruction.op != Op::call || instruction.operands[1].kind != Operand::Kind::reg)
            continue;
        found = true;
        ASSERT_EQ(instruction.operands.size(), 4u);
        const auto prototype = kernel->prototypes.find(instruction.operands[3].symbol);
        ASSERT_NE(prototype, kernel->prototypes.end());
        EXPECT_EQ(kernel->prototype_list[prototype->second].parameters.size(), 2u);
        EXPECT_EQ(kernel->prototype_list[prototype->second].results.size(), 1u);
    }
    EXPECT_TRUE(found);
    const Variable& table = variable(module, "operations");
    ASSERT_EQ(table.relocations.size(), 2u);
    EXPECT_EQ(table.relocations[1].symbol, "_Z8multiplyff");
    EXPECT_EQ(table.relocations[1].offset, 8u);
    EXPECT_EQ(kernel->parameters[2].size_bytes(), 48u);
}

TEST(Compiled, CallScopesRenameParameters)
{
    const Module module = parse(compiled("calls"));
    const Function* kernel = module.find_function("call_pointer");
    std::vector<std::string> names;
    for (const Variable& inside : kernel->variables) names.push_back(inside.name);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "a name came twice";
    EXPECT_TRUE(std::ranges::binary_search(names, "param0"));
    EXPECT_TRUE(std::ranges::binary_search(names, "param0@2"));
}

TEST(Compiled, InitialValues)
{
    const Module module = parse(compiled("memory"));
    const Variable& counter = variable(module, "counter");
    EXPECT_EQ(counter.space, Space::global);
    EXPECT_THAT(counter.initial, ElementsAre(5, 0, 0, 0));
    const Variable& table = variable(module, "table");
    EXPECT_EQ(table.space, Space::constant);
    ASSERT_EQ(table.size_bytes(), 16u);
    EXPECT_EQ(table.initial[15], 64);

    const Variable& mixed = variable(module, "mixed");
    ASSERT_EQ(mixed.relocations.size(), 1u);
    EXPECT_EQ(mixed.relocations[0].symbol, "counter");
    EXPECT_EQ(mixed.relocations[0].offset, 16u);
    EXPECT_TRUE(mixed.relocations[0].generic);

    const Variable& packed = variable(module, "packed");
    ASSERT_EQ(packed.relocations.size(), 8u);
    EXPECT_EQ(packed.initial[0], 3);
    for (int byte = 0; byte < 8; ++byte) {
        EXPECT_EQ(packed.relocations[byte].offset, 1u + byte);
        EXPECT_EQ(packed.relocations[byte].shift_bits, 8 * byte);
        EXPECT_EQ(packed.relocations[byte].size_bytes, 1);
    }
    const Variable& dynamic = variable(module, "dynamic");
    EXPECT_TRUE(dynamic.is_extern);
    EXPECT_EQ(dynamic.space, Space::shared);
    EXPECT_EQ(dynamic.size_bytes(), 0u);
}

TEST(Compiled, VectorsAndBounds)
{
    const Module module = parse(compiled("memory"));
    int vectors = 0;
    for (const Instruction& instruction : module.find_function("widths")->instructions)
        if (instruction.modifiers.elements == 4 && instruction.modifiers.type() == Type::f32 &&
            instruction.op == Op::st) {
            ++vectors;
            EXPECT_EQ(instruction.operands[1].elements.size(), 4u);
        }
    EXPECT_EQ(vectors, 1);
    const Module control = parse(compiled("control"));
    EXPECT_THAT(control.find_function("choose")->directives.at("maxntid")[0], 256);
    EXPECT_THAT(control.find_function("choose")->directives.at("minnctapersm"), ElementsAre(2));
}

TEST(Compiled, TexturesKeepCoordinates)
{
    const Module module = parse(compiled("textures"));
    const Function* kernel = module.find_function("textures");
    EXPECT_GE(count(*kernel, Op::tex), 6);
    for (const Instruction& instruction : kernel->instructions) {
        if (instruction.op != Op::tex || !instruction.has(Word::d3)) continue;
        EXPECT_EQ(instruction.operands[0].elements.size(), 4u);
        EXPECT_GE(instruction.operands[1].elements.size(), 3u);
    }
}

TEST(Compiled, TextOffsetsCoverEachInstruction)
{
    for (std::string_view text : all_compiled()) {
        const Module module = parse(text);
        for (const Function& function : module.functions)
            for (const Instruction& instruction : function.instructions) {
                const std::string_view own = text.substr(
                    instruction.text_begin, instruction.text_end - instruction.text_begin);
                EXPECT_EQ(own.back(), ';');
                EXPECT_TRUE(own.starts_with(instruction.guard ? "@" : written(module, instruction)))
                    << own;
                EXPECT_EQ(std::ranges::count(text.substr(0, instruction.text_begin), '\n') + 1,
                          instruction.ptx_line);
                EXPECT_GE(instruction.text_begin, function.body_begin);
                EXPECT_LE(instruction.text_end, function.body_end);
            }
    }
}

TEST(Compiled, EveryBranchHasReconvergencePoint)
{
    for (std::string_view text : all_compiled()) {
        const Module module = parse(text);
        for (const Function& function : module.functions) {
            const ControlFlow flow = control_flow(module, function);
            for (std::size_t i = 0; i < function.instructions.size(); ++i) {
                if (function.instructions[i].op != Op::bra) continue;
                EXPECT_LT(flow.reconvergence(static_cast<int>(i)),
                          static_cast<int>(function.instructions.size()));
            }
        }
    }
}

} // namespace
} // namespace lanescope::ptx
