//! The public interface of the library, by name: the items that its users compile against. A change
//! of the interface requires a change of this file, and of the changelog.
//!
//! Neither `glasm::ir` nor `glasm::frontend` is listed, because the version guarantees exclude
//! them. Tools that compare interfaces need the JSON of rustdoc, which only nightly compilers
//! write; `tests/acceptance/public-api.txt` has the names that stable compilers can list.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::fixed_function::{
    BaseFormat, COMBINER_CONSTANTS, ColorMaterial, Combine, CombineArgument, CombineFunction,
    CombineOperand, CombineScale, CombineSource, Combiner, CombinerInput, CombinerKey,
    CombinerPortion, CombinerRegister, ComponentUsage, CullMode, DotProductMapping,
    FixedFragmentKey, FixedVertexKey, FogMode, FogSource, GeneralCombiner, InputMapping, LightKey,
    LightingKey, MATERIAL_ATTRIBUTES, MAX_GENERAL_COMBINERS, MAX_LIGHTS, MAX_TEXTURE_UNITS,
    MaterialFaces, MaterialMode, NormalScaling, OutputScale, RegisterCombiners, ShaderOperation,
    TEXTURE_SHADER_CONSTANTS, TexCoordSet, TexGenMode, TextureEnvironment, TextureFormatType,
    TextureShaderKey, TextureShaderStage, TextureTarget, TextureUnit, find_consistent_stages,
    generate_combiner_program, generate_fragment_program, generate_texture_shader_program,
    generate_vertex_program,
};
use glasm::reflect::{
    AttachmentBinding, AttributeHalf, BufferBinding, BufferKind, DescriptorSlot, HandleArray,
    HandleKind, ImageBinding, ImageFormat, InputPrimitive, InterfaceVariable, NamedParameter,
    OutputPrimitive, ParamBlock, PrimitiveInfo, Requirements, STATE_BUFFER_BYTES, SamplerBinding,
    ScalarType, StateBinding, StateParam, StateProgram, StateSpecConstant, TessMode, TessSpacing,
    TessWinding, TextureBinding, ViewReplication, ViewportSelection,
};
use glasm::state::{GlState, Light, MatrixForm, MatrixName, ParameterValue, ShortBlock};
use glasm::{
    Acceptance, AlphaTest, BaseType, BindingLayout, CacheKey, Capture, ClipDepth, Code,
    CompareFunction, Compiler, Conventions, DebugInfo, DefaultTessLevels, DepthMode,
    DeviceFeatures, Diagnostic, Diagnostics, Dialect, FIRST_ATTACHMENT_BINDING,
    FIRST_IMAGE_BINDING, Family, HandleLimits, IMAGE_LOCK_BINDING, IMAGE_UNITS, Input,
    InterfaceTypes, Interpolation, Limits, LineMap, LineStipple, LinkErrors, Linked, Location,
    LodBias, MipFilter, Options, Output, ParamSource, PipelineCache, PipelineState, PointOrigin,
    PointSize, PolygonStipple, Position, PrimitiveIdMode, Program, ProgramErrors, ProgramSpan,
    ProgramType, Reflection, ResourceCounts, Sampling, Saturate, Semantic, Severity, Shader,
    Source, Span, Stage, StateBlock, StateSource, StateSources, Subgroups, Target, TexTarget,
    TexelFilter, TexelFormat, TextTarget, TextureWrap, TgsiOptions, TransformFeedback,
    VARYING_LOCATIONS, VERSION, VaryingLocation, Varyings, Version, Width, WrapMode, compile,
    compute_cache_key, compute_pipeline_key, count_resources, find_tgsi_output_registers,
    is_feature, limits, link, link_with, split_programs, varying_location, vulkan_feature_names,
};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::sync::Arc;

/// Items that are re-exported for tools, or cannot be named in a value: the macro that is the table
/// of features.
const UNLISTED_NAMES: [&str; 4] = ["device_features", "frontend", "ir", "translate"];

/// Returns the names that the root of the library re-exports.
fn list_exports() -> BTreeSet<&'static str> {
    let root = include_str!("../src/lib.rs");
    let statements = root.split("\npub use ").skip(1);
    let lists = statements.map(|statement| {
        let path = statement.split(';').next().unwrap();
        let list = path.split_once('{').map_or(path, |(_, list)| list);
        list.trim_end_matches('}').split(',')
    });
    let names = lists.flatten().map(|path| {
        let name = path.rsplit("::").next().unwrap();
        name.rsplit(" as ").next().unwrap().trim()
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn every_name_of_the_surface_is_here() {
    let exported = list_exports();
    assert!(exported.len() > 70, "{exported:?}");
    let this = include_str!("surface.rs");
    let imports = this.split("use glasm::").skip(1).take(4);
    let imports: String = imports.collect();
    let imports = imports.split("use std::").next().unwrap();
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let imports: BTreeSet<_> = imports.split(|c| !is_word(c)).collect();
    for name in exported {
        assert_eq!(
            imports.contains(name),
            !UNLISTED_NAMES.contains(&name),
            "{name}"
        );
    }
}

#[test]
fn functions_have_these_types() {
    type Compiled = Result<Shader, Diagnostics>;
    let _: fn(&Source<'_>, &Options) -> Compiled = compile;
    let _: fn(Vec<u32>, Reflection) -> Shader = Shader::from_cached;
    let _: fn(StateSource) -> bool = StateSource::is_fixed;
    let _: fn() -> PipelineState = PipelineState::gl_initial;
    let _: fn(PointSize) -> f32 = PointSize::pixels;
    let _: fn(f32) -> PointSize = PointSize::from;
    let _: fn() -> Vec<&'static str> = vulkan_feature_names;
    let _: fn(&Options, &Program) -> Options = Options::for_program;
    let _: fn(&FixedVertexKey) -> u16 = FixedVertexKey::find_material_attributes;
    let _: fn(&Source<'_>) -> Result<Program, Diagnostics> = Program::load;
    let _: fn(&Program, &Options) -> Compiled = Program::compile;
    let _: fn(&Program) -> Stage = Program::stage;
    let _: fn(&Program) -> Option<Dialect> = Program::dialect;
    let _: fn(&Program) -> &Diagnostics = Program::warnings;
    let _: fn(&Program) -> Source<'_> = Program::source;
    let _: fn(DeviceFeatures, u32, u32) -> Options = glasm::opengl::build_options;
    let _: fn() -> Options = glasm::opengl::build_default_options;
    let _: fn(u32, u32) -> BindingLayout = BindingLayout::opengl;
    let _: fn() -> Compiler = Compiler::new;
    let _: fn(&mut Compiler, &Source<'_>, &Options) -> Compiled = Compiler::compile;
    let _: fn(&mut Compiler, &Source<'_>) -> Result<Program, Diagnostics> = Compiler::load;
    let _: fn(&mut Compiler, &Program, &Options) -> Compiled = Compiler::compile_program;
    let _: fn(&mut Compiler, &[&Program], &Options) -> Linked = Compiler::link;
    let _: fn(&mut Compiler, &[(&Program, &Options)]) -> Linked = Compiler::link_with;
    let _: fn(&[&Program], &Options) -> Linked = link;
    let _: fn(&[&Program], &Options) -> CacheKey = compute_pipeline_key;
    let _: fn(&Linked, Stage) -> Option<&Shader> = Linked::shader;
    let _: fn(Linked) -> Result<Vec<Shader>, LinkErrors> = Linked::into_shaders;
    let _: fn(&Linked) -> Result<(), LinkErrors> = Linked::check;
    let _: fn(&Linked, Option<&Linked>) -> Vec<Stage> = Linked::find_changed_stages;
    let _: fn(&str, Stage, &str) -> Result<Program, ProgramErrors> = Program::load_string;
    let _: fn(&ProgramErrors) -> (i64, String) = ProgramErrors::gl_error;
    let _: fn(Stage) -> &'static str = Stage::file_extension;
    let _: fn(&[(&Program, &Options)]) -> Linked = link_with;
    let _: fn(&Source<'_>, &Options) -> CacheKey = compute_cache_key;
    let _: fn(&CacheKey) -> &[u8; 32] = CacheKey::as_bytes;
    let _: fn([u8; 32]) -> CacheKey = CacheKey::from_bytes;
    let _: fn(&Source<'_>) -> Result<ResourceCounts, Diagnostics> = count_resources;
    let _: fn(&Source<'_>) -> Vec<(u32, Semantic)> = find_tgsi_output_registers;
    let _: fn(Semantic) -> Option<u32> = varying_location;
    let _: fn(&str) -> bool = is_feature;
    let _: fn(&Diagnostics, &Source<'_>) -> String = Diagnostics::render;
    let _: fn(&Diagnostics, &Source<'_>) -> String = Diagnostics::to_json;
    let _: fn(&Diagnostics, &Source<'_>) -> Option<usize> = Diagnostics::gl_error_position;
    let _: fn(&GlState, StateParam) -> [f32; 4] = GlState::evaluate_param;
    let _: fn(&[u8]) -> Option<Dialect> = Dialect::detect;
    let _: fn(&FixedVertexKey) -> String = generate_vertex_program;
    let _: fn(&FixedFragmentKey) -> String = generate_fragment_program;
    let _: fn(&CombinerKey) -> String = generate_combiner_program;
    let _: fn(&TextureShaderKey) -> String = generate_texture_shader_program;
    let _: fn(&TextureShaderKey) -> u8 = find_consistent_stages;
    let _: fn(&Light) -> LightKey = LightKey::from_light;
    assert_eq!(split_programs(b"!!ARBfp1.0 END").count(), 1);
}

#[test]
fn functions_for_layers_have_these_types() {
    type CachedPipeline = Result<Arc<Linked>, LinkErrors>;
    let _: fn(&mut PipelineCache, &[&Program], &Options) -> CachedPipeline =
        PipelineCache::get_or_link;
    let _: fn(&mut PipelineCache, &Program) = PipelineCache::remove;
    let _: fn(Target) -> Options = Options::for_gl_context;
    let _: fn([u32; 3], u32, u32) -> Option<TextureWrap> = TextureWrap::from_gl;
    let _: fn(u32) -> Option<WrapMode> = WrapMode::from_gl;
    let _: fn(u32) -> Option<CompareFunction> = CompareFunction::from_gl;
    let _: fn(u32) -> Option<ProgramType> = ProgramType::from_gl;
    let _: fn(&Shader) -> usize = Shader::parameter_block_size;
    let _: fn(&Diagnostics, &Source<'_>) -> (i64, String) = Diagnostics::gl_error;
    let _: fn(&Shader, &Shader) -> bool = Shader::is_same_module;
}

fn value<T: Clone + PartialEq + Debug + Send + Sync + Unpin + 'static>() {}

fn setting<T: Clone + Eq + Hash + Debug + Send + Sync + Unpin + 'static>() {}

fn options<T: Clone + Eq + Hash + Debug + Default + Send + Sync + Unpin + 'static>() {}

fn error<T: Error + Display + Clone + Eq + Send + Sync + Unpin + 'static>() {}

macro_rules! all {
    ($check:ident: $($name:ty),* $(,)?) => { $($check::<$name>();)* };
}

#[test]
fn types_have_these_traits() {
    all!(
        options: Options, BindingLayout, ClipDepth, Conventions, DebugInfo, DepthMode,
        DeviceFeatures, PipelineState, HandleLimits, InterfaceTypes, MipFilter, LodBias, AlphaTest, CompareFunction,
        DefaultTessLevels, PointOrigin, PolygonStipple, PrimitiveIdMode, StateSource, StateSources, Subgroups, Target, TexelFilter, TextureWrap,
        TransformFeedback, Varyings, WrapMode, Acceptance, TgsiOptions, MatrixForm, Interpolation,
        Sampling, FixedVertexKey, FixedFragmentKey, LightingKey, LightKey, ColorMaterial, MaterialFaces, MaterialMode, NormalScaling,
        TexCoordSet, TexGenMode, TextureUnit, BaseFormat, TextureEnvironment, Combine, CombineScale,
        CombinerKey, RegisterCombiners, GeneralCombiner, TextureShaderKey, TextureShaderStage,
    );
    all!(
        setting: Saturate, FogMode, FogSource, TextureTarget, Combiner, CombinerInput, CombinerPortion, CombinerRegister, ComponentUsage, InputMapping, OutputScale, ShaderOperation, DotProductMapping, CullMode, TextureFormatType, CombineFunction, CombineArgument, CombineSource, CombineOperand, LineStipple, TextTarget, StateBlock, StateSpecConstant, CacheKey, Capture, VaryingLocation, TexelFormat, Code, Dialect, Family, Version,
        ProgramType, ProgramSpan, Span, Semantic, Stage, ParamSource, StateParam, MatrixName, TexTarget,
        BaseType, Width, BufferKind, DescriptorSlot, AttributeHalf, HandleKind, ImageFormat, ScalarType,
        ViewportSelection, InputPrimitive, OutputPrimitive, TessMode, TessWinding, TessSpacing,
    );
    all!(
        value: Shader, Linked, Program, Reflection, ResourceCounts, Limits, Input, Output, Location, Severity, Position,
        AttachmentBinding, BufferBinding, HandleArray, ImageBinding, InterfaceVariable,
        NamedParameter, ParamBlock, PrimitiveInfo, ViewReplication, Requirements, SamplerBinding,
        StateBinding, StateProgram, TextureBinding, GlState, ParameterValue,
    );
    all!(error: Diagnostic, Diagnostics, LinkErrors, ProgramErrors, ShortBlock);
}

#[test]
fn constants_have_these_values() {
    assert_eq!(VERSION, env!("CARGO_PKG_VERSION"));
    assert_eq!(VARYING_LOCATIONS, 32);
    assert_eq!(FIRST_ATTACHMENT_BINDING, 128);
    assert_eq!((FIRST_IMAGE_BINDING, IMAGE_UNITS), (128, 32));
    assert_eq!(IMAGE_LOCK_BINDING, 352);
    assert_eq!(STATE_BUFFER_BYTES, 1536);
    assert_eq!((MAX_LIGHTS, MAX_TEXTURE_UNITS), (8, 8));
    assert_eq!((MAX_GENERAL_COMBINERS, COMBINER_CONSTANTS), (8, 18));
    assert_eq!(TEXTURE_SHADER_CONSTANTS, 24);
    assert_eq!(MATERIAL_ATTRIBUTES, [7, 6, 1, 15, 14, 12, 13, 11, 10, 9]);
    assert_eq!(limits::ATTRIB_COMPONENTS, 128);
}

/// Performs the work of a translation layer with the public interface only: it loads and links,
/// fills the parameters, and reads the interface.
#[test]
fn a_pipeline_needs_the_surface_only() -> Result<(), Box<dyn Error>> {
    let vertex = "!!ARBvp1.0
        PARAM mvp[4] = { state.matrix.mvp };
        DP4 result.position.x, mvp[0], vertex.position;
        DP4 result.position.y, mvp[1], vertex.position;
        DP4 result.position.z, mvp[2], vertex.position;
        DP4 result.position.w, mvp[3], vertex.position;
        MOV result.texcoord[2], vertex.attrib[9];
        END";
    let fragment = "!!ARBfp1.0
        TEMP t;
        TEX t, fragment.texcoord[2], texture[3], 2D;
        MUL result.color, t, program.env[5];
        END";
    let [vertex, fragment] = [("v", vertex), ("f", fragment)]
        .map(|(name, text)| Program::load(&Source::new(name, text)));
    let [vertex, fragment] = [vertex?, fragment?];
    let attributes: Vec<Semantic> = vertex.inputs().map(|input| input.semantic).collect();
    assert!(attributes.contains(&Semantic::VertexAttribute(9)));

    let linked = link(&[&vertex, &fragment], &Options::default());
    let mut state = GlState::default();
    state.modelview_mut(0)[2][2] = 3.0;
    let mut blocks = Vec::new();
    for stage in linked.stages {
        let Reflection {
            parameter_block: params,
            textures,
            ..
        } = stage?.reflection;
        let values = params.into_iter().flat_map(|block| block.parameters);
        let values = values.map(|source| match source {
            ParamSource::State(param) => state.evaluate_param(param),
            ParamSource::Literal(bits) => bits.map(f32::from_bits),
            ParamSource::Env(number) => [number as f32; 4],
            ParamSource::Local(_)
            | ParamSource::Subroutine(_)
            | ParamSource::Named(_)
            | ParamSource::Argument => unreachable!("the programs have none"),
        });
        let textures: Vec<_> = textures.iter().map(|it| (it.unit, it.target)).collect();
        blocks.push((values.collect::<Vec<_>>(), textures));
    }
    assert_eq!(blocks[0].0[2], [0.0, 0.0, 3.0, 0.0]);
    assert_eq!(blocks[1], (vec![[5.0; 4]], vec![(3, TexTarget::D2)]));

    let text = "!!ARBfp1.0\nMOV result.color, nothing;\nEND";
    let source = Source::new("wrong", text);
    let errors = compile(&source, &Options::default()).unwrap_err();
    let Location::Span(span) = errors.list[0].location else {
        unreachable!("the name has a place");
    };
    let Position { line, column } = LineMap::new(source.text).position_at(span.start as usize);
    assert_eq!((line, column), (2, 19));
    assert_eq!(
        errors.to_string(),
        "error[E0201] at bytes 29..36: `nothing` is not declared"
    );
    Ok(())
}
