"""The page for contributors on the packages is made from the tree."""

from tests.architecture import PAGE, describe, find_packages, write_page


def test_the_page_on_the_architecture_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page()


def test_every_package_says_what_it_is() -> None:
    assert [str(folder) for folder in find_packages() if not describe(folder)] == []
