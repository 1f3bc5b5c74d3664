//! Blocks, loops, labels and calls. NV_gpu_program4 section 2.X.5, NV_vertex_program2_option section 2.14.4.X, NV_vertex_program3
//! sections 2.14.5.34, 43 and 44.

use super::context::splat;
use super::fog::FogPlace;
use super::formula::Formulas;
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
    Base, Block, Builder, Cond, Dst, InstFlags, Node, Op, Output, ParamSource, Register,
    RegisterId, Semantic, Span, Src, Stage, StateParam, Storage, WriteMask,
};

/// Flow control of the program so far.
pub(super) struct ControlFlow<'c> {
    tree: TreeBuilder<'c>,
    block: BasicBlockId,
    /// Whether the main routine returns before its end.
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

impl Lowerer<'_> {
    /// Lowers all basic blocks.
    pub(super) fn lower_blocks(&mut self, flow: &mut ControlFlow<'_>) {
        let checked = self.checked;
        for (id, block) in checked.cfg.blocks() {
            self.begin_block(flow, (id, block));
            for line in &checked.lines.list[block.insts()] {
                self.line(flow, line);
            }
        }
    }

    /// Makes the routines of the program.
    pub(super) fn finish_routines(&mut self, mut flow: ControlFlow<'_>) {
        // State programs have no fog and no routines: this is the end of the only one.
        self.store_params();
        let call_graph = &self.checked.call_graph;
        let main_returns = flow.main_returns || call_graph.group_of(call_graph.entry()).is_some();
        // Only now is it known whether the main routine can return before its end.
        let fog = self.fog_place(main_returns);
        if fog == Some(FogPlace::EndOfMain) {
            self.builder.open_block();
            self.fog();
            flow.tree.set_epilogue(self.builder.take_nodes());
        } else if self.limits_depth() {
            self.builder.open_block();
            // No program has fog and limits of depth: the one comes with options of ARB programs, the other with `!!FP1.0`.
            self.depth_limits();
            self.builder.program.modes.unclipped_depth = true;
            flow.tree.set_epilogue(self.builder.take_nodes());
        }
        flow.tree.finish(self.builder, flow.bound);
        // `finish` makes the main routine that the new one calls.
        if fog == Some(FogPlace::AroundMain) {
            self.wrap_main(|_| {}, Self::fog);
        }
        if self.has_unreached_position() {
            self.wrap_main(Self::initial_position, |_| {});
        }
    }

    /// A new main routine that calls the program's own.
    fn wrap_main(&mut self, before: impl FnOnce(&mut Self), behind: impl FnOnce(&mut Self)) {
        let own = self.builder.program.main;
        // The routine needs its block before that is built: it is filled at the end.
        let body = self.builder.program.blocks.push(Block { first: 0, len: 0 });
        let routine = Routine { name: None, body };
        self.builder.program.main = self.builder.program.routines.push(routine);
        self.builder.open_block();
        before(self);
        self.builder.node(Node::Call(own, Span::default()));
        behind(self);
        self.builder.close_block_as(body);
    }

    /// Whether all that writes the position stands where nothing leads. Then it is what it begins as, which only the languages with
    /// registers define: the rules see to it that their vertex programs have a write. NV_vertex_program2 section 2.14.1.5.
    fn has_unreached_position(&self) -> bool {
        let (dialect, checked) = (self.ast.dialect, self.checked);
        dialect.stage() == Stage::Vertex
            && dialect.facts().registers.is_some()
            && !checked.features.contains(Features::POSITION_INVARIANT)
            && !self.tables.results.contains_key(&Semantic::Position)
    }

    fn initial_position(&mut self) {
        let register = self.position_register(Output::new(Semantic::Position));
        let one = u64::from(1f32.to_bits());
        let initial = Src::new(Base::Literal(self.literal_id([0, 0, 0, one])));
        (self.span, self.flags) = (Span::default(), InstFlags::empty());
        self.put(register, WriteMask::XYZW, Op::Mov, Type::F32, &[initial]);
    }

    /// Lowers an instruction.
    #[inline]
    fn line(&mut self, flow: &mut ControlFlow<'_>, line: &Line) {
        let info = line.opcode.info();
        if let Lower::Flow(op) = info.lower {
            self.flow(flow, &InstCx::new(line, info), op);
        } else if !flow.tree.is_dead() {
            self.instruction(line, info);
            flow.tree.count_step();
        }
    }

    fn begin_block(
        &mut self,
        flow: &mut ControlFlow<'_>,
        (id, block): (BasicBlockId, &BasicBlock),
    ) {
        let name = block.label.map(|label| {
            let text = self.ast.names.word(name_of(label));
            self.builder.program.names.push(text)
        });
        flow.block = id;
        flow.tree.begin_block(self.builder, id, name);
        let call_graph = &self.checked.call_graph;
        if id == call_graph.entry() {
            self.initial_codes();
            flow.bound = self.step_bound(flow.step_limit);
            self.invariant_position();
            // A branch or a call may lead back to the entry; what was appended above runs once.
            if !call_graph.is_simple() {
                flow.tree.end_prologue(self.builder);
            }
        }
    }

    /// The condition codes of ARB programs begin as EQ. NV_vertex_program2_option section 2.14.3.X, NV_fragment_program_option
    /// section 3.11.3.X.
    fn initial_codes(&mut self) {
        let features = self.checked.features;
        if !features.intersects(Features::NV_OPTIONS) {
            return;
        }
        // Only NV_vertex_program3 has a second register. Section 2.14.3.X.
        let count = 1 + u8::from(features.contains(Features::NV_VERTEX_3));
        for number in 0..count {
            let (zero, unused) = (self.float(0.0), self.hidden(Width::W32));
            let dst = Dst {
                cc: Some(self.condition_code(number)),
                ..Dst::new(unused, WriteMask::XYZW)
            };
            self.inst(Op::Mov, Type::F32, Some(dst), Aux::None, &[zero]);
        }
    }

    /// With OPTION ARB_position_invariant clip coordinates are computed as without a program: products of a row of the
    /// modelview-projection matrix and the position, rounded one by one, and added from left to right, each sum rounded.
    /// NV_vertex_program4 section 2.X.6.
    fn invariant_position(&mut self) {
        if !self.checked.features.contains(Features::POSITION_INVARIANT) {
            return;
        }
        // vertex.position is the same as vertex.attrib[0]. ARB_vertex_program table X.2.
        let binding = IoBinding::float(Semantic::Attrib(0));
        let vertex = Src::new(Base::Input(self.input(
            binding,
            TypeBase::Float,
            Width::W32,
        )));
        let register = self.position_register(Output {
            invariant: true,
            ..Output::new(Semantic::Position)
        });
        self.flags = InstFlags::PRECISE;
        for row in 0..4 {
            let (matrix, form) = (MatrixName::Mvp, MatrixForm::Plain);
            let source = ParamSource::State(StateParam::MatrixRow { matrix, form, row });
            let row_source = Src::new(Base::Param(self.param_id(source)));
            self.put(
                register,
                WriteMask(1 << row),
                Op::Dp4,
                Type::F32,
                &[row_source, vertex],
            );
        }
        self.flags = InstFlags::empty();
    }

    /// The register of a position that no variable of the program names.
    fn position_register(&mut self, output: Output) -> RegisterId {
        let program = &mut self.builder.program;
        program.registers.push(Register {
            storage: Storage::Output(program.outputs.push(output)),
            width: Width::W32,
            array: None,
            name: None,
        })
    }

    fn flow(&mut self, flow: &mut ControlFlow<'_>, cx: &InstCx<'_>, op: FlowOp) {
        let line = cx.line;
        let alive = !flow.tree.is_dead();
        self.begin_line(line);
        match op {
            // Where nothing leads, blocks are only counted, so that each ELSE and END finds its own.
            FlowOp::If | FlowOp::Loop | FlowOp::Rep if !alive => flow.tree.open_dead(),
            FlowOp::If => {
                let cond = self.any(line.cond);
                flow.tree.begin_if(self.builder, cond, line.span);
            }
            FlowOp::Else => flow.tree.begin_else(self.builder),
            FlowOp::EndIf => flow.tree.end_if(self.builder),
            FlowOp::Loop | FlowOp::Rep => self.begin_loop(flow, line, op),
            FlowOp::EndLoop | FlowOp::EndRep => self.end_loop(flow),
            FlowOp::Brk => {
                let cond = self.condition(flow, line);
                flow.tree.break_loop(self.builder, cond, line.span);
            }
            FlowOp::Cont => {
                let cond = self.condition(flow, line);
                flow.tree.continue_loop(self.builder, cond, line.span);
            }
            FlowOp::Ret => {
                let cond = self.condition(flow, line);
                // Also where the line is dead or has a condition: fog is put around the main routine then, which is always right.
                flow.main_returns |= self.checked.call_graph.is_in_main(flow.block);
                flow.tree.ret(self.builder, cond, line.span);
            }
            FlowOp::Bra => {
                let cond = self.condition(flow, line);
                flow.tree.branch(cond, line.span);
            }
            FlowOp::Cal => {
                let cond = self.condition(flow, line);
                if let Extra::Label(label, span) = line.extra {
                    let to = (label_of(label), span);
                    flow.tree.call(self.builder, cond, to, line.span);
                }
            }
            FlowOp::Cali if alive => self.call_indirect(flow, line),
            FlowOp::InterlockBegin | FlowOp::InterlockEnd if alive => self.interlock(op),
            FlowOp::Push if alive => {
                let address = (self.value(cx, 0, Type::S32), Type::S32);
                flow.tree.push(self.builder, address);
            }
            FlowOp::Pop if alive => {
                let address = flow.tree.pop(self.builder);
                self.finish(cx, Op::Mov, cx.result, &[address]);
            }
            FlowOp::Cali
            | FlowOp::InterlockBegin
            | FlowOp::InterlockEnd
            | FlowOp::Push
            | FlowOp::Pop => {}
        }
    }

    /// Lowers the condition of a jump that can run.
    fn condition(&mut self, flow: &ControlFlow<'_>, line: &Line) -> Option<Cond> {
        let cond = line.cond.filter(|_| !flow.tree.is_dead());
        cond.map(|cond| self.any(Some(cond)))
    }

    /// Lowers LOOP and REP: each iteration begins with the test whether it is one too many.
    fn begin_loop(&mut self, flow: &mut ControlFlow<'_>, line: &Line, op: FlowOp) {
        let rounds = (line.source_count > 0).then(|| self.begin_rounds(line, op));
        let mut saved = Vec::new();
        // Only a call that can lead back into the loop finds its registers overwritten.
        if self.checked.call_graph.groups() > 0 {
            saved.extend(rounds.iter().flat_map(Rounds::saved_lanes));
        }
        let tree = &mut flow.tree;
        tree.begin_loop(self.builder, saved, line.span);
        self.tables.rounds.push(rounds);
        // The test is at the start of the body, so that a count of 0 runs no iteration.
        if let Some(rounds) = rounds {
            let done = self.rounds_done(&rounds);
            tree.break_loop(self.builder, Some(done), line.span);
        }
        if let Some(bound) = flow.bound {
            // This leaves the routine only, but the count stays: the loops of its callers end at their next iteration, too.
            let beyond = self.is_beyond(bound);
            tree.ret(self.builder, Some(beyond), line.span);
        }
    }

    /// Lowers ENDREP and ENDLOOP.
    fn end_loop(&mut self, flow: &mut ControlFlow<'_>) {
        // A loop that was only counted has put no rounds on the stack.
        let Some(steps) = flow.tree.end_body(self.builder) else {
            return;
        };
        let rounds = self.tables.rounds.pop().flatten();
        let continuing = rounds.map(|rounds| {
            self.builder.open_block();
            self.next_round(&rounds);
            if let Some(bound) = flow.bound {
                self.count_steps(bound, steps);
            }
            self.builder.close_block()
        });
        flow.tree.end_loop(self.builder, continuing);
        if let Some(rounds) = rounds {
            self.end_rounds(&rounds);
        }
    }

    /// FSIB, FSIE.
    fn interlock(&mut self, op: FlowOp) {
        let op = match op == FlowOp::InterlockBegin {
            true => Op::InterlockBegin,
            false => Op::InterlockEnd,
        };
        self.inst(op, Type::U32, None, Aux::None, &[]);
    }

    /// CALI: a switch over the numbers of the routines that the variable can name; other numbers call nothing.
    /// ARB_shader_subroutine section 2.X.8.Z.
    fn call_indirect(&mut self, flow: &mut ControlFlow<'_>, line: &Line) {
        let checked = self.checked;
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
        // Tested before the block is open: a condition may need instructions, which belong in front of the branch.
        let cond = line.cond.map(|_| self.any(line.cond));
        self.builder.open_block();
        let selector = self.hidden(Width::W32);
        let number = self.variable(var, operand.index, Type::U32);
        self.put(
            selector,
            WriteMask::X,
            Op::Mov,
            Type::U32,
            &[splat(number, 0)],
        );
        let targets = checked.routines_of(ty).iter();
        let targets = targets.map(|&(label, number)| (number, label_of(label)));
        (flow.tree).call_indirect(self.builder, (selector, 0), targets, line.span);
        match cond {
            None => self.builder.merge_block(),
            Some(cond) => {
                let then = self.builder.close_block();
                self.builder.branch(cond, then, None, line.span);
            }
        }
    }
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
