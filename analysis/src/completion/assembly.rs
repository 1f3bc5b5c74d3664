//! Words of all languages but TGSI.

use super::{Completion, CompletionKind, Place, list_components};
use crate::explain::bindings::{list_available_bindings, list_available_state, remove_indices};
use crate::hover::find_path;
use crate::outline::TokenClass;
use crate::symbols::{Symbol, SymbolKind, list_symbols};
use glasm::frontend::lang::modifiers::{Modifier, find_modifier, modifier_words};
use glasm::frontend::lang::opcodes::{
    OpcodeInfo, OperandKind, ResultKind, TypeRule, family_opcodes,
};
use glasm::frontend::lang::options::{Argument, DECLARATIONS, OPTIONS};
use glasm::frontend::lang::state::describe_target;
use glasm::frontend::lang::texture_targets::TARGETS;
use glasm::frontend::vocabulary::{
    FirstWord, find_first_word, is_opcode_available, list_keywords, test_words,
};
use glasm::ir::Span;

impl Place<'_> {
    /// Returns the words of languages other than TGSI.
    pub(super) fn complete_assembly(&self) -> Vec<Completion> {
        let Some(first) = self.before.first() else {
            return self.list_first_words();
        };
        match find_first_word(self.dialect, self.program.token_bytes(first)) {
            FirstWord::Opcode(info) => self.complete_instruction(info),
            FirstWord::Option => self.list_options(),
            FirstWord::Declaration(_) | FirstWord::Modifier => self.complete_declaration(),
            FirstWord::End | FirstWord::Other => Vec::new(),
        }
    }

    /// Returns the words that begin statements: opcodes and keywords.
    fn list_first_words(&self) -> Vec<Completion> {
        let features = self.program.features;
        let opcodes = family_opcodes(self.dialect.family())
            .iter()
            .filter(|info| is_opcode_available(info, self.dialect, features))
            .map(|info| Completion::new(CompletionKind::Opcode, info.name, info.description));
        let keywords = list_keywords(self.dialect).into_iter();
        let keywords = keywords.map(|(word, role)| {
            let of_program = DECLARATIONS.iter().find(|row| row.keyword == word);
            let kind = match role {
                FirstWord::Modifier => CompletionKind::Modifier,
                FirstWord::Opcode(_)
                | FirstWord::Declaration(_)
                | FirstWord::Option
                | FirstWord::End
                | FirstWord::Other => CompletionKind::Keyword,
            };
            Completion::new(kind, word, of_program.map_or("", |row| row.description))
        });
        opcodes.chain(keywords).collect()
    }

    /// Returns the options of the language.
    fn list_options(&self) -> Vec<Completion> {
        let options = OPTIONS.iter().filter(|info| info.is_known_in(self.dialect));
        options
            .map(|info| Completion::new(CompletionKind::Option, info.name, info.description))
            .collect()
    }

    /// Returns the words of a declaration after its first word.
    fn complete_declaration(&self) -> Vec<Completion> {
        let mut keyword = DECLARATIONS.iter();
        let first = self.program.token_bytes(&self.before[0]);
        if let Some(row) = keyword.find(|row| row.keyword.as_bytes() == first) {
            return match row.argument {
                Argument::Word(words) => words
                    .iter()
                    .filter(|word| word.since <= self.dialect.version())
                    .map(|word| Completion::new(CompletionKind::Keyword, word.keyword, ""))
                    .collect(),
                Argument::Result => self.list_operands(Access::Any),
                Argument::None | Argument::Number => Vec::new(),
            };
        }
        if self.text_before(1) == b"." {
            return self.complete_after_dot();
        }
        let last = self.before[self.before.len() - 1].class;
        if last == TokenClass::Modifier {
            return (self.list_first_words().into_iter())
                .filter(|it| it.kind != CompletionKind::Opcode)
                .collect();
        }
        let follows_mark = matches!(self.text_before(1), b"=" | b"{" | b",");
        let is_value = self
            .before
            .iter()
            .any(|it| self.program.token_bytes(it) == b"=");
        if follows_mark && is_value {
            self.list_operands(Access::Any)
        } else {
            Vec::new()
        }
    }

    /// Returns the words of an instruction after its opcode.
    fn complete_instruction(&self, info: &'static OpcodeInfo) -> Vec<Completion> {
        if self.text_before(1) == b"." {
            let classes = [
                TokenClass::Opcode,
                TokenClass::Modifier,
                TokenClass::Punctuation,
            ];
            let follows_opcode = self.before.iter().all(|it| classes.contains(&it.class));
            return if follows_opcode && self.dialect.traits().dotted_modifiers {
                list_modifiers(info)
            } else {
                self.complete_after_dot()
            };
        }
        let is_first = self
            .before
            .iter()
            .all(|it| self.program.token_bytes(it) != b",");
        let takes = |kind: OperandKind| info.operands.contains(&kind);
        if self.text_before(1) == b"(" || takes(OperandKind::Cond) {
            return self.list_conditions();
        }
        let follows_mark = self.before.len() == 1
            || !matches!(
                self.before[self.before.len() - 1].class,
                TokenClass::Variable
                    | TokenClass::Binding
                    | TokenClass::Swizzle
                    | TokenClass::Number
                    | TokenClass::Target
            );
        if !follows_mark {
            return Vec::new();
        }
        if takes(OperandKind::Label) && is_first {
            return self.list_names(|symbol| symbol.kind == SymbolKind::Label);
        }
        if self.is_target_next(info) {
            return self.list_targets();
        }
        let access = if is_first && info.result != ResultKind::None {
            Access::Write
        } else {
            Access::Read
        };
        let mut words = self.list_operands(access);
        if takes(OperandKind::Kill) {
            words.extend(self.list_conditions());
        }
        words
    }

    /// Returns true if a texture target follows: the operand before the last comma is a texture.
    fn is_target_next(&self, info: &OpcodeInfo) -> bool {
        let kinds = [
            OperandKind::Texture,
            OperandKind::Image,
            OperandKind::ImageTarget,
        ];
        let takes_target = info.operands.iter().any(|kind| kinds.contains(kind));
        if !takes_target || self.text_before(1) != b"," {
            return false;
        }
        let operands = self.before[..self.before.len() - 1]
            .rsplit(|token| self.program.token_bytes(token) == b",");
        let last = operands.into_iter().next().unwrap_or_default();
        let Some(first) = last.first() else {
            return false;
        };
        let name = self.program.token_text(first);
        let is_unit = (self.dialect.traits().fragment_names())
            .is_some_and(|names| name.starts_with(names.unit_prefix));
        let is_texture =
            |symbol: &Symbol| symbol.kind == SymbolKind::Texture && symbol.name == name;
        is_unit
            || matches!(name, "texture" | "image" | "handle")
            || list_symbols(self.program).iter().any(is_texture)
    }

    /// Returns the targets that the program can name.
    fn list_targets(&self) -> Vec<Completion> {
        let family = self.dialect.family();
        let targets = TARGETS.iter().filter(|info| {
            let needs = info.required_features(family);
            !info.is_newer_than(self.dialect)
                && needs.is_some_and(|needs| self.program.features.contains(needs))
        });
        targets
            .map(|info| {
                Completion::new(
                    CompletionKind::Target,
                    info.name,
                    describe_target(info.target),
                )
            })
            .collect()
    }

    /// Returns the condition tests of the language.
    fn list_conditions(&self) -> Vec<Completion> {
        let words = test_words(self.dialect.family());
        words
            .map(|word| Completion::new(CompletionKind::Condition, word, ""))
            .collect()
    }

    /// Returns names, bindings and registers that operands can name.
    fn list_operands(&self, access: Access) -> Vec<Completion> {
        let mut words = self.list_names(|symbol| match symbol.kind {
            SymbolKind::Label | SymbolKind::SubroutineType => false,
            SymbolKind::Attribute | SymbolKind::Parameter | SymbolKind::Constant => {
                access != Access::Write
            }
            SymbolKind::Temporary
            | SymbolKind::Result
            | SymbolKind::Buffer
            | SymbolKind::Texture
            | SymbolKind::Other => true,
        });
        if self.dialect.traits().registers.is_some() {
            words.extend(self.list_registers());
            return words;
        }
        let paths = self.list_paths().into_iter().filter(|(path, _)| {
            let is_result = path.starts_with("result");
            access == Access::Any || is_result == (access == Access::Write)
        });
        words.extend(
            paths.map(|(path, detail)| Completion::new(CompletionKind::Binding, path, detail)),
        );
        words
    }

    /// Returns the registers of languages whose programs name them.
    fn list_registers(&self) -> Vec<Completion> {
        let Some(registers) = self.dialect.traits().registers else {
            return Vec::new();
        };
        let files = registers.files.iter().flat_map(|file| {
            let words = file.elements.iter().filter(|(word, _)| *word != [0; 4]);
            words.map(|(word, _)| format!("{}[{}]", file.name, String::from_utf8_lossy(word)))
        });
        let temporaries = registers.temporary_files.iter().flat_map(|file| {
            let prefix = char::from(file.prefix);
            (0..file.count).map(move |number| format!("{prefix}{number}"))
        });
        let parameters = (registers.parameters.iter()).map(|file| format!("{}[0]", file.name));
        let locals = registers
            .fragment
            .map(|names| format!("{}[0]", names.locals.name));
        let units = registers.fragment.into_iter().flat_map(|names| {
            (0..names.unit_count).map(|number| format!("{}{number}", names.unit_prefix))
        });
        let all = files.chain(temporaries).chain(parameters).chain(locals);
        all.chain(units)
            .map(|name| Completion::new(CompletionKind::Register, name, ""))
            .collect()
    }

    /// Returns all binding paths of the program with their descriptions. Empty brackets have the
    /// first number.
    fn list_paths(&self) -> Vec<(String, String)> {
        let features = self.program.features;
        let mut paths = list_available_bindings(self.dialect, features);
        paths.extend(list_available_state(self.dialect, features));
        let of_program = self.dialect.traits().program_bindings.iter();
        paths.extend(of_program.map(|path| ((*path).to_owned() + "[]", String::new())));
        for (path, _) in &mut paths {
            *path = path.replace("[]", "[0]");
        }
        paths
    }

    /// Returns the words that may follow a point in an operand: the next words of a binding, or
    /// components.
    fn complete_after_dot(&self) -> Vec<Completion> {
        let dot = self.first + self.before.len() - 1;
        let path = dot.checked_sub(1).map(|last| self.find_path_before(last));
        let mut words = path.map_or_else(Vec::new, |path| self.list_next_words(&path));
        if words.is_empty() {
            words = list_components();
        }
        words
    }

    /// Returns the path that ends with the token `last`, with empty brackets; empty if it is not a
    /// binding.
    fn find_path_before(&self, last: usize) -> String {
        let tokens = &self.program.outline.tokens;
        let mut word = last;
        while word > self.first && self.program.token_bytes(&tokens[last]) == b"]" {
            if tokens[word].class == TokenClass::Binding {
                break;
            }
            word -= 1;
        }
        if tokens[word].class != TokenClass::Binding {
            return String::new();
        }
        let (first, _) = find_path(self.program, word);
        let span = Span::new(tokens[first].span.start, tokens[last].span.end);
        let path = String::from_utf8_lossy(&self.program.text[span.range()]);
        remove_indices(&path)
    }

    /// Returns the words that follow a path in the bindings of the program, each once.
    fn list_next_words(&self, path: &str) -> Vec<Completion> {
        let mut words: Vec<Completion> = Vec::new();
        if path.is_empty() {
            return words;
        }
        let strip = |path: &str| path.replace("[]", "");
        let start = strip(path) + ".";
        for (name, detail) in self.list_paths() {
            let plain = remove_indices(&name);
            let plain = strip(&plain);
            let Some(rest) = plain.strip_prefix(&start) else {
                continue;
            };
            let next = rest.split('.').next().unwrap_or(rest);
            if words.iter().any(|word| word.label == next) {
                continue;
            }
            let detail = if next == rest { detail } else { String::new() };
            words.push(Completion::new(CompletionKind::Binding, next, detail));
        }
        words
    }
}

/// How an operand is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Any,
}

/// Returns the modifiers that an opcode takes.
fn list_modifiers(info: &OpcodeInfo) -> Vec<Completion> {
    let types = info.type_modifiers();
    let takes = |word: &&str| match find_modifier(word.as_bytes()) {
        Some(Modifier::Type(_)) => match info.rule {
            TypeRule::None => false,
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 => types.contains(word),
            TypeRule::Storage | TypeRule::Atomic | TypeRule::Image | TypeRule::Convert => true,
        },
        Some(Modifier::Atomic(_)) => info.rule == TypeRule::Atomic,
        Some(Modifier::Flag(flag)) => info.mods.contains(flag),
        None => false,
    };
    let words = modifier_words().filter(takes);
    words
        .map(|word| Completion::new(CompletionKind::Modifier, word, ""))
        .collect()
}
