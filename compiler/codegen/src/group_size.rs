//! The size of work groups: constants, or specialization constants.

use crate::builder::{Builder, Home, Scalar};
use crate::interface::Interface;
use crate::words::ValueWord;
use glasm_ir::Program;
use spirv::{BuiltIn, Decoration, Op};

impl Interface {
    /// The sizes of a work group: constants, or specialization constants 0 to 2 if the pipeline gives them.
    pub(crate) fn workgroup_size(&mut self, w: &mut Builder, program: &Program) -> [ValueWord; 3] {
        let size = program.modes.workgroup_size;
        if size != [0; 3] {
            return size.map(|size| w.uint(size.max(1)));
        }
        if let Some(known) = self.group_size {
            return known;
        }
        let ty = w.ty(Scalar::U32, 1);
        let sizes = [0, 1, 2].map(|number| {
            let id = w.value(Scalar::U32, 1, Home::Prologue);
            w.globals.result(Op::SpecConstant, ty, id, &[1]);
            w.decorate(id, Decoration::SpecId, &[number]);
            id
        });
        let vector = w.ty(Scalar::U32, 3);
        let id = w.object();
        let words = sizes.map(|size| size.0);
        w.globals
            .result(Op::SpecConstantComposite, vector, id, &words);
        w.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        self.group_size = Some(sizes);
        sizes
    }
}
