"""Runs every command that the documentation shows: docs.py FILE.md...

A fenced `sh` block is run by bash, the blocks of one page in one shell, from the top of a copy of the source tree
whose build/release is this build. A `text` block right after it is what it prints, both streams together; a line
of `...` there stands for any lines. A command that ends in `# exit status N` exits with N, every other one with 0.
`./dev` is not run (it is what runs the tests): its commands must be ones that it has.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]


def blocks(page):
    """(first line, commands, expected output or None) of every sh block."""
    found, language, text, start, after_sh = [], None, [], 0, False
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        fence = re.match(r"```(\w*)\s*$", line)
        if fence and language is None:
            language, text, start = fence[1], [], number
        elif fence:
            if language == "sh":
                found.append([start, "".join(text), None])
            elif language == "text" and after_sh:
                found[-1][2] = "".join(text)
            after_sh, language = language == "sh", None
        elif language is not None:
            text.append(line)
        elif line.strip():
            after_sh = False
    return found


def script(commands):
    lines = []
    for line in commands.splitlines():
        status = re.match(r"(.*\S)\s+# exit status (\d+)$", line)
        lines.append(f"status=0; {status[1]} || status=$?; [ $status -eq {status[2]} ]" if status else line)
    return "\n".join(lines)


def matches(expected, printed):
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.M)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


def sandbox():
    """A copy of the sources with this build as build/release; `cc` compiles as this build did."""
    top = os.path.realpath(tempfile.mkdtemp(prefix="rooflinec-docs-"))
    tree = os.path.join(top, "rooflinec")
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns(".git", "build*", ".cache"))
    os.mkdir(os.path.join(tree, "build"))
    os.symlink(build, os.path.join(tree, "build/release"))
    with open(os.path.join(tree, "dev"), "w") as dev:
        dev.write(f'#!/bin/sh\n"{source}/dev" help | grep -q "^  $1 "\n')
    cache = open(os.path.join(build, "CMakeCache.txt")).read()
    sanitize = re.search(r"^ROOFLINE_SANITIZE:STRING=(.+)$", cache, re.M)
    os.mkdir(os.path.join(top, "bin"))
    for name, compiler in (("cc", os.environ["CC"]), ("c++", os.environ["CXX"])):
        path = os.path.join(top, "bin", name)
        with open(path, "w") as wrapper:
            flags = f"-fsanitize={sanitize[1]}" if sanitize else ""
            wrapper.write(f'#!/bin/sh\nexec {compiler} {flags} "$@"\n')
        os.chmod(path, 0o755)
    return top, tree


def run(page):
    """1 when a command of the page fails or prints something else than the page says."""
    top, tree = sandbox()
    shown = blocks(page)
    text = ["set -eu\n"]
    for i, (_, commands, _) in enumerate(shown):
        text.append(f"{{\n{script(commands)}\n}} >{top}/{i}.out 2>&1 </dev/null\n")
    environment = dict(os.environ, PATH=f"{top}/bin:{os.environ['PATH']}", HOME=top, NO_COLOR="1")
    failed = subprocess.run(["bash", "-c", "".join(text)], cwd=tree, env=environment, check=False).returncode
    wrong = 0
    for i, (line, commands, expected) in enumerate(shown):
        output = os.path.join(top, f"{i}.out")
        if not os.path.exists(output):
            break
        printed = open(output, encoding="utf-8").read()
        if failed and not os.path.exists(os.path.join(top, f"{i + 1}.out")):
            print(f"{page}:{line}: one of these commands failed:\n{commands}having printed:\n{printed}")
            wrong = 1
        elif expected is not None and not matches(expected, printed):
            print(f"{page}:{line}: these commands:\n{commands}print:\n{printed}instead of:\n{expected}")
            wrong = 1
    shutil.rmtree(top)
    print(f"{page}: {len(shown)} blocks of commands{', all as it says' if not wrong else ''}")
    return wrong


if __name__ == "__main__":
    sys.exit(max(run(page) for page in sys.argv[1:]))
