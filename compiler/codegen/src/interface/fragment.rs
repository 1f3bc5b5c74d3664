//! Fragment inputs that conventions and GL state change: window position, point coordinates, two-sided colors.

use super::builtin::builtin_input;
use super::vars::{Io, base_scalar, bind, reflected};
use crate::builder::{Builder, Home, Lane, Scalar};
use crate::capability::Need;
use crate::options::{FIRST_ATTACHMENT_BINDING, PointOrigin};
use crate::reflect::{AttachmentBinding, DescriptorSlot};
use crate::varyings::Place;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{
    Input, InputId, Param, ParamId, ParamSource, Semantic, Stage, StateParam, TypeBase,
};
use spirv::{Decoration, Dim, ImageFormat, Op, StorageClass};

/// The parameter that turns the window position.
const ORIGIN: ParamSource = ParamSource::State(StateParam::WindowOrigin);

impl Io<'_> {
    /// Window position by other rules: y from the top, pixel centers at integers. ARB_fragment_coord_conventions.
    pub(crate) fn move_window_position(&mut self, lanes: &mut [Lane; 4]) {
        let scalar = |w: &mut Builder, op, a: ValueWord, b: ValueWord| {
            w.derive(Home::Prologue, op, Scalar::F32, 1, &[a.0, b.0])
        };
        let is_origin = |param: &Param| param.source == ORIGIN;
        let origin = self.program.params.iter().position(is_origin);
        if let Some(param) = origin.filter(|_| self.program.modes.origin_upper_left) {
            let terms = self.param(ParamId::new(param));
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

    /// What a color attachment holds at the place of the fragment.
    pub(crate) fn load_attachment(&mut self, id: InputId, buffer: u8) -> ValueWord {
        let input = self.program.inputs[id];
        let declared = self.options.interface.colors.get(usize::from(buffer));
        let scalar = base_scalar(declared.copied().unwrap_or(input.base));
        let component = self.w.ty(scalar, 1);
        // Neither depths nor layers nor samples; no sampler goes with it.
        let settings = [0, 0, 0, 2, ImageFormat::Unknown as u32];
        let mut operands = vec![component.0, Dim::DimSubpassData as u32];
        operands.extend(settings);
        let ty = self.w.declare_type(Op::TypeImage, &operands);
        let variable = match self.variable_of(input.semantic) {
            Some(variable) => variable,
            None => self.declare_attachment(ty, buffer, scalar),
        };
        self.vars.inputs.loaded[id.index()].variable = variable;
        let image = self.w.object();
        self.w.prologue.result(Op::Load, ty, image, &[variable.0]);
        let place = self.w.constant_splat(Scalar::S32, 0, 2);
        let operands = [image.0, place.id.0];
        self.w
            .derive(Home::Prologue, Op::ImageRead, scalar, 4, &operands)
    }

    fn declare_attachment(&mut self, ty: TypeWord, buffer: u8, scalar: Scalar) -> ValueWord {
        self.w.needs.insert(Need::InputAttachment);
        let variable = self.w.variable(StorageClass::UniformConstant, ty);
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

    /// Whether the point coordinate stands in for a texture coordinate set. GL 2.1 section 3.3.
    pub(crate) fn is_point_sprite(&self, semantic: Semantic) -> bool {
        matches!(semantic, Semantic::TexCoord(set) if self.options.fixed.point_sprites >> (set & 7) & 1 != 0)
    }

    /// The place in a point, (0, 0) in the corner that is its origin.
    pub(crate) fn point_coordinate(&mut self) -> [Lane; 2] {
        let Some(row) = builtin_input(Stage::Fragment, Semantic::PointCoord) else {
            return [Lane::UNDEFINED; 2];
        };
        let (_, value) = self.load_builtin_value(row);
        let [s, t] = [0, 1].map(|lane| Lane::of(value, lane));
        let from_below = self.options.fixed.point_origin == PointOrigin::LowerLeft;
        // Vulkan's `PointCoord` counts t from above. An origin below and a caller whose row 0 is the bottom turn it, both together do not.
        if self.options.conventions.flip_point_coord == from_below {
            return [s, t];
        }
        let (one, t) = (self.w.float(1.0), self.w.scalar(t, Scalar::F32));
        let flipped = self.at_start(Op::FSub, Scalar::F32, &[one.0, t.0]);
        [s, Lane::scalar(flipped)]
    }

    /// A color of fragments of front faces, and the back color of others. NV_vertex_program4 section 2.X.3.5.
    pub(crate) fn two_sided_color(
        &mut self,
        id: InputId,
        number: u8,
        front: ValueWord,
    ) -> [Lane; 4] {
        let semantic = Semantic::BackColor(number);
        let lanes = Lane::all_of(front);
        let (Some(location), Some(facing)) = (
            self.options.interface.inputs.location(semantic),
            builtin_input(Stage::Fragment, Semantic::Facing),
        ) else {
            return lanes;
        };
        let back = self.back_color(id, number, location);
        let (_, is_front) = self.load_builtin_value(facing);
        // Lane by lane, because before SPIR-V 1.4 `OpSelect` needs a condition for each component of a vector.
        lanes.map(|lane: Lane| {
            let front = self.w.scalar(lane, Scalar::F32);
            let back = self.w.scalar(Lane::of(back, lane.component()), Scalar::F32);
            let operands = [is_front.0, front.0, back.0];
            Lane::scalar(self.at_start(Op::Select, Scalar::F32, &operands))
        })
    }

    fn back_color(&mut self, id: InputId, number: u8, location: u32) -> ValueWord {
        let slot = usize::from(number & 1);
        if !self.vars.inputs.back_colors[slot].is_some() {
            let semantic = Semantic::BackColor(number);
            let place = Place::vector(semantic, location, TypeBase::Float);
            let back = Input {
                semantic,
                ..self.program.inputs[id]
            };
            self.vars.inputs.back_colors[slot] = self.declare_location(back, &place);
        }
        self.load(self.vars.inputs.back_colors[slot], Scalar::F32, 4)
    }
}
