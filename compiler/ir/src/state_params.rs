//! Table of the `state.*` bindings: the parameters that a program reads from fixed-function GL
//! state.
//!
//! ARB_vertex_program section 2.14.3.3, ARB_fragment_program section 3.11.3.3, NV_gpu_program4
//! tables X.3 to X.11.

use crate::state::{
    ColorTerm, Face, MatrixForm, MatrixName, TexGenCoord, TexGenPlane, ThreadProperty,
};
use crate::text_keywords::Keyword;
use std::fmt::{self, Display, Write};

/// Invokes a macro with the table of `state.*` bindings, an entry for each variant of
/// [`StateParam`] except matrix rows.
///
/// Columns: the variant with its arguments, `driver` if no specification has the binding; the text
/// form of the IR after `state.`, which is the languages' spelling if they have one; after `as` the name of the variable in modules, if it is not the
/// text form with underscores; the description. Text forms and descriptions contain the arguments
/// in braces. The block has the binding paths of the languages, which the front end reads: path
/// after `state`, `(number)` with the GL limit of the number, parameter `=>` ARB programs, both if
/// none are named; the required option; `RANGES` if bindings may name ranges of it.
#[doc(hidden)]
#[macro_export]
macro_rules! state_params {
    ($callback:ident) => { $callback! {
        [MaterialColor(face: Face, color_term: ColorTerm)] "material.{face}.{color_term}" "{color_term} color of the material of {face}" {
            // "If a material face is not specified in the binding, the front property is used":
            // table X.3.
            "material.ambient" () |_| P::MaterialColor(Front, Ambient);
            "material.diffuse" () |_| P::MaterialColor(Front, Diffuse);
            "material.specular" () |_| P::MaterialColor(Front, Specular);
            "material.emission" () |_| P::MaterialColor(Front, Emission);
            "material.shininess" () |_| P::MaterialShininess(Front);
            "material.front.ambient" () |_| P::MaterialColor(Front, Ambient);
            "material.front.diffuse" () |_| P::MaterialColor(Front, Diffuse);
            "material.front.specular" () |_| P::MaterialColor(Front, Specular);
            "material.front.emission" () |_| P::MaterialColor(Front, Emission);
            "material.front.shininess" () |_| P::MaterialShininess(Front);
            "material.back.ambient" () |_| P::MaterialColor(Back, Ambient);
            "material.back.diffuse" () |_| P::MaterialColor(Back, Diffuse);
            "material.back.specular" () |_| P::MaterialColor(Back, Specular);
            "material.back.emission" () |_| P::MaterialColor(Back, Emission);
            "material.back.shininess" () |_| P::MaterialShininess(Back);
        }
        // Its paths are above: lists of bindings have all properties of a face together.
        [MaterialShininess(face: Face)] "material.{face}.shininess" "material of {face}: (shininess, 0, 0, 1)" {}
        // Lights and clip planes: as many as the GL state of glasm has, the least number of lights
        // that GL allows.
        [LightColor(index: u32, color_term: ColorTerm)] "light[{index}].{color_term}" "{color_term} color of a light" {
            "light[].ambient" ([8 Lights]) |n| P::LightColor(n, Ambient);
            "light[].diffuse" ([8 Lights]) |n| P::LightColor(n, Diffuse);
            "light[].specular" ([8 Lights]) |n| P::LightColor(n, Specular);
        }
        [LightPosition(index: u32)] "light[{index}].position" "position of a light in eye space" {
            "light[].position" ([8 Lights]) P::LightPosition;
        }
        [LightAttenuation(index: u32)] "light[{index}].attenuation"
            "attenuation of a light: (constant, linear, quadratic, spot exponent)" {
            "light[].attenuation" ([8 Lights]) P::LightAttenuation;
        }
        [LightSpotDirection(index: u32)] "light[{index}].spot.direction"
            "a light's spot: (direction in eye space, cosine of the cutoff angle)" {
            "light[].spot.direction" ([8 Lights]) P::LightSpotDirection;
        }
        [LightHalfVector(index: u32)] "light[{index}].half"
            "half vector of a light: (normalize(P + (0, 0, 1)), 1), with the normalized position P" {
            "light[].half" ([8 Lights]) P::LightHalfVector;
        }
        [LightModelAmbient] "lightmodel.ambient" "ambient color of the light model" {
            "lightmodel.ambient" () |_| P::LightModelAmbient;
        }
        // Scene colors and products without a face refer to the front face, too: table X.4.
        [LightModelSceneColor(face: Face)] "lightmodel.{face}.scenecolor"
            "scene color of {face}: emission + light model's ambient * material's ambient" {
            "lightmodel.scenecolor" () |_| P::LightModelSceneColor(Front);
            "lightmodel.front.scenecolor" () |_| P::LightModelSceneColor(Front);
            "lightmodel.back.scenecolor" () |_| P::LightModelSceneColor(Back);
        }
        [LightProduct(index: u32, face: Face, color_term: ColorTerm)] "lightprod[{index}].{face}.{color_term}"
            "{color_term} color of a light times that of the material of {face}" {
            "lightprod[].ambient" ([8 Lights]) |n| P::LightProduct(n, Front, Ambient);
            "lightprod[].diffuse" ([8 Lights]) |n| P::LightProduct(n, Front, Diffuse);
            "lightprod[].specular" ([8 Lights]) |n| P::LightProduct(n, Front, Specular);
            "lightprod[].front.ambient" ([8 Lights]) |n| P::LightProduct(n, Front, Ambient);
            "lightprod[].front.diffuse" ([8 Lights]) |n| P::LightProduct(n, Front, Diffuse);
            "lightprod[].front.specular" ([8 Lights]) |n| P::LightProduct(n, Front, Specular);
            "lightprod[].back.ambient" ([8 Lights]) |n| P::LightProduct(n, Back, Ambient);
            "lightprod[].back.diffuse" ([8 Lights]) |n| P::LightProduct(n, Back, Diffuse);
            "lightprod[].back.specular" ([8 Lights]) |n| P::LightProduct(n, Back, Specular);
        }
        // ARB_fragment_program has neither this nor clip planes and points, ARB_vertex_program
        // neither texture environments nor the depth range: each supports state of its stage only.
        // NV_gpu_program4 has all of them.
        [Texgen(index: u32, texgen_plane: TexGenPlane, texgen_coord: TexGenCoord)] "texgen[{index}].{texgen_plane}.{texgen_coord}"
            "{texgen_plane} plane that generates texture coordinate {texgen_coord}" {
            "texgen[].eye.s" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Eye, S) => VERTEX;
            "texgen[].eye.t" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Eye, T) => VERTEX;
            "texgen[].eye.r" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Eye, R) => VERTEX;
            "texgen[].eye.q" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Eye, Q) => VERTEX;
            "texgen[].object.s" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Object, S) => VERTEX;
            "texgen[].object.t" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Object, T) => VERTEX;
            "texgen[].object.r" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Object, R) => VERTEX;
            "texgen[].object.q" ([? 32 TextureCoordinates]) |n| P::Texgen(n, Object, Q) => VERTEX;
        }
        [TexenvColor(index: u32)] "texenv[{index}].color" "color of a texture environment" {
            "texenv[].color" ([? 32 TextureEnvironments]) P::TexenvColor => FRAGMENT;
        }
        [FogColor] "fog.color" "color of fog" {
            "fog.color" () |_| P::FogColor;
        }
        [FogParams] "fog.params" "fog: (density, start, end, 1 / (end - start))" {
            "fog.params" () |_| P::FogParams;
        }
        [ClipPlane(index: u32)] "clip[{index}].plane" "coefficients of a clip plane in eye space" {
            "clip[].plane" ([8 ClipPlanes]) P::ClipPlane => VERTEX;
        }
        [PointSize] "point.size" "points: (size, smallest size, largest size, fade threshold)" {
            "point.size" () |_| P::PointSize => VERTEX;
        }
        [PointAttenuation] "point.attenuation" "attenuation of points: (constant, linear, quadratic, 1)" {
            "point.attenuation" () |_| P::PointAttenuation => VERTEX;
        }
        [DepthRange] "depth.range" "depth range: (near, far, far - near, 1)" {
            "depth.range" () |_| P::DepthRange => FRAGMENT;
        }
        // Parameter that programs cannot name: the translation of the languages reads it.
        [Viewport] "viewport" as "viewport" "viewport: (x, y, width, height)" {}
        // NV_fragment_program section 3.11.6.
        [DepthBounds] "depth.bounds" as "depth_bounds"
            "(least depth, largest depth, 0, 1) of fragments whose depth a program replaces" {}
        [WindowOrigin] "window.origin" as "window_origin" "(scale, offset, 0, 1): converts y to an origin at the top" {}
        [WindowOriginLower] "windowlower.origin" as "window_origin_lower"
            "(scale, offset, 0, 1): converts y to an origin at the bottom" {}
        // A property of the device, not of GL state, but bound in the same way.
        [ThreadProperty(thread_property: ThreadProperty)] "thread.{thread_property}" as "thread_{thread_property}" "{thread_property}: an integer in x" {
            "thread.warpsize" () |_| P::ThreadProperty(WarpSize) => NONE requires THREAD_GROUP;
            "thread.warpspersm" () |_| P::ThreadProperty(WarpsPerSm) => NONE requires THREAD_GROUP;
            "thread.smcount" () |_| P::ThreadProperty(SmCount) => NONE requires THREAD_GROUP;
        }
        // Bindings that NVIDIA's compiler emits for gl_NormalScale, gl_NumSamples and
        // gl_SamplePosition of GLSL.
        [NormalScale] driver "matrix.normalscale"
            "(factor, 0, 0, 1): gl_NormalScale of GLSL, which NVIDIA's compiler reads so" {
            "matrix.normalscale" () |_| P::NormalScale;
        }
        [Samples] driver "multisample.samples" "samples of the framebuffer: an integer in x, gl_NumSamples of GLSL" {
            "multisample.samples" () |_| P::Samples => NONE;
        }
        [SamplePosition(index: u32)] driver "multisample.positions[{index}]" as "state_multisample_position_{index}"
            "(x, y, 0, 1): location of a sample in its pixel, gl_SamplePosition of GLSL" {
            "multisample.positions[]" ([32]) P::SamplePosition => NONE, RANGES;
        }
    } };
}

macro_rules! is_driver {
    () => {
        false
    };
    (driver) => {
        true
    };
}
macro_rules! variable_name {
    ($text:literal) => {
        format!(
            "state_{}",
            format!($text).replace(['.', '['], "_").replace(']', "")
        )
    };
    ($text:literal $name:literal) => {
        format!($name)
    };
}

macro_rules! define {
    ($([$variant:ident $(($($arg:ident: $ty:ident),*))?] $($driver:ident)? $text:literal $(as $name:literal)? $meaning:literal
        { $($paths:tt)* })*) => {
        /// One vec4 of GL state.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(rename_all = "snake_case")
        )]
        pub enum StateParam {
            /// A row of a matrix.
            MatrixRow {
                /// Matrix.
                matrix: MatrixName,
                /// Form.
                form: MatrixForm,
                /// Row, 0 to 3.
                row: u8,
            },
            $(#[doc = $meaning] $variant $(($($ty),*))?,)*
        }

        impl StateParam {
            /// Returns true if no specification defines the binding, only programs that a driver's
            /// compiler emits use it.
            pub fn is_drivers(self) -> bool {
                match self {
                    Self::MatrixRow { .. } => false,
                    $(Self::$variant { .. } => is_driver!($($driver)?),)*
                }
            }

            /// Writes the text form of the parameter, which follows `state.` in the text form of
            /// the IR.
            pub(crate) fn write_text(self, f: &mut dyn Write) -> fmt::Result {
                match self {
                    Self::MatrixRow { matrix, form, row } => write_matrix_row(f, matrix, form, row),
                    $(Self::$variant $(($($arg),*))? => {
                        $($(let $arg = $arg.to_text();)*)?
                        write!(f, $text)
                    })*
                }
            }

            /// Returns the parameter whose text form has these parts, except matrix rows; `None` if
            /// there is none.
            pub(crate) fn from_parts(parts: &[Part<'_>]) -> Option<Self> {
                $(if let Some(param) = match_text($text, parts).and_then(|values| {
                    let mut _values = values.into_iter();
                    Some(Self::$variant $(($(<$ty as Argument>::from_part(_values.next()?)?),*))?)
                }) {
                    return Some(param);
                })*
                None
            }
        }

        /// Returns the name of the variable that has a parameter in modules.
        pub fn make_variable_name(param: StateParam) -> String {
            match param {
                StateParam::MatrixRow { matrix, form, row } => make_matrix_row_name(matrix, form, row),
                $(StateParam::$variant $(($($arg),*))? => {
                    $($(let $arg = $arg.to_text();)*)?
                    variable_name!($text $($name)?)
                })*
            }
        }

        /// Returns the description of a parameter, one human-readable line.
        #[expect(unused_variables, reason = "no meaning has a number in it")]
        pub fn describe_state_param(param: StateParam) -> String {
            match param {
                StateParam::MatrixRow { matrix, form, .. } => {
                    format!("a row of {}{}", describe_matrix_form(form), describe_matrix(matrix))
                }
                $(StateParam::$variant $(($($arg),*))? => {
                    $($(let $arg = $arg.describe();)*)?
                    format!($meaning)
                })*
            }
        }
    };
}

state_params! { define }

/// The text form: `state.` and the path.
impl Display for StateParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("state.")?;
        self.write_text(f)
    }
}

/// A part of the text form of a parameter: a keyword, or a number in brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    Word(&'a str),
    Number(u32),
}

/// Returns the parts that are arguments, if the others match the keywords of the text form. Returns
/// `None` otherwise, also if the numbers of parts differ.
fn match_text<'a>(text: &str, parts: &[Part<'a>]) -> Option<Vec<Part<'a>>> {
    let mut words = text.split(['.', '[']);
    let mut values = Vec::new();
    for &part in parts {
        match (words.next()?, part) {
            (word, _) if word.starts_with('{') => values.push(part),
            (word, Part::Word(found)) if word == found => {}
            _ => return None,
        }
    }
    words.next().is_none().then_some(values)
}

/// An argument of a parameter.
trait Argument: Copy {
    /// Returns its text form.
    fn to_text(self) -> impl Display;

    /// Returns the argument as descriptions spell it.
    fn describe(self) -> impl Display;

    /// Returns the argument that a part of the text form denotes.
    fn from_part(part: Part<'_>) -> Option<Self>;
}

impl Argument for u32 {
    fn to_text(self) -> impl Display {
        self
    }

    fn describe(self) -> impl Display {
        self
    }

    fn from_part(part: Part<'_>) -> Option<Self> {
        match part {
            Part::Word(_) => None,
            Part::Number(number) => Some(number),
        }
    }
}

macro_rules! word_arguments {
    ($($ty:ident { $($variant:ident $meaning:literal)* })*) => {$(
        impl Argument for $ty {
            fn to_text(self) -> impl Display {
                self.keyword()
            }

            fn describe(self) -> impl Display {
                match self { $(Self::$variant => $meaning,)* }
            }

            fn from_part(part: Part<'_>) -> Option<Self> {
                match part {
                    Part::Word(word) => Self::from_keyword(word),
                    Part::Number(_) => None,
                }
            }
        }
    )*};
}

word_arguments! {
    Face { Front "front faces" Back "back faces" }
    ColorTerm { Ambient "ambient" Diffuse "diffuse" Specular "specular" Emission "emitted" }
    TexGenPlane { Eye "eye" Object "object" }
    TexGenCoord { S "s" T "t" R "r" Q "q" }
    ThreadProperty {
        WarpSize "threads of a group (warp)"
        WarpsPerSm "thread groups that a processor runs concurrently"
        SmCount "number of processors"
    }
}

impl MatrixName {
    /// Returns the keyword of a matrix and its index, `None` if there is only one matrix of the
    /// kind.
    const fn to_parts(self) -> (&'static str, Option<u32>) {
        match self {
            Self::Modelview(n) => ("modelview", Some(n)),
            Self::Projection => ("projection", None),
            Self::ModelviewProjection => ("mvp", None),
            Self::Texture(n) => ("texture", Some(n)),
            Self::Palette(n) => ("palette", Some(n)),
            Self::Program(n) => ("program", Some(n)),
        }
    }
}

/// Writes the text form of one row of a matrix, such as `matrix.texture[1].inverse.row[2]`. The
/// index of the matrix is omitted if there is only one of its kind, and so is the form of the
/// matrix itself.
fn write_matrix_row(
    f: &mut dyn Write,
    matrix: MatrixName,
    form: MatrixForm,
    row: u8,
) -> fmt::Result {
    let (word, number) = matrix.to_parts();
    write!(f, "matrix.{word}")?;
    if let Some(number) = number {
        write!(f, "[{number}]")?;
    }
    if form != MatrixForm::Plain {
        write!(f, ".{}", form.keyword())?;
    }
    write!(f, ".row[{row}]")
}

/// Returns the identifier of a matrix row in text output, e.g. `state_matrix_mvp_row_0`.
fn make_matrix_row_name(matrix: MatrixName, form: MatrixForm, row: u8) -> String {
    let (word, number) = matrix.to_parts();
    let number = match (matrix, number) {
        // A modelview matrix without a number is modelview matrix 0 in the languages.
        (MatrixName::Modelview(0), _) | (_, None) => String::new(),
        (_, Some(number)) => format!("_{number}"),
    };
    let form = match form {
        MatrixForm::Plain => String::new(),
        MatrixForm::Inverse | MatrixForm::Transpose | MatrixForm::InverseTranspose => {
            format!("_{}", form.keyword())
        }
    };
    format!("state_matrix_{word}{number}{form}_row_{row}")
}

/// Returns the description of a matrix, one human-readable line.
pub const fn describe_matrix(matrix: MatrixName) -> &'static str {
    match matrix {
        MatrixName::Modelview(_) => "modelview matrix, with an index if there are several",
        MatrixName::Projection => "projection matrix",
        MatrixName::ModelviewProjection => "projection matrix times modelview matrix 0",
        MatrixName::Texture(_) => "texture matrix of a coordinate set",
        MatrixName::Palette(_) => "matrix of the palette",
        MatrixName::Program(_) => "program matrix",
    }
}

/// Returns the description of the form of a matrix, a prefix of the description of the matrix.
pub const fn describe_matrix_form(form: MatrixForm) -> &'static str {
    match form {
        MatrixForm::Plain => "",
        MatrixForm::Inverse => "the inverse of the ",
        MatrixForm::Transpose => "the transpose of the ",
        MatrixForm::InverseTranspose => "the transpose of the inverse of the ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ColorTerm::{Ambient, Diffuse, Emission, Specular};
    use Face::{Back, Front};
    use StateParam as P;
    use TexGenCoord::{Q, R, S, T};
    use TexGenPlane::{Eye, Object};
    use ThreadProperty::{SmCount, WarpSize, WarpsPerSm};

    macro_rules! params {
        ($([$($variant:tt)*] $($driver:ident)? $text:literal $(as $name:literal)? $meaning:literal {
            $($path:literal $number:tt $param:expr $(=> $arb:ident $(requires $required:ident)? $(, $ranges:ident)?)?;)*
        })*) => {
            /// The parameters of all paths, for a number.
            const PARAMS: &[fn(u32) -> StateParam] = &[$($($param,)*)*];

            /// The paths of the languages, with `[]` for a number.
            const PATHS: &[&str] = &[$($($path,)*)*];
        };
    }
    state_params! { params }

    fn text(param: StateParam) -> String {
        let mut text = String::new();
        param.write_text(&mut text).unwrap();
        text
    }

    #[test]
    fn text_forms_are_read_back() {
        let internal = [
            P::Viewport,
            P::DepthBounds,
            P::WindowOrigin,
            P::WindowOriginLower,
        ];
        for param in PARAMS.iter().map(|of| of(3)).chain(internal) {
            let program = format!(
                "program vertex\np0: state.{}\nroutine fn0 {{\n}}\nmain fn0",
                text(param)
            );
            let parsed = crate::parse(&program).unwrap();
            let found = parsed.params.iter().map(|param| param.source);
            assert_eq!(
                found.collect::<Vec<_>>(),
                [crate::ParamSource::State(param)]
            );
        }
        for wrong in [
            "light.ambient",
            "light[3]",
            "light[3].ambient.s",
            "fog",
            "fog.colour",
            "fog[0].color",
        ] {
            let program = format!("program vertex\np0: state.{wrong}");
            let error = crate::parse(&program).unwrap_err().to_string();
            assert_eq!(error, "2:11: unknown state parameter", "{wrong}");
        }
    }

    #[test]
    fn text_forms_are_paths_of_the_languages() {
        for param in PARAMS.iter().map(|of| of(3)) {
            let text = text(param);
            let is_path = PATHS.iter().any(|path| path.replace("[]", "[3]") == text);
            assert!(is_path, "{text}");
        }
        let row = |form| P::MatrixRow {
            matrix: MatrixName::ModelviewProjection,
            form,
            row: 2,
        };
        assert_eq!(text(row(MatrixForm::Plain)), "matrix.mvp.row[2]");
        assert_eq!(
            text(row(MatrixForm::InverseTranspose)),
            "matrix.mvp.invtrans.row[2]"
        );
    }

    #[test]
    fn names_and_meanings_have_the_arguments() {
        let product = P::LightProduct(3, Back, Emission);
        assert_eq!(text(product), "lightprod[3].back.emission");
        assert_eq!(
            make_variable_name(product),
            "state_lightprod_3_back_emission"
        );
        assert_eq!(
            describe_state_param(product),
            "emitted color of a light times that of the material of back faces"
        );
        assert_eq!(
            make_variable_name(P::LightSpotDirection(7)),
            "state_light_7_spot_direction"
        );
        assert_eq!(
            make_variable_name(P::ThreadProperty(WarpsPerSm)),
            "thread_warpspersm"
        );
        assert_eq!(
            describe_state_param(P::ThreadProperty(SmCount)),
            "number of processors: an integer in x"
        );
    }
}
