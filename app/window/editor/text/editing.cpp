// Every key produces a whole new text immediately; nothing waits for a compiler.
#include "app/window/editor/text/editing.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/document/editing.h"
#include "app/document/values/text_lines.h"
#include "compute/numbers.h"
#include "compute/python_source.h"

namespace lanescope::app {
namespace {

Clipboard clipboard()
{
    return {[] {
                const char* const words = ImGui::GetClipboardText();
                return std::string(words ? words : "");
            },
            [](const std::string& words) { ImGui::SetClipboardText(words.c_str()); }};
}

// Line number in the current text of a line of the text that was tried.
int current_line(const Document& document, const EditedText& edited, int line)
{
    if (line <= 0) return 0;
    if (!is_stale(document)) return line - 1;
    const auto& files = document.bench.outcome->texts->files;
    const auto tried = files.find(std::string(edited.file));
    if (tried == files.end()) return line - 1;
    const std::vector<int> matches = matching_lines(tried->second, edited.text);
    int above = 0; // for a deleted line: after the last surviving line before it
    for (std::size_t i = 0; i < matches.size(); ++i) {
        if (matches[i] == line) return static_cast<int>(i);
        if (matches[i] > 0 && matches[i] < line) above = static_cast<int>(i) + 1;
    }
    return std::min(above, static_cast<int>(matches.size()) - 1);
}

void add_detail(std::vector<CodeNote>& notes, int line, std::string_view detail)
{
    for (const std::string_view one : lines_of(detail))
        if (one.find_first_not_of(" \t") != std::string_view::npos)
            notes.push_back({line, CodeNote::Kind::detail, std::string(one)});
}

} // namespace

namespace {

// Edits the needle, or goes to the next match (Shift: the previous one).
void find(const KeyEvent& key, CodeState& state)
{
    state.to_match = true;
    if (key.key == GLFW_KEY_ENTER || key.key == GLFW_KEY_KP_ENTER) {
        const std::size_t count = state.sheet.find(state.needle).size();
        const bool back = (key.modifiers & GLFW_MOD_SHIFT) != 0;
        if (count > 0) state.match = (state.match + (back ? count - 1 : 1)) % count;
        return;
    }
    auto needle = edited(state.needle, state.needle_caret, key, 1, clipboard());
    if (!needle || needle->find('\n') != std::string::npos) return;
    state.needle = std::move(*needle);
    state.match = 0;
}

} // namespace

void begin_editing(CodeState& state, const Document& document)
{
    const EditedText edited = edited_text(document);
    state.editing = true;
    state.to_caret = true;
    if (state.seen == edited.text) return;
    state.seen = edited.text;
    int line = std::max(document.opened_line - 1, 0);
    for (int i = 0; line == 0 && i < state.sheet.line_count(); ++i)
        if (const SourceLine* const counts = state.sheet.counts(i); counts && counts->counted())
            line = i;
    const std::size_t at = byte_of(edited.text, {line, 0});
    state.caret = {at, at};
}

void sync_code_state(CodeState& state, std::string_view text)
{
    if (state.seen == text) return;
    follow_change(state.seen, text, state.caret);
    state.seen = text;
    state.to_caret = true;
}

bool press_in_code(const KeyEvent& key, const Document& document, CodeState& state, Commands& out)
{
    if (!state.editing && !state.finding) return false;
    if (!is_editing_key(key)) {
        // A letter key that produced no character, such as a dead key, must not trigger a shortcut
        // either.
        const bool named = key.key >= GLFW_KEY_ESCAPE;
        return !named && (key.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) == 0;
    }
    if (state.finding) return find(key, state), true;
    const EditedText now = edited_text(document);
    sync_code_state(state, now.text);
    auto text = edited(now.text, state.caret, key, state.page, clipboard());
    state.to_caret = true;
    if (!text) return true;
    state.seen = *text;
    out.push_back(EditText{std::string(now.variant), std::move(*text)});
    return true;
}

void go_to_complaint(const Document& document, CodeState& state)
{
    const EditedText edited = edited_text(document);
    const auto complaints = complaints_of(document, edited.file);
    if (complaints.empty()) return;
    sync_code_state(state, edited.text);
    const int now = place_in(edited.text, state.caret.at).line;
    const auto line_of = [&](const Complaint* one) {
        return current_line(document, edited, one->line);
    };
    const Complaint* next = complaints.front();
    int best = -1;
    for (const Complaint* const one : complaints) {
        const int line = line_of(one);
        if (line > now && (best < 0 || line < best)) {
            best = line;
            next = one;
        }
    }
    const int line = line_of(next);
    const auto column = static_cast<std::size_t>(std::max(next->column - 1, 0));
    const std::size_t at = byte_of(edited.text, {line, column});
    state.caret = {at, at};
    state.to_caret = true;
    state.details = true;
}

std::string share_words(const CostChange& change)
{
    if (!change.changed()) return "=";
    const auto share = change.share();
    if (!share) return "new";
    const double percent = 100 * *share;
    const bool small = std::abs(percent) < 9.95;
    const double seen = small ? std::round(10 * percent) / 10 : std::round(percent);
    return fmt::format("{}{:g}%", percent < 0 ? "−" : "+", std::abs(seen));
}

std::string cost_words(const LineDifference& difference)
{
    const std::pair<const char*, const CostChange*> all[] = {
        {"sectors", &difference.sectors},
        {"wavefronts", &difference.wavefronts},
        {"divergent", &difference.divergent},
        {"executions", &difference.executions}};
    std::string words;
    for (const auto& [name, change] : all) {
        if (!change->changed()) continue;
        // For a new line the amount says more than a relative change.
        const std::string amount =
            change->share() ? share_words(*change) : fmt::format("+{:g}", change->is);
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, amount);
    }
    if (difference.gone && !words.empty()) words = "deleted line: " + words;
    return words;
}

std::vector<CodeNote> notes_of(const Document& document, CodeState& state)
{
    std::vector<CodeNote> notes;
    const EditedText edited = edited_text(document);
    const bool older = is_stale(document) || is_pending(document);
    for (const Complaint* const one : complaints_of(document, edited.file)) {
        const int line = current_line(document, edited, one->line);
        const bool quiet = older || one->warning;
        notes.push_back({line, quiet ? CodeNote::Kind::quiet : CodeNote::Kind::error, one->sentence,
                         one->detail, older ? 0 : one->column});
        if (state.details) add_detail(notes, line, one->detail);
    }
    const Workbench& bench = document.bench;
    const Version* const shown = shown_version(document);
    const Version* const before = shown ? bench.before(*shown) : nullptr;
    if (!before || edited.newer) return notes;
    if (state.costs_of != std::pair<const void*, const void*>{before, shown}) {
        state.costs_of = {before, shown};
        state.costs.clear();
        for (const LineDifference& one : line_differences(*before, *shown))
            if (std::string words = cost_words(one); !words.empty())
                state.costs.push_back({one.line - 1, CodeNote::Kind::cost, std::move(words)});
    }
    notes.insert(notes.end(), state.costs.begin(), state.costs.end());
    return notes;
}

EditStatus edit_status(const Document& document)
{
    const EditedText edited = edited_text(document);
    const Workbench& bench = document.bench;
    if (is_pending(document)) {
        if (is_python_source(edited.file)) return {"Ctrl R runs the script with this text.", false};
        if (bench.compiling) return {"Compiling …", false};
        return {bench.automatic ? "Compiles when you pause (Ctrl Enter: now)."
                                : "Ctrl Enter compiles it.",
                false};
    }
    if (edited.newer && bench.outcome && bench.outcome->kind != TextOutcome::Kind::validated) {
        const auto complaints = complaints_of(document, edited.file);
        const auto errors = std::ranges::count(complaints, false, &Complaint::warning);
        const std::string what =
            errors > 0 ? counted(static_cast<std::size_t>(errors), "error") + " (F8 jumps to them)."
                       : bench.outcome->sentence;
        return {what + " Showing the last version that ran.", true};
    }
    const Version* const shown = shown_version(document);
    const Version* const before = shown ? bench.before(*shown) : nullptr;
    if (!before) return {};
    const auto cost = difference(*before, *shown);
    if (!cost) return {fmt::format("{} is compiled and runs.", shown->title), false};
    const std::pair<const char*, const CostChange*> all[] = {
        {"instructions", &cost->warp_instructions},
        {"sectors", &cost->sectors},
        {"wavefronts", &cost->wavefronts},
        {"divergent branches", &cost->divergent},
        {"time", &cost->step_ms}};
    std::string changes;
    for (const auto& [name, change] : all)
        if (change->changed())
            changes +=
                fmt::format("{}{} {}", changes.empty() ? "" : ", ", name, share_words(*change));
    if (changes.empty()) changes = "no change in cost";
    std::string words =
        fmt::format("{} is compiled and runs: {} against {}", shown->title, changes, before->title);
    if (!shown->cost->reduced.empty())
        words += fmt::format(" (counted with {})", shown->cost->reduced);
    return {words + ".", false};
}

} // namespace lanescope::app
