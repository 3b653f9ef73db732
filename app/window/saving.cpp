// Each file is written on a thread of its own, which reports a sentence when it ends.
#include "app/window/saving.h"

#include <exception>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/document/document.h"
#include "app/document/editing.h"
#include "app/document/session/session_file.h"
#include "app/export/lab_folder.h"
#include "app/export/recorder.h"
#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "compute/endings.h"
#include "compute/process/end_request.h"
#include "compute/python_source.h"
#include "compute/threads.h"
#include "render/capture/file.h"

namespace lanescope::app {

using namespace std::chrono_literals;

void Saving::recover_unsaved(bool has_unsaved_strokes)
{
    const Document& document = edits_.document();
    if (has_unsaved_strokes) edits_.note_painted();
    if (!unsaved_texts(document).empty())
        edits_.tell(fmt::format("Recovered unsaved changes to {}: they are in the "
                                "editor (Ctrl S saves them).",
                                text_name(document.kernel_file)));
    std::vector<std::string> titles;
    for (const Session& kept : stored_edits()) {
        const labs::Lab& lab = labs::find(kept.journal.start.lab);
        if (!kept.kernel_file.empty() || lab.origin() == document.lab().origin()) continue;
        StashedTexts left;
        left.lab = kept.journal.start.lab;
        left.texts = labs::texts_of(lab);
        left.recovered = true;
        if (kept.draft) {
            left.texts = kept.draft->texts;
            left.following = kept.draft->following;
        }
        edits_.recover(lab.origin(), std::move(left));
        titles.push_back(lab.title);
    }
    if (!titles.empty())
        edits_.tell(fmt::format("Edited kernels are restored when you choose their lab: {}.",
                                fmt::join(titles, ", ")));
    for (const UnfinishedVideo& video : unfinished_videos())
        saving_.push_back(
            start_in_background([video] { return complete_unfinished_video(video); }));
}

void Saving::tell(Outcome outcome)
{
    if (outcome.failed) return edits_.complain(std::move(outcome.text));
    edits_.mark_saved(outcome.painted);
    for (auto& [file, text] : outcome.texts) edits_.note_on_disk(file, std::move(text));
    edits_.tell(std::move(outcome.text));
}

std::optional<EditFile> Saving::poll()
{
    std::erase_if(saving_, [&](std::future<Outcome>& one) {
        if (one.wait_for(0s) != std::future_status::ready) return false;
        tell(one.get());
        return true;
    });
    if (!writing_ || writing_->done.wait_for(0s) != std::future_status::ready) return std::nullopt;
    std::optional<EditFile> edit;
    Writing written = *std::exchange(writing_, {});
    Outcome outcome = written.done.get();
    if (!outcome.failed) {
        edits_.note_on_disk(written.file, written.text);
        const Document& document = edits_.document();
        const std::string name = text_name(written.file);
        if (written.file == document.kernel_file && document.texts->files.contains(name))
            edit = EditFile{name, written.text};
        stored_texts_.reset(); // nothing left to recover
    }
    tell(std::move(outcome));
    return edit;
}

void Saving::save_text(const std::string& name)
{
    const Document& document = edits_.document();
    const std::filesystem::path own = document.kernel_file;
    const std::filesystem::path file = name.empty() ? own : document.folder / name;
    if (file.empty() || writing_) return;
    const auto unsaved = unsaved_text(document);
    if (name.empty() && is_python_source(own) && !unsaved) return; // another text is shown
    const std::string text =
        name.empty() && unsaved ? unsaved->text : std::string(edited_text(document).text);
    std::optional<std::string> held; // expected contents; empty: the file must not exist
    if (const auto known = document.on_disk.find(file.string()); known != document.on_disk.end())
        held = *known->second;
    writing_.emplace(Writing{file.string(), text, {}});
    writing_->done = start_in_background([file, text, held] {
        try {
            std::error_code none;
            const bool exists = std::filesystem::exists(file, none);
            if (exists && (!held || read_own_text(file).text != *held))
                throw Error(ExitStatus::bad_usage,
                            held ? fmt::format("{} was changed by another program.", file.string())
                                 : fmt::format("{} already exists.", file.string()),
                            "Save it under another name (Ctrl Shift S).");
            render::write_file(file, text);
            return Outcome{"Saved " + file.string()};
        } catch (const std::exception& error) {
            return Outcome{error.what(), true};
        }
    });
}

void Saving::save_lab(const std::string& name)
{
    const Document& document = edits_.document();
    const std::filesystem::path folder =
        name.empty() ? free_lab_folder(document.folder, document.lab().id) : document.folder / name;
    saving_.push_back(start_in_background([folder, texts = document.texts] {
        try {
            write_lab_folder(files_of(labs::open_texts(*texts)), folder);
            Outcome outcome{
                fmt::format("Saved the lab in {}; open that folder to use it.", folder.string())};
            for (const auto& [name, text] : texts->files)
                outcome.texts[(folder / name).string()] = text;
            return outcome;
        } catch (const std::exception& error) {
            return Outcome{error.what(), true};
        }
    }));
}

void Saving::save_session_as(const std::string& name, const Frame& now, bool takes_lab)
{
    const Document& document = edits_.document();
    std::filesystem::path file = document.folder / name;
    if (!file.has_extension()) file += ending::session;
    if (!now.is_open()) return;
    Session session = edits_.replayed_session(now.a.journal());
    saving_.push_back(start_in_background([file, session = std::move(session), takes_lab,
                                           painted = document.painted] {
        try {
            std::error_code none;
            if (std::filesystem::exists(file, none))
                throw Error(ExitStatus::bad_usage, fmt::format("{} already exists.", file.string()),
                            "Choose another name.");
            if (!takes_lab) {
                save_session(session, file);
                return Outcome{"Saved " + file.string(), false, painted};
            }
            const auto copy = save_session_with_lab(session, file);
            return Outcome{fmt::format("Saved {}, and beside it the launch that it opens: {}",
                                       file.string(), copy.string()),
                           false, painted};
        } catch (const std::exception& error) {
            return Outcome{error.what(), true};
        }
    }));
}

void Saving::begin()
{
    stored_texts_ = edits_.document().texts;
    stored_strokes_ = stored_saved_ = 0;
}

bool Saving::has_new_texts() const
{
    return stored_texts_ && stored_texts_ != edits_.document().texts;
}

void Saving::keep(const Frame& now, bool opening)
{
    const Document& document = edits_.document();
    stored_texts_ = document.texts;
    stored_strokes_ = document.painted;
    stored_saved_ = document.saved_strokes;
    stored_at_ = std::chrono::steady_clock::now();
    keeper_.keep(recovery_state(now, opening));
}

void Saving::keep_changes(const Frame& now, bool opening)
{
    constexpr auto rarely = 250ms;
    const Document& document = edits_.document();
    const bool same = stored_texts_ == document.texts && stored_strokes_ == document.painted &&
                      stored_saved_ == document.saved_strokes;
    if (!same && std::chrono::steady_clock::now() - stored_at_ >= rarely) keep(now, opening);
}

namespace {

// A launch's folder is deleted with the window: only the text of its script is kept.
Session session_of_script(Session session, const Document& document)
{
    const std::filesystem::path script = document.kernel_file;
    const auto text = document.texts->files.find(text_name(script));
    const auto saved = document.on_disk.find(document.kernel_file);
    const labs::Lab& lab =
        labs::open_texts(text_alone(script, text != document.texts->files.end() ? text->second
                                            : saved != document.on_disk.end()   ? *saved->second
                                                                                : std::string()));
    session.journal = {{lab.place, lab.variants.front().id, {}, 1, {}}, {}, 0};
    session.draft.reset();
    session.look.view = lab.views.front();
    session.look.compare.clear();
    session.look.step = {};
    return session;
}

} // namespace

Kept Saving::recovery_state(const Frame& now, bool opening) const
{
    const Document& document = edits_.document();
    Kept kept{fresh_session(document)};
    if (is_python_source(document.kernel_file))
        kept.session = session_of_script(std::move(kept.session), document);
    kept.session.folder = document.folder.string();
    const bool own = !document.kernel_file.empty();
    kept.edits_of = own ? document.kernel_file : document.lab().origin();
    kept.edited = own ? !unsaved_texts(document).empty() : !document.texts->files.empty();
    if (!document.painting_saved() && now.is_open() && !opening) {
        kept.painting = edits_.replayed_session(now.a.journal());
        kept.painting->folder = kept.session.folder;
    }
    return kept;
}

std::vector<Outcome> Saving::finish()
{
    std::vector<Outcome> ended;
    for (std::future<Outcome>& one : saving_) ended.push_back(one.get());
    saving_.clear();
    if (writing_) ended.push_back(writing_->done.get());
    return ended;
}

void Saving::keep_last(const Frame& now, bool opening)
{
    Kept kept = recovery_state(now, opening);
    if (end_request() == 0) kept.painting.reset(); // no signal: the user was asked
    keeper_.keep(std::move(kept));                 // written before the keeper is destroyed
}

} // namespace lanescope::app
