//! Results and declarations that choose viewports and views: NV_viewport_array2, NV_stereo_view_rendering.

use crate::support::errors;
use glasm_frontend::{Code, Source, translate};

const STEREO: &str = "!!NVvp5.0 OPTION NV_stereo_view_rendering; OPTION NV_viewport_array2;";

#[track_caller]
fn check_stereo_errors(statements: &str, codes: &[Code]) {
    errors(&format!("{STEREO} {statements} END"), codes);
}

#[test]
fn results_of_views() {
    check_stereo_errors("MOV.S result.viewportmask.x, 1;", &[]);
    check_stereo_errors("MOV.S result.secondaryviewportmask[0].x, 1;", &[]);
    check_stereo_errors("MOV result.secondaryposition, 1;", &[]);
    let range = [Code::BindingRange];
    check_stereo_errors("MOV.S result.viewportmask[«1»].x, 1;", &range);
    check_stereo_errors("MOV.S result.secondaryviewportmask[«1»].x, 1;", &range);
}

#[test]
fn fragment_programs_have_no_views() {
    let text = "!!NVfp5.0 «SECONDARY_VIEW_LAYER_OFFSET 1;» END";
    errors(text, &[Code::DeclarationNotAllowed]);
    let text = "!!NVfp5.0 OPTION «NV_stereo_view_rendering»; END";
    errors(text, &[Code::OptionUnknown]);
}

#[test]
fn layer_offsets() {
    for number in ["1", "+2", "-3", "- 3", "0x7fffffff", "-99999999999"] {
        check_stereo_errors(&format!("SECONDARY_VIEW_LAYER_OFFSET {number};"), &[]);
    }
    check_stereo_errors(
        "NV_SECONDARY_VIEW_LAYER_OFFSET 1; SECONDARY_VIEW_LAYER_OFFSET 1;",
        &[],
    );
    let twice = "SECONDARY_VIEW_LAYER_OFFSET 1; SECONDARY_VIEW_LAYER_OFFSET «-1»;";
    check_stereo_errors(twice, &[Code::SecondLayerOffset]);
    let syntax = [Code::UnexpectedToken];
    check_stereo_errors("SECONDARY_VIEW_LAYER_OFFSET «1.5»;", &syntax);
    check_stereo_errors("SECONDARY_VIEW_LAYER_OFFSET«;»", &syntax);
    check_stereo_errors("SECONDARY_VIEW_LAYER_OFFSET 1«,» 2;", &syntax);
    let text = "!!NVvp5.0 «SECONDARY_VIEW_LAYER_OFFSET 1;» END";
    errors(text, &[Code::FeatureOption]);
}

#[test]
fn modes_of_views() {
    let text =
        format!("{STEREO} OPTION NV_layer_viewport_relative; SECONDARY_VIEW_LAYER_OFFSET -7; END");
    let (program, _) = translate(&Source::new("test", &text));
    let modes = program.map(|program| program.modes);
    let found = modes.map(|modes| {
        (
            modes.layer_viewport_relative,
            modes.secondary_view_layer_offset,
        )
    });
    assert_eq!(found, Some((true, -7)));
}
