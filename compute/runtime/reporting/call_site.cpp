// Uses the unwinder of C++ exceptions, which needs no frame pointers. dladdr() searches all symbols
// of a library, so it is called once per address.
#include "compute/runtime/reporting/call_site.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

namespace lanescope::runtime {

namespace {

// Address range of this library.
struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

int look(dl_phdr_info* library, std::size_t, void* into)
{
    Range all{~std::uintptr_t{0}, 0};
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& segment = library->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
        all.begin = std::min<std::uintptr_t>(all.begin, begin);
        all.end = std::max<std::uintptr_t>(all.end, begin + segment.p_memsz);
    }
    if (!all.holds(reinterpret_cast<std::uintptr_t>(&look))) return 0;
    *static_cast<Range*>(into) = all;
    return 1;
}

const Range& own_range()
{
    static const Range range = [] {
        Range found;
        dl_iterate_phdr(&look, &found);
        return found;
    }();
    return range;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* into)
{
    auto& site = *static_cast<CallSite*>(into);
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0) return _URC_END_OF_STACK;
    if (site.count == 0 && own_range().holds(address)) return _URC_NO_REASON;
    site.frames[static_cast<std::size_t>(site.count++)] = address;
    return site.count == static_cast<int>(site.frames.size()) ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// Returns an empty file name if no executable or library contains the address.
CallSite::Frame frame_at(std::uintptr_t address)
{
    static std::mutex mutex;
    static auto* const known = new std::unordered_map<std::uintptr_t, CallSite::Frame>;
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = known->try_emplace(address);
    Dl_info info{};
    if (is_new && dladdr(reinterpret_cast<const void*>(address), &info) != 0 &&
        info.dli_fname != nullptr)
        place->second = {info.dli_fname,
                         address - reinterpret_cast<std::uintptr_t>(info.dli_fbase)};
    return place->second;
}

} // namespace

namespace {

thread_local const CallSite* pretended = nullptr;
thread_local int calls_in_progress = 0;
thread_local const ScriptPlace* calling_script = nullptr;

} // namespace

CallSite::Entered::Entered()
{
    if (calls_in_progress++ == 0) calling_script = script_place();
}

CallSite::Entered::~Entered()
{
    --calls_in_progress;
}

CallSite::Pretended::Pretended(const CallSite& site)
{
    pretended = &site;
}

CallSite::Pretended::~Pretended()
{
    pretended = nullptr;
}

CallSite CallSite::here()
{
    if (pretended != nullptr) return *pretended;
    CallSite site;
    _Unwind_Backtrace(&visit, &site);
    site.script = calls_in_progress > 0 ? calling_script : script_place_if_locked();
    return site;
}

std::vector<CallSite::Frame> CallSite::resolved() const
{
    std::vector<Frame> all;
    for (int i = 0; i < count; ++i) {
        // The call instruction precedes the return address.
        Frame frame = frame_at(frames[static_cast<std::size_t>(i)] - 1);
        if (!frame.file.empty()) all.push_back(std::move(frame));
    }
    return all;
}

} // namespace lanescope::runtime
