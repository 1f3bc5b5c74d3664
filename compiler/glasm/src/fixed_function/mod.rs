//! The fixed functions of OpenGL as program strings.
//!
//! If an application binds only a vertex program or only a fragment program, or none, GL
//! transforms, lights and textures according to its state. [`generate_vertex_program`] and
//! [`generate_fragment_program`] generate programs of the ARB languages for these functions, which
//! are loaded and compiled like any other. [`FixedVertexKey`] and [`FixedFragmentKey`] are the
//! state that determines the program, and the keys by which a caller caches the programs. All other
//! state (matrices, colors of lights, fog) is read through `state.*` parameters, which
//! [`GlState`](crate::state::GlState) evaluates: it changes without a new program.
//!
//! The vertex program has `OPTION ARB_position_invariant`, so that its depths equal those of the
//! caller's invariant programs and [`PipelineState::clip_plane_mask`](crate::PipelineState)
//! applies. Functions that GL has outside of programs are options of the compiler, as for the
//! caller's programs: clamped vertex colors, the selection of the face's color, flat colors, point
//! sprites, the alpha test.
//!
//! ```
//! use glasm::fixed_function::{FixedFragmentKey, FixedVertexKey, FogMode, FogSource, LightKey, LightingKey, TextureTarget};
//! use glasm::fixed_function::{generate_fragment_program, generate_vertex_program};
//! use glasm::{Options, Source, compile};
//!
//! // One infinite light, one texture that modulates the color, and fog by depth.
//! let mut lighting = LightingKey::default();
//! lighting.lights[0] = LightKey { enabled: true, ..LightKey::default() };
//! let mut vertex = FixedVertexKey {
//!     lighting: Some(lighting),
//!     fog_coordinate_source: Some(FogSource::FragmentDepth),
//!     ..FixedVertexKey::default()
//! };
//! vertex.tex_coord_sets[0].is_read = true;
//! let mut fragment = FixedFragmentKey { fog_mode: Some(FogMode::Linear), ..FixedFragmentKey::default() };
//! fragment.texture_units[0].target = Some(TextureTarget::D2);
//!
//! for text in [generate_vertex_program(&vertex), generate_fragment_program(&fragment)] {
//!     let source = Source::new("fixed functions", text.as_bytes());
//!     assert!(compile(&source, &Options::default()).is_ok(), "{text}");
//! }
//! ```

mod enumerants;
mod fragment;
mod keys;
mod program_text;
mod register_combiners;
mod texture_shaders;
mod vertex;

pub use fragment::generate_fragment_program;
pub use keys::{
    BaseFormat, ColorMaterial, Combine, CombineArgument, CombineFunction, CombineOperand,
    CombineScale, CombineSource, Combiner, FixedFragmentKey, FixedVertexKey, FogMode, FogSource,
    LightKey, LightingKey, MATERIAL_ATTRIBUTES, MAX_LIGHTS, MAX_TEXTURE_UNITS, MaterialFaces,
    MaterialMode, NormalScaling, TexCoordSet, TexGenMode, TextureEnvironment, TextureTarget,
    TextureUnit,
};
pub use register_combiners::{
    COMBINER_CONSTANTS, CombinerInput, CombinerKey, CombinerPortion, CombinerRegister,
    ComponentUsage, GeneralCombiner, InputMapping, MAX_GENERAL_COMBINERS, OutputScale,
    RegisterCombiners, generate_combiner_program,
};
pub use texture_shaders::{
    CullMode, DotProductMapping, ShaderOperation, TEXTURE_SHADER_CONSTANTS, TextureFormatType,
    TextureShaderKey, TextureShaderStage, find_consistent_stages, generate_texture_shader_program,
};
pub use vertex::generate_vertex_program;

#[cfg(test)]
mod tests;
