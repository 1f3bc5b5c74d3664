//! The checked program: everything that operands name is resolved to registers, inputs, outputs and
//! resources of the program, and unreachable code is left out.
//!
//! Only `check` creates one; `lower` reads nothing else. All lists are flat and refer to each other
//! by index.

use super::ast::{ImageDecl, ViewDecl};
use super::opcodes::OpcodeRow;
use super::properties::Properties;
use super::semantics::{InputKind, OutputTarget, SemanticName};
use super::texture_targets::TextureTarget;
use glasm_ir::cfg::{BasicBlockId, CallGraph, Cfg, LabelId};
use glasm_ir::program::Modes;
use glasm_ir::resource::MemFlags;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    BufferKind, CondTest, IndexVec, Input, InputId, Interpolation, OperandBase, Output, OutputId,
    Register, RegisterId, Saturate, Semantic, Span, Storage, Swizzle, UnitSet, WriteMask,
};

/// Program without unresolved names.
#[derive(Debug, Default)]
pub(super) struct CheckedProgram {
    /// Registers that declarations and operands name. They have the same ids in the IR.
    pub(super) registers: IndexVec<RegisterId, Register>,
    /// Inputs that instructions read unchanged. They have the same ids in the IR.
    pub(super) inputs: IndexVec<InputId, Input>,
    /// Declared outputs that pipelines have. They have the same ids in the IR.
    pub(super) outputs: IndexVec<OutputId, Output>,
    /// Output registers by their numbers.
    pub(super) output_registers: Vec<Option<OutputDecl>>,
    /// Output registers that the values of others depend on.
    pub(super) related_outputs: RelatedOutputs,
    /// Inputs and system values that are computed from other inputs.
    pub(super) computed_inputs: Vec<ComputedInput>,
    pub(super) immediates: Vec<[u32; 4]>,
    /// Vectors of `IMMX`.
    pub(super) immx_vectors: Vec<[u32; 4]>,
    /// Vectors of literals that are not immediates.
    pub(super) literals: Vec<[u32; 4]>,
    /// Reachable instructions in source order.
    pub(super) insts: Vec<CheckedInst>,
    /// Sources of all instructions, texel offsets included.
    pub(super) sources: Vec<CheckedSource>,
    /// Values that indices read.
    pub(super) relatives: Vec<RelativeValue>,
    /// Indices of array elements and of values per vertex.
    pub(super) elements: Vec<ElementIndex>,
    /// Vectors of constant buffers whose addresses are computed.
    pub(super) indexed_constants: Vec<IndexedConstant>,
    pub(super) guards: Vec<CheckedGuard>,
    /// Second results of opcodes that have two.
    pub(super) second_results: Vec<CheckedDst>,
    pub(super) lookups: Vec<CheckedLookup>,
    pub(super) views: Vec<CheckedView>,
    pub(super) accesses: Vec<CheckedAccess>,
    pub(super) properties: Properties,
    pub(super) modes: Modes,
    /// True if a system value is whether the fragment is a helper invocation.
    pub(super) reads_helper: bool,
    /// Subroutines and their calls.
    pub(super) cfg: Cfg,
    pub(super) call_graph: CallGraph,
}

impl CheckedProgram {
    /// Removes everything; the memory is retained.
    pub(super) fn reset(&mut self) {
        self.registers.clear();
        self.inputs.clear();
        self.outputs.clear();
        self.output_registers.clear();
        self.related_outputs = RelatedOutputs::default();
        self.computed_inputs.clear();
        self.immediates.clear();
        self.immx_vectors.clear();
        self.literals.clear();
        self.insts.clear();
        self.sources.clear();
        self.relatives.clear();
        self.elements.clear();
        self.indexed_constants.clear();
        self.guards.clear();
        self.second_results.clear();
        self.lookups.clear();
        self.views.clear();
        self.accesses.clear();
        self.properties = Properties::default();
        self.modes = Modes::default();
        self.reads_helper = false;
        self.cfg.clear();
        self.call_graph = CallGraph::default();
    }

    /// Returns the sources of an instruction.
    pub(super) fn sources(&self, inst: &CheckedInst) -> &[CheckedSource] {
        &self.sources[inst.first_source as usize..][..usize::from(inst.source_count)]
    }

    /// Returns the words of a value that is known before the program runs; `None` for others.
    pub(super) fn find_literal(&self, value: CheckedValue) -> Option<[u32; 4]> {
        match value {
            CheckedValue::Immediate(number) => self.immediates.get(number as usize).copied(),
            CheckedValue::Literal(id) => Some(self.literals[id as usize]),
            CheckedValue::Zero => Some([0; 4]),
            CheckedValue::Operand(_)
            | CheckedValue::Element(..)
            | CheckedValue::OutOfBounds
            | CheckedValue::Constant { .. }
            | CheckedValue::IndexedConstant(_)
            | CheckedValue::TableElement(..)
            | CheckedValue::Computed(_)
            | CheckedValue::VertexLanes(_)
            | CheckedValue::Helper
            | CheckedValue::Resource => None,
        }
    }

    /// Adds a register of 32 bits in `storage`, or an array of `array_len` registers.
    pub(super) fn add_register(&mut self, storage: Storage, array_len: Option<u32>) -> RegisterId {
        self.registers.push(Register {
            storage,
            width: Width::W32,
            array_len,
            name: None,
        })
    }

    /// Returns the value of a register that has an index.
    pub(super) fn add_element(&mut self, base: OperandBase, index: ElementIndex) -> CheckedValue {
        CheckedValue::Element(base, add(&mut self.elements, index))
    }

    /// Returns the value of an element of a register array.
    pub(super) fn add_array_element(
        &mut self,
        array: RegisterId,
        element: CheckedIndex,
        len: u32,
    ) -> CheckedValue {
        let index = ElementIndex {
            element,
            len,
            vertex: None,
        };
        self.add_element(OperandBase::Register(array), index)
    }

    /// Returns the value of a literal vector.
    pub(super) fn add_literal(&mut self, words: [u32; 4]) -> CheckedValue {
        CheckedValue::Literal(add(&mut self.literals, words))
    }
}

/// Appends an item to a list and returns its index.
pub(super) fn add<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    list.len() as u32 - 1
}

/// An index: a number, to which a lane of a value may be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CheckedIndex {
    /// `relatives[n]`
    pub(super) relative: Option<u32>,
    pub(super) offset: i32,
}

impl CheckedIndex {
    /// Creates a constant index.
    pub(super) const fn from_constant(offset: i32) -> Self {
        Self {
            relative: None,
            offset,
        }
    }
}

/// A value that is part of an index, and its lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeValue {
    pub(super) value: CheckedValue,
    pub(super) lane: u8,
}

/// The index of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementIndex {
    pub(super) element: CheckedIndex,
    /// Number of elements of the array.
    pub(super) len: u32,
    pub(super) vertex: Option<CheckedIndex>,
}

/// The indices of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceIndex {
    /// The first of two indices.
    pub(super) outer: Option<CheckedIndex>,
    pub(super) index: CheckedIndex,
}

/// A vector of a constant buffer whose address is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexedConstant {
    pub(super) buffer: ConstantBuffer,
    pub(super) index: CheckedIndex,
}

/// A constant buffer.
#[derive(Clone, Copy, Debug)]
pub(super) enum ConstantBuffer {
    Number(u32),
    /// An element of the array of the first `count` buffers.
    Element {
        index: CheckedIndex,
        count: u32,
    },
}

/// Arrays that are filled where the program begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArrayInit {
    Immediates,
    /// `IMMX` of TGSI of 2010.
    Immx,
    SamplePositions,
}

/// A value that an operand reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckedValue {
    /// A register or an input of the program.
    Operand(OperandBase),
    /// An element of an array, or a value of a vertex: `elements[n]`.
    Element(OperandBase, u32),
    /// `immediates[n]`
    Immediate(u32),
    /// `literals[n]`
    Literal(u32),
    /// Zeros.
    Zero,
    /// A register that does not exist: zeros when it is read, and nothing when it is written.
    OutOfBounds,
    /// A vector of a constant buffer.
    Constant { buffer: u32, number: u32 },
    /// `indexed_constants[n]`
    IndexedConstant(u32),
    /// The element of an array of constants at index `elements[n]`.
    TableElement(ArrayInit, u32),
    /// `computed_inputs[n]`
    Computed(u32),
    /// `computed_inputs[n]`, whose lanes are inputs of a vertex.
    VertexLanes(u32),
    /// Whether the fragment was a helper invocation where the program began.
    Helper,
    /// A resource, which has no value.
    Resource,
}

/// An input that is computed from other inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComputedInput {
    pub(super) kind: InputKind,
    pub(super) interpolation: Interpolation,
    pub(super) sampling: Sampling,
    /// The vertex of [`CheckedValue::VertexLanes`].
    pub(super) vertex: Option<CheckedIndex>,
}

/// Location of a temporary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TempStorage {
    /// A separate register.
    Register(RegisterId),
    /// An element of an array that instructions index dynamically.
    ArrayElement(RegisterId, u32),
}

/// An output register.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputDecl {
    pub(super) name: SemanticName,
    pub(super) target: OutputTarget,
    pub(super) storage: TempStorage,
    /// Components that exist.
    pub(super) write_mask: WriteMask,
    pub(super) output: Option<OutputId>,
    pub(super) per_vertex: bool,
}

/// Output registers that the values of other outputs depend on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RelatedOutputs {
    pub(super) has_clip_vertex: bool,
    pub(super) has_clip_distances: bool,
    pub(super) layer: Option<TempStorage>,
    pub(super) viewport: Option<TempStorage>,
}

impl RelatedOutputs {
    /// Returns those of a program with these output registers.
    pub(super) fn find(registers: &[Option<OutputDecl>]) -> Self {
        let mut found = Self::default();
        for row in registers.iter().flatten() {
            found.has_clip_distances |= row.name == SemanticName::ClipDistance;
            match row.target {
                OutputTarget::ClipVertex => found.has_clip_vertex = true,
                OutputTarget::Output(Semantic::Layer, _) => found.layer = Some(row.storage),
                OutputTarget::Output(Semantic::ViewportIndex, _) => {
                    found.viewport = Some(row.storage);
                }
                OutputTarget::Output(..)
                | OutputTarget::Distances(_)
                | OutputTarget::CullDistances(_)
                | OutputTarget::OuterLevels
                | OutputTarget::InnerLevels
                | OutputTarget::Dropped => {}
            }
        }
        found
    }
}

/// A source of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedSource {
    pub(super) value: CheckedValue,
    pub(super) swizzle: Swizzle,
    pub(super) negate: bool,
    pub(super) absolute: bool,
}

/// The register that an instruction writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedDst {
    pub(super) place: CheckedPlace,
    pub(super) mask: WriteMask,
}

/// A register as a destination.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckedPlace {
    Register(RegisterId),
    /// `elements[n]` of an array.
    Element(RegisterId, u32),
    /// A register that does not exist.
    OutOfBounds,
}

/// The output registers that an instruction may have written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WrittenOutputs {
    None,
    Register(u32),
    Array { first: u32, len: u32 },
}

/// A predicate before an instruction: the lanes of the result are written for which a lane of it
/// passes the test.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedGuard {
    pub(super) register: RegisterId,
    /// Test of lanes for a value that is not zero, or that is zero.
    pub(super) test: CondTest,
    pub(super) swizzle: Swizzle,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedInst {
    pub(super) opcode_row: &'static OpcodeRow,
    /// First source in [`CheckedProgram::sources`].
    pub(super) first_source: u32,
    pub(super) source_count: u8,
    pub(super) saturate: Saturate,
    pub(super) is_precise: bool,
    /// Components of the result that the source names.
    pub(super) mask: WriteMask,
    pub(super) dst: Option<CheckedDst>,
    /// `guards[n]`
    pub(super) guard: Option<u32>,
    pub(super) written_outputs: WrittenOutputs,
    pub(super) details: InstDetails,
    /// Source span of the opcode.
    pub(super) opcode: Span,
    pub(super) span: Span,
}

/// Parts that only some instructions have.
#[derive(Clone, Copy, Debug)]
pub(super) enum InstDetails {
    None,
    /// `second_results[n]`
    SecondResult(u32),
    /// `lookups[n]`
    Lookup(u32),
    /// `views[n]`
    View(u32),
    /// `accesses[n]`
    Access(u32),
    /// The value of CASE.
    Case(u32),
    /// The subroutine that CAL calls.
    Call(LabelId),
    /// The block that begins with BGNSUB.
    Subroutine(BasicBlockId),
}

/// Texel offsets: up to four of [`CheckedProgram::sources`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TexelOffsets {
    pub(super) first: u32,
    pub(super) count: u8,
}

/// A lookup by a sampler and a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedLookup {
    pub(super) target: &'static TextureTarget,
    pub(super) units: UnitSet,
    /// The handle of a texture whose units are [`UnitSet::Handle`].
    pub(super) handle: Option<CheckedSource>,
    /// Type of the texels.
    pub(super) texel: Type,
    /// Component that TG4 gathers.
    pub(super) component: u8,
    /// The index of the sampler.
    pub(super) index: ResourceIndex,
    pub(super) offsets: TexelOffsets,
}

/// A lookup by a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedView {
    /// The view with the units of texture and sampler; `None` for the framebuffer.
    pub(super) texture: Option<(ViewDecl, [u32; 2])>,
    pub(super) offsets: TexelOffsets,
}

/// An access to memory, or the query of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedAccess {
    pub(super) resource: CheckedResource,
    pub(super) flags: MemFlags,
    /// Components of the resource that LOAD returns.
    pub(super) swizzle: Swizzle,
    /// The indices of its register.
    pub(super) index: ResourceIndex,
}

/// A resource that an operand denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckedResource {
    /// Global memory.
    Global,
    Buffer {
        kind: BufferKind,
        number: BufferNumber,
        /// Bytes of memory whose size is known.
        size: Option<u32>,
    },
    /// A counter of a buffer of counters, whose address is the index of the register.
    Counter(BufferNumber),
    Image(UnitSet, ImageDecl),
    /// An image by its handle.
    ImageHandle(CheckedSource, ImageDecl),
    /// A texture or image unit, whose number is its handle.
    Unit,
    /// An attachment.
    Color(Semantic),
}

/// The number of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) enum BufferNumber {
    Constant(u32),
    /// The dynamic first index of the register; `count` buffers are an array.
    Outer {
        count: u32,
    },
    /// The dynamic index of the register; `count` buffers are an array.
    Index {
        count: u32,
    },
}

/// The pair in z and w, as a mask of pairs.
pub(super) const SECOND_PAIR: u8 = 0b10;

/// Returns a mask of the 64-bit pairs of which a mask has components.
pub(super) fn find_pairs(mask: WriteMask) -> u8 {
    u8::from(mask.0 & 0b0011 != 0) | u8::from(mask.0 & 0b1100 != 0) << 1
}

/// Returns the whole pairs of a mask: half a value cannot be written, as the other half would be
/// that of another value.
pub(super) fn expand_to_pairs(mask: WriteMask) -> WriteMask {
    let whole = |pair: u8| if mask.0 & pair == pair { pair } else { 0 };
    WriteMask(whole(0b0011) | whole(0b1100))
}
