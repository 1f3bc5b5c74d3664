//! Texture instructions.

use super::{check_fragment_error, check_loads, errors};
use glasm_frontend::Code;

#[test]
fn textures() {
    check_fragment_error("TEX r, r, texture[0], 2D, «(1, 2, 3)»;", Code::OffsetTarget);
    check_fragment_error("TEX r, r, texture[0], 1D, «(1, 2)»;", Code::OffsetTarget);
    check_fragment_error("TEX r, r, texture[0], CUBE, «(1)»;", Code::OffsetTarget);
    // Only an offset follows a target, so that this CUBE would be a variable.
    check_fragment_error("TEX r, r, texture[0], CUBE, «5»;", Code::UnexpectedToken);
    check_fragment_error("TXF r, r, texture[0], BUFFER, «(1)»;", Code::OffsetTarget);
    check_fragment_error("TEX r, r, texture[0], 2D, «(8, 0)»;", Code::OffsetRange);
    check_fragment_error("TEX r, r, texture[0], 2D, «(0, -9)»;", Code::OffsetRange);
    check_fragment_error(
        "TEX r, r, texture[0], CUBE, «offset(i)»;",
        Code::OffsetDynamic,
    );
    check_fragment_error(
        "TXD r, r, r, r, texture[0], 2D, «offset(i)»;",
        Code::OffsetDynamic,
    );
    check_fragment_error(
        "TEX r, r, texture[0], 2D; TEX r, r, texture[0], «1D»;",
        Code::TargetConflict,
    );
    check_fragment_error(
        "TEX r, r, texture[0], 2D; TEX r, r, texture[0], «SHADOW2D»;",
        Code::TargetConflict,
    );
    check_fragment_error(
        "TEXTURE t[] = { texture[0..3] }; TEX r, r, t[2], 2D; TEX r, r, texture[1], «3D»;",
        Code::TargetConflict,
    );
    check_fragment_error("TXF r, r, texture[0], «CUBE»;", Code::TargetNotAllowed);
    check_fragment_error("TEX r, r, texture[0], «BUFFER»;", Code::TargetNotAllowed);
    check_fragment_error(
        "TXB r, r, texture[0], «SHADOWCUBE»;",
        Code::TargetNotAllowed,
    );
    check_fragment_error("TXG r, r, texture[0], «3D»;", Code::TargetNotAllowed);
    check_fragment_error(
        "TXGO r, r, i, i, texture[0], «CUBE»;",
        Code::TargetNotAllowed,
    );
    check_fragment_error("TEX r, r, texture[0], «4D»;", Code::TargetUnknown);
    check_fragment_error("TEX r, r, texture[«200»], 2D;", Code::TextureRange);
    check_fragment_error("TEXTURE t[] = { «texture[3..2]» };", Code::TextureRange);
    check_fragment_error(
        "«TEXTURE t[] = { texture[0], texture[2] };»",
        Code::TextureUnits,
    );
    check_fragment_error("TEX r, r, «texture[0].y», 2D;", Code::ComponentSelect);
    check_fragment_error("TEX r, r, «q», 2D;", Code::TextureExpected);
    check_fragment_error(
        "TEXTURE t = texture[0]; MOV r, «t»;",
        Code::OperandNotVariable,
    );
    check_fragment_error("TXFMS r, r, texture[0], «2DMS»;", Code::FeatureOption);
    errors(
        "!!NVfp4.0 TEMP r; TEX r, r, texture[0], «ARRAYCUBE»; END",
        &[Code::FeatureNewer],
    );
    check_loads(
        "!!NVfp5.0 TEMP r; INT TEMP i; TEX r, r, texture, 2D, (1,-1); TXG r, r, texture[1].y, 2D offset(i); \
          TEX r, r, r, texture[2], SHADOWARRAYCUBE; TEX r, r, texture[3], CUBE, (0,0,0); END",
    );
}

#[test]
fn levels_in_an_operand_of_their_own() {
    check_fragment_error(
        "TXB r, r, texture[0], «SHADOWCUBE»;",
        Code::TargetNotAllowed,
    );
    check_fragment_error("TXL r, r, texture[0], «ARRAYCUBE»;", Code::TargetNotAllowed);
    check_fragment_error("TXP r, r, «q», texture[0], 2D;", Code::ExtraOperand);
    check_fragment_error("TXB r, r, «q», texture[0], 2D;", Code::ExtraOperand);
    check_fragment_error(
        "TXL r, r, q, «a», texture[0], SHADOWCUBE;",
        Code::ExtraOperand,
    );
    // A second operand makes room for the bias, but not for a target of other languages.
    check_fragment_error(
        "TXB r, r, q, texture[0], «ARRAYSHADOW2D»;",
        Code::TargetUnknown,
    );
    check_loads("!!NVfp5.0 TEMP r; TXL r, r, r, texture[0], SHADOWARRAYCUBE; END");
    check_loads("!!NVvp5.0 TEMP r; TXB r, r, 1, texture[0], SHADOWARRAY2D, (1, 0); END");
}
