//! Images of clients, and the distance of two of them.

use std::path::Path;

/// Steps of a channel, of 255, that neighbors differ by at an edge.
const EDGE: u8 = 24;

/// Image in the form that clients write: four channels of eight bits, from the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClientImage {
    width: usize,
    pixels: Vec<[u8; 4]>,
}

/// Distance of an image from its reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Distance {
    /// Pixels that differ at all.
    pub(crate) different: usize,
    /// Pixels that differ by more than one step, where the reference has an edge.
    pub(crate) at_edges: usize,
    /// The others that do.
    pub(crate) elsewhere: usize,
    /// Most steps that a channel differs by.
    pub(crate) max_steps: u8,
}

impl ClientImage {
    /// Reads an image that a client has written; `None` if it is missing or incomplete.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let end = b"ENDHDR\n";
        let start = bytes.windows(end.len()).position(|it| it == end)? + end.len();
        let header = std::str::from_utf8(&bytes[..start]).ok()?;
        let number = |word: &str| -> Option<usize> {
            let mut lines = header.lines();
            lines.find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
        };
        let [width, height] = [number("WIDTH ")?, number("HEIGHT ")?];
        let chunks = bytes[start..].chunks_exact(4);
        let pixels: Vec<[u8; 4]> = chunks.map(|it| [it[0], it[1], it[2], it[3]]).collect();
        (pixels.len() == width * height).then_some(Self { width, pixels })
    }

    /// Returns the number of colors.
    pub(crate) fn colors(&self) -> usize {
        let mut colors = self.pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }

    /// Returns the number of pixels.
    pub(crate) fn size(&self) -> usize {
        self.pixels.len()
    }

    /// Returns true if a pixel differs from one of its neighbors as much as shapes from their
    /// background.
    fn is_edge(&self, at: usize) -> bool {
        let height = self.pixels.len() / self.width;
        let near = |it: usize, end: usize| it.saturating_sub(1)..(it + 2).min(end);
        let rows = near(at / self.width, height);
        rows.flat_map(|y| near(at % self.width, self.width).map(move |x| (x, y)))
            .any(|(x, y)| channel_distance(self.pixels[at], self.pixels[y * self.width + x]) > EDGE)
    }

    /// Returns the distance of another image of the same size from this one.
    pub(crate) fn distance(&self, other: &Self) -> Option<Distance> {
        if (self.width, self.size()) != (other.width, other.size()) {
            return None;
        }
        let mut found = Distance {
            different: 0,
            at_edges: 0,
            elsewhere: 0,
            max_steps: 0,
        };
        for (at, (own, its)) in std::iter::zip(&self.pixels, &other.pixels).enumerate() {
            let steps = channel_distance(*own, *its);
            found.different += usize::from(steps > 0);
            found.max_steps = found.max_steps.max(steps);
            match steps > 1 {
                true if self.is_edge(at) => found.at_edges += 1,
                true => found.elsewhere += 1,
                false => {}
            }
        }
        Some(found)
    }
}

/// Returns the largest difference of a channel.
fn channel_distance(a: [u8; 4], b: [u8; 4]) -> u8 {
    std::iter::zip(a, b)
        .map(|(a, b)| a.abs_diff(b))
        .max()
        .unwrap_or(0)
}
