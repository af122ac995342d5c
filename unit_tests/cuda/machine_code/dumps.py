# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cuobjdump says of the kernels in an object: PTX, SASS, registers and frames."""

import dataclasses
import re
import subprocess


@dataclasses.dataclass
class Kernel:
    name: str  # demangled, without namespaces: cuda_collective<Body<..>, ..>
    architecture: str = ""
    ptx: str = ""  # empty: the object has none of this kernel
    sass: str = ""
    registers: int = 0
    stack: int = 0  # bytes of frame, spilled registers included
    frame: int = 0  # bytes of frame that the source asks for, in PTX
    threads: int = 0  # the launch bound

    @property
    def label(self):
        return f"{self.name} ({self.architecture})"

    def replace(self, pattern, by):
        """Returns the kernel with other code, as if it had been compiled so."""
        return dataclasses.replace(self, ptx=re.sub(pattern, by, self.ptx), sass=re.sub(pattern, by, self.sass))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def readable(names):
    """Returns {mangled: demangled}."""
    lines = run("c++filt", input="\n".join(names)).splitlines()
    noise = r"Koinon::|Impl::|Testing::|\(anonymous namespace\)::|^void "
    return {name: re.sub(noise, "", line) for name, line in zip(names, lines)}


def functions_of(ptx):
    """Returns {mangled: text} of the kernels of a PTX file and of what they call."""
    parts = re.split(r"^(?:\.\w+ )?\.(?:entry|func)\b.*?(\w+)\($", ptx, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def frame_of(ptx, functions):
    """Returns the bytes of local memory that a function and what it calls ask for."""
    depot = re.search(r"__local_depot\d+\[(\d+)\]", ptx)
    called = set(re.findall(r"\b(\w+), *$", ptx, flags=re.MULTILINE)) & functions.keys()
    below = max((frame_of(functions[name], functions) for name in called), default=0)
    return below + (-(-int(depot[1]) // 16) * 16 if depot else 0)


def kernels_of(cuobjdump, objects):
    """Returns every kernel of the objects, once an architecture."""
    kernels = []
    for path in objects:
        functions = functions_of(run(cuobjdump, "-ptx", path))
        resources = {}
        architecture = ""
        for line in run(cuobjdump, "--dump-resource-usage", path).splitlines():
            if match := re.match(r"arch = (\w+)", line):
                architecture = match[1]
            elif match := re.match(r" Function (\w+):", line):
                name = match[1]
            elif match := re.match(r"  REG:(\d+) STACK:(\d+)", line):
                resources[architecture, name] = int(match[1]), int(match[2])
        for part in re.split(r"^\s*code for ", run(cuobjdump, "-sass", path), flags=re.MULTILINE)[1:]:
            architecture = part.split(None, 1)[0]
            listed = re.split(r"^\s*Function : (\w+)", part, flags=re.MULTILINE)
            names = readable(listed[1::2])
            for mangled, sass in zip(listed[1::2], listed[2::2]):
                if not names[mangled].startswith("cuda_collective<"):
                    continue
                ptx = functions.get(mangled, "")
                threads = re.search(r"\.maxntid (\d+)", ptx)
                kernels.append(
                    Kernel(
                        re.match(r"cuda_collective<(.*?>), \w+Arguments<", names[mangled])[1],
                        architecture,
                        ptx,
                        "\n".join(re.findall(r"/\*[0-9a-f]{4,}\*/\s+(.*?);", sass)),
                        *resources[architecture, mangled],
                        frame_of(ptx, functions),
                        int(threads[1]) if threads else 0,
                    )
                )
    return kernels
