// Saving, in the background: the kernel's text, the lab as a folder, sessions; and the newest
// state, for recovery after a crash.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "app/document/edits.h"
#include "app/document/last_session.h"
#include "app/document/values/shared.h"
#include "app/export/saver.h"
#include "app/run/frame/frame.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {

class Saving {
public:
    explicit Saving(Edits& edits) : edits_(edits) {}

    // Restores unsaved work of earlier sessions: edited kernels of other labs, interrupted videos.
    void recover_unsaved(bool has_unsaved_strokes);
    // Saves the kernel's text to the file it was read from, or to another one. Never overwrites
    // changes made by another program.
    void save_text(const std::string& name);
    // Saves the edited texts as a lab folder.
    void save_lab(const std::string& name);
    // `takes_lab`: with the launch that the session opens.
    void save_session_as(const std::string& name, const Frame& now, bool takes_lab);
    // Reports what has been written. Returns the edit that makes a saved text the open one.
    std::optional<EditFile> poll();
    void tell(Outcome outcome);

    // The current state needs no recovery.
    void begin();
    // True if texts have been typed since the state was stored.
    bool has_new_texts() const;
    // Stores the current state. `opening`: another experiment is being opened.
    void keep(const Frame& now, bool opening);
    // The same if it has changed, a few times per second.
    void keep_changes(const Frame& now, bool opening);

    // Waits for everything that is being written.
    std::vector<Outcome> finish();
    void keep_last(const Frame& now, bool opening);
    void finish_keeping() { keeper_.finish(); }

private:
    Kept recovery_state(const Frame& now, bool opening) const;

    Edits& edits_;
    std::vector<std::future<Outcome>> saving_; // folders and sessions being written
    struct Writing {                           // a kernel's text that is being written to its file
        std::string file;
        std::string text;
        std::future<Outcome> done;
    };
    std::optional<Writing> writing_;
    SessionKeeper keeper_;
    // The state last stored for recovery after a crash.
    std::optional<Shared<labs::Texts>> stored_texts_;
    std::uint64_t stored_strokes_ = 0;
    std::uint64_t stored_saved_ = 0;
    std::chrono::steady_clock::time_point stored_at_{};
};

} // namespace lanescope::app
