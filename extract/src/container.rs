//! Archives, compressed files and traces: finds the data in them and scans it.
//!
//! Data is unpacked into windows of memory, never into files. Names in archives only appear in the
//! index. [`Limits`] bound depth and number of bytes.

use crate::bundle::{self, Bundle};
use crate::capture::{self, SectionData};
use crate::limits::{CountedReader, Limits};
use crate::scan::{Found, Scanner, remove_overlaps};
use sevenz_rust2::{ArchiveReader, Password};
use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;
use zip::ZipArchive;

/// Bytes that are read of data before it is scanned.
const WINDOW: u64 = 16 << 20;

/// Bytes before the next window that stay in memory: lines of a header, literals of macros.
const CONTEXT: usize = 64 << 10;

/// Bytes at the end of a window in which no program may begin, so that its end is visible.
const MARGIN: usize = 1 << 20;

/// Bytes of a window at most, if a program is longer than the margin.
const MAX_WINDOW: usize = 64 << 20;

/// Programs of a file at most.
pub(crate) const MAX_PROGRAMS: usize = 1_000_000;

/// Message about a file with more programs.
pub(crate) const TOO_MANY_PROGRAMS: &str = "the file has too many programs; some are left out";

/// Bytes at the start of data that show its format.
const HEAD: usize = 512;

/// Format of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Gzip,
    Xz,
    Bzip2,
    Zstd,
    Tar,
    Zip,
    SevenZip,
    Debian,
    Apitrace,
    RenderDoc,
    UnityFs,
    Data,
}

impl Format {
    /// Returns the format of data that begins with these bytes.
    pub(crate) fn detect(head: &[u8]) -> Self {
        let has = |at: usize, magic: &[u8]| head.get(at..).is_some_and(|it| it.starts_with(magic));
        if has(0, b"\x1f\x8b\x08") {
            Self::Gzip
        } else if has(0, b"\xfd7zXZ\0") {
            Self::Xz
        } else if has(0, b"BZh") && has(4, b"1AY&SY") {
            Self::Bzip2
        } else if has(0, b"\x28\xb5\x2f\xfd") {
            Self::Zstd
        } else if has(257, b"ustar") {
            Self::Tar
        } else if has(0, b"PK\x03\x04") || has(0, b"PK\x05\x06") {
            Self::Zip
        } else if has(0, b"7z\xbc\xaf\x27\x1c") {
            Self::SevenZip
        } else if has(0, b"!<arch>\ndebian-binary") {
            Self::Debian
        } else if has(0, capture::MAGIC) {
            Self::RenderDoc
        } else if has(0, bundle::MAGIC) {
            Self::UnityFs
        } else if is_apitrace(head) {
            Self::Apitrace
        } else {
            Self::Data
        }
    }
}

/// Returns true if data begins as a trace of apitrace: chunks of Snappy with their lengths.
fn is_apitrace(head: &[u8]) -> bool {
    let Some([l0, l1, l2, l3, chunk @ ..]) = head.strip_prefix(b"at") else {
        return false;
    };
    let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]);
    let unpacked = snap::raw::decompress_len(chunk).unwrap_or(usize::MAX);
    (1..=MAX_CHUNK).contains(&length) && (1..=MAX_CHUNK as usize).contains(&unpacked)
}

/// Bytes of a chunk of a trace at most; apitrace writes 1 MiB.
const MAX_CHUNK: u32 = 64 << 20;

/// What was found in a file.
#[derive(Default, Debug)]
pub(crate) struct Findings {
    /// The programs, with the names of the entries that contain them.
    pub(crate) programs: Vec<(String, Found)>,
    pub(crate) other_headers: u64,
    pub(crate) problems: Vec<String>,
    /// Bytes of data that were scanned.
    pub(crate) bytes: u64,
}

/// The search in one file.
pub(crate) struct Walk<'a> {
    scanner: &'a Scanner,
    limits: &'a Limits,
    /// Bytes that may still be unpacked.
    remaining: Rc<Cell<u64>>,
    /// Names of the entries that are open, from the outermost.
    names: Vec<String>,
    pub(crate) findings: Findings,
}

impl<'a> Walk<'a> {
    /// Prepares the search in a file of this size.
    pub(crate) fn new(scanner: &'a Scanner, limits: &'a Limits, file_bytes: u64) -> Self {
        Self {
            scanner,
            limits,
            remaining: Rc::new(Cell::new(limits.allow_unpacked_bytes(file_bytes))),
            names: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Adds a message about the entry that is open; further ones than allowed are counted by the
    /// last message.
    pub(crate) fn report(&mut self, message: impl std::fmt::Display) {
        let number = self.findings.problems.len();
        if number < self.limits.problems {
            let path = self.names.join("!/");
            let separator = if path.is_empty() { "" } else { ": " };
            let message = format!("{path}{separator}{message}");
            self.findings.problems.push(message);
        } else if number == self.limits.problems {
            self.findings.problems.push("more problems".to_owned());
        }
    }

    /// Returns true once no more bytes may be unpacked.
    fn is_exhausted(&self) -> bool {
        self.remaining.get() == 0
    }

    /// Scans the data of a reader and the archives in it.
    ///
    /// # Errors
    /// If the data cannot be read to its end; what precedes the error is scanned.
    pub(crate) fn walk(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut head = Vec::new();
        let read = reader.take(HEAD as u64).read_to_end(&mut head);
        let format = Format::detect(&head);
        let mut failed_head = FailedEnd(read.err());
        let mut all = Cursor::new(head).chain(&mut failed_head).chain(reader);
        if format != Format::Data && self.names.len() >= self.limits.depth {
            self.report("archives are nested too deeply; this one is not unpacked");
            return self.scan_stream(&mut all);
        }
        self.walk_format(format, &mut all)
    }

    /// Scans data of a known format.
    fn walk_format(&mut self, format: Format, mut reader: &mut dyn Read) -> io::Result<()> {
        match format {
            Format::Data => self.scan_stream(reader),
            Format::Gzip => self.walk_unpacked(flate2::read::MultiGzDecoder::new(reader), "gzip"),
            Format::Xz => self.walk_unpacked(lzma_rust2::XzReader::new(reader, true), "xz"),
            Format::Bzip2 => self.walk_unpacked(bzip2::read::MultiBzDecoder::new(reader), "bzip2"),
            Format::Zstd => {
                let unpacked = ruzstd::decoding::StreamingDecoder::new(&mut reader)
                    .map_err(io::Error::other)?;
                self.walk_unpacked(unpacked, "zstd")
            }
            Format::Apitrace => self.walk_unpacked(SnappyChunks::new(reader), "apitrace"),
            Format::Tar => self.walk_tar(reader),
            Format::Debian => self.walk_debian(reader),
            Format::RenderDoc => self.walk_capture(reader),
            Format::Zip | Format::SevenZip | Format::UnityFs => {
                let mut bytes = Vec::new();
                let limit = self.limits.nested_bytes;
                reader.take(limit + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > limit {
                    self.report("this archive in an archive is too large to be unpacked");
                    return Ok(());
                }
                self.walk_random_access(format, &bytes)
            }
        }
    }

    /// Scans an archive in memory, whose format requires random access.
    pub(crate) fn walk_random_access(&mut self, format: Format, bytes: &[u8]) -> io::Result<()> {
        if format == Format::SevenZip {
            self.walk_7z(bytes)
        } else if format == Format::UnityFs {
            self.walk_bundle(bytes)
        } else {
            self.walk_zip(bytes)
        }
    }

    /// Scans unpacked data, whose bytes are counted. `name` is used
    /// for the entry, which has no name.
    fn walk_unpacked(&mut self, unpacked: impl Read, name: &str) -> io::Result<()> {
        self.walk_entry(name.to_owned(), unpacked)
    }

    /// Scans an entry of an archive, whose bytes are counted.
    fn walk_entry(&mut self, name: String, entry: impl Read) -> io::Result<()> {
        self.names.push(name);
        let mut nested = CountedReader::new(entry, Rc::clone(&self.remaining));
        let result = self.walk(&mut nested);
        if let Err(error) = &result {
            self.report(error);
        }
        self.names.pop();
        // The error is reported; that of the enclosing archive is only that nothing is left.
        if self.is_exhausted() { result } else { Ok(()) }
    }

    fn walk_tar(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut archive = tar::Archive::new(reader);
        for (number, entry) in archive.entries()?.enumerate() {
            if number >= self.limits.entries {
                self.report("the archive has too many entries");
                break;
            }
            let entry = entry?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            self.walk_entry(name, entry)?;
        }
        Ok(())
    }

    /// Scans a package of Debian: an `ar` archive. Each member has a header of 60 bytes and an even
    /// length.
    fn walk_debian(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        reader.read_exact(&mut [0; 8])?;
        let mut header = [0; 60];
        while reader.read_exact(&mut header).is_ok() {
            let text = |range: std::ops::Range<usize>| {
                String::from_utf8_lossy(&header[range]).trim().to_owned()
            };
            let Ok(length) = text(48..58).parse::<u64>() else {
                return Err(io::Error::other("a member of the archive has no length"));
            };
            let mut member = reader.take(length);
            self.walk_entry(text(0..16).trim_end_matches('/').to_owned(), &mut member)?;
            io::copy(&mut member, &mut io::sink())?;
            if length % 2 == 1 {
                reader.read_exact(&mut [0])?;
            }
        }
        Ok(())
    }

    /// Scans the sections of a capture of RenderDoc.
    fn walk_capture(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        capture::skip_header(reader)?;
        let mut number = 0;
        while let Some(header) = capture::read_section_header(reader)? {
            number += 1;
            if number > self.limits.entries {
                self.report("the capture has too many sections");
                break;
            }
            let mut section = reader.take(header.length);
            let data = SectionData::new(&mut section, header.compression);
            self.walk_entry(header.name, data)?;
            io::copy(&mut section, &mut io::sink())?;
        }
        Ok(())
    }

    /// Scans the files of a bundle of Unity.
    fn walk_bundle(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (mut bundle, files) = Bundle::open(bytes)?;
        if files.len() > self.limits.entries {
            self.report("the bundle has too many files");
        }
        let mut position = 0;
        for file in files.into_iter().take(self.limits.entries) {
            let Some(gap) = file.offset.checked_sub(position) else {
                self.report(format!("{} overlaps another file", file.name));
                continue;
            };
            self.skip_bytes(&mut bundle, gap)?;
            let mut entry = (&mut bundle).take(file.size);
            self.walk_entry(file.name, &mut entry)?;
            let rest = entry.limit();
            self.skip_bytes(&mut bundle, rest)?;
            position = file.offset.saturating_add(file.size);
        }
        Ok(())
    }

    /// Skips unpacked bytes, which are counted.
    fn skip_bytes(&mut self, reader: &mut dyn Read, length: u64) -> io::Result<()> {
        let mut skipped = CountedReader::new(reader.take(length), Rc::clone(&self.remaining));
        io::copy(&mut skipped, &mut io::sink()).map(drop)
    }

    fn walk_zip(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(io::Error::other)?;
        if archive.len() > self.limits.entries {
            self.report("the archive has too many entries");
        }
        for index in 0..archive.len().min(self.limits.entries) {
            match archive.by_index(index) {
                Ok(entry) if entry.is_file() => {
                    let name = entry.name().map_or_else(|_| String::new(), Into::into);
                    self.walk_entry(name, entry)?;
                }
                Ok(_) => {}
                Err(error) => self.report(format!("entry {}: {error}", index + 1)),
            }
        }
        Ok(())
    }

    fn walk_7z(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut archive =
            ArchiveReader::new(Cursor::new(bytes), Password::empty()).map_err(io::Error::other)?;
        archive.set_thread_count(1);
        let mut number = 0;
        let limits = *self.limits;
        let done = archive.for_each_entries(|entry, reader| {
            number += 1;
            if number > limits.entries {
                return Ok(false);
            }
            if !entry.is_directory {
                self.walk_entry(entry.name.clone(), &mut *reader)?;
                // Entries of a block are one stream: the next one begins where this one ends.
                let mut rest = CountedReader::new(reader, Rc::clone(&self.remaining));
                io::copy(&mut rest, &mut io::sink())?;
            }
            Ok(true)
        });
        done.map_err(io::Error::other)
    }

    /// Scans data that is not an archive, in windows of memory.
    fn scan_stream(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut window = Vec::new();
        // Offset of the window in the data, and of the first byte in it that was not scanned.
        let (mut base, mut from) = (0_u64, 0);
        let mut programs = Vec::new();
        loop {
            let length = window.len();
            let read = reader.take(WINDOW).read_to_end(&mut window);
            let is_end = read.is_err() || window.len() - length < WINDOW as usize;
            let mut cut = if is_end {
                window.len()
            } else {
                window.len() - MARGIN
            };
            let mut scan = self.scanner.scan_range(&window, from..cut);
            // A program that reaches the end of the window may continue after it.
            let cut_off = scan.programs.last().filter(|last| {
                !is_end
                    && window.len() < MAX_WINDOW
                    && (last.offset + last.length) as usize >= window.len()
            });
            if let Some(last) = cut_off {
                cut = last.offset as usize;
                scan.programs.pop();
            }
            self.findings.other_headers += scan.other_headers;
            let has_too_many = self.findings.programs.len() + programs.len() > MAX_PROGRAMS;
            if scan.is_cut || has_too_many {
                self.report(TOO_MANY_PROGRAMS);
            }
            if has_too_many {
                scan.programs.clear();
            }
            programs.extend(scan.programs.into_iter().map(|mut found| {
                found.offset += base;
                found
            }));
            self.findings.bytes += (cut - from) as u64;
            if is_end {
                remove_overlaps(&mut programs);
                let path = self.names.join("!/");
                let programs = programs.into_iter().map(|found| (path.clone(), found));
                self.findings.programs.extend(programs);
                return read.map(|_| ());
            }
            let removed = cut.saturating_sub(CONTEXT);
            window.drain(..removed);
            base += removed as u64;
            from = cut - removed;
        }
    }
}

/// A reader without bytes, which fails if an earlier reader did.
struct FailedEnd(Option<io::Error>);

impl Read for FailedEnd {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Reader of the chunks of a trace of apitrace.
struct SnappyChunks<R> {
    inner: R,
    is_started: bool,
    chunk: Cursor<Vec<u8>>,
}

impl<R: Read> SnappyChunks<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            is_started: false,
            chunk: Cursor::default(),
        }
    }

    /// Unpacks the next chunk; returns false at the end.
    fn read_chunk(&mut self) -> io::Result<bool> {
        if !self.is_started {
            self.is_started = true;
            self.inner.read_exact(&mut [0; 2])?;
        }
        let mut length = [0; 4];
        if self.inner.read(&mut length[..1])? == 0 {
            return Ok(false);
        }
        self.inner.read_exact(&mut length[1..])?;
        let length = u32::from_le_bytes(length);
        let mut packed = Vec::new();
        let read = (&mut self.inner).take(u64::from(length.min(MAX_CHUNK)));
        let mut read = read;
        read.read_to_end(&mut packed)?;
        let unpacked = snap::raw::decompress_len(&packed).map_err(io::Error::other)?;
        if length > MAX_CHUNK || packed.len() < length as usize || unpacked > MAX_CHUNK as usize {
            return Err(io::Error::other("a chunk of the trace is damaged"));
        }
        let unpacked = snap::raw::Decoder::new()
            .decompress_vec(&packed)
            .map_err(io::Error::other)?;
        self.chunk = Cursor::new(unpacked);
        Ok(true)
    }
}

impl<R: Read> Read for SnappyChunks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.chunk.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if !self.read_chunk()? {
                return Ok(0);
            }
        }
    }
}
