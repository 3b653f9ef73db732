// Messages are MessagePack, because source may contain any bytes. An NVRTC process enters its
// sandbox (compute/process/walls.h) when its first source arrives, and compiles further sources in
// it. A process for nvcc is not sandboxed itself: it creates the folder that nvcc writes to, and
// starts nvcc in a sandbox.
#include "compute/cuda/compile/compiler_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <optional>
#include <regex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compute/cuda/compile/nvrtc.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/device/device.h"
#include "compute/process/file_view.h"
#include "compute/process/library.h"
#include "compute/process/parent.h"
#include "compute/process/temporary_folder.h"
#include "compute/process/walls.h"
#include "compute/text.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

// Size of the following message in bytes.
using Length = std::uint64_t;
constexpr Length max_bytes = Length{1} << 28;

json to_json(std::string_view text, const fs::path& name, const CompileOptions& options)
{
    std::vector<std::string> folders;
    for (const fs::path& folder : options.include_directories) folders.push_back(folder.string());
    return {{"text", text},
            {"name", name.generic_string()}, // NVRTC drops backslashes
            {"architecture", options.architecture},
            {"own_folder", options.own_folder.string()},
            {"include_directories", folders},
            {"definitions", options.definitions},
            {"standard", options.standard},
            {"flags", options.flags}};
}

CompileOptions options_from(const json& job)
{
    CompileOptions options;
    job.at("architecture").get_to(options.architecture);
    options.own_folder = job.at("own_folder").get<std::string>();
    for (const auto& folder : job.at("include_directories"))
        options.include_directories.emplace_back(folder.get<std::string>());
    job.at("definitions").get_to(options.definitions);
    job.at("standard").get_to(options.standard);
    job.at("flags").get_to(options.flags);
    return options;
}

fs::path absolute_path(const fs::path& path)
{
    return path.empty() ? path : fs::absolute(path);
}

// Turns "-Iheaders" into "-I/home/me/headers": the compiler works in another folder.
std::string absolute_flag(const std::string& flag)
{
    std::size_t begin = flag.find('=');
    begin = begin != flag.npos ? begin + 1 : flag.starts_with("-I") ? 2 : 0;
    const std::string path = flag.substr(begin);
    std::error_code none;
    if (path.empty() || path.starts_with('-') || !fs::exists(path, none)) return flag;
    return flag.substr(0, begin) + fs::absolute(path).string();
}

CompileOptions with_absolute_paths(CompileOptions options)
{
    options.own_folder = absolute_path(options.own_folder);
    for (fs::path& folder : options.include_directories) folder = absolute_path(folder);
    for (std::string& flag : options.flags) flag = absolute_flag(flag);
    return options;
}

// Identifies the sandbox settings that a source needs, so that it is compiled only by an NVRTC
// process with the same settings.
std::string key_of(const CompileOptions& options)
{
    std::string key = options.own_folder.string();
    for (const fs::path& folder : options.include_directories) key += '\n' + folder.string();
    for (const std::string& flag : options.flags) key += '\n' + flag;
    return key;
}

// In place of a key: the process has not entered a sandbox yet.
constexpr std::string_view prepared_key = "prepared";

// No relative path leads to a file then.
void leave_folder()
{
    if (!enter_empty_folder())
        throw Error(ExitStatus::device_unavailable, "Cannot change to the compiler's folder.",
                    "Set TMPDIR to another folder.");
}

[[noreturn]] void fail_walls()
{
    throw Error(ExitStatus::device_unavailable,
                fmt::format("The compiler cannot be sandboxed: {}.", std::strerror(errno)),
                "Start Lanescope outside other sandboxes.");
}

// NVRTC in this process, sandboxed.
class WalledNvrtc {
public:
    explicit WalledNvrtc(const CompileOptions& options)
        : nvrtc_(Nvrtc::load()), walls_{.readable = readable_headers(options),
                                        .limits = {.memory_bytes = max_compiler_bytes,
                                                   .file_bytes = max_bytes}},
          view_(walls_)
    {
        if (!nvrtc_) return;
        tzset(); // loads the time zone before the sandbox: compilers read the date
        // NVRTC will look for the driver. Opening it here lets the loader remember which folders of
        // its search path do not exist: in the sandbox, each opened file costs a message.
        open_library(driver_library(), Binding::lazy);
        leave_folder();
        if (!PreparedWalls(walls_).raise()) fail_walls();
    }
    // Checks each file that is opened from now on. Other threads must have started before.
    void watch()
    {
        if (!std::exchange(watches_, true)) view_.watch_this_thread();
    }

    // Null if NVRTC is not installed.
    const Nvrtc* nvrtc() const { return nvrtc_.get(); }
    FileView& view() { return view_; }

private:
    std::unique_ptr<Nvrtc> nvrtc_;
    Walls walls_;
    FileView view_;
    bool watches_ = false;
};

// False only if no directive or option can make the compiler open a file for this job.
bool may_open_files(const json& job)
{
    const auto& text = job.at("text").get_ref<const std::string&>();
    constexpr std::string_view signs[] = {"#", "%:", "?\?=", "import"};
    return !job.at("flags").empty() || std::ranges::any_of(signs, [&](std::string_view sign) {
        return text.find(sign) != text.npos;
    });
}

json result_of_nvrtc(WalledNvrtc& walled, const json& job)
{
    if (!walled.nvrtc()) return {{"none", true}};
    json made;
    try {
        const Compiled compiled =
            compile_with_nvrtc(*walled.nvrtc(), job.at("text").get<std::string>(),
                               job.at("name").get<std::string>(), options_from(job));
        made = {{"ptx", compiled.ptx}, {"log", compiled.log}};
    } catch (const CompileError& error) {
        made = {{"refused", error.log()}};
    }
    made["outside"] = walled.view().take_refused_paths();
    return made;
}

// Resources to release and children to end if the parent goes away.
struct JobInProgress {
    std::mutex mutex;
    std::string folder;
};
JobInProgress& job_in_progress()
{
    static JobInProgress all;
    return all;
}

json result_of_nvcc(const json& job)
{
    const auto nvcc = find_nvcc();
    if (!nvcc) return {{"none", true}};
    const CompileOptions options = options_from(job);
    const TemporaryFolder folder;
    {
        const std::scoped_lock lock(job_in_progress().mutex);
        job_in_progress().folder = folder.path().string();
    }
    Walls walls = walls_for_nvcc(*nvcc, options, folder.path());
    const unsigned seconds = job.at("seconds").get<unsigned>();
    walls.limits = {
        .memory_bytes = max_compiler_bytes, .file_bytes = max_bytes, .processor_s = seconds};
    // Only requests from these programs (host compilers and nvcc's own) are caused by the source,
    // so only their refusals are recorded.
    FileView view(walls, {"cc1plus", "cc1", "cudafe++", "cicc", "clang", "clang++", "nvc++"});
    json made;
    try {
        const Compiled compiled = compile_with_nvcc(*nvcc, job.at("text").get<std::string>(),
                                                    job.at("name").get<std::string>(), options,
                                                    folder.path(), &walls, &view);
        made = {{"ptx", compiled.ptx}, {"log", compiled.log}};
    } catch (const CompileError& error) {
        made = {{"refused", error.log()}};
        if (seconds_of_children() >= seconds) made["out_of_time"] = true;
    }
    made["outside"] = view.take_refused_paths();
    const std::scoped_lock lock(job_in_progress().mutex);
    job_in_progress().folder.clear();
    return made;
}

// A hanging compiler reads no input, so a separate thread watches for the parent.
void end_job_with_parent()
{
    exit_with_parent([] {
        const std::scoped_lock lock(job_in_progress().mutex);
        if (job_in_progress().folder.empty()) return;
        std::error_code none;
        fs::remove_all(job_in_progress().folder, none);
    });
}

bool send_message(Process& process, const Bytes& message)
{
    const Length length = message.size();
    return process.write(std::as_bytes(std::span(&length, 1))) &&
           process.write(std::as_bytes(std::span(message)));
}

struct Answer {
    json what; // null if no answer arrived
    bool out_of_time = false;
};

// Limits CPU time rather than wall-clock time, because a busy machine takes longer; wall-clock time
// is limited too, in case the process is blocked.
Answer receive(Process& process, std::chrono::milliseconds limit)
{
    using Clock = std::chrono::steady_clock;
    constexpr int longest = 6; // times the limit, in wall-clock time
    const auto begun = Clock::now();
    const auto worked = process.processor_time();
    auto until = begun + limit;
    Length length = 0;
    while (!process.read(std::as_writable_bytes(std::span(&length, 1)), until)) {
        if (Clock::now() < until) return {}; // the process has ended
        const auto left = limit - (process.processor_time() - worked);
        if (left <= std::chrono::milliseconds(1) || Clock::now() >= begun + longest * limit)
            return {nullptr, true};
        until = Clock::now() + std::chrono::ceil<std::chrono::milliseconds>(left);
    }
    if (length > max_bytes) return {};
    Bytes message(length);
    if (!process.read(std::as_writable_bytes(std::span(message)), until + limit)) return {};
    json parsed = json::from_msgpack(message, true, false);
    return {parsed.is_discarded() ? json(nullptr) : std::move(parsed)};
}

// Line number in the first message that names the file; 1 if there is none.
int line_of(const std::string& log, const std::string& file)
{
    static const std::regex place(R"re([(:]([0-9]{1,9})[):])re");
    const std::size_t at = log.find(file);
    if (at == log.npos) return 1;
    const std::size_t begin = at == 0 ? 0 : log.rfind('\n', at) + 1;
    const std::string message = log.substr(begin, std::min<std::size_t>(at - begin, 4000));
    std::smatch found;
    return std::regex_search(message, found, place) ? std::stoi(found[1].str()) : 1;
}

std::string outside_message(const fs::path& name, const std::string& log, const std::string& file)
{
    return fmt::format(
        "{}({}): error: the source asks for the file {}, which is outside its folder and the "
        "include folders. Put it beside the kernel, or name its folder with -I.\n",
        name.string(), line_of(log, file), printable(file));
}

} // namespace

CompilerProcess::CompilerProcess(std::vector<std::string> command, std::chrono::milliseconds limit)
    : command_(std::move(command)), limit_(limit)
{
}

CompilerProcess::~CompilerProcess()
{
    for (Waiting& one : waiting_) one.process->leave();
}

std::unique_ptr<Process> CompilerProcess::take(const std::string& key)
{
    {
        const std::scoped_lock lock(mutex_);
        auto found = std::ranges::find(waiting_, key, &Waiting::key);
        if (found == waiting_.end())
            found = std::ranges::find(waiting_, prepared_key, &Waiting::key);
        if (found != waiting_.end()) {
            auto process = std::move(found->process);
            waiting_.erase(found);
            return process;
        }
    }
    try {
        return start();
    } catch (const std::system_error& error) {
        throw device::DeviceError(
            fmt::format("The compiler cannot be started: {}.", error.code().message()),
            "Close some programs, or compile the kernel to PTX with nvcc and open that.");
    }
}

std::unique_ptr<Process> CompilerProcess::start() const
{
    return std::make_unique<Process>(
        command_, Process::Start{.input = Process::Input::from_parent, .kill_children = true});
}

void CompilerProcess::prepare()
{
    try {
        give_back(std::string(prepared_key), start());
    } catch (const std::system_error&) {
        // The first compilation tries again, and reports the failure.
    }
}

void CompilerProcess::give_back(const std::string& key, std::unique_ptr<Process> process)
{
    constexpr std::size_t max_queued = 4;
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({key, std::move(process)});
    if (waiting_.size() > max_queued) waiting_.erase(waiting_.begin());
}

int CompilerProcess::idle()
{
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(waiting_.size());
}

std::optional<Compiled> CompilerProcess::ask(By by, std::string_view text, const fs::path& name,
                                             const CompileOptions& options)
{
    const auto refuse = [&](const std::string& why) {
        throw CompileError(name, fmt::format("{}(1): error: {}\n", name.string(), why));
    };
    const auto throw_timeout = [&] {
        throw TimeoutError(
            name, fmt::format("{}(1): error: the compiler did not finish within {:g} s and was "
                              "stopped\n",
                              name.string(), std::chrono::duration<double>(limit_).count()));
    };
    const std::string key = by == By::nvcc ? "nvcc" : "nvrtc\n" + key_of(options);
    json job = to_json(text, name, options);
    job["by"] = by == By::nvcc ? "nvcc" : "nvrtc";
    job["seconds"] = std::chrono::ceil<std::chrono::seconds>(limit_).count();
    std::unique_ptr<Process> process = take(key);
    Answer answer;
    if (send_message(*process, json::to_msgpack(job))) answer = receive(*process, limit_);
    const json& reply = answer.what;
    if (answer.out_of_time) {
        process->end_input(); // the process then removes its folder
        if (by == By::nvcc) process->wait();
        throw_timeout();
    }
    if (!reply.is_object()) {
        // Has no effect on a process that has ended: its exit status is kept.
        process->kill();
        refuse(fmt::format("this source crashed the compiler (exit status {})", process->wait()));
    }
    give_back(key, std::move(process));
    if (reply.contains("none")) return std::nullopt;
    if (reply.contains("error"))
        throw Error(static_cast<ExitStatus>(reply.value("status", 2)),
                    reply.value("error", std::string()));
    if (reply.value("out_of_time", false)) throw_timeout();
    const std::string log =
        reply.value(reply.contains("refused") ? "refused" : "log", std::string());
    const auto outside = reply.value("outside", std::vector<std::string>());
    if (!outside.empty()) throw OutsideError(name, outside_message(name, log, outside.front()));
    if (reply.contains("refused")) throw CompileError(name, log);
    return Compiled{reply.value("ptx", std::string()), log};
}

Compiled CompilerProcess::compile(std::string_view text, const fs::path& name,
                                  const CompileOptions& options)
{
    const CompileOptions given = with_absolute_paths(options);
    std::optional<CompileError> refused;
    try {
        if (auto made = ask(By::nvrtc, text, name, given)) return *std::move(made);
    } catch (const OutsideError&) {
        throw;
    } catch (const TimeoutError&) {
        throw; // the other compiler would take as long
    } catch (const CompileError& error) {
        if (!may_need_nvcc(text)) throw;
        refused = error;
    }
    if (auto made = ask(By::nvcc, text, name, given)) return *std::move(made);
    if (refused) throw CompileError(*refused);
    throw_no_compiler(name);
}

namespace {

json compile_job(std::optional<WalledNvrtc>& walled, const json& job)
{
    try {
        if (job.at("by") == "nvcc") {
            static std::once_flag watching;
            std::call_once(watching, end_job_with_parent);
            return result_of_nvcc(job);
        }
        if (!walled) {
            walled.emplace(options_from(job));
            end_job_with_parent(); // starts a thread, which must be inside the sandbox
        }
        if (walled->nvrtc() && may_open_files(job)) walled->watch();
        return result_of_nvrtc(*walled, job);
    } catch (const Error& error) {
        return {{"error", error.what()}, {"status", static_cast<int>(error.status())}};
    }
}

} // namespace

int serve_compilations()
{
    if (!parent_waits()) Nvrtc::load(); // stays loaded for the first job
    std::optional<WalledNvrtc> walled;
    Length length = 0;
    while (read_from_parent(std::as_writable_bytes(std::span(&length, 1))) && length <= max_bytes) {
        Bytes message(length);
        if (!read_from_parent(std::as_writable_bytes(std::span(message)))) break;
        const json job = json::from_msgpack(message, true, false);
        if (job.is_discarded()) break;
        Bytes made = json::to_msgpack(compile_job(walled, job));
        if (made.size() > max_bytes)
            made = json::to_msgpack(
                json{{"refused",
                      fmt::format("error: the PTX is larger than {} MB\n", max_bytes >> 20)}});
        length = made.size();
        if (!write_to_parent(std::as_bytes(std::span(&length, 1))) ||
            !write_to_parent(std::as_bytes(std::span(made))))
            break;
    }
    return static_cast<int>(ExitStatus::done);
}

} // namespace lanescope::cuda
