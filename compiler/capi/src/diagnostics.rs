//! Diagnostics: errors and warnings of a program, with their positions.

use crate::enums::{glasm_bool, glasm_severity};
use crate::ffi_args::{self, Versioned, drop_handle, require, write_out};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::strings::{CStringList, to_c_string};
use glasm::frontend::diag::{LineMap, Position};
use glasm::ir::Span;
use glasm::{Diagnostic, Diagnostics, Location, Source};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// All messages about one program, in the order of its text. Threads may share them.
#[derive(Debug)]
pub struct glasm_diagnostics {
    diagnostics: Diagnostics,
    name: String,
    text: Box<[u8]>,
    program_span: Option<Span>,
    messages: Vec<MessageStrings>,
    rendered: OnceLock<CString>,
    json: OnceLock<CString>,
    error_string: OnceLock<CString>,
}

/// The strings of a message for C.
#[derive(Debug)]
struct MessageStrings {
    code: CString,
    title: CString,
    message: CString,
    notes: CStringList,
    feature: Option<CString>,
    rendered: CString,
    location: Option<(Span, Position)>,
}

/// One message.
///
/// All that it points to belongs to the diagnostics and is valid until these are freed. Strings are
/// UTF-8.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_diagnostic {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// Its severity.
    pub severity: glasm_severity,
    /// True if it is about some bytes of the source. Else it is about the whole program, and the
    /// next four members are 0.
    pub has_location: glasm_bool,
    /// Its first byte in the text.
    pub byte_start: u32,
    /// Offset of the byte after its last one.
    pub byte_end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
    /// Its code, such as "E0511".
    pub code: *const c_char,
    /// Subject of all messages of this code.
    pub title: *const c_char,
    /// Description of the error, one line.
    pub message: *const c_char,
    /// The message with the line of the program, a caret, and hints, for users.
    pub rendered: *const c_char,
    /// The missing feature of the device, if that is the cause; else NULL.
    pub missing_feature: *const c_char,
    /// Hints, one line each.
    pub notes: *const *const c_char,
    /// Number of them.
    pub note_count: usize,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_diagnostic {}

/// Pointer to which a function writes diagnostics that the caller then owns; NULL if they are not
/// requested.
pub(crate) type DiagnosticsOut<'a> = Option<&'a mut MaybeUninit<*mut glasm_diagnostics>>;

/// Writes diagnostics for the caller: NULL if there are none.
pub(crate) fn write_diagnostics(
    out: DiagnosticsOut<'_>,
    diagnostics: Diagnostics,
    source: &Source<'_>,
) {
    if out.is_some() && !diagnostics.list.is_empty() {
        let diagnostics = Box::new(glasm_diagnostics::new(diagnostics, source));
        write_out(out, Box::into_raw(diagnostics));
    }
}

impl glasm_diagnostics {
    /// Converts the diagnostics of `source` to strings for C. Copies the source, so that it may be
    /// freed.
    pub(crate) fn new(diagnostics: Diagnostics, source: &Source<'_>) -> Self {
        let map = LineMap::new(source.text);
        let rendered = diagnostics.render_each(source);
        let messages = diagnostics.list.iter().zip(rendered);
        Self {
            messages: messages
                .map(|(diagnostic, rendered)| MessageStrings::new(diagnostic, &map, &rendered))
                .collect(),
            diagnostics,
            name: source.name.to_owned(),
            text: source.text.into(),
            program_span: source.program_span,
            rendered: OnceLock::new(),
            json: OnceLock::new(),
            error_string: OnceLock::new(),
        }
    }

    /// Renders all messages for users.
    pub(crate) fn render(&self) -> String {
        self.diagnostics.render(&self.source())
    }

    /// Returns the copied source for rendering: name, program source and span, with default options
    /// otherwise.
    fn source(&self) -> Source<'_> {
        Source {
            program_span: self.program_span,
            ..Source::new(&self.name, &self.text)
        }
    }
}

impl MessageStrings {
    /// Converts a diagnostic with its rendered message to strings for C, and its span to line and
    /// column.
    fn new(diagnostic: &Diagnostic, map: &LineMap<'_>, rendered: &str) -> Self {
        let location = match diagnostic.location {
            Location::Span(span) => Some((span, map.position_at(span.start as usize))),
            Location::WholeProgram => None,
        };
        Self {
            code: to_c_string(diagnostic.code.id()),
            title: to_c_string(diagnostic.code.title()),
            message: to_c_string(&diagnostic.message),
            notes: CStringList::new(diagnostic.notes.iter().map(String::as_str)),
            feature: diagnostic.feature.as_deref().map(to_c_string),
            rendered: to_c_string(rendered),
            location,
        }
    }

    /// Returns the structure that C reads; its pointers are valid as long as `self` is. Without a
    /// location, span, line and column are 0.
    fn to_c(&self, severity: glasm_severity) -> glasm_diagnostic {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let (span, position) = self
            .location
            .unwrap_or((Span::default(), Position { line: 0, column: 0 }));
        glasm_diagnostic {
            size: size_of::<glasm_diagnostic>(),
            severity,
            has_location: self.location.is_some().into(),
            byte_start: span.start,
            byte_end: span.end,
            line: number(position.line),
            column: number(position.column),
            code: self.code.as_ptr(),
            title: self.title.as_ptr(),
            message: self.message.as_ptr(),
            rendered: self.rendered.as_ptr(),
            missing_feature: self.feature.as_ref().map_or(ptr::null(), |it| it.as_ptr()),
            notes: self.notes.as_ptr(),
            note_count: self.notes.len(),
        }
    }
}

/// Returns the number of messages; 0 for NULL.
///
/// `diagnostics` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_count(diagnostics: Option<&glasm_diagnostics>) -> usize {
    catch_or(0, || Ok(diagnostics.map_or(0, |all| all.messages.len())))
}

/// Returns the number of messages that are errors, or internal errors of glasm; 0 for NULL.
///
/// `diagnostics` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_error_count(diagnostics: Option<&glasm_diagnostics>) -> usize {
    catch_or(0, || {
        Ok(diagnostics.map_or(0, |all| all.diagnostics.error_count()))
    })
}

/// Gets a message by its index, below `glasm_diagnostics_count`.
///
/// `diagnostics` stays the caller's. `diagnostic` is the caller's, too, with its size set; what it
/// points to then belongs to `diagnostics`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_diagnostics_get(
    diagnostics: Option<&glasm_diagnostics>,
    index: usize,
    diagnostic: *mut glasm_diagnostic,
) -> glasm_result {
    catch_to_result(|| {
        let all = require(diagnostics, "diagnostics")?;
        let message = all.messages.get(index).zip(all.diagnostics.list.get(index));
        let (message, found) =
            message.ok_or_else(|| Failure::invalid_argument("`index` is past the last message"))?;
        let given = message.to_c(found.severity.into());
        // SAFETY: the caller's structure has the size that it states.
        unsafe { ffi_args::write_struct(diagnostic, given, "diagnostic") }
    })
}

/// Returns the position that GL reports as PROGRAM_ERROR_POSITION_ARB: the byte of the first error,
/// counted from the start of the program, which is the length of the program for errors that are
/// found only after it was read as a whole; -1 without errors and for NULL.
///
/// `diagnostics` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_gl_error_position(
    diagnostics: Option<&glasm_diagnostics>,
) -> i64 {
    catch_or(-1, || {
        let position = diagnostics.and_then(|all| all.diagnostics.gl_error_position(&all.source()));
        Ok(position.map_or(-1, |position| position as i64))
    })
}

/// Returns the first error in one line, for PROGRAM_ERROR_STRING_ARB: "line 4, column 22: `tint` is
/// not declared"; without a position if it is about the whole program. Without errors it is the empty
/// string, also for NULL.
///
/// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed; the
/// empty string belongs to the library.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_gl_error_string(
    diagnostics: Option<&glasm_diagnostics>,
) -> *const c_char {
    catch_or(c"".as_ptr(), || {
        let Some(all) = diagnostics else {
            return Ok(c"".as_ptr());
        };
        let line = || {
            to_c_string(
                &all.diagnostics
                    .gl_error_string(&all.source())
                    .unwrap_or_default(),
            )
        };
        Ok(all.error_string.get_or_init(line).as_ptr())
    })
}

/// Renders all messages for users: with lines of the program, carets and hints. Returns NULL for
/// NULL.
///
/// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_render(
    diagnostics: Option<&glasm_diagnostics>,
) -> *const c_char {
    catch_or(ptr::null(), || {
        let all = require(diagnostics, "diagnostics")?;
        let render = || to_c_string(&all.render());
        Ok(all.rendered.get_or_init(render).as_ptr())
    })
}

/// Formats all messages as JSON: an array of objects with code, severity, message, name, start,
/// end, line, column and notes. Returns NULL for NULL.
///
/// `diagnostics` stays the caller's. The string belongs to it and is valid until it is freed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_json(diagnostics: Option<&glasm_diagnostics>) -> *const c_char {
    catch_or(ptr::null(), || {
        let all = require(diagnostics, "diagnostics")?;
        let json = || to_c_string(&all.diagnostics.to_json(&all.source()));
        Ok(all.json.get_or_init(json).as_ptr())
    })
}

/// Frees diagnostics, and with them all strings of their messages.
///
/// Takes `diagnostics` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_diagnostics_free(diagnostics: Option<Box<glasm_diagnostics>>) {
    drop_handle(diagnostics);
}
