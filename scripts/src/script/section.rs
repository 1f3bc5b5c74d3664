//! Cuts a script into its sections.
//!
//! Program strings retain their exact bytes: a program string starts right after the line of its
//! section header and ends where the next header begins.

use super::source_map::SourceMap;
use super::tokenizer::ScriptError;
use glasm::ProgramType;
use glasm::ir::Stage;

/// Form in which a program section contains its program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramForm {
    /// Assembly program: `[... program]`.
    Assembly,
    /// Program of the intermediate representation in its text form: `[... program ir]`.
    Ir,
    /// GLSL: `[... shader]`.
    Glsl,
    /// SPIR-V assembly: `[... shader spirv]`.
    SpirvText,
    /// Words of a SPIR-V module: `[... shader binary]`. The source of the section is converted to
    /// bytes during parsing.
    SpirvWords,
    /// Stage that forwards its inputs: `[... shader passthrough]`.
    PassThrough,
    /// Fixed-function stage of GL.
    FixedFunction,
}

/// Kind of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SectionKind {
    /// Free text.
    Comment,
    /// Requirements.
    Require,
    /// Program.
    Program(ProgramType, ProgramForm),
    /// Assembly program with lines that are repeated: `[... program repeated]`.
    RepeatedProgram(ProgramType),
    /// Assembly program that commands load by its name: `[... program NAME]`.
    AlternateProgram(ProgramType),
    /// Vertex attributes.
    VertexData,
    /// Indices.
    Indices,
    /// Commands.
    Test,
}

/// Section: `line` is the line of its header; its body starts on the line after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    pub kind: SectionKind,
    pub line: u32,
    /// First byte of the line of its header.
    pub header_start: usize,
    /// First byte of its body.
    pub start: usize,
    /// Last word of its header.
    pub name: &'a str,
    pub body: &'a [u8],
}

pub(super) const STAGE_NAMES: &[(&str, ProgramType)] = &[
    ("vertex", ProgramType::Stage(Stage::Vertex)),
    ("tess control", ProgramType::Stage(Stage::TessControl)),
    (
        "tessellation control",
        ProgramType::Stage(Stage::TessControl),
    ),
    ("tess eval", ProgramType::Stage(Stage::TessEval)),
    ("tess evaluation", ProgramType::Stage(Stage::TessEval)),
    (
        "tessellation evaluation",
        ProgramType::Stage(Stage::TessEval),
    ),
    ("geometry", ProgramType::Stage(Stage::Geometry)),
    ("fragment", ProgramType::Stage(Stage::Fragment)),
    ("compute", ProgramType::Stage(Stage::Compute)),
    ("vertex state", ProgramType::VertexState),
];

/// Sections of vertex state programs.
pub(super) const STATE_PROGRAM: &str = "vertex state program";

pub(super) const FORM_NAMES: &[(&str, ProgramForm)] = &[
    ("program", ProgramForm::Assembly),
    ("program ir", ProgramForm::Ir),
    ("shader", ProgramForm::Glsl),
    ("shader spirv", ProgramForm::SpirvText),
    ("shader binary", ProgramForm::SpirvWords),
    ("shader passthrough", ProgramForm::PassThrough),
    ("program passthrough", ProgramForm::PassThrough),
];

/// Sections that are not programs.
pub(super) const PLAIN_NAMES: &[(&str, SectionKind)] = &[
    ("comment", SectionKind::Comment),
    ("require", SectionKind::Require),
    ("vertex data", SectionKind::VertexData),
    ("indices", SectionKind::Indices),
    ("test", SectionKind::Test),
];

/// Returns the kind of a section from the name in its header; `None` if no section has the name, or
/// if the stage cannot have the form.
fn parse_header(name: &str) -> Option<SectionKind> {
    if let Some((_, kind)) = PLAIN_NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*kind);
    }
    STAGE_NAMES.iter().find_map(|(prefix, program_type)| {
        let form = name.strip_prefix(prefix)?.strip_prefix(' ')?;
        let Some((_, form)) = FORM_NAMES.iter().find(|(text, _)| *text == form) else {
            return match form.strip_prefix("program ")? {
                "repeated" => Some(SectionKind::RepeatedProgram(*program_type)),
                name if !name.contains(' ') => Some(SectionKind::AlternateProgram(*program_type)),
                _ => None,
            };
        };
        let possible = match form {
            ProgramForm::PassThrough => program_type.stage() != Stage::Compute,
            ProgramForm::Glsl | ProgramForm::SpirvText | ProgramForm::SpirvWords => {
                *program_type != ProgramType::VertexState
            }
            ProgramForm::Assembly | ProgramForm::Ir | ProgramForm::FixedFunction => true,
        };
        possible.then_some(SectionKind::Program(*program_type, *form))
    })
}

/// Returns the text between the brackets, with single spaces, if the line has the form of a header:
/// only ASCII alphanumerics and whitespace.
fn header_text(line: &[u8]) -> Option<String> {
    let line = line
        .trim_ascii_end()
        .strip_prefix(b"[")?
        .strip_suffix(b"]")?;
    // Programs have brackets, too: `[R0.x]` at the start of a line is not a header.
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b' ' || *byte == b'\t';
    if line.is_empty() || !line.iter().all(plain) {
        return None;
    }
    let text = String::from_utf8_lossy(line);
    Some(text.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the last word of a header line, without brackets: the name of an alternate program.
/// Empty if the line is not UTF-8.
fn last_word(line: &[u8]) -> &str {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let text = text
        .trim_end()
        .trim_start_matches('[')
        .trim_end_matches(']');
    text.split_ascii_whitespace()
        .next_back()
        .unwrap_or_default()
}

/// Splits a script into sections. Reports unknown sections, which are treated as comments, repeated
/// ones, and source before the first section, which may only contain comments.
pub(crate) fn split_sections<'a>(
    script: &'a [u8],
    errors: &mut Vec<ScriptError>,
) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut at = 0;
    for (line, number) in script.split_inclusive(|byte| *byte == b'\n').zip(1u32..) {
        let after = at + line.len();
        if let Some(name) = header_text(line) {
            if let Some(last) = sections.last_mut() {
                last.body = &script[last.start..at];
            }
            let kind = parse_header(&name).unwrap_or_else(|| {
                errors.push(ScriptError::new(
                    number,
                    1,
                    format!("unknown section `[{name}]`"),
                ));
                SectionKind::Comment
            });
            sections.push(Section {
                kind,
                line: number,
                header_start: at,
                start: after,
                name: last_word(line),
                body: &[],
            });
        } else if sections.is_empty() && !is_blank_or_comment(line) {
            errors.push(ScriptError::new(number, 1, "text before the first section"));
        }
        at = after;
    }
    if let Some(last) = sections.last_mut() {
        last.body = &script[last.start..];
    }
    check_repeated(&sections, errors);
    sections
}

/// Returns true if a line outside of programs is empty or a comment.
pub(super) fn is_blank_or_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line.starts_with(b"#")
}

/// Reports sections, except comments, that occur more than once, and stages with more than one
/// program, unless these are GLSL sections that are linked together. Alternate programs of a stage
/// must have different names.
fn check_repeated(sections: &[Section<'_>], errors: &mut Vec<ScriptError>) {
    let stage = |kind| match kind {
        SectionKind::Program(program_type, _) | SectionKind::RepeatedProgram(program_type) => {
            Some(program_type.stage())
        }
        SectionKind::AlternateProgram(_)
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    };
    let same = |a: &Section<'_>, b: &Section<'_>| match (a.kind, b.kind) {
        (SectionKind::Comment, _) => false,
        (
            SectionKind::Program(_, ProgramForm::Glsl),
            SectionKind::Program(_, ProgramForm::Glsl),
        ) => false,
        (a, b) if stage(a).is_some() => stage(a) == stage(b),
        // `load` finds programs by stage and name.
        (SectionKind::AlternateProgram(_), _) => a.kind == b.kind && a.name == b.name,
        (a, b) => a == b,
    };
    for (index, section) in sections.iter().enumerate() {
        if let Some(first) = sections[..index].iter().find(|first| same(first, section)) {
            let what = match stage(section.kind) {
                Some(stage) => format!("second {} program", stage.name()),
                None => "section repeated".to_owned(),
            };
            let message = format!("{what}; the first is at line {}", first.line);
            errors.push(ScriptError::new(section.line, 1, message));
        }
    }
}

/// Returns the lines of a section that is not a program, with their numbers: comments and empty
/// lines are removed, lines that end in `\` are joined with the next one and have the number of the
/// first. Reports lines that are not UTF-8 and omits them.
pub(crate) fn logical_lines(
    section: &Section<'_>,
    errors: &mut Vec<ScriptError>,
) -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for (bytes, number) in section
        .body
        .split(|byte| *byte == b'\n')
        .zip(section.line + 1..)
    {
        let Ok(text) = std::str::from_utf8(bytes) else {
            errors.push(ScriptError::new(number, 1, "not UTF-8"));
            continue;
        };
        let text = text.trim_end();
        if open.is_none() && is_blank_or_comment(text.as_bytes()) {
            continue;
        }
        let (first, mut joined) = open.take().unwrap_or((number, String::new()));
        match text.strip_suffix('\\') {
            Some(part) => {
                joined.push_str(part);
                open = Some((first, joined));
            }
            None => {
                joined.push_str(text);
                lines.push((first, joined));
            }
        }
    }
    lines.extend(open);
    lines
}

/// Program section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSection {
    /// Type that the program must have.
    pub program_type: ProgramType,
    /// Stage that the program is for.
    pub stage: Stage,
    /// Form of the program.
    pub form: ProgramForm,
    /// Bytes of the program; those of a SPIR-V module for [`ProgramForm::SpirvWords`].
    pub text: Vec<u8>,
    /// Line of the header.
    pub line: u32,
    /// Position of its bytes in the script.
    pub source_map: SourceMap,
}

/// Program string that may be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlternateProgram {
    /// Name for `load`; it may denote a program of each stage.
    pub name: String,
    /// Program.
    pub program: ProgramSection,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (Vec<Section<'_>>, Vec<ScriptError>) {
        let mut errors = Vec::new();
        let sections = split_sections(text.as_bytes(), &mut errors);
        (sections, errors)
    }

    #[test]
    fn program_text_is_kept_exactly() {
        let (sections, errors) =
            split("# note\n[vertex program]\n!!NVvp5.0\r\nEND\n\n[test]\nclear\n");
        assert_eq!(errors, []);
        assert_eq!(
            sections[0].kind,
            SectionKind::Program(ProgramType::Stage(Stage::Vertex), ProgramForm::Assembly)
        );
        assert_eq!(sections[0].body, b"!!NVvp5.0\r\nEND\n\n");
        assert_eq!(
            (sections[1].kind, sections[1].line, sections[1].body),
            (SectionKind::Test, 6, &b"clear\n"[..])
        );
    }

    #[test]
    fn all_stage_names_are_known() {
        let state = ProgramType::VertexState;
        for (name, program_type) in STAGE_NAMES.iter().filter(|(_, it)| *it != state) {
            let text = format!("[{name} shader spirv]\n");
            let (sections, errors) = split(&text);
            assert_eq!(errors, []);
            assert_eq!(
                sections[0].kind,
                SectionKind::Program(*program_type, ProgramForm::SpirvText)
            );
        }
    }

    #[test]
    fn bad_headers_are_reported_with_their_lines() {
        let (_, errors) = split("text\n[tset]\n[compute shader passthrough]\n[test]\n[test]\n");
        let found: Vec<_> = errors
            .iter()
            .map(|error| (error.line, error.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (1, "text before the first section"),
                (2, "unknown section `[tset]`"),
                (3, "unknown section `[compute shader passthrough]`"),
                (5, "section repeated; the first is at line 4"),
            ]
        );
    }

    #[test]
    fn state_programs_are_assembly() {
        for (header, expected) in [
            (
                "vertex state program",
                SectionKind::Program(ProgramType::VertexState, ProgramForm::Assembly),
            ),
            (
                "vertex state program ir",
                SectionKind::Program(ProgramType::VertexState, ProgramForm::Ir),
            ),
            (
                "vertex state program repeated",
                SectionKind::RepeatedProgram(ProgramType::VertexState),
            ),
            (
                "vertex state program half",
                SectionKind::AlternateProgram(ProgramType::VertexState),
            ),
        ] {
            let text = format!("[{header}]\n");
            let (sections, errors) = split(&text);
            assert_eq!(errors, []);
            assert_eq!(sections[0].kind, expected, "{header}");
        }
        for form in ["shader", "shader spirv", "program passthrough"] {
            let (_, errors) = split(&format!("[vertex state {form}]\n"));
            assert_eq!(errors.len(), 1, "{form}");
        }
    }

    #[test]
    fn only_glsl_stages_have_several_sections() {
        let glsl = "[vertex shader]\n[fragment shader]\n[vertex shader]\n";
        assert_eq!(split(glsl).1, []);
        let (_, errors) = split("[vertex shader]\n[vertex shader spirv]\n");
        assert_eq!(
            errors[0].message,
            "second vertex program; the first is at line 1"
        );
        assert_eq!(errors[0].line, 2);
    }

    #[test]
    fn a_line_with_brackets_in_a_program_is_no_header() {
        let (sections, errors) = split("[vertex program]\n[R0.x]\n");
        assert_eq!(errors, []);
        assert_eq!(sections[0].body, b"[R0.x]\n");
    }

    #[test]
    fn long_lines_are_joined() {
        let (sections, mut errors) = split("[test]\n# c\na \\\n b\\\n c\n\nd\n");
        let lines = logical_lines(&sections[0], &mut errors);
        assert_eq!(lines, [(3, "a  b c".to_owned()), (7, "d".to_owned())]);
    }
}
