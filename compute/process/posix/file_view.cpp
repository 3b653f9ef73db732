// A seccomp filter turns each open() into a request to the thread that holds the filter's listener.
// The path is read twice, by that thread and by the kernel, so a process that changes it in between
// gets past this check, but not past Landlock.
#include "compute/process/file_view.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "compute/process/posix/system_calls.h"

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE // in headers since Linux 5.5
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

namespace lanescope {
namespace fs = std::filesystem;
namespace {

constexpr long openat2 = 437;

// Installs a filter that turns calls which open files into requests. A thread can have only one
// listener.
int install_listener() noexcept
{
    static const std::array code{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, arch)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 6, own_architecture},
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 3, 0, SYS_openat},
#ifdef SYS_open
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_open},
#else
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_openat},
#endif
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 1, 0, openat2},
        sock_filter{BPF_JMP | BPF_JA, 0, 0, 1},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{code.size(), const_cast<sock_filter*>(code.data())};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// The path with links resolved; for a missing file, where it would be created.
fs::path real_path(const fs::path& path)
{
    const int opened = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (opened < 0) {
        std::error_code none;
        return fs::weakly_canonical(path, none);
    }
    std::array<char, PATH_MAX> real{};
    const ssize_t length =
        readlink(fmt::format("/proc/self/fd/{}", opened).c_str(), real.data(), real.size());
    close(opened);
    return length > 0 ? fs::path(std::string(real.data(), static_cast<std::size_t>(length)))
                      : fs::path();
}

// True if the path is that of a shared library: the loader looks for these in many folders, on
// behalf of the program and not of the source.
bool is_library(const std::string& path)
{
    if (path == "/etc/ld.so.cache") return true;
    const std::string name = fs::path(path).filename().string();
    return name.starts_with("lib") && name.find(".so") != std::string::npos;
}

bool climbs_above_folder(std::string_view path)
{
    return path == ".." || path.starts_with("../") || path.find("/../") != path.npos ||
           path.ends_with("/..");
}

// True if the path has a hidden file or folder below `folder`.
bool is_hidden_in(const fs::path& folder, const fs::path& real)
{
    return real.native().find("/.", folder.native().size()) != std::string::npos;
}

bool starts_with(const fs::path& path, const fs::path& folder)
{
    const std::string_view whole = path.native(), begin = folder.native();
    return whole.starts_with(begin) &&
           (whole.size() == begin.size() || begin.ends_with('/') || whole[begin.size()] == '/');
}

void put_listener(int socket, int listener) noexcept
{
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (listener >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &listener, sizeof listener);
    }
    sendmsg(socket, &message, MSG_NOSIGNAL);
}

int get_listener(int socket)
{
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t received = 0;
    while ((received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    const cmsghdr* const header = received > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    int listener = -1;
    if (header && header->cmsg_type == SCM_RIGHTS)
        std::memcpy(&listener, CMSG_DATA(header), sizeof listener);
    return listener;
}

} // namespace

FileView::FileView(const Walls& walls, std::set<std::string> askers) : askers_(std::move(askers))
{
    for (const auto* paths : {&walls.readable, &walls.runnable, &walls.writable})
        for (const fs::path& path : *paths) {
            std::error_code none;
            fs::path real = fs::canonical(path, none);
            if (!none) within_.push_back(std::move(real));
        }
    ending_ = eventfd(0, EFD_CLOEXEC);
}

FileView::~FileView()
{
    if (thread_.joinable()) {
        eventfd_write(ending_, 1);
        thread_.join();
    }
    if (listener_ >= 0) close(listener_);
    close(ending_);
}

bool FileView::watch_this_thread()
{
    if (!known_walls().file_view) return false;
    watches_own_process_ = true;
    // Start the answering thread before the filter is installed: a thread started later would
    // inherit it, and wait for itself.
    thread_ = std::thread([this] {
        listener_.wait(not_yet);
        if (listener_ >= 0) answer_all(listener_);
    });
    listener_ = install_listener();
    listener_.notify_one();
    return listener_ >= 0;
}

void FileView::watch_and_hand_over(int socket) noexcept
{
    const int listener = install_listener();
    put_listener(socket, listener);
    if (listener >= 0) close(listener);
}

bool FileView::take_over(int socket)
{
    listener_ = get_listener(socket);
    if (listener_ < 0) return false;
    thread_ = std::thread([this] { answer_all(listener_); });
    return true;
}

std::vector<std::string> FileView::take_refused_paths()
{
    const std::scoped_lock lock(mutex_);
    return std::exchange(refused_, {});
}

void FileView::answer_all(int listener)
{
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{listener, POLLIN, 0}, pollfd{ending_, POLLIN, 0}};
        if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
        if ((watched[0].revents & POLLIN) == 0) {
            if (watched[1].revents != 0 || watched[0].revents != 0) return;
            continue;
        }
        seccomp_notif asked{};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue; // requester killed
        const bool by_folder = asked.data.nr == SYS_openat || asked.data.nr == openat2;
        const int folder = by_folder ? static_cast<int>(asked.data.args[0]) : AT_FDCWD;
        const int process = static_cast<int>(asked.pid);
        const std::string path = text_at(process, asked.data.args[by_folder ? 1 : 0]);
        seccomp_notif_resp answer{};
        answer.id = asked.id;
        if (may_open(process, folder, path))
            answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else
            answer.error = -ENOENT;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

namespace {

// Reads another process's memory: in the sandbox, which forbids the system call, from
// /proc/PID/mem.
ssize_t read_memory(int process, std::uint64_t address, std::span<char> bytes)
{
    const iovec here{bytes.data(), bytes.size()};
    const iovec there{reinterpret_cast<void*>(address), bytes.size()};
    const ssize_t bytes_read = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (bytes_read >= 0 || errno != EPERM) return bytes_read;
    const int memory =
        open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (memory < 0) return -1;
    const ssize_t read = pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(address));
    close(memory);
    return read;
}

} // namespace

// Empty if there is no string at the address.
std::string FileView::text_at(int process, std::uint64_t address) const
{
    if (watches_own_process_) {
        const auto* text = reinterpret_cast<const char*>(address);
        return text ? std::string(text, strnlen(text, PATH_MAX)) : std::string();
    }
    // Reads page by page: memory past the string may not be readable.
    constexpr std::uint64_t page = 4096;
    std::string text;
    while (text.size() < PATH_MAX) {
        std::array<char, page> bytes{};
        const ssize_t bytes_read =
            read_memory(process, address, std::span(bytes).first(page - address % page));
        if (bytes_read <= 0) return {};
        const std::size_t length = strnlen(bytes.data(), static_cast<std::size_t>(bytes_read));
        text.append(bytes.data(), length);
        if (length < static_cast<std::size_t>(bytes_read)) return text;
        address += static_cast<std::uint64_t>(bytes_read);
    }
    return {};
}

bool FileView::is_within(const fs::path& real) const
{
    return std::ranges::any_of(within_, [&](const fs::path& each) {
        return starts_with(real, each) && !is_hidden_in(each, real);
    });
}

bool FileView::counts(int process) const
{
    if (askers_.empty()) return true;
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
    return askers_.contains(name);
}

bool FileView::may_open(int process, int folder, const std::string& path)
{
    const bool relative = !path.starts_with('/');
    fs::path asked = path;
    if (relative)
        asked = fs::path(folder == AT_FDCWD ? fmt::format("/proc/{}/cwd", process)
                                            : fmt::format("/proc/{}/fd/{}", process, folder)) /
                path;
    // Opening a pipe would block the compiler forever.
    std::error_code none;
    const fs::file_type type = fs::status(asked, none).type();
    if (type == fs::file_type::fifo || type == fs::file_type::socket) return false;
    if (is_within(real_path(asked))) return true;
    // Not recorded: compilers look for headers next to the source first,
    // even if the source has no folder.
    if (relative && !climbs_above_folder(path)) return false;
    if (counts(process) && !is_library(path)) {
        const std::scoped_lock lock(mutex_);
        if (refused_.size() < 16 && std::ranges::find(refused_, path) == refused_.end())
            refused_.push_back(path);
    }
    return false;
}

} // namespace lanescope
