// Limits for labs from untrusted sources: the files that they may include and read, and the memory
// that they may use. Every refusal has a message.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "assets/assets.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/inputs/image_file.h"
#include "compute/experiment/inputs/memory_limit.h"
#include "compute/experiment/record/layout.h"
#include "compute/experiment/record/read.h"
#include "compute/experiment/source/includes.h"
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

TEST(Includes, OnlyCodeCanBePasted)
{
    const std::string text = "// It has a barrier.\n#include <cuda_runtime.h>\n"
                             "void k() { asm(\"mbarrier.arrive.b64 _, [%0];\"); }\n";
    EXPECT_EQ(flat(text), text);
    for (const char* code : {"int _, has;\n", "char a = '\"'; int _, has; char b = '\"';\n",
                             "char a = '\\\"'; int _, has; char b = '\\\"';\n",
                             "const char* a = R\"(\")\"; int _, has; const char* b = \"\";\n"})
        expect_refused([&] { flat("#include <cuda_runtime.h>\n" + std::string(code)); },
                       "could form __has_include by token pasting");
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
             // A raw string that contains characters which would start a comment elsewhere.
             "const char* a = R\"(\"/*)\";\n#include \"/etc/passwd\"\n",
             "const char* a = R\"(\"/*)\";\n/**/ #include \"/etc/passwd\"\n",
         })
        expect_refused([&] { flat(text); }, "is outside its folder");
    expect_refused([] { flat("#define F \"/etc/passwd\"\n#include F\n"); },
                   "a header whose name comes from a macro");
    expect_refused([] { flat("#include \\\n F\n"); }, "a header whose name comes from a macro");
    expect_refused([] { flat("#embed \"a.bin\"\n"); }, "embeds a file");
    for (const char* text : {"import \"/etc/passwd\";\n", "export import </etc/passwd>;\n",
                             "  import\t\"a.h\";\n", "import /* a */ \"a.h\";\n"})
        expect_refused([&] { flat(text); }, "imports a module or a header");
    for (const char* text : {"#define HAS __has_include(\"/etc/passwd\")\n",
                             "#define HAS(x) __has_include(x)\n", "#define EMBEDS __has_embed\n"})
        expect_refused([&] { flat(text); }, "");
    expect_refused([] { flat("#define HAS(x) __has_include(x)\n"); },
                   "a header whose name comes from a macro");
    expect_refused([] { flat("#define HAS __has_include\n"); },
                   "defines a macro that asks for a file");
    expect_refused([] { flat("#define F <a.h>\n#if __has_include(F)\n#endif\n"); },
                   "a header whose name comes from a macro");
    expect_refused([] { flat("#define F \"a.h\"\n#import F\n"); },
                   "a header whose name comes from a macro");
    expect_refused([] { flat(std::string("int a;\0", 7)); }, "NUL bytes");
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
        "larger than 4 MB");
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
        // Uses a new path in each call, since files are cached by path.
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
        expect_refused([&] { starts_with(name); }, "is outside its folder");
}

TEST(UntrustedLab, RecordSizeIsLimited)
{
    expect_refused([] { read_record(std::string(100'000, '['), "lab.json", "a"); },
                   "nested more than 64 deep");
    expect_refused(
        [] { read_record(record() + std::string(std::size_t{2} << 20, ' '), "lab.json", "a"); },
        "larger than 1024 KB");
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
        "format is too wide");
}

TEST(UntrustedLab, UsesAtMostHalfOfMemory)
{
    expect_refused([] { start(lab_of(record({}, "[1000000, 1000000]"))); },
                   "half of this machine's memory");
    expect_refused([] { start(lab_of(record({}, "[4000000000, 4000000000, 4000000000]"))); },
                   "half of this machine's memory");
    // 4,000 bytes, and 12,000 to check them.
    labs::limit_memory(10'000);
    expect_refused([] { start(lab_of(record({}, "[1000]"))); }, "checked");
    labs::limit_memory(0);
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

// A record with two buffers of 8 numbers, and with the given values and check.
std::string checked(const std::string& values, const std::string& check,
                    const std::string& fill = "0", const std::string& more = {})
{
    return "{\"title\": \"T\", \"question\": \"Q\", \"values\": {" + values +
           "},\n\"buffers\": {\"a\": {\"type\": \"f32\", \"extent\": 8, \"fill\": " + fill +
           "}, \"from\": {\"type\": \"f32\", \"extent\": 8, \"fill\": {\"generator\": \"random\", "
           "\"low\": -1}}},\n\"over\": 8, "
           "\"block\": 8, \"arguments\": [\"a\"], \"result\": \"a\"," +
           more +
           "\"variants\": [{\"id\": \"one\", \"title\": \"One\", \"idea\": \"I\", \"kernel\": "
           "\"one\"}],\n\"views\": [{\"field\": \"a\"}], \"check\": " +
           check + "}";
}

void check(const std::string& lab_json)
{
    const Lab& lab = lab_of(lab_json);
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = lab.variants.front(),
                                       .values = Values(lab),
                                       .seed = 1,
                                       .image = {}});
    experiment->step();
    experiment->picture(lab.views.front());
    experiment->memory();
    experiment->next_result();
    experiment->check();
    experiment->paint({});
    experiment->step();
    experiment->check();
}

// Any record may name the functions that a built-in lab's .cpp registers, and may give them
// parameters that do not fit.
TEST(UntrustedLab, NamedFunctionsAccessOnlyTheirMemory)
{
    check(checked(R"("size": 2, "rows": 4, "k": 0.1, "boundary": 1)",
                  R"({"reference": "heat", "tolerance": 1e9})"));
    struct Misfit {
        const char* values;
        const char* check;
        const char* words;
    };
    const Misfit misfits[] = {
        {R"("size": 3000, "rows": 3000, "k": 1, "boundary": 1)", R"({"reference": "heat"})",
         "a state of size x rows cells"},
        {R"("size": -3, "rows": -3, "k": 1, "boundary": 1)", R"({"reference": "heat"})",
         "size is -3"},
        {R"("size": 1e300, "rows": 1, "k": 1, "boundary": 1)", R"({"reference": "heat"})",
         "size is 1e+300"},
        {R"("size": "0/0", "rows": 1, "k": 1, "boundary": 1)", R"({"reference": "heat"})",
         "size is"},
        {R"("rows": 1000, "size": 1000, "k": 1000, "band": 9999)", R"({"reference": "matmul"})",
         "this does not match the record"},
        {R"("rows": 2, "size": 4, "k": 0, "band": 9999)", R"({"reference": "matmul"})", "k is 0"},
        {R"("count": 1000000)", R"({"reference": "reduction"})", "count numbers in from"},
        {R"("count": -1)", R"({"reference": "reduction"})", "count is -1"},
        {R"("count": 8, "lanes": 32, "source": 100000)",
         R"({"reference": "shuffle", "options": {"kind": 0, "source": "source"}})",
         "source is 100000"},
        {R"("count": 8, "lanes": 0)", R"({"reference": "shuffle", "options": {"kind": 3}})",
         "lanes is 0"},
        {R"("count": 8, "lanes": 31)", R"({"reference": "shuffle", "options": {"kind": 3}})",
         "groups that a warp"},
        {R"("matrix": 500)", R"({"reference": "divergence_product"})", "no buffer or image"},
        {R"("size": 100000, "closed": 0, "growth": 0)", R"({"reference": "min_plus"})",
         "this does not match"},
        {R"("count": 4, "limit": 2)", R"({"reference": "compaction"})", "compaction_numbers"},
        {R"("count": 4000, "limit": 2)", R"({"reference": "compaction_ordered"})",
         "a result of count numbers"},
        {R"("width": 0, "block_x": 0, "block_y": 0, "height": 0, "multiprocessors2": 1)",
         R"({"reference": "hierarchy_on_multiprocessors"})", "width is 0"},
        {R"("axes": 1, "rows": 2, "width": 4, "threads": 0, "blocks": 1, "block_x": 1)",
         R"({"reference": "hierarchy_cells"})", "threads is 0"},
        {R"("size": 4000, "mode": 1, "smooth": 0, "texture_unit": 0, "cosine": 1, "sine": 0, "shift": 0)",
         R"({"reference": "rotate"})", "a result of size x size pixels"},
        {R"("size": 0, "limit": 9, "smallest": 0, "center_x": 0, "center_y": 0, "pixel": 1, "parts": 2, "first": 0)",
         R"({"reference": "dynamic_parallelism_dwells"})", "size is 0"},
        {R"("lookups": 1)", R"({"reference": "memory_spaces_mean"})", "no buffer or image 'table'"},
        {R"("bins": 3, "size": 8)", R"({"reference": "histogram"})", "source"},
    };
    for (const Misfit& one : misfits) {
        SCOPED_TRACE(std::string(one.values) + " " + one.check);
        expect_refused([&] { check(checked(one.values, one.check)); }, one.words);
    }
}

TEST(UntrustedLab, PartsStayWithinTheirMemory)
{
    const std::string plain = R"({"variant": "one"})";
    for (const char* part :
         {R"("offset": 1)", R"("offset": -1)", R"("offset": 1e15)", R"("extent": 9)",
          R"("extent": [10000, 10000])", R"("extent": [3, 3])", R"("offset": 8, "extent": 1)"}) {
        SCOPED_TRACE(part);
        const std::string of = R"({"buffer": "a", )" + std::string(part) + "}";
        expect_refused([&] { check(checked("", R"({"each": 0, "of": )" + of + "}")); },
                       "of a are named");
        std::string result = checked("", plain);
        result.replace(result.find("\"result\": \"a\""), 13, "\"result\": " + of);
        expect_refused([&] { check(result); }, "of a are named");
    }
    expect_refused(
        [&] { check(checked("", plain, "0", R"("memory": [{"buffer": "a", "extent": 9}],)")); },
        "would have 36 bytes");
    std::string surface = checked("", plain);
    surface.replace(surface.find("\"field\""), 7, "\"surface\"");
    expect_refused([&] { check(surface); }, "too few to be drawn as surface");
}

// The initialiser is longer than the module variable that it fills.
TEST(UntrustedLab, VariableInitialisersMustFit)
{
    const std::string ptx =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .const .align 4 "
        ".b8 table[4];\n.visible .entry one(.param .u64 p)\n{\nret;\n}\n";
    const std::string lab_json =
        record(R"("constants": {"table": "t"},)", R"(8}, "t": {"type": "u8", "extent": 4)",
               R"({"file": "long.bin"})");
    const Lab& lab = open_texts({.base = {},
                                 .id = "variable",
                                 .files = {{"lab.json", lab_json},
                                           {"one.cu", "x"},
                                           {"long.bin", std::string(1 << 19, 'x')},
                                           {"one.ptx", ptx}}});
    start(lab, 1);
}

TEST(UntrustedLab, InvalidNumbersAreReportedWithTheirPlace)
{
    struct Wrong {
        const char* from;
        const char* to;
        const char* words;
    };
    const Wrong wrong[] = {
        {"\"title\": \"T\"", "\"title\": \"T\", \"order\": 1e999", "line 1, /order: 1e999"},
        {"\"title\": \"T\"", "\"title\": \"T\",\n\"order\": -1e999", "line 2, /order: -1e999"},
        {"\"title\": \"T\"", "\"title\": \"T\", \"order\": 1e300", "/order: 1e+300 is not a whole"},
        {"\"title\": \"T\"", "\"title\": \"T\", \"order\": 1.5", "/order: 1.5 is not a whole"},
        {"\"over\": 8", "\"over\": [8, 1, 1e400]", "/over/2: 1e400"},
        {"\"over\": 8", "\"over\": 1e308", "is 1e+308, where a whole number"},
        {"\"over\": 8", "\"over\": 0.5", "is 0.5, where a whole number"},
        {"\"over\": 8", "\"over\": -8", "is -8"},
        {"\"over\": 8", "\"over\": \"1/0\"", "inf, where a whole number"},
        {"\"over\": 8", "\"over\": \"0/0\"", "nan, where a whole number"},
        {"\"block\": 8", "\"block\": 99999999999", "is 99999999999"},
        {"\"extent\": 8", "\"extent\": -0.0", "0 elements"},
        {"\"extent\": 8", "\"extent\": 8, \"front\": -1000000000000", "-1000000000000 elements"},
        {"\"extent\": 8", "\"extent\": 8, \"front\": 1000000000000000", "half of this machine"},
        {"\"extent\": 8", "\"extent\": [4294967296, 4294967296]", "half of this machine"},
        {"\"extent\": 8", "\"extent\": \"1e400\"", "/buffers/a/extent: the expression"},
        {"\"type\": \"i32\"", "\"type\": \"bytes18446744073709551615\"", "there is no type"},
        {"\"id\": \"one\"", "\"id\": \"one\", \"steps_per_launch\": 1e99",
         "/variants/0/steps_per_launch"},
        {"\"id\": \"one\"", "\"id\": \"one\", \"steps_per_launch\": 0", "is not a whole number"},
        {"\"title\": \"T\"",
         "\"title\": \"T\", \"parameters\": [{\"id\": \"p\", \"title\": \"P\", \"help\": \"\", "
         "\"kind\": \"integer\", \"min\": -1e300, \"max\": 1, \"initial\": 0}]",
         "/parameters/0/min: -1e+300 is too large"},
        {"\"title\": \"T\"",
         "\"title\": \"T\", \"parameters\": [{\"id\": \"p\", \"title\": \"P\", \"help\": \"\", "
         "\"kind\": \"integer\", \"min\": 0, \"max\": 1, \"initial\": 0.5}]",
         "/parameters/0/initial: 0.5 is not a whole"},
        {"\"title\": \"T\"", "\"title\": \"T\", \"shared\": -5", "-5 bytes of shared"},
        {"\"title\": \"T\"", "\"title\": \"T\", \"shared\": 99999999999", "bytes of shared"},
        {"\"title\": \"T\"", "\"title\": \"T\", \"passes\": [{\"stream\": 4294967296}]",
         "no stream 4294967296"},
        {"\"arguments\": [\"a\"]", "\"arguments\": [{\"bytes999999999999\": 1}]",
         "there is no type"},
        {"\"arguments\": [\"a\"]", "\"arguments\": [{\"i32\": \"0/0\"}]", "nan"},
    };
    for (const Wrong& one : wrong) {
        SCOPED_TRACE(one.to);
        std::string text = record();
        const std::size_t at = text.find(one.from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, std::string_view(one.from).size(), one.to);
        expect_refused([&] { start(lab_of(text), 1); }, one.words);
    }
}

TEST(UntrustedLab, ExpressionsAreBoundedAndPure)
{
    const auto over = [](const std::string& expression) {
        std::string text = record();
        return text.replace(text.find("\"over\": 8"), 9, "\"over\": \"" + expression + "\"");
    };
    const auto times = [](int count, const std::string& what) {
        std::string all;
        for (int i = 0; i < count; ++i) all += what;
        return all;
    };
    start(lab_of(over(times(90, "(") + "8" + times(90, ")"))), 1);
    expect_refused([&] { start(lab_of(over(times(1000, "(") + "8" + times(1000, ")"))), 1); },
                   "nested more than 100 deep");
    expect_refused([&] { start(lab_of(over("8" + times(20000, "+1"))), 1); },
                   "more than 4096 characters");
    expect_refused([&] { start(lab_of(over(times(20000, "-") + "8")), 1); }, "characters");
    expect_refused([&] { start(lab_of(over("steps = 8")), 1); }, "cannot assign");
    // For its message, muParser would copy the expression into an array of 2048 characters.
    expect_refused([&] { start(lab_of(over("8 + " + times(3000, "x"))), 1); },
                   "there is a mistake at character 5");
    expect_refused([&] { start(lab_of(over(times(3000, "?"))), 1); }, "a mistake at character");
    start(lab_of(over("1 == 1 && 2 >= 1 && 1 <= 2 && 1 != 2 ? 8 : 4")), 1);
}

TEST(UntrustedLab, AcceptsAnyKeys)
{
    for (const char* key : {"a~b", "a/b", "~", "99999999999999999999", "\\u0000", ""}) {
        SCOPED_TRACE(key);
        std::string text = record();
        text.replace(text.find("\"id\": \"one\""), 11,
                     "\"id\": \"one\", \"buffers\": {\"" + std::string(key) +
                         "\": {\"type\": \"i32\", \"extent\": []}}");
        expect_refused([&] { start(lab_of(text), 1); }, "lab.json, /variants/0/buffers/");
    }
    for (const char* more :
         {R"("paint": [],)", R"("sweeps": [{"title": "t", "parameter": "p",
              "values": [], "simt_values": "x"}],)",
          R"("memory": {"a": 1},)", R"("values": [1],)", R"("opens": 1,)", R"("presets": [1],)",
          R"("test_sizes": 7,)", R"("swap": [[]],)", R"("images": [],)", R"("work": "x",)"}) {
        SCOPED_TRACE(more);
        expect_refused([&] { start(lab_of(record(more)), 1); }, "lab.json");
    }
    std::string nothing = record();
    nothing.replace(nothing.find("[{\"bars\""), 35, "[]");
    expect_refused([&] { lab_of(nothing); }, "/views: there is nothing to draw");
    expect_refused(
        [&] {
            lab_of(record(R"("parameters": [{"id": "p", "title": "P", "help": "", "kind": "integer",
                "min": 0, "max": 9, "initial": 1}], "sweeps": [{"title": "t", "parameter": "p",
                "values": []}],)"));
        },
        "/sweeps/0/values: there are 0 values");
    std::string draw = record();
    draw.replace(draw.find("\"draw\": \"elements\""), 18, "\"draw\": [1]");
    expect_refused([&] { start(lab_of(draw), 1); }, "is not an object");
    std::string fill = record();
    fill.replace(fill.find("\"id\": \"one\""), 11, R"("id": "one", "buffers": {"a": {"fill": 0}})");
    fill.replace(fill.find("{\"type\": \"i32\", \"extent\": 8, \"fill\": 0}"), 42, "\"text\"");
    expect_refused([&] { start(lab_of(fill), 1); }, "lab.json");
}

TEST(UntrustedLab, PassesAndWarningsAreBounded)
{
    std::string passes;
    for (int i = 0; i < 20'000; ++i) passes += i == 0 ? "{}" : ",{}";
    std::string arguments = "\"a\"";
    for (int i = 0; i < 20'000; ++i) arguments += ",1";
    std::string text = record("\"passes\": [" + passes + "],");
    text.replace(text.find("[\"a\"]"), 5, "[" + arguments + "]");
    expect_refused([&] { lab_of(text); }, "too many passes");
    for (const char* warning : {"{1:s}", "{1:{}}", "{1:.{}f}", "}", "{1}}"}) {
        SCOPED_TRACE(warning);
        expect_refused(
            [&] {
                lab_of(record(R"("warnings": [{"when": 1, "text": ")" + std::string(warning) +
                              "\"}],"));
            },
            "cannot be written");
    }
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "{1:999}";
    expect_refused(
        [&] { lab_of(record("\"warnings\": [{\"when\": 1, \"text\": \"" + many + "\"}],")); },
        "1000 expressions");
}

TEST(UntrustedLab, EntriesAreSetOnlyInExistingPlaces)
{
    const std::string small = R"({"a": {"b": [1, 2]}})";
    EXPECT_THAT(with_entry(small, "/a/b/1", "3"), HasSubstr("[1, 3]"));
    EXPECT_THAT(with_entry(small, "/a/b/2", "3"), HasSubstr("[1, 2, 3]"));
    EXPECT_THAT(with_entry(small, "/a/b/0", "null"), HasSubstr("[2]"));
    EXPECT_THAT(with_entry(small, "/a/c/d", "3"), HasSubstr("\"d\": 3"));
    EXPECT_THAT(with_entry(small, "/a/b", "null"), testing::Not(HasSubstr("b")));
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const auto& [record, pointer, value] :
         {std::tuple{small, std::string("/a/b/4000000000"), std::string("1")},
          {small, "/a/b/3", "1"},
          {small, "/a/b/x", "1"},
          {small, "/a/b/9/c", "1"},
          {small, "/a/b/4000000000", "null"},
          {small, "/a/b/0/c", "1"},
          {small, "", "1"},
          {small, "a", "1"},
          {small, "/a~2", "1"},
          {small, "/a", "{"},
          {small, "/a", deep},
          {deep, "/a", "1"},
          {"{\"a\": " + deep + "}", "/b", "1"},
          {small, std::string(1'000'000, '/'), "1"}}) {
        SCOPED_TRACE(pointer.substr(0, 40));
        expect_refused([&] { with_entry(record, pointer, value); }, "cannot be set to");
    }
}

TEST(UntrustedLab, PicturesMustBeRegularFiles)
{
    EXPECT_THROW(read_image("/dev/zero"), Error);
}

} // namespace
} // namespace lanescope::labs
