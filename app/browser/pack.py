"""Packs the program as a page holds it (app/browser/unpack.js): pack.py SCRIPT CODE PACKED. The whole is
the script's length in four bytes, the script and the code, whose operands stand apart from its
instructions, by their kinds: that packs better by a tenth."""
import lzma
import pathlib
import sys

STREAMS = ("begin", "end", "operations", "locals", "calls", "types", "labels", "offsets", "alignments",
           "numbers", "addresses", "long_numbers", "floats", "vectors", "lanes", "others")
LONG_CONSTANT = 0xe0  # replaces i32.const of three or more bytes, mostly addresses
ALIGNMENTS = bytes(map(int, "23230011001122332301012"))  # natural alignments, from i32.load on


class Code:
    def __init__(self, module):
        self.module = module
        self.at = 0
        self.streams = {name: bytearray() for name in STREAMS}

    def number(self):
        """Reads an unsigned number, which must not be encoded in more bytes than it needs."""
        begin, value, shift = self.at, 0, 0
        while True:
            byte = self.module[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                assert byte != 0 or self.at - begin == 1, "a number encoded in more bytes than it needs"
                return value

    def skipped(self, count=1):
        begin = self.at
        for _ in range(count):
            while self.module[self.at] >= 128:
                self.at += 1
            self.at += 1
        return self.module[begin:self.at]

    def move(self, stream, count=1):
        """So many numbers."""
        self.streams[stream] += self.skipped(count)

    def move_bytes(self, stream, count):
        self.streams[stream] += self.module[self.at:self.at + count]
        self.at += count

    def move_number(self, stream):
        begin = self.at
        value = self.number()
        self.streams[stream] += self.module[begin:self.at]
        return value

    def split(self):
        module, begin = self.module, 8
        while True:
            self.at = begin + 1
            bytes_of_section = self.number()
            if module[begin] == 10:
                break
            begin = self.at + bytes_of_section
        end = self.at + bytes_of_section
        self.streams["begin"] += module[:begin]
        self.streams["end"] += module[end:]
        functions = self.move_number("others")
        for _ in range(functions):
            self.function()
        assert self.at == end
        return b"".join(len(part).to_bytes(4, "little") for part in (module, *self.streams.values())) + \
            b"".join(self.streams.values())

    def function(self):
        end = self.number()
        end += self.at
        for _ in range(self.move_number("others")):
            self.move("others")
            self.move_bytes("others", 1)
        recent = []
        while self.at < end:
            self.operation(recent)

    def local(self, recent):
        """How many others were used since it was used last."""
        local = self.number()
        recent.extend(range(len(recent), local + 1))
        place = recent.index(local)
        recent.insert(0, recent.pop(place))
        while place >= 128:
            self.streams["locals"].append(place & 127 | 128)
            place >>= 7
        self.streams["locals"].append(place)

    def operation(self, recent):
        code = self.module[self.at]
        self.at += 1
        if code == 0x41:
            constant = self.skipped()
            self.streams["operations"].append(code if len(constant) < 3 else LONG_CONSTANT)
            self.streams["numbers" if len(constant) < 3 else "addresses"] += constant
            return
        assert code != LONG_CONSTANT
        self.streams["operations"].append(code)
        if code in (0x02, 0x03, 0x04, 0x06):
            self.move("types")
        elif code in (0x07, 0x08, 0x09, 0x0c, 0x0d, 0x18):
            self.move("labels")
        elif code == 0x0e:
            self.move("labels", self.move_number("labels") + 1)
        elif code == 0x10:
            self.move("calls")
        elif code == 0x11:
            self.move("types", 2)
        elif code in (0x20, 0x21, 0x22):
            self.local(recent)
        elif code in (0x23, 0x24, 0x3f, 0x40, 0xd2):
            self.move("others")
        elif 0x28 <= code <= 0x3e:
            self.streams["alignments"].append(self.module[self.at] ^ ALIGNMENTS[code - 0x28])
            self.at += 1
            self.move("offsets")
        elif code == 0x42:
            self.move("long_numbers")
        elif code in (0x43, 0x44):
            self.move_bytes("floats", 4 if code == 0x43 else 8)
        elif code == 0x1c:
            self.move_bytes("others", self.move_number("others"))
        elif code == 0xfc:
            self.move("others", {8: 2, 9: 1, 10: 2, 11: 1}.get(self.move_number("others"), 0))
        elif code == 0xfd:
            self.vector(self.move_number("vectors"))
        else:
            assert code in (0x00, 0x01, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b) or 0x45 <= code <= 0xc4, code

    def vector(self, code):
        if code < 12 or code in (92, 93) or 84 <= code <= 91:
            self.move("lanes", 2)
        if code in (12, 13):
            self.move_bytes("lanes", 16)
        if 21 <= code <= 34 or 84 <= code <= 91:
            self.move_bytes("lanes", 1)


script, module = (pathlib.Path(file).read_bytes() for file in sys.argv[1:3])
whole = len(script).to_bytes(4, "little") + script + Code(module).split()
# pb=0 (no position bits): neither WebAssembly's code nor its data is aligned.
method = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 24, "pb": 0,
          "nice_len": 273}
packed = bytearray(lzma.compress(whole, format=lzma.FORMAT_ALONE, filters=[method]))
packed[5:13] = len(whole).to_bytes(8, "little")  # placeholder filled in here
pathlib.Path(sys.argv[3]).write_bytes(packed)
