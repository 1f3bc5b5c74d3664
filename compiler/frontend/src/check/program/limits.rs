//! Limits that options lower, and limits on the components of all attributes and results.
//! NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5; NV_vertex_program4 and NV_fragment_program4
//! section 2.X.6.Y.

use crate::check::context::RuleCx;
use crate::check::declarations::stage::count_emitted_components;
use crate::check::instructions::arb::check_program_attribs;
use crate::check::program::checked::Checked;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::options::Features;
use crate::vars::{Holder, VarKind};
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::FxHashSet;

/// Resources that code that options add takes from the limits of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reserved {
    pub(crate) temporaries: u64,
    pub(crate) parameters: u64,
    attribs: u32,
    instructions: usize,
}

/// Resources that options take; of several the first one is used, as fog options exclude each
/// other. ARB_fragment_program section 3.11.4.5.1, ARB_vertex_program section 2.14.4.5.1.
static RESERVED: &[(Features, Reserved)] = &[
    (Features::FOG_EXP, Reserved::fog(3)),
    (Features::FOG_EXP2, Reserved::fog(4)),
    (Features::FOG_LINEAR, Reserved::fog(2)),
    (
        Features::POSITION_INVARIANT,
        Reserved {
            temporaries: 0,
            parameters: 0,
            attribs: 0,
            // Four dot products with the vectors of the matrix.
            instructions: 4,
        },
    ),
];

impl Reserved {
    /// Returns the resources of a fog option: its coordinate, two parameters of state and a
    /// temporary for the factor.
    const fn fog(instructions: usize) -> Self {
        Self {
            temporaries: 1,
            parameters: 2,
            // "2 params, 1 temp, 1 attribute": ARB_fragment_program issue 29 has the code that does
            // it.
            attribs: 1,
            instructions,
        }
    }
}

/// Returns the resources that options have taken from the limits.
pub(crate) fn find_reserved(cx: &RuleCx<'_>) -> Reserved {
    let enabled = |(feature, _): &&(Features, Reserved)| cx.features.contains(*feature);
    let found = RESERVED.iter().find(enabled);
    found.map_or_else(Reserved::default, |&(_, reserved)| reserved)
}

/// Checks limits that count over the whole program.
pub(crate) fn check_program_limits(cx: &mut RuleCx<'_>, program: &Checked) {
    let reserved = find_reserved(cx);
    // Options take less than the limit, so this cannot be negative; so in all differences below.
    let limit = limits::INSTRUCTIONS - reserved.instructions;
    // The parser has already reported programs beyond the limit.
    if (limit + 1..=limits::INSTRUCTIONS).contains(&(cx.ast.inst_count as usize)) {
        let message = format!("more than {limit} instructions");
        cx.whole(Code::TooManyInstructions, message);
    }
    if let Some(limit) = cx.facts.attributes {
        // ARB programs have a limit of attributes, regardless of the components that are used.
        return check_program_attribs(cx, program, limit - reserved.attribs as usize);
    }
    check_attrib_components(cx, program, limits::ATTRIB_COMPONENTS - reserved.attribs);
    check_result_components(cx, program, limits::RESULT_COMPONENTS);
}

fn check_attrib_components(cx: &mut RuleCx<'_>, program: &Checked, limit: u32) {
    // Four components for each binding are the most, so that most programs need no count; so for
    // results.
    if 4 * program.attribs.len() as u32 <= limit {
        return;
    }
    let count = program.attrib_components();
    if count > limit {
        let message = format!("{count} components of attributes are used; the limit is {limit}");
        cx.whole(Code::TooManyAttribComponents, message);
    }
}

fn check_result_components(cx: &mut RuleCx<'_>, program: &Checked, limit: u32) {
    let most = 4 * program.results.len() as u32;
    let total_limit = limits::TOTAL_OUTPUT_COMPONENTS;
    if most <= limit && count_emitted_components(cx, program, most) <= total_limit {
        return;
    }
    let count = program.result_components();
    // Separate from the limit of results: each emitted vertex is counted again.
    let total = count_emitted_components(cx, program, count);
    if total > total_limit {
        let message = format!("{total} components in all vertices; the limit is {total_limit}");
        cx.whole(Code::TooManyOutputComponents, message);
    }
    if count > limit {
        let message = format!("{count} components of results are written; the limit is {limit}");
        cx.whole(Code::TooManyResultComponents, message);
    }
}

/// The bindings of the previous arrays that have a dynamic index.
#[derive(Default)]
struct Bindings {
    attribs: FxHashSet<(Semantic, Holder)>,
    results: FxHashSet<(Semantic, Holder)>,
    params: FxHashSet<ParamSource>,
}

impl Checked {
    /// Adds the bindings of a variable. Returns true if one of them was there already.
    fn repeats_binding(&self, var: u32, bindings: &mut Bindings) -> bool {
        let info = self.vars[var as usize];
        if let VarKind::Param { first } = info.kind {
            let sources = &self.params[first as usize..];
            let sources = sources.iter().take(info.array.unwrap_or(1) as usize);
            // Constants are not bindings of state: equal ones may repeat.
            let states = sources.filter(|source| !matches!(source, ParamSource::Literal(_)));
            // No `any`: it would stop at the first one and leave the others out of the set. A
            // binding that occurs twice in one array breaks the rule, too (section 2.X.3.3).
            return states.fold(false, |found, it| found | !bindings.params.insert(*it));
        }
        // Variables that are neither attributes nor results have no semantics.
        let known = if matches!(info.kind, VarKind::Attrib { .. }) {
            &mut bindings.attribs
        } else {
            &mut bindings.results
        };
        let count = info.array.unwrap_or(1) as usize;
        let mut bindings = self.bindings_of(info.kind).iter().take(count);
        bindings.any(|it| !known.insert((it.semantic, it.holder)))
    }
}

pub(crate) fn check_overlaps(cx: &mut RuleCx<'_>, program: &Checked) {
    let mut bindings = Bindings::default();
    let mut rows: Vec<VarKind> = Vec::new();
    for var in 0..program.vars.len() as u32 {
        let info = program.vars[var as usize];
        // Bindings with a separate dynamic index share one array.
        if !info.relative || info.element.is_some() && rows.contains(&info.kind) {
            continue;
        }
        // Recorded only where the binding has the index: an array that a program declares denotes
        // itself.
        rows.extend(info.element.map(|_| info.kind));
        if program.repeats_binding(var, &mut bindings) {
            let text = program.var_text(&cx.ast.names, var);
            let message =
                format!("{text} has a run-time index, but repeats a binding of such an array");
            cx.error(Code::RelativeOverlap, info.span, message);
        }
    }
}
