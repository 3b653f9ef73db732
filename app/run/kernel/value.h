// Parses the values that a kernel gets on the command line: numbers, structs, buffers, textures and
// surfaces. They are arguments, module variables, or memory that other values point to.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/kernel/number_types.h"
#include "compute/device/device.h"
#include "compute/device/shaped_image.h"

namespace lanescope::app {

// Eight bytes at `offset` that receive the address of a buffer (+ addend) or the handle of a
// texture or surface; `name` is an argument's index or a name.
struct Reference {
    std::size_t offset = 0;
    std::string name;
    std::uint64_t addend = 0;
};

struct Value {
    enum class Kind { bytes, buffer, texture, surface };
    Kind kind = Kind::bytes;
    Bytes bytes;                       // the value itself, or initial contents
    std::vector<Reference> references; // pointers within `bytes`
    const NumberType* type = nullptr;  // type of buffer elements or of a single number; null: bytes
    std::size_t elements = 1;          // number of buffer elements
    bool is_struct = false;
    bool is_tensor_map = false; // encoded for the lockstep machine
    device::ImageShape shape;   // for textures and surfaces
    device::Format format = device::Format::r32f;
    device::Sampling sampling; // for textures
    device::Filter between_levels = device::Filter::point;
    std::string image_of; // name of the value whose image this one shares; else empty

    bool is_image() const { return kind == Kind::texture || kind == Kind::surface; }
};

// The destination of a value: a kernel parameter or a module variable.
struct Place {
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    bool is_variable = false; // filled completely: f32:ramp covers all its elements
};

// `option` ("--arg") is used in messages. With a destination the value must fit it. Throws Error:
// bad_usage quoting the text; no_such_thing if a file cannot be read.
//
//   i32:5  f32:0.2  5  5u  1.5f      a number, with its type or as a C++ literal
//   f32[1024]:FILL  f16[]:1,2,3      a buffer
//   struct:1.0f,2,{3u8,4.0},4*0      a struct with natural alignment; struct[8]:… a buffer of them
//   tensor_map:@0:f32[64x32]:box=32x8,swizzle=128   a box of a tensor; also strides, steps, nan
//   hex:0a1b…  file:PATH             bytes
//   @2  @name+16  null               the address of another buffer, or a handle
//   tex2d:ramp[64x32]:linear,wrap    a texture of a fill, an image file or @another's image
//   surf2d:zero[64x32]:rgba8         a surface
//   texlayered2d:ramp[64x32x5]       five layers; texcube:ramp[64x64x6] a cube's faces
Value parse_value(std::string_view option, std::string_view text,
                  const std::optional<Place>& place);

// The image part of parse_value: `kind` is "tex", "tex2d", "surf3d", "texlayered2d", "texcube", …
// Throws ValueProblem.
bool is_image_kind(std::string_view kind);
Value parse_image(std::string_view kind, std::string_view text);

// "@0:f32[64x32]:box=32x8": the tensor, its sizes and its box. Throws ValueProblem.
Value parse_tensor_map(std::string_view text);

// Parses a list of C++-like literals, laid out as a struct. Throws ValueProblem.
Value parse_struct(std::string_view text);
// Parses one literal without a type prefix: "5u". Throws ValueProblem.
Value parse_literal(std::string_view text);

} // namespace lanescope::app
