//! Load errors of ARB programs: code and place of each. ARB_vertex_program sections 2.14.2 to 2.14.6, ARB_fragment_program
//! sections 3.11.2 to 3.11.6.

use crate::support::errors;
use glasm_frontend::Code;

#[test]
fn programs_without_errors() {
    for text in [
        "!!ARBvp1.0END",
        "!!ARBfp1.0 END # that is all",
        "!!ARBvp1.0TEMP a;END",
        // Words of the other program type and of options that are not requested are names.
        "!!ARBvp1.0 TEMP fragment, texture, KIL, SIN, LRP, TEX, ADDC, MOV_SAT, BRA, SHORT; MOV texture.x, KIL; END",
        "!!ARBfp1.0 TEMP vertex, ADDRESS, ARL, EXP, DDX, MOVC, KIL_SAT; END",
        "!!ARBfp1.0 TEMP CUBE, RECT, EQ, GT, x, position, row, env, A0, R0, RC, CC; KIL GT.x; TEX CUBE, EQ, texture, CUBE; END",
        "!!ARBvp1.0 PARAM c = 007; TEMP a; RCP a, 2.0.x; RCP a.x, -2.x; MOV a, 3.14.xxxx; RSQ a, {1, 2}.y; END",
        "!!ARBvp1.0 PARAM m[] = { state . matrix . mvp . row [ 0 .. 2 ], 5, {1, 2}, program.env[3 ..4] }; TEMP a; MOV a, m[5]; END",
        "!!ARBvp1.0 ADDRESS A; PARAM c[] = { program.local[0..9] }; ARL A.x, c[2].w; MOV result.position, c[A.x + 63]; MOV \
         result.position, c[A.x - 64]; END",
        "!!ARBvp1.0 ATTRIB w = vertex.weight; ATTRIB v = vertex.weight[4]; TEMP a; MOV a, vertex.matrixindex[8]; END",
        "!!ARBvp1.0 TEMP a; ALIAS b = a; ALIAS c = b; MOV c, state.matrix.palette[3].inverse.row[2]; END",
        "!!ARBfp1.0 OPTION ARB_fragment_program_shadow; TEX result.color, fragment.texcoord[1], texture[3], SHADOW2D; END",
        "!!ARBfp1.0 OPTION ATI_draw_buffers; OPTION ARB_draw_buffers; MOV_SAT result.color[3].rgb, state.depth.range; END",
        "!!ARBfp1.0 TEMP a; SWZ a, 1, r, -g, 0, 1; SWZ a, fragment.color, x, w, 0, 1; END",
    ] {
        errors(text, &[]);
    }
}

#[test]
fn headers() {
    errors("«!!ARBvp2.0» END", &[Code::HeaderUnknown]);
    errors("«» !!ARBvp1.0 END", &[Code::HeaderUnknown]);
}

#[test]
fn words_of_the_language_are_no_names() {
    errors("!!ARBvp1.0 TEMP «ADD»; END", &[Code::ReservedName]);
    errors("!!ARBvp1.0 TEMP a, «ADDRESS»; END", &[Code::ReservedName]);
    errors("!!ARBvp1.0 PARAM «END» = 1; END", &[Code::ReservedName]);
    errors(
        "!!ARBvp1.0 TEMP a; ALIAS «LIT» = a; END",
        &[Code::ReservedName],
    );
    errors("!!ARBvp1.0 TEMP «vertex»; END", &[Code::ReservedName]);
    errors("!!ARBfp1.0 TEMP «TEX_SAT»; END", &[Code::ReservedName]);
    errors(
        "!!ARBfp1.0 ATTRIB «texture» = fragment.color; END",
        &[Code::ReservedName],
    );
}

#[test]
fn numbers_are_decimal() {
    errors("!!ARBvp1.0 PARAM c = «0x10»; END", &[Code::BadNumber]);
    errors("!!ARBvp1.0 PARAM c = «1.0f»; END", &[Code::BadNumber]);
    errors(
        "!!ARBvp1.0 PARAM c = program.env[«0x1»]; END",
        &[Code::BadNumber],
    );
    errors("!!ARBvp1.0 PARAM c = «1e»; END", &[Code::BadNumber]);
}

#[test]
fn components() {
    errors(
        "!!ARBvp1.0 TEMP a; MOV a.«rgba», a; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!ARBvp1.0 TEMP a; MOV a, a.«rrrr»; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!ARBvp1.0 TEMP a; MOV a, a.«xy»; END",
        &[Code::SwizzleLength],
    );
    errors(
        "!!ARBfp1.0 TEMP a; MOV a, a.«rgzw»; END",
        &[Code::SwizzleMixed],
    );
    errors(
        "!!ARBfp1.0 TEMP a; MOV a.«xg», a; END",
        &[Code::SwizzleMixed],
    );
    errors("!!ARBfp1.0 TEMP a; MOV a.«yx», a; END", &[Code::MaskOrder]);
    errors(
        "!!ARBfp1.0 TEMP a; SWZ a, a, x, «g», 0, 1; END",
        &[Code::SwizzleMixed],
    );
    errors(
        "!!ARBfp1.0 TEMP a; SWZ a, a, x, «2», 0, 1; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!ARBfp1.0 TEMP a; SWZ a, «-a», x, y, 0, 1; END",
        &[Code::SwzOperand],
    );
    errors(
        "!!ARBfp1.0 TEMP a; SWZ a, «a.xyzw», x, y, 0, 1; END",
        &[Code::SwzOperand],
    );
    errors("!!ARBvp1.0 TEMP a; RCP a, «a»; END", &[Code::ScalarSuffix]);
    errors(
        "!!ARBvp1.0 TEMP a; RCP a, «2.0»; END",
        &[Code::ScalarSuffix],
    );
    errors(
        "!!ARBvp1.0 TEMP a; RCP a, «{1}.xxxx»; END",
        &[Code::ScalarSuffix],
    );
    errors(
        "!!ARBvp1.0 TEMP a; MOV a, -«-»a; END",
        &[Code::UnexpectedToken],
    );
}

#[test]
fn features_of_options() {
    errors(
        "!!ARBvp1.0 TEMP a; MOV a, «|a|»; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBvp1.0 TEMP a; «MOV_SAT» a, a; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBvp1.0 TEMP a; «ADDC» a, a, a; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBfp1.0 TEMP a; «ADDH» a, a, a; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBfp1.0 TEMP a; «KIL_SAT» a; END",
        &[Code::ModifierUnsupported],
    );
    errors(
        "!!ARBvp1.0 TEMP a; MOV «a» (GT.x), a; END",
        &[Code::FeatureOption],
    );
    errors("!!ARBvp1.0 «a»: END", &[Code::FeatureOption]);
    errors(
        "!!ARBvp1.0 TEMP a; «SIN» a, a.x; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBvp1.0 TEMP a; «LRP» a, a, a, a; END",
        &[Code::FeatureStage],
    );
    errors(
        "!!ARBfp1.0 TEMP a; «EXP» a, a.x; END",
        &[Code::FeatureStage],
    );
    errors(
        "!!ARBfp1.0 TEMP a; «SHL» a, a, a.x; END",
        &[Code::UnknownOpcode],
    );
    errors(
        "!!ARBfp1.0 TEMP a; ADD«.»F a, a, a; END",
        &[Code::UnexpectedToken],
    );
    errors("!!ARBfp1.0 «SHORT TEMP a;» END", &[Code::FeatureOption]);
    errors("!!ARBfp1.0 «INT» TEMP a; END", &[Code::UnknownOpcode]);
}

#[test]
fn options_and_what_needs_them() {
    errors(
        "!!ARBvp1.0 OPTION «ARB_fog_exp»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!ARBfp1.0 OPTION «NV_gpu_program_fp64»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!ARBfp1.0 MOV «result.color[1]», 1; END",
        &[Code::ResultOption],
    );
    errors(
        "!!ARBvp1.0 MOV «result.clip[1]», 1; END",
        &[Code::ResultOption],
    );
    errors(
        "!!ARBfp1.0 TEX result.color, fragment.color, texture, «SHADOW2D»; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!ARBfp1.0 TEX result.color, fragment.color, texture, «BUFFER»; END",
        &[Code::TargetUnknown],
    );
    errors(
        "!!ARBfp1.0 TEX result.color, fragment.color, texture, 2D«,» (1, 1); END",
        &[Code::ExtraOperand],
    );
}

#[test]
fn address_registers() {
    errors(
        "!!ARBvp1.0 ADDRESS A; TEMP a; MOV a, «A»; END",
        &[Code::AddressRegister],
    );
    errors(
        "!!ARBvp1.0 ADDRESS A; TEMP a; MOV «A.x», a; END",
        &[Code::AddressRegister],
    );
    errors(
        "!!ARBvp1.0 TEMP a; ARL «a.x», a.x; END",
        &[Code::AddressRegister],
    );
    errors(
        "!!ARBvp1.0 ADDRESS A; TEMP a; ARL «A», a.x; END",
        &[Code::AddressRegister],
    );
    errors(
        "!!ARBvp1.0 ADDRESS A; TEMP a; ARL «A.y», a.x; END",
        &[Code::AddressRegister],
    );
    errors(
        "!!ARBvp1.0 ADDRESS A; TEMP a; ARL A.x, «a»; END",
        &[Code::ScalarSuffix],
    );
    let with = |index: &str| {
        format!(
            "!!ARBvp1.0 ADDRESS A; TEMP t; PARAM c[] = {{ program.env[0..9] }}; MOV result.position, c[{index}]; END"
        )
    };
    errors(&with("«A.y»"), &[Code::IndexVariable]);
    errors(&with("«t.x»"), &[Code::IndexVariable]);
    errors(&with("A«]»").replace("»]", "»"), &[Code::ScalarSuffix]);
    errors(&with("A.«xxxx»"), &[Code::ScalarSuffix]);
    errors(&with("«A.x + 64»"), &[Code::IndexOffset]);
    errors(&with("«A.x - 65»"), &[Code::IndexOffset]);
    errors(&with("vertex«.»position.x"), &[Code::IndexVariable]);
    errors(
        "!!ARBfp1.0 «ADDRESS A;» END",
        &[Code::DeclarationNotAllowed],
    );
    errors(
        "!!ARBvp1.0 ADDRESS A; «PARAM c[] = { program.env[1], program.env[1] };» MOV result.position, c[A.x]; END",
        &[Code::RelativeOverlap],
    );
}

#[test]
fn declarations() {
    errors("!!ARBvp1.0 TEMP a«[»3]; END", &[Code::UnexpectedToken]);
    errors("!!ARBvp1.0 PARAM a[1] = «5»; END", &[Code::UnexpectedToken]);
    errors(
        "!!ARBvp1.0 PARAM a[«2»] = { 5 }; END",
        &[Code::ArraySizeMismatch],
    );
    errors(
        "!!ARBvp1.0 PARAM a = «state.matrix.mvp»; END",
        &[Code::MatrixNeedsRow],
    );
    errors(
        "!!ARBvp1.0 PARAM a = «program.env[0..1]»; END",
        &[Code::RangeAsOperand],
    );
    errors(
        "!!ARBvp1.0 PARAM a = program.«buffer[0][1]»; END",
        &[Code::BindingUnknown],
    );
    errors(
        "!!ARBvp1.0 PARAM a = state.«texenv».color; END",
        &[Code::BindingUnknown],
    );
    errors(
        "!!ARBfp1.0 PARAM a = state.«clip[0]».plane; END",
        &[Code::BindingUnknown],
    );
    errors(
        "!!ARBvp1.0 ATTRIB a = vertex.weight[«1»]; END",
        &[Code::BindingRange],
    );
    errors(
        "!!ARBvp1.0 ATTRIB a = vertex.«matrixindex»; END",
        &[Code::BindingNeedsIndex],
    );
    errors(
        "!!ARBvp1.0 ATTRIB a = vertex.«id»; END",
        &[Code::BindingUnknown],
    );
    errors(
        "!!ARBvp1.0 ATTRIB a = vertex.fogcoord; «ATTRIB b = vertex.attrib[5];» END",
        &[Code::AliasPair],
    );
    errors(
        "!!ARBvp1.0 OUTPUT o = result.«depth»; END",
        &[Code::BindingUnknown],
    );
}

#[test]
fn attributes_are_counted_as_a_whole() {
    let all = "MOV t, fragment.color; MOV t, fragment.color.secondary; MOV t, fragment.fogcoord; MOV t, fragment.position;";
    let sets: String = (0..7)
        .map(|n| format!("MOV t, fragment.texcoord[{n}];"))
        .collect();
    errors(
        &format!("!!ARBfp1.0 TEMP t; {all}{sets} MOV t, fragment.texcoord[7]; END"),
        &[],
    );
    // "Vertex attributes bound multiple times count only once": the last one is the first beyond the limit.
    errors(
        &format!(
            "!!ARBfp1.0 OPTION ARB_fog_exp; TEMP t; {all}{sets}{all} MOV t, «fragment.texcoord[7]»; MOV t, fragment.texcoord[7]; END"
        ),
        &[Code::TooManyAttribs],
    );
    let generic: String = (0..16)
        .map(|n| format!("ATTRIB a{n} = vertex.attrib[{n}];"))
        .collect();
    errors(&format!("!!ARBvp1.0 {generic} END"), &[]);
    errors(
        &format!("!!ARBvp1.0 {generic} ATTRIB b = «vertex.matrixindex[0]»; END"),
        &[Code::TooManyAttribs],
    );
}

#[test]
fn array_targets_have_options_and_spellings_of_their_own() {
    let shadow = "OPTION ARB_fragment_program_shadow; OPTION MESA_texture_array;";
    for target in ["SHADOWARRAY1D", "ARRAYSHADOW1D", "ARRAYSHADOW2D", "ARRAY2D"] {
        errors(
            &format!("!!ARBfp1.0 {shadow} TEMP r; TEX r, 0, texture[0], {target}; END"),
            &[],
        );
    }
    errors(
        "!!ARBfp1.0 TEMP r; TEX r, 0, texture[0], «ARRAY1D»; END",
        &[Code::FeatureOption],
    );
    errors(
        "!!NVfp5.0 TEMP r; TEX r, 0, texture[0], «ARRAYSHADOW1D»; END",
        &[Code::TargetUnknown],
    );
}
