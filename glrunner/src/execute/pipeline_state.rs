//! State of a draw, which scripts name as Vulkan does.

use super::gl_enums::{
    BLEND_FACTORS, BLEND_OPS, COMPARISONS, CULL_MODES, FRONT_FACES, LOGIC_OPS, POLYGON_MODES,
    STENCIL_OPS, gl_name,
};
use super::gl_features::{Feature, NO_VERSION};
use crate::error::Problem;
use crate::gl::{self, Gl, Version};
use ash::vk::{BlendFactor, ColorComponentFlags, ConservativeRasterizationModeEXT, FrontFace};
use glasm_scripts::script::pipeline_state::{BlendState, PipelineState, StencilFace};
use glasm_scripts::script::stages::ProvokingVertex;
use glasm_scripts::script::{Convention, Requirements};

/// Features that every driver has.
const BASE: Feature = feature(Version(2, 1), &[]);
const CLIP_CONTROL: Feature = feature(Version(4, 5), &["GL_ARB_clip_control"]);
const CONSERVATIVE: Feature = feature(NO_VERSION, &["GL_NV_conservative_raster"]);
const DEPTH_BOUNDS: Feature = feature(NO_VERSION, &["GL_EXT_depth_bounds_test"]);
const DEPTH_CLAMP: Feature = feature(Version(3, 2), &["GL_ARB_depth_clamp", "GL_NV_depth_clamp"]);
const DISCARD: Feature = feature(Version(3, 0), &["GL_NV_transform_feedback"]);
const DUAL_SOURCE: Feature = feature(Version(3, 3), &["GL_ARB_blend_func_extended"]);
const INDEXED_BLENDING: Feature = feature(Version(4, 0), &[]);
const OFFSET_CLAMP: Feature = feature(Version(4, 6), &["GL_ARB_polygon_offset_clamp"]);
const PROVOKING: Feature = feature(Version(3, 2), &["GL_ARB_provoking_vertex"]);
const SAMPLE_MASK: Feature = feature(Version(3, 2), &["GL_ARB_texture_multisample"]);
const SAMPLE_SHADING: Feature = feature(Version(4, 0), &[]);
const VIEWPORTS: Feature = feature(Version(4, 1), &["GL_ARB_viewport_array"]);

/// Returns a feature that is core since version `core` and that each of `extensions` provides
/// before it.
const fn feature(core: Version, extensions: &'static [&'static str]) -> Feature {
    Feature { core, extensions }
}

/// Sets all state of a draw whose programs write these colors, a bit for each. Skips scripts with
/// state that OpenGL or the driver lacks.
pub(super) fn set_pipeline_state(
    gl: &Gl,
    requirements: &Requirements,
    state: &PipelineState,
    written_colors: u32,
) -> Result<(), Problem> {
    let flip = set_viewports(gl, state, requirements.framebuffer)?;
    set_clip_space(gl, requirements.convention, flip)?;
    set_rasterization(gl, state, flip)?;
    set_depth(gl, state)?;
    set_stencil(gl, state)?;
    let colors = requirements.attachments.colors.len();
    set_blending(gl, state, colors, written_colors)?;
    set_multisampling(gl, state, requirements.attachments.samples)?;
    Ok(gl.check_errors("setting the state of a draw")?)
}

/// Enables or disables capabilities, each with the feature that it needs. Skips scripts that enable
/// one that the driver lacks; those that are off need not be supported.
fn set_capabilities(gl: &Gl, capabilities: &[(u32, bool, Feature)]) -> Result<(), Problem> {
    for (capability, on, feature) in capabilities {
        if *on {
            feature.require(gl)?;
            gl.Enable(*capability)?;
        } else if feature.is_supported(gl) {
            gl.Disable(*capability)?;
        }
    }
    Ok(())
}

/// Vertical flip of images, which scripts request by negative heights of viewports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VerticalFlip {
    No,
    Yes,
}

/// Returns the viewports of a draw with heights above 0, that of the whole framebuffer for unset
/// ones, and whether they are flipped. Skips scripts that flip only some of them.
fn resolve_viewports(
    state: &PipelineState,
    size: [u32; 2],
) -> Result<(Vec<[f32; 4]>, VerticalFlip), Problem> {
    let full_viewport = [0.0, 0.0, size[0] as f32, size[1] as f32];
    let requested = state.viewports.iter().take(state.viewport_count());
    let given: Vec<[f32; 4]> = requested
        .map(|given| given.unwrap_or(full_viewport))
        .collect();
    let flipped = given.iter().filter(|[.., height]| *height < 0.0).count();
    let flip = match flipped {
        0 => VerticalFlip::No,
        count if count == given.len() => VerticalFlip::Yes,
        _ => {
            let reason = "OpenGL turns all viewports over or none".to_owned();
            return Err(Problem::Unsupported(reason));
        }
    };
    let upright = given
        .into_iter()
        .map(|[x, y, width, height]| [x, y + height.min(0.0), width, height.abs()]);
    Ok((upright.collect(), flip))
}

/// Sets the viewports, the depth range and the scissor rectangle for a framebuffer of `size`.
/// Returns whether the image is flipped vertically. Skips scripts with more viewports than the
/// driver has.
fn set_viewports(gl: &Gl, state: &PipelineState, size: [u32; 2]) -> Result<VerticalFlip, Problem> {
    let (viewports, flip) = resolve_viewports(state, size)?;
    let is_whole = |viewport: &[f32; 4]| viewport.iter().all(|it| it.fract() == 0.0);
    match viewports.as_slice() {
        [only] if is_whole(only) => {
            let [x, y, width, height] = only.map(|it| it as i32);
            gl.Viewport(x, y, width, height)?;
        }
        all => {
            VIEWPORTS.require(gl)?;
            if all.len() > gl.integer(gl::MAX_VIEWPORTS)?.unsigned_abs() as usize {
                let reason = format!("the driver lacks {} viewports", all.len());
                return Err(Problem::Unsupported(reason));
            }
            for ([x, y, width, height], number) in all.iter().zip(0..) {
                gl.ViewportIndexedf(number, *x, *y, *width, *height)?;
            }
        }
    }
    let [near, far] = state.depth_range;
    gl.DepthRange(near.into(), far.into())?;
    set_capabilities(gl, &[(gl::SCISSOR_TEST, state.scissor.is_some(), BASE)])?;
    if let Some(scissor) = state.scissor {
        // Scripts name no corners beyond the integers.
        let [x, y, width, height] = scissor.map(u32::cast_signed);
        gl.Scissor(x, y, width, height)?;
    }
    Ok(flip)
}

/// Sets the clip space. The depth range of Vulkan's clip space is 0 to w; a flipped image has its
/// origin at the top. Skips scripts that need another one than OpenGL's default if the driver
/// cannot change it.
fn set_clip_space(gl: &Gl, convention: Convention, flip: VerticalFlip) -> Result<(), Problem> {
    let depth = match convention {
        Convention::Vulkan => gl::ZERO_TO_ONE,
        Convention::OpenGl => gl::NEGATIVE_ONE_TO_ONE,
    };
    let origin = match flip {
        VerticalFlip::No => gl::LOWER_LEFT,
        VerticalFlip::Yes => gl::UPPER_LEFT,
    };
    if (origin, depth) != (gl::LOWER_LEFT, gl::NEGATIVE_ONE_TO_ONE) {
        CLIP_CONTROL.require(gl)?;
    }
    if CLIP_CONTROL.is_supported(gl) {
        gl.ClipControl(origin, depth)?;
    }
    Ok(())
}

/// Sets rasterizer discard, face culling, polygon mode, line width, depth bias, conservative
/// rasterization and the provoking vertex. Skips scripts with modes that OpenGL or the driver
/// lacks.
fn set_rasterization(gl: &Gl, state: &PipelineState, flip: VerticalFlip) -> Result<(), Problem> {
    let bias = state.depth_bias;
    let conservative = match state.conservative_rasterization {
        ConservativeRasterizationModeEXT::DISABLED => false,
        ConservativeRasterizationModeEXT::OVERESTIMATE => true,
        other => return Err(Problem::Unsupported(format!("OpenGL has no {other:?}"))),
    };
    let culls = !state.cull_mode.is_empty();
    set_capabilities(
        gl,
        &[
            (gl::RASTERIZER_DISCARD, state.rasterizer_discard, DISCARD),
            (gl::CULL_FACE, culls, BASE),
            (gl::POLYGON_OFFSET_POINT, bias, BASE),
            (gl::POLYGON_OFFSET_LINE, bias, BASE),
            (gl::POLYGON_OFFSET_FILL, bias, BASE),
            (
                gl::CONSERVATIVE_RASTERIZATION_NV,
                conservative,
                CONSERVATIVE,
            ),
        ],
    )?;
    if culls {
        gl.CullFace(gl_name(CULL_MODES, state.cull_mode)?)?;
    }
    gl.FrontFace(gl_name(FRONT_FACES, gl_front_face(state.front_face, flip))?)?;
    gl.PolygonMode(
        gl::FRONT_AND_BACK,
        gl_name(POLYGON_MODES, state.polygon_mode)?,
    )?;
    gl.LineWidth(state.line_width)?;
    let (slope, constant) = (
        state.depth_bias_slope_factor,
        state.depth_bias_constant_factor,
    );
    if state.depth_bias_clamp == 0.0 {
        gl.PolygonOffset(slope, constant)?;
    } else {
        OFFSET_CLAMP.require(gl)?;
        gl.PolygonOffsetClamp(slope, constant, state.depth_bias_clamp)?;
    }
    PROVOKING.require(gl)?;
    gl.ProvokingVertex(match state.provoking_vertex {
        ProvokingVertex::First => gl::FIRST_VERTEX_CONVENTION,
        ProvokingVertex::Last => gl::LAST_VERTEX_CONVENTION,
    })?;
    Ok(())
}

/// Returns the front face for OpenGL, which determines the orientation of faces before it flips
/// images, unlike Vulkan.
fn gl_front_face(face: FrontFace, flip: VerticalFlip) -> FrontFace {
    match (flip, face) {
        (VerticalFlip::No, face) => face,
        (VerticalFlip::Yes, FrontFace::CLOCKWISE) => FrontFace::COUNTER_CLOCKWISE,
        (VerticalFlip::Yes, _) => FrontFace::CLOCKWISE,
    }
}

/// Sets depth test, depth writes, clamping and the depth bounds test. Skips scripts with clamping
/// or bounds that the driver lacks.
fn set_depth(gl: &Gl, state: &PipelineState) -> Result<(), Problem> {
    set_capabilities(
        gl,
        &[
            (gl::DEPTH_TEST, state.depth_test, BASE),
            (gl::DEPTH_CLAMP, state.depth_clamp, DEPTH_CLAMP),
            (
                gl::DEPTH_BOUNDS_TEST_EXT,
                state.depth_bounds_test,
                DEPTH_BOUNDS,
            ),
        ],
    )?;
    gl.DepthMask(state.depth_write.into())?;
    gl.DepthFunc(gl_name(COMPARISONS, state.depth_compare_op)?)?;
    if state.depth_bounds_test {
        gl.DepthBoundsEXT(state.min_depth_bounds.into(), state.max_depth_bounds.into())?;
    }
    Ok(())
}

/// Sets the stencil test with functions, operations and masks of both faces. References are reduced
/// to eight bits.
fn set_stencil(gl: &Gl, state: &PipelineState) -> Result<(), Problem> {
    set_capabilities(gl, &[(gl::STENCIL_TEST, state.stencil_test, BASE)])?;
    let faces: [(u32, &StencilFace); 2] = [(gl::FRONT, &state.front), (gl::BACK, &state.back)];
    for (face, stencil) in faces {
        let comparison = gl_name(COMPARISONS, stencil.compare_op)?;
        // OpenGL clamps references to eight bits, Vulkan uses their low bits.
        let reference = (stencil.reference & 0xff).cast_signed();
        gl.StencilFuncSeparate(face, comparison, reference, stencil.compare_mask)?;
        let [fail, depth_fail, pass] = [stencil.fail_op, stencil.depth_fail_op, stencil.pass_op]
            .map(|op| gl_name(STENCIL_OPS, op));
        gl.StencilOpSeparate(face, fail?, depth_fail?, pass?)?;
        gl.StencilMaskSeparate(face, stencil.write_mask)?;
    }
    Ok(())
}

/// Sets the blend state of `colors` attachments. `written` has a bit for every color that the
/// fragment program writes; in OpenGL the others are undefined, in scripts they are unchanged.
/// Skips scripts with different states of attachments, or with factors or operations, that the
/// driver lacks.
fn set_blending(
    gl: &Gl,
    state: &PipelineState,
    colors: usize,
    written: u32,
) -> Result<(), Problem> {
    let [red, green, blue, alpha] = state.blend_constants;
    gl.BlendColor(red, green, blue, alpha)?;
    set_capabilities(gl, &[(gl::COLOR_LOGIC_OP, state.logic_op_enable, BASE)])?;
    gl.LogicOp(gl_name(LOGIC_OPS, state.logic_op)?)?;
    let attachments = state.attachments.iter().take(colors).zip(0..);
    let states: Vec<BlendState> = attachments
        .map(|(blend, number)| match written >> number & 1 {
            0 => BlendState {
                color_write_mask: ColorComponentFlags::empty(),
                ..*blend
            },
            _ => *blend,
        })
        .collect();
    for (blend, number) in states.iter().zip(0..) {
        let [red, green, blue, alpha] = color_write_mask(blend);
        gl.ColorMaski(number, red, green, blue, alpha)?;
    }
    let unmasked = |blend: &BlendState| BlendState {
        color_write_mask: ColorComponentFlags::empty(),
        ..*blend
    };
    if let [first, others @ ..] = states.as_slice()
        && others
            .iter()
            .all(|other| unmasked(other) == unmasked(first))
    {
        return set_blending_all(gl, first);
    }
    for (blend, number) in states.iter().zip(0..) {
        INDEXED_BLENDING.require(gl)?;
        set_blending_indexed(gl, number, blend)?;
    }
    Ok(())
}

/// Returns which of red, green, blue and alpha are written, 1 or 0, as arguments of `glColorMaski`.
fn color_write_mask(blend: &BlendState) -> [u8; 4] {
    [
        ColorComponentFlags::R,
        ColorComponentFlags::G,
        ColorComponentFlags::B,
        ColorComponentFlags::A,
    ]
    .map(|channel| blend.color_write_mask.contains(channel).into())
}

/// Blending by the names of OpenGL.
struct GlBlendState {
    /// Source and destination of colors, then of alpha.
    factors: [u32; 4],
    /// Operations on colors and on alpha.
    ops: [u32; 2],
}

impl GlBlendState {
    /// Converts factors and operations of blending to enumerants of OpenGL. Skips scripts with
    /// those that OpenGL or the driver lacks.
    fn from_blend_state(gl: &Gl, blend: &BlendState) -> Result<Self, Problem> {
        let factors = [
            blend.src_color_factor,
            blend.dst_color_factor,
            blend.src_alpha_factor,
            blend.dst_alpha_factor,
        ];
        if blend.blend && factors.iter().any(|factor| reads_second_source(*factor)) {
            DUAL_SOURCE.require(gl)?;
        }
        let [a, b, c, d] = factors.map(|factor| gl_name(BLEND_FACTORS, factor));
        Ok(Self {
            factors: [a?, b?, c?, d?],
            ops: [
                gl_name(BLEND_OPS, blend.color_op)?,
                gl_name(BLEND_OPS, blend.alpha_op)?,
            ],
        })
    }
}

/// Returns true if a blend factor is the second color of a fragment.
fn reads_second_source(factor: BlendFactor) -> bool {
    [
        BlendFactor::SRC1_COLOR,
        BlendFactor::ONE_MINUS_SRC1_COLOR,
        BlendFactor::SRC1_ALPHA,
        BlendFactor::ONE_MINUS_SRC1_ALPHA,
    ]
    .contains(&factor)
}

/// Enables or disables blending, with the same factors and equations for all color attachments.
fn set_blending_all(gl: &Gl, blend: &BlendState) -> Result<(), Problem> {
    let GlBlendState {
        factors: [source, destination, source_alpha, destination_alpha],
        ops: [op, op_alpha],
    } = GlBlendState::from_blend_state(gl, blend)?;
    set_capabilities(gl, &[(gl::BLEND, blend.blend, BASE)])?;
    if blend.blend {
        gl.BlendFuncSeparate(source, destination, source_alpha, destination_alpha)?;
        gl.BlendEquationSeparate(op, op_alpha)?;
    }
    Ok(())
}

/// Enables or disables blending of color attachment `number`, with its factors and equations.
fn set_blending_indexed(gl: &Gl, number: u32, blend: &BlendState) -> Result<(), Problem> {
    let GlBlendState {
        factors: [source, destination, source_alpha, destination_alpha],
        ops: [op, op_alpha],
    } = GlBlendState::from_blend_state(gl, blend)?;
    if blend.blend {
        gl.Enablei(gl::BLEND, number)?;
        gl.BlendFuncSeparatei(number, source, destination, source_alpha, destination_alpha)?;
        gl.BlendEquationSeparatei(number, op, op_alpha)?;
    } else {
        gl.Disablei(gl::BLEND, number)?;
    }
    Ok(())
}

/// Sets the sample mask, alpha to coverage, alpha to one and sample shading. Skips scripts that
/// mask samples or set alpha to one where pixels have one sample: OpenGL ignores both there.
fn set_multisampling(gl: &Gl, state: &PipelineState, samples: u32) -> Result<(), Problem> {
    let all_samples = u64::MAX >> (u64::BITS - samples.min(u64::BITS));
    let masked = state.sample_mask & all_samples != all_samples;
    // OpenGL 4.6 (Compatibility Profile), section 17.3.3: all of this is skipped where pixels have
    // no samples.
    if samples == 1 && (masked || state.alpha_to_one) {
        let reason =
            "OpenGL masks samples and replaces alpha only where pixels have several samples";
        return Err(Problem::Unsupported(reason.to_owned()));
    }
    set_capabilities(
        gl,
        &[
            (gl::SAMPLE_ALPHA_TO_COVERAGE, state.alpha_to_coverage, BASE),
            (gl::SAMPLE_ALPHA_TO_ONE, state.alpha_to_one, BASE),
            (gl::SAMPLE_MASK, masked, SAMPLE_MASK),
            (gl::SAMPLE_SHADING, state.sample_shading, SAMPLE_SHADING),
        ],
    )?;
    if masked {
        gl.SampleMaski(0, state.sample_mask as u32)?;
        if samples > u32::BITS {
            gl.SampleMaski(1, (state.sample_mask >> u32::BITS) as u32)?;
        }
    }
    if state.sample_shading {
        gl.MinSampleShading(state.min_sample_shading)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_heights_turn_pictures_over() {
        let mut state = PipelineState::default();
        let found = |state: &PipelineState| resolve_viewports(state, [8, 4]).unwrap();
        assert_eq!(
            found(&state),
            (vec![[0.0, 0.0, 8.0, 4.0]], VerticalFlip::No)
        );
        state.viewports[0] = Some([1.5, 4.0, 2.0, -3.0]);
        assert_eq!(
            found(&state),
            (vec![[1.5, 1.0, 2.0, 3.0]], VerticalFlip::Yes)
        );
        state.viewports[1] = Some([0.0, 0.0, 2.0, 3.0]);
        assert!(matches!(
            resolve_viewports(&state, [8, 4]),
            Err(Problem::Unsupported(_))
        ));
    }

    #[test]
    fn faces_are_counted_in_the_picture() {
        let face = FrontFace::COUNTER_CLOCKWISE;
        assert_eq!(gl_front_face(face, VerticalFlip::No), face);
        assert_eq!(gl_front_face(face, VerticalFlip::Yes), FrontFace::CLOCKWISE);
        assert_eq!(gl_front_face(FrontFace::CLOCKWISE, VerticalFlip::Yes), face);
    }
}
