"""Makes the packages: one tree installed by CMake, given out as a Debian package, as an archive that
runs wherever it is unpacked, and as a Python wheel. Each is checked for the newest symbols that it asks
of a system, for its size and for its notices."""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

PACKAGING = pathlib.Path(__file__).resolve().parent
SOURCE = PACKAGING.parent.parent
MAX_BYTES = 25 * 1000 * 1000
SUMMARY = "Shows what a CUDA kernel really does, on a GPU or without one"
# (major, minor) of the newest glibc that a package may require: Ubuntu 22.04's.
NEWEST_GLIBC = (2, 35)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True,
                          capture_output=True, **options).stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def newest_symbols(tree):
    """For GLIBC and GLIBCXX: the newest version that a file of the tree asks for, and which file."""
    newest = {}
    for path in sorted(filter(is_elf, tree.rglob("*"))):
        for library, text in re.findall(r"\*UND\*.*\((GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\)",
                                        run("objdump", "-T", path)):
            version = tuple(map(int, text.split(".")))
            if version > newest.get(library, ((0,), ""))[0]:
                newest[library] = (version, path.name)
    return newest


def date_of_release():
    """Of the last change, so that the same sources give the same packages."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or
               run("git", "-C", SOURCE, "log", "-1", "--format=%ct").strip())


def archive(tree, name, output, date):
    def uniform(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = date
        return entry

    path = output / f"{name}.tar.xz"
    with tarfile.open(path, "w:xz") as file:
        for part in sorted(tree.rglob("*")):
            file.add(part, f"{name}/{part.relative_to(tree)}", recursive=False, filter=uniform)
    return path


def debian_package(tree, version, glibc, output, date):
    machine = run("dpkg", "--print-architecture").strip()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        os.chmod(root, 0o755)
        shutil.copytree(tree, root / "usr", symlinks=True)
        documents = root / "usr/share/doc/lanescope"
        (documents / "copyright").write_text(
            (documents / "LICENSE").read_text() +
            "\nThe work of others that it comes with: NOTICES.txt beside this file.\n")
        (documents / "LICENSE").unlink()
        kib = sum(part.stat().st_size for part in root.rglob("*")
                  if part.is_file() and not part.is_symlink()) // 1024
        control = root / "DEBIAN/control"
        control.parent.mkdir()
        control.write_text(f"""Package: lanescope
Version: {version}
Architecture: {machine}
Maintainer: The Lanescope authors <lanescope@localhost>
Installed-Size: {kib}
Depends: libc6 (>= {glibc})
Recommends: libegl1, libgl1, libgl1-mesa-dri, libnvrtc13 | cuda-nvrtc-13-0
Suggests: ffmpeg, python3
Section: education
Priority: optional
Description: {SUMMARY}
 The animated result of a kernel, the timing of every launch, and maps of warp
 divergence and memory traffic over the picture and over the source. Kernels
 are executed on an NVIDIA GPU, or by a lockstep machine on the processor whose
 counts are equal.
""")
        for part in root.rglob("*"):
            os.utime(part, (date, date), follow_symlinks=False)
        path = output / f"lanescope_{version}_{machine}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(date)})
    return path


def metadata(version):
    return f"""Metadata-Version: 2.1
Name: lanescope
Version: {version}
Summary: {SUMMARY}
License: MIT
Requires-Python: >=3.9
Provides-Extra: edit
Requires-Dist: nvidia-cuda-nvrtc==13.0.*; extra == "edit"
Requires-Dist: nvidia-cuda-runtime==13.0.*; extra == "edit"
Requires-Dist: nvidia-cuda-crt==13.0.*; extra == "edit"
Requires-Dist: nvidia-cuda-cccl==13.0.*; extra == "edit"
Requires-Dist: nvidia-cuda-nvcc==13.0.*; extra == "edit"
Requires-Dist: nvidia-cuda-nvdisasm==13.*; extra == "edit"
Provides-Extra: slides
Requires-Dist: python-pptx>=1.0; extra == "slides"
Description-Content-Type: text/plain

{SUMMARY}. `lanescope` opens the window, `lanescope --help` lists the commands; in a notebook,
`%load_ext lanescope`. The extra `edit` brings NVIDIA's compiler, so that you can run your own
kernels; the extra `slides` adds what `lanescope slide` needs for .pptx.
"""


def module(package):
    """The Python module as entries of a wheel: name in it -> (bytes, mode)."""
    return {f"lanescope/{part.relative_to(package)}": (part.read_bytes(), 0o644)
            for part in sorted(package.rglob("*")) if part.is_file()}


def wheel(tree, version, glibc, output, date):
    """The Python module with the program and its libraries inside."""
    home = tree / "lib/lanescope"
    entries = module(home / "python/lanescope")
    entries["lanescope/program/lanescope"] = ((home / "lanescope").read_bytes(), 0o755)
    for part in sorted((home / "runtime").rglob("lib*.so*")):
        entries[f"lanescope/program/{part.relative_to(home)}"] = (part.read_bytes(), 0o644)
    for part in sorted((home / "browser").iterdir()):
        entries[f"lanescope/program/browser/{part.name}"] = (part.read_bytes(), 0o644)
    for part in sorted((home / "manual").rglob("*.*")):
        entries[f"lanescope/program/{part.relative_to(home)}"] = (part.read_bytes(), 0o644)
    for part in sorted((home / "lib").iterdir()):
        entries[f"lanescope/program/lib/{part.name}"] = (part.read_bytes(), 0o755)
    system = f"manylinux_{glibc.replace('.', '_')}_{os.uname().machine}"
    return write_wheel(entries, tree / "share/doc/lanescope", version, system, output, date)


def write_wheel(entries, notices, version, system, output, date):
    """Adds the notices and what pip reads."""
    tag = f"py3-none-{system}"
    info = f"lanescope-{version}.dist-info"
    for name in ("LICENSE", "NOTICES.txt"):
        entries[f"{info}/licenses/{name}"] = ((notices / name).read_bytes(), 0o644)
    entries[f"{info}/METADATA"] = (metadata(version).encode(), 0o644)
    entries[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: lanescope\nRoot-Is-Purelib: false\n"
                                f"Tag: {tag}\n".encode(), 0o644)
    entries[f"{info}/entry_points.txt"] = (
        b"[console_scripts]\nlanescope = lanescope.__main__:main\n", 0o644)
    record = ""
    for name, (data, _) in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    entries[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    path = output / f"lanescope-{version}-{tag}.whl"
    write_zip(entries, path, date)
    return path


def write_zip(entries, path, date):
    stamp = time.gmtime(date)[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, (data, mode) in entries.items():
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, data)


def require_sizes(packages, max_bytes):
    """Prints the size of each package; ends the program if one is larger."""
    for path in packages:
        size = path.stat().st_size
        print(f"{path}: {size / 1e6:.1f} MB")
        if size > max_bytes:
            sys.exit(f"{path.name} is larger than {max_bytes / 1e6:.0f} MB.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    date = date_of_release()
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        run("cmake", "--install", options.build, "--prefix", tree)
        for_browsers = tree / "lib/lanescope/browser"
        if not (for_browsers / "lanescope.wasm").is_file():
            sys.exit("The program for browsers is not in the tree: build it with app/browser.sh.")
        if any("nvrtc" in part.name for part in tree.rglob("*")):
            sys.exit("NVRTC is in the tree: it is not ours to give out.")
        newest = newest_symbols(tree)
        for library, (version, name) in sorted(newest.items()):
            print(f"newest symbol of {library}: {'.'.join(map(str, version))} ({name})")
        if newest["GLIBC"][0] > NEWEST_GLIBC:
            sys.exit(f"A package asks for more than glibc {'.'.join(map(str, NEWEST_GLIBC))}.")
        glibc = ".".join(map(str, newest["GLIBC"][0][:2]))
        cache = (options.build / "CMakeCache.txt").read_text()
        cuda = re.search(r"^CUDAToolkit_BIN_DIR:PATH=(.*)$", cache, re.MULTILINE).group(1)
        opened = re.findall(r"^LANESCOPE_BUNDLE_[^:]*:\w+=(/.*)$", cache, re.MULTILINE)
        print(run(sys.executable, PACKAGING / "notices.py", "check", "--deps", SOURCE / ".deps",
                  "--cuda", f"{cuda}/..", options.build / "lanescope", "--bundled", *opened,
                  SOURCE / ".deps/mesa/libOSMesa.so.8",
                  SOURCE / ".deps/emscripten/usr/share/doc/emscripten/copyright").strip())
        names = sorted(path.name for path in (tree / "lib/lanescope/lib").iterdir())
        print(f"{len(names)} libraries beside the program: {', '.join(names)}")
        packages = [archive(tree, f"lanescope-{options.version}-{os.uname().machine}", options.output,
                            date),
                    debian_package(tree, options.version, glibc, options.output, date),
                    wheel(tree, options.version, glibc, options.output, date)]
    require_sizes(packages, MAX_BYTES)


if __name__ == "__main__":
    main()
