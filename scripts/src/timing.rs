//! Time that a script spends in each phase.
//!
//! A [`Clock`] is always in one phase. [`Clock::enter`] changes to another one until its guard is
//! dropped, so times are exclusive: the time that a probe waits for the device is charged to the
//! device.

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

    /// Returns the name as one word.
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
    /// Returns all phases together.
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

    /// Begins a script.
    pub fn start(&self) {
        self.switch(Phase::Other);
        self.spent.set(Timings::default());
    }

    /// Reads the times since the start.
    pub fn read(&self) -> Timings {
        self.switch(self.phase.get());
        self.spent.get()
    }

    /// Enters `phase` until the guard is dropped.
    pub fn enter(&self, phase: Phase) -> Entered<'_> {
        let before = self.phase.get();
        self.switch(phase);
        Entered {
            clock: self,
            before,
        }
    }

    /// Counts the time until now for the phase that was on.
    fn switch(&self, phase: Phase) {
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
pub struct Entered<'a> {
    clock: &'a Clock,
    before: Phase,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.clock.switch(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn phases_nest_and_exclude_each_other() {
        let clock = Clock::new();
        let step = Duration::from_millis(5);
        clock.start();
        {
            let _probes = clock.enter(Phase::Probes);
            sleep(step);
            {
                let _device = clock.enter(Phase::Device);
                sleep(3 * step);
            }
            sleep(step);
        }
        let times = clock.read();
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
        assert!(clock.read()[Phase::Device].is_zero());
    }

    #[test]
    fn phases_are_in_their_places() {
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, index);
        }
    }
}
