#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads an OCI image as a registry's client would: from index.json by digests, of which each must
be that of its blob, and every blob must be named. Unpacks its layers into FOLDER, and writes what
it would run, a line each, to FOLDER.run: its user, `env`'s arguments, its command.

    unpack_image.py IMAGE.tar FOLDER
"""

import gzip
import hashlib
import json
import subprocess
import sys
import tarfile
from pathlib import Path


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class Image:
    def __init__(self, archive: Path):
        with tarfile.open(archive) as tar:
            self._files = {member.name: tar.extractfile(member).read()
                           for member in tar.getmembers() if member.isfile()}
        self._unread = {name for name in self._files if name.startswith("blobs/")}
        assert json.loads(self._files["oci-layout"])["imageLayoutVersion"] == "1.0.0"

    def index(self) -> dict:
        return json.loads(self._files["index.json"])

    def blob(self, descriptor: dict) -> bytes:
        name = "blobs/" + descriptor["digest"].replace(":", "/")
        data = self._files[name]
        assert digest_of(data) == descriptor["digest"], f"{name} is damaged"
        assert len(data) == descriptor["size"], f"{name} has {len(data)} bytes"
        self._unread.discard(name)
        return data

    def check_all_was_named(self) -> None:
        assert not self._unread, f"nobody names {self._unread}"


def main(archive: str, folder: str) -> None:
    image = Image(Path(archive))
    (entry,) = image.index()["manifests"]
    assert entry["platform"] == {"architecture": "amd64", "os": "linux"}
    manifest = json.loads(image.blob(entry))
    config = json.loads(image.blob(manifest["config"]))
    for descriptor, diff in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        layer = gzip.decompress(image.blob(descriptor))
        assert digest_of(layer) == diff, "a layer is not what the configuration says"
        Path(f"{folder}.layer").write_bytes(layer)
        Path(folder).mkdir(exist_ok=True)
        subprocess.run(["tar", "-xpf", f"{folder}.layer", "-C", folder], check=True)
    image.check_all_was_named()
    run = config["config"]
    Path(f"{folder}.run").write_text("\n".join([run["User"], *run["Env"], *run["Entrypoint"]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
