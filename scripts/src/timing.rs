//! Time that a script spends in each phase, and limits on time.
//!
//! A [`Clock`] is always in one phase. [`Clock::enter`] changes to another one until its guard is
//! dropped, so times are exclusive: the time that a probe waits for the device is charged to the
//! device.
//!
//! A [`Stopwatch`] limits the time of work on the CPU, whose elapsed time depends on the load of
//! the system: a limit on elapsed time would fail a correct script on a busy machine. Therefore the
//! limit applies to the CPU time of a process, where the system reports it. A process that waits
//! forever uses no CPU time, so at least an eighth of the elapsed time is charged
//! ([`MAX_SLOWDOWN`]).

use std::cell::Cell;
use std::fmt;
use std::ops::{AddAssign, Index};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Phase of running a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Reads the file and its commands.
    Parse,
    /// Compiles programs to SPIR-V.
    Compile,
    /// Opens the device: for the first script, and after a loss.
    Open,
    /// Creation and destruction of buffers and images.
    Resources,
    /// Creation of layouts, shader modules and pipelines, including compilation by the driver.
    Pipelines,
    /// Records commands, submits them, and waits for the device.
    Device,
    /// Comparison of results.
    Probes,
    /// All other work.
    Other,
}

impl Phase {
    /// All phases, in the order in which a script enters them.
    pub const ALL: [Self; 8] = [
        Self::Parse,
        Self::Compile,
        Self::Open,
        Self::Resources,
        Self::Pipelines,
        Self::Device,
        Self::Probes,
        Self::Other,
    ];

    /// Returns the keyword of the phase in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Compile => "compile",
            Self::Open => "open",
            Self::Resources => "resources",
            Self::Pipelines => "pipelines",
            Self::Device => "device",
            Self::Probes => "probes",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Time of each phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timings([Duration; Phase::ALL.len()]);

impl Timings {
    /// Returns the sum of the times of all phases.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

impl Index<Phase> for Timings {
    type Output = Duration;

    fn index(&self, phase: Phase) -> &Duration {
        &self.0[phase as usize]
    }
}

impl AddAssign<&Self> for Timings {
    fn add_assign(&mut self, other: &Self) {
        for (time, other) in self.0.iter_mut().zip(&other.0) {
            *time += *other;
        }
    }
}

/// Counts the time of one script at a time.
pub struct Clock {
    phase: Cell<Phase>,
    since: Cell<Instant>,
    spent: Cell<Timings>,
}

impl Clock {
    /// Returns a clock that has not been started.
    pub fn new() -> Rc<Self> {
        Rc::new(Self {
            phase: Cell::new(Phase::Other),
            since: Cell::new(Instant::now()),
            spent: Cell::default(),
        })
    }

    /// Resets all times to 0 for the next script, whose first phase is `Other`.
    pub fn start(&self) {
        self.switch_phase(Phase::Other);
        self.spent.set(Timings::default());
    }

    /// Returns the time of each phase since the last [`Self::start`], including the current phase
    /// until now.
    pub fn timings(&self) -> Timings {
        self.switch_phase(self.phase.get());
        self.spent.get()
    }

    /// Makes `phase` the current one until the guard is dropped, which restores the previous phase.
    pub fn enter(&self, phase: Phase) -> PhaseGuard<'_> {
        let before = self.phase.get();
        self.switch_phase(phase);
        PhaseGuard {
            clock: self,
            previous: before,
        }
    }

    /// Adds the time since the last switch to the current phase, and makes `phase` the current one.
    fn switch_phase(&self, phase: Phase) {
        let now = Instant::now();
        let mut spent = self.spent.get();
        spent.0[self.phase.get() as usize] += now.duration_since(self.since.get());
        self.spent.set(spent);
        self.since.set(now);
        self.phase.set(phase);
    }
}

/// Guard of a phase.
#[must_use = "the phase ends when this is dropped"]
pub struct PhaseGuard<'a> {
    clock: &'a Clock,
    previous: Phase,
}

impl Drop for PhaseGuard<'_> {
    fn drop(&mut self) {
        self.clock.switch_phase(self.previous);
    }
}

/// Factor by which the elapsed time may exceed a limit because the machine is busy.
pub const MAX_SLOWDOWN: u32 = 8;

/// Polling interval once the limit has passed in elapsed time.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Measures time since its creation.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
    /// Measured process, and its CPU time at the start.
    process: Option<(u32, Duration)>,
}

impl Stopwatch {
    /// Creates a stopwatch of the elapsed time, for work of other hardware.
    pub fn for_wall_clock() -> Self {
        Self {
            start: Instant::now(),
            process: None,
        }
    }

    /// Creates a stopwatch of the CPU time of all threads of a process, at most the elapsed time
    /// and at least an eighth of it. On systems that do not report CPU time (other than Linux), it
    /// measures the elapsed time.
    pub fn for_process(id: u32) -> Self {
        Self {
            start: Instant::now(),
            process: processor_time(id).map(|time| (id, time)),
        }
    }

    /// Returns the time that limits apply to: the CPU time of the measured process, at least the
    /// elapsed time divided by [`MAX_SLOWDOWN`] and at most the elapsed time. Without a process it
    /// is the elapsed time.
    pub fn elapsed(&self) -> Duration {
        let clock = self.start.elapsed();
        let Some((id, before)) = self.process else {
            return clock;
        };
        // A process that has ended uses no more CPU time.
        let computed = processor_time(id).map_or(clock, |now| now.saturating_sub(before));
        computed.clamp(clock / MAX_SLOWDOWN, clock)
    }

    /// Returns the time to wait before the next call; `None` when `limit` is over. Until the limit
    /// has passed in elapsed time it is the remaining elapsed time, then at most [`POLL_INTERVAL`].
    pub fn remaining(&self, limit: Duration) -> Option<Duration> {
        let by_clock = limit.saturating_sub(self.start.elapsed());
        if !by_clock.is_zero() {
            return Some(by_clock);
        }
        let left = limit.saturating_sub(self.elapsed());
        (!left.is_zero()).then(|| left.min(POLL_INTERVAL))
    }
}

/// Returns the CPU time of all threads of a process since it began; `None` if the system does not
/// report it, as after the end of the process.
fn processor_time(id: u32) -> Option<Duration> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Returns the CPU time of a process from its `/proc/PID/stat`: after the name in parentheses,
/// which may contain anything, fields 14 and 15 of all are the ticks in user and kernel mode.
/// `None` if the form differs.
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
    use std::thread;

    #[test]
    fn phases_nest_and_exclude_each_other() {
        let clock = Clock::new();
        let step = Duration::from_millis(5);
        clock.start();
        {
            let _probes = clock.enter(Phase::Probes);
            thread::sleep(step);
            {
                let _device = clock.enter(Phase::Device);
                thread::sleep(3 * step);
            }
            thread::sleep(step);
        }
        let times = clock.timings();
        assert!(times[Phase::Device] >= 3 * step && times[Phase::Probes] >= 2 * step);
        // The excess of sleeping is small, and is charged to neither: the sum is the elapsed time.
        assert_eq!(
            times.total(),
            Phase::ALL.iter().map(|phase| times[*phase]).sum()
        );
        assert_eq!(times[Phase::Compile], Duration::ZERO);
        let mut twice = times;
        twice += &times;
        assert_eq!(twice[Phase::Device], 2 * times[Phase::Device]);
        clock.start();
        assert!(clock.timings()[Phase::Device].is_zero());
    }

    #[test]
    fn phases_are_in_their_places() {
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, index);
        }
    }

    #[test]
    fn ticks_are_read_behind_any_name() {
        let stat = "4711 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 123 77 0 0 20 0 3 0 99";
        assert_eq!(parse_stat(stat), Some(Duration::from_millis(2000)));
        assert_eq!(parse_stat("4711 (a) S 1 2 3"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn the_clock_runs_on_while_a_process_sleeps() {
        let clock = Stopwatch::for_wall_clock();
        let process = Stopwatch::for_process(std::process::id());
        thread::sleep(Duration::from_millis(80));
        assert!(clock.elapsed() >= Duration::from_millis(80));
        assert_eq!(clock.remaining(Duration::from_millis(80)), None);
        // At least an eighth counts.
        assert_eq!(process.remaining(Duration::from_millis(10)), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_waits_has_time_left() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let watch = Stopwatch::for_process(child.id());
        thread::sleep(Duration::from_millis(400));
        // Over by the clock, however long the sleep was on a busy machine.
        let limit = watch.start.elapsed() / 2;
        let left = watch.remaining(limit);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(left.is_some_and(|left| left <= limit), "{left:?}");
    }

    #[test]
    fn a_process_that_computes_runs_out_of_time() {
        let watch = Stopwatch::for_process(std::process::id());
        let end = Instant::now() + Duration::from_secs(60);
        while watch.remaining(Duration::from_millis(100)).is_some() {
            assert!(Instant::now() < end);
        }
        assert!(watch.elapsed() >= Duration::from_millis(100));
    }
}
