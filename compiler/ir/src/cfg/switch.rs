//! Switches whose sections follow each other in source order: a section that does not end with a
//! jump runs into the next one.

use super::basic_blocks::{OpenSwitch, Scope, SectionLabels, SwitchSection};
use super::tree_builder::TreeBuilder;
use crate::builder::Builder;
use crate::inst::{Cond, Src};
use crate::op::Op;
use crate::program::{BlockId, Case, Node, RegisterId, Routine, Switch};
use crate::span::Span;
use crate::structurize::selector;
use crate::types::Type;
use rustc_hash::FxHashSet;

impl TreeBuilder<'_> {
    /// Begins a switch over lane x of a register. Code before its first section is dead.
    pub fn begin_switch(&mut self, builder: &mut Builder, selector: RegisterId, span: Span) {
        self.scopes.push(Scope::Switch(OpenSwitch {
            selector,
            sections: Vec::new(),
            current: None,
            span,
        }));
        builder.open_block();
        self.is_dead = true;
    }

    /// Begins the section of a value, or, for `None`, that of all values that no other section has.
    /// The previous section falls through to it unless it ended with a jump. Ignored in dead code
    /// and if no switch is open.
    pub fn begin_switch_section(&mut self, builder: &mut Builder, value: Option<u32>) {
        if self.dead_scopes > 0 {
            return;
        }
        // The section before runs into this one if it did not end with a jump.
        let falls = !self.is_dead;
        let Some(Scope::Switch(switch)) = self.scopes.last_mut() else {
            return;
        };
        switch.close_section(builder.close_block(), falls);
        switch.current = Some(SectionLabels {
            values: value.into_iter().collect(),
            is_default: value.is_none(),
        });
        self.is_dead = false;
        builder.open_block();
    }

    /// Ends a switch and appends it to the enclosing block; `span` is that of the instruction that
    /// does. Ignored if no switch is open; in dead code only the end is counted.
    pub fn end_switch(&mut self, builder: &mut Builder, span: Span) {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return;
        }
        match self.scopes.pop() {
            Some(Scope::Switch(mut switch)) => {
                // The last section has none to run into.
                switch.close_section(builder.close_block(), false);
                self.is_dead = false;
                switch.emit_switch(builder, span);
            }
            other => self.scopes.extend(other),
        }
    }
}

impl OpenSwitch {
    /// Closes the open section, if any, with its code; `falls` is true if control flow falls
    /// through to the next section.
    fn close_section(&mut self, block: BlockId, falls: bool) {
        let section = self.current.take().map(|labels| SwitchSection {
            labels,
            block,
            falls_through: falls,
        });
        self.sections.extend(section);
    }

    /// Appends the switch to the open block, in a form without fall-through: sections that only
    /// lead to the next one are merged into it. `end` is the span of the instruction that ends it.
    fn emit_switch(self, builder: &mut Builder, end: Span) {
        let mut sections = merge_empty_sections(builder, self.sections);
        remove_repeated_values(&mut sections);
        if sections.iter().any(|section| section.falls_through) {
            emit_falling_switch(builder, self.selector, &sections, (self.span, end));
        } else {
            emit_separate_switch(builder, self.selector, sections, self.span);
        }
    }
}

/// Returns the sections without the empty ones that only fall through to the next one: their labels
/// are labels of that.
fn merge_empty_sections(builder: &Builder, sections: Vec<SwitchSection>) -> Vec<SwitchSection> {
    let mut merged: Vec<SwitchSection> = Vec::new();
    let mut pending: Option<SwitchSection> = None;
    for mut section in sections {
        if let Some(mut previous) = pending.take() {
            // After the labels before, for those may be many and should not be moved for each one.
            previous.labels.values.append(&mut section.labels.values);
            section.labels.values = previous.labels.values;
            section.labels.is_default |= previous.labels.is_default;
        }
        let is_empty = builder.program.blocks[section.block].len == 0;
        if is_empty && section.falls_through {
            pending = Some(section);
        } else {
            merged.push(section);
        }
    }
    // Labels at the end of the switch, which lead to nothing.
    merged.extend(pending);
    merged
}

/// Removes the values of each section that an earlier one has.
fn remove_repeated_values(sections: &mut [SwitchSection]) {
    let mut seen = FxHashSet::default();
    for section in sections {
        let values = &mut section.labels.values;
        values.retain(|value| seen.insert(*value));
    }
}

/// Appends a switch none of whose sections falls through to the next one. Sections without labels,
/// which never run, become routines.
fn emit_separate_switch(
    builder: &mut Builder,
    selector: RegisterId,
    sections: Vec<SwitchSection>,
    span: Span,
) {
    let mut default = None;
    let mut cases = Vec::new();
    for SwitchSection { labels, block, .. } in sections {
        if labels.is_default {
            default = Some(block);
        } else if labels.values.is_empty() {
            // Another section has all its values. Its block exists and has to belong to some
            // routine.
            add_unreachable_section(builder, selector, block);
        } else {
            let values = labels.values;
            cases.push(Case { values, block });
        }
    }
    push_switch(builder, selector, cases, default, span);
}

/// Adds a switch by lane x of a register to the program and appends its node to the open block.
fn push_switch(
    builder: &mut Builder,
    selector: RegisterId,
    cases: Vec<Case>,
    default: Option<BlockId>,
    span: Span,
) {
    let id = builder.program.switches.push(Switch {
        selector: (selector, 0),
        cases,
        default,
        span,
    });
    builder.push_node(Node::Switch(id));
}

/// Appends a switch that always runs `block`, its default, so that breaks in the block leave the
/// switch.
fn emit_breakable_block(builder: &mut Builder, selector: RegisterId, block: BlockId, span: Span) {
    push_switch(builder, selector, Vec::new(), Some(block), span);
}

/// Adds a routine that nothing calls with the code of a section, in a loop and a switch that its
/// jumps leave.
fn add_unreachable_section(builder: &mut Builder, selector: RegisterId, section: BlockId) {
    let span = Span::default();
    builder.open_block();
    builder.open_block();
    emit_breakable_block(builder, selector, section, span);
    builder.push_node(Node::Break);
    let body = builder.close_block();
    builder.push_node(Node::Loop {
        body,
        continuing: None,
        span,
    });
    let body = builder.close_block();
    let routine = Routine { name: None, body };
    builder.program.routines.push(routine);
}

/// Appends a switch whose sections fall through to each other: a first switch determines the
/// section that runs first, and each after it runs unless one has left. Adds registers for both.
fn emit_falling_switch(
    builder: &mut Builder,
    selector: RegisterId,
    sections: &[SwitchSection],
    (span, end): (Span, Span),
) {
    let entry = selector::push_register(builder);
    let mut cases = Vec::new();
    // After the last section: without a default nothing runs.
    let mut default = sections.len();
    for (index, section) in sections.iter().enumerate() {
        if section.labels.is_default {
            default = index;
        } else if !section.labels.values.is_empty() {
            let values = section.labels.values.clone();
            let block = build_entry_block(builder, entry, index, end);
            cases.push(Case { values, block });
        }
    }
    let default = Some(build_entry_block(builder, entry, default, end));
    push_switch(builder, selector, cases, default, span);
    builder.open_block();
    for (number, section) in sections.iter().enumerate() {
        let test = selector::push_register(builder);
        let number = selector::push_word_literal(builder, number as u32);
        // This section is the entry, or follows it.
        let sources = [Src::from_register(entry), number];
        selector::emit_op_at(builder, test, Op::SetLe, &sources, end);
        let cond = Cond::NonZero(test, 0, Type::U32);
        builder.push_branch(cond, section.block, None, span);
    }
    let body = builder.close_block();
    emit_breakable_block(builder, selector, body, span);
}

/// Returns a block that sets `entry` to the number of the section that runs first.
fn build_entry_block(
    builder: &mut Builder,
    entry: RegisterId,
    section_index: usize,
    end: Span,
) -> BlockId {
    builder.open_block();
    let number = selector::push_word_literal(builder, section_index as u32);
    selector::emit_op_at(builder, entry, Op::Mov, &[number], end);
    builder.close_block()
}
