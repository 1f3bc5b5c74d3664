//! Structures of Vulkan for layouts and reflections.

use crate::layout::{DescriptorConflict, SetLayout};
use crate::reflect::{InterfaceVariable, ScalarType};
use crate::{Linked, MipFilter, Reflection, Shader, Stage, TexTarget, TexelFilter, TextureWrap};
use ash::vk;

/// Structures of Vulkan for all stages of a linked pipeline. The functions of this module return
/// them for single shaders and layouts.
///
/// ```
/// use ash::vk;
/// use glasm::vulkan::PipelineInfo;
/// use glasm::{Options, Program, Stage, link};
///
/// /// Creates the modules and the layout of a pipeline.
/// unsafe fn create(device: &ash::Device, info: &PipelineInfo<'_>) -> Result<(Vec<vk::ShaderModule>, vk::PipelineLayout), vk::Result> {
///     let modules = info.stages.iter().map(|it| unsafe { device.create_shader_module(&it.module, None) });
///     let modules = modules.collect::<Result<_, _>>()?;
///     let sets = info.set_bindings.iter().map(|bindings| {
///         let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
///         unsafe { device.create_descriptor_set_layout(&set, None) }
///     });
///     let sets: Vec<_> = sets.collect::<Result<_, _>>()?;
///     let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
///     Ok((modules, unsafe { device.create_pipeline_layout(&layout, None)? }))
/// }
///
/// let vertex = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.texcoord[0], vertex.texcoord[0];\nEND";
/// let vertex = Program::load_string("a.vp", Stage::Vertex, vertex)?;
/// let fragment = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[2], 2D;\nEND";
/// let fragment = Program::load_string("a.fp", Stage::Fragment, fragment)?;
/// let pipeline = link(&[&vertex, &fragment], &Options::default());
/// pipeline.check()?;
/// let info = PipelineInfo::new(&pipeline)?;
/// assert!(info.stages[1].flag == vk::ShaderStageFlags::FRAGMENT);
/// // Set 0 has the matrices of the vertex program, set 1 the texture of unit 2.
/// assert_eq!((info.set_bindings.len(), info.set_bindings[1][0].binding), (2, 2));
/// // Attribute 0 is the position, attribute 8 is texture coordinate set 0.
/// let locations: Vec<u32> = info.attributes.iter().map(|it| it.location).collect();
/// assert_eq!(locations, [0, 8]);
/// # let _ = create;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PipelineInfo<'a> {
    /// The stages that are compiled, in the order of [`Linked::shaders`].
    pub stages: Vec<StageInfo<'a>>,
    /// The bindings of descriptor set layouts: set number n at index n.
    pub set_bindings: Vec<Vec<vk::DescriptorSetLayoutBinding<'static>>>,
    /// The descriptors that one set of each layout takes from a pool.
    pub pool_sizes: Vec<vk::DescriptorPoolSize>,
    /// The vertex attributes as [`build_attributes`] returns them; empty without a vertex stage.
    pub attributes: Vec<vk::VertexInputAttributeDescription>,
}

/// Structures of Vulkan for a stage of a pipeline.
#[derive(Clone)]
pub struct StageInfo<'a> {
    /// The stage.
    pub flag: vk::ShaderStageFlags,
    /// Creates the module, and points to its words.
    pub module: vk::ShaderModuleCreateInfo<'a>,
    /// The specialization constants as [`list_spec_constants`] returns them.
    pub spec_constants: Vec<vk::SpecializationMapEntry>,
}

impl<'a> PipelineInfo<'a> {
    /// Returns the structures for a pipeline.
    ///
    /// # Errors
    /// Returns the conflict if two stages require descriptors of different kinds at a slot.
    pub fn new(pipeline: &'a Linked) -> Result<Self, DescriptorConflict> {
        let layouts = pipeline.build_set_layouts()?;
        let stages = pipeline.shaders().map(|shader| StageInfo {
            flag: get_stage_flag(shader.reflection.stage),
            module: build_module_info(shader),
            spec_constants: list_spec_constants(&shader.reflection),
        });
        let vertex = pipeline.shader(Stage::Vertex);
        Ok(Self {
            stages: stages.collect(),
            set_bindings: layouts.iter().map(build_layout_bindings).collect(),
            pool_sizes: build_pool_sizes(&layouts),
            attributes: vertex.map_or_else(Vec::new, |it| build_attributes(&it.reflection)),
        })
    }
}

/// Returns the flag of a stage.
pub fn get_stage_flag(stage: Stage) -> vk::ShaderStageFlags {
    vk::ShaderStageFlags::from_raw(crate::layout::get_stage_bit(stage))
}

/// Returns the structure that creates the module of a shader, and points to its words.
pub fn build_module_info(shader: &Shader) -> vk::ShaderModuleCreateInfo<'_> {
    vk::ShaderModuleCreateInfo::default().code(&shader.words)
}

/// Returns the stage of a pipeline that runs the module of a shader.
pub fn build_stage_info(
    shader: &Shader,
    module: vk::ShaderModule,
) -> vk::PipelineShaderStageCreateInfo<'static> {
    // The entry points of all modules have this name.
    debug_assert_eq!(shader.reflection.entry_point, "main");
    vk::PipelineShaderStageCreateInfo::default()
        .stage(get_stage_flag(shader.reflection.stage))
        .module(module)
        .name(c"main")
}

/// Returns the specialization constants of a module, whose data are
/// [`StateBlock::bytes`](crate::StateBlock::bytes).
///
/// ```
/// use ash::vk;
/// use glasm::vulkan::list_spec_constants;
/// use glasm::{Options, Source, StateBlock, StateSource, compile};
///
/// let mut options = Options::default();
/// options.state_sources.alpha_test = StateSource::SpecConstant;
/// let shader = compile(&Source::new("white.fp", "!!ARBfp1.0\nMOV result.color, 1;\nEND"), &options)?;
/// let (entries, state) = (list_spec_constants(&shader.reflection), StateBlock::new(&options));
/// let bytes = state.bytes();
/// let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&bytes);
/// assert_eq!((specialization.map_entry_count, specialization.data_size), (2, 336));
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
pub fn list_spec_constants(reflection: &Reflection) -> Vec<vk::SpecializationMapEntry> {
    let state = reflection.state_block.iter();
    let constants = state.flat_map(|state| &state.spec_constants);
    let entries = constants.map(|constant| vk::SpecializationMapEntry {
        constant_id: constant.id,
        offset: 4 * constant.word_index,
        size: 4,
    });
    entries.collect()
}

/// Returns the bindings of a descriptor set layout.
pub fn build_layout_bindings(layout: &SetLayout) -> Vec<vk::DescriptorSetLayoutBinding<'static>> {
    let bindings = layout.bindings.iter().map(|binding| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(binding.binding)
            .descriptor_type(to_descriptor_type(binding.descriptor_type))
            .descriptor_count(binding.descriptor_count)
            .stage_flags(vk::ShaderStageFlags::from_raw(binding.stage_flags))
    });
    bindings.collect()
}

/// Returns the descriptors that one set of each of these layouts takes from a pool.
pub fn build_pool_sizes(layouts: &[SetLayout]) -> Vec<vk::DescriptorPoolSize> {
    let bindings = layouts.iter().flat_map(|layout| &layout.bindings);
    let sizes = bindings.map(|binding| vk::DescriptorPoolSize {
        ty: to_descriptor_type(binding.descriptor_type),
        descriptor_count: binding.descriptor_count,
    });
    sizes.collect()
}

/// Converts the type of a descriptor.
pub fn to_descriptor_type(ty: crate::layout::DescriptorType) -> vk::DescriptorType {
    vk::DescriptorType::from_raw(ty.to_vulkan() as i32)
}

/// Returns the format of the type that a module reads an input as. Vulkan converts normalized
/// integers to floats, and adds (0, 0, 0, 1) to shorter vectors, so a caller may use other formats
/// of the same type.
pub fn get_input_format(input: &InterfaceVariable) -> vk::Format {
    use vk::Format as F;
    let formats = match input.scalar_type {
        ScalarType::Float32 => [
            F::R32_SFLOAT,
            F::R32G32_SFLOAT,
            F::R32G32B32_SFLOAT,
            F::R32G32B32A32_SFLOAT,
        ],
        ScalarType::Sint32 => [
            F::R32_SINT,
            F::R32G32_SINT,
            F::R32G32B32_SINT,
            F::R32G32B32A32_SINT,
        ],
        ScalarType::Uint32 => [
            F::R32_UINT,
            F::R32G32_UINT,
            F::R32G32B32_UINT,
            F::R32G32B32A32_UINT,
        ],
        ScalarType::Float64 => [
            F::R64_SFLOAT,
            F::R64G64_SFLOAT,
            F::R64G64B64_SFLOAT,
            F::R64G64B64A64_SFLOAT,
        ],
    };
    let last = usize::from(input.component_count).checked_sub(1);
    let format = last.and_then(|last| formats.get(last)).copied();
    format.unwrap_or(F::UNDEFINED)
}

/// Returns the vertex attributes of a module with their locations and [formats](get_input_format),
/// each at the start of the vertex buffer of the same number; callers with other buffers change
/// `binding`, `offset` and `format`.
pub fn build_attributes(reflection: &Reflection) -> Vec<vk::VertexInputAttributeDescription> {
    let inputs = reflection.inputs.iter();
    let attributes = inputs.filter_map(|input| {
        let location = input.location?;
        Some(vk::VertexInputAttributeDescription {
            location,
            binding: location,
            format: get_input_format(input),
            offset: 0,
        })
    });
    attributes.collect()
}

/// Returns the address mode of a sampler for a wrap mode of GL: the value of `TEXTURE_WRAP_S`, `_T` or
/// `_R`. Modes that samplers lack need [`Options::texture_wraps`](crate::Options::texture_wraps)
/// ([`TextureWrap::from_gl`](crate::TextureWrap::from_gl)). `None` for other numbers.
///
/// ```
/// use ash::vk::SamplerAddressMode;
/// use glasm::vulkan::convert_wrap;
///
/// assert!(convert_wrap(0x2901) == Some(SamplerAddressMode::REPEAT)); // GL_REPEAT
/// assert!(convert_wrap(0x2900) == Some(SamplerAddressMode::CLAMP_TO_BORDER)); // GL_CLAMP
/// assert!(convert_wrap(0x2601).is_none());
/// ```
pub fn convert_wrap(wrap: u32) -> Option<vk::SamplerAddressMode> {
    use vk::SamplerAddressMode as Mode;
    Some(match wrap {
        // CLAMP, CLAMP_TO_BORDER, MIRROR_CLAMP_EXT, MIRROR_CLAMP_TO_BORDER_EXT
        0x2900 | 0x812d | 0x8742 | 0x8912 => Mode::CLAMP_TO_BORDER,
        // CLAMP_TO_EDGE, MIRROR_CLAMP_TO_EDGE
        0x812f | 0x8743 => Mode::CLAMP_TO_EDGE,
        0x2901 => Mode::REPEAT,
        0x8370 => Mode::MIRRORED_REPEAT,
        _ => return None,
    })
}

/// Returns the filters of a sampler within and between levels for a filter of GL: the value of
/// `TEXTURE_MIN_FILTER` or `TEXTURE_MAG_FILTER`. Without mipmaps (`NEAREST`, `LINEAR`) the second is
/// nearest, and `max_lod` must be 0.25. `None` for other numbers.
///
/// ```
/// use ash::vk::{Filter, SamplerMipmapMode};
/// use glasm::vulkan::convert_filter;
///
/// // GL_LINEAR_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR
/// assert!(convert_filter(0x2701) == Some((Filter::LINEAR, SamplerMipmapMode::NEAREST)));
/// assert!(convert_filter(0x2702) == Some((Filter::NEAREST, SamplerMipmapMode::LINEAR)));
/// assert!(convert_filter(0x2601) == Some((Filter::LINEAR, SamplerMipmapMode::NEAREST)));
/// assert!(convert_filter(0x2901).is_none());
/// ```
pub fn convert_filter(filter: u32) -> Option<(vk::Filter, vk::SamplerMipmapMode)> {
    const NEAREST: u32 = 0x2600;
    const REPEAT: u32 = 0x2901;
    let filters = TextureWrap::from_gl([REPEAT; 3], NEAREST, filter)?;
    let texels = match filters.min_filter {
        TexelFilter::Nearest => vk::Filter::NEAREST,
        TexelFilter::Linear => vk::Filter::LINEAR,
    };
    let levels = match filters.mip_filter {
        MipFilter::None | MipFilter::Nearest => vk::SamplerMipmapMode::NEAREST,
        MipFilter::Linear => vk::SamplerMipmapMode::LINEAR,
    };
    Some((texels, levels))
}

/// Returns the type of the views of the textures and images of a target; `None` for buffers, which
/// have buffer views.
pub fn get_view_type(target: TexTarget) -> Option<vk::ImageViewType> {
    use vk::ImageViewType as View;
    Some(match target {
        TexTarget::D1 => View::TYPE_1D,
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Multisample => View::TYPE_2D,
        TexTarget::D3 => View::TYPE_3D,
        TexTarget::Cube => View::CUBE,
        TexTarget::D1Array => View::TYPE_1D_ARRAY,
        TexTarget::D2Array | TexTarget::D2MultisampleArray => View::TYPE_2D_ARRAY,
        TexTarget::CubeArray => View::CUBE_ARRAY,
        TexTarget::Buffer => return None,
    })
}
