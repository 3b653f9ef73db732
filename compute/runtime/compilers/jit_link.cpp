// nvJitLink. The PTX of a link is the PTX of its inputs. Inputs for link-time optimisation
// have no PTX: they are linked a second time with -ptx. The types are those of
// nvJitLink.h, which not every toolkit has.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/runtime/compilers/interposed.h"
#include "compute/runtime/reporting/carried_ptx.h"
#include "compute/runtime/reporting/fat_binary.h"

namespace lanescope::compilers {

namespace {

using Result = int; // nvJitLinkResult; 0: success
using Handle = void*;
constexpr Result success = 0, internal_error = 6;
constexpr int input_optimised = 3, input_library = 6, input_any = 10;

using CreateFunction = Result(Handle*, std::uint32_t, const char**);
using DestroyFunction = Result(Handle*);
using AddDataFunction = Result(Handle, int, const void*, std::size_t, const char*);
using AddFileFunction = Result(Handle, int, const char*);
using CompleteFunction = Result(Handle);
using SizeFunction = Result(Handle, std::size_t*);
using GetFunction = Result(Handle, void*);

struct Input {
    int type = 0;
    std::string data;
    std::string name;
};
struct Link {
    std::vector<std::string> options;
    std::vector<Input> inputs;
    // Set by the link; empty list: an input has no PTX.
    std::optional<std::vector<std::string>> texts{};
};

std::mutex& links_mutex()
{
    static auto* const mutex = new std::mutex;
    return *mutex;
}
std::map<Handle, Link>& links()
{
    static auto* const all = new std::map<Handle, Link>;
    return *all;
}

template <class Function>
Function* jit_link_function(std::size_t number, const char* name)
{
    return function_of<Function>({Family::jit_link, number}, name);
}

// --- PTX of a finished link ---

bool is_optimised(const Input& input)
{
    // NVIDIA's compilers start LLVM bitcode with a magic number of their own, unlike those of ELF
    // files and archives.
    if (input.type == input_optimised) return true;
    return input.type == input_any && input.data.starts_with("\xed\x43\x4e\x7f");
}

// Links the inputs again to get their PTX; empty if that fails.
std::string optimised_text(std::size_t number, const Link& link,
                           const std::vector<const Input*>& inputs)
{
    auto* const create = jit_link_function<CreateFunction>(number, "nvJitLinkCreate");
    auto* const add = jit_link_function<AddDataFunction>(number, "nvJitLinkAddData");
    auto* const complete = jit_link_function<CompleteFunction>(number, "nvJitLinkComplete");
    auto* const size = jit_link_function<SizeFunction>(number, "nvJitLinkGetLinkedPtxSize");
    auto* const get = jit_link_function<GetFunction>(number, "nvJitLinkGetLinkedPtx");
    auto* const destroy = jit_link_function<DestroyFunction>(number, "nvJitLinkDestroy");
    if (!create || !add || !complete || !size || !get || !destroy) return {};
    std::vector<std::string> options = link.options;
    for (const char* option : {"-lto", "-ptx", "-lineinfo"})
        if (std::ranges::find(options, option) == options.end() &&
            !(std::string_view(option) == "-lineinfo" &&
              std::ranges::find(options, "-g") != options.end()))
            options.emplace_back(option);
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    Handle handle = nullptr;
    if (create(&handle, static_cast<std::uint32_t>(words.size()), words.data()) != success)
        return {};
    std::string text;
    bool all = true;
    for (const Input* input : inputs)
        all = all && add(handle, input->type, input->data.data(), input->data.size(),
                         input->name.c_str()) == success;
    std::size_t bytes = 0;
    if (all && complete(handle) == success && size(handle, &bytes) == success) {
        text.assign(bytes, '\0');
        if (get(handle, text.data()) != success) text.clear();
        text.resize(std::strlen(text.c_str()));
    }
    destroy(&handle);
    return text;
}

// Empty if an input has no PTX.
std::vector<std::string> texts_of(std::size_t number, const Link& link)
{
    std::vector<std::string> texts;
    std::vector<const Input*> optimised;
    for (const Input& input : link.inputs) {
        if (is_optimised(input)) {
            optimised.push_back(&input);
            continue;
        }
        std::vector<std::string> own = runtime::texts_to_link(input.data);
        if (own.empty() && input.type != input_library) return {};
        std::ranges::move(own, std::back_inserter(texts));
    }
    if (optimised.empty()) return texts;
    std::string text = optimised_text(number, link, optimised);
    if (text.empty()) return {};
    texts.insert(texts.begin(), std::move(text));
    return texts;
}

// --- Replacements ---

Result create(std::size_t number, Handle* handle, std::uint32_t count, const char** options)
{
    auto* const real = jit_link_function<CreateFunction>(number, "nvJitLinkCreate");
    if (real == nullptr) return internal_error;
    const Result result = real(handle, count, options);
    if (result != success) return result;
    const std::lock_guard lock(links_mutex());
    links()[*handle] = {.options = {options, options + count}, .inputs = {}};
    return result;
}

Result destroy(std::size_t number, Handle* handle)
{
    auto* const real = jit_link_function<DestroyFunction>(number, "nvJitLinkDestroy");
    if (real == nullptr) return internal_error;
    if (handle != nullptr) {
        const std::lock_guard lock(links_mutex());
        links().erase(*handle);
    }
    return real(handle);
}

void keep(Handle handle, Input input)
{
    const std::lock_guard lock(links_mutex());
    if (const auto found = links().find(handle); found != links().end())
        found->second.inputs.push_back(std::move(input));
}

Result add_data(std::size_t number, Handle handle, int type, const void* data, std::size_t bytes,
                const char* name)
{
    auto* const real = jit_link_function<AddDataFunction>(number, "nvJitLinkAddData");
    if (real == nullptr) return internal_error;
    const Result result = real(handle, type, data, bytes, name);
    if (result == success)
        keep(handle, {type, std::string(static_cast<const char*>(data), bytes),
                      name == nullptr ? "" : name});
    return result;
}

Result add_file(std::size_t number, Handle handle, int type, const char* file)
{
    auto* const real = jit_link_function<AddFileFunction>(number, "nvJitLinkAddFile");
    if (real == nullptr) return internal_error;
    const Result result = real(handle, type, file);
    if (result != success) return result;
    std::ifstream stream(file, std::ios::binary);
    keep(handle, {type, std::string(std::istreambuf_iterator<char>(stream), {}), file});
    return result;
}

Result linked_code(std::size_t number, Handle handle, std::string& code)
{
    auto* const size = jit_link_function<SizeFunction>(number, "nvJitLinkGetLinkedCubinSize");
    auto* const get = jit_link_function<GetFunction>(number, "nvJitLinkGetLinkedCubin");
    if (size == nullptr || get == nullptr) return internal_error;
    std::size_t bytes = 0;
    Result result = size(handle, &bytes);
    if (result != success) return result;
    code.assign(bytes, '\0');
    result = get(handle, code.data());
    if (result != success) return result;
    const std::lock_guard lock(links_mutex());
    const auto found = links().find(handle);
    if (found == links().end()) return result;
    Link& link = found->second;
    if (!link.texts) link.texts = texts_of(number, link);
    code = runtime::with_ptx(code, *link.texts);
    return result;
}

Result get_size(std::size_t number, Handle handle, std::size_t* bytes)
{
    std::string code;
    const Result result = linked_code(number, handle, code);
    if (result == success && bytes != nullptr) *bytes = code.size();
    return result;
}

Result get(std::size_t number, Handle handle, void* into)
{
    std::string code;
    const Result result = linked_code(number, handle, code);
    if (result == success && into != nullptr) std::memcpy(into, code.data(), code.size());
    return result;
}

template <std::size_t... number>
std::array<Replacement, 6> replacements(std::index_sequence<number...>)
{
    return {
        {{"nvJitLinkCreate",
          {reinterpret_cast<void*>(+[](Handle* handle, std::uint32_t count, const char** options) {
              return create(number, handle, count, options);
          })...}},
         {"nvJitLinkDestroy",
          {reinterpret_cast<void*>(+[](Handle* handle) { return destroy(number, handle); })...}},
         {"nvJitLinkAddData",
          {reinterpret_cast<void*>(
              +[](Handle handle, int type, const void* data, std::size_t bytes, const char* name) {
                  return add_data(number, handle, type, data, bytes, name);
              })...}},
         {"nvJitLinkAddFile",
          {reinterpret_cast<void*>(+[](Handle handle, int type, const char* file) {
              return add_file(number, handle, type, file);
          })...}},
         {"nvJitLinkGetLinkedCubinSize",
          {reinterpret_cast<void*>(+[](Handle handle, std::size_t* bytes) {
              return get_size(number, handle, bytes);
          })...}},
         {"nvJitLinkGetLinkedCubin", {reinterpret_cast<void*>(+[](Handle handle, void* into) {
              return get(number, handle, into);
          })...}}}};
}

} // namespace

const Replacement* jit_link_replacement(const std::string& name)
{
    static const auto all = replacements(std::make_index_sequence<max_libraries>());
    const auto found = std::ranges::find(all, name, &Replacement::name);
    return found == all.end() ? nullptr : &*found;
}

} // namespace lanescope::compilers

using namespace lanescope::compilers;

// Exports for programs linked with nvJitLink: the plain names, and the names of each version, which
// its header uses.
#define EXPORT(name, parameters, call)                                                             \
    extern "C" __attribute__((visibility("default"))) Result name parameters                       \
    {                                                                                              \
        return call;                                                                               \
    }
#define FUNCTIONS(before, after)                                                                   \
    EXPORT(before##nvJitLinkCreate##after,                                                         \
           (Handle * handle, std::uint32_t count, const char** options),                           \
           create(0, handle, count, options))                                                      \
    EXPORT(before##nvJitLinkDestroy##after, (Handle * handle), destroy(0, handle))                 \
    EXPORT(before##nvJitLinkAddData##after,                                                        \
           (Handle handle, int type, const void* data, std::size_t bytes, const char* name),       \
           add_data(0, handle, type, data, bytes, name))                                           \
    EXPORT(before##nvJitLinkAddFile##after, (Handle handle, int type, const char* file),           \
           add_file(0, handle, type, file))                                                        \
    EXPORT(before##nvJitLinkGetLinkedCubinSize##after, (Handle handle, std::size_t * bytes),       \
           get_size(0, handle, bytes))                                                             \
    EXPORT(before##nvJitLinkGetLinkedCubin##after, (Handle handle, void* into),                    \
           get(0, handle, into))

FUNCTIONS(, )
FUNCTIONS(__, _12_0)
FUNCTIONS(__, _12_1)
FUNCTIONS(__, _12_2)
FUNCTIONS(__, _12_3)
FUNCTIONS(__, _12_4)
FUNCTIONS(__, _12_5)
FUNCTIONS(__, _12_6)
FUNCTIONS(__, _12_7)
FUNCTIONS(__, _12_8)
FUNCTIONS(__, _12_9)
FUNCTIONS(__, _13_0)
FUNCTIONS(__, _13_1)
FUNCTIONS(__, _13_2)
FUNCTIONS(__, _13_3)
FUNCTIONS(__, _13_4)
FUNCTIONS(__, _13_5)
