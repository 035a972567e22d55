"""# The settings of a site

Turns `mkdocs.yml` into a `Project`, and adds what the engine needs to the configuration
of MkDocs: extensions, templates, style sheets, scripts, and translated texts.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mkdocs.config import config_options as option
from mkdocs.config import load_config
from mkdocs.config.base import Config
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError, PluginError
from mkdocs.structure.files import Files, get_files
from mkdocs.utils.yaml import yaml_load

from labml_txl.errors import UserError
from labml_txl.extras import how_to_install
from labml_txl.literate.equations.extension import FormulaExtension
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.i18n.po import SHIPPED
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.inventory import has_engine
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from labml_txl.literate.sources.repository import Repository, relative_to
from labml_txl.literate.sources.source import LiterateError, check_file
from labml_txl.literate.theme.navigation import entries, names, translate
from labml_txl.literate.theme.templates import THEME


class LiterateConfig(Config):
    """The schema of the plugin's settings; `Project` explains them.

    `revision` is the version, branch or commit that notebooks install.
    """

    modules = option.ListOfItems(option.Type(str), default=[])
    exclude = option.ListOfItems(option.Type(str), default=[])
    equations = option.ListOfItems(option.Type(str), default=[])
    tests = option.Type(str, default="tests")
    notebooks = option.ListOfItems(option.Type(str), default=[])
    figures = option.ListOfItems(option.Type(str), default=[])
    inventories = option.DictOfItems(option.Type(str), default={})
    locale = option.Type(str, default="docs/locale")
    translators = option.Type(str, default="")
    observations = option.Type(str, default="docs/observations")
    trusted = option.ListOfItems(option.Type(str), default=[])
    macros = option.DictOfItems(option.Type(str), default={})
    connect = option.DictOfItems(option.ListOfItems(option.Type(str)), default={})
    revision = option.Type(str, default="")


def root_of(config: MkDocsConfig) -> Path:
    """The folder of the project."""
    return Path(config.config_file_path or "mkdocs.yml").resolve().parent


def project_of(given: LiterateConfig, config: MkDocsConfig) -> Project:
    """Make a `Project` of the settings of the plugin and of MkDocs.

    Raises `LiterateError` if a file of `docs` cannot be published.
    """
    root, docs, nav = root_of(config), Path(config.docs_dir), [*entries(config.nav)]
    own: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
    }
    revision = own.pop("revision")
    own["inventories"] = tuple(given.inventories.items())
    own["macros"] = tuple(given.macros.items())
    own["connect"] = tuple((page, tuple(to)) for page, to in given.connect.items())
    project = Project(
        **own,
        root=root,
        docs=relative_to(docs, root),
        settings=relative_to(Path(config.config_file_path or "mkdocs.yml"), root),
        names=tuple(dict.fromkeys(names(config))),
        titles=tuple((page, title) for title, page in nav if isinstance(page, str)),
        repository=Repository(config.repo_url or "", config.edit_uri or "", revision),
        language=config.theme.get("language") or Project.language,
        url=config.site_url or "",
        directory_urls=config.use_directory_urls,
    )
    files = remove_hidden(get_files(config), project)
    for file in files:
        check_file(Path(file.abs_src_path or ""), root)
    pages = files.documentation_pages()
    return replace(project, prose=tuple(page.src_uri for page in pages))


def remove_hidden(files: Files, project: Project) -> Files:
    """These files without catalogs and records, which are not copied to the site."""
    hidden = project.unpublished
    return Files(
        [f for f in files if hidden.isdisjoint(Path(f.abs_src_path or "").parents)]
    )


def apply(
    config: MkDocsConfig, localized: LocalizedProject, typesetter: Typesetter
) -> None:
    """Add what the pages need to the configuration, and translate its texts.

    Raises `PluginError` for a theme other than Material.
    """
    if config.theme.name != "material":
        given = f"theme {config.theme.name}: the pages need `material`"
        raise PluginError(f"{given}: set `theme: material` in mkdocs.yml")
    for name, options in EXTENSIONS.items():
        if name not in config.markdown_extensions:
            config.markdown_extensions.append(name)
        config.mdx_configs[name] = {**options, **config.mdx_configs.get(name, {})}
    formulas: Any = FormulaExtension(typesetter, dict(localized.project.macros))
    config.markdown_extensions.append(formulas)
    # By default, Material loads fonts from another host. Only a project may ask for it.
    themes = [given.get("theme") for given in read_given(config)]
    if not any(isinstance(theme, dict) and "font" in theme for theme in themes):
        config.theme["font"] = False
    # Otherwise, Material measures all blocks of code while the page loads.
    config.theme["features"] = [*config.theme["features"], "content.lazy"]
    config.theme.dirs.insert(bool(config.theme.custom_dir), str(THEME))
    config.extra_css[:0] = ["assets/katex/katex.min.css", "assets/literate.css"]
    script = ExtraScriptValue("assets/literate.js")
    script.defer = True
    config.extra_javascript.append(script)
    config.site_url = localized.url
    if not config.repo_url and not urlsplit(config.edit_uri or "").scheme:
        # A relative `edit_uri` has no meaning without a repository.
        config.edit_uri = None
    # A broken link to an anchor fails a strict build, as one to a page does.
    config.validation.links.anchors = logging.WARNING
    config.watch += [str(path) for path in localized.project.paths if path.exists()]
    if has_engine(localized.root):
        config.watch.append(str(SHIPPED))
    if not localized.language.source:
        translate(config, localized)


def read_given(config: Config) -> list[Any]:
    """The settings that somebody has written, without defaults.

    MkDocs has no other way to ask for them, and prints a warning with the stack.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return [*config.user_configs]


@contextmanager
def plugin_errors() -> Iterator[None]:
    """Convert errors that users can fix into `PluginError`.

    MkDocs reports this error in one line, without a traceback.
    """
    try:
        yield
    except Exception as error:
        if message := explain(error):
            raise PluginError(message) from None
        raise


def explain(error: Exception) -> str:
    """An error that users can fix in one line; empty for any other."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        # The packages that read notebooks are imported lazily, and may be missing.
        return f"{error.name} is missing: {how_to_install('site')}"
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(filter(None, [str(error.filename or ""), error.strerror]))
    return ""


def load(settings: Path) -> tuple[Any, MkDocsConfig]:
    """Load a `mkdocs.yml`: the plugin, and the configuration of MkDocs.

    Raises `LiterateError` if the settings are not valid or do not list the plugin.
    """
    try:
        config = load_config(str(settings))
    except ConfigurationError as error:
        raise LiterateError(str(settings), 1, str(error)) from None
    for plugin in config.plugins.values():
        if isinstance(plugin.config, LiterateConfig):
            return plugin, config
    raise LiterateError(str(settings), 1, "`literate` is not among its plugins")


# For commands and for Zensical


def read_settings(settings: Path) -> dict[str, Any]:
    """The parsed YAML of a `mkdocs.yml`, for a host other than MkDocs.

    Raises `LiterateError` if the settings are not valid or do not list the plugin.
    """
    load(settings)
    return yaml_load(settings.read_text(encoding="utf-8"))


def open_project(
    settings: Path, cache: Cache | None = None, **changed: Any
) -> LocalizedProject:
    """Open the project of a `mkdocs.yml` in the language of its pages.

    `changed` replaces fields of `Project`. Raises `LiterateError` if the settings are
    not valid or do not list the plugin.
    """
    plugin, config = load(settings)
    project = replace(project_of(plugin.config, config), **changed)
    return annotate(project, cache=cache)


def use_default_branch(localized: LocalizedProject) -> LocalizedProject:
    """A copy of the project for writing the notebooks of the repository.

    They install the default branch, since a notebook cannot name the commit that will
    contain it.
    """
    project = localized.project
    branch = replace(project.repository, revision="")
    return annotate(replace(project, repository=branch))
