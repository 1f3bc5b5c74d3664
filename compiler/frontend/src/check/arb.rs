//! Rules that only ARB programs have: what their options enable, address registers, reserved words, limits.
//! ARB_vertex_program sections 2.14.2 to 2.14.5, ARB_fragment_program sections 3.11.2 to 3.11.5.

use super::operand::Shape;
use super::{Checker, Implicit, VarKind};
use crate::ast::{Base, Decl, DeclKind, Dst, Inst, Item, Operand, Signs, VarMods};
use crate::codes::Code;
use crate::lang::arb::{self, Form};
use crate::lang::lenient::Rule;
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::Features;
use crate::lang::stage_name;
use crate::names::NameId;
use crate::syntax::{DeclWord, Leader};
use glasm_ir::{Semantic, Span, Stage, WriteMask};

impl Checker<'_> {
    /// Whether the opcode and its suffixes exist under the options of the program; reports it if not.
    #[inline]
    pub(super) fn arb_form(&mut self, inst: &Inst, info: &OpcodeInfo) -> bool {
        match info.arb.of(self.stage) {
            Some(form) if self.has_form(inst, form) => true,
            form => {
                self.missing_form(inst, info, form);
                false
            }
        }
    }

    /// Whether options have enabled the form of an opcode and the suffixes that it has in an instruction.
    #[inline]
    pub(super) fn has_form(&self, inst: &Inst, form: Form) -> bool {
        let mods = inst.modifiers.mods();
        self.program.features.contains(form.needs)
            && (mods.is_empty() || self.missing_suffix(form, mods).is_none())
    }

    /// What the suffixes of an opcode lack: the option that would bring one of them, no option if none would.
    fn missing_suffix(&self, form: Form, mods: Mods) -> Option<Features> {
        // First what this opcode alone takes in addition, then what options bring to all opcodes of the stage: the first is the nearer remedy.
        let extra = mods.difference(form.mods);
        let (feature, more) = form.more;
        if !more.contains(extra) {
            return Some(Features::empty());
        }
        if !extra.is_empty() && !self.has_option(feature) {
            return Some(feature);
        }
        // What the opcode takes still needs the option that brings the suffix to programs of this type.
        let needs = arb::suffix_needs(self.stage);
        let brought = needs
            .iter()
            .filter(|(_, feature)| self.has_option(*feature));
        let brought = brought.fold(Mods::empty(), |all, (known, _)| all.union(*known));
        if brought.contains(mods) {
            return None;
        }
        // Several suffixes may be missing; the first one that no option of the program brings is named.
        mods.iter().find_map(|suffix| {
            let found = needs.iter().find(|(known, _)| known.contains(suffix));
            let feature = found.map_or(Features::empty(), |&(_, feature)| feature);
            (found.is_none() || !self.has_option(feature)).then_some(feature)
        })
    }

    #[cold]
    fn missing_form(&mut self, inst: &Inst, info: &OpcodeInfo, form: Option<Form>) {
        let span = self.opcode_span(inst);
        let name = info.name;
        let Some(form) = form else {
            let stage = stage_name(self.stage);
            let message = format!("`{name}` is not available in {stage} programs");
            return self.error(Code::FeatureStage, span, message);
        };
        // An opcode that is not there at all says nothing about its suffixes.
        if !self.need_option(form.needs, span, format_args!("`{name}` needs")) {
            return;
        }
        match self.missing_suffix(form, inst.modifiers.mods()) {
            // An empty set of features stands for suffixes that no option would bring.
            Some(feature) if feature.is_empty() => {
                let message = format!("`{name}` does not take this suffix");
                self.error(Code::ModifierUnsupported, span, message);
            }
            Some(feature) => drop(self.need_option(feature, span, "this suffix needs")),
            None => {}
        }
    }

    /// Conditions and absolute values in a program that has no option for them.
    pub(super) fn check_plain_syntax(&mut self, inst: &Inst, operands: &[Operand]) {
        let option = self.facts.conditions;
        // A condition stands behind the result, or is an operand of its own, as that of BRA; no instruction has both.
        let guard = inst.dst.filter(|dst| dst.guard.is_some());
        if let Some(span) = guard.map(|dst| dst.span).or(inst.cond.map(|_| inst.span)) {
            self.need_option(option, span, "conditions need");
        }
        for operand in operands {
            if operand.signs.contains(Signs::ABS) {
                self.need_option(option, operand.span, "absolute values need");
            }
        }
    }

    /// The shape of an operand that is a scalar in plain ARB programs and a vector where an option brings an NV instruction set.
    pub(super) fn scalar_or_vector(&self) -> Shape {
        match self.is_plain_arb() {
            true => Shape::Scalar,
            false => Shape::Vector,
        }
    }

    /// The result of ARL and its like.
    pub(super) fn address_result(&mut self, dst: &mut Dst) {
        let Base::Name(name) = dst.base else {
            let message = "this instruction writes address registers only";
            return self.error(Code::AddressRegister, dst.span, message);
        };
        let Some(var) = self.var_of(name, dst.span) else {
            return;
        };
        dst.base = Base::Var(var);
        let kind = self.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        if kind != VarKind::Address {
            let text = self.var_text(var);
            let message = format!("{text} is no address register");
            self.error(Code::AddressRegister, dst.span, message);
        // `<ARL_instruction>` of ARB_vertex_program section 2.14.2 has the mask in its grammar: `.x`, not even no mask.
        } else if self.is_plain_arb() && dst.mask != WriteMask::X {
            let message = "address registers have the component x only, which must be written";
            self.error(Code::AddressRegister, dst.span, message);
        }
        self.index(var, dst.index, dst.span);
    }

    /// The variable that instructions with result `CC` write. The name stays undeclared, so that nothing reads it.
    pub(super) fn codes_target(&mut self, span: Span) -> u32 {
        self.implicit(Implicit::CodesTarget, span, |_| VarKind::Temp)
    }

    /// The operand of LOOP and REP is a parameter. NV_fragment_program2 sections 3.11.X.8 and 3.11.X.9.
    pub(super) fn loop_operand(&mut self, operands: &[Operand]) {
        let Some(operand) = operands.first() else {
            return;
        };
        // What is no variable is a constant, or was reported already.
        let is_constant = self
            .program
            .var(operand.base)
            .is_none_or(|(_, var)| matches!(var.kind, VarKind::Param { .. } | VarKind::Poisoned));
        if !is_constant {
            let message = "the count of a loop is a parameter or a constant";
            self.error(Code::LoopCount, operand.span, message);
        }
    }

    /// A result without component w. NV_fragment_program_option section 3.11.5.36.
    pub(super) fn three_components(&mut self, inst: &Inst, info: &OpcodeInfo) {
        if let Some(dst) = inst.dst.filter(|dst| dst.mask.has(3)) {
            let name = info.name;
            let message = format!("{name} has no component w; write x, y and z only");
            self.lenient(Rule::ReflectionMask, dst.span, message);
        }
    }

    /// The size of a result that an instruction writes: variables bound to one result have one size. NV_fragment_program_option
    /// section 3.11.3.4.
    #[cold]
    pub(super) fn sized_result(&mut self, var: u32, span: Span) {
        let size = self.program.vars[var as usize].size;
        let semantics: Vec<Semantic> = self.attrib_semantics(var).collect();
        for semantic in semantics {
            // What was written first decides, whatever the order of the declarations.
            let first = *self.result_sizes.entry(semantic).or_insert(size);
            if first != size {
                let message = "this result is written under another size, too";
                self.error(Code::ResultSizes, span, message);
            }
        }
    }

    /// Modifiers and names of a declaration.
    pub(super) fn arb_decl(&mut self, decl: &Decl) {
        if decl.kind == DeclKind::Address && self.stage != Stage::Vertex {
            let message = "address registers belong to vertex programs";
            self.error(Code::DeclarationNotAllowed, decl.span, message);
        }
        if !decl.mods.is_empty() {
            self.arb_decl_modifiers(decl);
        }
        // TEMP and ADDRESS have a list of names, all other declarations one.
        if let Some((name, span)) = decl.name {
            self.arb_reserved_word(name, span);
            return;
        }
        for index in 0..decl.item_count {
            let item = self.ast.items[(decl.first_item + index) as usize];
            if let Item::Name(name, _, span) = item {
                self.arb_reserved_word(name, span);
            }
        }
    }

    /// SHORT and LONG. NV_fragment_program_option section 3.11.3.
    fn arb_decl_modifiers(&mut self, decl: &Decl) {
        if !self.need_option(Features::NV_FRAGMENT, decl.span, "SHORT and LONG need") {
            return;
        }
        if !matches!(decl.kind, DeclKind::Temp | DeclKind::Output) {
            let code = match decl.mods.contains(VarMods::SHORT) {
                true => Code::ShortNotAllowed,
                false => Code::LongNotAllowed,
            };
            self.error(code, decl.span, "SHORT and LONG apply to TEMP and OUTPUT");
        }
    }

    /// Names that are words of the language, as far as the options of the program go.
    fn arb_reserved_word(&mut self, name: NameId, span: Span) {
        let is_reserved = match self.leader(name) {
            // ARB_fragment_program section 3.11.2 does not list ADDRESS.
            Leader::Decl(DeclWord::Keyword(DeclKind::Address)) => self.stage == Stage::Vertex,
            Leader::Decl(DeclWord::Keyword(_)) | Leader::End | Leader::Option => true,
            // An opcode of an option is no reserved word of a program that does not have it.
            Leader::Opcode(opcode, mods) => {
                let form = opcode.info().arb.of(self.stage);
                form.is_some_and(|form| self.has_option(form.needs) && self.is_listed(form, mods))
            }
            Leader::Decl(DeclWord::Modifier(_)) | Leader::Old | Leader::Unknown | Leader::Other => {
                false
            }
        };
        if is_reserved {
            let message = format!("`{}` is a reserved word", self.name_text(name));
            self.error(Code::ReservedName, span, message);
        }
    }

    /// Whether the list of reserved words has an opcode with these suffixes: that of vertex programs has no suffixes, that of fragment
    /// programs all of them.
    fn is_listed(&self, form: Form, mods: Mods) -> bool {
        match self.stage == Stage::Vertex {
            true => mods.is_empty(),
            false => self.missing_suffix(form, mods).is_none(),
        }
    }

    /// Labels in programs without free branches and subroutines, and labels that are words of the language.
    pub(super) fn arb_label(&mut self, name: NameId, span: Span) {
        self.need_option(self.facts.labels, span, "labels need");
        self.arb_reserved_word(name, span);
    }

    /// Reports the first attribute beyond the limit. Attributes are counted as a whole: ARB_vertex_program section 2.14.3.7, ARB_fragment_program
    /// section 3.11.3.6.
    pub(super) fn check_program_attribs(&mut self, limit: usize) {
        // Facing is an attribute of NV_fragment_program2 only.
        let limit = limit + usize::from(self.has_option(Features::NV_FRAGMENT_2));
        // One attribute may be bound several times: the exact count, which costs a set, is needed only beyond the limit.
        if self.program.attribs.len() <= limit {
            return;
        }
        let spans = self.program.attribute_spans();
        if let Some(&beyond) = spans.get(limit) {
            // "Vertex attributes bound multiple times count only once".
            let count = spans.len();
            let message = format!("{count} attributes are bound; the limit is {limit}");
            self.error(Code::TooManyAttribs, beyond, message);
        }
    }
}
