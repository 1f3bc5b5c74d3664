//! The directory in which Windows searches libraries before the system directory.

use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use windows_sys::Win32::System::LibraryLoader::SetDllDirectoryW;

/// Makes this process and its future child processes search libraries in a directory, after that of
/// the executable and before the system directory.
///
/// # Errors
///
/// If the path contains a zero, or is longer than Windows accepts.
pub(super) fn add_dll_directory(directory: &Path) -> io::Result<()> {
    let directory = std::path::absolute(directory)?;
    let mut wide: Vec<u16> = directory.as_os_str().encode_wide().collect();
    if wide.contains(&0) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path contains a zero",
        ));
    }
    wide.push(0);
    // SAFETY: the path ends with its only zero, and Windows copies it.
    let is_set = unsafe { SetDllDirectoryW(wide.as_ptr()) };
    if is_set == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
