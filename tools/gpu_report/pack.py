#!/usr/bin/env python3
"""usage: pack.py BUILD FILE: packs a built tree with its tests, for 'tools/gpu-report --from FILE' elsewhere.

Packed are the tests on a GPU and on PoCL with their programs, stripped, and their data; the tool; the libraries that
they need, which are used where the other machine has none; the peers and the cases' generator. The paths stay as
they are, since programs and tests hold them."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from typing import TypedDict

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "out" / "gpu-report"
MIB = 1 << 20
LIMIT = 30 * MIB
IMPLEMENTATIONS = ("gpu", "pocl")
C_LIBRARY = ("libc", "libm", "libpthread", "libdl", "librt", "ld-linux-x86-64")  # as old as its loader
# By the end of the file's name; a window of 128 MiB finds what the programs have in common.
COMPRESSORS = {".tar.zst": ["zstd", "-10", "--long=27", "-T0", "-q"],
               ".tar.xz": ["xz", "-T1", "--lzma2=preset=2,dict=128MiB"], ".tar.gz": ["gzip"], ".tar": ["cat"]}


class Test(TypedDict):
    name: str
    command: list[str]
    environment: dict[str, str]
    timeout: float
    folder: str
    skip_code: int


def without_cmake(command: list[str]) -> tuple[list[str], dict[str, str]]:
    """A command without its 'cmake -E env NAME=VALUE...', which the other machine may not have, and these values."""
    environment: dict[str, str] = {}
    while command[1:3] == ["-E", "env"]:
        command = command[3:]
        while "=" in command[0]:
            name, _, value = command[0].partition("=")
            environment[name] = value
            command = command[1:]
    return command, environment


def read_tests(listed: str) -> list[Test]:
    """The tests NAME@IMPLEMENTATION of 'ctest --show-only=json-v1'; those of Python packages need more than is here."""
    found = []
    for test in json.loads(listed)["tests"]:
        has = {each["name"]: each["value"] for each in test.get("properties", [])}
        is_needed = test["name"].rpartition("@")[2] in IMPLEMENTATIONS and "python" not in has.get("LABELS", [])
        if not is_needed or "command" not in test:
            continue
        command, environment = without_cmake(test["command"])
        environment.update(each.split("=", 1) for each in has.get("ENVIRONMENT", []))
        found.append(Test(name=test["name"], command=command, environment=environment, timeout=has.get("TIMEOUT", 600),
                          folder=has["WORKING_DIRECTORY"], skip_code=has.get("SKIP_RETURN_CODE", 77)))
    return found


def tests_of(build: pathlib.Path) -> list[Test]:
    return read_tests(subprocess.check_output(["ctest", "--test-dir", build, "--show-only=json-v1"], text=True))


def is_elf(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def programs_of(build: pathlib.Path, tests: list[Test]) -> set[pathlib.Path]:
    """What tests name in the build folder, the tool, and all libraries there."""
    words = {word for test in tests for word in [*test["command"], *test["environment"].values()]}
    named = {pathlib.Path(word) for word in words if word.startswith(f"{build}/")}
    return {path for path in named | {build / "sparcl", *build.glob("*.so*"), *build.glob("tests/*.so")}
            if path.is_file()}


def sources_of(root: pathlib.Path) -> Iterator[pathlib.Path]:
    """Scripts, expected results and data of the tests and examples, and the tools."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "tests", "examples", "tools", "bench"]
    listed = subprocess.check_output(command, text=True)
    for name in listed.splitlines():
        path = root / name
        is_code = path.suffix in (".c", ".h", ".cl")
        if path.is_file() and not is_code and not name.startswith(("tests/fuzz/", "tests/python/")):
            yield path


def needed_libraries(programs: set[pathlib.Path], build: pathlib.Path) -> dict[str, pathlib.Path]:
    """By name: those that ldd finds outside of the build folder, but for the C library."""
    found = {}
    for program in programs:
        text = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        for name, path in re.findall(r"^\s*(\S+) => (not found|/\S+)", text, re.MULTILINE):
            if path == "not found":
                sys.exit(f"pack.py: {program} needs {name}, which is not there: build anew")
            if not path.startswith(f"{build}/") and name.split(".")[0] not in C_LIBRARY:
                found[name] = pathlib.Path(path).resolve()
    return found


def write(file: pathlib.Path, root: pathlib.Path, build: pathlib.Path, facts: dict[str, object],
          compressor: list[str]) -> None:
    tests: list[Test] = facts["tests"]  # type: ignore[assignment]
    programs = programs_of(build, tests)
    libraries = needed_libraries({path for path in programs if is_elf(path)}, build)
    members = {path: path for path in [*sources_of(root), *programs]}
    members |= {root / "out/gpu-report/lib" / name: path for name, path in libraries.items()}
    with tempfile.TemporaryDirectory() as folder, file.open("wb") as out:
        stripped, listed = pathlib.Path(folder) / "stripped", pathlib.Path(folder) / "pack.json"
        listed.write_text(json.dumps(facts))
        members[root / "out/gpu-report/pack.json"] = listed
        process = subprocess.Popen(compressor, stdin=subprocess.PIPE, stdout=out)
        with tarfile.open(fileobj=process.stdin, mode="w|") as tar:
            tar.add(root, str(root)[1:], recursive=False)  # first: --from reads the root from it
            for member, path in sorted(members.items()):
                if path.is_symlink() or not is_elf(path):
                    tar.add(path, str(member)[1:], recursive=False)
                    continue
                subprocess.run(["strip", "--strip-unneeded", "-o", stripped, path], check=True)
                tar.add(stripped, str(member)[1:])
        assert process.stdin
        process.stdin.close()
        if process.wait():
            sys.exit(f"pack.py: {compressor[0]} failed")


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    build, file = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    end = next((end for end in COMPRESSORS if file.name.endswith(end)), None)
    if not end:
        sys.exit(f"pack.py: the name of {file} ends in none of {', '.join(COMPRESSORS)}")
    if not shutil.which(COMPRESSORS[end][0]):
        sys.exit(f"pack.py: {COMPRESSORS[end][0]} is not installed, which {end} needs")
    if not (build / "sparcl").exists():
        sys.exit(f"pack.py: {build}/sparcl is missing: cmake --preset release && cmake --build --preset release")
    cache = (build / "CMakeCache.txt").read_text()
    root = pathlib.Path(cache.split("CMAKE_HOME_DIRECTORY:INTERNAL=")[1].splitlines()[0])
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    tests = tests_of(build)
    part = file.with_name(file.name + ".part")
    try:
        write(part, root, build, {"build": str(build), "commit": commit, "tests": tests}, COMPRESSORS[end])
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    size = file.stat().st_size
    print(f"{file}: {size / MIB:.1f} MiB, {len(tests)} tests; there: tools/gpu-report --from {file.name} --minutes 8")
    if size > LIMIT and end != ".tar":
        sys.exit(f"pack.py: {file} has {size / MIB:.1f} MiB, at most {LIMIT // MIB} are expected; .tar.xz is smallest")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
