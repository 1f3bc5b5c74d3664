//! Depths written by programs of NV_fragment_program: those out of range discard their fragments.
//! NV_fragment_program section 3.11.6.

use super::Lowerer;
use super::context::splat;
use super::fog::get_state_source;
use super::formula::F;
use super::kill::add_discard;
use super::resource::Resources;
use glasm_ir::inst::Aux;
use glasm_ir::types::Width;
use glasm_ir::{
    Cond, CondTest, Dst, Guard, InstFlags, Op, Semantic, Span, Src, StateParam, Swizzle, WriteMask,
};

impl Resources<'_> {
    /// Returns true if the program replaces the depth of its fragments and the language defines the
    /// result for depths out of range.
    pub(super) fn has_limited_depth(&self) -> bool {
        self.has_exact_precision() && self.tables.results.contains_key(&Semantic::FragDepth)
    }
}

/// Discards the fragment if its depth is below the one bound or above the other.
pub(super) fn limit_depth(l: &mut Lowerer<'_>) {
    let Some(&(register, _)) = l.resources.tables.results.get(&Semantic::FragDepth) else {
        return;
    };
    l.span = Span::default();
    l.flags = InstFlags::empty();
    l.hidden_used = [0; 2];
    let depth = splat(Src::register(register), 2);
    let bounds = get_state_source(l, StateParam::DepthBounds);
    let cc = l.resources.add_condition_code();
    let unused = l.hidden(Width::W32);
    let mut compare = |mask, sources: &[Src]| {
        let dst = Dst {
            cc: Some(cc),
            ..Dst::new(unused, WriteMask(mask))
        };
        l.inst(Op::SetLt, F, Some(dst), Aux::None, sources);
    };
    // NaN is less than no bound and no bound is less than NaN: such a fragment is retained.
    compare(0b0001, &[depth, splat(bounds, 0)]);
    compare(0b0010, &[splat(bounds, 1), depth]);
    let is_outside = Cond::Any(Guard {
        cc,
        test: CondTest::Ne,
        // z and w of these codes were never set.
        swizzle: Swizzle::new([0, 1, 0, 1]),
    });
    add_discard(l, is_outside, Span::default());
}
