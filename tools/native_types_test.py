#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The types that each form of a schema becomes."""

import unittest

import native_types


class NativeTypes(unittest.TestCase):
    def expect(self, schema: dict, wanted: str) -> None:
        self.assertEqual(native_types.type_of(schema), wanted)

    def test_plain_forms(self) -> None:
        self.expect({"type": "integer"}, "number")
        self.expect({"type": ["string", "null"]}, "string | null")
        self.expect({"$ref": "#/components/schemas/Ask"}, "Ask")
        self.expect({"enum": ["a", "b"], "type": "string"}, '"a" | "b"')
        self.expect({"const": True}, "true")
        self.expect({"description": "any JSON"}, "unknown")

    def test_lists_of_several_kinds_are_bracketed(self) -> None:
        self.expect({"type": "array", "items": {"type": "string"}}, "string[]")
        self.expect({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]")

    def test_members_are_optional_unless_they_are_required(self) -> None:
        self.expect({"type": "object", "required": ["a"],
                     "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}},
                    "{\n  a: string;\n  b?: boolean;\n}")

    def test_a_form_that_is_not_known_is_no_type_that_allows_everything(self) -> None:
        for schema in ({"type": "object"}, {"type": "array"}, {"type": "decimal"}):
            with self.assertRaises(KeyError):
                native_types.type_of(schema)


if __name__ == "__main__":
    unittest.main()
