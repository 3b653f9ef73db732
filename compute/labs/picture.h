// What an experiment wants drawn: device memory and its meaning. Views in render/ know these
// shapes, not the labs. A picture owns its memory together with the experiment, which may replace
// it in a later step.
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

// The kinds of view that a record may name; each gives the picture of the same name.
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
    scatter
};

struct ViewTraits {
    enum class Takes : std::uint8_t { buffer, buffers, nothing };
    const char* name; // its key in lab.json, and its id where the record gives no other
    Takes takes = Takes::buffer;
    bool of_elements = false;  // "draw": "elements" makes it of a buffer's elements
    bool of_numbers = false;   // drawn from numbers of the host, not from memory that OpenGL gets
    bool smooth_lines = false; // drawn into several samples
    bool is_chart = false;     // has no cells that a heatmap could cover, nor a column for a scale
};

// In the order of ViewKind and of Picture.
inline constexpr auto view_kinds = std::to_array<ViewTraits>({
    {.name = "field", .of_elements = true},
    {.name = "surface", .of_elements = true, .smooth_lines = true},
    {.name = "image", .of_elements = true},
    {.name = "bars", .of_elements = true, .is_chart = true},
    {.name = "curve", .of_elements = true, .smooth_lines = true},
    {.name = "labels", .of_numbers = true},
    {.name = "slots", .of_numbers = true, .is_chart = true},
    {.name = "tiles", .takes = ViewTraits::Takes::buffers, .of_numbers = true},
    {.name = "timeline", .takes = ViewTraits::Takes::nothing, .of_numbers = true, .is_chart = true},
    {.name = "scatter", .takes = ViewTraits::Takes::buffers, .of_numbers = true, .is_chart = true},
});

constexpr const ViewTraits& traits(ViewKind kind)
{
    return view_kinds.at(static_cast<std::size_t>(kind));
}

// width × height floats, row 0 at the bottom, shown through a colour map between low and high.
struct FieldPicture {
    std::shared_ptr<const device::Buffer> values;
    int width = 0;
    int height = 0;
    float low = 0;
    float high = 1;
    std::string quantity; // "temperature"
    std::string unit;     // "°C"
    bool found = false;   // low and high are those of the values, picture by picture
};

// columns × rows vertices of four floats: x, y, z in [-1, 1], z pointing up, and the value that
// picks the colour.
struct SurfacePicture {
    std::shared_ptr<const device::Buffer> vertices;
    int columns = 0;
    int rows = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
    bool found = false; // as of a field
};

// An RGBA8 image that kernels write as a surface.
struct ImagePicture {
    std::shared_ptr<const device::Image> image;
};

// count unsigned 32-bit values as bars; high is the top of the scale.
struct BarsPicture {
    std::shared_ptr<const device::Buffer> counts;
    int count = 0;
    float high = 1;
    std::string quantity;
    std::string axis; // what the bars stand over: "brightness"
};

// count vertices of two floats (x, y) in [-1, 1] drawn as one line.
struct CurvePicture {
    std::shared_ptr<const device::Buffer> vertices;
    int count = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
};

// width × height cells, row 0 at the bottom, that hold a whole number for each layer: one layer
// gives colours and words, the first one the borders. For some thousand cells.
struct LabelsPicture {
    std::shared_ptr<const std::vector<std::int32_t>> numbers; // cell after cell, layer after layer
    std::vector<std::string> layers;                          // "block", "thread", …
    int width = 0;
    int height = 0;
    int shown = 0;   // the layer that gives the colours, from 0 …
    float high = 1;  // … to this
    std::string gap; // what a negative number says: "never written"

    std::int32_t at(int x, int y, int layer) const
    {
        return (*numbers)[(static_cast<std::size_t>(y) * width + x) * layers.size() + layer];
    }
};

// Resources that equal occupants share, a row each; the scarcest limits how many there are.
struct SlotsPicture {
    struct Row {
        std::string title; // "registers"
        std::string unit;  // "B" is written as KiB where that is shorter
        std::string share; // what the share taken is "of", where it is what the lab is about
        std::int32_t capacity = 0;
        std::int32_t taken = 0; // by one occupant
        std::int32_t asked = 0; // what it needs of that; the rest is rounding
        std::int32_t fits = 0;  // occupants that this resource alone has room for; INT32_MAX: any
    };
    std::vector<Row> rows;
    std::string occupant; // "block"

    // What the scarcest resource has room for.
    std::int32_t occupants() const
    {
        return rows.empty() ? 0 : std::ranges::min_element(rows, {}, &Row::fits)->fits;
    }
};

// Arrays beside each other, row 0 at the top: which of their elements one block loads and stores.
// What is known of that comes from the trace of a launch; without one there are only the arrays.
struct Tiles {
    struct Array {
        std::string name;
        const device::Buffer* memory = nullptr;
        std::size_t offset_bytes = 0;
        int element_bytes = 4;
        int width = 0; // elements
        int height = 0;
        std::size_t first = 0;             // its place among `counts`
        std::uint64_t elements_loaded = 0; // by the block
        std::uint64_t elements_stored = 0;
        std::uint64_t loads = 0;        // by the block: a request loads an element once
        std::uint64_t launch_loads = 0; // by all blocks
    };
    std::vector<Array> arrays;
    std::uint32_t most = 0; // requests of the block that loaded one element
    std::string block;      // "block (0, 1) of 2 × 2"
    std::uint32_t moment = 0;
    std::uint32_t moments = 0;
};
struct TilesPicture {
    std::shared_ptr<const Tiles> tiles;
    // A number an element, array after array, as trace::WatchedBlock has them; null: not counted.
    std::shared_ptr<const device::Buffer> counts;
};

// What a step had the device do, operation by operation, and when: which of them overlapped.
struct Timeline {
    // Copies in either direction and kernels are done by parts of a GPU that work side by side.
    enum class Unit : std::uint8_t { to_device, kernel, to_host, wait, peer };
    struct Operation {
        Unit unit = Unit::kernel; // wait: the host waits for all before it; peer: to another device
        int stream = 0;
        int device = 0;           // whose stream that is
        int other = 0;            // of what is copied between devices: the one at the other end
        std::string title{};      // what the record calls it; may be empty
        std::vector<int> after{}; // operations of other streams that it was told to wait for
        // Milliseconds since the step began. The end by the device's clock; the beginning as soon
        // as it was called for and its unit and its stream had ended what came before.
        double begin_ms = 0;
        double end_ms = 0;
        // By the host's clock: the call that queued it.
        double call_begin_ms = 0;
        double call_end_ms = 0;
    };
    std::string lab;
    std::string variant;
    std::map<std::string, std::string> values; // all parameters of the lab
    std::vector<Operation> operations;         // in the order of the calls
    bool timed = false;                        // else only their order is known
    double total_ms = 0;
    std::array<double, 3> alone_ms{}; // all that the unit has to do, with the others idle
    std::string origin;               // of times that were recorded elsewhere, else empty
    int devices = 1;
    std::string played; // of several devices, what they are: "2 GPUs"

    double ideal_ms() const { return std::ranges::max(alone_ms); }
    double serial_ms() const { return alone_ms[0] + alone_ms[1] + alone_ms[2]; }
};
struct TimelinePicture {
    std::shared_ptr<const Timeline> timeline;
};

// A dot for each element: over its index, or over the element of another buffer at the same index.
struct ScatterPicture {
    struct Dot {
        double x = 0;
        double y = 0;
    };
    std::shared_ptr<const std::vector<Dot>> dots; // by x
    std::optional<double> low;                    // of y, shown whatever the dots
    std::optional<double> high;
    std::string quantity; // of y, with its unit
    std::string axis;     // of x
};

using Picture =
    std::variant<FieldPicture, SurfacePicture, ImagePicture, BarsPicture, CurvePicture,
                 LabelsPicture, SlotsPicture, TilesPicture, TimelinePicture, ScatterPicture>;
static_assert(std::variant_size_v<Picture> == view_kinds.size());

constexpr const ViewTraits& traits(const Picture& picture)
{
    return view_kinds.at(picture.index());
}

} // namespace lanescope::labs
