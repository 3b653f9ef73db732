// Files of labs. Sources are read under a lock; kernels are compiled without it, so that readers
// of source never wait for a compiler.
#include "compute/experiment/catalogue/files.h"

#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/endings.h"
#include "compute/error.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/source/includes.h"

namespace lanescope::labs {
namespace {

using Made = std::shared_ptr<const CompiledText>;

constexpr std::size_t max_file_bytes = std::size_t{64} << 20; // large enough for a picture

// Cache of recently compiled sources. Each lab also keeps its own compiled sources.
struct Compiled {
    static constexpr std::size_t max_texts = 256;
    std::mutex mutex;
    Compiler compiler;
    std::map<std::string, std::shared_future<Made>> texts; // keyed by name and source
    std::deque<std::string> oldest;
};
Compiled& kept()
{
    static Compiled kept;
    return kept;
}

Made compile(const Compiler& compiler, std::string_view text, const std::filesystem::path& name,
             const std::filesystem::path& folder)
{
    if (!compiler)
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("{} is not compiled.", name.string()),
                    "Put its PTX beside it, or build Lanescope with a CUDA compiler.");
    return std::make_shared<const CompiledText>(compiler(text, name, folder));
}

bool is_log(std::string_view name)
{
    return name.ends_with(ending::compiler_log);
}

// True if the file is compiler output: PTX, or a compiler log.
bool is_made(std::string_view name)
{
    return name.ends_with(ending::ptx) || is_log(name);
}

std::string source_of(std::string_view made)
{
    std::filesystem::path source(made);
    if (is_log(made)) source.replace_extension();
    return source.replace_extension(ending::cuda_source).string();
}

// Compiler output per source, created once and kept for the lab's lifetime.
class CompiledFileCache {
public:
    std::string_view get(std::string_view name, const std::function<Made(const std::string&)>& make)
    {
        const std::string source = source_of(name);
        const auto part = [&](const CompiledText& made) -> std::string_view {
            return is_log(name) ? made.log : made.ptx;
        };
        {
            const std::scoped_lock lock(mutex_);
            if (const auto found = held_.find(source); found != held_.end())
                return part(*found->second);
        }
        Made made = make(source);
        const std::scoped_lock lock(mutex_);
        return part(*held_.emplace(source, std::move(made)).first->second);
    }

private:
    std::mutex mutex_;
    std::map<std::string, Made, std::less<>> held_;
};

// Only the lab's own files are read or included.
Made compiled_with_headers(std::string_view text, const std::filesystem::path& name,
                           const std::filesystem::path& folder, const FindHeader& find)
{
    return compiled(with_headers(text, name.string(), find), name, folder);
}

// Reads each file once; compiles a missing .ptx from the .cu file next to it.
class FolderFiles {
public:
    explicit FolderFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::string_view get(std::string_view name)
    {
        if (is_made(name) && !std::filesystem::exists(folder_ / name))
            return made_.get(name, [&](const std::string& source) {
                return compiled_with_headers(
                    get(source), folder_ / source, folder_,
                    [&](const std::string& header) { return find(header); });
            });
        const std::scoped_lock lock(mutex_);
        const auto found = texts_.find(name);
        return found != texts_.end() ? found->second : texts_[std::string(name)] = read(name);
    }

private:
    std::optional<std::string> find(const std::string& header)
    {
        std::error_code none;
        if (!std::filesystem::is_regular_file(folder_ / header, none)) return std::nullopt;
        return std::string(get(header));
    }

    // Reads only regular files in the folder itself, whatever the name, and up to a size limit.
    std::string read(std::string_view name) const
    {
        const std::filesystem::path path = folder_ / name;
        std::error_code none;
        if (!stays_in_folder(name) || std::filesystem::is_symlink(path, none) ||
            std::filesystem::weakly_canonical(path, none) !=
                std::filesystem::weakly_canonical(folder_, none) / name)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("The lab may not read {}: it is outside its folder.", path.string()),
                "Copy the file into the folder and name it without \"..\" or a link.");
        if (std::filesystem::is_regular_file(path, none)) {
            const auto bytes = std::filesystem::file_size(path, none);
            if (bytes > max_file_bytes)
                throw Error(
                    ExitStatus::bad_usage,
                    fmt::format("{} is larger than {} MB.", path.string(), max_file_bytes >> 20),
                    "Use a smaller file.");
            std::ifstream file(path, std::ios::binary);
            std::string all(bytes, '\0');
            if (file.read(all.data(), static_cast<std::streamsize>(bytes))) return all;
        }
        if (path.extension() == ending::markdown) return {}; // lessons are optional
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The lab has no file {}.", path.string()),
                    "Add it to the folder, or correct the name in lab.json.");
    }

    std::filesystem::path folder_;
    std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> texts_;
    CompiledFileCache made_;
};

class TextFiles {
public:
    TextFiles(std::shared_ptr<const Texts> texts, const Lab* base)
        : texts_(std::move(texts)), base_(base)
    {
    }
    std::string_view get(std::string_view name)
    {
        const auto& files = texts_->files;
        if (const auto own = files.find(std::string(name)); own != files.end()) return own->second;
        if (is_made(name))
            if (const auto source = files.find(source_of(name)); source != files.end())
                return made_.get(name, [&](const std::string&) {
                    const std::filesystem::path folder = base_ ? base_->place : texts_->id;
                    const bool on_disk = base_ && is_lab_folder(folder);
                    return compiled_with_headers(
                        source->second, folder / source->first,
                        on_disk ? folder : std::filesystem::path(),
                        [&](const std::string& header) -> std::optional<std::string> {
                            const auto own = files.find(header);
                            if (own != files.end()) return own->second;
                            if (!base_) return std::nullopt;
                            try {
                                return std::string(base_->file(header));
                            } catch (const Error& error) {
                                if (error.status() == ExitStatus::no_such_thing)
                                    return std::nullopt;
                                throw;
                            }
                        });
                });
        if (base_) return base_->file(name);
        if (name.ends_with(ending::markdown)) return {};
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The lab {} has no file {}.", texts_->id, name),
                    "Add it, or correct the name in lab.json.");
    }

private:
    std::shared_ptr<const Texts> texts_;
    const Lab* base_;
    CompiledFileCache made_;
};

} // namespace

void compile_with(Compiler compiler)
{
    const std::scoped_lock lock(kept().mutex);
    kept().compiler = std::move(compiler);
}

Made compiled(std::string_view text, const std::filesystem::path& name,
              const std::filesystem::path& folder)
{
    Compiled& all = kept();
    const std::string key = name.string() + '\0' + folder.string() + '\0' + std::string(text);
    std::promise<Made> promise;
    std::shared_future<Made> future;
    Compiler compiler;
    {
        const std::scoped_lock lock(all.mutex);
        if (const auto found = all.texts.find(key); found != all.texts.end())
            future = found->second;
        else {
            compiler = all.compiler;
            all.texts.emplace(key, promise.get_future().share());
            all.oldest.push_back(key);
            if (all.oldest.size() > Compiled::max_texts) {
                all.texts.erase(all.oldest.front());
                all.oldest.pop_front();
            }
        }
    }
    if (future.valid()) return future.get();
    const auto forget = [&] {
        const std::scoped_lock lock(all.mutex);
        all.texts.erase(key);
        std::erase(all.oldest, key);
    };
    try {
        Made made = compile(compiler, text, name, folder);
        promise.set_value(made);
        return made;
    } catch (const Error& error) {
        promise.set_exception(std::current_exception());
        // A compiler may be available next time.
        if (error.status() != ExitStatus::bad_usage) forget();
        throw;
    } catch (...) {
        promise.set_exception(std::current_exception());
        forget();
        throw;
    }
}

void clear_compiled_cache()
{
    const std::scoped_lock lock(kept().mutex);
    kept().texts.clear();
    kept().oldest.clear();
}

Files embedded_files(std::string id)
{
    return [id = std::move(id)](std::string_view name) -> std::string_view {
        const std::string path = fmt::format("compute/labs/{}/{}", id, name);
        if (const auto bytes = assets::find(path)) return *bytes;
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The program contains no file {}.", path),
                    "Rebuild it from a complete source tree.");
    };
}

Files folder_files(const std::filesystem::path& folder)
{
    return [files = std::make_shared<FolderFiles>(folder)](std::string_view name) {
        return files->get(name);
    };
}

Files files_of(std::shared_ptr<const Texts> texts, const Lab* base)
{
    return [files = std::make_shared<TextFiles>(std::move(texts), base)](std::string_view name) {
        return files->get(name);
    };
}

} // namespace lanescope::labs
