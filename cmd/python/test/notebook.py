"""Executes a notebook from its first cell to its last, and prints the results of the cells.

Usage: notebook.py NOTEBOOK"""
import os
import sys

import nbclient
import nbformat

path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
assert not any(cell.get("outputs") for cell in notebook.cells), "%s is kept with outputs, which go stale" % path
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
    resources={"metadata": {"path": os.path.dirname(path)}}).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text") or output["data"]["text/plain"])
