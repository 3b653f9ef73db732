#!/usr/bin/env python3
"""A class of made-up submissions for one assignment: is every verdict right, does nothing escape, and does an interrupted, a sharded
and a merged run give the same table? Do all documents fit the schema, and does it refuse damaged ones?

    tests/judging.py [--lanescope PROGRAM] [--quick] [--only REGEX] [--keep FOLDER]

--quick judges every fourth submission and skips interruptions. Needs a CUDA compiler; uses python3-jsonschema and bubblewrap if they are
installed. Prints one row per wrong verdict and a summary; exits with 1 if anything is wrong, with 77 without a compiler."""
import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "assets/manual/judge.schema.json").read_text())
SECRET = "canary-5f1d0c"

LAB = {
    "title": "Transpose",
    "question": "Who waits?",
    "parameters": [
        {"id": key, "title": key, "kind": "integer", "min": 1, "max": 4096, "initial": 64, "restarts": True, "help": "Elements."} for key in ("width", "height")
    ],
    "buffers": {"from": {"type": "f32", "extent": ["width", "height"], "fill": "random"},
                "to": {"type": "f32", "extent": ["height", "width"]}},
    "arguments": ["from", "to", "width", "height"],
    "over": ["width", "height"],
    "result": "to",
    "memory": ["to", "from"],
    "work": {"bytes": "8 * width * height", "items": "width * height", "item": "elements"},
    "variants": [{"id": one, "title": one, "idea": "One.", "kernel": "transpose", "file": f"{one}.cu", "block": [32, 8], "tile": [32, 32]}
                 for one in ("starter", "solution")],
    "views": [{"field": "to", "low": 0, "high": 1, "quantity": "value"}],
    "check": {"variant": "solution", "tolerance": 0, "reason": "Elements are moved."},
}
SQUARE = [{"width": 64, "height": 64}]
ASSIGNMENT = {
    "title": "Transpose a matrix",
    "lab": "transpose_lab",
    "variant": "starter",
    "file": "transpose.cu",
    "reference": "solution",
    "provides": ["tile.h"],
    "sizes": SQUARE + [{"width": 33, "height": 65}],
    "limits": {"seconds": 60, "launch_seconds": 20, "million_warp_instructions": 2, "source_kb": 64},
    "requirements": [
        {"kind": "compiles"},
        {"kind": "result", "points": 4},
        {"kind": "result", "id": "hidden_result", "points": 2, "visibility": "hidden", "sizes": [{"width": 70, "height": 5}]},
        {"kind": "no_faults", "points": 2},
        {"kind": "no_warnings"},
        {"kind": "coverage"},
        {"kind": "deterministic"},
        {"kind": "count", "id": "loads", "count": "sectors_per_load", "at_most": 4, "sizes": SQUARE},
        {"kind": "count", "id": "stores", "count": "sectors_per_store", "at_most": 4, "sizes": SQUARE},
        {"kind": "count", "id": "conflicts", "count": "wavefronts_over_ideal", "at_most": 1, "sizes": SQUARE},
        {"kind": "count", "id": "traffic", "count": "bytes", "at_most": 1.25, "of_reference": True, "sizes": SQUARE},
        {"kind": "count", "id": "shared", "count": "shared_bytes", "at_least": 1, "visibility": "hidden"},
    ],
}
EVERYTHING = {one.get("id", one["kind"]) for one in ASSIGNMENT["requirements"]}

RIGHT = """__global__ void transpose(const float* from, float* to, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) to[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""
HEAD = "__global__ void transpose(const float* from, float* to, int width, int height)\n"
COORDINATES = "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"


def simple(statement, before=""):
    """A kernel without shared memory: a statement for each element (x, y)."""
    return (f"{before}{HEAD}{{\n{COORDINATES}    for (int j = 0; j < 32; j += 8, y += 8)\n"
            f"        if (x < width && y < height) {{ {statement} }}\n}}\n")


def changed(*pairs):
    text = RIGHT
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


NAIVE = {"stores", "shared", "traffic"} # of a kernel that writes columns
ALL_BUT_COMPILING = EVERYTHING - {"compiles"}


def table():
    """Rows: name, text (or bytes, or files of a folder), verdict, requirements missed."""
    store = "to[x * height + y] = from[y * width + x];"
    rows = []

    def add(verdict, missed, **texts):
        for name, text in texts.items():
            rows.append((name, text, verdict, set(missed)))

    add("meets_all", [], right=RIGHT, right_restrict=changed(("const float* from, float* to", "const float* __restrict__ from, float* __restrict__ to")),
        right_unrolled=RIGHT.replace("    for", "#pragma unroll\n    for"), right_extern_c='extern "C" ' + RIGHT,
        right_ldg=changed(("from[(y + j) * width + x]", "__ldg(from + (y + j) * width + x)")),
        right_swizzled=changed(("tile[32][33]", "tile[32][32]"), ("tile[threadIdx.y + j][threadIdx.x]", "tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)]"),
                               ("tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x]")),
        right_wide_padding=changed(("tile[32][33]", "tile[32][35]")), right_prints='#include <cstdio>\n' + changed(("    __syncthreads();", '    if (x + y == 0) printf("I am right\\n");\n    __syncthreads();')),
        right_crlf=RIGHT.replace("\n", "\r\n"), right_bom=("\ufeff" + RIGHT).encode(), right_utf16=RIGHT.encode("utf-16"),
        right_latin="// Für die Übung\n".encode("latin-1") + RIGHT.encode(), right_long_indices=changed(("int x =", "long long x =")),
        right_device_function=changed(("from[(y + j) * width + x]", "value(from, (y + j) * width + x)")).replace(
            "__global__", "__device__ float value(const float* from, long long i) { return from[i]; }\n__global__", 1),
        right_twice_synchronized=changed(("    __syncthreads();", "    __syncthreads();\n    __syncthreads();")),
        right_own_header={"transpose.cu": '#include "mine.h"\n' + changed(("[33]", "[PITCH]")), "mine.h": "#define PITCH 33\n"},
        right_provided_header='#include "tile.h"\n' + changed(("[33]", "[TILE + 1]")),
        right_with_host_code="#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + RIGHT +
        "int bomb = system(\"for i in 1 2 3; do sh -c 'touch /tmp/judged-escaped' & done\");\nint main() { while (true) fork(); }\n")
    add("misses_requirements", NAIVE, slow_columns_written=simple(store))
    add("misses_requirements", {"loads", "shared", "traffic"},
        slow_columns_read=HEAD + "{\n    int x = blockIdx.x * 32, y = blockIdx.y * 32 + threadIdx.x;\n    for (int j = threadIdx.y; j < 32; j += 8)\n"
        "        if (x + j < width && y < height) to[(x + j) * height + y] = from[y * width + x + j];\n}\n")
    add("misses_requirements", {"conflicts"}, slow_bank_conflicts=changed(("[33]", "[32]")), slow_other_conflicts=changed(("[33]", "[34]")))
    add("misses_requirements", {"traffic"},
        slow_reads_twice=changed(("= from[(y + j) * width + x];", "= fmaxf(from[(y + j) * width + x], ((volatile const float*)from)[(y + j) * width + x]);")),
        slow_writes_twice=changed(("if (x < height && y + j < width) to[", "if (x < height && y + j < width) ((volatile float*)to)[(y + j) * height + x] = 0, to[")))
    add("misses_requirements", {"deterministic", "shared", "traffic"}, order_float_atomics=simple("atomicAdd(&to[x * height + y], from[y * width + x]);"))
    add("misses_requirements", {"deterministic"}, # right only where no lane of a warp runs ahead
        order_active_mask=changed(("    __shared__", "    const bool together = __activemask() == 0xffffffff;\n    __shared__"), ("= tile[threadIdx.x]", "= together * tile[threadIdx.x]")))
    wrong = {"result", "hidden_result", "deterministic", "loads", "stores", "conflicts", "traffic", "shared"} # cheap but wrong earns nothing
    add("wrong_result", wrong, wrong_copies=simple("to[y * width + x] = from[y * width + x];"), wrong_zero=simple("to[y * width + x] = 0;"))
    add("wrong_result", wrong, wrong_adds_one=changed(("= tile[threadIdx.x]", "= 1 + tile[threadIdx.x]")),
        wrong_infinite=changed(("= tile[threadIdx.x]", "= 1 / 0.0f + tile[threadIdx.x]")), wrong_nan=changed(("= tile[threadIdx.x]", "= nanf(\"\") + tile[threadIdx.x]")))
    add("wrong_result", wrong | {"no_warnings"},
        uninitialised_shared=changed(("if (x < width && y + j < height) tile", "if (x < width && y + j < height && x != 3) tile")))
    add("wrong_result", {"hidden_result"}, wrong_at_hidden_size=changed(("    __shared__", "    if (height == 5) to += 0, width = 0;\n    __shared__")))
    add("wrong_result", wrong | {"coverage"}, wrong_half=changed(("y + j < width)", "y + j < width && j < 16)")),
        wrong_nothing=changed(("y + j < width)", "y + j < width && width > 9999)")))
    add("wrong_result", wrong | {"coverage"}, wrong_last_row=changed(("y + j < width)", "y + j < width - 1)")))
    add("wrong_result", wrong | {"coverage"}, wrong_only_first_block=changed(("    __shared__", "    if (blockIdx.x + blockIdx.y > 0) return;\n    __shared__")))
    add("fault", ALL_BUT_COMPILING, fault_no_guards=HEAD + "{\n" + COORDINATES + "    to[x * height + y + 8192 * blockIdx.x] = from[y * width + x];\n}\n",
        fault_reads_past=simple("to[x * height + y] = from[y * width + x + 100000];"), fault_reads_before=simple("to[x * height + y] = from[y * width + x - 100];"),
        fault_writes_past=simple("to[x * height + y + width * height] = from[y * width + x];"), fault_null=simple("*(float*)0 = from[y * width + x];"),
        fault_misaligned=simple("to[x * height + y] = *(const float*)((const char*)from + 1);"),
        fault_shared_outside=changed(("tile[threadIdx.y + j][threadIdx.x] =", "tile[threadIdx.y + j + 40 * threadIdx.y][threadIdx.x] =")),
        fault_trap=simple("if (x == 3) __trap();" + store), fault_assert=simple("assert(x < 3);" + store, "#include <cassert>\n"),
        race_no_barrier=changed(("    __syncthreads();\n", "")), race_one_element=simple("to[0] = from[y * width + x];"),
        race_between_blocks=simple(store + " if (x > 0) to[(x - 1) * height + y] = 0;"),
        race_barrier_divergent=changed(("    __syncthreads();", "    if (threadIdx.x < 7) __syncthreads();")),
        cheat_searches_reference=HEAD + "{\n" + COORDINATES + "    const float* other = to + 64 * 64;\n    for (int j = 0; j < 32; j += 8, y += 8) to[x * height + y] = other[x * height + y];\n}\n")
    add("stopped", ALL_BUT_COMPILING, endless_loop=HEAD + "{\n    while (true) { }\n}\n", endless_counts=HEAD + "{\n    for (volatile int i = 0; i >= 0; i = (i + 1) & 1023) { }\n}\n",
        endless_waits=HEAD + "{\n    while (((volatile float*)to)[0] != 42) { }\n}\n",
        endless_lock="__device__ int lock;\n" + simple("while (atomicCAS(&lock, 0, 1) != 0) { }" + store),
        endless_far_too_slow=simple("float sum = 0; for (int i = 0; i < 100000000; ++i) sum = sinf(sum + i); " + store + " if (sum == 3) to[0] = sum;"))
    printed = json.dumps({"facts": {"compiled": {"ok": True, "message": "", "line": 0}, "runs": [], "lines": []}}).replace('"', '\\"')
    add("wrong_result", wrong | {"coverage"},
        cheat_prints_passed="#include <cstdio>\n" + HEAD + "{\n    if (threadIdx.x == 0) printf(\"PASSED 100 of 100\\n\");\n    if (width < 0) to[0] = from[0];\n}\n",
        cheat_prints_document="#include <cstdio>\n" + HEAD + "{\n    if (threadIdx.x == 0) printf(\"" + printed + "\\n\");\n    if (width < 0) to[0] = from[0];\n}\n",
        cheat_prints_flood="#include <cstdio>\n" + HEAD + "{\n    for (int i = 0; i < 200; ++i) printf(\"%d PASSED PASSED PASSED PASSED PASSED\\n\", i);\n    if (width < 0) to[0] = from[0];\n}\n")
    add("fault", ALL_BUT_COMPILING, cheat_changes_input=simple("((float*)from)[y * width + x] = 0; to[x * height + y] = from[x];"))
    refused = EVERYTHING
    add("does_not_compile", refused, compile_error=changed(("if (x < height", "if x < height")), compile_undeclared=changed(("width + x]", "pitch + x]")),
        compile_empty="", compile_no_kernel="int twice(int x) { return 2 * x; }\n", compile_blank=" \n\n\t\n", compile_includes_itself='#include "transpose.cu"\n' + RIGHT, compile_endless_template=
        "template <int n> struct Deep { static const int value = Deep<n + 1>::value; };\nint x = Deep<0>::value;\n" + RIGHT,
        cheat_includes_solution='#include "solution.cu"\n', cheat_includes_lab='#include "../transpose_lab/solution.cu"\n',
        cheat_includes_home=f'#include "{os.environ["HOME"]}/secret.h"\n' + RIGHT, cheat_includes_passwd='#include "/etc/passwd"\n' + RIGHT,
        cheat_includes_upwards='#include <../../../../../../etc/passwd>\n' + RIGHT,
        cheat_asks_for_home=f'#if __has_include("{os.environ["HOME"]}/secret.h")\n#endif\n' + RIGHT,
        cheat_macro_include=f'#define FILE "{os.environ["HOME"]}/secret.h"\n#include FILE\n' + RIGHT, cheat_includes_assignment='#include "assignment.json"\n' + RIGHT)
    add("refused", ALL_BUT_COMPILING, wrong_kernel_name=changed(("void transpose", "void transposed")),
        wrong_parameters=changed((", int height", ", int height, int depth")))
    add("not_accepted", EVERYTHING, not_text=bytes(range(256)) * 20, huge_file="// " + 100000 * "x" + "\n" + RIGHT, missing_file={"other.cu": RIGHT},
        is_link={"transpose.cu": pathlib.Path(os.environ["HOME"]) / "secret.h"}, is_pipe={"transpose.cu": None})
    return rows


def write_class(folder, rows):
    """Writes the assignment, all submissions, and a sample of them for what takes several runs."""
    lab = folder / "transpose_lab"
    lab.mkdir(parents=True)
    (lab / "lab.json").write_text(json.dumps(LAB, indent=1))
    (lab / "solution.cu").write_text(RIGHT)
    (lab / "starter.cu").write_text(HEAD + "{\n}\n")
    (lab / "tile.h").write_text("#define TILE 32\n")
    (folder / "assignment.json").write_text(json.dumps(ASSIGNMENT, indent=1))
    write_submissions(folder / "submissions", rows)
    write_submissions(folder / "sample", sample(rows))


def sample(rows):
    return rows[::5]


def write_submissions(place, rows):
    place.mkdir()
    for name, text, _, _ in rows:
        if isinstance(text, dict):
            (place / name).mkdir()
            for file, content in text.items():
                if content is None:
                    os.mkfifo(place / name / file)
                elif isinstance(content, pathlib.Path):
                    (place / name / file).symlink_to(content)
                else:
                    (place / name / file).write_text(content)
        else:
            (place / f"{name}.cu").write_bytes(text if isinstance(text, bytes) else text.encode())


class Judge:
    def __init__(self, program, folder):
        self.program, self.folder, self.wrong = program, folder, []

    def command(self, out, *more, submissions="sample"):
        return [self.program, "judge", str(self.folder / "assignment.json"), str(self.folder / submissions), "-o", str(self.folder / out), *more]

    def run(self, out, *more, submissions="sample", **changes):
        return subprocess.run(self.command(out, *more, submissions=submissions), capture_output=True, text=True, env={**os.environ, **changes})

    def merge(self, out, *folders):
        return subprocess.run([self.program, "judge", "--merge", *(str(self.folder / one) for one in folders), "-o", str(self.folder / out)],
                              capture_output=True, text=True)

    def document(self, out):
        return json.loads((self.folder / out / "class.json").read_text())

    def expect(self, holds, message):
        if not holds:
            self.wrong.append(message)
            print(message, flush=True)


def check_verdicts(judge, document, rows):
    by_name = {one["name"]: one for one in document["submissions"]}
    judge.expect(set(by_name) == {row[0] for row in rows}, f"other submissions: {set(by_name) ^ {row[0] for row in rows}}")
    points = {one.get("id", one["kind"]): one.get("points", 1) for one in ASSIGNMENT["requirements"]}
    for name, _, verdict, missed in rows:
        one = by_name.get(name)
        if not one:
            continue
        found = {each["id"] for each in one["requirements"] if each["status"] == "missed"}
        said = one["problem"] or next((each["message"] for each in one["requirements"] if each["status"] != "met"), "")
        judge.expect(one["verdict"] == verdict and found == missed,
                     f"{name}: {one['verdict']}, not {verdict}; missed {sorted(found - missed)}, not missed {sorted(missed - found)}: {said}")
        judge.expect(one["points"] == sum(points[key] for key in set(points) - found), f"{name}: {one['points']} points")


def check_files(judge, out, document):
    folder = judge.folder / out
    suites = xml.etree.ElementTree.parse(folder / "junit.xml").getroot()
    judge.expect(len(suites) == len(document["submissions"]), "junit.xml lacks submissions")
    judge.expect("hidden_result" not in (folder / "junit.xml").read_text(), "junit.xml shows hidden requirements")
    for path in folder.rglob("*"):
        if path.is_file():
            judge.expect(SECRET not in path.read_text(), f"{path} has a secret")
    for name, part in {"slow_bank_conflicts": r'tile\[threadIdx.x\]\[threadIdx.y \+ j\];.*4096 shared wavefronts',
                       "race_no_barrier": r'<tr id="L10" class="bad">.*reads shared memory', "compile_error": r'<tr id="L11" class="bad">'}.items():
        page = folder / "pages" / f"{name}.html"
        judge.expect(not page.exists() or re.search(part, page.read_text()), f"the page of {name} lacks {part}")
    for one in document["submissions"]:
        page = (folder / "pages" / f"{one['name']}.html").read_text()
        judge.expect("height=5" not in page, f"the page of {one['name']} shows a hidden size")
    judge.expect(not pathlib.Path("/tmp/judged-escaped").exists(), "host code of a submission ran")


DAMAGES = [
    lambda d: d.pop("format"), lambda d: d.update(format="other"), lambda d: d.update(version=2), lambda d: d.update(more=1),
    lambda d: d["assignment"].pop("title"), lambda d: d["assignment"].update(max_points="5"), lambda d: d["assignment"].update(requirements=[]),
    lambda d: d["assignment"]["requirements"][0].update(kind="magic"), lambda d: d["assignment"]["requirements"][0].update(visibility="secret"),
    lambda d: d["assignment"].update(fingerprint="xyz"), lambda d: d["submissions"][0].update(verdict="excellent"),
    lambda d: d["submissions"][0].update(points=-1), lambda d: d["submissions"][0].pop("runs"), lambda d: d["submissions"][0].update(name=""),
    lambda d: d["submissions"][0].update(sandbox="paper"), lambda d: d["submissions"][0].update(grade="A"),
    lambda d: d["submissions"][0]["requirements"][0].update(status="nearly"), lambda d: d["submissions"][0]["requirements"][0].pop("message"),
    lambda d: d["submissions"][0]["runs"][0].update(outcome="fine"), lambda d: d["submissions"][0]["runs"][0]["counts"].update(sectors="many"),
    lambda d: d["submissions"][0]["runs"][0].update(correct="yes"), lambda d: d["submissions"][0]["lines"][0].update(line=0),
    lambda d: d.update(submissions={}), lambda d: d["submissions"][0]["runs"][0].update(unwritten=-3),
]
CONTRADICTIONS = [
    lambda d: d["submissions"][0].update(points=1e6), lambda d: d["submissions"].append(d["submissions"][0]),
    lambda d: d["submissions"][0]["requirements"].pop(), lambda d: d["submissions"][0]["requirements"][1].update(id="other"),
]


def check_schema(judge, out, document):
    """All documents are valid; damaged ones are refused by `judge --merge` and, if it is installed, by python3-jsonschema."""
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid if jsonschema else None
    if valid:
        for path in [judge.folder / out / "class.json", *(judge.folder / out / "results").glob("*.json")]:
            judge.expect(valid(json.loads(path.read_text())), f"{path} is invalid")
    right = next(path for path in (judge.folder / out / "results").glob("right*.json"))
    for number, damage in enumerate(DAMAGES + CONTRADICTIONS):
        damaged = json.loads(right.read_text())
        damage(damaged)
        place = judge.folder / f"damaged{number}"
        (place / "results").mkdir(parents=True)
        (place / "results" / right.name).write_text(json.dumps(damaged))
        judge.expect(judge.merge("merged_damaged", place.name).returncode == 2, f"damage {number} was not refused")
        if valid and number < len(DAMAGES):
            judge.expect(not valid(damaged), f"the schema accepts damage {number}")


def check_interruptions(judge, whole):
    """Kills a run in the middle, by KILL and by TERM, and continues it."""
    for how in (signal.SIGKILL, signal.SIGTERM):
        out = f"interrupted_{how.name}"
        running = subprocess.Popen(judge.command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = judge.folder / out / "results"
        while running.poll() is None and len(list(results.glob("*.json")) if results.exists() else []) < len(whole["submissions"]) // 4:
            time.sleep(0.02)
        running.send_signal(how)
        running.wait()
        done = len(list(results.glob("*.json")))
        judge.expect(0 < done < len(whole["submissions"]) and not (judge.folder / out / "class.json").exists(), f"{how.name} came too late")
        again = judge.run(out)
        judge.expect(again.stderr.count("(judged before)") == done, f"{how.name}: results were not kept")
        judge.expect(judge.document(out) == whole, f"{how.name}: the table differs after a continued run")


def check_walls(judge, rows):
    """Without bubblewrap in PATH the program sandboxes submissions itself, and verdicts are the same."""
    said = judge.run("walls", PATH="/usr/local/cuda/bin:/nonexistent")
    if said.returncode == 4:
        print("no sandbox here:", said.stderr.strip())
        return
    check_verdicts(judge, judge.document("walls"), sample(rows))
    sandboxes = {one["sandbox"] for one in judge.document("walls")["submissions"]}
    judge.expect(sandboxes == {"walls"}, f"sandboxes: {sandboxes}")


def check_kept(judge, rows):
    """Pages of kept results follow the options of the last run; a changed header of the lab makes results stale."""
    one = judge.run("kept", "--show-hidden")
    pages = list((judge.folder / "kept" / "pages").glob("right*.html"))
    judge.expect(pages and all("(hidden)" in page.read_text() for page in pages), f"--show-hidden hides a requirement: {one.stderr[-500:]}")
    for change, kept in (("", len(sample(rows))), ("#define MORE 1\n", 0)):
        with open(judge.folder / "transpose_lab" / "tile.h", "a") as header:
            header.write(change)
        said = judge.run("kept")
        judge.expect(said.stderr.count("(judged before)") == kept, f"{said.stderr.count('(judged before)')} results were kept, not {kept}")
        judge.expect(all("(hidden)" not in page.read_text() for page in pages), "the page of a kept result shows a hidden requirement")


def check_shards(judge):
    for number in (1, 2, 3):
        judge.run(f"shard{number}", "--shard", f"{number}/3")
    merged = judge.merge("merged", "shard1", "shard2", "shard3")
    judge.expect(merged.returncode == 0 or merged.returncode == 1, merged.stderr)
    for name in ("class.json", "class.csv", "class.html", "junit.xml"):
        judge.expect((judge.folder / "merged" / name).read_bytes() == (judge.folder / "once" / name).read_bytes(), f"merged {name} differs")


def check_others(judge):
    """A .cu whose launch is guessed, a lab of the program, and Gradescope's format."""
    place = judge.folder / "others"
    place.mkdir()
    saxpy = "__global__ void saxpy(float a, const float* x, float* y, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" \
            "    if (i < n) y[i] = a * x[i] + y[i];\n}\n"
    naive = (ROOT / "compute/labs/transpose/naive.cu").read_text()
    padded = (ROOT / "compute/labs/transpose/tile_padded.cu").read_text().replace("transpose_tile_padded", "transpose_naive")
    for name, text in {"saxpy": saxpy, "solution": saxpy, "ada": saxpy, "bob": saxpy.replace("a * x", "x"), "cy": naive, "di": padded}.items():
        (place / f"{name}.cu").write_text(text)
    needed = [{"kind": "result"}, {"kind": "no_faults"}, {"kind": "count", "count": "bytes", "at_most": 1.1, "of_reference": True}]
    (place / "guessed.json").write_text(json.dumps({"title": "saxpy", "lab": "saxpy.cu", "reference": "solution.cu", "requirements": needed}))
    (place / "built_in.json").write_text(json.dumps({"title": "transpose", "lab": "transpose", "variant": "naive", "reference": "tile_padded",
                                                     "sizes": [{"size": 96}], "requirements": needed}))
    for assignment, name, verdict, points in [("guessed", "ada", "meets_all", 3), ("guessed", "bob", "wrong_result", 1),
                                              ("built_in", "cy", "misses_requirements", 2), ("built_in", "di", "meets_all", 3)]:
        said = subprocess.run([judge.program, "judge", place / f"{assignment}.json", place / f"{name}.cu", "-o", place / name, "--json",
                               "--gradescope", place / f"{name}.json"], capture_output=True, text=True)
        one = json.loads(said.stdout)["submissions"][0]
        judge.expect((one["verdict"], one["points"]) == (verdict, points), f"{name}: {one['verdict']}, {one['points']} points")
        judge.expect(said.returncode == (0 if verdict == "meets_all" else 1), f"{name}: status {said.returncode}")
        scope = json.loads((place / f"{name}.json").read_text())
        judge.expect(scope["score"] == points and [test["max_score"] for test in scope["tests"]] == [1, 1, 1], f"{name}: {scope}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lanescope", default=str(ROOT / "build/ci/lanescope"))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--keep")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(options.keep or folder)
        home = folder / "home"
        home.mkdir(parents=True)
        (home / "secret.h").write_text(f"// {SECRET}\n#define SECRET \"{SECRET}\"\n")
        os.environ["HOME"] = str(home)
        rows = [row for row in table() if re.search(options.only, row[0])]
        rows = rows[::4] if options.quick else rows
        write_class(folder, rows)
        judge = Judge(options.lanescope, folder)
        begin = time.monotonic()
        said = judge.run("whole", submissions="submissions")
        taken = time.monotonic() - begin
        if said.returncode == 4 and "compile" in said.stderr:
            print("no CUDA compiler:", said.stderr.strip())
            sys.exit(77)
        judge.expect(said.returncode in (0, 1), f"status {said.returncode}: {said.stderr[-2000:]}")
        if not judge.wrong:
            document = judge.document("whole")
            check_verdicts(judge, document, rows)
            check_files(judge, "whole", document)
            if not options.only:
                check_schema(judge, "whole", document)
                check_walls(judge, rows)
                check_kept(judge, rows)
                check_others(judge)
            if not options.only and not options.quick:
                judge.run("once")
                check_interruptions(judge, judge.document("once"))
                check_shards(judge)
        print(f"{len(rows)} submissions in {taken:.1f} s on {os.cpu_count()} cores; {said.stderr.strip().splitlines()[-1:]}; "
              f"{len(judge.wrong)} problems{'' if jsonschema else '; python3-jsonschema is not installed'}")
        sys.exit(1 if judge.wrong else 0)


main()
