// The child restricts itself (process/walls.h) before it reads the job's sources, even inside
// bubblewrap: a process that was already restricted could not mount what bubblewrap needs.
#include "app/judge/sandbox.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "compute/cuda/compile/toolkit.h"
#include "compute/error.h"
#include "compute/process/own_program.h"
#include "compute/process/parent.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "compute/process/streams.h"
#include "compute/process/temporary_folder.h"
#include "compute/process/walls.h"
#include "compute/text.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_written_bytes = std::size_t{64} << 20; // per file and stream
constexpr unsigned max_processes = 512;                          // in bubblewrap's user namespace

// Access to the folders of the assignment, and of the programs that compile and run kernels.
Walls judging_walls(const Assignment& assignment, const fs::path& temporary)
{
    Walls walls = walls_for_program(own_program_file());
    for (const fs::path& root : cuda::toolkit_roots()) walls.runnable.push_back(root);
    walls.readable.push_back(assignment.path);
    for (const fs::path place : {assignment.lab, assignment.reference})
        if (place.is_absolute()) // a kernel's headers are beside it
            walls.readable.push_back(fs::is_directory(place) ? place : place.parent_path());
    walls.readable.insert(walls.readable.end(), {"/proc", "/usr/include", "/usr/share"});
    walls.writable.push_back(temporary);
    walls.limits = {.memory_bytes = assignment.limits.memory_bytes,
                    .file_bytes = max_written_bytes,
                    .processor_s = static_cast<unsigned>(2 * assignment.limits.seconds + 1)};
    return walls;
}

// Arguments for bubblewrap: the sandbox contains only these paths. A path in /tmp is bound over an
// empty /tmp.
std::vector<std::string> bubblewrap_words(const Walls& walls)
{
    std::vector<std::string> words{"bwrap",
                                   "--unshare-all",
                                   "--die-with-parent",
                                   "--new-session",
                                   "--cap-drop",
                                   "ALL",
                                   "--proc",
                                   "/proc",
                                   "--dev",
                                   "/dev",
                                   "--tmpfs",
                                   "/tmp",
                                   "--clearenv",
                                   "--setenv",
                                   "TMPDIR",
                                   "/tmp",
                                   "--setenv",
                                   "HOME",
                                   "/nonexistent",
                                   "--setenv",
                                   "CUDA_VISIBLE_DEVICES",
                                   "",
                                   "--setenv",
                                   "LANG",
                                   "C.UTF-8"};
    for (const char* variable : {"PATH", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"})
        if (const char* const value = std::getenv(variable))
            words.insert(words.end(), {"--setenv", variable, value});
    for (const auto* list : {&walls.runnable, &walls.readable})
        for (const fs::path& path : *list) {
            const std::string name = path.lexically_normal().string();
            if (name.starts_with("/dev") || name.starts_with("/proc")) continue;
            words.insert(words.end(), {"--ro-bind-try", name, name});
        }
    words.insert(words.end(), {"--chdir", "/tmp", "--", own_program_file().string(), judge_word});
    return words;
}

// Kills a process at a deadline, unless it is destroyed before.
class Deadline {
public:
    Deadline(Process& process, double seconds)
        : thread_([this, &process, seconds] {
              std::unique_lock lock(mutex_);
              if (changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                                    [this] { return done_; }))
                  return;
              passed_ = true;
              process.kill();
          })
    {
    }
    ~Deadline() { stop(); }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    bool stop()
    {
        {
            const std::scoped_lock lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
        return passed_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    bool passed_ = false;
    std::thread thread_;
};

void raise_walls(const Json& job, const Assignment& assignment)
{
    const std::string kind = job.at("sandbox");
    if (kind == name(Sandbox::none)) return;
    // Only in bubblewrap's user namespace: elsewhere the limit counts all of the user's processes.
    if (kind == name(Sandbox::bubblewrap)) limit_processes(max_processes);
    const PreparedWalls walls(judging_walls(assignment, job.at("temporary").get<std::string>()));
    if (!walls.raise())
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("The sandbox cannot be set up: {}.", std::strerror(errno)),
                    "Start Lanescope outside other sandboxes, or pass --no-sandbox.");
}

Json answer_of(const Json& job)
{
    try {
        const Assignment assignment = read_assignment(job.at("assignment").get<std::string>());
        raise_walls(job, assignment);
        return {{"facts", measured(assignment, job.at("texts").get<SubmittedTexts>())}};
    } catch (const std::bad_alloc&) {
        return {{"problem", "It needs more memory than the assignment allows."}};
    } catch (const std::exception& error) {
        return {{"problem", error.what()}};
    }
}

std::string problem_of(int status, const std::string& errors)
{
    if (status == status_of_killed) return "The process that ran it was killed.";
    if (status == status_of_processor_limit)
        return "It used more CPU time than the assignment allows.";
    const std::string_view said = trimmed(errors);
    const std::size_t line = said.rfind('\n');
    return fmt::format("The process that ran it ended with status {}{}{}.", status,
                       said.empty() ? "" : ": ",
                       shortened(printable(said.substr(line == said.npos ? 0 : line + 1)), 300));
}

} // namespace

std::string_view name(Sandbox sandbox)
{
    switch (sandbox) {
    case Sandbox::bubblewrap: return "bubblewrap";
    case Sandbox::walls: return "walls";
    case Sandbox::none: break;
    }
    return "none";
}

Sandbox best_sandbox()
{
    // User namespaces may be forbidden even if bubblewrap is installed.
    if (find_program("bwrap") &&
        run_to_end({"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc",
                    "/proc", "--dev", "/dev", "true"})
                .status == 0)
        return Sandbox::bubblewrap;
    const KnownWalls known = known_walls();
    return known.landlock_version > 0 && known.seccomp ? Sandbox::walls : Sandbox::none;
}

Judged judge_in_process(const Assignment& assignment, const SubmittedTexts& texts, Sandbox sandbox)
{
    const TemporaryFolder folder;
    const bool wrapped = sandbox == Sandbox::bubblewrap;
    const fs::path temporary = wrapped ? fs::path("/tmp") : folder.path();
    const Json job{{"assignment", assignment.path.string()},
                   {"sandbox", name(sandbox)},
                   {"temporary", temporary.string()},
                   {"texts", texts}};
    const std::string message = job.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::vector<std::string> words =
        wrapped ? bubblewrap_words(judging_walls(assignment, temporary))
                : std::vector<std::string>{own_program_file().string(), judge_word};
    Judged judged;
    try {
        Process process(words, {.input = Process::Input::from_parent,
                                .kill_children = true,
                                .separate_stderr = true,
                                .changes = {"TMPDIR=" + temporary.string(), "HOME=/nonexistent",
                                            "CUDA_VISIBLE_DEVICES="}});
        Deadline deadline(process, assignment.limits.seconds);
        process.write(std::as_bytes(std::span(message)));
        process.end_input();
        const int status = process.wait();
        judged.timed_out = deadline.stop();
        // Limits the depth, because reading and writing recurse; facts are shallow.
        constexpr int max_depth = 16;
        const auto is_shallow = [](int depth, Json::parse_event_t, Json&) {
            return depth < max_depth;
        };
        const Json answer = Json::parse(process.output(max_written_bytes), is_shallow, false);
        if (answer.is_object() && answer.contains("facts"))
            judged.facts = answer["facts"].dump(-1, ' ', false, Json::error_handler_t::replace);
        else if (judged.timed_out)
            judged.problem = fmt::format("It was stopped after {} s.", assignment.limits.seconds);
        else if (answer.is_object() && answer.contains("problem") && answer["problem"].is_string())
            judged.problem = answer["problem"].get<std::string>();
        else
            judged.problem = problem_of(status, process.errors());
    } catch (const std::system_error& error) {
        throw Error(
            ExitStatus::device_unavailable,
            fmt::format("No process can be started for a submission: {}.", error.code().message()),
            "Close some programs, or pass a smaller number to --jobs.");
    }
    return judged;
}

int judge_for_parent()
{
    die_with_parent();
    // Kernels print to standard output, which belongs to the answer.
    const int answers = duplicate(standard_output);
    redirect(standard_output, standard_errors);
    const Json job = Json::parse(read_to_end(standard_input), nullptr, false);
    if (job.is_discarded()) return static_cast<int>(ExitStatus::bad_usage);
    const std::string text = answer_of(job).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (!write_all(answers, text)) return static_cast<int>(ExitStatus::bad_usage);
    return static_cast<int>(ExitStatus::done);
}

} // namespace lanescope::app
