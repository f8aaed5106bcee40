#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the examples in the comments of the public headers, runs those in C on the simulated device, and holds what they say.

An example is what a doc comment has indented by four more columns behind an empty line, and a semicolon in it. All of a comment's make
one program, in their order. Definitions of functions and types that begin at its margin stand outside of main(), all else in it.

What it says: a comment "// keys: 1, 2, 3" is a promise that behind this part, which ends with an empty line, `keys` is what {1, 2, 3}
initialises; with "1, 2, ..." the first items of it are. Several are separated by a semicolon. What else comments say is not looked at.

Examples of headers for CUDA C++ are compiled, if there is an nvcc. So are those in C that need a GPU, by a C compiler: what has a
comparison's source, and no function for the simulated device.

usage: python3 tests/documents/check_examples.py LIBRARY [COMPILER]      libcdpsort.so; a C compiler, cc if none is given
       exit code: 0 all well, 1 something is not, and it is named; 2 the command line is at fault
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from command_line import operands  # noqa: E402, no bytecode of it

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "cdpsort"
SIMULATED = {**os.environ, "CDPSORT_DEVICE": "simulated"}
SECONDS_MOST = 120

# Some show a part of a function whose beginning every reader knows, and may leave things unused.
C_FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable"]
CUDA_FLAGS = ["-std=c++17", "-arch=sm_90", "--extended-lambda", "--Werror", "all-warnings", "-diag-suppress", "177"]

# What an example may name without having it. On the simulated device device memory is the host's, and the stream is NULL.
C_BEGIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *cudaStream_t;
enum { cudaSuccess = 0 };
static int cudaMalloc(void **memory, size_t bytes) { *memory = aligned_alloc(256, (bytes + 255) / 256 * 256); return *memory == NULL; }
static int cudaFree(void *memory) { free(memory); return cudaSuccess; }
static int cudaStreamSynchronize(cudaStream_t stream) { return stream != NULL; }
static const cudaStream_t stream = NULL;
enum { count = 5000 };
static float d_keys[count];
static int broken = 0;
static void must_hold(int holds, const char *promise) {
  if (!holds) {
    fprintf(stderr, "does not hold: %s\\n", promise);
    broken = 1;
  }
}
static void fill(void) { for (int i = 0; i < count; i++) d_keys[i] = (float)(i * 7919 % count); }
static int is_sorted(void) { for (int i = 1; i < count; i++) if (d_keys[i] < d_keys[i - 1]) return 0; return 1; }
"""
C_MAIN = """
int main(void) {
  (void)cudaMalloc; (void)cudaFree; (void)cudaStreamSynchronize; (void)stream; (void)is_sorted; (void)must_hold;
  fill();
"""


def comments_of(path):
    """Each doc comment of a header, without its margin, and the line it begins in."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^/\*\*\n(.*?)^ \*/", text, re.DOTALL | re.MULTILINE):
        yield 1 + text.count("\n", 0, match.start()), [line[3:] for line in match.group(1).splitlines()]


def parts_of(lines):
    """The parts of a comment's examples, which empty lines separate: each a list of lines without its indentation."""
    part, follows_empty = [], True
    for line in [*lines, ""]:
        if line.startswith("    ") and (part or follows_empty):
            part.append(line[4:])
        else:
            if any(";" in code for code in part):
                yield part
            part = []
        follows_empty = line == ""


def split_definitions(part):
    """What of a part stands outside of main(), and what in it."""
    outside, inside, in_definition = [], [], False
    for line in part:
        begins = re.match(r"typedef |static \w.*\) \{$", line)
        if begins or in_definition:
            outside.append(line)
            in_definition = line != "}" if in_definition else line.endswith("{")
        else:
            inside.append(line)
    return outside, inside


VALUE = r"(?:\{(?:[^{}]|\{[^{}]*\})*\}|-?\d[\w.]*|\"[^\"]*\"|'[^']*')"
NAME = r"([A-Za-z_]\w*(?:\[\d+\])?): "
PROMISE = re.compile(rf"{NAME}({VALUE}(?:, {VALUE})*)(, \.\.\.)?(?=$|, )")


def promises_of(part):
    """C code that holds what the comments of a part promise."""
    for line in part:
        comment = re.search(r"// (.*)$", line)
        for clause in comment.group(1).rstrip(";").split("; ") if comment else []:
            match = PROMISE.match(clause)
            if match is None:
                if re.match(NAME, clause):
                    yield f"#error cannot be read: {clause}"
                continue
            name, values, is_prefix = match.groups()
            kind = f"__typeof__({name}[0]) wanted[]" if is_prefix else f"__typeof__({name}) wanted"
            text = match.group(0).replace("\\", "\\\\").replace('"', '\\"')
            yield f'{{ const {kind} = {{{values}}}; must_hold(memcmp(&{name}, &wanted, sizeof wanted) == 0, "{text}"); }}'


class Example:
    """A program in C, made of a comment's parts."""

    def __init__(self, header, line, parts):
        self.name = f"{header.relative_to(ROOT)}:{line}"
        outside, inside = [], []
        self.promises = 0
        for part in parts:
            definitions, statements = split_definitions(part)
            promises = list(promises_of(part))
            self.promises += len(promises)
            outside += definitions
            inside += [*statements, *promises]
        code = "\n".join(outside + inside)
        self.needs_gpu = "source = " in code and ".compare = " not in code
        if re.search(r"\bd_keys\b", code):
            self.promises += 1
            inside.append('must_hold(is_sorted(), "d_keys are sorted");')
        self.program = "\n".join([f"#include <cdpsort/{header.name}>", C_BEGIN, *outside, C_MAIN, *inside, "return broken;", "}\n"])

    def fault(self, folder, compiler, library):
        """What is wrong with it; None: nothing."""
        stem = pathlib.Path(folder) / re.sub(r"\W", "_", self.name)
        source, program = stem.with_suffix(".c"), stem.with_suffix(".out")
        source.write_text(self.program, encoding="utf-8")
        done = run([*compiler, *C_FLAGS, "-I", ROOT / "include", source, "-o", program, library,
                    f"-Wl,-rpath,{library.parent}"])
        if done or self.needs_gpu:
            return done
        return run([program]) or (None if self.promises else "promises nothing")


def run(words):
    """What is wrong with what a command does, which is to say nothing; None: nothing."""
    try:
        done = subprocess.run([str(word) for word in words], env=SIMULATED, capture_output=True, text=True, timeout=SECONDS_MOST,
                              check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = (done.stderr + done.stdout).strip()
    return said or (f"exit code {done.returncode}" if done.returncode else None)


def cuda_fault(folder, headers):
    """What is wrong with the examples for CUDA C++, each in a namespace; None: nothing."""
    nvcc = shutil.which("nvcc", path=f"{os.environ.get('PATH', '')}:/usr/local/cuda/bin")
    if nvcc is None:
        print(f"no nvcc: the examples of {', '.join(header.name for header in headers)} are not compiled")
        return None
    spaces = []
    for header in headers:
        for line, lines in comments_of(header):
            code = "\n".join(code for part in parts_of(lines) for code in part if not code.startswith("#include"))
            if code:
                spaces.append(f'namespace example_{len(spaces)} {{\n#line {line} "{header.relative_to(ROOT)}"\n{code}\n}}')
    source = pathlib.Path(folder) / "examples.cu"
    begin = ["#include <cdpsort/device.cuh>", "#include <cdpsort/sort_by.cuh>"]
    source.write_text("\n".join([*begin, *spaces, ""]), encoding="utf-8")
    fault = run([nvcc, *CUDA_FLAGS, "-I", ROOT / "include", "-c", source, "-o", source.with_suffix(".o")])
    print(f"{len(spaces)} examples for CUDA C++ compiled")
    return fault


def main():
    words = operands(__doc__, 1, 2)
    library = pathlib.Path(words[0]).resolve()
    compiler = [words[1] if len(words) > 1 else "cc"]
    examples = [Example(header, line, parts) for header in sorted(HEADERS.glob("*.h")) for line, lines in comments_of(header)
                if (parts := list(parts_of(lines)))]
    cuda_headers = sorted(HEADERS.glob("*.cuh")) + sorted((HEADERS / "device").glob("*.cuh"))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cuda = pool.submit(cuda_fault, folder, cuda_headers)
        jobs = [(example.name, pool.submit(example.fault, folder, compiler, library)) for example in examples]
        faults = [f"{name}: {fault}" for name, job in [*jobs, ("CUDA C++", cuda)] if (fault := job.result())]
    run_examples = [example for example in examples if not example.needs_gpu]
    print(f"{len(run_examples)} programs in C run, {sum(example.promises for example in run_examples)} promises looked at;",
          f"compiled alone, since they want a GPU: {', '.join(e.name for e in examples if e.needs_gpu) or 'none'}")
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults or not run_examples else 0


if __name__ == "__main__":
    sys.exit(main())
