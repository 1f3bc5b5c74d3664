//! Components of attributes and results that a program uses. NV_gpu_program4 sections 2.X.3.2 and
//! 2.X.3.5.

use crate::ast::Index;
use crate::check::program::checked::Checked;
use crate::line::Value;
use crate::vars::Side;
use glasm_ir::Semantic;
use rustc_hash::{FxHashMap, FxHashSet};

/// Components by binding.
type Masks = FxHashMap<(Semantic, Side), u8>;

impl Checked {
    /// Returns the number of components of attributes that operands read through their swizzles,
    /// without those of patches.
    pub(crate) fn attrib_components(&self) -> u32 {
        let reads = self.lines.sources.iter().filter_map(|source| {
            // All four components of the swizzle are counted, even if the instruction uses fewer:
            // section 2.X.3.2 allows that.
            let swizzle = source.suffix.swizzle();
            let mask = (0..4).fold(0, |mask, lane| mask | 1 << swizzle.lane(lane));
            match source.base {
                Value::Var(var) => Some((var, source.index, mask)),
                Value::Scalar(_) | Value::Vector { .. } => None,
            }
        });
        count(&self.collect_components(reads))
    }

    /// Returns the number of components of results that write masks enable, without those of
    /// patches.
    pub(crate) fn result_components(&self) -> u32 {
        count(&self.written())
    }

    /// Returns the results that instructions write.
    pub(crate) fn written_results(&self) -> FxHashSet<Semantic> {
        let written = self.written().into_keys();
        written.map(|(semantic, _)| semantic).collect()
    }

    /// Returns the components of each result that write masks enable.
    fn written(&self) -> Masks {
        let results = self.lines.list.iter().filter_map(|line| line.dst);
        self.collect_components(results.map(|dst| (dst.var, dst.index, dst.mask.0)))
    }

    /// Returns the components of bindings that accesses of variables use, each with its index and
    /// mask.
    fn collect_components(&self, accesses: impl Iterator<Item = (u32, Index, u8)>) -> Masks {
        // By variable and element first; without an element all of them are accessed, of which
        // there may be many.
        let mut accessed: FxHashMap<(u32, Option<u32>), u8> = FxHashMap::default();
        for (number, index, mask) in accesses {
            let var = &self.vars[number as usize];
            // Variables without bindings, such as temporaries.
            if self.bindings_of(var.kind).is_empty() {
                continue;
            }
            let element = match index {
                // The first index selects a vertex. A second one is ignored, so all elements count.
                _ if var.by_vertex => None,
                Index::None => Some(0),
                Index::Const(element) => Some(element),
                // The element is not known, so all of them count, which the sections above allow.
                Index::Relative(_) | Index::Pair(_) => None,
            };
            *accessed.entry((number, element)).or_default() |= mask;
        }
        let mut components = Masks::default();
        for ((number, element), mask) in accessed {
            let var = &self.vars[number as usize];
            let (first, count) = match element {
                Some(element) => (element, 1),
                None => (0, var.array.unwrap_or(1)),
            };
            let bindings = self.bindings_of(var.kind).iter();
            for binding in bindings.skip(first as usize).take(count as usize) {
                *components.entry(binding.counted()).or_default() |= mask & lanes(binding.semantic);
            }
        }
        components
    }
}

/// Returns the number of components, without those of patches.
fn count(components: &Masks) -> u32 {
    let counted = components
        .iter()
        .filter(|((semantic, _), _)| is_counted(*semantic));
    counted.map(|(_, mask)| mask.count_ones()).sum()
}

/// Returns true if components of a binding are counted. Generic attributes of patches have a
/// separate limit, which their numbers cannot exceed; tessellation levels "are not counted"
/// (ARB_tessellation_shader sections 2.X.1.2 and 2.X.3.2); the number of the invocation does not
/// belong to a vertex, and programs of NVIDIA's compiler read it in addition to as many components
/// as the limit allows.
fn is_counted(semantic: Semantic) -> bool {
    !matches!(
        semantic,
        Semantic::PatchGeneric(_)
            | Semantic::TessOuter(_)
            | Semantic::TessInner(_)
            | Semantic::InvocationId
    )
}

/// Returns the components that a binding has: identifiers and counts are in x alone.
fn lanes(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::FogCoord
            | Semantic::PointSize
            | Semantic::ClipDistance(_)
            | Semantic::Facing
            | Semantic::VertexId
            | Semantic::InstanceId
            | Semantic::PrimitiveId
            | Semantic::VertexCount
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::SampleId
            | Semantic::SampleMask
    );
    if is_scalar { 0b0001 } else { 0b1111 }
}
