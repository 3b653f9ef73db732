// Parses beats. Everything that a beat names is looked up while reading.
#include "app/lessons/talk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "app/document/experiment/journal.h"
#include "app/document/experiment/request.h"
#include "app/document/look/maps.h"
#include "app/document/look/subject.h"
#include "app/document/look/tabs.h"
#include "assets/assets.h"
#include "compute/error.h"
#include "compute/ptx/sites/sites.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

constexpr const char* beats_file = "beats.txt";
constexpr std::size_t max_beats = 1000;

// Tabs that a lecture can show; "picture" closes them.
std::vector<std::string> pages()
{
    std::vector<std::string> names;
    for (const tabs::Tab& tab : tabs::all)
        if (tab.in_lectures) names.emplace_back(tab.id);
    names.emplace_back("picture");
    return names;
}

[[noreturn]] void refuse(std::string cause, std::string cure = {})
{
    throw Error(ExitStatus::bad_usage, std::move(cause), std::move(cure));
}

void require(const std::vector<std::string>& known, const std::string& value, const char* what)
{
    if (std::ranges::find(known, value) == known.end())
        refuse(fmt::format("There is no {} \"{}\".", what, value),
               fmt::format("Available: {}.", fmt::join(known, ", ")));
}

bool flag(const std::string& value)
{
    if (value != "on" && value != "off")
        refuse(fmt::format("\"{}\" is neither on nor off.", value));
    return value == "on";
}

// Resolves the names in a talk.
struct Names {
    const labs::Lab* own; // lab of a lesson; null for a lecture
    const FindNamed& others;

    Named operator()(std::string_view text) const
    {
        const std::size_t slash = text.rfind('/');
        if (!own || text.substr(0, slash) != own->id) return others(text);
        if (slash == std::string_view::npos) return {own, nullptr};
        return {own, &labs::find_variant(*own, text.substr(slash + 1))};
    }
};

// Reads lab and variant, then parameter values.
void show(BeatState& scene, std::string_view text, const Names& names)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.emplace_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    const Named named = names(parts.front());
    const labs::Lab& lab = *named.lab;
    if (names.own && lab.place != names.own->place)
        refuse(fmt::format("The lesson of {} shows another lab, {}.", names.own->title, lab.title),
               "A lecture may show any lab.");
    scene = {};
    scene.lab = lab.place;
    scene.view = lab.views.front();
    scene.variant = (named.variant ? *named.variant : lab.variants.front()).id;
    labs::Values values(lab);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        if (equals == std::string::npos)
            refuse(fmt::format("\"{}\" sets nothing.", parts[i]), "Write it as name=value.");
        values.set(trimmed(std::string_view(parts[i]).substr(0, equals)),
                   trimmed(std::string_view(parts[i]).substr(equals + 1)));
    }
    scene.values = as_texts(lab, values);
}

// Reads the lab, then the preset's title.
void show_preset(BeatState& scene, const labs::Lab& lab, const labs::Preset& preset)
{
    scene = {};
    scene.lab = lab.place;
    scene.view = lab.views.front();
    scene.variant = preset.variant.empty() ? lab.variants.front().id : preset.variant;
    labs::Values values(lab);
    for (const auto& [id, text] : preset.values) values.set(id, text);
    scene.values = as_texts(lab, values);
    if (!preset.view.empty()) scene.view = preset.view;
    if (!preset.map.empty()) scene.map = preset.map;
    if (!preset.show.empty()) scene.subject = subject_named(preset.show);
}

void show_preset(BeatState& scene, const std::string& text, const Names& names)
{
    const auto columns = columns_of(text);
    if (columns.size() != 2)
        refuse(fmt::format("\"{}\" is not a preset of a lab.", text), "Write it as LAB | TITLE.");
    const labs::Lab& lab = *names(columns[0]).lab;
    const auto found = std::ranges::find(lab.presets, columns[1], &labs::Preset::title);
    if (found == lab.presets.end()) {
        std::vector<std::string> titles;
        for (const labs::Preset& one : lab.presets) titles.push_back(one.title);
        refuse(fmt::format("The lab {} has no preset \"{}\".", lab.id, columns[1]),
               fmt::format("Available: {}.", fmt::join(titles, ", ")));
    }
    show_preset(scene, lab, *found);
}

// Syntax of `trace --request`, optionally preceded by line "text contained in the line".
RequestChoice request(const BeatState& scene, std::string text)
{
    const labs::Lab& lab = labs::find(scene.lab);
    const labs::Variant& variant = labs::find_variant(lab, scene.variant);
    constexpr std::string_view quoted = "line \"";
    if (text.starts_with(quoted)) {
        const std::size_t end = text.find('"', quoted.size());
        if (end == std::string::npos) refuse(fmt::format("The quote in {} is not closed.", text));
        const int line =
            line_holding(lab, variant, text.substr(quoted.size(), end - quoted.size()));
        text = fmt::format("L{}{}", line, text.substr(end + 1));
    }
    const ptx::Module module = ptx::parse(lab.ptx(variant));
    const auto watched = parse_request(text, ptx::sites_of(module, variant.kernel).sites);
    return {watched.site, watched.warp, watched.occurrence};
}

// Reads line "text contained in the line", then optionally a warp of the block.
void step(BeatState& scene, const std::string& text)
{
    constexpr std::string_view quoted = "line \"";
    const std::size_t end = text.find('"', quoted.size());
    const std::string rest(
        end == std::string::npos ? "" : trimmed(std::string_view(text).substr(end + 1)));
    constexpr std::string_view warp_word = ", warp ";
    const bool warp = rest.starts_with(warp_word);
    const std::string digits = warp ? rest.substr(warp_word.size()) : "";
    const bool number = !digits.empty() && digits.size() <= 2 &&
                        digits.find_first_not_of("0123456789") == std::string::npos &&
                        std::atoi(digits.c_str()) < 32;
    if (!text.starts_with(quoted) || end == std::string::npos || (!rest.empty() && !number))
        refuse(fmt::format("\"{}\" is not a place to start stepping.", text),
               "Write it as line \"text in the line\", optionally followed by \", warp 3\".");
    const labs::Lab& lab = labs::find(scene.lab);
    scene.step_line = line_holding(lab, labs::find_variant(lab, scene.variant),
                                   text.substr(quoted.size(), end - quoted.size()));
    scene.step_warp = warp ? std::atoi(digits.c_str()) : -1;
}

// The number at the start of a text: "1,024 sectors".
std::optional<double> leading_number(std::string_view text)
{
    std::string digits;
    for (const char c : text) {
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.')
            digits += c;
        else if (c != ',' || digits.empty())
            break;
    }
    if (digits.empty() || digits == ".") return {};
    return std::strtod(digits.c_str(), nullptr);
}

// Duration of a countdown.
int seconds(const std::string& text)
{
    constexpr int max_seconds = 600;
    const bool digits = !text.empty() && text.size() <= 3 &&
                        std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
    const int value = digits ? std::atoi(text.c_str()) : 0;
    if (value < 1 || value > max_seconds)
        refuse(fmt::format("\"{}\" is not a number of seconds.", text),
               fmt::format("Write a whole number from 1 to {}.", max_seconds));
    return value;
}

Choice read_choice(const std::string& text)
{
    const auto columns = columns_of(text);
    if (columns.size() > 2 || columns.front().empty())
        refuse(fmt::format("\"{}\" is not a choice.", text),
               "Write it as TEXT, or as TEXT | CONDITION such as \"> 2\".");
    Choice choice{columns.front(), {}};
    if (columns.size() == 2)
        choice.when = read_condition(columns[1]);
    else if (!leading_number(choice.text))
        refuse(fmt::format("The choice \"{}\" has no condition.", text),
               "Start it with a number, or add \" | \" and a condition such as \"> 2\".");
    return choice;
}

using Reads = void (*)(Beat& beat, const std::string& value, const Names& names);
struct Key {
    const char* name;
    bool again; // may occur more than once in a beat
    Reads read;
};

const labs::Lab& lab_of(const Beat& beat)
{
    if (beat.scene.lab.empty()) refuse("Nothing is shown yet.", "Add \"show: LAB/VARIANT\" first.");
    return labs::find(beat.scene.lab);
}

using B = Beat&;
using V = const std::string&;
using N = const Names&;

// clang-format off
const Key keys[] = {
    {"show", false, [](B beat, V value, N names) { show(beat.scene, value, names); }},
    {"preset", false, [](B beat, V value, N names) { show_preset(beat.scene, value, names); }},
    {"view", false, [](B beat, V value, N) { require(lab_of(beat).views, value, "view"); beat.scene.view = value; }},
    {"map", false, [](B beat, V value, N) { require(map_names(), value, "map"); beat.scene.map = value; }},
    {"map_of", false, [](B beat, V value, N) {
         require(scope_names(), value, "kind of access");
         beat.scene.map_of = scope_named(value); }},
    {"memory", false, [](B beat, V value, N) { beat.scene.subject = Subject::memory; beat.scene.memory = value; }},
    {"request", false, [](B beat, V value, N) {
         lab_of(beat);
         beat.scene.subject = Subject::request;
         beat.scene.request = request(beat.scene, value); }},
    {"tree", false, [](B beat, V value, N) {
         require({"warp", "block"}, value, "tree of a");
         beat.scene.subject = Subject::tree;
         beat.scene.tree_block = value == "block"; }},
    {"picture", false, [](B beat, V value, N) { if (flag(value)) beat.scene.subject = Subject::picture; }},
    {"compare", false, [](B beat, V value, N) {
         beat.scene.compare = value == "off" ? "" : labs::find_variant(lab_of(beat), value).id; }},
    {"difference", false, [](B beat, V value, N) { beat.scene.difference = flag(value); }},
    {"page", false, [](B beat, V value, N) {
         require(pages(), value, "page");
         beat.scene.page = value; }},
    {"line", false, [](B beat, V value, N) {
         const labs::Lab& lab = lab_of(beat);
         beat.scene.line = line_holding(lab, labs::find_variant(lab, beat.scene.variant), value); }},
    {"step", false, [](B beat, V value, N) { step(beat.scene, value); }},
    {"paused", false, [](B beat, V value, N) { beat.scene.paused = flag(value); }},
    {"say", false, [](B beat, V value, N names) { beat.say = read_words(value, names.others); }},
    {"ask", false, [](B beat, V value, N names) { beat.question = read_words(value, names.others); }},
    {"countdown", false, [](B beat, V value, N) { beat.countdown_s = seconds(value); }},
    {"choice", true, [](B beat, V value, N) { beat.choices.push_back(read_choice(value)); }},
    {"reveal", false, [](B beat, V value, N names) { beat.reveal = Formula(value, names.others); beat.after = beat.scene; }},
    {"unit", false, [](B beat, V value, N) { beat.unit = value; }},
    {"because", false, [](B beat, V value, N names) { beat.because = read_words(value, names.others); }},
};
// clang-format on

void finish(const FormText& form, Beat& beat)
{
    const auto refused = [&](const std::string& problem) { form.refuse(beat.line, problem); };
    if (beat.scene.lab.empty())
        refused(fmt::format("The beat \"{}\" shows nothing: \"show: LAB/VARIANT\" is missing.",
                            beat.title));
    if (beat.question.empty() != beat.reveal.empty())
        refused(fmt::format("The beat \"{}\" has {}.", beat.title,
                            beat.question.empty() ? "an answer to reveal but no question (ask)"
                                                  : "a question but no answer to reveal"));
    if (beat.choices.size() == 1 || beat.choices.size() > max_choices)
        refused(fmt::format("The beat \"{}\" has {} choices; 2 to {} are allowed.", beat.title,
                            beat.choices.size(), max_choices));
    if (beat.countdown_s > 0 && beat.question.empty())
        refused(fmt::format("The beat \"{}\" has a countdown but no question (ask).", beat.title));
    const auto with =
        std::ranges::count_if(beat.choices, [](const Choice& one) { return one.when.has_value(); });
    if (with != 0 && with != std::ssize(beat.choices))
        refused(fmt::format("In the beat \"{}\" some choices have conditions and some do not.",
                            beat.title));
    if (beat.unit.empty()) beat.unit = beat.reveal.unit();
    if (beat.reveal.empty()) beat.after = beat.scene;
}

} // namespace

std::vector<std::string> keys_of_beats()
{
    std::vector<std::string> names{"beat"};
    for (const Key& key : keys) names.emplace_back(key.name);
    return names;
}

void apply_scene(Look& look, const BeatState& scene)
{
    look.view = scene.view;
    look.map = scene.map;
    look.map_of = scene.map_of;
    look.map_automatic = false;
    look.subject = scene.subject;
    look.memory = scene.memory;
    look.memory_warps = false;
    look.request = scene.request;
    if (look.request.site >= 0) look.request.variant = scene.variant;
    look.tree_block = scene.tree_block;
    look.compare = scene.compare;
    look.difference = scene.difference;
    look.pan_zoom = {};
    StepChoice stepped;
    stepped.on = scene.step_line > 0;
    stepped.to_line = scene.step_line;
    stepped.warp = scene.step_warp;
    look.step = stepped;
    look.panels.whole = look.lecture && scene.has_page();
    if (scene.has_page()) {
        constexpr float strip_em = 19; // plots need height
        look.panels.bottom = std::max(look.panels.bottom, strip_em);
        look.panels.bottom_tab = scene.page;
    } else {
        look.panels.bottom = 0;
    }
}

std::vector<Formula> Beat::formulas() const
{
    std::vector<Formula> all;
    if (!reveal.empty()) all.push_back(reveal);
    for (const Words* words : {&say, &question, &because})
        for (const Words::Piece& piece : words->pieces)
            if (!piece.formula.empty()) all.push_back(piece.formula);
    return all;
}

double Choice::distance(double value) const
{
    constexpr double never = std::numeric_limits<double>::infinity();
    if (when) return when->holds(value) ? 0 : never;
    const double number = leading_number(text).value_or(0);
    if (value == number) return 0;
    return number == 0 || std::isnan(value) ? never : std::abs(value - number) / std::abs(number);
}

std::optional<std::size_t> Beat::right(double value) const
{
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (!choices[i].right(value)) continue;
        if (found) return {};
        found = i;
    }
    return found;
}

Talk read_talk(std::string_view text, const std::string& name, const labs::Lab* lab,
               const FindNamed& find)
{
    const Names names{lab, find};
    const FormText form(name, text);
    Talk talk;
    talk.name = name;
    if (lab) talk.lesson_of = lab->place;
    const char* const head = lab ? "lesson" : "lecture";
    std::set<std::string> seen;
    for (const FormLine& line : form.lines()) {
        if (talk.title.empty()) {
            if (line.key != head || line.value.empty())
                form.refuse(line.line, fmt::format("The first line must be \"{}: TITLE\".", head));
            talk.title = line.value;
            continue;
        }
        if (line.key == "beat") {
            if (!talk.beats.empty()) finish(form, talk.beats.back());
            if (talk.beats.size() == max_beats)
                form.refuse(line.line, fmt::format("There are more than {} beats.", max_beats));
            Beat beat;
            if (!talk.beats.empty()) beat.scene = talk.beats.back().after;
            beat.scene.step_line = 0; // stepping ends with its beat
            beat.scene.step_warp = -1;
            beat.title = line.value;
            beat.line = line.line;
            talk.beats.push_back(std::move(beat));
            seen.clear();
            continue;
        }
        if (talk.beats.empty()) form.refuse(line.line, "\"beat: TITLE\" must come first.");
        const auto key =
            std::ranges::find_if(keys, [&](const Key& one) { return one.name == line.key; });
        if (key == std::end(keys))
            form.refuse(line.line, fmt::format("There is no key \"{}\". Available: {}.", line.key,
                                               fmt::join(keys_of_beats(), ", ")));
        if (!seen.insert(line.key).second && !key->again)
            form.refuse(line.line, fmt::format("This beat already has \"{}\".", line.key));
        if (line.value.empty())
            form.refuse(line.line, fmt::format("There is no value after \"{}:\".", line.key));
        Beat& beat = talk.beats.back();
        const bool with_answer = !beat.reveal.empty();
        if (with_answer && (line.key == "show" || line.key == "preset"))
            form.refuse(line.line,
                        "An answer cannot switch to another experiment: start another beat.");
        if (with_answer) std::swap(beat.scene, beat.after);
        form.read(line, [&] { key->read(beat, line.value, names); });
        if (with_answer) std::swap(beat.scene, beat.after);
    }
    if (talk.beats.empty()) form.refuse(1, "It contains no beat.");
    finish(form, talk.beats.back());
    return talk;
}

bool is_lecture(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (!trimmed(line).empty() && !line.starts_with('#')) return line.starts_with("lecture:");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

std::shared_ptr<const Talk> lesson_of(const labs::Lab& lab)
{
    std::string_view text;
    try {
        text = lab.file(beats_file);
    } catch (const Error&) {
        // A lab without beats shows its presets.
        if (lab.presets.empty()) return {};
        Talk talk{lab.title, {}, lab.place, {}};
        for (const labs::Preset& preset : lab.presets) {
            Beat beat;
            beat.title = preset.title;
            show_preset(beat.scene, lab, preset);
            beat.after = beat.scene;
            talk.beats.push_back(std::move(beat));
        }
        return std::make_shared<const Talk>(std::move(talk));
    }
    return std::make_shared<const Talk>(read_talk(text, lab.id + '/' + beats_file, &lab));
}

std::vector<Talk> embedded_talks()
{
    std::vector<Talk> talks;
    for (const labs::Lab& lab : labs::all())
        if (const auto lesson = lesson_of(lab)) talks.push_back(*lesson);
    for (const assets::File& file : assets::files())
        if (file.path.starts_with("assets/lectures/"))
            talks.push_back(read_talk(file.bytes, std::string(file.path)));
    return talks;
}

} // namespace lanescope::app
