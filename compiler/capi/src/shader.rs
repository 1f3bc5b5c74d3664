//! Shaders: modules with what they expect of their caller.

use crate::call::guarded;
use crate::enums::glasm_stage;
use crate::memory::{give_list, required};
use crate::reflection::Tables;
use crate::strings::c_string;
use glasm::Shader;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A compiled program: a SPIR-V module and its reflection. Threads may share it.
#[derive(Clone, Debug)]
pub struct glasm_shader(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    shader: Shader,
    tables: OnceLock<Tables>,
    json: OnceLock<CString>,
}

impl glasm_shader {
    pub(crate) fn new(shader: Shader) -> Self {
        Self(Arc::new(Compiled {
            shader,
            tables: OnceLock::new(),
            json: OnceLock::new(),
        }))
    }

    /// The shader of the library.
    pub(crate) fn shader(&self) -> &Shader {
        &self.0.shader
    }

    /// The reflection as C reads it.
    pub(crate) fn tables(&self) -> &Tables {
        let shader = &self.0.shader;
        self.0
            .tables
            .get_or_init(|| Tables::new(&shader.reflection))
    }
}

/// The SPIR-V module: its words, of which `count` is set to the number, as `vkCreateShaderModule` takes them (the size in bytes is four times
/// the number). NULL for NULL.
///
/// `shader` stays the caller's. The words belong to it and are valid until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_words(
    shader: Option<&glasm_shader>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const u32 {
    give_list(count, || Ok(&required(shader, "shader")?.shader().words))
}

/// The stage of a shader.
///
/// `shader` stays the caller's. It must not be NULL, for which there is no stage: GLASM_STAGE_VERTEX is returned.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_stage(shader: Option<&glasm_shader>) -> glasm_stage {
    guarded(glasm_stage::Vertex, || {
        Ok(required(shader, "shader")?.shader().reflection.stage.into())
    })
}

/// The reflection of a shader as JSON. NULL for NULL.
///
/// `shader` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_reflection_json(shader: Option<&glasm_shader>) -> *const c_char {
    guarded(ptr::null(), || {
        let compiled = &required(shader, "shader")?.0;
        let json = || {
            let json = serde_json::to_string(&compiled.shader.reflection);
            c_string(&json.expect("a reflection always has a JSON form"))
        };
        Ok(compiled.json.get_or_init(json).as_ptr())
    })
}

/// Another handle of the same shader: both are freed, and the shader is gone with the last of them. NULL for NULL.
///
/// `shader` stays the caller's, who owns the new handle, too, and frees it with `glasm_shader_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_clone(shader: Option<&glasm_shader>) -> Option<Box<glasm_shader>> {
    guarded(None, || Ok(shader.cloned().map(Box::new)))
}

/// Frees a handle of a shader.
///
/// Takes `shader` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_free(shader: Option<Box<glasm_shader>>) {
    guarded((), || {
        drop(shader);
        Ok(())
    });
}
