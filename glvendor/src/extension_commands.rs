//! Extensions of the time of programs that do not concern programs: their state in a context, and
//! those of their commands that display lists contain.

use crate::context::State;
use crate::fences::{self, Fences};
use crate::ffi::driver;
use crate::memory_ranges::MemoryRanges;
use crate::multisample_hint::{self, MultisampleHint};
use crate::occlusion_queries::{self, OcclusionQueries};
use crate::register_combiners::{self, CombinerCommand, Combiners};
use crate::texture_shaders::{self, TextureShaderCommand, TextureShaders};

/// State of the extensions in a context.
#[derive(Debug, Default)]
pub(crate) struct ExtensionState {
    pub(crate) fences: Fences,
    pub(crate) occlusion: OcclusionQueries,
    pub(crate) combiners: Combiners,
    pub(crate) ranges: MemoryRanges,
    pub(crate) multisample_hint: MultisampleHint,
    pub(crate) texture_shaders: TextureShaders,
}

/// Command in display lists.
#[derive(Clone, Debug)]
pub(crate) enum ExtensionCommand {
    /// `SetFenceNV`: fence, condition.
    SetFence(u32, u32),
    /// `BeginOcclusionQueryNV`
    BeginOcclusionQuery(u32),
    /// `EndOcclusionQueryNV`
    EndOcclusionQuery,
    /// `Enable` or `Disable` of `OCCLUSION_TEST_HP`.
    EnableOcclusionTest(bool),
    /// `BeginConditionalRenderNVX`
    BeginConditionalRender(u32),
    /// `EndConditionalRenderNVX`
    EndConditionalRender,
    /// `Hint` of `MULTISAMPLE_FILTER_HINT_NV`.
    MultisampleHint(u32),
    /// Command of NV_register_combiners.
    Combiner(CombinerCommand),
    /// Command of NV_texture_shader.
    TextureShader(TextureShaderCommand),
}

/// Executes a command, with its errors.
pub(crate) fn execute_extension_command(state: &mut State, command: &ExtensionCommand) {
    match command {
        ExtensionCommand::SetFence(name, condition) => fences::set_fence(state, *name, *condition),
        ExtensionCommand::BeginOcclusionQuery(name) => occlusion_queries::begin_query(state, *name),
        ExtensionCommand::EndOcclusionQuery => occlusion_queries::end_query(state),
        ExtensionCommand::EnableOcclusionTest(enabled) => {
            state.extensions.occlusion.set_testing(*enabled);
        }
        ExtensionCommand::BeginConditionalRender(name) => {
            occlusion_queries::begin_conditional_render(state, *name);
        }
        ExtensionCommand::EndConditionalRender => driver::EndConditionalRender(),
        ExtensionCommand::MultisampleHint(mode) => multisample_hint::set_hint(state, *mode),
        ExtensionCommand::Combiner(command) => register_combiners::execute(state, command),
        ExtensionCommand::TextureShader(command) => texture_shaders::execute(state, command),
    }
}

/// Returns the command that enables or disables a capability of these extensions; `None` for other
/// capabilities.
pub(crate) fn enable_command(capability: u32, enabled: bool) -> Option<ExtensionCommand> {
    if capability == occlusion_queries::OCCLUSION_TEST {
        return Some(ExtensionCommand::EnableOcclusionTest(enabled));
    }
    let combiner = register_combiners::enable_command(capability, enabled);
    let shader = texture_shaders::enable_command(capability, enabled);
    let shader = shader.map(ExtensionCommand::TextureShader);
    combiner.map(ExtensionCommand::Combiner).or(shader)
}

/// Returns whether a capability of these extensions is enabled. `None` for other capabilities, and
/// between `Begin` and `End`, where the driver reports the error.
pub(crate) fn is_enabled(state: &State, capability: u32) -> Option<bool> {
    if state.is_inside_begin_end {
        return None;
    }
    if capability == occlusion_queries::OCCLUSION_TEST {
        return Some(state.extensions.occlusion.is_testing);
    }
    let extensions = &state.extensions;
    let combiners = extensions.combiners.is_enabled(capability);
    let shaders = extensions.texture_shaders.is_enabled(capability);
    let ranges = || extensions.ranges.is_enabled(capability);
    combiners.or(shaders).or_else(ranges)
}

/// Returns the state of these extensions that `GetIntegerv` has under a name. `None` for other
/// names, and between `Begin` and `End`, where the driver reports the error.
pub(crate) fn query_integer(state: &mut State, name: u32) -> Option<i32> {
    if state.is_inside_begin_end {
        return None;
    }
    let combiners = state.extensions.combiners.query_integer(name);
    let shaders = state.extensions.texture_shaders.is_enabled(name);
    let ranges = || state.extensions.ranges.query_integer(name);
    let hint = state.extensions.multisample_hint.query_integer(name);
    let known = combiners.or(shaders.map(i32::from));
    let value = known.or_else(ranges).or(hint);
    value.or_else(|| occlusion_queries::query_integer(state, name))
}
