#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/run_gpu_tests: what it says where there is no GPU or no nvcc, and what it would run where there are."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "run_gpu_tests"


class RunGpuTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return str(file)

    def run_with(self, gpus, *arguments, nvcc="true"):
        """Runs the script where nvidia-smi lists so many GPUs; nothing is built by --dry-run or where one is missing."""
        lines = [f"echo 'GPU {i}: NVIDIA H200 (UUID: GPU-{i})'" for i in range(gpus)] or ["echo 'No devices were found'; exit 6"]
        self.program("nvidia-smi", "\n".join(lines))
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}",
                           CUDACXX=self.program("nvcc", nvcc) if nvcc else "/nowhere/nvcc")
        return subprocess.run([str(SCRIPT), *arguments], capture_output=True, text=True, check=False, env=environment)

    def test_says_that_there_is_no_gpu(self):
        result = self.run_with(0)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("there is no NVIDIA GPU here", result.stderr)

    def test_says_that_there_is_no_nvcc_and_where_it_looked(self):
        for arguments in ([], ["--pack", str(self.folder / "packed")]):
            result = self.run_with(1, *arguments, nvcc=None)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("there is no nvcc here (/nowhere/nvcc)", result.stderr)

    def test_shares_one_gpu_between_threads(self):
        result = self.run_with(1, "--dry-run", "--only", "perf")
        self.assertEqual(result.returncode, 0, result.stderr)
        for ranks in (2, 4, 8):
            self.assertIn(f"--thread-ranks {ranks}\n", result.stdout)
        self.assertNotIn("mpiexec", result.stdout)
        for words in ("reduce_scatter --type bfloat16", "--rivals prototype --graph --placement symmetric", "--early-trigger"):
            self.assertIn(words, result.stdout)

    def test_gives_each_process_a_gpu_where_there_are_several(self):
        mpiexec = self.program("mpiexec", "exit 1")
        result = self.run_with(4, "--dry-run", "--only", "perf")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{mpiexec} -n 4 ", result.stdout)
        self.assertNotIn("-n 8", result.stdout)
        self.assertNotIn("--thread-ranks", result.stdout)

    def test_runs_packed_programs_without_a_compiler(self):
        result = self.run_with(1, "--dry-run", "--programs", str(self.folder), nvcc=None)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{self.folder}/koinon_test_device_matrix", result.stdout)
        self.assertIn(f"{self.folder}/koinon_perf_tests all_reduce", result.stdout)

    def run_with_amd(self, targets, *arguments):
        """Runs the script where rocminfo lists a processor and GPUs of these targets; nothing is built by --dry-run."""
        lines = ["echo '  Name:                    AMD EPYC 9654 96-Core Processor'"]
        lines += [f"echo '  Name:                    {target}'; echo '      Name:                    amdgcn-amd-amdhsa--{target}:sramecc+:xnack-'"
                  for target in targets]
        self.program("rocminfo", "\n".join(lines))
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        return subprocess.run([str(SCRIPT), "--preset", "hip", *arguments], capture_output=True, text=True, check=False,
                              env=environment)

    def test_says_that_there_is_no_amd_gpu_and_where_it_looked(self):
        result = self.run_with_amd([])
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(f"there is no AMD GPU here ({self.folder}/rocminfo lists none): nothing was built or run", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_runs_the_tests_of_preset_hip_on_amd_gpus(self):
        result = self.run_with_amd(["gfx942", "gfx942"], "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 GPU(s)", result.stdout)
        self.assertRegex(result.stdout, "ctest --test-dir [^ ]*/build/hip ")
        self.assertNotIn("koinon_perf_tests", result.stdout)

    def test_refuses_of_preset_hip_what_only_cuda_has(self):
        for arguments in (["--only", "perf"], ["--sanitize"], ["--pack", str(self.folder / "packed")]):
            result = self.run_with_amd(["gfx942"], *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("of preset cuda", result.stderr)

    def test_refuses_an_unknown_option(self):
        result = self.run_with(1, "--fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown option '--fast'", result.stderr)

    def test_says_what_an_option_needs(self):
        for option, needed in (("--preset", "cuda or hip"), ("--results", "a folder"), ("--only", "tests or perf"), ("--programs", "a folder"),
                               ("--pack", "a folder")):
            for arguments in ([option], [option, ""]):
                result = self.run_with(1, *arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(result.stderr, f"run_gpu_tests: error: {option} needs {needed} (see --help)\n")

    def test_says_that_the_folder_of_programs_is_missing(self):
        result = self.run_with(1, "--programs", str(self.folder / "nowhere"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("nowhere: there is no such folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
