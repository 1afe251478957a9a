#!/usr/bin/env python3
"""Holds docs/manifest.schema.json to the cases that the reader of manifests is held to: what the reader takes, the schema takes; what the
reader refuses, the schema refuses, but for cases marked "schema": "accepts", whose rule no schema can tell.

usage: schema_test.py SCHEMA CASES
"""
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("KILN-NOT-RUN jsonschema 1")
    sys.exit(0)


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    cases = json.load(open(sys.argv[2], encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = []
    for case in cases:
        manifest = case["manifest"] if "manifest" in case else {"kiln_manifest": 2, "kernels": [case["kernel"]]}
        expected = "error" not in case or case.get("schema") == "accepts"
        if validator.is_valid(manifest) != expected:
            errors = "; ".join(error.message for error in validator.iter_errors(manifest))
            wrong.append(f"{case['name']}: the schema {'refuses' if expected else 'takes'} it {errors}")
    print("\n".join(wrong) or f"{len(cases)} cases agree with the schema")
    return 1 if wrong or len(cases) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
