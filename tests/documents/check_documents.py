#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the documents against the sources and the pictures.

guide*.md: every piece of C++ that it quotes must stand in the file named before it as it is, a program of docs/ whole; no figure may
be left open. plot.py must know every kind of a trace's events. All documents: every picture that they show, and every file of the
sources, every page and every record that they name by its path, must be there; every picture in docs/pictures is shown by one of them, is a PNG file of a
reasonable size, and is drawn by plot.py or taken of Perfetto.

architecture.md: what stands in backticks, and the files and functions of its drawing, must be there. A file is named by its path
or, where that is enough, by its name. Names that follow a file and a colon must be in that file, others anywhere: `name()` is a
function that is defined there, other names are words of the code. Comments do not count.

usage: python3 tests/documents/check_documents.py
       exit code: 0 all well, 1 something is not, and it is named; 2 the command line is at fault
"""
import functools
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from command_line import operands  # noqa: E402, no bytecode of it

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "samples" / "plot"))

import plot  # noqa: E402, it needs matplotlib to draw alone

SOURCES = sorted(path for folder in ("include", "src", "device", "samples") for path in (ROOT / folder).rglob("*")
                 if path.suffix in (".h", ".c", ".cpp", ".cu", ".cuh"))
DOCUMENTS = sorted(DOCS.glob("*.md")) + sorted((DOCS / "notes").glob("*.md"))
DOCUMENTS += [DOCS / "results" / "README.md", ROOT / "README.md", ROOT / "samples" / "README.md"]
PIXELS_WIDE_MOST = 1600
PICTURE_BYTES_MOST = 200_000
FILE = r"[\w/.-]+\.(?:cuh|cu|cpp|c|h|md)\b"


def quotations(text):
    """Each quotation, and the last source file named before it."""
    for match in re.finditer(r"```cpp\n(.*?)```", text, re.DOTALL):
        named = re.findall(r"`(device/[\w/.]+|samples/\w+/\w+\.cu|docs/\w+\.cu)`", text[:match.start()])
        yield named[-1] if named else "", match.group(1)


def guide_faults():
    """What is wrong with the walk."""
    for page in sorted(DOCS.glob("guide*.md")):
        text = page.read_text(encoding="utf-8")
        for path, quoted in quotations(text):
            source = (ROOT / path).read_text(encoding="utf-8") if path and (ROOT / path).exists() else ""
            is_whole = path.startswith("docs/")
            if quoted != source if is_whole else quoted not in source:
                yield f"{page.name}: not in {path or 'any file named'}: {quoted.strip().splitlines()[0]}"
        yield from (f"{page.name}: open: {name}" for name in re.findall(r"\{\{(FIGURE:[^}]+)\}\}", text))


def kind_faults():
    """Kinds of a trace's events that plot.py does not know."""
    names = re.search(r"kind_names\[\] = \{(.*?)\};", (ROOT / "src" / "trace.c").read_text(encoding="utf-8"), re.DOTALL)
    known = (ROOT / "samples" / "plot" / "timeline.py").read_text(encoding="utf-8")
    for name in re.findall(r'"([\w-]+)"', names.group(1)):
        if f'    "{name}": (' not in known:
            yield f"samples/plot/timeline.py: no kind '{name}'"


def size_fault(path):
    """What is wrong with a picture's file; None: nothing."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return "is no PNG file"
    wide = int.from_bytes(data[16:20], "big")
    if wide > PIXELS_WIDE_MOST or len(data) > PICTURE_BYTES_MOST:
        return f"{wide} pixels wide, {len(data)} bytes"
    return None


def picture_faults():
    """Pictures, in any document, that are not there, and those that are there for nothing."""
    shown = set()
    for document in sorted({*DOCUMENTS, *DOCS.rglob("*.md")}):
        for name in re.findall(r"!\[[^]]*\]\(([^):]+)\)", document.read_text(encoding="utf-8")):
            shown.add((document.parent / name).resolve())
            if not (document.parent / name).exists():
                yield f"{document.name}: no picture {name}"
    for path in sorted((DOCS / "pictures").iterdir()):
        if path not in shown:
            yield f"docs/pictures/{path.name}: no document shows it"
        if path.stem not in plot.PICTURES and not path.stem.startswith("perfetto-"):
            yield f"docs/pictures/{path.name}: samples/plot/plot.py does not draw it"
        if fault := size_fault(path):
            yield f"docs/pictures/{path.name}: {fault}"
    for name, (record, _) in plot.PICTURES.items():
        if not (DOCS / "pictures" / f"{name}.png").exists():
            yield f"samples/plot/plot.py: draws {name}, and docs/pictures has none"
        if not (DOCS / "results" / f"{record}.csv").exists():
            yield f"samples/plot/plot.py: draws {name} from {record}.csv, and docs/results has none"


def link_faults():
    """Links, and paths of pages, in any document, that lead nowhere."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        linked = {(document.parent / name, name) for name in re.findall(r"(?<!!)\[[^]]*\]\(([^):#]+)\)", text)}
        named = {(DOCS / name, name) for name in re.findall(r"(?<![\w/.])(?:docs/)?((?:notes|lab|results)/[\w/.-]+\.\w+)", text)}
        for path, name in sorted(linked | named):
            if not path.exists():
                yield f"{document.name}: no page or record {name}"


def merge_faults():
    """What a merge has left in a document."""
    for document in DOCUMENTS:
        for line in document.read_text(encoding="utf-8").splitlines():
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                yield f"{document.name}: left by a merge: {line}"


def path_faults():
    """Paths of sources, in any document, that lead nowhere."""
    for document in DOCUMENTS:
        for name in sorted(set(re.findall(r"(?<![\w/.])(?:device|src|include|tests|samples)/[\w/-]+\.\w+",
                                          document.read_text(encoding="utf-8")))):
            if not (ROOT / name).exists():
                yield f"{document.name}: no file {name}"


@functools.lru_cache(maxsize=None)
def code_of(path):
    """A source file without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def files_named(name):
    """The sources, or the document, that a name may mean."""
    if name.endswith(".md"):
        return [path for path in DOCUMENTS if path.name == name]
    return [path for path in SOURCES if f"/{path}".endswith(f"/{name}")]


def defines(code, name):
    """Whether code has a function of this name, or a pointer to one, with a type in front of it: a call has none."""
    kind = r"(?:^|[^\w.>:])(?!return\b|else\b|case\b)[\w:>*&]+[\s*&]+"
    owner = r"(?:\w+(?:<\w+>)?::)?"
    return re.search(kind + owner + name + r"\s*\(", code) or re.search(r"\(\*" + name + r"\)\s*\(", code)


def name_fault(name, files):
    """What is wrong with the name of a function or of anything else, which these files should have; None: nothing."""
    parts = re.fullmatch(r"(?:\w+::)*(\w+)(\(\))?", name)
    if parts is None:
        return f"neither a file nor a name: {name}"
    word, is_function = parts.groups()
    for path in files:
        code = code_of(path)
        if defines(code, word) if is_function else re.search(rf"\b{word}\b", code):
            return None
    return f"no {name} in {files[0].relative_to(ROOT) if len(files) == 1 else 'the sources'}"


def architecture_faults():
    """What is wrong with the way through the files."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    # In the drawing names are plain. In prose a full stop, a semicolon, a cell's or a paragraph's end ends what a file is said
    # to hold.
    drawing = re.compile(rf"{FILE}|\b\w+\(\)")
    prose = re.compile(r"`[^`]+`|\|\s|[.;]\s|\n\n")
    for at, part in enumerate(re.split(r"^```.*$", text, flags=re.MULTILINE)):
        is_drawing = at % 2 == 1
        files = SOURCES
        for match in (drawing if is_drawing else prose).finditer(part):
            token = match.group().strip("`")
            if re.fullmatch(FILE, token):
                named = files_named(token)
                if len(named) != 1:
                    yield f"architecture.md: {'several files' if named else 'no file'} {token}"
                holds = len(named) == 1 and not is_drawing and part[match.end():].startswith(":")
                files = named if holds else SOURCES
            elif token.endswith("/"):
                if not (ROOT / token).is_dir():
                    yield f"architecture.md: no folder {token}"
            elif is_drawing or match.group().startswith("`"):
                fault = name_fault(token, files)
                if fault:
                    yield f"architecture.md: {fault}"
            else:
                files = SOURCES


def main():
    operands(__doc__, 0, 0)
    faults = [*guide_faults(), *kind_faults(), *picture_faults(), *path_faults(), *link_faults(), *merge_faults(), *architecture_faults()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
