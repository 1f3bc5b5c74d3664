//! Compute programs, memory, thread groups.

use super::{compute, errors, fine, fragment, vertex};
use glasm_frontend::Code;

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
    compute(
        "SHARED s[] = { program.sharedmem }; LDS.U32 r, «s[12]»;",
        Code::SharedMissing,
    );
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
