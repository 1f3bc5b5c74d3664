//! Load errors: code and exact place. `«»` marks the place in the program; the rules are those of the specification sections
//! that the explanations of the codes name.

mod compute;
mod declarations;
mod flow;
mod instructions;
mod operands;
mod programs;
mod syntax;
mod textures;

use crate::support::errors;
use glasm_frontend::Code;

/// Errors in statements of a fragment program with some variables.
#[track_caller]
fn check_fragment_error(statements: &str, code: Code) {
    let declarations = "TEMP r, q, a[4]; LONG TEMP l; INT TEMP i; UINT TEMP u; FLOAT TEMP f; SHORT TEMP h; PARAM p = 1;";
    errors(
        &format!("!!NVfp5.0 {declarations} {statements} END"),
        &[code],
    );
}

#[track_caller]
fn check_vertex_error(statements: &str, code: Code) {
    errors(&format!("!!NVvp5.0 TEMP r, i; {statements} END"), &[code]);
}

#[track_caller]
fn check_compute_error(statements: &str, code: Code) {
    errors(
        &format!("!!NVcp5.0 GROUP_SIZE 8; TEMP r, i; {statements} END"),
        &[code],
    );
}

/// The program must load.
#[track_caller]
fn check_loads(text: &str) {
    errors(text, &[]);
}
