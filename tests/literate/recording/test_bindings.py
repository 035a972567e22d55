"""A binding is known by its function, its name and its number, not by its line."""

from labml_txl.literate.recording.bindings import find_bindings, hash_code

CODE = '''
"""A module."""

class A:
    """A class."""

    def run(self, x, *more, mask=None):
        y = self.inner(x)  # [a, b]
        y, (z, *rest) = (
            y + self.bias,
            (1, [2]),
        )
        for i in range(3):
            self.state = [k for k in rest]
            y += i

        def twice(v):
            return v * 2

        if (n := len(z)) > 2:
            é = "ü"; return twice(é)
        return y
'''


def found(code: str) -> dict[tuple[str, str, int], str]:
    """The text that stands where each binding says, by its key."""
    lines = code.splitlines()
    return {
        b.key: lines[b.line - 1][b.column :][: len(b.name)] for b in find_bindings(code)
    }


def test_every_binding_of_a_name_is_found() -> None:
    run, twice = "A.run", "A.run.<locals>.twice"
    wanted = [
        *((run, "self", 0), (run, "x", 0), (run, "more", 0), (run, "mask", 0)),
        *((run, "y", 0), (run, "self.inner", 0)),
        *((run, "y", 1), (run, "z", 0), (run, "rest", 0), (run, "self.bias", 0)),
        *((run, "i", 0), (run, "self.state", 0), (run, "y", 2)),
        *((run, "n", 0), (run, "é", 0), (run, "return", 0), (run, "return", 1)),
        *((twice, "v", 0), (twice, "return", 0)),
    ]
    places = found(CODE)
    assert [*places] == wanted
    assert all(text == name for (_, name, _), text in places.items())


def test_a_binding_knows_its_statement() -> None:
    lines = {
        b.key[1:]: (b.first, b.last) for b in find_bindings(CODE) if "." in b.function
    }
    assert lines["z", 0] == (9, 12)
    assert lines["i", 0] == (13, 13)
    assert lines["n", 0] == (20, 20)


def test_the_digest_ignores_comments_and_docstrings() -> None:
    other = CODE.replace("# [a, b]", "").replace('"""A class."""', '"""Words."""')
    assert hash_code(other) == hash_code(CODE)
    assert [b.key for b in find_bindings(other)] == [b.key for b in find_bindings(CODE)]
    assert hash_code(CODE.replace("y += i", "y -= i")) != hash_code(CODE)


def test_every_version_of_python_gives_the_same_digest() -> None:
    """Newer ones give a class and a function fields that are empty here."""
    code = "class A:\n    def f(self, x, *, y=None):\n        return [x, y]\n"
    assert hash_code(code) == "d2575bc6605cc301"
