// Ten megabytes of noise, and truncated or damaged PTX: the parser quickly returns a module or
// throws a ParseError.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/probes/rewrite.h"
#include "compute/ptx/sites/sites.h"
#include "compute/ptx/text/parse_error.h"
#include "tests/support/fuzz.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

constexpr std::size_t megabyte = 1'000'000;

struct Outcome {
    std::size_t bytes = 0;
    int accepted = 0;
    int refused = 0;

    void try_parse(const std::string& text)
    {
        bytes += text.size();
        try {
            const Module module = parse(text);
            use(module);
            ++(understood(module) ? accepted : refused);
        } catch (const ParseError&) {
            ++refused;
        }
    }

    static bool understood(const Module& module)
    {
        return std::ranges::none_of(module.functions,
                                    [](const Function& one) { return one.refusal.has_value(); });
    }

    // Analyses a parsed module and probes its kernels: if the whole module is supported, the probed
    // text must be supported, too.
    static void use(const Module& module)
    {
        for (const Function& function : module.functions) control_flow(module, function);
        for (const std::string& kernel : module.kernel_names()) {
            try {
                const std::string text = probe(module, {kernel}).text;
                if (understood(module))
                    EXPECT_EQ(error_of(text), "");
                else
                    EXPECT_NO_THROW(sites_of(parse(text), kernel)) << kernel;
            } catch (const ParseError&) {
                EXPECT_FALSE(understood(module)) << kernel;
            } catch (const Error&) {
                EXPECT_NE(module.target, "sm_75") << kernel;
            }
        }
    }
};

std::size_t below(std::mt19937& random, std::size_t limit)
{
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

TEST(Fuzz, RandomBytes)
{
    std::mt19937 random(1);
    Outcome outcome;
    while (outcome.bytes < 3 * megabyte) {
        std::string text(1 + below(random, 4000), ' ');
        for (char& c : text) c = static_cast<char>(random());
        outcome.try_parse(text);
        outcome.try_parse(around(text));
    }
    EXPECT_EQ(outcome.accepted, 0);
}

// Random sequences of PTX tokens, which get past the lexer.
TEST(Fuzz, RandomWords)
{
    std::mt19937 random(2);
    const std::vector<std::string> words{"{",
                                         "}",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         "<",
                                         ">",
                                         ",",
                                         ";",
                                         ":",
                                         "=",
                                         "+",
                                         "-",
                                         "@",
                                         "!",
                                         "|",
                                         "%r1",
                                         "%p1",
                                         "_",
                                         "12",
                                         "0x",
                                         "0f3F800000",
                                         "1.5",
                                         ".b32",
                                         ".u8",
                                         ".global",
                                         ".param",
                                         ".reg",
                                         ".align",
                                         ".v4",
                                         ".func",
                                         ".entry",
                                         ".loc",
                                         "\"x\"",
                                         "ld",
                                         "st",
                                         "call",
                                         "bra",
                                         "mov",
                                         "L",
                                         "x",
                                         ".branchtargets",
                                         ".callprototype",
                                         ".section",
                                         ".debug_str",
                                         ".version",
                                         ".extern",
                                         ".local",
                                         "generic",
                                         "\n",
                                         "/*",
                                         "*/",
                                         "//",
                                         "99999999999999999999",
                                         ".maxntid",
                                         ".alias"};
    Outcome outcome;
    while (outcome.bytes < 2 * megabyte) {
        std::string text;
        for (std::size_t i = 0, count = below(random, 400); i < count; ++i)
            text += words[below(random, words.size())] + " ";
        outcome.try_parse(text);
        outcome.try_parse(around(text));
    }
    EXPECT_GT(outcome.refused, 1000);
}

TEST(Fuzz, Truncated)
{
    std::mt19937 random(3);
    Outcome outcome;
    while (outcome.bytes < 2 * megabyte)
        for (std::string_view text : all_compiled())
            outcome.try_parse(std::string(text.substr(0, below(random, text.size()))));
    EXPECT_GT(outcome.refused, 0);
}

TEST(Fuzz, Mutated)
{
    std::mt19937 random(4);
    Outcome outcome;
    while (outcome.bytes < 4 * megabyte) {
        for (std::string_view original : all_compiled()) {
            std::string text(original);
            for (std::size_t i = 0, count = 1 + below(random, 4); i < count; ++i) {
                const std::size_t at = below(random, text.size());
                switch (below(random, 4)) {
                case 0: text[at] = static_cast<char>(random()); break;
                case 1: text.erase(at, 1 + below(random, 40)); break;
                case 2:
                    text.insert(at, text.substr(below(random, text.size()), below(random, 60)));
                    break;
                default: text[at] = text[below(random, text.size())];
                }
            }
            outcome.try_parse(text);
        }
    }
    EXPECT_GT(outcome.refused, 0);
    EXPECT_GT(outcome.accepted, 0) << "comments and names may change";
}

// Many short texts (millions in a long run): a few lines of compiled kernels with exchanged tokens,
// with or without the surroundings that a kernel needs.
TEST(Fuzz, ManyShortTexts)
{
    std::vector<std::string_view> lines, tokens;
    for (std::string_view text : all_compiled())
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size() - 1);
            lines.push_back(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
    for (const std::string_view line : lines)
        for (std::size_t at = line.find_first_not_of(" \t,;"); at != std::string_view::npos;) {
            const std::size_t end = std::min(line.find_first_of(" \t,;", at), line.size());
            tokens.push_back(line.substr(at, end - at));
            at = line.find_first_not_of(" \t,;", end);
        }
    std::mt19937 random(test::fuzz_seed(5));
    Outcome outcome;
    const std::int64_t inputs = test::fuzz_inputs(4000);
    for (std::int64_t i = 0; i < inputs; ++i) {
        std::string text;
        const std::size_t first = below(random, lines.size());
        for (std::size_t k = 0, count = 1 + below(random, 8); k < count; ++k)
            text += std::string(
                        lines[(first + (k < 4 ? k : below(random, lines.size()))) % lines.size()]) +
                    "\n";
        for (std::size_t k = below(random, 4); k > 0 && !text.empty(); --k) {
            const std::size_t at = below(random, text.size());
            switch (below(random, 5)) {
            case 0: text[at] = static_cast<char>(random()); break;
            case 1: text.erase(at, 1 + below(random, 12)); break;
            case 2:
                text.insert(at, text.substr(below(random, text.size()), below(random, 30)));
                break;
            default: {
                const std::size_t begin = text.find_first_not_of(" \t,;\n", at);
                if (begin == std::string::npos) break;
                const std::size_t end = std::min(text.find_first_of(" \t,;\n", begin), text.size());
                text.replace(begin, end - begin, tokens[below(random, tokens.size())]);
            }
            }
        }
        SCOPED_TRACE(i);
        const std::clock_t begin = std::clock();
        outcome.try_parse(below(random, 8) == 0 ? text : around(text));
        EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 2) << text;
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "The first text that failed:\n" << text;
            return;
        }
    }
    if (inputs < 1000) return; // too few inputs to judge the shares
    EXPECT_GT(outcome.refused, inputs / 10);
    EXPECT_GT(outcome.accepted, inputs / 20);
}

// Texts for which a careless parser would need quadratic time, much memory or a deep stack.
TEST(Fuzz, LargeAndDeep)
{
    const auto repeat = [](std::string_view piece, std::size_t bytes) {
        std::string text;
        while (text.size() < bytes) text += piece;
        return text;
    };
    const std::clock_t begin = std::clock(); // CPU time of this process
    EXPECT_FALSE(error_of(around(repeat("{", megabyte))).empty());
    EXPECT_FALSE(error_of(around("mov.u32 " + repeat("{", megabyte))).empty());
    EXPECT_FALSE(error_of(".version 8.0 .global .b8 x[9] = " + repeat("{", megabyte)).empty());
    EXPECT_FALSE(error_of(".version 8.0 .global .b8 x[9999999][9999999];").empty());
    EXPECT_FALSE(error_of(".version 8.0 .global .b8 x[2][999999999999] = {{1}, {2}};").empty());
    EXPECT_FALSE(error_of(".version 8.0 .global .b8 x[][999999999999] = {{1}, {2}, {3}};").empty());
    EXPECT_EQ(error_of(around(repeat("{ .reg .b32 %r5; mov.u32 %r5, 1; }\n", 3 * megabyte))), "");
    EXPECT_EQ(error_of(around(".reg .b32 many<2000000000>; mov.u32 many1999999999, 1;")), "");
    EXPECT_EQ(
        error_of(around(repeat(".loc 1 2 3, function_name L, inlined_at 1 2 3\n", 3 * megabyte))),
        "");
    std::string chain;
    for (int i = 0; i < 50000; ++i)
        chain += "L" + std::to_string(i) + ": bra L" + std::to_string(49999 - i) + ";\n";
    EXPECT_EQ(error_of(around(chain)), "");
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 30);
}

} // namespace
} // namespace lanescope::ptx
