// Editor for the record of the current variant: memory contents, launch, picture, and actions
// between steps. Each widget is one entry of lab.json, and its command sets that entry; the record
// reader's complaint is shown below the entry.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

#include "app/document/editing.h"
#include "app/window/panels/panels.h"
#include "compute/experiment/record/layout.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_bytes = std::size_t{64} << 10; // the file is read in every frame
constexpr const char* types[] = {"f32", "f64", "f16", "u8",  "i8",     "u16",   "i16",
                                 "u32", "i32", "u64", "i64", "bytes3", "bytes4"};

// Fills offered in a list; any other fill is an expression or a file, and is kept.
struct FillChoice {
    const char* title;
    const char* json;
};
constexpr FillChoice fills[] = {{"zero", "0"},
                                {"ramp", "\"ramp\""},
                                {"wave", "\"wave\""},
                                {"random", "\"random\""},
                                {"test card", "\"test_card\""},
                                {"image", "\"image\""},
                                {"permutation", "\"permutation\""}};

class Entries {
public:
    Entries(const View& view, const Json& record, std::size_t variant, Commands& out)
        : view_(view), record_(record), own_(fmt::format("/variants/{}", variant)), out_(out)
    {
        for (const Complaint* one : complaints_of(view.document, "lab.json"))
            complaints_.push_back(one);
    }

    // Path of the entry: the variant's own, otherwise the lab's.
    std::string place(const std::string& key) const
    {
        return record_.contains(Json::json_pointer(own_ + key)) ? own_ + key : key;
    }
    // Null if there is none.
    Json entry(const std::string& key) const
    {
        const Json::json_pointer at(place(key));
        return record_.contains(at) ? record_.at(at) : Json();
    }
    void set(const std::string& key, const Json& value)
    {
        out_.push_back(SetRecordEntry{place(key), value.dump()});
    }

    void label(const std::string& text) const
    {
        ImGui::AlignTextToFramePadding();
        quiet_text(view_.style, text);
        ImGui::SameLine(view_.style.em * 5.5F);
        ImGui::SetNextItemWidth(-FLT_MIN);
    }

    // A single expression, or none.
    void expression(const char* title, const std::string& key) { expressions(title, key, true); }

    // Comma-separated expressions: "n" or "width, height".
    void expressions(const char* title, const std::string& key, bool single = false)
    {
        const IdScope id(key);
        label(title);
        std::string text = words(entry(key));
        if (ImGui::InputText("##text", &text, ImGuiInputTextFlags_EnterReturnsTrue) ||
            ImGui::IsItemDeactivatedAfterEdit())
            set(key, single && !text.empty() ? Json(text) : parsed(text));
        complain(key);
    }

    template <class Titles, class Choose>
    void list(const char* title, const std::string& key, const std::string& shown,
              const Titles& titles, Choose&& choose)
    {
        const IdScope id(key + title);
        label(title);
        if (ImGui::BeginCombo("##list", shown.c_str())) {
            for (std::size_t i = 0; i < std::size(titles); ++i) {
                const std::string one(titles[i]);
                if (ImGui::Selectable(one.c_str(), one == shown) && one != shown) choose(i, one);
            }
            ImGui::EndCombo();
        }
        complain(key);
    }

    // Shows the reader's complaint about this entry.
    void complain(const std::string& key) const
    {
        const std::string at = place(key);
        for (const Complaint* one : complaints_) {
            const std::string& message = one->sentence;
            const std::size_t found = message.find(at);
            if (found == std::string::npos) continue;
            const std::size_t end = found + at.size();
            if (end < message.size() && message[end] != ':' && message[end] != '/') continue;
            const TextScope wrong(view_.style.fonts.plain, view_.style.em * 0.93F,
                                  is_stale(view_.document) ? view_.style.palette.quiet
                                                           : view_.style.palette.accent);
            plain_text(message);
        }
    }

    const Json& record() const { return record_; }

private:
    static std::string words(const Json& entry)
    {
        if (entry.is_null()) return {};
        if (entry.is_string()) return entry.get<std::string>();
        if (!entry.is_array()) return entry.dump();
        std::string text;
        for (const Json& one : entry)
            text += (text.empty() ? "" : ", ") +
                    (one.is_string() ? one.get<std::string>() : one.dump());
        return text;
    }
    // Numbers stay numbers, everything else is an expression; commas inside brackets don't
    // separate.
    static Json parsed(const std::string& text)
    {
        Json all = Json::array();
        int depth = 0;
        std::string part;
        const auto end = [&] {
            const auto begin = part.find_first_not_of(' ');
            const auto last = part.find_last_not_of(' ');
            const std::string one =
                begin == std::string::npos ? "" : part.substr(begin, last - begin + 1);
            const bool number = !one.empty() &&
                                one.find_first_not_of("0123456789") == std::string::npos &&
                                one.size() < 10;
            if (!one.empty()) all.push_back(number ? Json(std::stoi(one)) : Json(one));
            part.clear();
        };
        for (const char c : text) {
            depth += c == '(' || c == '{' || c == '[';
            depth -= c == ')' || c == '}' || c == ']';
            if (c == ',' && depth == 0)
                end();
            else
                part += c;
        }
        end();
        return all.empty() ? Json() : all;
    }

    const View& view_;
    const Json& record_;
    std::string own_;
    std::vector<const Complaint*> complaints_;
    Commands& out_;
};

std::vector<std::string> buffers_of(const Entries& entries)
{
    std::vector<std::string> names;
    const Json buffers = entries.entry("/buffers"); // must outlive its items
    for (const auto& [name, buffer] : buffers.items()) names.push_back(name);
    return names;
}

// Heading of a part of the record; scrolls to it if requested.
void part_heading(const View& view, const std::string& name)
{
    heading(view.style, name);
    view.ui.places["record " + name] = item_centre();
    if (view.ui.shown_entry != name) return;
    ImGui::SetScrollHereY(0.1F);
    view.ui.shown_entry.clear();
}

void memory(Entries& entries, const View& view)
{
    for (const std::string& name : buffers_of(entries)) {
        const std::string key = "/buffers/" + name;
        part_heading(view, name);
        const Json type = entries.entry(key + "/type");
        entries.list(
            "type", key + "/type", type.is_string() ? type.get<std::string>() : "f32", types,
            [&](std::size_t, const std::string& chosen) { entries.set(key + "/type", chosen); });
        entries.expressions("extent", key + "/extent");
        const Json fill = entries.entry(key + "/fill");
        std::vector<std::string> titles;
        std::string shown = fill.is_null() ? "nothing" : fill.dump();
        for (const FillChoice& one : fills) {
            titles.emplace_back(one.title);
            if (fill == Json::parse(one.json)) shown = one.title;
        }
        entries.list("fill", key + "/fill", shown, titles, [&](std::size_t i, const std::string&) {
            entries.set(key + "/fill", Json::parse(fills[i].json));
        });
    }
}

void launch(Entries& entries, const View& view)
{
    part_heading(view, "Launch");
    entries.expressions("block", "/block");
    entries.expressions(entries.entry("/grid").is_null() ? "over" : "grid",
                        entries.entry("/grid").is_null() ? "/over" : "/grid");
    entries.expression("shared", "/shared");
    const Json arguments = entries.entry("/arguments");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].is_string()) continue;
        const auto names = buffers_of(entries);
        if (std::ranges::find(names, arguments[i].get<std::string>()) != names.end()) continue;
        entries.expression(i == 0 ? "argument 1" : fmt::format("argument {}", i + 1).c_str(),
                           fmt::format("/arguments/{}", i));
    }
}

// Kinds that work with any buffer's elements.
std::vector<std::string> kinds_of_view()
{
    std::vector<std::string> kinds;
    for (const labs::ViewTraits& one : labs::view_kinds)
        if (one.from_elements) kinds.emplace_back(one.name);
    return kinds;
}

void drawn(Entries& entries, const PanelStyle& style)
{
    heading(style, "Drawn");
    const Json view = entries.entry("/views/0");
    const std::vector<std::string> kinds = kinds_of_view();
    std::string kind;
    for (const std::string& one : kinds)
        if (view.contains(one)) kind = one;
    if (kind.empty()) return quiet_text(style, "As in lab.json.");
    const std::string of = view[kind].is_string() ? view[kind].get<std::string>() : "";
    const auto change = [&](const std::string& to, const std::string& buffer) {
        Json changed = view;
        changed.erase(kind);
        changed.erase("id");
        changed[to] = buffer;
        changed["draw"] = "elements";
        changed["quantity"] = buffer;
        Json views = entries.entry("/views");
        views[0] = changed;
        for (std::size_t i = views.size(); i-- > 1;)
            if (views[i].contains(to)) views.erase(i);
        entries.set("/views", views);
    };
    entries.list("as", "/views/0", kind, kinds,
                 [&](std::size_t, const std::string& chosen) { change(chosen, of); });
    entries.list("what", "/views/0/of", of, buffers_of(entries),
                 [&](std::size_t, const std::string& chosen) { change(kind, chosen); });
    entries.expression("low", "/views/0/low");
    entries.expression("high", "/views/0/high");
}

// Draws the widgets for swapping two buffers, and for running kernels of the file in turn.
void between_steps(Entries& entries, const PanelStyle& style)
{
    heading(style, "Between steps");
    entries.expressions("swap", "/swap");
    entries.expressions("changed in place", "/changes");
    const Json& variants = entries.record()["variants"];
    if (variants.size() < 2 || !entries.entry("/passes").is_null()) return;
    std::vector<std::string> titles;
    for (const Json& one : variants) titles.push_back(one.value("title", one.value("id", "")));
    entries.list("then", "/passes", "nothing", titles, [&](std::size_t i, const std::string&) {
        Json second = Json::object();
        for (const char* key :
             {"file", "kernel", "block", "grid", "over", "tile", "cluster", "shared", "arguments"})
            if (variants[i].contains(key)) second[key] = variants[i][key];
        entries.set("/passes", Json::array({Json::object(), second}));
    });
}

} // namespace

void include_folders(const View& view, Commands& out)
{
    std::string text = view.document.include_folders;
    ImGui::TextUnformatted("Include folders (-I)");
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::InputTextWithHint("##include", "/path/to/headers", &text,
                                 ImGuiInputTextFlags_EnterReturnsTrue) ||
        ImGui::IsItemDeactivatedAfterEdit())
        out.push_back(SetIncludeFolders{text});
    view.ui.places["include_folders"] = item_centre();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
        ImGui::SetTooltip("Header folders, separated by colons.");
}

void record_panel(const View& view, Commands& out)
{
    const labs::Lab& lab = view.document.lab();
    if (lab.placeholder) return;
    if (!lab.texts && !view.document.texts->files.contains("lab.json")) return;
    if (!view.ui.shown_entry.empty()) ImGui::SetNextItemOpen(true);
    if (!ImGui::CollapsingHeader("Memory, launch, picture")) return;
    const std::string_view text = edited_record(view.document);
    if (text.size() > max_bytes)
        return quiet_text(view.style, "The record is long: edit its lab.json.");
    const Json record = labs::record_json(text);
    if (record.is_discarded() || !record.contains("variants") || !record["variants"].is_array())
        return quiet_text(view.style, "lab.json is not valid JSON.");
    std::size_t variant = 0;
    for (std::size_t i = 0; i < record["variants"].size(); ++i)
        if (record["variants"][i].value("id", "") == view.document.variant) variant = i;
    Entries entries(view, record, variant, out);
    memory(entries, view);
    launch(entries, view);
    drawn(entries, view.style);
    between_steps(entries, view.style);
    if (!view.document.kernel_file.empty()) include_folders(view, out);
    view.ui.shown_entry.clear();
    if (ImGui::Button("Save as a lab")) out.push_back(SaveLab{});
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal))
        ImGui::SetTooltip(
            "A folder %s_lab beside your pictures, for others to open (Ctrl Shift S).",
            lab.id.c_str());
}

} // namespace lanescope::app
