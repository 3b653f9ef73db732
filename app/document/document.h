// The document: everything on screen (the experiment, its values, the view, pending requests) as
// plain data. Copyable and comparable. Only commands change it (commands.h); the worker makes the
// experiment follow, and panels read it together with the newest frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/editing/workbench.h"
#include "app/document/experiment/journal.h"
#include "app/document/look/look.h"
#include "app/document/messages.h"
#include "app/document/session/session.h"
#include "app/document/values/shared.h"

namespace lanescope::app {

struct Talk;
struct Beat;

// A request to open something; the current view stays until it is ready.
struct Wanted {
    // How the new view replaces the current one.
    enum Kind : std::uint8_t {
        session, // replaces everything
        lab,     // another experiment, keeping the look as far as possible
        restart, // the same experiment from the start
        edit,    // the same experiment with validated sources
        undo,    // an earlier document with its experiment
        redo,
    };
    Kind kind = restart;
    std::string title;    // for the progress bar: "rotate.png"
    std::string lab_id{}; // for a lab
    // of the lab to open; for an edit, the variant being tried
    std::string variant{};
    // only when a lab is opened; other requests keep the lab's own values
    std::map<std::string, std::string> values{};
    std::filesystem::path file{};        // file to read first, which determines what is
                                         // opened
    std::optional<std::string> engine{}; // engine to open first; empty: the current one
    friend bool operator==(const Wanted&, const Wanted&) = default;
};

// The sweep shown in the strip.
struct SweepChoice {
    std::string title; // empty: the first one for the variant on screen
    bool all_variants = true;
    bool begun = false; // started since the lab was opened; continues while the strip is folded
    friend bool operator==(const SweepChoice&, const SweepChoice&) = default;
};

// The state that undo and redo restore.
struct Arrangement {
    std::string device = "auto"; // the selected engine
    Start start;                 // start of the running experiment
    // The lab's newest sources, which replace start.lab once validated.
    Shared<labs::Texts> texts;
    Following following;
    std::string variant;                       // used by the next step
    std::map<std::string, std::string> values; // all parameters, as text
    std::vector<labs::Stroke> strokes;         // painted since the experiment was opened
    std::size_t strokes_before = 0;            // number of strokes already in its session
    Look look;
    std::optional<std::size_t> preset; // the preset selected last
    SweepChoice sweep;
    int opened_line = 0;         // source line whose PTX is shown; 0: none
    std::string kernel_file;     // absolute path that the lab's sources were read from; empty: none
    std::string include_folders; // searched for headers, separated by colons
    friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

// The talk in progress: a lecture, or a lab's lesson.
struct Presentation {
    std::shared_ptr<const Talk> talk; // null if none
    std::size_t beat = 0;
    bool revealed = false; // the answer to the beat's question is shown
    bool arriving = false; // the beat's lab is being opened
    std::string end;       // past a lesson's last beat or either end of a talk; else empty
    bool blank = false;    // the screen is blanked
    std::map<std::size_t, std::vector<int>> votes; // the audience's votes per choice, by beat
    std::optional<std::size_t> card;               // index of the open card

    const Beat* now() const; // null without a talk
    bool asks() const;       // true while the question is open
    bool can_vote() const;   // a question is open and has choices
    // True until the talk's first answer that reveals this variant's recorded time.
    bool withholds_time(const std::string& lab, const std::string& variant) const;
    std::vector<int> current_votes() const; // votes per choice of the beat
    friend bool operator==(const Presentation&, const Presentation&) = default;
};

// Sources and versions of a lab that was closed.
struct StashedTexts {
    std::string lab; // id of the last validated lab; empty if none
    Shared<labs::Texts> texts;
    Following following;
    std::vector<std::shared_ptr<const Version>> versions;
    std::string kernel_file;
    bool recovered = false; // from an earlier run, which has already asked the user about them
    friend bool operator==(const StashedTexts&, const StashedTexts&) = default;
};

struct Document : Arrangement {
    bool paused = false;
    std::int64_t single_steps = 0; // total requested with the step key
    std::optional<Wanted> wanted;
    bool help = false;
    bool log_open = false;
    std::map<std::string, std::string> keys; // changed by the user: actions and their chords
    std::uint64_t painted = 0;               // total number of strokes …
    std::uint64_t saved_strokes = 0;         // number of strokes that are saved in a file
    // Contents of kernel files by path, as last read or written.
    std::map<std::string, Shared<std::string>> on_disk;
    std::filesystem::path folder; // destination of saved files
    Presentation presentation;
    Workbench bench;
    std::map<std::string, StashedTexts> left; // keyed by id of the underlying lab
    MessageLog log;
    friend bool operator==(const Document&, const Document&) = default;

    const labs::Lab& lab() const { return labs::find(start.lab); }
    bool painting_saved() const { return painted == saved_strokes; }
    bool sweep_is_open() const
    {
        return look.panels.bottom > 0 && look.panels.bottom_tab == tabs::sweep;
    }
};

// The document that shows a session; `journal` events are already part of variant and values.
Document document_of(const Session& session);

// The same experiment from the start, with the current values and variant.
Session fresh_session(const Arrangement& document);

// The current view after the experiment has replayed `past_journal`.
Session session_of(const Arrangement& document, const Journal& past_journal);

// True if both show the same running experiment, which can change variant and values in place.
bool same_experiment(const Arrangement& now, const Arrangement& then);

} // namespace lanescope::app
