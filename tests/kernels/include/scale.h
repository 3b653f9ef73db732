// Included by macros.cu through an include folder option.
#pragma once

__device__ inline float scaled(float x)
{
    return x * 0.25f;
}
