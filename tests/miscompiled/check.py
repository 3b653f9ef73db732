#!/usr/bin/env python3
"""Whether `lanescope doubt` finds planted miscompilations: in nvcc's PTX of plants.cu, one instruction is changed as
faulty compilers and assemblers change it. Each plant is asked about twice: as two texts (--against), and as the right
text with the results that the wrong one gives (--got), as from a GPU whose assembler is wrong.

    tests/miscompiled/check.py [--lanescope build/ci/lanescope] [--only REGEX] [--needed 0.9]

Prints a row per plant whose first differing line is not that of the planted instruction, then both shares; status 1 if
either is below --needed. Needs nvcc."""
import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
THREADS = 64
BYTES = {"u8": 1, "i8": 1, "u16": 2, "i32": 4, "u32": 4, "f32": 4, "u64": 8, "f64": 8}

# Kernel, element type, elements per thread, and what becomes of which instruction ("(…)" are kept as \1, \2 …).
PLANTS = [
    ("strength", "u32", 1, r"mul\.lo\.s32 (\t%\w+, %\w+), 40;", r"mul.lo.s32 \1, 48;"),
    ("strength", "u32", 1, r"shr\.u32 (\t%\w+, %\w+), 3;", r"shr.s32 \1, 3;"),
    ("strength", "u32", 1, r"mad\.lo\.s32 (\t%\w+, %\w+), 7, (%\w+);", r"mad.lo.s32 \1, 8, \2;"),
    ("divide_constant", "u32", 1, r"shr\.u32 (\t%\w+, %\w+), 2;", r"shr.u32 \1, 3;"),
    ("divide_constant", "u32", 1, r"shr\.u64 (\t%\w+, %\w+), 35;", r"shr.u64 \1, 36;"),
    ("divide_signed", "i32", 1, r"shr\.u32 (\t%\w+, %\w+), 29;", r"shr.s32 \1, 29;"),
    ("divide_signed", "i32", 1, r"shr\.s32 (\t%\w+, %\w+), 3;", r"shr.u32 \1, 3;"),
    ("divide_signed", "i32", 1, r"mul\.hi\.s32 (\t.*);", r"mul.hi.u32 \1;"),
    ("sign_extend", "i32", 1, r"cvt\.s32\.s16 (\t.*);", r"cvt.u32.u16 \1;"),
    ("sign_extend", "i32", 1, r"shr\.s32 (\t%\w+, %\w+), 16;", r"shr.u32 \1, 16;"),
    ("bytes", "u8", 1, r"and\.b32 ( \t%\w+, %\w+), 255;", r"and.b32 \1, 127;"),
    ("bytes", "u8", 1, r"add\.s32 (\t%\w+), %r6, (%\w+);", r"sub.s32 \1, %r6, \2;"),
    ("signed_bytes", "i8", 1, r"cvt\.s16\.s8 (\t.*);", r"cvt.u16.u8 \1;"),
    ("shift_right", "i32", 1, r"shr\.s32 (\t%\w+, %\w+), 5;", r"shr.u32 \1, 5;"),
    ("shift_right", "i32", 1, r"shl\.b32 (\t%\w+, %\w+), 2;", r"shl.b32 \1, 3;"),
    ("rotate", "u32", 1, r"shf\.l\.wrap\.b32 (%\w+), (%\w+), (%\w+), ", r"shf.l.wrap.b32 \1, \3, \2, "),
    ("rotate", "u32", 1, r"shf\.l\.wrap", r"shf.r.wrap"),
    ("guarded", "i32", 1, r"setp\.gt\.s32 (\t%\w+, %\w+), 10;", r"setp.ge.s32 \1, 9;"),
    ("guarded", "i32", 1, r"neg\.s32 (\t%\w+, %\w+);", r"mov.b32 \1;"),
    ("guarded", "i32", 1, r"selp\.b32 (\t%\w+), (%\w+), (%\w+), ", r"selp.b32 \1, \3, \2, "),
    ("several_conditions", "i32", 1, r"and\.pred", r"or.pred"),
    ("several_conditions", "i32", 1, r"setp\.gt\.s32 (\t%\w+, %\w+), 4;", r"setp.gt.u32 \1, 4;"),
    ("unsigned_compare", "u32", 1, r"setp\.lt\.u32", r"setp.lt.s32"),
    ("negated", "f32", 1, r"sub\.f32 (\t%\w+), (%\w+), (%\w+);", r"sub.f32 \1, \3, \2;"),
    ("negated", "f32", 1, r"sub\.f32", r"add.f32"),
    ("subtract", "f32", 1, r"neg\.f32", r"mov.f32"),
    ("rounding", "f32", 1, r"mul\.rz\.f32", r"mul.rn.f32"),
    ("rounding", "f32", 1, r"add\.rp\.f32", r"add.rm.f32"),
    ("fused", "f32", 1, r"fma\.rn\.f32 (\t%\w+), (%\w+), (%\w+), (%\w+);", r"fma.rn.f32 \1, \2, \4, \3;"),
    ("fused", "f32", 1, r"fma\.rn\.f32", r"fma.rz.f32"),
    ("not_fused", "f32", 1, r"add\.rn\.f32 (\t%\w+), %\w+, (%\w+);", r"fma.rn.f32 \1, %f1, %f2, \2;"),
    ("loop", "i32", 1, r"add\.s32 (\t%\w+, %\w+), 8;", r"add.s32 \1, 7;"),
    ("loop_start", "i32", 1, r"add\.s32 (\t%\w+, %\w+), 12;", r"add.s32 \1, 9;"),
    ("vector_lanes", "u32", 4, r"\{(%\w+), (%\w+), (%\w+), (%\w+)\}, (\[%rd6\]);", r"{\1, \3, \2, \4}, \5;"),
    ("vector_lanes", "u32", 4, r"sub\.s32 (\t%\w+), (%\w+), (%\w+);", r"sub.s32 \1, \3, \2;"),
    ("vector_pairs", "f32", 2, r"st\.global\.v2\.f32 (\t\[%\w+\]), \{(%\w+), (%\w+)\};", r"st.global.v2.f32 \1, {\3, \2};"),
    ("bound", "i32", 1, r"setp\.ge\.s32", r"setp.gt.s32"),
    ("bound", "i32", 1, r"@%p1 bra", r"@!%p1 bra"),
    ("carry", "u64", 1, r"addc\.u64", r"add.u64"),
    ("borrow", "u32", 1, r"sub\.cc\.u32", r"sub.u32"),
    ("borrow", "u32", 1, r"subc\.u32", r"addc.u32"),
    ("wide_product", "u32", 1, r"mul\.hi\.u32", r"mul.hi.s32"),
    ("wide_index", "i32", 1, r"mul\.wide\.s32 (\t%\w+, %\w+), 1000003;", r"mul.wide.u32 \1, 1000003;"),
    ("wide_index", "i32", 1, r"shr\.u64 (\t%\w+, %\w+), 20;", r"shr.u64 \1, 21;"),
    ("minimum", "f32", 1, r"min\.f32", r"max.f32"),
    ("minimum_nan", "f32", 1, r"max\.f32", r"max.NaN.f32"),
    ("integer_minimum", "i32", 1, r"min\.s32", r"min.u32"),
    ("to_integer", "f32", 1, r"cvt\.rzi\.s32\.f32", r"cvt.rni.s32.f32"),
    ("to_integer", "f32", 1, r"cvt\.rni\.f32\.f32", r"cvt.rpi.f32.f32"),
    ("to_float", "i32", 1, r"cvt\.rn\.f32\.u32", r"cvt.rn.f32.s32"),
    ("halves", "u16", 1, r"shr\.u32 (\t%\w+, %\w+), 4;", r"shr.u32 \1, 5;"),
    ("permute", "u32", 1, r"prmt\.b32 (\t%\w+), (%\w+), (%\w+), ", r"prmt.b32 \1, \3, \2, "),
    ("permute", "u32", 1, r"mov\.u32 (\t%\w+), 20800;", r"mov.u32 \1, 20816;"),
    ("addresses", "i32", 1, r"shl\.b32 (\t%\w+, %\w+), 3;", r"shl.b32 \1, 2;"),
    ("addresses", "i32", 1, r"add\.s32 (\t%\w+, %\w+), 12;", r"add.s32 \1, 16;"),
    ("rows", "i32", 1, r"and\.b32 ( \t%\w+, %\w+), 56;", r"and.b32 \1, 48;"),
    ("shuffle_up", "i32", 1, r"shfl\.sync\.up", r"shfl.sync.down"),
    ("shuffle_xor", "f32", 1, r"mov\.u32 (\t%\w+), 8;", r"mov.u32 \1, 4;"),
    ("ballot", "u32", 1, r"setp\.eq\.s32", r"setp.ne.s32"),
    ("ballot", "u32", 1, r"not\.b32", r"mov.b32"),
    ("selected", "i32", 1, r"selp\.b32 (\t%\w+), 7, 11, ", r"selp.b32 \1, 11, 7, "),
    ("selected", "i32", 1, r"and\.b32 ( \t%\w+, %\w+), 4;", r"and.b32 \1, 8;"),
    ("bits", "u32", 1, r"not\.b32", r"neg.s32"),
    ("three_inputs", "u32", 1, r"or\.b32 ( \t)", r"xor.b32 \1"),
    ("field", "u32", 1, r"bfe\.u32 (.*), 11;", r"bfe.u32 \1, 12;"),
    ("inserted", "u32", 1, r"bfi\.b32 (%\w+), (%\w+), (%\w+), ", r"bfi.b32 \1, \3, \2, "),
    ("count_zeros", "u32", 1, r"bfind\.shiftamt", r"bfind"),
    ("absolute", "i32", 1, r"setp\.lt\.s32", r"setp.le.u32"),
    ("shared_reversed", "i32", 1, r"xor\.b32 ( \t%\w+, %\w+), 4;", r"xor.b32 \1, 8;"),
    ("shared_sum", "i32", 1, r"setp\.gt\.u32 (\t%\w+, %\w+), 15;", r"setp.gt.u32 \1, 14;"),
    ("doubles", "f64", 1, r"mul\.f64 (.*), 0dBFE0000000000000", r"mul.f64 \1, 0d3FE0000000000000"),
    ("square_root", "f32", 1, r"sqrt\.rn\.f32", r"sqrt.rz.f32"),
    ("switched", "i32", 1, r"add\.s32 (\t%\w+, %\w+), -9;", r"add.s32 \1, 9;"),
    ("switched", "i32", 1, r"xor\.b32 ( \t%\w+, %\w+), 21;", r"or.b32 \1, 21;"),
    ("nested", "i32", 1, r"and\.b32 ( \t%\w+, %\w+), 3;", r"and.b32 \1, 1;"),
]


def compiled(folder):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(nvcc).exists():
        print("There is no nvcc here.")
        sys.exit(77)
    text = folder / "plants.ptx"
    subprocess.run([nvcc, "-ptx", "-arch=compute_75", "-std=c++17", "-o", str(text), str(HERE / "plants.cu")], check=True)
    return text.read_text()


def one_kernel(text, name):
    """The module with this kernel alone."""
    head = text[:text.index("\t// .globl")]
    begin = text.index(f".visible .entry {name}(")
    return head + text[begin:text.index("\n}\n", begin) + 3]


def inputs(kind, count):
    values = random.Random(7)
    if kind[0] == "f":
        return [f"{values.uniform(-3, 3):.6g}" for _ in range(count)]
    if kind == "i32":
        return [str(values.choice((values.randint(-40, 60), values.randint(0, 30), values.randint(-10**8, 10**8)))) if i > 1 else str(i + 2)
                for i in range(count)]
    bits = 8 * BYTES[kind]
    return [str(values.randrange(-2**(bits - 1), 2**(bits - 1)) if kind[0] == "i" else values.randrange(2**bits)) for _ in range(count)]


def launch(kernel, kind, per_thread):
    count = THREADS * per_thread
    words = ["--grid", "1", "--block", str(THREADS), "--arg", f"{kind}[]:{','.join(inputs(kind, count))}", "--arg", f"{kind}[{count}]:zero"]
    return words + (["--arg", "i32:50"] if kernel == "bound" else [])


class Checker:
    def __init__(self, lanescope):
        self.lanescope = lanescope

    def doubt(self, *words):
        done = subprocess.run([self.lanescope, "doubt", *words, "--json"], capture_output=True, text=True)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"different": 0, "first_difference": None, "error": done.stderr.strip()}

    def results(self, text, words, place):
        """What a launch of the text writes, as a file of raw bytes."""
        done = subprocess.run([self.lanescope, "emulate", str(text), *words, "--dump", f"1:{place}"], capture_output=True, text=True)
        return f"1={place}" if done.returncode in (0, 1, 5) and place.exists() else f"1={done.stderr}"


def line_of(report):
    first = report.get("first_difference") or {}
    return first.get("ptx_line", 0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=str(HERE.parent.parent / "build/ci/lanescope"))
    options.add_argument("--only", default="")
    options.add_argument("--needed", type=float, default=0.9)
    chosen = options.parse_args()
    checker = Checker(chosen.lanescope)
    found = {"texts": 0, "results": 0}
    total = without_effect = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        all_kernels = compiled(folder)
        for number, (kernel, kind, per_thread, pattern, instead) in enumerate(PLANTS):
            title = f"{kernel}: {pattern}"
            if not re.search(chosen.only, title):
                continue
            right = one_kernel(all_kernels, kernel)
            match = re.search(pattern, right)
            if not match:
                print(f"{title}: this nvcc makes no such instruction")
                continue
            wrong = right[:match.start()] + match.expand(instead) + right[match.end():]
            line = right.count("\n", 0, match.start()) + 1
            files = [folder / "right.ptx", folder / "wrong.ptx"]
            for file, text in zip(files, (right, wrong)):
                file.write_text(text)
            words = launch(kernel, kind, per_thread)
            texts = checker.doubt(str(files[0]), *words, "--against", str(files[1]))
            if not texts["different"]:
                without_effect += 1
                print(f"{title}: no difference ({texts.get('error') or texts.get('verdict')})")
                continue
            total += 1
            place = folder / f"got{number}.bin"
            results = checker.doubt(str(files[0]), *words, "--got", checker.results(files[1], words, place))
            for way, report in (("texts", texts), ("results", results)):
                ok = line_of(report) == line
                found[way] += ok
                if not ok:
                    print(f"{title}: {way}: line {line_of(report)}, not {line}: {report.get('error') or report.get('verdict')} "
                          f"{[(one['ptx_line'], one['instead']) for one in report.get('explanations', [])]}", flush=True)
    print(f"{total} plants, {without_effect} without effect; line found from two texts in {found['texts']}, from results in {found['results']}")
    return 1 if total == 0 or min(found.values()) < chosen.needed * total else 0


if __name__ == "__main__":
    sys.exit(main())
