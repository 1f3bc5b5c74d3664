//! Switches whose sections follow each other in source order: a section that does not end with a jump runs into the next one.

use super::cfg::{Labels, OpenSwitch, Scope, Section};
use super::tree::TreeBuilder;
use crate::builder::Builder;
use crate::inst::{Cond, Src};
use crate::op::Op;
use crate::program::{BlockId, Case, Node, RegisterId, Routine, Switch};
use crate::span::Span;
use crate::structurize::code;
use crate::types::Type;
use rustc_hash::FxHashSet;

impl TreeBuilder<'_> {
    /// Begins a switch over lane x of a register. Nothing runs before its first section.
    pub fn begin_switch(&mut self, builder: &mut Builder, selector: RegisterId, span: Span) {
        self.scopes.push(Scope::Switch(OpenSwitch {
            selector,
            sections: Vec::new(),
            current: None,
            span,
        }));
        builder.open_block();
        self.dead = true;
    }

    /// Begins the section of a value, or that of all values that no other section has.
    pub fn begin_section(&mut self, builder: &mut Builder, value: Option<u32>) {
        if self.dead_scopes > 0 {
            return;
        }
        // The section before runs into this one if it did not end with a jump.
        let falls = !self.dead;
        let Some(Scope::Switch(open)) = self.scopes.last_mut() else {
            return;
        };
        open.close_section(builder.close_block(), falls);
        open.current = Some(Labels {
            values: value.into_iter().collect(),
            is_default: value.is_none(),
        });
        self.dead = false;
        builder.open_block();
    }

    /// Ends a switch; `span` is that of the instruction that does.
    pub fn end_switch(&mut self, builder: &mut Builder, span: Span) {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return;
        }
        match self.scopes.pop() {
            Some(Scope::Switch(mut open)) => {
                // The last section has none to run into.
                open.close_section(builder.close_block(), false);
                self.dead = false;
                open.build(builder, span);
            }
            other => self.scopes.extend(other),
        }
    }
}

impl OpenSwitch {
    /// Adds the section that is open, if one is.
    fn close_section(&mut self, block: BlockId, falls: bool) {
        let section = self.current.take().map(|labels| Section {
            labels,
            block,
            falls,
        });
        self.sections.extend(section);
    }

    /// Appends the switch.
    fn build(self, builder: &mut Builder, end: Span) {
        let mut sections = merge_empty(builder, self.sections);
        remove_repeated(&mut sections);
        if sections.iter().any(|section| section.falls) {
            build_falling(builder, self.selector, &sections, (self.span, end));
        } else {
            build_separate(builder, self.selector, sections, self.span);
        }
    }
}

/// Returns the sections with those removed that only run into the next one: their labels are labels of that.
fn merge_empty(builder: &Builder, sections: Vec<Section>) -> Vec<Section> {
    let mut merged: Vec<Section> = Vec::new();
    let mut waiting: Option<Section> = None;
    for mut section in sections {
        if let Some(mut before) = waiting.take() {
            // After the labels before, for those may be many and should not be moved for each one.
            before.labels.values.append(&mut section.labels.values);
            section.labels.values = before.labels.values;
            section.labels.is_default |= before.labels.is_default;
        }
        let is_empty = builder.program.blocks[section.block].len == 0;
        if is_empty && section.falls {
            waiting = Some(section);
        } else {
            merged.push(section);
        }
    }
    // Labels at the end of the switch, which lead to nothing.
    merged.extend(waiting);
    merged
}

/// Removes the values of each section that an earlier one has.
fn remove_repeated(sections: &mut [Section]) {
    let mut seen = FxHashSet::default();
    for section in sections {
        let values = &mut section.labels.values;
        values.retain(|value| seen.insert(*value));
    }
}

/// Appends a switch none of whose sections runs into the next one.
fn build_separate(builder: &mut Builder, selector: RegisterId, sections: Vec<Section>, span: Span) {
    let mut default = None;
    let mut cases = Vec::new();
    for Section { labels, block, .. } in sections {
        if labels.is_default {
            default = Some(block);
        } else if labels.values.is_empty() {
            // Another section has all its values. Its block exists and has to belong to some routine.
            add_unreached(builder, selector, block);
        } else {
            let values = labels.values;
            cases.push(Case { values, block });
        }
    }
    push_switch(
        builder,
        Switch {
            selector: (selector, 0),
            cases,
            default,
            span,
        },
    );
}

fn push_switch(builder: &mut Builder, switch: Switch) {
    let id = builder.program.switches.push(switch);
    builder.node(Node::Switch(id));
}

/// Appends what the breaks of a block leave: a switch with a default alone.
fn push_breakable(builder: &mut Builder, selector: RegisterId, block: BlockId, span: Span) {
    push_switch(
        builder,
        Switch {
            selector: (selector, 0),
            cases: Vec::new(),
            default: Some(block),
            span,
        },
    );
}

/// Makes a routine that nothing calls of a section, in a loop and a switch that its jumps leave.
fn add_unreached(builder: &mut Builder, selector: RegisterId, section: BlockId) {
    let span = Span::default();
    builder.open_block();
    builder.open_block();
    push_breakable(builder, selector, section, span);
    builder.node(Node::Break);
    let body = builder.close_block();
    builder.node(Node::Loop {
        body,
        continuing: None,
        span,
    });
    let body = builder.close_block();
    let routine = Routine { name: None, body };
    builder.program.routines.push(routine);
}

/// Appends a switch whose sections run into each other: the first one that runs is found, and each after it runs unless one has left.
fn build_falling(
    builder: &mut Builder,
    selector: RegisterId,
    sections: &[Section],
    (span, end): (Span, Span),
) {
    let entry = code::new_register(builder);
    let mut cases = Vec::new();
    // After the last section: without a default nothing runs.
    let mut default = sections.len();
    for (number, section) in sections.iter().enumerate() {
        if section.labels.is_default {
            default = number;
        } else if !section.labels.values.is_empty() {
            let values = section.labels.values.clone();
            let block = build_entry(builder, entry, number, end);
            cases.push(Case { values, block });
        }
    }
    let default = Some(build_entry(builder, entry, default, end));
    push_switch(
        builder,
        Switch {
            selector: (selector, 0),
            cases,
            default,
            span,
        },
    );
    builder.open_block();
    for (number, section) in sections.iter().enumerate() {
        let test = code::new_register(builder);
        let number = code::add_word(builder, number as u32);
        // This section is the entry, or follows it.
        let sources = [Src::register(entry), number];
        code::emit_op_at(builder, test, Op::SetLe, &sources, end);
        let cond = Cond::NonZero(test, 0, Type::U32);
        builder.branch(cond, section.block, None, span);
    }
    let body = builder.close_block();
    push_breakable(builder, selector, body, span);
}

/// Returns the block that sets the number of the section that runs first.
fn build_entry(builder: &mut Builder, entry: RegisterId, number: usize, end: Span) -> BlockId {
    builder.open_block();
    let number = code::add_word(builder, number as u32);
    code::emit_op_at(builder, entry, Op::Mov, &[number], end);
    builder.close_block()
}
