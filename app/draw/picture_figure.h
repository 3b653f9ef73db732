// What is shown as a figure for slides and papers: the picture as pixels; legend, caption, bars and
// curves as vectors over it.
#pragma once

#include <filesystem>
#include <memory>

#include "app/document/look.h"
#include "app/draw/shown.h"
#include "render/capture/recorded_words.h"

namespace lanescope::app {

// As strip_of(), without any words.
Strips::Strip wordless_strip_of(Scene& scene, const Shown& shown);

// The words alone, for a picture of that size. A context must be current.
std::shared_ptr<const render::RecordedWords> words_of(Scene& scene, const Shown& shown,
                                                      const Size& size);

// By the path's ending, .svg or .pdf; whole or not at all. Needs no context. Throws Error
// (bad_usage).
void save_figure(const std::filesystem::path& path, const render::Pixels& wordless,
                 const render::RecordedWords& words, const render::Theme& theme);

} // namespace lanescope::app
