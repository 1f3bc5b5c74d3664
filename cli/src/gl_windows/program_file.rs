//! Files of programs and libraries of Windows: the machine that their header names ("PE Format" of
//! Microsoft's documentation).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Size of the largest library that is searched for a text, in bytes.
const MAX_SEARCHED_SIZE: u64 = 1 << 28;

/// Text that only glasm's library contains, of any version.
const OWN_TEXT: &[u8] = b"GLASM_COMPILE_ARB_PROGRAMS";

/// Code of a program or library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// Instructions of 32-bit x86.
    X86,
    /// Instructions of x86-64.
    X64,
    /// .NET, whose word size the system determines when the program starts.
    Managed,
    /// Instructions of another machine, by its number.
    Other(u16),
}

impl Code {
    /// Returns the code that a file contains; `None` if it is not a program or library of Windows.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        match Self::parse(&mut File::open(path)?) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            result => result,
        }
    }

    /// Parses the headers of a file: of MS-DOS, of COFF, and the optional one.
    fn parse(file: &mut (impl Read + Seek)) -> io::Result<Option<Self>> {
        let mut dos = [0; 64];
        file.read_exact(&mut dos)?;
        if dos[..2] != *b"MZ" {
            return Ok(None);
        }
        let [a, b, c, d] = [dos[60], dos[61], dos[62], dos[63]];
        file.seek(SeekFrom::Start(u32::from_le_bytes([a, b, c, d]).into()))?;
        let mut coff = [0; 24];
        file.read_exact(&mut coff)?;
        if coff[..4] != *b"PE\0\0" {
            return Ok(None);
        }
        let machine = u16::from_le_bytes([coff[4], coff[5]]);
        Ok(Some(match machine {
            0x014c if has_managed_code(file)? => Self::Managed,
            0x014c => Self::X86,
            0x8664 => Self::X64,
            _ => Self::Other(machine),
        }))
    }

    /// Describes the programs that have this code.
    pub(super) fn describe(self) -> String {
        match self {
            Self::X86 => "32-bit programs".to_owned(),
            Self::X64 => "64-bit programs".to_owned(),
            Self::Managed => "programs of .NET".to_owned(),
            Self::Other(machine) => format!("programs of machine {machine:#06x}"),
        }
    }
}

/// Returns true if the optional header of a 32-bit file, which is read next, has a header of .NET:
/// entry 14 of the data directories, which begin at byte 96 (PE Format, "Optional Header Data
/// Directories").
fn has_managed_code(file: &mut impl Read) -> io::Result<bool> {
    let mut optional = [0; 96 + 15 * 8];
    file.read_exact(&mut optional)?;
    let [a, b, c, d] = [optional[92], optional[93], optional[94], optional[95]];
    let count = u32::from_le_bytes([a, b, c, d]);
    Ok(count > 14 && optional[96 + 14 * 8..].iter().any(|byte| *byte != 0))
}

/// Returns true if a library is glasm's, of any version.
pub(super) fn is_own_library(path: &Path) -> io::Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_SEARCHED_SIZE)
        .read_to_end(&mut bytes)?;
    Ok(bytes.windows(OWN_TEXT.len()).any(|it| it == OWN_TEXT))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Cursor;

    /// Returns the beginning of a file with headers for a machine, and a size of .NET's header.
    pub(in crate::gl_windows) fn build_headers(machine: u16, managed: u32) -> Vec<u8> {
        let mut file = vec![0; 64 + 16];
        file[..2].copy_from_slice(b"MZ");
        file[60..64].copy_from_slice(&80_u32.to_le_bytes());
        file.extend(b"PE\0\0");
        file.extend(machine.to_le_bytes());
        file.extend([0; 18]);
        let mut optional = vec![0; 96 + 16 * 8];
        optional[92..96].copy_from_slice(&16_u32.to_le_bytes());
        optional[96 + 14 * 8 + 4..96 + 15 * 8].copy_from_slice(&managed.to_le_bytes());
        file.extend(optional);
        file
    }

    fn parse(bytes: &[u8]) -> Option<Code> {
        Code::parse(&mut Cursor::new(bytes)).ok().flatten()
    }

    #[test]
    fn headers_name_the_machine() {
        assert_eq!(parse(&build_headers(0x014c, 0)), Some(Code::X86));
        assert_eq!(parse(&build_headers(0x014c, 72)), Some(Code::Managed));
        assert_eq!(parse(&build_headers(0x8664, 0)), Some(Code::X64));
        assert_eq!(parse(&build_headers(0xaa64, 0)), Some(Code::Other(0xaa64)));
        assert_eq!(Code::Other(0xaa64).describe(), "programs of machine 0xaa64");
    }

    #[test]
    fn other_files_are_no_programs() {
        let program = build_headers(0x014c, 0);
        for length in [0, 1, 63, 64, 80, 90, 120] {
            assert_eq!(parse(&program[..length]), None, "{length}");
        }
        let mut of_dos = program.clone();
        of_dos[80] = b'N';
        assert_eq!(parse(&of_dos), None);
        let mut script = program;
        script[0] = b'#';
        assert_eq!(parse(&script), None);
        // The second header cannot be after the end.
        let mut outside = build_headers(0x8664, 0);
        outside[60..64].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(parse(&outside), None);
    }
}
