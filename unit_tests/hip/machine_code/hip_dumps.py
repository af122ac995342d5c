# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM's tools say of the kernels in an object: instructions, loops, registers, memory."""

import dataclasses
import functools
import pathlib
import re
import subprocess
import tempfile

from hip_loops import loops_of


@dataclasses.dataclass
class Code:
    """A kernel, or a function that kernels call."""

    name: str  # demangled, without namespaces
    architecture: str
    instructions: list  # of (address, text)
    facts: dict = dataclasses.field(default_factory=dict)  # of a kernel: what its metadata says

    @property
    def label(self):
        return f"{self.name} ({self.architecture})"

    @property
    def is_kernel(self):
        return bool(self.facts)

    @property
    def text(self):
        return "\n".join(text for _, text in self.instructions)

    def replace(self, pattern, by):
        """Returns the code with other instructions, as if it had been compiled so."""
        changed = [(address, re.sub(pattern, by, text)) for address, text in self.instructions]
        return dataclasses.replace(self, instructions=changed)

    @functools.cached_property
    def _loops(self):
        return loops_of(self.instructions)

    def loops(self):
        """Returns the instructions of each innermost loop, in the order of the code."""
        loops, blocks = self._loops
        inner = [loop for loop in loops if not any(other < loop for other in loops)]
        return [[text for number in sorted(loop) for text in blocks[number]] for loop in inner]

    def loops_with(self, pattern):
        """Returns for each block that has such an instruction the smallest loop around it."""
        loops, blocks = self._loops
        found = []
        for number, block in enumerate(blocks):
            if any(re.match(pattern, text) for text in block):
                loop = next((loop for loop in loops if number in loop), None)
                if loop is not None and loop not in found:
                    found.append(loop)
        return [[text for number in sorted(loop) for text in blocks[number]] for loop in found]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def readable(names):
    """Returns {mangled: demangled}."""
    noise = r"Koinon::|Impl::|Testing::|\(anonymous namespace\)::|^void "
    lines = run("c++filt", input="\n".join(names)).splitlines()
    return {name: re.sub(noise, "", line) for name, line in zip(names, lines)}


def short(name):
    """Returns the body of a kernel, the bare name of another function."""
    if name.startswith("hip_collective<"):
        return re.match(r"hip_collective<(.*?), \w+Arguments\b", name)[1]
    return name.split("(")[0]


def metadata_of(text):
    """Returns {kernel: {field: value}} of what llvm-readobj prints."""
    kernels = {}
    for part in re.split(r"^  - (?=\.agpr_count)", text, flags=re.MULTILINE)[1:]:
        facts = dict(re.findall(r"^\s{0,4}\.(\w+):\s+(\S+)$", part, flags=re.MULTILINE))
        kernels[facts["name"]] = {key: int(value) if value.isdigit() else value for key, value in facts.items()}
    return kernels


def code_of(tools, device_object, architecture):
    facts = metadata_of(run(tools / "llvm-readobj", "--notes", device_object))
    parts = re.split(r"^[0-9a-f]{16} <(\w+)>:$", run(tools / "llvm-objdump", "-d", device_object), flags=re.MULTILINE)
    names = readable(parts[1::2])
    code = []
    for mangled, body in zip(parts[1::2], parts[2::2]):
        lines = re.findall(r"^\s+(\S.*?)\s*// ([0-9A-F]{12}):", body, flags=re.MULTILINE)
        instructions = [(int(address, 16), text) for text, address in lines]
        code.append(Code(short(names[mangled]), architecture, instructions, facts.get(mangled, {})))
    return code


def codes_of(tools, objects):
    """Returns all code of the objects for each GPU that they were compiled for."""
    tools = pathlib.Path(tools)
    bundler = tools / "clang-offload-bundler"
    codes = []
    with tempfile.TemporaryDirectory() as folder:
        bundle, device_object = f"{folder}/bundle", f"{folder}/device"
        for path in objects:
            run(tools / "llvm-objcopy", "--dump-section", f".hip_fatbin={bundle}", path, "/dev/null")
            for target in run(bundler, "--list", "--type=o", f"--input={bundle}").split():
                if not target.startswith("hip"):
                    continue
                run(bundler, "--unbundle", "--type=o", f"--targets={target}", f"--input={bundle}",
                    f"--output={device_object}")
                codes += code_of(tools, device_object, target.split("--")[-1])
    return codes
