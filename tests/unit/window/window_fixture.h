// Panels and picture at any size without a window: laid out and drawn offscreen by the window's own
// code, so that the position of every text can be checked.
#pragma once

#include <imgui.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/document/commands.h"
#include "app/document/document.h"
#include "app/draw/scene/scene.h"
#include "app/draw/shown.h"
#include "app/lessons/answers.h"
#include "app/run/worker.h"
#include "app/window/gui/layout.h"
#include "app/window/gui/theme.h"
#include "app/window/interaction/interaction.h"
#include "app/window/panels/panels.h"
#include "render/context/offscreen.h"
#include "render/views/paint/gl_painter.h"
#include "render/views/paint/pixels.h"

namespace lanescope::test {

// A text with its position in the window, in points.
struct SeenText {
    std::string words;
    render::Box ink; // bounding box of its glyphs
    float size = 0;  // em height
    render::Colour colour{};
    std::string window;    // Dear ImGui's window; "picture" for texts in the picture
    std::string cut;       // why it is clipped; empty if it is complete
    std::size_t order = 0; // draw order: later texts are on top
    bool partly = false;   // partly scrolled out of view
    bool hidden = false;   // covered by something on top of it
};

struct Seen {
    app::Layout layout;
    float em = 0;
    std::vector<SeenText> texts;
    render::Box place; // the picture itself without its texts; empty for a surface
    bool says(const std::string& words) const; // true if a visible text starts with `words`
};

class WindowFixture {
public:
    WindowFixture();
    ~WindowFixture();
    WindowFixture(const WindowFixture&) = delete;
    WindowFixture& operator=(const WindowFixture&) = delete;

    // Opens a lab at its initial values, except those given, and runs one step.
    void open(const std::string& lab, const std::string& variant,
              const std::map<std::string, std::string>& values = {});
    // Applies a command and carries out the new plan.
    void apply(const app::Command& command);
    const app::Document& document() const { return document_; }
    app::Document& document() { return document_; }
    app::Interaction& ui() { return ui_; }
    const app::Frame& frame() const { return *frame_; }
    // Replaces the worker's frame until the next change, to simulate another engine.
    void show(app::Frame frame) { frame_ = std::make_shared<const app::Frame>(std::move(frame)); }

    using DrawPanels = std::function<void(const app::View&, const app::Layout&, app::Commands&)>;
    // Draws one frame of the panels with `draw`.
    void draw_panels(ImVec2 size, const DrawPanels& draw);

    // Lays everything out and collects its texts.
    Seen look(ImVec2 size);
    // Lays everything out and returns the pixels.
    render::Pixels draw(ImVec2 size);

private:
    void settle();
    void lay_out(ImVec2 size);
    void lay_out(ImVec2 size, const DrawPanels& draw);
    app::Layout layout_in(ImVec2 size) const;
    void read_lists(Seen& seen);

    render::Offscreen context_;
    app::Fonts fonts_;
    app::Worker worker_{{.waits = true}};
    app::Document document_;
    app::Interaction ui_;
    app::Answers answers_; // empty: these tests do not evaluate the questions of lessons
    std::shared_ptr<const app::Frame> frame_;
    app::Scene scene_;
    render::GlPainter measure_;
};

// Shared by all tests of an executable, because Dear ImGui loads OpenGL's functions only once.
WindowFixture& window_fixture();

} // namespace lanescope::test
