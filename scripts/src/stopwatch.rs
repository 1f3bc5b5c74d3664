//! Time limits that a busy machine does not use up.
//!
//! The elapsed time of work on the CPU depends on the load of the system: a limit on elapsed time
//! would fail a correct script on a busy machine. Therefore the limit applies to the CPU time of a
//! process, where the system reports it. A process that waits forever uses no CPU time, so at least
//! an eighth of the elapsed time is charged ([`PATIENCE`]).

use std::time::{Duration, Instant};

/// Factor by which the elapsed time may exceed a limit because the machine is busy.
pub const PATIENCE: u32 = 8;

/// Polling interval once the limit has passed in elapsed time.
const LOOK: Duration = Duration::from_secs(1);

/// Measures time since its creation.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
    /// Measured process, and its CPU time at the start.
    process: Option<(u32, Duration)>,
}

impl Stopwatch {
    /// Measures elapsed time, for work of other hardware.
    pub fn of_clock() -> Self {
        Self {
            start: Instant::now(),
            process: None,
        }
    }

    /// Measures the CPU time of all threads of a process, but at most the elapsed time and at least
    /// an eighth of it. On systems that do not report CPU time (other than Linux), measures the
    /// elapsed time.
    pub fn of_process(id: u32) -> Self {
        Self {
            start: Instant::now(),
            process: processor_time(id).map(|time| (id, time)),
        }
    }

    /// Returns the time that counts.
    pub fn elapsed(&self) -> Duration {
        let clock = self.start.elapsed();
        let Some((id, before)) = self.process else {
            return clock;
        };
        // A process that has ended uses no more CPU time.
        let computed = processor_time(id).map_or(clock, |now| now.saturating_sub(before));
        computed.clamp(clock / PATIENCE, clock)
    }

    /// Returns the time to wait before the next call; `None` when `limit` is over.
    pub fn left(&self, limit: Duration) -> Option<Duration> {
        let by_clock = limit.saturating_sub(self.start.elapsed());
        if !by_clock.is_zero() {
            return Some(by_clock);
        }
        let left = limit.saturating_sub(self.elapsed());
        (!left.is_zero()).then(|| left.min(LOOK))
    }
}

/// Returns the processor time of all threads of a process since it began.
fn processor_time(id: u32) -> Option<Duration> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Parses the times of `/proc/PID/stat`: after the name in parentheses, which may contain anything,
/// fields 14 and 15 of all are the ticks in user and kernel mode.
fn parse_stat(text: &str) -> Option<Duration> {
    /// `USER_HZ`: the unit of these files on every architecture that Rust's standard library
    /// supports.
    const TICKS_PER_SECOND: u64 = 100;
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis(
        user.checked_add(kernel)?
            .checked_mul(1000 / TICKS_PER_SECOND)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_any_name() {
        let stat = "4711 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 123 77 0 0 20 0 3 0 99";
        assert_eq!(parse_stat(stat), Some(Duration::from_millis(2000)));
        assert_eq!(parse_stat("4711 (a) S 1 2 3"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn the_clock_runs_on_while_a_process_sleeps() {
        let clock = Stopwatch::of_clock();
        let process = Stopwatch::of_process(std::process::id());
        std::thread::sleep(Duration::from_millis(80));
        assert!(clock.elapsed() >= Duration::from_millis(80));
        assert_eq!(clock.left(Duration::from_millis(80)), None);
        // At least an eighth counts.
        assert_eq!(process.left(Duration::from_millis(10)), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_waits_has_time_left() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let watch = Stopwatch::of_process(child.id());
        std::thread::sleep(Duration::from_millis(400));
        // Over by the clock, however long the sleep was on a busy machine.
        let limit = watch.start.elapsed() / 2;
        let left = watch.left(limit);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(left.is_some_and(|left| left <= limit), "{left:?}");
    }

    #[test]
    fn a_process_that_computes_runs_out_of_time() {
        let watch = Stopwatch::of_process(std::process::id());
        let end = Instant::now() + Duration::from_secs(60);
        while watch.left(Duration::from_millis(100)).is_some() {
            assert!(Instant::now() < end);
        }
        assert!(watch.elapsed() >= Duration::from_millis(100));
    }
}
