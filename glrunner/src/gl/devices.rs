//! The devices of this machine, and the choice of one.

use super::context::Gl;
use super::egl::{Device, Egl};
use super::info::DeviceInfo;
use crate::error::Error;
use glasm_scripts::device::DeviceChoice;
use std::rc::Rc;

/// All devices that OpenGL can be used on without a window.
///
/// # Errors
///
/// [`Error::Library`] without an EGL library. A device that cannot be opened is left out.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    Ok(list()?.into_iter().map(|(_, info)| info).collect())
}

/// Opens every device on a thread of its own, because this one may have a context.
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

/// The device to open, with its number.
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
