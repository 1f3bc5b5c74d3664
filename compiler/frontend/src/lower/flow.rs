//! Blocks, loops, labels and calls. NV_gpu_program4 section 2.X.5, NV_vertex_program2_option
//! section 2.14.4.X, NV_vertex_program3 sections 2.14.5.34, 43 and 44.

use super::context::splat;
use super::depth::limit_depth;
use super::fog::{FogPlace, add_fog, find_fog_place};
use super::formula::Formulas;
use super::loops::{
    advance_rounds, begin_rounds, count_steps, end_rounds, find_step_bound, test_bound,
    test_rounds_done,
};
use super::tables::Rounds;
use super::{InstCx, Lowerer};
use crate::ast::Extra;
use crate::check::{Checked, IoBinding, Var, VarKind, label_of, name_of};
use crate::lang::opcodes::{FlowOp, Lower};
use crate::lang::options::Features;
use crate::line::Line;
use glasm_ir::flow::{BasicBlock, BasicBlockId, SavedLanes, TreeBuilder};
use glasm_ir::inst::Aux;
use glasm_ir::program::Routine;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::structurize::StepBound;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, Block, Builder, Cond, Dst, InstFlags, Node, Op, Output, ParamSource, Semantic, Span, Src,
    StateParam, WriteMask,
};

/// Flow control of the program up to the current line.
pub(super) struct ControlFlow<'c> {
    tree: TreeBuilder<'c>,
    block: BasicBlockId,
    /// True if the main routine returns before its end.
    main_returns: bool,
    /// See [`Source::step_limit`](crate::Source::step_limit).
    step_limit: Option<u32>,
    /// The count of executed instructions that ends loops, in programs that need one.
    bound: Option<StepBound>,
}

impl<'c> ControlFlow<'c> {
    /// Returns the flow control of a program before its first basic block.
    pub(super) fn new(
        builder: &mut Builder,
        checked: &'c Checked,
        step_limit: Option<u32>,
    ) -> Self {
        Self {
            tree: TreeBuilder::new(builder, &checked.cfg, &checked.call_graph),
            block: BasicBlockId::default(),
            main_returns: false,
            step_limit,
            bound: None,
        }
    }
}

impl ControlFlow<'_> {
    /// Lowers all basic blocks.
    pub(super) fn lower_blocks(&mut self, l: &mut Lowerer<'_>) {
        let checked = l.resources.checked;
        for (id, block) in checked.cfg.blocks() {
            self.begin_block(l, (id, block));
            for line in &checked.lines.list[block.insts()] {
                self.lower_line(l, line);
            }
        }
    }

    /// Builds the routines of the program.
    pub(super) fn finish_routines(mut self, l: &mut Lowerer<'_>) {
        // State programs have no fog and no routines: this is the end of the only one.
        l.store_params();
        let call_graph = &l.resources.checked.call_graph;
        let main_returns = self.main_returns || call_graph.group_of(call_graph.entry()).is_some();
        // Not before this point is it known if the main routine can return before its end.
        let fog = find_fog_place(l, main_returns);
        if fog == Some(FogPlace::EndOfMain) {
            l.resources.builder.open_block();
            add_fog(l);
            self.tree.set_epilogue(l.resources.builder.take_nodes());
        } else if l.resources.has_limited_depth() {
            l.resources.builder.open_block();
            // No program has fog and limits of depth: the one is enabled by options of ARB
            // programs, the other by `!!FP1.0`.
            limit_depth(l);
            l.resources.builder.program.modes.unclipped_depth = true;
            self.tree.set_epilogue(l.resources.builder.take_nodes());
        }
        self.tree.finish(l.resources.builder, self.bound);
        // `finish` builds the main routine that the new one calls.
        if fog == Some(FogPlace::AroundMain) {
            wrap_main(l, |_| {}, add_fog);
        }
        if l.resources.has_unreached_position() {
            wrap_main(l, set_initial_position, |_| {});
        }
    }

    /// Lowers an instruction.
    #[inline]
    fn lower_line(&mut self, l: &mut Lowerer<'_>, line: &Line) {
        let info = line.opcode.info();
        if let Lower::Flow(op) = info.lower {
            self.lower_flow(l, &InstCx::new(line, info), op);
        } else if !self.tree.is_dead() {
            l.lower_instruction(line, info);
            self.tree.count_step();
        }
    }

    fn begin_block(&mut self, l: &mut Lowerer<'_>, (id, block): (BasicBlockId, &BasicBlock)) {
        let name = block.label.map(|label| {
            let text = l.resources.ast.names.word(name_of(label));
            l.resources.builder.program.names.push(text)
        });
        self.block = id;
        self.tree.begin_block(l.resources.builder, id, name);
        let call_graph = &l.resources.checked.call_graph;
        if id == call_graph.entry() {
            set_initial_codes(l);
            self.bound = find_step_bound(l, self.step_limit);
            compute_invariant_position(l);
            // A branch or a call may lead back to the entry; the instructions appended above run
            // once.
            if !call_graph.is_simple() {
                self.tree.end_prologue(l.resources.builder);
            }
        }
    }

    fn lower_flow(&mut self, l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: FlowOp) {
        let line = cx.line;
        let alive = !self.tree.is_dead();
        l.begin_line(line);
        match op {
            // In unreachable code blocks are only counted, so that each ELSE and END finds its
            // block.
            FlowOp::If | FlowOp::Loop | FlowOp::Rep if !alive => self.tree.open_dead(),
            FlowOp::If => {
                let cond = l.resources.make_any_condition(line.cond);
                self.tree.begin_if(l.resources.builder, cond, line.span);
            }
            FlowOp::Else => self.tree.begin_else(l.resources.builder),
            FlowOp::EndIf => self.tree.end_if(l.resources.builder),
            FlowOp::Loop | FlowOp::Rep => self.begin_loop(l, line, op),
            FlowOp::EndLoop | FlowOp::EndRep => self.end_loop(l),
            FlowOp::Brk => {
                let cond = self.load_condition(l, line);
                self.tree.break_loop(l.resources.builder, cond, line.span);
            }
            FlowOp::Cont => {
                let cond = self.load_condition(l, line);
                self.tree
                    .continue_loop(l.resources.builder, cond, line.span);
            }
            FlowOp::Ret => {
                let cond = self.load_condition(l, line);
                // Also where the line is dead or has a condition: fog is applied around the main
                // routine then, which is always correct.
                self.main_returns |= l.resources.checked.call_graph.is_in_main(self.block);
                self.tree.ret(l.resources.builder, cond, line.span);
            }
            FlowOp::Bra => {
                let cond = self.load_condition(l, line);
                self.tree.branch(cond, line.span);
            }
            FlowOp::Cal => {
                let cond = self.load_condition(l, line);
                if let Extra::Label(label, span) = line.extra {
                    let to = (label_of(label), span);
                    self.tree.call(l.resources.builder, cond, to, line.span);
                }
            }
            FlowOp::Cali if alive => self.call_indirect(l, line),
            FlowOp::InterlockBegin | FlowOp::InterlockEnd if alive => add_interlock(l, op),
            FlowOp::Push if alive => {
                let address = (l.value(cx, 0, Type::S32), Type::S32);
                self.tree.push(l.resources.builder, address);
            }
            FlowOp::Pop if alive => {
                let address = self.tree.pop(l.resources.builder);
                l.finish(cx, Op::Mov, cx.result, &[address]);
            }
            FlowOp::Cali
            | FlowOp::InterlockBegin
            | FlowOp::InterlockEnd
            | FlowOp::Push
            | FlowOp::Pop => {}
        }
    }

    /// Lowers the condition of a jump that is reachable.
    fn load_condition(&self, l: &mut Lowerer<'_>, line: &Line) -> Option<Cond> {
        let cond = line.cond.filter(|_| !self.tree.is_dead());
        cond.map(|cond| l.resources.make_any_condition(Some(cond)))
    }

    /// Lowers LOOP and REP: each iteration begins with a test for the end of the loop.
    fn begin_loop(&mut self, l: &mut Lowerer<'_>, line: &Line, op: FlowOp) {
        let rounds = (line.source_count > 0).then(|| begin_rounds(l, line, op));
        let mut saved = Vec::new();
        // Only after a call that can lead back into the loop its registers are overwritten.
        if l.resources.checked.call_graph.groups() > 0 {
            saved.extend(rounds.iter().flat_map(Rounds::saved_lanes));
        }
        let tree = &mut self.tree;
        tree.begin_loop(l.resources.builder, saved, line.span);
        l.resources.tables.rounds.push(rounds);
        // The test is at the start of the body, so that a count of 0 runs no iteration.
        if let Some(rounds) = rounds {
            let done = test_rounds_done(l, &rounds);
            tree.break_loop(l.resources.builder, Some(done), line.span);
        }
        if let Some(bound) = self.bound {
            // This leaves the routine only, but the count is preserved: the loops of its callers
            // end at their next iteration, too.
            let beyond = test_bound(l, bound);
            tree.ret(l.resources.builder, Some(beyond), line.span);
        }
    }

    /// Lowers ENDREP and ENDLOOP.
    fn end_loop(&mut self, l: &mut Lowerer<'_>) {
        // A loop that was only counted has no iterations on the stack.
        let Some(steps) = self.tree.end_body(l.resources.builder) else {
            return;
        };
        let rounds = l.resources.tables.rounds.pop().flatten();
        let continuing = rounds.map(|rounds| {
            l.resources.builder.open_block();
            advance_rounds(l, &rounds);
            if let Some(bound) = self.bound {
                count_steps(l, bound, steps);
            }
            l.resources.builder.close_block()
        });
        self.tree.end_loop(l.resources.builder, continuing);
        if let Some(rounds) = rounds {
            end_rounds(l, &rounds);
        }
    }

    /// Lowers CALI: a switch over the numbers of the routines that the variable can name; other
    /// numbers call no routine. ARB_shader_subroutine section 2.X.8.Z.
    fn call_indirect(&mut self, l: &mut Lowerer<'_>, line: &Line) {
        let checked = l.resources.checked;
        let operand = checked.lines.source(line, 0);
        let Some((
            var,
            &Var {
                kind: VarKind::Subroutine { ty, .. },
                ..
            },
        )) = checked.variable(operand.base)
        else {
            return;
        };
        // Tested before the block is open: a condition may need instructions, which must precede
        // the branch.
        let cond = line.cond.map(|_| l.resources.make_any_condition(line.cond));
        l.resources.builder.open_block();
        let selector = l.hidden(Width::W32);
        let number = l.load_variable(var, operand.index, Type::U32);
        l.put(
            selector,
            WriteMask::X,
            Op::Mov,
            Type::U32,
            &[splat(number, 0)],
        );
        let targets = checked.routines_of(ty).iter();
        let targets = targets.map(|&(label, number)| (number, label_of(label)));
        (self.tree).call_indirect(l.resources.builder, (selector, 0), targets, line.span);
        match cond {
            None => l.resources.builder.merge_block(),
            Some(cond) => {
                let then = l.resources.builder.close_block();
                l.resources.builder.branch(cond, then, None, line.span);
            }
        }
    }
}

/// Creates a new main routine that calls the program's main routine.
fn wrap_main(
    l: &mut Lowerer<'_>,
    before: impl FnOnce(&mut Lowerer<'_>),
    behind: impl FnOnce(&mut Lowerer<'_>),
) {
    let own = l.resources.builder.program.main;
    // The routine needs its block before that is built: it is completed at the end.
    let body = l
        .resources
        .builder
        .program
        .blocks
        .push(Block { first: 0, len: 0 });
    let routine = Routine { name: None, body };
    l.resources.builder.program.main = l.resources.builder.program.routines.push(routine);
    l.resources.builder.open_block();
    before(l);
    l.resources.builder.node(Node::Call(own, Span::default()));
    behind(l);
    l.resources.builder.close_block_as(body);
}

fn set_initial_position(l: &mut Lowerer<'_>) {
    let register = l
        .resources
        .add_position_register(Output::new(Semantic::Position));
    let one = u64::from(1f32.to_bits());
    let initial = Src::new(Base::Literal(l.resources.literal_id([0, 0, 0, one])));
    (l.span, l.flags) = (Span::default(), InstFlags::empty());
    l.put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[initial]);
}

/// Initializes the condition codes of ARB programs to EQ. NV_vertex_program2_option section
/// 2.14.3.X, NV_fragment_program_option section 3.11.3.X.
fn set_initial_codes(l: &mut Lowerer<'_>) {
    let features = l.resources.checked.features;
    if !features.intersects(Features::NV_OPTIONS) {
        return;
    }
    // Only NV_vertex_program3 has a second register. Section 2.14.3.X.
    let count = 1 + u8::from(features.contains(Features::NV_VERTEX_3));
    for number in 0..count {
        let (zero, unused) = (l.float(0.0), l.hidden(Width::W32));
        let dst = Dst {
            cc: Some(l.resources.get_condition_code(number)),
            ..Dst::new(unused, WriteMask::XYZW)
        };
        l.inst(Op::Mov, Type::F32, Some(dst), Aux::None, &[zero]);
    }
}

/// Computes clip coordinates for OPTION ARB_position_invariant as without a program: the products
/// of each row of the modelview-projection matrix and the position are rounded one by one, and added
/// from left to right, each sum rounded. NV_vertex_program4 section 2.X.6.
fn compute_invariant_position(l: &mut Lowerer<'_>) {
    if !l
        .resources
        .checked
        .features
        .contains(Features::POSITION_INVARIANT)
    {
        return;
    }
    // vertex.position is the same as vertex.attrib[0]. ARB_vertex_program table X.2.
    let binding = IoBinding::float(Semantic::Attrib(0));
    let vertex = Src::new(Base::Input(l.resources.get_input(
        binding,
        TypeBase::Float,
        Width::W32,
    )));
    let register = l.resources.add_position_register(Output {
        invariant: true,
        ..Output::new(Semantic::Position)
    });
    l.flags = InstFlags::PRECISE;
    for row in 0..4 {
        let (matrix, form) = (MatrixName::Mvp, MatrixForm::Plain);
        let source = ParamSource::State(StateParam::MatrixRow { matrix, form, row });
        let row_source = Src::new(Base::Param(l.resources.get_param(source)));
        l.put(
            register,
            WriteMask(1 << row),
            Op::Dp4,
            Type::F32,
            &[row_source, vertex],
        );
    }
    l.flags = InstFlags::empty();
}

/// Adds FSIB or FSIE.
fn add_interlock(l: &mut Lowerer<'_>, op: FlowOp) {
    let op = if op == FlowOp::InterlockBegin {
        Op::InterlockBegin
    } else {
        Op::InterlockEnd
    };
    l.inst(op, Type::U32, None, Aux::None, &[]);
}

impl Rounds {
    /// Returns the lanes that a call in the loop, which may run the loop again, saves.
    fn saved_lanes(&self) -> impl Iterator<Item = SavedLanes> + use<> {
        let saved = |register, lanes, ty| SavedLanes {
            register,
            lanes,
            ty,
        };
        let count = saved(self.count, WriteMask::X, self.ty);
        let index = self.index.map(|index| {
            [
                saved(index.register, WriteMask(0b0011), Type::S32),
                saved(index.address, WriteMask::X, Type::S32),
            ]
        });
        [count].into_iter().chain(index.into_iter().flatten())
    }
}
