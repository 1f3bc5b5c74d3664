//! Timing: medians of batches of this thread's processor time, which other programs on the machine disturb little.

use std::hint::black_box;
use std::time::Duration;

/// How long one batch lasts at least, so that the clock's own cost does not show.
const BATCH: Duration = Duration::from_millis(2);

/// How long to measure each figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(crate) Duration);

impl Budget {
    /// Nanoseconds that `work` takes: the median of batches, after one run that warms up.
    pub(crate) fn time<T>(self, mut work: impl FnMut() -> T) -> f64 {
        let start = now();
        black_box(work());
        let once = (now() - start).max(Duration::from_nanos(50));
        let rounds = (BATCH.as_nanos() / once.as_nanos()).clamp(1, 100_000) as u32;
        let batches =
            (self.0.as_nanos() / (once.as_nanos() * u128::from(rounds))).clamp(3, 1000) as usize;
        let mut times: Vec<f64> = (0..batches)
            .map(|_| {
                let start = now();
                for _ in 0..rounds {
                    black_box(work());
                }
                (now() - start).as_secs_f64() * 1e9 / f64::from(rounds)
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

/// Processor time of this thread.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

/// Time since the first call, where the thread's own time cannot be asked for.
#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
