//! Makes a vertex module write the size of points that GL has for programs that write none.
//!
//! Vulkan leaves the size of points undefined where no stage writes it.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, InsertPoint, Instruction, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// The module with this size of points; `None` if it cannot be understood.
pub(super) fn add(words: &[u32], size: f32) -> Option<Vec<u32>> {
    let mut builder = Builder::new_from_module(load_words(words).ok()?);
    let float = builder.type_float(32, None);
    let pointer = builder.type_pointer(None, StorageClass::Output, float);
    let size = builder.constant_bit32(float, size.to_bits());
    let variable = builder.variable(pointer, None, StorageClass::Output, None);
    builder.decorate(
        variable,
        Decoration::BuiltIn,
        [Operand::BuiltIn(BuiltIn::PointSize)],
    );
    let entry = builder.module_mut().entry_points.first_mut()?;
    entry.operands.push(Operand::IdRef(variable));
    let function = entry.operands.get(1)?.id_ref_any()?;
    let module = builder.module_ref();
    let index = module
        .functions
        .iter()
        .position(|candidate| candidate.def_id() == Some(function))?;
    let block = module.functions[index].blocks.first()?;
    let is_variable = |instruction: &Instruction| instruction.class.opcode == Op::Variable;
    let start = block
        .instructions
        .iter()
        .position(|instruction| !is_variable(instruction))?;
    builder.select_function(Some(index)).ok()?;
    builder.select_block(Some(0)).ok()?;
    let store = Instruction::new(
        Op::Store,
        None,
        None,
        vec![Operand::IdRef(variable), Operand::IdRef(size)],
    );
    builder
        .insert_into_block(InsertPoint::FromBegin(start), store)
        .ok()?;
    Some(builder.module().assemble())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::interface::Interface;
    use crate::programs::passthrough::{self, DepthRemap, PointSize};

    #[test]
    fn modules_write_the_size_afterwards() {
        let words = passthrough::vertex(&[], DepthRemap::Keep, PointSize::NotWritten);
        let writes = |words: &[u32]| {
            let interface = Interface::read(words).unwrap();
            interface.entry_points[0].writes_point_size
        };
        assert!(!writes(&words));
        assert!(writes(&add(&words, 1.0).unwrap()));
        assert_eq!(add(&words[..7], 1.0), None);
    }
}
