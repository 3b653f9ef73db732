// The window's panels and picture at any size, without a window: laid out and drawn offscreen by
// the code that the window runs, so that every text can be compared with its place.
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
#include "app/draw/scene.h"
#include "app/draw/shown.h"
#include "app/lessons/answers.h"
#include "app/run/worker.h"
#include "app/window/interaction.h"
#include "app/window/layout.h"
#include "app/window/panels/panels.h"
#include "app/window/theme.h"
#include "render/capture/pixels.h"
#include "render/context/offscreen.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::test {

// A text as it stands in the window, in its points.
struct SeenText {
    std::string words;
    render::Box ink; // around its letters
    float size = 0;  // height of its em
    render::Colour colour{};
    std::string window;    // of Dear ImGui; "picture" for what lies in the picture
    std::string cut;       // why it is not whole; empty: it is
    std::size_t order = 0; // what is drawn later lies over it
    bool partly = false;   // scrolled half out of sight
    bool hidden = false;   // by what lies over it
};

struct Seen {
    app::Layout layout;
    float em = 0;
    std::vector<SeenText> texts;
    render::Box place; // of the picture itself, without its words; empty for a surface
    bool says(const std::string& words) const; // a text that can be seen begins so
};

class Room {
public:
    Room();
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    // Opens a lab at its initial values and makes a step.
    void open(const std::string& lab, const std::string& variant);
    // Changes the document, and does what the new plan wants.
    void apply(const app::Command& command);
    const app::Document& document() const { return document_; }
    app::Document& document() { return document_; }
    app::Interaction& ui() { return ui_; }
    const app::Frame& frame() const { return *frame_; }
    // As if the worker had said this, until something changes: what another engine would tell.
    void show(app::Frame frame) { frame_ = std::make_shared<const app::Frame>(std::move(frame)); }

    using DrawPanels = std::function<void(const app::View&, const app::Layout&, app::Commands&)>;
    // One frame of the panels, drawn in this way.
    void draw_panels(ImVec2 size, const DrawPanels& draw);

    // Lays everything out and gathers its texts.
    Seen look(ImVec2 size);
    // The same, drawn.
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
    app::Answers answers_; // none: what lessons ask is not found out here
    std::shared_ptr<const app::Frame> frame_;
    app::Scene scene_;
    render::GlPainter measure_;
};

// One for all tests of a program, with a plain look: Dear ImGui finds OpenGL's functions once.
Room& the_room();

} // namespace lanescope::test
