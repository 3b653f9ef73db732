// Calls run one at a time on a thread of their own, so that a running one can be cancelled.
#include "app/serve/service.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "compute/error.h"
#include "compute/json_walk.h"
#include "compute/process/temporary_folder.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* revision = "2025-06-18";
constexpr std::array older_revisions{"2025-03-26", "2024-11-05"};
constexpr std::size_t max_report_bytes = std::size_t{64} << 10;
constexpr int max_depth = 64;

// JSON-RPC 2.0, section 5.1.
constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;

struct Tool {
    const char* name; // also the name of the command
    const char* description;
    const char* words; // an example
};

constexpr std::array tools{
    Tool{"list", "Lists the built-in labs with their variants and parameters.", "[\"transpose\"]"},
    Tool{"emulate",
         "Runs a CUDA kernel of your own on a simulator with every check (out of bounds, races, "
         "barriers, uninitialised memory, ...), without a GPU, and counts requests, sectors, bank "
         "conflicts and divergence by source line. Without launch options the launch is guessed.",
         "[\"--grid\", \"4\", \"--block\", \"256\", \"--arg\", \"f32[1024]:random:1\"]"},
    Tool{"trace", "Counts requests, sectors, wavefronts and branches of one step of a lab.",
         "[\"transpose/naive\", \"--set\", \"size=64\"]"},
    Tool{"run", "Runs variants of a lab and checks their results against the reference.",
         "[\"transpose/naive\", \"--device\", \"simt\"]"},
    Tool{"step", "Steps through a launch; the commands are given with -c.",
         "[\"transpose/naive\", \"-c\", \"line; print x\"]"},
    Tool{"why", "Shows which lane wrote an element of a result, when, and from which values.",
         "[\"transpose/naive\", \"--set\", \"size=64\", \"--at\", \"5,7\"]"},
    Tool{"judge",
         "Judges kernels against an assignment: results, faults, coverage and counts, with points.",
         "[\"assignment.json\", \"kernel.cu\", \"-o\", \"out\"]"},
};

Json tool_list()
{
    Json all = Json::array();
    for (const Tool& tool : tools) {
        Json properties;
        properties["arguments"] = {
            {"type", "array"},
            {"items", {{"type", "string"}}},
            {"description",
             fmt::format("Arguments of \"lanescope {}\", such as {}; [\"--help\"] lists them all. "
                         "--json is added.",
                         tool.name, tool.words)}};
        properties["source"] = {
            {"type", "string"},
            {"description",
             "CUDA C++; it is written to kernel.cu, which becomes the first argument."}};
        all.push_back(
            {{"name", tool.name},
             {"description", tool.description},
             {"inputSchema",
              {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}});
    }
    return all;
}

// Parses a line, whose values must not be nested too deeply to be copied recursively. Discarded if
// it is not JSON.
Json parsed(const std::string& line)
{
    struct TooDeep {};
    try {
        walk_json(line, [](int depth, const std::string*, bool) {
            if (depth > max_depth) throw TooDeep();
        });
        return Json::parse(line, nullptr, false);
    } catch (const TooDeep&) {
        return Json(Json::value_t::discarded);
    }
}

bool is_id(const Json& value)
{
    return value.is_string() || value.is_number_integer();
}

std::string string_in(const Json& object, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
}

// The result of a tools/call. A command has failed if its document has "error", or if it fails
// without writing one; a fault of the kernel is a result, not a failure.
Json call_result(const Service::Answer& answer)
{
    const Json document = Json::parse(answer.output, nullptr, false);
    Json result;
    result["content"] = Json::array({{{"type", "text"}, {"text", answer.output}}});
    if (answer.status != 0 || !answer.report.empty())
        result["content"].push_back(
            {{"type", "text"},
             {"text", fmt::format("Exit status {}.\n{}", answer.status,
                                  answer.report.substr(0, max_report_bytes))}});
    if (document.is_object()) result["structuredContent"] = document;
    result["isError"] = document.is_object() ? document.contains("error") : answer.status != 0;
    return result;
}

} // namespace

struct Service::Call {
    Json id;
    std::vector<std::string> words;
    std::string source;
    bool has_source = false;
    std::stop_source stop{};
};

Service::Service(Run run, Send send, std::string version)
    : run_(std::move(run)), send_(std::move(send)), version_(std::move(version)),
      thread_([this] { work(); })
{
}

Service::~Service()
{
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Service::take(const std::string& line)
{
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    const Json message = parsed(line);
    if (message.is_discarded())
        return reply_error(
            nullptr, parse_error,
            "The line is not JSON, or is nested too deeply. Send one message per line.");
    if (!message.is_object() || string_in(message, "jsonrpc") != "2.0" ||
        (message.contains("id") && !is_id(message["id"])))
        return reply_error(nullptr, invalid_request,
                           "The message is not a JSON-RPC 2.0 request with a method and an id.");
    if (string_in(message, "method").empty())
        return; // a response: this server sends no requests,
                // so ignore it
    if (message.contains("id"))
        request(message);
    else if (string_in(message, "method") == "notifications/cancelled")
        cancel(message);
}

void Service::refuse_long_line()
{
    reply_error(nullptr, parse_error,
                fmt::format("A message has more than {} bytes.", max_message_bytes));
}

void Service::request(const Json& message)
{
    const Json& id = message["id"];
    const std::string method = string_in(message, "method");
    if (method == "initialize") {
        const Json params = message.value("params", Json::object());
        const std::string asked = string_in(params, "protocolVersion");
        const bool known = std::ranges::find(older_revisions, asked) != older_revisions.end();
        return reply(id, {{"protocolVersion", known ? asked : revision},
                          {"capabilities", {{"tools", Json::object()}}},
                          {"serverInfo", {{"name", "lanescope"}, {"version", version_}}},
                          {"instructions",
                           "Runs CUDA kernels on a simulator that needs no GPU: finds faults, "
                           "counts memory traffic and divergence by source line. Begin with "
                           "emulate and the kernel's source."}});
    }
    if (method == "ping") return reply(id, Json::object());
    if (method == "tools/list") return reply(id, {{"tools", tool_list()}});
    if (method == "tools/call") return queue(message);
    reply_error(id, method_not_found, fmt::format("There is no method \"{}\".", method));
}

void Service::queue(const Json& message)
{
    const Json params = message.value("params", Json::object());
    const std::string name = string_in(params, "name");
    if (std::ranges::find(tools, std::string_view(name), &Tool::name) == tools.end())
        return reply_error(message["id"], invalid_params,
                           fmt::format("There is no tool \"{}\"; tools/list lists them.", name));
    auto call = std::make_shared<Call>();
    call->id = message["id"];
    const Json arguments = params.value("arguments", Json::object());
    const auto refuse = [&](const char* reason) {
        reply_error(message["id"], invalid_params, reason);
    };
    if (!arguments.is_object()) return refuse("\"arguments\" of a tool call must be an object.");
    for (const auto& [key, value] : arguments.items()) {
        if (key == "source" && value.is_string()) {
            call->source = value.get<std::string>();
            call->has_source = true;
        } else if (key == "arguments" && value.is_array() &&
                   std::ranges::all_of(value, &Json::is_string)) {
            for (const Json& word : value) call->words.push_back(word.get<std::string>());
        } else {
            return refuse("A tool takes only \"arguments\" (an array of strings) and \"source\" (a "
                          "string).");
        }
    }
    call->words.insert(call->words.begin(), name);
    {
        const std::scoped_lock lock(mutex_);
        calls_.push_back(std::move(call));
    }
    changed_.notify_all();
}

void Service::cancel(const Json& message)
{
    const Json params = message.value("params", Json::object());
    if (!params.is_object() || !params.contains("requestId")) return;
    const std::scoped_lock lock(mutex_);
    for (const auto& call : calls_)
        if (call->id == params["requestId"]) call->stop.request_stop();
}

void Service::work()
{
    while (true) {
        std::shared_ptr<Call> call;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ending_ || !calls_.empty(); });
            if (calls_.empty()) return;
            call = calls_.front();
        }
        if (!call->stop.stop_requested()) {
            Json result;
            try {
                std::unique_ptr<TemporaryFolder> folder;
                std::vector<std::string> words = call->words;
                if (call->has_source) {
                    folder = std::make_unique<TemporaryFolder>();
                    const auto file = *folder / "kernel.cu";
                    std::ofstream(file, std::ios::binary) << call->source;
                    words.insert(words.begin() + 1, file.string());
                }
                words.emplace_back("--json");
                result = call_result(run_(words, call->stop.get_token()));
            } catch (const std::exception& error) {
                result = call_result(
                    {.status = static_cast<int>(ExitStatus::bad_usage), .report = error.what()});
            }
            if (!call->stop.stop_requested()) reply(call->id, result);
        }
        const std::scoped_lock lock(mutex_);
        calls_.pop_front();
    }
}

void Service::reply(const Json& id, const Json& result)
{
    write({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

void Service::reply_error(const Json& id, int code, const std::string& message)
{
    write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void Service::write(const Json& message)
{
    // Kernels may print bytes that are not UTF-8.
    const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::scoped_lock lock(sending_);
    send_(line);
}

} // namespace lanescope::app
