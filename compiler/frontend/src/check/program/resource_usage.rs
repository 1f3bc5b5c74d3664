//! Resource counts of a program against GL's limits, the results of `glGetProgramivARB`, and the
//! numbers by which a program names items whose number GL limits, with their spans, so that limits
//! of a caller can be checked. ARB_vertex_program section 2.14.3.7, ARB_fragment_program section
//! 3.11.3.6.

use crate::ast::Ast;
use crate::check::operands::constant::encode_float_constant;
use crate::check::program::CheckedProgram;
use crate::lang::limits::LimitedItem;
use crate::lang::opcode_info::{Expansion, Translation};
use crate::lang::options::Features;
use crate::lex::{TokenKind, lex};
use crate::resolved_inst::{InstSource, OperandValue, ResolvedInst};
use crate::variables::{IoBinding, Var, VarKind};
use glasm_ir::{ParamSource, Semantic, Span, Stage};
use rustc_hash::FxHashSet;

/// Use of the resources that GL limits by the text of a program. The answers to queries of native
/// resources (`PROGRAM_NATIVE_INSTRUCTIONS_ARB` and so on) are the same: what options and GL state
/// add to a module is not counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResourceCounts {
    /// `PROGRAM_INSTRUCTIONS_ARB`
    pub instructions: u32,
    /// `PROGRAM_ALU_INSTRUCTIONS_ARB`
    pub alu_instructions: u32,
    /// `PROGRAM_TEX_INSTRUCTIONS_ARB`: texture accesses, and KIL.
    pub texture_instructions: u32,
    /// `PROGRAM_TEX_INDIRECTIONS_ARB`: nodes of the longest chain of dependent texture accesses in
    /// source order, 1 at least.
    pub texture_indirections: u32,
    /// `PROGRAM_TEMPORARIES_ARB`, elements of arrays each.
    pub temporaries: u32,
    /// `PROGRAM_PARAMETERS_ARB`: different parameters, state vectors and constant vectors.
    pub parameters: u32,
    /// `PROGRAM_ATTRIBS_ARB`: different attributes; in vertex programs those that have a slot,
    /// unlike `vertex.id` and other generated attributes.
    pub attributes: u32,
    /// `PROGRAM_ADDRESS_REGISTERS_ARB`
    pub address_registers: u32,
    /// `PROGRAM_ATTRIB_COMPONENTS_NV`: components of attributes that swizzles of operands read.
    pub attribute_components: u32,
    /// `PROGRAM_RESULT_COMPONENTS_NV`: components of results that write masks of instructions
    /// enable.
    pub result_components: u32,
}

/// Use of the resources that GL limits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResourceUsage {
    /// Counts that GL reports.
    pub counts: ResourceCounts,
    /// Resources that options of the program reserve: the counts must not exceed GL's limits minus
    /// these.
    pub reserved: ResourceCounts,
    /// Numbers that the program names.
    pub indices: IndexUsage,
}

/// Instructions that each option reserves: ARB_vertex_program section 2.14.4.5.1 and
/// ARB_fragment_program section 3.11.4.5.1.
const RESERVED_INSTRUCTIONS: [(Features, u32); 4] = [
    (Features::POSITION_INVARIANT, 4),
    (Features::FOG_EXP, 3),
    (Features::FOG_EXP2, 4),
    (Features::FOG_LINEAR, 2),
];

impl CheckedProgram {
    /// Returns the resources that options of the program reserve.
    pub(crate) fn get_reserved_resources(&self) -> ResourceCounts {
        let mut enabled = RESERVED_INSTRUCTIONS.iter();
        let enabled = enabled.find(|(option, _)| self.features.contains(*option));
        let instructions = enabled.map_or(0, |&(_, count)| count);
        let fog = u32::from(self.features.intersects(Features::FOG));
        ResourceCounts {
            instructions,
            alu_instructions: instructions,
            temporaries: fog,
            attributes: fog,
            parameters: 2 * fog,
            ..ResourceCounts::default()
        }
    }

    /// Counts the resources that GL reports for the program. Its instructions must all be retained.
    pub(crate) fn count_resources(&self, ast: &Ast<'_>) -> ResourceCounts {
        let instructions = self.insts.insts.len() as u32;
        let is_texture = |line: &&ResolvedInst| is_texture_inst(line);
        let textures = self.insts.insts.iter().filter(is_texture).count() as u32;
        ResourceCounts {
            instructions,
            // `<instruction>` of ARB_fragment_program section 3.11.2 is either an ALU or a texture
            // instruction.
            alu_instructions: instructions - textures,
            texture_instructions: textures,
            texture_indirections: self.count_texture_indirections(),
            temporaries: self.count_declared(VarKind::Temp),
            parameters: self.count_parameters(ast),
            attributes: self.collect_attrib_spans(ast).len() as u32,
            address_registers: self.count_declared(VarKind::Address),
            attribute_components: self.count_attrib_components(),
            result_components: self.count_result_components(),
        }
    }

    /// Returns the span of the first binding of each different attribute that takes a slot, in the
    /// order of the variables; an empty one for the registers of programs that name them.
    /// ARB_vertex_program section 2.14.3.7: "vertex attributes bound multiple times count only
    /// once".
    pub(crate) fn collect_attrib_spans(&self, ast: &Ast<'_>) -> Vec<Span> {
        let (mut known, mut spans) = (FxHashSet::default(), Vec::new());
        for var in &self.vars {
            if !matches!(var.kind, VarKind::Attrib { .. }) {
                continue;
            }
            let elements = var.array_size.unwrap_or(1) as usize;
            for binding in self.bindings_from(var.kind).iter().take(elements) {
                if has_slot(ast.dialect.stage(), binding) && known.insert(binding.component_key()) {
                    spans.push(find_binding_span(ast.text, var.span));
                }
            }
        }
        spans
    }

    /// Returns the number of variables of a kind that a program declares or names as registers;
    /// each element of an array is counted.
    fn count_declared(&self, kind: VarKind) -> u32 {
        // Neither the result `CC`, which has no name here, nor the A0 of loops is a variable that
        // the program declares.
        let is_own = |&(number, var): &(u32, &Var)| {
            var.kind == kind && var.name.is_some() && self.loop_index != Some(number)
        };
        let own = (0..).zip(&self.vars).filter(is_own);
        own.map(|(_, var)| var.array_size.unwrap_or(1)).sum()
    }

    /// Returns the number of different parameters: those that are bound, and constants in
    /// instructions. Numerically equal constants are one parameter, except in dynamically indexed
    /// arrays.
    fn count_parameters(&self, ast: &Ast<'_>) -> u32 {
        let mut distinct_params: FxHashSet<ParamSource> =
            self.params.iter().map(canonical_param).collect();
        let textures = self.insts.textures.iter();
        // A handle may be a parameter, too.
        let handles = textures.filter_map(|part| part.handle.as_ref());
        let sources = self.insts.sources.iter().chain(handles);
        let constants = sources.filter_map(|source| {
            encode_float_constant(ast.text, &ast.literals, source.base.to_base())
        });
        distinct_params.extend(constants.map(|bits| canonical_param(&ParamSource::Literal(bits))));
        distinct_params.len() as u32 + self.count_repeated_constants()
    }

    /// Returns the number of repetitions of constants within and among arrays with a dynamic index:
    /// each of their elements is counted. ARB_vertex_program section 2.14.3.7.
    fn count_repeated_constants(&self) -> u32 {
        let (mut known, mut repeated) = (FxHashSet::default(), 0);
        for var in self.vars.iter().filter(|var| var.has_relative_access) {
            let VarKind::Param { first } = var.kind else {
                continue;
            };
            let elements = self.params[first as usize..].iter();
            let elements = elements.take(var.array_size.unwrap_or(1) as usize);
            let constants = elements.filter(|it| matches!(it, ParamSource::Literal(_)));
            repeated += constants
                .filter(|it| !known.insert(canonical_param(it)))
                .count() as u32;
        }
        repeated
    }

    /// Returns the number of texture indirections, at least 1. ARB_fragment_program issue 24: a
    /// texture instruction starts a new node of the chain if its coordinate was written in this
    /// node, or if an ALU instruction of this node read or wrote its result. Swizzles, masks and
    /// elements of arrays are ignored.
    fn count_texture_indirections(&self) -> u32 {
        // A program without texture instructions has one node, too.
        let (mut nodes, mut written, mut of_alu) = (1, FxHashSet::default(), FxHashSet::default());
        for line in &self.insts.insts {
            let result = line.dst.map(|dst| dst.var).filter(|&var| self.is_temp(var));
            let mut sources = self.insts.sources(line).iter();
            if is_texture_inst(line) {
                let is_dependent = sources.any(|it| {
                    self.find_read_temp(it)
                        .is_some_and(|it| written.contains(&it))
                });
                if is_dependent || result.is_some_and(|it| of_alu.contains(&it)) {
                    // The instruction itself belongs to the new node, so its results are recorded
                    // below, after this.
                    nodes += 1;
                    written.clear();
                    of_alu.clear();
                }
            } else {
                of_alu.extend(sources.filter_map(|source| self.find_read_temp(source)));
                of_alu.extend(result);
            }
            written.extend(result);
        }
        nodes
    }

    /// Returns true if a variable is a temporary.
    fn is_temp(&self, var: u32) -> bool {
        self.vars[var as usize].kind == VarKind::Temp
    }

    /// Returns the number of the temporary variable that an instruction source reads; `None` for
    /// other sources.
    fn find_read_temp(&self, source: &InstSource) -> Option<u32> {
        match source.base {
            OperandValue::Var(var) => Some(var).filter(|&var| self.is_temp(var)),
            OperandValue::Scalar(_) | OperandValue::Vector { .. } => None,
        }
    }
}

/// Returns true if an attribute is limited by `MAX_PROGRAM_ATTRIBS_ARB`: of those of vertices only
/// the ones that table X.2.1 of ARB_vertex_program numbers. GL generates `vertex.id` and similar
/// attributes itself, so that they take none of the slots that are limited.
fn has_slot(stage: Stage, binding: &IoBinding) -> bool {
    stage != Stage::Vertex || matches!(binding.semantic, Semantic::VertexAttribute(_))
}

/// Returns the binding of a declared variable: the part of `span` after the equals sign. Without a
/// declaration `span` is the binding itself.
fn find_binding_span(text: &[u8], span: Span) -> Span {
    let tokens = lex(&text[..span.end as usize], span.start as usize);
    let mut tokens = tokens[..tokens.len() - 1].iter();
    let is_declared = tokens.any(|token| token.kind() == TokenKind::Equals);
    let bound = tokens.take_while(|token| token.kind() != TokenKind::Semicolon);
    let bound = bound.map(|token| token.span()).reduce(Span::to);
    bound.filter(|_| is_declared).unwrap_or(span)
}

/// Returns the parameter by whose identity `source` is counted: constants are identical if their
/// components are "numerically equivalent", as -0 and 0 are.
fn canonical_param(source: &ParamSource) -> ParamSource {
    /// The bits of -0.0.
    const NEGATIVE_ZERO: u32 = 1 << 31;
    let ParamSource::Literal(bits) = *source else {
        return *source;
    };
    ParamSource::Literal(bits.map(|bits| if bits == NEGATIVE_ZERO { 0 } else { bits }))
}

/// Returns true if an instruction matches the rule `<TexInstruction>`, which includes KIL.
fn is_texture_inst(line: &ResolvedInst) -> bool {
    let row = line.opcode.info();
    // KIL is in the rule, although it reads no texture.
    row.texture_op().is_some() || row.lower == Translation::Expand(Expansion::Kill)
}

/// A number with its span; `None` if it belongs to the program as a whole.
type SpannedIndex = (u32, Option<Span>);

/// The numbers that a program names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IndexUsage {
    /// Numbers of each kind that are larger than all before them, in source order.
    increasing_indices: Vec<(LimitedItem, SpannedIndex)>,
    /// First number of each kind that is larger than all before.
    next_indices: [u32; LimitedItem::ALL.len()],
}

impl IndexUsage {
    /// Returns the first number of a kind that is `limit` or more, with its span; `None` if all are
    /// below.
    pub fn find_first_out_of_range(&self, kind: LimitedItem, limit: u32) -> Option<SpannedIndex> {
        let mut indices = self
            .increasing_indices
            .iter()
            .filter(|(other, _)| *other == kind);
        let found = indices.find(|(_, (number, _))| *number >= limit);
        found.map(|&(_, spanned_index)| spanned_index)
    }

    /// Records the number `number` of an item of this kind if it is larger than all earlier ones;
    /// `place` returns its span, and is only called then.
    pub(crate) fn record(
        &mut self,
        kind: LimitedItem,
        number: u32,
        place: impl FnOnce() -> Option<Span>,
    ) {
        let next = &mut self.next_indices[kind as usize];
        if number >= *next {
            // No language has such large numbers, and an equal one would not be added.
            *next = number.saturating_add(1);
            self.increasing_indices.push((kind, (number, place())));
        }
    }

    /// Removes all recorded indices.
    pub(crate) fn reset(&mut self) {
        self.increasing_indices.clear();
        self.next_indices = Default::default();
    }
}

impl CheckedProgram {
    /// Returns the largest numbers of each limited kind of item that the program names, in source
    /// order, with those of its attributes. The program must have been parsed completely.
    pub(crate) fn collect_index_usage(&self, ast: &Ast<'_>) -> IndexUsage {
        let mut usage = self.index_usage.clone();
        for (number, span) in (0..).zip(self.collect_attrib_spans(ast)) {
            let is_bound = !span.range().is_empty();
            usage.record(LimitedItem::Attributes, number, || is_bound.then_some(span));
        }
        usage
    }
}

/// Returns the span of the first number in brackets or parentheses of `span` whose value is
/// `number`; `span` itself if there is none, as for omitted numbers.
pub(crate) fn find_number_span(text: &[u8], span: Span, number: u32) -> Span {
    let mut is_open = false;
    let mut at = span.start;
    while at < span.end {
        let rest = &text[at as usize..span.end as usize];
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric();
        let length = match rest[0] {
            b'#' => rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')),
            byte if is_of_word(&byte) => rest.iter().position(|byte| !is_of_word(byte)),
            byte => {
                is_open = matches!(byte, b'[' | b'(') || is_open && !matches!(byte, b']' | b')');
                Some(1)
            }
        };
        let length = length.unwrap_or(rest.len());
        if is_open && parse_integer(&rest[..length]) == Some(number) {
            return Span::new(at, at + length as u32);
        }
        at += length as u32;
    }
    span
}

/// Returns the value of a number as the parser reads it: decimal or with `0x`, saturated at 32
/// bits; `None` for other words.
fn parse_integer(word: &[u8]) -> Option<u32> {
    let word = std::str::from_utf8(word).ok()?;
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let (digits, base) = hexadecimal.map_or((word, 10), |digits| (digits, 16));
    let is_number = !digits.is_empty() && digits.bytes().all(|it| char::from(it).is_digit(base));
    is_number.then(|| u32::from_str_radix(digits, base).unwrap_or(u32::MAX))
}
