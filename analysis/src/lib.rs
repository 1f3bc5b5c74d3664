//! What editors show about programs: explanations, completion, symbols, semantic tokens, folding,
//! formatting, and fixes of what diagnostics report.
//!
//! The crate has no threads and accesses no files, and depends on no protocol: the language server
//! `glasm lsp` and pages in browsers call the same functions. All words come from the tables of the
//! compiler. Positions are bytes of a source; [`LineIndex`] converts them to lines and columns.
//!
//! ```
//! use glasm_analysis::{Program, ProgramContext, complete, hover};
//! use std::sync::Arc;
//!
//! let text: Arc<[u8]> = Arc::from(&b"!!ARBfp1.0\nTEMP tint;\nMOV tint, fragment.color;\nEND\n"[..]);
//! let program = &Program::analyze_all(&text, &ProgramContext::default())[0];
//! assert!(program.diagnostics.has_errors() == false);
//! // Byte 22 is the opcode.
//! let shown = hover(program, 23).expect("an opcode has an explanation");
//! assert!(shown.text.starts_with("MOV: "));
//! let items = complete(program, 26);
//! assert!(items.list.iter().any(|item| item.label == "tint"));
//! ```
//!
//! Sources are untrusted: every function takes time in proportion to the source at most, and none
//! panics.

#![forbid(unsafe_code)]

mod assembly;
mod completion;
pub mod explain;
mod fixes;
mod folding;
mod format;
mod hover;
mod lines;
mod outline;
mod program;
mod signature;
mod symbols;
mod tgsi;

pub use completion::{Completion, CompletionKind, CompletionList, complete};
pub use fixes::{Fix, TextEdit, find_fixes, find_related};
pub use folding::{FoldKind, FoldRange, list_comments, list_folds};
pub use format::{FormatOptions, format_program};
pub use hover::{Hover, hover};
pub use lines::{ColumnUnit, LineColumn, LineIndex};
pub use outline::{Outline, Statement, StatementKind, Token, TokenClass, TokenRole};
pub use program::{MAX_SOURCE_BYTES, Program, ProgramContext};
pub use signature::{Signature, find_signature};
pub use symbols::{
    Rename, Symbol, SymbolKind, find_definition, find_occurrences, find_renamable, list_symbols,
    rename,
};
