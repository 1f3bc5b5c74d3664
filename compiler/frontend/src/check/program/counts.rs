//! Resource counts of a program against GL's limits: the results of `glGetProgramivARB`.
//! ARB_vertex_program section 2.14.3.7, ARB_fragment_program section 3.11.3.6.

use crate::ast::Ast;
use crate::check::operands::constant::float_constant;
use crate::check::program::checked::Checked;
use crate::lang::opcode_info::{Expansion, Lower};
use crate::lex::{TokenKind, lex};
use crate::line::{Line, Source, Value};
use crate::vars::{IoBinding, Var, VarKind};
use glasm_ir::{ParamSource, Semantic, Span, Stage};
use rustc_hash::FxHashSet;

/// Use of the resources that GL limits. Compilation adds none, so these are the native counts, too
/// (`PROGRAM_NATIVE_INSTRUCTIONS_ARB` and so on).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
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
    pub attribs: u32,
    /// `PROGRAM_ADDRESS_REGISTERS_ARB`
    pub address_registers: u32,
    /// `PROGRAM_ATTRIB_COMPONENTS_NV`: components of attributes that swizzles of operands read.
    pub attrib_components: u32,
    /// `PROGRAM_RESULT_COMPONENTS_NV`: components of results that write masks of instructions
    /// enable.
    pub result_components: u32,
}

impl Checked {
    /// Counts the resources of the program. Its lines must all be retained.
    pub(crate) fn counts(&self, ast: &Ast<'_>) -> Counts {
        let instructions = self.lines.list.len() as u32;
        let is_texture = |line: &&Line| is_texture(line);
        let textures = self.lines.list.iter().filter(is_texture).count() as u32;
        Counts {
            instructions,
            // `<instruction>` of ARB_fragment_program section 3.11.2 is either an ALU or a texture
            // instruction.
            alu_instructions: instructions - textures,
            texture_instructions: textures,
            texture_indirections: self.indirections(),
            temporaries: self.declared(VarKind::Temp),
            parameters: self.parameters(ast),
            attribs: self.attribute_spans(ast).len() as u32,
            address_registers: self.declared(VarKind::Address),
            attrib_components: self.attrib_components(),
            result_components: self.result_components(),
        }
    }

    /// Returns the span of the first binding of each different attribute, in source order; an empty
    /// one for the registers of programs that name them. ARB_vertex_program section 2.14.3.7:
    /// "vertex attributes bound multiple times count only once".
    pub(crate) fn attribute_spans(&self, ast: &Ast<'_>) -> Vec<Span> {
        let (mut known, mut spans) = (FxHashSet::default(), Vec::new());
        for var in &self.vars {
            if !matches!(var.kind, VarKind::Attrib { .. }) {
                continue;
            }
            let elements = var.array.unwrap_or(1) as usize;
            for binding in self.bindings_of(var.kind).iter().take(elements) {
                if has_slot(ast.dialect.stage(), binding) && known.insert(binding.counted()) {
                    spans.push(find_bound(ast.text, var.span));
                }
            }
        }
        spans
    }

    /// Returns the number of variables of a kind that a program declares or names as registers.
    fn declared(&self, kind: VarKind) -> u32 {
        // Neither the result `CC`, which has no name here, nor the A0 of loops is a variable that
        // the program declares.
        let is_own = |&(number, var): &(u32, &Var)| {
            var.kind == kind && var.name.is_some() && self.loop_index != Some(number)
        };
        let own = (0..).zip(&self.vars).filter(is_own);
        own.map(|(_, var)| var.array.unwrap_or(1)).sum()
    }

    /// Counts the different parameters: those that are bound, and constants in instructions.
    fn parameters(&self, ast: &Ast<'_>) -> u32 {
        let mut all: FxHashSet<ParamSource> = self.params.iter().map(counted).collect();
        let textures = self.lines.textures.iter();
        // A handle may be a parameter, too.
        let handles = textures.filter_map(|part| part.handle.as_ref());
        let sources = self.lines.sources.iter().chain(handles);
        let constants = sources
            .filter_map(|source| float_constant(ast.text, &ast.literals, source.base.base()));
        all.extend(constants.map(|bits| counted(&ParamSource::Literal(bits))));
        all.len() as u32 + self.repeated_constants()
    }

    /// Counts the repetitions of constants by arrays with a dynamic index: each of their elements
    /// is counted. ARB_vertex_program section 2.14.3.7.
    fn repeated_constants(&self) -> u32 {
        let (mut known, mut repeated) = (FxHashSet::default(), 0);
        for var in self.vars.iter().filter(|var| var.relative) {
            let VarKind::Param { first } = var.kind else {
                continue;
            };
            let elements = self.params[first as usize..].iter();
            let elements = elements.take(var.array.unwrap_or(1) as usize);
            let constants = elements.filter(|it| matches!(it, ParamSource::Literal(_)));
            repeated += constants.filter(|it| !known.insert(counted(it))).count() as u32;
        }
        repeated
    }

    /// Counts texture indirections. ARB_fragment_program issue 24: a texture instruction starts a
    /// new node of the chain if its coordinate was written in this node, or if an ALU instruction
    /// of this node read or wrote its result. Swizzles, masks and elements of arrays are ignored.
    fn indirections(&self) -> u32 {
        // A program without texture instructions has one node, too.
        let (mut nodes, mut written, mut of_alu) = (1, FxHashSet::default(), FxHashSet::default());
        for line in &self.lines.list {
            let result = line.dst.map(|dst| dst.var).filter(|&var| self.is_temp(var));
            let mut sources = self.lines.sources(line).iter();
            if is_texture(line) {
                let depends =
                    sources.any(|it| self.temp(it).is_some_and(|it| written.contains(&it)));
                if depends || result.is_some_and(|it| of_alu.contains(&it)) {
                    // The instruction itself belongs to the new node, so its results are recorded
                    // below, after this.
                    nodes += 1;
                    written.clear();
                    of_alu.clear();
                }
            } else {
                of_alu.extend(sources.filter_map(|source| self.temp(source)));
                of_alu.extend(result);
            }
            written.extend(result);
        }
        nodes
    }

    fn is_temp(&self, var: u32) -> bool {
        self.vars[var as usize].kind == VarKind::Temp
    }

    /// Returns the temporary that a source reads.
    fn temp(&self, source: &Source) -> Option<u32> {
        match source.base {
            Value::Var(var) => Some(var).filter(|&var| self.is_temp(var)),
            Value::Scalar(_) | Value::Vector { .. } => None,
        }
    }
}

/// Returns true if an attribute is limited by `MAX_PROGRAM_ATTRIBS_ARB`: of those of vertices only
/// the ones that table X.2.1 of ARB_vertex_program numbers. GL generates `vertex.id` and similar
/// attributes itself, so that they take none of the slots that are limited.
fn has_slot(stage: Stage, binding: &IoBinding) -> bool {
    stage != Stage::Vertex || matches!(binding.semantic, Semantic::Attrib(_))
}

/// Returns the binding of a declared variable: the part of `span` after the equals sign. Without a
/// declaration `span` is the binding itself.
fn find_bound(text: &[u8], span: Span) -> Span {
    let tokens = lex(&text[..span.end as usize], span.start as usize);
    let mut tokens = tokens[..tokens.len() - 1].iter();
    let is_declared = tokens.any(|token| token.kind() == TokenKind::Equals);
    let bound = tokens.take_while(|token| token.kind() != TokenKind::Semicolon);
    let bound = bound.map(|token| token.span()).reduce(Span::to);
    bound.filter(|_| is_declared).unwrap_or(span)
}

/// Returns the parameter by whose identity `source` is counted: constants are identical if their
/// components are "numerically equivalent", as -0 and 0 are.
fn counted(source: &ParamSource) -> ParamSource {
    /// The bits of -0.0.
    const NEGATIVE_ZERO: u32 = 1 << 31;
    let ParamSource::Literal(bits) = *source else {
        return *source;
    };
    ParamSource::Literal(bits.map(|bits| if bits == NEGATIVE_ZERO { 0 } else { bits }))
}

/// Returns true if an instruction is a match of the rule `<TexInstruction>`.
fn is_texture(line: &Line) -> bool {
    let row = line.opcode.info();
    // KIL is in the rule, although it reads no texture.
    row.texture().is_some() || row.lower == Lower::Expand(Expansion::Kill)
}
