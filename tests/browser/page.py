#!/usr/bin/python3
"""Pages made by `lanescope page`, opened from disk in a browser: text that can be searched and
selected, a still picture that becomes live when tapped, a lecture presented with keys and with
touch from its first beat to its last, and no network requests.
page.py PROGRAM [--browser firefox] [--pictures FOLDER]; LANESCOPE_BROWSER names the build."""
import json
import pathlib
import subprocess
import tempfile
import time

from tried import arguments

LECTURE = pathlib.Path(__file__).parents[2] / "assets/lectures/what_a_warp_pays.lecture"
MAX_BYTES = 2.0e6
# Makes the program write its report about itself, as --report does.
REPORTS = """(() => {
    let make = globalThis.lanescope; // or what a script of the page's makes later
    const reporting = async about => {
        const program = await make(about);
        const call = program.callMain;
        program.callMain = words => call([...words, '--report', '/report.json']);
        return program;
    };
    if (make) lanescope = reporting;
    else Object.defineProperty(globalThis, 'lanescope', { get: () => reporting, set: is => { make = is; } });
})()"""
READ = "JSON.parse(new TextDecoder().decode(program.FS.readFile('/report.json')))"
TALK = f"{READ}.talk"
IS_THERE = "(globalThis.program?.FS?.analyzePath('/report.json').exists ?? false)"


def is_found(browser, text):
    return browser.evaluate(f"(getSelection().removeAllRanges(), find({json.dumps(text)}))")


def middle_of(browser, what):
    return browser.evaluate(
        f"(() => {{ const it = document.querySelector('{what}'); it.scrollIntoView({{block: 'center'}});"
        "const r = it.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")


def asks_nobody(browser):
    return bool(browser.requests) and all(
        one.startswith(("file:", "data:", "blob:")) or one == "about:blank" for one in browser.requests)


# Waits up to `seconds` until the screen differs.
def changes(browser, folder, seconds=60):
    before, now = folder / "before.png", folder / "now.png"
    browser.picture(before)
    until = time.time() + seconds
    while time.time() < until:
        time.sleep(0.5)
        browser.picture(now)
        if now.read_bytes() != before.read_bytes():
            return True
    return False


def open_page(tried, browser, page):
    begin = time.time()
    browser.open(page.as_uri())
    browser.wait_for("document.querySelector('img')?.complete ?? false")
    print(f"          {page.stat().st_size / 1e6:.1f} MB, first picture after {time.time() - begin:.1f} s",
          flush=True)


def sessions(tried, browser, program, folder):
    picture = folder / "transpose.png"
    subprocess.run([program, "shot", "transpose/tile", "--map", "bank_conflicts", "-o", picture],
                   check=True, stdout=subprocess.DEVNULL)
    page = folder / "lesson.html"
    subprocess.run([program, "page", picture, "-o", page], check=True, stdout=subprocess.DEVNULL)
    tried.check(page.stat().st_size <= MAX_BYTES, "a page of a session is small")
    open_page(tried, browser, page)
    tried.check(is_found(browser, "Matrix transpose"), "its words are found")
    browser.evaluate(REPORTS)
    begin = time.time()
    browser.click(*middle_of(browser, "figure"))
    browser.wait_for(f"{IS_THERE} && {READ}.first_picture_s > 0", 90)
    print(f"          first picture of its own {time.time() - begin:.1f} s after the click", flush=True)
    tried.check(changes(browser, folder), "it lives when it is clicked")
    time.sleep(3)
    tried.picture(browser, "page_session")
    tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")
    tried.check(asks_nobody(browser), "no request to an address")


# Advances through all beats in order by calling the given function; returns those that were shown.
def go_through(browser, go_on):
    beats = browser.evaluate(TALK)["beats"]
    seen = [browser.evaluate(TALK)["beat"]]
    for _ in range(3 * beats): # questions are revealed before the next beat
        before = browser.evaluate(f"JSON.stringify({TALK})")
        go_on()
        until = time.time() + 60
        while browser.evaluate(f"JSON.stringify({TALK})") == before and time.time() < until:
            time.sleep(0.1)
        beat = browser.evaluate(TALK).get("beat")
        if beat != seen[-1]:
            seen.append(beat)
        if beat == beats - 1 or time.time() >= until:
            break
    return beats, seen


def lecture(tried, browser, program, folder):
    page = folder / "lecture.html"
    subprocess.run([program, "page", LECTURE, "-o", page], check=True, stdout=subprocess.DEVNULL)
    titles = [line.split(":", 1)[1].strip() for line in LECTURE.read_text().splitlines()
              if line.startswith("beat:")]
    for how in ("keys", "touch"):
        open_page(tried, browser, page)
        if how == "keys":
            tried.check(len(titles) == 30 and all(is_found(browser, title) for title in titles),
                        f"{len(titles)} beats, each found by its title")
            selected = browser.evaluate("(getSelection().selectAllChildren(document.querySelector("
                                        "'main')), getSelection().toString())")
            tried.check(all(title in selected for title in titles), "and selected")
        browser.evaluate(REPORTS)
        middle = middle_of(browser, "figure")
        browser.click(*middle) if how == "keys" else browser.tap(*middle)
        browser.wait_for(IS_THERE, 90)
        browser.wait_for(f"{TALK}.beats > 0", 60)
        if how == "keys":
            beats, seen = go_through(browser, lambda: browser.press("PageDown"))
        else:
            button = middle_of(browser, "nav button + button")
            beats, seen = go_through(browser, lambda: browser.tap(*button))
        tried.check(beats == 30 and seen == list(range(beats)),
                    f"{beats} beats by {how}, from first to last {'' if len(seen) == beats else seen}")
        time.sleep(2)
        tried.picture(browser, f"page_lecture_{how}")
        tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")
        tried.check(asks_nobody(browser), "no request to an address")


def main():
    program, new_browser, tried = arguments(__doc__)
    with tempfile.TemporaryDirectory() as made, new_browser() as browser:
        sessions(tried, browser, program, pathlib.Path(made))
        lecture(tried, browser, program, pathlib.Path(made))
    tried.end()


main()
