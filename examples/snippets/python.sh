# Snippets of docs/python.md, for an environment of Python.
# snippet: install
cd python && pip install .
# end
