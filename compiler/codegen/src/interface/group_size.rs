//! Size of work groups: constants, or specialization constants.

use super::vars::Io;
use crate::builder::{Home, Scalar};
use crate::words::ValueWord;
use spirv::{BuiltIn, Decoration, Op};

impl Io<'_> {
    /// Returns the sizes of a work group: constants, or specialization constants 0 to 2 if the
    /// pipeline specifies them.
    pub(crate) fn workgroup_size(&mut self) -> [ValueWord; 3] {
        let size = self.program.modes.workgroup_size;
        if size != [0; 3] {
            return size.map(|size| self.w.uint(size.max(1)));
        }
        if let Some(known) = self.vars.inputs.group_size {
            return known;
        }
        let ty = self.w.ty(Scalar::U32, 1);
        let sizes = [0, 1, 2].map(|number| {
            // Its value is unknown at compile time, so it must not be folded like other constants.
            let id = self.w.value(Scalar::U32, 1, Home::Prologue);
            // The default size if the pipeline does not specialize it; 0 would be invalid.
            self.w.globals.result(Op::SpecConstant, ty, id, &[1]);
            self.w.decorate(id, Decoration::SpecId, &[number]);
            id
        });
        // The mode `LocalSize` has literal operands only; an object decorated with `WorkgroupSize`
        // overrides it.
        let vector = self.w.ty(Scalar::U32, 3);
        let id = self.w.object();
        let words = sizes.map(|size| size.0);
        self.w
            .globals
            .result(Op::SpecConstantComposite, vector, id, &words);
        self.w.decorate_builtin(id, BuiltIn::WorkgroupSize);
        self.vars.inputs.group_size = Some(sizes);
        sizes
    }
}
