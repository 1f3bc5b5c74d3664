//! Flow control: blocks, calls, critical sections.

use super::{check_fragment_error, check_loads, errors};
use glasm_frontend::{Code, Source, translate};

#[test]
fn blocks() {
    check_fragment_error("IF NE.x; «ENDREP»; ENDIF;", Code::BlockMismatch);
    check_fragment_error("REP 2; «ENDIF»; ENDREP;", Code::BlockMismatch);
    check_fragment_error("«ELSE»;", Code::BlockMismatch);
    check_fragment_error("IF NE.x; ELSE; «ELSE»; ENDIF;", Code::BlockMismatch);
    check_fragment_error("«ENDIF»;", Code::BlockMismatch);
    check_fragment_error("«IF NE.x»;", Code::BlockOpen);
    check_fragment_error("«REP 3»;", Code::BlockOpen);
    check_fragment_error("IF NE.x; «x»:", Code::LabelInBlock);
    check_fragment_error("«BRK»;", Code::BreakOutsideLoop);
    check_fragment_error("IF NE.x; «CONT (EQ.x)»; ENDIF;", Code::BreakOutsideLoop);
    check_fragment_error("«REP»; ENDREP;", Code::InfiniteLoop);
    check_fragment_error("«REP»; REP 4; BRK; ENDREP; ENDREP;", Code::InfiniteLoop);
    check_loads("!!NVfp5.0 REP; REP 4; RET; ENDREP; ENDREP; END");
    check_loads("!!NVfp5.0 REP; IF TR; BRK (NE.x); ENDIF; ENDREP; END");
}

#[test]
fn misplaced_else() {
    let message = |statements: &str| {
        let text = format!("!!NVfp5.0 {statements} END");
        let (_, diagnostics) = translate(&Source::new("test", &text));
        diagnostics.list[0].message.clone()
    };
    let second = message("IF NE.x; ELSE; ELSE; ENDIF;");
    assert_eq!(second, "a second ELSE in one IF");
    // The innermost block is a loop, and so not an IF that could have an ELSE.
    for stray in ["ELSE;", "IF NE.x; REP 2; ELSE; ENDREP; ENDIF;"] {
        assert_eq!(message(stray), "ELSE without IF");
    }
}

#[test]
fn nesting_limits() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("!!NVfp5.0 {}{}END", open.repeat(count), close.repeat(count))
    };
    check_loads(&deep("IF TR; ", "ENDIF; ", 64));
    check_loads(&deep("REP 1; ", "ENDREP; ", 64));
    let (program, diagnostics) = translate(&Source::new("test", &deep("IF TR; ", "ENDIF; ", 65)));
    assert!(program.is_none());
    assert_eq!(
        diagnostics.list.iter().map(|d| d.code).collect::<Vec<_>>(),
        [Code::IfDepth]
    );
    let (_, diagnostics) = translate(&Source::new("test", &deep("REP 1; ", "ENDREP; ", 65)));
    assert_eq!(
        diagnostics.list.iter().map(|d| d.code).collect::<Vec<_>>(),
        [Code::LoopDepth]
    );
    // Beyond the limit names are not looked up, and deeper blocks are no further errors.
    let text = deep("IF TR; ", "MOV nothing, nothing; ENDIF; ", 70);
    let (_, diagnostics) = translate(&Source::new("test", &text));
    assert_eq!(
        diagnostics.list.iter().map(|d| d.code).collect::<Vec<_>>(),
        [Code::IfDepth]
    );
}

#[test]
fn indirect_calls() {
    errors(
        "!!NVfp4.1 «SUBROUTINETYPE t { };» «SUBROUTINE t v = program.subroutine[0];» END",
        &[Code::FeatureNewer, Code::FeatureNewer],
    );
    errors(
        "!!NVfp5.0 SUBROUTINETYPE t { a }; TEMP r; SUBROUTINE t v = program.subroutine[«1024»]; \
         a SUBROUTINENUM(0): RET; main: MOV r, «t»; CALI «-v»; CALI «v.x»; END",
        &[
            Code::BindingRange,
            Code::OperandNotVariable,
            Code::SubroutineType,
            Code::SubroutineType,
        ],
    );
}

#[test]
fn limits_of_calls() {
    let labels = |count: usize| (0..count).map(|n| format!("f{n}")).collect::<Vec<_>>();
    let (calls, routines): (String, String) = (labels(4097).iter())
        .map(|label| {
            (
                format!("CAL {label};"),
                format!("{label}: CAL {label} (NE.x);"),
            )
        })
        .unzip();
    errors(
        &format!("!!NVfp5.0 main: {calls} RET; {routines} END"),
        &[Code::CallDepth],
    );
    let list = labels(1024);
    let routines: String = (list.iter().enumerate())
        .map(|(n, label)| format!("{label} SUBROUTINENUM({n}): RET;"))
        .collect();
    let program = |calls: &str| {
        let names = list.join(", ");
        format!(
            "!!NVfp5.0 SUBROUTINETYPE t {{ {names}, f0 }}; SUBROUTINE t v = program.subroutine[0]; \
             main: {calls} RET; {routines} END"
        )
    };
    check_loads(&program(&"CALI v;".repeat(256)));
    let calls = "CALI v;".repeat(256) + "«CALI v»; CALI v;";
    errors(&program(&calls), &[Code::TooManyInstructions]);
}

#[test]
fn calls() {
    check_loads("!!NVfp5.0 main: CAL a; RET; a: CAL a; END");
    check_loads("!!NVfp5.0 main: CAL a; RET; a: CAL b; RET; b: CAL a (NE.x); END");
    check_loads("!!NVfp5.0 main: CAL main (NE.x); RET; END");
    // MAX_PROGRAM_CALL_DEPTH_NV is 32.
    let chain = |count: usize| {
        let calls: String = (1..count)
            .map(|n| format!("f{n}: CAL f{};", n + 1))
            .collect();
        format!("!!NVfp5.0 main: CAL f1; RET; {calls} f{count}: RET; END")
    };
    check_loads(&chain(32));
    errors(&chain(33), &[Code::CallDepth]);
    check_loads("!!NVfp5.0 main: CAL a; CAL b; RET; a: CAL b; RET; b: RET; END");
}

#[test]
fn critical_sections() {
    let with_option =
        |body: &str| format!("!!NVfp4.0 OPTION NV_pixel_interlock_ordered; {body} END");
    check_loads(&with_option("FSIB; IF TR; ENDIF; FSIE;"));
    check_loads(&with_option("a: RET; main: FSIB; CAL a; FSIE;"));
    let wrong = |body: &str| errors(&with_option(body), &[Code::Interlock]);
    wrong("FSIB; «FSIB»; FSIE;");
    wrong("«FSIE»; FSIB;");
    wrong("IF TR; «FSIB»; ENDIF; FSIE;");
    wrong("REP 3; «FSIB»; ENDREP; FSIE;");
    wrong("main: FSIB; CAL a; RET; a: «FSIE»;");
    for body in ["", "FSIB;"] {
        let (_, diagnostics) = translate(&Source::new("test", &with_option(body)));
        let codes: Vec<_> = diagnostics.list.iter().map(|error| error.code).collect();
        assert_eq!(codes, [Code::Interlock], "{body}");
    }
    errors("!!NVfp4.0 «FSIB»; FSIE; END", &[Code::FeatureOption]);
    errors(
        "!!NVfp4.0 OPTION NV_pixel_interlock_ordered; OPTION «NV_sample_interlock_ordered»; FSIB; FSIE; END",
        &[Code::OptionConflict],
    );
}
