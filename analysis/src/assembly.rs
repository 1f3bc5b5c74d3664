//! Outline of programs of all languages but TGSI: statements end with semicolons.

use crate::outline::{Outline, StatementKind, Token, TokenClass, TokenRole};
use glasm::Dialect;
use glasm::frontend::ast::DeclKind;
use glasm::frontend::lang::dialect_traits::DialectTraits;
use glasm::frontend::lang::modifiers::find_test;
use glasm::frontend::lang::opcodes::{OpcodeInfo, OperandKind, ResultKind};
use glasm::frontend::lang::texture_targets::find_target;
use glasm::frontend::lex::{self, TokenKind};
use glasm::frontend::vocabulary::{FirstWord, find_first_word};
use glasm::ir::Span;
use std::collections::HashSet;
use std::ops::Range;

/// Characters of a swizzle or write mask.
const COMPONENTS: &[u8] = b"xyzwrgba";

/// Returns the outline of a program, whose header is at `header`; `text` ends with the program.
pub(crate) fn build_outline(text: &[u8], dialect: Dialect, header: Span) -> Outline {
    let tokens = lex::lex(text, header.end as usize);
    let ends_before_last = tokens.len().saturating_sub(1);
    let tokens = &tokens[..ends_before_last];
    let statements = split_statements(text, dialect, tokens);
    let mut classifier = Classifier {
        text,
        dialect,
        traits: dialect.traits(),
        declared: HashSet::new(),
    };
    for (range, start) in &statements {
        classifier.collect_declared(&tokens[range.clone()], start);
    }
    let mut outline = Outline::from_header(dialect, header);
    for (range, start) in &statements {
        let declared = classifier.find_declaration(&tokens[range.clone()], start);
        let kind = declared.map_or_else(
            || start.statement_kind(),
            |(_, kind, _)| StatementKind::Declaration(Some(kind)),
        );
        outline.push(kind, classifier.classify(&tokens[range.clone()], start));
    }
    outline
}

/// How a statement begins.
#[derive(Clone, Copy)]
enum Start {
    Label,
    /// A word, with its role.
    Word(FirstWord),
    /// No word, or text after `END`.
    Other,
}

impl Start {
    /// Returns the kind of the statement, without that of a declaration whose keyword follows
    /// modifiers.
    fn statement_kind(self) -> StatementKind {
        match self {
            Self::Label => StatementKind::Label,
            Self::Word(FirstWord::Opcode(info)) => StatementKind::Instruction(info.block_edge()),
            Self::Word(FirstWord::Declaration(kind)) => StatementKind::Declaration(Some(kind)),
            Self::Word(FirstWord::Modifier) => StatementKind::Declaration(None),
            Self::Word(FirstWord::Option) => StatementKind::Option,
            Self::Word(FirstWord::End) => StatementKind::End,
            Self::Word(FirstWord::Other) | Self::Other => StatementKind::Other,
        }
    }
}

/// Divides tokens into statements, with their starts. A label is a statement; so is the text after
/// `END`.
fn split_statements(
    text: &[u8],
    dialect: Dialect,
    tokens: &[lex::Token],
) -> Vec<(Range<usize>, Start)> {
    let mut statements = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(length) = count_label_tokens(text, &tokens[at..]) {
            statements.push((at..at + length, Start::Label));
            at += length;
            continue;
        }
        let start = if tokens[at].kind() == TokenKind::Ident {
            Start::Word(find_first_word(dialect, tokens[at].text(text)))
        } else {
            Start::Other
        };
        if matches!(start, Start::Word(FirstWord::End)) {
            statements.push((at..at + 1, start));
            if at + 1 < tokens.len() {
                statements.push((at + 1..tokens.len(), Start::Other));
            }
            break;
        }
        let length = count_statement_tokens(text, dialect, &tokens[at..]);
        statements.push((at..at + length, start));
        at += length;
    }
    statements
}

/// Returns the number of tokens of a label at the start of `tokens`, with its number if it has one:
/// `name:` or `name SUBROUTINENUM(0):`; `None` if none is there.
fn count_label_tokens(text: &[u8], tokens: &[lex::Token]) -> Option<usize> {
    let kind = |index: usize| tokens.get(index).map(|token| token.kind());
    if kind(0) != Some(TokenKind::Ident) {
        return None;
    }
    if kind(1) == Some(TokenKind::Colon) {
        return Some(2);
    }
    let is_numbered = tokens
        .get(1)
        .is_some_and(|word| word.text(text) == b"SUBROUTINENUM");
    (is_numbered && kind(5) == Some(TokenKind::Colon)).then_some(6)
}

/// Returns the number of tokens up to the semicolon that ends the first statement, which is
/// included. A statement without one ends before `END`, and before an opcode or a declaration that
/// begins a line.
fn count_statement_tokens(text: &[u8], dialect: Dialect, tokens: &[lex::Token]) -> usize {
    for (index, token) in tokens.iter().enumerate() {
        if token.kind() == TokenKind::Semicolon {
            return index + 1;
        }
        if index == 0 || token.kind() != TokenKind::Ident {
            continue;
        }
        let before = &tokens[index - 1];
        let gap = &text[before.end() as usize..token.start() as usize];
        let may_continue = matches!(
            before.kind(),
            TokenKind::Comma | TokenKind::Equals | TokenKind::OpenBrace | TokenKind::Dot
        );
        let begins_line = gap.contains(&b'\n') || gap.contains(&b'\r');
        if !begins_line {
            continue;
        }
        // A name that continues a list is not followed by another one, as an opcode is.
        let next = tokens.get(index + 1);
        let is_followed = next.is_some_and(|next| next.kind() == TokenKind::Ident);
        match find_first_word(dialect, token.text(text)) {
            FirstWord::Other => {}
            FirstWord::End => return index,
            FirstWord::Opcode(_)
            | FirstWord::Declaration(_)
            | FirstWord::Modifier
            | FirstWord::Option => {
                if !may_continue || is_followed {
                    return index;
                }
            }
        }
    }
    tokens.len()
}

/// State of the classification of a program.
struct Classifier<'t> {
    text: &'t [u8],
    dialect: Dialect,
    traits: &'static DialectTraits,
    /// Names that declarations of the program define.
    declared: HashSet<&'t [u8]>,
}

impl<'t> Classifier<'t> {
    /// Returns the tokens of a declaration after its keyword, with its kind; `None` for other
    /// statements.
    fn find_declaration<'k>(
        &self,
        tokens: &'k [lex::Token],
        start: &Start,
    ) -> Option<(usize, DeclKind, &'k [lex::Token])> {
        if !matches!(
            start,
            Start::Word(FirstWord::Declaration(_) | FirstWord::Modifier)
        ) {
            return None;
        }
        for (index, token) in tokens.iter().enumerate() {
            match find_first_word(self.dialect, token.text(self.text)) {
                FirstWord::Declaration(kind) => {
                    return Some((index, kind, &tokens[index + 1..]));
                }
                FirstWord::Modifier => {}
                FirstWord::Opcode(_) | FirstWord::Option | FirstWord::End | FirstWord::Other => {
                    return None;
                }
            }
        }
        None
    }

    /// Adds the names that a statement declares.
    fn collect_declared(&mut self, tokens: &[lex::Token], start: &Start) {
        let Some((_, kind, rest)) = self.find_declaration(tokens, start) else {
            return;
        };
        for index in find_declared_names(kind, rest) {
            self.declared.insert(rest[index].text(self.text));
        }
    }

    /// Returns the tokens of a statement with their classes.
    fn classify(&self, tokens: &[lex::Token], start: &Start) -> Vec<Token> {
        match start {
            Start::Label => {
                let mut list = self.classify_words(tokens, TokenClass::Keyword);
                list[0].class = TokenClass::Label;
                list[0].role = TokenRole::Definition;
                list
            }
            Start::Word(FirstWord::Opcode(info)) => self.classify_instruction(tokens, info),
            Start::Word(FirstWord::Declaration(_) | FirstWord::Modifier) => {
                self.classify_declaration(tokens, start)
            }
            Start::Word(FirstWord::Option) => {
                let mut list = self.classify_words(tokens, TokenClass::Option);
                list[0].class = TokenClass::Keyword;
                list
            }
            Start::Word(FirstWord::End) => self.classify_words(tokens, TokenClass::Keyword),
            Start::Word(FirstWord::Other) => {
                let mut list = self.classify_operands(tokens, None);
                list[0].class = TokenClass::Other;
                list
            }
            Start::Other => self.classify_words(tokens, TokenClass::Other),
        }
    }

    /// Returns tokens whose words have all the class `class`.
    fn classify_words(&self, tokens: &[lex::Token], class: TokenClass) -> Vec<Token> {
        let tokens = tokens.iter();
        let classified = tokens.map(|token| {
            let class = classify_mark(token.kind()).unwrap_or(class);
            Token::new(token.span(), class)
        });
        classified.collect()
    }

    /// Returns the tokens of a declaration with their classes.
    fn classify_declaration(&self, tokens: &[lex::Token], start: &Start) -> Vec<Token> {
        let Some((keyword, kind, rest)) = self.find_declaration(tokens, start) else {
            return self.classify_words(tokens, TokenClass::Modifier);
        };
        let mut list = self.classify_words(&tokens[..=keyword], TokenClass::Modifier);
        list[keyword].class = TokenClass::Keyword;
        let names_labels = matches!(kind, DeclKind::SubroutineType | DeclKind::Subroutine);
        let mut operands = self.classify_operands(rest, None);
        for token in &mut operands {
            if names_labels && token.class == TokenClass::Variable {
                token.class = TokenClass::Label;
            }
        }
        if let DeclKind::Program(_) = kind {
            for token in &mut operands {
                if token.class == TokenClass::Variable {
                    token.class = TokenClass::Keyword;
                }
            }
        }
        for index in find_declared_names(kind, rest) {
            operands[index].class = TokenClass::Variable;
            operands[index].role = TokenRole::Definition;
        }
        if kind == DeclKind::Subroutine && !operands.is_empty() {
            // The name of the type of subroutines.
            operands[0].class = TokenClass::Variable;
        }
        list.extend(operands);
        list
    }

    /// Returns the tokens of an instruction with their classes.
    fn classify_instruction(&self, tokens: &[lex::Token], info: &OpcodeInfo) -> Vec<Token> {
        let is_modifier = |pair: &[lex::Token]| pair[0].kind() == TokenKind::Dot;
        let modifiers = tokens[1..].chunks(2).take_while(|pair| is_modifier(pair));
        let operands_start = tokens.len().min(1 + 2 * modifiers.count());
        let mut list = self.classify_words(&tokens[..operands_start], TokenClass::Modifier);
        list[0].class = TokenClass::Opcode;
        let operands = &tokens[operands_start..];
        let mut classified = self.classify_operands(operands, Some(info));
        if info.result != ResultKind::None {
            let names = |token: &&mut Token| {
                matches!(
                    token.class,
                    TokenClass::Variable | TokenClass::Register | TokenClass::Binding
                )
            };
            if let Some(first) = classified.first_mut().filter(names) {
                first.role = TokenRole::Write;
            }
        }
        list.extend(classified);
        list
    }

    /// Returns operands, or the items of a declaration, with their classes; `info` is the entry of
    /// the opcode.
    fn classify_operands(&self, tokens: &[lex::Token], info: Option<&OpcodeInfo>) -> Vec<Token> {
        let mut list = Vec::with_capacity(tokens.len());
        // For each open bracket, whether it follows a binding.
        let mut bindings = vec![false];
        let mut commas = 0;
        for (index, token) in tokens.iter().enumerate() {
            let word = Word {
                text: token.text(self.text),
                before: index.checked_sub(1).map(|before| tokens[before].kind()),
                is_last: !matches!(
                    tokens.get(index + 1).map(|next| next.kind()),
                    Some(TokenKind::Dot | TokenKind::OpenBracket)
                ),
                opens_call: tokens.get(index + 1).map(|next| next.kind())
                    == Some(TokenKind::OpenParen),
                is_in_binding: bindings.last().copied().unwrap_or_default(),
                commas,
            };
            let class = classify_mark(token.kind()).unwrap_or_else(|| {
                self.classify_word(&word, info, token.kind() == TokenKind::Word)
            });
            let kind = token.kind();
            if kind == TokenKind::OpenBracket {
                bindings.push(false);
            } else if kind == TokenKind::CloseBracket && bindings.len() > 1 {
                bindings.pop();
            } else if kind == TokenKind::Ident
                && let Some(last) = bindings.last_mut()
            {
                *last = class == TokenClass::Binding;
            }
            commas += usize::from(kind == TokenKind::Comma);
            list.push(Token::new(token.span(), class));
        }
        list
    }

    /// Returns the class of a word in an operand.
    fn classify_word(
        &self,
        word: &Word<'_>,
        info: Option<&OpcodeInfo>,
        begins_with_digit: bool,
    ) -> TokenClass {
        let text = word.text;
        if begins_with_digit {
            return if find_target(text).is_some() {
                TokenClass::Target
            } else {
                TokenClass::Number
            };
        }
        if word.before == Some(TokenKind::Dot) {
            let is_components = text.iter().all(|byte| COMPONENTS.contains(byte));
            return if word.is_in_binding && !(is_components && word.is_last) {
                TokenClass::Binding
            } else {
                TokenClass::Swizzle
            };
        }
        let is_declared = self.declared.contains(text);
        let has = |wanted: OperandKind| info.is_some_and(|info| info.operands.contains(&wanted));
        if self.is_condition(word, info) && !is_declared {
            return TokenClass::Condition;
        }
        if has(OperandKind::Label) && word.before.is_none() {
            return TokenClass::Label;
        }
        if is_declared {
            return TokenClass::Variable;
        }
        if has(OperandKind::ExtSwizzle) && word.commas >= 2 {
            return TokenClass::Swizzle;
        }
        let takes_target =
            has(OperandKind::Texture) || has(OperandKind::Image) || has(OperandKind::ImageTarget);
        // Not a reserved word where an option adds textures.
        let may_be_unit = takes_target || info.is_none();
        if may_be_unit && !word.is_last && matches!(text, b"texture" | b"image") {
            return TokenClass::Binding;
        }
        if takes_target && word.before == Some(TokenKind::Comma) && find_target(text).is_some() {
            return TokenClass::Target;
        }
        if word.opens_call && matches!(text, b"handle" | b"offset") {
            return TokenClass::Keyword;
        }
        self.classify_name(text)
    }

    /// Returns true if a word is a condition test by its position: in parentheses, or as the
    /// operand of an instruction that takes one.
    fn is_condition(&self, word: &Word<'_>, info: Option<&OpcodeInfo>) -> bool {
        let takes_condition = info.is_some_and(|info| {
            let kinds = [OperandKind::Cond, OperandKind::OptCond, OperandKind::Kill];
            info.operands.iter().any(|kind| kinds.contains(kind))
        });
        // A label precedes an optional condition.
        let is_operand = takes_condition && word.before.is_none_or(|kind| kind == TokenKind::Ident);
        (word.before == Some(TokenKind::OpenParen) || is_operand)
            && find_test(self.dialect.family(), word.text).is_some()
    }

    /// Returns the class of a name that the program does not declare.
    fn classify_name(&self, text: &[u8]) -> TokenClass {
        let is_reserved = self
            .traits
            .reserved_words
            .iter()
            .any(|word| word.as_bytes() == text);
        match (self.traits.registers.is_some(), is_reserved) {
            // Registers are the only names of these languages, except those of DEFINE and DECLARE.
            (true, _) => TokenClass::Register,
            (false, true) => TokenClass::Binding,
            (false, false) => TokenClass::Variable,
        }
    }
}

/// A word with its surroundings.
struct Word<'t> {
    text: &'t [u8],
    /// Kind of the token before it, if the operands have one.
    before: Option<TokenKind>,
    /// True if neither a point nor a bracket follows.
    is_last: bool,
    /// True if an opening parenthesis follows.
    opens_call: bool,
    /// True if the last word at this level was one of a binding.
    is_in_binding: bool,
    /// Number of commas before it.
    commas: usize,
}

/// Returns the class of a token that is not a word: a number or a mark; `None` for words.
fn classify_mark(kind: TokenKind) -> Option<TokenClass> {
    match kind {
        TokenKind::Ident | TokenKind::Word => None,
        TokenKind::Int | TokenKind::Float => Some(TokenClass::Number),
        TokenKind::Bad | TokenKind::End => Some(TokenClass::Other),
        TokenKind::Dot
        | TokenKind::DotDot
        | TokenKind::Comma
        | TokenKind::Semicolon
        | TokenKind::Colon
        | TokenKind::OpenBracket
        | TokenKind::CloseBracket
        | TokenKind::OpenBrace
        | TokenKind::CloseBrace
        | TokenKind::OpenParen
        | TokenKind::CloseParen
        | TokenKind::Plus
        | TokenKind::Minus
        | TokenKind::Bar
        | TokenKind::Equals => Some(TokenClass::Punctuation),
    }
}

/// Returns the indices of the names that a declaration defines among the tokens after its keyword.
fn find_declared_names(kind: DeclKind, tokens: &[lex::Token]) -> Vec<usize> {
    let is_name = |index: &usize| tokens[*index].kind() == TokenKind::Ident;
    match kind {
        DeclKind::Temp | DeclKind::Address => {
            let after_comma =
                |index: &usize| *index == 0 || tokens[*index - 1].kind() == TokenKind::Comma;
            (0..tokens.len())
                .filter(is_name)
                .filter(after_comma)
                .collect()
        }
        // The first word is the type.
        DeclKind::Subroutine => (1..tokens.len()).take(1).filter(is_name).collect(),
        DeclKind::GroupSize
        | DeclKind::SharedMemory
        | DeclKind::SecondaryViewLayerOffset
        | DeclKind::Program(_) => Vec::new(),
        DeclKind::Attrib
        | DeclKind::Param
        | DeclKind::Output
        | DeclKind::Alias
        | DeclKind::Buffer
        | DeclKind::Buffer4
        | DeclKind::Cbuffer
        | DeclKind::Texture
        | DeclKind::Image
        | DeclKind::Shared
        | DeclKind::Storage
        | DeclKind::Counter
        | DeclKind::SubroutineType
        | DeclKind::Declare
        | DeclKind::Define => (0..tokens.len()).take(1).filter(is_name).collect(),
    }
}
