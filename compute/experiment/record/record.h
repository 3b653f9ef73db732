// A parsed lab record: one plan per variant, with the lab's defaults already merged in. Formulas
// are still text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/experiment/lab/picture.h"

namespace lanescope::labs {

struct MovesOnly {
    MovesOnly() = default;
    MovesOnly(MovesOnly&&) = default;
    MovesOnly& operator=(MovesOnly&&) = default;
};

// An expression over parameters and values, or just a number. Its compiled form is keyed by its
// address, so it can't be copied.
struct Formula {
    std::string text{};  // "width * height"
    std::string where{}; // "compute/labs/heat/lab.json, /variants/2/tile/0"
    [[no_unique_address]] MovesOnly moves_only{};
};

// One of several words, selected by expressions: the first case whose condition is nonzero.
struct Choice {
    std::vector<std::pair<Formula, std::string>> cases{};
    std::string otherwise{};
    std::string where{};
};

// Initial contents of a buffer. They are restored before each variant that has different inputs.
struct FillPlan {
    enum class Kind : std::uint8_t { none, zero, generator, each, file };
    Kind kind = Kind::none;
    std::string generator{};                  // name of a Fill
    std::map<std::string, Formula> options{}; // options of the generator
    Formula each{};                           // Kind::each: expression over i, x, y, z
    std::string file{};                       // Kind::file: in the lab's folder
};

struct BufferPlan {
    std::string name{};
    Choice type{};                  // "f32", …
    std::vector<Formula> extents{}; // in elements, fastest dimension first
    std::optional<Formula> front{}; // unused elements before the contents
    FillPlan fill{};
    // The host has a copy, which is filled and, for a result, compared.
    enum class Host : std::uint8_t { none, pageable, pinned };
    Host host = Host::none;
    // With several devices: each has its own buffer, with the same extents.
    bool each_device = false;
    bool opengl = false; // OpenGL's memory, which actions map
    // Address at which the memory was captured: pointers into it, in memory and in byte arguments,
    // are relocated to the buffer.
    std::optional<std::uint64_t> address{};
};

struct ImagePlan {
    std::string name{};
    std::string format{}; // "rgba8", …
    std::vector<Formula> extents{};
    FillPlan fill{};
    bool opengl = false; // OpenGL's memory, which actions map
    std::string where{};
};

// A named expression. Typed values are rounded to their type.
struct ValuePlan {
    std::string name{};
    std::string type{}; // empty: not rounded
    Formula is{};
    std::string computed{}; // name of a Computed, instead of `is`
    std::string where{};
};

struct ArgumentPlan {
    // host: address of the host's copy of the buffer's initial contents.
    enum class Kind : std::uint8_t {
        number,
        buffer,
        host,
        surface,
        texture,
        tensor_map,
        structure,
        bytes
    };
    Kind kind = Kind::number;
    std::string name{};               // name of the buffer or image
    Formula number{};                 // Kind::number; Kind::buffer: index of an element
    bool points_to_element = false;   // Kind::buffer: point to that element; otherwise to the start
                                      // of the memory
    std::string type{};               // Kind::number: "f32", …; empty: as declared by the kernel
    Choice filter{};                  // Kind::texture
    std::optional<Formula> address{}; // Kind::texture: 0 border, 1 clamp, 2 wrap, 3 mirror
    bool normalized_coordinates = false;
    bool normalized_reads = false;
    std::vector<Formula> box{};          // Kind::tensor_map: extents of the box, in elements
    std::optional<Formula> swizzle{};    // Kind::tensor_map: in bytes; nullopt: none
    std::vector<ArgumentPlan> members{}; // Kind::structure
    std::vector<std::byte> bytes{};      // Kind::bytes
    std::string where{};
};

struct LaunchPlan {
    std::string file{}; // in the lab's folder
    Choice kernel{};
    std::vector<Formula> block{};
    std::vector<Formula> grid{}; // empty: enough tiles to cover `over`
    std::vector<Formula> tile{}; // empty: the block
    std::vector<Formula> over{};
    std::vector<Formula> cluster{}; // empty: as the kernel was compiled for, else one block
    std::optional<Formula> dynamic_shared_bytes{};
    std::optional<Formula> pending_launches{};
    std::vector<ArgumentPlan> arguments{};
    std::string where{};
};

// One action of a step.
struct Action {
    enum class Kind : std::uint8_t {
        launch,
        fill,
        copy,
        upload,
        swap,
        copy_in, // from the host copy of a buffer …
        copy_out,
        wait,
        wait_for, // its stream waits for another stream
        repeat,
        graph,           // the body is captured once, then launched with one call
        register_memory, // OpenGL's memory, for these and the next three …
        unregister_memory,
        map,
        unmap,
        draw,
        to_opengl, // … into which the host copy of a buffer is copied
        present,   // ends a frame
        finish     // the host waits for OpenGL
    };
    Kind kind = Kind::launch;
    std::optional<Formula> when{}; // the action runs only if this is nonzero
    LaunchPlan launch{};
    // Kind::copy, swap, to_opengl; Kind::fill, copy_in, copy_out, register_memory to draw: the
    // buffer (or image)
    std::string from{};
    std::string to{};      // Kind::copy and to_opengl (a buffer or an image), upload, swap
    ArgumentPlan upload{}; // a struct
    std::optional<Formula> stream{}; // Kind::launch, copy, copy_in, copy_out, wait_for
    std::optional<Formula> device{}; // device of the stream, index from 0
    // Kind::copy: to the same elements on another device, directly or through host memory …
    std::optional<Formula> to_device{};
    bool through_host = false;
    Formula offset{};                // … and Kind::copy_in, copy_out: first element …
    std::optional<Formula> extent{}; // … and count; nullopt: all
    Formula awaited_device{};        // Kind::wait_for
    Formula awaited_stream{};
    std::string title{}; // launch or copy: name on a timeline
    std::string
        variable{}; // Kind::repeat; also the fields below, of which Kind::graph has the body
    Formula first{};
    Formula condition{};
    Formula next{};
    std::vector<Action> body{};
    std::string where{};
};

// Part of a buffer, or an image.
struct PartPlan {
    std::string of{};
    std::optional<Formula> offset{}; // in elements
    std::vector<Formula> extents{};  // empty: those of the buffer
    std::optional<Formula> stored{}; // result: rows stored by kernels on device 0; nullopt: all
    std::string where{};
};

struct AxisPlan {
    std::string title{};
    std::optional<Formula> low{}; // nullopt: cells are counted
    std::optional<Formula> high{};
};

struct ViewPlan {
    std::string id{};
    ViewKind kind = ViewKind::field;
    PartPlan part{};                // views of one buffer
    std::vector<PartPlan> arrays{}; // views of several buffers
    std::optional<Formula> low{};
    std::optional<Formula> high{};
    std::string quantity{};
    std::string unit{};
    AxisPlan axis{};
    AxisPlan axis_y{};                // field view
    std::string outline{};            // field view
    std::optional<LaunchPlan> draw{}; // fills the buffer before it is displayed
    bool elements = false; // displays the buffer's elements directly, whatever their type
    std::vector<std::string> layers{};           // labels view
    std::optional<Formula> show{};               // labels view: index of the layer
    std::vector<std::string> row_names{};        // labels view: from the bottom
    std::vector<std::string> column_names{};     // labels view
    std::optional<LabelsPicture::Later> later{}; // labels view
    struct Row {
        std::string title;
        std::string unit;
        std::string share;
        std::string mark;
    };
    std::vector<Row> rows{}; // slots view
    bool flat = false;       // points view
};

struct MemoryPlan {
    std::string name{};
    std::string buffer{};
    std::vector<Formula> extents{}; // empty: those of the buffer
    std::string where{};
};

struct WorkPlan {
    Formula bytes{"0"};
    Formula flops{"0"};
    Formula items{"0"};
    std::string item{};
};

struct CheckPlan {
    std::string reference{};                  // name of a Reference
    std::map<std::string, Formula> options{}; // options of the reference
    std::string variant{};                    // instead: the variant with the correct result
    // Instead: expression for the element with index i at (x, y, z).
    std::optional<Formula> each{};
    std::optional<Formula> tolerance{};
    std::optional<PartPlan> part{}; // the compared part; default: the result
    std::string where{};
};

struct PaintPlan {
    std::vector<ValuePlan> values{};
    LaunchPlan launch{};
};

struct WarningPlan {
    Formula when{};
    std::string text{};
    std::vector<Formula> numbers{}; // one per {…} in the text
};

// Everything that one variant does.
struct Plan {
    std::vector<ValuePlan> values{};
    std::vector<BufferPlan> buffers{};
    std::vector<ImagePlan> images{};
    // Variables in the variant's file, and the buffers whose contents they receive.
    std::vector<std::pair<std::string, std::string>> constants{};
    std::vector<std::pair<std::string, std::string>> variables{}; // same, before every step
    std::optional<Formula> devices{}; // number of devices used by the actions; nullopt: one
    std::vector<Action> scatter{};    // once, when buffers are filled …
    std::vector<Action> gather{};     // … and before a result is read; neither is counted
    std::vector<Action> before{};     // before every step, not counted
    std::vector<Action> step{};
    std::vector<std::pair<std::string, std::string>> swap{}; // after every step
    std::vector<std::string> changes{}; // buffers that a step changes and reads again
    PartPlan result{};
    std::vector<MemoryPlan> memory{};
    std::vector<ViewPlan> views{};
    WorkPlan work{};
    CheckPlan check{};
    std::optional<PaintPlan> paint{};
    std::vector<WarningPlan> warnings{};
    std::optional<Formula> steps_per_frame{};
};

struct Record {
    std::vector<Plan> plans{}; // parallel to the lab's variants
};

} // namespace lanescope::labs
