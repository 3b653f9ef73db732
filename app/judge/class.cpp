// Threads claim submissions through a shared counter; each waits for one process at a time.
#include "app/judge/class.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "app/judge/reports.h"
#include "app/run/editing/own_text.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/process/end_request.h"
#include "compute/threads.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* document_ending = ending::session; // JSON, as sessions are

// False for links: in a submission they could lead to any of the lecturer's files.
bool is_plain(const fs::path& path, fs::file_type type)
{
    std::error_code none;
    return fs::symlink_status(path, none).type() == type;
}

bool is_plain_file(const fs::path& path)
{
    return is_plain(path, fs::file_type::regular);
}

// Sources of a submission, or why it cannot be judged.
struct Contents {
    SubmittedTexts texts{};
    std::string problem{};
};

Contents read_contents(const FoundSubmission& found, const Assignment& assignment,
                       const std::string& wanted)
{
    Contents contents;
    std::error_code none;
    std::map<std::string, fs::path> files;
    if (is_plain(found.path, fs::file_type::directory)) {
        for (const auto& entry : fs::directory_iterator(found.path, none))
            if (entry.path().filename() == wanted || is_header(entry.path()))
                files[entry.path().filename().string()] = entry.path();
    } else {
        files[wanted] = found.path;
    }
    std::size_t bytes = 0;
    for (const auto& [name, path] : files) {
        if (!is_plain_file(path)) {
            contents.problem = fmt::format("{} is a link, a pipe or a device.", name);
            return contents;
        }
        const auto size = fs::file_size(path, none);
        bytes += none ? 0 : static_cast<std::size_t>(size);
        if (none || size > assignment.limits.source_bytes ||
            bytes > assignment.limits.source_bytes) {
            contents.problem =
                fmt::format("The submission's files are larger than {} KiB in total.",
                            assignment.limits.source_bytes >> 10);
            return contents;
        }
        try {
            contents.texts[name] = as_utf8(render::read_file(path), name).text;
        } catch (const Error& error) {
            contents.problem = error.what();
            return contents;
        }
        if (!labs::is_utf8(contents.texts[name])) {
            contents.problem = fmt::format("{} is not text.", name);
            return contents;
        }
    }
    if (!contents.texts.contains(wanted))
        contents.problem = fmt::format("It has no file {}.", wanted);
    return contents;
}

std::string fingerprint_of_texts(const Contents& contents)
{
    std::vector<std::string_view> parts{contents.problem};
    for (const auto& [name, text] : contents.texts) parts.insert(parts.end(), {name, text});
    return fingerprint_of(parts);
}

// Returns the submission's name as a safe file name.
std::string file_name(const std::string& name)
{
    std::string safe;
    for (const char one : name)
        safe += one == '/' || one == '\\' || static_cast<unsigned char>(one) < 0x20 ? '_' : one;
    return safe.starts_with('.') ? '_' + safe : safe;
}

void make_folders(const fs::path& folder)
{
    std::error_code problem;
    for (const char* inner : {"results", "pages"}) fs::create_directories(folder / inner, problem);
    if (problem)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("Cannot write to {}: {}.", folder.string(), problem.message()),
                    "Choose another folder with -o.");
}

std::string text_of(const Json& json)
{
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Judges the submissions of one class.
class ClassRun {
public:
    ClassRun(const Assignment& assignment, const ClassOptions& options)
        : assignment_(assignment), options_(options), judged_(open_judged_lab(assignment)),
          about_(assignment_json(assignment))
    {
    }

    Json judge(const FoundSubmission& found)
    {
        const Contents contents = read_contents(found, assignment_, judged_.file);
        const Submission submission{.name = found.name,
                                    .fingerprint = fingerprint_of_texts(contents),
                                    .problem = contents.problem};
        const fs::path result =
            options_.folder / "results" / (file_name(found.name) + document_ending);
        Json made = options_.again ? Json() : known_result(result, submission);
        const bool before = !made.is_null();
        if (!before) {
            Judged judged;
            if (submission.problem.empty())
                judged = judge_in_process(assignment_, contents.texts, options_.sandbox);
            Json facts = judged.facts.empty() ? Json() : Json::parse(judged.facts, nullptr, false);
            if (facts.is_discarded()) facts = nullptr;
            made =
                submission_json(assignment_, submission, facts, judged.problem,
                                judged.timed_out && judged.facts.empty(), name(options_.sandbox));
        }
        // Written even for a reused result, because the earlier run may have used another
        // --show-hidden.
        const auto text =
            contents.problem.empty() ? contents.texts.find(judged_.file) : contents.texts.end();
        render::write_file(options_.folder / "pages" / (file_name(found.name) + ".html"),
                           submission_page(about_, made,
                                           text == contents.texts.end() ? "" : text->second,
                                           options_.hidden));
        // Written after the page, because a submission with a result is not judged again.
        if (!before) render::write_file(result, text_of(class_json(about_, Json::array({made}))));
        report(made, before);
        return made;
    }

private:
    // The result of an earlier run with the same assignment and the same sources; else null.
    Json known_result(const fs::path& path, const Submission& submission) const
    {
        std::error_code none;
        if (!fs::exists(path, none)) return nullptr;
        try {
            const Json document = read_judge_document(path);
            const Json& known = document.at("submissions").at(0);
            if (document.at("assignment") == about_ && known.at("name") == submission.name &&
                known.at("fingerprint") == submission.fingerprint &&
                known.at("verdict") != "not_judged")
                return known;
        } catch (const std::exception&) { // the result is unreadable: judge the submission again
        }
        return nullptr;
    }

    void report(const Json& submission, bool before)
    {
        if (!options_.progress) return;
        const std::scoped_lock lock(mutex_);
        options_.progress(submission, before);
    }

    const Assignment& assignment_;
    const ClassOptions& options_;
    const JudgedLab judged_;
    const Json about_;
    std::mutex mutex_;
};

void write_class(const Json& document, const ClassOptions& options)
{
    const fs::path& folder = options.folder;
    render::write_file(folder / "class.csv", class_csv(document));
    render::write_file(folder / "class.html", class_page(document));
    render::write_file(folder / "junit.xml", junit_xml(document, options.hidden));
    render::write_file(folder / "class.json", text_of(document));
}

} // namespace

std::vector<FoundSubmission> find_submissions(const std::vector<fs::path>& paths,
                                              const std::string& wanted)
{
    std::vector<FoundSubmission> found;
    std::error_code none;
    const auto add = [&](const fs::path& path, bool named) {
        const bool folder = fs::is_directory(path, none);
        if (!folder && path.extension() != ending::cuda_source && !named) return;
        const fs::path whole = (path.has_filename() ? path : path.parent_path()).filename();
        const std::string name = (folder ? whole : whole.stem()).string();
        found.push_back({as_utf8(name, name).text, path});
    };
    for (const fs::path& path : paths) {
        if (!fs::exists(path, none))
            throw Error(ExitStatus::no_such_thing, fmt::format("There is no {}.", path.string()),
                        "Name a .cu file, or a folder with submissions.");
        if (!fs::is_directory(path, none) || fs::exists(path / wanted, none)) {
            add(path, true);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(path))
            if (!entry.path().filename().string().starts_with('.')) add(entry.path(), false);
    }
    std::ranges::sort(found, {}, &FoundSubmission::name);
    const auto twice = std::ranges::adjacent_find(
        found, {}, [](const FoundSubmission& one) { return file_name(one.name); });
    if (twice != found.end())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("There are two submissions named {}.", twice->name),
                    "Rename one of them; a file is named without its extension.");
    if (found.empty())
        throw Error(ExitStatus::no_such_thing, "There are no submissions.",
                    "A submission is a .cu file, or a folder with the assignment's file.");
    return found;
}

Shard read_shard(std::string_view text)
{
    Shard shard;
    const std::size_t slash = text.find('/');
    const auto number = [](std::string_view part, std::size_t& value) {
        if (part.empty() || part.size() > 6) return false;
        value = 0;
        for (const char one : part) {
            if (one < '0' || one > '9') return false;
            value = 10 * value + static_cast<std::size_t>(one - '0');
        }
        return value > 0;
    };
    if (slash == text.npos || !number(text.substr(0, slash), shard.index) ||
        !number(text.substr(slash + 1), shard.count) || shard.index > shard.count)
        throw Error(ExitStatus::bad_usage, fmt::format("--shard cannot be \"{}\".", text),
                    "Write it as I/N, from 1/N to N/N.");
    return shard;
}

Json judge_class(const Assignment& assignment, const std::vector<FoundSubmission>& submissions,
                 const ClassOptions& options)
{
    make_folders(options.folder);
    ClassRun run(assignment, options);
    std::vector<const FoundSubmission*> own;
    for (std::size_t i = 0; i < submissions.size(); ++i)
        if (i % options.shard.count == options.shard.index - 1) own.push_back(&submissions[i]);
    std::vector<Json> judged(own.size());
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failed;
    std::mutex mutex;
    const auto work = [&] {
        for (std::size_t i = next++; i < own.size() && end_request() == 0; i = next++) try {
                judged[i] = run.judge(*own[i]);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failed) failed = std::current_exception();
                next = own.size();
            }
    };
    const std::size_t wanted =
        options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : std::size_t{cores()};
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min(wanted, own.size()); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failed) std::rethrow_exception(failed);
    std::erase_if(judged, [](const Json& one) { return one.is_null(); });
    Json list = Json::array();
    for (Json& one : judged) list.push_back(std::move(one));
    Json document = class_json(assignment_json(assignment), std::move(list));
    if (end_request() == 0) write_class(document, options);
    return document;
}

Json merge_shards(const std::vector<fs::path>& folders, const ClassOptions& options)
{
    make_folders(options.folder);
    std::map<std::string, Json> all;
    Json assignment;
    for (const fs::path& folder : folders) {
        std::error_code none;
        if (!fs::is_directory(folder / "results", none))
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("{} has no results of lanescope judge.", folder.string()),
                        "Name the folders that the shards were written to.");
        for (const auto& entry : fs::directory_iterator(folder / "results")) {
            if (entry.path().extension() != document_ending) continue;
            const Json document = read_judge_document(entry.path());
            if (assignment.is_null()) assignment = document.at("assignment");
            if (assignment != document.at("assignment"))
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{} belongs to another version of the assignment.",
                                        entry.path().string()),
                            "Judge all shards with the same assignment.");
            for (const Json& one : document.at("submissions")) {
                const std::string name = one.at("name").get<std::string>();
                if (const auto known = all.find(name); known != all.end() && known->second != one)
                    throw Error(ExitStatus::bad_usage,
                                fmt::format("There are two results for {}.", name),
                                "Remove the folder of an earlier run.");
                all[name] = one;
                const std::string file = file_name(name);
                for (const fs::path& inner : {fs::path("results") / (file + document_ending),
                                              fs::path("pages") / (file + ".html")})
                    fs::copy_file(folder / inner, options.folder / inner,
                                  fs::copy_options::overwrite_existing, none);
            }
        }
    }
    if (all.empty())
        throw Error(ExitStatus::no_such_thing, "The shards have no results.",
                    "Judge the submissions first.");
    Json list = Json::array();
    for (auto& [name, one] : all) list.push_back(std::move(one));
    Json document = class_json(assignment, std::move(list));
    write_class(document, options);
    return document;
}

} // namespace lanescope::app
