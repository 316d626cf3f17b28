"""Every notebook runs from its first cell to its last, and shows what it ends its cells with."""

import ast
import contextlib
import io
import json
import pathlib
import unittest

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def run(notebook):
    """Runs the code cells in one namespace; a last expression is shown as a notebook shows it."""
    scope = {"__name__": "__main__"}
    for nth, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], f"{notebook.name}: commit cells without outputs"
        code = ast.parse("".join(cell["source"]), f"{notebook.name}, cell {nth}")
        last = code.body.pop() if code.body and isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, f"{notebook.name}, cell {nth}", "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"{notebook.name}, cell {nth}", "eval"), scope)
            show = getattr(value, "_repr_html_", None)
            print(show() if show else repr(value))


class Notebooks(unittest.TestCase):
    def test_there_are_three(self):
        self.assertEqual([it.stem for it in NOTEBOOKS], ["a-rule-of-your-own", "first-steps", "is-a-difference-real"])

    def test_each_runs(self):
        for notebook in NOTEBOOKS:
            with self.subTest(notebook=notebook.name), contextlib.redirect_stdout(io.StringIO()) as said:
                run(notebook)
            self.assertTrue(said.getvalue(), notebook.name)


if __name__ == "__main__":
    unittest.main()
