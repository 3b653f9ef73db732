// Sources change at once; the lab on screen follows once they are validated. Undo restores both, as
// it does parameters and choices.
#include "app/document/editing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "compute/error.h"
#include "compute/python_source.h"

namespace lanescope::app {
namespace {

const labs::Texts& shown_texts(const Arrangement& document)
{
    static const labs::Texts none;
    const labs::Lab& lab = labs::find(document.start.lab);
    return lab.texts ? *lab.texts : none;
}

// True if nothing changed since the view was validated.
bool all_shown(const Arrangement& document)
{
    return document.texts->files == shown_texts(document).files;
}

void set_file(Document& document, const std::string& file, const std::string& text)
{
    labs::Texts texts = *document.texts;
    texts.files[file] = text;
    document.texts = std::move(texts);
}

void begin(Document& document, labs::Edited edited)
{
    document.texts = std::move(edited.texts);
    document.following.variant = std::move(edited.variant);
    document.following.file = std::move(edited.file);
}

// The lab of the newest sources, or the one on screen if the edited record is invalid.
const labs::Lab& edited_lab(const Document& document)
{
    if (all_shown(document)) return document.lab();
    try {
        return labs::open_texts(*document.texts);
    } catch (const Error&) {
        return document.lab();
    }
}

const Version& version_of(const Document& document, const std::string& variant, int number)
{
    const std::string& wanted = variant.empty() ? document.variant : variant;
    const Workbench& bench = document.bench;
    const Version* found = nullptr;
    if (number >= 0) {
        found = bench.find(wanted, number);
    } else {
        const labs::Lab& lab = document.lab();
        const std::string_view text = lab.source(labs::find_variant(lab, wanted));
        if (const Version* now = bench.with_text(wanted, text)) found = bench.before(*now);
    }
    if (!found)
        throw Error(ExitStatus::no_such_thing,
                    number < 0 ? "There is no version before this one."
                               : fmt::format("There is no version {} of {}.", number, wanted),
                    "Every version that ran is kept.");
    return *found;
}

std::map<std::string, std::string> fitting(const labs::Lab& lab,
                                           const std::map<std::string, std::string>& wanted)
{
    labs::Values values(lab);
    for (const auto& [id, text] : wanted) {
        try {
            values.set(id, text);
        } catch (const Error&) {
            continue; // unknown in the new record: dropped
        }
    }
    return as_texts(lab, values);
}

} // namespace

EditedText edited_text(const Document& document)
{
    const auto& files = document.texts->files;
    const Following& begun = document.following;
    if (!begun.variant.empty())
        if (const auto text = files.find(begun.file); text != files.end())
            return {begun.variant, begun.file, text->second, true, true};
    const labs::Lab& lab = document.lab();
    const labs::Variant& variant = labs::find_variant(lab, document.variant);
    const std::string_view shown = lab.source(variant);
    const auto text = files.find(variant.source);
    if (text == files.end()) return {variant.id, variant.source, shown, false, false};
    return {variant.id, variant.source, text->second, false, text->second != shown};
}

namespace {

// Names of the source files, without the record, whose contents match no file on disk.
std::vector<std::string> not_on_disk(const labs::Texts& texts, const Document& document)
{
    std::vector<std::string> names;
    for (const auto& [name, text] : texts.files) {
        const auto has = [&](const auto& held) { return *held.second == text; };
        if (name != "lab.json" && std::ranges::none_of(document.on_disk, has))
            names.push_back(name);
    }
    return names;
}

} // namespace

std::vector<std::string> unsaved_texts(const Document& document)
{
    if (document.kernel_file.empty()) return {};
    std::vector<std::string> names = not_on_disk(*document.texts, document);
    // A launch of a script may have other texts, such as PTX, which are not the script's.
    const std::filesystem::path file = document.kernel_file;
    if (is_python_source(file))
        std::erase_if(names, [&](const std::string& name) { return name != file.filename(); });
    return names;
}

std::optional<UnsavedText> unsaved_text(const Document& document)
{
    const auto names = unsaved_texts(document);
    if (names.empty()) return {};
    const std::string edited(edited_text(document).file);
    const bool is_edited = std::ranges::find(names, edited) != names.end();
    const std::string& name = is_edited ? edited : names.front();
    return UnsavedText{name, document.texts->files.at(name)};
}

std::vector<std::string> unsaved_words(const Document& document)
{
    std::vector<std::string> words;
    if (!document.painting_saved())
        words.emplace_back("Your painting has not been saved (Ctrl S).");
    const auto file = [](const std::string& path) {
        return std::filesystem::path(path).filename().string();
    };
    if (!unsaved_texts(document).empty())
        words.push_back(
            fmt::format("Changes to {} have not been saved (Ctrl S).", file(document.kernel_file)));
    for (const auto& [lab, left] : document.left) {
        if (left.recovered || lab == document.lab().origin()) continue;
        const bool same_file =
            !left.kernel_file.empty() && left.kernel_file == document.kernel_file;
        if (same_file || not_on_disk(*left.texts, document).empty()) continue;
        words.push_back(
            left.kernel_file.empty()
                ? fmt::format("Edited kernels of {} have not been saved.", labs::find(lab).title)
                : fmt::format("Changes to {} have not been saved.", file(left.kernel_file)));
    }
    return words;
}

const Version* shown_version(const Document& document)
{
    const labs::Lab& lab = document.lab();
    const std::string_view text = lab.source(labs::find_variant(lab, document.variant));
    return document.bench.with_text(document.variant, text);
}

std::vector<const Complaint*> complaints_of(const Document& document, std::string_view file)
{
    std::vector<const Complaint*> found;
    const auto& outcome = document.bench.outcome;
    // Warnings apply to the source on screen; errors of outdated source do not.
    if (!outcome || (all_shown(document) && outcome->texts != document.texts)) return found;
    for (const Complaint& one : outcome->complaints)
        if (one.file == file) found.push_back(&one);
    return found;
}

bool is_stale(const Document& document)
{
    const auto& outcome = document.bench.outcome;
    return outcome && outcome->texts != document.texts;
}

bool is_pending(const Document& document)
{
    const auto& outcome = document.bench.outcome;
    return !all_shown(document) && (!outcome || outcome->texts != document.texts);
}

void edit_text(Document& document, const std::string& variant, const std::string& text)
{
    if (document.following.variant == variant)
        return set_file(document, document.following.file, text);
    const labs::Variant* const own = document.lab().find_variant(variant);
    const bool in_place = own && (!own->edited.empty() || is_python_source(own->source));
    if (in_place && document.texts->files.contains(own->source))
        return set_file(document, own->source, text);
    const labs::Lab& lab = edited_lab(document);
    if (lab.source(labs::find_variant(lab, variant)) == text) return;
    begin(document, labs::with_edited_variant(lab, variant, text));
}

std::string_view edited_record(const Document& document)
{
    const auto own = document.texts->files.find("lab.json");
    return own != document.texts->files.end() ? own->second : document.lab().file("lab.json");
}

void edit_file(Document& document, const std::string& file, const std::string& text)
{
    const auto own = document.texts->files.find(file);
    if (own != document.texts->files.end() && own->second == text) return;
    set_file(document, file, text);
}

void begin_variant(Document& document, const std::string& title)
{
    const EditedText now = edited_text(document);
    begin(document,
          labs::with_new_variant(edited_lab(document), now.variant,
                                 title.empty() ? "New variant" : title, std::string(now.text)));
}

void revert_texts(Document& document)
{
    document.texts = labs::texts_of(document.lab());
    document.following = {};
}

void go_to_version(Document& document, const std::string& variant, int number)
{
    const Version& version = version_of(document, variant, number);
    const std::string id =
        version.number == 0 ? (variant.empty() ? document.variant : variant) : version.variant;
    document.following = {};
    edit_text(document, id, *version.text);
    if (document.lab().find_variant(id)) document.variant = id;
}

void compare_version(Document& document, const std::string& variant, int number)
{
    const Version& version = version_of(document, variant, number);
    const labs::Lab& lab = edited_lab(document);
    const auto same = std::ranges::find_if(lab.variants, [&](const labs::Variant& one) {
        return (version.number == 0 && one.id == version.variant) ||
               (one.title == version.title && lab.source(one) == *version.text);
    });
    if (same == lab.variants.end()) {
        labs::Edited kept =
            labs::with_new_variant(lab, version.variant, version.title, *version.text);
        document.texts = std::move(kept.texts);
        document.following.compare = std::move(kept.variant);
    } else if (document.lab().find_variant(same->id)) {
        document.look.compare = same->id;
    } else {
        document.following.compare = same->id;
    }
}

bool follow_new_variant(Document& document, const std::string& variant)
{
    if (document.following.variant == variant) return true;
    if (document.lab().find_variant(variant) || all_shown(document)) return false;
    const labs::Variant* const begun = edited_lab(document).find_variant(variant);
    if (!begun) return false;
    document.following.variant = begun->id;
    document.following.file = begun->source;
    return true;
}

void show_validated_edit(Arrangement& document, const Arrangement& found)
{
    const bool is_read = labs::find(document.start.lab).placeholder;
    document.start = found.start;
    const labs::Lab& lab = labs::find(found.start.lab);
    // Keeps the source that was read, with any edits, and its record and headers.
    if (is_read && lab.texts) {
        labs::Texts texts = *lab.texts;
        for (const auto& [name, text] : document.texts->files)
            if (name != "lab.json") texts.files[name] = text;
        document.texts = std::move(texts);
    }
    const bool newest = all_shown(document);
    if (newest) {
        const Following& following = document.following;
        if (lab.find_variant(following.variant)) document.variant = following.variant;
        if (lab.find_variant(following.compare)) document.look.compare = following.compare;
        document.following = {};
    }
    if (!lab.find_variant(document.variant)) document.variant = found.variant;
    if (!lab.find_variant(document.look.compare)) document.look.compare.clear();
    if (std::ranges::find(lab.views, document.look.view) == lab.views.end())
        document.look.view = lab.views.front();
    document.values = fitting(lab, document.values);
}

void swap_versions(Document& document, const std::string& left, const std::string& next)
{
    if (left == next) return;
    document.left[left].versions = std::exchange(document.bench.versions, {});
    const auto kept = document.left.find(next);
    if (kept != document.left.end()) document.bench.versions = kept->second.versions;
    document.bench.outcome.reset();
}

namespace {

// The texts of another lab of the same script, with the script's text in the editor, which may be
// newer than the one that has run. The lab of a kernel in another file gets it only if it is not
// saved.
labs::Texts with_text_of_script(labs::Texts texts, const Document& document)
{
    const std::string name = std::filesystem::path(document.kernel_file).filename().string();
    const auto text = document.texts->files.find(name);
    if (text == document.texts->files.end()) return texts;
    const auto saved = document.on_disk.find(document.kernel_file);
    const bool is_saved = saved != document.on_disk.end() && *saved->second == text->second;
    if (texts.files.contains(name) || !is_saved) texts.files[name] = text->second;
    return texts;
}

} // namespace

void stash_texts(Document& document, const Document& found)
{
    const std::string left = document.lab().origin();
    const std::string next = found.lab().origin();
    if (is_python_source(document.kernel_file) && document.kernel_file == found.kernel_file) {
        swap_versions(document, left, next);
        document.texts = with_text_of_script(*found.texts, document);
        document.following = found.following;
        return;
    }
    // The id of a lab depends on the file's name and content, so two equal files have one id. Their
    // edits are stored by path, to keep them apart.
    const bool other_file =
        left == next && !document.kernel_file.empty() && document.kernel_file != found.kernel_file;
    StashedTexts& stash = document.left[other_file ? document.kernel_file : left];
    stash.lab = document.texts->files.empty() ? std::string() : document.start.lab;
    stash.texts = document.texts;
    stash.following = document.following;
    stash.kernel_file = document.kernel_file;
    stash.recovered = false;
    swap_versions(document, left, next);
    document.texts = found.texts;
    document.following = found.following;
    const auto kept = document.left.find(next);
    if (left == next || kept == document.left.end() || kept->second.lab != found.start.lab) return;
    document.texts = kept->second.texts;
    document.following = kept->second.following;
}

std::string with_edits(const Document& document, const std::string& lab)
{
    const auto kept = document.left.find(lab);
    return kept == document.left.end() || kept->second.lab.empty() ? lab : kept->second.lab;
}

Session edited_session(const Arrangement& document, const std::string& place,
                       const Journal& past_journal, bool paused)
{
    constexpr std::int64_t max_steps = 100; // max. steps repeated to return to the same step
    const labs::Lab& lab = labs::find(place);
    Start start = document.start;
    start.lab = place;
    start.parameters = fitting(lab, document.values);
    const std::string& wanted = lab.find_variant(document.following.variant)
                                    ? document.following.variant
                                    : document.variant;
    start.variant = lab.find_variant(wanted) ? wanted : lab.variants.front().id;
    Journal journal{std::move(start), {}, 0};
    if (paused) journal.steps = std::clamp<std::int64_t>(past_journal.steps, 1, max_steps);
    std::size_t strokes = 0;
    for (const Event& event : past_journal.events)
        if (std::holds_alternative<labs::Stroke>(event.what) && strokes++ < document.strokes_before)
            journal.events.push_back({0, event.what});
    for (const labs::Stroke& stroke : document.strokes) journal.events.push_back({0, stroke});
    Session session = session_of(document, journal);
    if (!lab.find_variant(session.look.compare)) session.look.compare.clear();
    return session;
}

} // namespace lanescope::app
