//! One texture access: its sources, its image operands, and the instruction that reads texels.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, arith};
use crate::capability::Need;
use crate::emit::cx::{FunctionEmitter, InstCx, TextureEmitter};
use crate::emit::texture::object::{
    declare_sampled_type, is_plain_image, is_rectangle, texel_scalar,
};
use crate::emit::texture::offset::fold_offset;
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::DepthMode;
use crate::state::{UNITS, Word};
use crate::words::{OperandList, TypeWord, ValueWord};
use glasm_ir::resource::{TexMode, TexSource, TexelOffset};
use glasm_ir::{Saturate, Src, Stage, TexAccess, TexTarget, Texture};
use spirv::{ImageOperands, Op as Spv};

/// Texture access with its loaded sources, and its texture.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Access {
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
    pub(super) own: [Option<Val>; 2],
    /// Minimum level of detail.
    pub(super) min_lod: Option<Val>,
    pub(super) offset: Option<Val>,
}

impl Access {
    /// Returns an access whose operands are not loaded yet.
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
            own: [None; 2],
            min_lod: None,
            offset: None,
        }
    }

    /// Returns the operands of an instruction with a coordinate.
    fn words(&self, object: ValueWord, extra: Option<Val>, operands: &Operands) -> OperandList {
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
pub(super) struct Operands {
    bits: u32,
    words: OperandList,
}

impl Operands {
    pub(super) fn push(&mut self, bit: ImageOperands, ids: &[ValueWord]) {
        self.bits |= bit.bits();
        self.words.extend(ids.iter().copied());
    }
}

/// Source of the level of detail of a sample.
#[derive(Clone, Copy)]
enum Level {
    /// Derivatives that the device computes.
    Implicit,
    /// Operands.
    Explicit,
}

impl TextureEmitter<'_, '_> {
    /// Emits an access with a coordinate.
    pub(super) fn emit_access_op(
        &mut self,
        access: &Access,
        op: Spv,
        object: ValueWord,
        extra: Option<Val>,
        operands: &Operands,
    ) -> [Lane; 4] {
        let words = access.words(object, extra, operands);
        // Gathers that compare return four results.
        let compares = matches!(
            op,
            Spv::ImageSampleDrefImplicitLod | Spv::ImageSampleDrefExplicitLod
        );
        let size = if compares { 1 } else { 4 };
        let scalar = texel_scalar(access.texture.texel);
        let val = self
            .sparse
            .emit_texel_op(self.f.w, op, scalar, size, &words);
        self.f.w.decorate_result(val, op);
        if compares {
            return apply_depth_mode(&mut self.f.io(), access.texture.units.first(), val.lane(0));
        }
        val.lanes()
    }

    /// Emits a sample whose coordinate is passed to the sampler unchanged.
    pub(super) fn emit_plain_sample(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        if access.texture.target == TexTarget::Buffer || access.texture.target.is_multisample() {
            return Err(Error::unsupported(
                "buffer and multisample textures can only be fetched",
            ));
        }
        let mut operands = Operands::default();
        let level = push_level_operand(self.f.w, access, &mut operands);
        push_offset_operand(self.f.w, access, &mut operands)?;
        if let Some(least) = access.min_lod {
            self.f.w.needs.insert(Need::MinLod);
            // Last, because its bit is the highest: operands are in the order of their bits
            // (SPIR-V, image operands).
            operands.push(ImageOperands::MIN_LOD, &[least.id]);
        }
        // The opcode specifies the source of the level; image operands alone do not.
        let op = match (access.reference.is_some(), level) {
            (false, Level::Implicit) => Spv::ImageSampleImplicitLod,
            (false, Level::Explicit) => Spv::ImageSampleExplicitLod,
            (true, Level::Implicit) => Spv::ImageSampleDrefImplicitLod,
            (true, Level::Explicit) => Spv::ImageSampleDrefExplicitLod,
        };
        let object = make_sampled_image(self.f.w, access);
        Ok(self.emit_access_op(access, op, object, access.reference, &operands))
    }

    pub(super) fn gather_with(
        &mut self,
        access: &Access,
        component: u8,
        operands: &Operands,
    ) -> [Lane; 4] {
        let (op, extra) = match access.reference {
            Some(reference) => (Spv::ImageDrefGather, reference),
            None => {
                // A constant: VUID-StandaloneSpirv-OpImageGather-04664.
                let component = self.f.w.uint_val(u32::from(component & 3));
                (Spv::ImageGather, component)
            }
        };
        let object = make_sampled_image(self.f.w, access);
        self.emit_access_op(access, op, object, Some(extra), operands)
    }
}

/// Loads an access with its sources, but without its texture.
pub(super) fn load_texture_sources(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    data: TexAccess,
) -> Result<Access, Failure> {
    let texture = f.program.textures[data.texture];
    let mut access = Access::new(texture, data, cx.lanes);
    // The sources depend on mode and target; `TexAccess` defines their order.
    for (number, src) in f.program.sources(cx.inst).iter().enumerate() {
        load_texture_source(f, &mut access, number, src)?;
    }
    if access.data.offset == TexelOffset::Dynamic {
        fold_offset(f.w, &mut access);
    }
    Ok(access)
}

fn load_texture_source(
    f: &mut FunctionEmitter<'_>,
    access: &mut Access,
    number: usize,
    src: &Src,
) -> Result<(), Failure> {
    let data = &access.data;
    let lanes = data.source_lanes(number);
    let val = f.load_source_as(src, data.source_type(number), lanes)?;
    // Equal components are a scalar, which SPIR-V does not accept instead of a vector.
    let mut val = f.w.widen(val, lanes.count_ones().max(1) as u8);
    let role = data.source_role(number);
    let is_gradient = data.mode == TexMode::Grad && matches!(role, TexSource::Mode(_));
    if role == TexSource::Offset || is_gradient {
        // Derivatives and offsets exclude the layer.
        let dimensions = access.texture.target.dimensions();
        val = f.w.take_components(val, dimensions);
    }
    match role {
        TexSource::Coordinate => access.coordinate = Some(val),
        // ARB_shadow section 3.8.13.1 clamps the reference to [0, 1]; devices clamp it for depths
        // of normalized formats only.
        TexSource::Reference => access.reference = Some(arith::clamp(f.w, val, Saturate::Unsigned)),
        // At most two: the derivatives in x and y.
        TexSource::Mode(own) => access.own[own & 1] = Some(val),
        TexSource::MinLod => access.min_lod = Some(val),
        TexSource::Offset => access.offset = Some(val),
    }
    Ok(())
}

/// Returns the lanes of a depth comparison: the depth texture mode of the unit determines which of
/// them contain the result (ARB_shadow section 3.8.13.1).
pub(super) fn apply_depth_mode(io: &mut Io<'_>, unit: Option<u32>, depth: Lane) -> [Lane; 4] {
    if !io.options.forms.depth_modes.is_fixed()
        && let Some(unit) = unit.filter(|unit| *unit < UNITS)
    {
        return select_depth_lanes(io, unit, depth);
    }
    let mode = of_unit(&io.options.depth_modes, unit);
    let mut constant = |value| Lane::scalar(io.w.float(value));
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

/// Returns the lanes of a depth comparison whose mode is read at run time.
fn select_depth_lanes(io: &mut Io<'_>, unit: u32, depth: Lane) -> [Lane; 4] {
    let word = io.gl_state().load_at(Word::DepthModes, unit / 16);
    let mode = io.gl_state().extract_bits(word, unit % 16 * 2, 2);
    let [is_alpha, is_one, is_red] = [DepthMode::Alpha, DepthMode::Luminance, DepthMode::Red]
        .map(|known| io.gl_state().compare(Spv::IEqual, mode, known as u32));
    let depth = io.w.lane_val(depth, Scalar::F32);
    let [zero, one] = [0.0, 1.0].map(|number| io.w.float_val(number));
    // Modes in the order of `DepthMode`: alpha is 1 for luminance and red.
    let is_one = io.w.truth_op(Spv::LogicalOr, is_one, is_red);
    let first = io.w.select(is_alpha, zero, depth);
    let middle = io.w.select(is_red, zero, first);
    let last = io.w.select(is_one, one, depth);
    [first, middle, middle, last].map(|val| val.lane(0))
}

/// Adds the image operand for the level of detail of a sample, and returns the source of the level.
fn push_level_operand(w: &mut ModuleWriter, access: &Access, operands: &mut Operands) -> Level {
    let in_fragment = w.stage() == Stage::Fragment;
    if is_rectangle(w, access.texture.target) && access.data.mode != TexMode::Grad {
        return push_rectangle_level(w, access, operands);
    }
    match (access.data.mode, access.own) {
        (TexMode::Lod, [Some(lod), _]) => operands.push(ImageOperands::LOD, &[lod.id]),
        (TexMode::Grad, [Some(dx), Some(dy)]) => {
            operands.push(ImageOperands::GRAD, &[dx.id, dy.id])
        }
        (TexMode::Bias, [Some(bias), _]) if in_fragment => {
            operands.push(ImageOperands::BIAS, &[bias.id]);
            return Level::Implicit;
        }
        // Implicit levels exist in fragment stages only. Other stages have no derivatives: they
        // access the base level, relative to which a bias is counted.
        (TexMode::Bias, [Some(bias), _]) => operands.push(ImageOperands::LOD, &[bias.id]),
        _ if in_fragment => return Level::Implicit,
        _ => operands.push(ImageOperands::LOD, &[w.float(0.0)]),
    }
    Level::Explicit
}

/// Adds the image operand for rectangles, which have one level and accept neither a level nor a
/// bias as operand.
// `Lod` and `Bias` are permitted for images of 1D, 2D, 3D and cubes (SPIR-V, image operands).
fn push_rectangle_level(w: &mut ModuleWriter, access: &Access, operands: &mut Operands) -> Level {
    let takes_derivatives = matches!(access.data.mode, TexMode::Implicit | TexMode::Bias);
    if takes_derivatives && w.stage() == Stage::Fragment {
        return Level::Implicit;
    }
    // Derivatives of 0 select the base level.
    let none = w.constant_splat(Scalar::F32, 0, 2).id;
    operands.push(ImageOperands::GRAD, &[none, none]);
    Level::Explicit
}

/// Combines the image of the access with its sampler, for instructions of the open block: SPIR-V
/// permits such values only there.
pub(super) fn make_sampled_image(w: &mut ValueBuilder, access: &Access) -> ValueWord {
    let Some(sampler) = access.sampler else {
        return access.object;
    };
    let ty = declare_sampled_type(w, access.image);
    let object = w.object();
    let operands = [access.object.0, sampler.0];
    w.body.result(Spv::SampledImage, ty, object, &operands);
    object
}

/// Extracts the image of the access, without its sampler.
pub(super) fn extract_image(w: &mut ValueBuilder, access: &Access) -> ValueWord {
    if access.sampler.is_some() || is_plain_image(w, access.texture.target) {
        return access.object;
    }
    let image = w.object();
    let operands = [access.object.0];
    w.body.result(Spv::Image, access.image, image, &operands);
    if access.divergent {
        w.decorate_divergent(image);
    }
    image
}

/// Converts rectangle coordinates, which count texels, to Vulkan's range from 0 to 1.
pub(super) fn convert_rectangle_coordinates(w: &mut ValueBuilder, access: &mut Access) {
    let image = extract_image(w, access);
    w.needs.insert(Need::ImageQuery);
    let zero = w.uint(0);
    let size = w.op(Spv::ImageQuerySizeLod, Scalar::U32, 2, &[image.0, zero.0]);
    let size = w.unary_to(Spv::ConvertUToF, Scalar::F32, size);
    let gradients = access.own.iter_mut().flatten();
    let gradients = gradients.filter(|_| access.data.mode == TexMode::Grad);
    for val in access.coordinate.iter_mut().chain(gradients) {
        *val = w.binary(Spv::FDiv, *val, size);
    }
}

/// Adds the offset as an image operand.
pub(super) fn push_offset_operand(
    w: &mut ValueBuilder,
    access: &Access,
    operands: &mut Operands,
) -> Result<(), Failure> {
    match (access.data.offset, access.offset) {
        (TexelOffset::Constant(texels), _) => {
            let dimensions = access.texture.target.dimensions();
            let id = make_constant_offset(w, texels, dimensions);
            operands.push(ImageOperands::CONST_OFFSET, &[id]);
        }
        (TexelOffset::Dynamic, Some(offset)) => {
            w.require(Need::GatherExtended)?;
            // Signed, like constant offsets.
            let offset = w.cast(offset.id, Scalar::S32);
            operands.push(ImageOperands::OFFSET, &[offset]);
        }
        (TexelOffset::None | TexelOffset::Dynamic, _) => {}
    }
    Ok(())
}

fn make_constant_offset(w: &mut ModuleWriter, texels: [i8; 3], dimensions: u8) -> ValueWord {
    // Signed: the range of offsets is checked according to the signedness of the type.
    let bits = texels.map(|texel| i32::from(texel) as u32);
    let parts = bits.map(|bits| w.constant(Scalar::S32, u64::from(bits)));
    match dimensions {
        1 => parts[0],
        _ => w.composite(Scalar::S32, &parts[..usize::from(dimensions)]),
    }
}

/// Adds a dynamic offset to the dimensions of a coordinate, not to its layer.
pub(super) fn add_offset(w: &mut ValueBuilder, coordinate: Val, offset: Val) -> Val {
    let lanes = w.fill_with_zeros(offset);
    let offset = w.gather_vector(&lanes[..coordinate.size as usize], Scalar::U32);
    w.binary(Spv::IAdd, coordinate, offset)
}

/// Returns the option of a texture image unit from a list. Handles have no unit; they and missing
/// units have the default.
pub(super) fn of_unit<T: Copy + Default>(list: &[T], unit: Option<u32>) -> T {
    let known = unit.and_then(|unit| list.get(unit as usize));
    known.copied().unwrap_or_default()
}
