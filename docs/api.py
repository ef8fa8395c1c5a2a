"""The C interface as a page: docs/api.py runtime/include/roofline > docs/api.md

Comments become text, declarations code; a function defined in a header shows its first line. What stands before a
declaration describes it, or several in a row.
"""
import os
import re
import sys

ORDER = ["status", "value", "checked", "op", "bind", "primitive", "generator", "dlpack", "record", "profile", "price",
         "headroom", "audit"]
HIDDEN = re.compile(r"#(?!define)|#define (ROOFLINE_\w+_H|ROOFLINE_API)\b|extern \"C\"|}\s*$")
PIECE = re.compile(r"/\*.*?\*/|#(?:\\\n|[^\n])*|[^\s/#](?:(?!/\*.*?\*/\s*\n)[^;{]|/\*[^\n]*?\*/)*[;{]|}", re.S)


def body_end(text, at):
    """The position after the brace that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def pieces(text):
    """Comments, macros and declarations in order, as (kind, text); a comment behind code is part of its line."""
    at = 0
    while match := PIECE.search(text, at):
        behind = at > 0 and "\n" not in text[at:match.start()]
        piece, at = match[0], match.end()
        if piece.startswith("/*"):
            yield "behind" if behind else "comment", piece
        elif piece.startswith("#"):
            if piece.startswith("#define") and not HIDDEN.match(piece):
                yield "code", piece
        elif piece == "}" or HIDDEN.match(piece):
            continue
        elif piece.endswith("{"):
            end = body_end(text, at)
            if piece.startswith("static inline"):
                yield "code", piece[:-1].rstrip() + ";"
            else:  # a type: to its semicolon, with its comments
                end = text.index(";", end) + 1
                yield "code", text[match.start():end]
            at = end
        else:
            yield "code", piece


def expanded(code, directory):
    """A type's X-macro lists written out, each entry with its text."""
    def entries(match):
        name, parameters, body, listed = match.groups()
        with open(os.path.join(directory, listed), encoding="utf-8") as file:
            for arguments in re.findall(rf"^{name}\((.*)\)$", file.read(), re.M):
                values = dict(zip(parameters.split(", "), re.findall(r'"[^"]*"|[^,\s]+', arguments)))
                line = re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body).replace("##", "")
                yield f"  {line} /* {values['text']} */\n"
    return re.sub(r"#define (\w+)\((.*)\) (.*)\n#include <roofline/(\w+\.def)>\n#undef \w+\n",
                  lambda match: "".join(entries(match)), code)


def declaration(code):
    """Without what only a compiler wants, its further lines indented by as much less."""
    for mark in "ROOFLINE_API ", "static inline ":
        if code.startswith(mark):
            return code[len(mark):].replace("\n" + " " * len(mark), "\n")
    return code


def words(comment):
    comment = comment.replace("SPDX-License-Identifier: MIT", "")
    return re.sub(r"([*<])", r"\\\1", " ".join(re.sub(r"^/\*|\*/$", "", comment).split()))


def page(directory):
    out = ["# The C interface", "",
           "Written by `docs/api.py` from the headers: change them, not this page. `#include <roofline/roofline.h>` is",
           "what generated code includes: statuses, values, checked integers, primitives, generators, operators, binds."]
    found = sorted(f[:-2] for f in os.listdir(directory) if f.endswith(".h") and f != "roofline.h")
    for name in sorted(found, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n)):
        with open(os.path.join(directory, name + ".h"), encoding="utf-8") as file:
            text = file.read()
        out += ["", f"## `<roofline/{name}.h>`"]
        code, shown = [], set()

        def flush():
            if code:
                out.extend(["", "```c", *code, "```"])
                code.clear()

        for kind, piece in pieces(text):
            if kind == "behind":
                code[-1] += f" {piece}"
                continue
            if kind == "code":
                macro = re.match(r"#define \w+", piece)
                known = macro[0] if macro else piece
                if known not in shown:  # a portable fallback defines a function or macro again
                    code.append(declaration(expanded(piece, directory)))
                shown.add(known)
                continue
            flush()
            section = re.fullmatch(r"/\* -+ (.*?) -+ \*/", piece)
            out += ["", f"### {section[1]}" if section else words(piece)]
        flush()
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
