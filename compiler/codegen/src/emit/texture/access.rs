//! One texture access: its sources, its image operands, and the instruction that reads texels.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, arith};
use crate::capability::Requirement;
use crate::dynamic_state::{STATE_UNITS, StateField};
use crate::emit::context::{FunctionEmitter, InstContext, TextureEmitter};
use crate::emit::texture::offset::fold_offset;
use crate::emit::texture::texture_variable::{
    declare_sampled_type, is_plain_image, is_rectangle, texel_scalar,
};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::DepthMode;
use crate::spirv_writer::{OperandList, TypeWord, ValueWord};
use glasm_ir::resource::{TexMode, TexSourceRole, TexelOffset};
use glasm_ir::{Saturate, Src, Stage, TexAccess, TexTarget, Texture};
use spirv::{ImageOperands, Op as Spv};

/// Texture access with its loaded sources, and its texture.
#[derive(Clone, Copy)]
pub(in crate::emit) struct TextureAccess {
    pub(super) texture: Texture,
    pub(super) data: TexAccess,
    /// Lanes of the result that are read later.
    pub(super) lanes: u8,
    pub(super) image: TypeWord,
    /// Combined image sampler, or image.
    pub(super) object: ValueWord,
    /// Sampler for the image, if it belongs to another unit.
    pub(super) sampler: Option<ValueWord>,
    /// True if it may differ between invocations.
    pub(super) divergent: bool,
    pub(super) coordinate: Option<Val>,
    pub(super) reference: Option<Val>,
    pub(super) mode_operands: [Option<Val>; 2],
    /// Minimum level of detail.
    pub(super) min_lod: Option<Val>,
    pub(super) offset: Option<Val>,
}

impl TextureAccess {
    /// Returns an access without operands, which are loaded later.
    const fn new(texture: Texture, data: TexAccess, lanes: u8) -> Self {
        Self {
            texture,
            data,
            lanes,
            image: TypeWord(0),
            object: ValueWord::NONE,
            sampler: None,
            divergent: false,
            coordinate: None,
            reference: None,
            mode_operands: [None; 2],
            min_lod: None,
            offset: None,
        }
    }

    /// Returns the operand words of a texture instruction: object, coordinate if there is one,
    /// `extra`, and the image operands after their mask unless there are none.
    fn operand_words(
        &self,
        object: ValueWord,
        extra: Option<Val>,
        operands: &ImageOperandWords,
    ) -> OperandList {
        let mut words = OperandList::default();
        words.push(object);
        words.extend(self.coordinate.into_iter().chain(extra).map(|val| val.id));
        if operands.bits != 0 {
            words.push(operands.bits);
            words.extend(operands.words.iter().copied());
        }
        words
    }
}

/// Image operands in the order of their bits.
#[derive(Default)]
pub(super) struct ImageOperandWords {
    bits: u32,
    words: OperandList,
}

impl ImageOperandWords {
    /// Appends an image operand: its bit in the mask, and its ids. Operands must be added in the
    /// order of their bits.
    pub(super) fn push(&mut self, bit: ImageOperands, ids: &[ValueWord]) {
        self.bits |= bit.bits();
        self.words.extend(ids.iter().copied());
    }
}

/// Source of the level of detail of a sample.
#[derive(Clone, Copy)]
enum LodSource {
    /// Derivatives that the device computes.
    Implicit,
    /// Operands.
    Explicit,
}

impl TextureEmitter<'_, '_> {
    /// Emits a texture instruction that reads texels at the coordinate, and returns the lanes of
    /// its result. The result of a depth comparison is expanded by the depth texture mode.
    /// Residency is recorded while a test requests it.
    pub(super) fn emit_access_op(
        &mut self,
        access: &TextureAccess,
        op: Spv,
        object: ValueWord,
        extra: Option<Val>,
        operands: &ImageOperandWords,
    ) -> [Lane; 4] {
        let words = access.operand_words(object, extra, operands);
        // Gathers that compare return four results.
        let compares = matches!(
            op,
            Spv::ImageSampleDrefImplicitLod | Spv::ImageSampleDrefExplicitLod
        );
        let size = if compares { 1 } else { 4 };
        let scalar = texel_scalar(access.texture.texel_type);
        let val = self
            .residency
            .emit_texel_op(self.function.builder, op, scalar, size, &words);
        self.function.builder.decorate_result(val, op);
        if compares {
            return apply_depth_mode(
                &mut self.function.io(),
                access.texture.units.first(),
                val.lane(0),
            );
        }
        val.lanes()
    }

    /// Emits a sample whose coordinate is passed to the sampler unchanged. Returns an error for
    /// buffer and multisample textures, and for dynamic offsets without their feature.
    pub(super) fn emit_native_sample(
        &mut self,
        access: &TextureAccess,
    ) -> Result<[Lane; 4], Failure> {
        if access.texture.target == TexTarget::Buffer || access.texture.target.is_multisample() {
            return Err(Error::unsupported(
                "buffer and multisample textures can only be fetched",
            ));
        }
        let mut operands = ImageOperandWords::default();
        let level = push_level_operand(self.function.builder, access, &mut operands);
        push_offset_operand(self.function.builder, access, &mut operands)?;
        if let Some(least) = access.min_lod {
            self.function
                .builder
                .requirements
                .insert(Requirement::MinLod);
            // Last, because its bit is the highest: operands are in the order of their bits
            // (SPIR-V, image operands).
            operands.push(ImageOperands::MIN_LOD, &[least.id]);
        }
        // The opcode specifies the source of the level; image operands alone do not.
        let op = match (access.reference.is_some(), level) {
            (false, LodSource::Implicit) => Spv::ImageSampleImplicitLod,
            (false, LodSource::Explicit) => Spv::ImageSampleExplicitLod,
            (true, LodSource::Implicit) => Spv::ImageSampleDrefImplicitLod,
            (true, LodSource::Explicit) => Spv::ImageSampleDrefExplicitLod,
        };
        let object = make_sampled_image(self.function.builder, access);
        Ok(self.emit_access_op(access, op, object, access.reference, &operands))
    }

    /// Emits `OpImageGather` of a component, or `OpImageDrefGather` for accesses with a depth
    /// reference.
    pub(super) fn emit_gather(
        &mut self,
        access: &TextureAccess,
        component: u8,
        operands: &ImageOperandWords,
    ) -> [Lane; 4] {
        let (op, extra) = match access.reference {
            Some(reference) => (Spv::ImageDrefGather, reference),
            None => {
                // A constant: VUID-StandaloneSpirv-OpImageGather-04664.
                let component = self
                    .function
                    .builder
                    .constant_u32_val(u32::from(component & 3));
                (Spv::ImageGather, component)
            }
        };
        let object = make_sampled_image(self.function.builder, access);
        self.emit_access_op(access, op, object, Some(extra), operands)
    }
}

/// Loads the operands of an access from the sources of its instruction, but not its texture. A
/// dynamic offset becomes constant if its value is known.
pub(super) fn load_texture_sources(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    data: TexAccess,
) -> Result<TextureAccess, Failure> {
    let texture = function.program.textures[data.texture];
    let mut access = TextureAccess::new(texture, data, cx.lanes);
    // The sources depend on mode and target; `TexAccess` defines their order.
    for (number, src) in function.program.sources(cx.inst).iter().enumerate() {
        load_texture_source(function, &mut access, number, src)?;
    }
    if access.data.offset == TexelOffset::Dynamic {
        fold_offset(function.builder, &mut access);
    }
    Ok(access)
}

/// Loads source `number` of a texture instruction and stores it in the field of `access` for its
/// role. Depth references are clamped to [0, 1]; derivatives and offsets exclude layers.
fn load_texture_source(
    function: &mut FunctionEmitter<'_>,
    access: &mut TextureAccess,
    number: usize,
    src: &Src,
) -> Result<(), Failure> {
    let data = &access.data;
    let lanes = data.source_lanes(number);
    let val = function.load_source_as(src, data.source_type(number), lanes)?;
    // Equal components are a scalar, which SPIR-V does not accept instead of a vector.
    let mut val = function.builder.widen(val, lanes.count_ones().max(1) as u8);
    let role = data.source_role(number);
    let is_gradient = data.mode == TexMode::Grad && matches!(role, TexSourceRole::Mode(_));
    if role == TexSourceRole::Offset || is_gradient {
        // Derivatives and offsets exclude the layer.
        let dimensions = access.texture.target.dimensions();
        val = function.builder.take_components(val, dimensions);
    }
    match role {
        TexSourceRole::Coordinate => access.coordinate = Some(val),
        // ARB_shadow section 3.8.13.1 clamps the reference to [0, 1]; devices clamp it for depths
        // of normalized formats only.
        TexSourceRole::Reference => {
            access.reference = Some(arith::clamp(function.builder, val, Saturate::Unsigned))
        }
        // At most two: the derivatives in x and y.
        TexSourceRole::Mode(index) => access.mode_operands[index & 1] = Some(val),
        TexSourceRole::MinLod => access.min_lod = Some(val),
        TexSourceRole::Offset => access.offset = Some(val),
    }
    Ok(())
}

/// Returns the lanes of a depth comparison: the depth texture mode of the unit, from the options or
/// from state at run time, determines which of them contain the result (ARB_shadow section
/// 3.8.13.1).
pub(super) fn apply_depth_mode(io: &mut Io<'_>, unit: Option<u32>, depth: Lane) -> [Lane; 4] {
    if !io.options.state_sources.depth_modes.is_fixed()
        && let Some(unit) = unit.filter(|unit| *unit < STATE_UNITS)
    {
        return select_depth_lanes(io, unit, depth);
    }
    let mode = get_unit_option(&io.options.depth_modes, unit);
    let mut constant = |value| Lane::scalar(io.builder.constant_f32(value));
    match mode {
        DepthMode::Luminance => [depth, depth, depth, constant(1.0)],
        DepthMode::Intensity => [depth; 4],
        DepthMode::Alpha => {
            let zero = constant(0.0);
            [zero, zero, zero, depth]
        }
        DepthMode::Red => {
            let zero = constant(0.0);
            [depth, zero, zero, constant(1.0)]
        }
    }
}

/// Returns the lanes of a depth comparison of a texture unit whose mode is read at run time.
fn select_depth_lanes(io: &mut Io<'_>, unit: u32, depth: Lane) -> [Lane; 4] {
    let word = io.gl_state().load_at(StateField::DepthModes, unit / 16);
    let mode = io.gl_state().extract_bits(word, unit % 16 * 2, 2);
    let [is_alpha, is_one, is_red] = [DepthMode::Alpha, DepthMode::Luminance, DepthMode::Red]
        .map(|known| io.gl_state().compare(Spv::IEqual, mode, known as u32));
    let depth = io.builder.read_lane_val(depth, Scalar::F32);
    let [zero, one] = [0.0, 1.0].map(|number| io.builder.constant_f32_val(number));
    // Modes in the order of `DepthMode`: alpha is 1 for luminance and red.
    let is_one = io.builder.emit_logical(Spv::LogicalOr, is_one, is_red);
    let first = io.builder.emit_select(is_alpha, zero, depth);
    let middle = io.builder.emit_select(is_red, zero, first);
    let last = io.builder.emit_select(is_one, one, depth);
    [first, middle, middle, last].map(|val| val.lane(0))
}

/// Adds the image operand for the level of detail of a sample, and returns the source of the level.
/// Outside fragment programs, which have no derivatives, the level is explicit: the base level plus
/// a bias.
fn push_level_operand(
    module: &mut ModuleWriter,
    access: &TextureAccess,
    operands: &mut ImageOperandWords,
) -> LodSource {
    let in_fragment = module.stage() == Stage::Fragment;
    if is_rectangle(module, access.texture.target) && access.data.mode != TexMode::Grad {
        return push_rectangle_level(module, access, operands);
    }
    match (access.data.mode, access.mode_operands) {
        (TexMode::Lod, [Some(lod), _]) => operands.push(ImageOperands::LOD, &[lod.id]),
        (TexMode::Grad, [Some(dx), Some(dy)]) => {
            operands.push(ImageOperands::GRAD, &[dx.id, dy.id])
        }
        (TexMode::Bias, [Some(bias), _]) if in_fragment => {
            operands.push(ImageOperands::BIAS, &[bias.id]);
            return LodSource::Implicit;
        }
        // Implicit levels exist in fragment stages only. Other stages have no derivatives: they
        // access the base level, relative to which a bias is counted.
        (TexMode::Bias, [Some(bias), _]) => operands.push(ImageOperands::LOD, &[bias.id]),
        _ if in_fragment => return LodSource::Implicit,
        _ => operands.push(ImageOperands::LOD, &[module.constant_f32(0.0)]),
    }
    LodSource::Explicit
}

/// Adds the image operand for the level of rectangles, which have one level and accept neither a
/// level nor a bias as operand, and returns the source of the level: implicit without an operand,
/// or derivatives of 0.
// `Lod` and `Bias` are permitted for images of 1D, 2D, 3D and cubes (SPIR-V, image operands).
fn push_rectangle_level(
    module: &mut ModuleWriter,
    access: &TextureAccess,
    operands: &mut ImageOperandWords,
) -> LodSource {
    let takes_derivatives = matches!(access.data.mode, TexMode::Implicit | TexMode::Bias);
    if takes_derivatives && module.stage() == Stage::Fragment {
        return LodSource::Implicit;
    }
    // Derivatives of 0 select the base level.
    let none = module.constant_splat(Scalar::F32, 0, 2).id;
    operands.push(ImageOperands::GRAD, &[none, none]);
    LodSource::Explicit
}

/// Combines the image of the access with its sampler, for instructions of the open block: SPIR-V
/// permits such values only there. Returns the object of the access if it has no separate sampler.
pub(super) fn make_sampled_image(builder: &mut ValueBuilder, access: &TextureAccess) -> ValueWord {
    let Some(sampler) = access.sampler else {
        return access.object;
    };
    let ty = declare_sampled_type(builder, access.image);
    let object = builder.new_object();
    let operands = [access.object.0, sampler.0];
    builder
        .body
        .push_result_inst(Spv::SampledImage, ty, object, &operands);
    object
}

/// Returns the image of an access without its sampler: emits `OpImage` where they are combined,
/// decorated if the index of the texture is divergent.
pub(super) fn extract_image(builder: &mut ValueBuilder, access: &TextureAccess) -> ValueWord {
    if access.sampler.is_some() || is_plain_image(builder, access.texture.target) {
        return access.object;
    }
    let image = builder.new_object();
    let operands = [access.object.0];
    builder
        .body
        .push_result_inst(Spv::Image, access.image, image, &operands);
    if access.divergent {
        builder.decorate_divergent(image);
    }
    image
}

/// Converts rectangle coordinates, which count texels, and their derivatives to Vulkan's range from
/// 0 to 1. Emits a query of the size and adds its requirement.
pub(super) fn convert_rectangle_coordinates(
    builder: &mut ValueBuilder,
    access: &mut TextureAccess,
) {
    let image = extract_image(builder, access);
    builder.requirements.insert(Requirement::ImageQuery);
    let zero = builder.constant_u32(0);
    let size = builder.emit_op(Spv::ImageQuerySizeLod, Scalar::U32, 2, &[image.0, zero.0]);
    let size = builder.emit_unary_to(Spv::ConvertUToF, Scalar::F32, size);
    let gradients = access.mode_operands.iter_mut().flatten();
    let gradients = gradients.filter(|_| access.data.mode == TexMode::Grad);
    for val in access.coordinate.iter_mut().chain(gradients) {
        *val = builder.emit_binary(Spv::FDiv, *val, size);
    }
}

/// Adds the texel offset of the access as an image operand, constant or dynamic, or nothing without
/// an offset. Returns an error if the device lacks dynamic offsets.
pub(super) fn push_offset_operand(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    operands: &mut ImageOperandWords,
) -> Result<(), Failure> {
    match (access.data.offset, access.offset) {
        (TexelOffset::Constant(texels), _) => {
            let dimensions = access.texture.target.dimensions();
            let id = make_constant_offset(builder, texels, dimensions);
            operands.push(ImageOperands::CONST_OFFSET, &[id]);
        }
        (TexelOffset::Dynamic, Some(offset)) => {
            builder.require(Requirement::GatherExtended)?;
            // Signed, like constant offsets.
            let offset = builder.cast(offset.id, Scalar::S32);
            operands.push(ImageOperands::OFFSET, &[offset]);
        }
        (TexelOffset::None | TexelOffset::Dynamic, _) => {}
    }
    Ok(())
}

/// Returns the constant for a texel offset: a signed integer or vector of them.
fn make_constant_offset(module: &mut ModuleWriter, texels: [i8; 3], dimensions: u8) -> ValueWord {
    // Signed: the range of offsets is checked according to the signedness of the type.
    let bits = texels.map(|texel| i32::from(texel) as u32);
    let parts = bits.map(|bits| module.constant(Scalar::S32, u64::from(bits)));
    match dimensions {
        1 => parts[0],
        _ => module.constant_composite(Scalar::S32, &parts[..usize::from(dimensions)]),
    }
}

/// Adds a dynamic offset to the dimensions of a coordinate, not to its layer.
pub(super) fn add_offset(builder: &mut ValueBuilder, coordinate: Val, offset: Val) -> Val {
    let lanes = builder.pad_with_zeros(offset);
    let offset = builder.gather_vector(&lanes[..coordinate.size as usize], Scalar::U32);
    builder.emit_binary(Spv::IAdd, coordinate, offset)
}

/// Returns the option of a texture image unit from a list. Handles have no unit; they and missing
/// units have the default.
pub(super) fn get_unit_option<T: Copy + Default>(list: &[T], unit: Option<u32>) -> T {
    let known = unit.and_then(|unit| list.get(unit as usize));
    known.copied().unwrap_or_default()
}
