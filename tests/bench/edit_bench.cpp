// Benchmarks of kernel editing.
//   edit_bench latency [ENGINE [SIZE [EDITS]]]   time from the end of the typing pause to the new
//       picture with its new counts, for heat/naive: as in the window, but without one
//   edit_bench mutate [COUNT [SEED [ENGINE]]]    texts of all variants with tokens dropped, swapped
//       and changed, tried on simt and, if validated, run on the engine: one process per hundred,
//       so that a crash or a hang is reported with its source
//   edit_bench text NUMBER [SEED]                prints one of these texts
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "app/document/editing.h"
#include "app/document/edits.h"
#include "app/run/editing/compiling.h"
#include "app/run/worker.h"
#include "app/window/interaction/follow.h"
#include "compute/cuda/compile/compile.h"
#include "compute/cuda/cuda_device.h"
#include "compute/error.h"
#include "compute/simt/simt_device.h"
#include "compute/spread.h"
#include "render/context/offscreen.h"
#include "tests/support/mutation.h"

namespace {

using namespace lanescope;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// --- latency ---

// The window's main loop, without a window.
class Loop {
public:
    Loop(const std::string& engine, const std::string& size)
        : context_({.cuda_ordinal = app::drawing_gpu(engine)}), edits_(heat(engine, size)),
          worker_(app::WorkerOptions())
    {
        app::Session session = app::fresh_session(edits_.document());
        const auto find = [session] { return app::Found{app::Arrival::session, session}; };
        requested_[worker_.open({"heat", find, engine})] = app::Wanted::session;
        until([&] { return worker_.newest()->is_open() && counted(); });
        // Waits for the roofs: measuring them takes up the same GPU and a CPU core.
        const auto roofs = [&] { return worker_.newest()->engine.roofs.add_min_gop_per_s; };
        if (worker_.newest()->engine.has_clock) until([&] { return roofs() > 0; });
    }
    // Simulates a typing pause; the experiment keeps running.
    void rest(std::chrono::milliseconds pause)
    {
        const auto begin = Clock::now();
        until([&] { return Clock::now() - begin > pause; });
    }
    std::string text() const { return std::string(app::edited_text(edits_.document()).text); }
    // Milliseconds from the compile key until the source is compiled and tried, until the worker
    // has opened it, and until a frame shows it.
    struct Times {
        double tried = 0;
        double opened = 0;
        double shown = 0;
    };
    Times edit(const std::string& text)
    {
        const std::string before = edits_.document().start.lab;
        begin_ = Clock::now();
        times_ = {};
        edits_.apply(app::EditText{std::string(app::edited_text(edits_.document()).variant), text});
        edits_.apply(app::CompileNow{});
        until([&] {
            return edits_.document().start.lab != before && !app::is_pending(edits_.document()) &&
                   worker_.newest()->a.lab->place == edits_.document().start.lab && counted();
        });
        times_.shown = ms_since(begin_);
        return times_;
    }
    const app::TextOutcome& outcome() const { return *edits_.document().bench.outcome; }

private:
    static app::Document heat(const std::string& engine, const std::string& size)
    {
        app::Session session;
        session.device = engine;
        session.journal.start = {"heat", "naive", {{"size", size}}, 1, ""};
        return app::document_of(session);
    }
    bool counted() const
    {
        const app::SideFrame& side = worker_.newest()->a;
        return side.picture && side.launches > 0 && !side.trace->sites.empty();
    }
    template <class Done>
    void until(Done done)
    {
        const auto begin = Clock::now();
        for (take(); !done(); take()) {
            resume();
            if (ms_since(begin) > 60'000) {
                std::fputs("A minute went by.\n", stderr);
                std::exit(1);
            }
        }
    }
    void take()
    {
        worker_.process_gl_tasks();
        const auto now = worker_.newest();
        if (const auto asked = requested_.find(now->opened); asked != requested_.end()) {
            edits_.arrive(now->found->session, app::kind_of(asked->second, now->found->arrival),
                          {});
            requested_.erase(requested_.begin(), std::next(asked));
            times_.opened = ms_since(begin_);
        }
        if (auto came = compiling_.take()) {
            edits_.take(came->outcome, came->original);
            times_.tried = ms_since(begin_);
        }
        if (const auto job = app::texts_to_validate(edits_.document())) compiling_.want(*job);
        if (requested_.empty()) edits_.follow_texts();
        if (edits_.document().wanted) {
            const auto begun =
                edits_.begin_request(now->is_open() ? now->a.journal() : app::Journal{});
            requested_[worker_.open(app::open_job_of(begun))] = begun.wanted.kind;
        }
    }
    void resume()
    {
        app::Plan plan = app::plan_of(edits_.document(), *worker_.newest(), false, false);
        plan.counting.sites = true; // the counts shown in the gutter
        worker_.tell(plan);
        worker_.release_frame();
        worker_.wait(16ms);
    }

    render::Offscreen context_;
    app::Edits edits_;
    app::Compiling compiling_;
    app::Worker worker_;
    std::map<std::uint64_t, app::Wanted::Kind> requested_;
    Clock::time_point begin_;
    Times times_;
};

int latency(const std::string& engine, const std::string& size, int edits)
{
    Loop loop(engine, size);
    const std::string original = loop.text();
    std::vector<double> compiled, tried, opened, drawn, all;
    for (int i = 0; i < edits + 3; ++i) {
        std::string text = original;
        const std::size_t at = text.find("-4.0f");
        text.replace(at, 5, fmt::format("-{}f", 4 + 1e-4 * (i + 1)));
        loop.rest(300ms);
        const Loop::Times times = loop.edit(text);
        if (i < 3) continue; // the compiler's first calls take longer
        compiled.push_back(loop.outcome().compile_ms);
        tried.push_back(times.tried - loop.outcome().compile_ms);
        opened.push_back(times.opened - times.tried);
        drawn.push_back(times.shown - times.opened);
        all.push_back(times.shown);
    }
    fmt::print("heat/naive {}x{} on {}, {} edits, ms from the key that compiles to the new picture "
               "and its counts:\n{:<20}{:>8}{:>8}{:>8}\n",
               size, size, engine, edits, "", "median", "p95", "worst");
    const auto row = [](const char* name, std::vector<double> ms) {
        std::ranges::sort(ms);
        fmt::print("{:<20}{:>8.1f}{:>8.1f}{:>8.1f}\n", name, percentile_of_sorted(ms, 0.5),
                   percentile_of_sorted(ms, 0.95), ms.back());
    };
    row("compiler", compiled);
    row("trial on simt", tried);
    row("opening", opened);
    row("step and picture", drawn);
    row("all", all);
    return 0;
}

// --- mutations ---

struct Tally {
    long tried = 0;
    long validated = 0;
    long refused = 0;
    long faults = 0;
    long stopped = 0;
    long unsaid = 0; // refused without a message
    long late = 0;   // the trial exceeded its budget
    long run_faults = 0;
    long gpu_faults = 0; // run_faults that are fatal for a GPU's context
    double worst_ms = 0; // duration of the longest trial
};

struct Text {
    const labs::Lab* lab;
    const labs::Variant* variant;
    std::string text;
    long number;
};

Text text_number(long number, unsigned seed)
{
    std::vector<std::pair<const labs::Lab*, const labs::Variant*>> all;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) all.emplace_back(&lab, &variant);
    const auto& [lab, variant] = all[static_cast<std::size_t>(number) % all.size()];
    std::mt19937 random(seed * 1'000'003U + static_cast<unsigned>(number));
    return {lab, variant, test::mutated(lab->source(*variant), random), number};
}

// Runs validated sources as the window does: without checks.
void run_on(const std::string& engine, const labs::Lab& lab, const app::TextOutcome& outcome,
            const app::TrialStart& start, Tally& tally)
{
    const auto run = [&](device::Device& device) {
        device::PlainAllocator shown(device);
        labs::Values values(lab);
        for (const auto& [id, text] : start.values) values.set(id, text);
        try {
            const auto experiment = lab.start(
                {device, shown, lab, labs::find_variant(lab, outcome.variant), values, 1, {}});
            for (int i = 0; i < 3; ++i) experiment->step();
            experiment->picture(lab.views.front());
            device.synchronize();
        } catch (const Error&) {
            ++tally.run_faults;
        }
    };
    if (engine == "cuda" && labs::find_variant(lab, outcome.variant).fault.empty()) {
        const auto gpu = cuda::make_device();
        run(*gpu);
        tally.gpu_faults += gpu->lost();
    } else {
        const auto simt = simt::make_device({.time_limit_s = 2});
        simt->set_printer([](std::string_view) {});
        run(*simt);
    }
}

void try_one(const std::string& engine, const Text& one, app::Trials& trials, Tally& tally)
{
    labs::Edited edited = labs::with_edited_variant(*one.lab, one.variant->id, one.text);
    labs::Values values(*one.lab);
    if (!one.lab->test_sizes.empty())
        for (const auto& [id, text] : one.lab->test_sizes.front()) values.set(id, text);
    app::ValidationJob job;
    job.texts = std::move(edited.texts);
    job.variant = edited.variant;
    job.start.values = app::as_texts(*one.lab, values);
    const auto made = app::validate_texts(job, trials);
    const app::TextOutcome& outcome = *made.outcome;
    using Kind = app::TextOutcome::Kind;
    ++tally.tried;
    tally.validated += outcome.kind == Kind::validated;
    tally.refused += outcome.kind == Kind::refused;
    tally.faults += outcome.kind == Kind::fault;
    tally.stopped += outcome.kind == Kind::stopped;
    tally.unsaid += outcome.kind != Kind::validated && outcome.sentence.empty();
    tally.worst_ms = std::max(tally.worst_ms, outcome.trial_ms);
    if (outcome.trial_ms > 5000) { // two trials of 0.75 s, and a margin for a busy machine
        ++tally.late;
        fmt::print(stderr, "LATE: {}/{}, text {}: {:.0f} ms, {}\n", one.lab->id, one.variant->id,
                   one.number, outcome.trial_ms, outcome.sentence);
    }
    if (outcome.kind == Kind::validated)
        run_on(engine, labs::find(outcome.lab), outcome, job.start, tally);
}

Tally& operator+=(Tally& all, const Tally& more)
{
    all.tried += more.tried;
    all.validated += more.validated;
    all.refused += more.refused;
    all.faults += more.faults;
    all.stopped += more.stopped;
    all.unsaid += more.unsaid;
    all.late += more.late;
    all.run_faults += more.run_faults;
    all.gpu_faults += more.gpu_faults;
    all.worst_ms = std::max(all.worst_ms, more.worst_ms);
    return all;
}

// Runs the texts numbered from `from` to `to` - 1; writes a tally per text to the pipe `out`.
[[noreturn]] void child(int out, long from, long to, unsigned seed, const std::string& engine)
{
    app::compile_labs_with_cuda({"/proc/self/exe", app::compile_word});
    app::Trials trials;
    for (long number = from; number < to; ++number) {
        Tally tally;
        try_one(engine, text_number(number, seed), trials, tally);
        if (write(out, &tally, sizeof tally) != sizeof tally) break;
        if (tally.gpu_faults != 0) break; // only a new process can use the GPU again
    }
    _exit(0);
}

int mutate(long count, unsigned seed, const std::string& engine)
{
    constexpr long batch = 100;
    constexpr int text_limit_s = 60; // includes compiling on a busy machine
    Tally all;
    long crashes = 0;
    long hangs = 0;
    const auto begin = Clock::now();
    for (long from = 0; from < count;) {
        const long to = std::min(count, from + batch);
        int ends[2];
        if (pipe(ends) != 0) return 1;
        const pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            child(ends[1], from, to, seed, engine);
        }
        close(ends[1]);
        long done = 0;
        bool hung = false;
        bool faulted = false;
        for (;;) {
            fd_set set;
            FD_ZERO(&set);
            FD_SET(ends[0], &set);
            timeval patience{text_limit_s, 0};
            if (select(ends[0] + 1, &set, nullptr, nullptr, &patience) == 0) {
                hung = true;
                kill(pid, SIGKILL);
                break;
            }
            Tally one;
            if (read(ends[0], &one, sizeof one) != sizeof one) break;
            all += one;
            faulted = one.gpu_faults != 0;
            ++done;
        }
        close(ends[0]);
        int status = 0;
        waitpid(pid, &status, 0);
        from += done;
        if (from >= to && !faulted) continue;
        const long number = faulted ? from - 1 : from;
        const Text culprit = text_number(number, seed);
        const std::string file = fmt::format("mutation_{}_{}.cu", seed, number);
        std::ofstream(file) << culprit.text;
        fmt::print("{}: {}/{}, text {} of seed {}: {}\n",
                   faulted ? "GPU FAULT"
                   : hung  ? "HANG"
                           : "CRASH",
                   culprit.lab->id, culprit.variant->id, number, seed, file);
        if (faulted) continue;
        (hung ? hangs : crashes) += 1;
        ++from;
    }
    fmt::print(
        "{} texts in {:.0f} s: {} refused, {} faults, {} stopped, {} validated ({} of them "
        "faulted later, {} of these a GPU's context); {} without a sentence, {} over their budget, "
        "longest trial {:.0f} ms; "
        "{} crashes, {} hangs\n",
        all.tried + crashes + hangs, ms_since(begin) / 1000, all.refused, all.faults, all.stopped,
        all.validated, all.run_faults, all.gpu_faults, all.unsaid, all.late, all.worst_ms, crashes,
        hangs);
    return crashes + hangs + all.gpu_faults + all.unsaid + all.late == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && std::string_view(argv[1]) == app::compile_word)
        return app::serve_compilations();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto at = [&](std::size_t i, const char* usual) {
        return i < arguments.size() ? arguments[i] : std::string(usual);
    };
    if (at(0, "") == "latency") {
        app::compile_labs_with_cuda({"/proc/self/exe", app::compile_word});
        return latency(at(1, "simt"), at(2, "256"), std::stoi(at(3, "100")));
    }
    if (at(0, "") == "mutate")
        return mutate(std::stol(at(1, "1000")), static_cast<unsigned>(std::stoul(at(2, "1"))),
                      at(3, "simt"));
    if (at(0, "") == "text") {
        std::fputs(text_number(std::stol(at(1, "0")), static_cast<unsigned>(std::stoul(at(2, "1"))))
                       .text.c_str(),
                   stdout);
        return 0;
    }
    std::fputs("edit_bench latency [ENGINE [SIZE [EDITS]]], mutate [COUNT [SEED [ENGINE]]], or "
               "text NUMBER [SEED]\n",
               stderr);
    return 2;
}
