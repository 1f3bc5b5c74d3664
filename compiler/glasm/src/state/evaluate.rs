//! The value of each `state.*` parameter. NV_gpu_program4 tables X.3 to X.11; ARB_vertex_program
//! table X.3.8 for the matrix palette.

use super::matrix::{self, compute_sin_cos, normalize3};
use super::{Color, GlState, Light, Material, Matrix, TexGen};
use glasm_ir::StateParam;
use glasm_ir::state::{ColorTerm, Face, MatrixForm, MatrixName, TexGenPlane, ThreadProperty};

impl GlState {
    /// Returns the value of a parameter. NV_gpu_program4 section 2.X.3.3, tables X.3 to X.11;
    /// ARB_vertex_program section 2.14.3.2 for the matrix palette. Any index is allowed: state that
    /// was never set has its initial value.
    pub fn evaluate_param(&self, param: StateParam) -> [f32; 4] {
        match param {
            StateParam::MatrixRow { matrix, form, row } => {
                matrix::get_row(&self.compute_matrix(matrix, form), usize::from(row & 3))
            }
            StateParam::MaterialColor(face, term) => self.material(face).get_color(term),
            StateParam::MaterialShininess(face) => [self.material(face).shininess, 0.0, 0.0, 1.0],
            StateParam::LightColor(n, term) => self.light(n).get_color(term),
            StateParam::LightPosition(n) => self.light(n).position,
            StateParam::LightAttenuation(n) => {
                make_vec4(self.light(n).attenuation, self.light(n).spot_exponent)
            }
            StateParam::LightSpotDirection(n) => make_vec4(
                self.light(n).spot_direction,
                self.light(n).compute_cutoff_cosine(),
            ),
            StateParam::LightHalfVector(n) => make_vec4(self.light(n).compute_half_vector(), 1.0),
            StateParam::LightModelAmbient => self.light_model_ambient,
            StateParam::LightModelSceneColor(face) => self.compute_scene_color(face),
            StateParam::LightProduct(n, face, term) => self.compute_light_product(n, face, term),
            StateParam::Texgen(set, plane, coord) => self.get_texgen(set, plane)[coord as usize],
            StateParam::TexenvColor(unit) => self
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
            StateParam::PointAttenuation => make_vec4(self.point.attenuation, 1.0),
            StateParam::DepthRange => {
                let [near, far] = self.depth_range;
                [near, far, far - near, 1.0]
            }
            StateParam::Viewport => self.viewport,
            StateParam::DepthBounds => self.compute_depth_bounds(),
            StateParam::WindowOrigin => self.compute_window_origin(),
            StateParam::WindowOriginLower => self.compute_window_origin_lower(),
            StateParam::NormalScale => [self.compute_normal_scale(), 0.0, 0.0, 1.0],
            StateParam::SamplePosition(n) => {
                let [x, y] = self.multisample.get_location(n);
                [x, y, 0.0, 1.0]
            }
            StateParam::Samples => encode_integer(self.multisample.samples),
            StateParam::ThreadProperty(property) => self.get_thread_property(property),
        }
    }

    /// Returns the least and the greatest allowed depth that a fragment program writes: the depth
    /// range, or no bounds if depths are clamped to the range. NV_fragment_program section 3.11.6.
    fn compute_depth_bounds(&self) -> [f32; 4] {
        let [near, far] = self.depth_range;
        if self.depth_clamp {
            [f32::NEG_INFINITY, f32::INFINITY, 0.0, 1.0]
        } else {
            [near.min(far), near.max(far), 0.0, 1.0]
        }
    }

    /// Returns a matrix in one of its forms. NV_gpu_program4 table X.11: the product is projection
    /// times modelview 0.
    pub fn compute_matrix(&self, name: MatrixName, form: MatrixForm) -> Matrix {
        let pick =
            |list: &[Matrix], n: u32| list.get(n as usize).copied().unwrap_or(matrix::IDENTITY);
        let plain = match name {
            MatrixName::Modelview(n) => pick(&self.modelview, n),
            MatrixName::Projection => self.projection,
            MatrixName::ModelviewProjection => {
                matrix::multiply(&self.projection, &pick(&self.modelview, 0))
            }
            MatrixName::Texture(n) => pick(&self.texture, n),
            MatrixName::Palette(n) => pick(&self.palette, n),
            MatrixName::Program(n) => pick(&self.program, n),
        };
        matrix::apply_form(&plain, form)
    }

    /// Returns the factor of GL's normal rescaling: one over the length of the third row of the
    /// inverse of modelview matrix 0, regardless of whether rescaling is enabled. 1 if the row is
    /// zero. GL 2.1 section 2.11.3.
    fn compute_normal_scale(&self) -> f32 {
        let inverse = self.compute_matrix(MatrixName::Modelview(0), MatrixForm::Inverse);
        // In double precision the squares of the least and of the largest floats are neither 0 nor
        // infinite.
        let [x, y, z, _] = matrix::get_row(&inverse, 2).map(f64::from);
        match (x * x + y * y + z * z).sqrt() {
            0.0 => 1.0,
            length => (1.0 / length) as f32,
        }
    }

    /// Returns a property of thread groups in the encoding of integers in state vectors.
    fn get_thread_property(&self, property: ThreadProperty) -> [f32; 4] {
        encode_integer(match property {
            ThreadProperty::WarpSize => self.threads.warp_size,
            ThreadProperty::WarpsPerSm => self.threads.warps_per_sm,
            ThreadProperty::SmCount => self.threads.sm_count,
        })
    }

    /// Returns scale and offset of y, in x and y, that convert the window position to an origin in
    /// the upper left corner: a flip if the framebuffer has a lower left origin.
    fn compute_window_origin(&self) -> [f32; 4] {
        // `height - y` flips y, `y + 0` preserves it.
        match self.lower_left_height {
            Some(height) => [-1.0, height, 0.0, 1.0],
            None => [1.0, 0.0, 0.0, 1.0],
        }
    }

    /// Returns scale and offset of y, in x and y, that convert the window position to an origin in
    /// the lower left corner: a flip unless the framebuffer has a lower left origin.
    fn compute_window_origin_lower(&self) -> [f32; 4] {
        match self.lower_left_height {
            Some(_) => [1.0, 0.0, 0.0, 1.0],
            None => [-1.0, self.window_height, 0.0, 1.0],
        }
    }

    /// Returns `a_cs * a_cm + e_cm` for each color component, with the alpha of the diffuse
    /// material color.
    fn compute_scene_color(&self, face: Face) -> Color {
        let material = self.material(face);
        let mut color = std::array::from_fn(|i| {
            self.light_model_ambient[i] * material.ambient[i] + material.emission[i]
        });
        // As in the lighting equation, whose alpha is that of the diffuse material: GL 2.1 section
        // 2.14.1.
        color[3] = material.diffuse[3];
        color
    }

    /// Returns the product of the colors of light and material for a term, with the alpha of the
    /// material color.
    fn compute_light_product(&self, n: u32, face: Face, term: ColorTerm) -> Color {
        let (light, material) = (
            self.light(n).get_color(term),
            self.material(face).get_color(term),
        );
        [
            light[0] * material[0],
            light[1] * material[1],
            light[2] * material[2],
            material[3],
        ]
    }

    /// Returns the eye or object planes of a texture coordinate set for s, t, r and q; the initial
    /// planes if they were never set.
    fn get_texgen(&self, set: u32, plane: TexGenPlane) -> [[f32; 4]; 4] {
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
    /// Returns the material color of a lighting term.
    fn get_color(&self, term: ColorTerm) -> Color {
        match term {
            ColorTerm::Ambient => self.ambient,
            ColorTerm::Diffuse => self.diffuse,
            ColorTerm::Specular => self.specular,
            ColorTerm::Emission => self.emission,
        }
    }
}

impl Light {
    /// Returns the color of a term; lights have no emission, which reads as zero.
    fn get_color(&self, term: ColorTerm) -> Color {
        match term {
            ColorTerm::Ambient => self.ambient,
            ColorTerm::Diffuse => self.diffuse,
            ColorTerm::Specular => self.specular,
            ColorTerm::Emission => [0.0; 4],
        }
    }

    /// Returns the cosine of the cutoff angle, which is in degrees; -1 for lights that are not
    /// spots (cutoff 180).
    fn compute_cutoff_cosine(&self) -> f32 {
        // Exactly -1 for 180 degrees, which are not a spot, and 0 for 90: a rounding error would
        // exclude points on the edge of the cone.
        let (_, cosine) = compute_sin_cos(f64::from(self.spot_cutoff));
        cosine as f32
    }

    /// Returns `normalize(P + (0, 0, 1))` with P the normalized direction from the eye to the
    /// light, which is a point at `xyz / w` unless w is 0. GL 2.1 section 2.14.1.
    fn compute_half_vector(&self) -> [f32; 3] {
        let [x, y, z, w] = self.position.map(f64::from);
        // xyz / w has the opposite direction if w is negative. Its length is irrelevant.
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let [x, y, z] = normalize3([sign * x, sign * y, sign * z]);
        normalize3([x, y, z + 1.0]).map(|value| value as f32)
    }
}

/// Returns integers as bits of a float.
fn encode_integer(value: u32) -> [f32; 4] {
    [f32::from_bits(value), 0.0, 0.0, 0.0]
}

/// Returns a vector of four components, the last of which is `w`.
fn make_vec4([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}
