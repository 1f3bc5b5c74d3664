//! The value of each `state.*` parameter.

use super::matrix::{self, normalize3};
use super::{Color, GlState, Light, Material, Matrix, TexGen};
use glasm_ir::StateParam;
use glasm_ir::state::{ColorTerm, Face, MatrixForm, MatrixName, TexGenPlane};

impl GlState {
    /// The value of a parameter.
    pub fn evaluate(&self, param: StateParam) -> [f32; 4] {
        match param {
            StateParam::MatrixRow { matrix, form, row } => {
                matrix::row(&self.matrix(matrix, form), usize::from(row & 3))
            }
            StateParam::Material(face, term) => self.material(face).color(term),
            StateParam::MaterialShininess(face) => [self.material(face).shininess, 0.0, 0.0, 1.0],
            StateParam::Light(n, term) => self.light(n).color(term),
            StateParam::LightPosition(n) => self.light(n).position,
            StateParam::LightAttenuation(n) => {
                vec4(self.light(n).attenuation, self.light(n).spot_exponent)
            }
            StateParam::LightSpotDirection(n) => {
                vec4(self.light(n).spot_direction, self.light(n).cutoff_cosine())
            }
            StateParam::LightHalf(n) => vec4(self.light(n).half_vector(), 1.0),
            StateParam::LightModelAmbient => self.light_model_ambient,
            StateParam::LightModelSceneColor(face) => self.scene_color(face),
            StateParam::LightProduct(n, face, term) => self.light_product(n, face, term),
            StateParam::TexGen(set, plane, coord) => self.texgen_plane(set, plane)[coord as usize],
            StateParam::TexEnvColor(unit) => self
                .texenv_color
                .get(unit as usize)
                .copied()
                .unwrap_or_default(),
            StateParam::FogColor => self.fog.color,
            StateParam::FogParams => [
                self.fog.density,
                self.fog.start,
                self.fog.end,
                1.0 / (self.fog.end - self.fog.start),
            ],
            StateParam::ClipPlane(n) => self
                .clip_planes
                .get(n as usize)
                .copied()
                .unwrap_or_default(),
            StateParam::PointSize => [
                self.point.size,
                self.point.min,
                self.point.max,
                self.point.fade_threshold,
            ],
            StateParam::PointAttenuation => vec4(self.point.attenuation, 1.0),
            StateParam::DepthRange => {
                let [near, far] = self.depth_range;
                [near, far, far - near, 1.0]
            }
        }
    }

    /// A matrix in one of its forms.
    pub fn matrix(&self, name: MatrixName, form: MatrixForm) -> Matrix {
        let pick =
            |list: &[Matrix], n: u32| list.get(n as usize).copied().unwrap_or(matrix::IDENTITY);
        let plain = match name {
            MatrixName::Modelview(n) => pick(&self.modelview, n),
            MatrixName::Projection => self.projection,
            MatrixName::Mvp => matrix::multiply(&self.projection, &pick(&self.modelview, 0)),
            MatrixName::Texture(n) => pick(&self.texture, n),
            MatrixName::Palette(n) => pick(&self.palette, n),
            MatrixName::Program(n) => pick(&self.program, n),
        };
        match form {
            MatrixForm::Plain => plain,
            MatrixForm::Inverse => matrix::inverse(&plain),
            MatrixForm::Transpose => matrix::transpose(&plain),
            MatrixForm::InverseTranspose => matrix::transpose(&matrix::inverse(&plain)),
        }
    }

    /// `a_cs * a_cm + e_cm` with the alpha of the diffuse material color.
    fn scene_color(&self, face: Face) -> Color {
        let material = self.material(face);
        let mut color = std::array::from_fn(|i| {
            self.light_model_ambient[i] * material.ambient[i] + material.emission[i]
        });
        color[3] = material.diffuse[3];
        color
    }

    /// Product of light and material color with the alpha of the material color.
    fn light_product(&self, n: u32, face: Face, term: ColorTerm) -> Color {
        let (light, material) = (self.light(n).color(term), self.material(face).color(term));
        [
            light[0] * material[0],
            light[1] * material[1],
            light[2] * material[2],
            material[3],
        ]
    }

    fn texgen_plane(&self, set: u32, plane: TexGenPlane) -> [[f32; 4]; 4] {
        let texgen = self
            .texgen
            .get(set as usize)
            .copied()
            .unwrap_or_else(TexGen::default);
        match plane {
            TexGenPlane::Eye => texgen.eye,
            TexGenPlane::Object => texgen.object,
        }
    }
}

impl Material {
    fn color(&self, term: ColorTerm) -> Color {
        match term {
            ColorTerm::Ambient => self.ambient,
            ColorTerm::Diffuse => self.diffuse,
            ColorTerm::Specular => self.specular,
            ColorTerm::Emission => self.emission,
        }
    }
}

impl Light {
    /// The color of a term; lights have no emission, which reads as zero.
    fn color(&self, term: ColorTerm) -> Color {
        match term {
            ColorTerm::Ambient => self.ambient,
            ColorTerm::Diffuse => self.diffuse,
            ColorTerm::Specular => self.specular,
            ColorTerm::Emission => [0.0; 4],
        }
    }

    /// -1 for lights that are no spots (cutoff 180).
    fn cutoff_cosine(&self) -> f32 {
        if self.spot_cutoff == 180.0 {
            -1.0
        } else {
            f64::from(self.spot_cutoff).to_radians().cos() as f32
        }
    }

    /// `normalize(P + (0, 0, 1))` with P the normalized direction to the light.
    fn half_vector(&self) -> [f32; 3] {
        let [x, y, z, _] = self.position.map(f64::from);
        let [x, y, z] = normalize3([x, y, z]);
        normalize3([x, y, z + 1.0]).map(|value| value as f32)
    }
}

fn vec4([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ir::state::TexGenCoord;

    #[test]
    fn initial_values_are_gl_s() {
        let state = GlState::default();
        assert_eq!(
            state.evaluate(StateParam::Light(0, ColorTerm::Diffuse)),
            [1.0; 4]
        );
        assert_eq!(
            state.evaluate(StateParam::Light(1, ColorTerm::Diffuse)),
            [0.0, 0.0, 0.0, 1.0]
        );
        assert_eq!(
            state.evaluate(StateParam::LightSpotDirection(3)),
            [0.0, 0.0, -1.0, -1.0]
        );
        assert_eq!(state.evaluate(StateParam::FogParams), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(state.evaluate(StateParam::DepthRange), [0.0, 1.0, 1.0, 1.0]);
        let texgen = |coord| state.evaluate(StateParam::TexGen(2, TexGenPlane::Eye, coord));
        assert_eq!(texgen(TexGenCoord::T), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(texgen(TexGenCoord::Q), [0.0; 4]);
    }

    #[test]
    fn matrix_rows_of_every_form() {
        let modelview = matrix::multiply(
            &matrix::translation([4.0, 5.0, 6.0]),
            &matrix::scaling([2.0, 2.0, 2.0]),
        );
        let state = GlState {
            modelview: vec![modelview],
            projection: matrix::scaling([1.0, 3.0, 1.0]),
            ..GlState::default()
        };
        let row = |matrix, form, row| state.evaluate(StateParam::MatrixRow { matrix, form, row });
        assert_eq!(
            row(MatrixName::Modelview(0), MatrixForm::Plain, 1),
            [0.0, 2.0, 0.0, 5.0]
        );
        assert_eq!(
            row(MatrixName::Mvp, MatrixForm::Plain, 1),
            [0.0, 6.0, 0.0, 15.0]
        );
        assert_eq!(
            row(MatrixName::Modelview(0), MatrixForm::Transpose, 3),
            [4.0, 5.0, 6.0, 1.0]
        );
        assert_eq!(
            row(MatrixName::Modelview(0), MatrixForm::Inverse, 0),
            [0.5, 0.0, 0.0, -2.0]
        );
        assert_eq!(
            row(MatrixName::Modelview(0), MatrixForm::InverseTranspose, 3),
            [-2.0, -2.5, -3.0, 1.0]
        );
        assert_eq!(
            row(MatrixName::Texture(5), MatrixForm::Plain, 2),
            [0.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn light_products_and_scene_color_take_the_material_alpha() {
        let mut state = GlState::default();
        state.light_mut(1).diffuse = [0.5, 0.25, 1.0, 0.125];
        state.materials[0].diffuse = [0.5, 1.0, 0.5, 0.75];
        state.materials[0].emission = [0.5, 0.0, 0.25, 1.0];
        state.materials[0].ambient = [1.0, 0.5, 0.0, 1.0];
        state.light_model_ambient = [0.25, 0.5, 1.0, 1.0];
        let product = StateParam::LightProduct(1, Face::Front, ColorTerm::Diffuse);
        assert_eq!(state.evaluate(product), [0.25, 0.25, 0.5, 0.75]);
        assert_eq!(
            state.evaluate(StateParam::LightModelSceneColor(Face::Front)),
            [0.75, 0.25, 0.25, 0.75]
        );
    }

    #[test]
    fn half_vector_of_a_light_along_x() {
        let mut state = GlState::default();
        state.light_mut(0).position = [2.0, 0.0, 0.0, 0.0];
        let half = state.evaluate(StateParam::LightHalf(0));
        let expected = std::f32::consts::FRAC_1_SQRT_2;
        assert!(
            (half[0] - expected).abs() < 1e-7
                && half[1] == 0.0
                && (half[2] - expected).abs() < 1e-7
        );
        assert_eq!(half[3], 1.0);
    }
}
