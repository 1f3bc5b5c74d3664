//! Operands that select the texture or image of an instruction: a variable of units, or a handle
//! (NV_bindless_texture, changes to sections 2.X.2 and 2.X.4.4).

use crate::ast::{
    ExtraPart, Index, Inst, InstTypes, Operand, OperandBase, Signs, Suffix, SuffixKind,
};
use crate::check::context::RuleCx;
use crate::check::instructions::types::check_storage_type;
use crate::check::operands::context::OperandRules;
use crate::codes::Code;
use crate::lang::modifiers::TypeClass;
use crate::lang::opcodes::{ImageOp, OpcodeInfo};
use crate::lang::options::Features;
use crate::lang::texture_targets::{Access, TARGETS};
use crate::source::Version;
use crate::variables::VarKind;
use glasm_ir::ImageTexels;
use glasm_ir::types::Type;

/// Purpose of the units of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitKind {
    Texture,
    Image,
}

impl UnitKind {
    /// Returns code and message of the error for an operand that is not a unit of this kind.
    const fn wrong_operand_error(self) -> (Code, &'static str) {
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

    /// Returns true if a variable of this kind with this suffix is such an operand. Only textures
    /// have a component, which gathers select.
    fn accepts(self, kind: VarKind, suffix: Suffix) -> bool {
        match self {
            Self::Texture => matches!(kind, VarKind::Texture { .. }),
            Self::Image => matches!(kind, VarKind::Image { .. }) && suffix.is_none(),
        }
    }
}

impl OperandRules<'_, '_> {
    /// Resolves the variable and the suffix of texture or image operand `texture_index`, stores
    /// both there and returns them. Returns `None` after reporting another operand or one with
    /// signs; an index that is wrong is only reported.
    pub(crate) fn check_unit_operand(
        &mut self,
        texture_index: u32,
        unit_kind: UnitKind,
    ) -> Option<(u32, Suffix)> {
        let operand = self.resolver.cx.ast.texture_accesses[texture_index as usize].texture;
        let resolved_operand = match operand.base {
            OperandBase::Name(name) => Some((
                self.resolver.resolve_name(name, operand.span)?,
                operand.suffix,
            )),
            OperandBase::Path(path) => Some(self.resolver.resolve_operand_path(path)?),
            OperandBase::Var(var) => Some((var, operand.suffix)),
            OperandBase::Scalar(_) | OperandBase::Vector { .. } => None,
        };
        let kind_of = |var: u32| self.resolver.program.vars[var as usize].kind;
        let accepted = resolved_operand.filter(|&(var, suffix)| {
            unit_kind.accepts(kind_of(var), suffix) && operand.signs.is_empty()
        });
        let Some((var, suffix)) = accepted else {
            // A variable whose declaration failed was reported there.
            if resolved_operand.is_none_or(|(var, _)| kind_of(var) != VarKind::Poisoned) {
                let (code, message) = unit_kind.wrong_operand_error();
                self.resolver.cx.report_error(code, operand.span, message);
            }
            return None;
        };
        self.check_index(var, operand.index, operand.span);
        let texture = &mut self.resolver.cx.ast.texture_accesses[texture_index as usize].texture;
        (texture.base, texture.suffix) = (OperandBase::Var(var), suffix);
        accepted
    }

    /// Checks the handle of a texture or image operand and resolves it there. Reports the version
    /// or option that is missing, and operands that cannot be handles.
    pub(crate) fn check_handle(&mut self, texture_index: u32, handle: Operand) {
        let span = self.resolver.cx.ast.texture_accesses[texture_index as usize]
            .texture
            .span;
        if self
            .resolver
            .cx
            .require_version(Version::V5_0, span, "handles need")
        {
            self.resolver
                .cx
                .require_option(Features::BINDLESS_TEXTURE, span, "handles need");
        }
        if let Some(var) = self.find_handle_variable(&handle) {
            self.resolver.cx.ast.texture_accesses[texture_index as usize].handle = Some(Operand {
                base: OperandBase::Var(var),
                ..handle
            });
        }
    }

    /// Returns the variable of a handle, which is a component of a variable that is a possible
    /// index: declared by name, not an array, not of floats. Returns `None` after reporting any
    /// other.
    fn find_handle_variable(&mut self, handle: &Operand) -> Option<u32> {
        let span = handle.span;
        // Like a dynamic index, a handle has no index and no sign.
        let is_bare = handle.index == Index::None && handle.signs == Signs::empty();
        let (OperandBase::Name(name), true) = (handle.base, is_bare) else {
            let message = "a handle is one component of a variable, such as `handle(h.x)`";
            self.resolver
                .cx
                .report_error(Code::HandleOperand, span, message);
            return None;
        };
        if !matches!(handle.suffix.kind(), SuffixKind::Component(_)) {
            let message = "a handle is one component, such as `h.x`";
            self.resolver
                .cx
                .report_error(Code::ScalarSuffix, span, message);
            return None;
        }
        let var = self.resolver.resolve_name(name, span)?;
        let info = self.resolver.program.vars[var as usize];
        if info.can_be_index() {
            return Some(var);
        }
        if info.kind != VarKind::Poisoned {
            let text = self.resolver.display_var(var);
            let message = format!(
                "{text} cannot contain a handle; use a component of a variable of integers that is not an array"
            );
            self.resolver
                .cx
                .report_error(Code::HandleOperand, span, message);
        }
        None
    }
}

impl OperandRules<'_, '_> {
    /// Checks the target and the unit or handle of an image instruction, reports violations and
    /// resolves the operand. Does nothing if the operand could not be parsed.
    pub(crate) fn check_image(&mut self, inst: &Inst, info: &OpcodeInfo, op: ImageOp) {
        let ExtraPart::Texture(number) = inst.extra else {
            return;
        };
        let part = self.resolver.cx.ast.texture_accesses[number as usize];
        let target = &TARGETS[part.target as usize];
        // Only multisample images have a number of samples, though IMQ takes all targets.
        let samples = op == ImageOp::QuerySamples && !target.target.is_multisample();
        if !target.access.contains(Access::IMAGE) || samples {
            let (opcode, name) = (info.name, target.name);
            let message = format!("`{opcode}` cannot access images of target `{name}`");
            self.resolver
                .cx
                .report_error(Code::TargetNotAllowed, part.target_span, message);
        }
        match part.handle {
            Some(handle) => self.check_handle(number, handle),
            None => drop(self.check_unit_operand(number, UnitKind::Image)),
        }
    }

    /// Resolves the operand of CALI, with its index; reports one that is not a SUBROUTINE variable
    /// or has signs or a suffix. ARB_shader_subroutine section 2.X.5.
    pub(crate) fn check_subroutine_operand(&mut self, operand: &mut Operand) {
        let wrong = "CALI takes a SUBROUTINE variable";
        let is_unmodified = operand.signs.is_empty() && operand.suffix.is_none();
        let (OperandBase::Name(name), true) = (operand.base, is_unmodified) else {
            self.resolver
                .cx
                .report_error(Code::SubroutineType, operand.span, wrong);
            return;
        };
        let Some(var) = self.resolver.resolve_name(name, operand.span) else {
            return;
        };
        let kind = self.resolver.program.vars[var as usize].kind;
        if let VarKind::Subroutine { .. } = kind {
            operand.base = OperandBase::Var(var);
            self.check_index(var, operand.index, operand.span);
        } else if kind != VarKind::Poisoned {
            self.resolver
                .cx
                .report_error(Code::SubroutineType, operand.span, wrong);
        }
    }
}

/// Returns the types of an image instruction: a storage modifier for texels without conversion, or
/// a base type or none for converted ones, which have four components. Reports loads with
/// conversion without their option, and types that texels cannot have.
pub(crate) fn check_image_types(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
    let needs = Features::IMAGE_LOAD_FORMATTED;
    // STOREIM may convert in any program, LOADIM under EXT_shader_image_load_formatted only.
    let converts = info.image_op() != Some(ImageOp::Load) || cx.has_option(needs);
    let formatted = |ty| InstTypes {
        components: 4,
        ..InstTypes::from_type(ty)
    };
    if inst.modifiers.type_count() == 0 && converts {
        return formatted(Type::F32);
    }
    let data = inst.modifiers.data_type(0).info();
    if inst.modifiers.type_count() == 1 && data.class == TypeClass::Base {
        if !converts {
            let span = cx.type_span(inst, 0);
            cx.require_option(needs, span, "loads with conversion need");
        }
        return formatted(data.ty);
    }
    let types = check_storage_type(cx, inst, info);
    if ImageTexels::from_raw_elements(types.ty, types.components).is_none() {
        let message = format!("texels of images cannot be accessed as `{}`", data.name);
        let span = cx.type_span(inst, 0);
        cx.report_error(Code::StorageModifier, span, message);
        // Any suitable type, so that operands are still checked.
        return formatted(Type::U32);
    }
    types
}
