//! Where the OpenGL parts of this machine are: EGL, GLX, and Mesa's drivers for the CPU.

use crate::vulkan::library_dirs;
use std::path::Path;

/// Whether Mesa's drivers for the CPU can be used without a window system.
pub(crate) fn is_present() -> bool {
    egl_present() && mesa_present()
}

/// Whether the EGL library is installed.
pub(crate) fn egl_present() -> bool {
    library_dirs()
        .iter()
        .any(|dir| dir.join("libEGL.so.1").exists())
}

/// Whether Mesa's part of GLX is installed.
pub(crate) fn glx_present() -> bool {
    library_dirs()
        .iter()
        .any(|dir| dir.join("libGLX_mesa.so.0").exists())
}

/// Whether Mesa's drivers for the CPU are installed.
pub(crate) fn mesa_present() -> bool {
    library_dirs().iter().any(|dir| has_mesa(dir))
}

/// Mesa before 24.3 has a library for each driver, since then one for all.
fn has_mesa(dir: &Path) -> bool {
    dir.join("dri/swrast_dri.so").exists()
        || std::fs::read_dir(dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with("libgallium")
            })
        })
}
