//! Which subroutines can call themselves, directly or through others. NV_gpu_program4 section 2.X.5 and issue 38.

use glasm_ir::Span;

/// What the search knows about a routine.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Order of discovery, from 1; 0 before.
    number: u32,
    low: u32,
    is_open: bool,
}

/// The group of each routine: routines that can call each other have the same one, routines that cannot call themselves have none.
/// `graph` lists the routines that each one calls. Tarjan's algorithm with a stack of its own.
pub(super) fn groups(graph: &[Vec<(u32, Span)>], main: u32) -> Vec<Option<u32>> {
    let mut groups = vec![None; graph.len()];
    let mut visits = vec![Visit::default(); graph.len()];
    let (mut count, mut group_count) = (0, 0);
    let mut open = Vec::new();
    let mut stack = vec![(main as usize, 0usize)];
    while let Some(top) = stack.last_mut() {
        let (routine, next) = *top;
        if visits[routine].number == 0 {
            count += 1;
            visits[routine] = Visit {
                number: count,
                low: count,
                is_open: true,
            };
            open.push(routine);
        }
        if let Some(&(callee, _)) = graph[routine].get(next) {
            top.1 += 1;
            let callee = callee as usize;
            if visits[callee].number == 0 {
                stack.push((callee, 0));
            } else if visits[callee].is_open {
                visits[routine].low = visits[routine].low.min(visits[callee].number);
            }
            continue;
        }
        stack.pop();
        let low = visits[routine].low;
        if let Some(&(caller, _)) = stack.last() {
            visits[caller].low = visits[caller].low.min(low);
        }
        if low == visits[routine].number {
            let start = open.iter().rposition(|other| *other == routine);
            let members = open.split_off(start.unwrap_or(0));
            let calls_itself = graph[routine]
                .iter()
                .any(|&(callee, _)| callee as usize == routine);
            for &member in &members {
                visits[member].is_open = false;
                if members.len() > 1 || calls_itself {
                    groups[member] = Some(group_count);
                }
            }
            group_count += u32::from(members.len() > 1 || calls_itself);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(calls: &[&[u32]]) -> Vec<Option<u32>> {
        let graph: Vec<Vec<(u32, Span)>> = calls
            .iter()
            .map(|callees| {
                callees
                    .iter()
                    .map(|&callee| (callee, Span::new(0, 0)))
                    .collect()
            })
            .collect();
        groups(&graph, 0)
    }

    #[test]
    fn chains_have_no_group() {
        assert_eq!(groups_of(&[&[1, 2], &[2], &[]]), [None; 3]);
    }

    #[test]
    fn routines_that_call_each_other_have_one_group() {
        assert_eq!(
            groups_of(&[&[1, 3], &[2], &[1], &[3], &[4]]),
            [None, Some(0), Some(0), Some(1), None]
        );
        assert_eq!(groups_of(&[&[1], &[0]]), [Some(0); 2]);
    }
}
