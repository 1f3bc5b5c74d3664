//! The clock of measurements.

use std::time::Duration;

/// Returns the processor time of this thread, which other programs on the machine disturb little.
#[cfg(unix)]
#[must_use]
pub fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

/// Returns the time since the first call, where the thread's own time cannot be asked for.
#[cfg(not(unix))]
#[must_use]
pub fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// Returns the processor time that `work` takes.
pub fn time(work: impl FnOnce()) -> Duration {
    let start = now();
    work();
    now().saturating_sub(start)
}
