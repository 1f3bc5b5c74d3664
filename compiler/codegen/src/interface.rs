//! Stage inputs, outputs and parameters: variables, their loads, the reflection.
//!
//! The point size is written only if the program writes it.

use crate::builder::gather::Lane;
use crate::builder::{Builder, Home, Scalar};
use crate::builtin::{
    BuiltinRow, builtin_input, is_thread_number, is_unknown, load_builtin_value, thread_value,
};
use crate::capability::{Need, check_subgroups};
use crate::error::{Error, Failure};
use crate::interface_names::input_name;
use crate::kept::{emptied, filled};
use crate::options::Options;
use crate::params::{ParamMember, storage_class};
use crate::reflect::{
    BufferBinding, DescriptorSlot, Half, HandleArray, ImageBinding, InterfaceVariable, ParamBlock,
    Reflection, Replication, Requirements, Scalar as ReflectedScalar, TextureBinding,
};
use crate::varyings::varying_location;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::semantic::{Interpolation, Sampling};
use glasm_ir::{Input, InputId, Output, Program, Semantic, Stage, TypeBase, Width};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Lanes of an output that the end of the program reads.
pub(crate) fn written_lanes(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::PointSize
            | Semantic::ClipDistance(_)
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::ViewportMask
            | Semantic::SecondaryPosition
            | Semantic::SecondaryViewportMask
            | Semantic::PrimitiveId
            | Semantic::VertexId
            | Semantic::SampleMask
    );
    if semantic == Semantic::FragDepth {
        0b0100
    } else if is_scalar {
        0b0001
    } else {
        0b1111
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct LoadedInput {
    variable: ValueWord,
    lanes: Option<[Lane; 4]>,
}

/// Interface variables of one module and what has been loaded of them in the open function. Kept between programs for its memory.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// The entry point.
    pub(crate) entry: ValueWord,
    /// Input and output variables.
    pub(crate) in_out: Vec<u32>,
    /// Whether the program writes the fragment depth.
    pub(crate) writes_depth: bool,
    inputs: Vec<LoadedInput>,
    input_copies: Vec<(InputId, u32, ValueWord)>,
    /// The sizes of a work group if the pipeline gives them.
    pub(crate) group_size: Option<[ValueWord; 3]>,
    pub(crate) builtins: Vec<(BuiltIn, ValueWord)>,
    /// Variables of the back colors.
    pub(crate) back_colors: [ValueWord; 2],
    pub(crate) params: Vec<ValueWord>,
    pub(crate) param_block: ValueWord,
    /// The type of pointers to its slots.
    pub(crate) param_pointer: TypeWord,
    /// The members of the block.
    pub(crate) param_members: Vec<ParamMember>,
    pub(crate) param_types: Vec<u32>,
    pub(crate) param_slot: Option<DescriptorSlot>,
    pub(crate) outputs: Vec<ValueWord>,
    pub(crate) clip_distances: ValueWord,
    /// What a stage behind this one must do, and the variable that tells it.
    pub(crate) replication: Option<Replication>,
    pub(crate) replication_variable: ValueWord,
    /// Variables of color 0 by attachment, where it goes to several.
    pub(crate) color_copies: [ValueWord; 8],
    /// The variable of a point size that no program writes.
    pub(crate) point_size: ValueWord,
    pub(crate) textures: Vec<crate::emit::TextureVariable>,
    pub(crate) images: Vec<crate::emit::ImageVariable>,
    pub(crate) buffers: Vec<crate::emit::BufferVariables>,
    pub(crate) image_lock: ValueWord,
    /// Variables of the halves of 64-bit attributes, by attribute number.
    pub(crate) halves: Vec<(u8, Half, ValueWord)>,
    pub(crate) reflected_inputs: Vec<InterfaceVariable>,
    pub(crate) reflected_outputs: Vec<InterfaceVariable>,
    pub(crate) reflected_textures: Vec<TextureBinding>,
    pub(crate) reflected_images: Vec<ImageBinding>,
    pub(crate) reflected_handles: Vec<HandleArray>,
    pub(crate) reflected_buffers: Vec<BufferBinding>,
    pub(crate) reflected_image_lock: Option<DescriptorSlot>,
}

impl Interface {
    /// Forgets all of the program before; the next is `program`.
    pub(crate) fn reset(&mut self, program: &Program) {
        let Self {
            in_out,
            inputs,
            input_copies,
            builtins,
            params,
            param_members,
            param_types,
            outputs,
            textures,
            images,
            buffers,
            halves,
            reflected_inputs,
            reflected_outputs,
            reflected_textures,
            reflected_images,
            reflected_handles,
            reflected_buffers,
            ..
        } = std::mem::take(self);
        *self = Self {
            in_out: emptied(in_out),
            inputs: filled(inputs, program.inputs.len()),
            input_copies: emptied(input_copies),
            builtins: emptied(builtins),
            params: filled(params, program.params.len()),
            param_members: emptied(param_members),
            param_types: emptied(param_types),
            outputs: filled(outputs, program.outputs.len()),
            textures: filled(textures, program.textures.len()),
            images: filled(images, program.images.len()),
            buffers: filled(buffers, program.buffers.len()),
            halves: emptied(halves),
            reflected_inputs: emptied(reflected_inputs),
            reflected_outputs: emptied(reflected_outputs),
            reflected_textures: emptied(reflected_textures),
            reflected_images: emptied(reflected_images),
            reflected_handles: emptied(reflected_handles),
            reflected_buffers: emptied(reflected_buffers),
            ..Self::default()
        };
    }

    /// Forgets loaded values at the start of a function.
    pub(crate) fn forget_loads(&mut self) {
        self.inputs.iter_mut().for_each(|input| input.lanes = None);
        self.input_copies.clear();
        self.params.fill(ValueWord::NONE);
        self.textures
            .iter_mut()
            .for_each(|texture| texture.loaded = ValueWord::NONE);
    }

    /// The constant 1 of a declared base.
    pub(crate) fn one(&self, w: &mut Builder, base: TypeBase) -> ValueWord {
        match base {
            TypeBase::Float => w.float(1.0),
            TypeBase::Signed | TypeBase::Unsigned => w.uint(1),
        }
    }

    /// An input or output variable.
    pub(crate) fn variable(
        &mut self,
        w: &mut Builder,
        class: StorageClass,
        ty: TypeWord,
    ) -> ValueWord {
        let variable = w.variable(class, ty);
        self.in_out.push(variable.0);
        variable
    }

    // Inputs.

    /// The copy of an input array in a variable, if the open function has one.
    pub(crate) fn input_copy(&self, first: InputId, len: u32) -> Option<ValueWord> {
        let same = |copy: &&(InputId, u32, ValueWord)| copy.0 == first && copy.1 == len;
        self.input_copies.iter().find(same).map(|copy| copy.2)
    }

    pub(crate) fn keep_input_copy(&mut self, first: InputId, len: u32, variable: ValueWord) {
        self.input_copies.push((first, len, variable));
    }

    /// The lanes of an input.
    pub(crate) fn input(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        id: InputId,
    ) -> Result<[Lane; 4], Failure> {
        if let Some(lanes) = self.inputs[id.index()].lanes {
            return Ok(lanes);
        }
        if program.inputs[id].per_vertex {
            return Err(Error::unsupported(
                "per-vertex inputs are not supported yet",
            ));
        }
        let lanes = self.load_input(w, program, options, id)?;
        self.inputs[id.index()].lanes = Some(lanes);
        Ok(lanes)
    }

    fn load_input(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        id: InputId,
    ) -> Result<[Lane; 4], Failure> {
        let input = program.inputs[id];
        let (zero, one) = (w.float(0.0), w.float(1.0));
        let pad = [zero, zero, zero, one].map(Lane::scalar);
        match (input.semantic, program.stage) {
            (Semantic::Attrib(_), Stage::Vertex) if input.width == Width::W64 => {
                Ok(self.load_wide(w, program, options, id))
            }
            (Semantic::Attrib(number), Stage::Vertex) => {
                let declared = options.interface.attributes.get(number as usize).copied();
                let scalar = base_scalar(declared.unwrap_or(input.base));
                let value = self.load_location(w, program, options, id, u32::from(number), scalar);
                Ok(std::array::from_fn(|lane| Lane::of(value, lane)))
            }
            (Semantic::WorkgroupSize, _) => {
                let size = self.workgroup_size(w, program).map(Lane::scalar);
                let one = Lane::scalar(w.uint(1));
                Ok([size[0], size[1], size[2], one])
            }
            (Semantic::ClipDistance(plane), Stage::Fragment) => {
                let value = self.load_clip_distance(w, program, plane);
                Ok([Lane::scalar(value), pad[1], pad[2], pad[3]])
            }
            (semantic, _) if is_unknown(options, semantic) => {
                let zero = Lane::scalar(w.uint(0));
                let one = Lane::scalar(w.uint(1));
                Ok([zero, zero, zero, one])
            }
            (semantic, stage) => {
                if let Some(row) = builtin_input(stage, semantic) {
                    return self.load_builtin(w, program, options, id, row);
                }
                if stage != Stage::Fragment || varying_location(semantic).is_none() {
                    return Err(Error::unsupported(format!(
                        "{semantic:?} is no input of {} programs",
                        stage.name()
                    )));
                }
                if self.is_point_sprite(options, semantic) {
                    let [s, t] = self.point_coordinate(w, options);
                    return Ok([s, t, pad[2], pad[3]]);
                }
                // The stage before is known, and does not write it. NV_vertex_program section 2.14.1.5.
                let Some(location) = options.interface.inputs.location(semantic) else {
                    return Ok(pad);
                };
                self.check_location(program, options, id)?;
                let value = self.load_location(w, program, options, id, location, Scalar::F32);
                let lanes: [Lane; 4] = std::array::from_fn(|lane| Lane::of(value, lane));
                if let Semantic::Color(number) = semantic
                    && options.fixed.two_sided_color
                {
                    return Ok(self.two_sided_color(w, program, options, id, number, value));
                }
                Ok(if semantic == Semantic::FogCoord {
                    [lanes[0], pad[1], pad[2], pad[3]]
                } else {
                    lanes
                })
            }
        }
    }

    /// Two varyings of one location cannot both be read, and not all devices evaluate them at samples.
    fn check_location(
        &self,
        program: &Program,
        options: &Options,
        id: InputId,
    ) -> Result<(), Failure> {
        let input = program.inputs[id];
        if shaded(options, input).sampling == Sampling::Sample {
            Need::SampleRate.check(&options.device)?;
        }
        let varyings = &options.interface.inputs;
        let semantic = input.semantic;
        let location = varyings.location(semantic);
        let clash = program.inputs.iter_enumerated().find(|(other, data)| {
            data.semantic != semantic
                && self.inputs[other.index()].variable.is_some()
                && varyings.location(data.semantic) == location
        });
        match clash {
            Some((_, other)) => Err(Error::unsupported(format!(
                "{:?} and {semantic:?} need the same location unless their programs are linked",
                other.semantic
            ))),
            None => Ok(()),
        }
    }

    /// The value of a variable with a location. Inputs of one semantic share the variable.
    fn load_location(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        id: InputId,
        location: u32,
        scalar: Scalar,
    ) -> ValueWord {
        let input = program.inputs[id];
        let twin = program.inputs.iter_enumerated().find(|(other, data)| {
            data.semantic == input.semantic && self.inputs[other.index()].variable.is_some()
        });
        let variable = match twin {
            Some((other, _)) => self.inputs[other.index()].variable,
            None => self.declare_location(w, program, options, input, location, scalar),
        };
        self.inputs[id.index()].variable = variable;
        w.derive(Home::Prologue, Op::Load, scalar, 4, &[variable.0])
    }

    pub(crate) fn declare_location(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        input: Input,
        location: u32,
        scalar: Scalar,
    ) -> ValueWord {
        let input = shaded(options, input);
        let ty = w.ty(scalar, 4);
        let variable = self.variable(w, StorageClass::Input, ty);
        w.decorate(variable, Decoration::Location, &[location]);
        w.name(variable, || input_name(program.stage, input.semantic));
        if program.stage == Stage::Fragment {
            match input.interpolation {
                Interpolation::Smooth => {}
                Interpolation::NoPerspective => {
                    w.decorate(variable, Decoration::NoPerspective, &[])
                }
                Interpolation::Flat => w.decorate(variable, Decoration::Flat, &[]),
            }
            match input.sampling {
                Sampling::Center => {}
                Sampling::Centroid => w.decorate(variable, Decoration::Centroid, &[]),
                Sampling::Sample => {
                    w.needs.insert(Need::SampleRate);
                    w.decorate(variable, Decoration::Sample, &[]);
                }
            }
        }
        self.reflected_inputs.push(InterfaceVariable {
            semantic: input.semantic,
            location: Some(location),
            scalar: reflected(scalar),
            components: 4,
            interpolation: input.interpolation,
            half: None,
        });
        variable
    }

    fn load_clip_distance(&mut self, w: &mut Builder, program: &Program, plane: u8) -> ValueWord {
        w.needs.insert(Need::ClipDistance);
        let float = w.ty(Scalar::F32, 1);
        if !self.clip_distances.is_some() {
            let len = w.uint(clip_planes(
                program.inputs.iter().map(|input| input.semantic),
            ));
            let array = w.declare_type(Op::TypeArray, &[float.0, len.0]);
            self.clip_distances = self.variable(w, StorageClass::Input, array);
            w.decorate(
                self.clip_distances,
                Decoration::BuiltIn,
                &[BuiltIn::ClipDistance as u32],
            );
        }
        let pointer_ty = w.pointer(StorageClass::Input, float);
        let index = w.uint(u32::from(plane));
        let pointer = w.object();
        w.prologue.result(
            Op::AccessChain,
            pointer_ty,
            pointer,
            &[self.clip_distances.0, index.0],
        );
        w.derive(Home::Prologue, Op::Load, Scalar::F32, 1, &[pointer.0])
    }

    fn load_builtin(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        id: InputId,
        row: BuiltinRow,
    ) -> Result<[Lane; 4], Failure> {
        let input = program.inputs[id];
        need_builtin(w, program, options, row)?;
        if !self.inputs[id.index()].variable.is_some() {
            self.reflected_inputs.push(InterfaceVariable {
                semantic: input.semantic,
                location: None,
                scalar: reflected(row.scalar),
                components: row.size,
                interpolation: Interpolation::Flat,
                half: None,
            });
        }
        let (variable, value) = load_builtin_value(self, w, program.stage, row);
        self.inputs[id.index()].variable = variable;
        let (zero, one) = if row.scalar == Scalar::F32 {
            (w.float(0.0), w.float(1.0))
        } else {
            (w.uint(0), w.uint(1))
        };
        let mut lanes = [zero, zero, zero, one].map(Lane::scalar);
        for (lane, place) in lanes[..row.size as usize].iter_mut().enumerate() {
            *place = Lane::of(value, lane);
        }
        if input.semantic == Semantic::FullyCovered {
            let operands = [value.0, w.uint(1).0, w.uint(0).0];
            let number = w.derive(Home::Prologue, Op::Select, Scalar::U32, 1, &operands);
            lanes[0] = Lane::scalar(number);
        } else if input.semantic == Semantic::Facing {
            let (front, back) = (w.float(1.0), w.float(-1.0));
            let operands = [value.0, front.0, back.0];
            let facing = w.derive(Home::Prologue, Op::Select, Scalar::F32, 1, &operands);
            let pad = [w.float(0.0), w.float(1.0)].map(Lane::scalar);
            lanes = [Lane::scalar(facing), pad[0], pad[0], pad[1]];
        } else if input.semantic == Semantic::Position {
            self.move_window_position(w, program, options, &mut lanes);
        } else if input.semantic == Semantic::PointCoord {
            [lanes[0], lanes[1]] = self.point_coordinate(w, options);
        } else if is_thread_number(input.semantic) {
            lanes[0] = Lane::scalar(thread_value(w, input.semantic, value));
        } else if input.semantic == Semantic::InstanceId
            && options.device.draw_parameters
            && !options.conventions.instances_from_zero
        {
            // Vulkan counts from the base instance, the languages from 0.
            w.needs.insert(Need::DrawParameters);
            let base_row = BuiltinRow {
                builtin: BuiltIn::BaseInstance,
                ..row
            };
            let (_, base) = load_builtin_value(self, w, program.stage, base_row);
            let operands = [value.0, base.0];
            let number = w.derive(Home::Prologue, Op::ISub, Scalar::U32, 1, &operands);
            lanes[0] = Lane::scalar(number);
        }
        Ok(lanes)
    }

    /// The variable of a fragment input that has been loaded, if the value depends on the place where it is evaluated.
    pub(crate) fn interpolant(
        &self,
        program: &Program,
        options: &Options,
        id: InputId,
    ) -> Option<ValueWord> {
        let input = program.inputs[id];
        let is_flat = options.fixed.flat_colors && matches!(input.semantic, Semantic::Color(_));
        let varies = varying_location(input.semantic).is_some()
            && !is_flat
            && !self.is_point_sprite(options, input.semantic)
            && input.interpolation != Interpolation::Flat
            && program.stage == Stage::Fragment;
        let variable = self.inputs[id.index()].variable;
        (varies && variable.is_some()).then_some(variable)
    }

    // Outputs.

    /// Notes an output variable for the reflection.
    pub(crate) fn reflect_output(
        &mut self,
        output: &Output,
        location: Option<u32>,
        scalar: Scalar,
        components: u8,
    ) {
        self.reflected_outputs.push(InterfaceVariable {
            semantic: output.semantic,
            location,
            scalar: reflected(scalar),
            components,
            interpolation: Interpolation::Smooth,
            half: None,
        });
    }

    /// The finished reflection.
    pub(crate) fn reflection(
        &mut self,
        program: &Program,
        requirements: Requirements,
    ) -> Reflection {
        let compute = program.stage == Stage::Compute;
        Reflection {
            stage: program.stage,
            entry_point: "main",
            params: self.param_slot.map(|slot| ParamBlock {
                slot,
                slots: program.params.iter().map(|param| param.source).collect(),
                storage: storage_class(program) == StorageClass::StorageBuffer,
            }),
            textures: self.reflected_textures.drain(..).collect(),
            images: self.reflected_images.drain(..).collect(),
            handle_arrays: self.reflected_handles.drain(..).collect(),
            buffers: self.reflected_buffers.drain(..).collect(),
            image_lock: self.reflected_image_lock,
            inputs: self.reflected_inputs.drain(..).collect(),
            outputs: self.reflected_outputs.drain(..).collect(),
            replication: self.replication,
            workgroup_size: compute.then(|| match program.modes.workgroup_size {
                [0, 0, 0] => [0; 3],
                size => size.map(|size| size.max(1)),
            }),
            requirements,
        }
    }
}

/// Notes what a built-in needs, if the device has it.
fn need_builtin(
    w: &mut Builder,
    program: &Program,
    options: &Options,
    row: BuiltinRow,
) -> Result<(), Failure> {
    let Some(need) = row.need else { return Ok(()) };
    if need == Need::Group {
        check_subgroups(&options.device, program.stage)?;
    }
    w.needs.require(&options.device, need)
}

/// How an input is interpolated: GL state may make colors flat.
fn shaded(options: &Options, mut input: Input) -> Input {
    if options.fixed.flat_colors
        && matches!(input.semantic, Semantic::Color(_) | Semantic::BackColor(_))
    {
        (input.interpolation, input.sampling) = (Interpolation::Flat, Sampling::Center);
    }
    input
}

/// The number that stands for a stage in bindings.
pub(crate) fn stage_number(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex | Stage::Compute => 0,
        Stage::TessControl => 1,
        Stage::TessEval => 2,
        Stage::Geometry => 3,
        Stage::Fragment => 4,
    }
}

/// Decorates a resource variable with its place.
pub(crate) fn bind(w: &mut Builder, variable: ValueWord, slot: DescriptorSlot) {
    w.decorate(variable, Decoration::DescriptorSet, &[slot.set]);
    w.decorate(variable, Decoration::Binding, &[slot.binding]);
}

/// The scalar of an interface variable with lanes of `base`.
pub(crate) fn base_scalar(base: TypeBase) -> Scalar {
    match base {
        TypeBase::Float => Scalar::F32,
        TypeBase::Signed => Scalar::S32,
        TypeBase::Unsigned => Scalar::U32,
    }
}

fn reflected(scalar: Scalar) -> ReflectedScalar {
    match scalar {
        Scalar::S32 => ReflectedScalar::Int,
        Scalar::F32 => ReflectedScalar::Float,
        Scalar::F64 => ReflectedScalar::Double,
        Scalar::BoolFloat
        | Scalar::BoolInt
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Pair => ReflectedScalar::Uint,
    }
}

/// Number of clip planes that these semantics name.
pub(crate) fn clip_planes(semantics: impl Iterator<Item = Semantic>) -> u32 {
    semantics
        .filter_map(|semantic| {
            if let Semantic::ClipDistance(plane) = semantic {
                Some(u32::from(plane) + 1)
            } else {
                None
            }
        })
        .max()
        .unwrap_or(1)
}
