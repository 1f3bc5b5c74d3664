//! Limits that options lower, and limits on the components of attributes and results that a program
//! uses. NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5; NV_vertex_program4 and NV_fragment_program4
//! section 2.X.6.Y.

use crate::ast::Index;
use crate::check::context::RuleCx;
use crate::check::declarations::stage_declarations::count_emitted_components;
use crate::check::instructions::arb::check_program_attribs;
use crate::check::program::CheckedProgram;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::options::Features;
use crate::resolved_inst::OperandValue;
use crate::variables::{AttribOwner, Direction, VarKind};
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::{FxHashMap, FxHashSet};

/// Resources that code that options add takes from the limits of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ReservedResources {
    pub(crate) temporaries: u64,
    pub(crate) parameters: u64,
    attribs: u32,
    instructions: usize,
}

/// Resources that options take; of several the first one is used, as fog options exclude each
/// other. ARB_fragment_program section 3.11.4.5.1, ARB_vertex_program section 2.14.4.5.1.
static RESERVED: &[(Features, ReservedResources)] = &[
    (Features::FOG_EXP, ReservedResources::fog(3)),
    (Features::FOG_EXP2, ReservedResources::fog(4)),
    (Features::FOG_LINEAR, ReservedResources::fog(2)),
    (
        Features::POSITION_INVARIANT,
        ReservedResources {
            temporaries: 0,
            parameters: 0,
            attribs: 0,
            // Four dot products with the vectors of the matrix.
            instructions: 4,
        },
    ),
];

impl ReservedResources {
    /// Returns the resources of a fog option that takes this number of instructions: its
    /// coordinate, two parameters of state and a temporary for the factor.
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

/// Returns the resources that the options of the program take from its limits; those of the first
/// entry that is enabled.
pub(crate) fn find_reserved(cx: &RuleCx<'_>) -> ReservedResources {
    let enabled = |(feature, _): &&(Features, ReservedResources)| cx.features.contains(*feature);
    let found = RESERVED.iter().find(enabled);
    found.map_or_else(ReservedResources::default, |&(_, reserved)| reserved)
}

/// Reports a program that exceeds the limits of instructions, attributes and results, which are
/// counted over the whole program, less those that options reserve. ARB programs have a limit of
/// attributes instead of components.
pub(crate) fn check_program_limits(cx: &mut RuleCx<'_>, program: &CheckedProgram) {
    let reserved = find_reserved(cx);
    // Options take less than the limit, so this cannot be negative; so in all differences below.
    let limit = limits::INSTRUCTIONS - reserved.instructions;
    // The parser has already reported programs beyond the limit.
    if (limit + 1..=limits::INSTRUCTIONS).contains(&(cx.ast.inst_count as usize)) {
        let message = format!("more than {limit} instructions");
        cx.report_program_error(Code::TooManyInstructions, message);
    }
    if let Some(limit) = cx.traits.max_attributes {
        // ARB programs have a limit of attributes, regardless of the components that are used.
        return check_program_attribs(cx, program, limit - reserved.attribs as usize);
    }
    check_attrib_components(cx, program, limits::ATTRIB_COMPONENTS - reserved.attribs);
    check_result_components(cx, program, limits::RESULT_COMPONENTS);
}

/// Reports attributes of which more components than `limit` are read.
fn check_attrib_components(cx: &mut RuleCx<'_>, program: &CheckedProgram, limit: u32) {
    // Four components for each binding are the most, so that most programs need no count; so for
    // results.
    if 4 * program.attribs.len() as u32 <= limit {
        return;
    }
    let count = program.count_attrib_components();
    if count > limit {
        let message = format!("{count} components of attributes are used; the limit is {limit}");
        cx.report_program_error(Code::TooManyAttribComponents, message);
    }
}

/// Reports a program whose results together have more than `limit` written components, and a
/// geometry program that exceeds [`limits::TOTAL_OUTPUT_COMPONENTS`] if the components are counted
/// once for each vertex that it can emit.
fn check_result_components(cx: &mut RuleCx<'_>, program: &CheckedProgram, limit: u32) {
    let max_written = 4 * program.results.len() as u32;
    let total_limit = limits::TOTAL_OUTPUT_COMPONENTS;
    if max_written <= limit && count_emitted_components(cx, program, max_written) <= total_limit {
        return;
    }
    let count = program.count_result_components();
    // Separate from the limit of results: each emitted vertex is counted again.
    let total = count_emitted_components(cx, program, count);
    if total > total_limit {
        let message = format!("{total} components in all vertices; the limit is {total_limit}");
        cx.report_program_error(Code::TooManyOutputComponents, message);
    }
    if count > limit {
        let message = format!("{count} components of results are written; the limit is {limit}");
        cx.report_program_error(Code::TooManyResultComponents, message);
    }
}

/// The bindings of the previous arrays that have a dynamic index.
#[derive(Default)]
struct RelativeBindings {
    attribs: FxHashSet<(Semantic, AttribOwner)>,
    results: FxHashSet<(Semantic, AttribOwner)>,
    params: FxHashSet<ParamSource>,
}

impl CheckedProgram {
    /// Adds the bindings of a dynamically indexed variable to the set of those of all such
    /// variables. Returns true if one of them was there already; equal constants do not count.
    fn insert_bindings(&self, var: u32, bindings: &mut RelativeBindings) -> bool {
        let info = self.vars[var as usize];
        if let VarKind::Param { first } = info.kind {
            let sources = &self.params[first as usize..];
            let sources = sources.iter().take(info.array_size.unwrap_or(1) as usize);
            // Constants are not bindings of state: equal ones may repeat.
            let states = sources.filter(|source| !matches!(source, ParamSource::Literal(_)));
            // No `any`: it would stop at the first one and leave the others out of the set. A
            // binding that occurs twice in one array breaks the rule, too (section 2.X.3.3).
            return states.fold(false, |is_repeated, it| {
                is_repeated | !bindings.params.insert(*it)
            });
        }
        // Variables that are neither attributes nor results have no semantics.
        let seen_bindings = if matches!(info.kind, VarKind::Attrib { .. }) {
            &mut bindings.attribs
        } else {
            &mut bindings.results
        };
        let count = info.array_size.unwrap_or(1) as usize;
        let mut bindings = self.bindings_from(info.kind).iter().take(count);
        bindings.any(|it| !seen_bindings.insert((it.semantic, it.holder)))
    }
}

/// Reports variables with a dynamic index that repeat a binding of another such array or their own.
/// Bindings that contain the index share one array and are compared once. NV_gpu_program4 section
/// 2.X.3.3.
pub(crate) fn check_overlaps(cx: &mut RuleCx<'_>, program: &CheckedProgram) {
    let mut bindings = RelativeBindings::default();
    let mut rows: Vec<VarKind> = Vec::new();
    for var in 0..program.vars.len() as u32 {
        let info = program.vars[var as usize];
        // Bindings with a separate dynamic index share one array.
        if !info.has_relative_access || info.relative_element.is_some() && rows.contains(&info.kind)
        {
            continue;
        }
        // Recorded only where the binding has the index: an array that a program declares denotes
        // itself.
        rows.extend(info.relative_element.map(|_| info.kind));
        if program.insert_bindings(var, &mut bindings) {
            let text = program.display_var(&cx.ast.names, var);
            let message =
                format!("{text} has a dynamic index, but repeats a binding of such an array");
            cx.report_error(Code::RelativeOverlap, info.span, message);
        }
    }
}

/// Components by binding.
type ComponentMasks = FxHashMap<(Semantic, Direction), u8>;

impl CheckedProgram {
    /// Returns the number of different components of attributes that operands read through their
    /// swizzles, without those of patches. All four components of a swizzle count.
    pub(crate) fn count_attrib_components(&self) -> u32 {
        let reads = self.insts.sources.iter().filter_map(|source| {
            // All four components of the swizzle are counted, even if the instruction uses fewer:
            // section 2.X.3.2 allows that.
            let swizzle = source.suffix.swizzle();
            let mask = (0..4).fold(0, |mask, lane| mask | 1 << swizzle.lane(lane));
            match source.base {
                OperandValue::Var(var) => Some((var, source.index, mask)),
                OperandValue::Scalar(_) | OperandValue::Vector { .. } => None,
            }
        });
        count_components(&self.collect_components(reads))
    }

    /// Returns the number of components of results that write masks enable, without those of
    /// patches.
    pub(crate) fn count_result_components(&self) -> u32 {
        count_components(&self.collect_written_components())
    }

    /// Returns the semantics of the results that instructions write.
    pub(crate) fn written_results(&self) -> FxHashSet<Semantic> {
        let written = self.collect_written_components().into_keys();
        written.map(|(semantic, _)| semantic).collect()
    }

    /// Returns the components of each result that the write masks of instructions enable, reachable
    /// or not.
    fn collect_written_components(&self) -> ComponentMasks {
        let results = self.insts.insts.iter().filter_map(|line| line.dst);
        self.collect_components(results.map(|dst| (dst.var, dst.index, dst.mask.0)))
    }

    /// Returns the mask of components of each binding that accesses use: variable, index and mask.
    /// An access with a dynamic index uses all elements. Variables without bindings are ignored.
    fn collect_components(
        &self,
        accesses: impl Iterator<Item = (u32, Index, u8)>,
    ) -> ComponentMasks {
        // By variable and element first; without an element all of them are accessed, of which
        // there may be many.
        let mut accessed: FxHashMap<(u32, Option<u32>), u8> = FxHashMap::default();
        for (number, index, mask) in accesses {
            let var = &self.vars[number as usize];
            // Variables without bindings, such as temporaries.
            if self.bindings_from(var.kind).is_empty() {
                continue;
            }
            let element = match index {
                // The first index selects a vertex. A second one is ignored, so all elements count.
                _ if var.is_indexed_by_vertex => None,
                Index::None => Some(0),
                Index::Const(element) => Some(element),
                // The element is not known, so all of them count, which the sections above allow.
                Index::Relative(_) | Index::Pair(_) => None,
            };
            *accessed.entry((number, element)).or_default() |= mask;
        }
        let mut components = ComponentMasks::default();
        for ((number, element), mask) in accessed {
            let var = &self.vars[number as usize];
            let (first, count) = match element {
                Some(element) => (element, 1),
                None => (0, var.array_size.unwrap_or(1)),
            };
            let bindings = self.bindings_from(var.kind).iter();
            for binding in bindings.skip(first as usize).take(count as usize) {
                *components.entry(binding.component_key()).or_default() |=
                    mask & binding_components(binding.semantic);
            }
        }
        components
    }
}

/// Returns the number of components that count toward the limit; those of patches and of the number
/// of the invocation are excluded.
fn count_components(components: &ComponentMasks) -> u32 {
    let counted = components
        .iter()
        .filter(|((semantic, _), _)| is_component_counted(*semantic));
    counted.map(|(_, mask)| mask.count_ones()).sum()
}

/// Returns true if components of a binding count toward the limit. Generic attributes of patches
/// have a separate limit, which their numbers cannot exceed; tessellation levels "are not counted"
/// (ARB_tessellation_shader sections 2.X.1.2 and 2.X.3.2); the number of the invocation does not
/// belong to a vertex, and programs of NVIDIA's compiler read it in addition to as many components
/// as the limit allows.
fn is_component_counted(semantic: Semantic) -> bool {
    !matches!(
        semantic,
        Semantic::GenericPatchVarying(_)
            | Semantic::TessLevelOuter(_)
            | Semantic::TessLevelInner(_)
            | Semantic::InvocationId
    )
}

/// Returns the mask of the components that a binding has: x alone for identifiers, counts and other
/// scalars.
fn binding_components(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::FogCoord
            | Semantic::PointSize
            | Semantic::ClipDistance(_)
            | Semantic::FaceSign
            | Semantic::VertexId
            | Semantic::InstanceId
            | Semantic::PrimitiveId
            | Semantic::InputVertexCount
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::SampleId
            | Semantic::SampleMask
    );
    if is_scalar { 0b0001 } else { 0b1111 }
}
