// The document with its past: applies commands, keeps what undo and redo bring back, and tells what
// went wrong in the document's log.
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

// Over 25 methods: one for each thing that can happen to a document besides a command, a line each.
class Edits {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t max_kept = 200;                 // steps back
    static constexpr std::chrono::milliseconds one_gesture{700}; // between its commands

    explicit Edits(Document document) : now_(std::move(document)) {}

    const Document& document() const { return now_; }

    // Never throws: what cannot be done is told in the log, and the document stays. Commands of one
    // kind in quick succession, such as a drag, are undone together. Undo and Redo that need
    // another experiment only want it: it arrives later.
    void apply(const Command& command, Clock::time_point when = Clock::now());

    // What is wanted begins to be opened: as which session, but for one that a file holds.
    // `lived` is the journal of what is shown.
    struct Begun {
        Wanted wanted;
        Session session;
        std::shared_ptr<const StepCost> counts{}; // of an edit, as it was tried; null: none
    };
    Begun begin_wanted(const Journal& lived);
    // What was begun is ready; `left` is the journal of what it replaces.
    void arrive(const Session& session, Wanted::Kind kind, const Journal& left);
    // … or cannot be had: variant and values go back to those that are shown.
    void refuse(const std::string& why);
    // What came of texts that were tried, and what the variant that they were made of costs at the
    // same size; null: not counted. Validated texts are a version.
    void take(std::shared_ptr<const TextOutcome> outcome, std::shared_ptr<const StepCost> original);
    // What a version costs, by the place of its lab and the variant.
    void note_cost(const std::string& lab, const std::string& variant,
                   const std::shared_ptr<const StepCost>& cost);
    void turn_off_compiling() { now_.bench.automatic = false; }
    void note_compiling(std::optional<Shared<labs::Texts>> texts);
    // The time of a step that was measured of a version, on the GPU.
    void note_time(const std::string& lab, const std::string& variant, const Spread& step_ms);
    // Wants what was validated to be shown, if nothing else is being opened.
    void follow_texts();
    // … which could not be opened.
    void refuse_edit(const std::string& why);
    // A talk was opened, and its first beat with it.
    void give(std::shared_ptr<const Talk> talk);
    // The worker cannot compare: one side is shown alone.
    void stop_comparing();
    void pause() { now_.paused = true; }

    void tell(std::string notice);
    void complain(std::string error);
    // A file has what was painted up to then (Document::painted).
    void mark_saved(std::uint64_t painted)
    {
        now_.painted_saved = std::max(now_.painted_saved, painted);
    }
    void note_painted() { ++now_.painted; }
    // Where the stepped launch stands by now: no change that could be undone.
    void note_stepped(std::int64_t launch, std::int64_t position)
    {
        now_.look.step.launch = launch;
        now_.look.step.position = position;
    }
    // What is shown, with the strokes that are still to be painted.
    Session replayed_session(Journal lived) const;
    // A kernel's file has this text.
    void note_on_disk(const std::string& file, std::string text)
    {
        now_.on_disk[file] = std::move(text);
    }
    // Texts of a lab that an earlier run left: they are in the editor once it is chosen.
    void recover(const std::string& lab, StashedTexts texts)
    {
        now_.left.try_emplace(lab, std::move(texts));
    }
    void use_keys(std::map<std::string, std::string> keys) { now_.keys = std::move(keys); }

    // Places of labs that it names: those that undo, versions and left labs go back to as well.
    std::set<std::string, std::less<>> places() const;

    // How many steps can be undone and redone.
    std::size_t past() const { return past_.size(); }
    std::size_t future() const { return future_.size(); }

private:
    struct Step {
        Arrangement was;
        std::optional<Journal> lived; // of an experiment that was left
        std::size_t kind = 0;         // of the command, and what it was about
        std::string about;
        Clock::time_point last{};
    };
    void note(Arrangement was, const Command& command, Clock::time_point when);
    void go_back(std::vector<Step>& from, std::vector<Step>& to, Wanted::Kind kind);
    static Session session_at(const Step& step, const Journal& lived, bool paused);
    // Changes the arrangement to that of a step, which goes; the present one goes to the other
    // list.
    void exchange(std::vector<Step>& from, std::vector<Step>& to, std::optional<Journal> left);
    // The present experiment, and the steps that are in it, with validated texts.
    void arrive_with_texts(const Session& session);
    void add_version(const TextOutcome& outcome, std::shared_ptr<const StepCost> original);

    Document now_;
    std::vector<Step> past_;
    std::vector<Step> future_;
    std::optional<Arrangement> before_wanted_; // while something is being opened
};

} // namespace lanescope::app
