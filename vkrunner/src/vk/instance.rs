//! The Vulkan loader, the instance, and the messages of the validation layer.

use crate::error::{CallContext, Error};
use crate::options::Validation;
use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, PoisonError};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Version that instances are created for: features of later versions are not used.
pub(super) const API_VERSION: u32 = vk::API_VERSION_1_3;

/// Messages since the last call of `take_messages`.
type Messages = Mutex<Vec<String>>;

/// Receives messages of the validation layer; dropped before the instance.
struct Messenger {
    functions: ash::ext::debug_utils::Instance,
    raw: vk::DebugUtilsMessengerEXT,
}

/// Vulkan instance with its loader and messages.
pub(crate) struct Instance {
    pub(super) raw: ash::Instance,
    messenger: Option<Messenger>,
    // Boxed, because the messenger stores its address.
    messages: Box<Messages>,
    // Library with all functions, which must outlive them.
    _entry: ash::Entry,
}

/// Returns pointers to the names, which must outlive them.
fn c_strings(names: &[&CStr]) -> Vec<*const c_char> {
    names.iter().map(|name| name.as_ptr()).collect()
}

impl Instance {
    /// Loads Vulkan and creates an instance, with the validation layer if it is required, or
    /// installed in mode `Auto`. Returns an error if there is no Vulkan library, the required layer
    /// is missing, or a call fails.
    pub(crate) fn new(validation: Validation) -> Result<Self, Error> {
        // SAFETY: loading runs initialization code of the system's Vulkan loader, which is the
        // purpose of the program.
        let entry =
            unsafe { ash::Entry::load() }.map_err(|error| Error::Library(error.to_string()))?;
        let layers = match validation {
            Validation::Off => Vec::new(),
            Validation::Auto | Validation::Require if has_validation(&entry)? => {
                vec![VALIDATION_LAYER]
            }
            Validation::Auto => Vec::new(),
            Validation::Require => return Err(Error::NoValidation),
        };
        let mut extensions = Vec::new();
        let mut flags = vk::InstanceCreateFlags::empty();
        if has_extension(&entry, None, ash::khr::portability_enumeration::NAME)? {
            extensions.push(ash::khr::portability_enumeration::NAME);
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        if !layers.is_empty() {
            extensions.push(ash::ext::debug_utils::NAME);
        }
        let messages = Box::new(Messages::default());
        let mut messenger_info = messenger_info(&messages);
        let (layer_names, extension_names) = (c_strings(&layers), c_strings(&extensions));
        let application = vk::ApplicationInfo::default()
            .application_name(c"glasm-vkrunner")
            .api_version(API_VERSION);
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_layer_names(&layer_names)
            .enabled_extension_names(&extension_names);
        if !layers.is_empty() {
            info = info.push_next(&mut messenger_info);
        }
        // SAFETY: all pointers in `info` are to locals that outlive the call; `messages` lives as
        // long as the instance.
        let raw = unsafe { entry.create_instance(&info, None) }.call("vkCreateInstance")?;
        let mut instance = Self {
            raw,
            messenger: None,
            messages,
            _entry: entry,
        };
        if !layers.is_empty() {
            instance.messenger = Some(instance.create_messenger()?);
        }
        Ok(instance)
    }

    /// Registers the callback that records the messages of the validation layer; dropping the
    /// instance removes it.
    fn create_messenger(&self) -> Result<Messenger, Error> {
        let functions = ash::ext::debug_utils::Instance::new(&self._entry, &self.raw);
        let info = messenger_info(&self.messages);
        // SAFETY: the extension is enabled, and the user data lives until after the messenger is
        // destroyed.
        let raw = unsafe { functions.create_debug_utils_messenger(&info, None) }
            .call("vkCreateDebugUtilsMessengerEXT")?;
        Ok(Messenger { functions, raw })
    }

    /// Returns true if the validation layer is loaded.
    pub(crate) fn validates(&self) -> bool {
        self.messenger.is_some()
    }

    /// Returns the messages of the validation layer since the last call, and clears them.
    pub(crate) fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(messenger) = &self.messenger {
            // SAFETY: the messenger was created from this instance and is destroyed once.
            unsafe {
                messenger
                    .functions
                    .destroy_debug_utils_messenger(messenger.raw, None)
            };
        }
        // SAFETY: all objects that were created from the instance hold a reference to it and are
        // destroyed.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// Returns true if the validation layer is installed and `VK_EXT_debug_utils`, which reports its
/// messages, is available.
fn has_validation(entry: &ash::Entry) -> Result<bool, Error> {
    // SAFETY: the entry is valid.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .call("vkEnumerateInstanceLayerProperties")?;
    let present = layers
        .iter()
        .any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER));
    let name = ash::ext::debug_utils::NAME;
    Ok(present
        && (has_extension(entry, None, name)?
            || has_extension(entry, Some(VALIDATION_LAYER), name)?))
}

/// Returns true if an instance extension is available: of the layer, or without layer of the loader
/// and the drivers.
fn has_extension(entry: &ash::Entry, layer: Option<&CStr>, name: &CStr) -> Result<bool, Error> {
    // SAFETY: the entry is valid.
    let extensions = unsafe { entry.enumerate_instance_extension_properties(layer) }
        .call("vkEnumerateInstanceExtensionProperties")?;
    Ok(extensions
        .iter()
        .any(|extension| extension.extension_name_as_c_str() == Ok(name)))
}

/// Returns the description of a messenger that records errors and warnings about the use of Vulkan
/// in `messages`, which must outlive it; hints about performance are excluded.
fn messenger_info(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    let severity = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR
        | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(severity)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(receive_message))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// Records a message of the validation layer. `messages` points to the instance's list. Always
/// returns `VK_FALSE`: the call that caused the message continues.
unsafe extern "system" fn receive_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `messages` is the pointer given in `messenger_info`; `Messages` may be shared between
    // threads.
    let messages = unsafe { &*messages.cast::<Messages>() };
    // SAFETY: Vulkan passes a valid structure for the duration of the call.
    let text = unsafe { (*data).message_as_c_str() };
    if let Some(text) = text {
        let text = text.to_string_lossy().into_owned();
        messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }
    vk::FALSE
}
