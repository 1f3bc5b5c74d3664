//! The numbers of registers and semantics that a program names, for limits of the caller.

use super::checker::TgsiChecker;
use super::contexts::TgsiResolver;
use super::registers::{RegisterIndex, ResolvedRegister};
use crate::check::find_number_span;
use crate::lang::limits::LimitedItem;
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::semantics::SemanticName;
use glasm_ir::{Span, Stage};

/// Brackets of a register that has two pairs of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketPair {
    First,
    Last,
}

/// Returns the part of a register from its last opening bracket on.
fn find_last_brackets(text: &[u8], span: Span) -> Span {
    let bracket = text[span.range()].iter().rposition(|&byte| byte == b'[');
    Span::new(span.start + bracket.unwrap_or(0) as u32, span.end)
}

impl TgsiResolver<'_> {
    /// Records the numbers of a register that a declaration or an undeclared operand names, for
    /// limits of the caller. Dynamic indices are not recorded.
    pub(super) fn record_register(&mut self, register: &ResolvedRegister) {
        let constant_number = |number: RegisterIndex| u32::try_from(number.as_constant()?).ok();
        let (outer, number) = (
            register.outer.and_then(constant_number),
            constant_number(register.index),
        );
        let (kind, limited_number, brackets) = match register.file {
            RegisterFile::Temp => (LimitedItem::Temporaries, number, BracketPair::Last),
            RegisterFile::Addr => (LimitedItem::AddressRegisters, number, BracketPair::Last),
            RegisterFile::Samp | RegisterFile::Sview => {
                (LimitedItem::TextureUnits, number, BracketPair::Last)
            }
            RegisterFile::Image => (LimitedItem::ImageUnits, number, BracketPair::Last),
            RegisterFile::Res => (self.resource_numbering(number), number, BracketPair::Last),
            RegisterFile::Buffer => (LimitedItem::StorageBuffers, number, BracketPair::Last),
            RegisterFile::ConstBuf => (LimitedItem::ParameterBuffers, number, BracketPair::First),
            RegisterFile::HwAtomic => (LimitedItem::CounterBuffers, outer, BracketPair::First),
            RegisterFile::Const => {
                // `CONST[n]` is `CONST[0][n]`; vectors of other buffers are not parameters of the
                // program.
                let of_first = matches!(outer, None | Some(0));
                let vector = number.filter(|_| {
                    of_first && register.outer.is_none_or(|it| it.as_constant().is_some())
                });
                self.checker.record_number(
                    LimitedItem::Parameters,
                    vector,
                    register.span,
                    BracketPair::Last,
                );
                (LimitedItem::ParameterBuffers, outer, BracketPair::First)
            }
            RegisterFile::In => {
                if self.checker.stage == Stage::Vertex {
                    // Inputs of vertex programs have no semantics: the number of a register is that
                    // of its attribute.
                    self.checker.record_number(
                        LimitedItem::GenericAttributes,
                        number,
                        register.span,
                        BracketPair::Last,
                    );
                }
                (LimitedItem::Attributes, number, BracketPair::Last)
            }
            RegisterFile::Null
            | RegisterFile::Out
            | RegisterFile::Imm
            | RegisterFile::Pred
            | RegisterFile::Sv
            | RegisterFile::ImmX
            | RegisterFile::TempX
            | RegisterFile::Memory => return,
        };
        self.checker
            .record_number(kind, limited_number, register.span, brackets);
    }

    /// Returns the limit that the number of `RES[n]` counts toward: texture units if it is declared
    /// as a view, else image units.
    fn resource_numbering(&self, number: Option<u32>) -> LimitedItem {
        let view = number.and_then(|number| self.declared.views.get(number as usize));
        match view {
            Some(_) => LimitedItem::TextureUnits,
            None => LimitedItem::ImageUnits,
        }
    }
}

impl TgsiChecker<'_> {
    /// Adds the last of the numbers from `first` on of the semantic that a declaration of `count`
    /// inputs or outputs names at `span`.
    pub(super) fn record_semantic(
        &mut self,
        file: RegisterFile,
        (name, first, span): (SemanticName, u32, Span),
        count: u32,
    ) {
        let is_output = file == RegisterFile::Out;
        let kind = match (name, is_output) {
            (SemanticName::Generic, false) => LimitedItem::GenericAttributes,
            (SemanticName::Generic, true) => LimitedItem::GenericResults,
            (SemanticName::TexCoord, _) => LimitedItem::TextureCoordinates,
            (SemanticName::Patch, _) => LimitedItem::PatchAttributes,
            (SemanticName::Color, true) if self.stage == Stage::Fragment => {
                LimitedItem::DrawBuffers
            }
            _ => return,
        };
        let text = self.ast.text;
        let place = || Some(find_number_span(text, span, first));
        self.usage.record(kind, first + (count - 1), place);
    }

    /// Adds a number, if it is known, to the usage that a caller may limit; its position is looked
    /// up within the brackets of the register at `span`.
    fn record_number(
        &mut self,
        kind: LimitedItem,
        number: Option<u32>,
        span: Span,
        brackets: BracketPair,
    ) {
        let Some(number) = number else { return };
        let text = self.ast.text;
        self.usage.record(kind, number, || {
            let inside = match brackets {
                BracketPair::First => span,
                BracketPair::Last => find_last_brackets(text, span),
            };
            Some(find_number_span(text, inside, number))
        });
    }
}
