//! Programs that were written in a shading language, with the resources in them.

use crate::ffi_args::{drop_handle, require, return_list, write_out};
use crate::ffi_guard::catch_or;
use crate::reflection::glasm_descriptor_slot;
use crate::shader::glasm_shader;
#[cfg(feature = "text")]
use crate::strings::to_c_string;
#[cfg(feature = "text")]
use ::glasm_text::ShaderText;
#[cfg(feature = "text")]
use glasm::Shader;
use glasm_capi_macros::c_enum;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;

/// Kind of a resource of a written program.
#[cfg_attr(feature = "text", c_enum(::glasm_text::ResourceKind))]
#[cfg_attr(not(feature = "text"), c_enum)]
#[repr(u32)]
pub enum glasm_text_resource_kind {
    /// A uniform buffer: the parameters, or a program parameter buffer.
    UniformBuffer = 0,
    /// A storage buffer.
    StorageBuffer = 1,
    /// A texture with its sampler.
    Texture = 2,
    /// An image.
    Image = 3,
}

/// The value of `number` where a language has no syntax for numbers.
pub const GLASM_BINDING_NUMBER_NONE: u32 = 0xffff_ffff;

/// Something that the caller of a text binds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_text_resource {
    /// Its kind.
    pub kind: glasm_text_resource_kind,
    /// Set and binding in the module, by which the reflection describes it.
    pub slot: glasm_descriptor_slot,
    /// Its name in the text.
    pub name: *const c_char,
    /// Its number in the text among resources of its kind, or GLASM_BINDING_NUMBER_NONE.
    pub binding_number: u32,
}

/// A program as text. Threads may share it.
#[derive(Debug)]
pub struct glasm_text {
    text: CString,
    length: usize,
    resources: Vec<glasm_text_resource>,
    /// The strings that the names of the resources point to.
    _names: Vec<CString>,
    shader: glasm_shader,
}

// SAFETY: the pointers in it are to strings on the heap that it owns and never modifies.
unsafe impl Send for glasm_text {}
// SAFETY: as above.
unsafe impl Sync for glasm_text {}

/// Returns the program in the shading language, NUL-terminated; `length` is set to its bytes
/// without that. Returns NULL for NULL.
///
/// `text` stays the caller's. The string belongs to it and is valid until it is freed. `length` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_text_string(
    text: Option<&glasm_text>,
    mut length: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    write_out(length.as_deref_mut(), 0);
    catch_or(ptr::null(), || {
        let text = require(text, "text")?;
        write_out(length, text.length);
        Ok(text.text.as_ptr())
    })
}

/// Returns the resources that the caller of the written program binds, with their bindings; `count`
/// is set to the number. Returns NULL for NULL. The list is empty for WGSL, which has the slots of the
/// reflection, and for HLSL and MSL if the library was built without the feature `spirv-cross`.
///
/// `text` stays the caller's. The list belongs to it, with its strings, and is valid until it is
/// freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_text_resources(
    text: Option<&glasm_text>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_text_resource {
    return_list(count, || Ok(&require(text, "text")?.resources))
}

/// Returns the shader that was written, whose reflection describes each resource. Returns NULL for
/// NULL.
///
/// `text` stays the caller's. The shader belongs to it and is valid until it is freed;
/// `glasm_shader_clone` retains it.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_text_shader(text: Option<&glasm_text>) -> *const glasm_shader {
    catch_or(ptr::null(), || {
        Ok(ptr::from_ref(&require(text, "text")?.shader))
    })
}

/// Frees a text, and with it the shader that it was written from.
///
/// Takes `text` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_text_free(text: Option<Box<glasm_text>>) {
    drop_handle(text);
}

#[cfg(feature = "text")]
impl glasm_text {
    /// Converts a written source and its resources to arrays and strings for C, together with
    /// the shader from which it was written.
    pub(crate) fn new(shader: Shader, text: &ShaderText) -> Self {
        let names = text
            .resources
            .iter()
            .map(|resource| to_c_string(&resource.name));
        let names: Vec<CString> = names.collect();
        let resources = text.resources.iter().zip(&names);
        let resources = resources.map(|(resource, name)| glasm_text_resource {
            kind: resource.kind.into(),
            slot: resource.slot.into(),
            name: name.as_ptr(),
            binding_number: resource.binding_number.unwrap_or(GLASM_BINDING_NUMBER_NONE),
        });
        let text = to_c_string(&text.source);
        Self {
            length: text.as_bytes().len(),
            text,
            resources: resources.collect(),
            _names: names,
            shader: glasm_shader::new(shader),
        }
    }
}
