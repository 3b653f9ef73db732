// Parameter values as set by the command line, sliders and sessions.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

Lab sample()
{
    Lab lab;
    lab.id = "sample";
    using Kind = Parameter::Kind;
    lab.parameters = {
        {.id = "size",
         .title = "Size",
         .unit = "cells",
         .kind = Kind::integer,
         .min = 3,
         .max = 16384,
         .initial = 512},
        {.id = "diffusion",
         .title = "Diffusion",
         .unit = "",
         .kind = Kind::real,
         .min = 0,
         .max = 0.5,
         .initial = 0.2},
        {.id = "edge",
         .title = "Edge",
         .unit = "",
         .kind = Kind::choice,
         .choices = {"fixed", "insulated"}},
        {.id = "grid", .title = "Grid", .unit = "", .kind = Kind::toggle, .initial = 1},
    };
    return lab;
}

std::string refusal(Values& values, std::string_view id, std::string_view text)
{
    try {
        values.set(id, text);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "accepted";
}

TEST(ParameterValues, StartWithInitialValues)
{
    const Lab lab = sample();
    const Values values(lab);
    EXPECT_EQ(values.integer("size"), 512);
    EXPECT_DOUBLE_EQ(values.real("diffusion"), 0.2);
    EXPECT_EQ(values.text("edge"), "fixed");
    EXPECT_TRUE(values.toggle("grid"));
}

TEST(ParameterValues, TextRoundTrips)
{
    const Lab lab = sample();
    Values values(lab);
    for (const auto& [id, text] : {std::pair{"size", "257"},
                                   {"diffusion", "0.125"},
                                   {"edge", "insulated"},
                                   {"grid", "off"}}) {
        values.set(id, text);
        EXPECT_EQ(values.text(id), text);
    }
    EXPECT_EQ(values.integer("edge"), 1);
    EXPECT_NE(values, Values(lab));
}

TEST(ParameterValues, RangeErrorNamesGivenValue)
{
    const Lab lab = sample();
    Values values(lab);
    EXPECT_THAT(refusal(values, "size", "-1"),
                HasSubstr("size must lie between 3 and 16384, got -1."));
    EXPECT_THAT(refusal(values, "diffusion", "nan"), HasSubstr("between 0 and 0.5"));
    EXPECT_THAT(refusal(values, "size", "3.5"), HasSubstr("whole number"));
    EXPECT_THAT(refusal(values, "size", "5x"), HasSubstr("must be a number, got '5x'"));
    EXPECT_THAT(refusal(values, "size", ""), HasSubstr("must be a number"));
    EXPECT_THROW(values.set("diffusion", std::numeric_limits<double>::infinity()), Error);
    EXPECT_EQ(values, Values(lab)) << "a refused value changes nothing";
}

TEST(ParameterValues, ChoicesAndParametersAreListed)
{
    const Lab lab = sample();
    Values values(lab);
    EXPECT_THAT(refusal(values, "edge", "round"), HasSubstr("fixed, insulated"));
    EXPECT_THAT(refusal(values, "grid", "maybe"), HasSubstr("on or off"));
    EXPECT_THAT(refusal(values, "nosuch", "1"), HasSubstr("size, diffusion, edge, grid"));
    EXPECT_THROW(values.real("nosuch"), std::out_of_range);
}

} // namespace
} // namespace lanescope::labs
