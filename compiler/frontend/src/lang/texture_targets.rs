//! Texture targets: coordinates, and the accesses that they allow. NV_gpu_program4 tables X.17 and
//! X.18, NV_gpu_program5 section 2.X.4.4.

use crate::keyword_table::KeywordTable;
use crate::lang::ArbNeeds;
use crate::lang::options::Features;
use crate::source::{Dialect, Family, Version};
use glasm_ir::TexTarget;
use std::sync::OnceLock;

bitflags::bitflags! {
    /// Kinds of access to textures and images.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Access: u16 {
        /// TEX.
        const SAMPLE = 1;
        /// TXB with the bias in w.
        const BIAS = 2;
        /// TXL with the level in w.
        const LOD = 4;
        /// TXP.
        const PROJECT = 8;
        /// TXD.
        const GRAD = 16;
        /// TXF.
        const FETCH = 32;
        /// TXFMS.
        const FETCH_SAMPLE = 64;
        /// TXG.
        const GATHER = 128;
        /// TXGO.
        const GATHER_OFFSETS = 256;
        /// TXQ.
        const QUERY_SIZE = 512;
        /// LOD.
        const QUERY_LOD = 1024;
        /// TXQS.
        const QUERY_SAMPLES = 2048;
        /// Instructions on images.
        const IMAGE = 4096;
    }
}

const NORMAL: Access = Access::SAMPLE
    .union(Access::BIAS)
    .union(Access::LOD)
    .union(Access::PROJECT)
    .union(Access::GRAD)
    .union(Access::QUERY_SIZE)
    .union(Access::QUERY_LOD);
// Everything but comparison, cubes and samples.
const FETCH: Access = NORMAL.union(Access::FETCH).union(IMAGE);
/// Access if the coordinate leaves no lane for bias, level or divisor next to the reference.
const FULL: Access = Access::SAMPLE
    .union(Access::GRAD)
    .union(Access::QUERY_SIZE)
    .union(Access::QUERY_LOD);
const IMAGE: Access = Access::IMAGE;
const GATHER: Access = Access::GATHER;
const GATHER_BOTH: Access = Access::GATHER.union(Access::GATHER_OFFSETS);
const SAMPLES: Access = Access::FETCH_SAMPLE.union(Access::QUERY_SIZE);
const ALL_SAMPLES: Access = SAMPLES.union(Access::QUERY_SAMPLES).union(IMAGE);

/// Position of the comparison reference of a shadow target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// No shadow target.
    None,
    /// A lane of the coordinate operand.
    Lane(u8),
    /// Lane x of a separate operand.
    Operand,
}

/// An entry of the target table.
#[derive(Clone, Copy, Debug)]
pub struct TargetInfo {
    /// Spelling.
    pub name: &'static str,
    /// Target of the texture.
    pub target: TexTarget,
    /// The reference.
    pub reference: Reference,
    /// Number of texel-offset components that may differ from zero.
    pub offsets: u8,
    /// Accesses allowed.
    pub access: Access,
    /// First language version.
    pub since: Version,
    /// Features that options must have enabled.
    pub required_features: Features,
    /// Features that it needs in ARB programs.
    pub arb: ArbNeeds,
}

macro_rules! targets {
    ($($name:literal $target:ident [$($reference:tt)*] $offsets:literal ($access:expr) $since:ident $($option:ident)? $(=> [$($required:ident)*])?;)*) => {
        /// All targets.
        pub static TARGETS: &[TargetInfo] = &[$(TargetInfo {
            name: $name,
            target: TexTarget::$target,
            reference: Reference::$($reference)*,
            offsets: $offsets,
            access: $access,
            since: Version::$since,
            required_features: Features::empty()$(.union(Features::$option))?,
            arb: targets!(@required $([$($required)*])?),
        },)*];
    };
    (@required) => { None };
    (@required [$($required:ident)*]) => { Some(Features::empty()$(.union(Features::$required))*) };
}

targets! {
    // Columns: name, texture, reference, offsets, accesses, version, needs => needs in ARB
    // programs.
    "1D" D1 [None] 1 (FETCH) V4_0 => [];
    "2D" D2 [None] 2 (FETCH.union(GATHER_BOTH)) V4_0 => [];
    "3D" D3 [None] 3 (FETCH) V4_0 => [];
    // "Single texel fetches can not perform depth comparisons or access cubemaps": NV_gpu_program4
    // section 2.X.4.4. TXGO takes no cubes either.
    "CUBE" Cube [None] 0 (NORMAL.union(GATHER).union(IMAGE)) V4_0 => [];
    // TXG and TXGO take targets of two dimensions only: NV_gpu_program5 section 2.X.8.Z.
    "RECT" Rect [None] 2 (FETCH.union(GATHER_BOTH)) V4_0 => [];
    "SHADOW1D" D1 [Lane(2)] 1 (NORMAL) V4_0 => [SHADOW];
    "SHADOW2D" D2 [Lane(2)] 2 (NORMAL.union(GATHER_BOTH)) V4_0 => [SHADOW];
    "SHADOWRECT" Rect [Lane(2)] 2 (NORMAL.union(GATHER_BOTH)) V4_0 => [SHADOW];
    "ARRAY1D" D1Array [None] 1 (FETCH) V4_0 => [TEXTURE_ARRAY];
    "ARRAY2D" D2Array [None] 2 (FETCH.union(GATHER_BOTH)) V4_0 => [TEXTURE_ARRAY];
    // The reference is in w, where bias, level and divisor would be: NV_gpu_program4 refuses TXB,
    // TXL and TXP of this and of SHADOWARRAY2D.
    "SHADOWCUBE" Cube [Lane(3)] 0 (FULL.union(GATHER)) V4_0;
    "SHADOWARRAY1D" D1Array [Lane(2)] 1 (NORMAL) V4_0 => [SHADOW TEXTURE_ARRAY];
    "SHADOWARRAY2D" D2Array [Lane(3)] 2 (FULL.union(GATHER_BOTH)) V4_0 => [SHADOW TEXTURE_ARRAY];
    // Spellings of Mesa's parser.
    "ARRAYSHADOW1D" D1Array [Lane(2)] 1 (NORMAL) V1_0 => [SHADOW TEXTURE_ARRAY];
    "ARRAYSHADOW2D" D2Array [Lane(3)] 2 (FULL.union(GATHER_BOTH)) V1_0 => [SHADOW TEXTURE_ARRAY];
    // "Buffer textures are not supported by normal texture lookup functions": table X.17. TXF of
    // them takes no offset.
    "BUFFER" Buffer [None] 0 (Access::FETCH.union(Access::QUERY_SIZE).union(IMAGE)) V4_0;
    "ARRAYCUBE" CubeArray [None] 0 (FULL.union(GATHER).union(IMAGE)) V5_0;
    // Four lanes of coordinate leave no lane for the reference.
    "SHADOWARRAYCUBE" CubeArray [Operand] 0 (Access::SAMPLE.union(Access::QUERY_SIZE).union(Access::QUERY_LOD).union(GATHER)) V5_0;
    // Only TXFMS reads samples; NV_texture_multisample and NV_explicit_multisample add it with
    // these targets.
    "2DMS" D2Multisample [None] 2 (ALL_SAMPLES) V4_0 MULTISAMPLE;
    // MESAX_texture_stack: arrays whose layer is a coordinate from 0 to 1.
    "1D_STACK" D1Array [None] 1 (NORMAL) V1_0 => [TEXTURE_STACK];
    "2D_STACK" D2Array [None] 2 (NORMAL) V1_0 => [TEXTURE_STACK];
    "ARRAY2DMS" D2MultisampleArray [None] 2 (ALL_SAMPLES) V4_0 MULTISAMPLE;
    "RENDERBUFFER" D2Multisample [None] 0 (SAMPLES) V4_0 MULTISAMPLE;
}

/// Returns the index in the table of the target with exactly this name; `None` if there is none.
pub fn find_target(name: &[u8]) -> Option<usize> {
    static TABLE: OnceLock<KeywordTable<usize>> = OnceLock::new();
    let names = TARGETS.iter().map(|target| target.name);
    let table = TABLE.get_or_init(|| names.zip(0..).collect());
    table.get(name).copied()
}

impl TargetInfo {
    /// Returns the features that options must have enabled in programs of a family; `None` if the
    /// family does not have the target.
    pub fn required_features(&self, family: Family) -> Option<Features> {
        match family {
            Family::Typed => (self.since > Version::V1_0).then_some(self.required_features),
            Family::Arb => self.arb,
            // The targets that ARB programs have without options. NV_fragment_program section
            // 3.11.2.
            Family::Fragment1 => self.arb.filter(|needs| needs.is_empty()),
            Family::Vertex1 | Family::Vertex2 | Family::Tgsi => None,
        }
    }

    /// Returns true if only later versions of a language have the target.
    pub fn is_newer_than(&self, dialect: Dialect) -> bool {
        dialect.family() == Family::Typed && self.since > dialect.version()
    }

    /// Returns true if lookups compare depths with a reference.
    pub fn is_shadow(&self) -> bool {
        self.reference != Reference::None
    }

    /// Returns true if the coordinate takes all lanes, so that bias and level are a separate
    /// operand. EXT_sparse_texture2 table X.17.
    pub fn uses_all_lanes(&self) -> bool {
        // Entries of table X.17 with "x2" or "y2" in the column "lod", and those that use all of x,
        // y, z and w.
        self.reference == Reference::Lane(3) || self.target == TexTarget::CubeArray
    }

    /// Returns true if LODCLAMP leaves a lane for bias or level in the second operand.
    /// EXT_sparse_texture2 table X.17.
    pub fn has_level_with_clamp(&self) -> bool {
        self.lod_clamp_lane() > 0 && self.reference != Reference::Operand
    }

    /// Returns the lane of the second operand in which LODCLAMP has the least level: 1 for cubes
    /// that use all lanes of the coordinate, else 0. EXT_sparse_texture2 table X.17.
    pub fn lod_clamp_lane(&self) -> u8 {
        // y2 in the entries of cubes whose coordinate is full, x2 in all others. Rectangles have
        // neither, but they take no LODCLAMP.
        u8::from(self.uses_all_lanes() && self.is_cube())
    }

    /// Returns true if the layer coordinate ranges from 0 to 1 through all layers.
    /// MESAX_texture_stack.
    pub fn is_stack(&self) -> bool {
        self.arb == Some(Features::TEXTURE_STACK)
    }

    /// Returns true if faces of a cube are accessed; such targets take no texel offsets.
    pub fn is_cube(&self) -> bool {
        self.target.is_cube()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> &'static TargetInfo {
        &TARGETS[find_target(name.as_bytes()).expect("a target")]
    }

    #[test]
    fn offsets_follow_dimensions() {
        for target in TARGETS {
            let expected = if target.is_cube()
                || !target.required_features.is_empty()
                || target.name == "BUFFER"
            {
                continue;
            } else {
                target.target.dimensions()
            };
            assert_eq!(target.offsets, expected, "{}", target.name);
        }
    }

    #[test]
    fn restrictions_of_the_instruction_texts() {
        assert!(!row("SHADOWCUBE").access.contains(Access::BIAS));
        assert!(!row("SHADOWARRAY2D").access.contains(Access::PROJECT));
        assert!(!row("CUBE").access.contains(Access::FETCH));
        assert!(!row("SHADOW2D").access.contains(Access::FETCH));
        assert!(
            row("BUFFER").access.contains(Access::FETCH)
                && !row("BUFFER").access.contains(Access::SAMPLE)
        );
        assert!(
            !row("3D").access.intersects(GATHER_BOTH) && !row("1D").access.intersects(GATHER_BOTH)
        );
    }
}
