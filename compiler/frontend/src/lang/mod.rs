//! Facts about the languages as tables. Parser, checker, lowering and `glasm explain` read the same
//! entries.

pub mod arb;
pub(crate) mod binding_paths;
pub mod bindings;
pub mod dialect_traits;
pub mod limits;
pub mod modifiers;
pub mod opcode_info;
mod opcode_macros;
pub mod opcodes;
pub mod options;
pub mod register;
pub mod state;
pub mod texture_targets;

pub use options::ArbNeeds;

use glasm_ir::Stage;

bitflags::bitflags! {
    /// Program types that know a feature.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Stages: u8 {
        /// Vertex programs.
        const VERTEX = 1 << Stage::Vertex as u8;
        /// Tessellation control programs.
        const TESS_CONTROL = 1 << Stage::TessControl as u8;
        /// Tessellation evaluation programs.
        const TESS_EVAL = 1 << Stage::TessEval as u8;
        /// Geometry programs.
        const GEOMETRY = 1 << Stage::Geometry as u8;
        /// Fragment programs.
        const FRAGMENT = 1 << Stage::Fragment as u8;
        /// Compute programs.
        const COMPUTE = 1 << Stage::Compute as u8;
        /// Programs whose results are vertices.
        const VERTICES = Self::VERTEX.bits() | Self::TESS_CONTROL.bits() | Self::TESS_EVAL.bits() | Self::GEOMETRY.bits();
        /// Programs that have attributes whose names begin with `primitive`.
        const PRIMITIVES = Self::TESS_CONTROL.bits() | Self::TESS_EVAL.bits() | Self::GEOMETRY.bits();
        /// Programs of stages that may precede a geometry program.
        const BEFORE_GEOMETRY = Self::VERTEX.bits() | Self::TESS_CONTROL.bits() | Self::TESS_EVAL.bits();
        /// Programs that may run several times for a primitive or a patch.
        const INVOKED = Self::TESS_CONTROL.bits() | Self::GEOMETRY.bits();
        /// All program types.
        const ALL = 63;
        /// No program type.
        const NONE = 0;
        /// Programs whose invocations wait for each other.
        const BARRIERS = Self::TESS_CONTROL.bits() | Self::COMPUTE.bits();
        /// Types of ARB programs.
        const ARB = Self::VERTEX.bits() | Self::FRAGMENT.bits();
    }
}

impl Stages {
    /// Returns the set of one program type.
    pub const fn from_stage(stage: Stage) -> Self {
        Self::from_bits_truncate(1 << stage as u8)
    }

    /// Returns true if the set contains programs of type `stage`.
    pub const fn contains_stage(self, stage: Stage) -> bool {
        self.bits() >> stage as u8 & 1 != 0
    }
}

/// Returns the name of a stage's program type in messages.
pub const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellation control",
        Stage::TessEval => "tessellation evaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
    }
}
