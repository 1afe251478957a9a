"""Runs a Python file, or a command, in an environment that has what the executor needs: environment.py FOLDER COMMAND…

The environment is made in FOLDER, by pip, where it is not there yet. Where it cannot be made, the line for a test that did not
run is printed. KILN_AMD_PYTHON names the environment's Python to the command.
"""
import fcntl
import os
import subprocess
import sys

# tinygrad has AMD's instruction tables and pseudocode; its layout is nobody's promise, so its version is fixed.
PACKAGES = ("numpy==2.2.6", "tinygrad==0.14.0")


def made(folder):
    python = os.path.join(folder, "bin", "python")
    stamp = os.path.join(folder, "-".join(PACKAGES))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(stamp):
            try:
                subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=sys.stderr)
                subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *PACKAGES], check=True,
                               stdout=sys.stderr)
            except (OSError, subprocess.CalledProcessError) as why:
                print(f"no environment for the executor: {why}", file=sys.stderr)
                return None
            open(stamp, "w").close()
    return python


def main():
    folder, command = sys.argv[1], sys.argv[2:]
    python = made(folder)
    if python is None:
        print("KILN-NOT-RUN tinygrad 1")
        return
    if command[0].endswith(".py"):
        command.insert(0, python)
    os.execvpe(command[0], command, {**os.environ, "KILN_AMD_PYTHON": python})


if __name__ == "__main__":
    main()
