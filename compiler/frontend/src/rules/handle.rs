//! Handles of textures and images: the option and the operand. NV_bindless_texture, changes to sections 2.X.2 and 2.X.4.4.

use super::{Checker, VarKind};
use crate::ast::{Base, Index, Operand, Signs, SuffixKind};
use crate::codes::Code;
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::types::Base as TypeBase;

impl Checker<'_> {
    /// Checks the handle of a texture part; its name becomes a variable.
    pub(super) fn handle(&mut self, number: u32, handle: Operand) {
        let span = self.syntax.ast.textures[number as usize].texture.span;
        let needed = Features::BINDLESS_TEXTURE;
        if self.version < Version::V5_0 {
            let message = "handles need language version 5.0";
            self.error(Code::FeatureNewer, span, message);
        } else if !self.program.features.contains(needed) {
            let message = format!("handles need OPTION {}", needed.option());
            self.error(Code::FeatureOption, span, message);
        }
        let Some(var) = self.handle_variable(&handle) else {
            return;
        };
        let part = &mut self.syntax.ast.textures[number as usize];
        part.handle = Some(Operand {
            base: Base::Var(var),
            ..handle
        });
    }

    /// A handle is a component of a variable that an index could be: declared by name, no array, no floats.
    fn handle_variable(&mut self, handle: &Operand) -> Option<u32> {
        let name = match handle.base {
            Base::Name(name) if handle.index == Index::None && handle.signs == Signs::empty() => {
                name
            }
            Base::Name(_)
            | Base::Path(_)
            | Base::Var(_)
            | Base::Scalar(_)
            | Base::Vector { .. } => {
                let message = "a handle is one component of a variable, such as `handle(h.x)`";
                self.error(Code::HandleOperand, handle.span, message);
                return None;
            }
        };
        if !matches!(handle.suffix.kind(), SuffixKind::One(_)) {
            let message = "a handle is one component, such as `h.x`";
            self.error(Code::ScalarSuffix, handle.span, message);
            return None;
        }
        let var = self.var_of(name, handle.span)?;
        let info = self.program.vars[var as usize];
        let readable = match info.kind {
            VarKind::Poisoned => return None,
            VarKind::Temp | VarKind::Attrib { .. } | VarKind::Param { .. } => true,
            VarKind::Result { .. }
            | VarKind::Buffer(_)
            | VarKind::Texture { .. }
            | VarKind::Image { .. }
            | VarKind::Shared { .. }
            | VarKind::Subroutine { .. }
            | VarKind::Address => false,
        };
        if !readable || info.array.is_some() || info.base == Some(TypeBase::Float) {
            let text = self.var_text(var);
            let message = format!(
                "{text} cannot hold a handle; use a component of a variable of integers that is no array"
            );
            self.error(Code::HandleOperand, handle.span, message);
            return None;
        }
        Some(var)
    }
}
