// Draws the scene twice: its pixels without words, then its words into a list that a figure replays
// over them.
#include "app/draw/picture_figure.h"

#include "render/capture/figure.h"
#include "render/gl/objects.h"

namespace lanescope::app {
namespace {

// Redirects the scene's words to another painter for a scope. Marks are redirected for a single
// experiment only: in A/B each side shows just a part.
class WordsScope {
public:
    WordsScope(Scene& scene, const Shown& shown, render::Painter& words) : scene_(scene)
    {
        scene.send_words(&words, !is_side_by_side(shown));
    }
    ~WordsScope() { scene_.send_words(nullptr); }
    WordsScope(const WordsScope&) = delete;
    WordsScope& operator=(const WordsScope&) = delete;

private:
    Scene& scene_;
};

} // namespace

Strips::Strip wordless_strip_of(Scene& scene, const Shown& shown)
{
    Strips::Strip strip = strip_of(scene, shown);
    for (Strips::Draw& drawing : strip.drawings)
        drawing = [&scene, shown, draw = std::move(drawing)](const render::PixelRect& viewport) {
            render::RecordedWords nowhere;
            const WordsScope scope(scene, shown, nowhere);
            draw(viewport);
        };
    return strip;
}

std::shared_ptr<const render::RecordedWords> words_of(Scene& scene, const Shown& shown,
                                                      const Size& size)
{
    const auto words = std::make_shared<render::RecordedWords>();
    const WordsScope scope(scene, shown, *words);
    const render::gl::Target nothing(1, 1, 1); // the pixels are not needed
    nothing.bind();
    draw_leader(scene, shown, {0, 0, size.width, size.height});
    return words;
}

void save_figure(const std::filesystem::path& path, const render::Pixels& wordless,
                 const render::RecordedWords& words, const render::Theme& theme)
{
    const auto width = static_cast<float>(wordless.width);
    const auto height = static_cast<float>(wordless.height);
    const auto figure = render::make_figure(path, width, height, theme.background);
    figure->image({0, 0, width, height}, wordless);
    words.draw_again(*figure);
    figure->save(path);
}

} // namespace lanescope::app
