//! Takes flow control in the order of the text, while instructions are appended to the builder in between.

use super::callee;
use super::open::{Open, OpenBlocks};
use super::outline::{PieceId, Plan};
use super::pieces::{Code, End, Kept};
use super::routines::Routines;
use super::rules::{LabelId, Rules};
use super::stack::CallStack;
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::inst::{Cond, Src, WriteMask};
use crate::op::Op;
use crate::program::{BlockId, Case, NameId, Node, RegisterId, Switch, SwitchId};
use crate::span::Span;
use crate::structurize::{StepBound, code};
use crate::types::{Type, Width};
use rustc_hash::FxHashMap;

/// Flow control recorded so far. Events that fit nowhere are ignored: rules report them.
///
/// Behind a jump without condition nothing runs up to the end of the block. Events are to be told there, too, but without conditions, and
/// instructions are not to be appended; [`is_dead`](Self::is_dead) says so.
#[derive(Debug)]
pub struct Recorder {
    rules: Rules,
    pieces: IndexVec<PieceId, Code>,
    name: Option<NameId>,
    open: Vec<Open>,
    dead: bool,
    /// Blocks opened in dead code.
    dead_blocks: usize,
    prologue: Vec<Node>,
    epilogue: Vec<Node>,
    kept: FxHashMap<BlockId, Vec<Kept>>,
    stack: Option<AddressStack>,
    has_calls: bool,
}

/// The stack of calls, if other things are put on it, too.
#[derive(Clone, Copy, Debug)]
struct AddressStack {
    stack: CallStack,
    addresses: RegisterId,
    scratch: RegisterId,
}

impl Recorder {
    /// Begins with the text before all labels.
    pub fn new(builder: &mut Builder, rules: Rules) -> Self {
        builder.open_block();
        Self {
            rules,
            pieces: IndexVec::new(),
            name: None,
            open: std::mem::take(&mut builder.recorded).0,
            dead: false,
            dead_blocks: 0,
            prologue: Vec::new(),
            epilogue: Vec::new(),
            kept: FxHashMap::default(),
            stack: None,
            has_calls: false,
        }
    }

    /// Makes room for all pieces of a plan.
    pub fn expect(&mut self, plan: &Plan) {
        self.pieces.reserve(plan.pieces());
    }

    /// The piece that is being recorded.
    pub fn here(&self) -> PieceId {
        self.pieces.next_id()
    }

    /// Whether what comes next cannot run.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// Makes what comes up to the next label dead code, because nothing reaches it.
    pub fn skip(&mut self) {
        self.dead = true;
    }

    /// What was appended since the last event or label runs once, before everything else.
    pub fn end_prologue(&mut self, builder: &mut Builder) {
        self.prologue = builder.take_nodes();
        builder.open_block();
    }

    /// These nodes run where the main routine ends.
    pub fn set_epilogue(&mut self, nodes: Vec<Node>) {
        self.epilogue = nodes;
    }

    // Labels and branches.

    /// A label. What follows is alive.
    pub fn label(&mut self, builder: &mut Builder, name: Option<NameId>) {
        self.end_piece(builder, End::Next);
        self.name = name;
        self.dead = false;
    }

    /// Goes to a label; conditions leave what follows alive.
    pub fn branch(&mut self, builder: &mut Builder, cond: Option<Cond>, to: LabelId, span: Span) {
        let dead = self.dead;
        self.end_piece(builder, End::Branch { cond, to, span });
        self.dead = dead || cond.is_none();
    }

    fn end_piece(&mut self, builder: &mut Builder, end: End) {
        self.close_piece(builder, end);
        builder.open_block();
    }

    fn close_piece(&mut self, builder: &mut Builder, end: End) {
        // Rules report blocks that a label or a branch cuts; the blocks of the builder must be closed nevertheless.
        while !self.open.is_empty() {
            self.close_unfinished(builder);
        }
        self.dead_blocks = 0;
        let end = if self.dead { End::Return } else { end };
        let block = builder.close_block();
        let name = self.name.take();
        self.pieces.push(Code { name, block, end });
    }

    fn close_unfinished(&mut self, builder: &mut Builder) {
        (self.dead, self.dead_blocks) = (false, 0);
        match self.open.last() {
            Some(Open::If { .. }) => self.end_if(builder),
            Some(Open::Loop { .. }) => drop(self.end_body(builder)),
            Some(Open::Round { .. }) | None => self.end_loop(builder, None),
        }
    }

    // Blocks.

    /// A block that begins in dead code.
    pub fn open_dead(&mut self) {
        self.dead_blocks += 1;
    }

    /// A block that runs if `cond` holds.
    pub fn begin_if(&mut self, builder: &mut Builder, cond: Cond, span: Span) {
        let then = None;
        self.open.push(Open::If { cond, span, then });
        builder.open_block();
    }

    /// Its other part.
    pub fn begin_else(&mut self, builder: &mut Builder) {
        if self.dead_blocks > 0 {
            return;
        }
        if let Some(Open::If { then, .. }) = self.open.last_mut()
            && then.is_none()
        {
            self.dead = false;
            *then = Some(builder.close_block());
            builder.open_block();
        }
    }

    /// Its end.
    pub fn end_if(&mut self, builder: &mut Builder) {
        if !self.ends_live() {
            return;
        }
        match self.open.pop() {
            Some(Open::If { cond, span, then }) => {
                let block = builder.close_block();
                match then {
                    None => builder.branch(cond, block, None, span),
                    Some(then) => builder.branch(cond, then, Some(block), span),
                }
            }
            other => self.open.extend(other),
        }
    }

    /// Whether a block that ends began in live code; behind it code is alive again.
    fn ends_live(&mut self) -> bool {
        if self.dead_blocks > 0 {
            self.dead_blocks -= 1;
            return false;
        }
        self.dead &= self.open.is_empty();
        true
    }

    /// An endless loop. A call that may run it anew keeps `kept`.
    pub fn begin_loop(&mut self, builder: &mut Builder, kept: Vec<Kept>, span: Span) {
        let steps = 1;
        self.open.push(Open::Loop { kept, steps, span });
        builder.open_block();
    }

    /// An instruction of the text was translated.
    pub fn count_step(&mut self) {
        if let Some(Open::Loop { steps, .. }) = self.open.last_mut() {
            *steps += 1;
        }
    }

    /// The end of a loop's body; the instructions of a round. [`end_loop`](Self::end_loop) is to follow, unless the loop is dead code.
    pub fn end_body(&mut self, builder: &mut Builder) -> Option<u32> {
        if !self.ends_live() {
            return None;
        }
        match self.open.pop() {
            Some(Open::Loop { kept, steps, span }) => {
                let body = builder.close_block();
                self.open.push(Open::Round { kept, body, span });
                Some(steps)
            }
            other => {
                self.open.extend(other);
                None
            }
        }
    }

    /// The end of a loop, with the block that runs before the next round.
    pub fn end_loop(&mut self, builder: &mut Builder, continuing: Option<BlockId>) {
        match self.open.pop() {
            Some(Open::Round { kept, body, span }) => {
                if !kept.is_empty() {
                    self.kept.insert(body, kept);
                }
                builder.node(Node::Loop {
                    body,
                    continuing,
                    span,
                });
            }
            other => self.open.extend(other),
        }
    }

    // Jumps.

    /// Leaves the innermost loop.
    pub fn leave_loop(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        if self.in_loop() {
            self.jump(builder, Node::Break, cond, span);
        }
    }

    /// Goes on with the next round of the innermost loop.
    pub fn next_round(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        if self.in_loop() {
            self.jump(builder, Node::Continue, cond, span);
        }
    }

    fn in_loop(&self) -> bool {
        let mut open = self.open.iter();
        open.any(|open| matches!(open, Open::Loop { .. }))
    }

    /// Returns.
    pub fn ret(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        self.jump(builder, Node::Return, cond, span);
    }

    /// Calls what a label begins. `span` is that of the label, `whole` that of the instruction.
    pub fn call(
        &mut self,
        builder: &mut Builder,
        cond: Option<Cond>,
        (to, span): (LabelId, Span),
        whole: Span,
    ) {
        let dead = self.dead;
        self.has_calls = true;
        self.jump(builder, callee::call(to, span), cond, whole);
        // Calls come back.
        self.dead = dead;
    }

    fn jump(&mut self, builder: &mut Builder, node: Node, cond: Option<Cond>, span: Span) {
        if self.dead {
            return;
        }
        match cond {
            Some(cond) => code::when_at(builder, cond, span, |builder| builder.node(node)),
            None => {
                builder.node(node);
                self.dead = true;
            }
        }
    }

    /// A call of one of several labels; [`set_targets`](Self::set_targets) names them. Other values call nothing.
    pub fn call_indirect(
        &mut self,
        builder: &mut Builder,
        selector: (RegisterId, u8),
        span: Span,
    ) -> SwitchId {
        let switch = builder.program.switches.push(Switch {
            selector,
            cases: Vec::new(),
            default: None,
            span,
        });
        builder.node(Node::Switch(switch));
        switch
    }

    /// The values of the selector of an indirect call, with the labels that they stand for.
    pub fn set_targets(
        &mut self,
        builder: &mut Builder,
        switch: SwitchId,
        targets: impl Iterator<Item = (u32, LabelId)>,
    ) {
        let span = builder.program.switches[switch].span;
        self.has_calls = true;
        for (value, label) in targets {
            builder.open_block();
            builder.node(callee::call(label, span));
            let (values, block) = (vec![value], builder.close_block());
            let cases = &mut builder.program.switches[switch].cases;
            cases.push(Case { values, block });
        }
    }

    // The stack.

    fn address_stack(&mut self, builder: &mut Builder) -> AddressStack {
        self.has_calls = true;
        let depth = self.rules.depth;
        *self.stack.get_or_insert_with(|| {
            let stack = CallStack::new(builder, depth);
            AddressStack {
                stack,
                addresses: stack.array(builder, Width::W32),
                scratch: code::new_register(builder),
            }
        })
    }

    /// Puts a register on the stack of calls; ends the program if that is full.
    pub fn push(&mut self, builder: &mut Builder, value: (Src, Type)) {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.address_stack(builder);
        let full = stack.is_full(builder, scratch);
        code::when(builder, full, |builder| builder.node(callee::end()));
        stack.set_top(builder, addresses, WriteMask::XYZW, value);
        // Place 0 says that the entry is no place to go on at, so that a return from here ends the program.
        let mark = (code::word(builder, 0), Type::U32);
        stack.set_top(builder, stack.places, WriteMask::X, mark);
        stack.step(builder, Op::Add);
    }

    /// Takes a register from the stack of calls; ends the program if that is empty or has something else on top.
    pub fn pop(&mut self, builder: &mut Builder) -> Src {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.address_stack(builder);
        code::unless(builder, stack.in_use(), |builder| {
            builder.node(callee::end());
        });
        stack.step(builder, Op::Sub);
        let place = stack.top(builder, stack.places);
        code::put(builder, scratch, Op::Mov, &[place]);
        let is_place = code::non_zero(scratch);
        code::when(builder, is_place, |builder| builder.node(callee::end()));
        stack.top(builder, addresses)
    }

    /// A program of one piece.
    fn finish_main(mut self, builder: &mut Builder) {
        while !self.open.is_empty() {
            self.close_unfinished(builder);
        }
        builder.recorded = OpenBlocks(self.open);
        for node in self.epilogue {
            builder.node(node);
        }
        let body = builder.program.routines[builder.program.main].body;
        builder.close_block_as(body);
    }

    /// Makes the routines of the program. `plan` is that of an outline with the same events; `bound` ends cycles of branches and calls.
    pub fn finish(mut self, builder: &mut Builder, plan: &Plan, bound: Option<StepBound>) {
        if plan.is_simple() && !self.has_calls && self.prologue.is_empty() {
            return self.finish_main(builder);
        }
        self.close_piece(builder, End::Next);
        builder.recorded = OpenBlocks(self.open);
        Routines {
            builder,
            plan,
            rules: self.rules,
            bound,
            pieces: self.pieces,
            prologue: self.prologue,
            epilogue: self.epilogue,
            kept: self.kept,
            stack: self.stack.map(|addresses| addresses.stack),
            has_calls: self.has_calls,
            uses: IndexVec::new(),
            ids: Vec::new(),
        }
        .build();
    }
}
