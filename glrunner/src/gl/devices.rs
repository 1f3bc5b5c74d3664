//! The devices that can run scripts: selection and properties. EGL or WGL opens them.

use super::context::Gl;
use super::platform::{Device, WindowSystem};
use crate::error::Error;
use glasm_scripts::runner::DeviceChoice;
use std::rc::Rc;

/// Versions from the highest that the commands here support; versions between them are never the
/// highest of a driver.
pub(super) const VERSIONS: [Version; 11] = [
    Version(4, 6),
    Version(4, 5),
    Version(4, 4),
    Version(4, 3),
    Version(4, 2),
    Version(4, 1),
    Version(4, 0),
    Version(3, 3),
    Version(3, 2),
    Version(3, 0),
    Version(2, 1),
];

/// Kind of a device: GPU or software.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum DeviceKind {
    /// Device that may be a GPU: EGL does not report that it is not.
    Hardware,
    /// Device that runs on the CPU.
    #[cfg_attr(windows, expect(dead_code, reason = "WGL has one device"))]
    Software,
}

/// Version of OpenGL, major and minor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Device that can run scripts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Number for [`DeviceChoice::Index`](glasm_scripts::runner::DeviceChoice::Index).
    pub index: usize,
    /// OpenGL's name of the renderer.
    pub name: String,
    /// Vendor of the driver or the device.
    pub vendor: String,
    /// Version of OpenGL.
    pub version: Version,
    /// Name and version of the driver.
    pub driver: String,
    /// Extensions of the context, such as `GL_ARB_vertex_program`, in alphabetical order.
    pub extensions: Vec<String>,
}

impl DeviceInfo {
    /// Returns true if name or vendor contain the text; case is ignored.
    pub(super) fn matches_name(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        [&self.name, &self.vendor]
            .iter()
            .any(|name| name.to_lowercase().contains(&text))
    }
}

/// Returns all devices that OpenGL can be used on without a window.
///
/// # Errors
///
/// [`Error::Library`] without a library of OpenGL. A device that cannot be opened is omitted.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    Ok(list_devices()?.into_iter().map(|(_, info)| info).collect())
}

/// Returns the devices that can be opened, with their properties. Each is opened on a separate
/// thread, because this one may have a context.
fn list_devices() -> Result<Vec<(Device, DeviceInfo)>, Error> {
    let devices = WindowSystem::load()?.devices();
    Ok(devices
        .into_iter()
        .enumerate()
        .filter_map(|(index, device)| Some((device, probe_device(index, device)?)))
        .collect())
}

/// Opens a device on a separate thread and returns its properties; `None` if it does not open, or
/// the thread panics.
fn probe_device(index: usize, device: Device) -> Option<DeviceInfo> {
    std::thread::scope(|scope| {
        let opened = scope.spawn(move || {
            let gl = Gl::open_device(index, device).ok()?;
            Some(gl.info().clone())
        });
        opened.join().ok()?
    })
}

impl Gl {
    /// Opens the device that a choice selects, whose context is current on this thread until the
    /// result is dropped. [`Error::ContextInUse`] if the thread has one, [`Error::NoDevice`] if no
    /// device matches.
    pub(crate) fn open(choice: &DeviceChoice) -> Result<Rc<Self>, Error> {
        let (index, device) = select_device(choice)?;
        Self::open_device(index, device).map(Rc::new)
    }
}

/// Returns the device that a choice selects, with its number; the best one is the first that is not
/// software. [`Error::NoDevice`] if none matches.
fn select_device(choice: &DeviceChoice) -> Result<(usize, Device), Error> {
    // A number needs no list of names.
    if let DeviceChoice::Index(index) = choice {
        let devices = WindowSystem::load()?.devices();
        if let Some(device) = devices.get(*index) {
            return Ok((*index, *device));
        }
    }
    let devices = list_devices()?;
    let selected = match choice {
        DeviceChoice::Best => devices.iter().min_by_key(|(device, _)| device.kind),
        DeviceChoice::Index(_) => None,
        DeviceChoice::Name(name) => devices.iter().find(|(_, info)| info.matches_name(name)),
    };
    selected
        .map(|(device, info)| (info.index, *device))
        .ok_or_else(|| err_no_device(choice, &devices))
}

/// Returns the error that no device is the chosen one, with the names of those that exist.
fn err_no_device(choice: &DeviceChoice, devices: &[(Device, DeviceInfo)]) -> Error {
    let wanted = match choice {
        DeviceChoice::Best => "can be opened".to_owned(),
        DeviceChoice::Index(index) => format!("has number {index}"),
        DeviceChoice::Name(name) => format!("is called `{name}`"),
    };
    let names: Vec<&str> = devices.iter().map(|(_, info)| info.name.as_str()).collect();
    let available = match names.as_slice() {
        [] => "are none".to_owned(),
        [name] => format!("is {name}"),
        names => format!("are {}", names.join(", ")),
    };
    Error::NoDevice { wanted, available }
}
