//! The languages with their families, versions and program types, and the rules by which programs
//! load.

use crate::lang::stage_name;
use glasm_ir::Stage;

/// Languages that share their tables of opcodes, options, bindings and targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Family {
    /// Declarations and data types: NV_gpu_program4 and later extensions.
    Typed,
    /// Declarations, all values floats: ARB_vertex_program, ARB_fragment_program and their options.
    Arb,
    /// Registers: NV_vertex_program and NV_vertex_program1_1, vertex state programs included.
    Vertex1,
    /// Registers: NV_vertex_program2.
    Vertex2,
    /// Registers: NV_fragment_program.
    Fragment1,
    /// Numbered registers of a virtual GPU: TGSI, the shaders of Mesa's Gallium.
    Tgsi,
}

impl Family {
    /// All families.
    pub const ALL: &'static [Self] = &[
        Self::Typed,
        Self::Arb,
        Self::Vertex1,
        Self::Vertex2,
        Self::Fragment1,
        Self::Tgsi,
    ];

    /// Returns the next newer family, whose features programs of this family are likely to contain
    /// in error, such as programs of NV_vertex_program2 with an old header; `None` if there is
    /// none.
    pub(crate) const fn newer_family(self) -> Option<Self> {
        match self {
            // Only there a program of an old header uses names of the next family: other families
            // have one version, or versions in their tables.
            Self::Vertex1 => Some(Self::Vertex2),
            Self::Typed | Self::Arb | Self::Vertex2 | Self::Fragment1 | Self::Tgsi => None,
        }
    }
}

/// Version of a language. Only versions of one family are comparable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Version {
    /// ARB_vertex_program, ARB_fragment_program, NV_vertex_program and NV_fragment_program. It is
    /// below all versions of the family with types: features of one of them are not here.
    V1_0,
    /// NV_vertex_program1_1.
    V1_1,
    /// NV_vertex_program2.
    V2_0,
    /// NV_gpu_program4.
    V4_0,
    /// NV_gpu_program4_1.
    V4_1,
    /// NV_gpu_program5.
    V5_0,
}

impl Version {
    /// Returns the version as in headers, such as `5.0`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V2_0 => "2.0",
            Self::V4_0 => "4.0",
            Self::V4_1 => "4.1",
            Self::V5_0 => "5.0",
        }
    }
}

macro_rules! dialects {
    ($($name:ident $header:literal $stage:ident $family:ident $version:ident $extension:literal;)*) => {
        /// A language, as the header names it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        #[non_exhaustive]
        pub enum Dialect { $(
            #[cfg_attr(feature = "serde", serde(rename = $header))]
            #[doc = concat!("`", $header, "`")]
            $name,
        )* }

        impl Dialect {
            /// All languages.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the header that begins programs of the language, such as `!!NVvp4.0`.
            pub const fn header(self) -> &'static str {
                match self { $(Self::$name => $header,)* }
            }

            /// Returns the shader stage.
            pub const fn stage(self) -> Stage {
                match self { $(Self::$name => Stage::$stage,)* }
            }

            /// Returns the extension of OpenGL that defines the language, without `GL_`; empty for
            /// TGSI, which is not a language of OpenGL.
            pub const fn extension(self) -> &'static str {
                match self { $(Self::$name => $extension,)* }
            }

            /// Returns the language family, whose tables of opcodes and bindings apply.
            pub const fn family(self) -> Family {
                match self { $(Self::$name => Family::$family,)* }
            }

            /// Returns the language version.
            pub const fn version(self) -> Version {
                match self { $(Self::$name => Version::$version,)* }
            }
        }
    };
}

dialects! {
    // No header is a prefix of another one, so their order does not matter to `of`.
    NvVp4_0 "!!NVvp4.0" Vertex Typed V4_0 "NV_gpu_program4";
    NvVp4_1 "!!NVvp4.1" Vertex Typed V4_1 "NV_gpu_program4_1";
    NvVp5_0 "!!NVvp5.0" Vertex Typed V5_0 "NV_gpu_program5";
    NvFp4_0 "!!NVfp4.0" Fragment Typed V4_0 "NV_gpu_program4";
    NvFp4_1 "!!NVfp4.1" Fragment Typed V4_1 "NV_gpu_program4_1";
    NvFp5_0 "!!NVfp5.0" Fragment Typed V5_0 "NV_gpu_program5";
    NvGp4_0 "!!NVgp4.0" Geometry Typed V4_0 "NV_gpu_program4";
    NvGp4_1 "!!NVgp4.1" Geometry Typed V4_1 "NV_gpu_program4_1";
    NvGp5_0 "!!NVgp5.0" Geometry Typed V5_0 "NV_gpu_program5";
    NvTcp5_0 "!!NVtcp5.0" TessControl Typed V5_0 "NV_tessellation_program5";
    NvTep5_0 "!!NVtep5.0" TessEval Typed V5_0 "NV_tessellation_program5";
    NvCp5_0 "!!NVcp5.0" Compute Typed V5_0 "NV_compute_program5";
    ArbVp1_0 "!!ARBvp1.0" Vertex Arb V1_0 "ARB_vertex_program";
    ArbFp1_0 "!!ARBfp1.0" Fragment Arb V1_0 "ARB_fragment_program";
    NvVp1_0 "!!VP1.0" Vertex Vertex1 V1_0 "NV_vertex_program";
    NvVp1_1 "!!VP1.1" Vertex Vertex1 V1_1 "NV_vertex_program1_1";
    NvVp2_0 "!!VP2.0" Vertex Vertex2 V2_0 "NV_vertex_program2";
    // GL runs it outside of any drawing, which only compute shaders can.
    NvVsp1_0 "!!VSP1.0" Compute Vertex1 V1_0 "NV_vertex_program";
    NvFp1_0 "!!FP1.0" Fragment Fragment1 V1_0 "NV_fragment_program";
    TgsiVertex "VERT" Vertex Tgsi V1_0 "";
    TgsiFragment "FRAG" Fragment Tgsi V1_0 "";
    TgsiGeometry "GEOM" Geometry Tgsi V1_0 "";
    TgsiTessControl "TESS_CTRL" TessControl Tgsi V1_0 "";
    TgsiTessEval "TESS_EVAL" TessEval Tgsi V1_0 "";
    TgsiCompute "COMP" Compute Tgsi V1_0 "";
}

impl Dialect {
    /// Returns the language whose header begins `text`; `None` if no language has this header.
    /// Nothing may precede the header; for TGSI it is the name of a processor.
    pub fn detect(text: &[u8]) -> Option<Self> {
        // Headers of OpenGL's languages begin like this, words of TGSI do not.
        if !text.starts_with(b"!!") {
            return Self::detect_tgsi(text);
        }
        Self::ALL
            .iter()
            .copied()
            .find(|dialect| text.starts_with(dialect.header().as_bytes()))
    }

    /// Returns the language of the processor name that is the first word of a TGSI source, in upper
    /// or lower case; `None` for any other word.
    fn detect_tgsi(text: &[u8]) -> Option<Self> {
        // The whole word counts: `FRAGMENT` is none.
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let word = text.iter().position(|byte| !is_part(byte));
        let word = &text[..word.unwrap_or(text.len())];
        let all = Self::ALL.iter().copied();
        let mut tgsi = all.filter(|dialect| dialect.family() == Family::Tgsi);
        tgsi.find(|dialect| word.eq_ignore_ascii_case(dialect.header().as_bytes()))
    }

    /// Returns the type of the language's programs: the shader stage, or vertex state programs for
    /// `!!VSP1.0`.
    pub const fn program_type(self) -> ProgramType {
        match (self.family(), self.stage()) {
            (Family::Vertex1, Stage::Compute) => ProgramType::VertexState,
            (_, stage) => ProgramType::Stage(stage),
        }
    }
}

/// Type of a program, which GL calls its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ProgramType {
    /// The programs of a shader stage.
    Stage(Stage),
    /// Vertex state programs: GL executes each of them separately, outside of any drawing, to
    /// compute parameters of vertex programs. They become compute shaders. NV_vertex_program
    /// section 2.14.4.
    VertexState,
}

impl ProgramType {
    /// Returns all program types: those of the shader stages and vertex state programs.
    pub fn all() -> impl Iterator<Item = Self> {
        let stages = Stage::ALL.iter().map(|&(stage, _)| Self::Stage(stage));
        stages.chain([Self::VertexState])
    }

    /// Returns the program type of a target of OpenGL, the first argument of `glProgramStringARB`
    /// and `glLoadProgramNV`; `None` for other numbers.
    ///
    /// ```
    /// # use glasm_frontend as glasm;
    /// # use glasm_ir::Stage;
    /// use glasm::ProgramType;
    ///
    /// let vertex = ProgramType::from_gl(0x8620); // GL_VERTEX_PROGRAM_ARB
    /// assert_eq!(vertex, Some(ProgramType::Stage(Stage::Vertex)));
    /// assert_eq!(ProgramType::from_gl(0x8b31), None); // GL_VERTEX_SHADER
    /// ```
    pub const fn from_gl(target: u32) -> Option<Self> {
        Some(Self::Stage(match target {
            // VERTEX_PROGRAM_ARB
            0x8620 => Stage::Vertex,
            // VERTEX_STATE_PROGRAM_NV
            0x8621 => return Some(Self::VertexState),
            // FRAGMENT_PROGRAM_ARB, FRAGMENT_PROGRAM_NV
            0x8804 | 0x8870 => Stage::Fragment,
            // TESS_CONTROL_PROGRAM_NV
            0x891e => Stage::TessControl,
            // TESS_EVALUATION_PROGRAM_NV
            0x891f => Stage::TessEval,
            // GEOMETRY_PROGRAM_NV
            0x8c26 => Stage::Geometry,
            // COMPUTE_PROGRAM_NV
            0x90fb => Stage::Compute,
            _ => return None,
        }))
    }

    /// Returns the shader stage that executes the programs: vertex state programs become compute
    /// shaders.
    pub const fn stage(self) -> Stage {
        match self {
            Self::Stage(stage) => stage,
            Self::VertexState => Stage::Compute,
        }
    }

    /// Returns the name of the program type as one word, such as `tess_control`.
    pub fn identifier(self) -> &'static str {
        match self {
            Self::Stage(stage) => stage.name(),
            Self::VertexState => "vertex_state",
        }
    }

    /// Returns the name of the program type in messages, such as `tessellation control`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stage(stage) => stage_name(stage),
            Self::VertexState => "vertex state",
        }
    }
}

/// Rule for which programs load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Acceptance {
    /// Valid programs, and those that break a rule in a way that shipped programs do: each such
    /// location is reported as a warning. The table [`LenientRule`](crate::codes::LenientRule)
    /// lists what is accepted.
    #[default]
    Shipped,
    /// Valid programs only.
    Strict,
}

/// Parameters that a TGSI program depends on and its source does not contain: drivers get them
/// separately.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct TgsiOptions {
    /// The program has the semantics of the document of 2010 where it differs from the current one:
    /// `RSQ` takes the absolute value, `IF` tests bits, `ROUND` rounds halves up, `SHL` takes one
    /// count and does not limit it, comparisons of doubles give floats, clamps retain NaN, and
    /// integers have absolute values.
    pub legacy_semantics: bool,
    /// The source was sent by a guest with virgl: where an instruction writes one value of 64 bits
    /// to z and w, its sources are the first values of their registers, as in virglrenderer. By the
    /// document they are the second ones.
    pub virgl: bool,
    /// Bytes of `MEMORY` that is `SHARED`, at most 2^20.
    pub shared_memory: u32,
    /// Bytes of `MEMORY` that is `PRIVATE`, at most 2^20.
    pub private_memory: u32,
    /// Threads of a block in each dimension that the program leaves open.
    pub block_size: [u32; 3],
    /// `WORK_DIM`: dimensions of the grid.
    pub work_dim: u32,
    /// `CS_USER_DATA_AMD`: four words.
    pub user_data: [u32; 4],
    /// `TESS_DEFAULT_OUTER_LEVEL` and `TESS_DEFAULT_INNER_LEVEL`: bits of four outer and two inner
    /// levels.
    pub default_tess_levels: [u32; 6],
    /// Color 1 of fragment programs is the second source of the blending of attachment 0.
    pub dual_source_blending: bool,
    /// User clip planes whose distances are computed from `CLIPVERTEX`: bit n for plane n.
    pub clip_plane_mask: u8,
    /// Entry point of a compute program that consists of subroutines: the number of a `BGNSUB`,
    /// which Gallium's `pipe_grid_info` calls `pc`.
    pub entry_subroutine: u32,
}

impl Default for TgsiOptions {
    fn default() -> Self {
        Self {
            legacy_semantics: false,
            virgl: false,
            // The minimum that OpenGL 4.3 and OpenCL guarantee; drivers get the value from their
            // caller.
            shared_memory: 32_768,
            private_memory: 4096,
            block_size: [1; 3],
            work_dim: 3,
            user_data: [0; 4],
            default_tess_levels: [1f32.to_bits(); 6],
            dual_source_blending: false,
            clip_plane_mask: 0,
            entry_subroutine: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_languages() {
        for &dialect in Dialect::ALL {
            assert_eq!(Dialect::detect(dialect.header().as_bytes()), Some(dialect));
        }
        assert_eq!(Dialect::detect(b" !!NVvp5.0"), None);
        assert_eq!(Dialect::detect(b"!!NVvp5"), None);
    }
}
