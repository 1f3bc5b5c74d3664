//! Tests of messages: layout, positions, any bytes.

use super::*;

fn source(text: &[u8]) -> Source<'_> {
    Source::new("a.vp", text)
}

fn error_at(start: u32, end: u32) -> Diagnostics {
    Diagnostic::error(
        Code::UndeclaredName,
        Span::new(start, end),
        "no variable `q`",
    )
    .into()
}

/// Renders a message; returns the source line and the line with the mark below it, without the
/// gutter.
fn drawn(text: &[u8], start: u32, end: u32) -> (String, String) {
    let rendered = error_at(start, end).render(&source(text));
    let mut lines = rendered
        .lines()
        .skip_while(|line| !line.starts_with(|first: char| first.is_ascii_digit()));
    let body = |line: &str| line.split_once('|').unwrap().1[1..].to_owned();
    (body(lines.next().unwrap()), body(lines.next().unwrap()))
}

#[test]
fn layout_is_that_of_rustc() {
    let mut diagnostics = Diagnostics::default();
    let text = b"!!NVvp5.0\nMOV result.position, q;\nEND\n";
    diagnostics.push(
        Diagnostic::error(Code::UndeclaredName, Span::new(31, 32), "no variable `q`")
            .with_note("declare it with TEMP")
            .with_note("note: names are case-sensitive"),
    );
    let expected = "\
error[E0201]: no variable `q`
 --> a.vp:2:22
  |
2 | MOV result.position, q;
  |                      ^
  |
  = help: declare it with TEMP
  = note: names are case-sensitive

";
    assert_eq!(diagnostics.render(&source(text)), expected);
}

#[test]
fn whole_program_messages_name_the_file_only() {
    let diagnostics = Diagnostics::from(Diagnostic::whole_program(
        Code::TooManyTemporaries,
        "5000 temporaries",
    ));
    assert_eq!(
        diagnostics.render(&source(b"!!NVvp5.0\nEND")),
        "error[E1003]: 5000 temporaries\n--> a.vp\n\n"
    );
}

#[test]
fn several_messages_are_counted() {
    let mut diagnostics = error_at(0, 1);
    diagnostics.push(Diagnostic::error(
        Code::UndeclaredName,
        Span::new(1, 2),
        "second",
    ));
    diagnostics.push(Diagnostic::warning(
        Code::UndeclaredName,
        Span::new(2, 3),
        "third",
    ));
    let rendered = diagnostics.render(&source(b"abc"));
    assert!(rendered.contains("warning[E0201]: third"));
    assert!(
        rendered.ends_with("\na.vp: 2 errors, 1 warning\n"),
        "{rendered}"
    );
}

#[test]
fn marks_stand_below_the_text() {
    assert_eq!(
        drawn(b"MOV a, b;", 4, 5),
        ("MOV a, b;".into(), "    ^".into())
    );
    // Invalid bytes are one character each, a multi-byte character is one column.
    assert_eq!(
        drawn(b"\xff\xfe a", 3, 4),
        ("\u{fffd}\u{fffd} a".into(), "   ^".into())
    );
    assert_eq!(drawn("é a".as_bytes(), 3, 4), ("é a".into(), "  ^".into()));
    // A tab is drawn as four spaces.
    assert_eq!(
        drawn(b"\ta bc", 3, 5),
        ("    a bc".into(), "      ^^".into())
    );
    // Control characters are replaced by one character.
    assert_eq!(
        drawn(b"\x1b[1m a", 5, 6),
        ("\u{fffd}[1m a".into(), "     ^".into())
    );
    // Past the end of the source.
    assert_eq!(drawn(b"END", 3, 3), ("END".into(), "   ^".into()));
}

#[test]
fn lines_end_at_lf_crlf_and_cr() {
    for text in [&b"a\nbc"[..], b"a\r\nbc", b"a\rbc"] {
        let map = LineMap::new(text);
        assert_eq!(map.line_count(), 2);
        assert_eq!(
            map.position_at(text.len() - 1),
            Position { line: 2, column: 2 }
        );
        assert_eq!(
            map.position_at(text.len() + 7),
            Position { line: 2, column: 3 }
        );
        assert_eq!(&text[map.line_range(1)], b"a");
        assert_eq!(&text[map.line_range(2)], b"bc");
        assert!(map.line_range(3).is_empty() && map.line_range(0).is_empty());
        assert_eq!(line_number_at(text, 0), 1);
        assert_eq!(line_number_at(text, text.len() as u32 - 2), 2);
    }
    assert_eq!(
        LineMap::new(b"a\r\nb").position_at(2),
        Position { line: 1, column: 2 },
        "in the line end"
    );
    assert_eq!(drawn(b"a\rbc\rd", 3, 4), ("bc".into(), " ^".into()));
    assert_eq!(
        LineMap::new(b"").position_at(0),
        Position { line: 1, column: 1 }
    );
    assert_eq!(
        LineMap::new("é\u{1F600}x".as_bytes()).position_at(6),
        Position { line: 1, column: 3 }
    );
    assert_eq!(
        LineMap::new("é\u{1F600}x".as_bytes()).position_at(4),
        Position { line: 1, column: 2 },
        "inside a character"
    );
}

#[test]
fn long_lines_are_cut_around_the_mark() {
    let mut text = vec![b'x'; 1_000_000];
    text[500_000] = b'Y';
    let (line, mark) = drawn(&text, 500_000, 500_001);
    assert!(
        line.len() < 300 && line.contains("...") && line.contains('Y'),
        "{line}"
    );
    assert_eq!(mark.find('^'), line.find('Y'));
    let rendered = error_at(500_000, 500_001).render(&source(&text));
    assert!(rendered.contains("a.vp:1:500001"), "{rendered}");
    let wide = error_at(10, 900_000).render(&source(&text));
    assert!(wide.len() < 2000, "{} bytes", wide.len());
}

#[test]
fn multi_line_spans_show_their_lines() {
    let rendered = error_at(4, 11).render(&source(b"MOV a,\n  b,\n  c;"));
    assert!(
        rendered.contains("1 | ") && rendered.contains("MOV a,") && rendered.contains("2 | "),
        "{rendered}"
    );
}

#[test]
fn any_bytes_and_spans_are_drawn() {
    // All sources of up to four of these bytes, with all spans including those past the end.
    let alphabet = *b"\n\r\t\x00\xc3\xa9a\x1b";
    let mut texts: Vec<Vec<u8>> = vec![vec![]];
    for _ in 0..4 {
        let longer = texts
            .iter()
            .flat_map(|text| alphabet.iter().map(|&byte| [&text[..], &[byte]].concat()));
        texts = [vec![vec![]], longer.collect()].concat();
    }
    for text in &texts {
        for start in 0_u32..6 {
            for end in start.saturating_sub(1)..7 {
                let rendered = error_at(start, end).render(&source(text));
                assert!(
                    rendered.contains('^'),
                    "{text:?} {start}..{end}: {rendered}"
                );
                assert!(
                    !rendered.contains('\x1b') && !rendered.contains('\r'),
                    "{text:?}"
                );
            }
        }
    }
    let wide = error_at(0, u32::MAX).render_styled(&source(b"abc"));
    assert!(wide.contains("\x1b["), "colors expected");
}

#[test]
fn gl_error_position_is_that_of_the_first_error() {
    let text = source(b"0123456789");
    let mut diagnostics = Diagnostics::default();
    assert_eq!(diagnostics.gl_error_position(&text), None);
    assert_eq!(diagnostics.gl_error(&text), (-1, String::new()));
    diagnostics.push(Diagnostic::warning(
        Code::UndeclaredName,
        Span::new(1, 2),
        "warnings do not count",
    ));
    assert_eq!(diagnostics.gl_error_position(&text), None);
    diagnostics.push(Diagnostic::whole_program(Code::TooManyTemporaries, "limit"));
    assert_eq!(diagnostics.gl_error_position(&text), Some(10));
    diagnostics.push(Diagnostic::error(
        Code::UndeclaredName,
        Span::new(7, 9),
        "later",
    ));
    diagnostics.push(Diagnostic::error(
        Code::UndeclaredName,
        Span::new(4, 5),
        "earlier",
    ));
    assert_eq!(diagnostics.gl_error_position(&text), Some(4));
    assert_eq!(error_at(90, 99).gl_error_position(&text), Some(10));
}

#[test]
fn json_has_all_fields() {
    let mut diagnostics = Diagnostics::from(
        Diagnostic::error(Code::UndeclaredName, Span::new(4, 5), "say \"q\"\n").with_note("help"),
    );
    diagnostics.push(Diagnostic::whole_program(Code::TooManyTemporaries, "limit"));
    let json: serde_json::Value =
        serde_json::from_str(&diagnostics.to_json(&source(b"ab\ncde"))).unwrap();
    let expected = serde_json::json!([
        {"code": "E0201", "severity": "error", "message": "say \"q\"\n", "name": "a.vp", "start": 4, "end": 5, "line": 2,
         "column": 2, "notes": ["help"]},
        {"code": "E1003", "severity": "error", "message": "limit", "name": "a.vp", "start": null, "end": null, "line": null,
         "column": null, "notes": []},
    ]);
    assert_eq!(json, expected);
    assert_eq!(Diagnostics::default().to_json(&source(b"")), "[]");
}

#[test]
fn messages_are_sorted_and_repeated_ones_dropped() {
    let mut diagnostics =
        Diagnostics::from(Diagnostic::whole_program(Code::TooManyTemporaries, "limit"));
    for start in [9, 3, 9] {
        diagnostics.push(Diagnostic::error(
            Code::UndeclaredName,
            Span::new(start, start + 1),
            "x",
        ));
    }
    diagnostics.sort();
    let starts: Vec<_> = diagnostics
        .list
        .iter()
        .map(|diagnostic| diagnostic.location)
        .collect();
    let at = |start| Location::Span(Span::new(start, start + 1));
    assert_eq!(starts, [at(3), at(9), Location::WholeProgram]);
}

#[test]
fn diagnostics_are_errors_as_others() {
    fn load(fails: bool) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut found = Diagnostics::default();
        let span = Span::new(4, 9);
        found.push(Diagnostic::warning(Code::TextAfterEnd, span, "idle"));
        found.push(Diagnostic::whole_program(Code::MissingEnd, "no END"));
        if fails {
            Err(found)?
        } else {
            Err(found.list[0].clone())?
        }
    }
    let [several, one] = [true, false].map(|fails| load(fails).unwrap_err().to_string());
    assert_eq!(
        several,
        "warning[E0108] at bytes 4..9: idle\nerror[E0106]: no END"
    );
    assert_eq!(one, "warning[E0108] at bytes 4..9: idle");
}
