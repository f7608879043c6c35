"""Prints a line for each test of a report in the JUnit format: what became of it, its file, its name and its client."""

import re
import sys
import xml.etree.ElementTree as xml

KINDS = {"raw_response": " raw", "streaming_response": " streaming", "method": ""}

for case in xml.parse(sys.argv[1]).iter("testcase"):
    failed = case.find("failure") is not None or case.find("error") is not None
    outcome = "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
    file, suite = case.get("classname").split(".api_resources.")[-1].rsplit(".", 1)
    kind, name, client = re.match(
        r"(?:test_(method|raw_response|streaming_response)_)?(.*?)(?:\[(.*)\])?$", case.get("name")
    ).groups()
    way = ("async" if "Async" in suite else "sync") + KINDS[kind or "method"]
    print(outcome, f"{file} {name} ({client} {way})" if client else f"{file} {name} ({way})")
