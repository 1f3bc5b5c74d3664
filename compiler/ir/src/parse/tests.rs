//! Tests of parser and printer.

use super::*;
use crate::print;
use crate::testgen::{GenerateOptions, generate_program};

/// One instance of every construct, as the printer writes it. It need not pass the verifier.
const EVERYTHING: &str = include_str!("everything.glasmir");

/// Checks that literals of image stores have the type of the instruction, and literals of
/// coordinates are integers.
#[test]
fn literals_of_image_accesses() {
    let text = "program fragment\nimg0: unit 0 1d unused\nroutine fn0 {\nimgstore.f32 (img0 x1) {1.5}, {3, 0, 0, 0}\n}\nmain fn0";
    let program = parse(text).unwrap();
    let bits: Vec<u64> = program.literals.iter().map(|literal| literal[0]).collect();
    assert_eq!(bits, [u64::from(1.5f32.to_bits()), 3]);
    let largest = text.replace("f32", "u32").replace("1.5", "4294967295");
    assert_eq!(
        parse(&largest).unwrap().literals[Id::new(0)][0],
        0xffff_ffff
    );
    assert!(parse(&largest.replace("4294967295", "4294967296")).is_err());
    let printed = print(&program);
    assert!(printed.contains("{1.5}, {3, 0, 0, 0}"), "{printed}");
}

#[test]
fn everything_prints_as_it_was() {
    let program = parse(EVERYTHING).unwrap();
    for (printed, read) in print(&program).lines().zip(EVERYTHING.lines()) {
        assert_eq!(printed, read);
    }
    assert_eq!(print(&program), EVERYTHING);
}

/// Checks examples of the correspondence between text and tables.
#[test]
fn everything_means_something() {
    use crate::inst::{CondTest, Saturate, Swizzle};
    let program = parse(EVERYTHING).unwrap();
    assert_eq!(program.stage, Stage::TessControl);
    assert_eq!(program.modes.workgroup_size, [8, 4, 1]);
    assert_eq!(program.register_name(Id::new(1)), Some("long \"array\"é"));
    let first = &program.insts[1];
    let dst = first.dst.unwrap();
    assert_eq!(
        (dst.saturate, dst.mask.0, first.span),
        (Saturate::Unsigned, 15, Span::new(41, 52))
    );
    let src = program.sources(first)[0];
    assert_eq!(
        (src.negate, src.abs, src.swizzle),
        (true, true, Swizzle::new([1, 0, 2, 3]))
    );
    let guard = program.insts[2].dst.unwrap().guard.unwrap();
    assert_eq!(
        (guard.test, guard.swizzle),
        (CondTest::BelowEqual, Swizzle::new([3, 2, 1, 0]))
    );
    let literal = program.literals[Id::new(1)];
    assert_eq!(literal, [0xffff_ffff, 2, 0x1234_5678, 65535]);
    let index = program.indices[Id::new(0)];
    assert_eq!(
        (index.element.relative, index.element.offset, index.len),
        (Some((Id::new(6), 1)), -2, 4)
    );
    assert_eq!(program.routines.len(), 2);
    assert_eq!(program.main.index(), 1);
}

#[test]
fn emptied_programs_are_as_new_ones() {
    let emptied = parse(EVERYTHING).unwrap().into_empty(Stage::Compute);
    assert_eq!(emptied, Program::new(Stage::Compute));
}

#[test]
fn blanks_comments_and_short_forms_are_read() {
    let text = "\n; a comment\n program vertex ; more\nr0 : temp32 ; @1..2 of a declaration\n\
                routine fn0 {\n\n  r0 . x=mov . u32{ 1 }.x;@3..4, and text\n ; @5\n}\nmain fn0 ; end";
    let program = parse(text).unwrap();
    assert_eq!(program.insts[0].span, Span::new(3, 4));
    assert_eq!(
        print(&program),
        "program vertex\nr0: temp32\nroutine fn0 {\n  r0.x = mov.u32 {1}.xxxx    ; @3..4\n}\nmain fn0\n"
    );
}

/// Returns the error of a body in a small program, as `line:column: message`.
fn parse_body_error(body: &str) -> String {
    let text =
        format!("program vertex\nr0: temp32\ncc1: cond32\nroutine fn0 {{\n{body}\n}}\nmain fn0\n");
    parse(&text).expect_err(body).to_string()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn errors_in_bodies() {
    let cases = [
        ("r2.x = mov.f32 {1.0}", "5:1: r2 is not declared"),
        (
            "r1.x = mov.f32 {1.0}",
            "5:1: r1 is declared as another kind of register",
        ),
        ("r0.yx = mov.f32 {1.0}", "5:4: `yx` is not a write mask"),
        ("r0.x = movv.f32 {1.0}", "5:8: `movv` is not an operation"),
        ("r0.x = mov.f31 {1.0}", "5:12: expected a type"),
        (
            "r0.x = mov.f32.fast {1.0}",
            "5:16: `fast` is not a suffix here",
        ),
        ("membar.u32.sat", "5:12: `sat` is not a suffix here"),
        (
            "r0.x = mov.f32 {1.0, 2.0}",
            "5:26: a literal has one or four lanes",
        ),
        (
            "r0.x = mov.f32 {1.0, 2.0, 3.0, 4.0, 5.0}",
            "5:37: a literal has at most four lanes",
        ),
        (
            "r0.x = mov.u32 {1.5}",
            "5:17: this is not a number of type u32",
        ),
        (
            "r0.x = mov.u32 {4294967296}",
            "5:17: this is not a number of type u32",
        ),
        (
            "r0.x = mov.s32 {-2147483649}",
            "5:18: this is not a number of type s32",
        ),
        (
            "r0.x = mov.s32 {-0x1}",
            "5:18: this is not a number of type s32",
        ),
        ("r0.x = mov.f32 {nan}", "5:17: expected a number"),
        (
            "r0.x = mov.f32 r0.xy",
            "5:19: a swizzle has one or four letters",
        ),
        ("r0.x = mov.f32 r0.abcd", "5:19: `abcd` is not a swizzle"),
        ("r0.x = mov.f32 |r0.xyzw", "5:24: expected `|`"),
        ("r0.x = mov.f32 p0.xyzw", "5:16: p0 is not declared"),
        ("r0.x = mov.f32 r0[0].xyzw", "5:20: expected `of`"),
        (
            "r0.x = mov.f32 r0.xyzw r0.xyzw",
            "5:24: expected the end of the line",
        ),
        (
            "r0.x = add.f32 (global x4) r0.xyzw",
            "5:16: `add` has no access data",
        ),
        (
            "r0.x if(gtt cc1.xxxx) = mov.f32 {1.0}",
            "5:9: expected a condition test",
        ),
        ("if r0.x {\n}", "5:4: `r0` is not a condition"),
        ("if nonzero.u32 r0.xy {\n}", "5:19: `xy` is not a lane"),
        ("if nonzero.u32 r0.x {", "7:1: `main` is not an operation"),
        (
            "switch r0.x {\ndefault {\n}\ncase 1 {\n}\n}",
            "8:1: expected `}`, or `case` or `default` before the default block",
        ),
        ("call r0", "5:6: expected an id such as `fn0`"),
        ("é", "5:1: expected a statement or `}`"),
    ];
    for (body, expected) in cases {
        assert_eq!(parse_body_error(body), expected, "{body}");
    }
}

#[test]
fn errors_in_declarations() {
    let cases = [
        ("", "1:1: expected `program`"),
        ("program vortex", "1:9: expected a stage"),
        (
            "program vertex\nr1: temp32",
            "2:1: ids are declared in order: number 0 comes next",
        ),
        (
            "program vertex\nr0: temp33",
            "2:5: `temp33` is not a kind of register",
        ),
        (
            "program vertex\ncc0: temp32",
            "2:6: registers with the prefix `cc` are not `temp`",
        ),
        (
            "program vertex\nr00: temp32",
            "2:1: `r00` is not a declaration",
        ),
        (
            "program vertex\nx0: temp32",
            "2:1: `x0` is not an id that can be declared",
        ),
        (
            "program vertex\nr0: temp32 \"a\\q\"",
            "2:12: invalid escape sequence in a name",
        ),
        (
            "program vertex\np0: env[4294967296]",
            "2:9: the number is out of range",
        ),
        (
            "program vertex\np0: state.matrix.mvp.inverse.column[0]",
            "2:30: expected `row`",
        ),
        (
            "program vertex\np0: state.matrix.mvp.plain.row[0]",
            "2:22: this is not a form of a matrix",
        ),
        (
            "program vertex\nin0: attrib float",
            "2:6: `attrib` with 0 numbers is not a semantic",
        ),
        ("program vertex\nmain fn0", "2:6: fn0 is not declared"),
        (
            "program vertex\nroutine fn1 {\n}\nmain fn1",
            "2:9: the next routine is fn0",
        ),
        (
            "program vertex\nroutine fn0 {\n}\nmain fn0\nx",
            "5:1: expected the end of the text",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).expect_err(text).to_string(), expected, "{text}");
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        let (open, close) = ("loop {\n".repeat(depth), "}\n".repeat(depth));
        parse(&format!(
            "program vertex\nroutine fn0 {{\n{open}{close}}}\nmain fn0"
        ))
    };
    let deepest = nested(MAX_NESTING - 1).unwrap();
    assert_eq!(crate::verify(&deepest), Ok(()));
    assert_eq!(
        nested(MAX_NESTING).unwrap_err().message,
        "blocks are nested more than 256 deep"
    );
    assert!(nested(1_000_000).is_err());
}

/// Checks that parser, verifier, printer and interpreter neither panic nor hang for any input.
#[test]
fn damaged_text_does_no_harm() {
    let mut state = 7u64;
    let mut random = |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let generated = print(&generate_program(
        3,
        &GenerateOptions::new(Stage::Fragment, 60),
    ));
    let pieces = [
        "r0",
        "cc4",
        "{",
        "}",
        "\n",
        "0",
        "-",
        "[",
        "]",
        "of",
        "4294967295",
        "\"",
        "\\",
        ";",
        "@1..2",
        "é",
        "if",
        "x",
        ".",
    ];
    for round in 0..4000 {
        let mut text = if round % 2 == 0 {
            EVERYTHING
        } else {
            &generated
        }
        .to_owned();
        for _ in 0..=random(3) {
            let mut at = random(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let end = (at + random(6)..text.len())
                .find(|&end| text.is_char_boundary(end))
                .unwrap_or(text.len());
            text.replace_range(at..end, pieces[random(pieces.len())]);
        }
        let Ok(program) = parse(&text) else { continue };
        assert!(
            parse(&print(&program)).is_ok_and(|again| print(&again) == print(&program)),
            "{text}"
        );
        if let Ok(mut interpreter) = crate::interp::Interpreter::new(&program) {
            interpreter.step_limit = 10_000;
            let _ = interpreter.run_main(&mut crate::interp::Environment::default());
        }
    }
}
