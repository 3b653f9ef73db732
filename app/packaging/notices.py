"""Third-party notices: which component a linked or bundled file belongs to, and its licence's text.

`make` writes the notices of the files that it is given, and of every shared library that these need.
`check` looks at what a build really did, the headers that its objects included and the files that the
linker took, and fails when one of their components has no notice.
"""

import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DPKG = pathlib.Path("/var/lib/dpkg/info")
COMMON = pathlib.Path("/usr/share/common-licenses")
# The C library and the kernel headers come from the machine: neither linked in nor bundled.
OF_THE_SYSTEM = {"glibc", "linux"}
HEADING = "======== "
NOT_FOUND = "Its licence text was not found where this was built: it stands with the system's package.\n"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def spellings(path):
    """A file's names in a package's list: /lib and /usr/lib are one folder on newer systems."""
    return {path, path.removeprefix("/usr")}


def owners(paths):
    """The Debian package of each path that has one."""
    wanted = {name: path for path in paths for name in spellings(path)}
    found = {}
    for listing in DPKG.glob("*.list"):
        for line in listing.read_text(errors="replace").splitlines():
            if line in wanted:
                found.setdefault(wanted[line], listing.stem)
    return found


@functools.cache
def source_of(package):
    """(source package, upstream version) of a Debian package."""
    return tuple(run("dpkg-query", "-W", "-f", "${source:Package}\t${source:Upstream-Version}",
                     package).split("\t"))


def read(path):
    return path.read_text(encoding="utf-8", errors="replace").strip() + "\n"


def copyright_of(package):
    path = pathlib.Path("/usr/share/doc") / package.split(":")[0] / "copyright"
    return read(path) if path.exists() else None


def first_comment(path):
    found = re.search(r"/\*.*?\*/", read(path), re.DOTALL)
    return found.group(0) + "\n" if found else None


def of_cuda(root, part):
    """A part of the CUDA toolkit: its wheel says version and licence, or the toolkit's agreement."""
    for wheel in sorted(root.glob(f"dist-info/nvidia_{part}-*")):
        for path in sorted(wheel.rglob("[Ll][Ii][Cc][Ee][Nn][Ss][Ee]*.*")):
            return Component(part.replace("_", "-"), wheel.name.split("-")[1].removesuffix(".dist"),
                             read(path))
    agreement = root / "EULA.txt"
    return Component(part.replace("_", "-"), "", read(agreement) if agreement.exists() else None)


class Component:
    def __init__(self, name, version, text):
        self.name, self.version, self.text = name, version, text


class Finder:
    """Says which component a file belongs to. `deps` is where app/setup.sh puts what it fetches,
    `cuda` the CUDA toolkit's folder."""

    def __init__(self, deps, cuda):
        self.deps = pathlib.Path(deps).resolve()
        self.cuda = pathlib.Path(cuda).resolve()

    def fetched(self, path):
        """The component of what is no package's, or None."""
        real = pathlib.Path(path).resolve()
        if self.deps / "imgui" in real.parents:
            version = re.search(r'IMGUI_VERSION\s+"(.*?)"', read(self.deps / "imgui/imgui.h"))
            return Component("dear-imgui", version.group(1), read(self.deps / "imgui/LICENSE.txt"))
        if self.deps / "glad" in real.parents:
            header = read(self.deps / "glad/include/glad/gl.h")
            version = re.search(r"glad (\S+)", header).group(1)
            text = (first_comment(self.deps / "glad/include/glad/gl.h") + "\n" +
                    first_comment(self.deps / "glad/include/KHR/khrplatform.h"))
            return Component("glad", version, text)
        if self.deps / "emscripten" in real.parents:
            status = read(self.deps / "emscripten/var/lib/dpkg/status")
            version = re.search(r"^Package: emscripten\n(?:.+\n)*?Version: (\S+)", status, re.MULTILINE)
            return Component("emscripten", version.group(1), read(real))
        if self.deps / "mesa" in real.parents:
            return Component("mesa", read(self.deps / "mesa/VERSION").strip(),
                             read(self.deps / "mesa/license.rst"))
        if self.cuda in real.parents:
            if "cccl" in real.parts or "cub" in real.parts or "thrust" in real.parts:
                return of_cuda(self.cuda, "cuda_cccl")
            return of_cuda(self.cuda, "cuda_runtime")
        return None

    def components(self, paths):
        """name -> Component, and the paths that belong to none."""
        found, rest = {}, []
        for path in sorted({os.path.realpath(path) for path in paths}):
            component = self.fetched(path)
            if component:
                found.setdefault(component.name, component)
            else:
                rest.append(path)
        packages = owners(rest) if DPKG.is_dir() else {}
        for package in sorted(set(packages.values())):
            name, version = source_of(package)
            if name in OF_THE_SYSTEM:
                continue
            text = copyright_of(package)
            if name not in found or found[name].text is None:
                found[name] = Component(name, version, text)
        return found, [path for path in rest if path not in packages]


def needed_by(path):
    """The shared libraries that a program or library needs, theirs included."""
    return {match.group(1) for line in run("ldd", path).splitlines()
            if (match := re.search(r"=> (/\S+)", line))}


def notices(components, strangers):
    common = {}
    parts = ["Lanescope contains or comes with the work of others, under their licences. Each part\n"
             "begins with the component's name and version.\n"]
    everything = list(components.values())
    everything += [Component(os.path.basename(path), "", None) for path in strangers]
    for component in sorted(everything, key=lambda each: each.name):
        heading = f"{HEADING}{component.name} {component.version}".rstrip()
        parts.append(f"\n{heading}\n\n{component.text or NOT_FOUND}")
        for name in re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", component.text or ""):
            path = (COMMON / name).resolve()
            if path.exists():
                common[path.name] = read(path)
    for name, text in sorted(common.items()):
        parts.append(f"\n{HEADING}the licence {name}, named above\n\n{text}")
    return "".join(parts)


def make(options):
    finder = Finder(options.deps, options.cuda)
    files = set(options.files)
    for path in list(files):
        if ".so" in os.path.basename(path):
            files |= needed_by(path)
    components, strangers = finder.components(files)
    pathlib.Path(options.output).write_text(notices(components, strangers), encoding="utf-8")


def headers_of_build(build):
    """What the program's objects really included, the tests' own left out."""
    included = set()
    wanted = False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith("    "):
            if wanted:
                included.add(line.strip())
        elif line:
            wanted = not re.match(r"tests/|CMakeFiles/headers|.*_bench", line)
    for written in (pathlib.Path(build) / "compute").glob("*.o.d"):  # written by nvcc
        included.update(word for word in read(written).split() if word.startswith("/"))
    source = os.path.dirname(build)
    paths = {os.path.normpath(os.path.join(build, path)) for path in included}
    return {path for path in paths if not path.startswith(source + "/") or "/.deps/" in path}


def fonts_of_build(build):
    cache = read(pathlib.Path(build) / "CMakeCache.txt")
    return set(re.findall(r"^LANESCOPE_FONT_[^=]*=(.*)$", cache, re.MULTILINE))


def linked_into(build, program):
    """The archives, objects and shared libraries that the linker took for the program."""
    command = run("ninja", "-C", build, "-t", "commands", program).splitlines()[-1]
    command = re.sub(r"-o \S+", "-o /dev/null", command.split("&& ", 1)[1].split(" && ")[0], count=1)
    command = re.sub(r"\S*ccache ", "", command)
    with tempfile.TemporaryDirectory() as folder:
        trace = subprocess.run(f"{command} -Wl,--trace -o {folder}/x", shell=True, cwd=build,
                               check=True, capture_output=True, text=True).stdout
    taken = {re.sub(r"\(.*", "", line) for line in trace.split("\n")}
    return {os.path.abspath(path) for path in taken if path.startswith("/") and os.path.isfile(path)}


def unnoticed(text, components):
    headings = {line[len(HEADING):].split(" ")[0] for line in text.splitlines()
                if line.startswith(HEADING)}
    return sorted(name for name in components if name not in headings)


def check(options):
    text = run(options.program, "--licenses")
    build = os.path.dirname(os.path.abspath(options.program))
    finder = Finder(options.deps, options.cuda)
    files = headers_of_build(build) | fonts_of_build(build) | needed_by(options.program)
    files |= linked_into(build, os.path.basename(options.program))
    for path in options.bundled:
        files.add(path)
        if ".so" in os.path.basename(path):
            files |= needed_by(path)
    components, _ = finder.components({path for path in files
                                       if not path.startswith(build + "/")})
    if len(components) < 15:
        sys.exit(f"Only {len(components)} components were found in this build: the search is wrong.")
    missing = unnoticed(text, components)
    if missing:
        sys.exit(f"`lanescope --licenses` has no notice of {', '.join(missing)}.")
    if NOT_FOUND in text:
        sys.exit("`lanescope --licenses` lacks the text of a licence: search it for "
                 f"\"{NOT_FOUND.split(':')[0]}\".")
    # Test of the check itself: it must fail when any one notice is missing.
    for name in components:
        poorer = text.replace(f"{HEADING}{name}", f"{HEADING}removed")
        if unnoticed(poorer, components) != [name]:
            sys.exit(f"The notice of {name} could be removed and nobody would see.")
    if "MIT License" not in text or "The Lanescope authors" not in text:
        sys.exit("`lanescope --licenses` does not say Lanescope's own licence.")
    print(f"{len(components)} components, each with its notice: {', '.join(sorted(components))}")


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    maker = commands.add_parser("make")
    maker.add_argument("--output", required=True)
    maker.add_argument("files", nargs="+")
    maker.set_defaults(do=make)
    checker = commands.add_parser("check")
    checker.add_argument("program")
    checker.add_argument("--bundled", nargs="*", default=[], help="libraries that packages bring")
    checker.set_defaults(do=check)
    for each in (maker, checker):
        each.add_argument("--deps", required=True)
        each.add_argument("--cuda", required=True)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
