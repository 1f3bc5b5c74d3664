//! Operands that select the texture or image of an instruction: a variable of units, or a handle
//! (NV_bindless_texture, changes to sections 2.X.2 and 2.X.4.4).

use crate::ast::{Base, Extra, Index, Inst, InstTypes, Operand, Signs, Suffix, SuffixKind};
use crate::check::context::RuleCx;
use crate::check::instructions::types::check_storage_type;
use crate::check::operands::context::OperandRules;
use crate::codes::Code;
use crate::lang::modifiers::TypeClass;
use crate::lang::opcodes::{ImageOp, OpcodeInfo};
use crate::lang::options::Features;
use crate::lang::targets::{Access, TARGETS};
use crate::source::Version;
use crate::vars::VarKind;
use glasm_ir::ImageTexels;
use glasm_ir::types::Type;

/// Purpose of the units of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitKind {
    Texture,
    Image,
}

impl UnitKind {
    /// Returns the error of any other operand.
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

    /// Returns true if a variable with this suffix is such an operand. Only textures have a
    /// component, which gathers select.
    fn takes(self, kind: VarKind, suffix: Suffix) -> bool {
        match self {
            Self::Texture => matches!(kind, VarKind::Texture { .. }),
            Self::Image => matches!(kind, VarKind::Image { .. }) && suffix.is_none(),
        }
    }
}

impl OperandRules<'_, '_> {
    /// Checks the variable of a texture or image part, and the suffix; sets both there.
    pub(crate) fn check_unit(&mut self, number: u32, wanted: UnitKind) -> Option<(u32, Suffix)> {
        let operand = self.resolver.cx.ast.textures[number as usize].texture;
        let found = match operand.base {
            Base::Name(name) => Some((self.resolver.find_var(name, operand.span)?, operand.suffix)),
            Base::Path(path) => Some(self.resolver.resolve_path(path)?),
            Base::Var(var) => Some((var, operand.suffix)),
            Base::Scalar(_) | Base::Vector { .. } => None,
        };
        let kind_of = |var: u32| self.resolver.program.vars[var as usize].kind;
        let fits = found.filter(|&(var, suffix)| {
            wanted.takes(kind_of(var), suffix) && operand.signs.is_empty()
        });
        let Some((var, suffix)) = fits else {
            // A variable whose declaration failed was reported there.
            if found.is_none_or(|(var, _)| kind_of(var) != VarKind::Poisoned) {
                let (code, message) = wanted.expected();
                self.resolver.cx.error(code, operand.span, message);
            }
            return None;
        };
        self.check_index(var, operand.index, operand.span);
        let texture = &mut self.resolver.cx.ast.textures[number as usize].texture;
        (texture.base, texture.suffix) = (Base::Var(var), suffix);
        fits
    }

    /// Checks the handle of a texture part; its name becomes a variable.
    pub(crate) fn check_handle(&mut self, number: u32, handle: Operand) {
        let span = self.resolver.cx.ast.textures[number as usize].texture.span;
        if self
            .resolver
            .cx
            .need_version(Version::V5_0, span, "handles need")
        {
            self.resolver
                .cx
                .need_option(Features::BINDLESS_TEXTURE, span, "handles need");
        }
        if let Some(var) = self.find_handle_variable(&handle) {
            self.resolver.cx.ast.textures[number as usize].handle = Some(Operand {
                base: Base::Var(var),
                ..handle
            });
        }
    }

    /// Returns the variable of a handle, which is a component of a variable that is a possible
    /// index: declared by name, not an array, not of floats.
    fn find_handle_variable(&mut self, handle: &Operand) -> Option<u32> {
        let span = handle.span;
        // Like a dynamic index, a handle has no index and no sign.
        let is_bare = handle.index == Index::None && handle.signs == Signs::empty();
        let (Base::Name(name), true) = (handle.base, is_bare) else {
            let message = "a handle is one component of a variable, such as `handle(h.x)`";
            self.resolver.cx.error(Code::HandleOperand, span, message);
            return None;
        };
        if !matches!(handle.suffix.kind(), SuffixKind::One(_)) {
            let message = "a handle is one component, such as `h.x`";
            self.resolver.cx.error(Code::ScalarSuffix, span, message);
            return None;
        }
        let var = self.resolver.find_var(name, span)?;
        let info = self.resolver.program.vars[var as usize];
        if info.can_be_index() {
            return Some(var);
        }
        if info.kind != VarKind::Poisoned {
            let text = self.resolver.var_text(var);
            let message = format!(
                "{text} cannot hold a handle; use a component of a variable of integers that is no array"
            );
            self.resolver.cx.error(Code::HandleOperand, span, message);
        }
        None
    }
}

impl OperandRules<'_, '_> {
    /// Checks rules of image instructions beyond modifiers and values.
    pub(crate) fn check_image(&mut self, inst: &Inst, info: &OpcodeInfo, op: ImageOp) {
        let Extra::Texture(number) = inst.extra else {
            return;
        };
        let part = self.resolver.cx.ast.textures[number as usize];
        let target = &TARGETS[part.target as usize];
        // Only multisample images have a number of samples, though IMQ takes all targets.
        let samples = op == ImageOp::QuerySamples && !target.target.is_multisample();
        if !target.access.contains(Access::IMAGE) || samples {
            let (opcode, name) = (info.name, target.name);
            let message = format!("`{opcode}` cannot access images of target `{name}`");
            self.resolver
                .cx
                .error(Code::TargetNotAllowed, part.target_span, message);
        }
        match part.handle {
            Some(handle) => self.check_handle(number, handle),
            None => drop(self.check_unit(number, UnitKind::Image)),
        }
    }

    /// Checks the operand of CALI.
    pub(crate) fn check_subroutine_operand(&mut self, operand: &mut Operand) {
        let wrong = "CALI takes a SUBROUTINE variable";
        let plain = operand.signs.is_empty() && operand.suffix.is_none();
        let (Base::Name(name), true) = (operand.base, plain) else {
            self.resolver
                .cx
                .error(Code::SubroutineType, operand.span, wrong);
            return;
        };
        let Some(var) = self.resolver.find_var(name, operand.span) else {
            return;
        };
        let kind = self.resolver.program.vars[var as usize].kind;
        if let VarKind::Subroutine { .. } = kind {
            operand.base = Base::Var(var);
            self.check_index(var, operand.index, operand.span);
        } else if kind != VarKind::Poisoned {
            self.resolver
                .cx
                .error(Code::SubroutineType, operand.span, wrong);
        }
    }
}

/// Checks the types of LOADIM and STOREIM: a storage modifier for texels without conversion, or a
/// base type for converted ones.
pub(crate) fn check_image_types(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
    let needs = Features::IMAGE_LOAD_FORMATTED;
    // STOREIM may convert in any program, LOADIM under EXT_shader_image_load_formatted only.
    let converts = info.image() != Some(ImageOp::Load) || cx.has_option(needs);
    let formatted = |ty| InstTypes {
        components: 4,
        ..InstTypes::simple(ty)
    };
    if inst.modifiers.type_count() == 0 && converts {
        return formatted(Type::F32);
    }
    let data = inst.modifiers.data_type(0).info();
    if inst.modifiers.type_count() == 1 && data.class == TypeClass::Base {
        if !converts {
            let span = cx.type_span(inst, 0);
            cx.need_option(needs, span, "loads with conversion need");
        }
        return formatted(data.ty);
    }
    let types = check_storage_type(cx, inst, info);
    if ImageTexels::raw(types.ty, types.components).is_none() {
        let message = format!("texels of images cannot be accessed as `{}`", data.name);
        let span = cx.type_span(inst, 0);
        cx.error(Code::StorageModifier, span, message);
        // Any suitable type, so that operands are still checked.
        return formatted(Type::U32);
    }
    types
}
