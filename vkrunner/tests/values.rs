//! Messages of failing probes of buffers, and scripts whose buffers cannot be created. Without a
//! device a test prints a message and ends.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner, ScriptReport};
use std::fs;

/// Runs scripts one after the other with one runner; `None` if there is no device.
fn run(name: &str, scripts: &[&str]) -> Option<Vec<ScriptReport>> {
    let runner = match Runner::new(&RunOptions::default()) {
        Ok(runner) => runner,
        Err(error) => {
            skip(error);
            return None;
        }
    };
    let folder = std::env::temp_dir().join(format!("glasm-values-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("script.shader_test");
    let reports = scripts.iter().map(|script| {
        fs::write(&path, script).unwrap();
        runner.run_file(&path)
    });
    let reports = reports.collect();
    fs::remove_dir_all(&folder).unwrap();
    Some(reports)
}

/// Returns lines and messages of the failures of a script; `None` if the device cannot run it.
fn failures(name: &str, script: &str) -> Option<Vec<(Option<u32>, String)>> {
    let report = run(name, &[script])?.remove(0);
    if let Outcome::Skip(reason) = &report.outcome {
        skip(reason);
        return None;
    }
    assert_eq!(report.outcome, Outcome::Fail);
    let failures = report.failures.into_iter();
    Some(failures.map(|f| (f.line, f.message)).collect())
}

#[test]
fn every_failed_probe_is_reported_with_its_places() {
    let script = "[test]\n\
        buffer b data float 0 1 2.5 nan -0\n\
        probe buffer b float 0 == 1 2 nan 0x0\n\
        probe buffer b float 0 == 1\n\
        tolerance 3ulp\n\
        probe buffer b vec2 0 ~= 0x3f800004 2.5\n\
        ssbo 3 data int16_t 2 -7\n\
        probe ssbo int16_t 3 2 > 16\n\
        ubo 2 data mat2 0 1 2 3 4\n\
        probe ubo mat2 2 0 != 0 0 0 4\n";
    let Some(found) = failures("places", script) else {
        return;
    };
    let expected = [
        (
            Some(3),
            "2 of 4 values of buffer `b` differ\n  \
             byte 4, element 1: expected == 2, observed 2.5, 2097152 ulp away\n  \
             byte 12, element 3: expected == 0 (0x00000000), observed -0 (0x80000000), 0 ulp away",
        ),
        (
            Some(6),
            "1 of 2 values of buffer `b` differ\n  \
             byte 0, element 0.x: expected ~= 1.0000005 (0x3f800004), observed 1 (0x3f800000), 4 ulp away, tolerance 3ulp",
        ),
        (
            Some(8),
            "1 of 1 values of ssbo 0:3 differ\n  \
             byte 2, element 0: expected > 16 (0x0010), observed -7 (0xfff9)",
        ),
        (
            Some(10),
            "1 of 4 values of ubo 0:2 differ\n  \
             byte 20, element 0[1][1]: expected != 4, observed 4, 0 ulp away",
        ),
    ];
    let found: Vec<_> = found
        .iter()
        .map(|(line, text)| (*line, text.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn long_lists_are_abbreviated() {
    let script = "[test]\nbuffer b size 4096\nprobe buffer b uvec2 0 == 0 1 x 512\n";
    let Some(found) = failures("long", script) else {
        return;
    };
    assert_eq!(found.len(), 1);
    let lines: Vec<&str> = found[0].1.lines().collect();
    assert_eq!(lines[0], "512 of 1024 values of buffer `b` differ");
    assert_eq!(
        lines[8],
        "  byte 60, element 7.y: expected == 1, observed 0"
    );
    assert_eq!(lines[9], "  and 504 more");
    assert_eq!(lines.len(), 10);
}

#[test]
fn probes_past_the_end_fail() {
    let script = "[test]\nbuffer b size 8\nprobe buffer b uint 4 == 0 0\nprint buffer b uint 0 3\n";
    let Some(found) = failures("end", script) else {
        return;
    };
    assert_eq!(
        found,
        [
            (
                Some(3),
                "buffer `b` has 8 bytes, but the values reach to byte 12".to_owned()
            ),
            (
                Some(4),
                "byte 12 is past the end of the buffer (8 bytes)".to_owned()
            ),
        ]
    );
}

#[test]
fn buffers_that_are_not_bound_fail_the_dispatch() {
    let script = "[compute program ir]\nprogram compute\nworkgroup_size 1 1 1\nr0: temp32 \"r\"\nbuf0: counter 3\n\
        routine fn0 {\n  r0.x = atom.u32 (buf0 x1 add) {5}, {0}\n}\nmain fn0\n\
        [test]\nssbo 3 size 4\ncompute 1 1 1\nprobe ssbo uint 3 0 == 0\n";
    let Some(found) = failures("bound", script) else {
        return;
    };
    assert_eq!(
        found,
        [(
            Some(12),
            "no buffer is bound to counter 0:3, which the program reads".to_owned()
        )]
    );
}

#[test]
fn the_next_script_runs_after_one_that_needs_too_much() {
    let too_much = "[test]\nbuffer a size 1000000000\nbuffer b size 1000000000\n";
    let small = "[test]\nbuffer a size 4\nprobe buffer a uint 0 == 0\n";
    let Some(reports) = run("memory", &[too_much, small]) else {
        return;
    };
    assert_eq!(reports[0].outcome, Outcome::Fail);
    let messages: Vec<String> = reports[0]
        .failures
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        messages,
        ["line 3, column 1: buffers have at most 1073741824 bytes together"]
    );
    assert_eq!(reports[1].outcome, Outcome::Pass);
}

/// Returns a program that captures the x coordinate of its position, and the sections that follow
/// it.
fn capturing(test: &str) -> String {
    format!(
        "[require]\nfbsize 4 4\n\
         [vertex program]\n!!NVvp5.0\nMOV result.position, vertex.position;\nMOV result.pointsize.x, 1.0;\nEND\n\
         [fragment program]\n!!NVfp5.0\nMOV result.color, 1.0;\nEND\n\
         [vertex data]\nvertex.position/float/vec2\n1 2\n3 4\n\
         [test]\n{test}"
    )
}

#[test]
fn probes_of_captures_say_what_was_counted() {
    let script = capturing(
        "xfb capture 0 result.position.x\n\
         buffer b size 4\n\
         bind xfb 0 b\n\
         xfb draw arrays GL_POINTS 0 2\n\
         probe xfb primitives == 2\n\
         probe xfb needed < 2\n\
         probe xfb bytes 0 > 4\n\
         probe buffer b float 0 == 3\n",
    );
    let Some(found) = failures("counts", &script) else {
        return;
    };
    let messages: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "primitives written of stream 0: expected == 2, observed 1",
            "primitives needed of stream 0: expected < 2, observed 2",
            "bytes written to transform feedback buffer 0: expected > 4, observed 4",
            "1 of 1 values of buffer `b` differ\n  byte 0, element 0: expected == 3, observed 1, 12582912 ulp away",
        ]
    );
}

#[test]
fn captures_without_a_buffer_fail_the_draw() {
    let script =
        capturing("xfb capture 1 result.position.x\nxfb draw arrays GL_POINTS 0 2\nxfb 0 size 4\n");
    let Some(found) = failures("no-buffer", &script) else {
        return;
    };
    assert_eq!(
        found[0].1,
        "vertices are captured into transform feedback buffer 1, which there is none of"
    );
}
