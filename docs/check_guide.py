#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds docs/guide.md against the sources: every piece of C++ that it quotes must stand in the file named before it as it is;
every picture that it shows must be there; no figure may be left open.

usage: python3 docs/check_guide.py          exit code: 0 all well, 1 something is not, and it is named
"""
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent


def quotations(text):
    """Each quotation, and the last source file named before it."""
    for match in re.finditer(r"```cpp\n(.*?)```", text, re.DOTALL):
        named = re.findall(r"`(device/[\w/.]+)`", text[:match.start()])
        yield named[-1] if named else "", match.group(1)


def main():
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    faults = []
    for path, quoted in quotations(text):
        source = (ROOT / path).read_text(encoding="utf-8") if path and (ROOT / path).exists() else ""
        if quoted not in source:
            faults.append(f"not in {path or 'any file named'}: {quoted.strip().splitlines()[0]}")
    faults += [f"no picture {name}" for name in re.findall(r"\]\((pictures/[^)]+)\)", text) if not (DOCS / name).exists()]
    faults += [f"open: {name}" for name in re.findall(r"\{\{(FIGURE:[^}]+)\}\}", text)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
