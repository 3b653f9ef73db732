// The Model Context Protocol: messages, errors, cancelled calls, and the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/serve/service.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using app::Service;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// A service that keeps its replies.
struct Served {
    explicit Served(const Service::Run& run)
    {
        service.emplace(
            run, [this](const std::string& line) { lines.push_back(line); }, "1.2.3");
    }
    void send(const json& message) { service->take(message.dump()); }
    std::vector<std::string> lines;
    std::optional<Service> service;
};

Service::Answer unused(const std::vector<std::string>&, const std::stop_token&)
{
    return {};
}

json call(int id, const char* tool, const json& arguments)
{
    return {{"jsonrpc", "2.0"},
            {"id", id},
            {"method", "tools/call"},
            {"params", {{"name", tool}, {"arguments", arguments}}}};
}

// The reply to one message.
json reply_to(const std::string& line, const Service::Run& run = unused)
{
    std::vector<std::string> lines;
    {
        Service service(
            run, [&](const std::string& one) { lines.push_back(one); }, "1.2.3");
        service.take(line);
    }
    return lines.size() == 1 ? json::parse(lines[0]) : json(lines);
}

TEST(Serve, NegotiatesRevision)
{
    const auto agreed = [](const char* asked) {
        const json message = {{"jsonrpc", "2.0"},
                              {"id", 1},
                              {"method", "initialize"},
                              {"params", {{"protocolVersion", asked}}}};
        return reply_to(message.dump()).at("result").at("protocolVersion").get<std::string>();
    };
    EXPECT_EQ(agreed("2025-06-18"), "2025-06-18");
    EXPECT_EQ(agreed("2024-11-05"), "2024-11-05");
    EXPECT_EQ(agreed("2099-01-01"), "2025-06-18");
}

TEST(Serve, ListsToolsWithSchemas)
{
    const json tools =
        reply_to(R"({"jsonrpc":"2.0","id":"x","method":"tools/list"})")["result"]["tools"];
    std::vector<std::string> names;
    for (const json& tool : tools) {
        names.push_back(tool.at("name"));
        EXPECT_EQ(tool.at("inputSchema").at("type"), "object");
        EXPECT_FALSE(tool.at("description").get<std::string>().empty());
    }
    EXPECT_THAT(names, ElementsAre("list", "emulate", "trace", "run", "step", "why", "judge"));
}

TEST(Serve, InvalidMessagesGetErrors)
{
    const auto code = [](const std::string& line) { return reply_to(line).at("error").at("code"); };
    EXPECT_EQ(code("{"), -32700);
    EXPECT_EQ(code(std::string(10'000, '[')), -32700);
    EXPECT_EQ(code("[]"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"), -32601);
    EXPECT_EQ(code(call(1, "bench", json::object()).dump()), -32602);
    EXPECT_EQ(code(call(1, "run", {{"arguments", "heat"}}).dump()), -32602);
    EXPECT_EQ(code(call(1, "run", {{"arguments", {1}}}).dump()), -32602);
    EXPECT_EQ(code(call(1, "run", {{"file", "x.cu"}}).dump()), -32602);
    EXPECT_EQ(code(call(1, "run", json::array()).dump()), -32602);
}

TEST(Serve, NotificationsGetNoReply)
{
    for (const char* line :
         {"", " ", R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
          R"({"jsonrpc":"2.0","id":1,"result":{}})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})"})
        EXPECT_EQ(reply_to(line), json::array()) << line;
}

TEST(Serve, SourceIsWrittenToAFile)
{
    std::string source;
    std::vector<std::string> given;
    const json reply = reply_to(
        call(7, "emulate", {{"source", "text"}, {"arguments", {"--grid", "1"}}}).dump(),
        [&](const std::vector<std::string>& words, const std::stop_token&) -> Service::Answer {
            given = words;
            source = read_file(words.at(1));
            return {5, R"({"kernel": "k"})", "k.cu:1: fault"};
        });
    EXPECT_EQ(source, "text");
    ASSERT_EQ(given.size(), 5u);
    EXPECT_THAT(given[1], testing::EndsWith("/kernel.cu"));
    EXPECT_EQ(given[0] + given[2] + given[3] + given[4], "emulate--grid1--json");
    EXPECT_EQ(reply.at("id"), 7);
    EXPECT_EQ(reply["result"]["isError"], false) << "a kernel's fault is a result";
    EXPECT_EQ(reply["result"]["structuredContent"]["kernel"], "k");
    EXPECT_THAT(reply["result"]["content"][1]["text"].get<std::string>(),
                HasSubstr("Exit status 5.\nk.cu:1: fault"));
}

TEST(Serve, FailedCommandIsAnError)
{
    const auto is_error = [](const Service::Answer& answer) {
        return reply_to(call(1, "run", json::object()).dump(),
                        [&](const auto&, const auto&) { return answer; })["result"]["isError"];
    };
    EXPECT_EQ(is_error({3, R"({"error": "no lab", "status": 3})", ""}), true);
    EXPECT_EQ(is_error({139, "", ""}), true);
    EXPECT_EQ(is_error({0, "text", ""}), false);
    EXPECT_EQ(is_error({0, "\xff", ""}), false) << "bytes that are not UTF-8";
}

TEST(Serve, CancelledCallsEndWithoutReply)
{
    std::promise<void> started;
    Served served([&](const std::vector<std::string>& words, const std::stop_token& stop) {
        if (words[0] == "run") {
            std::promise<void> stopped;
            const std::stop_callback wake(stop, [&] { stopped.set_value(); });
            started.set_value();
            stopped.get_future().wait();
        }
        return Service::Answer{0, "{}", ""};
    });
    served.send(call(1, "run", json::object()));
    served.send(call(2, "trace", json::object()));
    served.send(call(3, "list", json::object()));
    started.get_future().wait();
    const auto cancel = [&](int id) {
        served.send({{"jsonrpc", "2.0"},
                     {"method", "notifications/cancelled"},
                     {"params", {{"requestId", id}}}});
    };
    served.send({{"jsonrpc", "2.0"}, {"id", 4}, {"method", "ping"}});
    EXPECT_EQ(served.lines.size(), 1u) << "a ping is answered while a call runs";
    cancel(2);
    cancel(1);
    served.service.reset(); // answers the calls in its queue
    ASSERT_EQ(served.lines.size(), 2u);
    EXPECT_THAT(served.lines[1], HasSubstr("\"id\":3"));
}

TEST(Serve, ProgramAnswersOnStandardOutput)
{
    const Folder folder;
    {
        std::ofstream input(folder / "input");
        input << call(1, "list", {{"arguments", {"transpose"}}}).dump() << '\n'
              << call(2, "run", {{"arguments", {"nothing"}}}).dump() << '\n'
              << std::string(Service::max_message_bytes + 1, ' ') << '\n'
              << call(3, "trace",
                      {{"arguments", {"transpose/naive", "--set", "size=32", "--device", "simt"}}})
                     .dump(); // without a line break
    }
    const int status =
        std::system((program_under_test() + " serve --stdio <" + (folder / "input").string() +
                     " >" + (folder / "output").string())
                        .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 0);
    std::map<std::string, json> replies;
    std::ifstream output(folder / "output");
    for (std::string line; std::getline(output, line);) {
        const json reply = json::parse(line);
        replies[reply.at("id").dump()] = reply;
    }
    ASSERT_EQ(replies.size(), 4u);
    EXPECT_EQ(replies["null"]["error"]["code"], -32700);
    EXPECT_EQ(replies["1"]["result"]["isError"], false);
    EXPECT_EQ(replies["2"]["result"]["isError"], true);
    EXPECT_THAT(replies["2"]["result"]["structuredContent"]["error"].get<std::string>(),
                HasSubstr("There is no lab 'nothing'"));
    const json totals = replies["3"]["result"]["structuredContent"]["totals"];
    EXPECT_EQ(totals["global_load"]["requests"], 32);
    EXPECT_EQ(totals["global_store"]["sectors"], 1024);
}

TEST(Serve, NeedsStdio)
{
    const Outcome outcome = run_program({"serve"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("--stdio"));
}

} // namespace
} // namespace lanescope::test
