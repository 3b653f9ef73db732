"""Packs the program as a page holds it (app/browser/unpack.js): pack.py SCRIPT CODE PACKED. The whole is
the script's length in four bytes, the script and the code."""
import lzma
import pathlib
import sys

script, code = (pathlib.Path(file).read_bytes() for file in sys.argv[1:3])
whole = len(script).to_bytes(4, "little") + script + code
# WebAssembly's code and data are aligned to nothing.
method = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 24, "pb": 0}
packed = bytearray(lzma.compress(whole, format=lzma.FORMAT_ALONE, filters=[method]))
packed[5:13] = len(whole).to_bytes(8, "little")  # which is left open there
pathlib.Path(sys.argv[3]).write_bytes(packed)
