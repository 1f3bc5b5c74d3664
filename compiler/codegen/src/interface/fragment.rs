//! Fragment inputs that depend on conventions and GL state: window position, point coordinates,
//! two-sided colors.

use super::builtin::builtin_input;
use super::vars::{Io, base_scalar, bind, derive_at_start, find, load_at_start, reflected};
use crate::builder::{Home, Lane, Scalar, Val, ValueBuilder};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::options::FIRST_ATTACHMENT_BINDING;
use crate::reflect::{AttachmentBinding, DescriptorSlot};
use crate::state::Word;
use crate::varyings::{Place, flat_copy};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{
    Input, InputId, Param, ParamId, ParamSource, Semantic, Stage, StateParam, TypeBase,
};
use spirv::{Decoration, Dim, ImageFormat, Op, StorageClass};

/// Parameter that flips the window position.
const ORIGIN: ParamSource = ParamSource::State(StateParam::WindowOrigin);

impl Io<'_> {
    /// Converts the window position to other conventions: y from the top, pixel centers at
    /// integers. ARB_fragment_coord_conventions.
    pub(crate) fn move_window_position(&mut self, lanes: &mut [Lane; 4]) {
        let scalar = |w: &mut ValueBuilder, op, a: ValueWord, b: ValueWord| {
            w.derive(Home::Prologue, op, Scalar::F32, 1, &[a.0, b.0])
        };
        let is_origin = |param: &Param| param.source == ORIGIN;
        // The front end adds the parameter to programs that request the other origin: scale and
        // offset of y, because the height of the window is known only at draw time.
        let origin = self.program.params.iter().position(is_origin);
        // Modules for OpenGL have an execution mode for it.
        let turns = self.program.modes.origin_upper_left && !self.options.target.is_opengl();
        if let Some(param) = origin.filter(|_| turns) {
            let terms = self.params().load(ParamId::new(param));
            let [y, scale, offset] =
                [lanes[1], terms[0], terms[1]].map(|lane| self.w.scalar(lane, Scalar::F32));
            let scaled = scalar(self.w, Op::FMul, y, scale);
            lanes[1] = Lane::scalar(scalar(self.w, Op::FAdd, scaled, offset));
        }
        if self.program.modes.pixel_center_integer {
            let half = self.w.float(-0.5);
            for lane in &mut lanes[..2] {
                let place = self.w.scalar(*lane, Scalar::F32);
                *lane = Lane::scalar(scalar(self.w, Op::FAdd, place, half));
            }
        }
    }

    /// Loads the value of a color attachment at the position of the fragment.
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
        let component = self.w.ty(scalar, 1);
        // No depth comparison, no layers, one sample; it has no sampler.
        let settings = [0, 0, 0, 2, ImageFormat::Unknown as u32];
        let mut operands = vec![component.0, Dim::DimSubpassData as u32];
        operands.extend(settings);
        let ty = self.w.declare_type(Op::TypeImage, &operands);
        let known = self.variable_of(input.semantic);
        let variable = known.unwrap_or_else(|| self.declare_attachment(ty, buffer, scalar));
        self.vars.inputs.loaded[id.index()].variable = variable;
        let image = self.w.object();
        self.w.prologue.result(Op::Load, ty, image, &[variable.0]);
        // Coordinates of input attachments are relative to the fragment (SPIR-V, `SubpassData`).
        let place = self.w.constant_splat(Scalar::S32, 0, 2);
        let operands = [image.0, place.id.0];
        let (home, op) = (Home::Prologue, Op::ImageRead);
        Ok(self.w.derive(home, op, scalar, 4, &operands))
    }

    fn declare_attachment(&mut self, ty: TypeWord, buffer: u8, scalar: Scalar) -> ValueWord {
        self.w.needs.insert(Need::InputAttachment);
        let variable = self.w.declare_variable(StorageClass::UniformConstant, ty);
        let number = u32::from(buffer);
        let slot = DescriptorSlot {
            set: self.options.bindings.texture_set,
            binding: FIRST_ATTACHMENT_BINDING + number,
        };
        bind(self.w, variable, slot);
        self.w
            .decorate(variable, Decoration::InputAttachmentIndex, &[number]);
        self.w.name(variable, || format!("attachment{number}"));
        let attachments = &mut self.vars.reflected.attachments;
        attachments.push(AttachmentBinding {
            slot,
            buffer: number,
            texel: reflected(scalar),
        });
        variable
    }

    /// Computes a boolean that is true if the point coordinate replaces a texture coordinate set:
    /// `None` if it never does. GL 2.1 section 3.3.
    fn point_sprite(&mut self, semantic: Semantic) -> Option<Val> {
        let Semantic::TexCoord(set) = semantic else {
            return None;
        };
        let set = u32::from(set & 7);
        let is_possible = self.options.fixed.point_sprites >> set & 1 != 0;
        is_possible.then(|| self.gl_state().test_bit(Word::PointSprites, set))
    }

    /// Returns true if the point coordinate replaces a varying in all pipelines of the module.
    pub(crate) fn is_point_sprite(&self, semantic: Semantic) -> bool {
        let fixed = self.options.forms.point_sprites.is_fixed();
        matches!(semantic, Semantic::TexCoord(set) if self.options.fixed.point_sprites >> (set & 7) & 1 != 0)
            && fixed
    }

    /// Selects a varying, or the point coordinate if that replaces it.
    pub(crate) fn with_point_sprite(&mut self, id: InputId, lanes: [Lane; 4]) -> [Lane; 4] {
        let semantic = self.program.inputs[id].semantic;
        let Some(is_sprite) = self.point_sprite(semantic) else {
            return lanes;
        };
        let [s, t] = self.point_coordinate();
        let [zero, one] = [0.0, 1.0].map(|number| Lane::scalar(self.w.float(number)));
        select_lanes(self.w, is_sprite.id, [s, t, zero, one], lanes)
    }

    /// Computes the coordinate in a point, (0, 0) in the corner that is its origin.
    pub(crate) fn point_coordinate(&mut self) -> [Lane; 2] {
        let Some(row) = builtin_input(Stage::Fragment, Semantic::PointCoord) else {
            return [Lane::UNDEFINED; 2];
        };
        let (_, value) = self.load_builtin_value(row);
        let [s, t] = [0, 1].map(|lane| Lane::of(value, lane));
        // Vulkan's `PointCoord` counts t from above. A lower origin and a caller whose y = 0 is the
        // bottom each flip it; both together cancel out.
        let from_below = self.gl_state().test_flag(Word::PointOrigin);
        let turned = self.options.conventions.flip_point_coord;
        if self.w.constant_bits(from_below.id) == Some(turned.into()) {
            return [s, t];
        }
        let one = self.w.float(1.0);
        let above = self.w.scalar(t, Scalar::F32);
        let below = derive_at_start(self.w, Op::FSub, Scalar::F32, &[one.0, above.0]);
        let choice = if turned {
            [above, below]
        } else {
            [below, above]
        };
        [s, select_lane(self.w, from_below.id, choice)]
    }

    /// Applies the state of colors to an interpolated color: flat shading, or the color of back
    /// faces. `read` returns the value of a variable at the required position. NV_vertex_program4
    /// section 2.X.3.5.
    pub(crate) fn with_color_state(
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
        let front = self.with_flat_color(id, semantic, color)?;
        let back = Semantic::BackColor(number);
        let forms = self.options.forms;
        let is_possible = !forms.two_sided_color.is_fixed() || self.options.fixed.two_sided_color;
        let facing = builtin_input(Stage::Fragment, Semantic::Facing);
        let (true, Some(facing)) = (is_possible, facing) else {
            return Ok(front);
        };
        let Some(variable) = self.color_variable(id, back)? else {
            return Ok(front);
        };
        let back_color = Lane::all_of(read(self, variable));
        let back_color = self.with_flat_color(id, back, back_color)?;
        let (_, is_front) = self.load_builtin_value(facing);
        let is_two_sided = self.gl_state().test_flag(Word::TwoSidedColor);
        // A constant cannot be 0 here: compiled-in state that is off has returned before.
        let takes_front = if self.w.is_constant(is_two_sided.id) {
            is_front
        } else {
            let operands = [is_two_sided.id.0];
            let is_one_sided = derive_at_start(self.w, Op::LogicalNot, Scalar::BoolInt, &operands);
            let operands = [is_front.0, is_one_sided.0];
            derive_at_start(self.w, Op::LogicalOr, Scalar::BoolInt, &operands)
        };
        Ok(select_lanes(self.w, takes_front, front, back_color))
    }

    /// Selects a color, or its flat copy if state may select that at run time.
    fn with_flat_color(
        &mut self,
        id: InputId,
        semantic: Semantic,
        smooth: [Lane; 4],
    ) -> Result<[Lane; 4], Failure> {
        let copy = flat_copy(semantic);
        let copy = copy.filter(|_| !self.options.forms.flat_colors.is_fixed());
        let Some(copy) = copy else { return Ok(smooth) };
        let Some(variable) = self.color_variable(id, copy)? else {
            return Ok(smooth);
        };
        let flat = Lane::all_of(load_at_start(self.w, variable, Scalar::F32, 4));
        let is_flat = self.gl_state().test_flag(Word::FlatColors);
        Ok(select_lanes(self.w, is_flat.id, flat, smooth))
    }

    /// Returns the variable of a color in addition to the one that the program reads, if the
    /// previous stage writes it.
    fn color_variable(
        &mut self,
        id: InputId,
        semantic: Semantic,
    ) -> Result<Option<ValueWord>, Failure> {
        let varyings = &self.options.interface.inputs;
        let Some(location) = varyings.location(semantic) else {
            return Ok(None);
        };
        let others = self.program.inputs.iter().map(|input| input.semantic);
        varyings.check_apart(semantic, others.filter(|other| *other != semantic))?;
        let place = Place::vector(semantic, location, TypeBase::Float);
        let mut input = Input {
            semantic,
            ..self.program.inputs[id]
        };
        // Copies are flat; back colors are interpolated according to the declaration of the front
        // color.
        if !matches!(semantic, Semantic::BackColor(_)) {
            (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
        }
        Ok(Some(self.variable_beside(input, &place)))
    }

    /// Returns the variable of a varying that is not an input of the program.
    fn variable_beside(&mut self, input: Input, place: &Place) -> ValueWord {
        if let Some(variable) = find(&self.vars.inputs.beside, input.semantic) {
            return variable;
        }
        let variable = self.declare_location(input, place);
        self.vars.inputs.beside.push((input.semantic, variable));
        variable
    }

    /// Loads the start of the line of the fragment, in pixels, if the previous stage writes it.
    pub(crate) fn line_start(&mut self) -> Option<Val> {
        let place = self.options.interface.inputs.place(Semantic::LineStart)?;
        let mut input = Input::new(Semantic::LineStart);
        input.interpolation = Interpolation::Flat;
        let variable = self.variable_beside(input, &place);
        let start = load_at_start(self.w, variable, Scalar::F32, place.components);
        let start = self.w.val(start);
        Some(self.w.take_components(start, 2))
    }
}

/// Selects `cond ? yes : no` of floats. Lane by lane, because before SPIR-V 1.4 `OpSelect` requires
/// a condition for each component of a vector.
fn select_lanes(w: &mut ValueBuilder, cond: ValueWord, yes: [Lane; 4], no: [Lane; 4]) -> [Lane; 4] {
    std::array::from_fn(|lane| {
        let choice = [yes, no].map(|lanes| w.scalar(lanes[lane], Scalar::F32));
        select_lane(w, cond, choice)
    })
}

/// Selects the first or the second of two floats, in the part of the function where both are
/// available.
fn select_lane(w: &mut ValueBuilder, cond: ValueWord, [yes, no]: [ValueWord; 2]) -> Lane {
    if let Some(bits) = w.constant_bits(cond) {
        return Lane::scalar(if bits != 0 { yes } else { no });
    }
    let home = |id| w.info(id).home;
    // Constant conditions have been handled, so the selection is never a constant.
    let home = home(yes).max(home(no)).max(Home::Prologue);
    let operands = [cond.0, yes.0, no.0];
    Lane::scalar(w.derive(home, Op::Select, Scalar::F32, 1, &operands))
}
