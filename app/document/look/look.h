// The look of the screen: everything a user arranges that does not affect the computation. Plain
// data, saved in sessions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/document/look/tabs.h"
#include "compute/experiment/lab/lab.h"
#include "compute/trace/trace.h"
#include "render/views/paint/camera.h"
#include "render/views/paint/placement.h"

namespace lanescope::app {

enum class Theme { dark, light };

// Contents of the middle of the screen; subject.h names the values.
enum class Subject : std::uint8_t { picture, memory, request, tree, lines };

// The request of a launch that the subject "request" draws.
struct RequestChoice {
    int site = -1;            // index into the trace's sites; -1: the one with most excess traffic
    std::int64_t warp = -1;   // index in the launch, x fastest; -1: a median one (for a block: 0)
    std::int64_t request = 0; // index among that warp's requests at that site
    // Variant that the site belongs to; other variants use the site of the same role. Empty: the
    // variant on screen.
    std::string variant{};
    std::int64_t named_warp() const { return warp < 0 ? 0 : warp; }
    friend bool operator==(const RequestChoice&, const RequestChoice&) = default;
};

// Panel sizes in em; 0: folded.
struct PanelSizes {
    float left = 12;
    float right = 17;
    float bottom = 0;
    bool whole = false; // the unfolded strip covers the whole window
    std::string bottom_tab = tabs::variants;
    friend bool operator==(const PanelSizes&, const PanelSizes&) = default;
};

// Placement of the kernel's text: in the strip's tab, or next to the picture.
enum class CodePlace { strip, left, right, last = right };

// Range of the text's share of the window.
inline constexpr float min_code_share = 0.25F;
inline constexpr float max_code_share = 0.75F;

// The kernel's text beside the picture.
struct CodeChoice {
    CodePlace place = CodePlace::strip;
    float share = 0.5F;           // fraction of the window's width or, in a portrait window, height
    std::string heat = "sectors"; // quantity shown in the gutter per line: line_metrics()
    bool beside() const { return place != CodePlace::strip; }
    friend bool operator==(const CodeChoice&, const CodeChoice&) = default;
};

// Settings of pictures and videos.
struct CaptureChoice {
    int scale = 1;              // file pixels per screen pixel
    std::string format = "mp4"; // for videos: "mp4", "gif" or "png" (numbered pictures)
    int rate = 30;              // frames per second: 30 or 60
    int seconds = 0;            // duration after which a recording stops; 0: until stopped
    friend bool operator==(const CaptureChoice&, const CaptureChoice&) = default;
};

// The stepping mode: a launch of the step that made the picture, or of the first step, stepped
// forwards and backwards.
struct StepChoice {
    // Pages that replace the picture.
    enum class Page : std::uint8_t {
        launch,  // lines, lanes, variables
        picture, // for pointing at an element to explain
        why,     // the explanation, as a tree
        last = why,
    };
    bool on = false;
    bool ptx = false;          // show the PTX beside the source
    bool optimised = false;    // steps the optimised text, as run on a GPU; otherwise the code as
                               // written
    int to_line = 0;           // starts at the first execution of this line; 0: at the start
    std::int64_t launch = 0;   // launch of the step …
    std::int64_t position = 0; // … and warp instructions executed in it
    int warp = -1;             // warp of the block that is shown; -1: the one that runs next
    int lane = 0;              // lane whose values, and its neighbours' values, are shown
    Page page = Page::launch;
    int node = 0;                 // selected node of the tree
    std::vector<int> breakpoints; // line numbers
    friend bool operator==(const StepChoice&, const StepChoice&) = default;
};

struct Look {
    std::string view;                        // empty: the lab's first
    std::string map = "off";                 // metric of the heatmap over the picture
    trace::Scope map_of = trace::Scope::all; // accesses covered by a memory map
    float map_blend = 0.85F;                 // 1 hides the picture
    bool map_automatic = false;              // auto range instead of the fixed one
    Subject subject = Subject::picture;
    std::string memory;        // memory whose sectors are shown; empty: the lab's first
    bool memory_warps = false; // counts distinct warps instead of requests
    RequestChoice request;
    bool tree_block = false;  // tree of the whole block instead of the request's warp
    std::string compare;      // the other variant of A/B; empty: off
    bool difference = false;  // A/B as the difference between the fields
    float swipe = 0.5F;       // position of A/B's divider
    render::Camera camera;    // for surfaces
    render::PanZoom pan_zoom; // for flat pictures
    Theme theme = Theme::dark;
    float text_zoom = 1;
    bool lecture = false;
    PanelSizes panels;
    CodeChoice code;
    CaptureChoice capture;
    StepChoice step;

    // A strip over the whole window hides the code.
    bool code_is_beside() const { return code.beside() && !(panels.whole && panels.bottom > 0); }
    friend bool operator==(const Look&, const Look&) = default;
};

// Sets the lab's opening subject, view and heatmap from its record, and its comparison if `variant`
// is the one that the lab opens with (empty: it is). Throws Error (bad_usage) if the
// record names something that does not exist.
void open_on_subject(Look& look, const labs::Lab& lab, const std::string& variant = {});

} // namespace lanescope::app
