// Several small programs in one file, because nvcc takes seconds per file: each is a function, and
// the first argument selects the one to run as main().
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

struct Program {
    const char* name;
    int (*run)(bool mended);
    Program* next;
    static Program*& first()
    {
        static Program* head = nullptr;
        return head;
    }
    Program(const char* called, int (*body)(bool)) : name(called), run(body), next(first())
    {
        first() = this;
    }
};

// Defines a program by its main(), which returns the exit status. `mended`: without the defect.
#define PROGRAM(name)                                                                              \
    static int name##_main([[maybe_unused]] bool mended);                                          \
    static Program name##_program(#name, name##_main);                                             \
    static int name##_main([[maybe_unused]] bool mended)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            std::printf("%s: %s\n", #call, cudaGetErrorString(status));                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (false)

// Pseudo-random numbers, the same everywhere.
inline unsigned next_random(unsigned& state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

template <class T>
T* device_copy(const std::vector<T>& values)
{
    T* pointer = nullptr;
    if (cudaMalloc(&pointer, values.size() * sizeof(T)) != cudaSuccess) return nullptr;
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return pointer;
}

template <class T>
std::vector<T> host_copy(const T* pointer, std::size_t count)
{
    std::vector<T> values(count);
    cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}

inline int passed(bool right)
{
    std::printf(right ? "PASSED\n" : "FAILED\n");
    return right ? 0 : 1;
}

#ifndef OWN_MAIN // defined in files that have their own main
int main(int argc, char** argv)
{
    const char* const wanted = argc > 1 ? argv[1] : "--list";
    const bool mended = argc > 2 && std::strcmp(argv[2], "mended") == 0;
    const bool lists = std::strcmp(wanted, "--list") == 0;
    for (const Program* each = Program::first(); each; each = each->next) {
        if (lists)
            std::printf("%s\n", each->name);
        else if (std::strcmp(each->name, wanted) == 0)
            return each->run(mended);
    }
    if (!lists) std::printf("There is no program %s.\n", wanted);
    return lists ? 0 : 2;
}
#endif
