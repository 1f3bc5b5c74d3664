//! Components of attributes and results that a program uses. NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5.

use super::Checked;
use crate::ast::Index;
use crate::line::Value;
use crate::vars::Side;
use glasm_ir::Semantic;
use rustc_hash::{FxHashMap, FxHashSet};

/// Components by binding.
type Masks = FxHashMap<(Semantic, Side), u8>;

impl Checked<'_> {
    /// The components of attributes that operands read through their swizzles, but those of patches.
    pub(super) fn attrib_components(&self) -> u32 {
        let mut components = Masks::default();
        for source in &self.lines.sources {
            // All four components of the swizzle count, whatever the instruction uses of them: section 2.X.3.2 allows that.
            let swizzle = source.suffix.swizzle();
            let mask = (0..4).fold(0, |mask, lane| mask | 1 << swizzle.lane(lane));
            // Operands that are constants have no binding, and other variables none that counts.
            if let Value::Var(var) = source.base {
                self.add(var, source.index, mask, &mut components);
            }
        }
        count(&components)
    }

    /// The components of results that write masks enable, but those of patches.
    pub(super) fn result_components(&self) -> u32 {
        count(&self.written())
    }

    /// The results that instructions write.
    pub(super) fn written_results(&self) -> FxHashSet<Semantic> {
        let written = self.written().into_keys();
        written.map(|(semantic, _)| semantic).collect()
    }

    /// The components of each result that write masks enable.
    fn written(&self) -> Masks {
        let mut components = Masks::default();
        for dst in self.lines.list.iter().filter_map(|line| line.dst) {
            self.add(dst.var, dst.index, dst.mask.0, &mut components);
        }
        components
    }

    /// Adds components of the bindings that a variable stands for: one, or all of an array with run-time index.
    fn add(&self, var: u32, index: Index, mask: u8, components: &mut Masks) {
        let var = &self.vars[var as usize];
        let bindings = self.bindings_of(var.kind);
        let elements = match index {
            // The first index selects a vertex. A second one is not looked for, so all elements count.
            _ if var.by_vertex => 0..var.array.unwrap_or(1),
            Index::None => 0..1,
            // The number may be the largest one: errors do not end the checks.
            Index::Const(element) => element..element.saturating_add(1),
            // The element is not known, so all of them count, which the sections above allow.
            Index::Relative(_) | Index::Pair(_) => 0..var.array.unwrap_or(1),
        };
        for element in elements {
            // Variables without bindings, such as temporaries.
            let Some(binding) = bindings.get(element as usize) else {
                return;
            };
            *components.entry(binding.counted()).or_default() |= mask & lanes(binding.semantic);
        }
    }
}

/// Returns the number of components, but those of patches.
fn count(components: &Masks) -> u32 {
    let counted = components
        .iter()
        .filter(|((semantic, _), _)| is_counted(*semantic));
    counted.map(|(_, mask)| mask.count_ones()).sum()
}

/// Decides whether components of a binding count. Generic attributes of patches have a separate
/// limit, which their numbers cannot exceed; tessellation levels "are not counted"
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

/// The components that a binding has: identifiers and counts are in x alone.
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
