#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an OCI image of the tarball, as an archive of its layout: one layer with the tarball's tree
below /usr/local, the C library that it needs and the authorities whose certificates it trusts, and
nothing else, no shell either.

    tools/oci.py TARBALL IMAGE.tar

The same tarball on the same system gives the same bytes: every time in it is that of the tarball's
newest file.
"""

import gzip
import hashlib
import io
import json
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path

# What a bare GNU/Linux has, at the places where the loader looks.
C_LIBRARY = ("/lib64/ld-linux-x86-64.so.2", *(f"/lib/x86_64-linux-gnu/{name}" for name in (
    "libc.so.6", "libm.so.6", "libpthread.so.0")))
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
LICENCES = {name: f"/usr/share/doc/{name}/copyright" for name in ("libc6", "ca-certificates")}
PREFIX = "usr/local"
USER = 65532  # no user of any system
STATE = "var/lib/parley"
MEDIA = "application/vnd.oci.image."
CONFIG = {
    "User": f"{USER}:{USER}",
    "Env": ["PATH=/usr/local/bin", "HOME=/tmp", "XDG_STATE_HOME=/var/lib",
            "XDG_CONFIG_HOME=/etc", "LANG=C.UTF-8"],
    "Entrypoint": [f"/{PREFIX}/bin/parley"],
    "Cmd": ["serve"],
    "ExposedPorts": {"7373/tcp": {}},
    "Volumes": {f"/{STATE}": {}},
    "WorkingDir": f"/{STATE}",
    "StopSignal": "SIGTERM",
}


class Tree:
    """A tar file in the making: folders before what is in them, everything of one time."""

    def __init__(self, when: int):
        self._when = when
        self._bytes = io.BytesIO()
        self._tar = tarfile.open(fileobj=self._bytes, mode="w", format=tarfile.PAX_FORMAT)
        self._folders: set[str] = set()

    def add_folder(self, name: str, mode: int = 0o755, owner: int = 0) -> None:
        if name == "." or name in self._folders:
            return
        self.add_folder(str(Path(name).parent))
        self._folders.add(name)
        self._add(tarfile.TarInfo(name), mode, owner, kind=tarfile.DIRTYPE)

    def add_file(self, name: str, data: bytes, mode: int = 0o644) -> None:
        self.add_folder(str(Path(name).parent))
        member = tarfile.TarInfo(name)
        member.size = len(data)
        self._add(member, mode, 0, data=data)

    def add_link(self, name: str, target: str) -> None:
        self.add_folder(str(Path(name).parent))
        member = tarfile.TarInfo(name)
        member.linkname = target
        self._add(member, 0o777, 0, kind=tarfile.SYMTYPE)

    def _add(self, member: tarfile.TarInfo, mode: int, owner: int, kind: bytes = tarfile.REGTYPE,
             data: bytes = b"") -> None:
        member.type, member.mode, member.mtime = kind, mode, self._when
        member.uid = member.gid = owner
        self._tar.addfile(member, io.BytesIO(data))

    def close(self) -> bytes:
        self._tar.close()
        return self._bytes.getvalue()


def make_layer(tarball: tarfile.TarFile, when: int) -> bytes:
    tree = Tree(when)
    for member in sorted(tarball.getmembers(), key=lambda one: one.name):
        top, _, name = member.name.partition("/")  # one folder has it all
        if not name or name == "install.sh":
            continue
        if member.issym():
            tree.add_link(f"{PREFIX}/{name}", member.linkname)
        elif member.isfile():
            tree.add_file(f"{PREFIX}/{name}", tarball.extractfile(member).read(), member.mode)
        elif not member.isdir():
            raise ValueError(f"{top}/{name} is neither a file nor a folder")
    for file in C_LIBRARY:
        tree.add_file(file.lstrip("/"), Path(file).read_bytes(), 0o755)
    tree.add_file(AUTHORITIES.lstrip("/"), Path(AUTHORITIES).read_bytes())
    for name, licence in LICENCES.items():
        tree.add_file(f"{PREFIX}/share/doc/parley/licences/{name}", Path(licence).read_bytes())
    tree.add_file("etc/passwd", f"parley:x:{USER}:{USER}::/{STATE}:/nonexistent\n".encode())
    tree.add_folder("tmp", 0o1777)
    tree.add_folder(STATE, 0o700, USER)
    return tree.close()


class Layout:
    """The files of an image: blobs by their digests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def add_blob(self, kind: str, data: bytes) -> dict:
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": MEDIA + kind, "digest": f"sha256:{digest}", "size": len(data)}

    def add_document(self, kind: str, document: dict) -> dict:
        return self.add_blob(kind, json.dumps(document, sort_keys=True).encode())


def make_image(tarball: tarfile.TarFile, version: str) -> bytes:
    when = max(int(member.mtime) for member in tarball.getmembers())
    layer = make_layer(tarball, when)
    created = datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    layout = Layout()
    config = layout.add_document("config.v1+json", {
        "architecture": "amd64", "os": "linux", "created": created, "config": CONFIG,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "tools/oci.py"}]})
    manifest = layout.add_document("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": f"{MEDIA}manifest.v1+json", "config": config,
        "layers": [layout.add_blob("layer.v1.tar+gzip", gzip.compress(layer, mtime=0))],
        "annotations": {"org.opencontainers.image.title": "parley",
                        "org.opencontainers.image.version": version,
                        "org.opencontainers.image.licenses": "Apache-2.0"}})
    manifest["platform"] = {"architecture": "amd64", "os": "linux"}
    manifest["annotations"] = {"org.opencontainers.image.ref.name": f"parley:{version}"}
    layout.files["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    layout.files["index.json"] = json.dumps({
        "schemaVersion": 2, "mediaType": f"{MEDIA}index.v1+json", "manifests": [manifest]}).encode()
    archive = Tree(when)
    for name, data in sorted(layout.files.items()):
        archive.add_file(name, data)
    return archive.close()


def main(tarball: str, image: str) -> int:
    version = Path(tarball).name.split("-")[1]
    with tarfile.open(tarball) as source:
        Path(image).write_bytes(make_image(source, version))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
