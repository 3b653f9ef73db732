#!/usr/bin/python3
"""Runs the commands of the program for Windows under Wine beside this machine's: kernels, sources that
NVRTC compiles, names in other languages, long paths, sessions both ways, and bad input."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from both import LINUX, WINDOWS, run, windows_path

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = """extern "C" __global__ void twice(const float* from, float* to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}
"""
# Each thread counts far longer than any test lasts.
ENDLESS = """.version 8.0
.target sm_75
.address_size 64
.visible .entry counts(.param .u64 out)
{
    .reg .pred %p;
    .reg .u64 %n, %out;
    ld.param.u64 %out, [out];
    mov.u64 %n, 0;
again:
    add.u64 %n, %n, 1;
    setp.lt.u64 %p, %n, 1000000000000;
    @%p bra again;
    st.global.u64 [%out], %n;
    ret;
}
"""
failed = []


def check(what, is_right, detail=""):
    print(f"{'ok  ' if is_right else 'FAIL'} {what}{'' if is_right else f': {detail}'}", flush=True)
    if not is_right:
        failed.append(what)


def same(what, *words):
    """The same words give the same status and standard output."""
    ours, theirs = run(WINDOWS, *words), run(LINUX, *words)
    check(what, ours[:2] == theirs[:2], (ours, theirs))
    return ours


def refused(what, status, sentence, *words, **options):
    ended = run(WINDOWS, *words, **options)
    check(what, ended[0] == status and sentence in ended[2].decode(), ended)


def pixels(file):
    """Width, height and the bytes of an RGB or RGBA picture's rows, alpha left out."""
    data, at, packed = file.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        part = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", part)
        elif kind == b"IDAT":
            packed += part
        at += length + 12
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    stride, raw = channels * width, zlib.decompress(packed)
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        how, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = row[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            guess = [0, left, above[i], (left + above[i]) // 2,
                     min((left, above[i], corner), key=lambda one: abs(left + above[i] - corner - one))][how]
            row[i] = (row[i] + guess) & 255
        above = row
        rows.append(bytes(value for i, value in enumerate(row) if channels == 3 or i % 4 != 3))
    return width, height, b"".join(rows)


def mean_difference(one, other):
    """Per channel and pixel, of 255; 255 if the sizes differ."""
    first, second = pixels(one), pixels(other)
    if first[:2] != second[:2]:
        return 255
    return sum(abs(a - b) for a, b in zip(first[2], second[2])) / len(first[2])


def read_only_folder(inside):
    """Permissions do not bind root: it gets a folder of the kernel's, in which nobody can create files."""
    if os.geteuid() == 0:
        return pathlib.Path("/sys/kernel")
    (inside / "read only").mkdir(mode=0o555)
    return inside / "read only"


def interrupted(after_s, *words):
    """Exit status, output and errors of a command that gets Ctrl C, which Wine makes of a signal."""
    running = subprocess.Popen([*WINDOWS, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(after_s)
    running.send_signal(signal.SIGINT)
    try:
        output, errors = running.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        running.kill()
        output, errors = running.communicate()
    return running.returncode, output, errors


def check_ctrl_c(folder):
    """Ctrl C ends a launch with a report, and a recording with complete pictures. The status is that of Windows,
    0xC000013A, of which this machine sees the low byte."""
    ended_by_ctrl_c = 0x3A
    endless = folder / "endless.ptx"
    endless.write_text(ENDLESS, encoding="utf-8")
    ended = interrupted(6, "emulate", windows_path(endless), "--grid", "4", "--block", "64", "--arg", "u64[64]:zero")
    check("Ctrl C ends a launch", ended[0] == ended_by_ctrl_c and b"stopped on request" in ended[2], ended)
    frames = folder / "frames"
    frames.mkdir()
    ended = interrupted(12, "record", "transpose/naive", "--device", "simt", "--size", "320x180", "--seconds", "36000",
                        "-o", windows_path(frames / "%05d.png"))
    kept = sorted(frames.iterdir())
    check("Ctrl C ends a recording", ended[0] == ended_by_ctrl_c and b"Interrupted" in ended[2] and kept, ended)
    check("and all its pictures are complete", all(pixels(file)[:2] == (320, 180) for file in kept[-3:]), kept)


def check_labs(folder):
    """A lab that one system's program makes is, byte for byte, that of the other, and both run it alike."""
    made = {}
    for name, maker, path in (("Windows", WINDOWS, windows_path), ("Linux", LINUX, str)):
        lab = folder / name / "plate"
        lab.parent.mkdir()
        ended = run(maker, "new-lab", path(lab))
        check(f"{name} makes a lab", ended[0] == 0, ended)
        made[name] = {file.name: file.read_bytes() for file in lab.iterdir()} if lab.is_dir() else {}
        words = ["--device", "simt", "--steps", "2", "--json"]
        ours, theirs = run(WINDOWS, "run", windows_path(lab), *words), run(LINUX, "run", str(lab), *words)
        check(f"a lab made on {name} runs alike on both", ours[0] == 0 and ours[:2] == theirs[:2], (ours, theirs))
        pictures = []
        for program, named in ((WINDOWS, windows_path), (LINUX, str)):
            pictures.append(lab.parent / f"{named.__name__}.png")
            run(program, "shot", named(lab), "--device", "simt", "--size", "320x180", "-o", named(pictures[-1]))
        off = mean_difference(*pictures)
        check(f"and is drawn alike ({off:.4f} of 255)", off < 0.5)
    check("both labs have the same files", made["Windows"] and made["Windows"] == made["Linux"], made)


def main():
    same("list", "list", "--json")
    same("occupancy", "occupancy", "matmul/tiled", "--json")
    same("trace as JSON", "trace", "reduction", "--device", "simt", "--json")
    refused("whole programs name WSL2", 4, "WSL2", "program", "x.cu")
    refused("a lab that does not exist", 3, "nolab", "run", "nolab")
    refused("a file that does not exist", 3, "none.ptx", "emulate", "none.ptx")

    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        plain = folder / "twice.cu"
        named = folder / "倍にする.cu"  # "doubles" in Japanese
        long = folder
        while len(str(long)) < 280:
            long = long / "a folder with a long name"
        long.mkdir(parents=True)
        for file in (plain, named, long / "twice.cu"):
            file.write_text(KERNEL, encoding="utf-8")
        for what, file in (("a source", plain), ("a Japanese name", named),
                           ("a path of 280 characters", long / "twice.cu")):
            words = ["emulate", "twice", "--grid", "4", "--block", "64", "--arg", "f32[256]:ramp",
                     "--arg", "f32[256]:zero", "--arg", "256", "--json"]
            ours = run(WINDOWS, words[0], windows_path(file), *words[2:])
            check(f"{what} is compiled and runs", ours[0] == 0, ours)
        faulty = folder / "faulty.cu"
        faulty.write_text(KERNEL.replace("if (i < n) to[i]", "to[i + n]"), encoding="utf-8")
        ours = run(WINDOWS, "emulate", windows_path(faulty), "--grid", "4", "--block", "64", "--arg",
                   "f32[256]:ramp", "--arg", "f32[256]:zero", "--arg", "256")
        check("a fault has its status and names the line", ours[0] == 5 and b"faulty.cu:4" in ours[2], ours)
        wrong = folder / "まちがい.cu"  # "mistake"
        wrong.write_text(KERNEL.replace("to[i] =", "nosuch ="), encoding="utf-8")
        ours = run(WINDOWS, "emulate", windows_path(wrong))
        check("an error of a source with a Japanese name has that name and its line",
              ours[0] == 2 and "まちがい.cu(4): error" in ours[2].decode(), ours)

        session = folder / "drawn.png"
        for maker, reader, words in ((WINDOWS, LINUX, "Windows to Linux"),
                                     (LINUX, WINDOWS, "Linux to Windows")):
            made_at = run(maker, "shot", "transpose/naive", "--device", "simt", "--size", "320x180",
                          "-o", str(session))
            again = folder / "again.png"
            read = run(reader, "shot", "--session", str(session), "-o", str(again))
            check(f"a picture's session goes from {words}", (made_at[0], read[0]) == (0, 0),
                  (made_at, read))
            off = mean_difference(session, again)
            check(f"and is drawn alike ({off:.4f} of 255)", off < 0.5)
        table = run(WINDOWS, "sweep", "coalescing", "--device", "simt", "--csv")
        check("tables", table[0] == run(LINUX, "sweep", "coalescing", "--device", "simt", "--csv")[0],
              table)
        shot = ["shot", "transpose/naive", "--device", "simt", "-o"]
        refused("a folder that does not exist", 2, "Cannot write", *shot,
                windows_path(folder / "missing" / "x.png"))
        for name, sentence in (("NUL", "keeps the name NUL"), ("aux.png", "keeps the name AUX"),
                               ("Com1.final.svg", "keeps the name COM1"), ("a:b.png", "cannot contain :")):
            refused(f"the name {name}", 2, sentence, *shot, windows_path(folder / name))
        refused("a reserved name for a table", 2, "keeps the name CON", "sweep", "coalescing", "--device", "simt",
                "-o", windows_path(folder / "con.csv"))
        refused("a read-only folder", 2, "Cannot write", *shot, windows_path(read_only_folder(folder) / "x.png"))
        refused("a device is not read", 3, "no file NUL.ptx", "emulate", "NUL.ptx")
        refused("OpenGL 3.3", 4, "OpenGL 4.5", *shot, windows_path(folder / "x.png"),
                env=os.environ | {"MESA_GL_VERSION_OVERRIDE": "3.3"})
        refused("no compiler", 4, "nvrtc64_130_0.dll", "emulate", windows_path(plain),
                env=os.environ | {"CUDA_PATH": ""})
        refused("PDF", 2, "cannot write PDF", *shot, windows_path(folder / "x.pdf"))
        check("nothing is left beside the refused files", not list(folder.glob(".*")), list(folder.iterdir()))
        check_labs(folder)
        check_ctrl_c(folder)
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
