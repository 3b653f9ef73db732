"""Makes the packages for Windows of a folder that has the program, its notices, the manual and the Python
module: a zip that runs where it is unpacked, and a wheel. packages.py FOLDER --version V --output DIR."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import release  # noqa: E402

MAX_BYTES = 30 * 1000 * 1000
NOTICES = ("LICENSE", "NOTICES.txt")


def files(folder):
    return [part for part in sorted(folder.rglob("*")) if part.is_file() and "__pycache__" not in part.parts]


def mode(part):
    return 0o755 if part.suffix == ".exe" else 0o644


def archive(folder, output, date):
    entries = {f"{folder.name}/{part.relative_to(folder)}": (part.read_bytes(), mode(part))
               for part in files(folder)}
    path = output / f"{folder.name}.zip"
    release.write_zip(entries, path, date)
    return path


def wheel(folder, version, output, date):
    entries = release.module(folder / "python/lanescope")
    for part in files(folder):
        name = part.relative_to(folder)
        if name.parts[0] != "python" and str(name) not in NOTICES:
            entries[f"lanescope/program/{name}"] = (part.read_bytes(), mode(part))
    return release.write_wheel(entries, folder, version, "win_amd64", output, date)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if any("nvrtc" in part.name for part in files(options.folder)):
        sys.exit("NVRTC is in the folder: it is not ours to give out.")
    options.output.mkdir(parents=True, exist_ok=True)
    date = release.date_of_release()
    release.require_sizes([archive(options.folder, options.output, date),
                           wheel(options.folder, options.version, options.output, date)], MAX_BYTES)


if __name__ == "__main__":
    main()
