//! Program strings, as structures for C.

use crate::enums::{glasm_bool, glasm_program_type, read_number, read_program_type};
use crate::ffi_args::{self, CallerStruct, Versioned, require};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::strings::to_c_string;
use glasm::ir::Span;
use glasm::{Acceptance, Dialect, Source, TgsiOptions};
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::LazyLock;

/// The value of `step_limit` that leaves the count out.
pub const GLASM_STEP_LIMIT_NONE: u32 = 0xffff_ffff;

/// The value of a length of text that ends with a NUL. `cbindgen.toml` has it as a `size_t`.
///
/// cbindgen:ignore
pub const GLASM_NUL_TERMINATED: usize = usize::MAX;

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
    /// Number of its bytes, below 4 GiB; GLASM_NUL_TERMINATED for a string that ends with a NUL.
    pub text_length: usize,
    /// The bytes of the source that are the program: all of them if the length is 0. Positions in
    /// messages are those of the entire source.
    pub program_start: u32,
    /// See `program_start`.
    pub program_length: u32,
    /// The header of the language, such as "!!ARBvp1.0" or "FRAG"; NULL: it is read from the
    /// source.
    pub header: *const c_char,
    /// Type that the program must have: a glasm_program_type.
    pub program_type: u32,
    /// True if a broken rule is an error even if shipped programs break it.
    pub strict: glasm_bool,
    /// Number of instructions that a program with free branches may run before its loops end, at
    /// least 1; GLASM_STEP_LIMIT_NONE: any number.
    pub step_limit: u32,
    /// TGSI: the program is read according to the document of 2010 where it differs from the
    /// current one.
    pub tgsi_legacy_semantics: glasm_bool,
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
    pub tgsi_default_tess_levels: [f32; 6],
    /// TGSI: color 1 of fragment programs is the second source of the blending of attachment 0.
    pub tgsi_dual_source_blending: glasm_bool,
    /// TGSI: user clip planes whose distances are computed from CLIPVERTEX, bit n for plane n.
    pub tgsi_clip_plane_mask: u32,
    /// TGSI: the number of the BGNSUB with which a compute program begins that consists of
    /// subroutines.
    pub tgsi_entry_subroutine: u32,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_source {}

// SAFETY: numbers and pointers.
unsafe impl CallerStruct for glasm_source {
    /// Returns the default settings of a source of the library.
    fn initial() -> Self {
        let source = Source::new("", b"");
        let tgsi = source.tgsi;
        Self {
            program_type: glasm_program_type::Any as u32,
            strict: (source.acceptance == Acceptance::Strict).into(),
            step_limit: source.step_limit.unwrap_or(GLASM_STEP_LIMIT_NONE),
            tgsi_legacy_semantics: tgsi.legacy_semantics.into(),
            tgsi_virgl: tgsi.virgl.into(),
            tgsi_shared_memory: tgsi.shared_memory,
            tgsi_private_memory: tgsi.private_memory,
            tgsi_block_size: tgsi.block_size,
            tgsi_work_dim: tgsi.work_dim,
            tgsi_user_data: tgsi.user_data,
            tgsi_default_tess_levels: tgsi.default_tess_levels.map(f32::from_bits),
            tgsi_dual_source_blending: tgsi.dual_source_blending.into(),
            tgsi_clip_plane_mask: tgsi.clip_plane_mask.into(),
            tgsi_entry_subroutine: tgsi.entry_subroutine,
            ..Self::zeroed()
        }
    }
}

/// Fills a source with its initial values. `size` is `sizeof(glasm_source)`.
///
/// `source` belongs to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_source_init(source: *mut glasm_source, size: usize) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has this size.
        unsafe { ffi_args::init_struct(source, size, "source") }
    })
}

/// A program string whose pointers were followed.
#[derive(Debug)]
pub(crate) struct SourceArgument<'a> {
    name: Cow<'a, str>,
    text: &'a [u8],
    dialect: Option<Dialect>,
    source: glasm_source,
}

/// Reads a source of the caller.
///
/// # Safety
/// `source` must be null, or as [`ffi_args::read_struct`] requires, and what it points to must be there
/// during the call.
pub(crate) unsafe fn read_source<'a>(
    source: *const glasm_source,
) -> Result<SourceArgument<'a>, Failure> {
    // SAFETY: the caller of this function guarantees it.
    let source = unsafe { ffi_args::read_struct(source, "source") }?;
    // A structure with its size and zeros is not initialized.
    if source.step_limit == 0 {
        return Err(Failure::invalid_argument(
            "`step_limit` is 0, but must be at least 1: glasm_source_init sets the initial values",
        ));
    }
    // SAFETY: as above.
    let name = unsafe { ffi_args::read_string(source.name) };
    // SAFETY: as above.
    let text = unsafe { read_text(source.text, source.text_length) }?;
    if u32::try_from(text.len()).is_err() {
        return Err(Failure::invalid_argument("`text_length` is too large"));
    }
    // SAFETY: as above.
    let header = unsafe { ffi_args::read_string(source.header) };
    Ok(SourceArgument {
        name: name.unwrap_or(Cow::Borrowed("program")),
        text,
        dialect: header.map(|header| find_dialect(&header)).transpose()?,
        source,
    })
}

/// Reads the text of a program, which may end with a NUL instead of having a length.
///
/// # Safety
/// `text` must be null, or point to as many bytes as `length` says, which are not modified during
/// the call.
pub(crate) unsafe fn read_text<'a>(
    text: *const c_void,
    length: usize,
) -> Result<&'a [u8], Failure> {
    if length != GLASM_NUL_TERMINATED {
        // SAFETY: the caller of this function guarantees it.
        return unsafe { ffi_args::read_list(text.cast::<u8>(), length, "text") };
    }
    if text.is_null() {
        return Err(Failure::invalid_argument("`text` is NULL"));
    }
    // SAFETY: it is not null; the caller of this function guarantees the rest.
    Ok(unsafe { CStr::from_ptr(text.cast()) }.to_bytes())
}

/// Returns the dialect that a program header such as `!!ARBvp1.0` selects; fails for unknown
/// headers.
fn find_dialect(header: &str) -> Result<Dialect, Failure> {
    let mut all = Dialect::ALL.iter().copied();
    all.find(|dialect| dialect.header() == header)
        .ok_or_else(|| {
            Failure::invalid_argument(format!("unknown program header `{header}` in `header`"))
        })
}

impl SourceArgument<'_> {
    /// Converts the source to that of the library; fails for numbers that are out of range.
    pub(crate) fn to_source(&self) -> Result<Source<'_>, Failure> {
        let arguments = &self.source;
        let part = Span::new(
            arguments.program_start,
            arguments
                .program_start
                .saturating_add(arguments.program_length),
        );
        Ok(Source {
            program_span: (arguments.program_length != 0).then_some(part),
            dialect: self.dialect,
            program_type: read_program_type(arguments.program_type)?,
            step_limit: (arguments.step_limit != GLASM_STEP_LIMIT_NONE)
                .then_some(arguments.step_limit),
            acceptance: match arguments.strict {
                0 => Acceptance::Shipped,
                _ => Acceptance::Strict,
            },
            tgsi: self.read_tgsi_options()?,
            ..Source::new(&self.name, self.text)
        })
    }

    /// Reads the options for TGSI programs; fails if the clip plane mask is out of range.
    fn read_tgsi_options(&self) -> Result<TgsiOptions, Failure> {
        let arguments = &self.source;
        Ok(TgsiOptions {
            legacy_semantics: arguments.tgsi_legacy_semantics != 0,
            virgl: arguments.tgsi_virgl != 0,
            shared_memory: arguments.tgsi_shared_memory,
            private_memory: arguments.tgsi_private_memory,
            block_size: arguments.tgsi_block_size,
            work_dim: arguments.tgsi_work_dim,
            user_data: arguments.tgsi_user_data,
            default_tess_levels: arguments.tgsi_default_tess_levels.map(f32::to_bits),
            dual_source_blending: arguments.tgsi_dual_source_blending != 0,
            clip_plane_mask: read_number(arguments.tgsi_clip_plane_mask, "tgsi_clip_plane_mask")?,
            entry_subroutine: arguments.tgsi_entry_subroutine,
        })
    }
}

/// Returns the header of a language as a static string; NULL if there is none.
pub(crate) fn get_dialect_header(dialect: Option<Dialect>) -> *const c_char {
    static HEADERS: LazyLock<Vec<(Dialect, CString)>> = LazyLock::new(|| {
        let all = Dialect::ALL.iter();
        all.map(|dialect| (*dialect, to_c_string(dialect.header())))
            .collect()
    });
    let mut headers = HEADERS.iter();
    let found = headers.find(|row| Some(row.0) == dialect);
    found.map_or(ptr::null(), |row| row.1.as_ptr())
}

/// The bytes of one of the programs of a source that contains several.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_program_span {
    /// Its first byte in the text: for `program_start` of a source. The first program begins where the
    /// text does.
    pub start: u32,
    /// Number of its bytes, up to the header of the next program: for `program_length` of a source.
    pub length: u32,
    /// Offset in bytes of its header in the source; `start` if there is none.
    pub header_offset: u32,
    /// The header of its language, such as "!!ARBvp1.0", which belongs to the library and is valid
    /// for ever; NULL if it has none that is known.
    pub header: *const c_char,
}

/// Lists the programs of a source that may hold several, as files and memory dumps of applications
/// do: `glasm_program_load` loads each with its part. There is at least one, even if the source has
/// no header; a strict source is one program, as GL sees it.
///
/// `source` stays the caller's, with all that it points to; if it has a part, the programs of that
/// are returned. `parts` points to memory of the caller for `capacity` of them, and may be NULL if that
/// is zero. `count` is set to the number of programs; GLASM_RESULT_INVALID_ARGUMENT if `parts`
/// is not NULL and there are more than `capacity`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_source_find_programs(
    source: *const glasm_source,
    parts: *mut glasm_program_span,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> glasm_result {
    catch_to_result(|| {
        let count = require(count, "count")?;
        count.write(0);
        // SAFETY: the caller answers for the structure and all that it points to.
        let given = unsafe { read_source(source) }?;
        let source = given.to_source()?;
        if source.program_span.is_some() && source.program_span().range().is_empty() {
            return Err(Failure::invalid_argument(
                "`program_start` is past the end of the source",
            ));
        }
        let found = source.programs().map(|(part, _)| glasm_program_span {
            start: part.span.start,
            length: part.span.end - part.span.start,
            header_offset: part.header,
            header: get_dialect_header(part.dialect),
        });
        let found: Vec<_> = found.collect();
        count.write(found.len());
        // SAFETY: the caller provides memory for that many.
        unsafe { ffi_args::write_list(parts, capacity, &found, "parts") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_with_only_a_size_are_refused() {
        let zeroed = glasm_source::zeroed();
        // SAFETY: the structure is complete, and has no pointers.
        let refused = unsafe { read_source(&raw const zeroed) }.unwrap_err();
        assert!(refused.message().contains("glasm_source_init"));
    }

    /// Checks that members which a caller has not changed have the values of `Source::new`.
    #[test]
    fn what_is_initial_is_default() {
        let initial = glasm_source::initial();
        // SAFETY: the structure is complete, and has no pointers.
        let given = unsafe { read_source(&raw const initial) }.unwrap();
        let (source, new) = (given.to_source().unwrap(), Source::new("program", b""));
        assert_eq!(source.tgsi, new.tgsi);
        assert_eq!(
            (source.program_span, source.dialect, source.program_type),
            (None, None, None)
        );
        assert_eq!(
            (source.name, source.text, source.step_limit),
            (new.name, new.text, new.step_limit)
        );
        assert_eq!(source.acceptance, new.acceptance);
    }
}
