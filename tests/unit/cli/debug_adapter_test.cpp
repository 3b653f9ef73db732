// A scripted client of the debug adapter: launches, stops at a conditional breakpoint, steps back,
// continues backwards, reads 32 lanes, evaluates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <string>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

class Client {
public:
    Client()
    {
        int to[2];
        int from[2];
        if (pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ == 0) {
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            for (const int each : {to[0], to[1], from[0], from[1]}) close(each);
            const std::string program = program_under_test();
            execl(program.c_str(), program.c_str(), "step", "--dap", nullptr);
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        to_ = to[1];
        from_ = from[0];
    }
    ~Client()
    {
        if (to_ >= 0) close(to_);
        close(from_);
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }

    // Returns the response to a request, and stores the events that arrive before it.
    json ask(const std::string& command, const json& arguments = json::object())
    {
        const int number = ++sequence_;
        const std::string text = json{
            {"seq", number},
            {"type", "request"},
            {"command", command},
            {"arguments", arguments}}.dump();
        say("Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
        for (;;) {
            json got = receive();
            if (got.is_null()) return got;
            if (got["type"] == "response" && got["request_seq"] == number) return got;
            events_.push_back(std::move(got));
        }
    }
    void say(const std::string& text)
    {
        EXPECT_EQ(write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // Returns the next event with that name, stored or new.
    json event(const std::string& name)
    {
        for (;;) {
            for (auto it = events_.begin(); it != events_.end(); ++it)
                if ((*it)["event"] == name) {
                    json found = *it;
                    events_.erase(events_.begin(), it + 1);
                    return found["body"];
                }
            json got = receive();
            if (got.is_null()) return got;
            events_.push_back(std::move(got));
        }
    }
    int finish()
    {
        close(to_);
        to_ = -1;
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    json receive()
    {
        std::string header;
        char byte = 0;
        while (!header.ends_with("\r\n\r\n")) {
            if (read(from_, &byte, 1) != 1) return nullptr;
            header += byte;
        }
        const std::size_t length = std::stoul(header.substr(header.find(':') + 1));
        std::string text(length, '\0');
        for (std::size_t done = 0; done < length;) {
            const ssize_t got = read(from_, text.data() + done, length - done);
            if (got <= 0) return nullptr;
            done += static_cast<std::size_t>(got);
        }
        return json::parse(text);
    }

    pid_t child_ = 0;
    int to_ = -1;
    int from_ = -1;
    int sequence_ = 0;
    std::deque<json> events_;
};

TEST(DebugAdapter, StepsBackwards)
{
    signal(SIGPIPE, SIG_IGN);
    Client client;
    const json abilities = client.ask("initialize", {{"adapterID", "lanescope"}})["body"];
    EXPECT_TRUE(abilities["supportsStepBack"]);
    EXPECT_TRUE(abilities["supportsConditionalBreakpoints"]);
    const json launched = client.ask(
        "launch",
        {{"program", "reduction/strided"}, {"set", {"count=2048"}}, {"stopOnEntry", true}});
    ASSERT_TRUE(launched["success"]) << launched.dump();
    client.event("initialized");
    const json elsewhere =
        client.ask("setBreakpoints", {{"source", {{"path", "/elsewhere/main.cpp"}}},
                                      {"breakpoints", {{{"line", 11}}}}});
    EXPECT_FALSE(elsewhere["body"]["breakpoints"][0]["verified"]);
    client.ask("configurationDone");
    EXPECT_EQ(client.event("stopped")["reason"], "entry");

    const json threads = client.ask("threads")["body"]["threads"];
    EXPECT_GT(threads.size(), 1u); // one per warp
    const auto line_of = [&](int thread) {
        return client.ask("stackTrace", {{"threadId", thread}})["body"]["stackFrames"][0]["line"]
            .get<int>();
    };
    const int first = line_of(1);
    client.ask("next", {{"threadId", 1}});
    EXPECT_EQ(client.event("stopped")["reason"], "step");
    const int second = line_of(1);
    EXPECT_NE(second, first);
    client.ask("next", {{"threadId", 1}});
    client.event("stopped");
    const int third = line_of(1);
    client.ask("stepBack", {{"threadId", 1}});
    client.event("stopped");
    EXPECT_EQ(line_of(1), second);

    // A breakpoint with a condition.
    const json set =
        client.ask("setBreakpoints",
                   {{"source", {{"name", "strided.cu"}}},
                    {"breakpoints",
                     {{{"line", third}, {"condition", "threadIdx.x == 70"}}, {{"line", 9999}}}}});
    EXPECT_TRUE(set["body"]["breakpoints"][0]["verified"]);
    EXPECT_FALSE(set["body"]["breakpoints"][1]["verified"]);
    client.ask("continue", {{"threadId", 1}});
    const json hit = client.event("stopped");
    EXPECT_EQ(hit["reason"], "breakpoint");
    EXPECT_EQ(hit["threadId"], 3); // thread 70 is in warp 2
    EXPECT_EQ(line_of(3), third);

    // A variable's values in 32 lanes, and an expression.
    const json frame = client.ask("stackTrace", {{"threadId", 3}})["body"]["stackFrames"][0];
    const json scopes = client.ask("scopes", {{"frameId", frame["id"]}})["body"]["scopes"];
    ASSERT_FALSE(scopes.empty());
    const json variables =
        client.ask("variables",
                   {{"variablesReference", scopes[0]["variablesReference"]}})["body"]["variables"];
    ASSERT_FALSE(variables.empty());
    bool opened = false;
    for (const json& one : variables) {
        if (one["variablesReference"] == 0) continue;
        const json lanes = client.ask(
            "variables", {{"variablesReference", one["variablesReference"]}})["body"]["variables"];
        EXPECT_EQ(lanes.size(), 32u);
        opened = true;
        break;
    }
    EXPECT_TRUE(opened);
    const json value = client.ask(
        "evaluate", {{"expression", "threadIdx.x * 2"}, {"frameId", frame["id"]}})["body"];
    const json lanes = client.ask(
        "variables", {{"variablesReference", value["variablesReference"]}})["body"]["variables"];
    EXPECT_EQ(lanes[6]["value"], "140");
    const json wrong = client.ask("evaluate", {{"expression", "nobody"}, {"frameId", frame["id"]}});
    EXPECT_FALSE(wrong["success"]);

    // Going backwards, nothing stops that thread before the start.
    client.ask("reverseContinue", {{"threadId", 3}});
    client.event("stopped");
    EXPECT_EQ(line_of(1), first);
    client.ask("setBreakpoints",
               {{"source", {{"name", "strided.cu"}}}, {"breakpoints", json::array()}});
    client.ask("continue", {{"threadId", 1}});
    client.event("stopped"); // the end of the launch
    client.ask("stepBack", {{"threadId", 1}});
    client.event("stopped");
    EXPECT_FALSE(client.ask("threads")["body"]["threads"].empty());
    EXPECT_TRUE(client.ask("disconnect")["success"]);
    EXPECT_EQ(client.finish(), 0);
}

TEST(DebugAdapter, RejectsUnsupportedRequests)
{
    signal(SIGPIPE, SIG_IGN);
    Client client;
    client.ask("initialize");
    EXPECT_FALSE(client.ask("threads")["success"]);
    EXPECT_FALSE(client.ask("launch")["success"]);
    const json none = client.ask("launch", {{"program", "heat/nothing"}});
    EXPECT_FALSE(none["success"]);
    EXPECT_THAT(none["message"].get<std::string>(), testing::HasSubstr("nothing"));
    EXPECT_FALSE(client.ask("somersault")["success"]);
    EXPECT_TRUE(client.ask("disconnect")["success"]);
    EXPECT_EQ(client.finish(), 0);
}

TEST(DebugAdapter, ReportsMalformedMessages)
{
    Client client;
    client.say("continue\n\n");
    EXPECT_EQ(client.finish(), 2);
}

} // namespace
} // namespace lanescope::test
