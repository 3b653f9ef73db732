// Tables of names, specific ones before general ones.
#include "compute/experiment/guess/roles.h"

#include <algorithm>
#include <string>

#include "compute/text.h"

namespace lanescope::labs {
namespace {

template <class Visit>
bool any_word(std::string_view words, Visit&& visit)
{
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        if (end > 0 && visit(words.substr(0, end))) return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

struct Names {
    Role role;
    std::string_view exactly; // matches the whole name
    std::string_view within;  // or matches a word within the name
};
constexpr Names names[] = {
    {Role::iterations, "it", "iter maxit max_it"},
    {Role::bins, "levels buckets", "bin bucket"},
    {Role::channels, "c ch channels nc comps components", "channel"},
    {Role::radius, "r rad radius halo", "radius halo blur"},
    {Role::window, "ksize", "mask filter kernel ksize window"},
    {Role::pitch, "ld lda ldb ldc", "pitch stride"},
    {Role::time, "t time tick ticks frame generation", "time tick frame"},
    {Role::parity, "phase parity odd even oddeven", "parity phase"},
    {Role::seed, "seed", "seed"},
    {Role::width, "w nx xs dimx xdim xsize sizex ncols m_cols", "width col columns"},
    {Role::height, "h ny ys dimy ydim ysize sizey nrows", "height row"},
    {Role::depth, "nz depth planes slices dimz", "depth slice"},
    {Role::inner, "k", ""},
    {Role::count, "n m size len length count num total dim side nn elements",
     "size count length num elem total npix points bodies particle"},
};

struct NamedSlider {
    std::string_view exactly;
    std::string_view within;
    Slider slider;
};
constexpr NamedSlider fractal[] = {
    {"xmin x_min x0 left minx", "xmin x_min minx", {-4, 4, -2.2}},
    {"xmax x_max x1 right maxx", "xmax x_max maxx", {-4, 4, 1}},
    {"ymin y_min y0 bottom miny", "ymin y_min miny", {-4, 4, -1.3}},
    {"ymax y_max y1 top maxy", "ymax y_max maxy", {-4, 4, 1.3}},
};
constexpr NamedSlider common[] = {
    {"dt", "timestep time_step delta_t deltat", {0, 0.1, 0.01}},
    {"dx dy dz h dx2 dy2", "spacing", {0.1, 10, 1}},
    {"threshold thresh thr cutoff", "thresh", {0, 1, 0.5}},
    {"sigma", "sigma", {0.1, 10, 1.5}},
    {"angle theta phi", "angle theta", {0, 6.283, 0.5}},
    {"eps epsilon soft", "soft eps", {0.0001, 1, 0.01}},
    {"damping", "damp decay", {0, 1, 0.99}},
    {"gamma brightness contrast gain", "gamma bright contrast gain", {0, 4, 1.5}},
    {"a alpha", "", {-4, 4, 2}},
    {"b beta", "", {-4, 4, 0.5}},
};

template <class Rows>
const Slider* find(const Rows& rows, std::string_view name)
{
    for (const NamedSlider& row : rows)
        if (is_one_of(name, row.exactly) || named(name, row.within)) return &row.slider;
    return nullptr;
}

} // namespace

bool named(std::string_view name, std::string_view words)
{
    const std::string low = lower_case(name);
    return any_word(words,
                    [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

bool is_one_of(std::string_view name, std::string_view words)
{
    const std::string low = lower_case(name);
    return any_word(words, [&](std::string_view word) { return low == word; });
}

Role role_of(std::string_view name)
{
    for (const Names& row : names)
        if (is_one_of(name, row.exactly) || named(name, row.within)) return row.role;
    return Role::none;
}

bool continues(std::string_view kernel)
{
    return named(kernel,
                 "step update integrate simul body advance evolve life heat wave diffus "
                 "jacobi laplace relax generation propagat particle fluid automaton odd phase");
}

Slider slider_of(std::string_view name, std::string_view kernel, std::string_view body)
{
    if (named(kernel, "mandel julia fractal")) {
        if (const Slider* found = find(fractal, name)) return *found;
        const bool julia = named(kernel, "julia");
        if (is_one_of(name, "cr cx creal c_re cre c_real c_x")) return {-2, 2, julia ? -0.8 : -0.6};
        if (is_one_of(name, "ci cy cimag c_im cim c_imag c_y")) return {-2, 2, julia ? 0.156 : 0};
        if (named(name, "centerx center_x centrex centre_x")) return {-2, 2, julia ? 0 : -0.6};
        if (named(name, "centery center_y centrey centre_y")) return {-2, 2, 0};
        if (named(name, "scale zoom")) {
            // The width of an image, or the width of a pixel.
            const bool is_image_width = body.find("/width") != std::string_view::npos ||
                                        body.find("/w") != std::string_view::npos ||
                                        body.find("/(float)") != std::string_view::npos ||
                                        body.find("/DIM") != std::string_view::npos;
            return is_image_width ? Slider{0.1, 4, 1.5} : Slider{0.0001, 0.05, 0.012};
        }
    }
    if (continues(kernel) &&
        is_one_of(name,
                  "a alpha k c r kappa diffusivity coef coeff coefficient rate speed cfl lambda"))
        return {0, 0.25, 0.2};
    if (const Slider* found = find(common, name)) return *found;
    return {};
}

} // namespace lanescope::labs
