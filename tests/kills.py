#!/usr/bin/env python3
"""Ends the program with TERM, INT, HUP and KILL at random moments of editing, painting, recording and saving, on a virtual display,
and restarts it: at most the last half second may be lost, and the window must report what it recovered.

    tests/kills.py PROGRAM [COUNT [SEED [AT_ONCE]]]       needs Xvfb and xdotool; ffmpeg for videos

Runs COUNT (1000) kills in AT_ONCE (1) parallel rows, each with a separate display and seeded with SEED, SEED + 1 and so on. Prints a
line for each loss and a table at the end, even after TERM or INT; exits with 1 if anything was lost.
"""
import collections
import concurrent.futures
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KEPT_S = 0.5
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]
KERNEL = """__global__ void scale(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
"""


class Screen:
    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "960x540x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        self.name = ":" + os.read(read, 16).decode().strip()

    def do(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env={**os.environ, "DISPLAY": self.name}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)


def as_started_by_hand():
    for one in SIGNALS[:3]: # may be ignored if this runs in the background
        signal.signal(one, signal.SIG_DFL)


class Program:
    running = []

    def __init__(self, path, screen, folder, arguments):
        self.report_file = os.path.join(folder, "report.json")
        if os.path.exists(self.report_file):
            os.remove(self.report_file)
        self.process = subprocess.Popen(
            [path, "--device", "simt", "--size", "960x540", "--report", self.report_file, *arguments], cwd=folder,
            env={**os.environ, "DISPLAY": screen.name, "XDG_STATE_HOME": os.path.join(folder, "state"),
                 "XDG_CONFIG_HOME": folder}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=as_started_by_hand)
        Program.running.append(self)
        self.wait("a picture", lambda r: True)
        screen.do("search", "--sync", "--name", "Lanescope", "windowfocus", "--sync")

    def report(self):
        try:
            with open(self.report_file) as file:
                return json.load(file)
        except (OSError, ValueError):
            return {"first_picture_s": 0}

    def wait(self, what, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            report = self.report()
            if report["first_picture_s"] > 0 and condition(report):
                return report
            if self.process.poll() is not None:
                raise RuntimeError(f"the program ended with status {self.process.returncode} before {what}")
            time.sleep(0.02)
        report = self.report()
        raise RuntimeError(f"no {what} within {seconds} s: notice {report.get('notice')!r}, error {report.get('error')!r}")

    def end(self, how):
        self.process.send_signal(how)
        at = time.time()
        self.process.wait(60)
        return at


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def edit(path, screen, folder, how, rng):
    kernel = os.path.join(folder, "scale.cu")
    with open(kernel, "w") as file:
        file.write(KERNEL)
    program = Program(path, screen, folder, [kernel])
    screen.do("key", "ctrl+e")
    program.wait("editor", lambda r: r["code"]["editing"])
    screen.do("key", "ctrl+End")
    screen.do("type", "//")
    typed = []
    end = time.time() + rng.uniform(0.2, 1.6)
    while time.time() < end:
        word = f"w{len(typed):04d} "
        screen.do("type", "--delay", "1", word)
        typed.append((time.time(), word.strip()))
    at = program.end(how)
    again = Program(path, screen, folder, [kernel])
    wanted = [word for when, word in typed if when < at - KEPT_S]
    try:
        report = again.wait("last word", lambda r: not wanted or wanted[-1] in r["code"]["text"], 20)
    except RuntimeError:
        found = re.findall(r"w\d{4}", again.report()["code"]["text"])
        raise AssertionError(f"typed until {wanted[-1]}, recovered {found[-1:]}")
    finally:
        said = again.report().get("notice", "")
    expect(not wanted or "Recovered" in said, f"nothing was said of {report['code']['text'][-20:]!r}: {said!r}")


def paint(path, screen, folder, how, rng):
    program = Program(path, screen, folder, ["--lab", "heat", "--set", "size=64"])
    screen.do("key", "space")
    program.wait("pause", lambda r: r["paused"])
    screen.do("mousemove", "--sync", 200, 200)
    screen.do("mousedown", 1)
    seen = []
    end = time.time() + rng.uniform(0.2, 1.6)
    while time.time() < end:
        screen.do("mousemove", rng.randint(150, 400), rng.randint(150, 350))
        report = program.report()
        if "session" in report:
            seen.append((time.time(), len(report["session"].get("events", []))))
    at = program.end(how)
    screen.do("mouseup", 1)
    wanted = max([count for when, count in seen if when < at - KEPT_S], default=0)
    again = Program(path, screen, folder, [])
    try:
        report = again.wait("strokes", lambda r: len(r.get("session", {}).get("events", [])) >= wanted, 20)
    except RuntimeError:
        raise AssertionError(f"{wanted} strokes, recovered {len(again.report().get('session', {}).get('events', []))}")
    finally:
        said = again.report().get("notice", "")
    expect(wanted == 0 or "Recovered" in said, f"nothing was said of {len(report['session']['events'])} strokes")


def whole(file):
    with open(file, "rb") as content:
        data = content.read()
    if file.endswith(".json"):
        json.loads(data)
        return True
    return data.endswith(b"IEND\xaeB`\x82") if file.endswith(".png") else b"moov" in data


def record(path, screen, folder, how, rng):
    arguments = ["--lab", "heat", "--set", "size=48"]
    program = Program(path, screen, folder, arguments)
    screen.do("key", rng.choice(["r", "shift+r"]))
    program.wait("frames", lambda r: r["recording"] >= 2)
    time.sleep(rng.uniform(0, 1))
    program.end(how)
    again = Program(path, screen, folder, arguments)
    if how == signal.SIGKILL:
        again.wait("word of recovery", lambda r: "Recovered" in r["notice"], 30)
    videos = [name for name in os.listdir(folder) if name.endswith(".mp4")]
    expect(len(videos) == 1 and whole(os.path.join(folder, videos[0])), f"no whole video: {os.listdir(folder)}")


def save(path, screen, folder, how, rng):
    program = Program(path, screen, folder, ["--lab", "heat", "--set", "size=96"])
    asked = time.time()
    for _ in range(rng.randint(1, 3)):
        screen.do("key", rng.choice(["s", "ctrl+s", "shift+s"]))
    time.sleep(rng.uniform(0, 1))
    at = program.end(how)
    files = [name for name in os.listdir(folder) if name.startswith("lanescope-")]
    for name in files:
        expect(whole(os.path.join(folder, name)), f"{name} is not whole")
    expect(files or how == signal.SIGKILL and at - asked < 1.5, "what was asked for is not there")
    Program(path, screen, folder, [])


def on_end(handler):
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, handler)


def interrupt(*_):
    on_end(signal.SIG_IGN) # once is enough
    raise KeyboardInterrupt


def end_again_and_again(path, count, seed):
    """Number of kills per activity and signal, and number of losses."""
    on_end(interrupt)
    rng = random.Random(seed)
    screen = Screen()
    actions = [edit, paint, save] + ([record] if shutil.which("ffmpeg") else [])
    done, lost = collections.Counter(), collections.Counter()
    try:
        for number in range(count):
            what, how = rng.choice(actions), rng.choice(SIGNALS)
            key = (what.__name__, how.name)
            folder = tempfile.mkdtemp(prefix="lanescope-kills-")
            try:
                what(path, screen, folder, how, rng)
            except (AssertionError, RuntimeError, subprocess.SubprocessError) as reason:
                lost[key] += 1
                print(f"{number}: {' '.join(key)}: {reason}", flush=True)
            finally:
                for program in Program.running:
                    program.process.kill()
                    program.process.wait()
                Program.running.clear()
                shutil.rmtree(folder, ignore_errors=True)
            done[key] += 1
    except KeyboardInterrupt:
        pass
    finally:
        on_end(signal.SIG_IGN)
        screen.server.kill()
    return done, lost


def main():
    path = os.path.abspath(sys.argv[1])
    count, seed, at_once = (int(given) for given in (sys.argv[2:] + ["1000", "1", "1"][len(sys.argv) - 2:]))
    if not shutil.which("ffmpeg"):
        print("no ffmpeg: nothing is recorded", flush=True)

    def end_rows(how, _): # prints the table even after an early end
        for row in multiprocessing.active_children():
            os.kill(row.pid, how)

    done, lost = collections.Counter(), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(at_once, multiprocessing.get_context("fork")) as rows:
        shares = [count // at_once + (row < count % at_once) for row in range(at_once)]
        results = [rows.submit(end_again_and_again, path, share, seed + row) for row, share in enumerate(shares)]
        on_end(end_rows)
        for result in results:
            done.update(result.result()[0])
            lost.update(result.result()[1])
    print(f"{'what':8} " + " ".join(f"{how.name:>9}" for how in SIGNALS) + "    (ended, lost)")
    for what in ["edit", "paint", "record", "save"]:
        print(f"{what:8} " + " ".join(f"{done[what, how.name]:5},{lost[what, how.name]:3}" for how in SIGNALS))
    print(f"{sum(done.values())} ended, {sum(lost.values())} with a loss")
    sys.exit(1 if lost else 0)


main()
