// What a kernel is given, as texts on the command line: numbers, structs, buffers, textures and
// surfaces, for arguments, module variables and things that others point at.
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

// Eight bytes at `offset` take the address of a buffer (+ addend) or the handle of a texture or
// surface: `name` is an argument's index or a name.
struct Reference {
    std::size_t offset = 0;
    std::string name;
    std::uint64_t addend = 0;
};

struct Value {
    enum class Kind { bytes, buffer, texture, surface };
    Kind kind = Kind::bytes;
    Bytes bytes;                       // the value itself, or the first contents
    std::vector<Reference> references; // in `bytes`
    const NumberType* type = nullptr;  // of buffer elements or a single number; null: bytes
    std::size_t elements = 1;          // of a buffer
    bool is_struct = false;
    device::ImageShape shape; // of textures and surfaces
    device::Format format = device::Format::r32f;
    device::Sampling sampling; // of textures
    device::Filter between_levels = device::Filter::point;
    std::string image_of; // a texture or surface over the image of another; else empty

    bool is_image() const { return kind == Kind::texture || kind == Kind::surface; }
};

// A place in memory that takes the value: a parameter or a variable.
struct Place {
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    bool is_variable = false; // filled whole: f32:ramp is for all its elements
};

// `option` ("--arg") is for messages. With a place the value must fit it; without, it is something
// of its own. Throws Error (bad_usage) that shows the text; no_such_thing when a file cannot be
// read.
//
//   i32:5  f32:0.2  5  5u  1.5f      a number, with its type or as C++ writes it
//   f32[1024]:FILL  f16[]:1,2,3      a buffer
//   struct:1.0f,2,{3u8,4.0},4*0      a struct with natural alignment; struct[8]:… a buffer of them
//   hex:0a1b…  file:PATH             bytes
//   @2  @name+16  null               the address of another buffer, or handle
//   tex2d:ramp[64x32]:linear,wrap    a texture of a fill, an image file or @another's image
//   surf2d:zero[64x32]:rgba8         a surface
//   texlayered2d:ramp[64x32x5]       five layers; texcube:ramp[64x64x6] a cube's faces
Value parse_value(std::string_view option, std::string_view text,
                  const std::optional<Place>& place);

// The part of parse_value that is for images: `kind` is "tex", "tex2d", "surf3d", "texlayered2d",
// "texcube", …. Throws ValueProblem.
bool is_image_kind(std::string_view kind);
Value parse_image(std::string_view kind, std::string_view text);

// A list of C++-like literals laid out as a struct. Throws ValueProblem.
Value parse_struct(std::string_view text);
// One literal, without a type in front: "5u". Throws ValueProblem.
Value parse_literal(std::string_view text);

} // namespace lanescope::app
