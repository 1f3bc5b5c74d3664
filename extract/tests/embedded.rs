//! Random programs at random offsets in random data, written in each form: each is found with its
//! exact bytes. Random data alone causes no panic.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_extract::{Scan, Scanner};
use glasm_tests::clock;
use proptest::prelude::*;

/// Returns a program: a header, statements, comments and line ends of several kinds.
fn any_program() -> impl Strategy<Value = String> {
    let header = prop::sample::select(glasm::Dialect::ALL.to_vec())
        .prop_filter("TGSI is separate", |it| it.header().starts_with("!!"));
    let statement = prop::sample::select(vec![
        "TEMP r0, r1;",
        "MOV r0, { 1.5, -2, 0e3, .5 };",
        "  DP3_SAT r0.xyz, r1, -r0.wzyx;",
        "ENDIF;",
        "label: MAD r1, r0, r0, r1; # END of \"it\" <all> & more",
        "# !!ARBvp1.0 END 100%",
        "",
        "\tTEX r0, fragment.texcoord[0], texture[0], 2D;",
    ]);
    (header, prop::collection::vec(statement, 1..12)).prop_map(|(header, lines)| {
        format!(
            "{}\nOPTION X_y;\n{}\nEND",
            header.header(),
            lines.join("\n")
        )
    })
}

/// Returns a TGSI program.
fn any_tgsi() -> impl Strategy<Value = String> {
    let header = prop::sample::select(vec![
        "VERT",
        "FRAG",
        "GEOM",
        "TESS_CTRL",
        "TESS_EVAL",
        "COMP",
    ]);
    (header, 1..9_usize).prop_map(|(header, count)| {
        let lines: Vec<String> = (0..count)
            .map(|number| format!("{number:3}: ADD TEMP[0].xy, TEMP[{number}], IMM[0].xxxx"))
            .collect();
        let lines = lines.join("\n");
        format!(
            "{header}\nDCL TEMP[0..9]\nIMM[0] FLT32 {{ 1.0, 0, 0, 0 }}\n{lines}\n{count:3}: END"
        )
    })
}

/// Returns bytes that contain no header and end with neither text nor an open quotation mark.
fn any_noise() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(|mut bytes| {
        bytes.retain(|byte| !matches!(byte, b'!' | b'"' | b'\'' | b'`' | b'\\' | b'#'));
        // Offsets of strings in UTF-16 are even.
        bytes.resize(bytes.len() / 2 * 2 + 2, 0);
        bytes.extend([0, 0]);
        bytes
    })
}

/// Returns a text as a literal of C, one for each line.
fn quote_lines(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\t', "\\t");
    format!("\"{}\"", escaped.replace('\n', "\\n\"\n \t\""))
}

/// Returns a text as a literal of JSON.
fn quote_json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Returns a text with the entities of XML, in a tag.
fn escape_xml(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!("<p>{}</p>", text.replace('"', "&quot;"))
}

fn add_prefix(text: &str) -> String {
    text.lines()
        .map(|line| format!("[12:34] gl: {line}\n"))
        .collect()
}

/// Returns a text in each form, with the name of its decoding.
fn write_forms(text: &str) -> Vec<(Vec<u8>, &'static str)> {
    let wide = |text: &str, to_bytes: fn(u16) -> [u8; 2]| {
        text.encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>()
    };
    vec![
        (text.into(), "text"),
        (quote_lines(text).into(), "literal"),
        (quote_json(text).into(), "literal"),
        (escape_xml(text).into(), "xml"),
        (add_prefix(text).into(), "prefixed-lines"),
        (wide(text, u16::to_le_bytes), "utf-16le text"),
        (wide(text, u16::to_be_bytes), "utf-16be text"),
        (
            wide(&quote_lines(text), u16::to_le_bytes),
            "utf-16le literal",
        ),
    ]
}

fn check_forms(text: &str, before: &[u8], after: &[u8]) {
    for (written, decoding) in write_forms(text) {
        // Text without anything to replace is also what its form of XML is.
        let is_same = decoding == "xml" && !text.contains(['&', '<', '>', '"']);
        let expected = if is_same { "text" } else { decoding };
        let data = [before, &written, &[0, 0], after].concat();
        let Scan { programs, .. } = Scanner::new().scan(&data);
        let found: Vec<_> = programs
            .iter()
            .map(|it| (String::from_utf8_lossy(&it.text), it.decoding.to_string()))
            .collect();
        assert_eq!(found, [(text.into(), expected.to_owned())], "{decoding}");
        let range = before.len() as u64..(before.len() + written.len()) as u64;
        assert!(range.contains(&programs[0].offset), "{decoding}");
    }
}

proptest! {
    #[test]
    fn programs_are_found(text in any_program(), before in any_noise(), after in any_noise()) {
        check_forms(&text, &before, &after);
    }

    #[test]
    fn tgsi_programs_are_found(text in any_tgsi(), before in any_noise(), after in any_noise()) {
        check_forms(&text, &before, &after);
    }

    /// Parts of programs and marks of all forms in any order: no panic, and programs that are
    /// within the data and do not overlap.
    #[test]
    fn any_data_is_scanned(parts in prop::collection::vec(any_part(), 0..60)) {
        let data = parts.concat();
        let scan = Scanner::new().scan(&data);
        let mut end = 0;
        for found in &scan.programs {
            prop_assert!(found.offset >= end);
            end = found.offset + found.length;
            prop_assert!(end <= data.len() as u64);
            prop_assert!(found.text.starts_with(b"!!") || !found.text.is_empty());
        }
        let half = data.len() / 2;
        let _ = Scanner::new().scan_range(&data, half..data.len());
        let _ = Scanner::new().scan_range(&data, 0..half);
    }
}

/// Returns a part of hostile data.
#[expect(clippy::too_many_lines, reason = "a list")]
fn any_part() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&[u8]> = vec![
        b"!!ARBvp1.0",
        b"!!VP1.0",
        b"!!",
        b"!",
        b"FRAG\n",
        b"VERT\\n",
        b"COMP\"",
        b"DCL ",
        b"0: ",
        b"END",
        b"END\n",
        b"BGNSUB",
        b"ENDSUB",
        b"MOV a;",
        b";",
        b"\"",
        b"\\",
        b"\\n",
        b"\\\n",
        b"\\\r",
        b"\\x",
        b"\\u12",
        b"\\777",
        b"\n",
        b"\r\n",
        b"#",
        b"#13",
        b"#if",
        b"#else\n",
        b"#endif\n",
        b"//",
        b"/*",
        b"*/",
        b"&lt;",
        b"&#",
        b"&#x0;",
        b"'",
        b"'''",
        b"`",
        b"+",
        b",",
        b"..",
        b"<<",
        b"NL",
        b"X(",
        b")",
        b"TEXT(",
        b"\0",
        b"\0\0",
        b"!\0!\0V\0P\x001\0.\x000\0",
        b"\xff\xfe",
        b"\xd8\x00",
        b"\x00\xd8",
        b"> !!FP1.0\n> ",
        b"9: ",
        b"#define NL \"a\"",
        b"\xc3",
        b"%d",
    ];
    prop_oneof![
        4 => prop::sample::select(parts).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

/// Data that repeats what is expensive is scanned in time proportional to its length: eight times
/// the data takes about eight times as long, not 64 times.
#[test]
fn repeated_headers_take_linear_time() {
    for part in [
        &b"!!VP1.0"[..],
        b"!!VP1.0#",
        b"!!VP1.0 MOV ",
        b"\"!!VP1.0\\n",
        b"!!VP1.0&#10;MOV;",
        b"!!VP1.0\\n#",
        b"!",
        b"!\0",
        b"!\0!\0V\0P\x001\0.\x000\0",
        b"FRAG\nDCL ",
        b"FRAG\n#",
        b"> !!VP1.0\n",
        b"\"!!VP1.0\" X ",
        b"\\\"!!VP1.0",
        b"\"!!VP1.0 MOV;\" X \"",
        b"!!VP1.0\nMOV;\0",
        b"&lt;!!VP1.0 MOV;",
        b"FRAG FRAG ",
    ] {
        let time = |size: usize| {
            let data = part.repeat(size / part.len());
            let once = || clock::time(|| drop(Scanner::new().scan(&data)));
            // The shortest of several times is the one that other programs disturbed least.
            (0..2).map(|_| once()).min().expect("a time")
        };
        let (short, long) = (time(1 << 15), time(1 << 18));
        assert!(
            long < short * 24,
            "{}: {short:?}, {long:?}",
            String::from_utf8_lossy(part)
        );
    }
}
