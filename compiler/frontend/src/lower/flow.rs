//! Blocks, loops, labels and calls. NV_gpu_program4 section 2.X.5, NV_vertex_program2_option
//! section 2.14.4.X, NV_vertex_program3 sections 2.14.5.34, 43 and 44.

use super::fragment::discard_out_of_range_depth;
use super::fragment::{FogInsertion, add_fog, find_fog_insertion};
use super::ir_map::LoopCounter;
use super::loop_counter::{
    add_step_bound_if_needed, advance_loop_counter, begin_counted_loop, count_steps,
    end_counted_loop, test_loop_counter_done, test_step_bound,
};
use super::op_builder::OpBuilder;
use super::splat;
use super::{InstContext, Lowerer};
use crate::ast::ExtraPart;
use crate::check::{CheckedProgram, IoBinding, Var, VarKind, label_from_name, name_from_label};
use crate::lang::opcodes::{FlowOp, Translation};
use crate::lang::options::Features;
use crate::resolved_inst::ResolvedInst;
use glasm_ir::cfg::{BasicBlock, BasicBlockId, SavedLanes, TreeBuilder};
use glasm_ir::inst::InstData;
use glasm_ir::program::Routine;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::structurize::StepBound;
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    Block, Builder, Cond, Dst, InstFlags, Node, Op, OperandBase, Output, ParamSource, Semantic,
    Span, Src, StateParam, WriteMask,
};

/// Flow control of the program up to the current instruction.
pub(super) struct ControlFlow<'c> {
    tree: TreeBuilder<'c>,
    current_block: BasicBlockId,
    /// True if the main routine returns before its end.
    main_returns: bool,
    /// See [`Source::step_limit`](crate::Source::step_limit).
    step_limit: Option<u32>,
    /// The count of executed instructions that ends loops, in programs that need one.
    step_bound: Option<StepBound>,
}

impl<'c> ControlFlow<'c> {
    /// Returns the state of the lowering of control flow before the first basic block. `step_limit`
    /// bounds the instructions that the loops of a program run, `None` if they are not bounded.
    pub(super) fn new(
        builder: &mut Builder,
        checked: &'c CheckedProgram,
        step_limit: Option<u32>,
    ) -> Self {
        Self {
            tree: TreeBuilder::new(builder, &checked.cfg, &checked.call_graph),
            current_block: BasicBlockId::default(),
            main_returns: false,
            step_limit,
            step_bound: None,
        }
    }
}

impl ControlFlow<'_> {
    /// Lowers all basic blocks of the control-flow graph, in source order, into nodes of the tree;
    /// [`build_routines`](Self::build_routines) must follow.
    pub(super) fn lower_blocks(&mut self, l: &mut Lowerer<'_>) {
        let checked = l.resources.checked;
        for (id, block) in checked.cfg.blocks() {
            self.begin_block(l, (id, block));
            for line in &checked.insts.insts[block.insts()] {
                self.lower_inst(l, line);
            }
        }
    }

    /// Builds the routines of the program from the tree, and appends fog, the test of the depth
    /// range and the initial position where the program needs them. Sets the main routine, and the
    /// mode `unclipped_depth` if fragments are discarded by that test.
    pub(super) fn build_routines(mut self, lowerer: &mut Lowerer<'_>) {
        // State programs have no fog and no routines: this is the end of the only one.
        lowerer.store_params();
        let call_graph = &lowerer.resources.checked.call_graph;
        let main_returns = self.main_returns || call_graph.find_group(call_graph.entry()).is_some();
        // Not before this point is it known if the main routine can return before its end.
        let fog = find_fog_insertion(lowerer, main_returns);
        if fog == Some(FogInsertion::EndOfMain) {
            lowerer.resources.builder.open_block();
            add_fog(lowerer);
            self.tree
                .set_epilogue(lowerer.resources.builder.take_nodes());
        } else if lowerer.resources.discards_out_of_range_depth() {
            lowerer.resources.builder.open_block();
            // No program has fog and limits of depth: the one is enabled by options of ARB
            // programs, the other by `!!FP1.0`.
            discard_out_of_range_depth(lowerer);
            lowerer.resources.builder.program.modes.unclipped_depth = true;
            self.tree
                .set_epilogue(lowerer.resources.builder.take_nodes());
        }
        self.tree
            .build_routines(lowerer.resources.builder, self.step_bound);
        // `finish` builds the main routine that the new one calls.
        if fog == Some(FogInsertion::AroundMain) {
            wrap_main(lowerer, |_| {}, add_fog);
        }
        if lowerer.resources.has_unwritten_position() {
            wrap_main(lowerer, set_initial_position, |_| {});
        }
    }

    /// Lowers an instruction and counts it for the limit of steps. Does nothing if it is
    /// unreachable, unless it is flow control: blocks must be balanced there, too.
    fn lower_inst(&mut self, l: &mut Lowerer<'_>, line: &ResolvedInst) {
        let info = line.opcode.info();
        if let Translation::Flow(op) = info.lower {
            self.lower_flow(l, &InstContext::new(line, info), op);
        } else if !self.tree.is_dead() {
            l.lower_non_flow_inst(line, info);
            self.tree.count_step();
        }
    }

    /// Begins a basic block in the tree. In the entry block it first initializes condition codes,
    /// the bound on loop iterations and the invariant position, which run once.
    fn begin_block(&mut self, lowerer: &mut Lowerer<'_>, (id, block): (BasicBlockId, &BasicBlock)) {
        let name = block.label.map(|label| {
            let text = lowerer.resources.ast.names.as_str(name_from_label(label));
            lowerer.resources.builder.program.names.push(text)
        });
        self.current_block = id;
        self.tree.begin_block(lowerer.resources.builder, id, name);
        let call_graph = &lowerer.resources.checked.call_graph;
        if id == call_graph.entry() {
            set_initial_condition_codes(lowerer);
            self.step_bound = add_step_bound_if_needed(lowerer, self.step_limit);
            compute_invariant_position(lowerer);
            // A branch or a call may lead back to the entry; the instructions appended above run
            // once.
            if !call_graph.is_simple() {
                self.tree.end_prologue(lowerer.resources.builder);
            }
        }
    }

    /// Lowers an instruction of flow control to nodes of the tree, and records returns from the
    /// main routine. In unreachable code only the nesting of blocks is tracked.
    #[expect(
        clippy::too_many_lines,
        reason = "an arm for each instruction of flow control"
    )]
    fn lower_flow(&mut self, lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, op: FlowOp) {
        let line = cx.inst;
        let alive = !self.tree.is_dead();
        lowerer.begin_inst(line);
        match op {
            // In unreachable code blocks are only counted, so that each ELSE and END finds its
            // block.
            FlowOp::If | FlowOp::Loop | FlowOp::Rep if !alive => self.tree.open_dead_scope(),
            FlowOp::If => {
                let cond = lowerer.resources.make_any_condition(line.cond);
                self.tree
                    .begin_if(lowerer.resources.builder, cond, line.span);
            }
            FlowOp::Else => self.tree.begin_else(lowerer.resources.builder),
            FlowOp::EndIf => self.tree.end_if(lowerer.resources.builder),
            FlowOp::Loop | FlowOp::Rep => self.begin_loop(lowerer, line, op),
            FlowOp::EndLoop | FlowOp::EndRep => self.end_loop(lowerer),
            FlowOp::Brk => {
                let cond = self.load_condition(lowerer, line);
                self.tree
                    .emit_break(lowerer.resources.builder, cond, line.span);
            }
            FlowOp::Cont => {
                let cond = self.load_condition(lowerer, line);
                self.tree
                    .emit_continue(lowerer.resources.builder, cond, line.span);
            }
            FlowOp::Ret => {
                let cond = self.load_condition(lowerer, line);
                // Also where the instruction is dead or has a condition: fog is applied around
                // the main routine then, which is always correct.
                self.main_returns |= lowerer
                    .resources
                    .checked
                    .call_graph
                    .is_in_main(self.current_block);
                self.tree
                    .emit_return(lowerer.resources.builder, cond, line.span);
            }
            FlowOp::Bra => {
                let cond = self.load_condition(lowerer, line);
                self.tree.set_branch_condition(cond, line.span);
            }
            FlowOp::Cal => {
                let cond = self.load_condition(lowerer, line);
                if let ExtraPart::Label(label, span) = line.extra {
                    let to = (label_from_name(label), span);
                    self.tree
                        .emit_call(lowerer.resources.builder, cond, to, line.span);
                }
            }
            FlowOp::Cali if alive => self.call_indirect(lowerer, line),
            FlowOp::InterlockBegin | FlowOp::InterlockEnd if alive => add_interlock(lowerer, op),
            FlowOp::Push if alive => {
                let address = (lowerer.load_source(cx, 0, Type::S32), Type::S32);
                self.tree.emit_push(lowerer.resources.builder, address);
            }
            FlowOp::Pop if alive => {
                let address = self.tree.emit_pop(lowerer.resources.builder);
                lowerer.emit_result(cx, Op::Mov, cx.types.result, &[address]);
            }
            FlowOp::Cali
            | FlowOp::InterlockBegin
            | FlowOp::InterlockEnd
            | FlowOp::Push
            | FlowOp::Pop => {}
        }
    }

    /// Returns the condition of a jump; `None` if the jump is unconditional or unreachable. The
    /// first use of a condition-code register adds it to the program.
    fn load_condition(&self, l: &mut Lowerer<'_>, line: &ResolvedInst) -> Option<Cond> {
        let cond = line.cond.filter(|_| !self.tree.is_dead());
        cond.map(|cond| l.resources.make_any_condition(Some(cond)))
    }

    /// Lowers LOOP and REP: opens the loop, whose iterations begin with tests for its count and for
    /// the limit of steps, if it has one. Pushes the loop counter, `None` without a count, until
    /// [`end_loop`](Self::end_loop).
    fn begin_loop(&mut self, lowerer: &mut Lowerer<'_>, line: &ResolvedInst, op: FlowOp) {
        let counter = (line.source_count > 0).then(|| begin_counted_loop(lowerer, line, op));
        let mut saved = Vec::new();
        // Only after a call that can lead back into the loop its registers are overwritten.
        if lowerer.resources.checked.call_graph.group_count() > 0 {
            saved.extend(counter.iter().flat_map(LoopCounter::saved_lanes));
        }
        let tree = &mut self.tree;
        tree.begin_loop(lowerer.resources.builder, saved, line.span);
        lowerer.resources.ir_map.loop_counters.push(counter);
        // The test is at the start of the body, so that a count of 0 runs no iteration.
        if let Some(counter) = counter {
            let done = test_loop_counter_done(lowerer, &counter);
            tree.emit_break(lowerer.resources.builder, Some(done), line.span);
        }
        if let Some(bound) = self.step_bound {
            // This leaves the routine only, but the count is preserved: the loops of its callers
            // end at their next iteration, too.
            let is_exceeded = test_step_bound(lowerer, bound);
            tree.emit_return(lowerer.resources.builder, Some(is_exceeded), line.span);
        }
    }

    /// Lowers ENDREP and ENDLOOP: pops and advances the loop counter, counts steps, and closes the
    /// loop. In unreachable code only the nesting is closed.
    fn end_loop(&mut self, lowerer: &mut Lowerer<'_>) {
        // A loop that was only counted has no iterations on the stack.
        let Some(steps) = self.tree.end_loop_body(lowerer.resources.builder) else {
            return;
        };
        let counter = lowerer.resources.ir_map.loop_counters.pop().flatten();
        let continuing = counter.map(|counter| {
            lowerer.resources.builder.open_block();
            advance_loop_counter(lowerer, &counter);
            if let Some(bound) = self.step_bound {
                count_steps(lowerer, bound, steps);
            }
            lowerer.resources.builder.close_block()
        });
        self.tree.end_loop(lowerer.resources.builder, continuing);
        if let Some(counter) = counter {
            end_counted_loop(lowerer, &counter);
        }
    }

    /// Lowers CALI: a switch over the numbers of the routines that the variable can name, within a
    /// branch if the call has a condition; other numbers call no routine. ARB_shader_subroutine
    /// section 2.X.8.Z.
    fn call_indirect(&mut self, lowerer: &mut Lowerer<'_>, line: &ResolvedInst) {
        let checked = lowerer.resources.checked;
        let operand = checked.insts.source(line, 0);
        let Some((
            var,
            &Var {
                kind: VarKind::Subroutine { ty, .. },
                ..
            },
        )) = checked.find_value_var(operand.base)
        else {
            return;
        };
        // Tested before the block is open: a condition may need instructions, which must precede
        // the branch.
        let cond = line
            .cond
            .map(|_| lowerer.resources.make_any_condition(line.cond));
        lowerer.resources.builder.open_block();
        let selector = lowerer.alloc_hidden(Width::W32);
        let number = lowerer.load_variable(var, operand.index, Type::U32);
        lowerer.emit_to_register(
            selector,
            WriteMask::X,
            Op::Mov,
            Type::U32,
            &[splat(number, 0)],
        );
        let targets = checked.find_type_routines(ty).iter();
        let targets = targets.map(|&(label, number)| (number, label_from_name(label)));
        (self.tree).emit_indirect_call(
            lowerer.resources.builder,
            (selector, 0),
            targets,
            line.span,
        );
        match cond {
            None => lowerer.resources.builder.merge_block(),
            Some(cond) => {
                let then = lowerer.resources.builder.close_block();
                lowerer
                    .resources
                    .builder
                    .push_branch(cond, then, None, line.span);
            }
        }
    }
}

/// Creates a new main routine that runs `before`, calls the program's current main routine and runs
/// `after`; both append instructions to the open block.
fn wrap_main(
    lowerer: &mut Lowerer<'_>,
    before: impl FnOnce(&mut Lowerer<'_>),
    after: impl FnOnce(&mut Lowerer<'_>),
) {
    let program_main = lowerer.resources.builder.program.main;
    // The routine needs its block before that is built: it is completed at the end.
    let body = lowerer
        .resources
        .builder
        .program
        .blocks
        .push(Block { first: 0, len: 0 });
    let routine = Routine { name: None, body };
    lowerer.resources.builder.program.main =
        lowerer.resources.builder.program.routines.push(routine);
    lowerer.resources.builder.open_block();
    before(lowerer);
    lowerer
        .resources
        .builder
        .push_node(Node::Call(program_main, Span::default()));
    after(lowerer);
    lowerer.resources.builder.close_block_as(body);
}

/// Appends instructions that set the output position, which the program may leave unwritten, to (0,
/// 0, 0, 1). Adds the output.
fn set_initial_position(l: &mut Lowerer<'_>) {
    let register = l
        .resources
        .add_position_register(Output::new(Semantic::Position));
    let one = u64::from(1f32.to_bits());
    let initial = Src::new(OperandBase::Literal(
        l.resources.intern_literal([0, 0, 0, one]),
    ));
    (l.span, l.flags) = (Span::default(), InstFlags::empty());
    l.emit_to_register(register, WriteMask::XYZW, Op::Mov, Type::F32, &[initial]);
}

/// Appends instructions that initialize the condition codes of ARB programs to EQ, by a move of 0.
/// Does nothing in programs without an NV option, which have none, and in other languages.
/// NV_vertex_program2_option section 2.14.3.X, NV_fragment_program_option section 3.11.3.X.
fn set_initial_condition_codes(lowerer: &mut Lowerer<'_>) {
    let features = lowerer.resources.checked.features;
    if !features.intersects(Features::NV_OPTIONS) {
        return;
    }
    // Only NV_vertex_program3 has a second register. Section 2.14.3.X.
    let count = 1 + u8::from(features.contains(Features::NV_VERTEX_3));
    for number in 0..count {
        let (zero, unused) = (lowerer.splat_float(0.0), lowerer.alloc_hidden(Width::W32));
        let dst = Dst {
            cc: Some(lowerer.resources.get_condition_code(number)),
            ..Dst::new(unused, WriteMask::XYZW)
        };
        lowerer.emit_inst(Op::Mov, Type::F32, Some(dst), InstData::None, &[zero]);
    }
}

/// Appends instructions that compute clip coordinates for OPTION ARB_position_invariant as without
/// a program: the products of each row of the modelview-projection matrix and the position are
/// rounded one by one, and added from left to right, each sum rounded. Adds the invariant output
/// position; does nothing without the option. NV_vertex_program4 section 2.X.6.
fn compute_invariant_position(lowerer: &mut Lowerer<'_>) {
    if !lowerer
        .resources
        .checked
        .features
        .contains(Features::POSITION_INVARIANT)
    {
        return;
    }
    // vertex.position is the same as vertex.attrib[0]. ARB_vertex_program table X.2.
    let binding = IoBinding::new_float(Semantic::VertexAttribute(0));
    let vertex = Src::new(OperandBase::Input(lowerer.resources.get_input(
        binding,
        BaseType::Float,
        Width::W32,
    )));
    let register = lowerer.resources.add_position_register(Output {
        invariant: true,
        ..Output::new(Semantic::Position)
    });
    lowerer.flags = InstFlags::PRECISE;
    for row in 0..4 {
        let (matrix, form) = (MatrixName::ModelviewProjection, MatrixForm::Plain);
        let source = ParamSource::State(StateParam::MatrixRow { matrix, form, row });
        let row_source = Src::new(OperandBase::Param(lowerer.resources.get_param(source)));
        lowerer.emit_to_register(
            register,
            WriteMask(1 << row),
            Op::Dp4,
            Type::F32,
            &[row_source, vertex],
        );
    }
    lowerer.flags = InstFlags::empty();
}

/// Lowers FSIB and FSIE, which begin and end the fragment shader interlock.
fn add_interlock(l: &mut Lowerer<'_>, op: FlowOp) {
    let op = if op == FlowOp::InterlockBegin {
        Op::InterlockBegin
    } else {
        Op::InterlockEnd
    };
    l.emit_inst(op, Type::U32, None, InstData::None, &[]);
}

impl LoopCounter {
    /// Returns the lanes of the counter's registers that a call in the loop, which may run the loop
    /// again, must save and restore.
    fn saved_lanes(&self) -> impl Iterator<Item = SavedLanes> + use<> {
        let saved = |register, lanes, ty| SavedLanes {
            register,
            lanes,
            ty,
        };
        let count = saved(self.count, WriteMask::X, self.ty);
        let index = self.index.map(|index| {
            [
                saved(index.index_register, WriteMask(0b0011), Type::S32),
                saved(index.address_register, WriteMask::X, Type::S32),
            ]
        });
        [count].into_iter().chain(index.into_iter().flatten())
    }
}
