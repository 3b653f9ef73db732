// One thread with one slot for the newest job and one for its result.
#include "app/run/editing/compiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <regex>

#include "app/document/last_session.h"
#include "app/run/editing/complaints.h"
#include "app/run/editing/own_lab.h"
#include "compute/cuda/compile/compile.h"
#include "compute/cuda/compile/compiler_process.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/threads.h"

namespace lanescope::app {

using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string sentence_for(const std::vector<Complaint>& complaints)
{
    const auto errors =
        std::ranges::count_if(complaints, [](const Complaint& one) { return !one.warning; });
    const auto first =
        std::ranges::find_if(complaints, [](const Complaint& one) { return !one.warning; });
    if (first == complaints.end()) return {};
    const std::string where =
        first->line > 0 ? fmt::format("{}, line {}", first->file, first->line) : first->file;
    return fmt::format("{}: {}{}", where, first->sentence,
                       errors > 1 ? fmt::format(" ({} errors)", errors) : "");
}

// A complaint about the record; its message has the line or the JSON path.
Complaint complaint_about_record(const std::string& message)
{
    Complaint complaint{.file = "lab.json", .sentence = message};
    const std::size_t at = message.find(", line ");
    if (at != std::string::npos) complaint.line = std::atoi(message.c_str() + at + 7);
    return complaint;
}

// Compiles the files that the sources override, the requested variant's first.
void compile(const labs::Lab& lab, const labs::Texts& texts, const std::string& variant,
             TextOutcome& outcome)
{
    std::vector<const labs::Variant*> order;
    for (const labs::Variant& one : lab.variants)
        if (texts.files.contains(one.source)) order.push_back(&one);
    std::ranges::stable_partition(order,
                                  [&](const labs::Variant* one) { return one->id == variant; });
    for (const labs::Variant* one : order) {
        try {
            lab.ptx(*one);
            auto warnings = warnings_in(lab.compiler_log(*one));
            outcome.complaints.insert(outcome.complaints.end(), warnings.begin(), warnings.end());
        } catch (const cuda::CompileError& error) {
            outcome.kind = TextOutcome::Kind::refused;
            auto more = complaints_in(error.log(), one->source);
            outcome.complaints.insert(outcome.complaints.end(), more.begin(), more.end());
        } catch (const Error& error) {
            const bool none = error.status() == ExitStatus::device_unavailable;
            outcome.kind = none ? TextOutcome::Kind::no_compiler : TextOutcome::Kind::refused;
            outcome.complaints.push_back({.file = one->source, .sentence = error.what()});
            if (none) break;
        }
    }
}

const labs::Variant* variant_of(const labs::Lab& lab, const ValidationJob& job)
{
    if (const labs::Variant* named = lab.find_variant(job.variant)) return named;
    const auto own = std::ranges::find_if(lab.variants, [&](const labs::Variant& one) {
        return job.texts->files.contains(one.source);
    });
    return own == lab.variants.end() ? &lab.variants.front() : &*own;
}

// Line number in a message: "…, line 3: …", "… (line 3) …"; 0 if none.
int line_in(std::string_view message)
{
    for (const std::string_view sign : {", line ", "(line "})
        if (const std::size_t at = message.find(sign); at != std::string_view::npos)
            return std::atoi(std::string(message.substr(at + sign.size(), 9)).c_str());
    return 0;
}

// Reads a file again that had no readable kernel, with its current source. The first run is left to
// opening the lab.
void reread_kernel_file(const labs::Lab& lab, const ValidationJob& job, TextOutcome& outcome)
{
    const std::string& name = lab.variants.front().source;
    const std::string& text = job.texts->files.at(name);
    std::error_code none;
    try {
        const std::filesystem::path file = job.kernel_file.empty() ? name : job.kernel_file;
        const bool gone = text.empty() && !std::filesystem::exists(file, none);
        if (gone)
            throw Error(ExitStatus::no_such_thing,
                        fmt::format("There is no file {}.", file.string()),
                        "Write a kernel here and save it with Ctrl S, or open another file.");
        outcome.lab = labs::open_texts(kernels_of_text(file, text).texts).place;
    } catch (const cuda::CompileError& error) {
        outcome.kind = TextOutcome::Kind::refused;
        outcome.complaints = complaints_in(error.log(), name);
    } catch (const Error& error) {
        outcome.kind = error.status() == ExitStatus::device_unavailable
                           ? TextOutcome::Kind::no_compiler
                           : TextOutcome::Kind::refused;
        outcome.complaints.push_back(
            {.file = name, .line = line_in(error.what()), .sentence = error.what()});
    }
}

// A trial in progress.
struct RunningTrial {
    const labs::Lab& lab;
    const labs::Variant& variant;
    const ValidationJob& job;
    Trials& trials;
};

void try_on_simt(const RunningTrial& trying, ValidationResult& result, TextOutcome& outcome)
{
    const auto& [lab, variant, job, trials] = trying;
    const labs::Variant* const original = lab.find_variant(variant.edited);
    const Clock::time_point begin = Clock::now();
    TrialResult tried = trials.run(lab, variant, job.start, original);
    outcome.trial_ms = ms_since(begin);
    outcome.kind = tried.kind;
    outcome.sentence = tried.sentence;
    outcome.cost = tried.cost;
    outcome.complaints.insert(outcome.complaints.end(), tried.complaints.begin(),
                              tried.complaints.end());
    if (original) result.original = trials.count(lab, *original, job.start);
    for (const VersionKey& key : job.also) {
        const labs::Lab& place = labs::find(key.first);
        if (const labs::Variant* one = place.find_variant(key.second))
            result.costs[key] = trials.count(place, *one, job.start);
    }
}

} // namespace

namespace {

struct HeaderFolders {
    std::mutex mutex;
    std::vector<std::filesystem::path> all;
};
HeaderFolders& window_header_folders()
{
    static HeaderFolders folders;
    return folders;
}

} // namespace

void search_for_headers_in(std::vector<std::filesystem::path> folders)
{
    {
        const std::scoped_lock lock(window_header_folders().mutex);
        window_header_folders().all = std::move(folders);
    }
    labs::clear_compiled_cache();
}

std::vector<std::filesystem::path> header_folders()
{
    std::vector<std::filesystem::path> folders = compile_options().include_directories;
    const std::scoped_lock lock(window_header_folders().mutex);
    const auto& more = window_header_folders().all;
    folders.insert(folders.end(), more.begin(), more.end());
    return folders;
}

cuda::CompileOptions& compile_options()
{
    static cuda::CompileOptions options;
    return options;
}

namespace {

struct SharedCompiler {
    std::mutex mutex;
    std::shared_ptr<cuda::CompilerProcess> compiler; // null: this process compiles
};
SharedCompiler& shared_compiler()
{
    static SharedCompiler all;
    return all;
}

} // namespace

void compile_labs_with_cuda(const std::vector<std::string>& beside)
{
    {
        const std::scoped_lock lock(shared_compiler().mutex);
        shared_compiler().compiler =
            beside.empty() ? nullptr : std::make_shared<cuda::CompilerProcess>(beside);
    }
    labs::compile_with([](std::string_view text, const std::filesystem::path& name,
                          const std::filesystem::path& folder) {
        cuda::Compiled compiled = compile_text(text, name, folder);
        return labs::CompiledText(std::move(compiled.ptx), std::move(compiled.log));
    });
}

void prepare_compiler()
{
    const std::scoped_lock lock(shared_compiler().mutex);
    if (shared_compiler().compiler) shared_compiler().compiler->prepare();
}

int idle_compilers()
{
    const std::scoped_lock lock(shared_compiler().mutex);
    return shared_compiler().compiler ? shared_compiler().compiler->idle() : 0;
}

cuda::Compiled compile_text(std::string_view text, const std::filesystem::path& name,
                            const std::filesystem::path& folder,
                            const std::vector<std::string>& more_flags)
{
    cuda::CompileOptions options = compile_options();
    options.own_folder = folder;
    options.include_directories = header_folders();
    options.flags.insert(options.flags.end(), more_flags.begin(), more_flags.end());
    const std::string file = name.filename().string();
    if (std::smatch found; std::regex_search(file, found, std::regex("_sm_([0-9]+a?)\\.cu$")))
        options.architecture = "compute_" + found[1].str();
    std::shared_ptr<cuda::CompilerProcess> compiler;
    {
        const std::scoped_lock lock(shared_compiler().mutex);
        compiler = shared_compiler().compiler;
    }
    return compiler ? compiler->compile(text, name, options)
                    : cuda::compile_to_ptx(text, name, options);
}

int serve_compilations()
{
    return cuda::serve_compilations();
}

std::chrono::milliseconds pause_after(const std::vector<double>& compile_ms)
{
    const double median = compile_ms.empty() ? 0 : spread_of(compile_ms).median;
    return std::chrono::milliseconds(static_cast<int>(std::clamp(2 * median, 100.0, 1000.0)));
}

ValidationResult validate_texts(const ValidationJob& job, Trials& trials)
{
    ValidationResult result;
    auto outcome = std::make_shared<TextOutcome>();
    outcome->texts = job.texts;
    outcome->values = job.start.values;
    outcome->compile_now = job.compile_now;
    const auto refuse = [&](const std::string& why) {
        outcome->kind = TextOutcome::Kind::refused;
        outcome->complaints.push_back(complaint_about_record(why));
    };
    try {
        const labs::Lab& lab = labs::open_texts(*job.texts);
        const Clock::time_point begin = Clock::now();
        if (lab.placeholder) {
            reread_kernel_file(lab, job, *outcome);
            outcome->compile_ms = ms_since(begin);
        } else {
            const labs::Variant& variant = *variant_of(lab, job);
            outcome->variant = variant.id;
            compile(lab, *job.texts, variant.id, *outcome);
            outcome->compile_ms = ms_since(begin);
            const bool compiled = outcome->kind == TextOutcome::Kind::validated;
            if (compiled && job.careful) try_on_simt({lab, variant, job, trials}, result, *outcome);
            if (outcome->kind == TextOutcome::Kind::validated) outcome->lab = lab.place;
        }
    } catch (const device::Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        refuse(error.what());
    }
    std::ranges::stable_sort(outcome->complaints, [](const Complaint& a, const Complaint& b) {
        return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
    if (outcome->kind == TextOutcome::Kind::no_compiler)
        outcome->sentence = outcome->complaints.front().sentence;
    if (outcome->sentence.empty()) outcome->sentence = sentence_for(outcome->complaints);
    result.outcome = std::move(outcome);
    return result;
}

class Compiling::Thread {
public:
    explicit Thread(std::function<void()> news) : news_(std::move(news))
    {
        thread_ = LoopThread([this] { run(); });
    }
    ~Thread()
    {
        {
            const std::scoped_lock lock(mutex_);
            quit_requested_ = true;
            trials_.cancel();
        }
        changed_.notify_all();
        thread_.join();
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    void want(const ValidationJob& job)
    {
        {
            const std::scoped_lock lock(mutex_);
            if (newest_ && *newest_ == job) return;
            // The user is still typing, so the pause starts over. Other jobs need no pause.
            const bool typed = !newest_ || newest_->texts != job.texts;
            const bool asked =
                newest_ ? job.compile_now > newest_->compile_now : job.compile_now > 0;
            newest_ = std::make_shared<const ValidationJob>(job);
            wanted_ = newest_;
            result_.reset();
            due_ = Clock::now();
            if (typed && !asked && !validated_.contains(place_of(job)))
                due_ += pause_after({recent_ms_.begin(), recent_ms_.end()});
            trials_.cancel(); // they run outdated source
        }
        changed_.notify_all();
    }

    void drop()
    {
        const std::scoped_lock lock(mutex_);
        if (!newest_) return;
        newest_.reset();
        wanted_.reset();
        result_.reset();
        trials_.cancel();
    }

    std::unique_ptr<const ValidationResult> take()
    {
        if constexpr (!has_threads) turn();
        const std::scoped_lock lock(mutex_);
        return std::move(result_);
    }

    std::optional<Shared<labs::Texts>> in_progress() const
    {
        const std::scoped_lock lock(mutex_);
        if (wanted_) return wanted_->texts;
        return trying_;
    }

    bool busy() const
    {
        const std::scoped_lock lock(mutex_);
        return trying_.has_value();
    }

private:
    // Key of validated_. Sources that were validated before need no pause, for example after an
    // undo.
    static std::string place_of(const ValidationJob& job) { return labs::place_of(*job.texts); }

    void run()
    {
        std::unique_lock lock(mutex_);
        while (!quit_requested_) {
            if (!wanted_) {
                changed_.wait(lock);
                continue;
            }
            if (Clock::now() < due_) {
                changed_.wait_until(lock, due_);
                continue;
            }
            lock.unlock();
            turn();
            lock.lock();
        }
    }

    // Validates the job that is due, if any.
    void turn()
    {
        std::unique_lock lock(mutex_);
        if (!wanted_ || Clock::now() < due_) return;
        const std::shared_ptr<const ValidationJob> begun = std::move(wanted_);
        wanted_.reset();
        const ValidationJob& job = *begun;
        trying_ = job.texts;
        trials_.resume();
        lock.unlock();
        std::unique_ptr<ValidationResult> result;
        try {
            const FirstRunMarker mark; // the source might crash the program on its first run
            result = std::make_unique<ValidationResult>(validate_texts(job, trials_));
        } catch (const device::Cancelled&) {
            result.reset();
        }
        lock.lock();
        trying_.reset();
        // A newer job cancelled it; if that job was dropped, there is nothing left to do.
        if (!result) return;
        recent_ms_.push_back(result->outcome->compile_ms + result->outcome->trial_ms);
        if (recent_ms_.size() > max_recent) recent_ms_.pop_front();
        if (result->outcome->kind == TextOutcome::Kind::validated) validated_.insert(place_of(job));
        if (!newest_ || *newest_ != job) return;
        result_ = std::move(result);
        if (news_) news_();
    }

    static constexpr std::size_t max_recent = 9;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> news_;
    bool quit_requested_ = false;
    std::shared_ptr<const ValidationJob> newest_; // newest request; null if none
    std::shared_ptr<const ValidationJob> wanted_; // the same job, until it is started
    Clock::time_point due_;
    std::optional<Shared<labs::Texts>> trying_;
    std::unique_ptr<const ValidationResult> result_;
    std::deque<double> recent_ms_;
    std::set<std::string> validated_; // lab ids
    Trials trials_;
    LoopThread thread_; // last member, because it uses all of the above
};

Compiling::Compiling(std::function<void()> news)
    : thread_(std::make_unique<Thread>(std::move(news)))
{
}

Compiling::~Compiling() = default;

void Compiling::want(const ValidationJob& job)
{
    thread_->want(job);
}

void Compiling::drop()
{
    thread_->drop();
}

std::unique_ptr<const ValidationResult> Compiling::take()
{
    return thread_->take();
}

std::optional<Shared<labs::Texts>> Compiling::in_progress() const
{
    return thread_->in_progress();
}

bool Compiling::busy() const
{
    return thread_->busy();
}

} // namespace lanescope::app
