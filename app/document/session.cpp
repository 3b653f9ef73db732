// See session.h. Values are checked against the lab's record while the line is still known.
#include "app/document/session.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/document/json_reader.h"
#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

const std::string png_key = "lanescope";
constexpr std::int64_t most_steps = 1'000'000'000'000;
constexpr std::int64_t most_sites = 1'000'000;
constexpr std::int64_t most_warps = UINT32_MAX; // in a launch, and requests of one

std::string theme_name(Theme theme)
{
    return theme == Theme::dark ? "dark" : "light";
}

ordered_json event_json(const Event& event)
{
    ordered_json json{{"step", event.step}};
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what))
        json["stroke"] = {{"u", stroke->u},
                          {"v", stroke->v},
                          {"radius", stroke->radius},
                          {"erase", stroke->erase}};
    else if (const auto* change = std::get_if<ParameterChange>(&event.what))
        json["set"] = {{change->id, change->text}};
    else
        json["variant"] = std::get<VariantChange>(event.what).id;
    return json;
}

// Runs `check` and lets its complaint carry the line of `key`.
template <class Check>
void checked(const JsonObject& object, const std::string& key, Check&& check)
{
    try {
        check();
    } catch (const Error& error) {
        object.refuse(key, error.what());
    }
}

void read_events(JsonObject& object, const labs::Lab& lab, Journal& journal)
{
    object.read_each("events", [&](JsonObject& entry) {
        Event event;
        entry.read("step", event.step, 0, most_steps);
        if (!journal.events.empty() && event.step < journal.events.back().step)
            entry.refuse("step", "Events must be in order of their step.");
        std::map<std::string, std::string> change;
        std::string variant;
        labs::Stroke stroke;
        bool stroked = false;
        entry.read("set", change);
        entry.read("variant", variant);
        entry.read_object("stroke", [&](JsonObject& one) {
            stroked = true;
            one.read("u", stroke.u, 0, 1);
            one.read("v", stroke.v, 0, 1);
            one.read("radius", stroke.radius, 0, 1);
            one.read("erase", stroke.erase);
        });
        if (stroked) {
            event.what = stroke;
        } else if (!variant.empty()) {
            checked(entry, "variant", [&] { labs::find_variant(lab, variant); });
            event.what = VariantChange{variant};
        } else if (change.size() == 1) {
            const auto& [id, text] = *change.begin();
            checked(entry, "set", [&] { labs::Values(lab).set(id, text); });
            event.what = ParameterChange{id, text};
        } else {
            entry.refuse("step",
                         "An event is one of \"stroke\", \"set\" (one value) or \"variant\".");
        }
        journal.events.push_back(std::move(event));
    });
}

void read_journal(JsonObject& object, Journal& journal)
{
    object.read("lab", journal.start.lab);
    if (!object.has("lab")) object.refuse("", "\"lab\" is missing.");
    checked(object, "lab", [&] { labs::find(journal.start.lab); });
    const labs::Lab& lab = labs::find(journal.start.lab);
    journal.start.variant = lab.variants.front().id;
    object.read("variant", journal.start.variant);
    checked(object, "variant", [&] { labs::find_variant(lab, journal.start.variant); });
    object.read("parameters", journal.start.parameters);
    labs::Values values(lab);
    for (const auto& [id, text] : journal.start.parameters)
        checked(object, "parameters/" + id, [&] { values.set(id, text); });
    object.read("image", journal.start.image);
    std::int64_t seed = 1;
    object.read("seed", seed, 0, INT64_MAX);
    journal.start.seed = static_cast<std::uint64_t>(seed);
    object.read("step", journal.steps, 0, most_steps);
    read_events(object, lab, journal);
}

void read_capture(JsonObject& object, CaptureChoice& capture)
{
    object.read("format", capture.format, {"mp4", "gif", "png"});
    const auto read = [&](const std::string& key, int& value, int low, int high) {
        std::int64_t number = value;
        object.read(key, number, low, high);
        value = static_cast<int>(number);
    };
    read("scale", capture.scale, 1, 4);
    read("rate", capture.rate, 1, 60);
    read("seconds", capture.seconds, 0, 3600);
}

void read_look(JsonObject& object, const labs::Lab& lab, Look& look)
{
    look.view = lab.views.front();
    object.read("view", look.view, lab.views);
    object.read("map", look.map, map_names());
    object.read("map_blend", look.map_blend, 0, 1);
    object.read("map_automatic", look.map_automatic);
    std::string subject = name(look.subject);
    object.read("show", subject, subject_names());
    look.subject = subject_named(subject);
    object.read_object("memory", [&](JsonObject& memory) {
        memory.read("name", look.memory);
        memory.read("warps", look.memory_warps);
    });
    object.read_object("request", [&](JsonObject& request) {
        std::int64_t site = look.request.site;
        request.read("site", site, -1, most_sites);
        look.request.site = static_cast<int>(site);
        request.read("warp", look.request.warp, 0, most_warps);
        request.read("request", look.request.request, 0, most_warps);
    });
    object.read("compare", look.compare);
    if (!look.compare.empty())
        checked(object, "compare", [&] { labs::find_variant(lab, look.compare); });
    object.read("difference", look.difference);
    object.read("swipe", look.swipe, 0, 1);
    object.read_object("capture",
                       [&](JsonObject& capture) { read_capture(capture, look.capture); });
    object.read_object("camera", [&](JsonObject& camera) {
        camera.read("azimuth_degrees", look.camera.azimuth_degrees, -1e6F, 1e6F);
        camera.read("elevation_degrees", look.camera.elevation_degrees, -89, 89);
        camera.read("distance", look.camera.distance, 1.2F, 20);
    });
    object.read_object("zoom", [&](JsonObject& zoom) {
        zoom.read("factor", look.pan_zoom.zoom, 1, 400);
        zoom.read("x", look.pan_zoom.centre.x, 0, 1);
        zoom.read("y", look.pan_zoom.centre.y, 0, 1);
    });
    std::string theme = theme_name(look.theme);
    object.read("theme", theme, {"dark", "light"});
    look.theme = theme == "dark" ? Theme::dark : Theme::light;
    object.read("text", look.text_zoom, 0.5F, 4);
    object.read("lecture", look.lecture);
    object.read_object("panels", [&](JsonObject& panels) {
        panels.read("left", look.panels.left, 0, 100);
        panels.read("right", look.panels.right, 0, 100);
        panels.read("bottom", look.panels.bottom, 0, 100);
        panels.read("tab", look.panels.bottom_tab,
                    {"timings", "history", "sweep", "roofline", "source", "lesson"});
    });
}

void read_picture(JsonObject& object, std::optional<PictureFormat>& format)
{
    object.read_object("picture", [&](JsonObject& picture) {
        constexpr int largest = 16384;
        std::int64_t width = 1280;
        std::int64_t height = 720;
        picture.read("width", width, 1, largest);
        picture.read("height", height, 1, largest);
        format.emplace();
        format->size = {static_cast<int>(width), static_cast<int>(height)};
        picture.read("text_px", format->text_px, 1, 1000);
    });
}

} // namespace

std::string to_json(const Session& session)
{
    const Journal& journal = session.journal;
    const Look& look = session.look;
    ordered_json events = ordered_json::array();
    for (const Event& event : journal.events) events.push_back(event_json(event));
    ordered_json json{{"lanescope_session", 1},
                      {"lab", journal.start.lab},
                      {"variant", journal.start.variant},
                      {"device", session.device},
                      {"seed", journal.start.seed},
                      {"parameters", journal.start.parameters},
                      {"image", journal.start.image},
                      {"step", journal.steps},
                      {"events", std::move(events)},
                      {"view", look.view},
                      {"camera",
                       {{"azimuth_degrees", look.camera.azimuth_degrees},
                        {"elevation_degrees", look.camera.elevation_degrees},
                        {"distance", look.camera.distance}}},
                      {"zoom",
                       {{"factor", look.pan_zoom.zoom},
                        {"x", look.pan_zoom.centre.x},
                        {"y", look.pan_zoom.centre.y}}},
                      {"map", look.map},
                      {"map_blend", look.map_blend},
                      {"map_automatic", look.map_automatic},
                      {"show", name(look.subject)},
                      {"memory", {{"name", look.memory}, {"warps", look.memory_warps}}},
                      {"request",
                       {{"site", look.request.site},
                        {"warp", look.request.warp},
                        {"request", look.request.request}}},
                      {"compare", look.compare},
                      {"difference", look.difference},
                      {"swipe", look.swipe},
                      {"capture",
                       {{"scale", look.capture.scale},
                        {"format", look.capture.format},
                        {"rate", look.capture.rate},
                        {"seconds", look.capture.seconds}}},
                      {"theme", theme_name(look.theme)},
                      {"text", look.text_zoom},
                      {"lecture", look.lecture},
                      {"panels",
                       {{"left", look.panels.left},
                        {"right", look.panels.right},
                        {"bottom", look.panels.bottom},
                        {"tab", look.panels.bottom_tab}}}};
    if (const auto& picture = session.picture)
        json["picture"] = {{"width", picture->size.width},
                           {"height", picture->size.height},
                           {"text_px", picture->text_px}};
    if (!session.folder.empty()) json["folder"] = session.folder;
    return json.dump(2) + "\n";
}

Session session_from_json(std::string_view text, const std::string& name)
{
    const JsonText json(name, text);
    JsonObject object(json);
    std::int64_t version = 0;
    object.read("lanescope_session", version, 1, 1);
    if (version != 1)
        json.refuse("", "This is not a session: \"lanescope_session\": 1 is missing.");
    Session session;
    object.read("device", session.device, {"auto", "cuda", "simt"});
    object.read("folder", session.folder);
    read_picture(object, session.picture);
    read_journal(object, session.journal);
    read_look(object, labs::find(session.journal.start.lab), session.look);
    object.finish();
    return session;
}

render::PngText as_png_text(const Session& session)
{
    return {{png_key, to_json(session)}};
}

std::optional<Session> session_inside(std::string_view bytes, const std::string& name)
{
    if (bytes.empty())
        throw Error(ExitStatus::bad_usage, fmt::format("{} is empty.", name),
                    "Choose a session, or a picture.");
    if (bytes.starts_with("\x89PNG")) {
        const render::PngText texts = render::decode_png_text(bytes, name);
        const auto text = texts.find(png_key);
        if (text == texts.end()) return {};
        return session_from_json(text->second, name);
    }
    if (bytes.starts_with("\xff\xd8")) return {}; // JPEG
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || bytes[start] != '{')
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} is neither a session nor a picture.", name),
                    "Choose a session (.json), a PNG or a JPEG.");
    return session_from_json(bytes, name);
}

Session load_session(const std::filesystem::path& file)
{
    auto session = session_inside(render::read_file(file), file.filename().string());
    if (!session)
        throw Error(ExitStatus::no_such_thing, fmt::format("{} holds no session.", file.string()),
                    "Only pictures that Lanescope wrote can be opened again.");
    return std::move(*session);
}

void save_session(const Session& session, const std::filesystem::path& file)
{
    render::write_file(file, to_json(session));
}

} // namespace lanescope::app
