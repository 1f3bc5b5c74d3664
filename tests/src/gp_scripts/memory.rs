//! Memory that invocations share, with a watch on who touches what.
//!
//! Between barriers a byte belongs to the invocation that writes it. An access whose result depends on the order of invocations is [`Open`].

use super::program::AtomicKind;
use super::value::Open;

/// Who has touched a byte since the last barrier.
#[derive(Clone, Copy, Default)]
struct Mark {
    writer: Option<usize>,
    reader: Option<usize>,
    /// There were several readers.
    many: bool,
    common: Option<AtomicKind>,
}

/// Bytes that several invocations reach.
#[derive(Clone)]
pub(super) struct Region {
    bytes: Vec<Option<u8>>,
    marks: Vec<Mark>,
}

impl Region {
    /// Bytes that nobody has written.
    pub(super) fn unknown(len: usize) -> Self {
        Self {
            bytes: vec![None; len],
            marks: vec![Mark::default(); len],
        }
    }

    pub(super) fn known(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.iter().copied().map(Some).collect(),
            marks: vec![Mark::default(); bytes.len()],
        }
    }

    /// After a barrier everybody sees what everybody has written.
    pub(super) fn barrier(&mut self) {
        self.marks.fill(Mark::default());
    }

    /// The contents, with 0 for what nobody has written.
    pub(super) fn contents(&self) -> Vec<u8> {
        self.bytes.iter().map(|byte| byte.unwrap_or(0)).collect()
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Open> {
        let inside = at
            .checked_add(len)
            .is_some_and(|end| end <= self.bytes.len());
        if inside && at.is_multiple_of(len) {
            Ok(())
        } else {
            Err(Open)
        }
    }

    fn value(&self, at: usize, len: usize) -> Result<u64, Open> {
        let mut value = 0;
        for byte in self.bytes[at..at + len].iter().rev() {
            value = value << 8 | u64::from(byte.ok_or(Open)?);
        }
        Ok(value)
    }

    fn set(&mut self, at: usize, len: usize, value: u64) {
        for (offset, byte) in value.to_le_bytes().into_iter().take(len).enumerate() {
            self.bytes[at + offset] = Some(byte);
        }
    }

    /// What invocation `who` reads.
    pub(super) fn read(&mut self, at: usize, len: usize, who: usize) -> Result<u64, Open> {
        self.check(at, len)?;
        for mark in &mut self.marks[at..at + len] {
            if mark.common.is_some() || mark.writer.is_some_and(|writer| writer != who) {
                return Err(Open);
            }
            mark.many |= mark.reader.is_some_and(|reader| reader != who);
            mark.reader = Some(who);
        }
        self.value(at, len)
    }

    /// Invocation `who` writes.
    pub(super) fn write(
        &mut self,
        at: usize,
        len: usize,
        value: u64,
        who: usize,
    ) -> Result<(), Open> {
        self.check(at, len)?;
        for mark in &mut self.marks[at..at + len] {
            let others = [mark.writer, mark.reader]
                .into_iter()
                .flatten()
                .any(|it| it != who);
            if mark.common.is_some() || mark.many || others {
                return Err(Open);
            }
            mark.writer = Some(who);
        }
        self.set(at, len, value);
        Ok(())
    }

    /// Any invocation applies an operation whose order does not matter.
    pub(super) fn join(
        &mut self,
        at: usize,
        len: usize,
        kind: AtomicKind,
        change: impl FnOnce(u64) -> u64,
    ) -> Result<(), Open> {
        self.check(at, len)?;
        for mark in &mut self.marks[at..at + len] {
            let touched = mark.writer.is_some() || mark.reader.is_some();
            if touched || mark.common.is_some_and(|other| other != kind) {
                return Err(Open);
            }
            mark.common = Some(kind);
        }
        let value = change(self.value(at, len)?);
        self.set(at, len, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_open() {
        let mut region = Region::known(&[1, 2, 3, 4, 0, 0, 0, 0]);
        assert_eq!(region.read(0, 4, 0), Ok(0x0403_0201));
        assert_eq!(region.read(0, 4, 1), Ok(0x0403_0201));
        assert_eq!(region.write(0, 4, 7, 0), Err(Open));
        assert_eq!(region.write(4, 4, 7, 0), Ok(()));
        assert_eq!(region.read(4, 4, 1), Err(Open));
        region.barrier();
        assert_eq!(region.read(4, 4, 1), Ok(7));
        region.barrier();
        assert_eq!(region.join(4, 4, AtomicKind::Add, |old| old + 1), Ok(()));
        assert_eq!(region.join(4, 4, AtomicKind::Add, |old| old + 1), Ok(()));
        assert_eq!(region.join(4, 4, AtomicKind::Xor, |old| old), Err(Open));
        assert_eq!(region.read(4, 4, 1), Err(Open));
        region.barrier();
        assert_eq!(region.read(4, 4, 1), Ok(9));
        assert_eq!(region.read(6, 4, 1), Err(Open));
    }
}
