//! How languages call subroutines.

define_ids! {
    /// A label of the source; who records decides on the numbers.
    LabelId = "label";
}

/// What a call does when no place is left on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullStack {
    /// Nothing: it goes on behind the call.
    SkipCall,
    /// It ends the program.
    EndProgram,
}

/// What happens where control reaches a label from the text before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtLabel {
    /// The routine before it returns, and so does the last one at the end of the program.
    Return,
    /// Control goes on behind the label; at the end of the program it ends, whatever called.
    GoOn,
}

/// How a language calls subroutines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Calls that can be open.
    pub depth: u32,
    /// What a call beyond that does.
    pub full: FullStack,
    /// What a label does to the text before it.
    pub at_label: AtLabel,
}
