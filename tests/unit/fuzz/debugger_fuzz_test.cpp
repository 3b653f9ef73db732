// Random input typed into `step` or sent by an editor: expressions, commands, messages.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/commands/debugging/debug_adapter.h"
#include "app/run/debug/debugger.h"
#include "tests/support/fuzz.h"
#include "tests/support/program.h"
#include "tests/unit/fuzz/fuzzing.h"

namespace lanescope::test {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> expressions{
    "tile[threadIdx.y][threadIdx.x] == 0.5f && width > 3 ? from[0] : *to",
    "(x + 1) * height / 3 % 7 - ~5 << 2 >> 1 & 3 | 4 ^ 5",
    "&tile[1][2]",
    "*(from + 3) != -1 || !(%r1 <= 0x1f)",
    "p->a.b[3]",
    "from[2147483647]",
    "tile",
    "1.5f + .5 - 1e3"};

TEST(Fuzz, Expressions)
{
    const labs::Lab& lab = labs::find("transpose");
    labs::Values values(lab);
    values.set("size", "33");
    app::Debugger debugger(
        {.lab = &lab, .variant = lab.find_variant("tile"), .values = values, .seed = 1});
    debugger.move({.kind = app::StepMove::Kind::line, .count = 4});
    fuzz(
        "expressions", {.inputs = 3000},
        [&](Mutator& mutator) { return mutator.text(mutator.any_of(expressions)); },
        [&](const std::string& text) { (void)debugger.evaluate(text, 0); });
}

// A debug client's messages in the usual order, some of them mutated.
TEST(Fuzz, DebuggerMessages)
{
    const auto message = [](const char* command, const Json& arguments) {
        return Json{
            {"seq", 1}, {"type", "request"}, {"command", command}, {"arguments", arguments}};
    };
    const Json launch = message("launch", {{"program", "transpose/tile"},
                                           {"set", {"size=33", "height=3"}},
                                           {"text", "optimised"},
                                           {"stopOnEntry", true},
                                           {"checks", true},
                                           {"seed", 1},
                                           {"step", 0}});
    const std::vector<Json> others{
        message("initialize", Json::object()),
        message("setBreakpoints", {{"source", {{"path", "tile.cu"}}},
                                   {"breakpoints", {{{"line", 12}, {"condition", "width > 3"}}}}}),
        message("configurationDone", Json::object()),
        message("threads", Json::object()),
        message("stackTrace", {{"threadId", 1}}),
        message("scopes", {{"frameId", 1000}}),
        message("variables", {{"variablesReference", 1}}),
        message("variables", {{"variablesReference", 4}}),
        message("evaluate", {{"expression", "width + 1"}, {"frameId", 1000}}),
        message("next", {{"threadId", 2}, {"granularity", "instruction"}}),
        message("stepBack", {{"threadId", 1}}),
        message("stepOut", {{"threadId", 1}}),
        message("continue", {{"threadId", 1}}),
        message("reverseContinue", {{"threadId", 1}}),
        message("pause", {{"threadId", 1}}),
        message("source", {{"sourceReference", 1}}),
        message("breakpointLocations", {{"line", 1}, {"endLine", 9}}),
        message("exceptionInfo", {{"threadId", 1}}),
        message("disconnect", Json::object())};
    const auto framed = [](Mutator& mutator, const std::string& text) {
        std::string size = std::to_string(text.size());
        if (mutator.below(40) == 0) size = mutator.token();
        return "Content-Length: " + size + "\r\n\r\n" + text;
    };
    fuzz(
        "messages", {.inputs = 100},
        [&](Mutator& mutator) {
            const auto text = [&](const Json& one) {
                Json changed = mutator.below(3) == 0 ? mutator.json(one) : one;
                // `step` launches run first, so a large number would only take a long time.
                if (changed.contains("arguments") && changed["arguments"].contains("step") &&
                    changed["arguments"]["step"] > 3)
                    changed["arguments"]["step"] = 3;
                return changed.dump(-1, ' ', false, Json::error_handler_t::replace);
            };
            std::string input = framed(mutator, text(launch));
            for (std::size_t i = 1 + mutator.below(12); i > 0; --i)
                input += framed(mutator, text(mutator.any_of(others)));
            return mutator.below(10) == 0 ? mutator.text(input) : input;
        },
        [&](const std::string& text) {
            std::istringstream in(text);
            std::ostringstream out;
            app::serve_dap(in, out);
        });
}

// Many commands in one session: it must end with a valid exit status and complete output.
TEST(Fuzz, StepCommands)
{
    const std::vector<std::string> commands{"step 3",
                                            "back 2",
                                            "line",
                                            "back-line",
                                            "barrier",
                                            "back-barrier",
                                            "block",
                                            "back-block",
                                            "fault",
                                            "goto 40",
                                            "to 12",
                                            "back-to 9",
                                            "until width > 3",
                                            "back-until threadIdx.x == 3",
                                            "last-write tile[1][2] 3",
                                            "break 12 if width == 33",
                                            "delete 12",
                                            "continue",
                                            "reverse",
                                            "to-warp 1",
                                            "to-block 0",
                                            "launch 0",
                                            "warp 0",
                                            "warp",
                                            "where",
                                            "list",
                                            "warps",
                                            "lanes",
                                            "vars",
                                            "registers",
                                            "print tile[0][0]",
                                            "access",
                                            "shared tile",
                                            "memory from 8",
                                            "memory 0x700000000000 4",
                                            "help"};
    constexpr std::int64_t lines_per_run = 200;
    Mutator mutator(fuzz_seed(1));
    const std::int64_t runs = std::max<std::int64_t>(1, fuzz_inputs(400) / lines_per_run);
    for (std::int64_t run = 0; run < runs; ++run) {
        const Folder folder;
        std::string input;
        for (std::int64_t i = 0; i < lines_per_run; ++i) {
            std::string line = mutator.below(3) == 0 ? mutator.any_of(commands)
                               : mutator.below(4) == 0
                                   ? "print " + mutator.text(mutator.any_of(expressions))
                                   : mutator.text(mutator.any_of(commands));
            std::ranges::replace(line, '\n', ' ');
            if (line.starts_with('q')) continue; // would quit the session
            input += line + "\n";
        }
        std::ofstream(folder / "input") << input << "print 40+2\n";
        const std::string command =
            "CUDA_VISIBLE_DEVICES= timeout 300 " + program_under_test() +
            " step transpose/tile --device simt --set size=33 --set height=3 <" +
            (folder / "input").string() + " >" + (folder / "output").string() + " 2>" +
            (folder / "errors").string();
        const int status = std::system(command.c_str());
        ASSERT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 5))
            << status << "\n"
            << read_file(folder / "errors").substr(0, 3000) << "\n"
            << input;
    }
}

} // namespace
} // namespace lanescope::test
