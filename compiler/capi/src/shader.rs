//! Shaders: modules with their requirements on the caller.

use crate::call::{Failure, enter, glasm_result, run_or};
use crate::enums::glasm_stage;
use crate::memory::{self, clear_handle, free, give_handle, give_list, require};
use crate::reflection::glasm_reflection;
use crate::strings::to_c_string;
use crate::tables::Tables;
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

    /// Returns the shader of the library.
    pub(crate) fn shader(&self) -> &Shader {
        &self.0.shader
    }

    /// Returns the reflection as structures for C.
    pub(crate) fn tables(&self) -> &Tables {
        let shader = &self.0.shader;
        self.0
            .tables
            .get_or_init(|| Tables::new(&shader.reflection))
    }
}

/// Returns the words of the SPIR-V module, with `count` set to their number, as
/// `vkCreateShaderModule` takes them (the size in bytes is four times the number). Returns NULL for
/// NULL.
///
/// `shader` stays the caller's. The words belong to it and are valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_words(
    shader: Option<&glasm_shader>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const u32 {
    give_list(count, || Ok(&require(shader, "shader")?.shader().words))
}

/// Returns the stage of a shader.
///
/// `shader` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_stage(shader: Option<&glasm_shader>) -> glasm_stage {
    run_or(glasm_stage::Vertex, || {
        Ok(require(shader, "shader")?.shader().reflection.stage.into())
    })
}

/// Formats the reflection of a shader as JSON. Returns NULL for NULL.
///
/// `shader` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_reflection_json(shader: Option<&glasm_shader>) -> *const c_char {
    run_or(ptr::null(), || {
        let compiled = &require(shader, "shader")?.0;
        let json = || {
            let json = serde_json::to_string(&compiled.shader.reflection);
            to_c_string(&json.expect("a reflection always has a JSON form"))
        };
        Ok(compiled.json.get_or_init(json).as_ptr())
    })
}

/// Gets the requirements of the module of a shader on its caller.
///
/// `shader` stays the caller's. `reflection` is the caller's, too, with its size set; what it
/// points to then belongs to `shader`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_reflection(
    shader: Option<&glasm_shader>,
    reflection: *mut glasm_reflection,
) -> glasm_result {
    enter(|| {
        let shader = require(shader, "shader")?;
        let given = glasm_reflection::new(&shader.shader().reflection, shader.tables());
        // SAFETY: the caller's structure has the size that it states.
        unsafe { memory::write(reflection, given, "reflection") }
    })
}

/// The first word of a module.
const MAGIC: u32 = 0x0723_0203;

/// Words of the header of a module.
const HEADER: usize = 5;

/// Creates a shader that was compiled before from a cache: from the results of `glasm_shader_words`
/// and `glasm_shader_reflection_json` for it, in the same version of the library. It is not checked
/// that they belong together.
///
/// `words` and `reflection` stay the caller's. `shader` is set to a shader that the caller owns and
/// frees with `glasm_shader_free`, or to NULL if they are not a module and a reflection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_create(
    words: *const u32,
    count: usize,
    reflection: *const c_char,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
) -> glasm_result {
    enter(|| {
        let shader = clear_handle(shader, "shader")?;
        // SAFETY: the caller guarantees that many words.
        let words = unsafe { memory::read_list(words, count, "words") }?;
        if words.len() < HEADER || words[0] != MAGIC {
            return Err(Failure::argument("`words` are no SPIR-V module"));
        }
        // SAFETY: the caller answers for the string.
        let json = require(unsafe { memory::read_string(reflection) }, "reflection")?;
        let reflection = serde_json::from_str(&json)
            .map_err(|error| Failure::argument(format!("`reflection` is none: {error}")))?;
        let kept = Shader::from_kept(words.to_vec(), reflection);
        give_handle(shader, glasm_shader::new(kept));
        Ok(())
    })
}

/// Creates another handle of the same shader: each is freed separately, and the shader with the
/// last of them. Returns NULL for NULL.
///
/// `shader` stays the caller's, who owns the new handle, too, and frees it with
/// `glasm_shader_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_clone(shader: Option<&glasm_shader>) -> Option<Box<glasm_shader>> {
    run_or(None, || Ok(shader.cloned().map(Box::new)))
}

/// Frees a handle of a shader.
///
/// Takes `shader` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_free(shader: Option<Box<glasm_shader>>) {
    free(shader);
}
