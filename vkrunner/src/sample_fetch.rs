//! The compute shader that reads one sample of every pixel of a multisampled attachment into a buffer. Pure.
//!
//! One invocation per pixel. Set 0 holds the image (binding 0, two-dimensional, arrayed, multisampled) and the buffer of four-component
//! texels, row by row (binding 1). Push constants are layer, sample, width in pixels, and the row of the image that is the first one in the
//! buffer.

use crate::format::Encoding;

/// Bytes of push constants.
pub(crate) const PUSH_SIZE: u32 = 4 * WORDS;
const WORDS: u32 = 4;

const MAGIC: u32 = 0x0723_0203;
const VERSION_1_3: u32 = 0x0001_0300;

/// Opcodes.
mod op {
    pub(super) const MEMORY_MODEL: u32 = 14;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_FLOAT: u32 = 22;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_IMAGE: u32 = 25;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_STRUCT: u32 = 30;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FUNCTION: u32 = 33;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_END: u32 = 56;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const MEMBER_DECORATE: u32 = 72;
    pub(super) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(super) const COMPOSITE_EXTRACT: u32 = 81;
    pub(super) const IMAGE_FETCH: u32 = 95;
    pub(super) const I_ADD: u32 = 128;
    pub(super) const I_MUL: u32 = 132;
    pub(super) const LABEL: u32 = 248;
    pub(super) const RETURN: u32 = 253;
}

/// Result ids.
mod id {
    pub(super) const MAIN: u32 = 1;
    pub(super) const POSITION: u32 = 2;
    pub(super) const IMAGE: u32 = 3;
    pub(super) const TEXELS: u32 = 4;
    pub(super) const PUSH: u32 = 5;
    pub(super) const VOID: u32 = 6;
    pub(super) const FUNCTION: u32 = 7;
    pub(super) const UINT: u32 = 8;
    pub(super) const UVEC3: u32 = 9;
    /// Type of a component of a texel; the same as `UINT` for unsigned texels, which then is not declared twice.
    pub(super) const SCALAR: u32 = 10;
    pub(super) const TEXEL: u32 = 11;
    pub(super) const IMAGE_TYPE: u32 = 12;
    pub(super) const IMAGE_POINTER: u32 = 13;
    pub(super) const ARRAY: u32 = 14;
    pub(super) const BLOCK: u32 = 15;
    pub(super) const BLOCK_POINTER: u32 = 16;
    pub(super) const TEXEL_POINTER: u32 = 17;
    pub(super) const PUSH_TYPE: u32 = 18;
    pub(super) const PUSH_POINTER: u32 = 19;
    pub(super) const WORD_POINTER: u32 = 20;
    pub(super) const POSITION_POINTER: u32 = 21;
    /// Constants from 0 on, one for each push constant.
    pub(super) const CONSTANTS: u32 = 22;
    pub(super) const LABEL: u32 = 26;
    pub(super) const LOADED: u32 = 27;
    pub(super) const X: u32 = 28;
    pub(super) const Y: u32 = 29;
    /// Pointers to the push constants, then their values.
    pub(super) const POINTERS: u32 = 30;
    pub(super) const VALUES: u32 = 34;
    pub(super) const IMAGE_Y: u32 = 38;
    pub(super) const COORDINATES: u32 = 39;
    pub(super) const LOADED_IMAGE: u32 = 40;
    pub(super) const FETCHED: u32 = 41;
    pub(super) const ROW: u32 = 42;
    pub(super) const INDEX: u32 = 43;
    pub(super) const TARGET: u32 = 44;
    pub(super) const BOUND: u32 = 45;
}

/// Storage classes.
const UNIFORM_CONSTANT: u32 = 0;
const INPUT: u32 = 1;
const PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

/// A module under construction.
struct Words(Vec<u32>);

impl Words {
    fn op(&mut self, opcode: u32, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode);
        self.0.extend_from_slice(operands);
    }
}

/// The words of the module for texels of a type: `Sfloat`, `Sint` or `Uint`; everything else is read as floats.
pub(crate) fn module(encoding: Encoding) -> Vec<u32> {
    let mut words = Words(vec![MAGIC, VERSION_1_3, 0, id::BOUND, 0]);
    declare(&mut words);
    decorate(&mut words);
    define_types(&mut words, encoding);
    define_main(&mut words);
    words.0
}

fn declare(words: &mut Words) {
    const SHADER: u32 = 1;
    const GL_COMPUTE: u32 = 5;
    const LOCAL_SIZE: u32 = 17;
    let name = u32::from_le_bytes(*b"main");
    words.op(op::CAPABILITY, &[SHADER]);
    words.op(op::MEMORY_MODEL, &[0, 1]);
    words.op(
        op::ENTRY_POINT,
        &[GL_COMPUTE, id::MAIN, name, 0, id::POSITION],
    );
    words.op(op::EXECUTION_MODE, &[id::MAIN, LOCAL_SIZE, 1, 1, 1]);
}

fn decorate(words: &mut Words) {
    const BLOCK: u32 = 2;
    const ARRAY_STRIDE: u32 = 6;
    const BUILT_IN: u32 = 11;
    const GLOBAL_INVOCATION_ID: u32 = 28;
    const BINDING: u32 = 33;
    const DESCRIPTOR_SET: u32 = 34;
    const OFFSET: u32 = 35;
    words.op(
        op::DECORATE,
        &[id::POSITION, BUILT_IN, GLOBAL_INVOCATION_ID],
    );
    for (variable, binding) in [(id::IMAGE, 0), (id::TEXELS, 1)] {
        words.op(op::DECORATE, &[variable, DESCRIPTOR_SET, 0]);
        words.op(op::DECORATE, &[variable, BINDING, binding]);
    }
    words.op(op::DECORATE, &[id::ARRAY, ARRAY_STRIDE, 16]);
    words.op(op::DECORATE, &[id::BLOCK, BLOCK]);
    words.op(op::MEMBER_DECORATE, &[id::BLOCK, 0, OFFSET, 0]);
    words.op(op::DECORATE, &[id::PUSH_TYPE, BLOCK]);
    for member in 0..WORDS {
        words.op(
            op::MEMBER_DECORATE,
            &[id::PUSH_TYPE, member, OFFSET, 4 * member],
        );
    }
}

fn define_types(words: &mut Words, encoding: Encoding) {
    const DIM_2D: u32 = 1;
    words.op(op::TYPE_VOID, &[id::VOID]);
    words.op(op::TYPE_FUNCTION, &[id::FUNCTION, id::VOID]);
    words.op(op::TYPE_INT, &[id::UINT, 32, 0]);
    words.op(op::TYPE_VECTOR, &[id::UVEC3, id::UINT, 3]);
    let scalar = match encoding {
        Encoding::Uint => id::UINT,
        Encoding::Sint => {
            words.op(op::TYPE_INT, &[id::SCALAR, 32, 1]);
            id::SCALAR
        }
        Encoding::Unorm
        | Encoding::Snorm
        | Encoding::Uscaled
        | Encoding::Sscaled
        | Encoding::Sfloat
        | Encoding::Srgb
        | Encoding::Ufloat
        | Encoding::SharedExponent => {
            words.op(op::TYPE_FLOAT, &[id::SCALAR, 32]);
            id::SCALAR
        }
    };
    words.op(op::TYPE_VECTOR, &[id::TEXEL, scalar, 4]);
    // Not a depth comparison, arrayed, multisampled, sampled, of unknown format.
    words.op(
        op::TYPE_IMAGE,
        &[id::IMAGE_TYPE, scalar, DIM_2D, 0, 1, 1, 1, 0],
    );
    words.op(op::TYPE_RUNTIME_ARRAY, &[id::ARRAY, id::TEXEL]);
    words.op(op::TYPE_STRUCT, &[id::BLOCK, id::ARRAY]);
    words.op(
        op::TYPE_STRUCT,
        &[id::PUSH_TYPE, id::UINT, id::UINT, id::UINT, id::UINT],
    );
    for (pointer, class, target) in [
        (id::IMAGE_POINTER, UNIFORM_CONSTANT, id::IMAGE_TYPE),
        (id::BLOCK_POINTER, STORAGE_BUFFER, id::BLOCK),
        (id::TEXEL_POINTER, STORAGE_BUFFER, id::TEXEL),
        (id::PUSH_POINTER, PUSH_CONSTANT, id::PUSH_TYPE),
        (id::WORD_POINTER, PUSH_CONSTANT, id::UINT),
        (id::POSITION_POINTER, INPUT, id::UVEC3),
    ] {
        words.op(op::TYPE_POINTER, &[pointer, class, target]);
    }
    for (pointer, variable, class) in [
        (id::IMAGE_POINTER, id::IMAGE, UNIFORM_CONSTANT),
        (id::BLOCK_POINTER, id::TEXELS, STORAGE_BUFFER),
        (id::PUSH_POINTER, id::PUSH, PUSH_CONSTANT),
        (id::POSITION_POINTER, id::POSITION, INPUT),
    ] {
        words.op(op::VARIABLE, &[pointer, variable, class]);
    }
    for value in 0..WORDS {
        words.op(op::CONSTANT, &[id::UINT, id::CONSTANTS + value, value]);
    }
}

/// `texels[y * width + x] = texelFetch(image, uvec3(x, y + first_row, layer), sample)`
fn define_main(words: &mut Words) {
    const SAMPLE: u32 = 0x40;
    words.op(op::FUNCTION, &[id::VOID, id::MAIN, 0, id::FUNCTION]);
    words.op(op::LABEL, &[id::LABEL]);
    words.op(op::LOAD, &[id::UVEC3, id::LOADED, id::POSITION]);
    words.op(op::COMPOSITE_EXTRACT, &[id::UINT, id::X, id::LOADED, 0]);
    words.op(op::COMPOSITE_EXTRACT, &[id::UINT, id::Y, id::LOADED, 1]);
    for member in 0..WORDS {
        let (pointer, constant) = (id::POINTERS + member, id::CONSTANTS + member);
        words.op(
            op::ACCESS_CHAIN,
            &[id::WORD_POINTER, pointer, id::PUSH, constant],
        );
        words.op(op::LOAD, &[id::UINT, id::VALUES + member, pointer]);
    }
    let [layer, sample, width, first_row] = [0, 1, 2, 3].map(|word| id::VALUES + word);
    words.op(op::I_ADD, &[id::UINT, id::IMAGE_Y, id::Y, first_row]);
    words.op(
        op::COMPOSITE_CONSTRUCT,
        &[id::UVEC3, id::COORDINATES, id::X, id::IMAGE_Y, layer],
    );
    words.op(op::LOAD, &[id::IMAGE_TYPE, id::LOADED_IMAGE, id::IMAGE]);
    words.op(
        op::IMAGE_FETCH,
        &[
            id::TEXEL,
            id::FETCHED,
            id::LOADED_IMAGE,
            id::COORDINATES,
            SAMPLE,
            sample,
        ],
    );
    words.op(op::I_MUL, &[id::UINT, id::ROW, id::Y, width]);
    words.op(op::I_ADD, &[id::UINT, id::INDEX, id::ROW, id::X]);
    words.op(
        op::ACCESS_CHAIN,
        &[
            id::TEXEL_POINTER,
            id::TARGET,
            id::TEXELS,
            id::CONSTANTS,
            id::INDEX,
        ],
    );
    words.op(op::STORE, &[id::TARGET, id::FETCHED]);
    words.op(op::RETURN, &[]);
    words.op(op::FUNCTION_END, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn modules_are_valid() {
        for encoding in [Encoding::Sfloat, Encoding::Sint, Encoding::Uint] {
            let words = module(encoding);
            let mut at = 5;
            while at < words.len() {
                at += (words[at] >> 16) as usize;
            }
            assert_eq!(at, words.len());
            let process = Command::new("spirv-val")
                .args(["--target-env", "vulkan1.1", "-"])
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            // Without the tool nothing more can be said.
            let Ok(mut process) = process else { return };
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            process.stdin.take().unwrap().write_all(&bytes).unwrap();
            let output = process.wait_with_output().unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stdout)
            );
        }
    }
}
