//! Programs in every form in which they are found, with the expected text written out.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_extract::{Found, Note, Scanner};

/// Returns the programs in data.
fn scan(data: impl AsRef<[u8]>) -> Vec<Found> {
    Scanner::new().scan(data.as_ref()).programs
}

/// Returns the only program in data: text, decoding, remarks.
fn scan_one(data: impl AsRef<[u8]>) -> (String, String, Vec<Note>) {
    let mut found = scan(&data);
    assert_eq!(found.len(), 1, "{}", String::from_utf8_lossy(data.as_ref()));
    let found = found.remove(0);
    let text = String::from_utf8(found.text).unwrap();
    (text, found.decoding.to_string(), found.notes)
}

/// Asserts that data has one program, without remarks.
fn check(data: impl AsRef<[u8]>, text: &str, decoding: &str) {
    assert_eq!(
        scan_one(data),
        (text.to_owned(), decoding.to_owned(), Vec::new())
    );
}

const SHORT: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";

#[test]
fn text_ends_with_its_end() {
    check(format!("{SHORT}\n"), SHORT, "text");
    check(format!("x\0{SHORT}\0y"), SHORT, "text");
    check(format!("title line\n{SHORT}"), SHORT, "text");
    check(format!("\u{feff}{SHORT} ENDIF"), SHORT, "text");
    check(
        format!("\x01{SHORT}IF\nEND").replace("ENDIF", "ENDIF;"),
        &format!("{SHORT}IF;\nEND"),
        "text",
    );
    let commented = "!!VP1.0 # END\nMOV o[HPOS], v[0]; # not the END\r\nEND";
    check(format!("{commented}\r\n"), commented, "text");
    let crlf = SHORT.replace('\n', "\r\n");
    check(&crlf, &crlf, "text");
    let one_line = "!!ARBvp1.0OPTION ARB_position_invariant;MOV result.color,vertex.color;END";
    check(format!("char*p=\"{one_line}\";"), one_line, "literal");
}

#[test]
fn empty_programs_are_programs() {
    check("!!ARBvp1.0\nEND\n", "!!ARBvp1.0\nEND", "text");
    check("p = \"!!FP1.0 END\";", "!!FP1.0 END", "literal");
}

#[test]
fn prose_and_comparisons_are_not_programs() {
    for text in [
        "if (!strncmp(text, \"!!ARBvp1.0\", 10)) END;",
        "The string starts with \"!!ARBvp1.0\"; see below. END",
        "!!ARBvp1.0 and !!ARBfp1.0 are headers; at the END",
        "!!ARBvp1.0",
        "!!ARBvp1.0\0\0\0",
        "!!ARBvp1.0 AND THE END OF IT ALL",
        "VERT\nnot a program; END",
        "COMP\n\nMOV a; END",
        "FRAG\n",
    ] {
        assert_eq!(scan(text), [], "{text}");
    }
    let scan = Scanner::new().scan(b"\"!!ARBvp1.0\", \"!!ARBfp1.0\"");
    assert_eq!((scan.programs.len(), scan.other_headers), (0, 2));
}

#[test]
fn several_programs_follow_each_other() {
    let vertex = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nEND";
    let pair = format!("{vertex}\n{SHORT}\n# {vertex}\n");
    let texts: Vec<_> = scan(&pair).into_iter().map(|found| found.text).collect();
    assert_eq!(texts.len(), 3);
    assert_eq!(texts[0], vertex.as_bytes());
    assert_eq!(texts[1], SHORT.as_bytes());
    // A header in a comment of a program does not begin one.
    let commented = "!!ARBvp1.0\n# !!ARBfp1.0\nMOV result.position, vertex.position;\nEND";
    check(commented, commented, "text");
}

#[test]
fn literals_of_c_are_decoded() {
    let source = r##"static const char *p =
    "!!ARBfp1.0\n"
    "# \"color\"\tEND\n"  /* comment */
    "MOV result.color," // another
    " fragment.color;\n" "END\n";"##;
    check(
        source,
        "!!ARBfp1.0\n# \"color\"\tEND\nMOV result.color, fragment.color;\nEND",
        "literal",
    );
    // The literal begins with a comment, before the header.
    check(
        "p = \"# title\\n\"\n\"!!ARBfp1.0\\012MOV result.color, {1,0,0,1};\\x0aEND\";",
        "!!ARBfp1.0\nMOV result.color, {1,0,0,1};\nEND",
        "literal",
    );
}

#[test]
fn lines_are_continued() {
    let expected = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
    let lines = "\"\\\n!!ARBvp1.0\\n\\\nMOV result.position, vertex.position;\\n\\\nEND\\n\\\n\";";
    check(lines, expected, "literal");
    check(lines.replace("\\\n", "\\\r\n"), expected, "literal");
    let macros = "#define P \"!!ARBvp1.0\\n\" \\\n  \"MOV result.position, vertex.position;\\n\" \\\n  \"END\"\n";
    check(macros, expected, "literal");
}

#[test]
fn literals_of_other_languages_are_decoded() {
    for source in [
        // Java, C#, JavaScript.
        "s = \"!!ARBfp1.0\\n\" +\n    \"MOV result.color, fragment.color;\\n\" +\n    \"END\";",
        // JSON.
        r#"{"source": "!!ARBfp1.0\nMOV result.color, fragment.color;\u000aEND\n", "a": 1}"#,
        // Python.
        "s = ('!!ARBfp1.0\\n'\n     'MOV result.color, fragment.color;\\n'\n     'END')",
        // Lua.
        "s = \"!!ARBfp1.0\\n\" .. \"MOV result.color, fragment.color;\\n\" ..\n\"END\"",
        // Visual Basic.
        "s = \"!!ARBfp1.0\" & vbLf & _\n \"MOV result.color, fragment.color;\" & vbLf & \"END\"",
        // Pascal.
        "s := '!!ARBfp1.0'#10 +\n  'MOV result.color, fragment.color;'#10 + 'END';",
        // C++ streams and Windows.
        "s << \"!!ARBfp1.0\" << std::endl << \"MOV result.color, fragment.color;\" << '\\n' << \"END\";",
        "s = TEXT(\"!!ARBfp1.0\\n\") TEXT(\"MOV result.color, fragment.color;\\n\") TEXT(\"END\");",
        "s = L\"!!ARBfp1.0\\n\" L\"MOV result.color, fragment.color;\\n\" L\"END\";",
    ] {
        check(source, SHORT, "literal");
    }
    for source in [
        format!("s = [[{SHORT}]]"),
        format!("s = \"\"\"\n{SHORT}\n\"\"\""),
        format!("s = R\"({SHORT})\";"),
        format!("s = @\"{SHORT}\";"),
        format!("<![CDATA[{SHORT}]]>"),
    ] {
        check(&source, SHORT, "text");
    }
}

#[test]
fn lists_of_literals_are_joined() {
    let (text, decoding, notes) =
        scan_one("{ \"!!ARBfp1.0\", \"MOV result.color, fragment.color;\", \"END\", NULL }");
    assert_eq!((text.as_str(), decoding.as_str()), (SHORT, "literal"));
    assert_eq!(notes, [Note::Joined]);
}

#[test]
fn macros_between_literals_are_replaced_or_named() {
    let source =
        "#define NL \"\\n\"\np = \"!!ARBfp1.0\" NL \"MOV result.color, \" COLOR \";\" NL \"END\";";
    let (text, _, notes) = scan_one(source);
    assert_eq!(text, "!!ARBfp1.0\nMOV result.color, COLOR;\nEND");
    assert_eq!(notes, [Note::Macro("COLOR".to_owned())]);
}

#[test]
fn the_first_branch_of_conditionals_is_taken() {
    let source = "p = \"!!ARBfp1.0\\n\"\n#if A\n\"MOV result.color, 1;\\n\"\n#else\n#ifdef B\n\"X;\"\n#endif\n\"MOV result.color, 0;\\n\"\n#endif\n\"END\";";
    let (text, _, notes) = scan_one(source);
    assert_eq!(text, "!!ARBfp1.0\nMOV result.color, 1;\nEND");
    assert_eq!(notes, [Note::Conditional]);
}

#[test]
fn placeholders_remain() {
    let (text, _, notes) =
        scan_one("sprintf(b, \"!!ARBfp1.0\\nTEX r, f, texture[%d], %s; # 100%\\nEND\", 1, t);");
    assert_eq!(text, "!!ARBfp1.0\nTEX r, f, texture[%d], %s; # 100%\nEND");
    assert_eq!(notes, [Note::Placeholders]);
    let (text, ..) = scan_one("s = \"!!ARBfp1.0\\nMOV a, b;\\n%sEND\\n\"; MOV;");
    assert_eq!(text, "!!ARBfp1.0\nMOV a, b;\n%sEND");
    let template = "!!ARBvp1.0\n\n${require(target)}\nMOV a, b;\nEND";
    check(template, template, "text");
    let (_, _, notes) = scan_one("!!ARBfp1.0\n# 100%\nMOV result.color, 1;\nEND");
    assert_eq!(notes, []);
}

#[test]
fn literals_in_literals_are_decoded() {
    check(
        r#"s = "{\"p\": \"!!ARBfp1.0\\nMOV result.color, fragment.color;\\nEND\\n\"}";"#,
        SHORT,
        "literal",
    );
}

#[test]
fn escapes_without_quotation_marks_end_with_the_line() {
    check(
        "program: !!ARBfp1.0\\nMOV result.color, fragment.color;\\nEND\\n\nnext",
        SHORT,
        "escaped",
    );
}

#[test]
fn entities_of_xml_are_decoded() {
    let expected = "!!ARBfp1.0\n# a < b\nMOV result.color, fragment.color;\nEND";
    check(
        "<p code=\"!!ARBfp1.0&#10;# a &lt; b&#xA;MOV result.color, fragment.color;&#10;END\"/>",
        expected,
        "xml",
    );
    check(
        "<p>!!ARBfp1.0\n# a &lt; b\nMOV result.color, fragment.color;\nEND</p>",
        expected,
        "xml",
    );
}

#[test]
fn prefixes_of_lines_are_removed() {
    let expected = "!!ARBfp1.0\n\n  MOV result.color, fragment.color;\nEND";
    for log in [
        "// !!ARBfp1.0\n//\n//   MOV result.color, fragment.color;\n// END\nint x;",
        "[  9.99] gl: !!ARBfp1.0\n[  9.99] gl: \n[ 10.00] gl:   MOV result.color, fragment.color;\n[ 10.01] gl: END\n",
        "   9: !!ARBfp1.0\n  10: \n  11:   MOV result.color, fragment.color;\n  12: END\n",
    ] {
        check(log, expected, "prefixed-lines");
    }
    // Other text before the header only.
    check(format!("vs 1: {SHORT}\n"), SHORT, "text");
}

#[test]
fn utf_16_is_decoded() {
    let text = format!("\u{feff}title\r\n{}", SHORT.replace(";\n", "; # \u{e9}\n"));
    let expected = SHORT.replace(";\n", "; # \u{e9}\n");
    let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&le, &expected, "utf-16le text");
    let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(&be, &expected, "utf-16be text");
    assert_eq!(scan(&le)[0].offset, 2 * 8);
    let literal = r#"s = "!!ARBfp1.0\nMOV result.color, fragment.color;\n" + "END";"#;
    let le: Vec<u8> = literal.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&le, SHORT, "utf-16le literal");
    // A string of Windows in a binary.
    let mut binary = b"\x01\x02\0\0".to_vec();
    binary.extend(SHORT.encode_utf16().flat_map(u16::to_le_bytes));
    binary.extend([0, 0, 0x90, 0x90]);
    check(&binary, SHORT, "utf-16le text");
}

#[test]
fn strings_with_nul_bytes_between_them_are_joined() {
    let (text, decoding, notes) =
        scan_one("!!ARBfp1.0\n\0\0\0MOV result.color, fragment.color;\n\0END\n\0rest");
    assert_eq!((text.as_str(), decoding.as_str()), (SHORT, "nul-separated"));
    assert_eq!(notes, [Note::Joined]);
}

#[test]
fn programs_without_end_are_marked() {
    for data in [
        "!!ARBfp1.0\nMOV result.color, fragment.color;\n\0END?",
        "s = \"!!ARBfp1.0\\nMOV result.color, fragment.color;\\n\"; t = 1;",
        "!!ARBfp1.0\nMOV result.color, fragment.color;\n\n!!ARBvp1.0",
    ] {
        let (text, _, notes) = scan_one(data);
        assert_eq!(
            text, "!!ARBfp1.0\nMOV result.color, fragment.color;",
            "{data}"
        );
        assert_eq!(notes, [Note::NoEnd]);
    }
}

#[test]
fn headers_end_programs_without_end() {
    let cut = "!!ARBvp1.0\nMOV result.color, vertex.color;";
    let text = format!("{cut}\n{SHORT}\n");
    let log: String = text.lines().map(|line| format!("// {line}\n")).collect();
    for (data, count) in [
        (text, 2),
        (log, 2),
        (format!("a = \"!!ARBvp1.0\", {SHORT:?};"), 1),
        (format!("a = {{ {cut:?}, {SHORT:?} }};"), 2),
        (format!("<p>{cut}&#10;{SHORT}</p>"), 2),
    ] {
        let texts: Vec<_> = scan(&data).into_iter().map(|it| it.text).collect();
        assert_eq!(texts.len(), count, "{data}");
        assert_eq!(texts[count - 1], SHORT.as_bytes(), "{data}");
    }
}

#[test]
fn blocks_of_unity_are_named() {
    let shader =
        format!("SubProgram \"opengl \" {{\nKeywords {{ \"POINT\" }}\n\"3.0-{SHORT}\n\"\n}}");
    let (text, decoding, notes) = scan_one(shader);
    assert_eq!((text.as_str(), decoding.as_str()), (SHORT, "text"));
    assert_eq!(notes, [Note::Unity]);
}

const TGSI: &str =
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END";

#[test]
fn tgsi_is_found_in_logs_and_literals() {
    check(format!("{TGSI}\n"), TGSI, "text");
    check(format!("fs: 1 TGSI:\n{TGSI}\nnext\n"), TGSI, "text");
    check(format!("\0{TGSI}\0"), TGSI, "text");
    let literal = TGSI.replace('\n', "\\n\"\n\"");
    check(format!("p = \"{literal}\\n\";"), TGSI, "literal");
    let log: String = TGSI.lines().map(|line| format!("mesa: {line}\n")).collect();
    check(&log, TGSI, "prefixed-lines");
    check(
        TGSI.replace("FRAG", "frag"),
        &TGSI.replace("FRAG", "frag"),
        "text",
    );
    let wide: Vec<u8> = TGSI.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&wide, TGSI, "utf-16le text");
}

#[test]
fn subroutines_follow_the_end_of_tgsi() {
    let text = "VERT\nDCL OUT[0], POSITION\n  0: CAL :3\n  1: RET\n  2: END\n  3: BGNSUB :0\n  4: MOV OUT[0], OUT[0]\n  5: ENDSUB";
    check(format!("{text}\n\nVERTEX\n"), text, "text");
    let (before, _) = text.split_once("\n  3:").unwrap();
    check(format!("{before}\n  3: BGNSUB :0\n"), before, "text");
}

#[test]
fn offsets_are_those_of_headers() {
    let data = format!("12345{SHORT}\n67 {SHORT}");
    let found = scan(&data);
    let offsets: Vec<_> = found.iter().map(|it| (it.offset, it.length)).collect();
    assert_eq!(offsets[0].0, 5);
    assert_eq!(offsets[1].0, 5 + SHORT.len() as u64 + 4);
    assert!(offsets[0].1 >= SHORT.len() as u64);
}

#[test]
fn bytes_of_literals_have_positions() {
    let data = "s = \"!!ARBfp1.0\\n\"\n  \"MOV result.color, 1;\\x0aEND\";";
    let found = scan(data).remove(0);
    // Each byte of the program, by the run that contains it: itself, or the backslash of its escape.
    for (at, byte) in found.text.iter().enumerate() {
        let runs = found.source_runs.iter();
        let run = runs.take_while(|run| run.program <= at).last().unwrap();
        let source = data.as_bytes()[run.data + at - run.program];
        let expected = if *byte == b'\n' { b'\\' } else { *byte };
        assert_eq!(char::from(source), char::from(expected), "{at}");
    }
    // Runs end after the backslash of an escape: the text of both literals, and `END`.
    assert_eq!(found.source_runs.len(), 3);
    assert_eq!(scan(SHORT)[0].source_runs.len(), 1);
    let nested = r#"{"a": "\"!!ARBfp1.0\\nEND\""}"#;
    assert!(
        scan(nested)
            .iter()
            .all(|found| found.source_runs.is_empty())
    );
}
