// Looks up GPUs by name, and stores the GPU chosen for this process.
#include "compute/counting/gpus.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/error.h"

namespace lanescope::counting {

namespace {

constexpr Gpu simulated[] = {
#define GPU(name, product, major, minor, multiprocessors, clock_khz, fp32_per_fp64, l1_kib,        \
            l2_bytes, persisting_l2_bytes, memory_gib, memory_bus_bits, memory_clock_khz,          \
            memory_gb_per_s, copy_engines, ecc)                                                    \
    {name,                                                                                         \
     product,                                                                                      \
     major,                                                                                        \
     minor,                                                                                        \
     multiprocessors,                                                                              \
     clock_khz,                                                                                    \
     fp32_per_fp64,                                                                                \
     (l1_kib)*1024,                                                                                \
     l2_bytes,                                                                                     \
     persisting_l2_bytes,                                                                          \
     std::uint64_t{memory_gib} << 30,                                                              \
     memory_bus_bits,                                                                              \
     memory_clock_khz,                                                                             \
     memory_gb_per_s,                                                                              \
     copy_engines,                                                                                 \
     ecc},
#include "compute/counting/gpus.def"
#undef GPU
};

constexpr const Gpu* usual = std::ranges::find(simulated, std::string_view("H100"), &Gpu::name);
static_assert(usual != std::end(simulated));

std::atomic<const Gpu*>& choice()
{
    static std::atomic<const Gpu*> gpu{nullptr};
    return gpu;
}

// Lower-case letters and digits, without the words before a model's number.
std::string plain_name(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const std::string_view word : {"nvidia", "tesla", "geforce", "rtx"})
        if (plain.starts_with(word)) plain.erase(0, word.size());
    return plain;
}

} // namespace

const MultiprocessorLimits& Gpu::limits() const
{
    return *std::ranges::find_if(counting::multiprocessors(), [this](const auto& limits) {
        return limits.compute_major == compute_major && limits.compute_minor == compute_minor;
    });
}

std::string Gpu::architecture() const
{
    return fmt::format("sm_{}", capability());
}

std::string Gpu::with_article() const
{
    // The article follows the pronunciation of the first letter: an A, an H, an R, but a T.
    constexpr std::string_view letters_with_vowel_sound = "AEFHILMNORSX";
    const bool vowel = letters_with_vowel_sound.find(name.front()) != letters_with_vowel_sound.npos;
    return fmt::format("{} {}", vowel ? "an" : "a", name);
}

std::span<const Gpu> gpus()
{
    return simulated;
}

const Gpu& gpu_named(std::string_view name)
{
    const std::string wanted = plain_name(name);
    for (const Gpu& gpu : simulated)
        if (wanted == plain_name(gpu.name) || wanted == plain_name(gpu.product)) return gpu;
    std::array<std::string_view, std::size(simulated)> names;
    std::ranges::transform(simulated, names.begin(), &Gpu::name);
    throw Error(ExitStatus::bad_usage, fmt::format("There is no GPU \"{}\" to simulate.", name),
                fmt::format("Choose one of these: {}.", fmt::join(names, ", ")));
}

const Gpu* chosen_gpu()
{
    return choice().load(std::memory_order_relaxed);
}

void choose_gpu(const Gpu& gpu)
{
    choice().store(&gpu, std::memory_order_relaxed);
}

const Gpu& simulated_gpu()
{
    const Gpu* const gpu = chosen_gpu();
    return gpu == nullptr ? *usual : *gpu;
}

} // namespace lanescope::counting
