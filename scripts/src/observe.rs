//! Probes and the end of a script, as a runner executes them: each function records the observed
//! data, if that was requested, and compares it.

use crate::data::TypedData;
use crate::image::Image;
use crate::observation::{Observation, Observe, plane_name};
use crate::probe::pixels::{PixelProbe, Surface};
use crate::probe::{Comparison, Tolerances, check_values};
use crate::results::Results;
use crate::script::{BufferId, ImageKey, Script};
use crate::texture::PlaneId;

/// Maximum number of bytes that are recorded per script; later observations are dropped.
const MAX_BYTES: usize = 64 << 20;

impl Results {
    /// Creates results that record observations or not.
    pub fn observing(observe: Observe) -> Self {
        Self {
            observe,
            ..Self::default()
        }
    }

    /// Returns true if observations are recorded.
    pub fn observes(&self) -> bool {
        self.observe == Observe::On
    }

    /// Records an observation.
    pub fn keep(&mut self, observation: Option<Observation>) {
        let Some(observation) = observation else {
            return;
        };
        let kept: usize = self.observations.iter().map(|seen| seen.bytes.len()).sum();
        // Only the observation that is too large is omitted: smaller ones after it may fit.
        if kept + observation.bytes.len() <= MAX_BYTES {
            self.observations.push(observation);
        }
    }

    /// Compares the contents of a buffer with the expected values; `name` is the name of the buffer
    /// in messages.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_values(
        &mut self,
        line: u32,
        name: &str,
        contents: &[u8],
        expected: &TypedData,
        (comparison, tolerances): (Comparison, &Tolerances),
    ) -> Result<(), String> {
        if self.observes() {
            let seen = Observation::of_values(line, name.to_owned(), contents, expected);
            self.keep(seen);
        }
        check_values(name, contents, expected, comparison, tolerances)
    }

    /// Checks a probe of a count; `what` is its name in messages.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_count(
        &mut self,
        line: u32,
        what: impl ToString,
        observed: u64,
        (comparison, expected): (Comparison, u64),
    ) -> Result<(), String> {
        if self.observes() {
            let seen = Observation::of_count(line, what.to_string(), observed);
            self.keep(Some(seen));
        }
        if comparison.holds_for_counts(observed, expected) {
            return Ok(());
        }
        let (sign, what) = (comparison.sign(), what.to_string());
        Err(format!(
            "{what}: expected {sign} {expected}, observed {observed}"
        ))
    }

    /// Checks a probe of a plane of a storage image, which the caller has read.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_image(
        &mut self,
        line: u32,
        (key, plane): (ImageKey, PlaneId),
        probe: &PixelProbe,
        picture: &Image,
    ) -> Result<(), String> {
        let name = || plane_name(key, plane);
        if self.observes() {
            self.keep(Observation::of_region(line, name(), probe, picture));
        }
        let found = probe.check(picture);
        found.map_err(|message| format!("{}: {message}", name()))
    }

    /// Records a surface of the framebuffer at the end of the script.
    pub fn observe_surface(&mut self, surface: Surface, image: &Image) {
        self.keep(Some(Observation::of_picture(surface.to_string(), image)));
    }

    /// Records a plane of a storage image at the end of the script.
    pub fn observe_image(&mut self, key: ImageKey, plane: PlaneId, picture: &Image) {
        let seen = Observation::of_picture(plane_name(key, plane), picture);
        self.keep(Some(seen));
    }

    /// Records a buffer at the end of the script.
    pub fn observe_buffer(&mut self, script: &Script, buffer: BufferId, contents: &[u8]) {
        self.keep(Some(Observation::of_buffer(script, buffer, contents)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_and_compared() {
        let mut results = Results::observing(Observe::On);
        let probe = |results: &mut Results, expected| {
            results.probe_count(3, "samples drawn", 5, (Comparison::Equal, expected))
        };
        assert_eq!(probe(&mut results, 5), Ok(()));
        assert_eq!(
            probe(&mut results, 6).unwrap_err(),
            "samples drawn: expected == 6, observed 5"
        );
        assert_eq!(results.observations.len(), 2);
        let mut results = Results::default();
        assert_eq!(probe(&mut results, 5), Ok(()));
        assert_eq!(results.observations, []);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut results = Results::observing(Observe::On);
        let seen = |bytes: usize| Observation {
            bytes: vec![0; bytes],
            ..Observation::of_count(1, "x".into(), 0)
        };
        results.keep(Some(seen(MAX_BYTES - 8)));
        results.keep(Some(seen(9)));
        results.keep(Some(seen(8)));
        assert_eq!(results.observations.len(), 2);
    }
}
