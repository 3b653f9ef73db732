// `lanescope step`: steps through a launch forwards and backwards, by commands on standard input.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "app/commands/commands.h"
#include "app/commands/debugging/debug_adapter.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/measure/per_step.h"
#include "app/run/debug/debugger.h"
#include "compute/simt/debug/inspect.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

struct StepOptions {
    CommonOptions common;
    std::string target;
    std::string text = "written";
    std::string commands; // read instead of standard input
    bool json = false;
    bool dap = false;
    bool no_checks = false;
};

constexpr const char* command_help =
    R"(Commands, one per line (what is in brackets may be left out):
  step [N]  back [N]            N warp instructions, of whichever warp runs
  line [N]  back-line [N]       until the warp comes to another source line
  barrier  back-barrier         until the whole block has reached a barrier
  block  back-block             to the next block; to the start of this one
  fault                         to where the launch faults
  goto N                        to position N: N warp instructions of the launch have run
  to LINE  back-to LINE         until a warp comes to the line
  until EXPR  back-until EXPR   until EXPR holds in a lane that runs the next instruction
  last-write EXPR [LANE]        back to the last write of what EXPR names, e.g. tile[3][4]
  break LINE [if EXPR]          sets a breakpoint; delete LINE removes it
  continue  reverse             to the next breakpoint, fault or end; to the one before
  to-warp N  to-block N         until warp N of this block runs; to the start of block N
  launch N                      to launch N of the step (from 0)
  warp N | warp                 shows warp N from now on; the one that runs
  where  list                   the position; the source around it
  warps  lanes                  of the block; of the warp, with the paths that wait for each other
  vars  registers               of all lanes, by the source's names and by those of PTX
  print EXPR                    in all lanes: i, tile[3][4], p.a, *in, %f3, sum / 4
  access                        the addresses of the next load, store or atomic
  shared [NAME]                 shared memory of the block
  memory ADDRESS [COUNT]        4-byte words of global memory, as integers and floats
  help  quit
A rejected command is reported, and the next one runs; with -c the exit status is then 2.)";

std::string place_text(const DebugFrame& frame)
{
    if (frame.at_end && !frame.fault)
        return fmt::format("{}  the end of the launch\n", frame.position);
    std::string line;
    if (frame.place.line > 0 && frame.source) {
        std::istringstream text(*frame.source);
        for (int i = 0; i < frame.place.line; ++i) std::getline(text, line);
        const std::size_t begin = line.find_first_not_of(" \t");
        line = begin == std::string::npos ? "" : line.substr(begin);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    }
    const std::string where = frame.place.line > 0
                                  ? fmt::format("{}:{}", frame.file, frame.place.line)
                                  : fmt::format("PTX line {}", frame.place.ptx_line);
    return fmt::format("{}  block {} warp {} lanes {}  {}  {}\n", frame.position,
                       frame.block_linear, frame.warp, simt::format_lanes(frame.mask), where,
                       line.empty() ? frame.place.ptx : line);
}

nlohmann::ordered_json lanes_json(const simt::LaneValues& values)
{
    auto lanes = nlohmann::ordered_json::array();
    for (int lane = 0; lane < simt::warp_lanes; ++lane) {
        if ((values.lanes_with >> lane & 1u) == 0) {
            lanes.push_back(nullptr);
            continue;
        }
        lanes.push_back(values.text(lane));
    }
    return lanes;
}

std::string mask_text(std::uint32_t mask)
{
    return fmt::format("0x{:08x}", mask);
}

nlohmann::ordered_json position_json(const DebugFrame& frame)
{
    nlohmann::ordered_json json;
    json["position"] = frame.position;
    json["launch"] = frame.launch;
    json["at_end"] = frame.at_end;
    if (frame.complete) json["end"] = frame.known;
    if (frame.fault)
        json["fault"] = {{"kind", frame.fault->kind}, {"message", frame.fault->message}};
    if (frame.warps.empty()) return json;
    json["block"] = {frame.block.x, frame.block.y, frame.block.z};
    json["warp"] = frame.warp;
    json["mask"] = mask_text(frame.mask);
    json["function"] = frame.place.function;
    json["line"] = frame.place.line;
    json["ptx_line"] = frame.place.ptx_line;
    json["ptx"] = frame.place.ptx;
    return json;
}

std::string row_text(const std::string& name, const simt::LaneValues& values, std::uint32_t changed)
{
    std::string text = fmt::format("{:<16}", name);
    bool same = true;
    for (int lane = 0; lane < simt::warp_lanes; ++lane)
        same = same && (values.lanes_with >> lane & 1u) != 0 && values.text(lane) == values.text(0);
    if (values.lanes_with == 0 && changed == 0) return text + " .  in every lane\n";
    if (same)
        return text + " " + values.text(0) + "  in every lane" + (changed ? "  *" : "") + "\n";
    for (int lane = 0; lane < simt::warp_lanes; ++lane) {
        const bool has = (values.lanes_with >> lane & 1u) != 0;
        text += fmt::format(" {}{}", has ? values.text(lane) : ".",
                            (changed >> lane & 1u) != 0 ? "*" : "");
    }
    return text + "\n";
}

// Reads up to the separator or the end. Throws Error for a command that is too long to be one.
bool next_command(std::istream& in, std::string& command, char separator)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 20;
    command.clear();
    for (int next = in.get(); next != std::istream::traits_type::eof(); next = in.get()) {
        if (static_cast<char>(next) == separator) return true;
        if (command.size() == max_bytes)
            throw Error(ExitStatus::bad_usage, "A command is longer than 1 MiB.",
                        "Separate commands by line breaks or, in --commands, by semicolons.");
        command += static_cast<char>(next);
    }
    return !command.empty();
}

class Stepping {
public:
    Stepping(Debugger& debugger, bool json) : debugger_(debugger), json_(json) {}

    nlohmann::ordered_json replies = nlohmann::ordered_json::array();
    bool wrong = false;

    // Returns false to quit.
    bool run(const std::string& line)
    {
        std::istringstream in(line);
        std::string word;
        if (!(in >> word) || word.starts_with('#')) return true;
        if (word == "quit" || word == "q") return false;
        std::string rest;
        std::getline(in, rest);
        rest.erase(0, rest.find_first_not_of(" \t"));
        while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\r')) rest.pop_back();
        reply_ = {{"command", line}};
        try {
            if (!move(word, rest) && !show(word, rest))
                throw Error(ExitStatus::bad_usage, fmt::format("There is no command \"{}\".", word),
                            "\"help\" lists them.");
        } catch (const Error& error) {
            wrong = true;
            if (json_)
                reply_["error"] = error.what();
            else
                fmt::print(stderr, "lanescope: {}\n", printable(error.what()));
        }
        if (json_) replies.push_back(reply_);
        return true;
    }

    void where()
    {
        const auto frame = debugger_.frame();
        if (json_) {
            reply_ = {{"command", ""}};
            say(*frame);
            replies.push_back(reply_);
        } else {
            say(*frame);
        }
    }

private:
    static std::int64_t number(const std::string& text, const char* what,
                               std::optional<std::int64_t> otherwise = std::nullopt)
    {
        if (text.empty() && otherwise) return *otherwise;
        std::int64_t value = 0;
        const bool hexadecimal = text.starts_with("0x");
        const char* const begin = text.data() + (hexadecimal ? 2 : 0);
        const auto [end, error] =
            std::from_chars(begin, text.data() + text.size(), value, hexadecimal ? 16 : 10);
        if (error != std::errc() || end != text.data() + text.size() || text.empty() || value < 0)
            throw Error(ExitStatus::bad_usage, fmt::format("\"{}\" is no {}.", text, what),
                        "Give a whole number, 0 or greater.");
        return value;
    }

    void say(const DebugFrame& frame)
    {
        if (json_) {
            reply_["stop"] = stop_reason(frame.stop);
            if (!frame.sentence.empty()) reply_["sentence"] = frame.sentence;
            const nlohmann::ordered_json here = position_json(frame); // named, because items()
                                                                      // refers to it
            for (const auto& [key, value] : here.items()) reply_[key] = value;
            return;
        }
        if (!frame.sentence.empty()) fmt::print("{}\n", printable(frame.sentence));
        fmt::print("{}", printable(place_text(frame)));
    }

    static void read_expression_and_lane(const std::string& rest, StepMove& move)
    {
        move.text = rest;
        const std::size_t space = rest.rfind(' ');
        if (space == std::string::npos ||
            rest.find_first_not_of("0123456789", space + 1) != std::string::npos)
            return;
        move.lane = static_cast<int>(number(rest.substr(space + 1), "lane") % simt::warp_lanes);
        move.text = rest.substr(0, space);
    }

    void change_breakpoints(const std::string& word, const std::string& rest)
    {
        std::istringstream in(rest);
        std::string line;
        std::string condition;
        in >> line;
        constexpr std::int64_t last = std::numeric_limits<int>::max();
        Breakpoint breakpoint{static_cast<int>(std::min(number(line, "line"), last)), {}, {}, {}};
        if (std::string keyword; in >> keyword && keyword == "if") std::getline(in, condition);
        breakpoint.condition = condition;
        auto all = debugger_.frame()->breakpoints;
        std::erase_if(all, [&](const Breakpoint& one) { return one.line == breakpoint.line; });
        if (word == "break") all.push_back(breakpoint);
        debugger_.set_breakpoints(std::move(all));
        const auto frame = debugger_.frame();
        for (const Breakpoint& one : frame->breakpoints)
            if (!one.problem.empty() && one.condition == breakpoint.condition) {
                auto kept = frame->breakpoints;
                std::erase(kept, one);
                debugger_.set_breakpoints(std::move(kept));
                throw Error(ExitStatus::bad_usage, one.problem,
                            one.problem.ends_with("has no code.")
                                ? "Choose a line with code: list shows them."
                                : "");
            }
        if (!json_)
            for (const Breakpoint& one : frame->breakpoints)
                fmt::print("breakpoint at line {}{}\n", one.line,
                           one.condition.empty() ? "" : " if" + one.condition);
    }

    bool move(const std::string& word, const std::string& rest)
    {
        using Kind = StepMove::Kind;
        static const std::map<std::string, std::pair<Kind, bool>> moves{
            {"step", {Kind::instruction, false}},
            {"back", {Kind::instruction, true}},
            {"line", {Kind::line, false}},
            {"back-line", {Kind::line, true}},
            {"barrier", {Kind::barrier, false}},
            {"back-barrier", {Kind::barrier, true}},
            {"block", {Kind::block, false}},
            {"back-block", {Kind::block, true}},
            {"fault", {Kind::fault, false}},
            {"goto", {Kind::position, false}},
            {"to", {Kind::to_line, false}},
            {"back-to", {Kind::to_line, true}},
            {"until", {Kind::condition, false}},
            {"back-until", {Kind::condition, true}},
            {"last-write", {Kind::last_write, true}},
            {"continue", {Kind::resume, false}},
            {"reverse", {Kind::resume, true}},
            {"to-warp", {Kind::to_warp, false}},
            {"to-block", {Kind::to_block, false}},
            {"launch", {Kind::launch, false}}};
        if (word == "break" || word == "delete") return change_breakpoints(word, rest), true;
        const auto found = moves.find(word);
        if (found == moves.end()) return false;
        StepMove made{.kind = found->second.first, .back = found->second.second};
        switch (made.kind) {
        case Kind::instruction:
        case Kind::line: made.count = number(rest, "number of steps", 1); break;
        case Kind::position: made.count = number(rest, "position"); break;
        case Kind::to_line: made.count = number(rest, "line"); break;
        case Kind::to_warp: made.count = number(rest, "warp"); break;
        case Kind::to_block: made.count = number(rest, "block"); break;
        case Kind::launch: made.count = number(rest, "launch"); break;
        case Kind::condition: made.text = rest; break;
        case Kind::last_write: read_expression_and_lane(rest, made); break;
        default: break;
        }
        debugger_.move(made);
        const auto frame = debugger_.frame();
        if (frame->stop == Stop::refused) {
            debugger_.forget_refusal();
            throw Error(ExitStatus::bad_usage, frame->sentence);
        }
        say(*frame);
        return true;
    }

    bool show(const std::string& word, const std::string& rest)
    {
        const auto frame = debugger_.frame();
        if (word == "help") {
            if (json_)
                reply_["help"] = command_help;
            else
                fmt::print("{}\n", command_help);
            return true;
        }
        if (word == "where") return say(*frame), true;
        if (word == "warp") {
            if (rest.empty())
                debugger_.show_warp(std::nullopt);
            else {
                const std::int64_t warp = number(rest, "warp");
                if (frame->warps.empty())
                    throw Error(ExitStatus::bad_usage,
                                "The launch has ended, so no warp is running.", "Step back first.");
                if (warp < 0 || warp >= static_cast<std::int64_t>(frame->warps.size()))
                    throw Error(
                        ExitStatus::bad_usage, fmt::format("There is no warp {}.", rest),
                        fmt::format("The block has warps 0 to {}.", frame->warps.size() - 1));
                debugger_.show_warp(static_cast<int>(warp));
            }
            return lanes(*debugger_.frame()), true;
        }
        if (word == "list") return list(*frame), true;
        const bool needs_warps = word == "warps" || word == "lanes" || word == "vars" ||
                                 word == "registers" || word == "shared";
        if (needs_warps && frame->warps.empty())
            throw Error(ExitStatus::bad_usage, "The launch has ended: no warp is running.",
                        "Step back first.");
        if (word == "warps") return warps(*frame), true;
        if (word == "lanes") return lanes(*frame), true;
        if (word == "vars") return variables(*frame), true;
        if (word == "registers") return registers(*frame), true;
        if (word == "print") return print(rest, frame->shown), true;
        if (word == "access") return access(*frame), true;
        if (word == "shared") return shared(*frame, rest), true;
        if (word == "memory") return memory(rest), true;
        return false;
    }

    void list(const DebugFrame& frame)
    {
        std::istringstream text(*frame.source);
        std::string line;
        for (int number = 1; std::getline(text, line); ++number) {
            if (frame.place.line > 0 && std::abs(number - frame.place.line) > 5) continue;
            const bool code = std::ranges::binary_search(*frame.code_lines, number);
            if (json_)
                reply_["lines"].push_back({{"line", number}, {"text", line}, {"has_code", code}});
            else
                fmt::print("{}{:4}{} {}\n", number == frame.place.line ? ">" : " ", number,
                           code ? "" : " ", printable(line));
        }
    }

    void warps(const DebugFrame& frame)
    {
        for (const simt::WarpView& warp : frame.warps) {
            if (json_)
                reply_["warps"].push_back({{"warp", warp.warp},
                                           {"line", warp.paths.empty() ? 0 : warp.paths[0].at.line},
                                           {"finished", warp.finished},
                                           {"words", warp.words}});
            else
                fmt::print("{}warp {:2}  {}\n", warp.runs_next ? "> " : "  ", warp.warp,
                           warp.words);
        }
    }

    void lanes(const DebugFrame& frame)
    {
        if (frame.warps.empty()) return;
        const simt::WarpView& warp = frame.warps[static_cast<std::size_t>(frame.shown)];
        if (json_) {
            reply_["warp"] = warp.warp;
            static constexpr std::array names{"runs", "ready", "waits", "exited", "missing"};
            for (const simt::LaneState state : warp.lanes)
                reply_["lanes"].push_back(names[static_cast<std::size_t>(state)]);
            reply_["paths"] = nlohmann::ordered_json::array();
            for (const simt::PathView& path : warp.paths)
                reply_["paths"].push_back({{"mask", mask_text(path.mask)},
                                           {"line", path.at.line},
                                           {"words", path.words}});
            return;
        }
        static constexpr std::array signs{'#', '+', '-', '.', ' '};
        std::string row;
        for (const simt::LaneState state : warp.lanes)
            row += signs[static_cast<std::size_t>(state)];
        fmt::print("warp {}  {}  # runs  + ready  - waits  . exited\n", warp.warp, row);
        for (const simt::PathView& path : warp.paths) fmt::print("  {}\n", path.words);
    }

    void variables(const DebugFrame& frame)
    {
        if (json_) reply_["variables"] = nlohmann::ordered_json::array();
        for (const DebuggedVariable& each : frame.variables) {
            if (json_)
                reply_["variables"].push_back(
                    {{"name", each.name},
                     {"type", each.values.type ? each.values.type->name : ""},
                     {"changed", mask_text(each.changed)},
                     {"lanes", lanes_json(each.values)}});
            else
                fmt::print("{}", printable(row_text(each.name, each.values, each.changed)));
        }
    }

    void registers(const DebugFrame& frame)
    {
        if (json_) reply_["registers"] = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < frame.registers.size(); ++i) {
            const simt::RegisterView& each = frame.registers[i];
            auto lanes = nlohmann::ordered_json::array();
            std::string text = fmt::format("{:<16}", each.name);
            for (int lane = 0; lane < simt::warp_lanes; ++lane) {
                const bool has = (each.lanes_with >> lane & 1u) != 0;
                const std::string value =
                    has ? simt::text_of(each.type, each.lanes[static_cast<std::size_t>(lane)])
                        : ".";
                text += " " + value + ((frame.registers_changed[i] >> lane & 1u) != 0 ? "*" : "");
                if (has)
                    lanes.push_back(value);
                else
                    lanes.push_back(nullptr);
            }
            if (json_)
                reply_["registers"].push_back({{"name", each.name}, {"lanes", lanes}});
            else
                fmt::print("{}\n", text);
        }
    }

    void print(const std::string& expression, int warp)
    {
        const simt::LaneValues values = debugger_.evaluate(expression, warp);
        if (json_) {
            reply_["type"] = values.type ? values.type->name : "";
            reply_["lanes"] = lanes_json(values);
        } else if (values.lanes_with == 0 && !values.type) {
            fmt::print("{} has no value here\n", printable(expression));
        } else {
            fmt::print("{}", printable(row_text(expression, values, 0)));
        }
    }

    void access(const DebugFrame& frame)
    {
        if (!frame.access) {
            if (json_)
                reply_["access"] = nullptr;
            else
                fmt::print("the next instruction accesses no memory\n");
            return;
        }
        const simt::AddressView& access = *frame.access;
        auto lanes = nlohmann::ordered_json::array();
        std::string text =
            fmt::format("{} of {} bytes per lane:", trace::name(access.op), access.width_bytes);
        for (int lane = 0; lane < simt::warp_lanes; ++lane) {
            if ((access.mask >> lane & 1u) == 0) {
                lanes.push_back(nullptr);
                continue;
            }
            const std::uint64_t address = access.lanes[static_cast<std::size_t>(lane)];
            lanes.push_back(fmt::format("{:#x}", address));
            text += fmt::format(" {:#x}", address);
        }
        if (json_)
            reply_["access"] = {{"op", trace::name(access.op)},
                                {"width_bytes", access.width_bytes},
                                {"mask", mask_text(access.mask)},
                                {"lanes", lanes}};
        else
            fmt::print("{}\n", text);
    }

    void shared(const DebugFrame& frame, const std::string& name)
    {
        if (json_) reply_["shared"] = nlohmann::ordered_json::array();
        for (const DebuggedArray& array : frame.shared) {
            if (!name.empty() && array.name != name) continue;
            const std::size_t width =
                array.type && array.type->element ? array.type->element->bytes : 4;
            auto values = nlohmann::ordered_json::array();
            std::string text;
            for (std::size_t at = 0; width > 0 && at + width <= array.contents.size();
                 at += width) {
                const auto bytes = std::span(array.contents).subspan(at, width);
                const simt::TypePointer type = array.type && array.type->element
                                                   ? array.type->element
                                                   : simt::shown_as(ptx::Type::f32);
                values.push_back(simt::text_of(*type, bytes));
                if (at / width < 64 || !name.empty()) text += " " + simt::text_of(*type, bytes);
            }
            if (json_)
                reply_["shared"].push_back({{"name", array.name},
                                            {"type", array.type ? array.type->name : ""},
                                            {"offset", array.offset},
                                            {"values", values}});
            else
                fmt::print("{} ({} bytes at {}):{}\n", array.name, array.bytes, array.offset, text);
        }
    }

    void memory(const std::string& rest)
    {
        std::istringstream in(rest);
        std::string address;
        std::string count;
        in >> address >> count;
        device::Address from = 0;
        if (address.starts_with("0x") || (!address.empty() && std::isdigit(address[0]) != 0)) {
            from = static_cast<device::Address>(number(address, "address"));
        } else {
            const simt::LaneValues values = debugger_.evaluate(address, debugger_.shown_warp());
            if (values.lanes_with == 0)
                throw Error(ExitStatus::bad_usage, address + " has no value here.");
            const auto& bytes =
                values.lanes[static_cast<std::size_t>(std::countr_zero(values.lanes_with))];
            std::memcpy(&from, bytes.data(), std::min<std::size_t>(8, bytes.size()));
        }
        const auto words = static_cast<std::size_t>(
            std::clamp<std::int64_t>(number(count, "number of words", 8), 1, 65536));
        const auto bytes = debugger_.memory(from, 4 * words);
        if (bytes.size() < 4)
            throw Error(ExitStatus::bad_usage, fmt::format("Nothing is allocated at {:#x}.", from),
                        "print shows what a pointer holds.");
        if (json_) reply_["memory"] = nlohmann::ordered_json::array();
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
            const auto word = std::span(bytes).subspan(at, 4);
            const std::string real = simt::text_of(*simt::shown_as(ptx::Type::f32), word);
            const std::string whole = simt::text_of(*simt::shown_as(ptx::Type::s32), word);
            if (json_)
                reply_["memory"].push_back({{"address", fmt::format("{:#x}", from + at)},
                                            {"float", real},
                                            {"int", whole}});
            else
                fmt::print("{:#x}  {:>14}  {:>12}\n", from + at, real, whole);
        }
    }

    Debugger& debugger_;
    bool json_;
    nlohmann::ordered_json reply_;
};

ExitStatus step_command(const StepOptions& options)
{
    if (options.dap) return serve_dap(std::cin, std::cout);
    if (options.target.empty())
        throw Error(ExitStatus::bad_usage, "No kernel to step was given.",
                    "Give LAB/VARIANT or FILE.cu.");
    if (options.common.device == "cuda")
        throw Error(ExitStatus::bad_usage,
                    "Kernels are stepped on the lockstep machine, not on a GPU.",
                    "Leave --device out.");
    Target target = find_target(options.target);
    if (!target.variant) target.variant = &target.lab->variants.front();
    const labs::Values values = values_from(*target.lab, options.common.assignments);
    Debugger debugger(
        {.lab = target.lab,
         .variant = target.variant,
         .values = values,
         .seed = options.common.seed,
         .image = options.common.image,
         .launches_before = launches_for(*target.variant, options.common.steps.value_or(0)),
         .text = options.text == "optimised" ? SteppedText::as_optimised : SteppedText::as_written,
         .checks = !options.no_checks,
         .time_limit_s = options.common.time_limit_s.value_or(20)});
    Stepping session(debugger, options.json);
    const auto first = debugger.frame();
    if (!first->text_note.empty())
        fmt::print(stderr, "lanescope: {}\n", printable(first->text_note));
    if (!options.json)
        fmt::print("{}, {}: {} launch{}, {}\n", first->lab, first->variant, first->launches,
                   first->launches == 1 ? "" : "es",
                   first->text == SteppedText::as_written ? "as written" : "as optimised");
    session.where();
    std::istringstream given(options.commands);
    std::istream& in = options.commands.empty() ? std::cin : given;
    std::string line;
    while (next_command(in, line, options.commands.empty() ? '\n' : ';')) {
        if (!session.run(line)) break;
        if (!options.json) std::fflush(stdout);
    }
    const auto last = debugger.frame();
    if (options.json)
        print_json({{"lab", target.lab->id},
                    {"variant", target.variant->id},
                    {"text", first->text == SteppedText::as_written ? "written" : "optimised"},
                    {"launches", first->launches},
                    {"replies", session.replies}});
    // A wrong command from standard input does not fail the session: its error has been reported,
    // and the user can try again.
    if (session.wrong && !options.commands.empty()) return ExitStatus::bad_usage;
    return last->fault ? ExitStatus::kernel_fault : ExitStatus::done;
}

} // namespace

void add_step(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "step", "Step through a kernel forwards and backwards, without a GPU");
    const auto options = std::make_shared<StepOptions>();
    command->add_option("target", options->target,
                        "LAB/VARIANT (LAB alone: its first variant), or a lab's folder or your own "
                        ".cu file instead of LAB");
    add_common_options(*command, options->common);
    command->get_option("--steps")->description("Steps to run before the one to step through");
    command
        ->add_option("--text", options->text,
                     "written: compiled with -G, every variable, lines in order; optimised: what "
                     "runs and is counted")
        ->check(CLI::IsMember({"written", "optimised"}));
    command->add_option("-c,--commands", options->commands,
                        "Commands, separated by ';', in place of standard input");
    command->add_flag("--no-checks", options->no_checks,
                      "Do not report races and uninitialised reads as faults");
    command->add_flag("--json", options->json, "Print JSON, one reply per command");
    command->add_flag(
        "--dap", options->dap,
        "Serve the Debug Adapter Protocol on standard input and output, for an editor");
    command->footer(command_help);
    command->callback(
        [&chosen, options] { chosen = [options] { return step_command(*options); }; });
}

} // namespace lanescope::app
