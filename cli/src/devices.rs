//! `glasm devices`: lists the devices of Vulkan or OpenGL.

use crate::args::{ApiArg, DevicesArgs};
use crate::console::{Console, Fatal, Status};

/// Prints a line for each device.
pub(crate) fn devices(args: DevicesArgs, console: Console) -> Result<Status, Fatal> {
    let (lines, api) = match args.api {
        ApiArg::Vulkan => (vulkan_lines()?, "Vulkan"),
        ApiArg::Gl => (gl_lines()?, "OpenGL"),
    };
    if lines.is_empty() {
        return Err(Fatal(format!("no {api} device found")));
    }
    console.out(lines.concat())?;
    Ok(Status::Success)
}

fn vulkan_lines() -> Result<Vec<String>, Fatal> {
    let devices = glasm_vkrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    let line = |device: &glasm_vkrunner::DeviceInfo| {
        format!(
            "{}: {} ({}, Vulkan {}, {})\n",
            device.index, device.name, device.device_type, device.api_version, device.driver
        )
    };
    Ok(devices.iter().map(line).collect())
}

fn gl_lines() -> Result<Vec<String>, Fatal> {
    let devices = glasm_glrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    let line = |device: &glasm_glrunner::DeviceInfo| {
        format!(
            "{}: {} ({}, OpenGL {}, {})\n",
            device.index, device.name, device.vendor, device.version, device.driver
        )
    };
    Ok(devices.iter().map(line).collect())
}
