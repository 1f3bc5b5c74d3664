//! Compiles the assembly shading languages of OpenGL's programmable era to SPIR-V.
//!
//! [`compile`] translates a program string to a SPIR-V module with a [`Reflection`] of the
//! interface that the module expects of its caller, or returns all errors of the program with their
//! positions:
//!
//! ```
//! use glasm::{Options, Source, compile};
//!
//! let source = Source::new("two mistakes", "!!NVfp5.0\nMOV result.color, tint;\nADD result.depth.z, 1, ;\nEND");
//! let errors = compile(&source, &Options::default()).unwrap_err();
//! assert_eq!(errors.error_count(), 2);
//! assert_eq!(errors.gl_error_position(&source), Some(28)); // at `tint`
//! ```
//!
//! A [`Program`] is loaded once and compiled for each state that it is used in. [`link()`] compiles
//! the programs of a pipeline together, so that any combination of results and inputs matches. It
//! generates the stages that lower patches for geometry programs and for rasterization; [`stages`]
//! has other stages that a pipeline may need in addition to its programs.
//!
//! [`layout`] returns the descriptor set layouts that the modules of a pipeline require together.
//!
//! [`state`] evaluates the `state.*` parameters that a program reads, given a structure of GL
//! state.
//!
//! No function of this crate panics or hangs, regardless of the content of the program string.
//!
//! # Caches
//!
//! [`compute_cache_key`] identifies the result of a program and its options, and with the feature
//! `serde` a [`Shader`] and its [`Diagnostics`] can be serialized and deserialized. The example
//! `disk_cache` is a cache in a directory.
//!
//! # Features
//!
#![cfg_attr(feature = "ash", doc = "- `ash`: [`vulkan`],")]
#![cfg_attr(not(feature = "ash"), doc = "- `ash`: the module `vulkan`,")]
//!   structures of Vulkan as types of `ash`, and the [`DeviceFeatures`] of a device.
//! - `serde`: [`Options`], [`Reflection`], [`Shader`], [`Diagnostics`], and the settings of a
//!   [`Source`], to and from any format of `serde`. Options that are left out have their default,
//!   unknown ones are errors.
//! - `spirv-tools`: validation of modules by spirv-val inside the process. Builds C++.
//!
//! # Stability
//!
//! Versions follow semantic versioning for the public interface without `frontend` and `ir`.
//! These two re-export the complete crates below, for tools that inspect or generate programs: they
//! may change in any version.
//!
//! Enumerations that will grow with the languages ([`Code`], [`Dialect`], [`Family`],
//! [`TexelFormat`]), and the results [`Shader`] and [`Linked`], are `#[non_exhaustive]`. Structures
//! of options are not, so that `..Options::default()` works: use it, because fields will be added.
//! Enumerations whose cases a caller must handle separately, such as [`ParamSource`], are
//! exhaustive: a new case requires a new version.
//!
//! # Vertex state programs
//!
//! A program that starts with `!!VSP1.0` is not used for drawing: `glExecuteProgramNV` runs it
//! once, and its results are parameters of vertex programs, `c[0]` to `c[95]` (NV_vertex_program
//! section 2.14.4). It becomes a compute shader, of which a caller dispatches one work group.
//! [`Reflection::state_program`] describes the storage buffer of 96 vectors, which must contain the
//! parameters before the dispatch and contains the results after it, and lists the parameters that
//! the program writes. The vector that the program is executed with, its `v[0]`, is
//! [`ParamSource::Argument`] in the parameter block.
//!
//! ```
//! use glasm::ParamSource;
//! use glasm::state::{GlState, MatrixForm, TrackedMatrix, MatrixTracking};
//! use glasm::{Options, ProgramType, Source, compile};
//!
//! let source = Source::new("scaled normal", "!!VSP1.0
//!     DP3 R0.w, c[4], c[4];
//!     RSQ R0.w, R0.w;
//!     MUL R0, c[4], R0.w;
//!     MUL c[4].xyz, R0, v[0].x;
//!     END").for_type(ProgramType::VertexState);
//! let shader = compile(&source, &Options::default()).unwrap_or_else(|errors| panic!("{}", errors.render(&source)));
//! let program = shader.reflection.state_program.expect("a state program");
//! assert_eq!(program.written_parameters, [4]);
//! assert_eq!(shader.reflection.workgroup_size, Some([1, 1, 1]));
//!
//! // A program that writes a parameter which tracks a matrix is not executed: GL's error is INVALID_OPERATION.
//! let mut state = GlState::default();
//! state.track_matrix(8, Some(MatrixTracking { matrix: TrackedMatrix::ModelviewProjection, form: MatrixForm::Plain }));
//! assert!(!program.written_parameters.iter().any(|&index| state.get_tracking(index).is_some()));
//!
//! // The parameters: what the application set, and the rows of the matrices that are tracked.
//! let mut parameters = [[0.0f32; 4]; 96];
//! parameters[4] = [0.0, 3.0, 4.0, 1.0];
//! for (index, parameter) in (0..).zip(&mut parameters) {
//!     *parameter = state.get_tracked_row(index).unwrap_or(*parameter);
//! }
//!
//! // The last argument of glExecuteProgramNV.
//! let argument = [2.0f32, 0.0, 0.0, 0.0];
//! let block = shader.reflection.parameter_block.expect("the program reads v[0]");
//! let slots = block.parameters.iter().map(|slot| match slot {
//!     ParamSource::Argument => argument,
//!     _ => unreachable!("state programs have no other slots"),
//! });
//! assert_eq!(slots.count(), 1);
//! // Now bind `parameters` at `program.slot` and the slots at `block.slot`, dispatch (1, 1, 1), and take over what was written.
//! ```

#![forbid(unsafe_code)]

mod advertised_limits;
mod cache;
pub mod fixed_function;
pub mod layout;
mod link;
pub mod opengl;
mod pipeline_cache;
mod program;
mod program_errors;
pub mod stages;
pub mod state;
#[cfg(feature = "spirv-tools")]
pub mod validate;
#[cfg(feature = "ash")]
pub mod vulkan;

pub use advertised_limits::Limits;
pub use cache::{CacheKey, VERSION, compute_cache_key};
pub use glasm_codegen::device_features;
pub use glasm_codegen::features::{is_feature, vulkan_feature_names};
/// State of GL as words, in the form in which modules read it at run time.
///
/// ```
/// use glasm::{Options, PipelineState, StateBlock};
///
/// let pipeline_state = PipelineState { two_sided_color: true, ..PipelineState::default() };
/// let words = StateBlock::new(&Options { pipeline_state, ..Options::default() });
/// assert_eq!(words.0[..2], [1, 0]);
/// ```
pub use glasm_codegen::options::StateBlock;
pub use glasm_codegen::options::{
    AlphaTest, BindingLayout, Capture, ClipDepth, CompareFunction, Conventions, DebugInfo,
    DefaultTessLevels, DepthMode, DeviceFeatures, FIRST_ATTACHMENT_BINDING, FIRST_IMAGE_BINDING,
    HandleLimits, IMAGE_LOCK_BINDING, IMAGE_UNITS, InterfaceTypes, LineStipple, LodBias, MipFilter,
    Options, PipelineState, PointOrigin, PointSize, PolygonStipple, PrimitiveIdMode, StateSource,
    StateSources, Subgroups, Target, TexelFilter, TexelFormat, TextTarget, TextureWrap,
    TransformFeedback, VaryingLocation, Varyings, WrapMode,
};
pub use glasm_codegen::varyings::{VARYING_LOCATIONS, varying_location};
/// The crate that reads and checks programs. Not stable: see the documentation of this crate.
pub use glasm_frontend as frontend;
pub use glasm_frontend::diag::{LineMap, Position};
pub use glasm_frontend::lang::limits;
pub use glasm_frontend::source::{Family, Version};
pub use glasm_frontend::{
    Acceptance, Code, Diagnostic, Diagnostics, Dialect, Location, ProgramSpan, ProgramType,
    ResourceCounts, Severity, Source, TgsiOptions, count_resources, find_tgsi_output_registers,
    split_programs, translate,
};
/// The intermediate representation. Not stable: see the documentation of this crate.
pub use glasm_ir as ir;
pub use glasm_ir::semantic::Sampling;
pub use glasm_ir::{
    BaseType, Input, Interpolation, Output, ParamSource, Saturate, Semantic, Span, Stage,
    TexTarget, Width,
};
pub use link::{Linked, compute_pipeline_key, link, link_with};
pub use pipeline_cache::PipelineCache;
pub use program::{Compiler, Program, Shader, compile};
pub use program_errors::{LinkErrors, ProgramErrors};
pub use reflect::Reflection;

/// Interface that a module expects of its caller: [`Reflection`], and all types that it consists
/// of.
pub mod reflect {
    pub use glasm_codegen::options::TextTarget;
    pub use glasm_codegen::reflect::{
        AttachmentBinding, AttributeHalf, BufferBinding, DescriptorSlot, HandleArray, HandleKind,
        ImageBinding, ImageFormat, InterfaceVariable, NamedParameter, ParamBlock, PrimitiveInfo,
        Reflection, Requirements, SamplerBinding, ScalarType, StateBinding, StateProgram,
        StateSpecConstant, TextureBinding, ViewReplication, ViewportSelection,
    };
    pub use glasm_ir::primitive::{
        InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding,
    };
    pub use glasm_ir::resource::STATE_BUFFER_BYTES;
    pub use glasm_ir::state::StateParam;
    pub use glasm_ir::{BufferKind, Interpolation, ParamSource, Semantic, Stage, TexTarget};
}

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeDoctests;

/// The examples of the page about TGSI, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tgsi.md")]
pub struct TgsiDoctests;

/// The examples of the page about embedding, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
pub struct EmbeddingDoctests;
