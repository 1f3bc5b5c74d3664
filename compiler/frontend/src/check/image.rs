//! Image instructions: targets, units, options. EXT_shader_image_load_store sections 2.X.3.X and 2.X.8.Z,
//! EXT_shader_image_load_formatted, ARB_shader_image_size, ARB_shader_texture_image_samples.

use super::handle::UnitKind;
use super::{Checker, InstTypes};
use crate::ast::{Extra, Inst};
use crate::codes::Code;
use crate::lang::modifiers::TypeClass;
use crate::lang::opcodes::{ImageOp, OpcodeInfo};
use crate::lang::options::Features;
use crate::lang::targets::{Access, TARGETS};
use glasm_ir::ImageTexels;
use glasm_ir::types::Type;

impl Checker<'_> {
    /// Rules of image instructions beyond modifiers and values.
    pub(super) fn image(&mut self, inst: &Inst, info: &OpcodeInfo, op: ImageOp) {
        let Extra::Texture(number) = inst.extra else {
            return;
        };
        let part = self.ast.textures[number as usize];
        let target = &TARGETS[part.target as usize];
        // The number of samples is a question to multisample images only, though IMQ takes all targets.
        let samples = op == ImageOp::QuerySamples && !target.target.is_multisample();
        if !target.access.contains(Access::IMAGE) || samples {
            let (opcode, name) = (info.name, target.name);
            let message = format!("`{opcode}` cannot access images of target `{name}`");
            self.error(Code::TargetNotAllowed, part.target_span, message);
        }
        match part.handle {
            Some(handle) => self.handle(number, handle),
            None => drop(self.unit(number, UnitKind::Image)),
        }
    }

    /// The types of LOADIM and STOREIM: a storage modifier for texels as they are, or a base type for converted ones.
    pub(super) fn image_types(&mut self, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
        let needs = Features::IMAGE_LOAD_FORMATTED;
        // STOREIM may convert in any program, LOADIM under EXT_shader_image_load_formatted only.
        let converts = info.image() != Some(ImageOp::Load) || self.has_option(needs);
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
                let span = self.type_span(inst, 0);
                self.need_option(needs, span, "loads with conversion need");
            }
            return formatted(data.ty);
        }
        let types = self.storage_type(inst, info);
        if ImageTexels::raw(types.ty, types.components).is_none() {
            let message = format!("texels of images cannot be accessed as `{}`", data.name);
            let span = self.type_span(inst, 0);
            self.error(Code::StorageModifier, span, message);
            // Any type that fits, so that operands are still checked.
            return formatted(Type::U32);
        }
        types
    }
}
