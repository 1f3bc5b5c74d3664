//! GL's vertex processing as a program: lighting, texture coordinates, fog coordinate and point
//! size.
//!
//! The program begins with its declarations. Vectors of eye space that several parts read are
//! computed once: `eye` (the position), `place` (the position after division by w), `view` (the
//! unit vector to the eye), `normal`, `reflection`.

use super::program_text::ProgramText;
use super::{
    ColorMaterial, FixedVertexKey, FogSource, LightKey, LightingKey, MATERIAL_ATTRIBUTES,
    MaterialFaces, MaterialMode, NormalScaling, TexGenMode,
};
use crate::state::Face;

/// Constants: 0, 1/2, 1, and the minimum of squared lengths, so that normalized zero vectors are
/// not NaN.
const CONSTANT_DECLARATION: &str = "PARAM value = { 0, 0.5, 1, 1e-36 }";

/// All temporaries.
const TEMPORARIES: [&str; 17] = [
    "eye",
    "place",
    "view",
    "normal",
    "reflection",
    "sphere",
    "coord",
    "temp",
    "light",
    "half",
    "spot",
    "lit",
    "factor",
    "front",
    "back",
    "front_specular",
    "back_specular",
];

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
const COORDINATES: [&str; 4] = ["s", "t", "r", "q"];

/// Returns the source of the ARB vertex program, with position invariance, of GL's vertex
/// processing. GL 2.1 sections 2.11 and 2.14.
pub fn generate_vertex_program(key: &FixedVertexKey) -> String {
    let needs = NeededVectors::from_key(key);
    let mut text = ProgramText::default();
    text.emit_eye_space(key.normal_scaling, needs);
    match &key.lighting {
        Some(lighting) => text.emit_lighting(&LightingKey {
            material_attributes: key.find_material_attributes(),
            ..*lighting
        }),
        None => {
            text.push_line(format_args!("MOV result.color, vertex.color"));
            text.push_line(format_args!(
                "MOV result.color.secondary, vertex.color.secondary"
            ));
        }
    }
    text.emit_texture_coordinates(key);
    if let Some(source) = key.fog_coordinate_source {
        text.emit_fog_coordinate(source);
    }
    if key.computes_point_size {
        text.emit_point_size();
    }
    let temporaries = text.build_temp_declaration(TEMPORARIES.iter().copied());
    let body = text.body;
    format!(
        "!!ARBvp1.0\nOPTION ARB_position_invariant;\n{CONSTANT_DECLARATION};\n{temporaries}{body}END\n"
    )
}

/// Vectors of eye space that parts of the program read.
#[derive(Clone, Copy, Default)]
struct NeededVectors {
    /// The position.
    eye: bool,
    /// The position after division by w.
    euclidean_position: bool,
    /// The unit vector from the vertex to the eye.
    view: bool,
    /// The normal.
    normal: bool,
    /// The reflection of the view.
    reflection: bool,
    /// Coordinates of sphere maps.
    sphere: bool,
}

impl NeededVectors {
    /// Returns the intermediate values that the program of a key computes, with those that they
    /// require.
    fn from_key(key: &FixedVertexKey) -> Self {
        let mut needs = Self::default();
        if let Some(lighting) = &key.lighting {
            let mut enabled = lighting.lights.iter().filter(|light| light.enabled);
            let any = enabled.clone().next().is_some();
            needs.normal = any;
            needs.view = any && lighting.local_viewer;
            needs.euclidean_position = enabled.any(|light| light.positional);
        }
        for set in key.tex_coord_sets.iter().filter(|set| set.is_read) {
            for (coordinate, mode) in set.generation_modes.into_iter().enumerate() {
                match resolve_texgen_mode(mode, coordinate) {
                    TexGenMode::None | TexGenMode::ObjectLinear => {}
                    TexGenMode::EyeLinear => needs.eye = true,
                    TexGenMode::SphereMap => needs.sphere = true,
                    TexGenMode::ReflectionMap => needs.reflection = true,
                    TexGenMode::NormalMap => needs.normal = true,
                }
            }
        }
        needs.euclidean_position |= key.computes_point_size;
        needs.euclidean_position |= key
            .fog_coordinate_source
            .is_some_and(|source| source != FogSource::FogCoord);
        needs.reflection |= needs.sphere;
        needs.view |= needs.reflection;
        needs.normal |= needs.reflection;
        needs.euclidean_position |= needs.view;
        needs.eye |= needs.euclidean_position;
        needs
    }
}

/// Returns the mode of a coordinate; [`TexGenMode::None`] if GL does not support it for that
/// coordinate.
fn resolve_texgen_mode(mode: TexGenMode, coordinate: usize) -> TexGenMode {
    let last = match mode {
        TexGenMode::None | TexGenMode::ObjectLinear | TexGenMode::EyeLinear => 3,
        TexGenMode::ReflectionMap | TexGenMode::NormalMap => 2,
        TexGenMode::SphereMap => 1,
    };
    if coordinate <= last {
        mode
    } else {
        TexGenMode::None
    }
}

/// Returns the name of a face in bindings, `front` or `back`.
const fn get_face_name(face: Face) -> &'static str {
    match face {
        Face::Front => "front",
        Face::Back => "back",
    }
}

/// Returns true if `GL_COLOR_MATERIAL` makes the vertex color this color of a face's material;
/// `color` is `None` if it is disabled.
fn is_vertex_color(color: Option<ColorMaterial>, face: Face, term: MaterialMode) -> bool {
    let Some(color) = color else { return false };
    let same_face = match (color.faces, face) {
        (MaterialFaces::Both, _)
        | (MaterialFaces::Front, Face::Front)
        | (MaterialFaces::Back, Face::Back) => true,
        (MaterialFaces::Front, Face::Back) | (MaterialFaces::Back, Face::Front) => false,
    };
    let both = matches!(term, MaterialMode::Ambient | MaterialMode::Diffuse);
    same_face && (color.mode == term || (color.mode == MaterialMode::AmbientAndDiffuse && both))
}

/// Returns the vertex attribute that replaces a color of a face's material, if there is one:
/// `vertex.color` or a generic one.
fn find_material_attribute(
    lighting: &LightingKey,
    face: Face,
    term: MaterialMode,
) -> Option<String> {
    if is_vertex_color(lighting.color_material, face, term) {
        return Some("vertex.color".to_owned());
    }
    find_generic_attribute(lighting, face, term as usize)
}

/// Position of the shininess after the colors in [`MATERIAL_ATTRIBUTES`].
const SHININESS: usize = 4;

/// Returns the generic attribute that replaces a part of a face's material, numbered as
/// [`MaterialMode`], then the shininess; `None` if there is none.
fn find_generic_attribute(lighting: &LightingKey, face: Face, part: usize) -> Option<String> {
    let index = match face {
        Face::Front => part,
        Face::Back => 5 + part,
    };
    let is_attribute = lighting.material_attributes >> index & 1 != 0;
    is_attribute.then(|| format!("vertex.attrib[{}]", MATERIAL_ATTRIBUTES[index]))
}

impl ProgramText {
    /// Emits the normalization of a vector to `result`; w of the result is one over the original
    /// length. A zero vector remains zero.
    fn emit_normalize(&mut self, result: &str, vector: &str) {
        self.push_line(format_args!("DP3 {result}.w, {vector}, {vector}"));
        self.push_line(format_args!("MAX {result}.w, {result}.w, value.w"));
        self.push_line(format_args!("RSQ {result}.w, {result}.w"));
        self.push_line(format_args!("MUL {result}.xyz, {vector}, {result}.w"));
    }

    /// Emits 1, the length, and its square to `temp`, from a vector and one over its length in
    /// `inverse`.
    fn emit_distance(&mut self, vector: &str, inverse: &str) {
        // DST, with the operands d d and 1 / d, returns 1, the product of both y, z of the first
        // and w of the second operand.
        self.push_line(format_args!("DP3 temp.y, {vector}, {vector}"));
        self.push_line(format_args!("DST temp, temp.y, {inverse}"));
    }

    /// Emits the vectors of eye space that `needs` lists, each to the temporary of its name: `eye`
    /// and `place`, the position before and after the division by w, `view`, the direction to the
    /// viewer, `normal`, `reflection`, and `sphere`, the sphere map coordinates.
    fn emit_eye_space(&mut self, normals: NormalScaling, needs: NeededVectors) {
        if needs.eye {
            for (row, component) in COMPONENTS.iter().enumerate() {
                self.push_line(format_args!(
                    "DP4 eye.{component}, state.matrix.modelview.row[{row}], vertex.position"
                ));
            }
        }
        if needs.euclidean_position {
            // Lights and fog use the Euclidean position: GL 2.1 section 2.14.1 divides positions by
            // their w.
            self.push_line(format_args!("RCP place.w, eye.w"));
            self.push_line(format_args!("MUL place.xyz, eye, place.w"));
        }
        if needs.view {
            self.emit_normalize("view", "-place");
        }
        if needs.normal {
            self.emit_normal(normals);
        }
        if needs.reflection {
            // u - 2 n (n . u) with u = -view.
            self.push_line(format_args!("DP3 temp.x, normal, view"));
            self.push_line(format_args!("ADD temp.x, temp.x, temp.x"));
            self.push_line(format_args!("MAD reflection.xyz, normal, temp.x, -view"));
        }
        if needs.sphere {
            // r / m + 1/2 with m = 2 |r + (0, 0, 1)|.
            self.push_line(format_args!("ADD temp.xyz, reflection, value.xxzx"));
            self.push_line(format_args!("DP3 temp.w, temp, temp"));
            self.push_line(format_args!("MAX temp.w, temp.w, value.w"));
            self.push_line(format_args!("RSQ temp.w, temp.w"));
            self.push_line(format_args!("MUL temp.w, temp.w, value.y"));
            self.push_line(format_args!("MAD sphere.xy, reflection, temp.w, value.y"));
        }
    }

    /// Emits the normal in eye space to `normal`, scaled as `scaling` specifies. GL 2.1 section
    /// 2.11.3.
    fn emit_normal(&mut self, scaling: NormalScaling) {
        for (row, component) in COMPONENTS.iter().take(3).enumerate() {
            self.push_line(format_args!(
                // As a row vector the normal is multiplied by the inverse; the rows of its
                // transpose are the columns of the inverse.
                "DP3 normal.{component}, state.matrix.modelview.invtrans.row[{row}], vertex.normal"
            ));
        }
        match scaling {
            NormalScaling::None => {}
            NormalScaling::Rescale => {
                // One over the length of the third row of the inverse.
                let row = "state.matrix.modelview.inverse.row[2]";
                self.push_line(format_args!("DP3 normal.w, {row}, {row}"));
                self.push_line(format_args!("RSQ normal.w, normal.w"));
                self.push_line(format_args!("MUL normal.xyz, normal, normal.w"));
            }
            NormalScaling::Normalize => self.emit_normalize("normal", "normal"),
        }
    }

    /// Emits the lighting equation for each enabled light and face, and writes the result colors;
    /// the secondary color is black unless it is the specular one. GL 2.1 section 2.14.1.
    fn emit_lighting(&mut self, lighting: &LightingKey) {
        // The vector to a light, its attenuation and the half vector do not depend on the face:
        // they are computed once for both.
        let faces: &[Face] = if lighting.two_sided {
            &[Face::Front, Face::Back]
        } else {
            &[Face::Front]
        };
        for face in faces {
            self.emit_scene_color(lighting, *face);
        }
        for (number, light) in lighting.lights.iter().enumerate() {
            if !light.enabled {
                continue;
            }
            self.emit_light_direction(number, *light);
            let has_factor = self.emit_light_factor(number, *light);
            let half = self.emit_half_vector(lighting, number, *light);
            for face in faces {
                let shininess = find_generic_attribute(lighting, *face, SHININESS);
                self.emit_reflection(*face, &half, has_factor, shininess);
                self.emit_light(lighting, number, *face);
            }
        }
        for face in faces {
            let face_name = get_face_name(*face);
            self.push_line(format_args!(
                "MOV result.color.{face_name}.primary, {face_name}"
            ));
            let secondary = if lighting.separate_specular {
                format!("{face_name}_specular")
            } else {
                "value.xxxz".to_owned()
            };
            self.push_line(format_args!(
                "MOV result.color.{face_name}.secondary, {secondary}"
            ));
        }
    }

    /// Emits the color of a face without lights to the temporary of the face: e_cm + a_cm a_cs,
    /// with the alpha of the diffuse color. Clears the separate specular color, if there is one.
    fn emit_scene_color(&mut self, lighting: &LightingKey, face: Face) {
        let face_name = get_face_name(face);
        let attribute = |term| find_material_attribute(lighting, face, term);
        let emission = attribute(MaterialMode::Emission);
        match (attribute(MaterialMode::Ambient), emission) {
            (Some(ambient), emission) => {
                let emission =
                    emission.unwrap_or_else(|| format!("state.material.{face_name}.emission"));
                self.push_line(format_args!(
                    "MAD {face_name}.xyz, {ambient}, state.lightmodel.ambient, {emission}"
                ));
            }
            (None, Some(emission)) => {
                self.push_line(format_args!("MOV temp, state.material.{face_name}.ambient"));
                self.push_line(format_args!(
                    "MAD {face_name}.xyz, temp, state.lightmodel.ambient, {emission}"
                ));
            }
            (None, None) => self.push_line(format_args!(
                "MOV {face_name}.xyz, state.lightmodel.{face_name}.scenecolor"
            )),
        }
        let diffuse = attribute(MaterialMode::Diffuse);
        let diffuse = diffuse.unwrap_or_else(|| format!("state.material.{face_name}.diffuse"));
        // GL 2.1 section 2.14.1: the alpha of a lit color is that of the diffuse material alone.
        self.push_line(format_args!("MOV {face_name}.w, {diffuse}.w"));
        if lighting.separate_specular {
            self.push_line(format_args!("MOV {face_name}_specular, value.xxxz"));
        }
    }

    /// Emits the diffuse and specular factors of a light for a face to `lit`: 1, n . VP, and n . h
    /// to the power of the shininess, or 0 if the light is not in front of the surface; multiplied
    /// by `factor` if `has_factor` is set. GL 2.1 section 2.14.1.
    fn emit_reflection(
        &mut self,
        face: Face,
        half: &str,
        has_factor: bool,
        shininess: Option<String>,
    ) {
        // Back colors use the reversed normal. LIT returns z 0 if x, which is n . VP, is not
        // positive: that is f of the lighting equation.
        let (face_name, sign) = match face {
            Face::Front => ("front", ""),
            Face::Back => ("back", "-"),
        };
        self.push_line(format_args!("DP3 temp.x, {sign}normal, light"));
        self.push_line(format_args!("DP3 temp.y, {sign}normal, {half}"));
        let shininess =
            shininess.unwrap_or_else(|| format!("state.material.{face_name}.shininess"));
        self.push_line(format_args!("MOV temp.w, {shininess}.x"));
        self.push_line(format_args!("LIT lit, temp"));
        if has_factor {
            self.push_line(format_args!("MUL lit.xyz, lit, factor.x"));
        }
    }

    /// Emits the addition of the ambient, diffuse and specular terms of a light, by the factors in
    /// `lit`, to the colors of a face. GL 2.1 section 2.14.1.
    fn emit_light(&mut self, lighting: &LightingKey, light_index: usize, face: Face) {
        let face_name = get_face_name(face);
        let specular = if lighting.separate_specular {
            "_specular"
        } else {
            ""
        };
        // Ambient light is not weighted by the normal: lane x of `lit` is 1, or the attenuation.
        for (term, name, lane, sum) in [
            (MaterialMode::Ambient, "ambient", "x", ""),
            (MaterialMode::Diffuse, "diffuse", "y", ""),
            (MaterialMode::Specular, "specular", "z", specular),
        ] {
            let color = match find_material_attribute(lighting, face, term) {
                Some(material) => {
                    self.push_line(format_args!(
                        "MUL temp.xyz, {material}, state.light[{light_index}].{name}"
                    ));
                    "temp".to_owned()
                }
                None => format!("state.lightprod[{light_index}].{face_name}.{name}"),
            };
            self.push_line(format_args!(
                "MAD {face_name}{sum}.xyz, lit.{lane}, {color}, {face_name}{sum}"
            ));
        }
    }

    /// Emits the unit vector from the vertex to the light to `light`; w is one over the distance of
    /// a positional light, whose vector remains in `half`.
    fn emit_light_direction(&mut self, light_index: usize, light: LightKey) {
        let position = format!("state.light[{light_index}].position");
        if light.positional {
            // The vector to the light is the difference of two points; the vector before
            // normalization remains in `half`, for the distance.
            self.push_line(format_args!("RCP light.w, {position}.w"));
            self.push_line(format_args!("MAD half.xyz, {position}, light.w, -place"));
            self.emit_normalize("light", "half");
        } else {
            self.emit_normalize("light", &position)
        }
    }

    /// Emits attenuation and spot to `factor`; returns false, and emits nothing, if there are none.
    /// For a positional light `half` must be the vector that [`Self::emit_light_direction`] has
    /// stored.
    fn emit_light_factor(&mut self, light_index: usize, light: LightKey) -> bool {
        let attenuation = format!("state.light[{light_index}].attenuation");
        let attenuated = light.positional && light.attenuated;
        if attenuated {
            self.emit_distance("half", "light.w");
            // 1 / (k0 + k1 d + k2 d d) for a light at the distance d.
            self.push_line(format_args!("DP3 factor.x, temp, {attenuation}"));
            self.push_line(format_args!("RCP factor.x, factor.x"));
        }
        if light.spot {
            let direction = format!("state.light[{light_index}].spot.direction");
            self.emit_normalize("spot", &direction);
            // The power of the cosine, 1 for the power 0, as in LIT; 0 outside of the cone, whose
            // cosine is not negative.
            self.push_line(format_args!("DP3 temp.y, -light, spot"));
            self.push_line(format_args!("MOV temp.x, value.z"));
            self.push_line(format_args!("MOV temp.w, {attenuation}.w"));
            self.push_line(format_args!("LIT lit, temp"));
            self.push_line(format_args!("SGE temp.z, temp.y, {direction}.w"));
            if attenuated {
                self.push_line(format_args!("MUL temp.z, temp.z, lit.z"));
                self.push_line(format_args!("MUL factor.x, factor.x, temp.z"));
            } else {
                self.push_line(format_args!("MUL factor.x, temp.z, lit.z"))
            }
        }
        attenuated || light.spot
    }

    /// Emits the half vector between the directions to the light and to the eye; returns the
    /// operand that holds it, which may be GL state.
    fn emit_half_vector(
        &mut self,
        lighting: &LightingKey,
        light_index: usize,
        light: LightKey,
    ) -> String {
        if !light.positional && !lighting.local_viewer {
            return format!("state.light[{light_index}].half");
        }
        let view = if lighting.local_viewer {
            "view"
        } else {
            // A viewer at infinity is in the direction (0, 0, 1) of every vertex: GL 2.1 section
            // 2.14.1.
            "value.xxzx"
        };
        self.push_line(format_args!("ADD temp.xyz, light, {view}"));
        self.emit_normalize("half", "temp");
        "half".to_owned()
    }

    /// Emits generation and texture matrix of the coordinate sets that the fragment stage reads. GL
    /// 2.1 sections 2.11.2 and 2.11.4.
    fn emit_texture_coordinates(&mut self, key: &FixedVertexKey) {
        // Generated coordinates are transformed by the texture matrix like those of the
        // application: generation comes first.
        for (number, set) in key.tex_coord_sets.iter().enumerate() {
            if !set.is_read {
                continue;
            }
            let result = format!("result.texcoord[{number}]");
            let target = if set.has_texture_matrix {
                "coord"
            } else {
                result.as_str()
            };
            let modes: [TexGenMode; 4] = std::array::from_fn(|place| {
                resolve_texgen_mode(set.generation_modes[place], place)
            });
            self.emit_copied_coordinates(target, number, modes);
            self.emit_linear_coordinates(target, number, modes);
            if !set.has_texture_matrix {
                continue;
            }
            for (row, component) in COMPONENTS.iter().enumerate() {
                self.push_line(format_args!(
                    "DP4 {result}.{component}, state.matrix.texture[{number}].row[{row}], coord"
                ));
            }
        }
    }

    /// Emits the coordinates of a set that are components of vectors to `target`: those of the
    /// application and those of the sphere, reflection and normal maps.
    fn emit_copied_coordinates(&mut self, target: &str, set: usize, modes: [TexGenMode; 4]) {
        let own = format!("vertex.texcoord[{set}]");
        for (mode, vector) in [
            (TexGenMode::None, own.as_str()),
            (TexGenMode::SphereMap, "sphere"),
            (TexGenMode::ReflectionMap, "reflection"),
            (TexGenMode::NormalMap, "normal"),
        ] {
            let matching = modes.iter().zip(COMPONENTS).filter(|(it, _)| **it == mode);
            let mask: String = matching.map(|(_, component)| component).collect();
            if !mask.is_empty() {
                self.push_line(format_args!("MOV {target}.{mask}, {vector}"));
            }
        }
    }

    /// Emits the coordinates of a set that are products of the position with object or eye planes
    /// to `target`.
    fn emit_linear_coordinates(&mut self, target: &str, set: usize, modes: [TexGenMode; 4]) {
        for (coordinate, mode) in modes.into_iter().enumerate() {
            let (vector, space) = match mode {
                TexGenMode::ObjectLinear => ("vertex.position", "object"),
                TexGenMode::EyeLinear => ("eye", "eye"),
                TexGenMode::None
                | TexGenMode::SphereMap
                | TexGenMode::ReflectionMap
                | TexGenMode::NormalMap => continue,
            };
            let (component, letter) = (COMPONENTS[coordinate], COORDINATES[coordinate]);
            self.push_line(format_args!(
                "DP4 {target}.{component}, {vector}, state.texgen[{set}].{space}.{letter}"
            ));
        }
    }

    /// Emits the fog coordinate as a result: a distance in eye space, or that of the application.
    /// GL 2.1 section 3.10 and NV_fog_distance.
    fn emit_fog_coordinate(&mut self, source: FogSource) {
        match source {
            // GL 2.1 specifies the distance from the eye and allows |z| of eye space instead, which
            // is the initial mode of NV_fog_distance.
            FogSource::FragmentDepth => {
                self.push_line(format_args!("ABS result.fogcoord.x, place.z"))
            }
            FogSource::EyePlane => self.push_line(format_args!("MOV result.fogcoord.x, place.z")),
            FogSource::EyeRadial => {
                // The square of the length times one over the length: 0 for the eye itself.
                self.push_line(format_args!("DP3 temp.x, place, place"));
                self.push_line(format_args!("MAX temp.y, temp.x, value.w"));
                self.push_line(format_args!("RSQ temp.y, temp.y"));
                self.push_line(format_args!("MUL result.fogcoord.x, temp.x, temp.y"));
            }
            FogSource::FogCoord => {
                self.push_line(format_args!("MOV result.fogcoord.x, vertex.fogcoord.x"));
            }
        }
    }

    /// Emits the point size, attenuated by the distance and limited, as a result: GL 2.1 section
    /// 3.3.
    fn emit_point_size(&mut self) {
        // size * sqrt(1 / (a + b d + c d d)), within the limits; RSQ computes the reciprocal root.
        self.emit_normalize("temp", "place");
        self.push_line(format_args!("MOV coord.w, temp.w"));
        self.emit_distance("place", "coord.w");
        self.push_line(format_args!("DP3 temp.x, temp, state.point.attenuation"));
        self.push_line(format_args!("RSQ temp.x, temp.x"));
        self.push_line(format_args!("MUL temp.x, temp.x, state.point.size.x"));
        self.push_line(format_args!("MAX temp.x, temp.x, state.point.size.y"));
        self.push_line(format_args!(
            "MIN result.pointsize.x, temp.x, state.point.size.z"
        ));
    }
}
