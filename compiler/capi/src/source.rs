//! Program strings, as structures for C.

use crate::call::{Failure, enter, glasm_result};
use crate::enums::{glasm_bool, read_number, read_program_type};
use crate::memory::{self, FromC, Versioned, require};
use crate::strings::to_c_string;
use glasm::ir::Span;
use glasm::{Acceptance, Dialect, Source, TgsiOptions};
use std::borrow::Cow;
use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::LazyLock;

/// The value of `step_limit` that leaves the count out.
pub const GLASM_NO_STEP_LIMIT: u32 = 0xffff_ffff;

/// A program string, and the type that it must have. `glasm_source_init` fills it with the initial
/// values.
///
/// All that it points to belongs to the caller and is read only during the call that gets it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_source {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// Name for messages, usually a path; NULL: "program".
    pub name: *const c_char,
    /// The program string: any bytes, with no need for a terminating NUL.
    pub text: *const c_void,
    /// Number of its bytes, below 4 GiB.
    pub text_length: usize,
    /// The bytes of the source that are the program: all of them if the length is 0. Positions in
    /// messages are those of the entire source.
    pub part_start: u32,
    /// See `part_start`.
    pub part_length: u32,
    /// The header of the language, such as "!!ARBvp1.0" or "FRAG"; NULL: it is read from the
    /// source.
    pub dialect: *const c_char,
    /// Type that the program must have: a glasm_program_type.
    pub program_type: u32,
    /// True if a broken rule is an error even if shipped programs break it.
    pub strict: glasm_bool,
    /// Number of instructions that a program with free branches may run before its loops end;
    /// GLASM_NO_STEP_LIMIT: any number.
    pub step_limit: u32,
    /// TGSI: the program is read according to the document of 2010 where it differs from the
    /// current one.
    pub tgsi_old: glasm_bool,
    /// TGSI: the source is what a guest with virgl sends, and is read as virglrenderer does.
    pub tgsi_virgl: glasm_bool,
    /// TGSI: bytes of MEMORY that is SHARED.
    pub tgsi_shared_memory: u32,
    /// TGSI: bytes of MEMORY that is PRIVATE.
    pub tgsi_private_memory: u32,
    /// TGSI: threads of a block in each dimension that the program leaves open.
    pub tgsi_block_size: [u32; 3],
    /// TGSI: dimensions of the grid (WORK_DIM).
    pub tgsi_work_dim: u32,
    /// TGSI: CS_USER_DATA_AMD.
    pub tgsi_user_data: [u32; 4],
    /// TGSI: TESS_DEFAULT_OUTER_LEVEL, then TESS_DEFAULT_INNER_LEVEL.
    pub tgsi_default_levels: [f32; 6],
    /// TGSI: color 1 of fragment programs is the second source of the blending of attachment 0.
    pub tgsi_dual_source: glasm_bool,
    /// TGSI: user clip planes whose distances are computed from CLIPVERTEX, bit n for plane n.
    pub tgsi_clip_planes: u32,
    /// TGSI: the number of the BGNSUB with which a compute program begins that consists of
    /// subroutines.
    pub tgsi_entry: u32,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_source {}

// SAFETY: numbers and pointers.
unsafe impl FromC for glasm_source {
    fn initial() -> Self {
        let source = Source::new("", b"");
        let tgsi = source.tgsi;
        Self {
            strict: (source.acceptance == Acceptance::Strict).into(),
            step_limit: source.step_limit.unwrap_or(GLASM_NO_STEP_LIMIT),
            tgsi_old: tgsi.old.into(),
            tgsi_virgl: tgsi.virgl.into(),
            tgsi_shared_memory: tgsi.shared_memory,
            tgsi_private_memory: tgsi.private_memory,
            tgsi_block_size: tgsi.block_size,
            tgsi_work_dim: tgsi.work_dim,
            tgsi_user_data: tgsi.user_data,
            tgsi_default_levels: tgsi.default_levels.map(f32::from_bits),
            tgsi_dual_source: tgsi.dual_source.into(),
            tgsi_clip_planes: tgsi.clip_planes.into(),
            tgsi_entry: tgsi.entry,
            ..Self::zero()
        }
    }
}

/// Fills a source with its initial values. `size` is `sizeof(glasm_source)`.
///
/// `source` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_source_init(source: *mut glasm_source, size: usize) -> glasm_result {
    enter(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { memory::init(source, size, "source") }
    })
}

/// A program string whose pointers were followed.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    name: Cow<'a, str>,
    text: &'a [u8],
    dialect: Option<Dialect>,
    source: glasm_source,
}

/// Reads a source of the caller.
///
/// # Safety
/// `source` must be null, or as [`memory::read`] requires, and what it points to must be there
/// during the call.
pub(crate) unsafe fn read_source<'a>(source: *const glasm_source) -> Result<Given<'a>, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let source = unsafe { memory::read(source, "source") }?;
    // SAFETY: as above.
    let name = unsafe { memory::read_string(source.name) };
    // SAFETY: as above.
    let text = unsafe { memory::read_list(source.text.cast::<u8>(), source.text_length, "text") }?;
    if u32::try_from(text.len()).is_err() {
        return Err(Failure::argument("`text_length` is too large"));
    }
    // SAFETY: as above.
    let header = unsafe { memory::read_string(source.dialect) };
    Ok(Given {
        name: name.unwrap_or(Cow::Borrowed("program")),
        text,
        dialect: header.map(|header| find_dialect(&header)).transpose()?,
        source,
    })
}

fn find_dialect(header: &str) -> Result<Dialect, Failure> {
    let mut all = Dialect::ALL.iter().copied();
    all.find(|dialect| dialect.header() == header)
        .ok_or_else(|| Failure::argument(format!("`dialect` is `{header}`: there is none")))
}

impl Given<'_> {
    /// Returns the source for the library.
    pub(crate) fn source(&self) -> Result<Source<'_>, Failure> {
        let given = &self.source;
        let part = Span::new(
            given.part_start,
            given.part_start.saturating_add(given.part_length),
        );
        Ok(Source {
            part: (given.part_length != 0).then_some(part),
            dialect: self.dialect,
            program_type: read_program_type(given.program_type)?,
            step_limit: (given.step_limit != GLASM_NO_STEP_LIMIT).then_some(given.step_limit),
            acceptance: match given.strict {
                0 => Acceptance::Shipped,
                _ => Acceptance::Strict,
            },
            tgsi: self.read_tgsi()?,
            ..Source::new(&self.name, self.text)
        })
    }

    fn read_tgsi(&self) -> Result<TgsiOptions, Failure> {
        let given = &self.source;
        Ok(TgsiOptions {
            old: given.tgsi_old != 0,
            virgl: given.tgsi_virgl != 0,
            shared_memory: given.tgsi_shared_memory,
            private_memory: given.tgsi_private_memory,
            block_size: given.tgsi_block_size,
            work_dim: given.tgsi_work_dim,
            user_data: given.tgsi_user_data,
            default_levels: given.tgsi_default_levels.map(f32::to_bits),
            dual_source: given.tgsi_dual_source != 0,
            clip_planes: read_number(given.tgsi_clip_planes, "tgsi_clip_planes")?,
            entry: given.tgsi_entry,
        })
    }
}

/// Returns the header of a language as a static string; NULL if there is none.
pub(crate) fn get_header(dialect: Option<Dialect>) -> *const c_char {
    static HEADERS: LazyLock<Vec<(Dialect, CString)>> = LazyLock::new(|| {
        let all = Dialect::ALL.iter();
        all.map(|dialect| (*dialect, to_c_string(dialect.header())))
            .collect()
    });
    let mut headers = HEADERS.iter();
    let found = headers.find(|row| Some(row.0) == dialect);
    found.map_or(ptr::null(), |row| row.1.as_ptr())
}

/// One of the programs of a text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_part {
    /// Its first byte in the text: for `part_start` of a source. The first program begins where the
    /// text does.
    pub start: u32,
    /// Number of its bytes, up to the header of the next program: for `part_length` of a source.
    pub length: u32,
    /// Offset in bytes of its header in the source; `start` if there is none.
    pub header: u32,
    /// The header of its language, such as "!!ARBvp1.0", which belongs to the library and is valid
    /// for ever; NULL if it has none that is known.
    pub dialect: *const c_char,
}

/// Lists the programs of a source that may hold several, as files and memory dumps of applications
/// do: `glasm_program_load` loads each with its part. There is at least one, even if the source has
/// no header; a strict source is one program, as GL sees it.
///
/// `source` stays the caller's, with all that it points to; if it has a part, the programs of that
/// are returned. `parts` points to memory of the caller for `capacity` of them, and may be NULL if
/// that is
/// 0. `count` is set to the number of programs; GLASM_RESULT_INVALID_ARGUMENT if `parts` is not
///    NULL and there are more than `capacity`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_source_programs(
    source: *const glasm_source,
    parts: *mut glasm_part,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> glasm_result {
    enter(|| {
        let count = require(count, "count")?;
        count.write(0);
        // SAFETY: the caller answers for the structure and all that it points to.
        let given = unsafe { read_source(source) }?;
        let source = given.source()?;
        if source.part.is_some() && source.part().range().is_empty() {
            return Err(Failure::argument("the part is past the text"));
        }
        let found = source.programs().map(|(part, _)| glasm_part {
            start: part.span.start,
            length: part.span.end - part.span.start,
            header: part.header,
            dialect: get_header(part.dialect),
        });
        let found: Vec<_> = found.collect();
        count.write(found.len());
        // SAFETY: the caller provides memory for that many.
        unsafe { memory::give_some(parts, capacity, &found, "parts") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that members which a caller has not changed have the values of `Source::new`.
    #[test]
    fn what_is_initial_is_default() {
        let initial = glasm_source::initial();
        // SAFETY: the structure is complete, and has no pointers.
        let given = unsafe { read_source(&raw const initial) }.unwrap();
        let (source, new) = (given.source().unwrap(), Source::new("program", b""));
        assert_eq!(source.tgsi, new.tgsi);
        assert_eq!(
            (source.part, source.dialect, source.program_type),
            (None, None, None)
        );
        assert_eq!(
            (source.name, source.text, source.step_limit),
            (new.name, new.text, new.step_limit)
        );
        assert_eq!(source.acceptance, new.acceptance);
    }
}
