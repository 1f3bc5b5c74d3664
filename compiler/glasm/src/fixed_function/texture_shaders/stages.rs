//! Instructions of texture shader stages: NV_texture_shader section 3.8.13.1.
//!
//! The result of stage n is in the temporary `rn`, its dot product in `dn.x`, its texel in a
//! temporary that the caller names. Lookups precede the instructions that discard the fragment, so
//! that derivatives of coordinates are defined.

use super::super::program_text::{ComputedTexels, ProgramText};
use super::consistency::{find_consistent_stages, find_result_type};
use super::operations::{OffsetForm, OperationKind};
use super::{
    BaseFormat, CullMode, DotProductMapping, MAX_TEXTURE_UNITS, TextureFormatType,
    TextureShaderKey, TextureShaderStage, TextureTarget, compute_parameter_index,
};

/// Temporaries other than those of stages.
const TEMPORARIES: [&str; 7] = ["coord", "vec", "normal", "eye", "scalar", "depth", "cull"];

/// Names of components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Texture shader stages under construction. Without stages in the key, enabled units have
/// conventional textures.
pub(super) struct StageBuilder<'a> {
    text: ProgramText,
    key: &'a TextureShaderKey,
    /// Stages of the key, or those that are equivalent to conventional texturing.
    stages: [TextureShaderStage; MAX_TEXTURE_UNITS],
    /// Bit n: stage n is consistent.
    consistent: u8,
    /// Returns the name of the texel of a unit.
    name_texel: fn(usize) -> String,
    /// Instructions that follow all lookups.
    discards: Vec<String>,
    /// Bit n: the texture environment of unit n does not apply.
    passing_units: u8,
}

impl<'a> StageBuilder<'a> {
    /// Returns a builder without instructions.
    pub(super) fn new(key: &'a TextureShaderKey, name_texel: fn(usize) -> String) -> Self {
        Self {
            text: ProgramText::default(),
            key,
            stages: key.stages.unwrap_or_default(),
            consistent: find_consistent_stages(key),
            name_texel,
            discards: Vec::new(),
            passing_units: key.passing_units,
        }
    }

    /// Returns the texels of all units: of stages, or of conventional textures.
    pub(super) fn build_texels(mut self) -> ComputedTexels {
        for number in 0..MAX_TEXTURE_UNITS {
            if self.key.stages.is_some() {
                self.emit_stage(number);
            } else if self.key.fragment.texture_units[number].target.is_some() {
                self.emit_conventional_lookup(number);
            } else {
                self.emit_texel(number, "0");
            }
        }
        for line in std::mem::take(&mut self.discards) {
            self.emit(&line);
        }
        let units = 0..MAX_TEXTURE_UNITS;
        let results = units.flat_map(|number| [format!("r{number}"), format!("d{number}")]);
        let others = TEMPORARIES.iter().map(|name| (*name).to_owned());
        ComputedTexels {
            text: self.text,
            temporaries: results.chain(others).collect(),
            passing_units: self.passing_units,
        }
    }

    /// Appends an instruction, in which `{sat}` is replaced by `_SAT`, unless colors are not
    /// clamped.
    fn emit(&mut self, line: &str) {
        let clamps = !self.key.fragment.unclamped_colors;
        let line = line.replace("{sat}", if clamps { "_SAT" } else { "" });
        self.text.push_line(format_args!("{line}"));
    }

    /// Emits the texel of a unit.
    fn emit_texel(&mut self, number: usize, value: &str) {
        let texel = (self.name_texel)(number);
        self.emit(&format!("MOV {texel}, {value}"));
    }

    /// Emits a texel of zeros, for which the texture environment does not apply.
    fn emit_no_texel(&mut self, number: usize) {
        self.passing_units |= 1 << number;
        self.emit_texel(number, "0");
    }

    /// Emits the operation of a stage: its result and its texel. Table 3.D.
    fn emit_stage(&mut self, number: usize) {
        let kind = self.stages[number].operation.properties().0;
        if self.consistent >> number & 1 == 0 {
            return self.emit_no_texel(number);
        }
        if kind.has_product() {
            self.emit_product(number);
        }
        match kind {
            OperationKind::None | OperationKind::DotProduct => self.emit_no_texel(number),
            OperationKind::CullFragment => self.push_cull(number),
            OperationKind::DepthReplace | OperationKind::AffineDepthReplace => {
                self.push_depth(number, kind);
            }
            OperationKind::Texture => self.emit_conventional_lookup(number),
            OperationKind::PassThrough => {
                self.emit(&format!("MOV_SAT r{number}, fragment.texcoord[{number}]"));
                self.emit_texel(number, &format!("r{number}"));
            }
            OperationKind::DotProductPassThrough => {
                self.emit(&format!("MOV_SAT r{number}, d{number}.x"));
                self.emit_texel(number, &format!("r{number}"));
            }
            OperationKind::Offset(form) => self.emit_offset(number, form),
            OperationKind::DependentAlphaRed => self.emit_dependent_lookup(number, "wxyz"),
            OperationKind::DependentGreenBlue => self.emit_dependent_lookup(number, "yzzw"),
            OperationKind::DependentHilo => self.emit_dependent_lookup(number, "xyzw"),
            OperationKind::DependentRgb => self.emit_color_lookup(number),
            OperationKind::DotProductTexture(count) => {
                self.emit_vector("coord", number + 1 - usize::from(count), count.into());
                self.emit_lookup(number);
            }
            OperationKind::Diffuse => {
                // The dot product of the next stage is computed twice: here it is needed first.
                self.emit_product(number + 1);
                self.emit_vector("coord", number - 1, 3);
                self.emit_lookup(number);
            }
            OperationKind::Reflect | OperationKind::ConstantEyeReflect => {
                self.emit_reflection(number, kind);
            }
        }
    }

    /// Emits the lookup of a conventional texture: s, t and r are divided by q, except for cube
    /// maps.
    fn emit_conventional_lookup(&mut self, number: usize) {
        let unit = self.key.fragment.texture_units[number];
        if let Some((opcode, target)) = unit.get_lookup() {
            let saturation = self.get_saturation(number);
            let coordinates = format!("fragment.texcoord[{number}]");
            let (opcode, coordinates) = if opcode == "TXP" && target.starts_with("SHADOW") {
                self.emit_quotient("coord", &coordinates, &format!("{coordinates}.w"));
                ("TEX", "coord".to_owned())
            } else {
                (opcode, coordinates)
            };
            self.emit(&format!(
                "{opcode}{saturation} r{number}, {coordinates}, texture[{number}], {target}"
            ));
            self.emit_result(number);
        }
    }

    /// Emits the quotient of a vector and a scalar. Depths that are compared with replaced depths
    /// must be divided in the same way as these: the reciprocal is rounded before the product is.
    fn emit_quotient(&mut self, result: &str, dividend: &str, divisor: &str) {
        self.emit(&format!("RCP scalar.x, {divisor}"));
        self.emit(&format!("MUL {result}, {dividend}, scalar.x"));
    }

    /// Emits the lookup of a texture with the coordinates in `coord`, which have no divisor. Depths
    /// are compared with 0: no specification defines the third coordinate of these operations.
    fn emit_lookup(&mut self, number: usize) {
        let unit = self.key.fragment.texture_units[number];
        if let Some((_, target)) = unit.get_lookup() {
            if target.starts_with("SHADOW") {
                self.emit("MOV coord.z, 0");
            }
            let saturation = self.get_saturation(number);
            self.emit(&format!(
                "TEX{saturation} r{number}, coord, texture[{number}], {target}"
            ));
            self.emit_result(number);
        }
    }

    /// Returns the suffix of lookups: texels without signed components are clamped to [0, 1].
    fn get_saturation(&self, number: usize) -> &'static str {
        match self.key.format_types[number] {
            TextureFormatType::UnsignedRgba | TextureFormatType::UnsignedHilo => "{sat}",
            TextureFormatType::SignedRgba
            | TextureFormatType::SignedRgbUnsignedAlpha
            | TextureFormatType::SignedHilo
            | TextureFormatType::Dsdt
            | TextureFormatType::DsdtMag
            | TextureFormatType::DsdtMagIntensity => "",
        }
    }

    /// Emits what follows a lookup: components that the format type does not store, the clamping of
    /// border values of unsigned components, and the texel. Tables 3.D and 3.E.
    fn emit_result(&mut self, number: usize) {
        let base_format = self.key.fragment.texture_units[number].base_format;
        let has_depths = self.key.depth_texture_mask >> number & 1 != 0;
        if base_format == BaseFormat::Alpha && !has_depths && self.key.stages.is_some() {
            self.emit(&format!("MOV r{number}.xyz, 1"));
        }
        match self.key.format_types[number] {
            TextureFormatType::UnsignedRgba | TextureFormatType::SignedRgba => {
                self.emit_texel(number, &format!("r{number}"));
            }
            TextureFormatType::SignedRgbUnsignedAlpha => {
                self.emit(&format!("MAX r{number}.w, r{number}, 0"));
                self.emit_texel(number, &format!("r{number}"));
            }
            TextureFormatType::UnsignedHilo => {
                self.emit(&format!("MOV r{number}.z, 1"));
                self.emit_no_texel(number);
            }
            TextureFormatType::SignedHilo => {
                self.emit_hemisphere(number);
                self.emit_no_texel(number);
            }
            TextureFormatType::Dsdt => self.emit_no_texel(number),
            TextureFormatType::DsdtMag => {
                self.emit(&format!("MAX r{number}.z, r{number}, 0"));
                self.emit_no_texel(number);
            }
            TextureFormatType::DsdtMagIntensity => {
                self.emit(&format!("MAX r{number}.zw, r{number}, 0"));
                self.emit_texel(number, &format!("r{number}.w"));
            }
        }
    }

    /// Emits the third component of a signed HILO result, sqrt(max(0, 1 - HI HI - LO LO)). The
    /// least argument of the square root is greater than 0, because that of `RSQ` must be.
    fn emit_hemisphere(&mut self, number: usize) {
        self.emit(&format!("MUL scalar.xy, r{number}, r{number}"));
        self.emit("ADD scalar.x, scalar.x, scalar.y");
        self.emit("SUB scalar.x, 1, scalar.x");
        self.emit("MAX scalar.x, scalar.x, 1e-30");
        self.emit("RSQ scalar.y, scalar.x");
        self.emit(&format!("MUL r{number}.z, scalar.x, scalar.y"));
    }

    /// Emits the dot product of a stage. Section 3.8.13.1.14.
    fn emit_product(&mut self, number: usize) {
        let stage = self.stages[number];
        let previous = usize::from(stage.previous_input);
        let operation = self.stages[previous].operation;
        let format_type = self.key.format_types[previous];
        let result = find_result_type(operation, format_type);
        let is_unsigned = result == Some(TextureFormatType::UnsignedRgba);
        let vector = match stage.mapping {
            DotProductMapping::ExpandNormal if is_unsigned => {
                self.emit(&format!("MAD vec.xyz, r{previous}, 2, -1"));
                "vec".to_owned()
            }
            DotProductMapping::ForceBlueToOne if is_unsigned => {
                self.emit(&format!("MOV vec.xyz, r{previous}"));
                self.emit("MOV vec.z, 1");
                "vec".to_owned()
            }
            DotProductMapping::UnsignedIdentity
            | DotProductMapping::ExpandNormal
            | DotProductMapping::ForceBlueToOne => format!("r{previous}"),
        };
        self.emit(&format!(
            "DP3 d{number}.x, fragment.texcoord[{number}], {vector}"
        ));
    }

    /// Emits the vector of `count` dot products, from that of the stage `first` on.
    fn emit_vector(&mut self, name: &str, first: usize, count: usize) {
        for (component, number) in COMPONENTS.iter().zip(first..first + count) {
            self.emit(&format!("MOV {name}.{component}, d{number}.x"));
        }
    }

    /// Emits an operation that offsets s and t. Sections 3.8.13.1.8 to 3.8.13.1.11 and 3.8.13.1.24
    /// to
    /// 3.8.13.1.31.
    fn emit_offset(&mut self, number: usize, form: OffsetForm) {
        let previous = self.stages[number].previous_input;
        let matrix = compute_parameter_index(number, 0);
        let coordinates = format!("fragment.texcoord[{number}]");
        if form.is_projective {
            self.emit_quotient("coord.xy", &coordinates, &format!("{coordinates}.w"));
        } else {
            self.emit(&format!("MOV coord.xy, {coordinates}"));
        }
        self.emit(&format!(
            "MAD coord.xy, r{previous}.x, program.local[{matrix}], coord"
        ));
        self.emit(&format!(
            "MAD coord.xy, r{previous}.y, program.local[{matrix}].zwzw, coord"
        ));
        self.emit_lookup(number);
        if form.is_scaled {
            // The result of the stage is the texel before the scale.
            let parameter = format!("program.local[{}]", compute_parameter_index(number, 1));
            self.emit(&format!(
                "MAD_SAT scalar.x, r{previous}.z, {parameter}.x, {parameter}.y"
            ));
            let texel = (self.name_texel)(number);
            self.emit(&format!("MUL {texel}.xyz, {texel}, scalar.x"));
        }
    }

    /// Emits a lookup with components of the previous texture input, by a swizzle. Sections
    /// 3.8.13.1.12, 3.8.13.1.13 and 3.8.13.1.32.
    fn emit_dependent_lookup(&mut self, number: usize, swizzle: &str) {
        let previous = self.stages[number].previous_input;
        self.emit(&format!("MOV coord, r{previous}.{swizzle}"));
        self.emit_lookup(number);
    }

    /// Emits a lookup with the color of the previous texture input: unsigned ones are vectors for
    /// cube maps. Sections 3.8.13.1.33 and 3.8.13.1.34.
    fn emit_color_lookup(&mut self, number: usize) {
        let stage = self.stages[number];
        let previous = usize::from(stage.previous_input);
        let is_unsigned = find_result_type(
            self.stages[previous].operation,
            self.key.format_types[previous],
        ) == Some(TextureFormatType::UnsignedRgba);
        if is_unsigned && stage.operation.texture_target() == Some(TextureTarget::Cube) {
            self.emit(&format!("MAD coord, r{previous}, 2, -1"));
            self.emit_lookup(number);
        } else {
            self.emit_dependent_lookup(number, "xyzw");
        }
    }

    /// Emits a lookup with the reflection of the eye vector: 2 (N E) / (N N) N - E. Sections
    /// 3.8.13.1.18 and 3.8.13.1.19.
    fn emit_reflection(&mut self, number: usize, kind: OperationKind) {
        self.emit_vector("normal", number - 2, 3);
        if kind == OperationKind::Reflect {
            for (component, stage) in COMPONENTS.iter().zip(number - 2..=number) {
                self.emit(&format!(
                    "MOV eye.{component}, fragment.texcoord[{stage}].w"
                ));
            }
        } else {
            let parameter = compute_parameter_index(number, 2);
            self.emit(&format!("MOV eye.xyz, program.local[{parameter}]"));
        }
        self.emit("DP3 scalar.x, normal, eye");
        self.emit("DP3 scalar.y, normal, normal");
        self.emit("RCP scalar.y, scalar.y");
        self.emit("MUL scalar.x, scalar.x, scalar.y");
        self.emit("ADD scalar.x, scalar.x, scalar.x");
        self.emit("MAD coord.xyz, normal, scalar.x, -eye");
        self.emit_lookup(number);
    }

    /// Adds the comparisons of texture coordinates, which discard the fragment. `KIL` compares with
    /// 0. Section 3.8.13.1.7.
    fn push_cull(&mut self, number: usize) {
        let coordinates = format!("fragment.texcoord[{number}]");
        // 1/2 for components that are less than 0, otherwise -1/2.
        self.discards.push(format!("SLT cull, {coordinates}, 0"));
        self.discards.push("SUB cull, cull, 0.5".to_owned());
        for (component, mode) in COMPONENTS.iter().zip(self.stages[number].cull_modes) {
            if mode == CullMode::GreaterEqual {
                self.discards
                    .push(format!("MOV cull.{component}, -cull.{component}"));
            }
        }
        self.discards.push("KIL cull".to_owned());
        self.emit_no_texel(number);
    }

    /// Emits the depth of the fragment, and adds the instructions that write it and discard the
    /// fragment if it is outside of the depth range. Sections 3.8.13.1.21 and 3.8.13.1.37.
    fn push_depth(&mut self, number: usize, kind: OperationKind) {
        if kind == OperationKind::DepthReplace {
            let dividend = format!("d{}.x", number - 1);
            self.emit_quotient("depth.x", &dividend, &format!("d{number}.x"));
        } else {
            self.emit(&format!("MOV depth.x, d{number}.x"));
        }
        let lines = [
            "MIN scalar.x, state.depth.range.x, state.depth.range.y",
            "MAX scalar.y, state.depth.range.x, state.depth.range.y",
            "MOV cull, 0",
            "SUB cull.x, depth, scalar",
            "SUB cull.y, scalar.y, depth.x",
            "KIL cull",
            "MOV result.depth.z, depth.x",
        ];
        self.discards.extend(lines.map(str::to_owned));
        self.emit_no_texel(number);
    }
}
