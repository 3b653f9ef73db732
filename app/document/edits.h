// The document with its history: applies commands, stores undo and redo states, and reports
// failures in the document's log.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/document/commands.h"

namespace lanescope::app {

// Applies commands and the results of actors to the document.
class Edits {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t max_kept = 200;                 // maximum number of undo steps
    static constexpr std::chrono::milliseconds one_gesture{700}; // maximum gap between commands of
                                                                 // one gesture

    explicit Edits(Document document) : now_(std::move(document)) {}

    const Document& document() const { return now_; }

    // Never throws: failures are logged and leave the document unchanged. Commands of one kind in
    // quick succession, such as a drag, are undone together. Undo and Redo that need another
    // experiment only request it; it arrives later.
    void apply(const Command& command, Clock::time_point when = Clock::now());

    // Starts opening the pending request and returns its session, unless it is in a file.
    // `past_journal` is the journal of the current experiment.
    struct Begun {
        Wanted wanted;
        Session session;
        std::shared_ptr<const StepCost> counts{}; // counts of an edit's trial; null if none
    };
    Begun begin_request(const Journal& past_journal);
    // Completes a request that is ready; `left` is the journal of the experiment it replaces.
    void arrive(const Session& session, Wanted::Kind kind, const Journal& left);
    // Handles a request that failed to open: restores the variant and values on screen.
    void refuse(const std::string& why);
    // Handles the outcome of tried sources. `original` is the cost of the unedited variant at the
    // same size; null if not counted. Validated source becomes a version.
    void take(std::shared_ptr<const TextOutcome> outcome, std::shared_ptr<const StepCost> original);
    // Sets the cost of a version, by lab id and variant.
    void note_cost(const std::string& lab, const std::string& variant,
                   const std::shared_ptr<const StepCost>& cost);
    void turn_off_automatic_compiling() { now_.bench.automatic = false; }
    void note_compiling(std::optional<Shared<labs::Texts>> texts);
    // Sets the step time of a version measured on the GPU.
    void note_time(const std::string& lab, const std::string& variant, const Spread& step_ms);
    // Requests that validated sources be shown, unless something else is being opened.
    void follow_texts();
    // Handles validated sources that failed to open.
    void refuse_edit(const std::string& why);
    // Starts a talk that was opened, with its first beat.
    void give(std::shared_ptr<const Talk> talk);
    // Ends A/B when the worker cannot compare.
    void stop_comparing();
    void pause() { now_.paused = true; }

    void tell(std::string notice);
    void complain(std::string error);
    // Records that strokes up to this number (Document::painted) are saved.
    void mark_saved(std::uint64_t painted)
    {
        now_.saved_strokes = std::max(now_.saved_strokes, painted);
    }
    void note_painted() { ++now_.painted; }
    // Records the stepping position, without an undo step.
    void note_stepped(std::int64_t launch, std::int64_t position)
    {
        now_.look.step.launch = launch;
        now_.look.step.position = position;
    }
    // Session of the current view, including strokes not painted yet.
    Session replayed_session(Journal past_journal) const;
    // Records the contents of a kernel's file.
    void note_on_disk(const std::string& file, std::string text)
    {
        now_.on_disk[file] = std::move(text);
    }
    // Restores a lab's sources that an earlier run left; the editor shows them once the lab is
    // opened.
    void recover(const std::string& lab, StashedTexts texts)
    {
        now_.left.try_emplace(lab, std::move(texts));
    }
    void set_user_keys(std::map<std::string, std::string> keys) { now_.keys = std::move(keys); }

    // Ids of all labs in use, including those of undo steps, versions and closed labs.
    std::set<std::string, std::less<>> places() const;

    // Number of steps that can be undone and redone.
    std::size_t past() const { return past_.size(); }
    std::size_t future() const { return future_.size(); }

private:
    struct Step {
        Arrangement was;
        std::optional<Journal> past_journal; // journal of the experiment that this step left
        std::size_t kind = 0;                // kind and target of the command
        std::string about;
        Clock::time_point last{};
    };
    void note(Arrangement was, const Command& command, Clock::time_point when);
    void report_hidden_mistake(const TextOutcome& outcome);
    void go_back(std::vector<Step>& from, std::vector<Step>& to, Wanted::Kind kind);
    static Session session_at(const Step& step, const Journal& past_journal, bool paused);
    // Moves the arrangement to a step of `from`, which is removed; pushes the current one to `to`.
    void exchange(std::vector<Step>& from, std::vector<Step>& to, std::optional<Journal> left);
    // Replaces the sources of the current experiment and of its undo steps by validated ones.
    void replace_texts(const Session& session);
    void add_version(const TextOutcome& outcome, std::shared_ptr<const StepCost> original);

    Document now_;
    std::vector<Step> past_;
    std::vector<Step> future_;
    std::optional<Arrangement> before_request_; // state to restore if opening fails
};

} // namespace lanescope::app
