//! Types of instructions. NV_gpu_program4 sections 2.X.4 and 2.X.4.1, NV_gpu_program5 section 2.X.4.1.

use super::{Checker, InstTypes};
use crate::ast::{Inst, Operand, Signs};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::modifiers::{self, DataType, Mods, TypeClass, register_type};
use crate::lang::opcodes::{OpcodeInfo, OperandKind, ResultKind, Support, TypeRule};
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::Span;
use glasm_ir::types::{Base as TypeBase, Type, Width};

impl Checker<'_> {
    /// The types of an instruction; reports type modifiers that do not fit.
    #[inline]
    pub(super) fn types(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        info: &OpcodeInfo,
    ) -> InstTypes {
        let simple = |ty| InstTypes {
            ty,
            from: ty,
            components: 1,
        };
        if info.rule == TypeRule::Arithmetic {
            if inst.modifiers.type_count() == 0 {
                // The suffixes R and H are floating-point types, whatever the default of the opcode. NV_gpu_program4 section 2.X.4.1.
                if inst.modifiers.mods().intersects(Mods::ANY_PRECISION) {
                    return simple(Type::F32);
                }
                return simple(Type::of(info.default, Width::W32));
            }
            let data = inst.modifiers.data_type(0).info();
            let support = if data.ty.is_float() {
                info.float
            } else {
                info.int
            };
            let plain = data.class == TypeClass::Base && support >= Support::Narrow;
            if plain
                && inst.modifiers.type_count() == 1
                && !inst.modifiers.mods().intersects(Mods::ANY_PRECISION)
            {
                return simple(data.ty);
            }
        }
        self.unusual_types(inst, operands, info)
    }

    fn unusual_types(&mut self, inst: &Inst, operands: &[Operand], info: &OpcodeInfo) -> InstTypes {
        let first = (inst.modifiers.type_count() > 0).then(|| inst.modifiers.data_type(0).info());
        let half = inst.modifiers.mods().intersects(Mods::ANY_PRECISION);
        let default = if half {
            Type::F32
        } else {
            Type::of(info.default, Width::W32)
        };
        let simple = |ty| InstTypes {
            ty,
            from: ty,
            components: 1,
        };
        match info.rule {
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::Unpack64 => {
                if inst.modifiers.type_count() > 0 {
                    self.arithmetic_type(inst, info);
                }
                simple(first.map_or(default, |data| register_type(data.ty)))
            }
            TypeRule::None => {
                if first.is_some() {
                    self.unsupported_type(inst, info, 0);
                }
                simple(default)
            }
            TypeRule::Storage | TypeRule::Atomic => self.storage_type(inst, info),
            TypeRule::Image => self.image_types(inst, info),
            TypeRule::Convert => self.convert_types(inst, operands),
        }
    }

    pub(super) fn type_span(&self, inst: &Inst, number: usize) -> Span {
        let ty = modifiers::Modifier::Type(inst.modifiers.data_type(number));
        self.modifier_span(inst, |word| modifiers::lookup(word) == Some(ty))
    }

    fn unsupported_type(&mut self, inst: &Inst, info: &OpcodeInfo, number: usize) {
        let span = self.type_span(inst, number);
        let message = format!(
            "`{}` does not take the data type `{}`",
            info.name,
            inst.modifiers.data_type(number).info().name
        );
        let types = info.types();
        let notes = if types.is_empty() {
            Vec::new()
        } else {
            vec![format!("it takes {}", types.join(", "))]
        };
        self.error_with(Code::ModifierUnsupported, span, message, notes);
    }

    /// At most one type, which the opcode knows.
    fn arithmetic_type(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let data = inst.modifiers.data_type(0).info();
        if inst.modifiers.type_count() == 2 {
            let second = inst.modifiers.data_type(1).info();
            let mixed = (data.class == TypeClass::Sized) != (second.class == TypeClass::Sized);
            let mul24 = [data, second]
                .iter()
                .any(|data| data.class == TypeClass::Mul24);
            let code = match (mul24, mixed) {
                (true, _) => Code::MulSpecial,
                (false, true) => Code::BaseAndSized,
                (false, false) => Code::ModifierTwice,
            };
            let span = self.type_span(inst, 1);
            let message = format!(
                "`{}` is a second data type beside `{}`",
                second.name, data.name
            );
            self.error(code, span, message);
            return;
        }
        if inst.modifiers.mods().intersects(Mods::ANY_PRECISION) {
            let span = self.type_span(inst, 0);
            self.error(
                Code::ModifierTwice,
                span,
                "the suffixes R and H are data types already",
            );
            return;
        }
        let support = if data.ty.is_float() {
            info.float
        } else {
            info.int
        };
        let fits = match (data.class, data.ty.width()) {
            (TypeClass::Base, _) | (TypeClass::Sized, Width::W32) => support >= Support::Narrow,
            (TypeClass::Sized, Width::W64) => support == Support::Wide,
            // MUL is the one opcode with S24 and U24, and the one with HI.
            (TypeClass::Mul24, _) => info.mods.contains(Mods::HI),
            (TypeClass::Sized | TypeClass::Vector | TypeClass::Extended, _) => false,
        };
        if !fits {
            self.unsupported_type(inst, info, 0);
        } else if data.class == TypeClass::Sized && self.version < Version::V5_0 {
            let span = self.type_span(inst, 0);
            self.error(
                Code::FeatureNewer,
                span,
                format!("`{}` needs language version 5.0", data.name),
            );
        }
    }

    /// Exactly one storage modifier; atomics also have an operation.
    pub(super) fn storage_type(&mut self, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
        let sized = |data: &DataType| {
            matches!(
                data.class,
                TypeClass::Sized | TypeClass::Vector | TypeClass::Extended
            )
        };
        let atomic = info.rule == TypeRule::Atomic;
        let fallback = InstTypes {
            ty: Type::U32,
            from: Type::U32,
            components: 1,
        };
        if inst.modifiers.type_count() != 1 || !sized(inst.modifiers.data_type(0).info()) {
            let span = if inst.modifiers.type_count() == 0 {
                self.opcode_span(inst)
            } else {
                self.type_span(inst, inst.modifiers.type_count() - 1)
            };
            let code = if atomic && inst.modifiers.type_count() == 0 {
                Code::AtomModifiers
            } else {
                Code::StorageModifier
            };
            let message = format!(
                "`{}` takes exactly one storage modifier such as U32",
                info.name
            );
            self.error(code, span, message);
            return fallback;
        }
        let data = inst.modifiers.data_type(0).info();
        let extended = data.class == TypeClass::Extended || data.ty == Type::F16;
        if extended && !atomic && !self.program.features.contains(Features::MEM_EXTENDED) {
            let span = self.type_span(inst, 0);
            let message = format!("`{}` needs OPTION NV_gpu_program5_mem_extended", data.name);
            match info.accesses(OperandKind::ConstMem) && data.ty == Type::F16 {
                true => {
                    self.lenient(Rule::HalfLoad, span, message);
                }
                false => self.error(Code::FeatureOption, span, message),
            }
        }
        if data.ty.width() == Width::W64 && self.version < Version::V5_0 {
            let span = self.type_span(inst, 0);
            let message = format!("`{}` needs language version 5.0", data.name);
            self.error(Code::FeatureNewer, span, message);
        }
        if atomic {
            self.atomic(inst, info, data);
        }
        InstTypes {
            ty: data.ty,
            from: data.ty,
            components: data.components,
        }
    }

    /// Operation and type of an atomic. NV_gpu_program5 table X.Y.
    fn atomic(&mut self, inst: &Inst, info: &OpcodeInfo, data: &DataType) {
        let Some(op) = inst.modifiers.atomic() else {
            let message = format!("`{}` needs an operation such as ADD", info.name);
            self.error(Code::AtomModifiers, self.opcode_span(inst), message);
            return;
        };
        use glasm_ir::resource::AtomicOp::{Add, DecWrap, Exchange, IncWrap, Max, Min};
        let features = self.program.features;
        let by_option = match data.ty {
            Type::F32 => features.contains(Features::ATOMIC_FLOAT) && matches!(op, Add | Exchange),
            Type::F64 => {
                features.contains(Features::ATOMIC_FLOAT64) && matches!(op, Add | Exchange)
            }
            Type::S64 | Type::U64 => {
                features.contains(Features::ATOMIC_INT64) && !matches!(op, IncWrap | DecWrap)
            }
            Type::F16 => {
                features.contains(Features::ATOMIC_FP16_VECTOR)
                    && matches!(op, Add | Min | Max | Exchange)
            }
            Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::U32 | Type::S32 => false,
        };
        let shared_float = info.accesses(OperandKind::SharedMem)
            && data.ty == Type::F32
            && matches!(op, Add | Exchange);
        // Images have texels of up to 32 bits for atomics, but for vectors of half floats.
        let size_known = info.image().is_none() || data.ty.width() < Width::W64;
        let known = modifiers::atomic_types(op).contains(&data.ty);
        // Vectors exist of half floats, and only those.
        let size_fits = (data.components == 1) != (data.ty == Type::F16);
        if !size_fits || !size_known || !(known || by_option || shared_float) {
            let span = self.type_span(inst, 0);
            let message = format!(
                "the atomic operation {} is not defined for {}",
                modifiers::atomic_name(op),
                data.name
            );
            self.error(Code::AtomCombination, span, message);
        }
    }

    /// CVT: result and operand type.
    fn convert_types(&mut self, inst: &Inst, operands: &[Operand]) -> InstTypes {
        let sized = (0..inst.modifiers.type_count())
            .all(|n| inst.modifiers.data_type(n).info().class == TypeClass::Sized);
        if inst.modifiers.type_count() != 2 || !sized {
            let span = self.opcode_span(inst);
            let message = "CVT takes two sized types: that of the result, then that of the operand";
            self.error(Code::CvtModifiers, span, message);
            return InstTypes {
                ty: Type::F32,
                from: Type::F32,
                components: 1,
            };
        }
        if let Some(operand) = operands
            .first()
            .filter(|operand| operand.signs.intersects(Signs::all()))
        {
            self.error(
                Code::CvtModifiers,
                operand.span,
                "the operand of CVT has no sign and no absolute value",
            );
        }
        InstTypes {
            ty: inst.modifiers.data_type(0).info().ty,
            from: inst.modifiers.data_type(1).info().ty,
            components: 1,
        }
    }
}

/// The type of an operand place. Table X.13, input column.
#[inline]
pub(crate) fn operand_type(info: &OpcodeInfo, kind: OperandKind, types: InstTypes) -> Type {
    let ty = types.ty;
    match kind {
        OperandKind::Vf => Type::of(TypeBase::Float, register_type(ty).width()),
        OperandKind::Vs => Type::S32,
        OperandKind::Vu => Type::of(TypeBase::Unsigned, ty.width()),
        OperandKind::Su => Type::U32,
        OperandKind::Address => Type::U64,
        OperandKind::V
        | OperandKind::Sv
        | OperandKind::AddressRegister
        | OperandKind::S
        | OperandKind::Plain
        | OperandKind::ExtSwizzle
        | OperandKind::Texture
        | OperandKind::Image
        | OperandKind::ImageUnit
        | OperandKind::ImageTarget
        | OperandKind::Label
        | OperandKind::Subroutine
        | OperandKind::Cond
        | OperandKind::OptCond
        | OperandKind::Kill
        | OperandKind::Count
        | OperandKind::ConstMem
        | OperandKind::SharedMem
        | OperandKind::StorageMem
        | OperandKind::CounterMem => match info.rule {
            TypeRule::Convert => register_type(types.from),
            TypeRule::Unpack64 => ty.with_width(Width::W64),
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::None => ty,
            TypeRule::Storage | TypeRule::Atomic | TypeRule::Image => register_type(ty),
        },
    }
}

/// The type of the result. Table X.13, output column.
#[inline]
pub(crate) fn result_type(info: &OpcodeInfo, types: InstTypes) -> Type {
    let ty = register_type(types.ty);
    match info.result {
        ResultKind::V | ResultKind::S if info.rule == TypeRule::Pack64 => ty.with_width(Width::W64),
        ResultKind::V | ResultKind::S | ResultKind::None => ty,
        ResultKind::Vf => Type::of(TypeBase::Float, ty.width()),
        ResultKind::Vs | ResultKind::Address => Type::of(TypeBase::Signed, ty.width()),
        ResultKind::Vu => Type::of(TypeBase::Unsigned, ty.width()),
    }
}
