// Every field is described once, for reading and writing, with its allowed values; they are checked
// against the lab's record while the line number is still known.
#include "app/document/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <ranges>
#include <tuple>

#include "app/document/look/maps.h"
#include "app/document/look/subject.h"
#include "app/document/look/tabs.h"
#include "app/document/session/fields.h"
#include "app/document/session/json_reader.h"
#include "app/document/session/session_file.h"
#include "compute/counting/gpus.h"
#include "compute/read_number.h"
#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

const std::string png_key = "lanescope";
constexpr std::int64_t max_steps = 1'000'000'000'000;
// A picture that holds a session may be large; the session inside has a smaller limit: see
// JsonText.
constexpr std::size_t max_session_bytes = std::size_t{1} << 28;
constexpr int max_sites = 1'000'000;
constexpr std::int64_t max_warps = UINT32_MAX; // also limits a warp's request numbers

// In the order of the enumerators.
const Fields::Names theme_names{"dark", "light"};

const labs::Lab* lab_of(const Start& start)
{
    try {
        return &labs::find(start.lab);
    } catch (const Error&) {
        return nullptr;
    }
}

// Throws Error if the lab lacks the parameter, or the value is not allowed.
Fields::CheckOne set_in(const labs::Lab* lab)
{
    return
        [lab](const std::string& id, const std::string& text) { labs::Values(*lab).set(id, text); };
}

void describe(Fields& fields, labs::Stroke& stroke)
{
    fields.field("u", stroke.u, 0, 1);
    fields.field("v", stroke.v, 0, 1);
    fields.field("radius", stroke.radius, 0, 1);
    fields.field("erase", stroke.erase);
}

// The key gives the kind of event: "stroke", "set" or "variant".
template <class What>
bool is(Fields& fields, const std::string& key, Event& event)
{
    if (!fields.given(key, std::holds_alternative<What>(event.what))) return false;
    if (!std::holds_alternative<What>(event.what)) event.what = What{};
    return true;
}

void describe(Fields& fields, Event& event, const labs::Lab* lab)
{
    fields.field("step", event.step, 0, max_steps);
    if (is<VariantChange>(fields, "variant", event)) {
        std::string& id = std::get<VariantChange>(event.what).id;
        fields.field("variant", id);
        fields.check("variant", [&] { id = labs::find_variant(*lab, id).id; });
    } else if (is<ParameterChange>(fields, "set", event)) {
        auto& [id, text] = std::get<ParameterChange>(event.what);
        std::map<std::string, std::string> change;
        if (!id.empty()) change[id] = text;
        fields.field("set", change, set_in(lab));
        fields.check("set", [&] {
            if (change.size() != 1)
                throw Error(ExitStatus::bad_usage, "\"set\" must change exactly one value.");
        });
        std::tie(id, text) = *change.begin();
    } else if (is<labs::Stroke>(fields, "stroke", event)) {
        fields.object("stroke",
                      [&](Fields& inner) { describe(inner, std::get<labs::Stroke>(event.what)); });
    } else {
        fields.check("step", [] {
            throw Error(ExitStatus::bad_usage,
                        "The event is not \"stroke\", \"set\" (one value) or \"variant\".");
        });
    }
}

// Groups events into entries of a session. In a long journal consecutive strokes are one entry,
// written as one text with a line per stroke: "STEP U V RADIUS", followed by "erase" if it erases.
// Otherwise each event is an entry, for readability.
std::vector<std::vector<Event>> entries_of(const std::vector<Event>& events)
{
    constexpr std::size_t many = 1000;
    const auto is_stroke = [](const Event& event) {
        return std::holds_alternative<labs::Stroke>(event.what);
    };
    std::vector<std::vector<Event>> entries;
    for (const Event& event : events) {
        const bool continues = events.size() > many && is_stroke(event) && !entries.empty() &&
                               is_stroke(entries.back().front());
        if (continues)
            entries.back().push_back(event);
        else
            entries.push_back({event});
    }
    return entries;
}

Event stroke_of(std::string_view line)
{
    Event event{0, labs::Stroke{}};
    labs::Stroke& stroke = std::get<labs::Stroke>(event.what);
    const char* at = line.data();
    const char* const end = at + line.size();
    bool whole = true;
    const auto number = [&](auto& value, double max) {
        while (at < end && *at == ' ') ++at;
        const auto [next, problem] = read_number(at, end, value);
        whole = whole && problem == std::errc() && value >= 0 && static_cast<double>(value) <= max;
        at = next;
    };
    number(event.step, static_cast<double>(max_steps));
    number(stroke.u, 1);
    number(stroke.v, 1);
    number(stroke.radius, 1);
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    stroke.erase = rest == " erase";
    if (!whole || !(rest.empty() || stroke.erase))
        throw Error(
            ExitStatus::bad_usage,
            fmt::format(
                "'{}' is not a stroke: write STEP U V RADIUS, followed by erase for an eraser.",
                line.substr(0, 80)));
    return event;
}

void describe_strokes(Fields& fields, std::vector<Event>& strokes)
{
    std::string text;
    for (const Event& event : strokes) {
        const labs::Stroke& stroke = std::get<labs::Stroke>(event.what);
        text += fmt::format("{} {} {} {}{}\n", event.step, stroke.u, stroke.v, stroke.radius,
                            stroke.erase ? " erase" : "");
    }
    fields.field("strokes", text);
    fields.check("strokes", [&] {
        strokes.clear();
        for (const auto line : std::views::split(std::string_view(text), '\n'))
            if (!line.empty())
                strokes.push_back(stroke_of(std::string_view(line.begin(), line.end())));
    });
}

void any_text(const std::string&, const std::string&) {}

// A lab of texts is stored as its base lab and the files that override it; a lab without a base has
// its own name.
void describe_lab(Fields& fields, std::string& place, const MayRead* may)
{
    fields.check("lab", [&] {
        if (!fields.given("lab", true)) throw Error(ExitStatus::bad_usage, "\"lab\" is missing.");
    });
    labs::Texts texts;
    if (!place.empty()) texts = labs::texts_of(labs::find(place));
    bool own = texts.base.empty() && !texts.id.empty();
    std::string name = own ? texts.id : texts.base;
    fields.field("lab", name);
    if (fields.given("own", own)) fields.field("own", own);
    if (may && !own) fields.check("lab", [&] { name = may->lab(name); });
    if (fields.given("files", !texts.files.empty())) fields.field("files", texts.files, any_text);
    fields.check(texts.files.empty() ? "lab" : "files", [&] {
        (own ? texts.id : texts.base) = name;
        place = texts.files.empty() ? labs::find(name).place : labs::open_texts(texts).place;
    });
}

void describe(Fields& fields, Draft& draft, const labs::Lab& lab)
{
    labs::Texts texts = labs::texts_of(lab);
    if (!draft.texts->files.empty()) texts.files = draft.texts->files;
    fields.field("files", texts.files, any_text);
    fields.check("files", [&] { labs::check_texts(texts); });
    draft.texts = std::move(texts);
    fields.field("variant", draft.following.variant);
    fields.field("file", draft.following.file);
    fields.field("compare", draft.following.compare);
    fields.check("file", [&] {
        const bool begun = !draft.following.variant.empty();
        if (begun && !draft.texts->files.contains(draft.following.file))
            throw Error(ExitStatus::bad_usage, "The variant's source is not among the files.");
    });
}

void describe(Fields& fields, Journal& journal, const MayRead* may)
{
    Start& start = journal.start;
    describe_lab(fields, start.lab, may);
    const labs::Lab* const lab = lab_of(start);
    if (lab && start.variant.empty()) start.variant = lab->variants.front().id;
    fields.field("variant", start.variant);
    fields.check("variant", [&] { start.variant = labs::find_variant(*lab, start.variant).id; });
    fields.field("seed", start.seed);
    fields.field("parameters", start.parameters, set_in(lab));
    fields.field("image", start.image);
    if (may) fields.check("image", [&] { start.image = may->picture(start.image); });
    fields.field("step", journal.steps, 0, max_steps);
    std::vector<std::vector<Event>> entries = entries_of(journal.events);
    std::int64_t last = 0;
    fields.list("events", entries, [&](Fields& inner, std::vector<Event>& entry) {
        const bool many = inner.given("strokes", entry.size() > 1);
        if (many)
            describe_strokes(inner, entry);
        else
            describe(inner, entry.empty() ? entry.emplace_back() : entry.front(), lab);
        if (entry.empty()) return;
        inner.check(many ? "strokes" : "step", [&] {
            if (entry.front().step < last || !std::ranges::is_sorted(entry, {}, &Event::step))
                throw Error(ExitStatus::bad_usage, "The events are not in step order.");
        });
        last = entry.back().step;
    });
    journal.events.clear();
    for (std::vector<Event>& entry : entries)
        std::ranges::move(entry, std::back_inserter(journal.events));
}

void describe(Fields& fields, CaptureChoice& capture)
{
    fields.field("scale", capture.scale, 1, 4);
    fields.field("format", capture.format, {"mp4", "gif", "png"});
    fields.field("rate", capture.rate, 1, 60);
    fields.field("seconds", capture.seconds, 0, 3600);
}

void describe(Fields& fields, PanelSizes& panels)
{
    fields.field("left", panels.left, 0, 100);
    fields.field("right", panels.right, 0, 100);
    fields.field("bottom", panels.bottom, 0, 100);
    fields.field("whole", panels.whole);
    fields.field("tab", panels.bottom_tab, tabs::ids());
}

void describe(Fields& fields, CodeChoice& code)
{
    fields.choice("place", code.place, {"strip", "left", "right"});
    fields.field("share", code.share, min_code_share, max_code_share);
    fields.field("heat", code.heat, {"lanes", "sectors", "wavefronts", "share"});
}

void describe(Fields& fields, StepChoice& step)
{
    constexpr std::int64_t max_position = std::int64_t{1} << 60;
    constexpr int last_line = 10'000'000;
    fields.field("on", step.on);
    fields.field("optimised", step.optimised);
    fields.field("ptx", step.ptx);
    fields.field("to_line", step.to_line, 0, last_line);
    fields.field("launch", step.launch, 0, max_position);
    fields.field("position", step.position, 0, max_position);
    fields.field("warp", step.warp, -1, 31);
    fields.field("lane", step.lane, 0, 31);
    fields.list("breakpoints", step.breakpoints,
                [](Fields& one, int& line) { one.field("line", line, 1, last_line); });
}

void describe(Fields& fields, Look& look, const labs::Lab* lab)
{
    if (lab && look.view.empty()) look.view = lab->views.front();
    fields.field("view", look.view, lab ? lab->views : Fields::Names{});
    fields.object("camera", [&](Fields& camera) {
        camera.field("azimuth_degrees", look.camera.azimuth_degrees, -1e6F, 1e6F);
        camera.field("elevation_degrees", look.camera.elevation_degrees, -89, 89);
        camera.field("distance", look.camera.distance, 1.2F, 20);
    });
    fields.object("zoom", [&](Fields& zoom) {
        zoom.field("factor", look.pan_zoom.zoom, 1, 400);
        zoom.field("x", look.pan_zoom.centre.x, 0, 1);
        zoom.field("y", look.pan_zoom.centre.y, 0, 1);
    });
    fields.field("map", look.map, map_names());
    fields.choice("map_of", look.map_of, scope_names());
    fields.field("map_blend", look.map_blend, 0, 1);
    fields.field("map_automatic", look.map_automatic);
    fields.choice("show", look.subject, subject_names());
    fields.object("memory", [&](Fields& memory) {
        memory.field("name", look.memory);
        memory.field("warps", look.memory_warps);
    });
    fields.object("request", [&](Fields& request) {
        request.field("site", look.request.site, -1, max_sites);
        request.field("warp", look.request.warp, -1, max_warps);
        request.field("request", look.request.request, 0, max_warps);
        if (request.given("variant", !look.request.variant.empty()))
            request.field("variant", look.request.variant);
    });
    fields.field("tree_block", look.tree_block);
    fields.field("compare", look.compare);
    fields.check("compare", [&] {
        if (!look.compare.empty()) look.compare = labs::find_variant(*lab, look.compare).id;
    });
    fields.field("difference", look.difference);
    fields.field("swipe", look.swipe, 0, 1);
    fields.object("capture", [&](Fields& capture) { describe(capture, look.capture); });
    fields.choice("theme", look.theme, theme_names);
    fields.field("text", look.text_zoom, 0.5F, 4);
    fields.field("lecture", look.lecture);
    fields.object("panels", [&](Fields& panels) { describe(panels, look.panels); });
    fields.object("code", [&](Fields& code) { describe(code, look.code); });
    const StepChoice& step = look.step;
    if (fields.given("stepping", step.on || !step.breakpoints.empty()))
        fields.object("stepping", [&](Fields& inner) { describe(inner, look.step); });
}

void describe(Fields& fields, PictureFormat& picture)
{
    constexpr int largest = 16384;
    fields.field("width", picture.size.width, 1, largest);
    fields.field("height", picture.size.height, 1, largest);
    fields.field("text_px", picture.text_px, 1, 1000);
}

// `may` is null for sessions that the program stores itself.
void describe(Fields& fields, Session& session, const MayRead* may)
{
    int version = fields.given("lanescope_session", true) ? 1 : 0;
    fields.field("lanescope_session", version, 1, 1);
    fields.check("lanescope_session", [&] {
        if (version != 1)
            throw Error(ExitStatus::bad_usage,
                        "This is not a session: \"lanescope_session\": 1 is missing.");
    });
    fields.field("device", session.device, {"auto", "cuda", "simt"});
    describe(fields, session.journal, may);
    if (fields.given("draft", session.draft.has_value())) {
        if (!session.draft) session.draft.emplace();
        fields.object("draft", [&](Fields& draft) {
            describe(draft, *session.draft, *lab_of(session.journal.start));
        });
    }
    describe(fields, session.look, lab_of(session.journal.start));
    if (fields.given("picture", session.picture.has_value())) {
        if (!session.picture) session.picture = PictureFormat{{1280, 720}};
        fields.object("picture", [&](Fields& picture) { describe(picture, *session.picture); });
    }
    if (fields.given("gpu", !session.gpu.empty())) {
        fields.field("gpu", session.gpu);
        fields.check("gpu", [&] { counting::gpu_named(session.gpu); });
    }
    if (fields.given("folder", !session.folder.empty())) fields.field("folder", session.folder);
    if (fields.given("kernel_file", !session.kernel_file.empty()))
        fields.field("kernel_file", session.kernel_file);
    if (fields.given("include_folders", !session.include_folders.empty()))
        fields.field("include_folders", session.include_folders);
}

Session from_json(std::string_view text, const std::string& name, const MayRead* may)
{
    Session session;
    read_fields(text, name, [&](Fields& fields) { describe(fields, session, may); });
    if (may) session.kernel_file.clear();
    if (may) session.include_folders.clear(); // they are only valid on this computer
    // An untrusted session must not choose where pictures are saved.
    if (may && !may->holds(session.folder)) session.folder.clear();
    return session;
}

std::optional<Session> inside(std::string_view bytes, const std::string& name, const MayRead* may)
{
    if (bytes.empty())
        throw Error(ExitStatus::bad_usage, fmt::format("{} is empty.", name),
                    "Choose a session, or a picture.");
    if (bytes.starts_with("\x89PNG")) {
        const render::PngText texts = render::decode_png_text(bytes, name);
        const auto text = texts.find(png_key);
        if (text == texts.end()) return {};
        return from_json(text->second, name, may);
    }
    if (bytes.starts_with("\xff\xd8")) return {}; // a JPEG holds no session
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || bytes[start] != '{')
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is neither a session nor a picture.", name),
                    "Choose a session (.json), a PNG or a JPEG.");
    return from_json(bytes, name, may);
}

} // namespace

std::string to_json(const Session& session)
{
    Session copy = session;
    // The chosen GPU applies to the whole process.
    if (const counting::Gpu* const gpu = counting::chosen_gpu()) copy.gpu = gpu->name;
    return write_fields([&](Fields& fields) { describe(fields, copy, nullptr); });
}

Session session_from_json(std::string_view text, const std::string& name)
{
    return from_json(text, name, nullptr);
}

render::PngText as_png_text(const Session& session)
{
    return {{png_key, to_json(session)}};
}

std::optional<Session> embedded_session(std::string_view bytes, const std::string& name)
{
    return inside(bytes, name, nullptr);
}

std::optional<Session> embedded_session(std::string_view bytes, const std::string& name,
                                        const MayRead& may)
{
    return inside(bytes, name, &may);
}

Session load_session(const std::filesystem::path& file)
{
    return load_session(file, {});
}

Session load_session(const std::filesystem::path& file, const std::string& image)
{
    auto session = embedded_session(render::read_file(file, max_session_bytes),
                                    file.filename().string(), {file.parent_path(), image});
    if (!session)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("{} contains no session.", file.string()),
                    "Only pictures that Lanescope wrote can be opened again.");
    return std::move(*session);
}

void save_session(const Session& session, const std::filesystem::path& file)
{
    render::write_file(file, to_json(session));
}

} // namespace lanescope::app
