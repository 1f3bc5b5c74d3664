//! The vertex shader that passes attribute 0 on as the position.

use crate::script::Convention;
use glasm::Reflection;
use glasm::ir::Stage;
use glasm::ir::semantic::{Interpolation, Semantic};
use glasm::reflect::{InterfaceVariable, Requirements, Scalar};

const OP_MEMORY_MODEL: u32 = 14;
const OP_ENTRY_POINT: u32 = 15;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_VOID: u32 = 19;
const OP_TYPE_FLOAT: u32 = 22;
const OP_TYPE_VECTOR: u32 = 23;
const OP_TYPE_POINTER: u32 = 32;
const OP_TYPE_FUNCTION: u32 = 33;
const OP_CONSTANT: u32 = 43;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_VARIABLE: u32 = 59;
const OP_LOAD: u32 = 61;
const OP_STORE: u32 = 62;
const OP_DECORATE: u32 = 71;
const OP_COMPOSITE_EXTRACT: u32 = 81;
const OP_COMPOSITE_INSERT: u32 = 82;
const OP_F_ADD: u32 = 129;
const OP_F_MUL: u32 = 133;
const OP_LABEL: u32 = 248;
const OP_RETURN: u32 = 253;

const MAGIC: u32 = 0x0723_0203;
const VERSION_1_3: u32 = 0x0001_0300;

/// Result ids.
mod id {
    pub(super) const MAIN: u32 = 1;
    pub(super) const ATTRIBUTE: u32 = 2;
    pub(super) const POSITION: u32 = 3;
    pub(super) const VOID: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const FLOAT: u32 = 6;
    pub(super) const VEC4: u32 = 7;
    pub(super) const INPUT_POINTER: u32 = 8;
    pub(super) const OUTPUT_POINTER: u32 = 9;
    pub(super) const LABEL: u32 = 10;
    pub(super) const VALUE: u32 = 11;
    pub(super) const HALF: u32 = 12;
    pub(super) const Z: u32 = 13;
    pub(super) const W: u32 = 14;
    pub(super) const SUM: u32 = 15;
    pub(super) const DEPTH: u32 = 16;
    pub(super) const REMAPPED: u32 = 17;
    pub(super) const BOUND: u32 = 18;
}

/// What the module expects of its caller: attribute 0.
pub(crate) fn reflection() -> Reflection {
    let attribute = InterfaceVariable {
        semantic: Semantic::Attrib(0),
        location: Some(0),
        scalar: Scalar::Float,
        components: 4,
        interpolation: Interpolation::Smooth,
    };
    Reflection {
        stage: Stage::Vertex,
        entry_point: "main",
        params: None,
        textures: Vec::new(),
        buffers: Vec::new(),
        inputs: vec![attribute],
        outputs: Vec::new(),
        workgroup_size: None,
        requirements: Requirements::default(),
    }
}

/// The words of the module. GL's depth range is remapped to Vulkan's.
pub(crate) fn module(convention: Convention) -> Vec<u32> {
    const SHADER: u32 = 1;
    const VERTEX: u32 = 0;
    const INPUT: u32 = 1;
    const OUTPUT: u32 = 3;
    const LOCATION: u32 = 30;
    const BUILT_IN: u32 = 11;
    const BUILT_IN_POSITION: u32 = 0;
    let name = u32::from_le_bytes(*b"main");
    let mut words = vec![MAGIC, VERSION_1_3, 0, id::BOUND, 0];
    let mut op = |opcode: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    };
    op(OP_CAPABILITY, &[SHADER]);
    op(OP_MEMORY_MODEL, &[0, 1]);
    op(
        OP_ENTRY_POINT,
        &[VERTEX, id::MAIN, name, 0, id::ATTRIBUTE, id::POSITION],
    );
    op(OP_DECORATE, &[id::ATTRIBUTE, LOCATION, 0]);
    op(OP_DECORATE, &[id::POSITION, BUILT_IN, BUILT_IN_POSITION]);
    op(OP_TYPE_VOID, &[id::VOID]);
    op(OP_TYPE_FUNCTION, &[id::FUNCTION, id::VOID]);
    op(OP_TYPE_FLOAT, &[id::FLOAT, 32]);
    op(OP_TYPE_VECTOR, &[id::VEC4, id::FLOAT, 4]);
    op(OP_TYPE_POINTER, &[id::INPUT_POINTER, INPUT, id::VEC4]);
    op(OP_TYPE_POINTER, &[id::OUTPUT_POINTER, OUTPUT, id::VEC4]);
    op(OP_VARIABLE, &[id::INPUT_POINTER, id::ATTRIBUTE, INPUT]);
    op(OP_VARIABLE, &[id::OUTPUT_POINTER, id::POSITION, OUTPUT]);
    op(OP_CONSTANT, &[id::FLOAT, id::HALF, 0.5f32.to_bits()]);
    op(OP_FUNCTION, &[id::VOID, id::MAIN, 0, id::FUNCTION]);
    op(OP_LABEL, &[id::LABEL]);
    op(OP_LOAD, &[id::VEC4, id::VALUE, id::ATTRIBUTE]);
    let position = match convention {
        Convention::Vulkan => id::VALUE,
        Convention::OpenGl => {
            op(OP_COMPOSITE_EXTRACT, &[id::FLOAT, id::Z, id::VALUE, 2]);
            op(OP_COMPOSITE_EXTRACT, &[id::FLOAT, id::W, id::VALUE, 3]);
            op(OP_F_ADD, &[id::FLOAT, id::SUM, id::Z, id::W]);
            op(OP_F_MUL, &[id::FLOAT, id::DEPTH, id::SUM, id::HALF]);
            op(
                OP_COMPOSITE_INSERT,
                &[id::VEC4, id::REMAPPED, id::DEPTH, id::VALUE, 2],
            );
            id::REMAPPED
        }
    };
    op(OP_STORE, &[id::POSITION, position]);
    op(OP_RETURN, &[]);
    op(OP_FUNCTION_END, &[]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_fill_the_module_exactly() {
        for convention in [Convention::Vulkan, Convention::OpenGl] {
            let words = module(convention);
            let mut at = 5;
            while at < words.len() {
                at += (words[at] >> 16) as usize;
            }
            assert_eq!(at, words.len());
        }
    }
}
