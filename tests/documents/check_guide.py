#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the figures of the guide's pages, docs/guide*.md, against what their commands print on the simulated device.

A block ``console`` of the guide has commands, each behind "$ ", and under each of them lines that it prints, in their order. Lines
between them may be left out, and so may what "..." stands for in a line: times, which mean nothing there. How wide columns are makes
no difference. Other commands that it names, `build/bin/...`, must succeed, and quickly; those of a paragraph that says
"On a GPU" are not run.

usage: python3 tests/documents/check_guide.py [FOLDER]      where the samples are, build/bin if not given
       exit code: 0 all well, 1 something is not, and it is named; 2 the command line is at fault
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from command_line import operands  # noqa: E402, no bytecode of it

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIMULATED = {**os.environ, "CDPSORT_DEVICE": "simulated"}
SECONDS_MOST = 120  # with sanitizers; a plain build takes a few


def shown_commands(text):
    """Each command of a block, and the lines shown of what it prints."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.strip().split("\n")
            yield command, [line for line in lines if line.strip() != "..."]


def named_commands(text):
    """Each command in backticks, or in a line set off as code, that needs no GPU: the part before an `&&`."""
    for paragraph in re.split(r"\n\n|\n(?=\d+\. )", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if "On a GPU" not in paragraph:
            for command in re.findall(r"(?:`|^    )(build/bin/[\w]+ [^`]*)(?:`|$)", paragraph, re.MULTILINE):
                yield re.split(r"&&|\n    ", command)[0]


def run(command, programs):
    """The lines that a command prints, with columns one space apart, or None, and what is wrong."""
    words = [re.sub(r"^build/bin/", f"{programs}/", word) for word in shlex.split(command)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(words, cwd=folder, env=SIMULATED, capture_output=True, text=True, timeout=SECONDS_MOST,
                                  check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, f"exit code {done.returncode}: {done.stderr.strip()}"
    return [" ".join(line.split()) for line in done.stdout.splitlines()], None


def missing_line(shown, printed):
    """The first line shown that is not printed behind those before it; None: all are."""
    at = 0
    for line in shown:
        wanted = re.compile(" ".join(".*" if word == "..." else re.escape(word) for word in line.split()))
        while at < len(printed) and not wanted.fullmatch(printed[at]):
            at += 1
        if at == len(printed):
            return line
        at += 1
    return None


def faults(programs):
    """What is wrong with the guide's commands and figures."""
    for page in sorted((ROOT / "docs").glob("guide*.md")):
        text = page.read_text(encoding="utf-8")
        commands = [*shown_commands(text), *((command, []) for command in named_commands(text))]
        if page.name == "guide.md" and not any(shown for _, shown in commands):
            yield f"{page.name}: no command with what it prints"
        for command, shown in commands:
            printed, fault = run(command, programs)
            if fault:
                yield f"{page.name}: {command}: {fault}"
                continue
            line = missing_line(shown, printed)
            if line:
                yield f"{page.name}: {command}: does not print: {line.strip()}"


def main():
    words = operands(__doc__, 0, 1)
    programs = pathlib.Path(words[0] if words else ROOT / "build" / "bin").resolve()
    found = list(faults(programs))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
