//! Context of rules about a single statement: the program string with its syntax tree, the
//! language, and the reports. Rules that also need variables borrow this from a larger context.

use crate::ast::{Ast, DeclItem, Inst, PathSegment};
use crate::codes::{Code, LenientRule};
use crate::diagnostic_sink::DiagnosticSink;
use crate::interner::NameId;
use crate::lang::dialect_traits::DialectTraits;
use crate::lang::modifiers::{self, ModifierFlags};
use crate::lang::options::Features;
use crate::lex::{Token, TokenKind};
use crate::source::{Family, Version};
use crate::syntax::{StatementStart, SwizzleSyntax, find_statement_start};
use glasm_ir::{Span, Stage};
use std::fmt::Display;

/// Syntax tree and language of a program, and the reports about it.
pub(crate) struct RuleCx<'s> {
    /// Syntax tree, in which names and paths of operands are replaced by variables.
    pub(crate) ast: Ast<'s>,
    pub(crate) reports: DiagnosticSink,
    pub(crate) stage: Stage,
    pub(crate) family: Family,
    pub(crate) traits: &'static DialectTraits,
    pub(crate) version: Version,
    /// Features of the language and of the OPTION lines that were checked.
    pub(crate) features: Features,
}

impl<'s> RuleCx<'s> {
    /// Returns the context for checking a parsed program; its features are those of the language
    /// until OPTION lines are checked.
    pub(crate) fn new(ast: Ast<'s>, reports: DiagnosticSink) -> Self {
        let dialect = ast.dialect;
        Self {
            ast,
            reports,
            stage: dialect.stage(),
            family: dialect.family(),
            traits: dialect.traits(),
            version: dialect.version(),
            features: dialect.traits().features,
        }
    }
}

impl RuleCx<'_> {
    /// Returns true if an error was already reported.
    pub(crate) fn has_errors(&self) -> bool {
        self.reports.has_errors()
    }

    /// Reports an error at `span` with a code; it makes the program fail to load.
    pub(crate) fn report_error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.reports.report_error(code, span, message);
    }

    /// Reports an error at `span` with hints or notes. It is dropped if there are too many errors.
    pub(crate) fn report_error_with_notes(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.reports
            .report_error_with_notes(code, span, message, notes);
    }

    /// Reports an error about the whole program, which has no single position.
    pub(crate) fn report_program_error(&mut self, code: Code, message: impl Into<String>) {
        self.reports.report_program_error(code, message);
    }

    /// Reports a broken rule that shipped programs break; returns true if it is accepted, see
    /// [`DiagnosticSink::report_lenient`].
    pub(crate) fn report_lenient(
        &mut self,
        rule: LenientRule,
        span: Span,
        message: impl Into<String>,
    ) -> bool {
        self.reports.report_lenient(rule, span, message)
    }

    /// Returns the role of a name at the start of a statement.
    pub(crate) fn find_statement_start(&self, name: NameId) -> StatementStart {
        find_statement_start(self.ast.dialect, self.ast.names.bytes(name))
    }

    /// Returns a name as messages quote it.
    pub(crate) fn display_name(&self, name: NameId) -> String {
        self.ast.names.display(name)
    }

    /// Returns the source of a span for messages; invalid UTF-8 is replaced.
    pub(crate) fn source_string(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.ast.text[span.range()]).into_owned()
    }

    /// Returns true if the language and the options of the program enable a feature.
    pub(crate) fn has_option(&self, feature: Features) -> bool {
        self.features.contains(feature)
    }

    /// Returns true if this is an ARB program whose options enable none of the NV instruction sets.
    pub(crate) fn is_plain_arb(&self) -> bool {
        // Languages other than ARB ones do not have such options, hence the test for none: they are
        // not plain ARB programs.
        let sets = self.traits.instruction_sets;
        !sets.is_empty() && !self.features.intersects(sets)
    }

    /// Returns true if the program is of this version or a later one; if not, reports that
    /// `feature`, such as "handles need", requires it.
    pub(crate) fn require_version(
        &mut self,
        since: Version,
        span: Span,
        feature: impl Display,
    ) -> bool {
        let is_there = self.version >= since;
        if !is_there {
            let message = format!("{feature} language version {}", since.name());
            self.report_error(Code::FeatureNewer, span, message);
        }
        is_there
    }

    /// Returns true if options have enabled `required_features`; if not, reports that `feature`, such as
    /// "handles need", requires the option for it.
    pub(crate) fn require_option(
        &mut self,
        required_features: Features,
        span: Span,
        feature: impl Display,
    ) -> bool {
        // One option may enable several of the missing features; the message names such a one.
        let missing = required_features.difference(self.features);
        // An empty set of features is always fulfilled: entries without a need have it.
        if !missing.is_empty() {
            let message = format!("{feature} OPTION {}", missing.first_option());
            self.report_error(Code::FeatureOption, span, message);
        }
        missing.is_empty()
    }
}

impl RuleCx<'_> {
    /// Returns the location of the opcode of an instruction, with its suffixes but without
    /// modifiers.
    pub(crate) fn opcode_span(&self, inst: &Inst) -> Span {
        self.ast.tokens_in(inst.span)[0].span()
    }

    /// Returns the span of the first modifier after the opcode that `matches` accepts; that of the
    /// opcode with its suffixes if there is none.
    pub(crate) fn modifier_span(&self, inst: &Inst, matches: impl Fn(&[u8]) -> bool) -> Span {
        let tokens = self.ast.tokens_in(inst.span);
        // Pairs of a point and a word follow the opcode.
        let words = tokens[1..]
            .chunks_exact(2)
            .take_while(|pair| pair[0].kind() == TokenKind::Dot)
            .map(|pair| pair[1]);
        let mut found = words.filter(|word| matches(word.text(self.ast.text)));
        found.next().unwrap_or(tokens[0]).span()
    }

    /// Returns the span of the first modifier of an instruction that sets one of `flags`; that of
    /// the opcode with its suffixes if none does.
    pub(crate) fn flag_span(&self, inst: &Inst, flags: ModifierFlags) -> Span {
        let wanted = |word: &[u8]| match modifiers::find_modifier(word) {
            Some(modifiers::Modifier::Flag(flag)) => flags.intersects(flag),
            Some(modifiers::Modifier::Type(_) | modifiers::Modifier::Atomic(_)) | None => false,
        };
        self.modifier_span(inst, wanted)
    }

    /// Returns the location of the first modifier with the data type that is number `number` of an
    /// instruction; that of the opcode if the type is implicit.
    pub(crate) fn type_span(&self, inst: &Inst, number: usize) -> Span {
        let ty = modifiers::Modifier::Type(inst.modifiers.data_type(number));
        self.modifier_span(inst, |word| modifiers::find_modifier(word) == Some(ty))
    }

    /// Returns the bytes of the source in a span.
    pub(crate) fn source_bytes(&self, span: Span) -> &[u8] {
        &self.ast.text[span.range()]
    }

    /// Returns the source span of an item of a declaration: a name, constant, number or binding
    /// path.
    pub(crate) fn item_span(&self, item: DeclItem) -> Span {
        let reading = &self.ast;
        match item {
            DeclItem::Name(_, _, span)
            | DeclItem::Vector { span, .. }
            | DeclItem::Number(_, span) => span,
            DeclItem::Path(path) => reading.paths[path as usize].span,
            DeclItem::Scalar(literal) => reading.literals[literal as usize].span,
        }
    }

    /// Returns the span of the base of an operand or a result, without signs, bars and suffix in
    /// languages with numbered registers; in others `span` itself.
    pub(crate) fn base_span(&self, span: Span) -> Span {
        match self.traits.registers {
            Some(_) => self.register_span(span),
            None => span,
        }
    }

    /// Returns the span of an operand without signs and bars, but with its suffix, in languages
    /// with numbered registers; in others `operand` itself.
    pub(crate) fn value_span(&self, operand: Span) -> Span {
        if self.traits.registers.is_none() {
            return operand;
        }
        let mut value = self
            .ast
            .tokens_in(operand)
            .iter()
            .filter(|it| !is_sign(**it));
        let first = value.next().map_or(operand, |token| token.span());
        value
            .next_back()
            .map_or(first, |last| first.to(last.span()))
    }

    /// Returns the span of the register of an operand, up to its bracket, without signs, bars and
    /// suffix.
    pub(crate) fn register_span(&self, operand: Span) -> Span {
        let tokens = self.ast.tokens_in(operand).iter();
        let mut register = tokens.skip_while(|it| is_sign(**it));
        let first = register.next().map_or(operand, |token| token.span());
        // Registers of files end with their bracket, all others with their name.
        let bracket = register.find(|it| it.kind() == TokenKind::CloseBracket);
        bracket.map_or(first, |bracket| first.to(bracket.span()))
    }

    /// Returns the word of a path segment without its brackets.
    pub(crate) fn segment_word(&self, segment: PathSegment) -> &[u8] {
        self.source_bytes(segment.word_span)
    }

    /// Returns the component characters of the program's language.
    pub(crate) fn swizzle_syntax(&self) -> SwizzleSyntax {
        SwizzleSyntax::for_dialect(self.ast.dialect)
    }

    /// Returns true if an option makes the geometry program emit its input primitive unchanged.
    pub(crate) fn is_passthrough(&self) -> bool {
        self.has_option(Features::PASSTHROUGH)
    }

    /// Returns the number of errors reported until now, by which callers detect new ones.
    pub(crate) fn count_errors(&self) -> usize {
        self.reports.error_count()
    }

    /// Returns true if a name is `CC`, in programs with an NV instruction set a result of which
    /// only the condition codes are stored, unless it is declared. The examples of
    /// NV_vertex_program2_option section 2.14.4.X and NV_fragment_program2 section 3.11.5.X write
    /// to it, though their grammars do not have it.
    #[cold]
    pub(crate) fn is_cc_only_result(&self, name: NameId) -> bool {
        let sets = self.traits.instruction_sets;
        self.features.intersects(sets) && self.ast.names.bytes(name) == b"CC"
    }

    /// Returns true if the language has neither condition codes nor absolute values of operands.
    pub(crate) fn is_vp1(&self) -> bool {
        self.family == Family::Vertex1
    }
}

/// Returns true if a token is a sign, or a bar of an absolute value.
fn is_sign(token: Token) -> bool {
    matches!(
        token.kind(),
        TokenKind::Minus | TokenKind::Plus | TokenKind::Bar
    )
}
