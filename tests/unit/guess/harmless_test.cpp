// Limits for labs from untrusted sources: which files they may include and read, and how much
// memory they may use. Every refusal is a message.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "assets/assets.h"
#include "compute/labs/image_file.h"
#include "compute/labs/includes.h"
#include "compute/labs/record/read.h"
#include "compute/labs/texts.h"
#include "compute/simt/simt_device.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;

std::string flat(const std::string& text, const std::map<std::string, std::string>& headers = {})
{
    return with_headers(text, "my.cu", [&](const std::string& name) -> std::optional<std::string> {
        const auto found = headers.find(name);
        return found == headers.end() ? std::nullopt : std::optional(found->second);
    });
}

template <class Work>
void expect_refused(Work&& work, std::string_view words)
{
    try {
        work();
        ADD_FAILURE() << "accepted, although: " << words;
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage) << error.what();
        EXPECT_THAT(error.what(), HasSubstr(words));
        EXPECT_LT(std::string_view(error.what()).size(), 400U);
    }
}

TEST(Includes, AreInlinedWithOriginalLineNumbers)
{
    EXPECT_EQ(flat("int a;\n#include \"b.h\"\nint c;\n", {{"b.h", "int b;\n"}}),
              "int a;\n#line 1 \"b.h\"\nint b;\n\n#line 3 \"my.cu\"\nint c;\n");
}

TEST(Includes, AllowCompilerHeaders)
{
    const std::string text = "#include <cuda_fp16.h>\n#include \"cuda_runtime.h\"\n#if "
                             "__has_include(<cub/cub.cuh>)\n#endif\n";
    EXPECT_EQ(flat(text), text);
}

TEST(Includes, PragmaOnceIsHonoured)
{
    const std::string text =
        flat("#include \"b.h\"\n#include \"b.h\"\n", {{"b.h", "#pragma once\nint b;\n"}});
    EXPECT_EQ(text.find("int b;"), text.rfind("int b;"));
}

TEST(Includes, OutsideFolderAreRefused)
{
    for (const char* text : {
             "#include \"/etc/passwd\"\n",
             "#include </etc/passwd>\n",
             "#include \"../secret.h\"\n",
             "#include \"a/../../secret.h\"\n",
             "  #  include\t\"/etc/passwd\"\n",
             "%:include \"/etc/passwd\"\n",
             "#inc\\\nlude \"/etc/passwd\"\n",
             "#include /* here */ \"/etc/passwd\"\n",
             "/* x */ #include \"/etc/passwd\"\n",
             "#include_next \"/etc/passwd\"\n",
             "#import \"/etc/passwd\"\n",
             "#line 1 \"/etc/passwd\"\n",
             "# 1 \"/etc/passwd\"\n",
             "#pragma GCC dependency \"/etc/passwd\"\n",
             "#if __has_include(\"/etc/passwd\")\n#endif\n",
             "int a;\r#include \"/etc/passwd\"\n",
             // A raw string that contains what looks like the start of a comment.
             "const char* a = R\"(\"/*)\";\n#include \"/etc/passwd\"\n",
             "const char* a = R\"(\"/*)\";\n/**/ #include \"/etc/passwd\"\n",
         })
        expect_refused([&] { flat(text); }, "lies outside of its folder");
    expect_refused([] { flat("#define F \"/etc/passwd\"\n#include F\n"); },
                   "a header that a macro names");
    expect_refused([] { flat("#include \\\n F\n"); }, "a header that a macro names");
    expect_refused([] { flat("#embed \"a.bin\"\n"); }, "embeds a file");
    for (const char* text : {"import \"/etc/passwd\";\n", "export import </etc/passwd>;\n",
                             "  import\t\"a.h\";\n", "import /* a */ \"a.h\";\n"})
        expect_refused([&] { flat(text); }, "imports a module or a header");
    for (const char* text : {"#define HAS __has_include(\"/etc/passwd\")\n",
                             "#define HAS(x) __has_include(x)\n", "#define EMBEDS __has_embed\n"})
        expect_refused([&] { flat(text); }, "");
    expect_refused([] { flat("#define HAS(x) __has_include(x)\n"); },
                   "a header that a macro names");
    expect_refused([] { flat("#define HAS __has_include\n"); }, "asks for a file by a macro");
    expect_refused([] { flat("#define F <a.h>\n#if __has_include(F)\n#endif\n"); },
                   "a header that a macro names");
    expect_refused([] { flat("#define F \"a.h\"\n#import F\n"); }, "a header that a macro names");
    expect_refused([] { flat(std::string("int a;\0", 7)); }, "zero bytes");
    EXPECT_EQ(flat("// #include \"/etc/passwd\"\n"), "// #include \"/etc/passwd\"\n");
}

TEST(Includes, AreCheckedInHeaders)
{
    expect_refused(
        [] {
            flat("#include \"b.h\"\n", {{"b.h", "#include \"/etc/passwd\"\n"}});
        },
        "b.h, line 1");
}

TEST(Includes, EndlessRecursionIsRefused)
{
    expect_refused(
        [] {
            flat("#include \"b.h\"\n", {{"b.h", "#include \"b.h\"\n"}});
        },
        "include each other");
    std::string many;
    for (int i = 0; i < 20; ++i) many += "#include \"b.h\"\n";
    expect_refused(
        [&] {
            flat(many, {{"b.h", std::string(std::size_t{1} << 20, ' ')}});
        },
        "more than 4 MB");
}

TEST(Includes, AreRefusedInPtx)
{
    expect_refused([] { check_ptx(".version 8.0\n.include \"/etc/passwd\"\n", "a.ptx"); },
                   "PTX line 2");
    check_ptx(".version 8.0\n.file 1 \"/usr/include/a.h\"\n// .include \"x\"\n", "a.ptx");
}

class Folder {
public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "lab-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path_ / name) << text;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string record(const std::string& more = {}, const std::string& extent = "8",
                   const std::string& fill = "0")
{
    return "{\"title\": \"T\", \"question\": \"Q\", \"buffers\": {\"a\": {\"type\": \"i32\", "
           "\"extent\": " +
           extent + ", \"fill\": " + fill +
           "}},\n\"over\": 8, \"block\": 8, \"arguments\": [\"a\"], \"result\": \"a\",\n" + more +
           "\"variants\": [{\"id\": \"one\", \"title\": \"One\", \"idea\": \"I\", \"kernel\": "
           "\"one\"}],\n"
           "\"views\": [{\"bars\": \"a\", \"draw\": \"elements\"}], \"check\": {\"variant\": "
           "\"one\"}}";
}
const char* const kernel_ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry "
                               "one(.param .u64 p)\n{\nret;\n}\n";

const Lab& lab_of(const std::string& lab_json)
{
    static int count = 0;
    return open_texts(
        {.base = {},
         .id = "foreign" + std::to_string(count++),
         .files = {{"lab.json", lab_json}, {"one.cu", "x"}, {"one.ptx", kernel_ptx}}});
}

void start(const Lab& lab, int steps = 0)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = lab.variants.front(),
                                       .values = Values(lab),
                                       .seed = 1,
                                       .image = {}});
    for (int i = 0; i < steps; ++i) experiment->step();
    experiment->steps_per_frame();
    if (steps > 0) experiment->picture(lab.views.front());
}

TEST(UntrustedLab, SmallLabRuns)
{
    start(lab_of(record()), 1);
}

TEST(UntrustedLab, FillsReadOwnFolderOnly)
{
    const Folder folder;
    const Folder secret;
    secret.write("secret.bin", "12345678");
    std::filesystem::create_symlink(secret.path() / "secret.bin", folder.path() / "link.bin");
    std::filesystem::create_directory_symlink(secret.path(), folder.path() / "there");
    folder.write("one.cu", "x");
    folder.write("one.ptx", kernel_ptx);
    folder.write("own.bin", std::string(32, '\1'));
    const auto starts_with = [&](const std::string& file) {
        folder.write("lab.json", record({}, "8", "{\"file\": \"" + file + "\"}"));
        // Files are cached by path, so each call uses another path.
        static int again = 0;
        const std::filesystem::path copy = folder.path().string() + "-" + std::to_string(again++);
        std::filesystem::rename(folder.path(), copy);
        try {
            start(find(copy.string()), 1);
        } catch (...) {
            std::filesystem::rename(copy, folder.path());
            throw;
        }
        std::filesystem::rename(copy, folder.path());
    };
    starts_with("own.bin");
    for (const std::string& name : {std::string("link.bin"), std::string("there/secret.bin"),
                                    std::string("../x"), (secret.path() / "secret.bin").string()})
        expect_refused([&] { starts_with(name); }, "lies outside of its folder");
}

TEST(UntrustedLab, RecordSizeIsLimited)
{
    expect_refused([] { read_record(std::string(100'000, '['), "lab.json", "a"); },
                   "nested more than 64 deep");
    expect_refused(
        [] { read_record(record() + std::string(std::size_t{2} << 20, ' '), "lab.json", "a"); },
        "more than 1024 KB");
    std::string many = record();
    std::string variants;
    for (int i = 0; i < 101; ++i)
        variants += "{\"id\": \"v" + std::to_string(i) +
                    "\", \"title\": \"V\", \"idea\": \"I\", \"kernel\": \"one\"},";
    many.insert(many.find("{\"id\": \"one\""), variants);
    expect_refused([&] { read_record(many, "lab.json", "a"); }, "there are 102 variants");
    expect_refused(
        [] {
            read_record(record("\"warnings\": [{\"when\": 1, \"text\": \"{1:2000000000d}\"}],"),
                        "lab.json", "a");
        },
        "wider than any line");
}

TEST(UntrustedLab, UsesAtMostHalfOfMemory)
{
    expect_refused([] { start(lab_of(record({}, "[1000000, 1000000]"))); },
                   "half of this machine's memory");
    expect_refused([] { start(lab_of(record({}, "[4000000000, 4000000000, 4000000000]"))); },
                   "half of this machine's memory");
}

TEST(UntrustedLab, StepsAndLoopsEnd)
{
    expect_refused([] { start(lab_of(record("\"steps_per_frame\": 1000000000,"))); },
                   "a frame would have");
    expect_refused(
        [] {
            start(lab_of(record(
                      "\"passes\": [{\"for\": \"k\", \"from\": 0, \"while\": \"k < 900000\", "
                      "\"do\": [{\"for\": \"j\", "
                      "\"from\": 0, \"while\": \"j < 900000\", \"do\": [{\"when\": 0}]}]}],")),
                  1);
        },
        "does not end");
}

TEST(UntrustedLab, PicturesMustBeRegularFiles)
{
    EXPECT_THROW(read_image("/dev/zero"), Error);
}

} // namespace
} // namespace lanescope::labs
