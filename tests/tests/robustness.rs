//! Any bytes give a module or errors: no panic, no hang, no runaway memory, and positions inside the text.

mod support;

use glasm::{Compiler, DebugInfo, Location, Options, Severity, Source, Target};
use glasm_tests::clock;
use glasm_tests::mutate::{mutate, soup, vocabulary};
use glasm_tests::rng::Rng;
use glasm_tests::scripts::{self, Expected, Program};
use proptest::prelude::*;
use rspirv::dr::{Block, Module};
use rspirv::spirv::Op;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::Duration;

/// No input of the sizes used here may take longer, even in a build without optimization on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// Whether functions return from their last blocks only. Some drivers mishandle returns out of loops.
fn returns_at_ends(module: &Module) -> bool {
    module.functions.iter().all(|function| {
        let returns = |block: &Block| {
            let last = block.instructions.last();
            last.is_some_and(|last| matches!(last.class.opcode, Op::Return | Op::ReturnValue))
        };
        let before = function.blocks.split_last().map(|(_, before)| before);
        !before.unwrap_or_default().iter().any(returns)
    })
}

/// Compiles `text` and checks everything that holds for any input.
fn survives(text: &[u8], options: &Options) -> bool {
    let source = Source::new("input", text);
    let start = clock::now();
    let outcome = glasm::compile(&source, options);
    let time = clock::now().saturating_sub(start);
    assert!(time < LIMIT, "{} bytes took {time:?}", text.len());
    match outcome {
        Ok(shader) => {
            let module = rspirv::dr::load_words(&shader.words);
            let module = module.expect("a module that loads");
            assert!(returns_at_ends(&module), "a return before the end");
            assert!(!shader.warnings.has_errors());
            true
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors(), "failure without an error");
            for diagnostic in &diagnostics.list {
                assert_ne!(
                    diagnostic.severity,
                    Severity::InternalError,
                    "{diagnostic:?}\n{}",
                    String::from_utf8_lossy(text)
                );
                if let Location::Span(span) = diagnostic.location {
                    assert!(
                        span.start <= span.end && span.end as usize <= text.len(),
                        "{diagnostic:?}"
                    );
                }
            }
            let position = diagnostics.gl_error_position(&source);
            assert!(
                position.is_some_and(|position| position <= text.len()),
                "{position:?}"
            );
            // Both printers see any bytes that a program holds.
            assert!(!diagnostics.render(&source).is_empty());
            assert!(diagnostics.to_json(&source).starts_with('['));
            false
        }
    }
}

fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(vocabulary)
}

fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(scripts::all_programs)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes, &Options::default());
    }

    #[test]
    fn arbitrary_bytes_after_a_header(bytes in proptest::collection::vec(any::<u8>(), 0..400), header in 0..15usize) {
        let headers = [
            "!!NVfp5.0", "!!NVvp5.0\n", "!!NVcp5.0 ", "!!NVgp5.0 ", "!!NVtcp5.0\n", "!!NVtep5.0", "!!VP1.0", "!!VP2.0\n", "!!FP1.0 ",
            "VERT ", "FRAG\n", "GEOM ", "TESS_CTRL\n", "tess_eval ", "COMP\n",
        ];
        let header = headers[header].as_bytes();
        survives(&[header, &bytes].concat(), &Options::default());
    }

    #[test]
    fn valid_words_in_no_order(seed: u64, count in 0..120usize) {
        let text = soup(words(), count, &mut Rng::new(seed));
        survives(text.as_bytes(), &Options::default());
    }

    #[test]
    fn programs_with_a_few_words_changed(seed: u64) {
        let mut rng = Rng::new(seed);
        let program = rng.pick(programs());
        let target = *rng.pick(&Target::ALL);
        let debug = DebugInfo { names: rng.percent(50), lines: rng.percent(50) };
        let text = mutate(&program.text, words(), &mut rng);
        survives(&text, &Options { target, debug, ..Options::default() });
    }
}

/// Cuts every program after every word: each prefix is what an editor sees while someone types. A
/// prefix is skipped if one of the same language ended with the same two words, where all numbers
/// are the same, and all names in lower case.
#[test]
fn every_prefix_of_every_program() {
    let mut ends = HashSet::new();
    for program in programs() {
        let language = program.text.split_whitespace().next();
        let mut before = "";
        let mut length = 0;
        for word in glasm_tests::mutate::split(&program.text) {
            length += word.len();
            if word.trim().is_empty() {
                continue;
            }
            let class = match word.chars().next() {
                Some(first) if first.is_ascii_lowercase() => "name",
                Some(first) if first.is_ascii_digit() => "number",
                _ => word,
            };
            if ends.insert((language, before, class)) {
                survives(&program.text.as_bytes()[..length], &Options::default());
            }
            before = class;
        }
    }
    assert!(ends.len() > 10_000, "only {} prefixes", ends.len());
}

/// What loads in scripts loads here, and what must not does not: else the tests above would test only errors.
#[test]
fn programs_of_scripts_load() {
    let all = programs();
    let programs: Vec<&Program> = all
        .iter()
        .filter(|program| program.expected == Expected::Loads)
        .collect();
    assert!(
        programs.len() >= 3,
        "only {} programs found",
        programs.len()
    );
    let mut failures = Vec::new();
    for program in programs {
        match support::compile(program, all, &Options::default()) {
            Ok(shader) => {
                let module = rspirv::dr::load_words(&shader.words).unwrap();
                assert!(returns_at_ends(&module), "{}", program.name);
            }
            Err(errors) => failures.push(errors.render(&support::source(program))),
        }
    }
    assert!(
        failures.is_empty(),
        "{} programs do not load:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// A compiler keeps memory between programs, and what one left there must not show in the next.
#[test]
fn a_compiler_gives_the_same_after_other_programs() {
    let mut compiler = Compiler::new();
    let options = Options::default();
    // Loops and calls leave most; of the others some are enough.
    let leaves_much = |text: &str| text.contains("REP") || text.contains("CAL");
    let chosen = programs().iter().enumerate();
    let chosen = chosen.filter(|(index, program)| index % 8 == 0 || leaves_much(&program.text));
    for (_, program) in chosen {
        let source = Source::new("input", &program.text);
        let again = compiler.compile(&source, &options);
        let fresh = glasm::compile(&source, &options);
        assert!(again == fresh, "{} after other programs", program.name);
    }
}

/// `{ open x count, middle, close x count }`
fn nested(open: &str, middle: &str, close: &str, count: usize) -> String {
    format!(
        "!!NVfp5.0\nTEMP t;\n{}{middle}{}END\n",
        open.repeat(count),
        close.repeat(count)
    )
}

#[test]
fn deep_nesting() {
    for count in [10, 1000, 100_000] {
        for (open, middle, close) in [
            ("IF NE.x;\n", "MOV t, t;\n", "ENDIF;\n"),
            ("IF NE.x;\nELSE;\n", "", "ENDIF;\n"),
            ("REP 2;\n", "MOV t, t;\n", "ENDREP;\n"),
            ("REP;\nBRK;\n", "", "ENDREP;\n"),
            ("MOV t, -|", "t", "|;\n"),
            ("MOV t, (", "t", ");\n"),
            ("PARAM p = {", "1", "};\n"),
            ("MOV t[", "0", "];\n"),
            ("ENDIF;\n", "", "ENDREP;\n"),
        ] {
            survives(
                nested(open, middle, close, count).as_bytes(),
                &Options::default(),
            );
            survives(
                nested(open, middle, "", count).as_bytes(),
                &Options::default(),
            );
        }
    }
}

/// The same for TGSI, and blocks that are closed by the words of others.
#[test]
fn deep_nesting_of_tgsi() {
    let head = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nDCL ADDR[0]\nIMM[0] UINT32 {1, 2, 3, 4}\n";
    for count in [10, 1000, 10_000] {
        for (open, middle, close) in [
            ("IF TEMP[0].xxxx\n", "MOV TEMP[0], TEMP[1]\n", "ENDIF\n"),
            ("UIF TEMP[0].xxxx :0\nELSE :0\n", "", "ENDIF\n"),
            ("BGNLOOP\nBRK\n", "", "ENDLOOP\n"),
            (
                "BGNLOOP\nIF TEMP[0].xxxx\nCONT\nENDIF\n",
                "ADD TEMP[0], TEMP[0], TEMP[1]\n",
                "ENDLOOP\n",
            ),
            (
                "SWITCH TEMP[0].xxxx\nCASE IMM[0].xxxx\n",
                "MOV TEMP[0], TEMP[1]\n",
                "DEFAULT\nBRK\nENDSWITCH\n",
            ),
            ("IF TEMP[0].xxxx\n", "", "ENDLOOP\n"),
            ("BGNSUB\n", "", "ENDSUB\n"),
            ("MOV TEMP[0], TEMP[ADDR[", "0", "].x]\n"),
            ("MOV TEMP[0], |-", "TEMP[0]", "|\n"),
            ("/*", "", "*/"),
            ("IMM FLT32 {", "1", "}\n"),
        ] {
            for close in [close, ""] {
                let (open, close) = (open.repeat(count), close.repeat(count));
                let text = format!("{head}{open}{middle}{close}MOV OUT[0], TEMP[0]\nEND\n");
                survives(text.as_bytes(), &Options::default());
            }
        }
    }
}

#[test]
fn many_calls() {
    // Each subroutine calls the next twice: 2^n calls if all were inlined.
    for count in [10usize, 60, 2000] {
        let mut text =
            String::from("!!NVfp5.0\nTEMP t;\nmain:\nCAL s0;\nMOV result.color, t;\nRET;\n");
        for index in 0..count {
            text.push_str(&format!(
                "s{index}:\nADD t, t, 1;\nCAL s{0};\nCAL s{0};\nRET;\n",
                index + 1
            ));
        }
        text.push_str(&format!("s{count}:\nRET;\nEND\n"));
        survives(text.as_bytes(), &Options::default());
    }
}

/// More places than a switch of SPIR-V has room for.
#[test]
fn many_free_branches() {
    const LABELS: usize = 33_000;
    let mut rng = Rng::new(9);
    let mut text = String::from("!!ARBvp1.0\nOPTION NV_vertex_program2;\nTEMP r;\n");
    for label in 0..LABELS {
        let to = rng.below(LABELS);
        text += &format!("L{label}:\nSUBC r.x, r, {label};\nBRA L{to} (GT.x);\n");
    }
    text += "MOV result.position, r;\nEND\n";
    assert!(survives(text.as_bytes(), &Options::default()));
}

#[test]
fn recursion() {
    let text = "!!NVfp5.0\nTEMP t;\nmain:\nCAL a;\nMOV result.color, t;\nRET;\n\
                a:\nADD.CC t, t, -1;\nCAL b (GT.x);\nRET;\nb:\nCAL a;\nRET;\nEND\n";
    survives(text.as_bytes(), &Options::default());
}

#[test]
fn huge_tokens() {
    for piece in [
        "a", "1", ".", "_", "\"", "#", "0x1", "1e", "e+", "\u{e9}", "[", "-", "|",
    ] {
        let long = piece.repeat(1_000_000 / piece.len());
        survives(long.as_bytes(), &Options::default());
        survives(format!("!!NVfp5.0{long}").as_bytes(), &Options::default());
        survives(
            format!("!!NVfp5.0\nMOV result.color, {long};\nEND").as_bytes(),
            &Options::default(),
        );
        survives(
            format!("!!NVfp5.0\nTEMP {long};\nEND").as_bytes(),
            &Options::default(),
        );
        for (head, tail) in [
            ("FRAG ", ""),
            ("FRAG\nDCL ", "\nEND"),
            (
                "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV OUT[0], ",
                "\nEND",
            ),
            ("FRAG\nIMM[0] FLT32 {", ", 1, 1, 1}\nEND"),
            ("FRAG\nPROPERTY ", " 1\nEND"),
        ] {
            survives(
                format!("{head}{long}{tail}").as_bytes(),
                &Options::default(),
            );
        }
    }
}

#[test]
fn huge_numbers() {
    for number in [
        "4294967295",
        "4294967296",
        "99999999999999999999999",
        "-1",
        "0xFFFFFFFFF",
        "1e999999999",
        "1e-999999999",
    ] {
        for form in [
            "TEMP t[N];",
            "PARAM p[N] = { program.local[0..N] };",
            "PARAM p[] = { program.env[N..N] };",
            "MOV result.color, program.local[N];",
            "MOV result.color, N;",
            "ATTRIB a = fragment.attrib[N];",
            "TEX result.color, N, texture[N], 2D;",
            "SHL.U result.color, N, N;",
            "REP N;\nENDREP;",
            "OPTION N;",
        ] {
            survives(
                format!("!!NVfp5.0\n{}\nEND", form.replace('N', number)).as_bytes(),
                &Options::default(),
            );
        }
    }
}

/// Where other ends are looked for, before the text is read.
/// Numbers around the ends of the types that hold them, and beyond.
const EXTREMES: [&str; 9] = [
    "32767",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
];

/// Returns the text with one of its numbers, which `rng` draws, replaced by an extreme one.
fn with_extreme_number(text: &str, rng: &mut Rng) -> String {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // The header has a version, which no program loads without.
    let body = text.find('\n').unwrap_or(0);
    let starts: Vec<usize> = (body..bytes.len())
        .filter(|&at| is_digit(at) && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric()))
        .collect();
    if starts.is_empty() {
        return text.to_owned();
    }
    let start = *rng.pick(&starts);
    let end = (start..).find(|&at| !is_digit(at)).unwrap_or(bytes.len());
    let number = *rng.pick(&EXTREMES);
    format!("{}{number}{}", &text[..start], &text[end..])
}

/// The arithmetic of indices, ranges and sizes does not overflow, which builds with overflow checks would show.
#[test]
fn extreme_numbers_in_programs() {
    let mut rng = Rng::new(3);
    for program in programs() {
        let text = with_extreme_number(&program.text, &mut rng);
        survives(text.as_bytes(), &Options::default());
    }
    // One more than the largest index: components of results are counted after the error, too.
    let text = "!!NVgp4.0\nOUTPUT result_position = result.position;\nOUTPUT result_attrib[] = { result.attrib[0..31] };\n\
                TEMP lmem[64];\nMOV.F lmem[99999999999999999999].x, {3};\nEND";
    assert!(!survives(text.as_bytes(), &Options::default()));
}

#[test]
fn brackets_of_tgsi_without_end() {
    for piece in [
        "TEMP[ADDR[",
        "]] [a",
        ")[a",
        "](1)[a",
        "[a](",
        "[a](1",
        "[ ",
        "MOV TEMP[0], TEMP[ADDR[",
        "/*",
        "{1,",
    ] {
        let text = format!("FRAG\n{}\nEND\n", piece.repeat(200_000 / piece.len()));
        survives(text.as_bytes(), &Options::default());
    }
}

/// Numbers of registers, of subscripts and of labels.
#[test]
fn huge_numbers_of_tgsi() {
    for number in [
        "4294967295",
        "4294967296",
        "99999999999999999999999",
        "2147483648",
        "-1",
        "0xFFFFFFFFF",
        "1e999999999",
    ] {
        for form in [
            "DCL TEMP[N]",
            "DCL TEMP[0..N]",
            "DCL TEMP[0..N], ARRAY(N)",
            "DCL TEMP[N..0]",
            "DCL CONST[N][0..N]",
            "DCL OUT[0..N], GENERIC[N]",
            "DCL SAMP[0..N]",
            "DCL SVIEW[0..N], 2D, FLOAT",
            "DCL IMAGE[0..N], 2D, PIPE_FORMAT_R32_UINT",
            "DCL BUFFER[N]",
            "DCL HWATOMIC[N][0..N]",
            "IMM[N] UINT32 {N, N, N, N}",
            "IMM INT64 {N, N}",
            "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS N",
            "PROPERTY GS_MAX_OUTPUT_VERTICES N",
            "MOV TEMP[N], CONST[N][ADDR[0].x+N](N)",
            "IF TEMP[0].xxxx :N\nENDIF :N",
            "CAL :N\nN: BGNSUB :N\nENDSUB",
            "TEX TEMP[0], TEMP[0], SAMP[N], 2D, IMM[N].xyz",
        ] {
            for processor in ["VERT", "FRAG", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"] {
                let form = form.replace('N', number);
                survives(
                    format!("{processor}\n{form}\nEND").as_bytes(),
                    &Options::default(),
                );
            }
        }
    }
}

/// Sizes of what the text leaves open, as large as they get.
#[test]
fn huge_options_of_tgsi() {
    let text = "COMP\nDCL MEMORY[0], SHARED\nDCL MEMORY[1], PRIVATE\nDCL TEMP[0]\nDCL SV[0], THREAD_ID\n\
                LOAD TEMP[0], MEMORY[0], SV[0].xxxx\nSTORE MEMORY[1].x, SV[0].xxxx, TEMP[0]\nEND\n";
    for (memory, block) in [(0, 0), (3, 1), (u32::MAX, u32::MAX)] {
        let tgsi = glasm::TgsiOptions {
            shared_memory: memory,
            private_memory: memory,
            block_size: [block; 3],
            work_dim: block,
            ..glasm::TgsiOptions::default()
        };
        let source = Source {
            tgsi,
            ..Source::new("input", text)
        };
        // Any outcome will do.
        let _ = glasm::compile(&source, &Options::default());
    }
}

#[test]
fn a_megabyte_of_garbage() {
    let mut rng = Rng::new(5);
    let bytes: Vec<u8> = (0..1 << 17)
        .flat_map(|_| rng.bits().to_le_bytes())
        .collect();
    survives(&bytes, &Options::default());
    survives(&[b"!!NVfp5.0\n", &bytes[..]].concat(), &Options::default());
    survives(&[b"FRAG\n", &bytes[..]].concat(), &Options::default());
    let text = soup(words(), 200_000, &mut rng);
    survives(text.as_bytes(), &Options::default());
    survives(";".repeat(1 << 20).as_bytes(), &Options::default());
    survives(
        format!("!!NVvp5.0{}", ";\nMOV".repeat(1 << 17)).as_bytes(),
        &Options::default(),
    );
}

#[test]
fn many_declarations() {
    let list = |what: &str, count: usize| {
        (0..count)
            .map(|index| what.replace('N', &index.to_string()))
            .collect::<String>()
    };
    for what in [
        "TEMP tN;\n",
        "TEMP tN[1000];\n",
        "PARAM pN = { N };\n",
        "ALIAS aN = a;\n",
        "OPTION oN;\n",
        "lN:\n",
    ] {
        survives(
            format!("!!NVfp5.0\n{}END", list(what, 20_000)).as_bytes(),
            &Options::default(),
        );
    }
}
