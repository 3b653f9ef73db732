// Forms: operations that native code can compute. A form stands for a row function: native code may
// replace exactly those instructions to which the decoder gave that function.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/rows/key.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt::native {

// Suffixes give the width of the computed lanes; f means floating point.
enum class Operation : std::uint8_t {
    move32,
    move64,
    move_predicate,
    add32,
    sub32,
    multiply32,
    multiply_add32,
    high_u32,
    high_s32,
    divide_s32,
    divide_u32,
    remainder_s32,
    remainder_u32,
    wide_u32,
    wide_s32,
    wide_add_u32,
    wide_add_s32,
    min_s32,
    max_s32,
    min_u32,
    max_u32,
    abs32,
    negate32,
    add64,
    sub64,
    multiply64,
    negate64,
    and32,
    or32,
    xor32,
    not32,
    and64,
    or64,
    xor64,
    not64,
    and_predicate,
    or_predicate,
    xor_predicate,
    not_predicate,
    left32,
    right_u32,
    right_s32,
    left64,
    right_u64,
    right_s64,
    funnel_left_wrap,
    funnel_left_clamp,
    funnel_right_wrap,
    funnel_right_clamp,
    select32,
    select64,
    compare_s32,
    compare_u32,
    compare_s64,
    compare_u64,
    compare_f32,
    compare_f64,
    compare_s16,
    compare_u16,
    add_f32,
    sub_f32,
    multiply_f32,
    fused_f32,
    divide_f32,
    reciprocal_f32,
    root_f32,
    min_f32,
    max_f32,
    abs_f32,
    negate_f32,
    nearest_f32,
    down_f32,
    up_f32,
    cut_f32,
    add_f64,
    sub_f64,
    multiply_f64,
    fused_f64,
    divide_f64,
    f32_from_s32,
    f32_from_u32,
    f64_from_s32,
    f64_from_u32,
    f64_from_f32,
    f32_from_f64,
    s32_from_f32,
    u32_from_f32,
    extend_u32,
    extend_s32,
    low_half,
    low_u16,
    low_s16,
    low_u8,
    low_s8,
};

constexpr bool is_integer_division(Operation operation)
{
    return operation >= Operation::divide_s32 && operation <= Operation::remainder_u32;
}

struct Form {
    Operation operation{};
    rows::Compare compare{};
    rows::Boolean boolean = rows::Boolean::none;
    std::uint8_t destination = 4;         // bytes per lane; 0: a predicate
    std::array<std::uint8_t, 3> source{}; // likewise, per source
    std::uint8_t sources = 0;
};

// The form of a row function; null if it has none.
const Form* find_form(RowFunction run, Isa isa);

} // namespace lanescope::simt::native
