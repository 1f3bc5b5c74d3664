//! Tests of every entry of the state tables of NV_gpu_program4 (X.3 to X.11), with values computed
//! by hand.

use super::matrix::{multiply, rotation, scaling, translation};
use super::*;
use std::f32::consts::FRAC_1_SQRT_2;

const EYE: TexGenPlane = TexGenPlane::Eye;
const OBJECT: TexGenPlane = TexGenPlane::Object;
const COORDS: [TexGenCoord; 4] = [
    TexGenCoord::S,
    TexGenCoord::T,
    TexGenCoord::R,
    TexGenCoord::Q,
];

#[track_caller]
fn assert_close(actual: [f32; 4], expected: [f32; 4]) {
    let near = |(a, e): (&f32, &f32)| (a - e).abs() <= 1e-6;
    assert!(
        actual.iter().zip(&expected).all(near),
        "{actual:?} is not {expected:?}"
    );
}

fn evaluate_matrix_row(state: &GlState, matrix: MatrixName, form: MatrixForm, row: u8) -> [f32; 4] {
    state.evaluate_param(StateParam::MatrixRow { matrix, form, row })
}

/// Returns a matrix of rows.
fn from_rows(rows: [[f32; 4]; 4]) -> Matrix {
    matrix::transpose(&rows)
}

/// Returns the matrix of x' = -y + 1, y' = x + 2, z' = z + 3: a quarter turn around z, then a
/// translation.
fn make_rotation_and_translation() -> Matrix {
    from_rows([
        [0.0, -1.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 2.0],
        [0.0, 0.0, 1.0, 3.0],
        [0.0, 0.0, 0.0, 1.0],
    ])
}

/// Checks the state tables: GL 2.1 section 6.2.
#[test]
fn initial_values_of_lighting() {
    let state = GlState::default();
    for face in [Face::Front, Face::Back] {
        let material = |term| state.evaluate_param(StateParam::MaterialColor(face, term));
        assert_eq!(material(ColorTerm::Ambient), [0.2, 0.2, 0.2, 1.0]);
        assert_eq!(material(ColorTerm::Diffuse), [0.8, 0.8, 0.8, 1.0]);
        assert_eq!(material(ColorTerm::Specular), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(material(ColorTerm::Emission), [0.0, 0.0, 0.0, 1.0]);
        let shininess = state.evaluate_param(StateParam::MaterialShininess(face));
        assert_eq!(shininess, [0.0, 0.0, 0.0, 1.0]);
        // 0.2 * 0.2 + 0, alpha of the diffuse color.
        let scene = state.evaluate_param(StateParam::LightModelSceneColor(face));
        assert_close(scene, [0.04, 0.04, 0.04, 1.0]);
    }
    for n in 0..8 {
        let light = |term| state.evaluate_param(StateParam::LightColor(n, term));
        let color = if n == 0 { [1.0; 4] } else { BLACK };
        assert_eq!(light(ColorTerm::Ambient), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(light(ColorTerm::Diffuse), color);
        assert_eq!(light(ColorTerm::Specular), color);
        let value = |param: fn(u32) -> StateParam| state.evaluate_param(param(n));
        assert_eq!(value(StateParam::LightPosition), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(value(StateParam::LightAttenuation), [1.0, 0.0, 0.0, 0.0]);
        // The cosine of 180 degrees.
        assert_eq!(
            value(StateParam::LightSpotDirection),
            [0.0, 0.0, -1.0, -1.0]
        );
        // (0, 0, 1) + (0, 0, 1) at length 1.
        assert_eq!(value(StateParam::LightHalfVector), [0.0, 0.0, 1.0, 1.0]);
    }
    let ambient = state.evaluate_param(StateParam::LightModelAmbient);
    assert_eq!(ambient, [0.2, 0.2, 0.2, 1.0]);
}

#[test]
fn initial_values_of_everything_else() {
    let state = GlState::default();
    assert_eq!(state.evaluate_param(StateParam::FogColor), [0.0; 4]);
    // 1 / (1 - 0)
    assert_eq!(
        state.evaluate_param(StateParam::FogParams),
        [1.0, 0.0, 1.0, 1.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::WindowOrigin),
        [1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::DepthRange),
        [0.0, 1.0, 1.0, 1.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::PointAttenuation),
        [1.0, 0.0, 0.0, 1.0]
    );
    let [size, min, max, fade] = state.evaluate_param(StateParam::PointSize);
    assert_eq!((size, min, fade), (1.0, 0.0, 1.0));
    assert!(max >= 1.0);
    assert_eq!(state.evaluate_param(StateParam::ClipPlane(5)), [0.0; 4]);
    assert_eq!(state.evaluate_param(StateParam::TexenvColor(31)), [0.0; 4]);
    for plane in [EYE, OBJECT] {
        let values = COORDS.map(|coord| state.evaluate_param(StateParam::Texgen(2, plane, coord)));
        let x = [1.0, 0.0, 0.0, 0.0];
        let y = [0.0, 1.0, 0.0, 0.0];
        assert_eq!(values, [x, y, [0.0; 4], [0.0; 4]]);
    }
    for name in [
        MatrixName::Modelview(31),
        MatrixName::Projection,
        MatrixName::ModelviewProjection,
        MatrixName::Texture(31),
        MatrixName::Palette(31),
        MatrixName::Program(31),
    ] {
        for form in [
            MatrixForm::Plain,
            MatrixForm::Inverse,
            MatrixForm::Transpose,
            MatrixForm::InverseTranspose,
        ] {
            assert_eq!(
                evaluate_matrix_row(&state, name, form, 2),
                [0.0, 0.0, 1.0, 0.0]
            );
        }
    }
}

/// Checks table X.11: each name reads its matrix.
#[test]
fn every_matrix_has_its_name_and_number() {
    let mut state = GlState {
        projection: scaling([2.0, 2.0, 2.0]),
        ..GlState::default()
    };
    *state.modelview_mut(0) = scaling([3.0, 3.0, 3.0]);
    *state.modelview_mut(31) = scaling([5.0, 5.0, 5.0]);
    *state.texture_mut(7) = scaling([7.0, 7.0, 7.0]);
    *state.palette_mut(9) = scaling([11.0, 11.0, 11.0]);
    *state.program_mut(31) = scaling([13.0, 13.0, 13.0]);
    let x = |name| evaluate_matrix_row(&state, name, MatrixForm::Plain, 0)[0];
    assert_eq!(x(MatrixName::Projection), 2.0);
    assert_eq!(x(MatrixName::Modelview(0)), 3.0);
    assert_eq!(x(MatrixName::Modelview(31)), 5.0);
    assert_eq!(x(MatrixName::Modelview(30)), 1.0);
    // Only modelview matrix 0 is part of the product.
    assert_eq!(x(MatrixName::ModelviewProjection), 6.0);
    assert_eq!(x(MatrixName::Texture(7)), 7.0);
    assert_eq!(x(MatrixName::Texture(6)), 1.0);
    assert_eq!(x(MatrixName::Palette(9)), 11.0);
    assert_eq!(x(MatrixName::Program(31)), 13.0);
    assert_eq!(x(MatrixName::Program(0)), 1.0);
}

#[test]
fn forms_of_a_matrix() {
    let mut state = GlState::default();
    *state.modelview_mut(0) = make_rotation_and_translation();
    let name = MatrixName::Modelview(0);
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Plain, 0),
        [0.0, -1.0, 0.0, 1.0]
    );
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Transpose, 0),
        [0.0, 1.0, 0.0, 0.0]
    );
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Transpose, 3),
        [1.0, 2.0, 3.0, 1.0]
    );
    // x = y' - 2, y = 1 - x', z = z' - 3
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Inverse, 0),
        [0.0, 1.0, 0.0, -2.0]
    );
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Inverse, 1),
        [-1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::Inverse, 2),
        [0.0, 0.0, 1.0, -3.0]
    );
    // The columns of the inverse.
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::InverseTranspose, 0),
        [0.0, -1.0, 0.0, 0.0]
    );
    assert_eq!(
        evaluate_matrix_row(&state, name, MatrixForm::InverseTranspose, 3),
        [-2.0, 1.0, -3.0, 1.0]
    );
}

#[test]
fn mvp_is_projection_times_modelview() {
    let projection = from_rows([
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -2.0, -3.0],
        [0.0, 0.0, -1.0, 0.0],
    ]);
    let mut state = GlState {
        projection,
        ..GlState::default()
    };
    *state.modelview_mut(0) = translation([1.0, 2.0, -5.0]);
    let mvp = |form, n| evaluate_matrix_row(&state, MatrixName::ModelviewProjection, form, n);
    // z_clip = -2 (z - 5) - 3 = -2 z + 7, w_clip = -(z - 5) = -z + 5
    assert_eq!(mvp(MatrixForm::Plain, 0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(mvp(MatrixForm::Plain, 2), [0.0, 0.0, -2.0, 7.0]);
    assert_eq!(mvp(MatrixForm::Plain, 3), [0.0, 0.0, -1.0, 5.0]);
    assert_eq!(mvp(MatrixForm::Transpose, 3), [1.0, 2.0, 7.0, 5.0]);
    // From c = -2 z + 7 w and d = -z + 5 w: 5 c - 7 d = -3 z and c - 2 d = -3 w.
    assert_close(
        mvp(MatrixForm::Inverse, 2),
        [0.0, 0.0, -5.0 / 3.0, 7.0 / 3.0],
    );
    assert_close(
        mvp(MatrixForm::Inverse, 3),
        [0.0, 0.0, -1.0 / 3.0, 2.0 / 3.0],
    );
    // x = x' - w = x' - (-c + 2 d) / 3
    assert_close(
        mvp(MatrixForm::Inverse, 0),
        [1.0, 0.0, 1.0 / 3.0, -2.0 / 3.0],
    );
}

/// Checks that the inverse of a singular matrix, which is undefined, consists of numbers
/// nevertheless.
#[test]
fn singular_and_odd_matrices_give_numbers() {
    let mut state = GlState::default();
    for odd in [0.0, f32::NAN, f32::INFINITY] {
        state.projection = scaling([1.0, odd, 1.0]);
        let inverse = evaluate_matrix_row(&state, MatrixName::Projection, MatrixForm::Inverse, 0);
        assert_eq!(inverse, [1.0, 0.0, 0.0, 0.0], "{odd}");
    }
}

/// Checks table X.3.
#[test]
fn materials_have_two_faces() {
    let mut state = GlState::default();
    for (face, base) in [(Face::Front, 1.0), (Face::Back, 10.0)] {
        *state.material_mut(face) = Material {
            ambient: [base, 0.1, 0.2, 0.3],
            diffuse: [base + 1.0, 0.1, 0.2, 0.4],
            specular: [base + 2.0, 0.1, 0.2, 0.5],
            emission: [base + 3.0, 0.1, 0.2, 0.6],
            shininess: base + 4.0,
        };
    }
    for (face, base) in [(Face::Front, 1.0), (Face::Back, 10.0)] {
        let color = |term| state.evaluate_param(StateParam::MaterialColor(face, term));
        assert_eq!(color(ColorTerm::Ambient), [base, 0.1, 0.2, 0.3]);
        assert_eq!(color(ColorTerm::Diffuse), [base + 1.0, 0.1, 0.2, 0.4]);
        assert_eq!(color(ColorTerm::Specular), [base + 2.0, 0.1, 0.2, 0.5]);
        assert_eq!(color(ColorTerm::Emission), [base + 3.0, 0.1, 0.2, 0.6]);
        let shininess = state.evaluate_param(StateParam::MaterialShininess(face));
        assert_eq!(shininess, [base + 4.0, 0.0, 0.0, 1.0]);
    }
}

/// Checks table X.4, first part.
#[test]
fn properties_of_a_light() {
    let mut state = GlState::default();
    *state.light_mut(7) = Light {
        ambient: [0.1, 0.2, 0.3, 0.4],
        diffuse: [0.5, 0.6, 0.7, 0.8],
        specular: [0.9, 1.0, 1.1, 1.2],
        position: [1.0, 2.0, 3.0, 4.0],
        attenuation: [5.0, 6.0, 7.0],
        spot_direction: [8.0, 9.0, 10.0],
        spot_exponent: 11.0,
        spot_cutoff: 60.0,
    };
    let color = |term| state.evaluate_param(StateParam::LightColor(7, term));
    assert_eq!(color(ColorTerm::Ambient), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(color(ColorTerm::Diffuse), [0.5, 0.6, 0.7, 0.8]);
    assert_eq!(color(ColorTerm::Specular), [0.9, 1.0, 1.1, 1.2]);
    assert_eq!(
        state.evaluate_param(StateParam::LightPosition(7)),
        [1.0, 2.0, 3.0, 4.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::LightAttenuation(7)),
        [5.0, 6.0, 7.0, 11.0]
    );
    // cos 60 degrees = 1/2; the length of the direction is preserved.
    assert_close(
        state.evaluate_param(StateParam::LightSpotDirection(7)),
        [8.0, 9.0, 10.0, 0.5],
    );
    // Lights below the one that was set keep their initial values.
    assert_eq!(state.light(0).diffuse, [1.0; 4]);
    assert_eq!(state.light(1).diffuse, [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn cosines_of_the_cutoff() {
    let mut state = GlState::default();
    // cos 0 = 1, cos 45 = sqrt(1/2), cos 90 = 0, cos 180 = -1
    for (degrees, cosine) in [
        (0.0, 1.0),
        (45.0, FRAC_1_SQRT_2),
        (90.0, 0.0),
        (180.0, -1.0),
    ] {
        state.light_mut(0).spot_cutoff = degrees;
        let value = state.evaluate_param(StateParam::LightSpotDirection(0));
        assert_eq!(value[3], cosine, "{degrees}");
    }
}

#[test]
fn half_vectors() {
    let mut state = GlState::default();
    let mut half = |position| {
        state.light_mut(0).position = position;
        state.evaluate_param(StateParam::LightHalfVector(0))
    };
    // (1, 0, 1) / sqrt 2
    assert_close(
        half([2.0, 0.0, 0.0, 0.0]),
        [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 1.0],
    );
    // P = (3, 0, 4) / 5; P + z = (0.6, 0, 1.8), length sqrt(3.6) = 1.8973666
    let expected = [0.316_227_77, 0.0, 0.948_683_3, 1.0];
    assert_close(half([3.0, 0.0, 4.0, 0.0]), expected);
    // The vector from the eye to a light at (6, 0, 8) / 2 has the same direction.
    assert_close(half([6.0, 0.0, 8.0, 2.0]), expected);
    // ... and so has the vector to (-3, 0, -4) / -1.
    assert_close(half([-3.0, 0.0, -4.0, -1.0]), expected);
    // P = (2, 3, 6) / 7; P + z = (2, 3, 13) / 7, length sqrt(182) / 7 = 13.490738 / 7
    assert_close(
        half([2.0, 3.0, 6.0, 0.0]),
        [0.148_249_86, 0.222_374_8, 0.963_624_1, 1.0],
    );
    // A light behind the eye: P + z = 0 has no direction, but the result must be numbers.
    assert_eq!(half([0.0, 0.0, -1.0, 0.0]), [0.0, 0.0, 0.0, 1.0]);
}

/// Checks table X.4, second part.
#[test]
fn scene_colors_and_light_products() {
    let mut state = GlState {
        light_model_ambient: [0.25, 0.5, 1.0, 0.125],
        ..GlState::default()
    };
    *state.light_mut(3) = Light {
        ambient: [0.5, 0.25, 2.0, 0.25],
        diffuse: [1.0, 0.5, 0.25, 0.25],
        specular: [2.0, 4.0, 8.0, 0.25],
        ..Light::default()
    };
    *state.material_mut(Face::Front) = Material {
        ambient: [1.0, 0.5, 0.25, 0.5],
        diffuse: [0.5, 0.25, 1.0, 0.75],
        specular: [0.25, 0.125, 0.5, 0.875],
        emission: [0.5, 0.0, 0.25, 0.0625],
        shininess: 1.0,
    };
    *state.material_mut(Face::Back) = Material {
        ambient: [2.0, 1.0, 0.5, 0.1],
        diffuse: [4.0, 2.0, 1.0, 0.2],
        specular: [8.0, 4.0, 2.0, 0.3],
        emission: [1.0, 1.0, 1.0, 0.4],
        shininess: 1.0,
    };
    let scene = |face| state.evaluate_param(StateParam::LightModelSceneColor(face));
    // 0.25 * 1 + 0.5, 0.5 * 0.5 + 0, 1 * 0.25 + 0.25
    assert_eq!(scene(Face::Front), [0.75, 0.25, 0.5, 0.75]);
    // 0.25 * 2 + 1, 0.5 * 1 + 1, 1 * 0.5 + 1
    assert_eq!(scene(Face::Back), [1.5, 1.5, 1.5, 0.2]);
    let product = |face, term| state.evaluate_param(StateParam::LightProduct(3, face, term));
    let (ambient, diffuse, specular) =
        (ColorTerm::Ambient, ColorTerm::Diffuse, ColorTerm::Specular);
    // 0.5 * 1, 0.25 * 0.5, 2 * 0.25
    assert_eq!(product(Face::Front, ambient), [0.5, 0.125, 0.5, 0.5]);
    // 1 * 0.5, 0.5 * 0.25, 0.25 * 1
    assert_eq!(product(Face::Front, diffuse), [0.5, 0.125, 0.25, 0.75]);
    // 2 * 0.25, 4 * 0.125, 8 * 0.5
    assert_eq!(product(Face::Front, specular), [0.5, 0.5, 4.0, 0.875]);
    // 0.5 * 2, 0.25 * 1, 2 * 0.5
    assert_eq!(product(Face::Back, ambient), [1.0, 0.25, 1.0, 0.1]);
    // 1 * 4, 0.5 * 2, 0.25 * 1
    assert_eq!(product(Face::Back, diffuse), [4.0, 1.0, 0.25, 0.2]);
    // 2 * 8, 4 * 4, 8 * 2
    assert_eq!(product(Face::Back, specular), [16.0, 16.0, 16.0, 0.3]);
}

/// Checks tables X.5 to X.10.
#[test]
fn planes_colors_fog_points_and_depth() {
    let mut state = GlState::default();
    for (coord, first) in COORDS.into_iter().zip([1.0, 2.0, 3.0, 4.0]) {
        state.texgen_mut(3).eye[coord as usize] = [first, 0.0, 0.0, 5.0];
        state.texgen_mut(3).object[coord as usize] = [0.0, first, 6.0, 0.0];
    }
    for (coord, first) in COORDS.into_iter().zip([1.0, 2.0, 3.0, 4.0]) {
        let value = |plane| state.evaluate_param(StateParam::Texgen(3, plane, coord));
        assert_eq!(value(EYE), [first, 0.0, 0.0, 5.0]);
        assert_eq!(value(OBJECT), [0.0, first, 6.0, 0.0]);
    }
    *state.texenv_color_mut(31) = [0.1, 0.2, 0.3, 0.4];
    assert_eq!(
        state.evaluate_param(StateParam::TexenvColor(31)),
        [0.1, 0.2, 0.3, 0.4]
    );
    assert_eq!(state.evaluate_param(StateParam::TexenvColor(30)), [0.0; 4]);
    state.fog = Fog {
        color: [0.5, 0.6, 0.7, 0.8],
        density: 0.25,
        start: 2.0,
        end: 10.0,
    };
    assert_eq!(
        state.evaluate_param(StateParam::FogColor),
        [0.5, 0.6, 0.7, 0.8]
    );
    // 1 / (10 - 2)
    assert_eq!(
        state.evaluate_param(StateParam::FogParams),
        [0.25, 2.0, 10.0, 0.125]
    );
    state.point = Point {
        size: 3.0,
        min: 2.0,
        max: 9.0,
        fade_threshold: 4.0,
        attenuation: [0.5, 0.25, 0.125],
    };
    assert_eq!(
        state.evaluate_param(StateParam::PointSize),
        [3.0, 2.0, 9.0, 4.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::PointAttenuation),
        [0.5, 0.25, 0.125, 1.0]
    );
    state.depth_range = [0.75, 0.25];
    // 0.25 - 0.75
    // Row 0.5 of 480 that count from below is row 479.5 from the top.
    let window = GlState {
        lower_left_height: Some(480.0),
        ..GlState::default()
    };
    let [scale, offset, ..] = window.evaluate_param(StateParam::WindowOrigin);
    assert_eq!(0.5 * scale + offset, 479.5);
    assert_eq!(
        state.evaluate_param(StateParam::DepthRange),
        [0.75, 0.25, -0.5, 1.0]
    );
}

#[test]
fn samples_of_the_framebuffer() {
    let mut state = GlState::default();
    let samples = |state: &GlState| state.evaluate_param(StateParam::Samples)[0].to_bits();
    let place = |state: &GlState, n| state.evaluate_param(StateParam::SamplePosition(n));
    assert_eq!(samples(&state), 1);
    assert_eq!(place(&state, 0), [0.5, 0.5, 0.0, 1.0]);
    // Vulkan specification, table of standard sample locations.
    for (count, number, x, y) in [
        (2, 1, 0.25, 0.25),
        (4, 2, 0.125, 0.625),
        (8, 7, 0.9375, 0.0625),
        (16, 12, 0.0, 0.5),
    ] {
        state.multisample = Multisample::with_standard_locations(count);
        assert_eq!(samples(&state), count);
        assert_eq!(place(&state, number), [x, y, 0.0, 1.0]);
        assert_eq!(state.multisample.locations.len(), count as usize);
        // Past the samples.
        assert_eq!(place(&state, count), [0.5, 0.5, 0.0, 1.0]);
        assert_eq!(place(&state, u32::MAX), [0.5, 0.5, 0.0, 1.0]);
    }
    // No standard locations.
    state.multisample = Multisample::with_standard_locations(64);
    assert_eq!((samples(&state), place(&state, 63)[0]), (64, 0.5));
    // All locations of a count differ, and their mean is within a sixteenth of the middle.
    for count in [2, 4, 8, 16] {
        let places = Multisample::with_standard_locations(count).locations;
        let mut sorted = places.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        sorted.dedup();
        assert_eq!(sorted.len(), places.len());
        for axis in 0..2 {
            let mean = places.iter().map(|place| place[axis]).sum::<f32>() / count as f32;
            assert!((mean - 0.5).abs() <= 1.0 / 16.0, "{count}: {mean}");
        }
    }
}

#[test]
fn normals_are_rescaled_by_the_inverse_of_the_modelview_matrix() {
    let mut state = GlState::default();
    let scale = |state: &GlState| state.evaluate_param(StateParam::NormalScale);
    assert_eq!(scale(&state), [1.0, 0.0, 0.0, 1.0]);
    *state.modelview_mut(0) = scaling([4.0, 4.0, 4.0]);
    assert_eq!(scale(&state), [4.0, 0.0, 0.0, 1.0]);
    // The third row of the inverse of a scaling by (2, 4, 8) is (0, 0, 1/8).
    *state.modelview_mut(0) = scaling([2.0, 4.0, 8.0]);
    assert_eq!(scale(&state), [8.0, 0.0, 0.0, 1.0]);
    // Singular: the inverse is the identity here.
    *state.modelview_mut(0) = [[0.0; 4]; 4];
    assert_eq!(scale(&state), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn lights_are_transformed_when_they_are_specified() {
    let mut state = GlState::default();
    *state.modelview_mut(0) = make_rotation_and_translation();
    *state.modelview_mut(1) = scaling([100.0, 100.0, 100.0]);
    state.set_light_position(0, [5.0, 7.0, 9.0, 1.0]);
    state.set_light_position(1, [5.0, 7.0, 9.0, 0.0]);
    state.set_light_position(2, [5.0, 7.0, 9.0, 2.0]);
    state.set_light_spot_direction(0, [5.0, 7.0, 9.0]);
    // Later changes of the matrix have no effect.
    *state.modelview_mut(0) = scaling([0.0, 0.0, 0.0]);
    let position = |n| state.evaluate_param(StateParam::LightPosition(n));
    // (-7 + 1, 5 + 2, 9 + 3)
    assert_eq!(position(0), [-6.0, 7.0, 12.0, 1.0]);
    // A direction is not translated.
    assert_eq!(position(1), [-7.0, 5.0, 9.0, 0.0]);
    // (-7 + 2 * 1, 5 + 2 * 2, 9 + 2 * 3)
    assert_eq!(position(2), [-5.0, 9.0, 15.0, 2.0]);
    // A quarter turn; cos 180 degrees.
    assert_eq!(
        state.evaluate_param(StateParam::LightSpotDirection(0)),
        [-7.0, 5.0, 9.0, -1.0]
    );
}

#[test]
fn spot_directions_are_scaled_with_the_modelview_matrix() {
    let mut state = GlState::default();
    // The bottom row applies to positions only.
    *state.modelview_mut(0) = from_rows([
        [2.0, 0.0, 0.0, 9.0],
        [0.0, 3.0, 0.0, 9.0],
        [0.0, 0.0, 4.0, 9.0],
        [5.0, 6.0, 7.0, 8.0],
    ]);
    state.set_light_spot_direction(4, [1.0, 1.0, -1.0]);
    assert_eq!(state.light(4).spot_direction, [2.0, 3.0, -4.0]);
}

/// Checks that a plane's row vector is multiplied by the inverse of the modelview matrix: GL 2.1
/// sections 2.11.4 and 2.12.
#[test]
fn planes_are_transformed_when_they_are_specified() {
    let mut state = GlState::default();
    *state.modelview_mut(0) = multiply(&translation([1.0, 2.0, 3.0]), &scaling([2.0, 4.0, 8.0]));
    // a x + b y + c z + d with x = (x' - 1) / 2, y = (y' - 2) / 4, z = (z' - 3) / 8:
    // (a/2, b/4, c/8, d - a/2 - b/2 - 3c/8)
    state.set_clip_plane(5, [2.0, 4.0, 8.0, 1.0]);
    state.set_texgen_eye_plane(1, TexGenCoord::R, [4.0, 0.0, 16.0, 0.5]);
    state.texgen_mut(1).object[TexGenCoord::R as usize] = [4.0, 0.0, 16.0, 0.5];
    // Later changes of the matrix have no effect.
    state.modelview_mut(0)[3][0] = 100.0;
    assert_eq!(
        state.evaluate_param(StateParam::ClipPlane(5)),
        [1.0, 1.0, 1.0, -5.0]
    );
    assert_eq!(
        state.evaluate_param(StateParam::Texgen(1, EYE, TexGenCoord::R)),
        [2.0, 0.0, 2.0, -7.5]
    );
    // The object plane is stored unchanged.
    assert_eq!(
        state.evaluate_param(StateParam::Texgen(1, OBJECT, TexGenCoord::R)),
        [4.0, 0.0, 16.0, 0.5]
    );
    assert_eq!(
        state.evaluate_param(StateParam::Texgen(0, EYE, TexGenCoord::R)),
        [0.0; 4]
    );
}

#[test]
fn planes_under_a_rotation() {
    let mut state = GlState::default();
    *state.modelview_mut(0) = rotation(90.0, [0.0, 0.0, 1.0]);
    // x' = -y, y' = x: the plane x = 2 becomes y' = 2.
    state.set_clip_plane(0, [1.0, 0.0, 0.0, -2.0]);
    assert_close(
        state.evaluate_param(StateParam::ClipPlane(0)),
        [0.0, 1.0, 0.0, -2.0],
    );
}

#[test]
fn numbers_and_names_go_together() {
    let named: Vec<u32> = (0..32)
        .filter(|&n| ConventionalAttribute::from_index(n).is_some())
        .collect();
    assert_eq!(named, [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]);
    for number in named {
        let attribute = ConventionalAttribute::from_index(number).unwrap();
        assert_eq!(attribute.index(), Some(number), "{attribute:?}");
    }
    assert_eq!(ConventionalAttribute::Normal.index(), Some(2));
    assert_eq!(ConventionalAttribute::TexCoord(7).index(), Some(15));
    assert_eq!(ConventionalAttribute::TexCoord(8).index(), None);
}
