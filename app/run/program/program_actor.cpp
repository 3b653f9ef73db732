// The process beside the window receives a job on its standard input and answers once. It holds the
// launches' memory until its input closes, which happens when the window ends, even in a crash.
#include "app/run/program/program_actor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run/editing/compiling.h"
#include "app/run/program/program_json.h"
#include "compute/counting/gpus.h"
#include "compute/error.h"
#include "compute/process/own_program.h"
#include "compute/process/parent.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t max_kept = 3; // runs whose launches can be opened
constexpr std::uint64_t max_answer_bytes = std::uint64_t{1} << 30;

std::string sized(const std::string& text)
{
    const std::uint64_t size = text.size();
    std::string all(sizeof size, '\0');
    std::memcpy(all.data(), &size, sizeof size);
    return all + text;
}

std::string to_text(const ProgramJob& job, std::uint64_t run)
{
    ordered_json folders = ordered_json::array();
    for (const fs::path& folder : header_folders()) folders.push_back(folder.string());
    const counting::Gpu* const gpu = counting::chosen_gpu();
    return ordered_json{{"file", job.file.string()},
                        {"edits", job.edits},
                        {"keep_launch", job.keep_launch},
                        {"on_gpu", job.on_gpu},
                        {"run", run},
                        {"gpu", gpu == nullptr ? std::string_view() : gpu->name},
                        {"definitions", compile_options().definitions},
                        {"architecture", compile_options().architecture},
                        {"folders", folders}}
        .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace

const ProgramLaunch* ProgramFrame::launch(int index) const
{
    const auto& all = result.report.launches;
    const auto found = std::ranges::find(all, index, &ProgramLaunch::index);
    return found == all.end() ? nullptr : &*found;
}

const ProgramLaunch* ProgramFrame::launch_of(const std::string& lab) const
{
    for (const ProgramLaunch& one : result.report.launches)
        if (!one.lab.empty() && one.lab.string() == lab) return &one;
    return nullptr;
}

ProgramActor::ProgramActor(std::function<void()> news)
    : news_(std::move(news)), thread_([this] { loop(); })
{
}

ProgramActor::~ProgramActor()
{
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
        if (process_) process_->kill();
    }
    requested_.notify_all();
    thread_.join();
}

void ProgramActor::run(ProgramJob job)
{
    ProgramFrame frame{.job = job, .since = std::chrono::steady_clock::now()};
    const std::scoped_lock lock(mutex_);
    frame.number = ++runs_;
    if constexpr (!has_threads) {
        frame.state = ProgramFrame::State::failed;
        frame.problem = "A browser cannot start programs. Use the desktop version of Lanescope.";
    } else {
        wanted_ = std::move(job);
        if (process_) process_->kill();
        requested_.notify_all();
    }
    newest_ = std::make_shared<const ProgramFrame>(std::move(frame));
}

void ProgramActor::stop()
{
    const std::scoped_lock lock(mutex_);
    wanted_.reset();
    if (process_) process_->kill();
}

std::shared_ptr<const ProgramFrame> ProgramActor::newest() const
{
    const std::scoped_lock lock(mutex_);
    return newest_;
}

void ProgramActor::loop()
{
    for (;;) {
        ProgramFrame frame;
        {
            std::unique_lock lock(mutex_);
            requested_.wait(lock, [&] { return ends_ || wanted_; });
            if (ends_) break;
            frame = *newest_;
            frame.job = *std::exchange(wanted_, {});
        }
        perform(std::move(frame));
    }
    kept_.clear();
}

void ProgramActor::publish(ProgramFrame frame)
{
    {
        const std::scoped_lock lock(mutex_);
        if (wanted_ || frame.number != runs_) return; // a newer one has been requested
        newest_ = std::make_shared<const ProgramFrame>(std::move(frame));
    }
    if (news_) news_();
}

void ProgramActor::perform(ProgramFrame frame)
{
    using State = ProgramFrame::State;
    frame.state = State::failed;
    try {
        const auto process = std::make_shared<Process>(
            std::vector<std::string>{own_program(), program_word}, Process::Input::from_parent);
        {
            const std::scoped_lock lock(mutex_);
            if (ends_ || wanted_) return;
            process_ = process;
        }
        const std::string job = sized(to_text(frame.job, frame.number));
        // No deadline is needed here: the process has its own limits.
        const auto never = std::chrono::steady_clock::now() + std::chrono::hours(24);
        std::uint64_t size = 0;
        std::string answer;
        bool answered = process->write(std::as_bytes(std::span(job))) &&
                        process->read(std::as_writable_bytes(std::span(&size, 1)), never) &&
                        size <= max_answer_bytes;
        if (answered) {
            answer.resize(size);
            answered = process->read(std::as_writable_bytes(std::span(answer)), never);
        }
        {
            const std::scoped_lock lock(mutex_);
            process_.reset();
        }
        if (!answered) {
            process->kill();
            const int status = process->wait();
            frame.state = status == status_of_killed ? State::stopped : State::failed;
            frame.problem =
                frame.state == State::stopped
                    ? "It was stopped."
                    : fmt::format("The process that ran the program ended: {}", process->output());
            return publish(std::move(frame));
        }
        const ordered_json json = ordered_json::parse(answer);
        if (json.contains("error")) {
            frame.problem = json["error"].get<std::string>();
        } else {
            frame.result = program_result(json);
            frame.state = State::done;
            kept_.push_back(process);
            if (kept_.size() > max_kept) kept_.pop_front();
        }
    } catch (const std::exception& error) {
        frame.problem = error.what();
    }
    publish(std::move(frame));
}

namespace {

// Edited sources are written to a separate folder and built there; headers are searched where the
// originals are.
std::map<fs::path, fs::path> write_edits(const ordered_json& edits, const fs::path& folder,
                                         ProgramRequest& request)
{
    std::map<fs::path, fs::path> originals;
    int number = 0;
    for (const auto& [path, text] : edits.items()) {
        const fs::path original(path);
        const fs::path copy = folder / fmt::format("edited_{}", number++) / original.filename();
        fs::create_directories(copy.parent_path());
        std::ofstream(copy, std::ios::binary) << text.get<std::string>();
        originals[copy] = original;
        request.compile.include_directories.push_back(original.parent_path());
        if (request.files.front() == original) request.imports_from = original.parent_path();
        std::ranges::replace(request.files, original, copy);
    }
    return originals;
}

// Renames the launches' folders, whose names are the ids of their labs: the same launch of an
// earlier run may still be open.
void name_after_run(std::uint64_t run, std::vector<ProgramLaunch>& launches)
{
    if (run <= 1) return;
    for (ProgramLaunch& launch : launches) {
        if (launch.lab.empty()) continue;
        fs::path named = launch.lab;
        named += fmt::format("_run_{}", run);
        fs::rename(launch.lab, named);
        launch.lab = std::move(named);
    }
}

// Replaces the paths of edited copies in the output of the program, such as a traceback.
void name_originals(const std::map<fs::path, fs::path>& originals, std::string& text)
{
    for (const auto& [copy, original] : originals) {
        const std::string from = copy.string(), to = original.string();
        for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
            text.replace(at, from.size(), to);
    }
}

} // namespace

int run_program_for_window()
{
    die_with_parent(); // ends with the window
    std::uint64_t size = 0;
    std::string text;
    if (!read_from_parent(std::as_writable_bytes(std::span(&size, 1))) || size > max_answer_bytes)
        return 1;
    text.resize(size);
    if (!read_from_parent(std::as_writable_bytes(std::span(text)))) return 1;
    std::optional<WatchedFolder> folder;
    std::string answer;
    try {
        const ordered_json job = ordered_json::parse(text);
        folder.emplace();
        const fs::path file(job.at("file").get<std::string>());
        if (file.has_parent_path()) fs::current_path(file.parent_path());
        ProgramRequest request;
        request.files = {file};
        request.compile.architecture = job.at("architecture");
        for (const auto& one : job.at("definitions")) request.compile.definitions.push_back(one);
        for (const auto& one : job.at("folders"))
            request.compile.include_directories.emplace_back(one.get<std::string>());
        request.on_gpu = job.at("on_gpu");
        request.gpu = job.value("gpu", std::string());
        if (!request.on_gpu || job.at("keep_launch") >= 0) // keeping all of them is slow
            request.keep = folder->path() / "launches";
        request.keep_launch = job.at("keep_launch");
        request.keeps_output = true;
        request.as_written = true;
        request.launch_limit_s = 60;
        request.limits.seconds = 300;
        request.limits.file_bytes = std::uint64_t{1} << 30;
        const auto originals = write_edits(job.at("edits"), folder->path(), request);
        ProgramResult result = run_whole_program(request);
        const auto original = [&](fs::path& path) {
            if (const auto known = originals.find(path); known != originals.end())
                path = known->second;
        };
        name_after_run(job.at("run"), result.report.launches);
        for (ProgramLaunch& launch : result.report.launches) {
            original(launch.source);
            fs::path host = launch.host.file;
            original(host);
            launch.host.file = host.string();
        }
        for (ProgramFinding& finding : result.report.findings) {
            fs::path where = finding.file;
            original(where);
            finding.file = where.string();
        }
        name_originals(originals, result.end.output);
        name_originals(originals, result.end.error_output);
        answer = to_json(result).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    } catch (const std::exception& error) {
        answer = ordered_json{{"error", error.what()}}.dump(-1, ' ', false,
                                                            ordered_json::error_handler_t::replace);
    }
    const std::string message = sized(answer);
    write_to_parent(std::as_bytes(std::span(message)));
    std::byte none{};
    while (read_from_parent(std::span(&none, 1))) {
    }
    return 0;
}

} // namespace lanescope::app
