// Single PTX constructs, and the errors for invalid ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/probes/rewrite.h"
#include "compute/ptx/sites/sites.h"
#include "compute/ptx/text/parse_error.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const Function& kernel(const Module& module)
{
    return *module.find_function("k");
}

TEST(Parser, GuardsModifiersAndPositions)
{
    const Module module =
        parse_body("ld.param.u64 %rd1, [data];\n@!%p1 ld.global.nc.v2.f32 {%f1, _}, [%rd1+-8];");
    const Instruction& load = kernel(module).instructions[1];
    ASSERT_TRUE(load.guard.has_value());
    EXPECT_TRUE(load.guard->negated);
    EXPECT_EQ(kernel(module).registers[load.guard->reg].name, "%p1");
    EXPECT_EQ(load.op, Op::ld);
    EXPECT_EQ(written(module, load), "ld.global.nc.v2.f32");
    EXPECT_EQ(load.modifiers.space, Space::global);
    EXPECT_EQ(load.modifiers.elements, 2);
    EXPECT_EQ(load.modifiers.type(), Type::f32);
    EXPECT_EQ(load.operands[0].elements[1].kind, Operand::Kind::sink);
    EXPECT_EQ(load.operands[1].kind, Operand::Kind::address);
    EXPECT_EQ(load.operands[1].offset, -8);
    EXPECT_EQ(load.ptx_line, 6);
}

TEST(Parser, Immediates)
{
    const Module module =
        parse_body("mov.u32 %r1, 0x1F; mov.u32 %r1, -1; mov.f32 %f1, 0fBF800000;"
                   "mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd1, 1.5; mov.u32 %r1, 017;"
                   "mov.u32 %r1, 0b101; mov.u32 %r1, 7U; mov.u32 %r1, WARP_SZ; mov.b32 %r1, ~0;");
    std::vector<std::uint64_t> bits;
    for (const Instruction& instruction : kernel(module).instructions)
        bits.push_back(instruction.operands[1].bits);
    EXPECT_THAT(bits, ElementsAre(0x1f, ~std::uint64_t{0}, 0xbf800000, 0x3ff0000000000000,
                                  0x3ff8000000000000, 15, 5, 7, 32, ~std::uint64_t{0}));
    EXPECT_EQ(kernel(module).instructions[2].operands[1].immediate_type, Type::f32);
    EXPECT_EQ(kernel(module).instructions[4].operands[1].immediate_type, Type::f64);
}

TEST(Parser, ScopesShadowAndRename)
{
    const Module module =
        parse_body("mov.u32 %r1, 1;\n{ .reg .b32 %r1; .local .b8 mem[4]; mov.u32 %r1, mem;\n"
                   "L: bra L; }\n{ .local .b8 mem[4]; mov.u32 %r1, mem; L: bra L; }");
    const Function& function = kernel(module);
    const auto& outer = function.instructions[0].operands[0];
    const auto& inner = function.instructions[1].operands[0];
    EXPECT_NE(outer.reg, inner.reg);
    EXPECT_EQ(function.registers[inner.reg].name, "%r1@2");
    EXPECT_EQ(function.instructions[3].operands[0].reg, outer.reg);
    EXPECT_EQ(function.instructions[1].operands[1].symbol, "mem");
    EXPECT_EQ(function.instructions[3].operands[1].symbol, "mem@2");
    EXPECT_EQ(function.labels.at(function.instructions[2].operands[0].symbol), 2);
    EXPECT_EQ(function.labels.at(function.instructions[4].operands[0].symbol), 4);
}

TEST(Parser, BranchTables)
{
    const Module module =
        parse_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: exit;");
    const Function& function = kernel(module);
    EXPECT_EQ(function.instructions[0].operands[1].symbol, "T");
    EXPECT_THAT(function.branch_targets.at("T"), ElementsAre("A", "B", "A"));
    EXPECT_EQ(function.labels.at("B"), 2);
}

TEST(Parser, SpecialRegistersPairsAndVectors)
{
    const Module module =
        parse_body("mov.u32 %r1, %tid.x; setp.lt.s32 %p1|%p2, %r1, 5;"
                   "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1; mov.b64 {%r1, %r2}, %rd1;"
                   ".reg .v2 .f32 pair; ld.global.v2.f32 pair, [%rd1]; add.f32 %f1, pair.x, pair.y;"
                   "mov.u32 %r3, %laneid; mov.u64 %rd2, %clock64;");
    const Function& function = kernel(module);
    EXPECT_EQ(function.instructions[0].operands[1].symbol, "tid.x");
    EXPECT_EQ(function.instructions[1].operands[0].kind, Operand::Kind::pair);
    EXPECT_EQ(function.instructions[4].operands[0].elements.size(), 2u);
    EXPECT_EQ(function.instructions[5].operands[2].reg,
              function.instructions[4].operands[0].elements[1].reg);
}

TEST(Parser, InstructionsOfLaterArchitectures)
{
    const Module module = parse_body(
        "cp.async.ca.shared.global [%r1], [%rd1], 16, 8; cp.async.commit_group; "
        "cp.async.wait_group 0;"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6},"
        "{%f1,%f2,%f3,%f4}; redux.sync.add.s32 %r1, %r2, -1; elect.sync _|%p1, -1;"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 64; barrier.cluster.arrive.release;"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1],"
        "[%rd1, {%r2, %r3}], [%r4]; fence.proxy.async; bar.red.popc.u32 %r1, 0, %p1;"
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96; red.global.add.f32 [%rd1], %f1;");
    EXPECT_EQ(kernel(module).instructions.size(), 14u);
    EXPECT_EQ(written(module, kernel(module).instructions[6]),
              "mbarrier.arrive.expect_tx.shared::cta.b64");
}

TEST(Parser, DirectivesAndAttributes)
{
    const Module module =
        parse(".version 8.5\n.target sm_90a, debug\n.address_size 64\n"
              ".global .attribute(.managed) .align 8 .f64 m = 1;\n"
              ".global .b32 nested[2][3] = {{1, 2}, {4, 5, 6}};\n"
              ".global .v4 .f32 four = {1.0, 2.0, 3.0, 4.0};\n"
              ".global .b8 open[] = {1, 2, 3};\n"
              ".common .global .u32 c; /* two\nlines */ .weak .const .u16 w = 3;\n"
              ".func (.reg .u32 r) inc(.reg .u32 a) .noreturn { add.u32 r, a, 1; ret; }\n"
              ".alias twin, inc;\n"
              ".entry k(.param .u64 .ptr .global .align 16 p, .param .texref t)\n"
              ".maxntid 16, 2 .maxnreg 32\n{ .pragma \"nounroll\"; ret; }\n"
              ".section .debug_info { .b32 L+4 L: .b8 1, 2 .b64 .debug_line }\n");
    EXPECT_EQ(module.target, "sm_90a");
    EXPECT_THAT(module.variables[0].initial, ElementsAre(0, 0, 0, 0, 0, 0, 0xf0, 0x3f));
    ASSERT_EQ(module.variables[1].initial.size(), 24u);
    EXPECT_EQ(module.variables[1].initial[8], 0);
    EXPECT_EQ(module.variables[1].initial[12], 4);
    EXPECT_EQ(module.variables[2].size_bytes(), 16u);
    EXPECT_EQ(module.variables[2].initial[15], 0x40);
    EXPECT_EQ(module.variables[3].size_bytes(), 3u);
    EXPECT_EQ(module.find_function("twin"), module.find_function("inc"));
    EXPECT_TRUE(module.find_function("inc")->directives.contains("noreturn"));
    EXPECT_THAT(kernel(module).directives.at("maxntid"), ElementsAre(16, 2));
    EXPECT_EQ(kernel(module).parameters[1].type, Type::texref);
}

TEST(ParserErrors, NameInstructionAndLine)
{
    EXPECT_THAT(error_of(around("add.u32 %r1, %r2, %r3;\nfoo.bar.u32 %r1, %r2;")),
                AllOf(HasSubstr("line 6"), HasSubstr("'foo.bar.u32'")));
    EXPECT_THAT(error_of(around("add.u32 %r1, %r2;")),
                AllOf(HasSubstr("'add.u32' has 2 operands"), HasSubstr("line 5")));
    EXPECT_THAT(error_of(around("ld.global.u32 %r1, %rd1;")),
                HasSubstr("needs an address in brackets as operand 2"));
    EXPECT_THAT(error_of(around("bra nowhere;")), HasSubstr("label 'nowhere' is not defined"));
    EXPECT_THAT(error_of(around("mov.u32 %r1, %r100;")), HasSubstr("'%r100' is not declared"));
    EXPECT_THAT(error_of(around("mov.u64 %rd1, nosuch;")), HasSubstr("'nosuch' is not declared"));
    EXPECT_THAT(error_of(around("@%r1 ret;")), HasSubstr("is not a predicate"));
    EXPECT_THAT(error_of(around(".strange 5;")), HasSubstr("'.strange'"));
    EXPECT_THAT(error_of(around("call (%r1), %rd1, (%r2);")), HasSubstr("prototype"));
    EXPECT_THAT(error_of(around("L: ret; L: ret;")), HasSubstr("defined twice"));
    EXPECT_THAT(error_of(around("mov.u32 %r1, 1")), HasSubstr("expected ';'"));
    EXPECT_THAT(error_of(around("mov.u32 %r1, 0x1G;")), HasSubstr("is not a number"));
    EXPECT_THAT(error_of("hello"), HasSubstr("expected a directive, found 'hello'"));
    EXPECT_THAT(error_of(""), HasSubstr("no .version"));
    EXPECT_THAT(error_of(".version 8.0 .target sm_75 .global .b8 x[2] = {1,2,3};"),
                HasSubstr("more initial values"));
    EXPECT_THAT(error_of(".version 8.0 .strange"), HasSubstr("'.strange'"));
}

TEST(ParserErrors, AreBadUsage)
{
    try {
        sites_of(parse_body("foo;"), "k");
        FAIL();
    } catch (const ParseError& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_EQ(error.line(), 5);
    }
}

// An error in a function's body only affects the kernels from which the function can be reached.
TEST(ParserErrors, AffectOnlyTheirFunction)
{
    const Module module = parse(".version 8.5 .target sm_90 .address_size 64\n"
                                ".entry before() { ret; }\n"
                                ".func odd() { { .reg .b32 %r<9>; // }\n"
                                "add.sideways.u32 %r1, %r2, %r3; } ` ; ret; }\n"
                                ".entry strange() { \"} ` ; ret; }\" }\n"
                                ".entry lost() { .reg .b64 %rd<9>; mov.u64 %rd1, nosuch; ret; }\n"
                                ".entry caller() { call odd; ret; }\n"
                                ".entry after() { ret; }\n");
    EXPECT_THAT(module.kernel_names(), ElementsAre("before", "strange", "lost", "caller", "after"));
    const auto refusal = [&](const char* kernel) -> std::string {
        try {
            sites_of(module, kernel);
        } catch (const ParseError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(refusal("before"), "");
    EXPECT_EQ(refusal("after"), "");
    EXPECT_THAT(refusal("strange"), AllOf(HasSubstr("line 5"), HasSubstr("in kernel 'strange'")));
    EXPECT_THAT(refusal("lost"), AllOf(HasSubstr("line 6"), HasSubstr("'nosuch'")));
    EXPECT_THAT(refusal("caller"),
                AllOf(HasSubstr("line 4"), HasSubstr("'add.sideways.u32' cannot have .sideways"),
                      HasSubstr("in 'odd', which kernel 'caller' reaches")));
    EXPECT_EQ(probe(module, {"after"}).sites.size(), 0u);
}

TEST(ParserErrors, RejectUnknownModifiers)
{
    for (const char* text :
         {"ld.global.sideways.u32 %r1, [%rd1]", "st.shared.cc.u32 [%r1], %r2", "bar.sync.really 0",
          "bra.maybe L", "atom.global.add.twice.u32 %r1, [%rd1], %r2", "membar.all",
          "shfl.sync.left.b32 %r1, %r2, 1, 31, -1", "vote.sync.most.pred %p1, %p2, -1",
          "cvta.to.nowhere.u64 %rd1, %rd2", "tex.4d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}]",
          "prefetch.global.L7 [%rd1]", "cp.async.commit_group.now", "isspacep.heap %p1, %rd1",
          "redux.sync.mul.s32 %r1, %r2, -1", "cp.async.ca.shared.global [%r1], [%rd1], 12",
          "cp.async.cg.shared.global [%r1], [%rd1], 8",
          "cp.async.ca.shared.global [%r1], [%rd1], %r2", "ld.global.u32.u64 %r1, [%rd1]"})
        EXPECT_THAT(error_of(around(std::string("L: ") + text + ";")), HasSubstr("line 5")) << text;
}

TEST(Parser, ParameterSizeLimitDependsOnVersion)
{
    const auto error = [](const char* version, const char* parameters) {
        return error_of(fmt::format(".version {} .target sm_90 .address_size 64\n"
                                    ".visible .entry k({}) {{ ret; }}\n",
                                    version, parameters));
    };
    EXPECT_EQ(error("8.5", ".param .b8 p[32764]"), "");
    EXPECT_EQ(error("8.0", ".param .b8 p[4352]"), "");
    EXPECT_EQ(error("8.0", ".param .u64 p, .param .align 8 .b8 q[4344]"), "");
    for (const auto& [version, parameters] :
         {std::pair{"8.5", ".param .b8 p[32765]"},
          {"8.1", ".param .b8 p[2147483647]"},
          {"7.0", ".param .b8 p[4353]"},
          {"8.0", ".param .b8 p[2147483647]"},
          {"8.5", ".param .b8 p[4294967296]"},
          {"8.5", ".param .b8 p[4294967304]"},
          {"8.5", ".param .b8 p[1099511627776]"},
          {"8.5", ".param .b8 p[65536][65536]"},
          {"7.0", ".param .u64 p, .param .align 8 .b8 q[4345]"},
          {"8.0", ".param .u32 p, .param .align 1048576 .b8 q[4]"}})
        EXPECT_THAT(error(version, parameters),
                    AllOf(HasSubstr("line 2"), HasSubstr("the parameters of kernel 'k'")))
            << parameters;
}

TEST(Parser, OverflowingBlockSizesAreRejected)
{
    const auto error = [](const char* directive) {
        return error_of(fmt::format(".version 8.5 .target sm_90 .address_size 64\n"
                                    ".visible .entry k() {} {{ ret; }}\n",
                                    directive));
    };
    for (const char* fine :
         {".maxntid 1024", ".maxntid 16, 16, 4", ".maxntid 100000, 1, 1", ".reqntid 32, 32"})
        EXPECT_EQ(error(fine), "") << fine;
    for (const char* wrong :
         {".maxntid 65536, 65536", ".maxntid 2147483647, 2", ".maxntid 2147483647, 2147483647, 4",
          ".reqntid 65536, 65536, 65536", ".reqntid 2, 1073741824", ".maxntid 0", ".reqntid 8, 0",
          ".maxntid 0, 2147483647", ".maxntid 46341, 46341", ".maxntid 1291, 1291, 1291"})
        EXPECT_THAT(error(wrong), AllOf(HasSubstr("line 2"), HasSubstr("1024 threads"))) << wrong;
    EXPECT_THAT(error(".maxntid 4294967296"), HasSubstr("out of range"));
}

// A dimension of 0 gets its length from the initialiser; the other dimensions may still overflow.
TEST(Parser, OverflowingArraySizesAreRejected)
{
    for (const char* sizes :
         {"[4294967296][4294967296]", "[0][4294967296][4294967296]", "[0][4294967297][4294967297]",
          "[][1099511627776][2]", "[65536][65536][65536][65536]"})
        EXPECT_THAT(error_of(fmt::format(".version 8.0 .global .b8 x{} = {{1}};", sizes)),
                    HasSubstr("larger than 1 TiB"))
            << sizes;
}

// The name in every row of the instruction table parses to that row.
TEST(InstructionTable, NamesParseToTheirForms)
{
    for (const Form& form : forms()) {
        EXPECT_EQ(&form, &form_of(form.op));
        EXPECT_EQ(form.unit == Unit::refused, !form.reason.empty()) << form.name;
        if (form.unit != Unit::refused) continue;
        const std::string name(form.name.substr(0, form.name.find('|')));
        std::vector<std::string_view> words;
        for (std::size_t at = 0; at < name.size();) {
            const std::size_t end = std::min(name.find('.', at), name.size());
            words.push_back(std::string_view(name).substr(at, end - at));
            at = end + 1;
        }
        const Reading reading = read_words(words[0], std::span(words).subspan(1));
        EXPECT_EQ(reading.form, &form) << form.name << " " << reading.problem;
    }
}

} // namespace
} // namespace lanescope::ptx
