// By the unwinder that exceptions use: no frame pointers are needed.
#include "compute/runtime/call_site.h"

#include <dlfcn.h>
#include <unwind.h>

namespace lanescope::runtime {

namespace {

const void* own_base()
{
    static const void* const base = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&CallSite::here), &info);
        return static_cast<const void*>(info.dli_fbase);
    }();
    return base;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* into)
{
    auto& site = *static_cast<CallSite*>(into);
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0) return _URC_END_OF_STACK;
    Dl_info info{};
    if (site.count == 0 && (dladdr(reinterpret_cast<const void*>(address), &info) == 0 ||
                            info.dli_fbase == own_base()))
        return _URC_NO_REASON;
    site.frames[static_cast<std::size_t>(site.count++)] = address;
    return site.count == static_cast<int>(site.frames.size()) ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

CallSite CallSite::here()
{
    CallSite site;
    _Unwind_Backtrace(&visit, &site);
    return site;
}

std::vector<CallSite::Frame> CallSite::resolved() const
{
    std::vector<Frame> all;
    for (int i = 0; i < count; ++i) {
        // The call lies before the address that it returns to.
        const std::uintptr_t address = frames[static_cast<std::size_t>(i)] - 1;
        Dl_info info{};
        if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_fname == nullptr)
            continue;
        all.push_back({info.dli_fname, address - reinterpret_cast<std::uintptr_t>(info.dli_fbase)});
    }
    return all;
}

} // namespace lanescope::runtime
