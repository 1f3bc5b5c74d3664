//! The runner's own shader modules: they copy a layer of an array texture, texel by pixel, to a color or depth attachment.

use crate::format::{Aspect, Encoding, Format};

const MAGIC: u32 = 0x0723_0203;
const VERSION_1_3: u32 = 0x0001_0300;
const MAIN: u32 = u32::from_le_bytes(*b"main");

/// Opcodes.
mod op {
    pub(super) const MEMORY_MODEL: u32 = 14;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_FLOAT: u32 = 22;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_IMAGE: u32 = 25;
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
    pub(super) const CONVERT_F_TO_S: u32 = 110;
    pub(super) const SELECT: u32 = 169;
    pub(super) const I_EQUAL: u32 = 170;
    pub(super) const LABEL: u32 = 248;
    pub(super) const RETURN: u32 = 253;
}

const INPUT: u32 = 1;
const OUTPUT: u32 = 3;
const UNIFORM_CONSTANT: u32 = 0;
const PUSH_CONSTANT: u32 = 9;
const BUILT_IN: u32 = 11;
const LOCATION: u32 = 30;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const OFFSET: u32 = 35;
const BLOCK: u32 = 2;

/// Instructions of a module.
struct Writer(Vec<u32>);

impl Writer {
    fn new(bound: u32) -> Self {
        Self(vec![MAGIC, VERSION_1_3, 0, bound, 0])
    }

    fn op(&mut self, opcode: u32, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode);
        self.0.extend_from_slice(operands);
    }
}

/// A vertex shader: vertices 0 to 2 span a triangle around the whole viewport.
pub(super) fn vertex_module() -> Vec<u32> {
    let mut w = Writer::new(30);
    w.op(op::CAPABILITY, &[1]);
    w.op(op::MEMORY_MODEL, &[0, 1]);
    w.op(op::ENTRY_POINT, &[0, 1, MAIN, 0, 2, 3]);
    w.op(op::DECORATE, &[2, BUILT_IN, 42]);
    w.op(op::DECORATE, &[3, BUILT_IN, 0]);
    w.op(op::TYPE_VOID, &[4]);
    w.op(op::TYPE_FUNCTION, &[5, 4]);
    w.op(op::TYPE_BOOL, &[6]);
    w.op(op::TYPE_INT, &[7, 32, 1]);
    w.op(op::TYPE_FLOAT, &[8, 32]);
    w.op(op::TYPE_VECTOR, &[9, 8, 4]);
    w.op(op::TYPE_POINTER, &[10, INPUT, 7]);
    w.op(op::TYPE_POINTER, &[11, OUTPUT, 9]);
    w.op(op::VARIABLE, &[10, 2, INPUT]);
    w.op(op::VARIABLE, &[11, 3, OUTPUT]);
    w.op(op::CONSTANT, &[7, 12, 1]);
    w.op(op::CONSTANT, &[7, 13, 2]);
    w.op(op::CONSTANT, &[8, 14, (-1f32).to_bits()]);
    w.op(op::CONSTANT, &[8, 15, 3f32.to_bits()]);
    w.op(op::CONSTANT, &[8, 16, 0f32.to_bits()]);
    w.op(op::CONSTANT, &[8, 17, 1f32.to_bits()]);
    w.op(op::FUNCTION, &[4, 1, 0, 5]);
    w.op(op::LABEL, &[18]);
    w.op(op::LOAD, &[7, 19, 2]);
    w.op(op::I_EQUAL, &[6, 20, 19, 12]);
    w.op(op::SELECT, &[8, 21, 20, 15, 14]);
    w.op(op::I_EQUAL, &[6, 22, 19, 13]);
    w.op(op::SELECT, &[8, 23, 22, 15, 14]);
    w.op(op::COMPOSITE_CONSTRUCT, &[9, 24, 21, 23, 16, 17]);
    w.op(op::STORE, &[3, 24]);
    w.op(op::RETURN, &[]);
    w.op(op::FUNCTION_END, &[]);
    w.0
}

/// A fragment shader: the texel at the pixel's place in the layer that the push constant names, of the texture at set 0, binding 0,
/// becomes the color or depth.
pub(super) fn fragment_module(format: &Format) -> Vec<u32> {
    let is_depth = format.aspect == Aspect::Depth;
    // Scalars are float 8, int 7 and uint 30; vectors of four are 9, 31 and 32.
    let (texel, texels) = match format.encoding {
        Encoding::Sint => (7, 31),
        Encoding::Uint => (30, 32),
        Encoding::Unorm
        | Encoding::Snorm
        | Encoding::Uscaled
        | Encoding::Sscaled
        | Encoding::Sfloat
        | Encoding::Srgb
        | Encoding::Ufloat
        | Encoding::SharedExponent => (8, 9),
    };
    let mut w = Writer::new(50);
    w.op(op::CAPABILITY, &[1]);
    w.op(op::MEMORY_MODEL, &[0, 1]);
    w.op(op::ENTRY_POINT, &[4, 1, MAIN, 0, 2, 3]);
    w.op(op::EXECUTION_MODE, &[1, 7]);
    if is_depth {
        w.op(op::EXECUTION_MODE, &[1, 12]);
    }
    w.op(op::DECORATE, &[2, BUILT_IN, 15]);
    match is_depth {
        true => w.op(op::DECORATE, &[3, BUILT_IN, 22]),
        false => w.op(op::DECORATE, &[3, LOCATION, 0]),
    }
    w.op(op::DECORATE, &[10, DESCRIPTOR_SET, 0]);
    w.op(op::DECORATE, &[10, BINDING, 0]);
    w.op(op::DECORATE, &[11, BLOCK]);
    w.op(op::MEMBER_DECORATE, &[11, 0, OFFSET, 0]);
    w.op(op::TYPE_VOID, &[4]);
    w.op(op::TYPE_FUNCTION, &[5, 4]);
    w.op(op::TYPE_INT, &[7, 32, 1]);
    w.op(op::TYPE_INT, &[30, 32, 0]);
    w.op(op::TYPE_FLOAT, &[8, 32]);
    w.op(op::TYPE_VECTOR, &[9, 8, 4]);
    w.op(op::TYPE_VECTOR, &[31, 7, 4]);
    w.op(op::TYPE_VECTOR, &[32, 30, 4]);
    w.op(op::TYPE_VECTOR, &[12, 7, 3]);
    w.op(op::TYPE_IMAGE, &[13, texel, 1, 0, 1, 0, 1, 0]);
    w.op(op::TYPE_STRUCT, &[11, 7]);
    w.op(op::TYPE_POINTER, &[14, INPUT, 9]);
    w.op(
        op::TYPE_POINTER,
        &[15, OUTPUT, if is_depth { 8 } else { texels }],
    );
    w.op(op::TYPE_POINTER, &[16, UNIFORM_CONSTANT, 13]);
    w.op(op::TYPE_POINTER, &[17, PUSH_CONSTANT, 11]);
    w.op(op::TYPE_POINTER, &[18, PUSH_CONSTANT, 7]);
    w.op(op::VARIABLE, &[14, 2, INPUT]);
    w.op(op::VARIABLE, &[15, 3, OUTPUT]);
    w.op(op::VARIABLE, &[16, 10, UNIFORM_CONSTANT]);
    w.op(op::VARIABLE, &[17, 19, PUSH_CONSTANT]);
    w.op(op::CONSTANT, &[7, 20, 0]);
    write_copy(&mut w, texel, texels, is_depth);
    w.0
}

/// The body of the fragment shader.
fn write_copy(w: &mut Writer, texel: u32, texels: u32, is_depth: bool) {
    const LOD: u32 = 2;
    w.op(op::FUNCTION, &[4, 1, 0, 5]);
    w.op(op::LABEL, &[21]);
    w.op(op::LOAD, &[9, 22, 2]);
    w.op(op::COMPOSITE_EXTRACT, &[8, 23, 22, 0]);
    w.op(op::COMPOSITE_EXTRACT, &[8, 24, 22, 1]);
    w.op(op::CONVERT_F_TO_S, &[7, 25, 23]);
    w.op(op::CONVERT_F_TO_S, &[7, 26, 24]);
    w.op(op::ACCESS_CHAIN, &[18, 27, 19, 20]);
    w.op(op::LOAD, &[7, 28, 27]);
    w.op(op::COMPOSITE_CONSTRUCT, &[12, 29, 25, 26, 28]);
    w.op(op::LOAD, &[13, 33, 10]);
    w.op(op::IMAGE_FETCH, &[texels, 34, 33, 29, LOD, 20]);
    let value = match is_depth {
        true => {
            w.op(op::COMPOSITE_EXTRACT, &[texel, 35, 34, 0]);
            35
        }
        false => 34,
    };
    w.op(op::STORE, &[3, value]);
    w.op(op::RETURN, &[]);
    w.op(op::FUNCTION_END, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_fill_the_modules_exactly() {
        let formats = ["R8_UNORM", "R8_UINT", "R8_SINT", "D16_UNORM"];
        let fragments = formats.map(|name| fragment_module(&Format::parse_texture(name).unwrap()));
        for words in fragments.into_iter().chain([vertex_module()]) {
            let mut at = 5;
            while at < words.len() {
                at += (words[at] >> 16) as usize;
            }
            assert_eq!(at, words.len());
        }
    }
}
