// A lab's record as the reader found it: for every variant one plan, in which what the lab says for
// all variants and what the variant says for itself are already one. Formulas are still text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/labs/picture.h"

namespace lanescope::labs {

struct MovesOnly {
    MovesOnly() = default;
    MovesOnly(MovesOnly&&) = default;
    MovesOnly& operator=(MovesOnly&&) = default;
};

// An expression over parameters and values; a number is one too. What was compiled for it is found
// by its place in memory, so there are no copies.
struct Formula {
    std::string text{};  // "width * height"
    std::string where{}; // "compute/labs/heat/lab.json, /variants/2/tile/0"
    [[no_unique_address]] MovesOnly moves_only{};
};

// One of several words, picked by expressions: the first case whose condition is not 0.
struct Choice {
    std::vector<std::pair<Formula, std::string>> cases{};
    std::string otherwise{};
    std::string where{};
};

// What stands in memory at the start, and before every variant that has other inputs.
struct FillPlan {
    enum class Kind : std::uint8_t { none, zero, generator, each, file };
    Kind kind = Kind::none;
    std::string generator{};                  // the name of a Fill
    std::map<std::string, Formula> options{}; // of the generator
    Formula each{};                           // Kind::each: over i, x, y, z
    std::string file{};                       // Kind::file: in the lab's folder
};

struct BufferPlan {
    std::string name{};
    Choice type{};                  // "f32", …
    std::vector<Formula> extents{}; // elements, fastest first
    std::optional<Formula> front{}; // unused elements in front of the contents
    FillPlan fill{};
    // The host has a copy, which is what is filled and, of a result, compared.
    enum class Host : std::uint8_t { none, pageable, pinned };
    Host host = Host::none;
    bool each_device = false; // of several devices each has one, of the same extents
    // Where the memory was when what fills buffers was read from it: pointers into it that stand
    // there, and in arguments of bytes, are made to point into the buffer.
    std::optional<std::uint64_t> address{};
};

struct ImagePlan {
    std::string name{};
    std::string format{}; // "rgba8", …
    std::vector<Formula> extents{};
    FillPlan fill{};
    std::string where{};
};

// A name for an expression. Typed values are rounded to their type.
struct ValuePlan {
    std::string name{};
    std::string type{}; // empty: as it is
    Formula is{};
    std::string computed{}; // the name of a Computed, instead of `is`
    std::string where{};
};

struct ArgumentPlan {
    // host: the address of the host's own copy of what the buffer was filled with.
    enum class Kind : std::uint8_t { number, buffer, host, surface, texture, structure, bytes };
    Kind kind = Kind::number;
    std::string name{};               // of the buffer or image
    Formula number{};                 // Kind::number; Kind::buffer: an element of its contents
    bool of_contents = false;         // Kind::buffer: that element, else the memory's beginning
    std::string type{};               // Kind::number: "f32", …; empty: as the kernel declares it
    Choice filter{};                  // Kind::texture
    std::optional<Formula> address{}; // Kind::texture: 0 border, 1 clamp, 2 wrap, 3 mirror
    bool normalized_coordinates = false;
    bool normalized_reads = false;
    std::vector<ArgumentPlan> members{}; // Kind::structure
    std::vector<std::byte> bytes{};      // Kind::bytes
    std::string where{};
};

struct LaunchPlan {
    std::string file{}; // in the lab's folder
    Choice kernel{};
    std::vector<Formula> block{};
    std::vector<Formula> grid{}; // empty: as many tiles as cover `over`
    std::vector<Formula> tile{}; // empty: the block
    std::vector<Formula> over{};
    std::optional<Formula> dynamic_shared_bytes{};
    std::optional<Formula> pending_launches{};
    std::vector<ArgumentPlan> arguments{};
    std::string where{};
};

// One thing that a step does.
struct Action {
    enum class Kind : std::uint8_t {
        launch,
        fill,
        copy,
        upload,
        swap,
        copy_in, // from the host's copy of a buffer …
        copy_out,
        wait,
        wait_for, // its stream waits for another one
        repeat
    };
    Kind kind = Kind::launch;
    std::optional<Formula> when{}; // only where it is not 0
    LaunchPlan launch{};
    std::string from{};              // Kind::copy, swap; Kind::fill, copy_in, copy_out: the buffer
    std::string to{};                // Kind::copy (a buffer or an image), upload, swap
    ArgumentPlan upload{};           // a structure
    std::optional<Formula> stream{}; // Kind::launch, copy, copy_in, copy_out, wait_for: from 0
    std::optional<Formula> device{}; // whose stream that is, from 0
    // Kind::copy: to the same elements on another device, directly or through memory of the host …
    std::optional<Formula> to_device{};
    bool through_host = false;
    Formula offset{};                // … and Kind::copy_in, copy_out: elements …
    std::optional<Formula> extent{}; // … and how many; none: all
    Formula awaited_device{};        // Kind::wait_for
    Formula awaited_stream{};
    std::string title{};    // of a launch or copy: what a timeline calls it
    std::string variable{}; // Kind::repeat, from here on
    Formula first{};
    Formula condition{};
    Formula next{};
    std::vector<Action> body{};
    std::string where{};
};

// A part of a buffer, or an image.
struct PartPlan {
    std::string of{};
    std::optional<Formula> offset{}; // elements
    std::vector<Formula> extents{};  // empty: the buffer's own
    std::optional<Formula> stored{}; // of a result: rows that kernels of device 0 store; none: all
    std::string where{};
};

struct ViewPlan {
    std::string id{};
    ViewKind kind = ViewKind::field;
    PartPlan part{};                // of one that takes a buffer
    std::vector<PartPlan> arrays{}; // of one that takes several
    std::optional<Formula> low{};
    std::optional<Formula> high{};
    std::string quantity{};
    std::string unit{};
    std::string axis{};
    std::optional<LaunchPlan> draw{}; // fills the buffer before it is shown
    bool elements = false; // the buffer's elements themselves are drawn, whatever their type
    std::vector<std::string> layers{}; // of labels
    std::optional<Formula> show{};     // of labels: which layer
    struct Row {
        std::string title;
        std::string unit;
        std::string share;
    };
    std::vector<Row> rows{}; // of slots
};

struct MemoryPlan {
    std::string name{};
    std::string buffer{};
    std::vector<Formula> extents{}; // empty: the buffer's own
    std::string where{};
};

struct WorkPlan {
    Formula bytes{"0"};
    Formula flops{"0"};
    Formula items{"0"};
    std::string item{};
};

struct CheckPlan {
    std::string reference{};                  // the name of a Reference
    std::map<std::string, Formula> options{}; // of the reference
    std::string variant{};                    // instead: the variant whose result is right
    std::optional<Formula> each{};            // instead: the element at i (x, y, z)
    std::optional<Formula> tolerance{};
    std::optional<PartPlan> part{}; // what is compared; else the result
    std::string where{};
};

struct PaintPlan {
    std::vector<ValuePlan> values{};
    LaunchPlan launch{};
};

struct WarningPlan {
    Formula when{};
    std::string text{};
    std::vector<Formula> numbers{}; // for each {…} in the text
};

// All that one variant does.
struct Plan {
    std::vector<ValuePlan> values{};
    std::vector<BufferPlan> buffers{};
    std::vector<ImagePlan> images{};
    // Variables of the variant's file, and the buffers whose contents they get.
    std::vector<std::pair<std::string, std::string>> constants{};
    std::vector<std::pair<std::string, std::string>> variables{}; // the same, before every step
    std::optional<Formula> devices{}; // that the actions name; none: one
    std::vector<Action> scatter{};    // once, when buffers are filled …
    std::vector<Action> gather{};     // … and before a result is looked at: neither is counted
    std::vector<Action> before{};     // in front of every step, not counted
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
    std::vector<Plan> plans{}; // one for each of the lab's variants, in their order
};

} // namespace lanescope::labs
