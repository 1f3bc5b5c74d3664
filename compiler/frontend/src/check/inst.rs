//! Instructions: availability, modifiers, types, operands. NV_gpu_program4 sections 2.X.4 and 2.X.4.1.

use super::operand::Shape;
use super::{BufferLayout, Checker, InstTypes, VarKind, VarSize};
use crate::ast::{Base, Index, Inst, Operand, Signs};
use crate::codes::Code;
use crate::lang::modifiers::{self, DataType, Mods, TypeClass, register_type};
use crate::lang::opcodes::{Lower, OpcodeInfo, OperandKind, ResultKind, Support, TypeRule};
use crate::lang::options::Features;
use crate::lang::stage_name;
use crate::lex::{Kind, Token, lex};
use crate::source::Version;
use glasm_ir::Span;
use glasm_ir::types::{Base as TypeBase, Type, Width};

impl Checker<'_> {
    /// Checks an instruction; names in it become variables.
    #[inline]
    pub(super) fn inst(&mut self, inst: &mut Inst, operands: &mut [Operand]) {
        let info = inst.opcode.info();
        let types = self.types(inst, operands, info);
        self.program.types.push(types);
        if inst.broken {
            return;
        }
        if info.since > self.version || !info.stages.has(self.stage) || matches!(info.lower, Lower::Missing) {
            self.availability(inst, info);
        }
        let mods = inst.modifiers.mods();
        let old = self.version < Version::V5_0 && !mods.is_empty();
        if !info.mods.contains(mods) || mods.intersects(Mods::ANY_CLAMP.union(Mods::HI)) || old {
            self.modifiers(inst, info, types);
        }
        let untyped = mods.contains(Mods::NTC);
        if let Some(dst) = &mut inst.dst {
            self.result(dst, result_type(info, types), untyped);
        }
        let mut places = operands.iter_mut();
        for &kind in info.operands {
            let ty = operand_type(info, kind, types);
            let shape = match kind {
                OperandKind::V
                | OperandKind::Vf
                | OperandKind::Vs
                | OperandKind::Vu
                | OperandKind::Kill
                | OperandKind::Count => Shape::Vector,
                OperandKind::S | OperandKind::Su | OperandKind::Address => Shape::Scalar,
                OperandKind::Plain => Shape::Plain,
                OperandKind::ConstMem => Shape::ConstMem,
                OperandKind::SharedMem => Shape::SharedMem,
                OperandKind::ExtSwizzle
                | OperandKind::Texture
                | OperandKind::Label
                | OperandKind::Cond
                | OperandKind::OptCond => continue,
            };
            let Some(operand) = places.next() else { break };
            self.value(operand, shape, ty, untyped);
        }
        if info.special || inst.modifiers.atomic().is_some() {
            self.special(inst, operands, info, types);
        }
    }

    /// An element of a CBUFFER or SHARED variable.
    pub(super) fn memory_operand(&mut self, operand: &mut Operand, shape: Shape) {
        let constant = shape == Shape::ConstMem;
        let wanted = if constant { "a CBUFFER variable" } else { "a SHARED variable" };
        let Base::Name(name) = operand.base else {
            self.reports.error(Code::MemoryOperand, operand.span, format!("this operand must be {wanted}"));
            return;
        };
        let Some(var) = self.var_of(name, operand.span) else { return };
        let fits = match self.program.vars[var as usize].kind {
            VarKind::Buffer(view) => constant && view.layout == BufferLayout::Bytes,
            VarKind::Shared { .. } => !constant,
            VarKind::Poisoned => return,
            VarKind::Temp | VarKind::Attrib { .. } | VarKind::Param { .. } | VarKind::Result { .. } | VarKind::Texture { .. } => {
                false
            }
        };
        if !fits {
            self.reports.error(Code::MemoryOperand, operand.span, format!("this operand must be {wanted}"));
            return;
        }
        operand.base = Base::Var(var);
        self.program.vars[var as usize].used = true;
        self.index(var, operand.index, operand.span);
    }

    #[cold]
    fn availability(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let span = self.opcode_span(inst);
        let enabled = info.option.is_some_and(|feature| self.program.features.contains(feature.flag()));
        if !info.stages.has(self.stage) {
            let message = format!("`{}` is not available in {} programs", info.name, stage_name(self.stage));
            self.reports.error(Code::FeatureStage, span, message);
        } else if info.since > self.version && !enabled {
            let (code, message) = match info.option {
                Some(feature) => (Code::FeatureOption, format!("`{}` needs OPTION {}", info.name, feature.option())),
                None => {
                    let message = format!("`{}` needs language version {}", info.name, info.since.name());
                    (Code::FeatureNewer, message)
                }
            };
            self.reports.error(code, span, message);
        } else if matches!(info.lower, Lower::Missing) {
            self.reports.error(Code::Unsupported, span, format!("`{}` is not supported yet", info.name));
        }
    }

    /// The tokens of an instruction; only messages need them again.
    fn tokens(&self, inst: &Inst) -> Vec<Token> {
        lex(&self.program.ast.text[..inst.span.end as usize], inst.span.start as usize)
    }

    fn opcode_span(&self, inst: &Inst) -> Span {
        self.tokens(inst)[0].span()
    }

    /// The place of the modifier that `matches`, or of the opcode with its suffixes.
    fn modifier_span(&self, inst: &Inst, matches: impl Fn(&[u8]) -> bool) -> Span {
        let tokens = self.tokens(inst);
        let words = tokens[1..].chunks_exact(2).take_while(|pair| pair[0].kind() == Kind::Dot).map(|pair| pair[1]);
        let mut found = words.filter(|word| matches(word.text(self.program.ast.text)));
        found.next().unwrap_or(tokens[0]).span()
    }

    fn flag_span(&self, inst: &Inst, flags: Mods) -> Span {
        let wanted = |word: &[u8]| match modifiers::lookup(word) {
            Some(modifiers::Modifier::Flag(flag)) => flags.intersects(flag),
            Some(modifiers::Modifier::Type(_) | modifiers::Modifier::Atomic(_)) | None => false,
        };
        self.modifier_span(inst, wanted)
    }

    /// Modifiers other than types.
    #[cold]
    fn modifiers(&mut self, inst: &Inst, info: &OpcodeInfo, types: InstTypes) {
        let result = result_type(info, types);
        let clamp = inst.modifiers.mods().intersection(Mods::ANY_CLAMP);
        let convert = info.rule == TypeRule::Convert;
        if !clamp.is_empty() && info.result != ResultKind::None && !result.is_float() && !(convert && clamp == Mods::SAT) {
            let span = self.flag_span(inst, Mods::ANY_CLAMP);
            self.reports.error(Code::ClampOnInteger, span, "only float results can be clamped");
            return;
        }
        let extra = inst.modifiers.mods().difference(info.mods);
        if !extra.is_empty() {
            let span = self.flag_span(inst, extra);
            let message = format!("`{}` does not take this modifier", info.name);
            self.reports.error(Code::ModifierUnsupported, span, message);
            return;
        }
        if self.version < Version::V5_0 && inst.modifiers.mods().intersects(Mods::PREC.union(Mods::COH).union(Mods::VOL)) {
            let span = self.flag_span(inst, Mods::PREC.union(Mods::COH).union(Mods::VOL));
            self.reports.error(Code::FeatureNewer, span, "this modifier needs language version 5.0");
        }
        let mul24 = inst.modifiers.type_count() > 0 && inst.modifiers.data_type(0).info().class == TypeClass::Mul24;
        if inst.modifiers.mods().contains(Mods::HI) && (inst.modifiers.type_count() == 0 || types.ty.is_float() || mul24 || types.ty.width() == Width::W64) {
            let span = self.flag_span(inst, Mods::HI);
            self.reports.error(Code::MulSpecial, span, "HI needs one of the modifiers S, U, S32 and U32");
        }
    }

    /// The types of an instruction; reports type modifiers that do not fit.
    #[inline]
    fn types(&mut self, inst: &Inst, operands: &[Operand], info: &OpcodeInfo) -> InstTypes {
        let simple = |ty| InstTypes { ty, from: ty, components: 1 };
        if info.rule == TypeRule::Arithmetic {
            if inst.modifiers.type_count() == 0 {
                if inst.modifiers.mods().intersects(Mods::ANY_PRECISION) {
                    return simple(Type::F32);
                }
                return simple(Type::of(info.default, Width::W32));
            }
            let data = inst.modifiers.data_type(0).info();
            let support = if data.ty.is_float() { info.float } else { info.int };
            let plain = data.class == TypeClass::Base && support >= Support::Narrow;
            if plain && inst.modifiers.type_count() == 1 && !inst.modifiers.mods().intersects(Mods::ANY_PRECISION) {
                return simple(data.ty);
            }
        }
        self.unusual_types(inst, operands, info)
    }

    fn unusual_types(&mut self, inst: &Inst, operands: &[Operand], info: &OpcodeInfo) -> InstTypes {
        let first = (inst.modifiers.type_count() > 0).then(|| inst.modifiers.data_type(0).info());
        let half = inst.modifiers.mods().intersects(Mods::ANY_PRECISION);
        let default = if half { Type::F32 } else { Type::of(info.default, Width::W32) };
        let simple = |ty| InstTypes { ty, from: ty, components: 1 };
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
            TypeRule::Convert => self.convert_types(inst, operands),
        }
    }

    fn type_span(&self, inst: &Inst, number: usize) -> Span {
        let name = inst.modifiers.data_type(number).info().name.as_bytes();
        self.modifier_span(inst, |word| word == name)
    }

    fn unsupported_type(&mut self, inst: &Inst, info: &OpcodeInfo, number: usize) {
        let span = self.type_span(inst, number);
        let message = format!("`{}` does not take the data type `{}`", info.name, inst.modifiers.data_type(number).info().name);
        let types = info.types();
        let notes = if types.is_empty() { Vec::new() } else { vec![format!("it takes {}", types.join(", "))] };
        self.reports.error_with(Code::ModifierUnsupported, span, message, notes);
    }

    /// At most one type, which the opcode knows.
    fn arithmetic_type(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let data = inst.modifiers.data_type(0).info();
        if inst.modifiers.type_count() == 2 {
            let second = inst.modifiers.data_type(1).info();
            let mixed = (data.class == TypeClass::Sized) != (second.class == TypeClass::Sized);
            let mul24 = [data, second].iter().any(|data| data.class == TypeClass::Mul24);
            let code = match (mul24, mixed) {
                (true, _) => Code::MulSpecial,
                (false, true) => Code::BaseAndSized,
                (false, false) => Code::ModifierTwice,
            };
            let span = self.type_span(inst, 1);
            let message = format!("`{}` is a second data type beside `{}`", second.name, data.name);
            self.reports.error(code, span, message);
            return;
        }
        if inst.modifiers.mods().intersects(Mods::ANY_PRECISION) {
            let span = self.type_span(inst, 0);
            self.reports.error(Code::ModifierTwice, span, "the suffixes R and H are data types already");
            return;
        }
        let support = if data.ty.is_float() { info.float } else { info.int };
        let fits = match (data.class, data.ty.width()) {
            (TypeClass::Base, _) | (TypeClass::Sized, Width::W32) => support >= Support::Narrow,
            (TypeClass::Sized, Width::W64) => support == Support::Wide,
            (TypeClass::Mul24, _) => info.mods.contains(Mods::HI),
            (TypeClass::Sized | TypeClass::Vector | TypeClass::Extended, _) => false,
        };
        if !fits {
            self.unsupported_type(inst, info, 0);
        } else if data.class == TypeClass::Sized && self.version < Version::V5_0 {
            let span = self.type_span(inst, 0);
            self.reports.error(Code::FeatureNewer, span, format!("`{}` needs language version 5.0", data.name));
        }
    }

    /// Exactly one storage modifier; atomics also have an operation.
    fn storage_type(&mut self, inst: &Inst, info: &OpcodeInfo) -> InstTypes {
        let sized = |data: &DataType| matches!(data.class, TypeClass::Sized | TypeClass::Vector | TypeClass::Extended);
        let atomic = info.rule == TypeRule::Atomic;
        let fallback = InstTypes { ty: Type::U32, from: Type::U32, components: 1 };
        if inst.modifiers.type_count() != 1 || !sized(inst.modifiers.data_type(0).info()) {
            let span = if inst.modifiers.type_count() == 0 { self.opcode_span(inst) } else { self.type_span(inst, inst.modifiers.type_count() - 1) };
            let code = if atomic && inst.modifiers.type_count() == 0 { Code::AtomModifiers } else { Code::StorageModifier };
            let message = format!("`{}` takes exactly one storage modifier such as U32", info.name);
            self.reports.error(code, span, message);
            return fallback;
        }
        let data = inst.modifiers.data_type(0).info();
        let extended = data.class == TypeClass::Extended || data.ty == Type::F16;
        if extended && !self.program.features.contains(Features::MEM_EXTENDED) {
            let span = self.type_span(inst, 0);
            let message = format!("`{}` needs OPTION NV_gpu_program5_mem_extended", data.name);
            self.reports.error(Code::FeatureOption, span, message);
        }
        if atomic {
            self.atomic(inst, info, data);
        }
        InstTypes { ty: data.ty, from: data.ty, components: data.components }
    }

    /// Operation and type of an atomic. NV_gpu_program5 table X.Y.
    fn atomic(&mut self, inst: &Inst, info: &OpcodeInfo, data: &DataType) {
        let Some(op) = inst.modifiers.atomic() else {
            let message = format!("`{}` needs an operation such as ADD", info.name);
            self.reports.error(Code::AtomModifiers, self.opcode_span(inst), message);
            return;
        };
        use glasm_ir::resource::AtomicOp::{Add, DecWrap, Exchange, IncWrap};
        let features = self.program.features;
        let by_option = match data.ty {
            Type::F32 => features.contains(Features::ATOMIC_FLOAT) && matches!(op, Add | Exchange),
            Type::F64 => features.contains(Features::ATOMIC_FLOAT64) && matches!(op, Add | Exchange),
            Type::S64 | Type::U64 => features.contains(Features::ATOMIC_INT64) && !matches!(op, IncWrap | DecWrap),
            _ => false,
        };
        let shared_float = info.name == "ATOMS" && data.ty == Type::F32 && matches!(op, Add | Exchange);
        let known = modifiers::atomic_types(op).contains(&data.ty) && data.components == 1;
        if !known && !(by_option || shared_float) {
            let span = self.type_span(inst, 0);
            let message = format!("the atomic operation {} is not defined for {}", modifiers::atomic_name(op), data.name);
            self.reports.error(Code::AtomCombination, span, message);
        }
    }

    /// CVT: result and operand type.
    fn convert_types(&mut self, inst: &Inst, operands: &[Operand]) -> InstTypes {
        let sized = (0..inst.modifiers.type_count()).all(|n| inst.modifiers.data_type(n).info().class == TypeClass::Sized);
        if inst.modifiers.type_count() != 2 || !sized {
            let span = self.opcode_span(inst);
            let message = "CVT takes two sized types: that of the result, then that of the operand";
            self.reports.error(Code::CvtModifiers, span, message);
            return InstTypes { ty: Type::F32, from: Type::F32, components: 1 };
        }
        if let Some(operand) = operands.first().filter(|operand| operand.signs.intersects(Signs::all())) {
            self.reports.error(Code::CvtModifiers, operand.span, "the operand of CVT has no sign and no absolute value");
        }
        InstTypes { ty: inst.modifiers.data_type(0).info().ty, from: inst.modifiers.data_type(1).info().ty, components: 1 }
    }

    /// Rules of single opcodes.
    fn special(&mut self, inst: &Inst, operands: &mut [Operand], info: &OpcodeInfo, types: InstTypes) {
        match info.operands.last() {
            Some(OperandKind::Texture) => self.texture(inst, operands, info),
            Some(OperandKind::SharedMem) => self.shared_access(operands, types),
            _ => {}
        }
        if inst.modifiers.atomic().is_some() && info.rule != TypeRule::Atomic {
            self.stray_atomic(inst, info);
        }
        self.pack(inst, operands, info);
    }

    /// `ADD` and its like as modifiers of other opcodes.
    #[cold]
    fn stray_atomic(&mut self, inst: &Inst, info: &OpcodeInfo) {
        let span = self.modifier_span(inst, |word| {
            matches!(modifiers::lookup(word), Some(modifiers::Modifier::Atomic(_)))
        });
        let message = format!("`{}` does not take this modifier", info.name);
        self.reports.error(Code::ModifierUnsupported, span, message);
    }

    /// Sizes of variables that are packed and unpacked.
    fn pack(&mut self, inst: &Inst, operands: &[Operand], info: &OpcodeInfo) {
        let (Some(dst), Some(source)) = (&inst.dst, operands.first()) else { return };
        let dst_size = self.program.var(dst.base).map(|(_, var)| var.size);
        let source_size = self.program.var(source.base).map(|(_, var)| var.size);
        // A name left over was reported already.
        let resolved = !matches!(source.base, Base::Name(_) | Base::Path(_));
        let text = info.name;
        match text {
            "PK64" if dst_size.is_some_and(|size| size != VarSize::Long) => {
                self.reports.error(Code::PackLong, dst.span, "PK64 writes LONG variables only");
            }
            "UP64" if resolved && source_size != Some(VarSize::Long) => {
                self.reports.error(Code::PackLong, source.span, "UP64 reads LONG variables only");
            }
            "PK2H" | "PK2US" | "PK4B" | "PK4UB" if dst_size == Some(VarSize::Short) => {
                self.reports.error(Code::PackShort, dst.span, format!("{text} cannot write a SHORT variable"));
            }
            "UP2H" | "UP2US" | "UP4B" | "UP4UB" if source_size == Some(VarSize::Short) => {
                self.reports.error(Code::PackShort, source.span, format!("{text} cannot read a SHORT variable"));
            }
            _ => {}
        }
    }

    /// Constant addresses lie within the declared shared memory. NV_compute_program5 section 2.X.7.Y.
    fn shared_access(&mut self, operands: &[Operand], types: InstTypes) {
        let Some(operand) = operands.last() else { return };
        if !self.shared_seen {
            self.reports.error(Code::SharedMissing, operand.span, "the program declares no SHARED_MEMORY");
            return;
        }
        let Some((_, &super::Var { kind: VarKind::Shared { start }, .. })) = self.program.var(operand.base) else { return };
        let index = match operand.index {
            Index::Const(index) => index,
            Index::None => 0,
            Index::Relative(_) | Index::Pair(_) => return,
        };
        let bytes = types.ty.width().bytes() * u32::from(types.components);
        if u64::from(start) + u64::from(index) + u64::from(bytes) > u64::from(self.program.shared_bytes) {
            let message = format!("the access ends behind the {} bytes of shared memory", self.program.shared_bytes);
            self.reports.error(Code::SharedBounds, operand.span, message);
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
        _ => match info.rule {
            TypeRule::Convert => register_type(types.from),
            TypeRule::Unpack64 => ty.with_width(Width::W64),
            TypeRule::Arithmetic | TypeRule::Pack64 | TypeRule::None => ty,
            TypeRule::Storage | TypeRule::Atomic => register_type(ty),
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
        ResultKind::Vs => Type::of(TypeBase::Signed, ty.width()),
        ResultKind::Vu => Type::of(TypeBase::Unsigned, ty.width()),
    }
}

