//! Indices of operands and results: constants, address registers, variables, vertices.

use crate::ast::{DynamicIndex, Index, Inst, Operand, OperandBase, Signs, SuffixKind};
use crate::check::context::RuleCx;
use crate::check::operands::context::OperandRules;
use crate::check::program::CheckedProgram;
use crate::codes::{Code, LenientRule};
use crate::lang::options::Features;
use crate::lang::register::Registers;
use crate::variables::VarKind;
use glasm_ir::{CondTest, Span, Stage, WriteMask};

impl OperandRules<'_, '_> {
    /// Checks an index, or its absence, against the variable, and reports violations. Resolves
    /// dynamic indices, and records that the variable has one. NV_gpu_program4 section 2.X.4.2.
    pub(crate) fn check_index(&mut self, var: u32, index: Index, span: Span) {
        // Most variables have no elements and no index.
        if index != Index::None || self.resolver.program.vars[var as usize].has_elements() {
            self.check_element(var, index, span);
        }
    }

    /// Checks the index of an operand against the elements of its variable, also that there is one
    /// if the variable needs it, and reports violations. For a variable whose binding contains the
    /// index, only the use of that is checked.
    fn check_element(&mut self, var: u32, index: Index, span: Span) {
        let info = &self.resolver.program.vars[var as usize];
        let array = info.array_size;
        if info.is_indexed_by_vertex {
            // Before all others: `array` counts the elements of each vertex here.
            return self.check_vertex_index((var, array), index, span);
        }
        if let VarKind::Buffer(view) = info.kind
            && let Some(sizes) = view.two_index_sizes()
        {
            return self.check_two_indices(var, sizes, index, span);
        }
        // The relative index of such a variable is part of its binding; its name has no second one.
        let array = match (info.relative_element, index) {
            (Some(relative), Index::None) => {
                return self.resolver.check_loop_index_use(relative, span);
            }
            (Some(_), _) => None,
            (None, _) => array,
        };
        match (array, index, self.resolver.cx.traits.registers) {
            (None, Index::None, _) => {}
            (Some(count), Index::Const(number), _) if number < count => {}
            // Register files have separate messages: their elements are registers, not members of
            // an array.
            (Some(count), _, Some(registers)) => {
                self.check_register_index(registers, (var, count), index, span);
            }
            (Some(count), Index::Const(number), None) => {
                self.report_out_of_bounds(var, number, count, span);
            }
            (Some(count), Index::Relative(relative), None) => {
                self.check_relative_index(var, count, relative)
            }
            (None, _, _) | (Some(_), Index::None | Index::Pair(_), None) => {
                self.report_index_count(var, array, index, span);
            }
        }
    }

    /// Reports an index of a variable that is not an array, and an array without index or with two.
    /// `array` is the number of elements, `None` for other variables.
    #[cold]
    fn report_index_count(&mut self, var: u32, array: Option<u32>, index: Index, span: Span) {
        let text = self.resolver.display_var(var);
        let (code, message) = match (array, index) {
            (None, _) => (Code::IndexOnScalar, format!("{text} is not an array")),
            (Some(_), Index::None) => {
                let message = format!("{text} is an array and needs an index");
                (Code::ArrayNeedsIndex, message)
            }
            (Some(_), _) => (Code::IndexOnScalar, format!("{text} has one index")),
        };
        self.resolver.cx.report_error(code, span, message);
    }

    /// Checks a dynamic index into an array of `count` elements, resolves it, and records that the
    /// variable has one, if that requires contiguous elements. Reports violations.
    pub(crate) fn check_relative_index(&mut self, var: u32, count: u32, relative: u32) {
        // One dynamic index anywhere makes all elements contiguous, also for accesses with constant
        // indices.
        self.resolver.program.vars[var as usize].has_relative_access =
            self.resolver.program.needs_contiguous_elements(var);
        // In these languages an address register is the index, so that its component and its offset
        // have separate rules.
        if self.resolver.cx.traits.address_registers {
            self.resolver.check_address_index(relative);
            // After the other checks, which resolve the variable of the index.
            return self.resolver.check_no_loop_index(relative);
        }
        self.check_run_time_index(count, relative);
    }

    /// Checks the offset and the variable of a dynamic index among `count` elements, and resolves
    /// the variable. Reports an offset out of bounds and a variable that cannot be an index.
    pub(crate) fn check_run_time_index(&mut self, count: u32, relative: u32) {
        let info = self.resolver.cx.ast.relative_indices[relative as usize];
        // Other offsets need an ADD before. NV_gpu_program4 section 2.X.4.2.
        if info.offset < 0 || info.offset >= i64::from(count) {
            let message = format!("the offset {} is not in 0 to {}", info.offset, count - 1);
            self.resolver
                .cx
                .report_error(Code::IndexOffset, info.span, message);
        }
        let Some((index, lane)) = self.check_index_component(info) else {
            return;
        };
        if self.resolver.program.vars[index as usize].can_be_index() {
            let entry = &mut self.resolver.cx.ast.relative_indices[relative as usize];
            (entry.base, entry.lane) = (OperandBase::Var(index), lane);
        } else if self.resolver.program.vars[index as usize].kind != VarKind::Poisoned {
            let text = self.resolver.display_var(index);
            let message = format!(
                "{text} cannot be an index; use a component of an integer variable that is not an array"
            );
            self.resolver
                .cx
                .report_error(Code::IndexVariable, info.span, message);
        }
    }

    /// Returns the variable of a dynamic index and its component, x if none is written; `None`
    /// after a reported error.
    pub(crate) fn check_index_component(&mut self, info: DynamicIndex) -> Option<(u32, u8)> {
        match info.base {
            OperandBase::Name(name) => {
                Some((self.resolver.resolve_name(name, info.span)?, info.lane))
            }
            // A path that is an index has only numbers in its brackets, which the parser ensures:
            // this does not call itself.
            OperandBase::Path(path) => {
                let (var, suffix) = self.resolver.resolve_operand_path(path)?;
                match suffix.kind() {
                    SuffixKind::Component(lane) => Some((var, lane)),
                    // As after a name: a missing component denotes x.
                    SuffixKind::None => Some((var, 0)),
                    SuffixKind::Swizzle => {
                        self.resolver.cx.report_error(
                            Code::ScalarSuffix,
                            info.span,
                            "an index is one component",
                        );
                        None
                    }
                }
            }
            OperandBase::Var(var) => Some((var, info.lane)),
            OperandBase::Scalar(_) | OperandBase::Vector { .. } => None,
        }
    }

    /// Checks an index of an array of registers: reports one that is out of range or missing, and
    /// checks one that is computed at run time.
    pub(crate) fn check_register_index(
        &mut self,
        registers: &Registers,
        (var, count): (u32, u32),
        index: Index,
        operand: Span,
    ) {
        let (span, text) = (
            self.resolver.cx.register_span(operand),
            self.resolver.display_var(var),
        );
        match index {
            Index::Relative(relative) => {
                self.check_relative_index(var, count, relative);
                check_invariant_index(&mut self.resolver.cx, registers, span);
            }
            Index::Const(number) if number >= count => {
                let message =
                    format!("number {number} is out of range: {text} has {count} registers");
                self.resolver
                    .cx
                    .report_error(Code::BindingRange, span, message);
            }
            Index::Const(_) => {}
            Index::None | Index::Pair(_) => {
                let message = format!("{text} needs one number in brackets");
                self.resolver
                    .cx
                    .report_error(Code::ArrayNeedsIndex, span, message);
            }
        }
    }

    /// Checks that a variable over several binding points has two indices, for binding point and
    /// element, each within its size of `sizes`, and reports violations.
    pub(crate) fn check_two_indices(
        &mut self,
        var: u32,
        sizes: [u32; 2],
        index: Index,
        span: Span,
    ) {
        let Index::Pair(pair) = index else {
            let text = self.resolver.display_var(var);
            let message = format!("{text} needs two indices: binding point and element");
            return self
                .resolver
                .cx
                .report_error(Code::ArrayNeedsIndex, span, message);
        };
        let pair = self.resolver.cx.ast.index_pairs[pair as usize];
        // Binding point first, element second, each against its own size.
        for (index, count) in pair.into_iter().zip(sizes) {
            match index {
                Index::Relative(relative) => self.check_relative_index(var, count, relative),
                Index::Const(number) if number >= count => {
                    self.report_out_of_bounds(var, number, count, span);
                }
                Index::Const(_) | Index::None | Index::Pair(_) => {}
            }
        }
    }

    /// Reports the constant index `number` beyond the `count` elements of an array.
    #[cold]
    fn report_out_of_bounds(&mut self, var: u32, number: u32, count: u32, span: Span) {
        let text = self.resolver.display_var(var);
        let message = format!("index {number} is out of bounds: {text} has {count} elements");
        self.resolver
            .cx
            .report_error(Code::IndexOutOfBounds, span, message);
    }

    /// Checks the index of a variable whose first index is the number of a vertex and whose second
    /// one, if it is an array, that of an element; reports violations. Constant numbers of vertices
    /// are checked in geometry programs only.
    pub(crate) fn check_vertex_index(
        &mut self,
        (var, array): (u32, Option<u32>),
        index: Index,
        span: Span,
    ) {
        let (vertex, element) = match (index, array) {
            (Index::Pair(pair), Some(count)) => {
                let [vertex, element] = self.resolver.cx.ast.index_pairs[pair as usize];
                (vertex, Some((element, count)))
            }
            // A single attribute of each vertex: its one index is that of the vertex.
            (Index::Const(_) | Index::Relative(_), None) => (index, None),
            (Index::None | Index::Pair(_), None)
            | (Index::None | Index::Const(_) | Index::Relative(_), Some(_)) => {
                return self.report_wrong_indices((var, array), index, span);
            }
        };
        let side = self.resolver.program.find_direction(var);
        match vertex {
            Index::Relative(relative) => {
                let vertices = self.resolver.count_vertices_before(side, span);
                self.check_run_time_index(vertices, relative);
            }
            // In patches such a vertex is undefined. NV_tessellation_program5 section 2.X.3.2.
            Index::Const(number) if self.resolver.cx.stage == Stage::Geometry => {
                self.resolver.check_vertex_number(side, number, span);
            }
            Index::Const(_) | Index::None | Index::Pair(_) => {}
        }
        match element {
            Some((Index::Relative(relative), count)) => {
                self.check_relative_index(var, count, relative)
            }
            Some((Index::Const(number), count)) if number >= count => {
                self.report_out_of_bounds(var, number, count, span);
            }
            Some(_) | None => {}
        }
    }

    /// Reports a per-vertex variable with too few or too many indices.
    #[cold]
    pub(crate) fn report_wrong_indices(
        &mut self,
        (var, array): (u32, Option<u32>),
        index: Index,
        span: Span,
    ) {
        let text = self.resolver.display_var(var);
        let (code, message) = match (array, index) {
            (Some(_), _) => (
                Code::ArrayNeedsIndex,
                format!("{text} needs two indices: vertex and element"),
            ),
            (None, Index::Pair(_)) => (
                Code::IndexOnScalar,
                format!("{text} has one index, the number of a vertex"),
            ),
            (None, Index::None | Index::Const(_) | Index::Relative(_)) => (
                Code::ArrayNeedsIndex,
                format!("{text} needs an index, the number of a vertex"),
            ),
        };
        self.resolver.cx.report_error(code, span, message);
    }
}

/// Reports, by a lenient rule, a dynamic index in a position-invariant program of version 1.1.
/// NV_vertex_program2 section 2.14.6.1.
pub(crate) fn check_invariant_index(cx: &mut RuleCx<'_>, registers: &Registers, span: Span) {
    if cx.has_option(Features::POSITION_INVARIANT) && !registers.has_full_addresses {
        let message = "a position-invariant program has no parameters with a run-time index";
        cx.report_lenient(LenientRule::InvariantIndex, span, message);
    }
}

/// Reports a POPA that does not write all components; by a lenient rule, one with a condition.
/// NV_vertex_program3 section 2.14.5.43.
pub(crate) fn check_address_mask(cx: &mut RuleCx<'_>, inst: &Inst) {
    let Some(dst) = inst.dst else { return };
    // The section requires the test TR: a guard that is written with it has no effect.
    let always = dst
        .guard
        .is_none_or(|guard| guard.test.test == CondTest::True);
    let message = "POPA writes all components of an address register";
    if dst.mask != WriteMask::XYZW {
        cx.report_error(Code::AddressRegister, dst.span, message);
    // The section refuses this, but drivers load it: the flow of control is unchanged, only the
    // write is guarded.
    } else if !always {
        cx.report_lenient(LenientRule::GuardedPop, dst.span, message);
    }
}

/// Reports an operand that is not an address register as a whole, without suffix and sign.
pub(crate) fn check_address_operand(
    cx: &mut RuleCx<'_>,
    program: &CheckedProgram,
    operand: &Operand,
    var: u32,
) {
    let kind = program.vars[var as usize].kind;
    // ARA and PUSHA take the whole register: `<instOperandAddrVNS>` of NV_vertex_program2_option
    // section 2.14.2 has neither swizzle nor sign.
    let bare = operand.suffix.kind() == SuffixKind::None && operand.signs == Signs::empty();
    if kind != VarKind::Address && kind != VarKind::Poisoned || !bare {
        let message = "an address register without suffix and sign is expected";
        cx.report_error(Code::AddressRegister, operand.span, message);
    }
}
