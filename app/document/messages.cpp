// Keeps messages in order; an immediate repetition only increments a count.
#include "app/document/messages.h"

#include <algorithm>

namespace lanescope::app {

void MessageLog::add(std::string text, bool is_error, Message::Clock::time_point when)
{
    ++message_count_;
    if (!messages_.empty() && messages_.back().text == text &&
        messages_.back().is_error == is_error) {
        ++messages_.back().times;
        messages_.back().when = when;
        return;
    }
    if (messages_.size() >= max_kept) messages_.erase(messages_.begin());
    messages_.push_back({std::move(text), is_error, when});
}

const Message* MessageLog::error() const
{
    // Counts back from the newest, so that dropped messages do not matter.
    std::uint64_t number = message_count_;
    for (std::size_t i = messages_.size(); i > 0 && number > dismissed_; --i) {
        if (messages_[i - 1].is_error) return &messages_[i - 1];
        number -= static_cast<std::uint64_t>(messages_[i - 1].times);
    }
    return nullptr;
}

const Message* MessageLog::notice() const
{
    const auto found = std::find_if(messages_.rbegin(), messages_.rend(),
                                    [](const Message& message) { return !message.is_error; });
    return found == messages_.rend() ? nullptr : &*found;
}

} // namespace lanescope::app
