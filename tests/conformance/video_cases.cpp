// Video instructions with byte and half selectors, saturation and secondary operations; and
// conversions of FP8 numbers.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

constexpr std::string_view types[] = {"u32", "s32"};
constexpr std::string_view parts[] = {"", ".b0", ".b1", ".b3", ".h0", ".h1", ".b2"};
constexpr std::string_view selections_2[] = {"", ".h10", ".h01", ".h32", ".h13", ".h20"};
constexpr std::string_view selections_4[] = {"", ".b3210", ".b0123", ".b7654", ".b0000", ".b4625"};

class Cases {
public:
    explicit Cases(std::vector<Case>& cases) : cases_(cases) {}

    void add(const std::string& text, bool has_third)
    {
        cases_.push_back(make_case("video", {.name = text,
                                             .destinations = "u32",
                                             .sources = has_third ? "u32 u32 u32" : "u32 u32",
                                             .body = text + ";",
                                             .recorded = false}));
        ++turn_;
    }
    // Cycles through a list.
    template <std::size_t count>
    std::string_view next(const std::string_view (&list)[count])
    {
        return list[(turn_ * 7 + step_++) % count];
    }

private:
    std::vector<Case>& cases_;
    std::size_t turn_ = 0, step_ = 0;
};

} // namespace

void add_video_cases(std::vector<Case>& cases)
{
    Cases made(cases);
    constexpr std::string_view places[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    constexpr std::string_view comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const auto one = [&](const std::string& words) {
        for (const std::string_view then : {"", ".add", ".min", ".max", "merge"}) {
            const bool merges = then == "merge";
            const bool has_third = !then.empty();
            made.add(fmt::format("{}{} %D0{}, %A{}, %B{}{}", words, merges ? "" : then,
                                 merges ? made.next(places) : "", made.next(parts),
                                 made.next(parts), has_third ? ", %C" : ""),
                     has_third);
        }
    };
    for (const std::string_view d : types)
        for (const std::string_view a : types) {
            for (const std::string_view b : types)
                for (const std::string_view sat : {"", ".sat"}) {
                    for (const std::string_view op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
                        one(fmt::format("{}.{}.{}.{}{}", op, d, a, b, sat));
                    for (const std::string_view scale : {"", ".shr7", ".shr15"}) {
                        const std::string words = fmt::format("vmad.{}.{}.{}", d, a, b) +
                                                  std::string(sat) + std::string(scale);
                        made.add(fmt::format("{} %D0, %A{}, %B{}, %C", words, made.next(parts),
                                             made.next(parts)),
                                 true);
                        made.add(fmt::format("{} %D0, -%A{}, %B{}, %C", words, made.next(parts),
                                             made.next(parts)),
                                 true);
                        made.add(fmt::format("{} %D0, %A{}, %B{}, -%C", words, made.next(parts),
                                             made.next(parts)),
                                 true);
                        made.add(fmt::format("vmad.{}.{}.{}.po{}{} %D0, %A{}, %B{}, %C", d, a, b,
                                             sat, scale, made.next(parts), made.next(parts)),
                                 true);
                    }
                    for (const std::string_view op : {"vadd", "vsub", "vavrg"})
                        for (const int count : {2, 4}) {
                            const auto selection = [&] {
                                return count == 2 ? made.next(selections_2)
                                                  : made.next(selections_4);
                            };
                            const std::string words =
                                fmt::format("{}{}.{}.{}.{}", op, count, d, a, b);
                            made.add(fmt::format("{}{} %D0{}, %A{}, %B{}, %C", words, sat,
                                                 count == 2 ? ".h10" : ".b3210", selection(),
                                                 selection()),
                                     true);
                            made.add(fmt::format("{}{} %D0{}, %A{}, %B{}, %C", words, sat,
                                                 count == 2 ? ".h1" : ".b20", selection(),
                                                 selection()),
                                     true);
                            if (sat.empty())
                                made.add(fmt::format("{}.add %D0, %A{}, %B{}, %C", words,
                                                     selection(), selection()),
                                         true);
                        }
                }
            for (const std::string_view sat : {"", ".sat"})
                for (const std::string_view mode : {".clamp", ".wrap"})
                    for (const std::string_view op : {"vshl", "vshr"})
                        one(fmt::format("{}.{}.{}.u32{}{}", op, d, a, sat, mode));
        }
    for (const std::string_view a : types)
        for (const std::string_view b : types)
            for (const std::string_view comparison : comparisons) {
                one(fmt::format("vset.{}.{}.{}", a, b, comparison));
                made.add(fmt::format("vset2.{}.{}.{} %D0, %A{}, %B, %C", a, b, comparison,
                                     made.next(selections_2)),
                         true);
                made.add(fmt::format("vset4.{}.{}.{}.add %D0, %A{}, %B, %C", a, b, comparison,
                                     made.next(selections_4)),
                         true);
            }

    for (const std::string_view op : {"vabsdiff2", "vmin2", "vmax2", "vabsdiff4", "vmin4", "vmax4"})
        for (const std::string_view d : types)
            for (const std::string_view a : types)
                for (const std::string_view b : types)
                    for (const std::string_view then : {"", ".add"})
                        made.add(fmt::format("{}.{}.{}.{}{} %D0, %A, %B, %C", op, d, a, b, then),
                                 true);

    for (const std::string_view type : {"e4m3x2", "e5m2x2"})
        for (const std::string_view relu : {"", ".relu"}) {
            const auto add = [&](const std::string& name, std::string_view to,
                                 std::string_view from) {
                cases.push_back(make_case(
                    "octets",
                    {.name = name, .destinations = to, .sources = from, .recorded = false}));
            };
            add(fmt::format("cvt.rn.satfinite{}.{}.f32", relu, type), "b16", "f32 f32");
            add(fmt::format("cvt.rn.satfinite{}.{}.f16x2", relu, type), "b16", "f16x2");
            add(fmt::format("cvt.rn{}.f16x2.{}", relu, type), "b32", "b16");
        }
}

} // namespace lanescope::conformance
