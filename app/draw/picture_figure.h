// The current view as a figure for slides and papers: the picture as pixels; legend, caption, bars
// and curves as vectors on top.
#pragma once

#include <filesystem>
#include <memory>

#include "app/document/look/look.h"
#include "app/draw/shown.h"
#include "render/capture/recorded_words.h"

namespace lanescope::app {

// Like strip_of(), without words.
Strips::Strip wordless_strip_of(Scene& scene, const Shown& shown);

// Only the words, for a picture of that size. An OpenGL context must be current.
std::shared_ptr<const render::RecordedWords> words_of(Scene& scene, const Shown& shown,
                                                      const Size& size);

// Writes .svg or .pdf by extension, atomically. Needs no context. Throws Error (bad_usage).
void save_figure(const std::filesystem::path& path, const render::Pixels& wordless,
                 const render::RecordedWords& words, const render::Theme& theme);

} // namespace lanescope::app
