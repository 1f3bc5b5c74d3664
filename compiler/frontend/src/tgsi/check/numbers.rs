//! The numbers of registers and semantics whose range a caller may limit. Gallium limits register
//! files by the largest number of a register (`PIPE_SHADER_CAP_MAX_TEMPS` and similar ones), so
//! that numbers are limited here, not the count of registers.

use super::TgsiChecker;
use crate::check::find_number_span;
use crate::lang::numbered::Numbered;
use crate::tgsi::files::File;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::operand::{Number, Register};
use crate::tgsi::semantics::Name;
use crate::tgsi::symbols::row;
use glasm_ir::{Span, Stage};

/// Brackets of a register that has two pairs of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    First,
    Last,
}

/// Returns the part of a register from its last opening bracket on.
fn find_last_brackets(text: &[u8], span: Span) -> Span {
    let bracket = text[span.range()].iter().rposition(|&byte| byte == b'[');
    Span::new(span.start + bracket.unwrap_or(0) as u32, span.end)
}

impl TgsiResolver<'_> {
    /// Adds the numbers of a register that a declaration names, or an operand without a
    /// declaration. Dynamic numbers have no range.
    pub(in crate::tgsi) fn add_register(&mut self, register: &Register) {
        let known = |number: Number| u32::try_from(number.known()?).ok();
        let (outer, number) = (register.outer.and_then(known), known(register.number));
        let (kind, limited, brackets) = match register.file {
            File::Temp => (Numbered::Temporaries, number, Brackets::Last),
            File::Addr => (Numbered::AddressRegisters, number, Brackets::Last),
            File::Samp | File::Sview => (Numbered::TextureUnits, number, Brackets::Last),
            File::Image => (Numbered::ImageUnits, number, Brackets::Last),
            File::Res => (self.kind_of_resource(number), number, Brackets::Last),
            File::Buffer => (Numbered::StorageBuffers, number, Brackets::Last),
            File::ConstBuf => (Numbered::ParameterBuffers, number, Brackets::First),
            File::HwAtomic => (Numbered::CounterBuffers, outer, Brackets::First),
            File::Const => {
                // `CONST[n]` is `CONST[0][n]`; vectors of other buffers are not parameters of the
                // program.
                let of_first = matches!(outer, None | Some(0));
                let vector = number
                    .filter(|_| of_first && register.outer.is_none_or(|it| it.known().is_some()));
                self.check
                    .add_number(Numbered::Parameters, vector, register.span, Brackets::Last);
                (Numbered::ParameterBuffers, outer, Brackets::First)
            }
            File::In => {
                if self.check.stage == Stage::Vertex {
                    // Inputs of vertex programs have no semantics: the number of a register is that
                    // of its attribute.
                    self.check.add_number(
                        Numbered::GenericAttributes,
                        number,
                        register.span,
                        Brackets::Last,
                    );
                }
                (Numbered::Attributes, number, Brackets::Last)
            }
            File::Null
            | File::Out
            | File::Imm
            | File::Pred
            | File::Sv
            | File::ImmX
            | File::TempX
            | File::Memory => return,
        };
        self.check
            .add_number(kind, limited, register.span, brackets);
    }

    /// Returns the kind of `RES[n]`: with a type it declares a view.
    fn kind_of_resource(&self, number: Option<u32>) -> Numbered {
        let view = number.and_then(|number| row(&self.declared.views, number as usize));
        match view {
            Some(_) => Numbered::TextureUnits,
            None => Numbered::ImageUnits,
        }
    }
}

impl TgsiChecker<'_> {
    /// Adds the last of the numbers from `first` on of the semantic that a declaration of `count`
    /// inputs or outputs names at `span`.
    pub(in crate::tgsi) fn add_semantic(
        &mut self,
        file: File,
        (name, first, span): (Name, u32, Span),
        count: u32,
    ) {
        let is_output = file == File::Out;
        let kind = match (name, is_output) {
            (Name::Generic, false) => Numbered::GenericAttributes,
            (Name::Generic, true) => Numbered::GenericResults,
            (Name::TexCoord, _) => Numbered::TextureCoordinates,
            (Name::Patch, _) => Numbered::PatchAttributes,
            (Name::Color, true) if self.stage == Stage::Fragment => Numbered::DrawBuffers,
            _ => return,
        };
        let text = self.ast.text;
        let place = || Some(find_number_span(text, span, first));
        self.usage.add(kind, first + (count - 1), place);
    }

    fn add_number(&mut self, kind: Numbered, number: Option<u32>, span: Span, brackets: Brackets) {
        let Some(number) = number else { return };
        let text = self.ast.text;
        self.usage.add(kind, number, || {
            let inside = match brackets {
                Brackets::First => span,
                Brackets::Last => find_last_brackets(text, span),
            };
            Some(find_number_span(text, inside, number))
        });
    }
}
