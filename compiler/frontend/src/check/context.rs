//! Context of rules about a single statement: the program string with its syntax tree, the
//! language, and the reports. Rules that also need variables borrow this from a larger context.

use crate::ast::{Ast, Inst, Item, Segment};
use crate::codes::Code;
use crate::lang::facts::LanguageFacts;
use crate::lang::lenient::Rule;
use crate::lang::modifiers::{self, Mods};
use crate::lang::options::Features;
use crate::lex::{Token, TokenKind};
use crate::names::NameId;
use crate::report::Reports;
use crate::source::{Family, Version};
use crate::syntax::{Leader, Letters, find_leader};
use glasm_ir::{Span, Stage};
use std::fmt::Display;

/// Syntax tree and language of a program, and the reports about it.
pub(crate) struct RuleCx<'s> {
    /// Syntax tree, in which names and paths of operands are replaced by variables.
    pub(crate) ast: Ast<'s>,
    pub(crate) reports: Reports,
    pub(crate) stage: Stage,
    pub(crate) family: Family,
    pub(crate) facts: &'static LanguageFacts,
    pub(crate) version: Version,
    /// Features of the language and of the OPTION lines that were checked.
    pub(crate) features: Features,
}

impl<'s> RuleCx<'s> {
    /// Returns the context of a parsed program.
    pub(crate) fn new(ast: Ast<'s>, reports: Reports) -> Self {
        let dialect = ast.dialect;
        Self {
            ast,
            reports,
            stage: dialect.stage(),
            family: dialect.family(),
            facts: dialect.facts(),
            version: dialect.version(),
            features: dialect.facts().features,
        }
    }
}

impl RuleCx<'_> {
    /// Returns true if an error was already reported.
    #[inline]
    pub(crate) fn has_errors(&self) -> bool {
        self.reports.has_errors()
    }

    /// Reports an error; see [`Reports::error`].
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.reports.error(code, span, message);
    }

    /// Reports an error with hints, see [`Reports::error_with`].
    pub(crate) fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.reports.error_with(code, span, message, notes);
    }

    /// Reports an error about the whole program, see [`Reports::whole`].
    pub(crate) fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.reports.whole(code, message);
    }

    /// Reports a lenient rule, see [`Reports::lenient`].
    pub(crate) fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.reports.lenient(rule, span, message)
    }

    /// Returns the role of a name at the start of a statement.
    pub(crate) fn leader(&self, name: NameId) -> Leader {
        find_leader(self.ast.dialect, self.ast.names.text(name))
    }

    pub(crate) fn name_text(&self, name: NameId) -> String {
        self.ast.names.display(name)
    }

    pub(crate) fn source_text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.ast.text[span.range()]).into_owned()
    }

    pub(crate) fn has_option(&self, feature: Features) -> bool {
        self.features.contains(feature)
    }

    /// Returns true if this is an ARB program without any of the NV instruction sets.
    #[inline]
    pub(crate) fn is_plain_arb(&self) -> bool {
        // Languages other than ARB ones do not have such options, hence the test for none: they are
        // not plain ARB programs.
        let sets = self.facts.instruction_sets;
        !sets.is_empty() && !self.features.intersects(sets)
    }

    /// Returns true if the program is of this version or a later one; if not, reports that
    /// `feature`, such as "handles need", requires it.
    pub(crate) fn need_version(
        &mut self,
        since: Version,
        span: Span,
        feature: impl Display,
    ) -> bool {
        let is_there = self.version >= since;
        if !is_there {
            let message = format!("{feature} language version {}", since.name());
            self.error(Code::FeatureNewer, span, message);
        }
        is_there
    }

    /// Returns true if options have enabled `needs`; if not, reports that `feature`, such as
    /// "handles need", requires the option for it.
    pub(crate) fn need_option(
        &mut self,
        needs: Features,
        span: Span,
        feature: impl Display,
    ) -> bool {
        // One option may enable several of the missing features; the message names such a one.
        let missing = needs.difference(self.features);
        // An empty set of features is always fulfilled: entries without a need have it.
        if !missing.is_empty() {
            let message = format!("{feature} OPTION {}", missing.option());
            self.error(Code::FeatureOption, span, message);
        }
        missing.is_empty()
    }
}

impl RuleCx<'_> {
    pub(crate) fn opcode_span(&self, inst: &Inst) -> Span {
        self.ast.tokens_in(inst.span)[0].span()
    }

    /// Returns the span of the modifier that `matches`, or of the opcode with its suffixes.
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

    pub(crate) fn flag_span(&self, inst: &Inst, flags: Mods) -> Span {
        let wanted = |word: &[u8]| match modifiers::lookup(word) {
            Some(modifiers::Modifier::Flag(flag)) => flags.intersects(flag),
            Some(modifiers::Modifier::Type(_) | modifiers::Modifier::Atomic(_)) | None => false,
        };
        self.modifier_span(inst, wanted)
    }

    pub(crate) fn type_span(&self, inst: &Inst, number: usize) -> Span {
        let ty = modifiers::Modifier::Type(inst.modifiers.data_type(number));
        self.modifier_span(inst, |word| modifiers::lookup(word) == Some(ty))
    }

    pub(crate) fn text_at(&self, span: Span) -> &[u8] {
        &self.ast.text[span.range()]
    }

    /// Returns the source span of an item.
    pub(crate) fn item_span(&self, item: Item) -> Span {
        let reading = &self.ast;
        match item {
            Item::Name(_, _, span) | Item::Vector { span, .. } | Item::Number(_, span) => span,
            Item::Path(path) => reading.paths[path as usize].span,
            Item::Scalar(literal) => reading.literals[literal as usize].span,
        }
    }

    /// Returns the span of the base of an operand or a result, without signs, bars and suffix in
    /// programs of registers.
    pub(crate) fn named_span(&self, span: Span) -> Span {
        match self.facts.registers {
            Some(_) => self.register_span(span),
            None => span,
        }
    }

    /// Returns the span of an operand without signs and bars in programs of registers, but with its
    /// suffix.
    pub(crate) fn value_span(&self, operand: Span) -> Span {
        if self.facts.registers.is_none() {
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

    /// Returns the span of the register of an operand, without signs, bars and suffix.
    pub(crate) fn register_span(&self, operand: Span) -> Span {
        let tokens = self.ast.tokens_in(operand).iter();
        let mut register = tokens.skip_while(|it| is_sign(**it));
        let first = register.next().map_or(operand, |token| token.span());
        // Registers of files end with their bracket, all others with their name.
        let bracket = register.find(|it| it.kind() == TokenKind::CloseBracket);
        bracket.map_or(first, |bracket| first.to(bracket.span()))
    }

    pub(crate) fn word(&self, segment: Segment) -> &[u8] {
        self.text_at(segment.word)
    }

    pub(crate) fn get_letters(&self) -> Letters {
        Letters::of(self.ast.dialect)
    }

    /// Returns true if the program emits its input primitive.
    pub(crate) fn is_passthrough(&self) -> bool {
        self.has_option(Features::PASSTHROUGH)
    }

    pub(crate) fn count_errors(&self) -> usize {
        self.reports.len()
    }

    /// Returns true if an undeclared name is `CC`, a result of which only the condition codes are
    /// stored. The examples of NV_vertex_program2_option section 2.14.4.X and NV_fragment_program2
    /// section 3.11.5.X write to it, though their grammars do not have it.
    #[cold]
    pub(crate) fn is_codes_target(&self, name: NameId) -> bool {
        let sets = self.facts.instruction_sets;
        self.features.intersects(sets) && self.ast.names.text(name) == b"CC"
    }

    /// Returns true if the language has neither condition codes nor absolute values of operands.
    pub(crate) fn is_old_vertex(&self) -> bool {
        self.family == Family::Vertex1
    }
}

/// Returns true if a token is a sign or a bar around a value.
fn is_sign(token: Token) -> bool {
    matches!(
        token.kind(),
        TokenKind::Minus | TokenKind::Plus | TokenKind::Bar
    )
}
