//! Rules that only ARB programs have: features that options enable, address registers, reserved
//! words, limits. ARB_vertex_program sections 2.14.2 to 2.14.5, ARB_fragment_program sections
//! 3.11.2 to 3.11.5.

use crate::ast::{Decl, DeclItem, DeclKind, Inst, Operand, Signs, VarMods};
use crate::check::context::RuleCx;
use crate::check::operands::context::OperandShape;
use crate::check::program::CheckedProgram;
use crate::codes::{Code, LenientRule};
use crate::interner::NameId;
use crate::lang::arb::{self, ArbForm};
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::stage_name;
use crate::syntax::{DeclWord, StatementStart};
use crate::variables::VarKind;
use glasm_ir::{Span, Stage};

/// Returns true if the opcode and its suffixes exist under the options of the program; reports it
/// if not.
pub(crate) fn check_arb_form(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) -> bool {
    match info.arb.for_stage(cx.stage) {
        Some(form) if is_form_enabled(cx, inst, form) => true,
        form => {
            report_missing_form(cx, inst, info, form);
            false
        }
    }
}

/// Returns true if options have enabled the form of an opcode and the suffixes that it has in an
/// instruction.
pub(crate) fn is_form_enabled(cx: &RuleCx<'_>, inst: &Inst, form: ArbForm) -> bool {
    let mods = inst.modifiers.mods();
    cx.features.contains(form.required_features)
        && (mods.is_empty() || find_missing_suffix_feature(cx, form, mods).is_none())
}

/// Returns the feature that the suffixes of an opcode lack: the option that would enable one of
/// them, an empty set if none would. `None` if all suffixes are available.
fn find_missing_suffix_feature(
    cx: &RuleCx<'_>,
    form: ArbForm,
    mods: ModifierFlags,
) -> Option<Features> {
    // First the suffixes that only this opcode takes in addition, then those that options enable
    // for all opcodes of the stage: the first is the nearer remedy.
    let extra = mods.difference(form.mods);
    let (feature, extra_mods) = form.extra_mods;
    if !extra_mods.contains(extra) {
        return Some(Features::empty());
    }
    if !extra.is_empty() && !cx.has_option(feature) {
        return Some(feature);
    }
    // Suffixes of the opcode still need the option that enables the suffix in programs of this
    // type.
    let needs = arb::suffix_requirements(cx.stage);
    let enabled = needs.iter().filter(|(_, feature)| cx.has_option(*feature));
    let enabled = enabled.fold(ModifierFlags::empty(), |all, (listed, _)| {
        all.union(*listed)
    });
    if enabled.contains(mods) {
        return None;
    }
    // Several suffixes may be missing; the first one that no option of the program enables is
    // named.
    mods.iter().find_map(|suffix| {
        let suffix_need = needs.iter().find(|(known, _)| known.contains(suffix));
        let feature = suffix_need.map_or(Features::empty(), |&(_, feature)| feature);
        (suffix_need.is_none() || !cx.has_option(feature)).then_some(feature)
    })
}

/// Reports why an opcode is not available in an ARB program with its present options: the stage, an
/// option for the opcode, or a suffix. `form` is that of the opcode in this stage, if it has one.
#[cold]
fn report_missing_form(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo, form: Option<ArbForm>) {
    let span = cx.opcode_span(inst);
    let name = info.name;
    let Some(form) = form else {
        let stage = stage_name(cx.stage);
        let message = format!("`{name}` is not available in {stage} programs");
        return cx.report_error(Code::FeatureStage, span, message);
    };
    // The suffixes of an opcode that does not exist are not checked.
    if !cx.require_option(form.required_features, span, format_args!("`{name}` needs")) {
        return;
    }
    match find_missing_suffix_feature(cx, form, inst.modifiers.mods()) {
        // An empty set of features denotes suffixes that no option would enable.
        Some(feature) if feature.is_empty() => {
            let message = format!("`{name}` does not take this suffix");
            cx.report_error(Code::ModifierUnsupported, span, message);
        }
        Some(feature) => drop(cx.require_option(feature, span, "this suffix needs")),
        None => {}
    }
}

/// Reports conditions and absolute values in a program that has no option for them.
pub(crate) fn check_plain_syntax(cx: &mut RuleCx<'_>, inst: &Inst, operands: &[Operand]) {
    let option = cx.traits.conditions;
    // A condition follows the result, or is a separate operand, as that of BRA; no instruction has
    // both.
    let guard = inst.dst.filter(|dst| dst.guard.is_some());
    if let Some(span) = guard.map(|dst| dst.span).or(inst.cond.map(|_| inst.span)) {
        cx.require_option(option, span, "conditions need");
    }
    for operand in operands {
        if operand.signs.contains(Signs::ABS) {
            cx.require_option(option, operand.span, "absolute values need");
        }
    }
}

/// Returns the shape of an operand that is a scalar in ARB programs without an NV instruction set
/// and a vector with one.
pub(crate) fn choose_scalar_shape(cx: &RuleCx<'_>) -> OperandShape {
    if cx.is_plain_arb() {
        OperandShape::Scalar
    } else {
        OperandShape::Vector
    }
}

/// Reports an operand of LOOP and REP that is neither a parameter nor a constant.
/// NV_fragment_program2 sections 3.11.X.8 and 3.11.X.9.
pub(crate) fn check_loop_operand(
    cx: &mut RuleCx<'_>,
    program: &CheckedProgram,
    operands: &[Operand],
) {
    let Some(operand) = operands.first() else {
        return;
    };
    // An operand that is not a variable is a constant, or was reported already.
    let is_constant = program
        .find_base_var(operand.base)
        .is_none_or(|(_, var)| matches!(var.kind, VarKind::Param { .. } | VarKind::Poisoned));
    if !is_constant {
        let message = "the count of a loop is a parameter or a constant";
        cx.report_error(Code::LoopCount, operand.span, message);
    }
}

/// Reports, by a lenient rule, a result whose write mask contains component w, for opcodes whose
/// result has three components. NV_fragment_program_option section 3.11.5.36.
pub(crate) fn check_three_components(cx: &mut RuleCx<'_>, inst: &Inst, info: &OpcodeInfo) {
    if let Some(dst) = inst.dst.filter(|dst| dst.mask.has(3)) {
        let name = info.name;
        let message = format!("{name} has no component w; write x, y and z only");
        cx.report_lenient(LenientRule::ReflectionMask, dst.span, message);
    }
}

/// Reports violations of the rules of the ARB languages for a declaration: `ADDRESS` only in vertex
/// programs, SHORT and LONG only where an option has them, and no reserved word as name.
pub(crate) fn check_arb_declaration(cx: &mut RuleCx<'_>, decl: &Decl) {
    if decl.kind == DeclKind::Address && cx.stage != Stage::Vertex {
        let message = "address registers belong to vertex programs";
        cx.report_error(Code::DeclarationNotAllowed, decl.span, message);
    }
    if !decl.mods.is_empty() {
        check_arb_declaration_modifiers(cx, decl);
    }
    // TEMP and ADDRESS have a list of names, all other declarations one.
    if let Some((name, span)) = decl.name {
        check_reserved_word(cx, name, span);
        return;
    }
    for index in 0..decl.item_count {
        let item = cx.ast.items[(decl.first_item + index) as usize];
        if let DeclItem::Name(name, _, span) = item {
            check_reserved_word(cx, name, span);
        }
    }
}

/// Reports SHORT and LONG without their option, and in declarations other than TEMP and OUTPUT.
/// NV_fragment_program_option section 3.11.3.
fn check_arb_declaration_modifiers(cx: &mut RuleCx<'_>, decl: &Decl) {
    if !cx.require_option(Features::NV_FRAGMENT, decl.span, "SHORT and LONG need") {
        return;
    }
    if !matches!(decl.kind, DeclKind::Temp | DeclKind::Output) {
        let code = if decl.mods.contains(VarMods::SHORT) {
            Code::ShortNotAllowed
        } else {
            Code::LongNotAllowed
        };
        cx.report_error(code, decl.span, "SHORT and LONG apply to TEMP and OUTPUT");
    }
}

/// Reports a name that is a word of the language, other than a modifier, under the options of the
/// program.
fn check_reserved_word(cx: &mut RuleCx<'_>, name: NameId, span: Span) {
    let is_reserved = match cx.find_statement_start(name) {
        // ARB_fragment_program section 3.11.2 does not list ADDRESS.
        StatementStart::Decl(DeclWord::Keyword(DeclKind::Address)) => cx.stage == Stage::Vertex,
        StatementStart::Decl(DeclWord::Keyword(_))
        | StatementStart::End
        | StatementStart::Option => true,
        // An opcode of an option is not a reserved word in a program without the option.
        StatementStart::Opcode(opcode, mods) => {
            let form = opcode.info().arb.for_stage(cx.stage);
            form.is_some_and(|form| {
                cx.has_option(form.required_features) && is_reserved_opcode(cx, form, mods)
            })
        }
        StatementStart::Decl(DeclWord::Modifier(_))
        | StatementStart::RemovedWord
        | StatementStart::Unknown
        | StatementStart::OtherWord => false,
    };
    if is_reserved {
        let message = format!("`{}` is a reserved word", cx.display_name(name));
        cx.report_error(Code::ReservedName, span, message);
    }
}

/// Returns true if the list of reserved words has an opcode with these suffixes: that of vertex
/// programs has no suffixes, that of fragment programs all of them.
fn is_reserved_opcode(cx: &RuleCx<'_>, form: ArbForm, mods: ModifierFlags) -> bool {
    if cx.stage == Stage::Vertex {
        mods.is_empty()
    } else {
        find_missing_suffix_feature(cx, form, mods).is_none()
    }
}

/// Reports labels in programs without an option for branches and subroutines, and labels that are
/// words of the language.
pub(crate) fn check_arb_label(cx: &mut RuleCx<'_>, name: NameId, span: Span) {
    cx.require_option(cx.traits.labels, span, "labels need");
    check_reserved_word(cx, name, span);
}

/// Reports the first attribute beyond the limit, which is one more with NV_fragment_program2.
/// Attributes are counted whole: ARB_vertex_program section 2.14.3.7, ARB_fragment_program section
/// 3.11.3.6.
pub(crate) fn check_program_attribs(cx: &mut RuleCx<'_>, program: &CheckedProgram, limit: usize) {
    // Only NV_fragment_program2 has the attribute of facing.
    let limit = limit + usize::from(cx.has_option(Features::NV_FRAGMENT_2));
    // One attribute may be bound several times: the exact count, which costs a set, is needed only
    // beyond the limit.
    if program.attribs.len() <= limit {
        return;
    }
    let spans = program.collect_attrib_spans(&cx.ast);
    if let Some(&beyond) = spans.get(limit) {
        // "Vertex attributes bound multiple times count only once".
        let count = spans.len();
        let message = format!("{count} attributes are bound; the limit is {limit}");
        cx.report_error(Code::TooManyAttribs, beyond, message);
    }
}
