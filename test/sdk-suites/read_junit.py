"""Prints a line for each test of a report in the JUnit format: what became of it, its file and its name."""

import re
import sys
import xml.etree.ElementTree as xml

for case in xml.parse(sys.argv[1]).iter("testcase"):
    failed = case.find("failure") is not None or case.find("error") is not None
    outcome = "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
    file = case.get("classname").split(".api_resources.")[-1].rsplit(".", 1)[0]
    name = re.sub(r"^test_method_|\[.*", "", case.get("name"))
    print(outcome, f"{file} {name}")
