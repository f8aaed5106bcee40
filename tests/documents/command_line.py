# SPDX-License-Identifier: MIT
"""The command line of the checks of documents: operands, and --help, which prints what a check's file says at its head."""
import sys


def operands(doc, least, most):
    """What the command line has, from `least` to `most` words; ends the program where it has --help, or makes no sense."""
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(doc.strip())
        sys.exit(0)
    unknown = [word for word in words if word.startswith("-")]
    if unknown or not least <= len(words) <= most:
        fault = f"there is no option {unknown[0]}" if unknown else f"{len(words)} arguments"
        usage = doc[doc.index("usage: "):].strip()
        print(f"error: {fault}\n{usage}", file=sys.stderr)
        sys.exit(2)
    return words
