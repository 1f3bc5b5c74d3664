//! Program options, and declarations of the inputs and outputs of a program as a whole.
//!
//! Options: NV_gpu_program4 section 2.X.6, ARB_vertex_program section 2.14.4.5,
//! ARB_fragment_program section 3.11.4.5, and the option sections of the stage and feature
//! extensions. Declarations: NV_geometry_program4, NV_tessellation_program5 and NV_gpu_program5
//! section 2.X.7.Y, NV_geometry_shader_passthrough section 2.X.7.Y.

use crate::keyword_table::KeywordTable;
use crate::lang::Stages;
use crate::source::{Acceptance, Dialect, Family, Version};
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};
use glasm_ir::program::{Interlock, Modes};
use std::sync::OnceLock;

bitflags::bitflags! {
    /// Features that options enable.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Features: u64 {
        /// Position is computed by the GL.
        const POSITION_INVARIANT = 1;
        /// `result.color[n]`.
        const DRAW_BUFFERS = 1 << 1;
        /// `result.color[n].primary` and `.secondary`.
        const DUAL_SOURCE = 1 << 2;
        /// Depth and stencil tests run before the program.
        const EARLY_TESTS = 1 << 5;
        /// Multisample targets and TXFMS.
        const MULTISAMPLE = 1 << 6;
        /// Small and half-float storage modifiers.
        const MEM_EXTENDED = 1 << 7;
        /// Float atomics.
        const ATOMIC_FLOAT = 1 << 8;
        /// 64-bit integer atomics of every kind.
        const ATOMIC_INT64 = 1 << 9;
        /// CBUFFER and LDC before 5.0.
        const CBUFFER = 1 << 10;
        /// LOAD before 5.0.
        const BUFFER_LOAD = 1 << 11;
        /// `fragment.layer` and `fragment.viewport`.
        const FRAGMENT_LAYER = 1 << 12;
        /// `result.viewportmask`, and `result.layer` outside geometry programs.
        const VIEWPORT_ARRAY2 = 1 << 13;
        /// `result.viewport`.
        const VIEWPORT_ARRAY = 1 << 19;
        /// PASSTHROUGH.
        const PASSTHROUGH = 1 << 20;
        /// DDX and DDY with FINE or COARSE.
        const DERIVATIVE_CONTROL = 1 << 14;
        /// Double atomics.
        const ATOMIC_FLOAT64 = 1 << 15;
        /// STORAGE, LDB, STB and ATOMB.
        const STORAGE_BUFFER = 1 << 16;
        /// COUNTER and ATOMCTR.
        const ATOMIC_COUNTERS = 1 << 17;
        /// Atomics on vectors of half floats.
        const ATOMIC_FP16_VECTOR = 1 << 18;
        /// LOADIM with conversion.
        const IMAGE_LOAD_FORMATTED = 1 << 26;
        /// The size of work groups is specified when the program runs.
        const VARIABLE_GROUP_SIZE = 1 << 40;
        /// IMQ.
        const IMAGE_SIZE = 1 << 27;
        /// IMQS and TXQS.
        const IMAGE_SAMPLES = 1 << 28;
        /// Fog by a power of e.
        const FOG_EXP = 1 << 29;
        /// Fog by a power of e with a squared exponent.
        const FOG_EXP2 = 1 << 30;
        /// Fog by a linear function.
        const FOG_LINEAR = 1 << 31;
        /// `fragment.fullycovered`.
        const FULLY_COVERED = 1 << 56;
        /// Results of the second view.
        const STEREO_VIEWS = 1 << 58;
        /// FSIB and FSIE.
        const INTERLOCK = 1 << 33;
        /// Fog of any kind.
        const FOG = Self::FOG_EXP.bits() | Self::FOG_EXP2.bits() | Self::FOG_LINEAR.bits();
        /// `handle(v.c)` instead of textures and images.
        const BINDLESS_TEXTURE = 1 << 41;
        /// Bindings of thread groups, TGBALLOT and QSWZ.
        const THREAD_GROUP = 1 << 24;
        /// SHFIDX, SHFUP, SHFDOWN, SHFXOR.
        const THREAD_SHUFFLE = 1 << 25;
        /// SHADOW targets, which the family with types has without an option.
        const SHADOW = 1 << 48;
        /// ARRAY targets in ARB programs.
        const TEXTURE_ARRAY = 1 << 49;
        /// NV_vertex_program2 in ARB programs, also as part of NV_vertex_program3.
        const NV_VERTEX_2 = 1 << 50;
        /// NV_vertex_program3 in ARB programs.
        const NV_VERTEX_3 = 1 << 51;
        /// NV_fragment_program in ARB programs, also as part of NV_fragment_program2.
        const NV_FRAGMENT = 1 << 52;
        /// NV_fragment_program2 in ARB programs.
        const NV_FRAGMENT_2 = 1 << 53;
        /// STACK targets in ARB programs.
        const TEXTURE_STACK = 1 << 54;
        /// Any of the instruction sets that NV options add to ARB programs.
        const NV_OPTIONS = Self::NV_VERTEX_2.bits() | Self::NV_FRAGMENT.bits();
    }
}

impl Features {
    /// Returns the name of the first option that enables all of these features, or else of the
    /// first one that enables some; empty if none does.
    pub fn first_option(self) -> &'static str {
        // One option that enables all features is preferred over several.
        let all = OPTIONS.iter().find(|row| row.enables.contains(self));
        all.or_else(|| OPTIONS.iter().find(|row| row.enables.intersects(self)))
            .map_or("", |row| row.name)
    }
}

/// Options of one group exclude each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OptionGroup {
    /// Compatible with all others.
    None,
    /// Fog options.
    Fog,
    /// Precision hints.
    Hint,
    /// Interlock options.
    Interlock,
}

/// Requirement of an option on the other options of a program.
#[derive(Clone, Copy, Debug)]
pub struct Dependency {
    /// Features that they must enable.
    pub features: Features,
    /// Program types in which the requirement applies.
    pub stages: Stages,
    /// Message if they do not.
    pub message: &'static str,
}

/// An entry of the option table.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Name.
    pub name: &'static str,
    /// Program types of the family with types that have it.
    pub stages: Stages,
    /// First version of that family that has it.
    pub since: Version,
    /// ARB programs that know it.
    pub arb: Stages,
    /// Programs of the register languages that have it, if they have options at all.
    pub register: Stages,
    /// Features that it enables.
    pub enables: Features,
    /// Options that it excludes.
    pub group: OptionGroup,
    /// Sets its mode of the program as a whole.
    pub mode: fn(&mut Modes),
    /// Requirement on other options.
    pub requires: Option<Dependency>,
    /// Human-readable purpose, one line.
    pub description: &'static str,
}

macro_rules! options {
    ($($name:literal $stages:ident $since:ident $group:ident [$($feature:ident)*] $(($mode:ident = $value:expr))?
       $(arb $arb:ident)? $(register $register:ident)? $description:literal $(requires $other:ident in $dependent:ident $message:literal)?;)*) => {
        /// All options.
        pub static OPTIONS: &[OptionInfo] = &[$(OptionInfo {
            name: $name,
            stages: Stages::$stages,
            since: Version::$since,
            arb: Stages::NONE$(.union(Stages::$arb))?,
            register: Stages::NONE$(.union(Stages::$register))?,
            enables: Features::empty()$(.union(Features::$feature))*,
            group: OptionGroup::$group,
            mode: options!(@mode $($mode $value)?),
            requires: options!(@requires $($other $dependent $message)?),
            description: $description,
        },)*];
    };
    (@mode) => { |_| {} };
    (@mode $mode:ident $value:expr) => { |modes| modes.$mode = $value };
    (@requires) => { None };
    (@requires $other:ident $dependent:ident $message:literal) => {
        Some(Dependency { features: Features::$other, stages: Stages::$dependent, message: $message })
    };
}

options! {
    // Columns: name, program types, version, group, enables, mode of the program, ARB programs,
    // register languages, description, other option that it requires.
    //
    // The same under two names: NV_vertex_program1_1 section 2.14.1.7 has a separate name.
    "ARB_position_invariant" VERTEX V4_0 None [POSITION_INVARIANT] arb VERTEX
        "positions are computed as by GL's fixed functions; the program writes none";
    "NV_position_invariant" NONE V4_0 None [POSITION_INVARIANT] register VERTEX
        "positions are computed as by GL's fixed functions; the program writes none";
    // At most one of each group: ARB_fragment_program sections 3.11.4.5.1 and 3.11.4.5.2.
    "ARB_fog_exp" FRAGMENT V4_0 Fog [FOG_EXP] arb FRAGMENT
        "GL's fog is applied to the color, with a power of e";
    "ARB_fog_exp2" FRAGMENT V4_0 Fog [FOG_EXP2] arb FRAGMENT
        "GL's fog is applied to the color, with a power of e of a square";
    "ARB_fog_linear" FRAGMENT V4_0 Fog [FOG_LINEAR] arb FRAGMENT
        "GL's fog is applied to the color, with a linear function";
    "ARB_precision_hint_fastest" FRAGMENT V4_0 Hint [] arb FRAGMENT
        "a hint that speed matters; without effect";
    "ARB_precision_hint_nicest" FRAGMENT V4_0 Hint [] arb FRAGMENT
        "a hint that precision matters; without effect";
    // With the option `result.color` is color 0 only, without it the color of every buffer: hence a
    // mode in addition to the feature.
    "ARB_draw_buffers" FRAGMENT V4_0 None [DRAW_BUFFERS] (separate_colors = true) arb FRAGMENT
        "`result.color[n]`: a color for each draw buffer";
    "ATI_draw_buffers" FRAGMENT V4_0 None [DRAW_BUFFERS] (separate_colors = true) arb FRAGMENT
        "`result.color[n]`: a color for each draw buffer";
    // Programs with types have SHADOW targets in any case; the option is accepted there.
    "ARB_fragment_program_shadow" FRAGMENT V4_0 None [SHADOW] arb ARB
        "SHADOW targets: lookups that compare depths"
        requires NV_VERTEX_3 in VERTEX "in a vertex program this option needs OPTION NV_vertex_program3";
    "ARB_fragment_coord_origin_upper_left" FRAGMENT V4_0 None [] (origin_upper_left = true) arb FRAGMENT register FRAGMENT
        "`fragment.position` counts y from the top";
    "ARB_fragment_coord_pixel_center_integer" FRAGMENT V4_0 None [] (pixel_center_integer = true) arb FRAGMENT register FRAGMENT
        "`fragment.position` has pixel centers at integers";
    "ARB_fragment_layer_viewport" FRAGMENT V4_0 None [FRAGMENT_LAYER]
        "`fragment.layer` and `fragment.viewport`";
    "NV_early_fragment_tests" FRAGMENT V5_0 None [EARLY_TESTS] (early_fragment_tests = true)
        "depth and stencil tests run before the program";
    "ARB_blend_func_extended" FRAGMENT V5_0 None [DUAL_SOURCE] (separate_colors = true)
        "`result.color.secondary`: a second color for blending";
    "NV_viewport_array2" VERTICES V4_0 None [VIEWPORT_ARRAY VIEWPORT_ARRAY2]
        "`result.layer`, `result.viewport` and `result.viewportmask` in every stage of vertices";
    "NV_parameter_buffer_object2" ALL V4_0 None [CBUFFER]
        "CBUFFER variables and LDC before version 5.0";
    "NV_shader_buffer_load" ALL V4_0 None [BUFFER_LOAD]
        "LOAD from addresses before version 5.0";
    // Both add 2DMS; one feature represents all targets of either.
    "NV_explicit_multisample" ALL V4_0 None [MULTISAMPLE]
        "the targets 2DMS and RENDERBUFFER, and TXFMS";
    "NV_texture_multisample" ALL V4_0 None [MULTISAMPLE]
        "the targets 2DMS and ARRAY2DMS, and TXFMS";
    "NV_gpu_program5_mem_extended" ALL V5_0 None [MEM_EXTENDED]
        "storage modifiers for small integers and half floats";
    // Doubles need no option here; program generators write one.
    "NV_gpu_program_fp64" ALL V5_0 None []
        "operations on doubles; part of version 5.0";
    "NV_internal" ALL V5_0 None []
        "accepted without effect; NVIDIA's compilers write it";
    "NV_shader_atomic_float" ALL V5_0 None [ATOMIC_FLOAT]
        "atomic additions and exchanges of floats";
    "NV_shader_atomic_float64" ALL V5_0 None [ATOMIC_FLOAT64]
        "atomic additions and exchanges of doubles";
    "NV_shader_atomic_int64" ALL V5_0 None [ATOMIC_INT64]
        "all atomic operations on 64-bit integers";
    "ARB_derivative_control" ALL V5_0 None [DERIVATIVE_CONTROL]
        "FINE and COARSE for DDX and DDY";
    // "If a fragment program specifies the option and not NV_early_fragment_tests, it will fail to
    // compile": section 2.X.6.
    "ARB_post_depth_coverage" FRAGMENT V5_0 None [] (post_depth_coverage = true)
        "`fragment.samplemask` after early depth and stencil tests"
        requires EARLY_TESTS in ALL "post-depth coverage needs OPTION NV_early_fragment_tests";
    "EXT_post_depth_coverage" FRAGMENT V5_0 None [] (post_depth_coverage = true)
        "`fragment.samplemask` after early depth and stencil tests"
        requires EARLY_TESTS in ALL "post-depth coverage needs OPTION NV_early_fragment_tests";
    "NV_sample_mask_override_coverage" FRAGMENT V4_0 None [] (sample_mask_override = true)
        "`result.samplemask` replaces coverage";
    "NV_conservative_raster_underestimation" FRAGMENT V4_0 None [FULLY_COVERED]
        "`fragment.fullycovered`";
    // The four exclude each other: NV_fragment_shader_interlock section 2.X.6.
    "NV_pixel_interlock_ordered" FRAGMENT V4_0 Interlock [INTERLOCK] (interlock = Some(Interlock::PixelOrdered))
        "FSIB and FSIE: fragments of a pixel one after the other, in order";
    "NV_pixel_interlock_unordered" FRAGMENT V4_0 Interlock [INTERLOCK] (interlock = Some(Interlock::PixelUnordered))
        "FSIB and FSIE: fragments of a pixel one after the other, in any order";
    "NV_sample_interlock_ordered" FRAGMENT V4_0 Interlock [INTERLOCK] (interlock = Some(Interlock::SampleOrdered))
        "FSIB and FSIE: fragments of a sample one after the other, in order";
    "NV_sample_interlock_unordered" FRAGMENT V4_0 Interlock [INTERLOCK] (interlock = Some(Interlock::SampleUnordered))
        "FSIB and FSIE: fragments of a sample one after the other, in any order";
    "NV_layer_viewport_relative" VERTICES V4_0 None [] (layer_viewport_relative = true)
        "the number of the viewport is added to `result.layer`";
    "NV_stereo_view_rendering" VERTICES V4_0 None [STEREO_VIEWS]
        "results of a second view";
    "ARB_viewport_array" GEOMETRY V4_0 None [VIEWPORT_ARRAY]
        "`result.viewport` of geometry programs";
    // Both names are in NV_geometry_shader_passthrough.
    "NV_geometry_program_passthrough" GEOMETRY V4_0 None [PASSTHROUGH] (passthrough = true)
        "geometry programs that pass their primitive on: PASSTHROUGH";
    "NV_geometry_shader_passthrough" GEOMETRY V4_0 None [PASSTHROUGH] (passthrough = true)
        "geometry programs that pass their primitive on: PASSTHROUGH";
    "NV_shader_storage_buffer" ALL V5_0 None [STORAGE_BUFFER]
        "STORAGE variables, LDB, STB and ATOMB";
    "NV_shader_atomic_counters" ALL V5_0 None [ATOMIC_COUNTERS]
        "COUNTER variables and ATOMCTR";
    "NV_shader_atomic_fp16_vector" ALL V5_0 None [ATOMIC_FP16_VECTOR]
        "atomic operations on vectors of half floats";
    "NV_bindless_texture" ALL V5_0 None [BINDLESS_TEXTURE]
        "`handle(v.c)` instead of textures and images";
    "ARB_bindless_texture" ALL V5_0 None [BINDLESS_TEXTURE]
        "`handle(v.c)` instead of textures and images";
    "NV_shader_thread_group" ALL V5_0 None [THREAD_GROUP]
        "bindings of thread groups, TGBALLOT and QSWZ";
    "NV_shader_thread_shuffle" ALL V5_0 None [THREAD_SHUFFLE]
        "SHFIDX, SHFUP, SHFDOWN and SHFXOR";
    "EXT_shader_image_load_formatted" ALL V5_0 None [IMAGE_LOAD_FORMATTED]
        "LOADIM from images of any format, converted";
    "ARB_shader_image_size" ALL V5_0 None [IMAGE_SIZE]
        "IMQ: sizes of images";
    "ARB_shader_texture_image_samples" ALL V5_0 None [IMAGE_SAMPLES]
        "IMQS and TXQS: numbers of samples";
    // Version 5.0 takes SPARSE and LODCLAMP without them: its specification names no option.
    "EXT_sparse_texture2" ALL V5_0 None []
        "SPARSE accesses, which tell whether all texels are there";
    "ARB_sparse_texture2" ALL V5_0 None []
        "SPARSE accesses, which tell whether all texels are there";
    "ARB_sparse_texture_clamp" ALL V5_0 None []
        "LODCLAMP: a least level of detail";
    "ARB_compute_variable_group_size" COMPUTE V5_0 None [VARIABLE_GROUP_SIZE]
        "the size of work groups is given when the program runs";
    // Instruction sets of ARB programs: the later of each pair includes the earlier one.
    "NV_vertex_program2" NONE V4_0 None [NV_VERTEX_2] arb VERTEX
        "condition codes, branches, subroutines, vector address registers, clip distances";
    "NV_vertex_program3" NONE V4_0 None [NV_VERTEX_2 NV_VERTEX_3] arb VERTEX
        "NV_vertex_program2, texture lookups, run-time indices of attributes and results";
    "NV_fragment_program" NONE V4_0 None [NV_FRAGMENT] arb FRAGMENT
        "condition codes, precisions, derivatives, packing and more operations";
    "NV_fragment_program2" NONE V4_0 None [NV_FRAGMENT NV_FRAGMENT_2] arb FRAGMENT
        "NV_fragment_program, branches, loops, subroutines and `fragment.facing`";
    "MESA_texture_array" NONE V4_0 None [TEXTURE_ARRAY] arb FRAGMENT
        "ARRAY targets in fragment programs";
    "MESAX_texture_stack" NONE V4_0 None [TEXTURE_STACK] arb FRAGMENT
        "the targets 1D_STACK and 2D_STACK";
}

impl OptionInfo {
    /// Returns true if the language defines the option for the stage of the dialect and, in typed
    /// languages, its version or an earlier one.
    pub fn is_known_in(&self, dialect: Dialect) -> bool {
        match dialect.family() {
            Family::Typed => {
                self.stages.contains_stage(dialect.stage()) && self.since <= dialect.version()
            }
            Family::Arb => self.arb.contains_stage(dialect.stage()),
            Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => {
                // The parser checks that such a language has OPTION lines at all.
                self.register.contains_stage(dialect.stage())
            }
        }
    }

    /// Returns true if the typed language defines the option for programs of this type, but only in
    /// a later version than that of the dialect. False for all other languages.
    pub fn is_known_later(&self, dialect: Dialect) -> bool {
        dialect.family() == Family::Typed
            && self.stages.contains_stage(dialect.stage())
            && self.since > dialect.version()
    }

    /// Returns true if it is an option of version 5.0 that drivers know from 4.0 on, in a program
    /// of an earlier version.
    pub(crate) fn is_early_in(&self, dialect: Dialect) -> bool {
        self.enables == Features::DUAL_SOURCE && self.is_known_later(dialect)
    }
}

/// Returns the table entry of an option by its name, whether or not a language has the option.
pub fn find_any_option(name: &[u8]) -> Option<&'static OptionInfo> {
    static TABLE: OnceLock<KeywordTable<&OptionInfo>> = OnceLock::new();
    let table = TABLE.get_or_init(|| OPTIONS.iter().map(|row| (row.name, row)).collect());
    table.get(name).copied()
}

/// Returns the option of a name in a language. One of a later version is found only with
/// `Acceptance::Shipped` and if shipped programs name it early.
pub(crate) fn find_option(
    name: &[u8],
    dialect: Dialect,
    acceptance: Acceptance,
) -> Option<&'static OptionInfo> {
    let row = find_any_option(name)?;
    let is_early = acceptance == Acceptance::Shipped && row.is_early_in(dialect);
    (row.is_known_in(dialect) || is_early).then_some(row)
}

/// A word that a declaration takes.
#[derive(Clone, Copy, Debug)]
pub struct DeclarationWord {
    /// The word.
    pub keyword: &'static str,
    /// First version.
    pub since: Version,
    /// Sets the modes that it selects.
    pub set: fn(&mut Modes),
}

/// Argument after the keyword.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// No argument.
    None,
    /// One of these words.
    Word(&'static [DeclarationWord]),
    /// A number.
    Number,
    /// A result with an optional mask.
    Result,
}

/// Number of times that a program has a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// Exactly once.
    Required,
    /// At most once.
    Optional,
    /// Any number of times.
    Repeated,
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub struct DeclarationInfo {
    /// The declaration of the entry.
    pub declaration: Declaration,
    /// Its keyword.
    pub keyword: &'static str,
    /// Program types.
    pub stages: Stages,
    /// First version.
    pub since: Version,
    /// Argument after the keyword.
    pub argument: Argument,
    /// Number of times that it occurs in a program.
    pub occurrence: Occurrence,
    /// Features that options must have enabled.
    pub required_features: Features,
    /// Human-readable description of one line.
    pub description: &'static str,
}

macro_rules! declarations {
    ($($name:ident $word:literal $stages:ident $since:ident $argument:expr, $occurrence:ident $description:literal $(requires $required:ident)?;)*) => {
        /// A declaration about the program as a whole.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Declaration { $(
            #[doc = concat!("`", $word, "`: ", $description)]
            $name,
        )* }

        /// All of them.
        pub static DECLARATIONS: &[DeclarationInfo] = &[$(DeclarationInfo {
            declaration: Declaration::$name,
            keyword: $word,
            stages: Stages::$stages,
            since: Version::$since,
            argument: $argument,
            occurrence: Occurrence::$occurrence,
            required_features: Features::empty()$(.union(Features::$required))?,
            description: $description,
        },)*];
    };
}
macro_rules! words {
    ($($table:ident $field:ident $type:ident: $($word:literal $name:ident $since:ident),*;)*) => {$(
        static $table: &[DeclarationWord] = &[$(DeclarationWord {
            keyword: $word,
            since: Version::$since,
            set: |modes| modes.$field = $type::$name,
        },)*];
    )*};
}

declarations! {
    // Columns: name, keyword, program types, version, argument, occurrence, description, the option
    // that it needs.
    PrimitiveIn "PRIMITIVE_IN" GEOMETRY V4_0 Argument::Word(INPUTS), Required "the input primitives";
    PrimitiveOut "PRIMITIVE_OUT" GEOMETRY V4_0 Argument::Word(OUTPUTS), Required "the output primitives";
    // The word has different subjects in both stages: a limit in geometry programs, the size of a
    // patch in control programs.
    VerticesOut "VERTICES_OUT" INVOKED V4_0 Argument::Number, Required
        "vertices: the most that a geometry program emits, all of a control program's patch";
    Invocations "INVOCATIONS" GEOMETRY V5_0 Argument::Number, Optional "how often the program runs for a primitive";
    Passthrough "PASSTHROUGH" GEOMETRY V4_0 Argument::Result, Repeated "a result that each vertex copies from its input vertex" requires PASSTHROUGH;
    TessMode "TESS_MODE" TESS_EVAL V5_0 Argument::Word(TESS_MODES), Required "what patches are subdivided as";
    // A missing declaration has a default: NV_tessellation_program5 section 2.X.7.Y.
    TessSpacing "TESS_SPACING" TESS_EVAL V5_0 Argument::Word(TESS_SPACINGS), Optional "how edges are divided; EQUAL if missing";
    TessVertexOrder "TESS_VERTEX_ORDER" TESS_EVAL V5_0 Argument::Word(TESS_ORDERS), Optional "the orientation of triangles; CCW if missing";
    TessPointMode "TESS_POINT_MODE" TESS_EVAL V5_0 Argument::None, Optional "patches become points";
}

words! {
    // Columns: table, mode of the program and its type: words, with version.
    //
    // PATCHES was added by NV_gpu_program5, where geometry programs may follow control programs.
    INPUTS primitive_in InputPrimitive: "POINTS" Points V4_0, "LINES" Lines V4_0, "LINES_ADJACENCY" LinesAdjacency V4_0,
        "TRIANGLES" Triangles V4_0, "TRIANGLES_ADJACENCY" TrianglesAdjacency V4_0, "PATCHES" Patches V5_0;
    OUTPUTS primitive_out OutputPrimitive: "POINTS" Points V4_0, "LINE_STRIP" LineStrip V4_0, "TRIANGLE_STRIP" TriangleStrip V4_0;
    TESS_MODES tess_mode TessMode: "TRIANGLES" Triangles V5_0, "QUADS" Quads V5_0, "ISOLINES" Isolines V5_0;
    TESS_SPACINGS tess_spacing TessSpacing: "EQUAL" Equal V5_0, "FRACTIONAL_ODD" FractionalOdd V5_0, "FRACTIONAL_EVEN" FractionalEven V5_0;
    TESS_ORDERS tess_order TessWinding: "CW" Cw V5_0, "CCW" Ccw V5_0;
}

impl Declaration {
    /// Returns the bit of the declaration in a set.
    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// Returns the table entry of the declaration.
    pub fn info(self) -> &'static DeclarationInfo {
        // One macro generates the entries and the names, in the same order.
        &DECLARATIONS[self as usize]
    }
}

/// Features that an ARB program must have enabled to use an item; `None` for items that it never
/// has.
pub type ArbNeeds = Option<Features>;

#[cfg(test)]
mod tests {
    use super::*;
    use bitflags::Flags;

    #[test]
    fn no_two_features_share_a_bit() {
        let mut seen = Features::empty();
        for flag in Features::FLAGS {
            let feature = *flag.value();
            if feature.bits().is_power_of_two() {
                assert!(!seen.intersects(feature), "{}", flag.name());
                seen |= feature;
            }
        }
    }

    #[test]
    fn features_are_called_by_the_option_that_brings_them() {
        for (feature, option) in [
            (Features::NV_FRAGMENT, "NV_fragment_program"),
            (Features::NV_VERTEX_2, "NV_vertex_program2"),
            (Features::STEREO_VIEWS, "NV_stereo_view_rendering"),
        ] {
            assert_eq!(feature.first_option(), option);
        }
    }

    #[test]
    fn rows_stand_in_the_order_of_their_names() {
        for row in DECLARATIONS {
            assert_eq!(row.declaration.info().keyword, row.keyword);
        }
    }
}
