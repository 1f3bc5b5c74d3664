//! Results that choose viewports and views. NV_viewport_array2 and NV_stereo_view_rendering, interactions with NV_gpu_program4.

use super::{Checker, VarKind};
use crate::ast::{Decl, Item};
use crate::codes::Code;
use crate::lang::options::Features;
use glasm_ir::{Semantic, Span, Stage};

impl Checker<'_> {
    /// The layer offset of the second view. NV_stereo_view_rendering section 2.X.7.Y.
    pub(super) fn secondary_view_layer_offset(&mut self, decl: &Decl) {
        let Some(&Item::Number(bits, span)) = self.ast.items(decl).first() else {
            return;
        };
        // The parser has put the bits of a signed number into the item.
        let offset = bits as i32;
        if matches!(self.stage, Stage::Fragment | Stage::Compute) {
            let message = "fragment and compute programs have no views";
            self.error(Code::DeclarationNotAllowed, decl.span, message);
            return;
        }
        let feature = "SECONDARY_VIEW_LAYER_OFFSET needs";
        if !self.need_option(Features::STEREO_VIEWS, decl.span, feature) {
            return;
        }
        // The statement may be repeated as long as it says the same.
        let known = *self.program.second_layer_offset.get_or_insert(offset);
        if known != offset {
            let message = format!("the offset is {known} already");
            self.error(Code::SecondLayerOffset, span, message);
        }
    }

    /// Checks that a program writes either the viewport or a mask of viewports. NV_viewport_array2 section 2.X.2.
    pub(super) fn check_viewport_writes(&mut self) {
        let writes = [Semantic::ViewportIndex, Semantic::ViewportMask];
        let [Some(index), Some(mask)] = writes.map(|semantic| self.first_write(semantic)) else {
            return;
        };
        // Reported where it first shows that the program writes both.
        let later = match index.start > mask.start {
            true => index,
            false => mask,
        };
        let message = "the program writes both result.viewport and result.viewportmask";
        self.error(Code::ViewportAndMask, later, message);
    }

    /// Returns where an instruction first writes a result.
    fn first_write(&self, semantic: Semantic) -> Option<Span> {
        // Hardly any program has a variable for either of them.
        let mut results = self.program.results.iter();
        results.find(|result| result.semantic == semantic)?;
        self.program.lines.list.iter().find_map(|line| {
            let dst = line.dst?;
            let var = &self.program.vars[dst.var as usize];
            let VarKind::Result { first } = var.kind else {
                return None;
            };
            // Neither of the two can be an element of an array, so the first binding of the variable is the one.
            let binding = self.program.results.get(first as usize)?;
            (binding.semantic == semantic && var.array.is_none()).then_some(dst.span)
        })
    }
}
