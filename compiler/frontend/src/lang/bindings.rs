//! Bindings of attributes and results. NV_vertex_program4, NV_fragment_program4, NV_gpu_program5
//! and NV_compute_program5 sections 2.X.3.2 and 2.X.3.5.

use crate::lang::limits::LimitedItem;
use crate::lang::options::Features;
use crate::lang::{ArbNeeds, Stages};
use crate::source::{Dialect, Family, Version};
use glasm_ir::types::BaseType;
use glasm_ir::{Semantic, Stage};
use std::collections::HashSet;

/// Number in the brackets of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexRule {
    /// No.
    None,
    /// Yes, below this limit.
    Required(u32),
    /// 0 if missing, below this limit.
    Optional(u32),
}

impl IndexRule {
    /// Returns the number of allowed indices, which begin at 0; 0 if the binding takes no index.
    pub const fn limit(self) -> u32 {
        match self {
            // Bindings without a number still denote one item, which
            // `check::bindings::binding_target::read_index_range` ensures.
            Self::None => 0,
            Self::Required(limit) | Self::Optional(limit) => limit,
        }
    }
}

bitflags::bitflags! {
    /// Properties of a binding.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct BindingFlags: u16 {
        /// Allowed in arrays and ranges.
        const ARRAY = 1;
        /// Takes interpolation modifiers.
        const INTERPOLATED = 2;
        /// Typeless: read with the type it was written with.
        const TYPELESS = 4;
        /// Denotes four values from a number on that is a multiple of four.
        const QUADS = 8;
        /// The number may be a dynamic index in ARB programs with OPTION NV_vertex_program3 or
        /// NV_fragment_program2.
        const RELATIVE = 16;
        /// Every vertex of the primitive or patch has one: a number may follow the first word, or
        /// `in` or `out`.
        const PER_VERTEX = 32;
        /// `in` may follow the first word in tessellation programs: the input patch.
        const IN = 64;
        /// `out` may follow the first word in tessellation control programs: the output patch.
        const OUT = 128;
    }
}

/// An attribute or result binding.
#[derive(Clone, Copy, Debug)]
pub struct BindingInfo {
    /// Words between points; `[]` marks the position of the number.
    pub path: &'static str,
    /// Program types.
    pub stages: Stages,
    /// First version of the family with types; 1.0 if that family does not have it.
    pub since: Version,
    /// Features that it needs in ARB programs.
    pub arb: ArbNeeds,
    /// Number in brackets.
    pub number: IndexRule,
    /// Kind of the numbered items, if GL limits their number.
    pub numbered: Option<LimitedItem>,
    /// Semantic for a number.
    pub semantic: fn(u8) -> Semantic,
    /// Type of the components.
    pub base: BaseType,
    /// Properties.
    pub flags: BindingFlags,
    /// Features that options must have enabled in programs of the family with types.
    pub required_features: Features,
}

macro_rules! number {
    () => {
        $crate::lang::bindings::IndexRule::None
    };
    ([$limit:literal $($numbered:ident)?]) => {
        $crate::lang::bindings::IndexRule::Required($limit)
    };
    ([? $limit:literal $($numbered:ident)?]) => {
        $crate::lang::bindings::IndexRule::Optional($limit)
    };
}
pub(crate) use number;
/// Expands to the kind of items that the number of an entry selects, if GL limits it.
macro_rules! numbered {
    ([$(?)? $limit:literal $numbered:ident]) => {
        Some($crate::lang::limits::LimitedItem::$numbered)
    };
    ($($other:tt)*) => {
        None
    };
}
pub(crate) use numbered;
macro_rules! arb_needs {
    () => {
        None
    };
    ([$($required:ident)*]) => {
        Some(Features::empty()$(.union(Features::$required))*)
    };
}

macro_rules! bindings {
    ($table:ident: $($path:literal $stages:ident $since:ident $number:tt $base:ident ($($mark:ident)*) $semantic:expr
        $(, $option:ident)? $(=> [$($required:ident)*])?;)*) => {
        /// Bindings; the first entry that matches is used.
        pub static $table: &[BindingInfo] = &[$(BindingInfo {
            path: $path,
            stages: Stages::$stages,
            since: Version::$since,
            number: number! $number,
            numbered: numbered! $number,
            semantic: $semantic,
            base: BaseType::$base,
            flags: BindingFlags::empty()$(.union(BindingFlags::$mark))*,
            required_features: Features::empty()$(.union(Features::$option))?,
            arb: arb_needs!($([$($required)*])?),
        },)*];
    };
}

impl BindingInfo {
    /// Returns true if any language of a family has the binding. Always false for the languages
    /// with numbered registers and TGSI, whose tables are separate.
    pub fn is_known_in(&self, family: Family) -> bool {
        match family {
            Family::Typed => self.since > Version::V1_0,
            Family::Arb => self.arb.is_some(),
            // Their registers are in separate tables: `lang::register`, `tgsi::semantics`.
            Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => false,
        }
    }

    /// Returns the features that options must have enabled in programs of a family that has the
    /// binding; empty if the family does not have it.
    pub fn required_features(&self, family: Family) -> Features {
        match family {
            Family::Typed => self.required_features,
            Family::Arb | Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => {
                self.arb.unwrap_or_default()
            }
        }
    }

    /// Returns true if a vertex attribute has a conventional binding such as `vertex.normal`, which
    /// shares its slot with the generic one, `vertex.attrib[n]`; a program may use one kind per
    /// slot. NV_vertex_program4 section 2.X.3.2.
    pub fn is_conventional(&self) -> bool {
        // `vertex.attrib[n]` is the only generic binding of vertices, and the only one without a
        // type.
        !self.flags.contains(BindingFlags::TYPELESS)
    }

    /// Returns the forms of the first word of the path, for users: with `.in` or `.out` for the
    /// patch that a binding belongs to, and with `[]` for the number of a vertex.
    pub fn list_first_words(&self) -> Vec<String> {
        let first = self.path.split('.').next().unwrap_or(self.path);
        let sides = [
            // Without `in` or `out` the path denotes the input patch: NV_tessellation_program5
            // section 2.X.3.2.
            ("", BindingFlags::empty()),
            (".in", BindingFlags::IN),
            (".out", BindingFlags::OUT),
        ];
        let prefixes = sides
            .iter()
            .filter(|(_, needs)| self.flags.contains(*needs));
        let is_of_vertex = self.flags.contains(BindingFlags::PER_VERTEX);
        let numbers: &[&str] = if is_of_vertex { &["", "[]"] } else { &[""] };
        prefixes
            .flat_map(|(side, _)| {
                numbers
                    .iter()
                    .map(move |number| format!("{first}{side}{number}"))
            })
            .collect()
    }

    /// Returns true if only later versions of a language have the binding.
    pub fn is_newer_than(&self, dialect: Dialect) -> bool {
        dialect.family() == Family::Typed && self.since > dialect.version()
    }
}

bindings! { ATTRIBS:
    // Columns: path, program types, version, (number), type, (properties), semantic, needs => needs
    // in ARB programs.
    //
    // The numbers of attributes are those of the generic ones that share their slots:
    // NV_vertex_program4 section 2.X.3.2, the table of invalid pairs; weights, slot 1, are in that
    // of ARB_vertex_program section 2.14.3.1.
    "vertex.position" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(0) => [];
    "vertex.normal" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(2) => [];
    "vertex.color.primary" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(3) => [];
    "vertex.color.secondary" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(4) => [];
    "vertex.color" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(3) => [];
    "vertex.fogcoord" VERTEX V4_0 () Float () |_| Semantic::VertexAttribute(5) => [];
    "vertex.texcoord[]" VERTEX V4_0 ([? 8 TextureCoordinates]) Float (ARRAY RELATIVE) |n| Semantic::VertexAttribute(8 + n) => [];
    "vertex.attrib[]" VERTEX V4_0 ([16 GenericAttributes]) Float (ARRAY TYPELESS RELATIVE) Semantic::VertexAttribute => [];
    // Only weights 0 to 3 share a slot, so all later ones, and indices of matrices, have numbers
    // beyond the slots. NV_vertex_program4 leaves both bindings out.
    "vertex.weight[]" VERTEX V1_0 ([? 16 VertexUnits]) Float (QUADS) |n| Semantic::VertexAttribute(if n == 0 { 1 } else { 15 + n / 4 }) => [];
    "vertex.matrixindex[]" VERTEX V1_0 ([16 VertexUnits]) Float (QUADS) |n| Semantic::VertexAttribute(20 + n / 4) => [];
    // Integers: "vertex identifier (integer)".
    "vertex.id" VERTEX V4_0 () SignedInt () |_| Semantic::VertexId;
    "vertex.instance" VERTEX V4_0 () SignedInt () |_| Semantic::InstanceId;
    "vertex.baseInstance" VERTEX V5_0 () SignedInt () |_| Semantic::BaseInstance;
    "vertex.baseVertex" VERTEX V5_0 () SignedInt () |_| Semantic::BaseVertex;
    "vertex.draw.id" VERTEX V5_0 () SignedInt () |_| Semantic::DrawId;
    // Outputs of the previous stage. NV_geometry_program4 and NV_tessellation_program5 section
    // 2.X.3.2.
    "vertex.position" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Position;
    "vertex.color.front.primary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(0);
    "vertex.color.front.secondary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(1);
    "vertex.color.front" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(0);
    "vertex.color.back.primary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::BackColor(0);
    "vertex.color.back.secondary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::BackColor(1);
    "vertex.color.back" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::BackColor(0);
    "vertex.color.primary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(0);
    "vertex.color.secondary" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(1);
    "vertex.color" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::Color(0);
    "vertex.fogcoord" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::FogCoord;
    "vertex.pointsize" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::PointSize;
    "vertex.texcoord[]" PRIMITIVES V4_0 ([? 8 TextureCoordinates]) Float (ARRAY PER_VERTEX IN OUT) Semantic::TexCoord;
    "vertex.attrib[]" PRIMITIVES V4_0 ([32 GenericAttributes]) Float (ARRAY TYPELESS PER_VERTEX IN OUT) Semantic::GenericVarying;
    "vertex.clip[]" PRIMITIVES V4_0 ([8 ClipPlanes]) Float (ARRAY PER_VERTEX IN OUT) Semantic::ClipDistance;
    "vertex.id" PRIMITIVES V4_0 () SignedInt (PER_VERTEX IN OUT) |_| Semantic::VertexId;
    "vertex.secondaryposition" PRIMITIVES V4_0 () Float (PER_VERTEX IN OUT) |_| Semantic::SecondaryPosition, STEREO_VIEWS;
    // Attribute of the generated vertex, so no number selects it.
    "vertex.tesscoord" TESS_EVAL V5_0 () Float () |_| Semantic::TessCoord;
    // Position, facing, fog coordinate and clip distances take no interpolation modifiers:
    // NV_fragment_program4 section 2.X.3.1.
    "fragment.color.primary" FRAGMENT V4_0 () Float (INTERPOLATED) |_| Semantic::Color(0) => [];
    "fragment.color.secondary" FRAGMENT V4_0 () Float (INTERPOLATED) |_| Semantic::Color(1) => [];
    "fragment.color" FRAGMENT V4_0 () Float (INTERPOLATED) |_| Semantic::Color(0) => [];
    "fragment.texcoord[]" FRAGMENT V4_0 ([? 8 TextureCoordinates]) Float (ARRAY INTERPOLATED RELATIVE) Semantic::TexCoord => [];
    "fragment.attrib[]" FRAGMENT V4_0 ([32 GenericAttributes]) Float (ARRAY INTERPOLATED TYPELESS) Semantic::GenericVarying;
    "fragment.clip[]" FRAGMENT V4_0 ([8 ClipPlanes]) Float (ARRAY) Semantic::ClipDistance;
    "fragment.fogcoord" FRAGMENT V4_0 () Float () |_| Semantic::FogCoord => [];
    "fragment.position" FRAGMENT V4_0 () Float () |_| Semantic::Position => [];
    "fragment.facing" FRAGMENT V4_0 () Float () |_| Semantic::FaceSign => [NV_FRAGMENT_2];
    "fragment.pointcoord" FRAGMENT V5_0 () Float () |_| Semantic::PointCoord;
    "fragment.sampleid" FRAGMENT V4_1 () SignedInt () |_| Semantic::SampleId;
    "fragment.samplemask" FRAGMENT V5_0 () SignedInt () |_| Semantic::SampleMask;
    // A word of 32 samples by its number, of which there is one.
    "fragment.samplemask[]" FRAGMENT V5_0 ([1]) SignedInt () |_| Semantic::SampleMask;
    "fragment.helperthread" FRAGMENT V5_0 () SignedInt () |_| Semantic::HelperInvocation, THREAD_GROUP;
    // In 4.0, too: OPTION ARB_fragment_layer_viewport adds them, regardless of the version.
    "fragment.layer" FRAGMENT V4_0 () SignedInt () |_| Semantic::Layer, FRAGMENT_LAYER;
    "fragment.viewport" FRAGMENT V4_0 () SignedInt () |_| Semantic::ViewportIndex, FRAGMENT_LAYER;
    "fragment.fullycovered" FRAGMENT V4_0 () SignedInt () |_| Semantic::FullyCovered, FULLY_COVERED;
    // FLAT alone is allowed of its modifiers, see `add_attrib_binding`.
    "primitive.id" FRAGMENT V4_0 () SignedInt (INTERPOLATED) |_| Semantic::PrimitiveId;
    "primitive.id" PRIMITIVES V4_0 () SignedInt (IN OUT) |_| Semantic::PrimitiveId;
    "primitive.invocation" INVOKED V5_0 () SignedInt (IN OUT) |_| Semantic::InvocationId;
    "primitive.vertexcount" PRIMITIVES V5_0 () SignedInt (IN) |_| Semantic::InputVertexCount;
    // In geometry programs these need PRIMITIVE_IN PATCHES: NV_gpu_program5 section 2.X.3.2.
    "primitive.tessouter[]" PRIMITIVES V5_0 ([4]) Float (ARRAY IN OUT) Semantic::TessLevelOuter;
    "primitive.tessinner[]" PRIMITIVES V5_0 ([2]) Float (ARRAY IN OUT) Semantic::TessLevelInner;
    "primitive.patch.attrib[]" PRIMITIVES V5_0 ([30 PatchAttributes]) Float (ARRAY TYPELESS IN OUT) Semantic::GenericPatchVarying;
    "invocation.localid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::LocalInvocationId;
    "invocation.globalid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::GlobalInvocationId;
    "invocation.groupid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::WorkgroupId;
    "invocation.groupcount" COMPUTE V5_0 () UnsignedInt () |_| Semantic::WorkgroupCount;
    "invocation.groupsize" COMPUTE V5_0 () UnsignedInt () |_| Semantic::WorkgroupSize;
    "invocation.localindex" COMPUTE V5_0 () UnsignedInt () |_| Semantic::LocalInvocationIndex;
    // NV_shader_thread_group names the same values after the first word of the attributes of each
    // stage.
    "vertex.threadid" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadId, THREAD_GROUP;
    "vertex.threadeqmask" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadEqMask, THREAD_GROUP;
    "vertex.threadltmask" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadLtMask, THREAD_GROUP;
    "vertex.threadlemask" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadLeMask, THREAD_GROUP;
    "vertex.threadgtmask" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadGtMask, THREAD_GROUP;
    "vertex.threadgemask" VERTEX V5_0 () UnsignedInt () |_| Semantic::ThreadGeMask, THREAD_GROUP;
    "vertex.warpid" VERTEX V5_0 () UnsignedInt () |_| Semantic::WarpId, THREAD_GROUP;
    "vertex.smid" VERTEX V5_0 () UnsignedInt () |_| Semantic::SmId, THREAD_GROUP;
    "fragment.threadid" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadId, THREAD_GROUP;
    "fragment.threadeqmask" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadEqMask, THREAD_GROUP;
    "fragment.threadltmask" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadLtMask, THREAD_GROUP;
    "fragment.threadlemask" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadLeMask, THREAD_GROUP;
    "fragment.threadgtmask" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadGtMask, THREAD_GROUP;
    "fragment.threadgemask" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::ThreadGeMask, THREAD_GROUP;
    "fragment.warpid" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::WarpId, THREAD_GROUP;
    "fragment.smid" FRAGMENT V5_0 () UnsignedInt () |_| Semantic::SmId, THREAD_GROUP;
    "primitive.threadid" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadId, THREAD_GROUP;
    "primitive.threadeqmask" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadEqMask, THREAD_GROUP;
    "primitive.threadltmask" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadLtMask, THREAD_GROUP;
    "primitive.threadlemask" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadLeMask, THREAD_GROUP;
    "primitive.threadgtmask" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadGtMask, THREAD_GROUP;
    "primitive.threadgemask" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::ThreadGeMask, THREAD_GROUP;
    "primitive.warpid" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::WarpId, THREAD_GROUP;
    "primitive.smid" PRIMITIVES V5_0 () UnsignedInt () |_| Semantic::SmId, THREAD_GROUP;
    "invocation.threadid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadId, THREAD_GROUP;
    "invocation.threadeqmask" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadEqMask, THREAD_GROUP;
    "invocation.threadltmask" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadLtMask, THREAD_GROUP;
    "invocation.threadlemask" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadLeMask, THREAD_GROUP;
    "invocation.threadgtmask" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadGtMask, THREAD_GROUP;
    "invocation.threadgemask" COMPUTE V5_0 () UnsignedInt () |_| Semantic::ThreadGeMask, THREAD_GROUP;
    "invocation.warpid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::WarpId, THREAD_GROUP;
    "invocation.smid" COMPUTE V5_0 () UnsignedInt () |_| Semantic::SmId, THREAD_GROUP;
}

bindings! { RESULTS:
    "result.position" VERTICES V4_0 () Float () |_| Semantic::Position => [];
    // Colors without a face are those of front faces, colors without a second word primary ones:
    // NV_vertex_program4 section 2.X.3.5.
    "result.color.front.primary" VERTICES V4_0 () Float () |_| Semantic::Color(0) => [];
    "result.color.front.secondary" VERTICES V4_0 () Float () |_| Semantic::Color(1) => [];
    "result.color.front" VERTICES V4_0 () Float () |_| Semantic::Color(0) => [];
    "result.color.back.primary" VERTICES V4_0 () Float () |_| Semantic::BackColor(0) => [];
    "result.color.back.secondary" VERTICES V4_0 () Float () |_| Semantic::BackColor(1) => [];
    "result.color.back" VERTICES V4_0 () Float () |_| Semantic::BackColor(0) => [];
    "result.color.primary" VERTICES V4_0 () Float () |_| Semantic::Color(0) => [];
    "result.color.secondary" VERTICES V4_0 () Float () |_| Semantic::Color(1) => [];
    "result.color" VERTICES V4_0 () Float () |_| Semantic::Color(0) => [];
    "result.fogcoord" VERTICES V4_0 () Float () |_| Semantic::FogCoord => [];
    "result.pointsize" VERTICES V4_0 () Float () |_| Semantic::PointSize => [];
    "result.texcoord[]" VERTICES V4_0 ([? 8 TextureCoordinates]) Float (ARRAY RELATIVE) Semantic::TexCoord => [];
    "result.attrib[]" VERTICES V4_0 ([32 GenericResults]) Float (ARRAY TYPELESS) Semantic::GenericVarying;
    // Clip distances of ARB programs were added by NV_vertex_program2_option section 2.14.3.4.
    "result.clip[]" VERTICES V4_0 ([8 ClipPlanes]) Float (ARRAY) Semantic::ClipDistance => [NV_VERTEX_2];
    "result.id" BEFORE_GEOMETRY V4_0 () SignedInt () |_| Semantic::VertexId;
    "result.primid" GEOMETRY V4_0 () SignedInt () |_| Semantic::PrimitiveId;
    "result.layer" GEOMETRY V4_0 () SignedInt () |_| Semantic::Layer;
    // A separate entry: geometry programs always have the binding, earlier stages need an option.
    "result.layer" BEFORE_GEOMETRY V4_0 () SignedInt () |_| Semantic::Layer, VIEWPORT_ARRAY2;
    "result.viewport" VERTICES V4_0 () SignedInt () |_| Semantic::ViewportIndex, VIEWPORT_ARRAY;
    "result.patch.tessouter[]" TESS_CONTROL V5_0 ([4]) Float (ARRAY) Semantic::TessLevelOuter;
    "result.patch.tessinner[]" TESS_CONTROL V5_0 ([2]) Float (ARRAY) Semantic::TessLevelInner;
    "result.patch.attrib[]" TESS_CONTROL V5_0 ([30 PatchAttributes]) Float (ARRAY TYPELESS) Semantic::GenericPatchVarying;
    // NV_viewport_array2 prints brackets in its table and none elsewhere, so both are accepted.
    "result.viewportmask[]" VERTICES V4_0 ([? 1]) SignedInt () |_| Semantic::ViewportMask, VIEWPORT_ARRAY2;
    "result.secondaryposition" VERTICES V4_0 () Float () |_| Semantic::SecondaryPosition, STEREO_VIEWS;
    "result.secondaryviewportmask[]" VERTICES V4_0 ([? 1]) SignedInt () |_| Semantic::SecondaryViewportMask, STEREO_VIEWS;
    // NV_gpu_program5 section 2.X.3.5: unavailable without OPTION ARB_blend_func_extended.
    "result.color.primary" FRAGMENT V5_0 () Float (TYPELESS) |_| Semantic::FragColor { buffer: 0, index: 0 }, DUAL_SOURCE;
    "result.color.secondary" FRAGMENT V5_0 () Float (TYPELESS) |_| Semantic::FragColor { buffer: 0, index: 1 }, DUAL_SOURCE;
    "result.color" FRAGMENT V4_0 () Float (TYPELESS) |_| Semantic::FragColor { buffer: 0, index: 0 } => [];
    "result.color[].primary" FRAGMENT V5_0 ([8 DrawBuffers]) Float (TYPELESS) |n| Semantic::FragColor { buffer: n, index: 0 }, DUAL_SOURCE;
    "result.color[].secondary" FRAGMENT V5_0 ([8 DrawBuffers]) Float (TYPELESS) |n| Semantic::FragColor { buffer: n, index: 1 }, DUAL_SOURCE;
    // The limit is that of GL's draw buffers.
    "result.color[]" FRAGMENT V4_0 ([8 DrawBuffers]) Float (TYPELESS) |n| Semantic::FragColor { buffer: n, index: 0 }, DRAW_BUFFERS => [DRAW_BUFFERS];
    // The depth is in z. ARB_fragment_program section 3.11.3.4.
    "result.depth" FRAGMENT V4_0 () Float () |_| Semantic::FragDepth => [];
    "result.samplemask" FRAGMENT V4_1 () SignedInt () |_| Semantic::SampleMask;
    "result.samplemask[]" FRAGMENT V4_1 ([1]) SignedInt () |_| Semantic::SampleMask;
}

/// Returns the number of different attributes that programs of a type can bind in all languages
/// together; not for vertex programs: their attributes share slots, which are limited. No program
/// of the type exceeds it, so it can be the value of `MAX_PROGRAM_ATTRIBS_ARB`
/// (ARB_fragment_program section 3.11.3.6).
pub fn count_distinct_attributes(stage: Stage) -> u32 {
    let mut attributes = HashSet::new();
    for row in ATTRIBS
        .iter()
        .filter(|row| row.stages.contains_stage(stage))
    {
        // An input patch and the patch that a program generates have separate attributes.
        let has_two_patches = stage == Stage::TessControl && row.flags.contains(BindingFlags::OUT);
        for number in 0..row.number.limit().max(1) {
            let semantic = (row.semantic)(number as u8);
            attributes.insert((semantic, false));
            if has_two_patches {
                attributes.insert((semantic, true));
            }
        }
    }
    attributes.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_marks_agree() {
        for info in ATTRIBS.iter().chain(RESULTS) {
            assert_eq!(
                info.path.contains("[]"),
                info.number != IndexRule::None,
                "{}",
                info.path
            );
        }
    }

    #[test]
    fn longer_paths_come_before_their_prefixes() {
        for table in [ATTRIBS, RESULTS] {
            for (index, info) in table.iter().enumerate() {
                let shadowed = table[..index].iter().find(|earlier| {
                    earlier.stages.intersects(info.stages)
                        && info
                            .path
                            .strip_prefix(earlier.path)
                            .is_some_and(|rest| rest.starts_with('.'))
                });
                assert!(
                    shadowed.is_none(),
                    "{} hides {}",
                    shadowed.map_or("", |row| row.path),
                    info.path
                );
            }
        }
    }
}
