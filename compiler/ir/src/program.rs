//! A program: tables of registers, resources and instructions, and the tree of blocks with the
//! exits of these.

pub use crate::arena::{BlockId, NameId, RegisterId, RoutineId, SwitchId};
use crate::arena::{
    BufferId, ImageAccessId, ImageId, IndexId, InputId, LiteralId, MemAccessId, OutputId, ParamId,
    TexAccessId, TextureId,
};
use crate::arena::{Id, IndexVec};
use crate::image::{Image, ImageAccess};
use crate::inst::{AccessTables, Cond, Inst};
use crate::interp::{Denormals, FloatArithmetic, ZeroTimesInf};
use crate::operand::{Index, Src};
use crate::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};
use crate::resource::{Buffer, MemAccess, NamedParam, Param, TexAccess, Texture};
use crate::semantic::{Input, Output};
use crate::span::Span;
use crate::text_keywords::words_of_tables;
use crate::types::Width;
use std::ops::Range;

/// Maximum nesting depth of blocks in a routine, counting its body. Recursive walks over a verified
/// program cannot overflow the stack.
pub const MAX_NESTING: usize = 256;

/// Shader stage. The order of the variants is that of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessControl,
    /// Tessellation evaluation.
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute.
    Compute,
}

impl Stage {
    /// Stages with their names in the text form.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Vertex, "vertex"),
        (Self::TessControl, "tess_control"),
        (Self::TessEval, "tess_eval"),
        (Self::Geometry, "geometry"),
        (Self::Fragment, "fragment"),
        (Self::Compute, "compute"),
    ];

    /// Returns the name in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns the extension of files with shaders of the stage, by which compilers such as
    /// `glslangValidator` identify the stage.
    ///
    /// ```
    /// use glasm_ir::Stage;
    ///
    /// assert_eq!(format!("glsl330.{}", Stage::Fragment.file_extension()), "glsl330.frag");
    /// ```
    pub const fn file_extension(self) -> &'static str {
        match self {
            Self::Vertex => "vert",
            Self::TessControl => "tesc",
            Self::TessEval => "tese",
            Self::Geometry => "geom",
            Self::Fragment => "frag",
            Self::Compute => "comp",
        }
    }
}

/// Use of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Temporary.
    Temp,
    /// Stage output; for an array, the first of consecutive outputs.
    Output(OutputId),
    /// Condition codes: each lane holds the flags SF, ZF, OF, CF of the last update. All flags are
    /// clear at the start.
    Cond,
}

/// A register of four lanes, or an array of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// Use.
    pub storage: Storage,
    /// Width of a lane.
    pub width: Width,
    /// Number of elements of an array.
    pub array_len: Option<u32>,
    /// Name in the source.
    pub name: Option<NameId>,
}

impl Register {
    /// Returns the number of elements: 1 if the register is not an array.
    pub fn element_count(&self) -> u32 {
        self.array_len.unwrap_or(1).max(1)
    }
}

/// A routine. It returns at the end of its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Name in the source.
    pub name: Option<NameId>,
    /// Body.
    pub body: BlockId,
}

/// A sequence of nodes: `first..first + len` of [`Program::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// First node.
    pub first: u32,
    /// Number of nodes.
    pub len: u32,
}

/// Structured control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The instructions `first..first + len` of [`Program::insts`].
    Run {
        /// First instruction.
        first: u32,
        /// Number of instructions.
        len: u32,
    },
    /// Two-way branch.
    If {
        /// Condition.
        cond: Cond,
        /// Taken if the condition holds.
        then: BlockId,
        /// Taken if it does not hold.
        otherwise: Option<BlockId>,
        /// Source.
        span: Span,
    },
    /// Endless loop of `body`, then `continuing`; left by `Break` or `Return` only.
    Loop {
        /// Body.
        body: BlockId,
        /// Run before the next iteration, also after `Continue`. It contains no control flow that
        /// leaves it.
        continuing: Option<BlockId>,
        /// Source.
        span: Span,
    },
    /// Multi-way branch.
    Switch(SwitchId),
    /// Leaves the innermost loop or switch.
    Break,
    /// Jumps to the `continuing` block of the innermost loop.
    Continue,
    /// Calls a routine. Registers are shared by all routines.
    Call(RoutineId, Span),
    /// Leaves the routine; in main it ends the program.
    Return,
}

/// A multi-way branch on a lane of a 32-bit register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Register and lane.
    pub selector: (RegisterId, u8),
    /// Cases; control leaves the switch at the end of each.
    pub cases: Vec<Case>,
    /// Taken if no case matches.
    pub default: Option<BlockId>,
    /// Source.
    pub span: Span,
}

impl Switch {
    /// Returns the blocks of the cases, then the default block.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> {
        let cases = self.cases.iter().map(|case| case.block);
        cases.chain(self.default)
    }
}

/// A case of a [`Switch`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Values, each in one case only.
    pub values: Vec<u32>,
    /// Body.
    pub block: BlockId,
}

/// Fragment invocations that exclude each other from critical sections, and the order in which they
/// enter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interlock {
    /// Invocations of one pixel, in the order of primitives.
    PixelOrdered,
    /// Invocations of one pixel, in any order.
    PixelUnordered,
    /// Invocations of one sample, in the order of primitives.
    SampleOrdered,
    /// Invocations of one sample, in any order.
    SampleUnordered,
}

impl Interlock {
    /// All variants with their names in the text form.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::PixelOrdered, "pixel_interlock_ordered"),
        (Self::PixelUnordered, "pixel_interlock_unordered"),
        (Self::SampleOrdered, "sample_interlock_ordered"),
        (Self::SampleUnordered, "sample_interlock_unordered"),
    ];

    /// Returns the name in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Properties of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// Work-group size of compute programs; zeros if the pipeline specifies it.
    pub workgroup_size: [u32; 3],
    /// Input primitive of geometry programs.
    pub primitive_in: InputPrimitive,
    /// Output primitive of geometry programs.
    pub primitive_out: OutputPrimitive,
    /// Maximum number of vertices that an invocation of a geometry program emits, or the number of
    /// vertices of the patch that a tessellation control program outputs, one for each invocation.
    /// At least 1 in these programs.
    pub vertices_out: u32,
    /// Number of invocations of a geometry program for each primitive; 0 is treated as 1.
    pub invocations: u32,
    /// The geometry program emits its input primitive, whose vertices have the outputs of the
    /// program and, in the lanes of [`Output::passthrough`], the inputs with the same semantic.
    /// NV_geometry_shader_passthrough.
    pub passthrough: bool,
    /// Domain into which tessellation evaluation programs subdivide patches.
    pub tess_mode: TessMode,
    /// Division of the edges of patches.
    pub tess_spacing: TessSpacing,
    /// Orientation of the triangles of a subdivided patch.
    pub tess_order: TessWinding,
    /// Subdivided patches become points.
    pub point_mode: bool,
    /// The invocations of a tessellation control program complete each instruction before any of
    /// them begins the next one: outputs that are read back have the values that other invocations
    /// have written before. NV_tessellation_program5 section 2.X.5.
    pub lockstep: bool,
    /// Depth and stencil tests run before the program.
    pub early_fragment_tests: bool,
    /// The coverage mask contains only samples that passed these tests.
    pub post_depth_coverage: bool,
    /// The sample mask that the program writes replaces the coverage mask; otherwise the result is
    /// the intersection.
    pub sample_mask_override: bool,
    /// The viewport index is added to the layer of every primitive.
    pub layer_viewport_relative: bool,
    /// Added to the layer in the second view.
    pub secondary_view_layer_offset: i32,
    /// Semantics of [`Op::InterlockBegin`](crate::Op::InterlockBegin).
    pub interlock: Option<Interlock>,
    /// Window position has its origin in the upper left corner, by the convention of the parameter
    /// `state.window.origin`.
    pub origin_upper_left: bool,
    /// Window position has its pixel centers at integers.
    pub pixel_center_integer: bool,
    /// Color `n` is written to attachment `n`; otherwise color 0 is written to all attachments that
    /// are drawn to.
    pub separate_colors: bool,
    /// Clip distance `n` clips only if user clip plane `n` is enabled; otherwise clip distances
    /// always clip.
    pub enabled_clip_distances: bool,
    /// The near and the far plane do not clip: the program replaces depths and discards fragments
    /// by the replaced depth. NV_fragment_program section 2.11.
    pub unclipped_depth: bool,
    /// Lookups of incomplete textures return (0, 0, 0, 0), otherwise (0, 0, 0, 1).
    /// NV_fragment_program section 3.11.5.38.
    pub transparent_missing_textures: bool,
    /// Zero of either sign times any number, infinities and NaN included, is +0 in products of
    /// 32-bit floats. NV_vertex_program section 2.14.1.11.
    pub zero_times_inf_is_zero: bool,
    /// Operations that compute with 32-bit floats
    /// ([`Op::is_float_math`](crate::Op::is_float_math)) flush denormal sources and results to
    /// zero. NV_vertex_program section 2.14.1.11, NV_fragment_program section 3.11.4.1.
    pub flush_denormals: bool,
}

/// Accessor of a boolean mode.
type ModeAccessor = fn(&mut Modes) -> &mut bool;

impl Modes {
    /// The boolean modes with their names in the text form.
    pub const FLAGS: &'static [(&'static str, ModeAccessor)] = &[
        ("passthrough", |modes| &mut modes.passthrough),
        ("point_mode", |modes| &mut modes.point_mode),
        ("lockstep", |modes| &mut modes.lockstep),
        ("early_fragment_tests", |modes| {
            &mut modes.early_fragment_tests
        }),
        ("post_depth_coverage", |modes| {
            &mut modes.post_depth_coverage
        }),
        ("sample_mask_override", |modes| {
            &mut modes.sample_mask_override
        }),
        ("layer_viewport_relative", |modes| {
            &mut modes.layer_viewport_relative
        }),
        ("origin_upper_left", |modes| &mut modes.origin_upper_left),
        ("pixel_center_integer", |modes| {
            &mut modes.pixel_center_integer
        }),
        ("separate_colors", |modes| &mut modes.separate_colors),
        ("enabled_clip_distances", |modes| {
            &mut modes.enabled_clip_distances
        }),
        ("unclipped_depth", |modes| &mut modes.unclipped_depth),
        ("transparent_missing_textures", |modes| {
            &mut modes.transparent_missing_textures
        }),
        ("zero_times_inf_is_zero", |modes| {
            &mut modes.zero_times_inf_is_zero
        }),
        ("flush_denormals", |modes| &mut modes.flush_denormals),
    ];

    /// Returns the float arithmetic that the modes of the program specify: products of zero and
    /// infinity, and denormals.
    pub const fn get_arithmetic(&self) -> FloatArithmetic {
        FloatArithmetic {
            zero_times_inf: if self.zero_times_inf_is_zero {
                ZeroTimesInf::Zero
            } else {
                ZeroTimesInf::Nan
            },
            denormals: if self.flush_denormals {
                Denormals::Flushed
            } else {
                Denormals::Preserved
            },
        }
    }

    /// Sets the mode with this name in the text form; returns `false` if there is none.
    pub(crate) fn set_mode_by_name(&mut self, name: &str) -> bool {
        if let Some((_, flag)) = Self::FLAGS.iter().find(|(known, _)| *known == name) {
            *flag(self) = true;
        } else if let Some((interlock, _)) = Interlock::ALL.iter().find(|(_, word)| *word == name) {
            self.interlock = Some(*interlock);
        } else {
            return false;
        }
        true
    }
}

/// A shader stage as a tree of structured control flow over typeless registers.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Stage.
    pub stage: Stage,
    /// Properties of the whole program.
    pub modes: Modes,
    /// Registers.
    pub registers: IndexVec<RegisterId, Register>,
    /// Parameter slots.
    pub params: IndexVec<ParamId, Param>,
    /// Parameters with names.
    pub named_params: Vec<NamedParam>,
    /// Inputs.
    pub inputs: IndexVec<InputId, Input>,
    /// Outputs.
    pub outputs: IndexVec<OutputId, Output>,
    /// Textures.
    pub textures: IndexVec<TextureId, Texture>,
    /// Buffers.
    pub buffers: IndexVec<BufferId, Buffer>,
    /// Images.
    pub images: IndexVec<ImageId, Image>,
    /// Literal vectors: bits of the four lanes, at the width of the reading instruction's type.
    pub literals: IndexVec<LiteralId, [u64; 4]>,
    /// Indices of operands.
    pub indices: IndexVec<IndexId, Index>,
    /// Texture accesses.
    pub tex_accesses: IndexVec<TexAccessId, TexAccess>,
    /// Memory accesses.
    pub mem_accesses: IndexVec<MemAccessId, MemAccess>,
    /// Access data of image instructions.
    pub image_accesses: IndexVec<ImageAccessId, ImageAccess>,
    /// Switches.
    pub switches: IndexVec<SwitchId, Switch>,
    /// Instructions.
    pub insts: Vec<Inst>,
    /// Sources of the instructions.
    pub srcs: Vec<Src>,
    /// Nodes of the blocks.
    pub nodes: Vec<Node>,
    /// Blocks.
    pub blocks: IndexVec<BlockId, Block>,
    /// Routines.
    pub routines: IndexVec<RoutineId, Routine>,
    /// The routine that runs first.
    pub main: RoutineId,
    /// Names, concatenated.
    pub names: Names,
}

// For functions that take the programs of other crates, which contain one of these.
impl AsRef<Self> for Program {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Program {
    /// Returns an empty program whose main routine does nothing; the size of work groups is 1 in
    /// each dimension.
    pub fn new(stage: Stage) -> Self {
        let mut blocks = IndexVec::new();
        let body = blocks.push(Block { first: 0, len: 0 });
        let mut routines = IndexVec::new();
        let main = routines.push(Routine { name: None, body });
        Self {
            stage,
            modes: Modes {
                workgroup_size: [1; 3],
                ..Modes::default()
            },
            registers: IndexVec::new(),
            params: IndexVec::new(),
            named_params: Vec::new(),
            inputs: IndexVec::new(),
            outputs: IndexVec::new(),
            textures: IndexVec::new(),
            buffers: IndexVec::new(),
            images: IndexVec::new(),
            literals: IndexVec::new(),
            indices: IndexVec::new(),
            tex_accesses: IndexVec::new(),
            mem_accesses: IndexVec::new(),
            image_accesses: IndexVec::new(),
            switches: IndexVec::new(),
            insts: Vec::new(),
            srcs: Vec::new(),
            nodes: Vec::new(),
            blocks,
            routines,
            main,
            names: Names::default(),
        }
    }

    /// Returns the number of elements that a source can access.
    pub fn get_source_len(&self, src: &Src) -> u32 {
        src.index.map_or(1, |index| self.indices[index].len.max(1))
    }

    /// Returns the registers of outputs, each with the range of the outputs that it holds.
    pub fn output_registers(&self) -> impl Iterator<Item = (RegisterId, Range<usize>)> {
        let registers = self.registers.iter_enumerated();
        registers.filter_map(|(id, register)| match register.storage {
            Storage::Output(first) => {
                let end = first.index() + register.element_count() as usize;
                Some((id, first.index()..end.min(self.outputs.len())))
            }
            Storage::Temp | Storage::Cond => None,
        })
    }

    /// Returns an empty program of `stage` whose main routine does nothing, which reuses the memory
    /// of this one.
    pub fn into_empty(mut self, stage: Stage) -> Self {
        self.stage = stage;
        self.modes = Modes {
            workgroup_size: [1; 3],
            ..Modes::default()
        };
        self.registers.clear();
        self.params.clear();
        self.named_params.clear();
        self.inputs.clear();
        self.outputs.clear();
        self.textures.clear();
        self.buffers.clear();
        self.images.clear();
        self.literals.clear();
        self.indices.clear();
        self.tex_accesses.clear();
        self.mem_accesses.clear();
        self.image_accesses.clear();
        self.switches.clear();
        self.insts.clear();
        self.srcs.clear();
        self.nodes.clear();
        self.blocks.clear();
        self.routines.clear();
        self.names.clear();
        let body = self.blocks.push(Block { first: 0, len: 0 });
        self.main = self.routines.push(Routine { name: None, body });
        self
    }

    /// Returns the nodes of a block.
    pub fn block_nodes(&self, id: BlockId) -> &[Node] {
        let block = self.blocks[id];
        &self.nodes[block.first as usize..(block.first + block.len) as usize]
    }

    /// Returns the blocks directly inside of a node, in execution order, cases in source order.
    pub fn inner_blocks(&self, node: Node) -> impl Iterator<Item = BlockId> {
        let (blocks, switch) = match node {
            Node::If {
                then, otherwise, ..
            } => ([Some(then), otherwise], None),
            Node::Loop {
                body, continuing, ..
            } => ([Some(body), continuing], None),
            Node::Switch(id) => ([None; 2], Some(&self.switches[id])),
            Node::Run { .. } | Node::Call(..) | Node::Break | Node::Continue | Node::Return => {
                ([None; 2], None)
            }
        };
        let cases = switch.into_iter().flat_map(Switch::blocks);
        blocks.into_iter().flatten().chain(cases)
    }

    /// Returns the instructions of a [`Node::Run`].
    pub fn run_insts(&self, first: u32, len: u32) -> &[Inst] {
        &self.insts[first as usize..(first + len) as usize]
    }

    /// Returns the sources of an instruction.
    pub fn sources(&self, inst: &Inst) -> &[Src] {
        &self.srcs[inst.source_range()]
    }

    /// Returns source `index` of an instruction, from 0.
    pub fn source(&self, inst: &Inst, index: usize) -> &Src {
        &self.srcs[inst.first_source as usize + index]
    }

    /// Returns the name of a register, if it has one.
    pub fn register_name(&self, id: RegisterId) -> Option<&str> {
        self.registers[id].name.map(|name| self.names.get(name))
    }
}

impl AccessTables for Program {
    fn tex_access(&self, id: TexAccessId) -> &TexAccess {
        &self.tex_accesses[id]
    }

    fn mem_access(&self, id: MemAccessId) -> &MemAccess {
        &self.mem_accesses[id]
    }

    fn image_access(&self, id: ImageAccessId) -> (&ImageAccess, &Image) {
        let access = &self.image_accesses[id];
        (access, &self.images[access.image])
    }
}

/// Names of the source, stored in one string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    text: String,
    ends: IndexVec<NameId, u32>,
}

impl Names {
    /// Adds a name; adding the same name twice returns two ids.
    pub fn push(&mut self, name: &str) -> NameId {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32)
    }

    /// Removes all names.
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Returns true if `id` is the id of one of these names.
    pub fn contains(&self, id: NameId) -> bool {
        self.ends.get(id).is_some()
    }

    /// Returns the name of `id`.
    pub fn get(&self, id: NameId) -> &str {
        use crate::arena::Id;
        let start = id
            .index()
            .checked_sub(1)
            .map_or(0, |previous| self.ends[NameId::new(previous)]);
        &self.text[start as usize..self.ends[id] as usize]
    }
}

words_of_tables! { Stage }

bitflags::bitflags! {
    /// Targets of the jumps that leave a block.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct BlockExits: u8 {
        /// The code after the innermost loop or switch.
        const BREAK = 1;
        /// The next iteration of the innermost loop.
        const CONTINUE = 2;
        /// The caller of the routine.
        const RETURN = 4;
    }
}

impl BlockExits {
    /// Returns the exit that a node itself takes, without the nodes of its blocks.
    pub(crate) const fn from_node(node: Node) -> Self {
        match node {
            Node::Break => Self::BREAK,
            Node::Continue => Self::CONTINUE,
            Node::Return => Self::RETURN,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..) => Self::empty(),
        }
    }

    /// Returns the exits that leave a node, given the exits of its blocks: breaks and continues end
    /// in a loop, breaks in a switch.
    pub(crate) fn propagate_through(self, node: Node) -> Self {
        match node {
            Node::Loop { .. } => self.difference(Self::BREAK.union(Self::CONTINUE)),
            Node::Switch(_) => self.difference(Self::BREAK),
            Node::Run { .. }
            | Node::If { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => self,
        }
    }
}
