//! Fragment inputs that depend on conventions and GL state: window position, point coordinates,
//! two-sided colors.

use super::builtin::find_builtin_input;
use super::{
    Io, base_scalar, decorate_binding, emit_at_start, find_by_key, load_at_start, to_scalar_kind,
};
use crate::builder::{Lane, Scalar, Val, ValueBuilder, ValueOrigin};
use crate::capability::Requirement;
use crate::dynamic_state::StateField;
use crate::error::{Error, Failure};
use crate::options::FIRST_ATTACHMENT_BINDING;
use crate::reflect::{AttachmentBinding, DescriptorSlot};
use crate::spirv_writer::{TypeWord, ValueWord};
use crate::varyings::{VaryingLocation, flat_color_copy};
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{
    BaseType, Input, InputId, Param, ParamId, ParamSource, Semantic, Stage, StateParam,
};
use spirv::{Decoration, Dim, ImageFormat, Op, StorageClass};

/// Parameter that flips the window position.
const ORIGIN: ParamSource = ParamSource::State(StateParam::WindowOrigin);

impl Io<'_> {
    /// Converts the window position in `lanes` to the conventions of the program: y from the top,
    /// pixel centers at integers. ARB_fragment_coord_conventions. Flips y only if the front end has
    /// added the parameter for it and the target is not OpenGL.
    pub(crate) fn convert_window_position(&mut self, lanes: &mut [Lane; 4]) {
        let scalar = |builder: &mut ValueBuilder, op, a: ValueWord, b: ValueWord| {
            builder.emit_op_at(ValueOrigin::Prologue, op, Scalar::F32, 1, &[a.0, b.0])
        };
        let is_origin = |param: &Param| param.source == ORIGIN;
        // The front end adds the parameter to programs that request the other origin: scale and
        // offset of y, because the height of the window is known only at draw time.
        let origin = self.program.params.iter().position(is_origin);
        // Modules for OpenGL have an execution mode for it.
        let is_flipped = self.program.modes.origin_upper_left && !self.options.target.is_opengl();
        if let Some(param) = origin.filter(|_| is_flipped) {
            let terms = self.params().load(ParamId::new(param));
            let [y, scale, offset] = [lanes[1], terms[0], terms[1]]
                .map(|lane| self.builder.read_lane(lane, Scalar::F32));
            let scaled = scalar(self.builder, Op::FMul, y, scale);
            lanes[1] = Lane::scalar(scalar(self.builder, Op::FAdd, scaled, offset));
        }
        if self.program.modes.pixel_center_integer {
            let half = self.builder.constant_f32(-0.5);
            for lane in &mut lanes[..2] {
                let coordinate = self.builder.read_lane(*lane, Scalar::F32);
                *lane = Lane::scalar(scalar(self.builder, Op::FAdd, coordinate, half));
            }
        }
    }

    /// Loads the value of a color attachment at the position of the fragment in the prologue.
    /// Declares the attachment on first use. Returns an error for OpenGL.
    pub(crate) fn load_attachment(
        &mut self,
        id: InputId,
        buffer: u8,
    ) -> Result<ValueWord, Failure> {
        if self.options.target.is_opengl() {
            let message = "OpenGL's SPIR-V has no input attachments: the program reads a color of the framebuffer";
            return Err(Error::unsupported(message));
        }
        let input = self.program.inputs[id];
        let declared = self.options.interface.colors.get(usize::from(buffer));
        let scalar = base_scalar(declared.copied().unwrap_or(input.base));
        let component = self.builder.get_type(scalar, 1);
        // No depth comparison, no layers, one sample; it has no sampler.
        let settings = [0, 0, 0, 2, ImageFormat::Unknown as u32];
        let mut operands = vec![component.0, Dim::DimSubpassData as u32];
        operands.extend(settings);
        let ty = self.builder.declare_type(Op::TypeImage, &operands);
        let known = self.find_semantic_variable(input.semantic);
        let variable = known.unwrap_or_else(|| self.declare_attachment(ty, buffer, scalar));
        self.interface.inputs.loaded[id.index()].variable = variable;
        let image = self.builder.new_object();
        self.builder
            .prologue
            .push_result_inst(Op::Load, ty, image, &[variable.0]);
        // Coordinates of input attachments are relative to the fragment (SPIR-V, `SubpassData`).
        let coordinate = self.builder.constant_splat(Scalar::S32, 0, 2);
        let operands = [image.0, coordinate.id.0];
        let (origin, op) = (ValueOrigin::Prologue, Op::ImageRead);
        Ok(self.builder.emit_op_at(origin, op, scalar, 4, &operands))
    }

    /// Declares the subpass input of a color attachment that the program reads, binds, names and
    /// reflects it, and adds its requirement.
    fn declare_attachment(&mut self, ty: TypeWord, buffer: u8, scalar: Scalar) -> ValueWord {
        self.builder
            .requirements
            .insert(Requirement::InputAttachment);
        let variable = self
            .builder
            .declare_variable(StorageClass::UniformConstant, ty);
        let number = u32::from(buffer);
        let slot = DescriptorSlot {
            set: self.options.bindings.texture_set,
            binding: FIRST_ATTACHMENT_BINDING + number,
        };
        decorate_binding(self.builder, variable, slot);
        self.builder
            .decorate(variable, Decoration::InputAttachmentIndex, &[number]);
        self.builder
            .name_object(variable, || format!("attachment{number}"));
        let attachments = &mut self.interface.reflected.attachments;
        attachments.push(AttachmentBinding {
            slot,
            attachment_index: number,
            texel_type: to_scalar_kind(scalar),
        });
        variable
    }

    /// Emits the test that the point coordinate replaces a texture coordinate set, a constant if
    /// this state is fixed. Returns `None` if it never does. GL 2.1 section 3.3.
    fn test_point_sprite(&mut self, semantic: Semantic) -> Option<Val> {
        let Semantic::TexCoord(set) = semantic else {
            return None;
        };
        let set = u32::from(set & 7);
        let is_possible = self.options.pipeline_state.coord_replace_mask >> set & 1 != 0;
        is_possible.then(|| self.gl_state().test_bit(StateField::PointSprites, set))
    }

    /// Returns true if the point coordinate replaces a varying in all pipelines of the module.
    pub(crate) fn is_point_sprite(&self, semantic: Semantic) -> bool {
        let fixed = self.options.state_sources.point_sprites.is_fixed();
        matches!(semantic, Semantic::TexCoord(set) if self.options.pipeline_state.coord_replace_mask >> (set & 7) & 1 != 0)
            && fixed
    }

    /// Selects the lanes of a varying, or (s, t, 0, 1) of the point coordinate if that replaces it.
    pub(crate) fn select_point_sprite(&mut self, id: InputId, lanes: [Lane; 4]) -> [Lane; 4] {
        let semantic = self.program.inputs[id].semantic;
        let Some(is_sprite) = self.test_point_sprite(semantic) else {
            return lanes;
        };
        let [s, t] = self.load_point_coordinate();
        let [zero, one] = [0.0, 1.0].map(|number| Lane::scalar(self.builder.constant_f32(number)));
        select_lanes(self.builder, is_sprite.id, [s, t, zero, one], lanes)
    }

    /// Computes the coordinate in a point, (0, 0) in the corner that is its origin, by GL state and
    /// the conventions of the caller.
    pub(crate) fn load_point_coordinate(&mut self) -> [Lane; 2] {
        let Some(input) = find_builtin_input(Stage::Fragment, Semantic::PointCoord) else {
            return [Lane::UNDEFINED; 2];
        };
        let (_, value) = self.load_builtin_value(input);
        let [s, t] = [0, 1].map(|lane| Lane::from_component(value, lane));
        // Vulkan's `PointCoord` counts t from above. A lower origin and a caller whose y = 0 is the
        // bottom each flip it; both together cancel out.
        let from_below = self.gl_state().test_flag(StateField::PointOrigin);
        let turned = self.options.conventions.flip_point_coord;
        if self.builder.constant_bits(from_below.id) == Some(turned.into()) {
            return [s, t];
        }
        let one = self.builder.constant_f32(1.0);
        let above = self.builder.read_lane(t, Scalar::F32);
        let below = emit_at_start(self.builder, Op::FSub, Scalar::F32, &[one.0, above.0]);
        let choice = if turned {
            [above, below]
        } else {
            [below, above]
        };
        [s, select_lane(self.builder, from_below.id, choice)]
    }

    /// Applies the state of colors to an interpolated color: flat shading, or the color of back
    /// faces. `read` returns the value of a variable at the required position. NV_vertex_program4
    /// section 2.X.3.5. Other inputs are unchanged. Returns an error if the additional colors have
    /// no location.
    pub(crate) fn apply_color_state(
        &mut self,
        id: InputId,
        color: [Lane; 4],
        read: impl Fn(&mut Self, ValueWord) -> ValueWord,
    ) -> Result<[Lane; 4], Failure> {
        let semantic = self.program.inputs[id].semantic;
        let Semantic::Color(number) = semantic else {
            return Ok(color);
        };
        // Flat or smooth is selected for each face separately: front and back color have separate
        // copies.
        let front = self.select_flat_color(id, semantic, color)?;
        let back = Semantic::BackColor(number);
        let forms = self.options.state_sources;
        let is_possible =
            !forms.two_sided_color.is_fixed() || self.options.pipeline_state.two_sided_color;
        let facing = find_builtin_input(Stage::Fragment, Semantic::FaceSign);
        let (true, Some(facing)) = (is_possible, facing) else {
            return Ok(front);
        };
        let Some(variable) = self.get_extra_color(id, back)? else {
            return Ok(front);
        };
        let back_color = Lane::all_components(read(self, variable));
        let back_color = self.select_flat_color(id, back, back_color)?;
        let (_, is_front) = self.load_builtin_value(facing);
        let is_two_sided = self.gl_state().test_flag(StateField::TwoSidedColor);
        // A constant cannot be 0 here: compiled-in state that is off has returned before.
        let takes_front = if self.builder.is_constant(is_two_sided.id) {
            is_front
        } else {
            let operands = [is_two_sided.id.0];
            let is_one_sided =
                emit_at_start(self.builder, Op::LogicalNot, Scalar::BoolInt, &operands);
            let operands = [is_front.0, is_one_sided.0];
            emit_at_start(self.builder, Op::LogicalOr, Scalar::BoolInt, &operands)
        };
        Ok(select_lanes(self.builder, takes_front, front, back_color))
    }

    /// Selects a color, or its flat copy if state may select that at run time and the previous
    /// stage writes it. Returns an error if the copy has no free location.
    fn select_flat_color(
        &mut self,
        id: InputId,
        semantic: Semantic,
        smooth: [Lane; 4],
    ) -> Result<[Lane; 4], Failure> {
        let copy = flat_color_copy(semantic);
        let copy = copy.filter(|_| !self.options.state_sources.flat_colors.is_fixed());
        let Some(copy) = copy else { return Ok(smooth) };
        let Some(variable) = self.get_extra_color(id, copy)? else {
            return Ok(smooth);
        };
        let flat = Lane::all_components(load_at_start(self.builder, variable, Scalar::F32, 4));
        let is_flat = self.gl_state().test_flag(StateField::FlatColors);
        Ok(select_lanes(self.builder, is_flat.id, flat, smooth))
    }

    /// Returns the variable of a color in addition to the one that the program reads, which it
    /// declares on first use; `None` if the previous stage does not write it. Returns an error if
    /// an input of the program has its location.
    fn get_extra_color(
        &mut self,
        id: InputId,
        semantic: Semantic,
    ) -> Result<Option<ValueWord>, Failure> {
        let varyings = &self.options.interface.inputs;
        let Some(location) = varyings.location(semantic) else {
            return Ok(None);
        };
        let others = self.program.inputs.iter().map(|input| input.semantic);
        varyings.check_no_overlap(semantic, others.filter(|other| *other != semantic))?;
        let varying = VaryingLocation::vector(semantic, location, BaseType::Float);
        let mut input = Input {
            semantic,
            ..self.program.inputs[id]
        };
        // Copies are flat; back colors are interpolated according to the declaration of the front
        // color.
        if !matches!(semantic, Semantic::BackColor(_)) {
            (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
        }
        Ok(Some(self.get_extra_varying(input, &varying)))
    }

    /// Returns the variable of a varying that is not an input of the program, which it declares and
    /// reflects on first use.
    fn get_extra_varying(&mut self, input: Input, varying: &VaryingLocation) -> ValueWord {
        if let Some(variable) = find_by_key(&self.interface.inputs.extra_varyings, input.semantic) {
            return variable;
        }
        let variable = self.declare_located_input(input, varying);
        self.interface
            .inputs
            .extra_varyings
            .push((input.semantic, variable));
        variable
    }

    /// Loads the start of the line of the fragment, (x, y) in pixels, in the prologue; `None` if
    /// the previous stage does not write it. Declares the varying on first use.
    pub(crate) fn load_line_start(&mut self) -> Option<Val> {
        let varying = self
            .options
            .interface
            .inputs
            .find_varying(Semantic::LineStippleStart)?;
        let mut input = Input::new(Semantic::LineStippleStart);
        input.interpolation = Interpolation::Flat;
        let variable = self.get_extra_varying(input, &varying);
        let start = load_at_start(self.builder, variable, Scalar::F32, varying.component_count);
        let start = self.builder.val(start);
        Some(self.builder.take_components(start, 2))
    }
}

/// Selects `cond ? yes : no` of floats. Lane by lane, because before SPIR-V 1.4 `OpSelect` requires
/// a condition for each component of a vector.
fn select_lanes(
    builder: &mut ValueBuilder,
    cond: ValueWord,
    yes: [Lane; 4],
    no: [Lane; 4],
) -> [Lane; 4] {
    std::array::from_fn(|lane| {
        let choice = [yes, no].map(|lanes| builder.read_lane(lanes[lane], Scalar::F32));
        select_lane(builder, cond, choice)
    })
}

/// Selects the first or the second of two floats, in the part of the function where both are
/// available. A constant condition needs no instruction.
fn select_lane(builder: &mut ValueBuilder, cond: ValueWord, [yes, no]: [ValueWord; 2]) -> Lane {
    if let Some(bits) = builder.constant_bits(cond) {
        return Lane::scalar(if bits != 0 { yes } else { no });
    }
    let origin = |id| builder.value_info(id).origin;
    // Constant conditions have been handled, so the selection is never a constant.
    let origin = origin(yes).max(origin(no)).max(ValueOrigin::Prologue);
    let operands = [cond.0, yes.0, no.0];
    Lane::scalar(builder.emit_op_at(origin, Op::Select, Scalar::F32, 1, &operands))
}
