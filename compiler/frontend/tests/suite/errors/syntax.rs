//! What cannot be read, and where reading goes on.

use super::{check_fragment_error, errors};
use glasm_frontend::{Code, Source, translate};

#[test]
fn three_mistakes_give_three_errors() {
    let text = "!!NVfp5.0\nTEMP r;\nMOV r, «speed»;\nADDD r, r, r;\nMOV r.«yx», 1;\nEND";
    let text = text.replace("ADDD", "«ADDD»");
    errors(
        &text,
        &[Code::UndeclaredName, Code::UnknownOpcode, Code::MaskOrder],
    );
}

#[test]
fn grammar() {
    check_fragment_error("MOV r «r»;", Code::UnexpectedToken);
    check_fragment_error(
        "MOV r, r, «r»;".replace(", «r»", "«,» r").as_str(),
        Code::ExtraOperand,
    );
    check_fragment_error("ADD r, r«;»", Code::MissingOperand);
    check_fragment_error("MOV r, «@»1;", Code::UnexpectedCharacter);
    check_fragment_error("MOV r, «12ab»;", Code::BadNumber);
    check_fragment_error("«mov» r, r;", Code::UnknownOpcode);
    check_fragment_error("«;»", Code::UnexpectedToken);
    check_fragment_error("«ARL» r.x, r;", Code::OldLanguage);
    check_fragment_error("«ADDRESS» x;", Code::OldLanguage);
    errors("!!NVfp5.0 TEMP r; MOV r, 1; «»", &[Code::MissingEnd]);
    errors("!!NVfp5.0 END «MOV»", &[Code::TextAfterEnd]);
    errors("«!!NVxp5.0» END", &[Code::HeaderUnknown]);
    errors("«» !!NVfp5.0 END", &[Code::HeaderUnknown]);
}

#[test]
fn missing_semicolon_loses_nothing() {
    let text = "!!NVfp5.0 TEMP r; MOV r, 1 «ADD» r, r, «t»; MOV r, «s»; MOV r, 2 «END»";
    errors(
        text,
        &[
            Code::UnexpectedToken,
            Code::UndeclaredName,
            Code::UndeclaredName,
            Code::UnexpectedToken,
        ],
    );
}

#[test]
fn broken_declarations_do_not_cascade() {
    errors(
        "!!NVfp5.0 TEMP a «b»; MOV a, b; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!NVfp5.0 PARAM x = «vertex».position; MOV result.color, x; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!NVfp5.0 PARAM x = «fragment.color»; MOV result.color, x; END",
        &[Code::BindingUnknown],
    );
}

#[test]
fn broken_if_keeps_its_block() {
    errors(
        "!!NVfp5.0 TEMP r; IF «XX».x; MOV r, 1; ELSE; MOV r, 2; ENDIF; END",
        &[Code::CondTest],
    );
}

#[test]
fn headers_of_other_program_types() {
    use glasm_frontend::Location;
    let source = Source::new("test", "!!NVfp4.1 MOV result.color, 1; END");
    assert!(
        translate(&source.for_stage(glasm_ir::Stage::Fragment))
            .0
            .is_some()
    );
    let (program, diagnostics) = translate(&source.for_stage(glasm_ir::Stage::Vertex));
    assert!(program.is_none());
    let found: Vec<_> = diagnostics
        .list
        .iter()
        .map(|found| (found.code, found.location))
        .collect();
    let header = Location::Span(glasm_ir::Span::new(0, 9));
    assert_eq!(found, [(Code::HeaderStage, header)]);
}

#[test]
fn hints() {
    let (_, diagnostics) = translate(&Source::new(
        "test",
        "!!NVfp5.0 TEMP r; MOV r, fragment.texcord[0]; END",
    ));
    assert_eq!(diagnostics.list[0].notes, ["did you mean `texcoord`?"]);
    let (_, diagnostics) = translate(&Source::new(
        "test",
        "!!NVfp5.0 TEMP colour; MOV result.color, color; END",
    ));
    assert_eq!(diagnostics.list[0].notes, ["did you mean `colour`?"]);
    let (_, diagnostics) = translate(&Source::new("test", "!!NVfp5.0 TEMP r; TRUNK r, r; END"));
    assert_eq!(diagnostics.list[0].notes, ["did you mean `TRUNC`?"]);
}
