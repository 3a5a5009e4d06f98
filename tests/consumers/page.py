"""Whether the programs that docs/using.md shows are those that are tested: each block of code with a language has to be
in the file of the last link before it, line by line.

  page.py PATH/using.md
"""

import os
import re
import sys


def blocks(page):
    """(path of the file, lines) of each block."""
    path, block = None, None
    with open(page) as f:
        for line in f.read().splitlines():
            if block is not None:
                if line == "```":
                    yield path, block
                    block = None
                else:
                    block.append(line)
            elif re.fullmatch("```[a-z]+", line):
                block = []
            else:
                for link in re.findall(r"\]\((\.\./[^)]+)\)", line):
                    path = os.path.join(os.path.dirname(page), link)


def main():
    shown = list(blocks(sys.argv[1]))
    missing = 0
    for path, block in shown:
        with open(path) as f:
            if "\n" + "\n".join(block) + "\n" not in "\n" + f.read():
                print(f"not in {path}:", *block, sep="\n")
                missing += 1
    print(f"{len(shown)} blocks, {missing} of them not in their files")
    return 0 if shown and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
