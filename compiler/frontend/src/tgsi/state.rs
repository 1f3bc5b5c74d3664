//! A translation while a text is read: the registers that it has declared, and the program so far.

pub(super) use super::ast::Image as ImageRow;
use super::ast::{self, Ast, MemoryKind, View};
use super::covered::Coverage;
use super::files::File;
use super::modes::Properties;
use super::nesting::Nesting;
use super::semantics::{Content, Name, Sink};
use super::syntax::quote;
use crate::check::Usage;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::memory::{ProgramMemory, take, take_map};
use crate::report::Reports;
use crate::source::TgsiOptions;
use crate::start::Start;
use glasm_ir::inst::{Aux, LiteralId};
use glasm_ir::resource::Texture;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, Buffer, BufferId, BufferKind, Builder, Dst, Id, Image, ImageId, Index, IndexTerm,
    IndexVec, Input, InputId, Inst, InstFlags, Interpolation, Op, OutputId, Param, ParamSource,
    Program, Register, RegisterId, Saturate, Semantic, Span, Src, Stage, StateParam, Storage,
    TextureId, WriteMask,
};
use rustc_hash::FxHashMap;
use std::mem;

/// A mistake that was reported. The rest of the statement is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// What reading gives.
pub(super) type Parsed<T> = Result<T, Reported>;

/// Where a temporary lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TempPlace {
    /// In a register of its own.
    Own(RegisterId),
    /// In an array that instructions index at run time, as this element.
    Element(RegisterId, u32),
}

/// An array of registers that instructions index at run time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    /// Its first register in the file.
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) register: RegisterId,
}

/// An input or system value.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputRow {
    pub(super) content: Content,
    pub(super) interpolation: Interpolation,
    pub(super) sampling: Sampling,
    pub(super) per_vertex: bool,
    pub(super) input: Option<InputId>,
}

/// Inputs that instructions index at run time: consecutive in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputArray {
    pub(super) id: u32,
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) input: InputId,
}

/// An output.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputRow {
    pub(super) name: Name,
    pub(super) sink: Sink,
    pub(super) place: TempPlace,
    /// Components that exist.
    pub(super) usage: WriteMask,
    pub(super) output: Option<OutputId>,
    pub(super) per_vertex: bool,
}

/// An immediate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Immediate {
    pub(super) words: [u32; 4],
    /// What it is in the program, once an instruction reads it.
    literal: Option<LiteralId>,
}

/// What is declared. Tables have a row for each number of a register, lists one for each declaration.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) temps: Vec<Option<TempPlace>>,
    /// By array id; number 0 is the whole file.
    pub(super) temp_arrays: Vec<Option<Array>>,
    pub(super) addresses: Vec<Option<RegisterId>>,
    pub(super) predicates: Vec<Option<RegisterId>>,
    pub(super) inputs: Vec<Option<InputRow>>,
    pub(super) input_arrays: Vec<InputArray>,
    pub(super) values: Vec<Option<InputRow>>,
    pub(super) outputs: Vec<Option<OutputRow>>,
    /// With the ids that the text gives them, 0 for none.
    pub(super) output_arrays: Vec<(u32, Array)>,
    pub(super) constants: Coverage,
    pub(super) immediates: Vec<Immediate>,
    pub(super) samplers: Vec<bool>,
    pub(super) views: Vec<Option<View>>,
    pub(super) images: Vec<Option<ImageRow>>,
    pub(super) buffers: Vec<bool>,
    pub(super) memories: Vec<Option<MemoryKind>>,
    /// One more than the largest number of a buffer of counters.
    pub(super) counter_buffers: u32,
    /// Registers whose declaration could not be read: file, first, last.
    pub(super) broken: Vec<(File, u32, u32)>,
    /// Rows of `IMMX`.
    pub(super) rows: Vec<[u32; 4]>,
    /// Arrays of `TEMPX`.
    pub(super) old_arrays: Vec<Option<Array>>,
}

impl Declared {
    /// Inputs or system values.
    #[inline]
    pub(super) fn input_rows(&mut self, file: File) -> &mut Vec<Option<InputRow>> {
        match file == File::Sv {
            true => &mut self.values,
            false => &mut self.inputs,
        }
    }

    /// Nothing, with the memory that another program used.
    fn emptied(mut self) -> Self {
        Self {
            temps: take(&mut self.temps),
            temp_arrays: take(&mut self.temp_arrays),
            addresses: take(&mut self.addresses),
            predicates: take(&mut self.predicates),
            inputs: take(&mut self.inputs),
            input_arrays: take(&mut self.input_arrays),
            values: take(&mut self.values),
            outputs: take(&mut self.outputs),
            output_arrays: take(&mut self.output_arrays),
            constants: mem::take(&mut self.constants).emptied(),
            immediates: take(&mut self.immediates),
            samplers: take(&mut self.samplers),
            views: take(&mut self.views),
            images: take(&mut self.images),
            buffers: take(&mut self.buffers),
            memories: take(&mut self.memories),
            counter_buffers: 0,
            broken: take(&mut self.broken),
            rows: take(&mut self.rows),
            old_arrays: take(&mut self.old_arrays),
        }
    }
}

/// Whether `len` registers from `first` on have this one among them.
pub(super) fn within(number: i32, first: u32, len: u32) -> bool {
    u32::try_from(number).is_ok_and(|number| (first..first + len).contains(&number))
}

/// The row of a number in a table. Negative numbers, which casts make large, have none.
pub(super) fn row<T: Copy>(table: &[Option<T>], number: usize) -> Option<T> {
    table.get(number).copied().flatten()
}

/// The place of a number in a table, which grows as needed. Numbers are below [`limits::TGSI_REGISTERS`](crate::lang::limits::TGSI_REGISTERS).
pub(super) fn slot<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if table.len() <= number {
        table.resize(number + 1, T::default());
    }
    &mut table[number]
}

/// What a value that is computed once is kept for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kept {
    /// A vector of a constant buffer.
    Constant(u32, u32),
    Input(u32),
    Value(u32),
}

/// What the program has so far of what several instructions name.
#[derive(Debug, Default)]
pub(super) struct Made {
    literals: FxHashMap<[u64; 4], LiteralId>,
    /// The literal of zeros, which every instruction asks for.
    zero: Option<LiteralId>,
    /// Registers of 32 and 64 bits for intermediate values, used again by every instruction.
    hidden: [Vec<RegisterId>; 2],
    hidden_used: [usize; 2],
    /// Values in registers that no instruction of the program writes: they hold in the block where they were computed, and in those inside.
    kept: FxHashMap<Kept, RegisterId>,
    kept_order: Vec<Kept>,
    buffers: FxHashMap<(BufferKind, Binding), BufferId>,
    textures: FxHashMap<Texture, TextureId>,
    images: FxHashMap<Image, ImageId>,
    /// Registers of outputs that are components of what the text declares.
    pub(super) parts: Vec<(Semantic, RegisterId)>,
    /// Condition codes.
    codes: Option<RegisterId>,
    /// What tells whether the fragment was a helper invocation where the program began.
    pub(super) helper: Option<RegisterId>,
}

impl Made {
    /// Nothing, with the memory that another program used.
    fn emptied(mut self) -> Self {
        let [narrow, wide] = &mut self.hidden;
        Self {
            hidden: [take(narrow), take(wide)],
            hidden_used: [0; 2],
            literals: take_map(&mut self.literals),
            kept: take_map(&mut self.kept),
            kept_order: take(&mut self.kept_order),
            buffers: take_map(&mut self.buffers),
            textures: take_map(&mut self.textures),
            images: take_map(&mut self.images),
            parts: take(&mut self.parts),
            zero: None,
            codes: None,
            helper: None,
        }
    }
}

/// Which buffers of a kind are meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Binding {
    One(u32),
    /// All of them, as an array.
    All,
}

/// Memory that translations use one after the other.
#[derive(Debug, Default)]
pub(crate) struct TgsiMemory {
    pub(super) ast: Ast<'static>,
    declared: Declared,
    nesting: Nesting,
    made: Made,
    usage: Usage,
}

impl TgsiMemory {
    /// Returns the numbers that the program names which was translated last.
    pub(crate) fn usage(&self) -> &Usage {
        &self.usage
    }
}

/// A translation.
pub(super) struct Translation<'s> {
    pub(super) ast: &'s Ast<'s>,
    pub(super) reports: Reports,
    pub(super) stage: Stage,
    pub(super) options: TgsiOptions,
    pub(super) builder: Builder,
    pub(super) declared: Declared,
    pub(super) properties: Properties,
    pub(super) nesting: Nesting,
    pub(super) made: Made,
    /// The numbers of registers and semantics that a caller may limit.
    pub(super) usage: Usage,
    pub(super) flags: InstFlags,
    /// As what the instruction that is read has constants.
    pub(super) constant_type: Type,
    pub(super) span: Span,
    /// Whether an instruction was read.
    pub(super) in_code: bool,
    pub(super) uses_older_lookups: bool,
    pub(super) uses_views: bool,
}

impl<'s> Translation<'s> {
    /// A translation of which nothing was read.
    pub(super) fn new(
        start: Start<'_>,
        ast: &'s Ast<'s>,
        kept: &mut TgsiMemory,
        programs: &mut ProgramMemory,
    ) -> Self {
        let stage = start.dialect.stage();
        let memory = mem::take(kept);
        Self {
            ast,
            reports: start.reports,
            stage,
            options: start.tgsi,
            builder: programs.builder(stage),
            declared: memory.declared.emptied(),
            properties: Properties::default(),
            nesting: memory.nesting.emptied(),
            made: memory.made.emptied(),
            usage: memory.usage.emptied(),
            flags: InstFlags::empty(),
            constant_type: Type::F32,
            span: Span::default(),
            in_code: false,
            uses_older_lookups: false,
            uses_views: false,
        }
    }

    /// Gives the memory back. What is left are the program and what was reported.
    pub(super) fn end(
        self,
        kept: &mut TgsiMemory,
        programs: &mut ProgramMemory,
    ) -> (Program, Reports) {
        let program = programs.finish(self.builder);
        *kept = TgsiMemory {
            ast: Ast::default(),
            declared: self.declared,
            nesting: self.nesting,
            made: self.made,
            usage: self.usage,
        };
        (program, self.reports)
    }

    /// Reports an error at `span`.
    #[cold]
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> Reported {
        self.reports.error(code, span, message);
        Reported
    }

    /// Reports an error with a hint.
    #[cold]
    pub(super) fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Reported {
        let notes = hint.into_iter().collect();
        self.reports.error_with(code, span, message, notes);
        Reported
    }

    /// A rule that shipped programs break.
    #[cold]
    pub(super) fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.reports.lenient(rule, span, message)
    }

    pub(super) fn text_of(&self, span: Span) -> String {
        quote(&self.ast.text[span.range()])
    }

    /// Begins an instruction.
    #[inline]
    pub(super) fn begin(&mut self, opcode: Span) {
        self.span = opcode;
        // Hidden registers hold nothing beyond an instruction.
        self.made.hidden_used = [0; 2];
        self.flags = InstFlags::empty();
    }

    /// Appends an instruction.
    #[inline]
    pub(super) fn inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: Aux, sources: &[Src]) {
        let inst = Inst {
            op,
            ty,
            flags: self.flags,
            // The builder knows where the sources are.
            source_count: 0,
            first_source: 0,
            dst,
            aux,
            span: self.span,
        };
        self.builder.inst(inst, sources);
    }

    /// A register for intermediate values of this instruction.
    pub(super) fn hidden(&mut self, width: Width) -> RegisterId {
        let pool = usize::from(width == Width::W64);
        let used = self.made.hidden_used[pool];
        self.made.hidden_used[pool] += 1;
        if let Some(&register) = self.made.hidden[pool].get(used) {
            return register;
        }
        let register = self.register(if pool == 1 { Width::W64 } else { Width::W32 });
        self.made.hidden[pool].push(register);
        register
    }

    /// The condition codes.
    pub(super) fn codes(&mut self) -> RegisterId {
        if let Some(codes) = self.made.codes {
            return codes;
        }
        let codes = self.storage_register(Storage::Cond, Width::W32, None);
        self.made.codes = Some(codes);
        codes
    }

    /// A register of its own.
    pub(super) fn register(&mut self, width: Width) -> RegisterId {
        self.storage_register(Storage::Temp, width, None)
    }

    pub(super) fn storage_register(
        &mut self,
        storage: Storage,
        width: Width,
        array: Option<u32>,
    ) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage,
            width,
            array,
            name: None,
        })
    }

    /// The literal vector with these bits.
    #[inline]
    pub(super) fn literal(&mut self, bits: [u64; 4]) -> LiteralId {
        let literals = &mut self.builder.program.literals;
        let known = self.made.literals.entry(bits);
        *known.or_insert_with(|| literals.push(bits))
    }

    /// The literal vector of 32-bit words.
    pub(super) fn words(&mut self, words: [u32; 4]) -> Src {
        Src::new(Base::Literal(self.literal(words.map(u64::from))))
    }

    /// The same bits in all lanes.
    pub(super) fn word(&mut self, bits: u32) -> Src {
        // Zero is asked for most often and is kept without a look at the table.
        if bits != 0 {
            return self.words([bits; 4]);
        }
        let zero = match self.made.zero {
            Some(zero) => zero,
            None => self.literal([0; 4]),
        };
        self.made.zero = Some(zero);
        Src::new(Base::Literal(zero))
    }

    /// An operand with an index.
    pub(super) fn indexed(&mut self, base: Base, index: Index) -> Src {
        Src {
            index: Some(self.builder.program.indices.push(index)),
            ..Src::new(base)
        }
    }

    /// An element of a register array, at a constant or a run-time index.
    pub(super) fn element(&mut self, register: RegisterId, element: IndexTerm, len: u32) -> Src {
        let index = Index {
            element,
            len,
            vertex: None,
        };
        self.indexed(Base::Register(register), index)
    }

    /// What a place reads.
    #[inline]
    pub(super) fn place(&mut self, place: TempPlace) -> Src {
        match place {
            TempPlace::Own(register) => Src::register(register),
            TempPlace::Element(register, element) => {
                let len = self.builder.program.registers[register].array.unwrap_or(1);
                self.element(register, IndexTerm::constant(element as i32), len)
            }
        }
    }

    /// Remembers a value that holds in this block and in those inside.
    pub(super) fn keep(&mut self, kept: Kept, register: RegisterId) {
        self.made.kept.insert(kept, register);
        // In order of time, so that the end of a block can forget the last ones.
        self.made.kept_order.push(kept);
    }

    /// A value that was remembered.
    #[inline]
    pub(super) fn kept(&self, kept: Kept) -> Option<Src> {
        let register = self.made.kept.get(&kept);
        register.map(|&register| Src::register(register))
    }

    /// How many values are remembered.
    pub(super) fn kept_count(&self) -> usize {
        self.made.kept_order.len()
    }

    /// Forgets the values behind the first `count`: their block ends.
    pub(super) fn forget(&mut self, count: usize) {
        for kept in self.made.kept_order.drain(count..) {
            self.made.kept.remove(&kept);
        }
    }

    /// An input that has no register of the text: the one that the program has, or a new one.
    pub(super) fn input_of(&mut self, input: Input) -> InputId {
        let inputs = &mut self.builder.program.inputs;
        let is_it = |it: &Input| it.semantic == input.semantic && it.per_vertex == input.per_vertex;
        found_or_pushed(inputs, input, is_it)
    }

    /// A parameter that GL state gives.
    pub(super) fn state(&mut self, state: StateParam) -> Src {
        let source = ParamSource::State(state);
        let params = &mut self.builder.program.params;
        let id = found_or_pushed(params, Param { source }, |it| it.source == source);
        Src::new(Base::Param(id))
    }

    /// The buffer of a number.
    pub(super) fn buffer(&mut self, kind: BufferKind, binding: u32, size: Option<u32>) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self.made.buffers.entry((kind, Binding::One(binding)));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding,
                array: None,
                size,
            })
        })
    }

    /// The first `count` buffers of a kind, as an array.
    pub(super) fn buffer_array(&mut self, kind: BufferKind, count: u32) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self.made.buffers.entry((kind, Binding::All));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding: 0,
                array: Some(count),
                size: None,
            })
        })
    }

    pub(super) fn texture_id(&mut self, texture: Texture) -> TextureId {
        let textures = &mut self.builder.program.textures;
        let known = self.made.textures.entry(texture);
        *known.or_insert_with(|| textures.push(texture))
    }

    pub(super) fn image_id(&mut self, image: Image) -> ImageId {
        let images = &mut self.builder.program.images;
        let known = self.made.images.entry(image);
        *known.or_insert_with(|| images.push(image))
    }

    /// How results are clamped that have `_SAT`.
    pub(super) fn saturation(&self, signed: bool) -> Saturate {
        match (signed, self.options.old) {
            (false, false) => Saturate::Unsigned,
            // In 2010 a clamp was two comparisons, which NaN passes.
            (false, true) => Saturate::UnsignedOrNan,
            (true, _) => Saturate::SignedOrNan,
        }
    }

    /// An immediate as an operand.
    #[inline]
    pub(super) fn immediate(&mut self, number: usize) -> Option<Src> {
        let Immediate { words, literal } = *self.declared.immediates.get(number)?;
        if let Some(literal) = literal {
            return Some(Src::new(Base::Literal(literal)));
        }
        let literal = self.literal(words.map(u64::from));
        self.declared.immediates[number].literal = Some(literal);
        Some(Src::new(Base::Literal(literal)))
    }

    /// Declares an immediate.
    pub(super) fn immediate_statement(&mut self, it: &ast::Immediate) {
        let count = self.declared.immediates.len();
        if let Some((number, span)) = it.number
            && number != count as u32
        {
            // Operands name immediates by their position, so a wrong number would mean others than the writer meant.
            let message = format!("this is immediate {count}, not {number}");
            self.error(Code::ImmediateOrder, span, message);
        }
        if count >= limits::IMMEDIATES {
            let message = format!("more than {} immediates", limits::IMMEDIATES);
            self.reports.whole(Code::TooManyParameters, message);
        } else {
            let words = it.words;
            let literal = None;
            self.declared.immediates.push(Immediate { words, literal });
        }
    }
}

/// The place of the element that passes a test, or of a new one. Programs have few inputs and parameters of their own, and only some opcodes
/// ask for them.
fn found_or_pushed<I: Id, T>(list: &mut IndexVec<I, T>, new: T, is_it: impl Fn(&T) -> bool) -> I {
    let found = list.iter_enumerated().find(|(_, it)| is_it(it));
    match found.map(|(id, _)| id) {
        Some(id) => id,
        None => list.push(new),
    }
}
