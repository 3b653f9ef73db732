// Kernel arguments as texts on the command line: "i32:5", "f32:0.2", or a buffer
// "f32[1048576]:random:7".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

struct ArgumentValue {
    std::vector<std::byte> bytes; // of the scalar, or the buffer's first contents
    bool is_buffer = false;
};

// Scalars: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 with a value. Buffers: TYPE[COUNT]:FILL with FILL
// zero, ramp (0, 1, 2, …), const:V, random:SEED (integers over the type's whole range, floats in
// [0, 1)) or file:PATH (exactly as long). Throws Error (bad_usage) that shows the text;
// no_such_thing when the file cannot be read.
ArgumentValue parse_argument(std::string_view text);

} // namespace lanescope::app
