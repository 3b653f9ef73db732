// How the screen looks: everything a user arranges that does not change the computation. Plain
// data, kept in sessions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/document/tabs.h"
#include "compute/labs/lab.h"
#include "compute/trace/trace.h"
#include "render/views/paint/camera.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

enum class Theme { dark, light };

// What fills the middle of the screen; subject.h has their names.
enum class Subject : std::uint8_t { picture, memory, request, tree, lines };

// Which request of a launch is drawn.
struct RequestChoice {
    int site = -1;            // its place among the trace's sites; -1: most excess traffic
    std::int64_t warp = 0;    // in the launch, blocks x fastest
    std::int64_t request = 0; // of that warp at that site
    // Whose site it is: in another variant it is the site of the same role. Empty: the shown one's.
    std::string variant{};
    friend bool operator==(const RequestChoice&, const RequestChoice&) = default;
};

// Sizes of the panels in heights of a line of text; 0 is folded away.
struct PanelSizes {
    float left = 12;
    float right = 17;
    float bottom = 0;
    bool whole = false; // the strip, once it is unfolded, takes the whole window
    std::string bottom_tab = tabs::variants;
    friend bool operator==(const PanelSizes&, const PanelSizes&) = default;
};

// Where the shown kernel's text stands: in the strip's tab, or beside the picture.
enum class CodePlace { strip, left, right, last = right };

// Shares of the window that the text may have.
inline constexpr float min_code_share = 0.25F;
inline constexpr float max_code_share = 0.75F;

// The kernel's text beside the picture.
struct CodeChoice {
    CodePlace place = CodePlace::strip;
    float share = 0.5F;           // of the window's width or, where it is upright, height
    std::string heat = "sectors"; // what its gutter shows of every line: line_metrics()
    bool beside() const { return place != CodePlace::strip; }
    friend bool operator==(const CodeChoice&, const CodeChoice&) = default;
};

// How pictures and videos are taken.
struct CaptureChoice {
    int scale = 1;              // pixels of the file for one on the screen
    std::string format = "mp4"; // of a video: "mp4", "gif" or "png", numbered pictures
    int rate = 30;              // frames of a video a second: 30 or 60
    int seconds = 0;            // after which a recording ends by itself; 0: when it is told to
    friend bool operator==(const CaptureChoice&, const CaptureChoice&) = default;
};

// The stepping mode: a launch of the step that made the picture (or of the first), gone through
// forwards and backwards.
struct StepChoice {
    // What stands in the picture's place.
    enum class Page : std::uint8_t {
        launch,  // lines, lanes, variables
        picture, // to be pointed at: why is this element what it is?
        why,     // the answer, as a tree
        last = why,
    };
    bool on = false;
    bool ptx = false;       // it is seen beside the source
    bool optimised = false; // the text that a GPU runs is stepped; else the one as written
    int to_line = 0;        // where it begins: the first time that the line is met; 0: at the begin
    std::int64_t launch = 0;   // of the step, where it stands …
    std::int64_t position = 0; // … and how many of its warp instructions have run
    int warp = -1;             // of the block, that is shown; -1: the one that runs next
    int lane = 0;              // whose values are seen, with those beside it
    Page page = Page::launch;
    int node = 0;                 // of the tree
    std::vector<int> breakpoints; // lines
    friend bool operator==(const StepChoice&, const StepChoice&) = default;
};

struct Look {
    std::string view;                        // empty: the lab's first
    std::string map = "off";                 // what the heatmap over the picture shows
    trace::Scope map_of = trace::Scope::all; // the accesses that a map of memory covers
    float map_blend = 0.85F;                 // 1: the map alone
    bool map_automatic = false;              // its scale: auto range, or fixed
    Subject subject = Subject::picture;
    std::string memory;        // whose sectors the map of memory shows; empty: the lab's first
    bool memory_warps = false; // it counts distinct warps, not requests
    RequestChoice request;
    bool tree_block = false;  // the tree of the whole block, not of the request's warp alone
    std::string compare;      // the other variant of A/B, empty: none
    bool difference = false;  // A/B as the difference of the two fields
    float swipe = 0.5F;       // where the divider of A/B stands
    render::Camera camera;    // of a surface
    render::PanZoom pan_zoom; // of everything flat
    Theme theme = Theme::dark;
    float text_zoom = 1;
    bool lecture = false;
    PanelSizes panels;
    CodeChoice code;
    CaptureChoice capture;
    StepChoice step;

    // The strip over the whole window leaves nothing beside it.
    bool code_is_beside() const { return code.beside() && !(panels.whole && panels.bottom > 0); }
    friend bool operator==(const Look&, const Look&) = default;
};

// The look turns to what the lab is about: its subject, view and heatmap as the record says.
// Throws Error (bad_usage) where the record names what there is not.
void open_on_subject(Look& look, const labs::Lab& lab);

} // namespace lanescope::app
