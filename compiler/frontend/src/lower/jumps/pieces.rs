//! A program with free branches in pieces, and what each call reaches.

use crate::ast::{Extra, Inst as Line, Statement};
use crate::check::{Checked, Jumps};
use crate::lang::arb::limits;
use crate::lang::opcodes::{FlowOp, Lower};
use rustc_hash::FxHashMap;

/// A piece of the program: its number is its place in the order of the text.
pub(super) type PieceId = usize;

/// Statements that run one after the other.
pub(super) struct Piece {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) ending: Ending,
}

/// How a piece ends; what is conditional goes on with the next piece otherwise.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    Next,
    Branch(u32, PieceId),
    Call(u32, PieceId),
    Return(u32),
    /// PUSHA and POPA.
    Push(u32),
    Pop(u32),
}

/// The pieces of a program in order; the number behind the last one is that of its end.
pub(super) struct Pieces<'c> {
    pub(super) list: Vec<Piece>,
    pub(super) entry: PieceId,
    insts: &'c [Line],
}

/// A target of calls and the pieces that run until it returns.
pub(super) struct Region {
    pub(super) entry: PieceId,
    pub(super) pieces: Vec<PieceId>,
}

impl<'c> Pieces<'c> {
    pub(super) fn new(checked: &'c Checked<'_>, jumps: &Jumps) -> Self {
        let statements = &checked.ast.statements;
        let flow = |statement: &Statement| {
            let &Statement::Inst(number) = statement else {
                return None;
            };
            match checked.ast.insts[number as usize].opcode.info().lower {
                Lower::Flow(op) => Some((number, op)),
                Lower::Op(_) | Lower::Expand(_) | Lower::Missing => None,
            }
        };
        let target = |number: u32| match checked.ast.extra(&checked.ast.insts[number as usize]) {
            Extra::Label(label, _) => jumps.labels.get(&label).copied(),
            Extra::None | Extra::Texture(_) | Extra::ExtSwizzle(_) => None,
        };
        let mut starts = vec![false; statements.len() + 1];
        starts[0] = true;
        starts[jumps.entry as usize] = true;
        for (index, statement) in statements.iter().enumerate() {
            if let Some((number, _)) = flow(statement) {
                starts[index + 1] = true;
                if let Some(target) = target(number) {
                    starts[target as usize] = true;
                }
            }
        }
        starts[statements.len()] = true;
        let firsts: Vec<u32> = (0..)
            .zip(&starts)
            .filter(|(_, start)| **start)
            .map(|(index, _)| index)
            .collect();
        let piece_at = |statement: u32| firsts.partition_point(|&first| first < statement);
        let list = firsts.windows(2).map(|pair| {
            let last = flow(&statements[pair[1] as usize - 1]);
            let ending = match last {
                Some((number, FlowOp::Bra)) => {
                    target(number).map(|to| Ending::Branch(number, piece_at(to)))
                }
                Some((number, FlowOp::Cal)) => {
                    target(number).map(|to| Ending::Call(number, piece_at(to)))
                }
                Some((number, FlowOp::Ret)) => Some(Ending::Return(number)),
                Some((number, FlowOp::Push)) => Some(Ending::Push(number)),
                Some((number, FlowOp::Pop)) => Some(Ending::Pop(number)),
                _ => None,
            };
            Piece {
                first: pair[0],
                end: pair[1],
                ending: ending.unwrap_or(Ending::Next),
            }
        });
        Self {
            list: list.collect(),
            entry: piece_at(jumps.entry),
            insts: &checked.ast.insts,
        }
    }

    fn is_conditional(&self, number: u32) -> bool {
        self.insts[number as usize].cond.is_some()
    }

    /// The pieces that can run behind `piece` before the subroutine that it is in returns.
    fn successors(&self, piece: PieceId) -> [Option<PieceId>; 2] {
        let next = Some(piece + 1);
        match self.list[piece].ending {
            Ending::Next | Ending::Call(..) | Ending::Push(_) | Ending::Pop(_) => [next, None],
            Ending::Branch(number, target) => {
                [Some(target), next.filter(|_| self.is_conditional(number))]
            }
            Ending::Return(number) => [None, next.filter(|_| self.is_conditional(number))],
        }
    }

    /// Whether some branch leads back.
    pub(super) fn has_loops(&self) -> bool {
        let back = |(index, piece): (PieceId, &Piece)| matches!(piece.ending, Ending::Branch(_, target) if target <= index);
        self.list.iter().enumerate().any(back)
    }

    /// What runs from `entry` on. `None` if that is the end of the program, which ends callers too. `visits` holds for each
    /// piece the last entry that reached it.
    fn region(&self, entry: PieceId, visits: &mut [Option<PieceId>]) -> Option<Region> {
        let mut pieces = Vec::new();
        let mut open = vec![entry];
        while let Some(piece) = open.pop() {
            let Some(visit) = visits.get_mut(piece) else {
                if entry == self.entry {
                    continue;
                }
                return None;
            };
            if visit.replace(entry) != Some(entry) {
                pieces.push(piece);
                open.extend(self.successors(piece).into_iter().flatten());
            }
        }
        pieces.sort_unstable();
        Some(Region { entry, pieces })
    }

    /// A region for the start of the program and for each target of a call that can run, callers first; `None` if calls need the stack.
    pub(super) fn regions(&self) -> Option<Vec<Region>> {
        let mut search = Search {
            // Regions may share pieces: together they must not become much larger than the program.
            left: 2 * self.list.len() + 64,
            visits: vec![None; self.list.len()],
            regions: Vec::new(),
            numbers: FxHashMap::default(),
        };
        search.number(self, self.entry)?;
        let mut calls: Vec<Vec<usize>> = Vec::new();
        while calls.len() < search.regions.len() {
            let mut callees = Vec::new();
            for place in 0..search.regions[calls.len()].pieces.len() {
                let piece = search.regions[calls.len()].pieces[place];
                match self.list[piece].ending {
                    Ending::Call(_, target) => callees.push(search.number(self, target)?),
                    Ending::Push(_) | Ending::Pop(_) => return None,
                    Ending::Next | Ending::Branch(..) | Ending::Return(_) => {}
                }
            }
            calls.push(callees);
        }
        within_stack(&calls).then_some(search.regions)
    }
}

/// The regions found so far.
struct Search {
    /// Pieces that further regions may have.
    left: usize,
    /// For each piece the last entry that reached it.
    visits: Vec<Option<PieceId>>,
    regions: Vec<Region>,
    numbers: FxHashMap<PieceId, usize>,
}

impl Search {
    /// The number of the region that begins at `entry`.
    fn number(&mut self, pieces: &Pieces<'_>, entry: PieceId) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&entry) {
            return Some(number);
        }
        let region = pieces.region(entry, &mut self.visits)?;
        self.left = self.left.checked_sub(region.pieces.len())?;
        self.regions.push(region);
        self.numbers.insert(entry, self.regions.len() - 1);
        Some(self.regions.len() - 1)
    }
}

/// Whether no chain of calls from region 0 is longer than the stack.
fn within_stack(calls: &[Vec<usize>]) -> bool {
    let mut level: Vec<bool> = (0..calls.len()).map(|region| region == 0).collect();
    for _ in 0..=limits::CALL_DEPTH {
        let mut next = vec![false; calls.len()];
        for (callees, _) in calls.iter().zip(&level).filter(|(_, here)| **here) {
            callees.iter().for_each(|&callee| next[callee] = true);
        }
        level = next;
    }
    !level.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::within_stack;

    #[test]
    fn chains_of_calls_fit_the_stack() {
        let chain = |length: usize| -> Vec<Vec<usize>> {
            (0..=length)
                .map(|region| {
                    if region < length {
                        vec![region + 1]
                    } else {
                        Vec::new()
                    }
                })
                .collect()
        };
        assert!(within_stack(&chain(0)));
        assert!(within_stack(&chain(4)));
        assert!(!within_stack(&chain(5)));
        assert!(!within_stack(&[vec![1], vec![1]]));
    }
}
