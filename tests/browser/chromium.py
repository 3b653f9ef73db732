"""Headless Chromium, driven by its DevTools protocol: pages are opened, keys pressed, pictures taken,
and what a console or an exception says is kept."""
import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

import websocket

KEYS = {  # key: (code, virtual key)
    " ": ("Space", 32), "Enter": ("Enter", 13), "Escape": ("Escape", 27), "Tab": ("Tab", 9),
    "PageDown": ("PageDown", 34), "PageUp": ("PageUp", 33), "Home": ("Home", 36), "End": ("End", 35),
    "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38), "ArrowRight": ("ArrowRight", 39),
    "ArrowDown": ("ArrowDown", 40), ".": ("Period", 190),
}
SHIFT, CTRL = 8, 2


class Chromium:
    def __init__(self, width=1280, height=720):
        self.folder = tempfile.mkdtemp(prefix="lanescope-chromium-")
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
             "--disable-background-networking", "--remote-allow-origins=*", "--mute-audio",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(self.folder, "DevToolsActivePort")
        until = time.time() + 60
        while not port_file.exists() or not port_file.read_text().strip():
            if time.time() > until or self.process.poll() is not None:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.1)
        port = port_file.read_text().split()[0]
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        page = next(one for one in pages if one["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=120,
                                                  max_size=None)
        self.number = 0
        self.complaints = []  # of the console, and exceptions
        self.requests = []  # addresses
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        what = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                self.complaints.append(details.get("exception", {}).get("description", details["text"]))
            case "Runtime.consoleAPICalled" if what["type"] in ("error", "warning", "assert"):
                self.complaints.append(" ".join(str(one.get("value", one.get("description")))
                                                for one in what["args"]))
            case "Log.entryAdded" if what["entry"]["level"] in ("error", "warning"):
                self.complaints.append(what["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(what["request"]["url"])

    def open(self, address):
        self.complaints, self.requests = [], []
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        made = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True)
        if "exceptionDetails" in made:
            raise RuntimeError(made["exceptionDetails"]["exception"].get("description", expression))
        return made["result"].get("value")

    def wait_for(self, expression, seconds=60):
        until = time.time() + seconds
        while not self.evaluate(expression):
            if time.time() > until:
                raise RuntimeError(f"not within {seconds} s: {expression}; {self.complaints}")
            time.sleep(0.05)

    def press(self, key, modifiers=0):
        """A key with those that are held meanwhile, each as an event of its own, as from a keyboard."""
        held = [(name, code, number, bit) for name, code, number, bit in
                (("Shift", "ShiftLeft", 16, SHIFT), ("Control", "ControlLeft", 17, CTRL))
                if modifiers & bit]
        for name, code, number, _ in held:
            self.call("Input.dispatchKeyEvent", type="rawKeyDown", key=name, code=code,
                      windowsVirtualKeyCode=number, modifiers=modifiers)
        self._press(key, modifiers)
        for name, code, number, bit in held:
            modifiers &= ~bit
            self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=code,
                      windowsVirtualKeyCode=number, modifiers=modifiers)

    def _press(self, key, modifiers):
        if key in KEYS:
            code, number = KEYS[key]
            text = {" ": " ", "Enter": "\r", ".": "."}.get(key, "")
        else:
            code = ("Key" if key.isalpha() else "Digit") + key.upper()
            number = ord(key.upper())
            text = key.upper() if modifiers & SHIFT else key.lower()
            key = text
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        if text and not modifiers & CTRL:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        else:
            self.call("Input.dispatchKeyEvent", type="rawKeyDown", **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def picture(self, file):
        made = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(file).write_bytes(base64.b64decode(made["data"]))
