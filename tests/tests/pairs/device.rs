//! Devices with an extension, of the driver or of a layer, and what the validation layer says of their use.

use ash::vk;
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What the validation layer has said, of all devices of the process.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The extension that a test is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extension {
    /// `VK_EXT_graphics_pipeline_library`
    Libraries,
    /// `VK_EXT_shader_object`
    Objects,
}

impl Extension {
    fn names(self) -> Vec<&'static CStr> {
        match self {
            Self::Libraries => vec![
                ash::khr::pipeline_library::NAME,
                ash::ext::graphics_pipeline_library::NAME,
            ],
            Self::Objects => vec![ash::ext::shader_object::NAME],
        }
    }

    /// The layer that has it for devices without it.
    const fn layer(self) -> Option<&'static CStr> {
        match self {
            Self::Libraries => None,
            Self::Objects => Some(c"VK_LAYER_KHRONOS_shader_object"),
        }
    }

    /// The version of Vulkan whose validation layer knows it. An older one misses pipelines where shader objects draw.
    const fn known_since(self) -> u32 {
        match self {
            Self::Libraries => vk::make_api_version(0, 1, 3, 210),
            Self::Objects => vk::make_api_version(0, 1, 3, 246),
        }
    }
}

/// Use of the validation layer, if it is installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Validation {
    Enabled,
    Disabled,
}

pub(crate) type Result<T> = std::result::Result<T, String>;

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// # Safety
/// As `vkDebugUtilsMessengerCallbackEXT` says: the layer calls it with its data.
unsafe extern "system" fn remember(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer gives data that is valid during the call.
    let message = unsafe { (*data).message_as_c_str() };
    let message = message.map(|it| it.to_string_lossy().into_owned());
    let mut messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    messages.extend(message);
    vk::FALSE
}

/// The messages of the validation layer since the last call.
pub(crate) fn take_messages() -> Vec<String> {
    std::mem::take(&mut *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// An instance for what a test is about, with the layers that are installed for it, and whether the validation layer is one of them.
pub(crate) fn create_instance(
    entry: &ash::Entry,
    extension: Extension,
    validation: Validation,
) -> Result<(ash::Instance, bool)> {
    // SAFETY: nothing is asked of the caller.
    let installed = unsafe { entry.enumerate_instance_layer_properties() }.map_err(text)?;
    let has = |layer: &CStr, version: u32| {
        let mut layers = installed.iter();
        layers.any(|it| it.layer_name_as_c_str() == Ok(layer) && it.spec_version >= version)
    };
    let has_validation =
        validation == Validation::Enabled && has(VALIDATION, extension.known_since());
    let mut layers = Vec::new();
    if has_validation {
        layers.push(VALIDATION.as_ptr());
    }
    // It follows the validation layer, which receives the calls of the test.
    if let Some(layer) = extension.layer().filter(|layer| has(layer, 0)) {
        layers.push(layer.as_ptr());
    }
    let extensions = [ash::ext::debug_utils::NAME.as_ptr()];
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers);
    if has_validation {
        info = info.enabled_extension_names(&extensions);
    }
    // SAFETY: all pointers are to locals.
    let instance = unsafe { entry.create_instance(&info, None) }.map_err(text)?;
    if has_validation {
        let functions = ash::ext::debug_utils::Instance::new(entry, &instance);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                    | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(remember));
        // SAFETY: the extension is enabled, and the function keeps nothing.
        unsafe { functions.create_debug_utils_messenger(&info, None) }.map_err(text)?;
    }
    Ok((instance, has_validation))
}

/// The first device of Vulkan 1.3 with an extension and its feature.
pub(crate) fn find_device(
    instance: &ash::Instance,
    extension: Extension,
) -> Result<vk::PhysicalDevice> {
    // SAFETY: the instance lives.
    let devices = unsafe { instance.enumerate_physical_devices() }.map_err(text)?;
    let has = |device: &vk::PhysicalDevice| {
        // SAFETY: the device is one of the instance.
        let (properties, extensions) = unsafe {
            (
                instance.get_physical_device_properties(*device),
                instance.enumerate_device_extension_properties(*device),
            )
        };
        let extensions = extensions.unwrap_or_default();
        let has_extension = |name: &CStr| {
            let mut names = extensions.iter().map(|it| it.extension_name_as_c_str());
            names.any(|known| known == Ok(name))
        };
        properties.api_version >= vk::API_VERSION_1_3
            && extension.names().into_iter().all(has_extension)
            && has_feature(instance, *device, extension)
    };
    let found = devices.into_iter().find(has);
    found.ok_or_else(|| format!("no device of Vulkan 1.3 has {extension:?}"))
}

/// The device has the extension.
fn has_feature(instance: &ash::Instance, device: vk::PhysicalDevice, extension: Extension) -> bool {
    let mut libraries = vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT::default();
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::default();
    let features = vk::PhysicalDeviceFeatures2::default();
    let mut features = match extension {
        Extension::Libraries => features.push_next(&mut libraries),
        Extension::Objects => features.push_next(&mut objects),
    };
    // SAFETY: the device is one of the instance and knows the structure.
    unsafe { instance.get_physical_device_features2(device, &mut features) };
    libraries.graphics_pipeline_library == vk::TRUE || objects.shader_object == vk::TRUE
}

pub(crate) fn open(
    instance: &ash::Instance,
    gpu: vk::PhysicalDevice,
    extension: Extension,
) -> Result<(ash::Device, u32)> {
    // SAFETY: the device is one of the instance.
    let families = unsafe { instance.get_physical_device_queue_family_properties(gpu) };
    let mut families = families.iter().zip(0..);
    let family = families.find(|(it, _)| it.queue_flags.contains(vk::QueueFlags::GRAPHICS));
    let (_, family) = family.ok_or("the device draws nothing")?;
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(family)
        .queue_priorities(&[1.0])];
    let names: Vec<_> = extension.names().iter().map(|name| name.as_ptr()).collect();
    let mut rendering =
        vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let mut libraries = vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT::default()
        .graphics_pipeline_library(true);
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(&mut rendering);
    let info = match extension {
        Extension::Libraries => info.push_next(&mut libraries),
        Extension::Objects => info.push_next(&mut objects),
    };
    // SAFETY: all pointers are to locals; the device has the extensions and the features.
    let device = unsafe { instance.create_device(gpu, &info, None) }.map_err(text)?;
    Ok((device, family))
}
