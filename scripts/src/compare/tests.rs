//! Tests of comparisons of whole runs.

use super::*;
use crate::data::Scalar;
use crate::format::Format;
use crate::image::Image;
use crate::observation::{Observation, ObservedLayout, Rejection};
use crate::probe::Tolerance;
use crate::probe::pixels::{Expected, FramebufferPlane, PixelProbe, Region, Surface};
use glasm::ir::Stage;

/// Returns a run without observations.
pub(crate) fn run(api: &str) -> Recording {
    Recording {
        script: "a/b.shader_test".into(),
        digest: 7,
        driver: Driver {
            api: api.into(),
            device: format!("{api} device"),
            driver: "driver 1".into(),
        },
        outcome: Outcome::Pass,
        failures: Vec::new(),
        verdicts: Vec::new(),
        observations: Vec::new(),
    }
}

fn picture(format: &str, texels: &[[f64; 4]]) -> Image {
    let format = Format::parse(format).unwrap();
    Image {
        width: texels.len() as u32,
        height: 1,
        data: texels
            .iter()
            .flat_map(|texel| format.encode(*texel))
            .collect(),
        format,
        is_color: true,
    }
}

fn probe_of(image: &Image, components: usize) -> PixelProbe {
    PixelProbe {
        surface: Surface::from_plane(FramebufferPlane::Color(0)),
        region: Region {
            x: 0,
            y: 0,
            width: image.width,
            height: image.height,
        },
        expected: Expected {
            values: [0.0; 4],
            components,
        },
        tolerances: [Tolerance::default(); 4],
    }
}

fn probed(line: u32, components: usize, image: &Image) -> Observation {
    let probe = probe_of(image, components);
    Observation::from_probe_region(line, "attachment 0".into(), &probe, image).unwrap()
}

fn end(image: &Image) -> Observation {
    Observation::from_image("attachment 0".into(), image)
}

fn words(values: &[u32]) -> Observation {
    Observation {
        line: None,
        subject: "buffer `b`".into(),
        layout: ObservedLayout::Words,
        bytes: values.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

fn values(line: u32, scalar: Scalar, values: &[u32]) -> Observation {
    Observation {
        line: Some(line),
        layout: ObservedLayout::Values { scalar, offset: 0 },
        ..words(values)
    }
}

/// Compares two runs that have seen these things.
fn compare_seen(a: Vec<Observation>, b: Vec<Observation>) -> RunComparison {
    let seen = |api, observations| Recording {
        observations,
        ..run(api)
    };
    compare_runs(&seen("gl", a), &seen("vulkan", b))
}

#[test]
fn equal_runs_are_exact() {
    let image = picture("R8G8_UNORM", &[[0.5, 1.0, 0.0, 1.0]; 3]);
    let seen = || vec![probed(3, 4, &image), end(&image), words(&[1, 2])];
    let comparison = compare_seen(seen(), seen());
    assert_eq!(comparison.agreement, Agreement::Exact);
    assert_eq!(
        (comparison.compared_values, comparison.differing_values),
        (6 + 6 + 2, 0)
    );
    assert_eq!(comparison.describe_distance(), None);
}

#[test]
fn one_step_is_within_tolerance_and_two_are_not() {
    let image = |step: f64| {
        picture(
            "R8G8_UNORM",
            &[[0.0; 4], [0.2, (51.0 + step) / 255.0, 0.0, 1.0]],
        )
    };
    let comparison = compare_seen(vec![end(&image(0.0))], vec![end(&image(1.0))]);
    assert_eq!(comparison.agreement, Agreement::WithinTolerance);
    assert_eq!(comparison.describe_distance().as_deref(), Some("1 step"));
    let comparison = compare_seen(vec![end(&image(0.0))], vec![end(&image(2.0))]);
    assert_eq!(comparison.agreement, Agreement::Different);
    assert_eq!(
        comparison.differences[0].to_string(),
        "attachment 0: 1 of 4 values differ, up to 2 steps; first (1, 0) green: 0.2 and 0.207843; \
         worst (1, 0) green: 0.2 and 0.207843"
    );
}

#[test]
fn probes_that_hold_accept_what_they_compare() {
    let image = |red: f64, alpha: f64| picture("R32G32B32A32_SFLOAT", &[[red, 0.0, 0.0, alpha]]);
    let seen = |red, alpha| vec![probed(3, 3, &image(red, alpha))];
    assert_eq!(
        compare_seen(seen(0.5, 1.0), seen(0.6, 1.0)).agreement,
        Agreement::WithinTolerance
    );
    // The probe ignores alpha.
    assert_eq!(
        compare_seen(seen(0.5, 1.0), seen(0.5, 0.9)).agreement,
        Agreement::Different
    );
    let failing = Recording {
        outcome: Outcome::Fail,
        failures: vec![Failure::new(Some(3), "wrong")],
        observations: seen(0.5, 1.0),
        ..run("gl")
    };
    let other = Recording {
        observations: seen(0.6, 1.0),
        ..failing.clone()
    };
    assert_eq!(
        compare_runs(&failing, &other).agreement,
        Agreement::Different
    );
}

#[test]
fn what_is_left_is_accepted_if_it_was_probed_before() {
    let image = |red: f64| picture("R32_SFLOAT", &[[0.0; 4], [red, 0.0, 0.0, 1.0]]);
    let seen = |probed_red, red| vec![probed(3, 1, &image(probed_red)), end(&image(red))];
    assert_eq!(
        compare_seen(seen(0.5, 0.5), seen(0.6, 0.6)).agreement,
        Agreement::WithinTolerance
    );
    // Drawn over after the probe.
    assert_eq!(
        compare_seen(seen(0.5, 0.7), seen(0.5, 0.8)).agreement,
        Agreement::Different
    );
    let bits = |value: f32| value.to_bits();
    let buffer = |value| {
        vec![
            values(3, Scalar::F32, &[bits(1.0), bits(value)]),
            words(&[bits(1.0), bits(value)]),
        ]
    };
    assert_eq!(
        compare_seen(buffer(2.0), buffer(2.5)).agreement,
        Agreement::WithinTolerance
    );
}

#[test]
fn infinities_and_nan_are_values() {
    let image = |red: f64| vec![end(&picture("R32_SFLOAT", &[[red, 0.0, 0.0, 1.0]]))];
    let class = |a, b| compare_seen(image(a), image(b)).agreement;
    assert_eq!(class(f64::NAN, -f64::NAN), Agreement::Exact);
    assert_eq!(class(f64::INFINITY, f64::INFINITY), Agreement::Exact);
    assert_eq!(class(f64::INFINITY, f64::NAN), Agreement::Different);
    assert_eq!(class(f64::INFINITY, 3e38), Agreement::Different);
    let zeros = compare_seen(image(0.0), image(-0.0));
    assert_eq!(
        (zeros.agreement, zeros.zero_sign_differences),
        (Agreement::Exact, 1)
    );
}

#[test]
fn words_are_what_probes_take_them_for() {
    assert_eq!(
        compare_seen(vec![words(&[1])], vec![words(&[2])]).agreement,
        Agreement::Different
    );
    let one = 1f32.to_bits();
    let near = compare_seen(vec![words(&[one])], vec![words(&[one + 5])]);
    assert_eq!(
        (near.agreement, near.max_ulp_distance),
        (Agreement::WithinTolerance, 5.0)
    );
    // An integer that may be a float.
    let seen = |probed_word, word| vec![values(3, Scalar::U32, &[probed_word]), words(&[word])];
    let integers = compare_seen(seen(one, one), seen(one, one + 5));
    assert_eq!(integers.agreement, Agreement::Different);
}

#[test]
fn integers_of_64_bits_are_compared_bit_by_bit() {
    let image = |value: u64| Image {
        data: value.to_le_bytes().to_vec(),
        ..picture("R64_UINT", &[[0.0; 4]])
    };
    let big = u64::MAX - 1;
    let seen = compare_seen(vec![end(&image(big))], vec![end(&image(big + 1))]);
    assert_eq!(seen.agreement, Agreement::Different);
}

#[test]
fn formats_may_differ_where_values_do_not() {
    let texels = [[0.5019607843137255, 0.0, 0.0, 1.0]];
    let narrow = vec![end(&picture("R8_UNORM", &texels))];
    let wide = vec![end(&picture("R32_SFLOAT", &texels))];
    let comparison = compare_seen(narrow.clone(), wide);
    assert_eq!(comparison.agreement, Agreement::WithinTolerance);
    let other = vec![end(&picture("R32_SFLOAT", &[[0.51, 0.0, 0.0, 1.0]]))];
    assert_eq!(compare_seen(narrow, other).agreement, Agreement::Different);
}

#[test]
fn what_one_run_lacks_is_told() {
    let image = picture("R8_UNORM", &[[0.0; 4]]);
    let lacks = compare_seen(vec![end(&image)], vec![]);
    assert_eq!(lacks.agreement, Agreement::Different);
    assert_eq!(
        lacks.differences[0].description,
        "only gl has left attachment 0"
    );
    let lacks = compare_seen(vec![], vec![probed(3, 1, &image)]);
    assert_eq!(
        lacks.differences[0].to_string(),
        "line 3: attachment 0 was looked at with vulkan only"
    );
    let wider = picture("R8_UNORM", &[[0.0; 4]; 2]);
    let shapes = compare_seen(vec![end(&image)], vec![end(&wider)]);
    assert_eq!(
        shapes.differences[0].description,
        "attachment 0 has another shape"
    );
    assert_eq!(shapes.agreement, Agreement::Different);
}

#[test]
fn verdicts_agree_in_position_too() {
    let verdict = |position: Option<Option<usize>>| Verdict {
        stage: Stage::Fragment,
        index: 1,
        rejected: position.map(|position| Rejection {
            position,
            message: "no\nway".into(),
        }),
    };
    let texts = |a, b| {
        let with = |api, position| Recording {
            verdicts: vec![verdict(position)],
            ..run(api)
        };
        let comparison = compare_runs(&with("gl", a), &with("vulkan", b));
        assert_eq!(comparison.compared_verdicts, 1);
        let found = comparison.differences.into_iter();
        found
            .map(|difference| (difference.kind, difference.description))
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(None, None), []);
    assert_eq!(texts(Some(Some(3)), Some(Some(3))), []);
    assert_eq!(texts(Some(None), Some(Some(3))), []);
    assert_eq!(
        texts(Some(Some(3)), None),
        [(
            DifferenceKind::Verdict,
            "fragment program 2 is accepted with vulkan and rejected with gl at 3: no".to_owned()
        )]
    );
    assert_eq!(
        texts(Some(Some(3)), Some(Some(4))),
        [(
            DifferenceKind::Position,
            "fragment program 2 has its error at 3 with gl (no) and at 4 with vulkan (no)"
                .to_owned()
        )]
    );
}

#[test]
fn what_refused_programs_leave_is_not_compared() {
    let with = |api, position: Option<usize>, word| Recording {
        verdicts: vec![Verdict {
            stage: Stage::Vertex,
            index: 0,
            rejected: position.map(|position| Rejection {
                position: Some(position),
                message: "no".into(),
            }),
        }],
        observations: vec![words(&[word])],
        ..run(api)
    };
    let kinds = |a: &Recording, b: &Recording| -> Vec<DifferenceKind> {
        let found = compare_runs(a, b).differences.into_iter();
        found.map(|difference| difference.kind).collect()
    };
    assert_eq!(
        kinds(&with("gl", Some(1), 1), &with("vulkan", None, 2)),
        [DifferenceKind::Verdict]
    );
    assert_eq!(
        kinds(&with("gl", None, 1), &with("vulkan", None, 2)),
        [DifferenceKind::Values]
    );
}

#[test]
fn outcomes_agree() {
    let failing = Recording {
        outcome: Outcome::Fail,
        failures: vec![Failure::new(Some(9), "pixel\nwrong")],
        ..run("vulkan")
    };
    let comparison = compare_runs(&run("gl"), &failing);
    assert_eq!(comparison.agreement, Agreement::Different);
    assert_eq!(
        comparison.differences[0].to_string(),
        "line 9: passes with gl, fails with vulkan: pixel"
    );
    let skipped = Recording {
        outcome: Outcome::Skip("no doubles".into()),
        ..run("gl")
    };
    let class = compare_runs(&skipped, &failing).agreement;
    assert_eq!(class, Agreement::NotCompared("gl: no doubles".into()));
}

#[test]
fn runs_of_other_texts_are_not_compared() {
    let other = Recording {
        digest: 8,
        ..run("vulkan")
    };
    let class = compare_runs(&run("gl"), &other).agreement;
    assert_eq!(
        class,
        Agreement::NotCompared("the script has changed since it was recorded".into())
    );
}

#[test]
fn runs_of_one_interface_are_called_by_device() {
    let mut drivers = [run("vulkan").driver, run("vulkan").driver];
    assert_eq!(run_names(&drivers), ["first", "second"]);
    drivers[1].device = "card".into();
    assert_eq!(run_names(&drivers), ["vulkan device", "card"]);
}
