//! What gives the texture or image of an instruction: a variable of units, or a handle (NV_bindless_texture, changes to sections 2.X.2
//! and 2.X.4.4).

use super::{Checker, VarKind};
use crate::ast::{Base, Index, Operand, Signs, Suffix, SuffixKind};
use crate::codes::Code;
use crate::lang::options::Features;
use crate::source::Version;

/// What the units of an operand are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnitKind {
    Texture,
    Image,
}

impl UnitKind {
    /// The error of any other operand.
    const fn expected(self) -> (Code, &'static str) {
        match self {
            Self::Texture => (
                Code::TextureExpected,
                "a texture such as `texture[0]` is expected",
            ),
            Self::Image => (
                Code::ImageExpected,
                "an image such as `image[0]` is expected",
            ),
        }
    }

    /// Whether a variable with this suffix is such an operand. Only textures have a component, which gathers select.
    fn takes(self, kind: VarKind, suffix: Suffix) -> bool {
        match self {
            Self::Texture => matches!(kind, VarKind::Texture { .. }),
            Self::Image => matches!(kind, VarKind::Image { .. }) && suffix.is_none(),
        }
    }
}

impl Checker<'_> {
    /// The variable of a texture or image part, and the suffix; sets both there.
    pub(super) fn unit(&mut self, number: u32, wanted: UnitKind) -> Option<(u32, Suffix)> {
        let operand = self.ast.textures[number as usize].texture;
        let found = match operand.base {
            Base::Name(name) => Some((self.var_of(name, operand.span)?, operand.suffix)),
            Base::Path(path) => Some(self.path_operand(path)?),
            Base::Var(var) => Some((var, operand.suffix)),
            Base::Scalar(_) | Base::Vector { .. } => None,
        };
        let kind_of = |var: u32| self.program.vars[var as usize].kind;
        let fits = found.filter(|&(var, suffix)| {
            wanted.takes(kind_of(var), suffix) && operand.signs.is_empty()
        });
        let Some((var, suffix)) = fits else {
            // A variable whose declaration failed was reported there.
            if found.is_none_or(|(var, _)| kind_of(var) != VarKind::Poisoned) {
                let (code, message) = wanted.expected();
                self.error(code, operand.span, message);
            }
            return None;
        };
        self.index(var, operand.index, operand.span);
        let texture = &mut self.ast.textures[number as usize].texture;
        (texture.base, texture.suffix) = (Base::Var(var), suffix);
        fits
    }

    /// Checks the handle of a texture part; its name becomes a variable.
    pub(super) fn handle(&mut self, number: u32, handle: Operand) {
        let span = self.ast.textures[number as usize].texture.span;
        if self.need_version(Version::V5_0, span, "handles need") {
            self.need_option(Features::BINDLESS_TEXTURE, span, "handles need");
        }
        if let Some(var) = self.handle_variable(&handle) {
            self.ast.textures[number as usize].handle = Some(Operand {
                base: Base::Var(var),
                ..handle
            });
        }
    }

    /// A handle is a component of a variable that an index could be: declared by name, no array, no floats.
    fn handle_variable(&mut self, handle: &Operand) -> Option<u32> {
        let span = handle.span;
        // Like a run-time index, a handle has no index and no sign of its own.
        let is_bare = handle.index == Index::None && handle.signs == Signs::empty();
        let (Base::Name(name), true) = (handle.base, is_bare) else {
            let message = "a handle is one component of a variable, such as `handle(h.x)`";
            self.error(Code::HandleOperand, span, message);
            return None;
        };
        if !matches!(handle.suffix.kind(), SuffixKind::One(_)) {
            let message = "a handle is one component, such as `h.x`";
            self.error(Code::ScalarSuffix, span, message);
            return None;
        }
        let var = self.var_of(name, span)?;
        let info = self.program.vars[var as usize];
        if info.can_be_index() {
            return Some(var);
        }
        if info.kind != VarKind::Poisoned {
            let text = self.var_text(var);
            let message = format!(
                "{text} cannot hold a handle; use a component of a variable of integers that is no array"
            );
            self.error(Code::HandleOperand, span, message);
        }
        None
    }
}
