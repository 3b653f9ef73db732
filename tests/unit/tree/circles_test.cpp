// Folders include each other in one direction only.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

using Circle = std::set<std::string>;
using Edges = std::map<std::string, std::set<std::string>>;

std::string folder_in(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

// For each folder of app, render and compute: the ones that it includes.
Edges included_folders()
{
    std::set<std::string> headers;
    for (const auto& file : all_files()) headers.insert(file.path);
    Edges edges;
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || file.path.starts_with("tests/")) continue;
        for (const auto& include : includes_of(file))
            if (headers.contains(include.name))
                edges[folder_in(file.path)].insert(folder_in(include.name));
    }
    return edges;
}

std::set<std::string> reachable(const Edges& edges, const std::string& from)
{
    std::set<std::string> reached;
    std::vector<std::string> next{from};
    while (!next.empty()) {
        const auto found = edges.find(next.back());
        next.pop_back();
        if (found == edges.end()) continue;
        for (const std::string& folder : found->second)
            if (reached.insert(folder).second) next.push_back(folder);
    }
    return reached;
}

// Sets of folders, each of which reaches all others of its set.
std::set<Circle> circles(const Edges& edges)
{
    std::map<std::string, std::set<std::string>> reached;
    for (const auto& [folder, ignored] : edges) reached[folder] = reachable(edges, folder);
    std::set<Circle> found;
    for (const auto& [folder, others] : reached) {
        Circle circle{folder};
        for (const std::string& other : others)
            if (const auto back = reached.find(other);
                back != reached.end() && back->second.contains(folder))
                circle.insert(other);
        if (circle.size() > 1) found.insert(circle);
    }
    return found;
}

TEST(Circles, AreFoundInAGraph)
{
    const Edges edges{{"a", {"b"}}, {"b", {"c", "b"}}, {"c", {"a", "d"}}, {"d", {"e"}}, {"e", {}}};
    EXPECT_EQ(circles(edges), (std::set<Circle>{{"a", "b", "c"}}));
    EXPECT_EQ(reachable(edges, "d"), (std::set<std::string>{"e"}));
}

TEST(Circles, NoneExist)
{
    const Edges edges = included_folders();
    EXPECT_GT(edges.size(), 100u) << "The source tree was not found in " << LANESCOPE_SOURCE_DIR;
    for (const Circle& circle : circles(edges))
        ADD_FAILURE() << "These folders include each other: "
                      << fmt::format("{}", fmt::join(circle, ", "))
                      << ". Move what several of them need into a folder that includes none.";
}

} // namespace
} // namespace lanescope::tree
