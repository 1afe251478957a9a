"""The examples of the pages."""
import doctest
import os
import re

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.mark.parametrize("page", ["docs/python.md"])
def test_examples_of_a_page(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        blocks = [block for block in re.findall(r"```python\n(.*?)```", file.read(), re.S) if block.startswith(">>>")]
    assert len(blocks) > 5
    names = {}
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
        test.globs = names
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        report = []
        runner.run(test, out=report.append, clear_globs=False)
        assert runner.failures == 0, "".join(report)
