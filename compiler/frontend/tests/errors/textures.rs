//! Texture instructions.

use super::{errors, fine, fragment};
use glasm_frontend::Code;

#[test]
fn textures() {
    fragment("TEX r, r, texture[0], 2D, «(1, 2, 3)»;", Code::OffsetTarget);
    fragment("TEX r, r, texture[0], 1D, «(1, 2)»;", Code::OffsetTarget);
    fragment("TEX r, r, texture[0], CUBE, «(1)»;", Code::OffsetTarget);
    // Only an offset follows a target, so that this CUBE would be a variable.
    fragment("TEX r, r, texture[0], CUBE, «5»;", Code::UnexpectedToken);
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
    fragment("TEX r, r, texture[«200»], 2D;", Code::TextureRange);
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
