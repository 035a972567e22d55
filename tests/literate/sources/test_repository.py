"""Where the lines of a repository can be read, and a file of it edited."""

import pytest

from labml_txl.literate.sources.repository import Repository


@pytest.mark.parametrize(
    ("url", "edit_uri", "source", "edit"),
    [
        (
            "https://github.com/a/b",
            "edit/trunk/docs/",
            "https://github.com/a/b/blob/trunk/{path}#L{first}-L{last}",
            "https://github.com/a/b/edit/trunk/x%20y.py#L3",
        ),
        (
            "https://gitlab.com/a/b/",
            "-/edit/trunk/docs/",
            "https://gitlab.com/a/b/-/blob/trunk/{path}#L{first}-{last}",
            "https://gitlab.com/a/b/-/edit/trunk/x%20y.py#L3",
        ),
        ("", "", "", ""),
    ],
)
def test_each_host_has_addresses_of_its_own(
    url: str, edit_uri: str, source: str, edit: str
) -> None:
    repository = Repository(url, edit_uri)
    assert repository.source == source
    assert repository.edit("x y.py", 3) == edit


@pytest.mark.parametrize(
    ("url", "issue"),
    [
        (
            "https://github.com/a/b",
            "https://github.com/a/b/issues/new?title=t&body=x+y",
        ),
        (
            "https://gitlab.com/a/b/",
            "https://gitlab.com/a/b/-/issues/new"
            "?issue%5Btitle%5D=t&issue%5Bdescription%5D=x+y",
        ),
        ("", ""),
    ],
)
def test_a_question_is_a_new_issue_with_its_title_and_text(
    url: str, issue: str
) -> None:
    assert Repository(url).issue("t", "x y") == issue
