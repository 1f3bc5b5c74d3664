//! Timing: medians of batches of this thread's processor time, which other programs on the machine disturb little.

use glasm_tests::clock::now;
use std::time::Duration;

/// How long one batch lasts at least, so that the clock's own cost does not show.
const BATCH: Duration = Duration::from_millis(2);

/// How long to measure each figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(crate) Duration);

impl Budget {
    /// Nanoseconds that each piece of work takes: the median of batches. The batches take turns, so that what slows the machine down
    /// for a while slows all of them.
    pub(crate) fn time_together<const N: usize>(
        self,
        mut works: [&mut dyn FnMut(); N],
    ) -> [f64; N] {
        let rounds = works.each_mut().map(|work| rounds(*work));
        let turn: u128 = rounds
            .iter()
            .map(|(once, rounds)| once * u128::from(*rounds))
            .sum();
        let batches = (self.0.as_nanos() * N as u128 / turn.max(1)).clamp(3, 1000) as usize;
        let mut times = [(); N].map(|()| Vec::with_capacity(batches));
        for _ in 0..batches {
            for (index, work) in works.iter_mut().enumerate() {
                times[index].push(batch(*work, rounds[index].1));
            }
        }
        times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
    }
}

/// Nanoseconds of one run, and how many runs make a batch.
fn rounds(work: &mut dyn FnMut()) -> (u128, u32) {
    // The first run warms up.
    work();
    let start = now();
    work();
    let once = (now() - start).as_nanos().max(50);
    let rounds = (BATCH.as_nanos() / once).clamp(1, 100_000);
    (once, u32::try_from(rounds).unwrap_or(1))
}

/// Nanoseconds of one run, averaged over a batch.
fn batch(work: &mut dyn FnMut(), rounds: u32) -> f64 {
    // The work before this one has filled the caches with its own data.
    work();
    let start = now();
    for _ in 0..rounds {
        work();
    }
    (now() - start).as_secs_f64() * 1e9 / f64::from(rounds)
}
