//! Limits that options lower, and limits on the components of all attributes and results.
//! NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5; NV_vertex_program4 and NV_fragment_program4 section 2.X.6.Y.

use super::{Checker, VarKind};
use crate::ast::{Base, Index, Statement};
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::options::Features;
use crate::source::Family;
use glasm_ir::Semantic;
use rustc_hash::FxHashMap;

/// What code that options add to a program takes from its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Reserved {
    pub(super) temporaries: u64,
    pub(super) parameters: u64,
    attribs: u32,
    instructions: usize,
}

/// Components of bindings that a program uses.
type Components = FxHashMap<Semantic, u8>;

impl Checker<'_> {
    /// What options have taken from the limits.
    pub(super) fn reserved(&self) -> Reserved {
        let features = self.program.features;
        let fog = |instructions| Reserved {
            temporaries: 1,
            parameters: 2,
            attribs: 1,
            instructions,
        };
        if features.contains(Features::FOG_EXP) {
            fog(3)
        } else if features.contains(Features::FOG_EXP2) {
            fog(4)
        } else if features.contains(Features::FOG_LINEAR) {
            fog(2)
        } else if features.contains(Features::POSITION_INVARIANT) {
            Reserved {
                instructions: 4,
                ..Reserved::default()
            }
        } else {
            Reserved::default()
        }
    }

    /// Limits that count over the whole program.
    pub(super) fn whole_limits(&mut self) {
        let reserved = self.reserved();
        let limit = limits::INSTRUCTIONS - reserved.instructions;
        // The parser has reported programs beyond the limit itself.
        if (limit + 1..=limits::INSTRUCTIONS).contains(&self.program.ast.insts.len()) {
            let message = format!("more than {limit} instructions");
            self.reports.whole(Code::TooManyInstructions, message);
        }
        if self.family == Family::Arb {
            return self.arb_attribs(reserved.attribs as usize);
        }
        let attrib_limit = limits::ATTRIB_COMPONENTS - reserved.attribs;
        let result_limit = limits::RESULT_COMPONENTS;
        // Every binding has four components at most, so that small programs need no counting.
        if 4 * self.program.attribs.len() as u32 > attrib_limit {
            let count = self.count(Self::used_attribs);
            if count > attrib_limit {
                let message = format!(
                    "{count} components of attributes are used; the limit is {attrib_limit}"
                );
                self.reports.whole(Code::TooManyAttribComponents, message);
            }
        }
        if 4 * self.program.results.len() as u32 > result_limit {
            let count = self.count(Self::used_results);
            if count > result_limit {
                let message = format!(
                    "{count} components of results are written; the limit is {result_limit}"
                );
                self.reports.whole(Code::TooManyResultComponents, message);
            }
        }
    }

    fn count(&self, used: fn(&Self, &mut Components)) -> u32 {
        let mut components = Components::default();
        used(self, &mut components);
        components.values().map(|mask| mask.count_ones()).sum()
    }

    /// The components of attributes that operands read through their swizzles.
    fn used_attribs(&self, components: &mut Components) {
        let ast = &self.program.ast;
        for operand in &ast.operands {
            let swizzle = operand.suffix.swizzle();
            let mask = (0..4).fold(0, |mask, lane| mask | 1 << swizzle.lane(lane));
            self.add(operand.base, operand.index, mask, components);
        }
    }

    /// The components of results that write masks enable.
    fn used_results(&self, components: &mut Components) {
        let ast = &self.program.ast;
        for statement in &ast.statements {
            let &Statement::Inst(number) = statement else {
                continue;
            };
            if let Some(dst) = ast.insts[number as usize].dst {
                self.add(dst.base, dst.index, dst.mask.0, components);
            }
        }
    }

    /// Adds components of the bindings that a variable stands for: one, or all of an array with run-time index.
    fn add(&self, base: Base, index: Index, mask: u8, components: &mut Components) {
        let Some((_, var)) = self.program.var(base) else {
            return;
        };
        let (first, table) = match var.kind {
            VarKind::Attrib { first } => (first, &self.program.attribs),
            VarKind::Result { first } => (first, &self.program.results),
            VarKind::Temp
            | VarKind::Address
            | VarKind::Param { .. }
            | VarKind::Buffer(_)
            | VarKind::Texture { .. }
            | VarKind::Image { .. }
            | VarKind::Shared { .. }
            | VarKind::Subroutine { .. }
            | VarKind::Poisoned => return,
        };
        let elements = match index {
            Index::None => 0..1,
            Index::Const(element) => element..element + 1,
            Index::Relative(_) | Index::Pair(_) => 0..var.array.unwrap_or(1),
        };
        for element in elements {
            let Some(binding) = table.get((first + element) as usize) else {
                return;
            };
            *components.entry(binding.semantic).or_default() |= mask & lanes(binding.semantic);
        }
    }
}

/// The components that a binding has.
fn lanes(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::FogCoord | Semantic::PointSize | Semantic::ClipDistance(_) | Semantic::Facing
    );
    if is_scalar { 0b0001 } else { 0b1111 }
}
