// What the program had to say, with the time: the newest error stands in a strip until it is
// dismissed, the newest notice for a few seconds, and all of them in the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::app {

struct Message {
    using Clock = std::chrono::system_clock;
    std::string text;
    bool is_error = false;
    Clock::time_point when{};
    int times = 1; // said so often in a row
    friend bool operator==(const Message&, const Message&) = default;
};

class MessageLog {
public:
    static constexpr std::size_t max_kept = 500;

    void add(std::string text, bool is_error, Message::Clock::time_point when);
    // Errors so far are known to the user.
    void dismiss() { dismissed_ = said_; }

    const std::vector<Message>& all() const { return messages_; } // oldest first
    // The newest error that was not dismissed, and the newest notice; null: none.
    const Message* error() const;
    const Message* notice() const;

    friend bool operator==(const MessageLog&, const MessageLog&) = default;

private:
    std::vector<Message> messages_;
    std::uint64_t said_ = 0;      // ever
    std::uint64_t dismissed_ = 0; // of them
};

} // namespace lanescope::app
