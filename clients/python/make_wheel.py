# SPDX-License-Identifier: Apache-2.0
"""What pip builds the package with: the package as it is, and a description of it. The standard
library can do that, so that pip needs no network for it, as it would for setuptools."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "parley_client"
# TOML as pyproject.toml has it; Python reads TOML by itself only from 3.11 on.
PROJECT = dict(re.findall(r'^([a-z-]+) = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.M))
VERSIONED = f"{PACKAGE}-{PROJECT['version']}"


def sources():
    return sorted(path for path in (HERE / PACKAGE).iterdir()
                  if path.suffix == ".py" or path.name == "py.typed")


def metadata():
    return (f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
            f"Summary: {PROJECT['description']}\nLicense: Apache-2.0\n"
            f"Requires-Python: {PROJECT['requires-python']}\n"
            "Description-Content-Type: text/markdown\n\n"
            f"{(HERE / 'README.md').read_text(encoding='utf-8')}").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory  # part of the interface
    about = f"{VERSIONED}.dist-info"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sources()}
    files[f"{about}/METADATA"] = metadata()
    files[f"{about}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: make_wheel\n"
                               b"Root-Is-Purelib: true\nTag: py3-none-any\n")
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    wheel = f"{VERSIONED}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    archive_name = f"{VERSIONED}.tar.gz"
    with tarfile.open(Path(sdist_directory) / archive_name, "w:gz",
                      format=tarfile.PAX_FORMAT) as archive:
        for path in [*sources(), *(HERE / name for name in ("README.md", "pyproject.toml",
                                                            "make_wheel.py"))]:
            archive.add(path, f"{VERSIONED}/{path.relative_to(HERE)}")
        about = tarfile.TarInfo(f"{VERSIONED}/PKG-INFO")
        about.size = len(metadata())
        archive.addfile(about, io.BytesIO(metadata()))
    return archive_name
