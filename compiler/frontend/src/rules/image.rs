//! Image instructions: targets, units, options. EXT_shader_image_load_store sections 2.X.3.X and 2.X.8.Z,
//! EXT_shader_image_load_formatted, ARB_shader_image_size, ARB_shader_texture_image_samples.

use super::binding::{Failed, Found, fail};
use super::{Bound, Checker, InstTypes, VarKind};
use crate::ast::{Base, Bracket, Extra, Inst, Segment, TexPart};
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::modifiers::TypeClass;
use crate::lang::opcodes::{ImageOp, OpcodeInfo};
use crate::lang::options::Features;
use crate::lang::targets::{Access, TARGETS};
use glasm_ir::ImageTexels;
use glasm_ir::types::Type;

impl Checker<'_> {
    /// `image[n]`, `image[a..b]`
    pub(super) fn image_binding(&self, segments: &[Segment]) -> Result<Found, Failed> {
        let segment = segments[0];
        if segment.brackets[0] == Bracket::None {
            return fail(
                segment.span,
                Code::BindingNeedsIndex,
                "an image unit needs a number in brackets",
            );
        }
        let (first, count, range) =
            self.numbers(segment.brackets[0], limits::IMAGE_UNITS, segment.span)?;
        Ok((Bound::Image { first, count }, range, 1))
    }

    /// Rules of image instructions beyond modifiers and values.
    pub(super) fn image(&mut self, inst: &Inst, info: &OpcodeInfo, op: ImageOp) {
        let Extra::Texture(number) = inst.extra else {
            return;
        };
        let part = self.syntax.ast.textures[number as usize];
        self.image_target(&part, info, op);
        if let Some(handle) = part.handle {
            self.handle(number, handle);
        } else if let Some(var) = self.image_variable(&part) {
            self.syntax.ast.textures[number as usize].texture.base = Base::Var(var);
        }
    }

    fn image_target(&mut self, part: &TexPart, info: &OpcodeInfo, op: ImageOp) {
        let target = &TARGETS[part.target as usize];
        // The number of samples is a question to multisample images only, though IMQ takes all targets.
        let samples = op == ImageOp::QuerySamples && !target.target.is_multisample();
        if !target.access.contains(Access::IMAGE) || samples {
            let message = format!(
                "`{}` cannot access images of target `{}`",
                info.name, target.name
            );
            self.error(Code::TargetNotAllowed, part.target_span, message);
        }
    }

    fn image_variable(&mut self, part: &TexPart) -> Option<u32> {
        let operand = part.texture;
        let found = match operand.base {
            Base::Name(name) => Some((self.var_of(name, operand.span)?, operand.suffix)),
            Base::Path(path) => Some(self.path_operand(path)?),
            Base::Var(var) => Some((var, operand.suffix)),
            Base::Scalar(_) | Base::Vector { .. } => None,
        };
        if let Some((var, suffix)) = found {
            let kind = self.program.vars[var as usize].kind;
            let plain = suffix.is_none() && operand.signs.is_empty();
            if matches!(kind, VarKind::Image { .. }) && plain {
                self.index(var, operand.index, operand.span);
                return Some(var);
            }
            if kind == VarKind::Poisoned {
                return None;
            }
        }
        self.error(
            Code::ImageExpected,
            operand.span,
            "an image such as `image[0]` is expected",
        );
        None
    }

    /// The types of LOADIM and STOREIM: a storage modifier for texels as they are, or a base type for converted ones.
    pub(super) fn image_types(&mut self, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
        let converts = info.image() != Some(ImageOp::Load)
            || (self.program.features).contains(Features::IMAGE_LOAD_FORMATTED);
        let formatted = |ty| InstTypes {
            ty,
            from: ty,
            components: 4,
        };
        if inst.modifiers.type_count() == 0 && converts {
            return formatted(Type::F32);
        }
        let data = inst.modifiers.data_type(0).info();
        if inst.modifiers.type_count() == 1 && data.class == TypeClass::Base {
            if !converts {
                let message = "loads with conversion need OPTION EXT_shader_image_load_formatted";
                let span = self.type_span(inst, 0);
                self.error(Code::FeatureOption, span, message);
            }
            return formatted(data.ty);
        }
        let types = self.storage_type(inst, info);
        if ImageTexels::raw(types.ty, types.components).is_none() {
            let message = format!("texels of images cannot be accessed as `{}`", data.name);
            let span = self.type_span(inst, 0);
            self.error(Code::StorageModifier, span, message);
            return formatted(Type::U32);
        }
        types
    }
}
