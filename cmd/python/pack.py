#!/usr/bin/env python3
"""Packs the wheel of the package mtrace: the Python files of this folder, the tool, the library and, on Linux, the
software Metal.

    pack.py BUILT OUT VERSION      BUILT is bin/, bin/darwin/ or an unpacked release archive; prints the wheel's path

It is also the package's PEP 517 backend. It needs nothing but Python, so pip can build the package without a network.
Equal files give equal wheels.
"""
import base64
import hashlib
import os
import re
import struct
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("mtrace-selftest", "rawmetal")  # of mtrace doctor and mtrace bench
MOMENT = (1980, 1, 1, 0, 0, 0)


def glibc(paths):
    """The version of the C library that programs for Linux need: the newest that a symbol of theirs names."""
    versions = [(2, 17)]
    for path in paths:
        with open(path, "rb") as file:
            versions += [tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", file.read())]
    return max(versions)


def mach(data):
    """The processors that a program for macOS is for, with the oldest macOS of each; none where it is another file."""
    if data[:4] == b"\xca\xfe\xba\xbe":  # a universal binary, with a big-endian list of programs
        places = [struct.unpack_from(">2I", data, 16 + 20 * i) for i in range(struct.unpack_from(">I", data, 4)[0])]
        return {name: oldest for at, size in places for name, oldest in mach(data[at : at + size]).items()}
    if data[:4] != b"\xcf\xfa\xed\xfe":
        return {}
    processor, commands = struct.unpack_from("<4xI8xI", data)
    at = 32
    for _ in range(commands):
        command, size, _, minimum = struct.unpack_from("<4I", data, at)
        if command == 0x32:  # LC_BUILD_VERSION
            return {{0x01000007: "x86_64", 0x0100000C: "arm64"}[processor]: (minimum >> 16, minimum >> 8 & 0xFF)}
        at += size
    raise SystemExit("pack.py: a program for macOS does not say how old a macOS it runs on")


def platform(built):
    """The part of the tag that says where a wheel's programs run, read from the programs."""
    with open(os.path.join(built, "mtrace"), "rb") as file:
        tool = file.read()
    processors = mach(tool)
    if processors:
        name = "universal2" if len(processors) > 1 else next(iter(processors))
        with open(os.path.join(built, "libmtrace.dylib"), "rb") as file:
            library = mach(file.read())
        return "macosx_%d_%d_%s" % (*max([*processors.values(), *library.values()]), name)
    machine = {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", tool, 18)[0] if tool[:4] == b"\x7fELF" else 0)
    if not machine:
        raise SystemExit("pack.py: %s is a program neither for macOS nor for Linux" % os.path.join(built, "mtrace"))
    programs = [os.path.join(folder, name) for folder in (built, os.path.join(built, "softmetal"))
        for name in os.listdir(folder)
                if name.endswith(".so") or name == "mtrace" or name in PROGRAMS]
    return "manylinux_%d_%d_%s" % (*glibc(programs), machine)


def files(built):
    """The files of the wheel: the name in the wheel, and the path here."""
    for name in sorted(os.listdir(os.path.join(HERE, "mtrace"))):
        if name.endswith(".py") and name != "_version.py" or name == "py.typed":
            yield "mtrace/" + name, os.path.join(HERE, "mtrace", name)
    library = next((n for n in ("libmtrace.dylib", "libmtrace.so") if os.path.exists(os.path.join(built, n))), None)
    if not library or not os.path.exists(os.path.join(built, "mtrace")):
        raise SystemExit("pack.py: %s has no mtrace and its library: run ./build.sh build first" % built)
    for name in ("mtrace", library, *(n for n in PROGRAMS if os.path.exists(os.path.join(built, n)))):
        yield "mtrace/bin/" + name, os.path.join(built, name)
    top = os.path.join(HERE, "..", "..")  # an archive has its own
    folders = os.path.join(built, "shaders"), os.path.join(top, "shaders")
    shaders = next(folder for folder in folders if os.path.isdir(folder))
    for name in sorted(os.listdir(shaders)):
        yield "mtrace/bin/shaders/" + name, os.path.join(shaders, name)
    header = os.path.join(built, "marks.h")
    yield "mtrace/include/marks.h", header if os.path.exists(header) else os.path.join(top, "interpose", "marks.h")
    for folder, folders, names in os.walk(os.path.join(built, "softmetal")):
        folders[:] = sorted(set(folders) - {"obj"})
        for name in sorted(names):
            if name != ".lock":
                path = os.path.join(folder, name)
                yield "mtrace/bin/" + os.path.relpath(path, built).replace(os.sep, "/"), path


def canonical(version):
    """A version as Python writes it: a release's 1.2.3-rc.1 is 1.2.3rc1."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if not found:
        raise SystemExit("pack.py: %s is no version: 1.2.3, or 1.2.3-rc.1" % version)
    number, kind, count = found.groups()
    return number + (kind.replace("alpha", "a").replace("beta", "b") + count if kind else "")


def metadata(version):
    with open(os.path.join(HERE, "pyproject.toml")) as file:
        project = file.read()
    one = lambda key: re.search(r'^%s = "(.*)"$' % key, project, re.M).group(1)
    lines = ["Metadata-Version: 2.4", "Name: mtrace", "Version: " + version, "Summary: " + one("description"),
        "Requires-Python: " + one("requires-python"),
             "License-Expression: " + one("license"), "License-File: LICENSE",
                 "Keywords: " + ",".join(re.findall('"(.*?)"', re.search(r"^keywords = \[(.*)\]$", project,
                     re.M).group(1)))]
    lines += ["Classifier: " + name for name in re.findall(r'^  "(.* :: .*)",$', project, re.M)]
    lines += ["Provides-Extra: arrow", 'Requires-Dist: pyarrow>=12; extra == "arrow"',
        "Description-Content-Type: text/markdown", ""]
    with open(os.path.join(HERE, "README.md")) as file:
        return "\n".join(lines) + "\n" + file.read()


def pack(built, out, version):
    """Writes the wheel and returns its name."""
    version = canonical(version)
    tag = "py3-none-" + platform(built)
    name, info = "mtrace-%s-%s.whl" % (version, tag), "mtrace-%s.dist-info/" % version
    contents = []
    for path, source in files(built):
        with open(source, "rb") as file:
            contents.append((path, file.read(), os.access(source, os.X_OK)))
    with open(os.path.join(HERE, "..", "..", "LICENSE"), "rb") as file:
        contents.append((info + "licenses/LICENSE", file.read(), False))
    module = '"""The version, written by pack.py."""\n__version__: str = "%s"\n' % version
    contents.append(("mtrace/_version.py", module.encode(), False))
    wheel_file = "Wheel-Version: 1.0\nGenerator: mtrace\nRoot-Is-Purelib: false\nTag: %s\n" % tag
    contents += [(info + "METADATA", metadata(version).encode(), False),
                 (info + "WHEEL", wheel_file.encode(), False),
                 (info + "entry_points.txt", b"[console_scripts]\nmtrace = mtrace.__main__:main\n", False)]
    record = "".join("%s,sha256=%s,%d\n" % (path, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(
        b"=").decode(), len(data)) for path, data, _ in contents)
    contents.append((info + "RECORD", (record + info + "RECORD,,\n").encode(), False))
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(os.path.join(out, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data, runs in contents:
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if runs else 0o100644) << 16
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: pip install ./python."""
    return pack(os.path.join(HERE, "..", "..", "bin"), wheel_directory, os.environ.get("MTRACE_VERSION", "0.0.0"))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit("usage: pack.py BUILT OUT VERSION")
    built, out, version = sys.argv[1:]
    print(os.path.join(out, pack(built, out, version)))
