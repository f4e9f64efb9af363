//! Data of other projects: read from outside the repository, never part of it.

use std::path::{Path, PathBuf};

/// Returns the path of a file or folder in the folder that `DELTAFOLD_SHARED` names.
///
/// `None` if the variable is not set: the test then has no data and prints that it is skipped, with its
/// name. If the variable is set and the path is missing, that is a failure.
///
/// # Panics
///
/// If the variable is set and the path does not exist.
pub fn shared(test: &str, path: impl AsRef<Path>) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("DELTAFOLD_SHARED") else {
        eprintln!("SKIPPED {test}: DELTAFOLD_SHARED is not set, {} cannot be read", path.as_ref().display());
        return None;
    };
    // Cargo runs tests in the package's folder; a relative path starts at the workspace's.
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let found = workspace.join(root).join(path);
    assert!(found.exists(), "DELTAFOLD_SHARED is set, but {} does not exist", found.display());
    Some(found)
}
