//! What stands around programs: marks, blanks and comments before the header, NUL and other programs behind END.

use crate::support::{accepted, errors};
use glasm_frontend::{Code, Dialect, Location, Source, detect_language, translate};
use glasm_ir::{Span, Stage};

const VFP: &str = "# a light\n!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n\n# and its color\n!!ARBfp1.0\nMOV result.color, 1.x;\nEND\n";

#[test]
fn the_header_may_stand_behind_blanks() {
    accepted("\u{feff}«!!NVfp5.0» END", &[Code::HeaderUnknown]);
    accepted(
        "\r\n # !!NVvp5.0\n\t«!!NVfp5.0» END",
        &[Code::HeaderUnknown],
    );
    let source = "\u{feff}!!NVfp5.0 END";
    let found = detect_language(&Source::new("test", source));
    assert_eq!(found, Ok((Dialect::NvFp5_0, 12)));
}

#[test]
fn other_text_before_the_header_is_named() {
    for strict in [false, true] {
        let source = Source::new("test", "lights\n\n!!NVfp5.0 END");
        let source = if strict { source.strict() } else { source };
        let (program, diagnostics) = translate(&source);
        assert!(program.is_none());
        let [found] = &diagnostics.list[..] else {
            panic!("{diagnostics:#?}")
        };
        assert_eq!(found.code, Code::HeaderUnknown);
        assert!(
            found.notes[1].contains("`!!NVfp5.0` is in line 3"),
            "{:?}",
            found.notes
        );
    }
    // The header that no language has is what the message points at.
    let (_, diagnostics) = translate(&Source::new("test", "# a\n!!NVfp9.0 END"));
    assert_eq!(
        diagnostics.list[0].location,
        Location::Span(Span::new(4, 13))
    );
}

#[test]
fn nul_closes_the_text() {
    accepted("!!NVfp5.0 END«\0»", &[Code::TextAfterEnd]);
    accepted("!!NVfp5.0 END\n«\0»\0\0ADD", &[Code::TextAfterEnd]);
    // Inside of the program it is no character of the language, and the END before it is found nevertheless.
    errors("!!NVfp5.0 MOV «\0»; END", &[Code::UnexpectedCharacter]);
    let (_, diagnostics) = translate(&Source::new("test", "!!NVfp5.0 MOV a END\0"));
    assert!(
        diagnostics
            .list
            .iter()
            .all(|found| found.code != Code::MissingEnd)
    );
}

#[test]
fn several_programs_need_a_type() {
    let (program, diagnostics) = translate(&Source::new("test", VFP));
    assert!(program.is_none());
    let error = &diagnostics.list[1];
    assert_eq!(error.code, Code::TextAfterEnd);
    assert_eq!(error.notes, ["note: a fragment program starts in line 7"]);
    for (stage, warnings) in [(Stage::Vertex, 2), (Stage::Fragment, 1)] {
        let (program, diagnostics) = translate(&Source::new("test", VFP).for_stage(stage));
        assert_eq!(program.map(|program| program.stage), Some(stage));
        assert_eq!(diagnostics.warning_count(), warnings, "{diagnostics:#?}");
        let strict = Source::new("test", VFP).for_stage(stage).strict();
        assert!(translate(&strict).0.is_none());
    }
    // Two of the same type: neither is taken for the other.
    let twice = VFP.replace(
        "!!ARBvp1.0\nMOV result.position, vertex.position",
        "!!ARBfp1.0\nMOV result.color, 0.x",
    );
    let (program, _) = translate(&Source::new("test", &twice).for_stage(Stage::Fragment));
    assert!(program.is_none());
    let (program, _) = translate(&Source::new("test", &twice).for_stage(Stage::Vertex));
    assert!(program.is_none());
}

#[test]
fn notes_name_the_first_programs_only() {
    let source = VFP.repeat(10);
    let (_, diagnostics) = translate(&Source::new("test", &source));
    let others = diagnostics
        .list
        .iter()
        .find(|found| found.code == Code::TextAfterEnd);
    let notes = &others.expect("there are 20 programs").notes;
    assert_eq!(notes.len(), 8, "{notes:?}");
    // Each copy has nine lines, with a program in line 2 and one in line 7.
    assert_eq!(notes[0], "note: a fragment program starts in line 7");
    assert_eq!(notes[7], "note: a vertex program starts in line 38");
}

#[test]
fn parts_keep_positions_of_the_text() {
    let text = VFP.replace("1.x", "one");
    let sources: Vec<_> = Source::new("test", &text).programs().collect();
    assert_eq!(sources.len(), 2);
    let (vertex, diagnostics) = translate(&sources[0].1);
    assert!(vertex.is_some());
    assert_eq!(diagnostics.warning_count(), 1);
    let (part, source) = sources[1];
    assert_eq!(part.dialect, Some(Dialect::ArbFp1_0));
    let (_, diagnostics) = translate(&source);
    let place = text.find("one").expect("it was put there") as u32;
    assert_eq!(
        diagnostics.list[0].location,
        Location::Span(Span::new(place, place + 3))
    );
    assert!(diagnostics.render(&source).contains("test:8:"));
    // GL counts from the start of the program.
    let expected = text[part.span.range()].find("one");
    assert_eq!(diagnostics.gl_error_position(&source), expected);
    // A strict source is one program.
    assert_eq!(Source::new("test", &text).strict().programs().count(), 1);
}

#[test]
fn parts_outside_the_text_are_empty() {
    for (start, end) in [(9, 4), (400, 500), (0, 0), (u32::MAX, u32::MAX)] {
        let source = Source {
            program_span: Some(Span::new(start, end)),
            ..Source::new("test", "!!NVfp5.0 END")
        };
        let (program, diagnostics) = translate(&source);
        assert!(program.is_none());
        assert_eq!(diagnostics.list[0].code, Code::HeaderUnknown);
        assert_eq!(source.programs().count(), 1);
    }
}
