//! Insertion of faults into a source, each controlled by a switch.

use crate::places::{Edit, Form};
use std::cmp::Reverse;
use std::ops::Range;

/// Text with switches.
#[derive(Default)]
pub(crate) struct Rewritten {
    /// Text.
    pub(crate) text: String,
    /// Byte ranges of the source that belong to each fault.
    pub(crate) parts: Vec<(usize, Range<usize>)>,
}

/// Applies the edits of numbered faults to `text`. `switch` is the path of the function that
/// returns true if a fault is on. A fault within what another one changes is only in the branch
/// without the other.
pub(crate) fn rewrite(text: &str, edits: &[(usize, &Edit)], switch: &str) -> Rewritten {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|(_, edit)| (edit.range.start, Reverse(edit.range.end)));
    let mut writer = Writer {
        text,
        switch,
        out: Rewritten::default(),
    };
    writer.write(0..text.len(), &sorted);
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    switch: &'a str,
    out: Rewritten,
}

impl Writer<'_> {
    fn write(&mut self, range: Range<usize>, mut edits: &[(usize, &Edit)]) {
        let mut at = range.start;
        while let Some(((number, edit), rest)) = edits.split_first() {
            let within = rest
                .iter()
                .take_while(|(_, other)| {
                    other.range.end <= edit.range.end && other.form != Form::Addition
                })
                .count();
            let (inner, after) = rest.split_at(within);
            self.out.text += &self.text[at..edit.range.start];
            self.write_edit(*number, edit, inner);
            at = edit.range.end;
            edits = after;
        }
        self.out.text += &self.text[at..range.end];
    }

    fn write_edit(&mut self, number: usize, edit: &Edit, inner: &[(usize, &Edit)]) {
        let start = self.out.text.len();
        let (switch, changed) = (self.switch, &edit.changed);
        let (before, after) = match edit.form {
            Form::Value => (
                format!("(if {switch}({number}) {{ {changed} }} else {{ "),
                " })",
            ),
            Form::Block => (
                format!("{{ if {switch}({number}) {{ {changed} }} else {{ "),
                " } }",
            ),
            Form::Constant => (
                format!("(*(if {switch}({number}) {{ &{changed} }} else {{ &"),
                " }))",
            ),
            Form::Addition => (changed.clone(), ""),
        };
        self.out.text += &before;
        self.write(edit.range.clone(), inner);
        self.out.text += after;
        let end = self.out.text.len();
        self.out.parts.push((number, start..end));
    }
}
