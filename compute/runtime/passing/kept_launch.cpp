// Reads the kernel's parameter layout from its PTX.
#include "compute/runtime/passing/kept_launch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/error.h"
#include "compute/ptx/text/module.h"
#include "compute/ptx/uses/uses.h"
#include "compute/runtime/passing/images.h"
#include "compute/runtime/passing/real.h"
#include "compute/runtime/reporting/fat_binary.h"

namespace lanescope::runtime::passing {

namespace {

std::mutex one_by_one;

// Kernels selected by --only; empty: all.
const std::string& only()
{
    static const std::string* const names = [] {
        const char* const value = std::getenv("LANESCOPE_ONLY");
        return new std::string(value == nullptr ? "" : value);
    }();
    return *names;
}

const std::vector<std::string>& texts_of(Module& module)
{
    if (!module.read) {
        module.texts = read_fat_binary(module.wrapper).texts;
        module.read = true;
    }
    return module.texts;
}

const ptx::Module& parsed(const std::string& text)
{
    static auto* const known = new std::map<const std::string*, ptx::Module>;
    const auto found = known->find(&text);
    return found != known->end() ? found->second : (*known)[&text] = ptx::parse(text);
}

} // namespace

KeptLaunch::KeptLaunch(const Function* function, void** arguments, StreamName stream)
    : function_(function), arguments_(arguments), stream_(stream)
{
}

nlohmann::ordered_json KeptLaunch::keep()
{
    Keeper& keeper = Keeper::instance();
    if (!keeper.wants_any() || function_ == nullptr || arguments_ == nullptr) return nullptr;
    alone_ = std::unique_lock(one_by_one);
    Recorder& recorder = Recorder::instance();
    const int index = recorder.launches();
    if (!keeper.wants(index) || recorder.is_captured(stream_)) return nullptr;
    if (!only().empty() && device::meant({function_->symbol}, only()).empty()) return nullptr;
    const OwnCalls own;            // keeps an earlier kernel's error
    REAL(cudaDeviceSynchronize)(); // earlier work must have finished with the memory
    memory_ = recorder.memory();
    return keeper.keep(*this, index, device::short_name(function_->symbol));
}

// Allocations into which the PTX stores through a parameter.
std::set<std::uint64_t> KeptLaunch::stored_into()
{
    std::set<std::uint64_t> found;
    const auto all = arguments();
    const auto kernels = ptx::kernel_uses(parsed(*text()));
    const auto own = std::ranges::find(kernels, function_->symbol, &ptx::KernelUse::name);
    if (own == kernels.end()) return found;
    for (std::size_t i = 0; i < own->parameters.size() && i < all.size(); ++i) {
        std::uint64_t address = 0;
        if (!(own->parameters[i].written || own->parameters[i].updated) ||
            all[i].size() != sizeof address)
            continue;
        std::memcpy(&address, all[i].data(), sizeof address);
        if (const auto into = allocation(address)) found.insert(into->address);
    }
    return found;
}

void KeptLaunch::note_written(nlohmann::ordered_json& kept)
{
    if (!kept.contains("memory")) return;
    const std::set<std::uint64_t> stored = stored_into();
    const OwnCalls own;
    REAL(cudaDeviceSynchronize)();
    for (auto& range : kept["memory"]) {
        const auto address = range["address"].get<std::uint64_t>();
        const std::vector<std::byte> before = std::move(copies_[address]);
        copies_.erase(address);
        const auto after = copied(address, before.size());
        range["written"] = stored.contains(address) || !std::ranges::equal(before, after);
        copies_.erase(address);
    }
}

const std::string* KeptLaunch::text()
{
    if (function_->module == nullptr) return nullptr;
    const std::string entry = fmt::format(".entry {}(", function_->symbol);
    for (const std::string& text : texts_of(*function_->module))
        if (text.find(entry) != text.npos) return &text;
    return nullptr;
}

std::vector<std::span<const std::byte>> KeptLaunch::arguments()
{
    std::vector<std::span<const std::byte>> all;
    const std::string* const in = text();
    if (in == nullptr) return all;
    const ptx::Function* const kernel = parsed(*in).find_function(function_->symbol);
    if (kernel == nullptr) return all;
    for (const ptx::Variable& parameter : kernel->parameters) {
        const void* const argument = arguments_[all.size()];
        all.emplace_back(static_cast<const std::byte*>(argument), parameter.size_bytes());
    }
    return all;
}

std::optional<LaunchMemory::Allocation> KeptLaunch::allocation(std::uint64_t address)
{
    auto after = memory_.upper_bound(address);
    if (after == memory_.begin()) return {};
    --after;
    if (address - after->first >= after->second.bytes) return {};
    return Allocation{after->first, after->second.bytes, after->second.call};
}

std::span<const std::byte> KeptLaunch::bytes(const Allocation& allocation)
{
    return copied(allocation.address, allocation.bytes);
}

std::span<const std::byte> KeptLaunch::copied(std::uint64_t address, std::uint64_t bytes)
{
    auto [place, is_new] = copies_.try_emplace(address);
    if (is_new) {
        place->second.resize(bytes);
        if (REAL(cudaMemcpy)(place->second.data(), reinterpret_cast<const void*>(address), bytes,
                             cudaMemcpyDefault) != cudaSuccess)
            throw Error(ExitStatus::kernel_fault,
                        fmt::format("its memory of {} bytes cannot be copied.", bytes), "");
    }
    return place->second;
}

// A handle is a small integer, which any argument may equal by chance; only kernels
// that read images have handles.
std::optional<ImageBehind> KeptLaunch::image(std::uint64_t handle)
{
    const std::string* const in = text();
    if (in == nullptr) return {};
    const auto has = [&](const char* word) { return in->find(word) != in->npos; };
    if (has("tex.") || has("tld4."))
        if (auto texture = Images::instance().behind(handle, false)) return texture;
    if (has("suld.") || has("sust.") || has("sured."))
        return Images::instance().behind(handle, true);
    return {};
}

std::vector<LaunchMemory::Variable> KeptLaunch::variables()
{
    std::vector<Variable> all;
    const std::string* const in = text();
    if (in == nullptr) return all;
    const auto& known = parsed(*in).variables;
    for (const auto& [host, symbol] : function_->module->symbols) {
        const auto place = std::ranges::find(known, symbol.name, &ptx::Variable::name);
        void* address = nullptr;
        if (place == known.end() || place->size_bytes() == 0 ||
            REAL(cudaGetSymbolAddress)(&address, host) != cudaSuccess)
            continue;
        all.push_back({symbol.name, symbol.constant,
                       copied(reinterpret_cast<std::uint64_t>(address), place->size_bytes())});
    }
    return all;
}

} // namespace lanescope::runtime::passing
