// The Model Context Protocol, through which programs that write kernels call Lanescope's commands:
// JSON-RPC 2.0, one message per line. Source of all names and codes:
// modelcontextprotocol.io, revision 2025-06-18.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lanescope::app {

class Service {
public:
    struct Answer {
        int status = 0;       // exit status of the command
        std::string output{}; // its document, or text such as the help
        std::string report{}; // what it wrote for people
    };
    // Runs a command with these words to its end, or stops it early on request.
    using Run = std::function<Answer(const std::vector<std::string>& words, std::stop_token stop)>;
    // Writes one line, given without its line break. Called from two threads, but never
    // concurrently.
    using Send = std::function<void(const std::string& line)>;

    static constexpr std::size_t max_message_bytes = std::size_t{16} << 20;

    Service(Run run, Send send, std::string version);
    // Answers the calls received so far.
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Takes one line of input. Answers it at once, or from the service's thread if it calls a tool.
    void take(const std::string& line);
    // Answers a line that is longer than max_message_bytes.
    void refuse_long_line();

private:
    struct Call;

    void request(const nlohmann::ordered_json& message);
    void queue(const nlohmann::ordered_json& message);
    void cancel(const nlohmann::ordered_json& message);
    void work();
    void reply(const nlohmann::ordered_json& id, const nlohmann::ordered_json& result);
    void reply_error(const nlohmann::ordered_json& id, int code, const std::string& message);
    void write(const nlohmann::ordered_json& message);

    const Run run_;
    const Send send_;
    const std::string version_;
    std::mutex sending_;
    std::mutex mutex_; // guards the members below
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Call>> calls_; // the first one is running
    bool ending_ = false;
    std::thread thread_;
};

} // namespace lanescope::app
