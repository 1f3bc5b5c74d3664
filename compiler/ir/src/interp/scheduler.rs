//! Invocations that wait for each other: those of a patch and of a work group.

use super::environment::Textures;
use super::flow::Step;
use super::machine::{Invocation, Machine, StepLimit};

/// Selects the invocation that runs next: an index below the given number of candidates.
pub type Schedule<'s> = dyn FnMut(usize) -> usize + 's;

impl<T: Textures> Machine<'_, '_, T> {
    /// Runs the invocation to its end.
    pub(super) fn finish(&mut self) -> Result<(), StepLimit> {
        while self.advance()? != Step::Ended {}
        Ok(())
    }

    /// Executes a step of an invocation.
    fn advance_one(&mut self, invocation: &mut Invocation) -> Result<Step, StepLimit> {
        std::mem::swap(&mut self.own, invocation);
        let step = self.advance();
        std::mem::swap(&mut self.own, invocation);
        step
    }

    /// Runs invocations that wait for each other at barriers. Invocations that have ended are not
    /// waited for. Returns true if all invocations reached the same barriers.
    pub(super) fn run_together(
        &mut self,
        mut invocations: Vec<Invocation>,
        schedule: &mut Schedule<'_>,
    ) -> Result<bool, StepLimit> {
        let mut all_same = true;
        let mut running: Vec<usize> = (0..invocations.len()).collect();
        let mut waiting = Vec::new();
        while !running.is_empty() {
            let place = schedule(running.len()).min(running.len() - 1);
            match self.advance_one(&mut invocations[running[place]])? {
                Step::Ran => {}
                Step::Barrier => waiting.push(running.swap_remove(place)),
                Step::Ended => {
                    running.swap_remove(place);
                }
            }
            if let (true, Some(&first)) = (running.is_empty(), waiting.first()) {
                let place = &invocations[first].stack;
                all_same &= invocations.iter().all(|own| own.stack == *place);
                running.append(&mut waiting);
            }
        }
        Ok(all_same)
    }

    /// Runs invocations in lock step: each completes an instruction before any begins the next one,
    /// so the least stack runs next.
    pub(super) fn run_in_lock_step(
        &mut self,
        mut invocations: Vec<Invocation>,
    ) -> Result<(), StepLimit> {
        loop {
            let running = invocations.iter().filter(|own| !own.stack.is_empty());
            let running = running.map(|own| &own.stack);
            let Some(least) = running.min_by(|a, b| a.compare_order(b)).cloned() else {
                return Ok(());
            };
            for invocation in &mut invocations {
                if invocation.stack == least {
                    self.advance_one(invocation)?;
                }
            }
        }
    }
}
