// What is on screen, as plain data: which experiment, with which values, looked at how, and what is
// wanted next. Copied by value and comparable. It changes by commands only (commands.h); the worker
// makes the experiment follow it, and panels read it beside the newest frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/editing/workbench.h"
#include "app/document/journal.h"
#include "app/document/look.h"
#include "app/document/messages.h"
#include "app/document/session/session.h"
#include "app/document/shared.h"

namespace lanescope::app {

struct Talk;
struct Beat;

// What is to be opened; what is shown stays until it is ready.
struct Wanted {
    // How it takes the place of what is shown.
    enum Kind : std::uint8_t {
        session, // everything as it says
        lab,     // another experiment, looked at in the same way as far as that goes
        restart, // the same experiment afresh
        edit,    // the same experiment with validated texts
        undo,    // the document as it was, and the experiment with it
        redo,
    };
    Kind kind = restart;
    std::string title;                           // for the progress bar: "rotate.png"
    std::string lab_id{};                        // of a lab
    std::string variant{};                       // of a lab; of an edit, which one was tried
    std::map<std::string, std::string> values{}; // of a lab; the others are its own
    std::filesystem::path file{};                // to be read first: it says what arrives
    std::optional<std::string> engine{};         // to be opened first; else the present one serves
    friend bool operator==(const Wanted&, const Wanted&) = default;
};

// Which sweep the strip below shows.
struct SweepChoice {
    std::string title; // empty: the first that is about the shown variant
    bool all_variants = true;
    bool begun = false; // since the lab was opened: hidden, it goes on
    friend bool operator==(const SweepChoice&, const SweepChoice&) = default;
};

// What undo and redo bring back.
struct Arrangement {
    std::string device = "auto"; // the engine, as chosen
    Start start;                 // what the running experiment started from
    // The newest texts of its lab, which start.lab becomes when they have been validated.
    Shared<labs::Texts> texts;
    Following following;
    std::string variant;                       // that the next step uses
    std::map<std::string, std::string> values; // of all parameters, as texts
    std::vector<labs::Stroke> strokes;         // painted since the experiment was opened
    std::size_t strokes_before = 0;            // that its session had already
    Look look;
    std::optional<std::size_t> preset; // that was chosen last
    SweepChoice sweep;
    int opened_line = 0;         // of the source, whose PTX is shown; 0: none
    std::string kernel_file;     // that the lab's texts were read from, absolute; empty: none
    std::string include_folders; // searched for headers, with colons between them
    friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

// The talk that is being given: a lecture, or the lesson of a lab.
struct Giving {
    std::shared_ptr<const Talk> talk; // null: none
    std::size_t beat = 0;
    bool revealed = false;                         // what the beat asks
    bool arriving = false;                         // the beat's lab is being opened
    bool blank = false;                            // nothing is shown: the room is to listen
    std::map<std::size_t, std::vector<int>> votes; // the audience's, by beat: for each choice
    std::optional<std::size_t> card;               // the cards are open, at this one

    const Beat* now() const;            // null: no talk
    bool asks() const;                  // the question is open
    bool can_vote() const;              // … and has choices
    std::vector<int> votes_now() const; // for each choice of the beat
    friend bool operator==(const Giving&, const Giving&) = default;
};

// The texts of a lab that was left for another one, and their versions.
struct StashedTexts {
    std::string lab; // the place of the last that was validated; empty: it has none
    Shared<labs::Texts> texts;
    Following following;
    std::vector<std::shared_ptr<const Version>> versions;
    std::string kernel_file;
    bool recovered = false; // of an earlier run: whoever left them there was asked then
    friend bool operator==(const StashedTexts&, const StashedTexts&) = default;
};

struct Document : Arrangement {
    bool paused = false;
    std::int64_t single_steps = 0; // ever asked for, by the step key
    std::optional<Wanted> wanted;
    bool help = false;
    bool log_open = false;
    std::map<std::string, std::string> keys; // that the user changed: actions and their chords
    std::uint64_t painted = 0;               // how often, ever …
    std::uint64_t painted_saved = 0;         // … and of these, what a file has
    // What kernels' files hold, by their paths, as they were read or written last.
    std::map<std::string, Shared<std::string>> on_disk;
    std::filesystem::path folder; // where files go
    Giving giving;
    Workbench bench;
    std::map<std::string, StashedTexts> left; // by the place of the lab below them
    MessageLog log;
    friend bool operator==(const Document&, const Document&) = default;

    const labs::Lab& lab() const { return labs::find(start.lab); }
    bool painting_saved() const { return painted == painted_saved; }
    bool sweep_is_open() const
    {
        return look.panels.bottom > 0 && look.panels.bottom_tab == tabs::sweep;
    }
};

// The document that shows a session; `journal` events are already part of variant and values.
Document document_of(const Session& session);

// The same experiment from its start, with the values and the variant of now.
Session fresh_session(const Arrangement& document);

// What is shown, after it lived through `lived`.
Session session_of(const Arrangement& document, const Journal& lived);

// Whether going from one to the other needs no experiment to be opened: values and variants are
// changed while it runs.
bool same_experiment(const Arrangement& now, const Arrangement& then);

} // namespace lanescope::app
