// Pictures of an experiment: device memory and its meaning. Views in render/ know these
// shapes, not the labs. A picture shares ownership of its memory with the experiment, which
// may replace it in a later step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::labs {

// View kinds that a record may name; each produces the picture type of the same name.
enum class ViewKind : std::uint8_t {
    field,
    surface,
    image,
    bars,
    curve,
    labels,
    slots,
    tiles,
    timeline,
    scatter,
    points
};

struct ViewTraits {
    enum class Takes : std::uint8_t { buffer, buffers, nothing };
    const char* name; // key in lab.json, and the id unless the record sets another
    Takes takes = Takes::buffer;
    bool from_elements = false;  // "draw": "elements" can create it from a buffer's elements
    bool from_host_data = false; // drawn from host data, not from memory shared with OpenGL
    bool smooth_lines = false;   // drawn with multisampling
    bool is_chart = false;       // has no cells for a heatmap, nor a column for a scale
};

// In the order of ViewKind and Picture.
inline constexpr auto view_kinds = std::to_array<ViewTraits>({
    {.name = "field", .from_elements = true},
    {.name = "surface", .from_elements = true, .smooth_lines = true},
    {.name = "image", .from_elements = true},
    {.name = "bars", .from_elements = true, .is_chart = true},
    {.name = "curve", .from_elements = true, .smooth_lines = true},
    {.name = "labels", .from_host_data = true},
    {.name = "slots", .from_host_data = true, .is_chart = true},
    {.name = "tiles", .takes = ViewTraits::Takes::buffers, .from_host_data = true},
    {.name = "timeline",
     .takes = ViewTraits::Takes::nothing,
     .from_host_data = true,
     .is_chart = true},
    {.name = "scatter",
     .takes = ViewTraits::Takes::buffers,
     .from_host_data = true,
     .is_chart = true},
    {.name = "points"},
});

constexpr const ViewTraits& traits(ViewKind kind)
{
    return view_kinds.at(static_cast<std::size_t>(kind));
}

// An axis beside a picture: values at the outer edges of the first and the last cell.
struct Axis {
    std::string title; // with its unit; empty: the picture has no such axis
    double low = 0;
    double high = 0;
};

// width × height floats, row 0 at the bottom, shown through a colour map from low to high.
struct FieldPicture {
    std::shared_ptr<const device::Buffer> values;
    int width = 0;
    int height = 0;
    float low = 0;
    float high = 1;
    std::string quantity; // "temperature"
    std::string unit;     // "°C"
    bool found = false;   // low and high are the minimum and maximum of each picture's values
    Axis x{};             // with axes, cells need not be square
    Axis y{};
    std::string outline{}; // meaning of outlines among the values; empty: there are none
};

// columns × rows vertices of four floats: x, y, z in [-1, 1] with z up, and the value for the
// colour map.
struct SurfacePicture {
    std::shared_ptr<const device::Buffer> vertices;
    int columns = 0;
    int rows = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
    bool found = false; // as in FieldPicture
};

// An RGBA8 image written by kernels as a surface.
struct ImagePicture {
    std::shared_ptr<const device::Image> image;
};

// count unsigned 32-bit values as bars; high is the top of the scale.
struct BarsPicture {
    std::shared_ptr<const device::Buffer> counts;
    int count = 0;
    float high = 1;
    std::string quantity;
    std::string axis; // label of the x axis: "brightness"
};

// count vertices of two floats (x, y) in [-1, 1], drawn as one line.
struct CurvePicture {
    std::shared_ptr<const device::Buffer> vertices;
    int count = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
    Axis x{}; // its ends are the first and the last vertex
};

// width × height cells, row 0 at the bottom, with one integer per layer: one layer determines
// colours and labels, the first one the borders. For up to some thousand cells.
struct LabelsPicture {
    std::shared_ptr<const std::vector<std::int32_t>> numbers; // all layers of a cell, cell by cell
    std::vector<std::string> layers;                          // "block", "thread", …
    int width = 0;
    int height = 0;
    int shown = 0;                      // layer that determines the colours, scaled from 0 …
    float high = 1;                     // … to this
    std::string gap;                    // meaning of a negative number: "never written"
    std::vector<std::string> rows{};    // names of the rows, from the bottom; may be fewer
    std::vector<std::string> columns{}; // names of the columns; neighbours may share one
    // The headline: how many numbers of one row exceed those of another row in the same column.
    struct Later {
        int row = 0;
        int than = 0;
        std::string meaning; // "copies run after their child"
    };
    std::optional<Later> later{};

    std::int32_t at(int x, int y, int layer) const
    {
        return (*numbers)[(static_cast<std::size_t>(y) * width + x) * layers.size() + layer];
    }
};

// Resources shared by identical occupants, one row each; the scarcest one limits their number.
struct SlotsPicture {
    struct Row {
        std::string title;   // "registers"
        std::string unit;    // "B" is written as KiB if shorter
        std::string meaning; // of the percentage: "occupancy"; empty: not shown
        std::string mark; // name of the capacity, which may be exceeded: "needed"; empty: a limit
        std::int32_t capacity = 0;
        std::int32_t taken = 0; // per occupant
        std::int32_t asked = 0; // the part that was requested; the rest is rounding
        std::int32_t fits = 0;  // occupants this resource permits; INT32_MAX: unlimited
    };
    std::vector<Row> rows;
    std::string occupant; // "block"

    // Number of occupants permitted by the scarcest resource.
    std::int32_t occupants() const
    {
        return rows.empty() ? 0 : std::ranges::min_element(rows, {}, &Row::fits)->fits;
    }
};

// Arrays side by side, row 0 at the top, with the elements that one block loads and stores. This
// comes from the trace of a launch; without one only the arrays are shown.
struct Tiles {
    struct Array {
        std::string name;
        const device::Buffer* memory = nullptr;
        std::size_t offset_bytes = 0;
        int element_bytes = 4;
        int width = 0; // in elements
        int height = 0;
        std::size_t first = 0;             // index of its first element in `counts`
        std::uint64_t elements_loaded = 0; // loaded by this block
        std::uint64_t elements_stored = 0;
        // Loads by this block: a request counts once for each element that it loads.
        std::uint64_t loads = 0;
        std::uint64_t launch_loads = 0; // loads by all blocks
    };
    std::vector<Array> arrays;
    std::uint32_t max_requests = 0; // maximum number of the block's requests for one element
    std::string block;              // "block (0, 1) of 2 × 2"
    std::uint32_t moment = 0;
    std::uint32_t moments = 0;
};
struct TilesPicture {
    std::shared_ptr<const Tiles> tiles;
    // One number per element, array after array, as in trace::WatchedBlock; null: not counted.
    std::shared_ptr<const device::Buffer> counts;
};

// Device operations of a step, with their times, to show which of them overlapped.
struct Timeline {
    // Copies in either direction and kernels use parts of a GPU that run concurrently.
    enum class Unit : std::uint8_t {
        to_device,
        kernel,
        to_host,
        wait, // the host waits
        peer, // copy to another device
        registration,
        map, // OpenGL's memory to the device …
        unmap,
        to_opengl, // copy from the host to OpenGL's memory
        draw,      // by OpenGL
        present
    };
    struct Operation {
        Unit unit = Unit::kernel;
        int stream = 0;
        int device = 0;           // device of the stream
        int other = 0;            // copy between devices: the other device
        int frame = 0;            // of a step that draws: index of its frame
        std::uint64_t bytes = 0;  // of a step that draws: bytes copied to or from the host
        std::string title{};      // name in the record; may be empty
        std::vector<int> after{}; // operations of other streams that it had to wait for
        // Milliseconds since the step began. `end_ms` is measured by the device's clock; `start_ms`
        // is the latest of the call's start and the ends of the preceding operations on the same
        // unit and in the same stream.
        double start_ms = 0;
        double end_ms = 0;
        // Host clock: duration of the call that queued it.
        double call_start_ms = 0;
        double call_end_ms = 0;
    };
    std::string lab;
    std::string variant;
    std::map<std::string, std::string> values; // all parameters of the lab
    std::vector<Operation> operations;         // in call order
    bool timed = false;                        // false: only the order is known
    double total_ms = 0;
    std::array<double, 3> alone_ms{}; // total time per unit, with the others idle
    std::string origin;               // if recorded on a different machine: where; else empty
    int devices = 1;
    std::string device_names; // names of the devices, if several: "2 GPUs"
    int frames = 0;           // frames that OpenGL draws in the step; 0: it draws nothing
    // Mean time per frame over many frames without pauses for measuring, by the host's clock.
    double frame_ms = 0;
    std::string not_timed; // why the calls to OpenGL have no times here

    double ideal_ms() const { return std::ranges::max(alone_ms); }
    double serial_ms() const { return alone_ms[0] + alone_ms[1] + alone_ms[2]; }
};
struct TimelinePicture {
    std::shared_ptr<const Timeline> timeline;
};

// One dot per element: over its index, or over the element of another buffer at the same index.
struct ScatterPicture {
    struct Dot {
        double x = 0;
        double y = 0;
    };
    std::shared_ptr<const std::vector<Dot>> dots; // sorted by x
    // lower end of the y axis, whatever the dots' values
    std::optional<double> low;
    std::optional<double> high;
    std::string quantity; // label of y, with its unit
    std::string axis;     // label of x
};

// count vertices of four floats, drawn as points: x, y, z in [-1, 1] with z up, and the value for
// the colour map.
struct PointsPicture {
    std::shared_ptr<const device::Buffer> vertices;
    int count = 0;
    bool flat = false; // in a plane: x to the right, y up, z unused
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
    bool found = false; // as in FieldPicture
};

using Picture = std::variant<FieldPicture, SurfacePicture, ImagePicture, BarsPicture, CurvePicture,
                             LabelsPicture, SlotsPicture, TilesPicture, TimelinePicture,
                             ScatterPicture, PointsPicture>;
static_assert(std::variant_size_v<Picture> == view_kinds.size());

constexpr const ViewTraits& traits(const Picture& picture)
{
    return view_kinds.at(picture.index());
}

} // namespace lanescope::labs
