//! GL's state, read from the driver to the extent that programs need it: the driver tracks
//! matrices, lights and other state through display lists and attribute stacks, so this library
//! does not duplicate it.

use crate::context::Groups;
use crate::ffi::{driver, query};
use glasm::ParamSource;
use glasm::state::{
    ColorTerm, Face, GlState, Light, Material, Matrix, MatrixName, Multisample, StateParam,
    TexGenCoord, TrackedMatrix,
};

/// GL state that programs need. Sets are masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Needs {
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

fn bit(number: u32) -> u32 {
    1_u32.checked_shl(number).unwrap_or(0)
}

impl Needs {
    /// Adds the state that the parameters of a block need.
    pub(crate) fn add(&mut self, slots: &[ParamSource]) {
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

    fn add_param(&mut self, param: StateParam) {
        match param {
            StateParam::MatrixRow { matrix, .. } => self.add_matrix(matrix),
            StateParam::Material(..) | StateParam::MaterialShininess(_) => self.materials = true,
            StateParam::Light(n, _)
            | StateParam::LightPosition(n)
            | StateParam::LightAttenuation(n)
            | StateParam::LightSpotDirection(n)
            | StateParam::LightHalf(n) => self.lights |= bit(n),
            StateParam::LightModelAmbient => self.light_model = true,
            StateParam::LightModelSceneColor(_) => {
                self.light_model = true;
                self.materials = true;
            }
            StateParam::LightProduct(n, ..) => {
                self.lights |= bit(n);
                self.materials = true;
            }
            StateParam::TexGen(n, ..) => self.texgen |= bit(n),
            StateParam::TexEnvColor(n) => self.texenv |= bit(n),
            StateParam::FogColor | StateParam::FogParams => self.fog = true,
            StateParam::ClipPlane(n) => self.clip_planes |= bit(n),
            StateParam::PointSize | StateParam::PointAttenuation => self.point = true,
            StateParam::DepthRange | StateParam::DepthBounds => self.depth_range = true,
            StateParam::Viewport | StateParam::WindowOrigin | StateParam::WindowOriginLower => {
                self.viewport = true
            }
            StateParam::NormalScale => self.modelview = true,
            StateParam::Samples | StateParam::SamplePosition(_) => self.samples = true,
            StateParam::Thread(_) => {}
        }
    }

    fn add_matrix(&mut self, matrix: MatrixName) {
        match matrix {
            MatrixName::Modelview(_) => self.modelview = true,
            MatrixName::Projection => self.projection = true,
            MatrixName::Mvp => {
                self.modelview = true;
                self.projection = true;
            }
            MatrixName::Texture(n) => self.texture_matrices |= bit(n),
            MatrixName::Program(n) => self.program_matrices |= bit(n),
            MatrixName::Palette(_) => {}
        }
    }

    /// Adds the matrix that the four parameters of an address track, if any.
    pub(crate) fn add_tracking(&mut self, gl: &GlState, address: u32) {
        match gl.tracking(address).map(|it| it.matrix) {
            None => {}
            Some(TrackedMatrix::Modelview) => self.modelview = true,
            Some(TrackedMatrix::Projection) => self.projection = true,
            Some(TrackedMatrix::Mvp) => self.add_matrix(MatrixName::Mvp),
            Some(TrackedMatrix::Color) => self.color = true,
            Some(TrackedMatrix::Texture(n)) => self.texture_matrices |= bit(n),
            Some(TrackedMatrix::Program(n)) => self.program_matrices |= bit(n),
        }
    }

    /// Returns the groups of state that it belongs to.
    pub(crate) fn groups(&self) -> Groups {
        let matrices = self.modelview || self.projection || self.color;
        let mut groups = Groups::empty();
        groups.set(
            Groups::MATRIX,
            matrices || self.texture_matrices | self.program_matrices != 0,
        );
        groups.set(Groups::LIGHT, self.lights != 0 || self.light_model);
        groups.set(Groups::MATERIAL, self.materials);
        groups.set(Groups::TEXGEN, self.texgen != 0);
        groups.set(Groups::TEXENV, self.texenv != 0);
        groups.set(Groups::FOG, self.fog);
        groups.set(Groups::CLIP, self.clip_planes != 0);
        groups.set(Groups::POINT, self.point);
        groups.set(Groups::FRAMEBUFFER, self.samples);
        groups.set(Groups::VIEWPORT, self.viewport || self.depth_range);
        groups
    }
}

/// Returns the numbers in a mask.
fn numbers(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |n| mask & 1 << n != 0)
}

/// Reads the needed state of the groups that have changed.
pub(crate) fn refresh(gl: &mut GlState, needs: &Needs, changed: Groups) {
    if changed.contains(Groups::MATRIX) {
        matrices(gl, needs);
    }
    if changed.contains(Groups::LIGHT) {
        lights(gl, needs);
    }
    if changed.contains(Groups::MATERIAL) && needs.materials {
        for (face, name) in [(Face::Front, 0x0404), (Face::Back, 0x0405)] {
            *gl.material_mut(face) = material(name);
        }
    }
    if changed.contains(Groups::TEXGEN) {
        with_units(needs.texgen, |unit| {
            for (coord, name) in TEXGEN {
                let texgen = gl.texgen_mut(unit);
                texgen.object[coord as usize] = query::tex_gen(name, 0x2501);
                texgen.eye[coord as usize] = query::tex_gen(name, 0x2502);
            }
        });
    }
    if changed.contains(Groups::TEXENV) {
        with_units(needs.texenv, |unit| {
            *gl.texenv_color_mut(unit) = query::tex_env(0x2300, 0x2201)
        });
    }
    if changed.contains(Groups::FOG) && needs.fog {
        gl.fog.color = query::floats(0x0B66);
        [gl.fog.density] = query::floats(0x0B62);
        [gl.fog.start] = query::floats(0x0B63);
        [gl.fog.end] = query::floats(0x0B64);
    }
    if changed.contains(Groups::CLIP) {
        for plane in numbers(needs.clip_planes) {
            let index = plane as usize;
            if gl.clip_planes.len() <= index {
                gl.clip_planes.resize(index + 1, [0.0; 4]);
            }
            gl.clip_planes[index] = query::clip_plane::<4>(0x3000 + plane).map(|it| it as f32);
        }
    }
    if changed.contains(Groups::POINT) && needs.point {
        [gl.point.size] = query::floats(0x0B11);
        [gl.point.min] = query::floats(0x8126);
        [gl.point.max] = query::floats(0x8127);
        [gl.point.fade_threshold] = query::floats(0x8128);
        gl.point.attenuation = query::floats(0x8129);
    }
    if changed.contains(Groups::FRAMEBUFFER) {
        // 0 without multisampling, where samples have no separate positions.
        let samples = query::integer(0x80A9).max(0) as u32;
        gl.multisample = Multisample {
            samples: samples.max(1),
            positions: (0..samples.min(32)).map(query::sample_position).collect(),
        };
    }
    if changed.contains(Groups::VIEWPORT) {
        gl.depth_range = query::floats(0x0B70);
        gl.viewport = query::floats(0x0BA2);
        gl.depth_clamp = query::is_enabled(0x864F);
    }
}

const TEXGEN: [(TexGenCoord, u32); 4] = [
    (TexGenCoord::S, 0x2000),
    (TexGenCoord::T, 0x2001),
    (TexGenCoord::R, 0x2002),
    (TexGenCoord::Q, 0x2003),
];

/// Returns a matrix in column-major order, in which GL returns it.
fn matrix(name: u32) -> Matrix {
    let values: [f32; 16] = query::floats(name);
    std::array::from_fn(|column| std::array::from_fn(|row| values[4 * column + row]))
}

fn matrices(gl: &mut GlState, needs: &Needs) {
    if needs.modelview {
        *gl.modelview_mut(0) = matrix(0x0BA6);
    }
    if needs.projection {
        gl.projection = matrix(0x0BA7);
    }
    if needs.color {
        gl.color = matrix(0x80B1);
    }
    with_units(needs.texture_matrices, |unit| {
        *gl.texture_mut(unit) = matrix(0x0BA8)
    });
    if needs.program_matrices != 0 {
        let mode = query::integer(0x0BA0);
        for number in numbers(needs.program_matrices) {
            driver::MatrixMode(0x88C0 + number);
            *gl.program_mut(number) = matrix(0x8641);
        }
        driver::MatrixMode(mode as u32);
    }
}

/// Calls `work` for each unit, which is the active one during the call.
pub(crate) fn with_units(units: u32, mut work: impl FnMut(u32)) {
    if units == 0 {
        return;
    }
    let active = query::integer(0x84E0);
    for unit in numbers(units) {
        driver::ActiveTexture(0x84C0 + unit);
        work(unit);
    }
    driver::ActiveTexture(active as u32);
}

fn lights(gl: &mut GlState, needs: &Needs) {
    if needs.light_model {
        gl.light_model_ambient = query::floats(0x0B53);
    }
    for number in numbers(needs.lights & 0xFF) {
        let name = 0x4000 + number;
        let [spot_exponent] = query::light(name, 0x1205);
        let [spot_cutoff] = query::light(name, 0x1206);
        let [constant] = query::light(name, 0x1207);
        let [linear] = query::light(name, 0x1208);
        let [quadratic] = query::light(name, 0x1209);
        *gl.light_mut(number) = Light {
            ambient: query::light(name, 0x1200),
            diffuse: query::light(name, 0x1201),
            specular: query::light(name, 0x1202),
            position: query::light(name, 0x1203),
            attenuation: [constant, linear, quadratic],
            spot_direction: query::light(name, 0x1204),
            spot_exponent,
            spot_cutoff,
        };
    }
}

fn material(face: u32) -> Material {
    let color = |term: ColorTerm| {
        query::material(
            face,
            match term {
                ColorTerm::Ambient => 0x1200,
                ColorTerm::Diffuse => 0x1201,
                ColorTerm::Specular => 0x1202,
                ColorTerm::Emission => 0x1600,
            },
        )
    };
    let [shininess] = query::material(face, 0x1601);
    Material {
        ambient: color(ColorTerm::Ambient),
        diffuse: color(ColorTerm::Diffuse),
        specular: color(ColorTerm::Specular),
        emission: color(ColorTerm::Emission),
        shininess,
    }
}
