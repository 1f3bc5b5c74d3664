//! Compute programs, memory, thread groups.

use super::{check_compute_error, check_fragment_error, check_loads, check_vertex_error, errors};
use glasm_frontend::Code;

#[test]
fn memory() {
    check_fragment_error("«LOAD» r, l.x;", Code::StorageModifier);
    check_fragment_error("LOAD.«F» r, l.x;", Code::StorageModifier);
    check_fragment_error("LOAD.U32.«F32» r, l.x;", Code::StorageModifier);
    check_fragment_error("LOAD.«U8X4» r, l.x;", Code::FeatureOption);
    check_fragment_error("«ATOM».U32 r, r, l.x;", Code::AtomModifiers);
    check_fragment_error("«ATOM».ADD r, r, l.x;", Code::AtomModifiers);
    check_fragment_error("ATOM.IWRAP.«S32» r, r, l.x;", Code::AtomCombination);
    check_fragment_error("ATOM.MIN.«U64» l, l, l.x;", Code::AtomCombination);
    check_fragment_error("ATOM.ADD.«F32» r, r, l.x;", Code::AtomCombination);
    check_fragment_error("LOAD.U32 r, «l»;", Code::ScalarSuffix);
}

#[test]
fn compute_programs() {
    errors("!!NVcp5.0 END", &[Code::GroupSize]);
    check_compute_error("«GROUP_SIZE 4;»", Code::GroupSize);
    errors("!!NVcp5.0 GROUP_SIZE «0»; END", &[Code::GroupSize]);
    let variable = "!!NVcp5.0 OPTION ARB_compute_variable_group_size;";
    errors(
        &format!("{variable} «GROUP_SIZE 4;» END"),
        &[Code::GroupSize],
    );
    check_loads(&format!("{variable} END"));
    errors("!!NVcp5.0 GROUP_SIZE 4 4 «65»; END", &[Code::GroupSize]);
    check_compute_error("SHARED_MEMORY 4; «SHARED_MEMORY 4;»", Code::SharedMemory);
    check_compute_error("SHARED_MEMORY «1000000»;", Code::SharedMemory);
    check_compute_error(
        "SHARED s[] = { program.sharedmem[0..15] }; LDS.U32 r, «s[0]»;",
        Code::SharedMissing,
    );
    check_compute_error(
        "SHARED_MEMORY 16; SHARED s[] = { program.sharedmem }; LDS.U32X2 r, «s[12]»;",
        Code::SharedBounds,
    );
    check_compute_error(
        "SHARED_MEMORY 16; SHARED s[] = { program.sharedmem }; MOV r, «s[0]»;",
        Code::MemoryOperand,
    );
    check_compute_error("SHARED_MEMORY 16; LDS.U32 r, «r»;", Code::MemoryOperand);
    check_compute_error("«OUTPUT o = result.position;»", Code::DeclarationNotAllowed);
    check_fragment_error(
        "«SHARED s = program.sharedmem[0];»",
        Code::DeclarationNotAllowed,
    );
}

/// Nothing says that SHARED_MEMORY stands before what it is declared for: NV_compute_program5 section 2.X.7.Y.
#[test]
fn shared_memory_may_be_declared_late() {
    let late = |access: &str, codes: &[Code]| {
        let variable = "SHARED s[] = { program.sharedmem };";
        let head = "!!NVcp5.0 GROUP_SIZE 8; TEMP r;";
        errors(
            &format!("{head} {variable} SHARED_MEMORY 16; {access} END"),
            codes,
        );
        errors(
            &format!("{head} {variable} {access} SHARED_MEMORY 16; END"),
            codes,
        );
    };
    late("LDS.U32 r, s[12];", &[]);
    late("LDS.U32X2 r, «s[12]»;", &[Code::SharedBounds]);
    late(
        "STS.U32 r, «s[16]»; ATOMS.ADD.U32 r.x, r, s[0];",
        &[Code::SharedBounds],
    );
    check_compute_error(
        "SHARED s[] = { program.sharedmem }; LDS.U32 r, «s[12]»;",
        Code::SharedMissing,
    );
}

#[test]
fn thread_groups() {
    check_fragment_error("«TGBALLOT» r, r;", Code::FeatureOption);
    check_fragment_error("«QSWZ3» r, r, r;", Code::FeatureOption);
    check_fragment_error("«SHFXOR».U r, r, 1, 31;", Code::FeatureOption);
    check_fragment_error("MOV.U r, «fragment.threadid».x;", Code::ResultOption);
    check_fragment_error("MOV.S r, «fragment.helperthread».x;", Code::ResultOption);
    check_fragment_error("MOV.S r, «state.thread.smcount».x;", Code::ResultOption);
    check_vertex_error("«QSWZX» r, r, r;", Code::FeatureStage);
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
    check_loads(&format!(
        "{group} TGALL.S.CC0 r, fragment.threadgemask.x; QSWZY r, r, r; TGBALLOT.CC1 r, 1; END"
    ));
    check_loads("!!NVvp5.0 OPTION NV_shader_thread_shuffle; TEMP r; SHFUP r.xy, r.x, 1, 31; END");
}
