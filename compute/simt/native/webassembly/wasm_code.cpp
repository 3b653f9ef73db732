// Modules are compiled synchronously: they are small, and the function is needed at once.
#include "compute/simt/native/webassembly/wasm_code.h"

#ifdef __wasm__

#include <emscripten.h>

namespace lanescope::simt::wasm {
namespace {

EM_JS_DEPS(wasm_code, "$wasmTable");
EM_JS(int, function_of_module, (const std::uint8_t* bytes, int count, int free), {
    try {
        const module = new WebAssembly.Module(HEAPU8.slice(bytes, bytes + count));
        const place = free || wasmTable.grow(1);
        const instance =
            new WebAssembly.Instance(module, {m : {m : wasmMemory, t : wasmTable, p : place}});
        wasmTable.set(place, instance.exports.f);
        return place;
    } catch (error) {
        return 0;
    }
});

std::vector<int>& free_places()
{
    static std::vector<int> places;
    return places;
}

} // namespace

Binary imports()
{
    constexpr int table_of = 1, memory_of = 2, global_of = 3, no_maximum = 0;
    Binary code;
    code << Bytes{3, 1, 'm', 1, 'm', memory_of, no_maximum, 0}
         << Bytes{1, 'm', 1, 't', table_of, funcref, no_maximum, 0}
         << Bytes{1, 'm', 1, 'p', global_of, i32, 0};
    return code;
}

int add_to_table(std::span<const std::uint8_t> module)
{
    std::vector<int>& places = free_places();
    const int place = function_of_module(module.data(), static_cast<int>(module.size()),
                                         places.empty() ? 0 : places.back());
    if (place != 0 && !places.empty()) places.pop_back();
    return place;
}

void remove_from_table(int place)
{
    free_places().push_back(place);
}

} // namespace lanescope::simt::wasm

#endif
