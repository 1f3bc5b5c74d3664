//! Devices that can run scripts.

use super::context::Gl;
use super::egl::{Device, Egl};
use crate::error::Error;
use glasm_scripts::runner::DeviceChoice;
use std::rc::Rc;

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
}

impl DeviceInfo {
    /// Returns true if name or vendor contain the text; case is ignored.
    pub(super) fn is_called(&self, text: &str) -> bool {
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
/// [`Error::Library`] without an EGL library. A device that cannot be opened is omitted.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    Ok(list()?.into_iter().map(|(_, info)| info).collect())
}

/// Opens every device on a separate thread, because this one may have a context.
fn list() -> Result<Vec<(Device, DeviceInfo)>, Error> {
    let devices = Egl::load()?.devices();
    Ok(devices
        .into_iter()
        .enumerate()
        .filter_map(|(index, device)| Some((device, probe(index, device)?)))
        .collect())
}

fn probe(index: usize, device: Device) -> Option<DeviceInfo> {
    std::thread::scope(|scope| {
        let opened = scope.spawn(move || {
            let gl = Gl::open_device(index, device).ok()?;
            Some(gl.info().clone())
        });
        opened.join().ok()?
    })
}

impl Gl {
    /// Opens a device. A thread has at most one context at a time.
    pub(crate) fn open(choice: &DeviceChoice) -> Result<Rc<Self>, Error> {
        let (index, device) = choose(choice)?;
        Self::open_device(index, device).map(Rc::new)
    }
}

/// Returns the device to open, with its number.
fn choose(choice: &DeviceChoice) -> Result<(usize, Device), Error> {
    // A number needs no list of names.
    if let DeviceChoice::Index(index) = choice {
        let devices = Egl::load()?.devices();
        if let Some(device) = devices.get(*index) {
            return Ok((*index, *device));
        }
    }
    let devices = list()?;
    let found = match choice {
        DeviceChoice::Best => devices.iter().min_by_key(|(device, _)| device.kind),
        DeviceChoice::Index(_) => None,
        DeviceChoice::Name(name) => devices.iter().find(|(_, info)| info.is_called(name)),
    };
    found
        .map(|(device, info)| (info.index, *device))
        .ok_or_else(|| no_device(choice, &devices))
}

fn no_device(choice: &DeviceChoice, devices: &[(Device, DeviceInfo)]) -> Error {
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
