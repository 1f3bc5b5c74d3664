//! Load errors of buffers, storage buffers and atomic counters: code and exact place.

use crate::support::errors;
use glasm_frontend::Code;

/// Declarations and statements of a compute program that may use everything.
#[track_caller]
fn check_storage_errors(text: &str, codes: &[Code]) {
    let head = "!!NVcp5.0 OPTION NV_shader_storage_buffer; OPTION NV_shader_atomic_counters; GROUP_SIZE 1; TEMP r, i;";
    let variables = "STORAGE s[] = { program.storage[0] }; STORAGE m[][] = { program.storage[1..3] }; \
        STORAGE one = program.storage[0][4]; COUNTER c[] = { program.counter[0][0..3] }; COUNTER n = program.counter[1][0]; \
        CBUFFER b[] = { program.buffer[0] };";
    errors(&format!("{head} {variables} {text} END"), codes);
}

#[test]
fn options() {
    let program = |option: &str, text: &str| format!("!!NVvp5.0 {option} TEMP r; {text} END");
    errors(
        &program(
            "",
            "«STORAGE s[] = { program.storage[0] };» «LDB».U32 r, s[0];",
        ),
        &[Code::FeatureOption, Code::FeatureOption],
    );
    errors(
        &program("", "«STB».U32 r, «r»; «ATOMB».ADD.U32 r, r, «r»;"),
        &[
            Code::FeatureOption,
            Code::MemoryOperand,
            Code::FeatureOption,
            Code::MemoryOperand,
        ],
    );
    errors(
        &program(
            "",
            "«COUNTER c = program.counter[0][0];» «ATOMCTR».INCR r, c;",
        ),
        &[Code::FeatureOption, Code::FeatureOption],
    );
    errors(
        "!!NVvp4.0 OPTION «NV_shader_storage_buffer»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVfp4.0 OPTION «NV_shader_atomic_counters»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVfp4.0 TEMP r; «LDB».U32 r, «r»; END",
        &[Code::FeatureNewer, Code::MemoryOperand],
    );
}

#[test]
fn older_language() {
    let text = "!!NVfp4.0 OPTION NV_parameter_buffer_object2; OPTION NV_shader_buffer_load; CBUFFER c[] = { program.buffer[0] }; \
        TEMP r; LDC.«F64» r, c[0]; LDC.«U64X4» r, c[0]; LOAD.«S64» r, r.x; LDC.S8 r, c[3]; LDC.F32X4 r, c[16]; END";
    errors(text, &[Code::FeatureNewer; 3]);
}

#[test]
fn operands() {
    use Code::*;
    check_storage_errors(
        "LDB.U32 r, «b[0]»; LDB.U32 r, «c[0]»; LDC.U32 r, «s[0]»;",
        &[MemoryOperand; 3],
    );
    check_storage_errors(
        "STB.U32 r, «r»; ATOMB.ADD.U32 r, r, «n»; ATOMCTR.INCR r, «one»;",
        &[MemoryOperand; 3],
    );
    check_storage_errors("MOV.U r, «s[0]»; ADD.U r, r, «n»;", &[MemoryOperand; 2]);
    check_storage_errors(
        "LDB.U32 r, «program.storage[0][4]»; ATOMCTR.GET r, «program.counter[0][0]»;",
        &[MemoryOperand; 2],
    );
    check_storage_errors(
        "MOV.U r, «program.storage[0][4]»; MOV.U r, «program.counter[0][0]»;",
        &[MemoryOperand; 2],
    );
    check_storage_errors("MOV.U «s[0]», r; MOV.U «n», r;", &[WriteReadOnly; 2]);
    check_storage_errors(
        "LDB.U32 r, «s[4].x»; STB.U32 r, «-s[4]»; ATOMCTR.GET r, «|n|»;",
        &[MemoryOperand; 3],
    );
    check_storage_errors("ATOMB.ADD.U32 «s[0]», r, s[0];", &[WriteReadOnly]);
}

#[test]
fn indices() {
    use Code::*;
    check_storage_errors(
        "LDB.U32 r, «s»; LDB.U32 r, «one[0]»; ATOMCTR.GET r, «c[4]»;",
        &[ArrayNeedsIndex, IndexOnScalar, IndexOutOfBounds],
    );
    check_storage_errors(
        "LDB.U32 r, «m[0]»; LDB.U32 r, «m»; LDB.U32 r, «m[3][0]»;",
        &[ArrayNeedsIndex, ArrayNeedsIndex, IndexOutOfBounds],
    );
    check_storage_errors(
        "LDB.U32 r, m[«i.x + 3»][0]; LDB.U32 r, m[0][«i.x - 4»];",
        &[IndexOffset; 2],
    );
    check_storage_errors(
        "LDB.U32 r, m[i.x][i.y + 8]; LDB.U32 r, m[2][4]; LDB.U32 r, m[i.x + 2][0];",
        &[],
    );
    check_storage_errors(
        "STORAGE t[] = { program.storage[1..2][8] }; LDB.U32 r, t[1]; LDB.U32 r, t[i.x]; LDB.U32 r, «t[2]»;",
        &[IndexOutOfBounds],
    );
    check_storage_errors("LDB.U32 r, «s[0][1]»;", &[IndexOnScalar]);
}

#[test]
fn declarations() {
    use Code::*;
    check_storage_errors(
        "STORAGE a = program.storage[«64»][0]; STORAGE d[] = { «program.storage[2..1]» };",
        &[BindingRange, RangeReversed],
    );
    check_storage_errors(
        "STORAGE a[][] = { program.storage[60..«64»] }; STORAGE d[] = { «program.storage[0][9..8]» };",
        &[BindingRange, RangeReversed],
    );
    check_storage_errors(
        "COUNTER a = program.counter[«8»][0]; COUNTER d[] = { «program.counter[0..1]» };",
        &[BindingRange, BufferBindings],
    );
    check_storage_errors(
        "PARAM a[] = { «program.storagelen[1..0]» }; PARAM d = program.storagelen[«64»];",
        &[RangeReversed, BindingRange],
    );
    check_storage_errors(
        "STORAGE a = «program.buffer[0][0]»; COUNTER d = «program.storage[0][0]»;",
        &[BindingUnknown; 2],
    );
    check_storage_errors(
        "STORAGE a[] = { program.storage[0][4], «program.storage[1][5]» };",
        &[BufferBindings],
    );
    check_storage_errors(
        "STORAGE a[] = { program.storage[0][4], «program.storage[0][6]» };",
        &[BufferBindings],
    );
    check_storage_errors(
        "COUNTER a[] = { program.counter[0][4], «program.counter[1][5]» };",
        &[BufferBindings],
    );
    check_storage_errors(
        "STORAGE a[«4»] = { program.storage[0][4..6] };",
        &[ArraySizeMismatch],
    );
    check_storage_errors("STORAGE a = «program.storage[0]»;", &[RangeAsOperand]);
    check_storage_errors(
        "«LONG STORAGE a = program.storage[0][0];» «INT COUNTER d = program.counter[0][0];»",
        &[LongNotAllowed, TypeNotAllowed],
    );
}

#[test]
fn several_binding_points() {
    use Code::*;
    let five =
        |text: &str, codes: &[Code]| errors(&format!("!!NVfp5.0 TEMP r, i; {text} END"), codes);
    five(
        "BUFFER a[][] = { program.buffer[0..3] }; BUFFER d[4][] = { program.buffer[0..3][0..7] }; ADD r, a[i.x][i.y], d[3][7];",
        &[],
    );
    five(
        "BUFFER4 a[] = { program.buffer[0..3][5] }; BUFFER4 d = program.buffer[0..3][5]; ADD r, a[i.x], d[3];",
        &[],
    );
    five(
        "CBUFFER a[2][16] = { program.buffer[1..2] }; LDC.F32 r, a[1][12].x;",
        &[],
    );
    five(
        "BUFFER a[][] = { program.buffer[12..«16»] };",
        &[BindingRange],
    );
    five(
        "BUFFER a[][] = { «program.buffer[3..2]» };",
        &[RangeReversed],
    );
    five(
        "BUFFER a[«3»][] = { program.buffer[0..3] };",
        &[ArraySizeMismatch],
    );
    five(
        "BUFFER a[][«3»] = { program.buffer[0..3][0..3] };",
        &[ArraySizeMismatch],
    );
    five(
        "«BUFFER a[][] = { program.buffer[0] };»",
        &[ArraySizeMismatch],
    );
    five(
        "BUFFER a[] = { program.buffer[0..1][0], «program.buffer[0..2][1]» };",
        &[BufferBindings],
    );
    five(
        "BUFFER a = program.buffer[2][0]; «BUFFER4 d[][] = { program.buffer[0..3] };»",
        &[BufferKind],
    );
    five(
        "BUFFER a[][] = { program.buffer[0..1] }; MOV r, «a[0]»; MOV r, «a»;",
        &[ArrayNeedsIndex; 2],
    );
    five("MOV r, «program.buffer[0..1]»;", &[BufferOperand]);
    errors(
        "!!NVfp4.0 BUFFER a[][] = { «program.buffer[0..1]» }; END",
        &[FeatureNewer],
    );
}

#[test]
fn atomics() {
    use Code::*;
    check_storage_errors("«ATOMCTR» r, c[0]; «ATOMCTR».U r, n;", &[AtomModifiers; 2]);
    check_storage_errors(
        "ATOMCTR.INCR.«GET» r, c[0]; ATOMCTR.INCR.«F» r, n;",
        &[ModifierTwice, ModifierUnsupported],
    );
    check_storage_errors(
        "ATOMCTR.GET.«U64» r, n; ADD.«INCR» r, r, r;",
        &[ModifierUnsupported; 2],
    );
    check_storage_errors("ATOMCTR.«ADD».INCR r, n;", &[ModifierUnsupported]);
    check_storage_errors(
        "ATOMB.ADD.F32 r, r, s[0]; ATOMB.MIN.«F32» r, r, s[0]; ATOMB.MIN.«S64» r, r, s[0]; ATOMB.ADD.«F16X2» r, r, s[0];",
        &[AtomCombination; 3],
    );
    check_storage_errors(
        "ATOMB.IWRAP.«S32» r, r, s[0]; ATOMB.ADD.«U32X2» r, r, s[0]; ATOMB.EXCH.«U8» r, r, s[0];",
        &[AtomCombination; 3],
    );
    check_storage_errors(
        "«ATOMB».U32 r, r, s[0]; «ATOMB».ADD r, r, s[0];",
        &[AtomModifiers; 2],
    );
    check_storage_errors(
        "«LDB» r, s[0]; LDB.«F» r, s[0]; LDB.U32.«F32» r, s[0];",
        &[StorageModifier; 3],
    );
    check_storage_errors(
        "LDB.«F16» r, s[0]; STB.«U8X4» r, s[0];",
        &[FeatureOption; 2],
    );
}

#[test]
fn atomics_by_option() {
    use Code::AtomCombination;
    let with = |option: &str, text: &str, codes: &[Code]| {
        let text = format!("!!NVfp5.0 OPTION {option}; LONG TEMP l; TEMP r; {text} END");
        errors(&text, codes);
    };
    let float = "ATOM.ADD.F32 r, r, l.x; ATOM.EXCH.F32 r, r, l.x; ATOM.MIN.«F32» r, r, l.x; ATOM.ADD.«F32X2» r, r, l.x;";
    with("NV_shader_atomic_float", float, &[AtomCombination; 2]);
    let double = "ATOM.ADD.F64 l, l, l.x; ATOM.EXCH.F64 l, l, l.x; ATOM.CSWAP.«F64» l, l, l.x; ATOM.ADD.«F32» r, r, l.x;";
    with("NV_shader_atomic_float64", double, &[AtomCombination; 2]);
    let long = "ATOM.ADD.S64 l, l, l.x; ATOM.XOR.U64 l, l, l.x; ATOM.IWRAP.«U64» l, l, l.x; ATOM.ADD.«S64X2» l, l, l.x;";
    with("NV_shader_atomic_int64", long, &[AtomCombination; 2]);
    let half = "ATOM.ADD.F16X2 r, r, l.x; ATOM.MAX.F16x4 r, r, l.x; ATOM.AND.«F16X2» r, r, l.x; ATOM.ADD.«F16» r, r, l.x;";
    with("NV_shader_atomic_fp16_vector", half, &[AtomCombination; 2]);
    let loads = "ATOM.ADD.«F16x2» r, r, l.x; LOAD.F16X2 r, l.x;";
    with("NV_gpu_program5_mem_extended", loads, &[AtomCombination]);
}
