// The pipe in the place of standard output, and the thread that empties it: a kernel that prints
// faster than a terminal shows it waits, as it would without the window.
#include "app/run/kernel/kernel_output.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "compute/text.h"
#include "compute/threads.h"

namespace lanescope::app {

KernelOutput::KernelOutput()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    if constexpr (!has_threads) fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::fflush(stdout);
    standard_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (standard_ < 0 || dup2(ends[1], STDOUT_FILENO) < 0) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    close(ends[1]);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    reading_ = ends[0];
    thread_ = LoopThread([this] { read(); });
}

KernelOutput::~KernelOutput()
{
    if (reading_ >= 0) {
        std::fflush(stdout);
        dup2(standard_, STDOUT_FILENO); // the pipe has no writer any more: read() ends
        thread_.join();
    }
    if (reading_ >= 0) close(reading_);
    if (standard_ >= 0) close(standard_);
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
        read(); // what is there
    }
    const std::lock_guard lock(mutex_);
    if (text_->bytes == bytes_) return text_;
    const std::size_t begin = kept_.size() < bytes_ ? kept_.find('\n') + 1 : 0; // npos: 0
    text_ = std::make_shared<Text>(Text{kept_.substr(begin), bytes_});
    return text_;
}

void KernelOutput::read()
{
    // Standard output's reader may have gone: that is no reason for the window to end.
    sigset_t broken_pipe{};
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);

    std::array<char, 16384> buffer{};
    for (;;) {
        const ssize_t got = ::read(reading_, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
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

// A terminal gets only what does not command it, and so much: whoever looks at the window does not
// want it to scroll for ever.
void KernelOutput::forward(std::string_view text)
{
    constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20;
    std::string shown(text);
    if (isatty(standard_) != 0) {
        if (forwarded_ > max_bytes) return;
        forwarded_ += text.size();
        shown = forwarded_ > max_bytes
                    ? "\n… It prints more than 1 MB; a file or a pipe gets all of it.\n"
                    : printable(text);
    }
    for (std::size_t done = 0; done < shown.size();) {
        const ssize_t got = write(standard_, shown.data() + done, shown.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        done += static_cast<std::size_t>(got);
    }
}

} // namespace lanescope::app
