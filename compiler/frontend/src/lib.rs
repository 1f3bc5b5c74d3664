//! Legacy GPU assembly to the glasm IR.
//!
//! [`translate`] runs three stages, each over the whole program: `syntax` parses it to an [`ast`],
//! `check` applies all rules and resolves names, types and bindings, `lower` translates the result
//! to IR. TGSI has a separate front end of the same three stages, [`tgsi`]. Facts about the languages are table entries
//! under [`lang`].

#![forbid(unsafe_code)]

pub mod ast;
mod check;
pub mod codes;
pub mod diag;
mod diagnostic_sink;
mod dialect;
mod header;
pub mod interner;
mod keyword_table;
pub mod lang;
pub mod lex;
mod lower;
mod memory;
mod parsed_header;
mod program_span;
mod resolved_inst;
pub mod source;
mod syntax;
pub mod tgsi;
pub mod token;
mod variables;
pub mod vocabulary;

pub use check::{IndexUsage, ResourceCounts, ResourceUsage};
pub use diag::{Code, Diagnostic, Diagnostics, Location, Severity};
pub use diagnostic_sink::find_closest;
pub use header::{ProgramSpan, detect_language, split_programs};
pub use lang::limits::LimitedItem;
pub use source::{Acceptance, Dialect, ProgramType, Source, TgsiOptions};

use check::CheckScratch;
use diagnostic_sink::DiagnosticSink;
use glasm_ir::{Program, Semantic};
use lower::ir_map::IrMap;
pub(crate) use memory::{ProgramPool, take_cleared_map, take_cleared_vec};
use source::Family;
use syntax::SyntaxMemory;
use tgsi::TgsiMemory;

/// Memory that translations reuse. It grows to the size that the largest program needed.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) syntax: SyntaxMemory,
    pub(crate) check: CheckScratch,
    pub(crate) lowering: IrMap,
    pub(crate) tgsi: TgsiMemory,
    pub(crate) program: ProgramPool,
}

impl Scratch {
    /// Returns scratch without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Retains the memory of a program that is no longer needed for the next translation.
    pub fn recycle(&mut self, program: Program) {
        self.program.recycle(program);
    }
}

/// Translates a program string. The program is `None` exactly if the diagnostics hold an error.
///
/// Callers with many programs reuse a `Scratch` with `translate_with`.
pub fn translate(source: &Source<'_>) -> (Option<Program>, Diagnostics) {
    translate_with(&mut Scratch::new(), source)
}

/// Translates like [`translate`], with scratch memory that serves many translations.
pub fn translate_with(
    scratch: &mut Scratch,
    source: &Source<'_>,
) -> (Option<Program>, Diagnostics) {
    match translate_until(scratch, source, TranslationStage::Lower) {
        Ok((program, reports)) => (program, reports.finish()),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// Counts the resources of a program that GL limits, for callers that answer GL's queries. This
/// takes as long as loading the program: translations are excluded, so that callers without such
/// queries do not pay for it. GL has no queries about TGSI: all counts of such a program are 0.
///
/// # Errors
/// All errors of the program are returned if it does not load.
pub fn count_resources(source: &Source<'_>) -> Result<ResourceCounts, Diagnostics> {
    analyze_resource_usage(source).map(|usage| usage.counts)
}

/// Computes the result of [`count_resources`], the resources that options of the program reserve,
/// and the numbers by which it names items that GL limits.
///
/// # Errors
/// All errors of the program are returned if it does not load.
pub fn analyze_resource_usage(source: &Source<'_>) -> Result<ResourceUsage, Diagnostics> {
    let mut scratch = Scratch::new();
    let parsed_header = header::parse_header(source)?;
    if parsed_header.dialect.family() == Family::Tgsi {
        let (memory, programs) = (&mut scratch.tgsi, &mut scratch.program);
        let (_, reports) =
            tgsi::translate(parsed_header, memory, programs, TranslationStage::Check);
        if reports.has_errors() {
            return Err(reports.finish());
        }
        return Ok(ResourceUsage {
            indices: scratch.tgsi.usage().clone(),
            ..ResourceUsage::default()
        });
    }
    let parsed = syntax::parse(parsed_header, &mut scratch.syntax);
    let parsed = check::check(parsed, &mut scratch.check);
    if parsed.reports.has_errors() {
        return Err(parsed.reports.finish());
    }
    let checked = &scratch.check.program;
    Ok(ResourceUsage {
        counts: checked.count_resources(&parsed.ast),
        reserved: checked.get_reserved_resources(),
        indices: checked.collect_index_usage(&parsed.ast),
    })
}

/// The stages of a translation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TranslationStage {
    /// Parsing and checking.
    Check,
    /// All stages.
    Lower,
}

/// Runs the stages up to the end of `last` and drops the result, for measurements.
///
/// # Errors
/// An error is returned if the string is too large or has no known header; other errors of the
/// program are not returned.
pub fn run_until(
    scratch: &mut Scratch,
    source: &Source<'_>,
    last: TranslationStage,
) -> Result<(), Diagnostics> {
    let (program, _) = translate_until(scratch, source, last)?;
    if let Some(program) = program {
        scratch.recycle(program);
    }
    Ok(())
}

/// Translates up to the stage `last_stage`. The program is `None` if there is an error, or if
/// `last_stage` is earlier than the stage that builds it. Returns the memory of the tree to
/// `scratch`.
///
/// # Errors
/// The source is too large or has no known header; other errors are in the returned reports.
fn translate_until(
    scratch: &mut Scratch,
    source: &Source<'_>,
    last_stage: TranslationStage,
) -> Result<(Option<Program>, DiagnosticSink), Diagnostics> {
    let start = header::parse_header(source)?;
    if start.dialect.family() == Family::Tgsi {
        return Ok(tgsi::translate(
            start,
            &mut scratch.tgsi,
            &mut scratch.program,
            last_stage,
        ));
    }
    let Scratch {
        syntax,
        check,
        lowering: tables,
        program: memory,
        tgsi: _,
    } = scratch;
    let parsed = syntax::parse(start, syntax);
    let parsed = check::check(parsed, check);
    let is_lowered = last_stage == TranslationStage::Lower && !parsed.reports.has_errors();
    let program = is_lowered.then(|| {
        let checked = (&parsed.ast, &check.program);
        lower::program::lower(checked, source.step_limit, (tables, memory))
    });
    syntax.ast = parsed.ast.into_empty();
    syntax.errors = parsed.error_positions;
    Ok((program, parsed.reports))
}

/// Returns the output registers of a TGSI program with their semantics, in the order of their
/// numbers. A register of clip or cull distances has one entry for each component. Registers
/// without a semantic that a pipeline knows are left out; other programs give an empty list. For a
/// program with errors, the registers that could be read are returned.
pub fn find_tgsi_output_registers(source: &Source<'_>) -> Vec<(u32, Semantic)> {
    match header::parse_header(source) {
        Ok(start) if start.dialect.family() == Family::Tgsi => tgsi::list_outputs(start),
        Ok(_) | Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(text: &str) -> Vec<(u32, Semantic)> {
        find_tgsi_output_registers(&Source::new("a", text))
    }

    #[test]
    fn registers_have_semantics() {
        let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\ndcl out[1].xy , generic[7]\nDCL OUT[2..3], ARRAY(1), GENERIC[9]\n\
                    DCL OUT[4], LOCAL, TEXCOORD[3]\nDCL OUT [ 5 ], BCOLOR [1] DCL OUT[6], COLOR\n  0: MOV OUT[0], IN[0]\n1:END";
        let expected = [
            (0, Semantic::Position),
            (1, Semantic::GenericVarying(7)),
            (2, Semantic::GenericVarying(9)),
            (3, Semantic::GenericVarying(10)),
            (4, Semantic::TexCoord(3)),
            (5, Semantic::BackColor(1)),
            (6, Semantic::Color(0)),
        ];
        assert_eq!(outputs(text), expected);
        let text = "GEOM DCL OUT[1], PSIZE DCL OUT[2], FOG DCL OUT[3], LAYER, STREAM(0, 1, 2, 3) DCL OUT[4], VIEWPORT_INDEX DCL OUT[5], PRIM_ID";
        let expected = [
            (1, Semantic::PointSize),
            (2, Semantic::FogCoordVec4),
            (3, Semantic::Layer),
            (4, Semantic::ViewportIndex),
            (5, Semantic::PrimitiveId),
        ];
        assert_eq!(outputs(text), expected);
    }

    #[test]
    fn clip_distances_are_single() {
        let clip = |register, numbers: std::ops::Range<u8>| {
            numbers.map(move |number| (register, Semantic::ClipDistance(number)))
        };
        let expected: Vec<_> = clip(2, 0..4).chain(clip(3, 4..8)).collect();
        assert_eq!(outputs("VERT DCL OUT[2..3], CLIPDIST"), expected);
        let expected: Vec<_> = clip(1, 4..8).collect();
        assert_eq!(outputs("VERT DCL OUT[1], CLIPDIST[1]"), expected);
    }

    #[test]
    fn properties_divide_distances() {
        let text = "VERT PROPERTY NUM_CLIPDIST_ENABLED 3 PROPERTY NUM_CULLDIST_ENABLED 2 DCL OUT[0..1], CLIPDIST";
        let expected = [
            (0, Semantic::ClipDistance(0)),
            (0, Semantic::ClipDistance(1)),
            (0, Semantic::ClipDistance(2)),
            (0, Semantic::CullDistance(0)),
            (1, Semantic::CullDistance(1)),
        ];
        assert_eq!(outputs(text), expected);
    }

    #[test]
    fn fog_was_a_number() {
        let mut source = Source::new("a", "VERT DCL OUT[2], FOG");
        source.tgsi.legacy_semantics = true;
        assert_eq!(
            find_tgsi_output_registers(&source),
            [(2, Semantic::FogCoord)]
        );
    }

    #[test]
    fn other_programs_have_none() {
        assert!(outputs("!!ARBvp1.0 MOV result.position, vertex.position; END").is_empty());
        assert!(outputs("nothing").is_empty());
    }

    #[test]
    fn vertices_and_comments_are_left_out() {
        let text = "TESS_CTRL # DCL OUT[7], FOG\n// DCL OUT[8], FOG\nDCL OUT[][1], GENERIC[2] /* DCL OUT[9], FOG */ DCL OUT[2], TESSOUTER /* DCL OUT[3], FOG";
        assert_eq!(outputs(text), [(1, Semantic::GenericVarying(2))]);
    }

    #[test]
    fn any_text_has_an_end() {
        assert!(outputs("VERT DCL OUT[0..4294967295], GENERIC[4294967295]").is_empty());
        assert_eq!(outputs("VERT DCL OUT[0..65535], GENERIC[250]").len(), 6);
        assert_eq!(outputs("VERT DCL OUT[0..65535], FOG").len(), 1);
        let text = "VERT DCL OUT[0].xy, ARRAY(1), LOCAL, GENERIC[1]";
        for end in 0..text.len() {
            assert!(outputs(&text[..end]).len() < 2, "{end}");
        }
        for text in [
            "",
            "DCL",
            "DCL OUT",
            "DCL OUT[",
            "DCL OUT[1.",
            "DCL OUT[x], FOG",
        ] {
            assert!(outputs(text).is_empty(), "{text}");
        }
    }
}
