// What goes in and comes out is MessagePack, which takes any bytes as a text.
#include "compute/cuda/compile/compiler_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "compute/device/device.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

// Before each message: how many bytes it has.
using Length = std::uint64_t;
constexpr Length max_bytes = Length{1} << 28;

json to_json(std::string_view text, const fs::path& name, const CompileOptions& options)
{
    std::vector<std::string> folders;
    for (const fs::path& folder : options.include_directories) folders.push_back(folder.string());
    return {{"text", text},
            {"name", name.string()},
            {"architecture", options.architecture},
            {"own_folder", options.own_folder},
            {"include_directories", folders},
            {"definitions", options.definitions},
            {"standard", options.standard},
            {"flags", options.flags}};
}

CompileOptions options_from(const json& job)
{
    CompileOptions options;
    job.at("architecture").get_to(options.architecture);
    job.at("own_folder").get_to(options.own_folder);
    for (const auto& folder : job.at("include_directories"))
        options.include_directories.emplace_back(folder.get<std::string>());
    job.at("definitions").get_to(options.definitions);
    job.at("standard").get_to(options.standard);
    job.at("flags").get_to(options.flags);
    return options;
}

json made_of(const json& job)
{
    try {
        const Compiled made = compile_to_ptx(job.at("text").get<std::string>(),
                                             job.at("name").get<std::string>(), options_from(job));
        return {{"ptx", made.ptx}, {"log", made.log}};
    } catch (const CompileError& error) {
        return {{"refused", error.log()}};
    } catch (const Error& error) {
        return {{"error", error.what()}, {"status", static_cast<int>(error.status())}};
    }
}

// A compiler that hangs reads nothing: the other side is watched beside it.
void exit_with_parent()
{
    std::thread([] {
        pollfd input{.fd = STDIN_FILENO, .events = 0, .revents = 0};
        while (poll(&input, 1, -1) < 0 && errno == EINTR) {
        }
        if (input.revents & POLLHUP) _exit(static_cast<int>(ExitStatus::bad_usage));
    }).detach();
}

// Not under a sanitizer, whose bookkeeping counts as memory.
void limit_memory()
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, max_compiler_bytes);
    setrlimit(RLIMIT_DATA, &limit);
#endif
}

bool read_all(void* bytes, std::size_t count)
{
    for (auto* at = static_cast<char*>(bytes); count > 0;) {
        const ssize_t came = recv(STDIN_FILENO, at, count, 0);
        if (came < 0 && errno == EINTR) continue;
        if (came <= 0) return false;
        at += came;
        count -= static_cast<std::size_t>(came);
    }
    return true;
}

bool write_all(const void* bytes, std::size_t count)
{
    for (const auto* at = static_cast<const char*>(bytes); count > 0;) {
        const ssize_t went = send(STDIN_FILENO, at, count, MSG_NOSIGNAL);
        if (went < 0 && errno == EINTR) continue;
        if (went < 0) return false;
        at += went;
        count -= static_cast<std::size_t>(went);
    }
    return true;
}

bool send_message(Process& process, const Bytes& message)
{
    const Length length = message.size();
    return process.write(std::as_bytes(std::span(&length, 1))) &&
           process.write(std::as_bytes(std::span(message)));
}

struct Answer {
    json what; // null when none came
    bool out_of_time = false;
};

// What counts is the time that processors gave it: on a busy machine it may take longer, but not
// for ever, as it may wait for something.
Answer receive(Process& process, std::chrono::milliseconds limit)
{
    using Clock = std::chrono::steady_clock;
    constexpr int longest = 6; // times the limit
    const auto begun = Clock::now();
    const auto worked = process.processor_time();
    auto until = begun + limit;
    Length length = 0;
    while (!process.read(std::as_writable_bytes(std::span(&length, 1)), until)) {
        if (Clock::now() < until) return {}; // it has ended
        const auto left = limit - (process.processor_time() - worked);
        if (left <= std::chrono::milliseconds(1) || Clock::now() >= begun + longest * limit)
            return {nullptr, true};
        until = Clock::now() + std::chrono::ceil<std::chrono::milliseconds>(left);
    }
    Bytes message(length);
    if (!process.read(std::as_writable_bytes(std::span(message)), until + limit)) return {};
    json came = json::from_msgpack(message, true, false);
    return {came.is_discarded() ? json(nullptr) : std::move(came)};
}

} // namespace

CompilerProcess::CompilerProcess(std::vector<std::string> command, std::chrono::milliseconds limit)
    : command_(std::move(command)), limit_(limit)
{
}

CompilerProcess::~CompilerProcess() = default;

std::unique_ptr<Process> CompilerProcess::take()
{
    {
        const std::scoped_lock lock(mutex_);
        if (!waiting_.empty()) {
            auto process = std::move(waiting_.back());
            waiting_.pop_back();
            return process;
        }
    }
    try {
        return std::make_unique<Process>(command_, Process::Input::from_us);
    } catch (const std::system_error& error) {
        throw device::DeviceError(
            fmt::format("The compiler cannot be started: {}.", error.code().message()),
            "Close some programs, or compile the kernel to PTX with nvcc and open that.");
    }
}

void CompilerProcess::give_back(std::unique_ptr<Process> process)
{
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(process));
}

Compiled CompilerProcess::compile(std::string_view text, const fs::path& name,
                                  const CompileOptions& options)
{
    const auto refuse = [&](const std::string& why) {
        throw CompileError(name, fmt::format("{}(1): error: {}\n", name.string(), why));
    };
    std::unique_ptr<Process> process = take();
    Answer answer;
    if (send_message(*process, json::to_msgpack(to_json(text, name, options))))
        answer = receive(*process, limit_);
    const json& came = answer.what;
    if (answer.out_of_time)
        refuse(fmt::format("the compiler did not finish within {:g} s and was stopped",
                           std::chrono::duration<double>(limit_).count()));
    if (came.is_null()) {
        process->kill(); // should it live on after half an answer; else it keeps its status
        refuse(fmt::format("this source crashed the compiler (exit status {})", process->wait()));
    }
    give_back(std::move(process));
    if (came.contains("refused")) throw CompileError(name, came.at("refused").get<std::string>());
    if (came.contains("error"))
        throw Error(static_cast<ExitStatus>(came.at("status").get<int>()),
                    came.at("error").get<std::string>());
    return {came.at("ptx").get<std::string>(), came.at("log").get<std::string>()};
}

int serve_compilations()
{
    exit_with_parent();
    limit_memory();
    Length length = 0;
    while (read_all(&length, sizeof length) && length <= max_bytes) {
        Bytes message(length);
        if (!read_all(message.data(), length)) break;
        const json job = json::from_msgpack(message, true, false);
        if (job.is_discarded()) break;
        const Bytes made = json::to_msgpack(made_of(job));
        length = made.size();
        if (!write_all(&length, sizeof length) || !write_all(made.data(), made.size())) break;
    }
    return static_cast<int>(ExitStatus::done);
}

} // namespace lanescope::cuda
