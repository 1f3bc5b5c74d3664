//! Tests that programs without returns in loops and switches are equivalent to the original ones.

use super::lower;
use crate::program::{BlockId, Node, Program, Stage};
use crate::testgen::{self, GenerateOptions};
use crate::{parse, print, verify};

/// Returns true if a return is inside a loop or switch of a block.
fn has_return_inside(program: &Program, block: BlockId, is_inside: fn(Node) -> bool) -> bool {
    program.block_nodes(block).iter().any(|&node| {
        let inner = match node {
            Node::Loop { .. } | Node::Switch(_) => |node| node == Node::Return,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => is_inside,
        };
        let mut blocks = program.inner_blocks(node);
        is_inside(node) || blocks.any(|block| has_return_inside(program, block, inner))
    })
}

fn has_deep_return(program: &Program) -> bool {
    let mut routines = program.routines.iter();
    routines.any(|routine| has_return_inside(program, routine.body, |_| false))
}

#[test]
fn random_programs() {
    let mut changed = 0;
    for (insts, seeds) in [(40, 0..2000), (120, 0..600)] {
        let options = GenerateOptions::new(Stage::Fragment, insts);
        for seed in seeds {
            let program = testgen::generate_program(seed, &options);
            let lowered = lower(&program);
            assert_eq!(lowered.is_some(), has_deep_return(&program), "{program}");
            let Some(lowered) = lowered else { continue };
            changed += 1;
            assert_eq!(verify(&lowered), Ok(()), "seed {seed}\n{lowered}");
            assert!(!has_deep_return(&lowered), "seed {seed}\n{lowered}");
            let environment = testgen::generate_environment(seed, &program);
            assert_eq!(
                testgen::compute_expected(&lowered, &environment),
                testgen::compute_expected(&program, &environment),
                "seed {seed}\n{program}\n{lowered}"
            );
        }
    }
    assert!(changed > 20, "only {changed} programs return out of loops");
}

/// Checks the lowered main routine of a program with parameter p0, result r0 and register r1. A
/// semicolon ends a line.
fn check(body: &str, expected: Option<&str>) {
    let declarations =
        "program vertex\nr0: output32 out0\nr1: temp32\np0: local[0]\nout0: generic[0] float\n";
    let text = format!(
        "{declarations}routine fn0 {{\n{}\n}}\nmain fn0\n",
        body.replace("{ ", "{\n")
            .replace(" }", "\n}\n")
            .replace(';', "\n")
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&program), Ok(()));
    let lowered = lower(&program).map(|lowered| {
        assert_eq!(verify(&lowered), Ok(()));
        let text = print(&lowered);
        let (_, routine) = text.split_once("{\n").unwrap();
        let (routine, _) = routine.rsplit_once("}\nmain").unwrap();
        normalize_spaces(routine)
    });
    assert_eq!(lowered, expected.map(normalize_spaces), "{body}");
}

fn normalize_spaces(text: &str) -> String {
    text.replace(';', "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

const STEP: &str = "r0.x = add.f32 r0.xyzw, p0.xyzw";

#[test]
fn returns_outside_of_loops_stay() {
    check(
        &format!("if nonzero.u32 r1.x {{ return }} loop {{ {STEP}; break }}"),
        None,
    );
}

#[test]
fn at_the_end_of_the_routine_a_break_is_enough() {
    check(
        &format!(
            "loop {{ {STEP}; if nonzero.u32 r1.x {{ return }} if nonzero.u32 r1.y {{ break }} }}"
        ),
        Some(&format!(
            "loop {{ {STEP}; if nonzero.u32 r1.x {{ break }} if nonzero.u32 r1.y {{ break }} }}"
        )),
    );
    // A return that follows is the end of the routine as well.
    check(
        "loop { if nonzero.u32 r1.x { return } if nonzero.u32 r1.y { break } } return",
        Some("loop { if nonzero.u32 r1.x { break } if nonzero.u32 r1.y { break } } return"),
    );
}

#[test]
fn a_loop_that_only_returns_leave_needs_no_register() {
    check(
        &format!("loop {{ if nonzero.u32 r1.x {{ return }} }} {STEP}"),
        Some(&format!(
            "loop {{ if nonzero.u32 r1.x {{ break }} }} return {STEP}"
        )),
    );
}

#[test]
fn other_loops_tell_how_they_were_left() {
    check(
        &format!(
            "loop {{ if nonzero.u32 r1.x {{ return }} if nonzero.u32 r1.y {{ break }} }} {STEP}"
        ),
        Some(&format!(
            "loop {{ if nonzero.u32 r1.x {{ r2.x = mov.u32 {{1}}; break }} \
             if nonzero.u32 r1.y {{ r2.x = mov.u32 {{0}}; break }} }} \
             if nonzero.u32 r2.x {{ return }} {STEP}"
        )),
    );
}
