// Parsing of the disassembler's output.
#include <gmock/gmock.h>

#include "compute/assembled/sass.h"

namespace lanescope::assembled {
namespace {

using testing::ElementsAre;

constexpr std::string_view printed = R"(	.target	sm_90

//--------------------- .text.tile --------------------------
	.section	.text.tile,"ax",@progbits
        .size           tile,(.L_x_2 - tile)
tile:
.text.tile:
	//## File "tile.cu", line 7
	//## File ".nv_debug_ptx_txt", line 26
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   BSSY B0, `(.L_x_0) ;
	//## File ".nv_debug_ptx_txt", line 31
        /*0020*/              @!P0 BRA `(.L_x_1) ;
        /*0030*/                   LDS.128 R8, [R16+0x10] ;
        /*0040*/                   LDG.E.U8.CONSTANT R4, desc[UR4][R2.64+-0x6] ;
        /*0050*/                   STG.E.64 desc[UR4][R8.64], R2 ;
        /*0060*/                   BRX R2 -0x70 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*);
.L_x_1:
        /*0070*/                   BSYNC B0 ;
.L_x_0:
        /*0080*/                   EXIT ;
.L_x_2:
//--------------------- .text.helper --------------------------
.text.helper:
        /*0000*/                   RET.REL.NODEC R20 `(helper) ;
)";

TEST(Sass, InstructionsHaveLinesGuardsAndTargets)
{
    const Sass sass = parse_sass(printed);
    EXPECT_EQ(sass.architecture, "sm_90");
    ASSERT_EQ(sass.functions.size(), 2u);
    const SassFunction* tile = sass.find("tile");
    ASSERT_NE(tile, nullptr);
    ASSERT_EQ(tile->instructions.size(), 9u);
    EXPECT_EQ(sass.find("nothing"), nullptr);

    const auto& in = tile->instructions;
    EXPECT_EQ(in[0].ptx_line, 26);
    EXPECT_EQ(in[0].operands, "R1, c[0x0][0x28]");
    EXPECT_THAT(in[1].targets, ElementsAre(8));
    EXPECT_EQ(in[2].guard, "@!P0");
    EXPECT_EQ(in[2].ptx_line, 31);
    EXPECT_EQ(in[2].offset, 0x20u);
    EXPECT_THAT(in[2].targets, ElementsAre(7));
    EXPECT_THAT(in[6].targets, ElementsAre(8, 7));
    EXPECT_EQ(sass.functions[1].instructions[0].ptx_line, 0) << "a mark counts within its function";
}

TEST(Sass, AccessesHaveWidth)
{
    const auto in = parse_sass(printed).functions[0].instructions;
    EXPECT_EQ(in[3].name(), "LDS");
    EXPECT_EQ(in[3].width_bytes(), 16);
    EXPECT_EQ(in[4].width_bytes(), 1);
    EXPECT_TRUE(in[4].has("CONSTANT"));
    EXPECT_FALSE(in[4].has("CONST"));
    EXPECT_EQ(in[5].width_bytes(), 8);
}

TEST(Sass, OtherTextHasNoInstructions)
{
    EXPECT_TRUE(parse_sass("").functions.empty());
    EXPECT_TRUE(parse_sass("nvdisasm fatal: not an ELF file\n/*0000*/ LDC R1 ;").functions.empty());
    EXPECT_TRUE(parse_sass(".text.x:\n/*zz*/ LDC R1 ;\n/*0000*/").find("x")->instructions.empty());
}

} // namespace
} // namespace lanescope::assembled
