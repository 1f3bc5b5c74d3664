//! Resident memory of this process while it does the same work again and again.

/// Bytes of memory that this process has in use, where the system tells.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Does `work` with the items, over and over, `count` times in all; gives the resident memory after every `step` times.
pub fn endure<T>(items: &[T], count: usize, step: usize, mut work: impl FnMut(&T)) -> Vec<u64> {
    let mut measured = Vec::new();
    for (number, item) in (1..=count).zip(items.iter().cycle()) {
        work(item);
        if number % step == 0 {
            measured.extend(resident());
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::{endure, resident};

    #[test]
    fn growth_is_seen() {
        if resident().is_none() {
            return;
        }
        let mut kept = Vec::new();
        let measured = endure(&[1u8, 2], 8, 4, |byte| kept.push(vec![*byte; 4 << 20]));
        assert_eq!((measured.len(), kept.len(), kept[3][0]), (2, 8, 2));
        assert!(measured[1] > measured[0] + (8 << 20), "{measured:?}");
    }
}
