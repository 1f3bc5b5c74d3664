//! Context of the interface: its variables, their loaded values in the open function, the
//! reflection. Each part has a separate struct, and [`Io`] is the context of the functions that
//! declare and load them.

use super::dynamic_state::StateVariables;
use super::params::{reflect_named_params, reflect_state_program};
use crate::builder::{Lane, ModuleWriter, Scalar, ValueBuilder, ValueOrigin};
use crate::options::{Options, Target};
use crate::reflect::{
    AttachmentBinding, AttributeHalf, BufferBinding, DescriptorSlot, HandleArray, ImageBinding,
    InterfaceVariable, ParamBlock, PrimitiveInfo, Reflection, Requirements, SamplerBinding,
    ScalarType as ReflectedScalar, TextureBinding, ViewReplication,
};
use crate::spirv_writer::{TypeWord, ValueWord};
use crate::spirv_writer::{reuse_empty, reuse_filled};
use glasm_ir::semantic::Interpolation;
use glasm_ir::{BaseType, InputId, Output, Program, Semantic, Stage};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::mem::take;

/// Context of functions that declare and load the variables of the interface.
pub(crate) struct Io<'a> {
    pub(crate) builder: &'a mut ValueBuilder,
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) interface: &'a mut Interface,
}

impl AsMut<ValueBuilder> for Io<'_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.builder
    }
}

/// Input in the open function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadedInput {
    pub(crate) variable: ValueWord,
    pub(crate) lanes: Option<[Lane; 4]>,
}

/// Inputs, which are values: each is loaded once in a function.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) loaded: Vec<LoadedInput>,
    /// Copies of arrays of inputs in variables, for dynamic indexing.
    pub(crate) copies: Vec<(InputId, u32, ValueWord)>,
    /// Inputs of vertices with constant numbers.
    pub(crate) vertex_lanes: FxHashMap<(InputId, u32), [Lane; 4]>,
    /// Number of the vertex that the invocation of a tessellation control program outputs.
    pub(crate) invocation_id: ValueWord,
    /// Number of the patch.
    pub(crate) patch_id: ValueWord,
    /// Sizes of a work group if the pipeline specifies them.
    pub(crate) group_size: Option<[ValueWord; 3]>,
    pub(crate) builtins: Vec<(BuiltIn, ValueWord)>,
    /// Variables other than inputs of the program: back colors, and varyings that select state at
    /// run time.
    pub(crate) extra_varyings: Vec<(Semantic, ValueWord)>,
    /// Variables of distances, by [`DistanceKind`](crate::varyings::DistanceKind).
    pub(crate) distances: [ValueWord; 2],
    /// Variables of the halves of 64-bit attributes, by attribute number.
    pub(crate) halves: Vec<(u8, AttributeHalf, ValueWord)>,
    /// Variables of attributes of four doubles, by attribute number.
    pub(crate) doubles: Vec<(u8, ValueWord)>,
}

impl Inputs {
    /// Clears the inputs for another program and reuses their memory.
    fn reset(&mut self, program: &Program) {
        *self = Self {
            loaded: reuse_filled(take(&mut self.loaded), program.inputs.len()),
            copies: reuse_empty(take(&mut self.copies)),
            builtins: reuse_empty(take(&mut self.builtins)),
            halves: reuse_empty(take(&mut self.halves)),
            doubles: reuse_empty(take(&mut self.doubles)),
            extra_varyings: reuse_empty(take(&mut self.extra_varyings)),
            // Cleared together with the loads of the first function.
            vertex_lanes: take(&mut self.vertex_lanes),
            ..Self::default()
        };
    }
}

/// Maximum number of slots of a uniform block: at 16 bytes each they fill the 64 KiB that most
/// devices can bind.
pub(crate) const UNIFORM_SLOTS: usize = 4096;

/// Member of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ParamMember {
    /// First slot.
    pub(crate) first: u32,
    /// Number of slots.
    pub(crate) len: u32,
    /// True for an array; false for one slot.
    pub(crate) is_array: bool,
}

/// Block of parameters.
#[derive(Debug, Default)]
pub(crate) struct Params {
    /// Loaded values, by parameter.
    pub(crate) loaded: Vec<ValueWord>,
    pub(crate) block: ValueWord,
    /// Type of pointers to its slots.
    pub(crate) pointer: TypeWord,
    pub(crate) members: Vec<ParamMember>,
    pub(crate) types: Vec<u32>,
    pub(crate) slot: Option<DescriptorSlot>,
}

impl Params {
    /// Clears the parameters for another program and reuses their memory.
    fn reset(&mut self, program: &Program) {
        *self = Self {
            loaded: reuse_filled(take(&mut self.loaded), program.params.len()),
            members: reuse_empty(take(&mut self.members)),
            types: reuse_empty(take(&mut self.types)),
            ..Self::default()
        };
    }
}

/// Variables of outputs. Any function can store them, because no state records the stores.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) variables: Vec<ValueWord>,
    /// Variables of distances, by [`DistanceKind`](crate::varyings::DistanceKind).
    pub(crate) distances: [ValueWord; 2],
    /// True if the program writes the fragment depth.
    pub(crate) writes_depth: bool,
    /// True if the program writes the reference value of the stencil test.
    pub(crate) writes_stencil: bool,
    /// Task of a subsequent stage, and the variable that passes its input.
    pub(crate) replication: Option<ViewReplication>,
    pub(crate) replication_variable: ValueWord,
    /// Variables of color 0 by attachment, if it is written to several.
    // The number of bits of `draw_buffer_mask`.
    pub(crate) color_copies: [ValueWord; 8],
    /// Variables of varyings that state adds to the results of the program.
    pub(crate) added_varyings: Vec<(Semantic, ValueWord)>,
    /// Variable of a point size that no program writes.
    pub(crate) point_size: ValueWord,
    /// Number of runs of a geometry program, and the viewport and the layer that a run selects.
    pub(crate) copies: InvocationCopies,
    pub(crate) copy_builtins: [ValueWord; 2],
    /// Maximum number of vertices that an invocation of a geometry program emits.
    pub(crate) emitted_vertices: u32,
    /// Variables of the outer and inner tessellation levels.
    pub(crate) tess_levels: [ValueWord; 2],
    /// Number of locations that variables shared by the invocations of a patch occupy after those
    /// of the passed varyings.
    pub(crate) own_locations: u32,
}

impl Outputs {
    /// Clears the outputs for another program and reuses their memory.
    fn reset(&mut self, program: &Program) {
        *self = Self {
            variables: reuse_filled(take(&mut self.variables), program.outputs.len()),
            added_varyings: reuse_empty(take(&mut self.added_varyings)),
            ..Self::default()
        };
    }
}

/// Number of runs of a geometry program for each of its invocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InvocationCopies {
    /// Views: 1 or 2.
    pub(crate) views: u32,
    /// Viewports of a view: 1, or the maximum.
    pub(crate) viewports: u32,
}

impl Default for InvocationCopies {
    /// Returns a single run.
    fn default() -> Self {
        Self {
            views: 1,
            viewports: 1,
        }
    }
}

impl InvocationCopies {
    /// Returns the number of invocations that replace one: one per view and viewport.
    pub(crate) const fn count(self) -> u32 {
        self.views * self.viewports
    }
}

/// Variable of a texture and its types.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextureVariable {
    pub(crate) variable: ValueWord,
    pub(crate) image: TypeWord,
    /// Combined image sampler, or the image of a buffer texture or of a texture with the sampler of
    /// another unit.
    pub(crate) object: TypeWord,
    /// Value loaded in the prologue of the open function.
    pub(crate) loaded: ValueWord,
}

/// Variable of a sampler for textures of other units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplerVariable {
    pub(crate) unit: u32,
    pub(crate) variable: ValueWord,
    /// Value loaded in the prologue of the open function.
    pub(crate) loaded: ValueWord,
}

/// Variable of an image and the type of one image.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ImageVariable {
    pub(crate) variable: ValueWord,
    pub(crate) object: TypeWord,
}

/// Variables of a buffer: one for each element type of its block, and the types of these blocks.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct BufferVariables {
    pub(crate) variables: [ValueWord; 6],
    pub(crate) blocks: [TypeWord; 6],
    /// Component type of the vectors of a constant buffer: the type of most loads of it. `None`
    /// before the first one, and for other buffers.
    pub(crate) constant: Option<Scalar>,
}

/// Variables of resources.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) textures: Vec<TextureVariable>,
    pub(crate) samplers: Vec<SamplerVariable>,
    pub(crate) images: Vec<ImageVariable>,
    pub(crate) buffers: Vec<BufferVariables>,
    pub(crate) image_lock: ValueWord,
}

impl Resources {
    /// Clears the resources for another program and reuses their memory.
    fn reset(&mut self, program: &Program) {
        *self = Self {
            textures: reuse_filled(take(&mut self.textures), program.textures.len()),
            samplers: reuse_empty(take(&mut self.samplers)),
            images: reuse_filled(take(&mut self.images), program.images.len()),
            buffers: reuse_filled(take(&mut self.buffers), program.buffers.len()),
            image_lock: ValueWord::NONE,
        };
    }
}

impl InterfaceVariable {
    /// Returns a variable with default interpolation that is neither a half of an attribute nor an
    /// array over vertices.
    pub(super) fn new(
        semantic: Semantic,
        location: Option<u32>,
        scalar: Scalar,
        components: u8,
    ) -> Self {
        Self {
            semantic,
            location,
            scalar_type: to_scalar_kind(scalar),
            component_count: components,
            interpolation: Interpolation::Smooth,
            attribute_half: None,
            is_per_vertex: false,
        }
    }
}

/// Returns the value of a key in a list of pairs; `None` if it is missing.
pub(crate) fn find_by_key<K: PartialEq, V: Copy>(list: &[(K, V)], key: K) -> Option<V> {
    let found = list.iter().find(|(known, _)| *known == key);
    found.map(|(_, value)| *value)
}

/// Contents of the reflection.
#[derive(Debug, Default)]
pub(crate) struct Reflected {
    pub(crate) inputs: Vec<InterfaceVariable>,
    pub(crate) outputs: Vec<InterfaceVariable>,
    pub(crate) textures: Vec<TextureBinding>,
    pub(crate) samplers: Vec<SamplerBinding>,
    pub(crate) attachments: Vec<AttachmentBinding>,
    pub(crate) images: Vec<ImageBinding>,
    pub(crate) handles: Vec<HandleArray>,
    pub(crate) buffers: Vec<BufferBinding>,
    pub(crate) image_lock: Option<DescriptorSlot>,
}

impl Reflected {
    /// Clears the lists of the reflection and retains their memory.
    fn reset(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.textures.clear();
        self.samplers.clear();
        self.attachments.clear();
        self.images.clear();
        self.handles.clear();
        self.buffers.clear();
        self.image_lock = None;
    }
}

/// Interface of one module. Retained between programs for its memory.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// Entry point.
    pub(crate) entry: ValueWord,
    /// Input and output variables.
    pub(crate) in_out: Vec<u32>,
    pub(crate) inputs: Inputs,
    pub(crate) params: Params,
    pub(crate) state: StateVariables,
    pub(crate) outputs: Outputs,
    pub(crate) resources: Resources,
    pub(crate) reflected: Reflected,
}

impl Interface {
    /// Clears all state of the previous program; the next is `program`.
    pub(crate) fn reset(&mut self, program: &Program) {
        self.entry = ValueWord::NONE;
        self.in_out.clear();
        self.inputs.reset(program);
        self.params.reset(program);
        self.state.reset();
        self.outputs.reset(program);
        self.resources.reset(program);
        self.reflected.reset();
    }

    /// Invalidates all loaded inputs, parameters, state and resources, because a new function
    /// begins. Variables remain declared.
    pub(crate) fn clear_loads(&mut self) {
        self.inputs
            .loaded
            .iter_mut()
            .for_each(|input| input.lanes = None);
        // Copies are in Private variables, which outlive the function, but the prologue of a
        // function fills them.
        self.inputs.copies.clear();
        self.inputs.vertex_lanes.clear();
        self.inputs.invocation_id = ValueWord::NONE;
        self.inputs.patch_id = ValueWord::NONE;
        self.params.loaded.fill(ValueWord::NONE);
        self.state.clear_loads();
        self.resources
            .textures
            .iter_mut()
            .for_each(|texture| texture.loaded = ValueWord::NONE);
        let samplers = &mut self.resources.samplers;
        samplers
            .iter_mut()
            .for_each(|sampler| sampler.loaded = ValueWord::NONE);
    }

    /// Returns the copy of an input array in a variable, if the open function has one.
    pub(crate) fn find_input_copy(&self, first: InputId, len: u32) -> Option<ValueWord> {
        let same = |copy: &&(InputId, u32, ValueWord)| copy.0 == first && copy.1 == len;
        self.inputs.copies.iter().find(same).map(|copy| copy.2)
    }

    /// Records the variable of the open function that contains a copy of the `len` inputs from
    /// `first` on, for dynamic indices.
    pub(crate) fn record_input_copy(&mut self, first: InputId, len: u32, variable: ValueWord) {
        self.inputs.copies.push((first, len, variable));
    }

    /// Records in the reflection that the last output variable has a value for each vertex. Does
    /// nothing without outputs.
    pub(crate) fn set_last_output_per_vertex(&mut self, per_vertex: bool) {
        if let Some(output) = self.reflected.outputs.last_mut() {
            output.is_per_vertex = per_vertex;
        }
    }

    /// Records an output variable for the reflection, as not per vertex.
    pub(crate) fn reflect_output(
        &mut self,
        output: &Output,
        location: Option<u32>,
        scalar: Scalar,
        components: u8,
    ) {
        let semantic = output.semantic;
        let variable = InterfaceVariable::new(semantic, location, scalar, components);
        self.reflected.outputs.push(variable);
    }
}

impl Io<'_> {
    /// Declares an input or output variable of type `ty` and lists it for the entry point.
    pub(crate) fn declare_in_out_variable(
        &mut self,
        class: StorageClass,
        ty: TypeWord,
    ) -> ValueWord {
        let variable = self.builder.declare_variable(class, ty);
        self.interface.in_out.push(variable.0);
        variable
    }

    /// Moves the reflection out, complete with `requirements` and the declarations of the program.
    /// The lists of this context are empty afterwards.
    pub(crate) fn take_reflection(&mut self, requirements: Requirements) -> Reflection {
        let params = self
            .interface
            .params
            .slot
            .map(|slot| self.describe_param_block(slot));
        let state = self.gl_state().describe_binding();
        let reflected = &mut self.interface.reflected;
        Reflection {
            stage: self.program.stage,
            entry_point: "main",
            parameter_block: params,
            state_block: state,
            named_parameters: reflect_named_params(self.program),
            state_program: reflect_state_program(self.program, &reflected.buffers),
            // Copied out of lists that retain their memory: the returned lists have no excess
            // capacity.
            textures: reflected.textures.drain(..).collect(),
            samplers: reflected.samplers.drain(..).collect(),
            input_attachments: reflected.attachments.drain(..).collect(),
            images: reflected.images.drain(..).collect(),
            handle_arrays: reflected.handles.drain(..).collect(),
            buffers: reflected.buffers.drain(..).collect(),
            image_lock_slot: reflected.image_lock,
            inputs: reflected.inputs.drain(..).collect(),
            outputs: reflected.outputs.drain(..).collect(),
            view_replication: self.interface.outputs.replication,
            primitive_info: reflect_primitives(
                self.program,
                self.interface.outputs.emitted_vertices,
            ),
            workgroup_size: reflect_workgroup_size(self.program),
            requires_depth_clamp: self.program.modes.unclipped_depth,
            missing_textures_have_zero_alpha: self.program.modes.transparent_missing_textures,
            requirements,
            text_target: self.options.text_target.clone(),
        }
    }

    /// Returns the parameter block for the reflection: its slot and the source of each vector.
    fn describe_param_block(&self, slot: DescriptorSlot) -> ParamBlock {
        let params = &self.program.params;
        ParamBlock {
            slot,
            parameters: params.iter().map(|param| param.source).collect(),
            is_storage_buffer: is_storage_block(self.program),
        }
    }
}

/// Emits the computation of a scalar in the prologue of the function, so that it is available in
/// all blocks.
pub(crate) fn emit_at_start<const N: usize>(
    builder: &mut ValueBuilder,
    op: Op,
    scalar: Scalar,
    operands: &[u32; N],
) -> ValueWord {
    builder.emit_op_at(ValueOrigin::Prologue, op, scalar, 1, operands)
}

/// Emits the load of a variable in the prologue of the function, so that it is available in all
/// blocks.
pub(crate) fn load_at_start(
    builder: &mut ValueBuilder,
    pointer: ValueWord,
    scalar: Scalar,
    size: u8,
) -> ValueWord {
    builder.emit_op_at(ValueOrigin::Prologue, Op::Load, scalar, size, &[pointer.0])
}

/// Loads an element of an input array in the prologue of the function. `index` is constant.
pub(crate) fn load_element_at_start(
    builder: &mut ValueBuilder,
    variable: ValueWord,
    index: u32,
    scalar: Scalar,
) -> ValueWord {
    let ty = builder.get_type(scalar, 1);
    let pointer_ty = builder.pointer_type(StorageClass::Input, ty);
    let index = builder.constant_u32(index);
    let pointer = builder.new_object();
    let operands = [variable.0, index.0];
    builder
        .prologue
        .push_result_inst(Op::AccessChain, pointer_ty, pointer, &operands);
    load_at_start(builder, pointer, scalar, 1)
}

/// Returns the constant 1 as a float, or as an unsigned integer for both types of integers.
pub(crate) fn constant_one(module: &mut ModuleWriter, base: BaseType) -> ValueWord {
    match base {
        BaseType::Float => module.constant_f32(1.0),
        // Registers contain unsigned integers; a signed 1 has the same bits.
        BaseType::SignedInt | BaseType::UnsignedInt => module.constant_u32(1),
    }
}

/// Returns the size of the work groups of a compute program, or zeros if the pipeline specifies it.
/// Returns `None` for other stages.
fn reflect_workgroup_size(program: &Program) -> Option<[u32; 3]> {
    let size = program.modes.workgroup_size;
    (program.stage == Stage::Compute).then(|| match size {
        [0, 0, 0] => [0; 3],
        // Vulkan has no work groups without invocations: a single 0 is treated as 1, as in the
        // module.
        _ => size.map(|size| size.max(1)),
    })
}

/// Returns the declarations of a tessellation or geometry program about primitives, or `None` for
/// other stages. `emitted_vertices` is the limit for geometry programs in the module.
fn reflect_primitives(program: &Program, emitted_vertices: u32) -> Option<PrimitiveInfo> {
    let modes = program.modes;
    match program.stage {
        Stage::TessControl => Some(PrimitiveInfo::TessControl {
            vertices: modes.vertices_out,
        }),
        Stage::TessEval => Some(PrimitiveInfo::TessEval {
            mode: modes.tess_mode,
            spacing: modes.tess_spacing,
            winding: modes.tess_order,
            point_mode: modes.point_mode,
        }),
        Stage::Geometry => Some(PrimitiveInfo::Geometry {
            input_primitive: modes.primitive_in,
            input_vertex_count: modes.primitive_in.vertex_count().unwrap_or(0),
            output_primitive: modes.primitive_out,
            vertices: emitted_vertices,
            invocations: modes.invocations.max(1),
            is_passthrough: modes.passthrough,
        }),
        Stage::Vertex | Stage::Fragment | Stage::Compute => None,
    }
}

/// Returns true if the parameters of a program are a storage block, because they are too many for a
/// uniform block.
pub(crate) fn is_storage_block(program: &Program) -> bool {
    program.params.len() > UNIFORM_SLOTS
}

/// Returns the storage class of the parameters of a program, and the decoration of the structure of
/// their block. It depends on the size of the block and on the target.
pub(crate) fn param_class(program: &Program, target: Target) -> (StorageClass, Decoration) {
    if is_storage_block(program) {
        target.storage_block()
    } else {
        (StorageClass::Uniform, Decoration::Block)
    }
}

/// Returns the number from 0 to 4 of a stage, which offsets the bindings of its parameters and
/// buffers. Vertex and compute programs share a number.
pub(crate) fn stage_binding_index(stage: Stage) -> u32 {
    match stage {
        // Compute programs have separate pipelines, so they may share a number.
        Stage::Vertex | Stage::Compute => 0,
        Stage::TessControl => 1,
        Stage::TessEval => 2,
        Stage::Geometry => 3,
        Stage::Fragment => 4,
    }
}

/// Decorates a resource variable with its binding and, for Vulkan, its descriptor set. OpenGL has
/// no descriptor sets.
pub(crate) fn decorate_binding(
    module: &mut ModuleWriter,
    variable: ValueWord,
    slot: DescriptorSlot,
) {
    if !module.target.is_opengl() {
        module.decorate(variable, Decoration::DescriptorSet, &[slot.set]);
    }
    module.decorate(variable, Decoration::Binding, &[slot.binding]);
}

/// Returns the scalar of an interface variable with lanes of `base`.
pub(crate) const fn base_scalar(base: BaseType) -> Scalar {
    match base {
        BaseType::Float => Scalar::F32,
        BaseType::SignedInt => Scalar::S32,
        BaseType::UnsignedInt => Scalar::U32,
    }
}

/// Returns the type of a component in the reflection; booleans and pairs are unsigned integers.
pub(crate) fn to_scalar_kind(scalar: Scalar) -> ReflectedScalar {
    match scalar {
        Scalar::S32 => ReflectedScalar::Sint32,
        Scalar::F32 => ReflectedScalar::Float32,
        Scalar::F64 => ReflectedScalar::Float64,
        Scalar::BoolFloat
        | Scalar::BoolInt
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Pair => ReflectedScalar::Uint32,
    }
}
