// Asks the interpreter of the process through Python's C interface (3.9 and later), whose functions
// are looked up at run time.
#include "compute/runtime/reporting/script_place.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace lanescope::runtime {

namespace {

struct PythonObject;

struct Python {
    int (*is_initialized)() = nullptr;
    int (*is_finalizing)() = nullptr; // may be missing
    int (*has_lock)() = nullptr;
    void* (*thread_state)() = nullptr;
    int (*lock)() = nullptr;
    void (*unlock)(int) = nullptr;
    PythonObject* (*current_frame)() = nullptr; // borrowed
    PythonObject* (*outer_frame)(PythonObject*) = nullptr;
    PythonObject* (*code_of)(PythonObject*) = nullptr;
    int (*line_of)(PythonObject*) = nullptr;
    PythonObject* (*attribute)(PythonObject*, const char*) = nullptr;
    const char* (*text_of)(PythonObject*) = nullptr;
    void (*retain)(PythonObject*) = nullptr;
    void (*release)(PythonObject*) = nullptr;
    PythonObject* (*modules)() = nullptr; // borrowed
    PythonObject* (*file_of)(PythonObject*) = nullptr;
    int (*next)(PythonObject*, std::ptrdiff_t*, PythonObject**, PythonObject**) = nullptr;
    void (*clear_error)() = nullptr;
    bool complete = false;
};

template <class Function>
bool look_up(Function*& function, const char* name)
{
    function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
}

Python find_python()
{
    Python found;
    if (!look_up(found.is_finalizing, "Py_IsFinalizing"))
        look_up(found.is_finalizing, "_Py_IsFinalizing");
    found.complete =
        look_up(found.is_initialized, "Py_IsInitialized") &&
        look_up(found.has_lock, "PyGILState_Check") &&
        look_up(found.thread_state, "PyGILState_GetThisThreadState") &&
        look_up(found.lock, "PyGILState_Ensure") && look_up(found.unlock, "PyGILState_Release") &&
        look_up(found.current_frame, "PyEval_GetFrame") &&
        look_up(found.outer_frame, "PyFrame_GetBack") &&
        look_up(found.code_of, "PyFrame_GetCode") &&
        look_up(found.line_of, "PyFrame_GetLineNumber") &&
        look_up(found.attribute, "PyObject_GetAttrString") &&
        look_up(found.text_of, "PyUnicode_AsUTF8") && look_up(found.retain, "Py_IncRef") &&
        look_up(found.release, "Py_DecRef") && look_up(found.modules, "PyImport_GetModuleDict") &&
        look_up(found.file_of, "PyModule_GetFilenameObject") &&
        look_up(found.next, "PyDict_Next") && look_up(found.clear_error, "PyErr_Clear");
    return found;
}

// Null if the process runs no Python, or its interpreter is ending.
const Python* running_python()
{
    static const Python python = find_python();
    if (!python.complete || python.is_initialized() == 0) return nullptr;
    if (python.is_finalizing != nullptr && python.is_finalizing() != 0) return nullptr;
    return &python;
}

bool is_installed(const std::string& file)
{
    for (const char* part : {"/site-packages/", "/dist-packages/", "/lib/python3"})
        if (file.find(part) != file.npos) return true;
    return file.empty() || file.front() == '<';
}

// Stores each place once, so that sites can refer to it.
const ScriptPlace* known_place(const std::string& file, int line)
{
    static std::mutex mutex;
    static auto* const places = new std::map<std::pair<std::string, int>, ScriptPlace>;
    const std::lock_guard lock(mutex);
    ScriptPlace& place = (*places)[{file, line}];
    if (place.line == 0) {
        char whole[PATH_MAX];
        const bool is_file = file.front() != '/' && realpath(file.c_str(), whole) != nullptr;
        place = {is_file ? whole : file, line};
    }
    return &place;
}

const ScriptPlace* place_with(const Python& python)
{
    PythonObject* frame = python.current_frame();
    if (frame == nullptr) return nullptr;
    python.retain(frame);
    std::string innermost, file;
    int innermost_line = 0, line = 0;
    while (frame != nullptr) {
        PythonObject* const code = python.code_of(frame);
        PythonObject* const name = python.attribute(code, "co_filename");
        const char* const text = name == nullptr ? nullptr : python.text_of(name);
        file = text == nullptr ? "" : text;
        line = python.line_of(frame);
        if (name != nullptr) python.release(name);
        python.release(code);
        if (innermost.empty() && !file.empty() && file.front() != '<') {
            innermost = file;
            innermost_line = line;
        }
        PythonObject* const outer = is_installed(file) ? python.outer_frame(frame) : nullptr;
        python.release(frame);
        frame = outer;
    }
    if (is_installed(file)) {
        file = innermost;
        line = innermost_line;
    }
    return file.empty() || line <= 0 ? nullptr : known_place(file, line);
}

} // namespace

const ScriptPlace* script_place()
{
    const Python* const python = running_python();
    if (python == nullptr || python->thread_state() == nullptr) return nullptr;
    if (python->has_lock() != 0) return place_with(*python);
    const int before = python->lock();
    const ScriptPlace* const place = place_with(*python);
    python->unlock(before);
    return place;
}

std::vector<std::string> script_files()
{
    std::vector<std::string> files;
    const ScriptPlace* const here = script_place();
    const Python* const python = running_python();
    if (python == nullptr || here == nullptr) return files;
    files.push_back(here->file);
    const int before = python->lock();
    PythonObject *name = nullptr, *module = nullptr;
    for (std::ptrdiff_t at = 0; python->next(python->modules(), &at, &name, &module) != 0;) {
        PythonObject* const file = python->file_of(module); // runs no Python code
        if (file == nullptr) {
            python->clear_error();
            continue;
        }
        const char* const text = python->text_of(file);
        if (text == nullptr) python->clear_error();
        if (text != nullptr && !is_installed(text)) files.emplace_back(text);
        python->release(file);
    }
    python->unlock(before);
    return files;
}

const ScriptPlace* script_place_if_locked()
{
    const Python* const python = running_python();
    if (python == nullptr || python->thread_state() == nullptr || python->has_lock() == 0)
        return nullptr;
    return place_with(*python);
}

} // namespace lanescope::runtime
