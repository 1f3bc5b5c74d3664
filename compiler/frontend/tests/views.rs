//! Results and declarations that choose viewports and views: NV_viewport_array2, NV_stereo_view_rendering.

mod support;

use glasm_frontend::{Code, Source, translate};
use support::errors;

const STEREO: &str = "!!NVvp5.0 OPTION NV_stereo_view_rendering; OPTION NV_viewport_array2;";

#[track_caller]
fn stereo(statements: &str, codes: &[Code]) {
    errors(&format!("{STEREO} {statements} END"), codes);
}

#[test]
fn results_of_views() {
    stereo("MOV.S result.viewportmask.x, 1;", &[]);
    stereo("MOV.S result.secondaryviewportmask[0].x, 1;", &[]);
    stereo("MOV result.secondaryposition, 1;", &[]);
    let range = [Code::BindingRange];
    stereo("MOV.S result.viewportmask[«1»].x, 1;", &range);
    stereo("MOV.S result.secondaryviewportmask[«1»].x, 1;", &range);
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
        stereo(&format!("SECONDARY_VIEW_LAYER_OFFSET {number};"), &[]);
    }
    stereo(
        "NV_SECONDARY_VIEW_LAYER_OFFSET 1; SECONDARY_VIEW_LAYER_OFFSET 1;",
        &[],
    );
    let twice = "SECONDARY_VIEW_LAYER_OFFSET 1; SECONDARY_VIEW_LAYER_OFFSET «-1»;";
    stereo(twice, &[Code::SecondLayerOffset]);
    let syntax = [Code::UnexpectedToken];
    stereo("SECONDARY_VIEW_LAYER_OFFSET «1.5»;", &syntax);
    stereo("SECONDARY_VIEW_LAYER_OFFSET«;»", &syntax);
    stereo("SECONDARY_VIEW_LAYER_OFFSET 1«,» 2;", &syntax);
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
