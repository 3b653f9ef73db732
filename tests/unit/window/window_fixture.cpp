// Reads Dear ImGui's texts back from its draw lists: glyph quads are identified by their position
// in the font atlas. Texts of the picture come from its painter.
#include "tests/unit/window/window_fixture.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/draw/scene/margins.h"
#include "app/window/interaction/follow.h"
#include "app/window/picture.h"
#include "render/capture/pixel_reader.h"
#include "render/gl/objects.h"

namespace lanescope::test {
namespace {

constexpr float tolerance = 1; // points

std::string utf8(unsigned code)
{
    char text[5];
    ImTextCharToUtf8(text, code);
    return text;
}

// Records texts, measured by the screen's painter, instead of drawing them.
class TextWatch : public render::Painter {
public:
    TextWatch(ImVec2 at, ImVec2 size, render::Painter& measure, std::vector<SeenText>& seen)
        : at_(at), size_(size), measure_(measure), seen_(seen)
    {
    }
    using Painter::line;
    void fill(const render::Box&, render::Colour) override {}
    void line(std::span<const glm::vec2>, render::Colour, float) override {}
    void area(std::span<const glm::vec2>, std::span<const glm::vec2>, render::Colour) override {}
    void gradient(const render::Box&, std::span<const render::Colour>, bool) override {}
    void text(glm::vec2 at, std::string_view words, const render::TextStyle& style) override
    {
        const float width = text_width(words, style);
        if (style.align != render::Align::left)
            at.x -= width * (style.align == render::Align::centre ? 0.5F : 1.0F);
        if (words.empty()) return;
        SeenText one{.words = std::string(words),
                     .ink = {at_.x + at.x, at_.y + at.y - 0.73F * style.size_px, width,
                             0.93F * style.size_px},
                     .size = style.size_px,
                     .colour = style.colour,
                     .window = "picture",
                     .cut = {}};
        if (one.ink.x < at_.x - tolerance || one.ink.right() > at_.x + size_.x + tolerance ||
            one.ink.y < at_.y - tolerance || one.ink.bottom() > at_.y + size_.y + tolerance)
            one.cut = "beyond the picture's part of the window";
        seen_.push_back(one);
    }
    float text_width(std::string_view text, const render::TextStyle& style) override
    {
        return measure_.text_width(text, style);
    }

private:
    ImVec2 at_, size_;
    render::Painter& measure_;
    std::vector<SeenText>& seen_;
};

struct Quad {
    ImVec2 from, to, uv_from, uv_to;
    ImU32 colour = 0;
};

// Dear ImGui draws a quad as two triangles over four consecutive vertices.
bool quad_at(const ImDrawList& list, const ImDrawCmd& cmd, unsigned at, Quad& out)
{
    const ImDrawIdx* const i = list.IdxBuffer.Data + cmd.IdxOffset + at;
    if (i[1] != i[0] + 1 || i[2] != i[0] + 2 || i[3] != i[0] || i[4] != i[0] + 2 ||
        i[5] != i[0] + 3)
        return false;
    const ImDrawVert* const v = list.VtxBuffer.Data + cmd.VtxOffset + i[0];
    if (v[0].pos.y != v[1].pos.y || v[1].pos.x != v[2].pos.x || v[0].pos.x != v[3].pos.x)
        return false;
    out = {v[0].pos, v[2].pos, v[0].uv, v[2].uv, v[0].col};
    return true;
}

struct Letter {
    const ImFontGlyph* glyph;
    const ImFontBaked* font;
};

// Glyphs of the atlas, by their upper left corner.
std::map<std::pair<float, float>, Letter> letters()
{
    std::map<std::pair<float, float>, Letter> all;
    auto& pool = ImGui::GetIO().Fonts->Builder->BakedPool;
    for (int i = 0; i < pool.Size; ++i)
        for (const ImFontGlyph& glyph : pool[i].Glyphs)
            if (glyph.Visible) all[{glyph.U0, glyph.V0}] = {&glyph, &pool[i]};
    return all;
}

float overlap(const ImVec4& a, const render::Box& b)
{
    const float width = std::min(a.z, b.right()) - std::max(a.x, b.x);
    const float height = std::min(a.w, b.bottom()) - std::max(a.y, b.y);
    return width > 0 && height > 0 ? width * height : 0;
}

} // namespace

bool Seen::says(const std::string& words) const
{
    return std::ranges::any_of(texts, [&](const SeenText& one) {
        return !one.hidden && one.words.find(words) != std::string::npos;
    });
}

WindowFixture& window_fixture()
{
    static WindowFixture room;
    room.document().look = {};
    room.ui() = {};
    return room;
}

WindowFixture::WindowFixture() : fonts_{}
{
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplOpenGL3_Init(render::gl::glsl_version);
    fonts_ = app::load_fonts();
    ui_.manual = "/usr/lib/lanescope/manual/README.md"; // where the Debian package installs it
}

WindowFixture::~WindowFixture()
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

void WindowFixture::open(const std::string& lab, const std::string& variant,
                         const std::map<std::string, std::string>& values)
{
    app::Session session;
    session.device = "simt";
    session.look = document_.look;
    session.journal.start.lab = lab;
    session.journal.start.variant = variant;
    session.journal.start.parameters = values;
    session.look.view = labs::find(lab).views.front();
    document_ = app::document_of(session);
    document_.paused = true;
    document_.folder = "/tmp";
    const auto find = [session] { return app::Found{app::Arrival::session, session}; };
    const std::uint64_t opened = worker_.open({"the session", find, session.device});
    worker_.tell({.opened = opened,
                  .running = false,
                  .view = session.look.view,
                  .counting = {},
                  .compare = {},
                  .sweep = {}});
    frame_ = worker_.settle();
    worker_.step(1);
    settle();
}

void WindowFixture::settle()
{
    // New counts may change the plan, so this is done twice.
    for (int i = 0; i < 2; ++i) {
        worker_.tell(app::plan_of(document_, *frame_, false, false));
        try {
            frame_ = worker_.settle();
        } catch (const device::KernelFault&) {
            frame_ = worker_.newest(); // its messages contain the error
        }
    }
}

void WindowFixture::apply(const app::Command& command)
{
    const app::Document was = document_;
    app::apply(document_, command);
    document_.paused = true;
    for (app::Change& change : app::changes_between(was, document_))
        worker_.apply(std::move(change));
    settle();
}

void WindowFixture::lay_out(ImVec2 size)
{
    lay_out(size, app::draw_panels);
}

void WindowFixture::draw_panels(ImVec2 size, const DrawPanels& draw)
{
    const render::gl::Target nothing(1, 1, 1);
    nothing.bind();
    lay_out(size, draw);
}

void WindowFixture::lay_out(ImVec2 size, const DrawPanels& draw)
{
    const app::Look& look = document_.look;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 0.1F;
    const float em = app::text_height(size, look);
    const app::Layout layout = layout_in(size);
    ui_.has_variants_panel = !layout.left.empty();
    ImGui_ImplOpenGL3_NewFrame();
    app::apply_theme(look.theme, em);
    ImGui::NewFrame();
    app::Commands commands;
    const app::PanelStyle style{app::palette(look.theme), fonts_, em};
    draw({style, document_, *frame_, ui_, 60, 120, 0, "llvmpipe", &answers_}, layout, commands);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData()); // also adds glyphs to the atlas
}

app::Layout WindowFixture::layout_in(ImVec2 size) const
{
    app::Layout layout = app::layout_of(document_.look, size);
    const float em = app::text_height(size, document_.look);
    app::leave_room_for_picture(document_, *frame_, em, layout);
    app::leave_room_for_beat(document_, ui_, em, layout);
    return layout;
}

Seen WindowFixture::look(ImVec2 size)
{
    const app::Look& look = document_.look;
    Seen seen{
        .layout = layout_in(size), .em = app::text_height(size, look), .texts = {}, .place = {}};
    const render::gl::Target nothing(1, 1, 1);
    nothing.bind();
    glEnable(GL_RASTERIZER_DISCARD); // pixels are not needed
    const app::Area& area = seen.layout.picture;
    if (!area.empty()) {
        TextWatch watch(area.at, area.size, measure_, seen.texts);
        scene_.send_words(&watch, true);
        app::Shown shown{frame_, look, app::picture_text(look, seen.em),
                         app::picture_words(document_, *frame_, ui_)};
        shown.stepped = ui_.stepped;
        const render::PixelRect all{0, 0, static_cast<int>(area.size.x),
                                    static_cast<int>(area.size.y)};
        const auto placement = app::draw_leader(scene_, shown, all);
        if (placement) {
            const render::PixelRect& at = placement->viewport;
            seen.place = {area.at.x + static_cast<float>(at.x),
                          area.at.y + area.size.y - static_cast<float>(at.y + at.height),
                          static_cast<float>(at.width), static_cast<float>(at.height)};
        }
        scene_.send_words(nullptr);
    }
    for (std::size_t i = 0; i < seen.texts.size(); ++i) seen.texts[i].order = i;
    for (int frames = 0; frames < 4; ++frames) lay_out(size); // until tables and scrollbars settle
    read_lists(seen);
    glDisable(GL_RASTERIZER_DISCARD);
    return seen;
}

void WindowFixture::read_lists(Seen& seen)
{
    const auto known = letters();
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    const ImDrawData& data = *ImGui::GetDrawData();
    std::size_t order = seen.texts.size();
    for (const ImDrawList* list : data.CmdLists) {
        const std::string name = list->_OwnerName ? list->_OwnerName : "";
        const ImGuiWindow* const window = ImGui::FindWindowByName(name.c_str());
        const bool scrolls = window && window->ScrollMax.y > 0;
        const ImFontBaked* last_font = nullptr;
        float pen = 0, top = 0;
        bool in_text = false;
        for (const ImDrawCmd& cmd : list->CmdBuffer) {
            for (unsigned at = 0; at + 6 <= cmd.ElemCount;) {
                Quad quad;
                if (!quad_at(*list, cmd, at, quad)) {
                    at += 3;
                    continue;
                }
                at += 6;
                const ImColor colour(quad.colour);
                const ImVec4& clip = cmd.ClipRect;
                if (quad.uv_from.x == white.x && quad.uv_from.y == white.y) {
                    if (colour.Value.w < 1) continue;
                    const ImVec4 seen_part{
                        std::max(quad.from.x, clip.x), std::max(quad.from.y, clip.y),
                        std::min(quad.to.x, clip.z), std::min(quad.to.y, clip.w)};
                    for (SeenText& text : seen.texts)
                        if (overlap(seen_part, text.ink) > 0.3F * text.ink.width * text.ink.height)
                            text.hidden = true;
                    in_text = false;
                    continue;
                }
                const auto found = known.find({quad.uv_from.x, quad.uv_from.y});
                if (found == known.end()) continue; // not a glyph: a line, or a clipped letter
                const Letter& letter = found->second;
                // A partly scrolled field only loses its lower part.
                const bool short_down = quad.uv_to.y != letter.glyph->V1;
                const bool whole = quad.uv_to.x == letter.glyph->U1 && (!short_down || scrolls);
                const render::Box ink{quad.from.x, quad.from.y, quad.to.x - quad.from.x,
                                      quad.to.y - quad.from.y};
                const float line = quad.from.y - letter.glyph->Y0;
                const float left = quad.from.x - letter.glyph->X0;
                const bool continues = in_text && letter.font == last_font &&
                                       std::abs(line - top) < 0.5F && left > pen - 1 &&
                                       left < pen + 0.6F * letter.font->Size;
                const auto channel = [](float value) {
                    return static_cast<std::uint8_t>(std::lround(255 * value));
                };
                if (!continues)
                    seen.texts.push_back(
                        {.words = {},
                         .ink = ink,
                         .size = letter.font->Size,
                         .colour = {channel(colour.Value.x), channel(colour.Value.y),
                                    channel(colour.Value.z)},
                         .window = name,
                         .cut = {},
                         .order = ++order});
                SeenText& text = seen.texts.back();
                if (continues && left > pen + 0.15F * letter.font->Size) text.words += ' ';
                text.words += utf8(letter.glyph->Codepoint);
                const float right = std::max(text.ink.right(), ink.right());
                const float bottom = std::max(text.ink.bottom(), ink.bottom());
                text.ink.x = std::min(text.ink.x, ink.x);
                text.ink.y = std::min(text.ink.y, ink.y);
                text.ink.width = right - text.ink.x;
                text.ink.height = bottom - text.ink.y;
                const bool cut_across =
                    ink.x < clip.x - tolerance || ink.right() > clip.z + tolerance;
                const bool cut_down =
                    ink.y < clip.y - tolerance || ink.bottom() > clip.w + tolerance;
                if (!whole || cut_across || (cut_down && !scrolls)) text.cut = "beyond its place";
                // Only the visible part of partly scrolled text counts.
                const float low = std::min(text.ink.bottom(), std::max(clip.w, text.ink.y));
                const float high = std::max(text.ink.y, std::min(clip.y, low));
                text.partly = text.partly || ((cut_down || short_down) && scrolls);
                text.ink.y = high;
                text.ink.height = low - high;
                pen = left + letter.glyph->AdvanceX;
                top = line;
                last_font = letter.font;
                in_text = true;
            }
        }
    }
}

render::Pixels WindowFixture::draw(ImVec2 size)
{
    const app::Look& look = document_.look;
    const app::Layout layout = layout_in(size);
    const auto width = static_cast<int>(size.x);
    const auto height = static_cast<int>(size.y);
    const render::gl::Target target(width, height, 1);
    target.bind();
    const ImVec4 back = app::palette(look.theme).background;
    glClearColor(back.x, back.y, back.z, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const app::Area& area = layout.picture;
    const float em = app::text_height(size, look);
    if (!area.empty())
        app::draw_leader(scene_,
                         {frame_, look, app::picture_text(look, em),
                          app::picture_words(document_, *frame_, ui_)},
                         {static_cast<int>(area.at.x),
                          height - static_cast<int>(area.at.y + area.size.y),
                          static_cast<int>(area.size.x), static_cast<int>(area.size.y)});
    lay_out(size);
    return render::read_pixels(target.resolve(), {0, 0, width, height});
}

} // namespace lanescope::test
