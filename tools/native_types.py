#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents of the native API as TypeScript types, made from openapi.json: the page and the
TypeScript client have no others.

    tools/native_types.py            writes them where they belong
    tools/native_types.py --check    says whether what is there is what would be written
"""

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/door/native/openapi.json"
TARGET = ROOT / "clients/typescript/src/native.ts"
COLUMNS = 100

HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// The documents of the native API. Made from src/door/native/openapi.json by tools/native_types.py:
// change that and run it.
"""

NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
         "null": "null"}

Schema = dict[str, Any]


def comment(text: str, indent: str) -> str:
    one = f"{indent}/** {text} */"
    if len(one) <= COLUMNS:
        return one + "\n"
    lines = textwrap.wrap(text, COLUMNS - len(indent) - 3, break_long_words=False)
    return indent + "/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + indent + " */\n"


def union(kinds: list[str]) -> str:
    return " | ".join(dict.fromkeys(kinds))


def members(schema: Schema, indent: str) -> str:
    required = schema.get("required", [])
    text = ""
    for name, member in schema["properties"].items():
        if "description" in member:
            text += comment(member["description"], indent)
        text += f"{indent}{name}{'' if name in required else '?'}: {type_of(member, indent)};\n"
    return text


def object_type(schema: Schema, indent: str) -> str:
    if not schema["properties"]:
        return "Record<string, never>"
    return "{\n" + members(schema, indent + "  ") + indent + "}"


def array_type(schema: Schema, indent: str) -> str:
    items = type_of(schema["items"], indent)
    return f"({items})[]" if " | " in items and not items.startswith("{") else f"{items}[]"


def type_of(schema: Schema, indent: str = "") -> str:
    """A form that is not known here is a KeyError, not a type that allows everything."""
    if "$ref" in schema:
        return schema["$ref"].removeprefix("#/components/schemas/")
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return union([json.dumps(value) for value in schema["enum"]])
    if "oneOf" in schema:
        return union([type_of(each, indent) for each in schema["oneOf"]])
    if "allOf" in schema:
        return " & ".join(type_of(each, indent) for each in schema["allOf"])
    if "type" not in schema:
        return "unknown"  # any JSON; the tests of the native door list where it may be
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if kinds == ["object"]:
        return object_type(schema, indent)
    if kinds == ["array"]:
        return array_type(schema, indent)
    return union([NAMES[kind] for kind in kinds])


def declaration(name: str, schema: Schema) -> str:
    text = comment(schema["description"], "") if "description" in schema else ""
    if schema.get("type") == "object" and schema["properties"]:
        return f"{text}export interface {name} {object_type(schema, '')}\n"
    if "oneOf" in schema:
        choices = "".join(f"\n  | {type_of(each, '  ')}" for each in schema["oneOf"])
        return f"{text}export type {name} ={choices};\n"
    return f"{text}export type {name} = {type_of(schema)};\n"


def types_of(document: Schema) -> str:
    schemas = document["components"]["schemas"]
    return HEAD + "".join("\n" + declaration(*each) for each in schemas.items())


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: tools/native_types.py [--check]", file=sys.stderr)
        return 2
    wanted = types_of(json.loads(SOURCE.read_text(encoding="utf-8")))
    if not arguments:
        TARGET.write_text(wanted, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != wanted:
        print(f"{TARGET.relative_to(ROOT)} is not what {SOURCE.relative_to(ROOT)} says; run "
              "tools/native_types.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
