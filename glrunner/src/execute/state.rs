//! State that programs read: matrices, lights, materials, fog and the rest, set by OpenGL's own
//! commands.

use super::combiner_state::apply_combiner_update;
use super::fixed_function_state;
use super::gl_enums::texgen_coord;
use super::gl_features::{check_index_limit, select_texture_unit};
use super::texture_shader_state::apply_texture_shader_update;
use crate::error::Problem;
use crate::execute::gl_features::lacks_message;
use crate::gl::{self, Gl};
use glasm::PointOrigin;
use glasm::state::{Face, TexGenPlane};
use glasm_scripts::script::{
    Convention, Faces, FogUpdate, LightUpdate, MaterialUpdate, MatrixTarget, MatrixUpdate,
    PointUpdate, StateUpdate,
};

/// State that OpenGL does not store, or not in this form.
#[derive(Default)]
pub(super) struct UntrackedState {
    /// Size of all points; `None` leaves it to programs.
    pub(super) point_size: Option<f32>,
    /// Enabled clip planes and distances, a bit for each.
    pub(super) clip_planes: u8,
}

/// OpenGL's name of a matrix, and the number of matrices of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MatrixKind {
    name: &'static str,
    /// Index of the matrix among those of its kind, and the limit on such indices; `None` if there
    /// is only one.
    index_and_limit: Option<(u32, u32)>,
    /// Extension that the driver must have.
    extension: Option<&'static str>,
    /// Limit on the depth of the stack.
    depth: u32,
}

/// Limit of ARB_imaging, which the generated commands omit.
const MAX_COLOR_MATRIX_STACK_DEPTH: u32 = 0x80b3;

impl MatrixKind {
    /// Returns the properties of a kind of matrix: its name, extension, number and stack depth.
    fn from_target(target: MatrixTarget) -> Self {
        let (name, number, extension, depth) = match target {
            MatrixTarget::Modelview(0) => ("modelview", None, None, gl::MAX_MODELVIEW_STACK_DEPTH),
            MatrixTarget::Modelview(number) => (
                "modelview",
                Some((number, gl::MAX_VERTEX_UNITS_ARB)),
                Some("GL_ARB_vertex_blend"),
                gl::MAX_MODELVIEW_STACK_DEPTH,
            ),
            MatrixTarget::Projection => ("projection", None, None, gl::MAX_PROJECTION_STACK_DEPTH),
            MatrixTarget::Texture(number) => (
                "texture",
                Some((number, gl::MAX_TEXTURE_COORDS)),
                None,
                gl::MAX_TEXTURE_STACK_DEPTH,
            ),
            MatrixTarget::Palette(number) => (
                "palette",
                Some((number, gl::MAX_PALETTE_MATRICES_ARB)),
                Some("GL_ARB_matrix_palette"),
                gl::MAX_MATRIX_PALETTE_STACK_DEPTH_ARB,
            ),
            MatrixTarget::Program(number) => (
                "program",
                Some((number, gl::MAX_PROGRAM_MATRICES_ARB)),
                None,
                gl::MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB,
            ),
            MatrixTarget::Color => (
                "color",
                None,
                Some("GL_ARB_imaging"),
                MAX_COLOR_MATRIX_STACK_DEPTH,
            ),
        };
        Self {
            name,
            index_and_limit: number,
            extension,
            depth,
        }
    }
}

/// Returns the mode of modelview matrix `number`, whose constants are not consecutive:
/// ARB_vertex_blend.
fn modelview_mode(number: u32) -> u32 {
    match number {
        0 => gl::MODELVIEW,
        1 => gl::MODELVIEW1_ARB,
        _ => gl::MODELVIEW2_ARB + (number - 2),
    }
}

/// Selects the matrix that the next matrix commands change, by the matrix mode and, for textures,
/// the active unit. Skips scripts with matrices that the driver lacks.
fn select_matrix(gl: &Gl, target: MatrixTarget) -> Result<(), Problem> {
    let kind = MatrixKind::from_target(target);
    if let Some(extension) = kind
        .extension
        .filter(|extension| !gl.has_extension(extension))
    {
        return Err(Problem::Unsupported(lacks_message(extension)));
    }
    if let Some((number, limit)) = kind.index_and_limit {
        check_index_limit(gl, number, limit, &format!("{} matrices", kind.name))?;
    }
    match target {
        MatrixTarget::Modelview(number) => gl.MatrixMode(modelview_mode(number))?,
        MatrixTarget::Projection => gl.MatrixMode(gl::PROJECTION)?,
        MatrixTarget::Texture(number) => {
            gl.ActiveTexture(gl::TEXTURE0 + number)?;
            gl.MatrixMode(gl::TEXTURE)?;
        }
        MatrixTarget::Palette(number) => {
            gl.MatrixMode(gl::MATRIX_PALETTE_ARB)?;
            // The palette is smaller than 2^31.
            gl.CurrentPaletteMatrixARB(number as i32)?;
        }
        MatrixTarget::Program(number) => gl.MatrixMode(gl::MATRIX0_ARB + number)?,
        MatrixTarget::Color => gl.MatrixMode(gl::COLOR)?,
    }
    Ok(())
}

/// Loads, multiplies, pushes or pops a matrix. Skips scripts with matrices that the driver lacks,
/// and pushes beyond the depth of its stack.
pub(super) fn apply_matrix(
    gl: &Gl,
    target: MatrixTarget,
    update: MatrixUpdate,
) -> Result<(), Problem> {
    select_matrix(gl, target)?;
    match update {
        MatrixUpdate::Load(matrix) => gl.load_matrix(&matrix)?,
        MatrixUpdate::Multiply(matrix) => gl.multiply_matrix(&matrix)?,
        MatrixUpdate::Push => {
            let kind = MatrixKind::from_target(target);
            let limit = gl.integer(kind.depth)?;
            if gl.integer(gl::CURRENT_MATRIX_STACK_DEPTH_ARB)? >= limit {
                let name = kind.name;
                let reason = format!("the driver's stacks of {name} matrices hold {limit}");
                return Err(Problem::Unsupported(reason));
            }
            gl.PushMatrix()?;
        }
        MatrixUpdate::Pop => gl.PopMatrix()?,
    }
    Ok(gl.check_errors("changing a matrix")?)
}

/// Changes state as the command of OpenGL with the same name does. Skips scripts with lights, units
/// or clip planes that the driver lacks. Units remain active.
pub(super) fn apply_state_update(
    gl: &Gl,
    convention: Convention,
    update: StateUpdate,
) -> Result<(), Problem> {
    match update {
        StateUpdate::Light(number, update) => {
            check_index_limit(gl, number, gl::MAX_LIGHTS, "lights")?;
            apply_light(gl, gl::LIGHT0 + number, update)?;
        }
        StateUpdate::Material(faces, update) => apply_material(gl, gl_face(faces), update)?,
        StateUpdate::LightModelAmbient(color) => gl.light_model(gl::LIGHT_MODEL_AMBIENT, color)?,
        StateUpdate::Fog(update) => apply_fog(gl, update)?,
        StateUpdate::Point(update) => apply_point_parameter(gl, convention, update)?,
        StateUpdate::Combiner(update) => apply_combiner_update(gl, update)?,
        StateUpdate::TextureShader(unit, update) => apply_texture_shader_update(gl, unit, update)?,
        StateUpdate::TexEnvColor(unit, color) => {
            select_texture_unit(gl, unit)?;
            gl.texture_environment(gl::TEXTURE_ENV, gl::TEXTURE_ENV_COLOR, color)?;
        }
        StateUpdate::TexGen(set, coord, plane, value) => {
            select_texture_unit(gl, set)?;
            let plane = match plane {
                TexGenPlane::Eye => gl::EYE_PLANE,
                TexGenPlane::Object => gl::OBJECT_PLANE,
            };
            gl.texture_generation(texgen_coord(coord), plane, value)?;
        }
        StateUpdate::ClipPlane(number, plane) => {
            check_index_limit(gl, number, gl::MAX_CLIP_PLANES, "clip planes")?;
            gl.clip_plane(gl::CLIP_PLANE0 + number, plane)?;
        }
        StateUpdate::Fixed(update) => fixed_function_state::apply_fixed_update(gl, update)?,
    }
    Ok(gl.check_errors("setting state")?)
}

/// Sets one parameter of a light, which `light` names as an enumerant.
fn apply_light(gl: &Gl, light: u32, update: LightUpdate) -> Result<(), Problem> {
    match update {
        LightUpdate::Ambient(color) => gl.light(light, gl::AMBIENT, color)?,
        LightUpdate::Diffuse(color) => gl.light(light, gl::DIFFUSE, color)?,
        LightUpdate::Specular(color) => gl.light(light, gl::SPECULAR, color)?,
        LightUpdate::Position(position) => gl.light(light, gl::POSITION, position)?,
        LightUpdate::SpotDirection([x, y, z]) => {
            gl.light(light, gl::SPOT_DIRECTION, [x, y, z, 0.0])?;
        }
        LightUpdate::SpotExponent(exponent) => gl.Lightf(light, gl::SPOT_EXPONENT, exponent)?,
        LightUpdate::SpotCutoff(degrees) => gl.Lightf(light, gl::SPOT_CUTOFF, degrees)?,
        LightUpdate::ConstantAttenuation(factor) => {
            gl.Lightf(light, gl::CONSTANT_ATTENUATION, factor)?;
        }
        LightUpdate::LinearAttenuation(factor) => {
            gl.Lightf(light, gl::LINEAR_ATTENUATION, factor)?;
        }
        LightUpdate::QuadraticAttenuation(factor) => {
            gl.Lightf(light, gl::QUADRATIC_ATTENUATION, factor)?;
        }
    }
    Ok(())
}

/// Returns the enumerant of one face or both faces of polygons.
fn gl_face(faces: Faces) -> u32 {
    match faces {
        Faces::One(Face::Front) => gl::FRONT,
        Faces::One(Face::Back) => gl::BACK,
        Faces::Both => gl::FRONT_AND_BACK,
    }
}

/// Sets one material property of one face or both.
fn apply_material(gl: &Gl, face: u32, update: MaterialUpdate) -> Result<(), Problem> {
    let (name, color) = match update {
        MaterialUpdate::Ambient(color) => (gl::AMBIENT, color),
        MaterialUpdate::Diffuse(color) => (gl::DIFFUSE, color),
        MaterialUpdate::Specular(color) => (gl::SPECULAR, color),
        MaterialUpdate::Emission(color) => (gl::EMISSION, color),
        MaterialUpdate::AmbientAndDiffuse(color) => (gl::AMBIENT_AND_DIFFUSE, color),
        MaterialUpdate::Shininess(exponent) => {
            return Ok(gl.Materialf(face, gl::SHININESS, exponent)?);
        }
    };
    Ok(gl.material(face, name, color)?)
}

/// Sets one parameter of fog.
fn apply_fog(gl: &Gl, update: FogUpdate) -> Result<(), Problem> {
    match update {
        FogUpdate::Color(color) => gl.fog(gl::FOG_COLOR, color)?,
        FogUpdate::Density(density) => gl.Fogf(gl::FOG_DENSITY, density)?,
        FogUpdate::Start(start) => gl.Fogf(gl::FOG_START, start)?,
        FogUpdate::End(end) => gl.Fogf(gl::FOG_END, end)?,
    }
    Ok(())
}

/// Sets one parameter of points; the origin of sprite coordinates depends on the convention.
fn apply_point_parameter(
    gl: &Gl,
    convention: Convention,
    update: PointUpdate,
) -> Result<(), Problem> {
    match update {
        PointUpdate::Size(size) => gl.PointSize(size)?,
        PointUpdate::Min(min) => gl.PointParameterf(gl::POINT_SIZE_MIN, min)?,
        PointUpdate::Max(max) => gl.PointParameterf(gl::POINT_SIZE_MAX, max)?,
        PointUpdate::Fade(threshold) => {
            gl.PointParameterf(gl::POINT_FADE_THRESHOLD_SIZE, threshold)?;
        }
        PointUpdate::Attenuation([constant, linear, quadratic]) => {
            let factors = [constant, linear, quadratic, 0.0];
            gl.point_parameter(gl::POINT_DISTANCE_ATTENUATION, factors)?;
        }
        PointUpdate::SpriteOrigin(origin) => set_point_origin(gl, convention, origin)?,
    }
    Ok(())
}

/// Sets the origin of the coordinates of point sprites. The corner is that of OpenGL by its own
/// convention; by that of Vulkan, whose images begin at the top, upper and lower are exchanged.
pub(super) fn set_point_origin(
    gl: &Gl,
    convention: Convention,
    origin: PointOrigin,
) -> Result<(), Problem> {
    let corner = match (convention, origin) {
        (Convention::OpenGl, PointOrigin::UpperLeft)
        | (Convention::Vulkan, PointOrigin::LowerLeft) => gl::UPPER_LEFT,
        (Convention::OpenGl, PointOrigin::LowerLeft)
        | (Convention::Vulkan, PointOrigin::UpperLeft) => gl::LOWER_LEFT,
    };
    // The constants are small.
    Ok(gl.PointParameteri(gl::POINT_SPRITE_COORD_ORIGIN, corner as i32)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gl::tests::open;
    use glasm::state::Matrix;
    use glasm::state::matrix::{scaling, translation};

    /// Quarter turn about z, twice the size, moved by (5, 6, 7): `x' = 5 - 2 y`, `y' = 6 + 2 x`,
    /// `z' = 7 + 2 z`.
    const TURN: Matrix = [
        [0.0, 2.0, 0.0, 0.0],
        [-2.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.0],
        [5.0, 6.0, 7.0, 1.0],
    ];
    /// Rows of the same matrix.
    const TURN_ROWS: [f32; 16] = [
        0.0, -2.0, 0.0, 5.0, 2.0, 0.0, 0.0, 6.0, 0.0, 0.0, 2.0, 7.0, 0.0, 0.0, 0.0, 1.0,
    ];

    /// Executes the state commands of a script, up to the first problem.
    fn run(gl: &Gl, lines: &str) -> Result<(), Problem> {
        use glasm_scripts::script::{Command, Script};
        let text = format!("[require]\nGL >= 2.0\n[test]\n{lines}\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        for step in &script.steps {
            if let Command::Matrix { target, update } = &step.command {
                apply_matrix(gl, *target, *update)?;
            } else if let Command::GlState(update) = &step.command {
                apply_state_update(gl, script.requirements.convention, *update)?;
            } else {
                panic!("{step:?}");
            }
        }
        Ok(())
    }

    const LOAD_TURN: &str = "matrix modelview load 0 -2 0 5  2 0 0 6  0 0 2 7  0 0 0 1\n";

    #[test]
    fn matrices_have_rows_where_scripts_have_them() {
        let Some(gl) = open() else { return };
        run(&gl, LOAD_TURN).unwrap();
        let rows: [f32; 16] = gl.floats(gl::TRANSPOSE_MODELVIEW_MATRIX).unwrap();
        assert_eq!(rows, TURN_ROWS);
        let target = MatrixTarget::Modelview(0);
        apply_matrix(&gl, target, MatrixUpdate::Load(scaling([1.0; 3]))).unwrap();
        apply_matrix(&gl, target, MatrixUpdate::Load(TURN)).unwrap();
        let rows: [f32; 16] = gl.floats(gl::TRANSPOSE_MODELVIEW_MATRIX).unwrap();
        assert_eq!(rows, TURN_ROWS);
    }

    #[test]
    fn factors_come_from_the_right_and_stacks_are_apart() {
        let Some(gl) = open() else { return };
        let update = |target, update| apply_matrix(&gl, target, update).unwrap();
        let projection = MatrixTarget::Projection;
        update(projection, MatrixUpdate::Load(translation([1.0, 2.0, 3.0])));
        update(projection, MatrixUpdate::Push);
        update(projection, MatrixUpdate::Multiply(scaling([2.0, 2.0, 2.0])));
        let first_row = |name| {
            let [x, y, z, w]: [f32; 4] = gl.floats(name).unwrap();
            [x, y, z, w]
        };
        // x' = 2 x + 1: scaled first, then moved.
        assert_eq!(
            first_row(gl::TRANSPOSE_PROJECTION_MATRIX),
            [2.0, 0.0, 0.0, 1.0]
        );
        update(
            MatrixTarget::Texture(1),
            MatrixUpdate::Load(scaling([7.0; 3])),
        );
        update(projection, MatrixUpdate::Pop);
        assert_eq!(
            first_row(gl::TRANSPOSE_PROJECTION_MATRIX),
            [1.0, 0.0, 0.0, 1.0]
        );
        gl.MatrixMode(gl::TEXTURE).unwrap();
        for (unit, factor) in [(gl::TEXTURE0, 1.0), (gl::TEXTURE1, 7.0)] {
            gl.ActiveTexture(unit).unwrap();
            assert_eq!(
                first_row(gl::TRANSPOSE_CURRENT_MATRIX_ARB),
                [factor, 0.0, 0.0, 0.0]
            );
        }
        update(
            MatrixTarget::Program(2),
            MatrixUpdate::Load(translation([4.0; 3])),
        );
        gl.MatrixMode(gl::MATRIX0_ARB + 2).unwrap();
        assert_eq!(
            first_row(gl::TRANSPOSE_CURRENT_MATRIX_ARB),
            [1.0, 0.0, 0.0, 4.0]
        );
    }

    #[test]
    fn what_is_specified_in_object_space_goes_through_the_modelview_matrix() {
        let Some(gl) = open() else { return };
        run(&gl, LOAD_TURN).unwrap();
        run(
            &gl,
            "light 3 position 1 2 3 1\nlight 3 spot_direction 1 2 3\nclipplane 1 1 0 0 -3\ntexgen 1 t eye 1 0 0 -3\n\
             texgen 1 t object 1 0 0 -3\nmatrix modelview identity",
        )
        .unwrap();
        let light = |name| gl.get_light(gl::LIGHT3, name).unwrap();
        assert_eq!(light(gl::POSITION), [1.0, 8.0, 13.0, 1.0]);
        assert_eq!(light(gl::SPOT_DIRECTION)[..3], [-4.0, 2.0, 6.0]);
        // x - 3 is (y' - 6) / 2 - 3.
        let plane = [0.0, 0.5, 0.0, -6.0];
        let found = gl.get_clip_plane(gl::CLIP_PLANE1).unwrap();
        assert_eq!(found, plane.map(f64::from));
        gl.ActiveTexture(gl::TEXTURE1).unwrap();
        let texgen = |name| gl.get_texture_generation(gl::T, name).unwrap();
        assert_eq!(texgen(gl::EYE_PLANE), plane);
        assert_eq!(texgen(gl::OBJECT_PLANE), [1.0, 0.0, 0.0, -3.0]);
    }

    #[test]
    fn each_update_sets_what_it_names() {
        let Some(gl) = open() else { return };
        run(
            &gl,
            "light 1 quadratic_attenuation 5\nlight 1 spot_exponent 6\nlight 1 spot_cutoff 60\nlight 1 specular 0.1 0.2 0.3 0.4\n\
             material both ambient_and_diffuse 0.5 0.6 0.7 0.8\nmaterial back shininess 9\nmaterial front emission 1 2 3 4\n\
             lightmodel ambient 0.1 0.2 0.3 0.4\nfog color 0.1 0.2 0.3 0.4\nfog density 0.25\nfog start 2\nfog end 7\n\
             texenv 1 color 0.4 0.3 0.2 0.1\npoint size 3\npoint min 1\npoint max 9\npoint fade 2\npoint attenuation 1 0.5 0.25",
        )
        .unwrap();
        let light = |name| gl.get_light(gl::LIGHT1, name).unwrap();
        assert_eq!(light(gl::QUADRATIC_ATTENUATION)[0], 5.0);
        assert_eq!(light(gl::CONSTANT_ATTENUATION)[0], 1.0);
        assert_eq!(light(gl::SPOT_EXPONENT)[0], 6.0);
        assert_eq!(light(gl::SPOT_CUTOFF)[0], 60.0);
        assert_eq!(light(gl::SPECULAR), [0.1, 0.2, 0.3, 0.4]);
        let material = |face, name| gl.get_material(face, name).unwrap();
        for face in [gl::FRONT, gl::BACK] {
            assert_eq!(material(face, gl::AMBIENT), [0.5, 0.6, 0.7, 0.8]);
            assert_eq!(material(face, gl::DIFFUSE), [0.5, 0.6, 0.7, 0.8]);
        }
        assert_eq!(material(gl::FRONT, gl::SHININESS)[0], 0.0);
        assert_eq!(material(gl::BACK, gl::SHININESS)[0], 9.0);
        assert_eq!(material(gl::FRONT, gl::EMISSION), [1.0, 2.0, 3.0, 4.0]);
        let color = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(gl.floats(gl::LIGHT_MODEL_AMBIENT).unwrap(), color);
        assert_eq!(gl.floats(gl::FOG_COLOR).unwrap(), color);
        for (name, value) in [
            (gl::FOG_DENSITY, 0.25),
            (gl::FOG_START, 2.0),
            (gl::FOG_END, 7.0),
            (gl::POINT_SIZE, 3.0),
            (gl::POINT_SIZE_MIN, 1.0),
            (gl::POINT_SIZE_MAX, 9.0),
            (gl::POINT_FADE_THRESHOLD_SIZE, 2.0),
        ] {
            assert_eq!(gl.floats(name).unwrap(), [value], "{name:#x}");
        }
        assert_eq!(
            gl.floats(gl::POINT_DISTANCE_ATTENUATION).unwrap(),
            [1.0, 0.5, 0.25]
        );
        gl.ActiveTexture(gl::TEXTURE1).unwrap();
        let env = gl.get_texture_environment(gl::TEXTURE_ENV, gl::TEXTURE_ENV_COLOR);
        assert_eq!(env.unwrap(), [0.4, 0.3, 0.2, 0.1]);
    }

    #[test]
    fn the_corner_of_points_depends_on_whose_rules_apply() {
        let Some(gl) = open() else { return };
        let origin = |convention, origin| {
            set_point_origin(&gl, convention, origin).unwrap();
            gl.integer(gl::POINT_SPRITE_COORD_ORIGIN)
                .unwrap()
                .unsigned_abs()
        };
        let (gl_rules, vulkan) = (Convention::OpenGl, Convention::Vulkan);
        assert_eq!(origin(gl_rules, PointOrigin::UpperLeft), gl::UPPER_LEFT);
        assert_eq!(origin(gl_rules, PointOrigin::LowerLeft), gl::LOWER_LEFT);
        assert_eq!(origin(vulkan, PointOrigin::UpperLeft), gl::LOWER_LEFT);
        assert_eq!(origin(vulkan, PointOrigin::LowerLeft), gl::UPPER_LEFT);
    }

    #[test]
    fn what_the_driver_lacks_is_told_before_it_fails() {
        let Some(gl) = open() else { return };
        let reason = |lines: &str| match run(&gl, lines) {
            Err(Problem::Unsupported(reason)) => reason,
            other => panic!("{other:?}"),
        };
        let matrices = gl.integer(gl::MAX_PROGRAM_MATRICES_ARB).unwrap();
        assert_eq!(
            reason("matrix program 63 identity"),
            format!("the driver has {matrices} program matrices")
        );
        if !gl.has_extension("GL_ARB_matrix_palette") {
            assert_eq!(
                reason("matrix palette 0 identity"),
                "the driver lacks GL_ARB_matrix_palette"
            );
        }
        let limit = gl.integer(gl::MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB).unwrap();
        // One matrix is on the stack before any is pushed.
        let push = "matrix program 0 push\n".repeat(limit.unsigned_abs() as usize - 1);
        run(&gl, &push).unwrap();
        assert_eq!(
            reason("matrix program 0 push"),
            format!("the driver's stacks of program matrices hold {limit}")
        );
    }

    #[test]
    fn constants_of_modelview_matrices_do_not_follow_each_other() {
        assert_eq!(modelview_mode(0), gl::MODELVIEW0_ARB);
        assert_eq!(modelview_mode(1), gl::MODELVIEW1_ARB);
        assert_eq!(modelview_mode(2), gl::MODELVIEW2_ARB);
        assert_eq!(modelview_mode(31), gl::MODELVIEW31_ARB);
    }
}
