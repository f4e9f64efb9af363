"""The package itself: its version, its names, its types."""

import importlib.metadata
import pathlib

import deltafold


def test_the_module_has_the_version_of_the_package() -> None:
    assert deltafold.__version__ == importlib.metadata.version("deltafold")


def test_every_public_name_exists() -> None:
    for name in deltafold.__all__:
        assert getattr(deltafold, name) is not None
        if name != "__version__":
            assert getattr(deltafold, name).__doc__


def test_types_are_shipped() -> None:
    folder = pathlib.Path(deltafold.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()
