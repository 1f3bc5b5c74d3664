//! Load errors: code and exact place. `«»` marks the place in the program; the rules are those of the specification sections
//! that the explanations of the codes name.

mod support;

use glasm_frontend::{Code, Source, translate};
use support::errors;

/// Errors in statements of a fragment program with some variables.
#[track_caller]
fn fragment(statements: &str, code: Code) {
    let declarations = "TEMP r, q, a[4]; LONG TEMP l; INT TEMP i; UINT TEMP u; FLOAT TEMP f; SHORT TEMP h; PARAM p = 1;";
    errors(
        &format!("!!NVfp5.0 {declarations} {statements} END"),
        &[code],
    );
}

#[track_caller]
fn vertex(statements: &str, code: Code) {
    errors(&format!("!!NVvp5.0 TEMP r, i; {statements} END"), &[code]);
}

#[track_caller]
fn compute(statements: &str, code: Code) {
    errors(
        &format!("!!NVcp5.0 GROUP_SIZE 8; TEMP r, i; {statements} END"),
        &[code],
    );
}

/// The program must load.
#[track_caller]
fn fine(text: &str) {
    errors(text, &[]);
}

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
    fragment("MOV r «r»;", Code::UnexpectedToken);
    fragment(
        "MOV r, r, «r»;".replace(", «r»", "«,» r").as_str(),
        Code::ExtraOperand,
    );
    fragment("ADD r, r«;»", Code::MissingOperand);
    fragment("MOV r, «@»1;", Code::UnexpectedCharacter);
    fragment("MOV r, «12ab»;", Code::BadNumber);
    fragment("«mov» r, r;", Code::UnknownOpcode);
    fragment("«;»", Code::UnexpectedToken);
    fragment("«ARL» r.x, r;", Code::OldLanguage);
    fragment("«ADDRESS» x;", Code::OldLanguage);
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
fn names() {
    fragment("TEMP «r»;", Code::DuplicateName);
    fragment("ALIAS «r» = q;", Code::DuplicateName);
    fragment("ALIAS x = «nothing»;", Code::UndeclaredName);
    fragment("MOV r, «nothing».x; MOV r, nothing;", Code::UndeclaredName);
    fragment("TEMP «program»;", Code::ReservedName);
    fragment("TEMP «fragment»;", Code::ReservedName);
    fragment("CAL «nowhere»;", Code::UndefinedLabel);
    fragment("x: RET; «x»: RET;", Code::DuplicateLabel);
    fine("!!NVfp5.0 TEMP vertex, MOV, TEMP, CC, EQ, END1; MOV MOV, EQ; MOV TEMP, MOV; END");
    fine("!!NVvp5.0 TEMP fragment, primitive; MOV fragment, primitive; END");
}

#[test]
fn declaration_modifiers() {
    fragment("INT «FLOAT» TEMP x;", Code::TypeModifierTwice);
    fragment("SHORT «LONG» TEMP x;", Code::SizeModifierTwice);
    fragment("«LONG PARAM x = 1;»", Code::LongNotAllowed);
    fragment("«SHORT PARAM x = 1;»", Code::ShortNotAllowed);
    fragment("«INT TEXTURE x = texture[0];»", Code::TypeNotAllowed);
    fragment("«FLAT TEMP x;»", Code::InterpolationNotAllowed);
    fragment(
        "FLAT «FLAT» ATTRIB x = fragment.attrib[0];",
        Code::InterpolationTwice,
    );
    fragment(
        "«FLAT CENTROID ATTRIB x = fragment.attrib[0];»",
        Code::InterpolationMix,
    );
    fragment("«INT ATTRIB x = fragment.attrib[0];»", Code::IntNotFlat);
    fragment(
        "«FLAT ATTRIB x = fragment.position;»",
        Code::InterpolationNotAllowed,
    );
    fragment(
        "FLAT ATTRIB x = fragment.attrib[1]; «ATTRIB y = fragment.attrib[1];»",
        Code::InterpolationConflict,
    );
    fragment(
        "FLAT ATTRIB x = fragment.color; «ATTRIB y = fragment.color.secondary;»",
        Code::InterpolationConflict,
    );
    fine(
        "!!NVfp5.0 CENTROID NOPERSPECTIVE FLOAT ATTRIB x = fragment.attrib[0]; FLAT INT ATTRIB y = primitive.id; END",
    );
    errors(
        "!!NVfp4.0 «SAMPLE ATTRIB x = fragment.attrib[0];» END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVvp4.0 «LONG ATTRIB x = vertex.attrib[0];» END",
        &[Code::LongNotAllowed],
    );
}

#[test]
fn arrays() {
    fragment("PARAM x[«3»] = { 1, 2 };", Code::ArraySizeMismatch);
    fragment("TEMP x[«0»];", Code::ArraySizeBad);
    fragment("TEMP «x»[];", Code::ArraySizeBad);
    fragment(
        "«ATTRIB x[] = { fragment.texcoord[0], fragment.attrib[1] };»",
        Code::ArrayKinds,
    );
    fragment(
        "«ATTRIB x[] = { fragment.attrib[0], fragment.attrib[2] };»",
        Code::ArrayOrder,
    );
    fragment(
        "«ATTRIB x[] = { fragment.attrib[1], fragment.attrib[0] };»",
        Code::ArrayOrder,
    );
    errors(
        "!!NVfp5.0 OPTION ARB_draw_buffers; «OUTPUT x[] = { result.color[0] };» END",
        &[Code::OutputArray],
    );
}

#[test]
fn indices() {
    fragment("MOV r, «a»;", Code::ArrayNeedsIndex);
    fragment("MOV r, «q[0]»;", Code::IndexOnScalar);
    fragment("MOV r, «a[4]»;", Code::IndexOutOfBounds);
    fragment("MOV r, a[«i.x+4»];", Code::IndexOffset);
    fragment("MOV r, a[«i.x-1»];", Code::IndexOffset);
    fragment("MOV r, a[«f.x»];", Code::IndexVariable);
    fragment("MOV r, a[«a»];", Code::IndexVariable);
    fragment("MOV «a», r;", Code::ArrayNeedsIndex);
    fragment("MOV «a[9]», r;", Code::IndexOutOfBounds);
    fine("!!NVfp5.0 TEMP i, a[4]; MOV a[i], a[i.y+3]; MOV a[3], a[i.x]; END");
}

#[test]
fn run_time_arrays_share_no_binding() {
    let overlap = "!!NVvp5.0 TEMP i; «PARAM a[] = { program.env[0..3], program.env[1] };» MOV result.position, a[i.x]; END";
    errors(overlap, &[Code::RelativeOverlap]);
    let two = "!!NVvp5.0 TEMP i; ATTRIB a[] = { vertex.attrib[0..2] }; «ATTRIB b[] = { vertex.attrib[2..3] };» \
               ADD result.position, a[i.x], b[i.x]; END";
    errors(two, &[Code::RelativeOverlap]);
    fine(
        "!!NVvp5.0 TEMP i; PARAM a[] = { program.env[0..3], program.env[1] }; MOV result.position, a[4]; END",
    );
    fine("!!NVvp5.0 TEMP i; PARAM a[] = { 1.0, 1.0 }; MOV result.position, a[i.x]; END");
}

#[test]
fn bindings() {
    fragment("MOV r, «program.env[5000]»;", Code::BindingRange);
    fragment("PARAM x[] = { «program.env[3..2]» };", Code::RangeReversed);
    fragment("MOV r, «program.env[0..1]»;", Code::RangeAsOperand);
    fragment("PARAM x = «program.local[0..1]»;", Code::RangeAsOperand);
    fragment("MOV r, fragment.«colour»;", Code::BindingUnknown);
    fragment("MOV r, fragment.«attrib».x;", Code::BindingNeedsIndex);
    fragment("MOV r, fragment.«fogcoord[0]»;", Code::BindingTakesNoIndex);
    fragment(
        "MOV r, state.matrix.mvp.«row[0][1]»;",
        Code::BindingTakesNoIndex,
    );
    fragment(
        "MOV r, state.«matrix[1]».mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    fragment(
        "MOV r, «state[1]».matrix.mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    fragment("TEX r, r, «texture[0][1]», 2D;", Code::BindingTakesNoIndex);
    fragment("IMAGE x = «image[0][1]»;", Code::BindingTakesNoIndex);
    fragment("MOV r, «state.matrix.mvp»;", Code::MatrixNeedsRow);
    fragment("PARAM x = «state.matrix.mvp»;", Code::MatrixNeedsRow);
    fragment("MOV r, state.matrix.mvp.«row[4]»;", Code::BindingRange);
    fragment(
        "MOV r, state.matrix.«program».row[0];",
        Code::BindingNeedsIndex,
    );
    fragment("MOV r, «state.light[8].ambient»;", Code::BindingRange);
    fragment("MOV r, state.«light».ambient;", Code::BindingNeedsIndex);
    fragment("MOV r, «program.buffer[0][1]»;", Code::BufferOperand);
    fragment("MOV «result.color[1]», r;", Code::ResultOption);
    fragment("MOV «result.color.secondary», r;", Code::ResultOption);
    fine("!!NVfp5.0 OPTION ARB_draw_buffers; MOV result.color[1], 0; END");
    vertex(
        "MOV r, vertex.position; MOV r, «vertex.attrib[0]»;",
        Code::AliasPair,
    );
    vertex(
        "ATTRIB x = vertex.attrib[9]; «ATTRIB y = vertex.texcoord[1];»",
        Code::AliasPair,
    );
    errors(
        "!!NVvp4.0 MOV result.position, «vertex.baseVertex».x; END",
        &[Code::FeatureNewer],
    );
}

#[test]
fn buffers() {
    fragment(
        "BUFFER x = program.buffer[0][1]; «BUFFER4 y = program.buffer[0][2];»",
        Code::BufferKind,
    );
    fragment(
        "BUFFER x[] = { program.buffer[0][1], «program.buffer[1][2]» };",
        Code::BufferBindings,
    );
    fragment(
        "CBUFFER x[] = { program.buffer[0] }; MOV r, «x[0]»;",
        Code::MemoryOperand,
    );
    fragment(
        "BUFFER x[] = { program.buffer[0] }; LDC.F32 r, «x[0]»;",
        Code::MemoryOperand,
    );
    errors(
        "!!NVfp4.0 «CBUFFER x[] = { program.buffer[0] };» END",
        &[Code::FeatureOption],
    );
}

#[test]
fn operands() {
    fragment("MOV r, r.«xyz»;", Code::SwizzleLength);
    fragment("MOV r, r.«xyba»;", Code::SwizzleMixed);
    fragment("MOV r.«xg», r;", Code::SwizzleMixed);
    fragment("RCP r, «r»;", Code::ScalarSuffix);
    fragment("RCP r, «r.xyzw»;", Code::ScalarSuffix);
    fragment("SWZ r, «-r», x, y, z, w;", Code::SwzOperand);
    fragment("SWZ r, «r.x», x, y, z, w;", Code::SwzOperand);
    fragment("MOV r, «result.color»;", Code::ReadResult);
    fragment("OUTPUT o = result.depth; MOV r, «o»;", Code::ReadResult);
    fragment("MOV «p», r;", Code::WriteReadOnly);
    fragment("MOV «fragment.color», r;", Code::WriteReadOnly);
    fragment("MOV «1», r;", Code::WriteReadOnly);
    fragment("ADD.S r, r, «1.5»;", Code::FloatAsInteger);
    fragment("INT PARAM x = «0.5»;", Code::FloatAsInteger);
    fragment("ADD.U r, r, { 1, -«1» };", Code::NegativeUnsigned);
    fragment("UINT PARAM x = -«1»;", Code::NegativeUnsigned);
    fragment("UINT PARAM x = { 1, -«1» };", Code::NegativeUnsigned);
    fragment("ADD.U r, r, «4294967296»;", Code::LiteralTooLarge);
    fragment(
        "ADD.S64 l, l, «18446744073709551616»;",
        Code::LiteralTooLarge,
    );
    fragment("MOV r, { 1, 2, 3, 4, «5» };", Code::ComponentCount);
    fragment("MOV r (NE.«xy»), r;", Code::SwizzleLength);
    fine(
        "!!NVfp5.0 TEMP r; ADD.U r, r, 0xFFFFFFFF; ADD.S r, r, 0xFFFFFFFF; ADD.S r, r, -2147483648; ADD.U r, r, -1; END",
    );
}

#[test]
fn variable_types() {
    fragment("ADD «i», r, r;", Code::TypeMismatch);
    fragment("ADD.S r, «u», r;", Code::TypeMismatch);
    fragment("ADD.S r, «f», r;", Code::TypeMismatch);
    fragment("FLR.S r, «i»;", Code::TypeMismatch);
    fine(
        "!!NVfp5.0 INT TEMP i; FLOAT TEMP f; ADD.NTC i, f, 1; FLR.S i, f; I2F f, i; ADD.S i, i, 1; END",
    );
}

#[test]
fn modifiers() {
    fragment("ADD.F.«S» r, r, r;", Code::ModifierTwice);
    fragment("ADD.CC.«CC1» r, r, r;", Code::ModifierTwice);
    fragment("ADD.SAT.«SSAT» r, r, r;", Code::ModifierTwice);
    fragment("ADDC.«CC» r, r, r;", Code::ModifierTwice);
    fragment("ADDR.«F» r, r, r;", Code::ModifierTwice);
    fragment("ADD.S.«SAT» r, r, r;", Code::ClampOnInteger);
    fragment("AND.«SAT» r, r, r;", Code::ClampOnInteger);
    fragment("DP3.«S» r, r, r;", Code::ModifierUnsupported);
    fragment("AND.«F» r, r, r;", Code::ModifierUnsupported);
    fragment("PK2H.«CC» r, r;", Code::ModifierUnsupported);
    fragment("ADD.«HI» r, r, r;", Code::ModifierUnsupported);
    fragment("MOV.«ADD» r, r;", Code::ModifierUnsupported);
    fragment("TXQ.«F» r, r, texture[0], 2D;", Code::ModifierUnsupported);
    fragment("SIN.«F64» r, r.x;", Code::ModifierUnsupported);
    fragment("ADD.«S24» r, r, r;", Code::ModifierUnsupported);
    fragment("MOV.«XYZ» r, r;", Code::ModifierUnknown);
    fragment("MUL.S24.«S» r, r, r;", Code::MulSpecial);
    fragment("MUL.«HI» r, r, r;", Code::MulSpecial);
    fragment("ADD.F.«F32» r, r, r;", Code::BaseAndSized);
    fragment("«ADD_SATC» r, r, r;", Code::UnknownOpcode);
    fragment("«ADDCR» r, r, r;", Code::UnknownOpcode);
    errors(
        "!!NVfp4.0 TEMP r; ADD.«S32» r, r, r; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.0 TEMP r; ADD.«PREC» r, r, r; END",
        &[Code::FeatureNewer],
    );
}

#[test]
fn opcodes_of_other_programs() {
    errors(
        "!!NVfp4.0 TEMP r; «CVT».F32.S32 r, r; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.1 TEMP r; TEX r, r, texture[0], 2D, «offset(r)»; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.1 TEMP r; TXG r, r, «texture[0].y», 2D; TXG r, r, texture[1], «SHADOW2D»; END",
        &[Code::FeatureNewer, Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.0 TEMP r; «LOAD».F32 r, r.x; END",
        &[Code::FeatureOption],
    );
    vertex("«DDX» r, r;", Code::FeatureStage);
    vertex("«KIL» r;", Code::FeatureStage);
    fragment("«BAR»;", Code::FeatureStage);
    fragment("«GROUP_SIZE 4;»", Code::DeclarationNotAllowed);
}

#[test]
fn packing() {
    fragment("PK2H «h», r;", Code::PackShort);
    fragment("UP2H r, «h.x»;", Code::PackShort);
    fragment("PK64 «r», r;", Code::PackLong);
    fragment("UP64 r, «r»;", Code::PackLong);
    fine("!!NVfp5.0 LONG TEMP l; TEMP r; PK64 l, r; UP64 r, l; PK2H r, r; END");
}

#[test]
fn conversions() {
    fragment("«CVT».F32 r, r;", Code::CvtModifiers);
    fragment("«CVT».F.S r, r;", Code::CvtModifiers);
    fragment("CVT.F32.S32 r, «-r»;", Code::CvtModifiers);
    fragment("CVT.F32.S32 r, «|r|»;", Code::CvtModifiers);
    fragment("CVT.S32.F32.«SSAT» r, r;", Code::ClampOnInteger);
}

#[test]
fn memory() {
    fragment("«LOAD» r, l.x;", Code::StorageModifier);
    fragment("LOAD.«F» r, l.x;", Code::StorageModifier);
    fragment("LOAD.U32.«F32» r, l.x;", Code::StorageModifier);
    fragment("LOAD.«U8X4» r, l.x;", Code::FeatureOption);
    fragment("«ATOM».U32 r, r, l.x;", Code::AtomModifiers);
    fragment("«ATOM».ADD r, r, l.x;", Code::AtomModifiers);
    fragment("ATOM.IWRAP.«S32» r, r, l.x;", Code::AtomCombination);
    fragment("ATOM.MIN.«U64» l, l, l.x;", Code::AtomCombination);
    fragment("ATOM.ADD.«F32» r, r, l.x;", Code::AtomCombination);
    fragment("LOAD.U32 r, «l»;", Code::ScalarSuffix);
}

#[test]
fn blocks() {
    fragment("IF NE.x; «ENDREP»; ENDIF;", Code::BlockMismatch);
    fragment("REP 2; «ENDIF»; ENDREP;", Code::BlockMismatch);
    fragment("«ELSE»;", Code::BlockMismatch);
    fragment("IF NE.x; ELSE; «ELSE»; ENDIF;", Code::BlockMismatch);
    fragment("«ENDIF»;", Code::BlockMismatch);
    fragment("«IF NE.x»;", Code::BlockOpen);
    fragment("«REP 3»;", Code::BlockOpen);
    fragment("IF NE.x; «x»:", Code::LabelInBlock);
    fragment("«BRK»;", Code::BreakOutsideLoop);
    fragment("IF NE.x; «CONT (EQ.x)»; ENDIF;", Code::BreakOutsideLoop);
    fragment("«REP»; ENDREP;", Code::InfiniteLoop);
    fragment("«REP»; REP 4; BRK; ENDREP; ENDREP;", Code::InfiniteLoop);
    fine("!!NVfp5.0 REP; REP 4; RET; ENDREP; ENDREP; END");
    fine("!!NVfp5.0 REP; IF TR; BRK (NE.x); ENDIF; ENDREP; END");
}

#[test]
fn nesting_limits() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("!!NVfp5.0 {}{}END", open.repeat(count), close.repeat(count))
    };
    fine(&deep("IF TR; ", "ENDIF; ", 64));
    fine(&deep("REP 1; ", "ENDREP; ", 64));
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
}

#[test]
fn indirect_calls() {
    errors(
        "!!NVfp4.1 «SUBROUTINETYPE t { };» «SUBROUTINE t v = program.subroutine[0];» END",
        &[Code::FeatureNewer, Code::FeatureNewer],
    );
    errors(
        "!!NVfp5.0 SUBROUTINETYPE t { a }; TEMP r; SUBROUTINE t v = «program.subroutine[1024]»; \
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
    fine(&program(&"CALI v;".repeat(256)));
    let calls = "CALI v;".repeat(256) + "«CALI v»; CALI v;";
    errors(&program(&calls), &[Code::TooManyInstructions]);
}

#[test]
fn calls() {
    fine("!!NVfp5.0 main: CAL a; RET; a: CAL a; END");
    fine("!!NVfp5.0 main: CAL a; RET; a: CAL b; RET; b: CAL a (NE.x); END");
    fine("!!NVfp5.0 main: CAL main (NE.x); RET; END");
    // MAX_PROGRAM_CALL_DEPTH_NV is 32.
    let chain = |count: usize| {
        let calls: String = (1..count)
            .map(|n| format!("f{n}: CAL f{};", n + 1))
            .collect();
        format!("!!NVfp5.0 main: CAL f1; RET; {calls} f{count}: RET; END")
    };
    fine(&chain(32));
    errors(&chain(33), &[Code::CallDepth]);
    fine("!!NVfp5.0 main: CAL a; CAL b; RET; a: CAL b; RET; b: RET; END");
}

#[test]
fn textures() {
    fragment("TEX r, r, texture[0], 2D, «(1, 2, 3)»;", Code::OffsetTarget);
    fragment("TEX r, r, texture[0], 1D, «(1, 2)»;", Code::OffsetTarget);
    fragment("TEX r, r, texture[0], CUBE, «(1)»;", Code::OffsetTarget);
    fragment("TXF r, r, texture[0], BUFFER, «(1)»;", Code::OffsetTarget);
    fragment("TEX r, r, texture[0], 2D, «(8, 0)»;", Code::OffsetRange);
    fragment("TEX r, r, texture[0], 2D, «(0, -9)»;", Code::OffsetRange);
    fragment(
        "TEX r, r, texture[0], CUBE, «offset(i)»;",
        Code::OffsetDynamic,
    );
    fragment(
        "TXD r, r, r, r, texture[0], 2D, «offset(i)»;",
        Code::OffsetDynamic,
    );
    fragment(
        "TEX r, r, texture[0], 2D; TEX r, r, texture[0], «1D»;",
        Code::TargetConflict,
    );
    fragment(
        "TEX r, r, texture[0], 2D; TEX r, r, texture[0], «SHADOW2D»;",
        Code::TargetConflict,
    );
    fragment(
        "TEXTURE t[] = { texture[0..3] }; TEX r, r, t[2], 2D; TEX r, r, texture[1], «3D»;",
        Code::TargetConflict,
    );
    fragment("TXF r, r, texture[0], «CUBE»;", Code::TargetNotAllowed);
    fragment("TEX r, r, texture[0], «BUFFER»;", Code::TargetNotAllowed);
    fragment(
        "TXB r, r, texture[0], «SHADOWCUBE»;",
        Code::TargetNotAllowed,
    );
    fragment("TXG r, r, texture[0], «3D»;", Code::TargetNotAllowed);
    fragment(
        "TXGO r, r, i, i, texture[0], «CUBE»;",
        Code::TargetNotAllowed,
    );
    fragment("TEX r, r, texture[0], «4D»;", Code::TargetUnknown);
    fragment("TEX r, r, «texture[200]», 2D;", Code::TextureRange);
    fragment("TEXTURE t[] = { «texture[3..2]» };", Code::TextureRange);
    fragment(
        "«TEXTURE t[] = { texture[0], texture[2] };»",
        Code::TextureUnits,
    );
    fragment("TEX r, r, «texture[0].y», 2D;", Code::ComponentSelect);
    fragment("TEX r, r, «q», 2D;", Code::TextureExpected);
    fragment(
        "TEXTURE t = texture[0]; MOV r, «t»;",
        Code::OperandNotVariable,
    );
    fragment("TXFMS r, r, texture[0], «2DMS»;", Code::FeatureOption);
    errors(
        "!!NVfp4.0 TEMP r; TEX r, r, texture[0], «ARRAYCUBE»; END",
        &[Code::FeatureNewer],
    );
    fine(
        "!!NVfp5.0 TEMP r; INT TEMP i; TEX r, r, texture, 2D, (1,-1); TXG r, r, texture[1].y, 2D offset(i); \
          TEX r, r, r, texture[2], SHADOWARRAYCUBE; TEX r, r, texture[3], CUBE, (0,0,0); END",
    );
}

#[test]
fn headers_of_other_program_types() {
    use glasm_frontend::{Location, Source, translate};
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
fn compute_programs() {
    errors("!!NVcp5.0 END", &[Code::GroupSize]);
    compute("«GROUP_SIZE 4;»", Code::GroupSize);
    errors("!!NVcp5.0 GROUP_SIZE «0»; END", &[Code::GroupSize]);
    let variable = "!!NVcp5.0 OPTION ARB_compute_variable_group_size;";
    errors(
        &format!("{variable} «GROUP_SIZE 4;» END"),
        &[Code::GroupSize],
    );
    fine(&format!("{variable} END"));
    errors("!!NVcp5.0 GROUP_SIZE 4 4 «65»; END", &[Code::GroupSize]);
    compute("SHARED_MEMORY 4; «SHARED_MEMORY 4;»", Code::SharedMemory);
    compute("SHARED_MEMORY «1000000»;", Code::SharedMemory);
    compute(
        "SHARED s[] = { program.sharedmem[0..15] }; LDS.U32 r, «s[0]»;",
        Code::SharedMissing,
    );
    compute(
        "SHARED_MEMORY 16; SHARED s[] = { program.sharedmem }; LDS.U32X2 r, «s[12]»;",
        Code::SharedBounds,
    );
    compute(
        "SHARED_MEMORY 16; SHARED s[] = { program.sharedmem }; MOV r, «s[0]»;",
        Code::MemoryOperand,
    );
    compute("SHARED_MEMORY 16; LDS.U32 r, «r»;", Code::MemoryOperand);
    compute("«OUTPUT o = result.position;»", Code::DeclarationNotAllowed);
    fragment(
        "«SHARED s = program.sharedmem[0];»",
        Code::DeclarationNotAllowed,
    );
}

#[test]
fn options() {
    errors(
        "!!NVfp5.0 OPTION «ARB_nothing»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVvp5.0 OPTION «ARB_draw_buffers»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVfp5.0 TEMP r; «OPTION» ARB_draw_buffers; END",
        &[Code::OptionLate],
    );
    errors(
        "!!NVfp5.0 OPTION ARB_precision_hint_nicest; OPTION «ARB_precision_hint_fastest»; END",
        &[Code::OptionConflict],
    );
    fine(
        "!!NVfp5.0 OPTION ARB_draw_buffers; OPTION ARB_draw_buffers; OPTION ARB_precision_hint_nicest; END",
    );
}

#[test]
fn critical_sections() {
    let with_option =
        |body: &str| format!("!!NVfp4.0 OPTION NV_pixel_interlock_ordered; {body} END");
    fine(&with_option("FSIB; IF TR; ENDIF; FSIE;"));
    fine(&with_option("a: RET; main: FSIB; CAL a; FSIE;"));
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

#[test]
fn post_depth_coverage_needs_early_tests() {
    for option in ["ARB_post_depth_coverage", "EXT_post_depth_coverage"] {
        errors(
            &format!("!!NVfp5.0 OPTION «{option}»; END"),
            &[Code::OptionNeedsOther],
        );
        fine(&format!(
            "!!NVfp5.0 OPTION {option}; OPTION NV_early_fragment_tests; END"
        ));
    }
}

#[test]
fn options_lower_limits() {
    for option in ["ARB_fog_exp", "ARB_fog_exp2", "ARB_fog_linear"] {
        let program = |body: &str| format!("!!NVfp4.0 OPTION {option}; {body} END");
        fine(&program("TEMP a[4095]; MOV a[0], 0;"));
        errors(
            &program("TEMP a[4095], «b»; MOV a[0], 0;"),
            &[Code::TooManyTemporaries],
        );
        let rows = |count: usize| format!("PARAM p[] = {{ {} }};", "0, ".repeat(count - 1) + "0");
        fine(&program(&rows(16_382)));
        let parts = rows(16_382) + " «PARAM q[1] = { 1 };»";
        errors(&program(&parts), &[Code::TooManyParameters]);
    }
}

#[test]
fn components_of_attributes_and_results() {
    let reads: String = (0..31)
        .map(|n| format!("ADD r, r, fragment.attrib[{n}];"))
        .collect();
    let program = |more: &str| format!("!!NVfp4.0 TEMP r; {reads} {more} MOV result.color, r; END");
    // 31 times 4 components and 4 of one more binding, in two parts.
    fine(&program(
        "ADD r, r, fragment.position.xyxy; ADD r, r, fragment.position.zwzw;",
    ));
    let (_, diagnostics) = translate(&Source::new(
        "test",
        &program("ADD r, r, fragment.position; ADD r, r, fragment.fogcoord.x;"),
    ));
    assert_eq!(diagnostics.list[0].code, Code::TooManyAttribComponents);
    // An array with run-time index counts with all its elements, a declaration without use not at all.
    let (_, diagnostics) = translate(&Source::new(
        "test",
        "!!NVfp4.0 ATTRIB a[] = { fragment.attrib[0..31] }; ATTRIB c = fragment.color; INT TEMP i; ADD result.color, a[i.x], c; END",
    ));
    assert_eq!(diagnostics.list[0].code, Code::TooManyAttribComponents);
    fine(
        "!!NVfp4.0 ATTRIB a[] = { fragment.attrib[0..31] }; ATTRIB c = fragment.color; MOV result.color, a[1]; END",
    );
    let writes = |mask: &str| -> String {
        let lines = (0..31).map(|n| format!("MOV result.attrib[{n}]{mask}, 1;"));
        let lines: String = lines.collect();
        format!("!!NVvp4.0 {lines} MOV result.position, 1; MOV result.pointsize.x, 1; END")
    };
    let (_, diagnostics) = translate(&Source::new("test", &writes("")));
    assert_eq!(diagnostics.list[0].code, Code::TooManyResultComponents);
    fine(&writes(".xyz"));
}

#[test]
fn limits() {
    errors(
        "!!NVfp5.0 TEMP a[4096], «b»; MOV b, 0; END",
        &[Code::TooManyTemporaries],
    );
    fine("!!NVfp5.0 TEMP a[4095], b; MOV b, a[0]; END");
    let many: String = (0..150).map(|n| format!("MOV x{n}, 0;")).collect();
    let (_, diagnostics) = translate(&Source::new("test", &format!("!!NVfp5.0 {many} END")));
    assert_eq!(diagnostics.list.len(), 101);
    assert_eq!(
        diagnostics
            .list
            .iter()
            .filter(|d| d.code == Code::TooManyErrors)
            .count(),
        1
    );
}

#[test]
fn whole_program_limits() {
    let codes = |text: &str| -> Vec<Code> {
        let (program, diagnostics) = translate(&Source::new("test", text));
        assert!(program.is_none());
        assert!(
            diagnostics
                .list
                .iter()
                .all(|diagnostic| diagnostic.notes.is_empty())
        );
        diagnostics
            .list
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect()
    };
    assert_eq!(codes(&" ".repeat(1 << 24)), [Code::ProgramTooLarge]);
    let many = "MOV r,r;".repeat((1 << 20) + 2);
    assert_eq!(
        codes(&format!("!!NVfp5.0 TEMP r;{many} END")),
        [Code::TooManyInstructions]
    );
    // Code that options add is counted.
    for (header, taken) in [
        ("!!NVfp5.0 OPTION ARB_fog_exp;", 3),
        ("!!NVfp5.0 OPTION ARB_fog_exp2;", 4),
        ("!!NVfp5.0 OPTION ARB_fog_linear;", 2),
        ("!!NVvp5.0 OPTION ARB_position_invariant;", 4),
    ] {
        let many = "MOV r,r;".repeat((1 << 20) - taken + 1);
        assert_eq!(
            codes(&format!("{header} TEMP r;{many} END")),
            [Code::TooManyInstructions]
        );
    }
    let params = "program.local[0..4095],".repeat(5);
    assert_eq!(
        codes(&format!("!!NVfp5.0 PARAM p[] = {{ {params} 1 }}; END")),
        [Code::TooManyParameters]
    );
}

#[test]
fn wide_attributes() {
    fine("!!NVvp5.0 LONG ATTRIB x = vertex.attrib[1]; LONG TEMP l; MOV.U64 l, x; END");
}

#[test]
fn levels_in_an_operand_of_their_own() {
    fragment(
        "TXB r, r, texture[0], «SHADOWCUBE»;",
        Code::TargetNotAllowed,
    );
    fragment("TXL r, r, texture[0], «ARRAYCUBE»;", Code::TargetNotAllowed);
    fragment("TXP r, r, «q», texture[0], 2D;", Code::ExtraOperand);
    fragment("TXB r, r, «q», texture[0], 2D;", Code::ExtraOperand);
    fragment(
        "TXL r, r, q, «a», texture[0], SHADOWCUBE;",
        Code::ExtraOperand,
    );
    // A second operand makes room for the bias, but not for a target of other languages.
    fragment(
        "TXB r, r, q, texture[0], «ARRAYSHADOW2D»;",
        Code::TargetUnknown,
    );
    fine("!!NVfp5.0 TEMP r; TXL r, r, r, texture[0], SHADOWARRAYCUBE; END");
    fine("!!NVvp5.0 TEMP r; TXB r, r, 1, texture[0], SHADOWARRAY2D, (1, 0); END");
}

#[test]
fn thread_groups() {
    fragment("«TGBALLOT» r, r;", Code::FeatureOption);
    fragment("«QSWZ3» r, r, r;", Code::FeatureOption);
    fragment("«SHFXOR».U r, r, 1, 31;", Code::FeatureOption);
    fragment("MOV.U r, «fragment.threadid».x;", Code::ResultOption);
    fragment("MOV.S r, «fragment.helperthread».x;", Code::ResultOption);
    fragment("MOV.S r, «state.thread.smcount».x;", Code::ResultOption);
    vertex("«QSWZX» r, r, r;", Code::FeatureStage);
    let group = "!!NVfp5.0 OPTION NV_shader_thread_group; TEMP r;";
    for (statement, code) in [
        ("QSWZ0.«S» r, r, r;", Code::ModifierUnsupported),
        ("QSWZ0.«CC» r, r, r;", Code::ModifierUnsupported),
        ("TGBALLOT.«SAT» r, r;", Code::ClampOnInteger),
        ("TGBALLOT.«U64» r, r;", Code::ModifierUnsupported),
        ("«SHFIDX» r, r, r, r;", Code::FeatureOption),
        ("MOV.U r, invocation.«threadid»;", Code::UnexpectedToken),
    ] {
        errors(&format!("{group} {statement} END"), &[code]);
    }
    fine(&format!(
        "{group} TGALL.S.CC0 r, fragment.threadgemask.x; QSWZY r, r, r; TGBALLOT.CC1 r, 1; END"
    ));
    fine("!!NVvp5.0 OPTION NV_shader_thread_shuffle; TEMP r; SHFUP r.xy, r.x, 1, 31; END");
}

#[test]
fn derivatives_and_interpolation() {
    fragment("DDX.«FINE» r, r;", Code::FeatureOption);
    fine("!!NVfp5.0 OPTION ARB_derivative_control; TEMP r; DDY.COARSE r, r; END");
    fragment("IPAC r, «r»;", Code::InterpolationOperand);
    fragment("IPAC r, «-|p|»;", Code::InterpolationOperand);
    fragment("IPAO r, «fragment.facing», r;", Code::InterpolationOperand);
    fragment("IPAS r, «primitive.id.x», 0;", Code::InterpolationOperand);
    fragment("IPAC.«S» r, fragment.color;", Code::ModifierUnsupported);
    fragment("IPAS r, fragment.color, «r»;", Code::ScalarSuffix);
    vertex("«IPAC» r, vertex.position;", Code::FeatureStage);
    fine("!!NVfp5.0 ATTRIB a[] = { fragment.attrib[0..1] }; TEMP r; IPAO r, a[r.x], r; END");
}

#[test]
fn invariant_position() {
    errors(
        "!!NVvp5.0 OPTION ARB_position_invariant; MOV «result.position», 0; END",
        &[Code::PositionInvariant],
    );
    errors(
        "!!NVvp5.0 OPTION ARB_position_invariant; OUTPUT p = «result.position»; END",
        &[Code::PositionInvariant],
    );
    fine("!!NVvp5.0 OPTION ARB_position_invariant; MOV result.color, 1; END");
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
