"""Writes suffixes.txt from the rules of the public suffix list, one rule a line: python3 suffixes.py RULES > suffixes.txt

Each line is a name in ASCII, then a space and marks: `+` it is a suffix, `*` each name right below it is one, `!` it is
none although a `*` says so. Lines are in the order of their bytes, because they are found by a binary search.
"""

import sys

marks = {}
for line in open(sys.argv[1], encoding="utf-8"):
    rule = line.split("//")[0].strip()
    if not rule:
        continue
    mark = "!" if rule[0] == "!" else "*" if rule.startswith("*.") else "+"
    name = rule.removeprefix("!").removeprefix("*.").lower().encode("idna" if not rule.isascii() else "ascii").decode()
    marks.setdefault(name, set()).add(mark)
for name in sorted(marks):
    print(name, "".join(sorted(marks[name])))
