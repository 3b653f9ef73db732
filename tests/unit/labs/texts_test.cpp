// Labs made from sources: the same sources give the same lab, an edited variant is a separate row,
// and kernels are compiled once.
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"
#include "compute/experiment/catalogue/files.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

// Fake compiler: returns the embedded PTX of the variant with this source, whatever its file name.
std::string carried_ptx(std::string_view text, const std::filesystem::path& name,
                        const std::filesystem::path&)
{
    for (const Lab& lab : all())
        for (const Variant& variant : lab.variants)
            if (lab.source(variant) == text) return std::string(lab.ptx(variant));
    throw Error(ExitStatus::bad_usage, name.string() + " does not compile.");
}

template <class Action>
std::string refusal(Action&& action)
{
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(KernelTexts, EqualTextsShareLab)
{
    const Texts texts{"heat", {}, {{"lesson.md", "Look."}}};
    const Lab& lab = open_texts(texts);
    EXPECT_EQ(&open_texts(texts), &lab);
    EXPECT_EQ(&find(lab.place), &lab);
    EXPECT_EQ(&open_texts({lab.place, {}, {}}), &lab) << "texts over texts";
    EXPECT_EQ(lab.id, "heat");
    EXPECT_EQ(lab.origin(), "heat");
    EXPECT_EQ(texts_of(lab), texts);
    EXPECT_EQ(lab.lesson(), "Look.");
    EXPECT_EQ(lab.source(lab.variants.front()), find("heat").source(lab.variants.front()));
    EXPECT_NE(open_texts({"heat", {}, {{"lesson.md", "Look!"}}}).place, lab.place);
    EXPECT_NE(open_texts({"rod", {}, {{"lesson.md", "Look."}}}).place, lab.place);
    EXPECT_EQ(&open_texts({"heat", {}, {}}), &find("heat"));
    EXPECT_EQ(std::ranges::count(listed(), std::string("heat"), &Lab::id), 1);
}

TEST(KernelTexts, AreDroppedWhenUnused)
{
    const auto place = [](const std::string& lesson) {
        return open_texts({"heat", {}, {{"lesson.md", lesson}}}).place;
    };
    const std::string needed = place("needed");
    const std::string kept = place("held");
    const std::string old = place("old");
    std::vector<std::string> newer;
    for (std::size_t i = 0; i < newest_texts; ++i)
        newer.push_back(place("newer " + std::to_string(i)));
    const std::shared_ptr<const Lab> holder = held(find(kept));
    ASSERT_TRUE(holder);
    EXPECT_FALSE(held(find("heat"))) << "it always stays";
    for (const std::string& one : newer) find(one);
    EXPECT_GE(forget_texts({needed}), 1U);
    EXPECT_EQ(opened_texts(old), nullptr);
    EXPECT_NE(opened_texts(needed), nullptr);
    EXPECT_EQ(opened_texts(kept), holder.get());
    for (const std::string& one : newer) EXPECT_NE(opened_texts(one), nullptr) << one;
    EXPECT_EQ(place("old"), old) << "it can be opened again";
    EXPECT_EQ(find(old).lesson(), "old");
}

class EditedVariants : public testing::TestWithParam<std::string> {};

// A copied variant runs its source with the original's launch; the original remains.
TEST_P(EditedVariants, RunLikeOriginals)
{
    compile_with(carried_ptx);
    const Lab& lab = find(GetParam());
    const auto device = simt::make_device();
    for (const Variant& original : lab.variants) {
        const Edited edited =
            with_edited_variant(lab, original.id, std::string(lab.source(original)));
        const Lab& made = open_texts(edited.texts);
        const Variant& copy = find_variant(made, edited.variant);
        EXPECT_EQ(copy.edited, original.id);
        EXPECT_EQ(copy.title, original.title + " (edited)");
        EXPECT_EQ(copy.source, edited.file);
        EXPECT_NE(copy.source, original.source);
        EXPECT_EQ(made.source(find_variant(made, original.id)), lab.source(original));
        EXPECT_EQ(made.variants.size(), lab.variants.size() + 1);
        for (std::size_t i = 0; i < lab.peers.size(); ++i)
            EXPECT_EQ(made.peers[i].variant, lab.peers[i].variant);
        for (const Parameter& parameter : made.parameters)
            EXPECT_EQ(parameter.concerns(copy.id), parameter.concerns(original.id));
        const bool right = original.fault.empty() && !original.wrong;
        if (right && original.runs_on(device->engine()) && !lab.test_sizes.empty())
            expect_correct(*device, {&made, &copy, &lab.test_sizes.front()});
    }
}
std::vector<std::string> ids()
{
    std::vector<std::string> ids;
    for (const Lab& lab : all()) ids.push_back(lab.id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(Labs, EditedVariants, testing::ValuesIn(ids()),
                         [](const auto& info) { return info.param; });

TEST(KernelTexts, EditedVariantCanBeEditedAgain)
{
    const Lab& heat = find("heat");
    const Edited first = with_edited_variant(heat, "naive", "// one");
    const Lab& lab = open_texts(first.texts);
    const Edited second = with_edited_variant(lab, first.variant, "// two");
    EXPECT_EQ(second.variant, "naive_edited");
    EXPECT_EQ(second.texts.files.at("naive_edited.cu"), "// two");
    EXPECT_EQ(second.texts.files.at("lab.json"), first.texts.files.at("lab.json"));
    const Lab& later = open_texts(second.texts);
    EXPECT_EQ(later.record, lab.record) << "read once";
    const Edited other = with_edited_variant(later, "naive", "// three");
    EXPECT_EQ(other.variant, "naive_edited_2");
    EXPECT_EQ(other.texts.files.at("naive_edited.cu"), "// two");
    EXPECT_EQ(open_texts(other.texts).variants.back().title, "Naive (edited 2)");
    const Edited fresh = with_new_variant(later, "shared_tile", "My Tile!", "// four");
    EXPECT_EQ(fresh.variant, "my_tile");
    EXPECT_EQ(open_texts(fresh.texts).variants.back().edited, "shared_tile");
    EXPECT_THROW(with_edited_variant(heat, "nothing", ""), Error);
}

TEST(KernelTexts, EditedCopyDropsDeclaredFault)
{
    for (const Lab& lab : all())
        for (const Variant& variant : lab.variants) {
            if (variant.fault.empty() && !variant.wrong) continue;
            const Edited edited = with_edited_variant(lab, variant.id, "");
            const Variant& copy = find_variant(open_texts(edited.texts), edited.variant);
            EXPECT_TRUE(copy.fault.empty());
            EXPECT_FALSE(copy.wrong);
        }
}

TEST(KernelTexts, OpeningReportsErrors)
{
    EXPECT_THAT(refusal([] {
                    open_texts({"nowhere", {}, {{"a.cu", ""}}});
                }),
                HasSubstr("There is no lab 'nowhere'"));
    EXPECT_THAT(refusal([] {
                    open_texts({{}, "saxpy", {{"saxpy.cu", ""}}});
                }),
                HasSubstr("saxpy has no lab.json"));
    EXPECT_THAT(refusal([] {
                    open_texts({"heat", {}, {{"lab.json", "{"}}});
                }),
                HasSubstr("heat/lab.json, line 1"));
    EXPECT_THAT(refusal([] {
                    open_texts({"heat", {}, {{"../a.cu", ""}}});
                }),
                HasSubstr("'../a.cu' cannot be a file"));
    EXPECT_THAT(refusal([] {
                    open_texts({"heat", {}, {{"a.cu", std::string(max_text_bytes, ' ')}}});
                }),
                HasSubstr("may total 1024 KB"));
    for (const char* name : {"../../home", "..", "a/b", "a\\b"})
        EXPECT_THAT(refusal([&] {
                        open_texts({{}, name, {{"lab.json", "{}"}}});
                    }),
                    HasSubstr("cannot be a lab's name"));
}

TEST(KernelTexts, AreCompiledOnceWithCachedErrors)
{
    std::atomic<int> calls = 0;
    compile_with([&](std::string_view text, const std::filesystem::path&,
                     const std::filesystem::path&) -> std::string {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (text == "wrong") throw Error(ExitStatus::bad_usage, "wrong, line 1.");
        if (text == "no compiler") throw Error(ExitStatus::device_unavailable, "none.");
        return "ptx of " + std::string(text);
    });
    const Lab& lab = open_texts({"heat", {}, {{"naive.cu", "text"}}});
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { EXPECT_EQ(lab.ptx(lab.variants.front()), "ptx of text"); });
    }
    EXPECT_EQ(calls, 1);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(refusal([] { compiled("wrong", "a.cu"); }), "wrong, line 1.");
    EXPECT_EQ(calls, 2);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(refusal([] { compiled("no compiler", "a.cu"); }), "none.");
    EXPECT_EQ(calls, 4) << "a compiler may be there the next time";
}

TEST(Utf8, IsValidatedAtEveryOffset)
{
    for (std::size_t length = 1; length < 26; ++length) {
        const std::string text(length, 'a');
        EXPECT_TRUE(is_utf8(text));
        for (std::size_t at = 0; at < length; ++at) {
            const auto with = [&](std::string_view what) {
                return text.substr(0, at) + std::string(what) + text.substr(at);
            };
            for (const std::string_view good : {"\x7f", "\u00e9", "\u20ac", "\U0001f600"})
                EXPECT_TRUE(is_utf8(with(good))) << length << ' ' << at;
            for (const std::string_view bad :
                 {std::string_view("\0", 1), std::string_view("\x80"), std::string_view("\xff"),
                  std::string_view("\xc3"), std::string_view("\xed\xa0\x80")})
                EXPECT_FALSE(is_utf8(with(bad))) << length << ' ' << at;
        }
    }
}

} // namespace
} // namespace lanescope::labs
