//! Shaders: modules with their requirements on the caller.

use crate::enums::{glasm_bool, glasm_stage};
use crate::ffi_args::{self, drop_handle, require, require_out_handle, return_list, write_handle};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::reflection::glasm_reflection;
use crate::reflection_lists::ReflectionLists;
use crate::strings::to_c_string;
use glasm::Shader;
use std::collections::HashSet;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A compiled program: a SPIR-V module and its reflection. Threads may share it.
#[derive(Clone, Debug)]
pub struct glasm_shader(Arc<ShaderData>);

#[derive(Debug)]
struct ShaderData {
    shader: Shader,
    lists: OnceLock<ReflectionLists>,
    /// Points to `shader` and to `lists`.
    reflection: OnceLock<glasm_reflection>,
    json: OnceLock<CString>,
}

impl glasm_shader {
    /// Returns a handle of a compiled shader; its lists for C and its JSON are computed on first
    /// use.
    pub(crate) fn new(shader: Shader) -> Self {
        Self(Arc::new(ShaderData {
            shader,
            lists: OnceLock::new(),
            reflection: OnceLock::new(),
            json: OnceLock::new(),
        }))
    }

    /// Returns the shader of the library.
    pub(crate) fn shader(&self) -> &Shader {
        &self.0.shader
    }

    /// Returns the reflection as structures for C, which the first call creates.
    pub(crate) fn lists(&self) -> &ReflectionLists {
        let shader = &self.0.shader;
        self.0
            .lists
            .get_or_init(|| ReflectionLists::new(&shader.reflection))
    }
}

/// Returns the words of the SPIR-V module, with `count` set to their number, as
/// `vkCreateShaderModule` takes them (the size in bytes is four times the number). Returns NULL for
/// NULL.
///
/// `shader` stays the caller's. The words belong to it and are valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_spirv(
    shader: Option<&glasm_shader>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const u32 {
    return_list(count, || Ok(&require(shader, "shader")?.shader().words))
}

/// Returns the stage of a shader.
///
/// `shader` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_stage(shader: Option<&glasm_shader>) -> glasm_stage {
    catch_or(glasm_stage::Vertex, || {
        Ok(require(shader, "shader")?.shader().reflection.stage.into())
    })
}

/// Formats the reflection of a shader as JSON. Returns NULL for NULL.
///
/// `shader` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_reflection_json(shader: Option<&glasm_shader>) -> *const c_char {
    catch_or(ptr::null(), || {
        let compiled = &require(shader, "shader")?.0;
        let json = || {
            let json = serde_json::to_string(&compiled.shader.reflection);
            to_c_string(&json.expect("a reflection always has a JSON form"))
        };
        Ok(compiled.json.get_or_init(json).as_ptr())
    })
}

/// Returns the requirements of the module of a shader on its caller. Returns NULL for NULL.
///
/// `shader` stays the caller's. The structure belongs to it, with all that it points to, and is
/// valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_reflection(
    shader: Option<&glasm_shader>,
) -> *const glasm_reflection {
    catch_or(ptr::null(), || {
        let shader = require(shader, "shader")?;
        let reflection = || glasm_reflection::new(&shader.shader().reflection, shader.lists());
        Ok(ptr::from_ref(shader.0.reflection.get_or_init(reflection)))
    })
}

/// Returns 1 if two shaders have the same module and the same reflection, so that one replaces the
/// other; else 0. Shaders whose words alone are equal share a VkShaderModule, but may have different
/// values in their parameter blocks. 0 for NULL.
///
/// `one` and `other` stay the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_is_equal(
    one: Option<&glasm_shader>,
    other: Option<&glasm_shader>,
) -> glasm_bool {
    catch_or(0, || {
        let one = require(one, "one")?.shader();
        let other = require(other, "other")?.shader();
        Ok(one.is_same_module(other).into())
    })
}

/// The first word of a module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// Words of the header of a module.
const SPIRV_HEADER_WORDS: usize = 5;

/// Returns true if a module consists of whole instructions, ends after a function, and has the
/// functions of its entry points and calls. So a file that was not written to its end is noticed,
/// which no driver has to do (SPIR-V sections 2.3 and 2.4).
fn is_complete_module(words: &[u32]) -> bool {
    // SPIR-V section 3.52.
    const ENTRY_POINT: u32 = 15;
    const FUNCTION: u32 = 54;
    const FUNCTION_END: u32 = 56;
    const FUNCTION_CALL: u32 = 57;
    let mut rest = words.get(SPIRV_HEADER_WORDS..).unwrap_or_default();
    let (mut defined, mut used) = (HashSet::new(), Vec::new());
    let mut last = None;
    while let Some(first) = rest.first() {
        let Some((instruction, others)) = rest.split_at_checked((first >> 16) as usize) else {
            return false;
        };
        let opcode = first & 0xffff;
        match (opcode, instruction) {
            (_, []) => return false,
            (ENTRY_POINT, [_, _, function, ..]) | (FUNCTION_CALL, [_, _, _, function, ..]) => {
                used.push(*function)
            }
            (FUNCTION, [_, _, result, ..]) => _ = defined.insert(*result),
            (_, [_, ..]) => {}
        }
        last = Some(opcode);
        rest = others;
    }
    last == Some(FUNCTION_END) && used.iter().all(|function| defined.contains(function))
}

/// Creates a shader that was compiled before from a cache: from the results of `glasm_shader_spirv`
/// and `glasm_shader_reflection_json` for it, in the same version of the library. It is not checked
/// that they belong together.
///
/// `words` and `reflection` stay the caller's. `shader` is set to a shader that the caller owns and
/// frees with `glasm_shader_free`, or to NULL if they are not a whole module and a reflection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_create_from_cache(
    words: *const u32,
    count: usize,
    reflection: *const c_char,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
) -> glasm_result {
    catch_to_result(|| {
        let shader = require_out_handle(shader, "shader")?;
        // SAFETY: the caller guarantees that many words.
        let words = unsafe { ffi_args::read_list(words, count, "words") }?;
        if words.first() != Some(&SPIRV_MAGIC) {
            return Err(Failure::invalid_argument("`words` is not a SPIR-V module"));
        }
        if !is_complete_module(words) {
            let message = "`words` is a SPIR-V module of which a part is missing";
            return Err(Failure::invalid_argument(message));
        }
        // SAFETY: the caller answers for the string.
        let json = require(unsafe { ffi_args::read_string(reflection) }, "reflection")?;
        let reflection = serde_json::from_str(&json).map_err(|error| {
            Failure::invalid_argument(format!("`reflection` is not a valid reflection: {error}"))
        })?;
        let cached = Shader::from_cached(words.to_vec(), reflection);
        write_handle(shader, glasm_shader::new(cached));
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
    catch_or(None, || Ok(shader.cloned().map(Box::new)))
}

/// Frees a handle of a shader.
///
/// Takes `shader` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_free(shader: Option<Box<glasm_shader>>) {
    drop_handle(shader);
}
