// Answers messages one at a time; a separate thread reads them, so that `pause` can interrupt a
// move.
#include "app/commands/debugging/debug_adapter.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <istream>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/shared/options.h"
#include "app/measure/per_step.h"
#include "app/run/debug/debugger.h"
#include "app/run/editing/own_lab.h"
#include "compute/json_walk.h"
#include "compute/simt/debug/inspect.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;
using simt::LaneValues;

constexpr std::size_t max_message_bytes = std::size_t{16} << 20;

// Reads "Content-Length: N\r\n\r\n" and N bytes. Empty at the end of the input, and for an invalid
// message, which sets `bad`.
std::optional<Json> read_message(std::istream& in, bool& bad)
{
    std::size_t length = 0;
    std::string line;
    bad = false;
    while (std::getline(in, line)) {
        bad = true;
        while (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) break;
        constexpr std::string_view header = "Content-Length:";
        if (line.starts_with(header))
            length = std::strtoull(line.c_str() + header.size(), nullptr, 10);
    }
    if (!in || length == 0 || length > max_message_bytes) return std::nullopt;
    std::string text(length, '\0');
    in.read(text.data(), static_cast<std::streamsize>(length));
    if (static_cast<std::size_t>(in.gcount()) != length) return std::nullopt;
    // Values are copied and written recursively, so their depth is limited.
    constexpr int max_depth = 64;
    struct TooDeep {};
    try {
        walk_json(text, [](int depth, const std::string*, bool) {
            if (depth > max_depth) throw TooDeep();
        });
        Json message = Json::parse(text, nullptr, false);
        if (message.is_discarded() || !message.is_object()) return std::nullopt;
        bad = false;
        return message;
    } catch (const TooDeep&) {
        return std::nullopt;
    }
}

template <class T>
T value_or(const Json& json, const char* key, T otherwise)
{
    if (!json.is_object()) return otherwise;
    const auto found = json.find(key);
    if (found == json.end()) return otherwise;
    if constexpr (std::is_same_v<T, std::string>) {
        return found->is_string() ? found->template get<std::string>() : otherwise;
    } else if constexpr (std::is_same_v<T, bool>) {
        return found->is_boolean() ? found->template get<bool>() : otherwise;
    } else {
        if (!found->is_number_integer()) return otherwise;
        const bool fits = found->is_number_unsigned()
                              ? std::in_range<T>(found->template get<std::uint64_t>())
                              : std::in_range<T>(found->template get<std::int64_t>());
        return fits ? found->template get<T>() : otherwise;
    }
}

// Implements the protocol's requests, and converts lane values to its variables.
class Adapter {
public:
    explicit Adapter(std::ostream& out) : out_(out) {}

    // Called by the reader's thread: interrupts the move in progress.
    void interrupt()
    {
        const std::scoped_lock lock(debugger_mutex_);
        if (debugger_) debugger_->cancel();
    }

    // Returns false once the client has disconnected.
    bool handle(const Json& request)
    {
        const auto command = value_or<std::string>(request, "command", "");
        request_ = &request;
        events_.clear();
        Json arguments = request.contains("arguments") ? request["arguments"] : Json::object();
        try {
            Json body = answer(command, arguments);
            respond(true, std::move(body));
        } catch (const Error& error) {
            respond(false, {{"error", {{"id", 1}, {"format", error.what()}, {"showUser", true}}}},
                    error.what());
        } catch (const device::Cancelled&) {
            respond(false, Json::object(), "cancelled");
        }
        for (const Json& event : events_) send(event);
        return command != "disconnect";
    }

private:
    void send(Json message)
    {
        message["seq"] = ++sequence_;
        const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
        out_ << "Content-Length: " << text.size() << "\r\n\r\n" << text;
        out_.flush();
    }
    void respond(bool success, Json body, const std::string& message = {})
    {
        Json response{{"type", "response"},
                      {"request_seq", value_or<int>(*request_, "seq", 0)},
                      {"success", success},
                      {"command", value_or<std::string>(*request_, "command", "")}};
        if (!message.empty()) response["message"] = message;
        if (!body.is_null()) response["body"] = std::move(body);
        send(std::move(response));
    }
    void event(const char* name, Json body)
    {
        events_.push_back({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
    }
    void print(const std::string& category, const std::string& text)
    {
        event("output", {{"category", category}, {"output", text}});
    }

    Json answer(const std::string& command, const Json& arguments)
    {
        if (command == "initialize") return initialize();
        if (command == "launch") return launch(arguments);
        if (command == "attach")
            throw Error(ExitStatus::bad_usage, "A kernel can only be launched, not attached to.",
                        "Use \"request\": \"launch\".");
        if (command == "disconnect" || command == "terminate") {
            if (command == "terminate") event("terminated", Json::object());
            return nullptr;
        }
        if (!debugger_)
            throw Error(ExitStatus::bad_usage, "No launch is being stepped yet.",
                        "Send launch first.");
        if (command == "setBreakpoints") return set_breakpoints(arguments);
        if (command == "setExceptionBreakpoints" || command == "setFunctionBreakpoints")
            return {{"breakpoints", Json::array()}};
        if (command == "configurationDone") {
            if (stop_on_entry_)
                stopped("entry");
            else
                run({.kind = StepMove::Kind::resume});
            return nullptr;
        }
        if (command == "threads") return threads();
        if (command == "stackTrace") return stack_trace(arguments);
        if (command == "scopes") return scopes(arguments);
        if (command == "variables") return variables(arguments);
        if (command == "evaluate") return evaluate(arguments);
        if (command == "source") return {{"content", *frame_->source}, {"mimeType", "text/x-cuda"}};
        if (command == "breakpointLocations") return breakpoint_locations(arguments);
        if (command == "exceptionInfo") return last_exception();
        if (command == "pause") {
            debugger_->resume();
            stopped("pause");
            return nullptr;
        }
        if (command == "continue") {
            run({.kind = StepMove::Kind::resume});
            return {{"allThreadsContinued", true}};
        }
        if (command == "reverseContinue")
            return run({.kind = StepMove::Kind::resume, .back = true}), nullptr;
        if (command == "next" || command == "stepIn" || command == "stepBack" ||
            command == "stepOut")
            return step(command, arguments), nullptr;
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The request {} is not supported.", command));
    }

    static Json initialize()
    {
        return {{"supportsConfigurationDoneRequest", true},
                {"supportsConditionalBreakpoints", true},
                {"supportsStepBack", true},
                {"supportsSteppingGranularity", true},
                {"supportsEvaluateForHovers", true},
                {"supportsBreakpointLocationsRequest", true},
                {"supportsExceptionInfoRequest", true},
                {"supportsTerminateRequest", true}};
    }

    Json launch(const Json& arguments)
    {
        const auto program = value_or<std::string>(arguments, "program", "");
        if (program.empty())
            throw Error(ExitStatus::bad_usage, "launch names no \"program\".",
                        "Give LAB/VARIANT or the path of a .cu file.");
        Target target = find_target(program);
        if (!target.variant) target.variant = &target.lab->variants.front();
        std::vector<std::string> assignments;
        if (arguments.contains("set") && arguments["set"].is_array())
            for (const Json& each : arguments["set"])
                if (each.is_string()) assignments.push_back(each.get<std::string>());
        if (const auto file = kernel_file_in(program))
            path_ = std::filesystem::absolute(std::string(*file)).lexically_normal().string();
        auto debugger = std::make_unique<Debugger>(DebugStart{
            .lab = target.lab,
            .variant = target.variant,
            .values = values_from(*target.lab, assignments),
            .seed = value_or<std::uint64_t>(arguments, "seed", 1),
            .launches_before =
                launches_for(*target.variant, value_or<std::int64_t>(arguments, "step", 0)),
            .text = value_or<std::string>(arguments, "text", "written") == "optimised"
                        ? SteppedText::as_optimised
                        : SteppedText::as_written,
            .checks = value_or<bool>(arguments, "checks", true)});
        {
            const std::scoped_lock lock(debugger_mutex_);
            debugger_ = std::move(debugger);
        }
        stop_on_entry_ = value_or<bool>(arguments, "stopOnEntry", true);
        see();
        if (!frame_->text_note.empty()) print("console", frame_->text_note + "\n");
        // The client may set breakpoints from now on: the kernel is known.
        event("initialized", Json::object());
        return nullptr;
    }

    void see()
    {
        frame_ = debugger_->frame();
        if (frame_->printed.size() > reported_) print("stdout", frame_->printed.substr(reported_));
        reported_ = frame_->printed.size();
        handles_.clear();
    }

    void stopped(const char* reason)
    {
        Json body{{"reason", reason}, {"threadId", frame_->warp + 1}, {"allThreadsStopped", true}};
        if (!frame_->sentence.empty()) {
            body["description"] = frame_->sentence;
            body["text"] = frame_->sentence;
        }
        event("stopped", std::move(body));
    }

    void run(const StepMove& move)
    {
        const bool ahead = move.kind == StepMove::Kind::resume && !move.back;
        if (ahead && frame_->at_end) {
            if (frame_->fault || frame_->launch + 1 >= frame_->launches) {
                event("terminated", Json::object());
                return;
            }
            debugger_->move({.kind = StepMove::Kind::launch,
                             .count = static_cast<std::int64_t>(frame_->launch) + 1});
        }
        debugger_->move(move);
        debugger_->resume();
        see();
        switch (frame_->stop) {
        case Stop::breakpoint: return stopped("breakpoint");
        case Stop::fault: return stopped("exception");
        case Stop::cancelled: return stopped("pause");
        case Stop::refused: print("console", frame_->sentence + "\n"); return stopped("step");
        default: return stopped("step");
        }
    }

    void step(const std::string& command, const Json& arguments)
    {
        const bool back = command == "stepBack";
        const bool instruction =
            value_or<std::string>(arguments, "granularity", "") == "instruction";
        const int warp = warp_of(arguments, frame_->warp + 1);
        using Kind = StepMove::Kind;
        const Kind kind = command == "stepOut" ? Kind::barrier
                          : instruction        ? Kind::instruction
                                               : Kind::line;
        run(move_of_warp({.kind = kind, .back = back}, *frame_, warp));
    }

    // Index of the warp that the arguments name; -1 if they name none.
    static int warp_of(const Json& arguments, int thread)
    {
        const int named = value_or<int>(arguments, "threadId", thread);
        return named > 0 ? named - 1 : -1;
    }

    // True for the kernel's source: editors send the breakpoints of all open files.
    bool belongs_to_kernel(const Json& arguments) const
    {
        namespace fs = std::filesystem;
        const Json source = arguments.contains("source") ? arguments["source"] : Json::object();
        const auto path = value_or<std::string>(source, "path", "");
        if (path.empty() || value_or<int>(source, "sourceReference", 0) != 0) return true;
        if (path_.empty()) return fs::path(path).filename() == fs::path(frame_->file).filename();
        std::error_code unknown;
        return fs::path(path).lexically_normal() == fs::path(path_) ||
               fs::equivalent(path, path_, unknown);
    }

    Json set_breakpoints(const Json& arguments)
    {
        if (!belongs_to_kernel(arguments)) {
            Json list = Json::array();
            if (arguments.contains("breakpoints") && arguments["breakpoints"].is_array())
                for (const Json& each : arguments["breakpoints"])
                    list.push_back({{"verified", false},
                                    {"line", value_or<int>(each, "line", 0)},
                                    {"message", fmt::format("{} is being stepped, not this file.",
                                                            source()["name"].get<std::string>())}});
            return {{"breakpoints", std::move(list)}};
        }
        std::vector<Breakpoint> all;
        if (arguments.contains("breakpoints") && arguments["breakpoints"].is_array())
            for (const Json& each : arguments["breakpoints"])
                all.push_back({value_or<int>(each, "line", 0),
                               value_or<std::string>(each, "condition", ""),
                               {},
                               {}});
        debugger_->set_breakpoints(std::move(all));
        see();
        Json list = Json::array();
        for (const Breakpoint& each : frame_->breakpoints) {
            Json one{{"verified", each.problem.empty()}, {"line", each.line}};
            if (!each.problem.empty()) one["message"] = each.problem;
            list.push_back(std::move(one));
        }
        return {{"breakpoints", std::move(list)}};
    }

    Json breakpoint_locations(const Json& arguments)
    {
        const int from = value_or<int>(arguments, "line", 1);
        const int to = value_or<int>(arguments, "endLine", from);
        Json list = Json::array();
        for (const int line : *frame_->code_lines)
            if (line >= from && line <= to) list.push_back({{"line", line}});
        return {{"breakpoints", std::move(list)}};
    }

    Json last_exception()
    {
        if (!frame_->fault) throw Error(ExitStatus::bad_usage, "There is no fault here.");
        return {{"exceptionId", frame_->fault->kind},
                {"description", frame_->fault->message},
                {"breakMode", "always"}};
    }

    Json threads()
    {
        Json list = Json::array();
        for (const simt::WarpView& warp : frame_->warps)
            list.push_back({{"id", warp.warp + 1},
                            {"name", fmt::format("warp {}: {}", warp.warp, warp.words)}});
        if (list.empty()) list.push_back({{"id", 1}, {"name", "the launch has ended"}});
        return {{"threads", std::move(list)}};
    }

    Json source() const
    {
        const std::string name = std::filesystem::path(frame_->file).filename().string();
        if (!path_.empty()) return {{"name", name}, {"path", path_}};
        return {{"name", name}, {"sourceReference", 1}};
    }

    Json stack_trace(const Json& arguments)
    {
        const int warp = warp_of(arguments, 1);
        Json frames = Json::array();
        if (warp >= 0 && warp < static_cast<int>(frame_->warps.size())) {
            const simt::WarpView& view = frame_->warps[static_cast<std::size_t>(warp)];
            const auto add = [&](const simt::CodePlace& place) {
                frames.push_back({{"id", (warp + 1) * 1000 + static_cast<int>(frames.size())},
                                  {"name", place.function},
                                  {"line", place.line},
                                  {"column", 1},
                                  {"source", source()}});
            };
            if (!view.paths.empty()) {
                add(view.paths.front().at);
                for (const simt::CodePlace& caller : view.paths.front().callers) add(caller);
            }
        }
        const auto total = frames.size();
        return {{"stackFrames", std::move(frames)}, {"totalFrames", total}};
    }

    // Target of a variablesReference of the protocol.
    struct Handle {
        enum class Kind : std::uint8_t { variables, registers, shared, lanes, lane, paths } kind;
        int warp = 0;
        std::string expression{};
        LaneValues values{};
        int lane = 0;
        simt::TypePointer type{};
        std::vector<std::byte> bytes{};
    };
    int keep(Handle handle)
    {
        handles_.push_back(std::move(handle));
        return static_cast<int>(handles_.size());
    }

    Json scopes(const Json& arguments)
    {
        const int warp = value_or<int>(arguments, "frameId", 1000) / 1000 - 1;
        Json list = Json::array();
        const auto add = [&](const char* name, const char* hint, Handle::Kind kind) {
            list.push_back({{"name", name},
                            {"presentationHint", hint},
                            {"variablesReference", keep(Handle{kind, warp})},
                            {"expensive", false}});
        };
        add("Variables", "locals", Handle::Kind::variables);
        add("Lanes", "locals", Handle::Kind::paths);
        add("Registers", "registers", Handle::Kind::registers);
        if (!frame_->shared.empty()) add("Shared memory", "globals", Handle::Kind::shared);
        return {{"scopes", std::move(list)}};
    }

    static std::string summary(const LaneValues& values)
    {
        std::string first;
        bool same = true;
        std::string some;
        int shown = 0;
        for (int lane = 0; lane < simt::warp_lanes; ++lane) {
            if ((values.lanes_with >> lane & 1u) == 0) continue;
            const std::string text = values.text(lane);
            if (shown == 0) first = text;
            same = same && text == first;
            if (++shown <= 4) some += (some.empty() ? "" : ", ") + text;
        }
        if (shown == 0) return "no value here";
        return same ? first : some + (shown > 4 ? ", …" : "");
    }

    Json variable(const std::string& name, const LaneValues& values, int warp)
    {
        return {{"name", name},
                {"value", summary(values)},
                {"type", values.type ? values.type->name : ""},
                {"evaluateName", name},
                {"indexedVariables", values.lanes_with != 0 ? simt::warp_lanes : 0},
                {"variablesReference",
                 values.lanes_with != 0 ? keep({Handle::Kind::lanes, warp, name, values}) : 0}};
    }

    Json one_value(const std::string& name, const simt::TypePointer& type,
                   std::span<const std::byte> bytes)
    {
        using Kind = ptx::SourceType::Kind;
        const bool opens = type && (type->kind == Kind::array || type->kind == Kind::record);
        Handle inner{Handle::Kind::lane};
        inner.type = type;
        inner.bytes.assign(bytes.begin(), bytes.end());
        return {{"name", name},
                {"value", type ? simt::text_of(*type, bytes) : ""},
                {"type", type ? type->name : ""},
                {"variablesReference", opens ? keep(std::move(inner)) : 0}};
    }

    Json paths_of(int warp) const
    {
        Json list = Json::array();
        for (const simt::PathView& path : frame_->warps[static_cast<std::size_t>(warp)].paths)
            list.push_back({{"name", "lanes " + simt::format_lanes(path.mask)},
                            {"value", path.words},
                            {"variablesReference", 0}});
        return list;
    }

    Json lanes_of(const LaneValues& values)
    {
        Json list = Json::array();
        for (int lane = 0; lane < simt::warp_lanes; ++lane) {
            const std::string name = fmt::format("lane {}", lane);
            if ((values.lanes_with >> lane & 1u) == 0)
                list.push_back(
                    {{"name", name}, {"value", "no value here"}, {"variablesReference", 0}});
            else
                list.push_back(
                    one_value(name, values.type, values.lanes[static_cast<std::size_t>(lane)]));
        }
        return list;
    }

    // Members of a struct, elements of an array.
    Json parts_of(const simt::TypePointer& type, std::span<const std::byte> bytes)
    {
        Json list = Json::array();
        if (type->kind == ptx::SourceType::Kind::record) {
            for (const auto& member : type->members)
                if (const auto part = simt::part_of(bytes, member.offset, member.type->bytes))
                    list.push_back(one_value(member.name, member.type, *part));
        } else if (type->element && type->element->bytes > 0) {
            constexpr std::size_t max_elements = 4096;
            const std::size_t width = type->element->bytes;
            const std::size_t inner = type->extents.size() > 1 ? type->extents.back() : 0;
            for (std::size_t i = 0; (i + 1) * width <= bytes.size() && i < max_elements; ++i)
                list.push_back(one_value(inner != 0 ? fmt::format("[{}][{}]", i / inner, i % inner)
                                                    : fmt::format("[{}]", i),
                                         type->element, bytes.subspan(i * width, width)));
        }
        return list;
    }

    Json variables_of(const Handle& asked)
    {
        const bool there = !frame_->warps.empty() && asked.warp >= 0 &&
                           asked.warp < static_cast<int>(frame_->warps.size());
        Json list = Json::array();
        switch (asked.kind) {
        case Handle::Kind::variables:
            if (there)
                for (const simt::VariableView& each : debugger_->inspector().variables(asked.warp))
                    list.push_back(variable(each.name, each.values, asked.warp));
            break;
        case Handle::Kind::registers:
            if (there)
                for (const simt::RegisterView& each : debugger_->inspector().registers(asked.warp))
                    list.push_back(variable(each.name, debugger_->evaluate(each.name, asked.warp),
                                            asked.warp));
            break;
        case Handle::Kind::paths: return there ? paths_of(asked.warp) : list;
        case Handle::Kind::shared:
            for (const DebuggedArray& array : frame_->shared)
                list.push_back(one_value(array.name,
                                         array.type ? array.type : simt::shown_as(ptx::Type::b32),
                                         array.contents));
            break;
        case Handle::Kind::lanes: return lanes_of(asked.values);
        case Handle::Kind::lane: return parts_of(asked.type, asked.bytes);
        }
        return list;
    }

    Json variables(const Json& arguments)
    {
        const int reference = value_or<int>(arguments, "variablesReference", 0);
        if (reference < 1 || reference > static_cast<int>(handles_.size()))
            throw Error(ExitStatus::bad_usage, "These variables belong to an earlier stop.",
                        "Request the scopes again.");
        // A copy, because listing adds handles and may move the original.
        const Handle asked = handles_[static_cast<std::size_t>(reference) - 1];
        return {{"variables", variables_of(asked)}};
    }

    Json evaluate(const Json& arguments)
    {
        const auto expression = value_or<std::string>(arguments, "expression", "");
        const int frame = value_or<int>(arguments, "frameId", (frame_->warp + 1) * 1000);
        const int warp = frame / 1000 - 1;
        if (frame_->warps.empty() || warp < 0 || warp >= static_cast<int>(frame_->warps.size()))
            throw Error(ExitStatus::bad_usage, "No warp is running here.", "Step back first.");
        const LaneValues values = debugger_->evaluate(expression, warp);
        return {{"result", summary(values)},
                {"type", values.type ? values.type->name : ""},
                {"variablesReference", values.lanes_with != 0
                                           ? keep({Handle::Kind::lanes, warp, expression, values})
                                           : 0}};
    }

    std::ostream& out_;
    int sequence_ = 0;
    const Json* request_ = nullptr;
    std::vector<Json> events_; // sent after the response
    std::mutex debugger_mutex_;
    std::unique_ptr<Debugger> debugger_;
    std::shared_ptr<const DebugFrame> frame_;
    std::size_t reported_ = 0; // bytes of the kernel's output sent so far
    std::string path_;
    bool stop_on_entry_ = true;
    std::vector<Handle> handles_;
};

} // namespace

ExitStatus serve_dap(std::istream& in, std::ostream& out)
{
    Adapter adapter(out);
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<std::optional<Json>> messages;
    bool bad = false;
    std::thread reader([&] {
        for (;;) {
            std::optional<Json> message = read_message(in, bad);
            const bool last = !message;
            const auto command = message ? value_or<std::string>(*message, "command", "") : "";
            if (last || command == "pause" || command == "disconnect" || command == "terminate")
                adapter.interrupt();
            {
                const std::scoped_lock lock(mutex);
                messages.push_back(std::move(message));
            }
            arrived.notify_one();
            if (last || command == "disconnect") return;
        }
    });
    for (bool continues = true; continues;) {
        std::optional<Json> message;
        {
            std::unique_lock lock(mutex);
            arrived.wait(lock, [&] { return !messages.empty(); });
            message = std::move(messages.front());
            messages.pop_front();
        }
        continues = message && adapter.handle(*message);
    }
    reader.join();
    if (bad)
        throw Error(
            ExitStatus::bad_usage, "The input is not a Debug Adapter Protocol message.",
            "step --dap is meant to be started by an editor; by hand, use step without --dap.");
    return ExitStatus::done;
}

} // namespace lanescope::app
