//! Commands about buffers that are right and that are wrong.

use super::*;
use crate::data::{Literal, LiteralNotation, Radix};
use glasm::ir::Stage;

fn parse(test: &str) -> Script {
    Script::parse(format!("[test]\n{test}").as_bytes())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn commands(test: &str) -> Vec<Command> {
    parse(test)
        .steps
        .into_iter()
        .map(|step| step.command)
        .collect()
}

/// Returns line and message of the only error.
fn error(test: &str) -> (u32, String) {
    let mut errors =
        Script::parse(format!("[test]\n{test}").as_bytes()).expect_err("the script is wrong");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    (error.line - 1, error.message)
}

fn sizes(test: &str) -> Vec<u64> {
    parse(test)
        .buffers
        .iter()
        .map(|buffer| buffer.size)
        .collect()
}

#[test]
fn contents_give_buffers_their_size() {
    assert_eq!(sizes("buffer b data uint 4 1 2 x 3"), [28]);
    assert_eq!(sizes("buffer b sequence dvec2 8 2 1.5 0.25"), [40]);
    assert_eq!(sizes("buffer b size 20\nbuffer b fill uint8_t 0xab"), [20]);
    assert_eq!(sizes("buffer t address 8 b b +4\nbuffer b size 8"), [24, 8]);
    assert_eq!(sizes("ubo 0 data float 0 1 x 3"), [36]);
    assert_eq!(sizes("counter 2 data uint 4 9"), [8]);
}

#[test]
fn hexadecimal_numbers_are_bits() {
    let found = commands(
        "buffer b size 8\nprobe buffer b float 0 == 1 0x80000000\nprint buffer b float 0 2 hex",
    );
    let Command::ProbeBuffer { expected, .. } = &found[0] else {
        panic!("a probe")
    };
    let literal = |bits, written| Literal {
        bits,
        notation: written,
    };
    assert_eq!(
        expected.literals,
        [
            literal(0x3f80_0000, LiteralNotation::Number),
            literal(0x8000_0000, LiteralNotation::Bits)
        ]
    );
    let Command::PrintBuffer { range, .. } = &found[1] else {
        panic!("print")
    };
    assert_eq!(range.radix, Radix::Hexadecimal);
}

#[test]
fn buffers_are_bound_in_parts() {
    let found = commands(
        "buffer b size 1024\nbind ubo 1:3 b\nbind ssbo 2 b 256\nbind counter 1 b 0 16\nbind buffer_gp 5 b 512 512",
    );
    let bind = |target, offset, size| Command::BindBuffer {
        target,
        range: BufferRange {
            buffer: BufferId(0),
            offset,
            size,
        },
    };
    let bound = |kind, set, binding| BindTarget::Descriptor { kind, set, binding };
    let param = BindTarget::Param {
        stage: Stage::Geometry,
        index: 5,
    };
    assert_eq!(
        found,
        [
            bind(bound(BufferKind::Uniform, 1, 3), 0, None),
            bind(bound(BufferKind::Storage, 0, 2), 256, None),
            bind(bound(BufferKind::AtomicCounter, 0, 1), 0, Some(16)),
            bind(param, 512, Some(512)),
        ]
    );
}

#[test]
fn parts_must_be_within_their_buffer() {
    assert_eq!(
        error("bind ssbo 0 b 16 17\nbuffer b size 32"),
        (
            1,
            "buffer `b` has 32 bytes, but the part reaches to byte 33".to_owned()
        )
    );
    assert_eq!(
        error("buffer b size 32\nbind ssbo 0 b 32").1,
        "buffer `b` has 32 bytes, but the part reaches to byte 33"
    );
    assert_eq!(
        error("buffer b size 32\nbind ssbo 0 b 16 18446744073709551615").1,
        "buffer `b` has 32 bytes, but the part reaches to byte 18446744073709551615"
    );
}

#[test]
fn addresses_have_offsets() {
    let Some(Command::BufferAddresses {
        offset, addresses, ..
    }) = commands("buffer b size 64\nbuffer t address 16 b +0x10 t b").pop()
    else {
        panic!("addresses")
    };
    let found: Vec<_> = addresses.iter().map(|a| (a.buffer.0, a.offset)).collect();
    assert_eq!((offset, found), (16, vec![(0, 16), (1, 0), (0, 0)]));
    let script = parse("buffer b size 64\nbuffer c size 4\nparameter local_cp 0 address b +4");
    assert_eq!(script.addressed_buffers(), [BufferId(0)].into());
    assert_eq!(
        error("buffer b size 4\nparameter local_cp 0 address b +x").1,
        "`+x` is not an offset"
    );
}

#[test]
fn counters_of_piglit() {
    let script = parse(
        "atomic counters 3\natomic counter buffer 2 5\natomic counter 2 4 77\nprobe atomic counter 1 == 0\n\
         probe atomic counter buffer 2 4 > 76\nprobe counter uint 2 16 == 77",
    );
    let sizes: Vec<u64> = script.buffers.iter().map(|buffer| buffer.size).collect();
    assert_eq!(sizes, [12, 20]);
    let offsets: Vec<_> = script
        .steps
        .iter()
        .filter_map(|step| {
            if let Command::ProbeBuffer {
                buffer, expected, ..
            } = &step.command
            {
                Some((buffer.0, expected.offset))
            } else {
                None
            }
        })
        .collect();
    assert_eq!(offsets, [(0, 4), (1, 16), (1, 16)]);
}

#[test]
fn bad_lines() {
    for (line, message) in [
        (
            "buffer b",
            "expected `size`, `data`, `subdata`, `fill`, `sequence` or `address`",
        ),
        (
            "buffer b data uint 0 x 2",
            "expected a multiple of 1 values, got 0",
        ),
        (
            "buffer b data uint 0 1 x 0",
            "`0` is not a count from 1 to 16777216",
        ),
        ("buffer b data uint 0 1 x 2 3", "`3` is one word too many"),
        (
            "buffer b sequence uint 0 16777217",
            "`16777217` is not a count from 1 to 16777216",
        ),
        (
            "buffer b sequence uint 0 4 -1",
            "`-1` is not a number of the type",
        ),
        (
            "buffer b sequence mat4 1073741824 1",
            "buffers have at most 1073741824 bytes",
        ),
        ("buffer b address 0", "a buffer name is missing"),
        (
            "bind fbo 0 b",
            "`fbo` is not ubo, ssbo, counter, xfb, image, or buffer_ with vp, tcp, tep, gp, fp or cp",
        ),
        (
            "bind buffer_xp 0 b",
            "`buffer_xp` is not ubo, ssbo, counter, xfb, image, or buffer_ with vp, tcp, tep, gp, fp or cp",
        ),
        ("bind buffer_fp 16 b", "`16` is not a number below 16"),
        ("bind ssbo 0 b 0 0", "`0` is not a size in bytes"),
        (
            "counter 0 fill int 1",
            "counter 0:0 is given neither a size nor data",
        ),
        ("atomic counters 0", "`0` is not a number of counters"),
        (
            "atomic counter 0 1",
            "expected a multiple of 1 values, got 0",
        ),
        ("probe ubo float 0 0 = 1", "`=` is not a comparison"),
        (
            "print texture 0",
            "expected `buffer`, `ssbo`, `ubo`, `counter` or `xfb`",
        ),
    ] {
        assert_eq!(error(line).1, message, "{line}");
    }
}

#[test]
fn buffers_have_a_limit_together() {
    let lines: String = (0..3)
        .map(|n| format!("buffer b{n} size 536870912\n"))
        .collect();
    assert_eq!(
        error(&lines),
        (
            3,
            "buffers have at most 1073741824 bytes together".to_owned()
        )
    );
    let lines: String = (0..1025).map(|n| format!("buffer b{n} size 4\n")).collect();
    assert_eq!(
        error(&lines),
        (1025, "scripts have at most 1024 buffers".to_owned())
    );
}
