// The check of the N-body lab: energy must be conserved. For the first steps, positions and
// velocities are also compared with the same steps in double precision, since a kernel that forgets
// some pairs may conserve the energy of the others.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::nbody {
namespace {

constexpr int max_replayed = 8;           // steps that are repeated in double precision
constexpr double max_deviation = 0x1p-16; // of a position or velocity during these
using Vector = std::array<double, 3>;

struct System {
    std::vector<Vector> positions;
    std::vector<Vector> velocities; // half a step before the positions
    std::vector<double> masses;
    double softening = 0;
    double gain = 0; // time step times the constant of gravity
    double dt = 0;

    std::size_t count() const { return masses.size(); }
};

// The layout of the record: x, y, z and mass of all bodies, then their velocities.
System system_of(const Scope& scope, std::span<const float> state)
{
    System system{.positions = {},
                  .velocities = {},
                  .masses = {},
                  .softening = scope.number("softening"),
                  .gain = scope.number("gain"),
                  .dt = scope.number("step")};
    const std::size_t count = state.size() / 8;
    for (std::size_t i = 0; i < count; ++i) {
        const float* body = &state[4 * i];
        const float* velocity = &state[4 * (count + i)];
        system.positions.push_back({body[0], body[1], body[2]});
        system.velocities.push_back({velocity[0], velocity[1], velocity[2]});
        system.masses.push_back(body[3]);
    }
    return system;
}

Vector difference(const Vector& to, const Vector& from)
{
    return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

double square(const Vector& vector)
{
    return vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
}

// Sum of mass / distance³ times the way to each body, for every body.
std::vector<Vector> pulls(const System& system)
{
    std::vector<Vector> sums(system.count());
    in_parallel(system.count(), [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i)
            for (std::size_t j = 0; j < system.count(); ++j) {
                const Vector way = difference(system.positions[j], system.positions[i]);
                const double distance = std::sqrt(square(way) + system.softening);
                const double pull = system.masses[j] / (distance * distance * distance);
                for (std::size_t axis = 0; axis < 3; ++axis) sums[i][axis] += pull * way[axis];
            }
    });
    return sums;
}

void advance(System& system)
{
    const std::vector<Vector> sums = pulls(system);
    for (std::size_t i = 0; i < system.count(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            system.velocities[i][axis] += system.gain * sums[i][axis];
            system.positions[i][axis] += system.dt * system.velocities[i][axis];
        }
}

struct Energy {
    double kinetic = 0;
    double potential = 0;
    double total() const { return kinetic + potential; }
};

// Velocities are moved by half a step, to the time of the positions.
Energy energy_of(const System& system)
{
    Energy energy;
    const std::vector<Vector> sums = pulls(system);
    for (std::size_t i = 0; i < system.count(); ++i) {
        Vector velocity = system.velocities[i];
        for (std::size_t axis = 0; axis < 3; ++axis)
            velocity[axis] += system.gain / 2 * sums[i][axis];
        energy.kinetic += system.masses[i] * square(velocity) / 2;
    }
    std::vector<double> parts(system.count());
    in_parallel(system.count(), [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i)
            for (std::size_t j = i + 1; j < system.count(); ++j)
                parts[i] += system.masses[i] * system.masses[j] /
                            std::sqrt(square(difference(system.positions[j], system.positions[i])) +
                                      system.softening);
    });
    for (const double part : parts) energy.potential -= system.gain / system.dt * part;
    return energy;
}

// Returns the body that is furthest from the same steps in double precision, or an empty string.
std::string deviation(System system, const System& got, int steps)
{
    for (int step = 0; step < steps; ++step) advance(system);
    for (std::size_t i = 0; i < system.count(); ++i) {
        const double moved = std::sqrt(square(difference(got.positions[i], system.positions[i])));
        const double sped = std::sqrt(square(difference(got.velocities[i], system.velocities[i])));
        if (!(std::max(moved, sped) <= max_deviation)) // NaN fails, too
            return fmt::format("body {} is {:.3g} from its position in double precision, and its "
                               "velocity is {:.3g} from its own",
                               i, moved, sped);
    }
    return {};
}

Check conserved(const Scope& scope, std::span<const std::byte> bytes, double tolerance)
{
    const std::size_t count = scope.count("count");
    const auto before = scope.input_of<float>("state");
    std::vector<float> after(bytes.size() / sizeof(float));
    require_fit(before.size() == 8 * count && after.size() == before.size(),
                "positions and velocities of count bodies");
    std::memcpy(after.data(), bytes.data(), bytes.size());
    const System start = system_of(scope, before);
    const System got = system_of(scope, after);
    const Energy from = energy_of(start);
    const double drift = std::abs(energy_of(got).total() - from.total()) /
                         std::max(std::abs(from.total()), from.kinetic);
    Check check{.max_error = drift, .tolerance = tolerance, .correct = drift <= tolerance};
    if (!check.correct)
        check.message = fmt::format("the energy has changed by {:.3g} of what it was", drift);
    const int steps = scope.whole("steps", 0);
    if (!check.correct || steps > max_replayed) return check;
    check.message = deviation(start, got, steps);
    check.correct = check.message.empty();
    return check;
}

const Named<Reference> reference{"nbody", {.check = conserved}};

} // namespace
} // namespace lanescope::labs::nbody
