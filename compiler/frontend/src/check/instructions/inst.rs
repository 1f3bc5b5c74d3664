//! Instructions: availability, modifiers, types, operands. NV_gpu_program4 sections 2.X.4 and
//! 2.X.4.1.

use crate::ast::{Base, Dst, Inst, InstTypes, Operand};
use crate::check::context::RuleCx;
use crate::check::instructions::arb::{
    check_arb_form, check_loop_operand, check_plain_syntax, check_three_components,
    choose_scalar_shape,
};
use crate::check::instructions::types::{check_types, operand_type, result_type};
use crate::check::operands::context::{MemoryKind, OperandRules, Shape};
use crate::check::operands::memory::check_counter_operation;
use crate::check::program::checked::Checked;
use crate::check::registers::fragment::{check_packed_register, check_three_written};
use crate::check::registers::rules::check_register_form;
use crate::codes::Code;
use crate::lang::declarations::Declaration;
use crate::lang::lenient::Rule;
use crate::lang::modifiers::{self, Mods, TypeClass};
use crate::lang::opcodes::{
    OpcodeInfo, OperandKind, OperandRule, PackedSize, ResultKind, TypeRule,
};
use crate::lang::options::Features;
use crate::lang::stage_name;
use crate::source::Version;
use crate::vars::VarSize;
use glasm_ir::Stage;
use glasm_ir::primitive::OutputPrimitive;
use glasm_ir::types::Width;

/// Modifiers with rules beyond the opcode table.
const WITH_RULES: Mods = Mods::ANY_CLAMP.union(Mods::HI).union(Mods::ANY_DERIVATIVE);

/// Modifiers of language version 5.0.
const SINCE_5_0: Mods = Mods::PREC
    .union(Mods::COH)
    .union(Mods::VOL)
    .union(Mods::SPARSE)
    .union(Mods::LODCLAMP);

impl OperandRules<'_, '_> {
    /// Checks an instruction; names in it become variables.
    #[inline]
    pub(crate) fn check_inst(&mut self, inst: &mut Inst, operands: &mut [Operand]) -> InstTypes {
        let info = inst.opcode.info();
        // Types first, so that a modifier that needs a version or an option is reported even if the
        // rest could not be parsed.
        let types = check_types(&mut self.resolver.cx, inst, operands, info);
        if inst.broken || !is_available(&mut self.resolver.cx, inst, operands, info, types) {
            return types;
        }
        let untyped = inst.modifiers.mods().contains(Mods::NTC);
        // An unresolved result retains its name; `Dst::resolved` leaves it out.
        if let Some(dst) = &mut inst.dst {
            if info.result == ResultKind::Address {
                self.check_address_result(dst);
            } else {
                self.check_result(dst, result_type(info, types), untyped);
            }
        }
        // Labels, textures and similar kinds take no operand from the list: only kinds with a shape
        // do, and CALI.
        let mut left = operands.iter_mut();
        for &kind in info.operands {
            let shape = find_shape(&self.resolver.cx, kind);
            if shape.is_none() && kind != OperandKind::Subroutine {
                continue;
            }
            // Too few operands were reported as a syntax error.
            let Some(operand) = left.next() else { break };
            match shape {
                Some(shape) => {
                    self.check_value(operand, shape, operand_type(info, kind, types), untyped)
                }
                None => self.check_subroutine_operand(operand),
            }
        }
        if self.resolver.cx.facts.registers.is_some() {
            self.check_register_operands(operands);
            // Only results that are variables can be recorded as written.
            if let Some(dst) = inst.dst.and_then(Dst::resolved) {
                self.check_register_result(&dst);
            }
        }
        if info.is_special() || inst.modifiers.atomic().is_some() {
            self.check_special(inst, operands, info, types);
        }
        types
    }

    /// Checks rules beyond types and kinds of operands.
    fn check_special(
        &mut self,
        inst: &Inst,
        operands: &mut [Operand],
        info: &OpcodeInfo,
        types: InstTypes,
    ) {
        // Before all other rules of the opcode, because it decides if the opcode exists.
        check_needed_option(&mut self.resolver.cx, inst, info);
        if let Some(op) = info.texture() {
            self.check_texture(inst, operands, op);
        } else if let Some(op) = info.image() {
            self.check_image(inst, info, op);
        }
        // ADD, MIN and others are both opcodes and operations of atomics.
        if inst.modifiers.atomic().is_some() && info.rule != TypeRule::Atomic {
            report_stray_atomic(&mut self.resolver.cx, inst, info);
        }
        self.check_operand_rule(inst, operands, info, types);
    }

    /// Checks the rule of an opcode for its operands and its result.
    fn check_operand_rule(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        info: &OpcodeInfo,
        types: InstTypes,
    ) {
        match info.operand_rule {
            OperandRule::None => {}
            OperandRule::Size(size) if self.resolver.cx.facts.fragment_names().is_some() => {
                check_packed_register(
                    &mut self.resolver.cx,
                    self.resolver.program,
                    inst,
                    operands,
                    size,
                );
            }
            OperandRule::Size(size) => check_packed_size(
                &mut self.resolver.cx,
                self.resolver.program,
                inst,
                operands,
                size,
            ),
            OperandRule::Attribute => {
                check_interpolated_operand(&mut self.resolver.cx, self.resolver.program, operands)
            }
            OperandRule::SharedBounds => self.check_shared_access(operands, types),
            OperandRule::Emission => self.check_emission(inst),
            OperandRule::CounterOperation => check_counter_operation(&mut self.resolver.cx, inst),
            OperandRule::ParameterCount => {
                check_loop_operand(&mut self.resolver.cx, self.resolver.program, operands)
            }
            OperandRule::ThreeComponents if self.resolver.cx.facts.fragment_names().is_some() => {
                check_three_written(&mut self.resolver.cx, inst, info);
            }
            OperandRule::ThreeComponents => {
                check_three_components(&mut self.resolver.cx, inst, info)
            }
            OperandRule::Shipped(rule) => {
                let span = self.resolver.cx.opcode_span(inst);
                let message = format!("unknown opcode `{}`", info.name);
                self.resolver.cx.lenient(rule, span, message);
            }
        }
    }

    /// Checks EMIT, EMITS or ENDPRIM.
    pub(crate) fn check_emission(&mut self, inst: &Inst) {
        // The stage was reported with the opcode.
        if self.resolver.cx.stage != Stage::Geometry {
            return;
        }
        let name = inst.opcode.mnemonic();
        if self.resolver.cx.is_passthrough() {
            let span = self.resolver.cx.opcode_span(inst);
            let message = format!("a program that passes its primitive on has no {name}");
            return self
                .resolver
                .cx
                .error(Code::PassthroughNotAllowed, span, message);
        }
        // EMITS has the stream as its operand, EMIT and ENDPRIM have none.
        let writes_streams = !inst.opcode.info().operands.is_empty();
        // Earlier versions have no EMITS, and that is the error then.
        if !writes_streams || self.resolver.cx.version < Version::V5_0 {
            return;
        }
        // NV_gpu_program5 section 2.14.6.2. Without PRIMITIVE_OUT its absence is the error.
        if self
            .resolver
            .declared
            .has_declared(Declaration::PrimitiveOut)
            && self.resolver.program.modes.primitive_out != OutputPrimitive::Points
        {
            let (code, span) = (Code::EmitsOutput, self.resolver.cx.opcode_span(inst));
            if self
                .resolver
                .declared
                .is_news(Declaration::PrimitiveOut, (code, 0), span)
            {
                self.resolver
                    .cx
                    .error(code, span, "EMITS needs PRIMITIVE_OUT POINTS");
            }
        }
    }
}

/// Returns the shape of the operands of a kind; `None` for kinds that other functions check.
#[inline]
fn find_shape(cx: &RuleCx<'_>, kind: OperandKind) -> Option<Shape> {
    Some(match kind {
        OperandKind::V
        | OperandKind::Vf
        | OperandKind::Vs
        | OperandKind::Vu
        | OperandKind::Kill
        | OperandKind::Count => Shape::Vector,
        // `Su` and the address of LOAD and STORE: "su" in table X.13 of NV_gpu_program5.
        OperandKind::S | OperandKind::Su | OperandKind::Address => Shape::Scalar,
        OperandKind::Plain => Shape::Plain,
        OperandKind::Sv => choose_scalar_shape(cx),
        OperandKind::AddressRegister => Shape::AddressRegister,
        OperandKind::ConstMem => Shape::Memory(MemoryKind::Constant),
        OperandKind::SharedMem => Shape::Memory(MemoryKind::Shared),
        OperandKind::StorageMem => Shape::Memory(MemoryKind::Storage),
        OperandKind::CounterMem => Shape::Memory(MemoryKind::Counter),
        OperandKind::ExtSwizzle
        | OperandKind::Texture
        | OperandKind::Image
        | OperandKind::ImageUnit
        | OperandKind::ImageTarget
        | OperandKind::Label
        | OperandKind::Subroutine
        | OperandKind::Cond
        | OperandKind::OptCond => return None,
    })
}

/// Returns true if opcode and modifiers exist in the language, with the options of the program;
/// reports it if not. False if checks of the rest of the instruction would only report
/// consequential errors.
#[inline]
fn is_available(
    cx: &mut RuleCx<'_>,
    inst: &Inst,
    operands: &[Operand],
    info: &OpcodeInfo,
    types: InstTypes,
) -> bool {
    if let Some(registers) = cx.facts.registers {
        return check_register_form(cx, inst, operands, (registers, info));
    }
    if cx.facts.forms_by_options {
        let found = check_arb_form(cx, inst, info);
        if found && cx.is_plain_arb() {
            check_plain_syntax(cx, inst, operands);
        }
        return found;
    }
    if !has_opcode(cx, info) {
        report_unavailable(cx, inst, info);
    }
    if !has_modifiers(cx, inst, info) {
        check_modifiers(cx, inst, info, types);
    }
    true
}

/// Returns true if the language version and the program type have an opcode without an option.
#[inline]
pub(crate) fn has_opcode(cx: &RuleCx<'_>, info: &OpcodeInfo) -> bool {
    info.since <= cx.version && info.stages.has(cx.stage)
}

/// Returns true if an opcode takes the modifiers of an instruction; a fast check without look-ups.
#[inline]
pub(crate) fn has_modifiers(cx: &RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> bool {
    let mods = inst.modifiers.mods();
    // Before 5.0 some modifiers of the table are missing; they are checked elsewhere.
    let old = cx.version < Version::V5_0 && !mods.is_empty();
    info.mods.contains(mods) && !mods.intersects(WITH_RULES) && !old
}

#[cold]
fn report_unavailable(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let (name, span) = (info.name, cx.opcode_span(inst));
    // Such as CBUFFER's LDC, which OPTION NV_parameter_buffer_object2 enables in versions before
    // 5.0.
    let enabled = !info.early.is_empty() && cx.has_option(info.early);
    if !info.stages.has(cx.stage) {
        let stage = stage_name(cx.stage);
        let message = format!("`{name}` is not available in {stage} programs");
        // NV_compute_program5 has BAR for compute programs only, but drivers take it here, too.
        if cx.stage == Stage::TessControl && info.is_group_barrier() {
            cx.lenient(Rule::PatchBarrier, span, message);
        } else {
            cx.error(Code::FeatureStage, span, message);
        }
    } else if info.since > cx.version && !enabled {
        let feature = format!("`{name}` needs");
        // If an option enables the opcode in earlier versions, that is the nearer remedy.
        if info.early.is_empty() {
            cx.need_version(info.since, span, feature)
        } else {
            cx.need_option(info.early, span, feature)
        };
    }
}

/// Checks modifiers other than types.
#[cold]
fn check_modifiers(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, types: InstTypes) {
    let result = result_type(info, types);
    let clamp = inst.modifiers.mods().intersection(Mods::ANY_CLAMP);
    let convert = info.rule == TypeRule::Convert;
    // An opcode without a result takes no clamp at all, which is reported below.
    let clamped = !clamp.is_empty() && info.result != ResultKind::None && !result.is_float();
    // CVT alone clamps integers: SAT limits the converted value to the range of the result type.
    let integer_clamp = convert && clamp == Mods::SAT;
    if clamped && !integer_clamp {
        let span = cx.flag_span(inst, Mods::ANY_CLAMP);
        let message = "only float results can be clamped";
        // CVT has a separate clamp of integers, SAT, so that SSAT there is not an old habit.
        if convert {
            cx.error(Code::ClampOnInteger, span, message);
            return;
        }
        if !cx.lenient(Rule::ClampOnInteger, span, message) {
            return;
        }
    }
    // A clamp that was accepted is not reported again below.
    let taken = if clamped && !convert {
        info.mods.union(Mods::ANY_CLAMP)
    } else {
        info.mods
    };
    let extra = inst.modifiers.mods().difference(taken);
    if !extra.is_empty() {
        let span = cx.flag_span(inst, extra);
        let message = format!("`{}` does not take this modifier", info.name);
        cx.error(Code::ModifierUnsupported, span, message);
        return;
    }
    if cx.version < Version::V5_0 && inst.modifiers.mods().intersects(SINCE_5_0) {
        let span = cx.flag_span(inst, SINCE_5_0);
        cx.need_version(Version::V5_0, span, "this modifier needs");
    }
    check_derivative_modifier(cx, inst);
    check_high_modifier(cx, inst, types);
}

/// Checks FINE and COARSE. ARB_derivative_control.
fn check_derivative_modifier(cx: &mut RuleCx<'_>, inst: &Inst) {
    if inst.modifiers.mods().intersects(Mods::ANY_DERIVATIVE) {
        let span = cx.flag_span(inst, Mods::ANY_DERIVATIVE);
        cx.need_option(Features::DERIVATIVE_CONTROL, span, "FINE and COARSE need");
    }
}

/// Checks that HI is used with 32-bit integers whose type is written.
fn check_high_modifier(cx: &mut RuleCx<'_>, inst: &Inst, types: InstTypes) {
    let modifiers = inst.modifiers;
    let mul24 = modifiers.data_type(0).info().class == TypeClass::Mul24;
    // "HI multiplies two 32-bit integer operands": table X.14 of NV_gpu_program4.
    let wrong =
        modifiers.type_count() == 0 || types.ty.is_float() || types.ty.width() == Width::W64;
    if modifiers.mods().contains(Mods::HI) && (wrong || mul24) {
        let span = cx.flag_span(inst, Mods::HI);
        let message = "HI needs one of the modifiers S, U, S32 and U32";
        cx.error(Code::MulSpecial, span, message);
    }
}

/// Checks the option that an opcode needs in the versions that have it.
fn check_needed_option(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    // Otherwise its absence was reported for the stage or the version, which no option can change.
    let is_there = info.stages.has(cx.stage) && cx.version >= info.since;
    if is_there && !cx.has_option(info.needs) {
        let span = cx.opcode_span(inst);
        cx.need_option(info.needs, span, format_args!("`{}` needs", info.name));
    }
}

/// Checks the operand of IPAC, IPAO and IPAS that is evaluated elsewhere. NV_gpu_program5 section
/// 2.X.8.Z.
fn check_interpolated_operand(cx: &mut RuleCx<'_>, program: &Checked, operands: &[Operand]) {
    let Some(operand) = operands.first() else {
        return;
    };
    let fits = match operand.base {
        // Unresolved bases were reported already.
        Base::Name(_) | Base::Path(_) => true,
        Base::Var(var) => program.is_interpolated(var),
        Base::Scalar(_) | Base::Vector { .. } => false,
    };
    if !fits {
        let message = "only attributes can be interpolated, except facing and primitive number";
        cx.error(Code::InterpolationOperand, operand.span, message);
    }
}

/// Reports `ADD` and similar atomic operations as modifiers of other opcodes.
#[cold]
fn report_stray_atomic(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    let is_atomic = |word: &[u8]| {
        let modifier = modifiers::lookup(word);
        matches!(modifier, Some(modifiers::Modifier::Atomic(_)))
    };
    let span = cx.modifier_span(inst, is_atomic);
    let message = format!("`{}` does not take this modifier", info.name);
    cx.error(Code::ModifierUnsupported, span, message);
}

/// Checks sizes of variables that are packed and unpacked.
fn check_packed_size(
    cx: &mut RuleCx<'_>,
    program: &Checked,
    inst: &Inst,
    operands: &[Operand],
    rule: PackedSize,
) {
    let (Some(dst), Some(source)) = (&inst.dst, operands.first()) else {
        return;
    };
    // A result without a size could not be resolved, and was reported.
    let dst_size = program.var(dst.base).map(|(_, var)| var.size);
    let source_size = program.var(source.base).map(|(_, var)| var.size);
    // An unresolved name was reported already.
    let resolved = !matches!(source.base, Base::Name(_) | Base::Path(_));
    let (is_wrong, code, span, what) = match rule {
        PackedSize::LongResult => (
            dst_size.is_some_and(|size| size != VarSize::Long),
            Code::PackLong,
            dst.span,
            "writes LONG variables only",
        ),
        PackedSize::LongSource => (
            resolved && source_size != Some(VarSize::Long),
            Code::PackLong,
            source.span,
            "reads LONG variables only",
        ),
        PackedSize::NoShortResult => (
            dst_size == Some(VarSize::Short),
            Code::PackShort,
            dst.span,
            "cannot write a SHORT variable",
        ),
        PackedSize::NoShortSource => (
            source_size == Some(VarSize::Short),
            Code::PackShort,
            source.span,
            "cannot read a SHORT variable",
        ),
    };
    if is_wrong {
        let message = format!("{} {what}", inst.opcode.mnemonic());
        cx.error(code, span, message);
    }
}
