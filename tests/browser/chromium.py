"""Headless Chromium, driven by its DevTools protocol."""
import base64
import json
import pathlib
import time
import urllib.request

from browser import Browser

KEYS = {  # key: (code, virtual key)
    " ": ("Space", 32), "Enter": ("Enter", 13), "Escape": ("Escape", 27), "Tab": ("Tab", 9),
    "PageDown": ("PageDown", 34), "PageUp": ("PageUp", 33), "Home": ("Home", 36), "End": ("End", 35),
    "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38), "ArrowRight": ("ArrowRight", 39),
    "ArrowDown": ("ArrowDown", 40), ".": ("Period", 190),
    "Shift": ("ShiftLeft", 16), "Control": ("ControlLeft", 17),
}
BITS = {"Shift": 8, "Control": 2}


class Chromium(Browser):
    def __init__(self, width=1280, height=720):
        super().__init__(width, height)

    def command(self):
        width, height = self.size
        return ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0",
                "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                "--disable-background-networking", "--disable-dev-shm-usage",
                "--remote-allow-origins=*", "--mute-audio",
                f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"]

    def address(self):
        port_file = self.folder / "DevToolsActivePort"
        if not port_file.exists() or not port_file.read_text().strip():
            return None
        port = port_file.read_text().split()[0]
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        return next((one["webSocketDebuggerUrl"] for one in pages if one["type"] == "page"), None)

    def begin(self):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        width, height = self.size
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)

    def note(self, method, what):
        match method:
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

    def navigate(self, address):
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        made = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True)
        if "exceptionDetails" in made:
            raise RuntimeError(made["exceptionDetails"]["exception"].get("description", expression))
        return made["result"].get("value")

    def press_keys(self, held, key):
        modifiers = 0
        for name in held:
            modifiers |= BITS[name]
            self._key("rawKeyDown", name, modifiers)
        text = {" ": " ", "Enter": "\r", ".": "."}.get(key, "" if key in KEYS else key)
        if "Shift" in held and key not in KEYS:
            key = text = key.upper()
        if text and "Control" not in held:
            self._key("keyDown", key, modifiers, text=text)
        else:
            self._key("rawKeyDown", key, modifiers)
        self._key("keyUp", key, modifiers)
        for name in held:
            modifiers &= ~BITS[name]
            self._key("keyUp", name, modifiers)

    def _key(self, kind, key, modifiers, **more):
        code, number = KEYS.get(key) or (("Key" if key.isalpha() else "Digit") + key.upper(),
                                         ord(key.upper()))
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code,
                  windowsVirtualKeyCode=number, modifiers=modifiers, **more)

    def click(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def touch(self, moments):
        """Moves fingers through the positions [(x, y), …] of each moment, then lifts them."""
        for number, fingers in enumerate(moments):
            self.call("Input.dispatchTouchEvent", type="touchMove" if number else "touchStart",
                      touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)])
            time.sleep(0.05)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def drop(self, x, y, file):
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def picture(self, file):
        made = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(file).write_bytes(base64.b64decode(made["data"]))
