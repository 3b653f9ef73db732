#!/usr/bin/python3
"""`lanescope.page(…)` as a notebook shows it, in a page without Python: the picture is shown, tapped,
and becomes live. notebook.py PROGRAM [--browser firefox] [--pictures FOLDER]; LANESCOPE_BROWSER names the build."""
import os
import pathlib
import sys
import tempfile
import time

from tried import arguments

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "app/packaging/python"))
import lanescope

FRAME = "document.querySelector('iframe')?.contentWindow"


def main():
    program, new_browser, tried = arguments(__doc__)
    os.environ["LANESCOPE_PROGRAM"] = str(program)
    made = lanescope.page("transpose/tile", map="bank_conflicts", device="simt")
    with tempfile.TemporaryDirectory() as folder, new_browser() as browser:
        notebook = pathlib.Path(folder) / "notebook.html"
        notebook.write_text("<!doctype html><meta charset='utf-8'><link rel='icon' href='data:,'>"
                            f"<p>In [1]: a cell</p>{made._repr_html_()}", encoding="utf-8")
        browser.open(notebook.as_uri())
        browser.wait_for(f"{FRAME}?.document.querySelector('img')?.complete ?? false")
        tried.check(browser.evaluate(f"{FRAME}.document.body.innerText.includes('Matrix transpose')"),
                    "its words are there")
        x, y = browser.evaluate(
            f"(() => {{ const frame = document.querySelector('iframe').getBoundingClientRect();"
            f"const it = {FRAME}.document.querySelector('figure').getBoundingClientRect();"
            "return [frame.x + it.x + it.width / 2, frame.y + it.y + it.height / 2]; })()")
        browser.tap(x, y)
        browser.wait_for(f"{FRAME}?.program?.FS !== undefined", 90)
        time.sleep(5)
        tried.picture(browser, "notebook")
        tried.check(browser.evaluate(f"{FRAME}.document.querySelector('canvas').width > 600"),
                    "it lives when it is tapped")
        tried.check(not browser.complaints, f"nothing on the console {browser.complaints or ''}")
        tried.check(all(one.startswith(("file:", "data:", "blob:", "about:")) for one in browser.requests),
                    "no request to an address")
    tried.end()


main()
