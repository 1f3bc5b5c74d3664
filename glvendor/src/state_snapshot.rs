//! GL's state, read from the driver to the extent that programs need it: the driver tracks
//! matrices, lights and other state through display lists and attribute stacks, so this library
//! does not duplicate it.

use crate::context::StateGroups;
use crate::ffi::{driver, driver_state};
use glasm::ParamSource;
use glasm::state::{
    ColorTerm, Face, GlState, Light, Material, Matrix, MatrixName, Multisample, StateParam,
    TexGenCoord, TrackedMatrix,
};

/// GL state that programs need. Sets are masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RequiredState {
    modelview: bool,
    projection: bool,
    color: bool,
    texture_matrices: u32,
    program_matrices: u32,
    lights: u32,
    light_model: bool,
    materials: bool,
    texgen: u32,
    texenv: u32,
    fog: bool,
    clip_planes: u32,
    point: bool,
    viewport: bool,
    depth_range: bool,
    samples: bool,
}

/// Returns the bit of a texture unit in a mask; 0 for units from 32 on, which masks do not contain.
fn unit_bit(number: u32) -> u32 {
    1_u32.checked_shl(number).unwrap_or(0)
}

impl RequiredState {
    /// Adds the driver state that the vectors of a parameter block depend on. Tracked matrices are
    /// added by [`Self::add_tracking`].
    pub(crate) fn add_sources(&mut self, slots: &[ParamSource]) {
        for slot in slots {
            match slot {
                ParamSource::State(param) => self.add_param(*param),
                ParamSource::Env(_)
                | ParamSource::Local(_)
                | ParamSource::Subroutine(_)
                | ParamSource::Literal(_)
                | ParamSource::Named(_)
                | ParamSource::Argument => {}
            }
        }
    }

    /// Adds the driver state from which a state parameter is computed.
    fn add_param(&mut self, param: StateParam) {
        match param {
            StateParam::MatrixRow { matrix, .. } => self.add_matrix(matrix),
            StateParam::MaterialColor(..) | StateParam::MaterialShininess(_) => {
                self.materials = true
            }
            StateParam::LightColor(n, _)
            | StateParam::LightPosition(n)
            | StateParam::LightAttenuation(n)
            | StateParam::LightSpotDirection(n)
            | StateParam::LightHalfVector(n) => self.lights |= unit_bit(n),
            StateParam::LightModelAmbient => self.light_model = true,
            StateParam::LightModelSceneColor(_) => {
                self.light_model = true;
                self.materials = true;
            }
            StateParam::LightProduct(n, ..) => {
                self.lights |= unit_bit(n);
                self.materials = true;
            }
            StateParam::Texgen(n, ..) => self.texgen |= unit_bit(n),
            StateParam::TexenvColor(n) => self.texenv |= unit_bit(n),
            StateParam::FogColor | StateParam::FogParams => self.fog = true,
            StateParam::ClipPlane(n) => self.clip_planes |= unit_bit(n),
            StateParam::PointSize | StateParam::PointAttenuation => self.point = true,
            StateParam::DepthRange | StateParam::DepthBounds => self.depth_range = true,
            StateParam::Viewport | StateParam::WindowOrigin | StateParam::WindowOriginLower => {
                self.viewport = true
            }
            StateParam::NormalScale => self.modelview = true,
            StateParam::Samples | StateParam::SamplePosition(_) => self.samples = true,
            StateParam::ThreadProperty(_) => {}
        }
    }

    /// Adds the matrices of the driver that a matrix of programs is computed from.
    fn add_matrix(&mut self, matrix: MatrixName) {
        match matrix {
            MatrixName::Modelview(_) => self.modelview = true,
            MatrixName::Projection => self.projection = true,
            MatrixName::ModelviewProjection => {
                self.modelview = true;
                self.projection = true;
            }
            MatrixName::Texture(n) => self.texture_matrices |= unit_bit(n),
            MatrixName::Program(n) => self.program_matrices |= unit_bit(n),
            MatrixName::Palette(_) => {}
        }
    }

    /// Adds the matrix that the four parameters of an address track, if any.
    pub(crate) fn add_tracking(&mut self, gl: &GlState, address: u32) {
        match gl.get_tracking(address).map(|it| it.matrix) {
            None => {}
            Some(TrackedMatrix::Modelview) => self.modelview = true,
            Some(TrackedMatrix::Projection) => self.projection = true,
            Some(TrackedMatrix::ModelviewProjection) => {
                self.add_matrix(MatrixName::ModelviewProjection)
            }
            Some(TrackedMatrix::Color) => self.color = true,
            Some(TrackedMatrix::Texture(n)) => self.texture_matrices |= unit_bit(n),
            Some(TrackedMatrix::Program(n)) => self.program_matrices |= unit_bit(n),
        }
    }

    /// Returns the groups of state whose changes may alter the required state.
    pub(crate) fn state_groups(&self) -> StateGroups {
        let matrices = self.modelview || self.projection || self.color;
        let mut groups = StateGroups::empty();
        groups.set(
            StateGroups::MATRIX,
            matrices || self.texture_matrices | self.program_matrices != 0,
        );
        groups.set(StateGroups::LIGHT, self.lights != 0 || self.light_model);
        groups.set(StateGroups::MATERIAL, self.materials);
        groups.set(StateGroups::TEXGEN, self.texgen != 0);
        groups.set(StateGroups::TEXENV, self.texenv != 0);
        groups.set(StateGroups::FOG, self.fog);
        groups.set(StateGroups::CLIP, self.clip_planes != 0);
        groups.set(StateGroups::POINT, self.point);
        groups.set(StateGroups::FRAMEBUFFER, self.samples);
        groups.set(StateGroups::VIEWPORT, self.viewport || self.depth_range);
        groups
    }
}

/// Returns the numbers of the set bits of a mask in ascending order.
fn set_bits(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |n| mask & 1 << n != 0)
}

/// Reads the required state of the changed groups from the driver into `gl`. Everything else in
/// `gl` is unchanged.
#[expect(clippy::too_many_lines, reason = "a branch for each group of state")]
pub(crate) fn read_changed_state(gl: &mut GlState, needs: &RequiredState, changed: StateGroups) {
    if changed.contains(StateGroups::MATRIX) {
        read_matrices(gl, needs);
    }
    if changed.contains(StateGroups::LIGHT) {
        read_lights(gl, needs);
    }
    if changed.contains(StateGroups::MATERIAL) && needs.materials {
        for (face, name) in [(Face::Front, 0x0404), (Face::Back, 0x0405)] {
            *gl.material_mut(face) = read_material(name);
        }
    }
    if changed.contains(StateGroups::TEXGEN) {
        for_each_unit(needs.texgen, |unit| {
            for (coord, name) in TEXGEN {
                let texgen = gl.texgen_mut(unit);
                texgen.object[coord as usize] = driver_state::tex_gen(name, 0x2501);
                texgen.eye[coord as usize] = driver_state::tex_gen(name, 0x2502);
            }
        });
    }
    if changed.contains(StateGroups::TEXENV) {
        for_each_unit(needs.texenv, |unit| {
            *gl.texenv_color_mut(unit) = driver_state::tex_env(0x2300, 0x2201)
        });
    }
    if changed.contains(StateGroups::FOG) && needs.fog {
        gl.fog.color = driver_state::floats(0x0B66);
        [gl.fog.density] = driver_state::floats(0x0B62);
        [gl.fog.start] = driver_state::floats(0x0B63);
        [gl.fog.end] = driver_state::floats(0x0B64);
    }
    if changed.contains(StateGroups::CLIP) {
        for plane in set_bits(needs.clip_planes) {
            let index = plane as usize;
            if gl.clip_planes.len() <= index {
                gl.clip_planes.resize(index + 1, [0.0; 4]);
            }
            gl.clip_planes[index] =
                driver_state::clip_plane::<4>(0x3000 + plane).map(|it| it as f32);
        }
    }
    if changed.contains(StateGroups::POINT) && needs.point {
        [gl.point.size] = driver_state::floats(0x0B11);
        [gl.point.min] = driver_state::floats(0x8126);
        [gl.point.max] = driver_state::floats(0x8127);
        [gl.point.fade_threshold] = driver_state::floats(0x8128);
        gl.point.attenuation = driver_state::floats(0x8129);
    }
    if changed.contains(StateGroups::FRAMEBUFFER) {
        // 0 without multisampling, where samples have no separate positions.
        let samples = driver_state::integer(0x80A9).max(0) as u32;
        gl.multisample = Multisample {
            samples: samples.max(1),
            locations: (0..samples.min(32))
                .map(driver_state::sample_position)
                .collect(),
        };
    }
    if changed.contains(StateGroups::VIEWPORT) {
        gl.depth_range = driver_state::floats(0x0B70);
        gl.viewport = driver_state::floats(0x0BA2);
        gl.depth_clamp = driver_state::is_enabled(0x864F);
    }
}

const TEXGEN: [(TexGenCoord, u32); 4] = [
    (TexGenCoord::S, 0x2000),
    (TexGenCoord::T, 0x2001),
    (TexGenCoord::R, 0x2002),
    (TexGenCoord::Q, 0x2003),
];

/// Reads a matrix from the driver, by the enumerant of its query; the result is an array of
/// columns.
fn read_matrix(name: u32) -> Matrix {
    let values: [f32; 16] = driver_state::floats(name);
    std::array::from_fn(|column| std::array::from_fn(|row| values[4 * column + row]))
}

/// Reads the required matrices from the driver; those that are not required are unchanged, and so
/// is the matrix mode.
fn read_matrices(gl: &mut GlState, needs: &RequiredState) {
    if needs.modelview {
        *gl.modelview_mut(0) = read_matrix(0x0BA6);
    }
    if needs.projection {
        gl.projection = read_matrix(0x0BA7);
    }
    if needs.color {
        gl.color = read_matrix(0x80B1);
    }
    for_each_unit(needs.texture_matrices, |unit| {
        *gl.texture_mut(unit) = read_matrix(0x0BA8)
    });
    if needs.program_matrices != 0 {
        let mode = driver_state::integer(0x0BA0);
        for number in set_bits(needs.program_matrices) {
            driver::MatrixMode(0x88C0 + number);
            *gl.program_mut(number) = read_matrix(0x8641);
        }
        driver::MatrixMode(mode as u32);
    }
}

/// Calls `visit_unit` for each unit of a mask in ascending order, which is the active one during
/// the call. The active unit is restored; nothing is called for an empty mask.
pub(crate) fn for_each_unit(units: u32, mut visit_unit: impl FnMut(u32)) {
    if units == 0 {
        return;
    }
    let active = driver_state::integer(0x84E0);
    for unit in set_bits(units) {
        driver::ActiveTexture(0x84C0 + unit);
        visit_unit(unit);
    }
    driver::ActiveTexture(active as u32);
}

/// Reads the light model, if it is needed, and the parameters of the needed lights, at most 8, from
/// the driver. Positions and directions are in eye coordinates.
fn read_lights(gl: &mut GlState, needs: &RequiredState) {
    if needs.light_model {
        gl.light_model_ambient = driver_state::floats(0x0B53);
    }
    for number in set_bits(needs.lights & 0xFF) {
        let name = 0x4000 + number;
        let [spot_exponent] = driver_state::light(name, 0x1205);
        let [spot_cutoff] = driver_state::light(name, 0x1206);
        let [constant] = driver_state::light(name, 0x1207);
        let [linear] = driver_state::light(name, 0x1208);
        let [quadratic] = driver_state::light(name, 0x1209);
        *gl.light_mut(number) = Light {
            ambient: driver_state::light(name, 0x1200),
            diffuse: driver_state::light(name, 0x1201),
            specular: driver_state::light(name, 0x1202),
            position: driver_state::light(name, 0x1203),
            attenuation: [constant, linear, quadratic],
            spot_direction: driver_state::light(name, 0x1204),
            spot_exponent,
            spot_cutoff,
        };
    }
}

/// Reads the material properties of a face from the driver.
fn read_material(face: u32) -> Material {
    let color = |term: ColorTerm| {
        driver_state::material(
            face,
            match term {
                ColorTerm::Ambient => 0x1200,
                ColorTerm::Diffuse => 0x1201,
                ColorTerm::Specular => 0x1202,
                ColorTerm::Emission => 0x1600,
            },
        )
    };
    let [shininess] = driver_state::material(face, 0x1601);
    Material {
        ambient: color(ColorTerm::Ambient),
        diffuse: color(ColorTerm::Diffuse),
        specular: color(ColorTerm::Specular),
        emission: color(ColorTerm::Emission),
        shininess,
    }
}
