// Timestamped messages of the program: the newest error is shown in a strip until it is dismissed,
// the newest notice for a few seconds, and all of them in the log.
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
    int times = 1; // repetitions in a row
    friend bool operator==(const Message&, const Message&) = default;
};

class MessageLog {
public:
    static constexpr std::size_t max_kept = 500;

    void add(std::string text, bool is_error, Message::Clock::time_point when);
    // Marks the errors so far as seen.
    void dismiss() { dismissed_ = message_count_; }

    const std::vector<Message>& all() const { return messages_; } // oldest first
    // The newest error that was not dismissed, and the newest notice; null if none.
    const Message* error() const;
    const Message* notice() const;

    friend bool operator==(const MessageLog&, const MessageLog&) = default;

private:
    std::vector<Message> messages_;
    std::uint64_t message_count_ = 0; // total
    std::uint64_t dismissed_ = 0;     // number of dismissed ones
};

} // namespace lanescope::app
