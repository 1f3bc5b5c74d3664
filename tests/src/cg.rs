//! Where NVIDIA's Cg runtime is, a client of the vendor library: it is two libraries without sources, which the Python package of Panda3D brings.

use crate::scripts::repository;
use std::path::PathBuf;

/// The package, with its version.
pub const PACKAGE: &str = "panda3d==1.10.16";

/// The hash of its file for Python 3.11 on 64-bit x86, the only one that is taken.
pub const SHA256: &str = "8aa53ad6d83eaa750d84e8c1d84919c0f1167212208c836c15b998409cdb6a83";

/// The Python that its modules are for; the runtime itself needs none.
pub const PYTHON: &str = "python3.11";

/// The folder in which `cargo xtask setup` unpacks the package.
pub fn folder() -> PathBuf {
    repository().join("target/cg/panda3d-1.10.16")
}

/// The folder of the runtime's libraries, if they are there.
pub fn libraries() -> Option<PathBuf> {
    let found = folder().join("panda3d");
    let has = |name| found.join(name).is_file();
    (has("libCg.so") && has("libCgGL.so")).then_some(found)
}
