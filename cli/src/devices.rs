//! `glasm devices`: lists the devices of Vulkan or OpenGL.

use crate::args::{ApiArg, DevicesArgs};
use crate::console::{Console, Fatal, Status};

/// Prints a line for each device of an API. Returns an error if the API fails or has no devices.
pub(crate) fn print_devices(args: DevicesArgs, console: Console) -> Result<Status, Fatal> {
    let (lines, api) = match args.api {
        ApiArg::Vulkan => (list_vulkan_devices()?, "Vulkan"),
        ApiArg::Gl => (list_gl_devices()?, "OpenGL"),
    };
    if lines.is_empty() {
        return Err(Fatal(format!("no {api} device found")));
    }
    console.write_out(lines.concat())?;
    Ok(Status::Success)
}

/// Returns a line for each Vulkan device, with its line end: index, name, type, version and driver.
fn list_vulkan_devices() -> Result<Vec<String>, Fatal> {
    let devices = glasm_vkrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    let line = |device: &glasm_vkrunner::DeviceInfo| {
        format!(
            "{}: {} ({}, Vulkan {}, {})\n",
            device.index, device.name, device.device_type, device.api_version, device.driver
        )
    };
    Ok(devices.iter().map(line).collect())
}

/// Returns a line for each OpenGL device, with its line end: index, name, vendor, version and
/// driver.
fn list_gl_devices() -> Result<Vec<String>, Fatal> {
    let devices = glasm_glrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    let line = |device: &glasm_glrunner::DeviceInfo| {
        format!(
            "{}: {} ({}, OpenGL {}, {})\n",
            device.index, device.name, device.vendor, device.version, device.driver
        )
    };
    Ok(devices.iter().map(line).collect())
}
