"""The native half of `deltafold.batch`. Import that module instead of this one."""

from ._native import FOLD_COLUMNS, Batch, Column, __version__

__all__ = ["FOLD_COLUMNS", "Batch", "Column", "__version__"]
