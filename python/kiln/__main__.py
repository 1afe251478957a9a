"""`python -m kiln`: the tool `kiln`. Where it is not installed, its commands that are JSON: `python -m kiln devices`."""
import json
import os
import shutil
import sys


def _library():
    """Returns the path of libkiln.so that this process has open."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")[2]
            if os.path.basename(path).startswith("libkiln.so"):
                return "/" + path
    return None


def _tool():
    here = os.path.dirname(os.path.abspath(__file__))
    candidates = [os.path.join(here, "bin", "kiln")]
    library = _library()
    if library is not None:
        candidates.append(os.path.join(os.path.dirname(os.path.dirname(library)), "bin", "kiln"))
    for each in candidates:
        if os.access(each, os.X_OK):
            return each
    return shutil.which("kiln")


def main(arguments: list[str]) -> int:
    from . import Error, _kiln
    tool = _tool()
    if tool is not None:
        os.execv(tool, ["kiln", *arguments])
    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m kiln devices | environment | functions | cache list | cache stats | cache path | cache clear | memory")
        return 2
    command = ".".join(word for word in arguments if not word.startswith("-"))
    try:
        print(_kiln.command(json.dumps({"command": command})))
    except Error as error:
        print(f"kiln: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
