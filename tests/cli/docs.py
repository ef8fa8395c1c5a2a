"""Runs every command that the documentation shows: docs.py FILE.md...

A fenced `sh` block is run by bash, the blocks of one page in one shell, from the top of a copy of the source tree
whose build/release is this build. A `text` block right after it is what it prints, both streams together; a line
of `...` there stands for any lines. A command that ends in `# exit status N` exits with N, every other one with 0.
What no machine of ours can run has a stand-in (tests/cli/stand-in): ncu, which needs a GPU, and parts of ./dev.

So that nothing escapes: a block of another language must be part of a file that another test builds or reads, a
block of none must not hold a command, and a command in a sentence must have its commands and options.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
stand_ins = os.path.join(source, "tests/cli/stand-in")
COMMAND = re.compile(r"\s*(\$ |%s)" % "|".join(
    r"(sudo )?%s\s" % name for name in
    r"rooflinec roofline rows \.{0,2}/[\w./-]+ \S+/bin/\w+ cmake ctest cpack ninja make cc c\+\+ gcc g\+\+ clang\S* nvcc git "
    r"apt(-get)? pip3? python3? pre-commit ncu parallel".split()))


class Block:
    def __init__(self, line, language):
        self.line, self.language, self.text, self.expected = line, language, "", None


def read(page):
    """The fenced blocks of a page, a `text` block being its command's `expected`; and what stands between them."""
    blocks, prose, open_block = [], [], None
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        fence = re.match(r"```(\S*)\s*$", line)
        if fence and open_block is None:
            open_block = Block(number, fence[1])
        elif fence:
            if open_block.language == "text" and blocks and blocks[-1].language == "sh" and not prose[-1][1].strip("`\n"):
                blocks[-1].expected = open_block.text
            else:
                blocks.append(open_block)
            open_block = None
            prose.append((number, "```\n"))
        elif open_block is not None:
            open_block.text += line
        elif line.strip():
            prose.append((number, line))
    return blocks, prose


@functools.cache
def tested():
    """What other tests build or read."""
    texts = []
    for top in "manifest", "runtime", "tests/examples":
        for folder, _, names in os.walk(os.path.join(source, top)):
            texts += [open(os.path.join(folder, name), encoding="utf-8").read() for name in sorted(names)]
    return [re.sub(r"\n +", "\n", "\n" + text) for text in texts]


@functools.cache
def completions(words):
    """What may follow on a command line, as the program says."""
    program = os.path.join(build, "bin", words[0])
    printed = subprocess.run([program, "--complete", *words[1:]], capture_output=True, text=True, check=False).stdout
    return [line.split("\t")[0] for line in printed.splitlines()]


def unknown_word(command):
    """The first word of a command in a sentence that its program does not know, or None."""
    words, known = command.split(), []
    if words[0] == "./dev":
        help_text = subprocess.run([os.path.join(source, "dev"), "help"], capture_output=True, text=True, check=True).stdout
        return None if f"\n  {words[1]} " in help_text else words[1]
    for word in words[1:]:
        follows = completions((words[0], *known))
        if word.startswith("-"):
            if word.split("=")[0] not in follows and word != "-o":
                return word
        elif len(known) < 2 and not any(f.startswith("-") for f in follows):
            if word not in follows:
                return word
            known.append(word)
    return None


def escaping(page, blocks, prose):
    """A line for each command or piece of code that nothing runs."""
    made_from_sources = os.path.basename(page) in ("api.md", "diagnostics.md") # whose tests are theirs
    if made_from_sources:
        blocks = []
    for block in blocks:
        at = f"{page}:{block.line}"
        if block.language in ("", "text"):
            for offset, line in enumerate(block.text.splitlines(), 1):
                if COMMAND.match(line):
                    yield f"{page}:{block.line + offset}: a command that nothing runs: fence it as sh: {line.strip()}"
        elif block.language not in ("c", "cmake", "yaml", "make"):
            if block.language != "sh":
                yield f"{at}: no test knows what to do with '{block.language}': fence commands as sh"
        elif not any(re.sub(r"\n +", "\n", "\n" + block.text) in text for text in tested()):
            yield f"{at}: no file under manifest, runtime or tests/examples has this {block.language}"
    for number, line in prose:
        if not made_from_sources and re.match(" {4}", line) and COMMAND.match(line):
            yield f"{page}:{number}: a command that nothing runs: fence it as sh: {line.strip()}"
        for command in re.findall(r"`((?:rooflinec|roofline|\./dev) [^`]+)`", line):
            word = unknown_word(command)
            if word is not None:
                yield f"{page}:{number}: `{command}`: there is no '{word}'"


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
    os.rename(os.path.join(tree, "dev"), os.path.join(tree, ".dev"))
    os.mkdir(os.path.join(top, "bin"))
    for name in os.listdir(stand_ins):
        place = tree if name in ("dev", "bench") else os.path.join(top, "bin")
        shutil.copy(os.path.join(stand_ins, name), place)
    cache = open(os.path.join(build, "CMakeCache.txt")).read()
    sanitize = re.search(r"^ROOFLINE_SANITIZE:STRING=(.+)$", cache, re.M)
    for name, compiler in (("cc", os.environ["CC"]), ("c++", os.environ["CXX"])):
        path = os.path.join(top, "bin", name)
        with open(path, "w") as wrapper:
            flags = f"-fsanitize={sanitize[1]}" if sanitize else ""
            wrapper.write(f'#!/bin/sh\nexec {compiler} {flags} "$@"\n')
        os.chmod(path, 0o755)
    return top, tree


def run(page, shown):
    """1 when a command of the page fails or prints something else than the page says."""
    top, tree = sandbox()
    text = ["set -eu\n"]
    for i, block in enumerate(shown):
        text.append(f"{{\n{script(block.text)}\n}} >{top}/{i}.out 2>&1 </dev/null\n")
    environment = dict(os.environ, PATH=f"{top}/bin:{os.environ['PATH']}", HOME=top, NO_COLOR="1")
    failed = subprocess.run(["bash", "-c", "".join(text)], cwd=tree, env=environment, check=False).returncode
    wrong = 0
    for i, block in enumerate(shown):
        output = os.path.join(top, f"{i}.out")
        if not os.path.exists(output):
            break
        printed = open(output, encoding="utf-8").read()
        if failed and not os.path.exists(os.path.join(top, f"{i + 1}.out")):
            print(f"{page}:{block.line}: one of these commands failed:\n{block.text}having printed:\n{printed}")
            wrong = 1
        elif not matches(block.expected or "", printed):
            print(f"{page}:{block.line}: these commands:\n{block.text}print:\n{printed}instead of:\n{block.expected}")
            wrong = 1
    shutil.rmtree(top)
    return wrong


def check(page):
    blocks, prose = read(page)
    shown = [block for block in blocks if block.language == "sh"]
    wrong = 0
    for line in escaping(page, blocks, prose):
        print(line)
        wrong = 1
    if shown:
        wrong |= run(page, shown)
    print(f"{page}: {len(shown)} blocks of commands{', all as it says' if not wrong else ''}")
    return wrong


if __name__ == "__main__":
    sys.exit(max(check(page) for page in sys.argv[1:]))
