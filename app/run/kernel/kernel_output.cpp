// Replaces standard output by a pipe, emptied by a thread: a kernel that prints faster than a
// terminal displays waits, as it would without the window.
#include "app/run/kernel/kernel_output.h"

#include <array>
#include <cstdio>

#include "compute/process/streams.h"
#include "compute/text.h"
#include "compute/threads.h"

namespace lanescope::app {

KernelOutput::KernelOutput()
{
    const auto [reading, writing] = make_pipe(has_threads);
    if (reading < 0) return;
    std::fflush(stdout);
    standard_ = duplicate(standard_output);
    const bool redirected = standard_ >= 0 && redirect(standard_output, writing);
    close_descriptor(writing);
    if (!redirected) {
        close_descriptor(reading);
        return;
    }
    std::setvbuf(stdout, nullptr, line_buffering, BUFSIZ);
    reading_ = reading;
    thread_ = LoopThread([this] { read(); });
}

KernelOutput::~KernelOutput()
{
    if (reading_ >= 0) {
        std::fflush(stdout);
        redirect(standard_output, standard_); // closes the pipe's last writer, so that read() ends
        thread_.join();
    }
    if (reading_ >= 0) close_descriptor(reading_);
    if (standard_ >= 0) close_descriptor(standard_);
}

void KernelOutput::clear()
{
    const std::lock_guard lock(mutex_);
    kept_.clear();
    bytes_ = 0;
    text_ = std::make_shared<Text>();
}

std::shared_ptr<const KernelOutput::Text> KernelOutput::text()
{
    if constexpr (!has_threads) {
        std::fflush(stdout);
        read(); // reads the rest
    }
    const std::lock_guard lock(mutex_);
    if (text_->bytes == bytes_) return text_;
    const std::size_t begin = kept_.size() < bytes_ ? kept_.find('\n') + 1 : 0; // 0 if not found
    text_ = std::make_shared<Text>(Text{kept_.substr(begin), bytes_});
    return text_;
}

void KernelOutput::read()
{
    // The reader of standard output may have exited, which must not end the window.
    survive_broken_pipes();

    std::array<char, 16384> buffer{};
    for (;;) {
        const std::ptrdiff_t got = read_some(reading_, buffer);
        if (got <= 0) return;
        const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
        {
            const std::lock_guard lock(mutex_);
            bytes_ += text.size();
            kept_ += text;
            if (kept_.size() > max_kept) kept_.erase(0, kept_.size() - max_kept);
        }
        forward(text);
    }
}

// A terminal gets escaped text and a limited amount, so that it does not scroll forever behind the
// window.
void KernelOutput::forward(std::string_view text)
{
    constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20;
    std::string shown(text);
    if (is_terminal(standard_)) {
        if (forwarded_ > max_bytes) return;
        forwarded_ += text.size();
        shown = forwarded_ > max_bytes
                    ? "\n… It prints more than 1 MB; a file or a pipe gets all of it.\n"
                    : printable(text);
    }
    write_all(standard_, shown);
}

} // namespace lanescope::app
