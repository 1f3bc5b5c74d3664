//! Variables of the interface and their loaded values in the open function; their reflection.
//!
//! Each part has a separate struct, and [`Io`] is the context of the functions that declare and
//! load them.

use super::state::State;
use super::state_program::{named_parameters, state_program};
use crate::builder::{Home, Lane, ModuleWriter, Scalar, ValueBuilder};
use crate::kept::{emptied, filled};
use crate::options::{Options, Target};
use crate::reflect::{
    AttachmentBinding, BufferBinding, DescriptorSlot, Half, HandleArray, ImageBinding,
    InterfaceVariable, ParamBlock, Primitives, Reflection, Replication, Requirements,
    SamplerBinding, Scalar as ReflectedScalar, TextureBinding,
};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::semantic::Interpolation;
use glasm_ir::{InputId, Output, Program, Semantic, Stage, TypeBase};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::mem::take;

/// Context of functions that declare and load the variables of the interface.
pub(crate) struct Io<'a> {
    pub(crate) w: &'a mut ValueBuilder,
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) vars: &'a mut Interface,
}

impl AsMut<ValueBuilder> for Io<'_> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut ValueBuilder {
        self.w
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
    pub(crate) vertices: FxHashMap<(InputId, u32), [Lane; 4]>,
    /// Number of the vertex that the invocation of a tessellation control program outputs.
    pub(crate) own_vertex: ValueWord,
    /// Number of the patch.
    pub(crate) patch_number: ValueWord,
    /// Sizes of a work group if the pipeline specifies them.
    pub(crate) group_size: Option<[ValueWord; 3]>,
    pub(crate) builtins: Vec<(BuiltIn, ValueWord)>,
    /// Variables other than inputs of the program: back colors, and varyings that select state at
    /// run time.
    pub(crate) beside: Vec<(Semantic, ValueWord)>,
    /// Variables of distances, by [`Distances`](crate::varyings::Distances).
    pub(crate) distances: [ValueWord; 2],
    /// Variables of the halves of 64-bit attributes, by attribute number.
    pub(crate) halves: Vec<(u8, Half, ValueWord)>,
    /// Variables of attributes of four doubles, by attribute number.
    pub(crate) doubles: Vec<(u8, ValueWord)>,
}

impl Inputs {
    fn reset(&mut self, program: &Program) {
        *self = Self {
            loaded: filled(take(&mut self.loaded), program.inputs.len()),
            copies: emptied(take(&mut self.copies)),
            builtins: emptied(take(&mut self.builtins)),
            halves: emptied(take(&mut self.halves)),
            doubles: emptied(take(&mut self.doubles)),
            beside: emptied(take(&mut self.beside)),
            // Cleared together with the loads of the first function.
            vertices: take(&mut self.vertices),
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
    fn reset(&mut self, program: &Program) {
        *self = Self {
            loaded: filled(take(&mut self.loaded), program.params.len()),
            members: emptied(take(&mut self.members)),
            types: emptied(take(&mut self.types)),
            ..Self::default()
        };
    }
}

/// Variables of outputs. Any function can store them, because no state records the stores.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) variables: Vec<ValueWord>,
    /// Variables of distances, by [`Distances`](crate::varyings::Distances).
    pub(crate) distances: [ValueWord; 2],
    /// True if the program writes the fragment depth.
    pub(crate) writes_depth: bool,
    /// True if the program writes the reference value of the stencil test.
    pub(crate) writes_stencil: bool,
    /// Task of a subsequent stage, and the variable that passes its input.
    pub(crate) replication: Option<Replication>,
    pub(crate) replication_variable: ValueWord,
    /// Variables of color 0 by attachment, if it is written to several.
    // The number of bits of `draw_buffers`.
    pub(crate) color_copies: [ValueWord; 8],
    /// Variables of varyings that state adds to the results of the program.
    pub(crate) added: Vec<(Semantic, ValueWord)>,
    /// Variable of a point size that no program writes.
    pub(crate) point_size: ValueWord,
    /// Number of runs of a geometry program, and the viewport and the layer that a run selects.
    pub(crate) copies: Copies,
    pub(crate) copy_numbers: [ValueWord; 2],
    /// Maximum number of vertices that an invocation of a geometry program emits.
    pub(crate) emitted_vertices: u32,
    /// Variables of the outer and inner tessellation levels.
    pub(crate) tess_levels: [ValueWord; 2],
    /// Number of locations that variables shared by the invocations of a patch occupy after those
    /// of the passed varyings.
    pub(crate) own_locations: u32,
}

impl Outputs {
    fn reset(&mut self, program: &Program) {
        *self = Self {
            variables: filled(take(&mut self.variables), program.outputs.len()),
            added: emptied(take(&mut self.added)),
            ..Self::default()
        };
    }
}

/// Number of runs of a geometry program for each of its invocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Copies {
    /// Views: 1 or 2.
    pub(crate) views: u32,
    /// Viewports of a view: 1, or the maximum.
    pub(crate) viewports: u32,
}

impl Default for Copies {
    fn default() -> Self {
        Self {
            views: 1,
            viewports: 1,
        }
    }
}

impl Copies {
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
    fn reset(&mut self, program: &Program) {
        *self = Self {
            textures: filled(take(&mut self.textures), program.textures.len()),
            samplers: emptied(take(&mut self.samplers)),
            images: filled(take(&mut self.images), program.images.len()),
            buffers: filled(take(&mut self.buffers), program.buffers.len()),
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
            scalar: reflected(scalar),
            components,
            interpolation: Interpolation::Smooth,
            half: None,
            per_vertex: false,
        }
    }
}

/// Returns the value of a key in a list.
pub(crate) fn find<K: PartialEq, V: Copy>(list: &[(K, V)], key: K) -> Option<V> {
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
    pub(crate) state: State,
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

    /// Clears loaded values at the start of a function.
    pub(crate) fn forget_loads(&mut self) {
        self.inputs
            .loaded
            .iter_mut()
            .for_each(|input| input.lanes = None);
        // Copies are in Private variables, which outlive the function, but the prologue of a
        // function fills them.
        self.inputs.copies.clear();
        self.inputs.vertices.clear();
        self.inputs.own_vertex = ValueWord::NONE;
        self.inputs.patch_number = ValueWord::NONE;
        self.params.loaded.fill(ValueWord::NONE);
        self.state.forget_loads();
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
    pub(crate) fn input_copy(&self, first: InputId, len: u32) -> Option<ValueWord> {
        let same = |copy: &&(InputId, u32, ValueWord)| copy.0 == first && copy.1 == len;
        self.inputs.copies.iter().find(same).map(|copy| copy.2)
    }

    pub(crate) fn keep_input_copy(&mut self, first: InputId, len: u32, variable: ValueWord) {
        self.inputs.copies.push((first, len, variable));
    }

    /// Records in the reflection that the last output variable has a value for each vertex.
    pub(crate) fn reflected_per_vertex(&mut self, per_vertex: bool) {
        if let Some(output) = self.reflected.outputs.last_mut() {
            output.per_vertex = per_vertex;
        }
    }

    /// Records an output variable for the reflection.
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
    /// Declares an input or output variable.
    pub(crate) fn variable(&mut self, class: StorageClass, ty: TypeWord) -> ValueWord {
        let variable = self.w.declare_variable(class, ty);
        self.vars.in_out.push(variable.0);
        variable
    }

    /// Returns the finished reflection.
    pub(crate) fn reflection(&mut self, requirements: Requirements) -> Reflection {
        let params = self.vars.params.slot.map(|slot| self.param_binding(slot));
        let state = self.gl_state().describe_binding();
        let told = &mut self.vars.reflected;
        Reflection {
            stage: self.program.stage,
            entry_point: "main",
            params,
            state,
            named: named_parameters(self.program),
            state_program: state_program(self.program, &told.buffers),
            // Copied out of lists that retain their memory: the returned lists have no excess
            // capacity.
            textures: told.textures.drain(..).collect(),
            samplers: told.samplers.drain(..).collect(),
            attachments: told.attachments.drain(..).collect(),
            images: told.images.drain(..).collect(),
            handle_arrays: told.handles.drain(..).collect(),
            buffers: told.buffers.drain(..).collect(),
            image_lock: told.image_lock,
            inputs: told.inputs.drain(..).collect(),
            outputs: told.outputs.drain(..).collect(),
            replication: self.vars.outputs.replication,
            primitives: reflected_primitives(self.program, self.vars.outputs.emitted_vertices),
            workgroup_size: reflected_group_size(self.program),
            unclipped_depth: self.program.modes.unclipped_depth,
            transparent_missing: self.program.modes.transparent_missing,
            requirements,
        }
    }

    fn param_binding(&self, slot: DescriptorSlot) -> ParamBlock {
        let params = &self.program.params;
        ParamBlock {
            slot,
            slots: params.iter().map(|param| param.source).collect(),
            storage: is_storage_block(self.program),
        }
    }
}

/// Emits the computation of a scalar at the start of the function.
pub(crate) fn derive_at_start<const N: usize>(
    w: &mut ValueBuilder,
    op: Op,
    scalar: Scalar,
    operands: &[u32; N],
) -> ValueWord {
    w.derive(Home::Prologue, op, scalar, 1, operands)
}

/// Loads the value of a variable at the start of the function.
pub(crate) fn load_at_start(
    w: &mut ValueBuilder,
    pointer: ValueWord,
    scalar: Scalar,
    size: u8,
) -> ValueWord {
    w.derive(Home::Prologue, Op::Load, scalar, size, &[pointer.0])
}

/// Loads an element of an input array, at the start of the function.
pub(crate) fn load_element_at_start(
    w: &mut ValueBuilder,
    variable: ValueWord,
    index: u32,
    scalar: Scalar,
) -> ValueWord {
    let ty = w.ty(scalar, 1);
    let pointer_ty = w.pointer(StorageClass::Input, ty);
    let index = w.uint(index);
    let pointer = w.object();
    let operands = [variable.0, index.0];
    w.prologue
        .result(Op::AccessChain, pointer_ty, pointer, &operands);
    load_at_start(w, pointer, scalar, 1)
}

/// Returns the constant 1 of a declared base.
pub(crate) fn make_one(w: &mut ModuleWriter, base: TypeBase) -> ValueWord {
    match base {
        TypeBase::Float => w.float(1.0),
        // Registers contain unsigned integers; a signed 1 has the same bits.
        TypeBase::Signed | TypeBase::Unsigned => w.uint(1),
    }
}

/// Returns the size of the work groups of a compute program; zeros if the pipeline specifies it.
fn reflected_group_size(program: &Program) -> Option<[u32; 3]> {
    let size = program.modes.workgroup_size;
    (program.stage == Stage::Compute).then(|| match size {
        [0, 0, 0] => [0; 3],
        // Vulkan has no work groups without invocations: a single 0 is treated as 1, as in the
        // module.
        _ => size.map(|size| size.max(1)),
    })
}

/// Returns the declarations of a program about primitives, or `None` for other stages.
fn reflected_primitives(program: &Program, emitted_vertices: u32) -> Option<Primitives> {
    let modes = program.modes;
    match program.stage {
        Stage::TessControl => Some(Primitives::TessControl {
            vertices: modes.vertices_out,
        }),
        Stage::TessEval => Some(Primitives::TessEval {
            mode: modes.tess_mode,
            spacing: modes.tess_spacing,
            order: modes.tess_order,
            points: modes.point_mode,
        }),
        Stage::Geometry => Some(Primitives::Geometry {
            input: modes.primitive_in,
            input_vertices: modes.primitive_in.vertices().unwrap_or(0),
            output: modes.primitive_out,
            vertices: emitted_vertices,
            invocations: modes.invocations.max(1),
            passthrough: modes.passthrough,
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
/// their block.
pub(crate) fn param_class(program: &Program, target: Target) -> (StorageClass, Decoration) {
    if is_storage_block(program) {
        target.storage_block()
    } else {
        (StorageClass::Uniform, Decoration::Block)
    }
}

/// Returns the number of a stage in bindings.
pub(crate) fn stage_number(stage: Stage) -> u32 {
    match stage {
        // Compute programs have separate pipelines, so they may share a number.
        Stage::Vertex | Stage::Compute => 0,
        Stage::TessControl => 1,
        Stage::TessEval => 2,
        Stage::Geometry => 3,
        Stage::Fragment => 4,
    }
}

/// Decorates a resource variable with its binding. OpenGL has no descriptor sets.
pub(crate) fn bind(w: &mut ModuleWriter, variable: ValueWord, slot: DescriptorSlot) {
    if !w.target.is_opengl() {
        w.decorate(variable, Decoration::DescriptorSet, &[slot.set]);
    }
    w.decorate(variable, Decoration::Binding, &[slot.binding]);
}

/// Returns the scalar of an interface variable with lanes of `base`.
pub(crate) const fn base_scalar(base: TypeBase) -> Scalar {
    match base {
        TypeBase::Float => Scalar::F32,
        TypeBase::Signed => Scalar::S32,
        TypeBase::Unsigned => Scalar::U32,
    }
}

pub(crate) fn reflected(scalar: Scalar) -> ReflectedScalar {
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
