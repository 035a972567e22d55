"""Where the lines of a repository can be read, edited and asked about."""

import pytest

from labml_txl.literate.sources.repository import Repository

GITHUB, GITLAB = "https://github.com/a/b", "https://gitlab.com/a/b/-"


@pytest.mark.parametrize(
    ("repository", "source", "edit", "issue"),
    [
        (
            Repository(GITHUB, "edit/trunk/docs/"),
            GITHUB + "/blob/trunk/{path}#L{first}-L{last}",
            GITHUB + "/edit/trunk/x%20y.py#L3",
            GITHUB + "/issues/new?title=t&body=x+y",
        ),
        (
            Repository(GITLAB.removesuffix("-"), "-/edit/trunk/docs/"),
            GITLAB + "/blob/trunk/{path}#L{first}-{last}",
            GITLAB + "/edit/trunk/x%20y.py#L3",
            GITLAB + "/issues/new?issue%5Btitle%5D=t&issue%5Bdescription%5D=x+y",
        ),
        (Repository(), "", "", ""),
    ],
)
def test_each_repository_host_has_its_own_addresses(
    repository: Repository, source: str, edit: str, issue: str
) -> None:
    assert repository.source == source
    assert repository.edit("x y.py", 3) == edit
    assert repository.issue("t", "x y") == issue
