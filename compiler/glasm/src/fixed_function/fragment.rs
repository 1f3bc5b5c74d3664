//! GL's texturing, color sum and fog as a program.
//!
//! All textures are looked up first, in `texel0` and so on; then the units modify `color` in order.
//! Each writes red, green and blue before alpha, because these read the old alpha.

use super::program_text::{ComputedTexels, ProgramText};
use super::{
    BaseFormat, Combine, CombineArgument, CombineFunction, CombineOperand, CombineScale,
    CombineSource, Combiner, FixedFragmentKey, FogMode, MAX_TEXTURE_UNITS, TextureEnvironment,
    TextureTarget, TextureUnit,
};

/// Returns the source of the ARB fragment program of GL's texturing, color sum and fog. GL 2.1
/// sections 3.8.13 to 3.10.
pub fn generate_fragment_program(key: &FixedFragmentKey) -> String {
    generate_program(key, None)
}

/// Returns the source of the program of GL's texture environments, color sum and fog. `texels` are
/// the texels of the units, which may be negative; `None` if the textures of the units are looked
/// up, and all colors are in [0, 1].
pub(super) fn generate_program(key: &FixedFragmentKey, texels: Option<ComputedTexels>) -> String {
    let is_signed = texels.is_some();
    let texels = texels.unwrap_or_default();
    let mut program = FragmentProgramBuilder {
        text: texels.text,
        key,
        is_signed,
        passing_units: texels.passing_units,
    };
    let head = program.build_options();
    let looked_up = program.find_sampled_units();
    let looked_up = looked_up.iter().enumerate();
    for (number, _) in looked_up.filter(|(_, used)| **used && !is_signed) {
        program.emit_lookup(number);
    }
    program.emit_line("MOV{sat} color, fragment.color");
    if program.is_source_used(CombineSource::PrimaryColor) {
        program.emit_line("MOV primary, color");
    }
    for number in 0..MAX_TEXTURE_UNITS {
        if program.is_unit_applied(number) {
            program.emit_unit(number);
        }
    }
    if is_signed {
        program.emit_line("MOV{sat} color, color");
    }
    if key.color_sum {
        program.emit_line("ADD{sat} color.xyz, color, fragment.color.secondary");
    }
    if key.unclamped_colors {
        program.emit_fog();
    }
    program.emit_line("MOV result.color, color");
    let own_texels: [String; MAX_TEXTURE_UNITS] = std::array::from_fn(format_texel_name);
    let names = ["color", "primary", "fog", "a0", "a1", "a2", "a3"].into_iter();
    let names = names.chain(own_texels.iter().map(String::as_str));
    let names = names.chain(texels.temporaries.iter().map(String::as_str));
    let temporaries = program.text.build_temp_declaration(names);
    let constants = if program.is_source_used(CombineSource::Zero)
        || program.is_source_used(CombineSource::One)
    {
        "PARAM unit = { 0, 1 };\n"
    } else {
        ""
    };
    let body = program.text.body;
    format!("!!ARBfp1.0\n{head}{constants}{temporaries}{body}END\n")
}

/// Returns the name of the texel of a unit.
pub(super) fn format_texel_name(unit: usize) -> String {
    format!("texel{unit}")
}

/// Returns the `OPTION` line of a program with these texture units: that of shadow targets, or an
/// empty string.
pub(super) fn build_shadow_option(key: &FixedFragmentKey) -> &'static str {
    let units = key.texture_units.iter();
    let mut accesses = units.filter_map(TextureUnit::get_lookup);
    if accesses.any(|(_, target)| target.starts_with("SHADOW")) {
        "OPTION ARB_fragment_program_shadow;\n"
    } else {
        ""
    }
}

/// Returns the instructions that compute the fog factor in `fog.x`, clamped to [0, 1]. GL 2.1
/// section 3.10.
pub(super) fn format_fog_factor(mode: FogMode) -> Vec<String> {
    if mode == FogMode::Linear {
        // (end - c) / (end - start); the parameters hold end in z and 1 / (end - start) in w.
        return vec![
            "SUB fog.x, state.fog.params.z, fragment.fogcoord.x".to_owned(),
            "MUL_SAT fog.x, fog.x, state.fog.params.w".to_owned(),
        ];
    }
    let mut lines = vec!["MUL fog.x, state.fog.params.x, fragment.fogcoord.x".to_owned()];
    if mode == FogMode::Exp2 {
        lines.push("MUL fog.x, fog.x, fog.x".to_owned());
    }
    // exp(-x) is 2^(-x log2 e): the languages only have the power of 2.
    lines.push(format!("MUL fog.x, fog.x, {}", std::f32::consts::LOG2_E));
    lines.push("EX2_SAT fog.x, -fog.x".to_owned());
    lines
}

/// A program under construction.
struct FragmentProgramBuilder<'a> {
    text: ProgramText,
    key: &'a FixedFragmentKey,
    /// Texels are in [-1, 1], and so are the results of units: NV_texture_shader section 3.8.9.
    is_signed: bool,
    /// Bit n: unit n leaves the color unchanged.
    passing_units: u8,
}

/// Components that a combiner writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CombinerChannels {
    Rgb,
    Alpha,
}

/// Returns the number of arguments of a combiner function, which are the first ones.
const fn count_arguments(function: CombineFunction) -> usize {
    match function {
        CombineFunction::Replace => 1,
        CombineFunction::Modulate
        | CombineFunction::Add
        | CombineFunction::AddSigned
        | CombineFunction::Subtract
        | CombineFunction::Dot3Rgb
        | CombineFunction::Dot3Rgba => 2,
        CombineFunction::Interpolate
        | CombineFunction::ModulateAdd
        | CombineFunction::ModulateSignedAdd
        | CombineFunction::ModulateSubtract => 3,
        CombineFunction::AddProducts | CombineFunction::AddProductsSigned => 4,
    }
}

/// Returns the sources of the arguments that the function of a combiner uses.
fn list_sources(combiner: &Combiner) -> impl Iterator<Item = CombineSource> {
    let arguments = combiner
        .arguments
        .iter()
        .take(count_arguments(combiner.function));
    arguments.map(|argument| argument.source)
}

impl Combine {
    /// Returns the sources of both combiners that they use; of the color combiner only if its
    /// function is `DOT3_RGBA`, which writes alpha, too.
    fn list_sources(&self) -> impl Iterator<Item = CombineSource> {
        let has_alpha = self.rgb.function != CombineFunction::Dot3Rgba;
        let alpha = has_alpha.then_some(&self.alpha).into_iter();
        list_sources(&self.rgb).chain(alpha.flat_map(list_sources))
    }
}

impl CombineScale {
    /// Returns the factor as a number.
    const fn factor(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

impl TextureUnit {
    /// Returns the opcode of a lookup and its target: cube maps have a direction as coordinates,
    /// which has no divisor. `None` for a disabled unit.
    pub(super) fn get_lookup(&self) -> Option<(&'static str, &'static str)> {
        // Without programs s, t and r are divided by q before the lookup. Comparisons use r / q,
        // which TXP computes as well.
        Some(match (self.target?, self.compares_depth) {
            (TextureTarget::D1, false) => ("TXP", "1D"),
            (TextureTarget::D1, true) => ("TXP", "SHADOW1D"),
            (TextureTarget::D2, false) => ("TXP", "2D"),
            (TextureTarget::D2, true) => ("TXP", "SHADOW2D"),
            (TextureTarget::D3, _) => ("TXP", "3D"),
            (TextureTarget::Cube, _) => ("TEX", "CUBE"),
            (TextureTarget::Rectangle, false) => ("TXP", "RECT"),
            (TextureTarget::Rectangle, true) => ("TXP", "SHADOWRECT"),
        })
    }

    /// Returns the combiners of the environment `COMBINE`; `None` for other environments.
    fn get_combine(&self) -> Option<&Combine> {
        match &self.environment {
            TextureEnvironment::Combine(combine) => Some(combine),
            TextureEnvironment::Modulate
            | TextureEnvironment::Replace
            | TextureEnvironment::Decal
            | TextureEnvironment::Blend
            | TextureEnvironment::Add => None,
        }
    }
}

impl FragmentProgramBuilder<'_> {
    /// Appends an instruction, in which `{sat}` is replaced by `_SAT`, unless colors are not
    /// clamped, and so is `{env}`, unless results of units may be negative.
    fn emit_line(&mut self, line: &str) {
        let suffix = |is_clamped: bool| if is_clamped { "_SAT" } else { "" };
        let clamps = !self.key.unclamped_colors;
        let line = line.replace("{sat}", suffix(clamps));
        let line = line.replace("{env}", suffix(clamps && !self.is_signed));
        self.text.push_line(format_args!("{line}"));
    }

    /// Returns the `OPTION` lines that the program needs for shadow targets and for fog of clamped
    /// colors.
    fn build_options(&self) -> String {
        let shadow = build_shadow_option(self.key);
        // The options blend clamped colors: ARB_fragment_program section 3.11.4.5.1.
        let fog = self.key.fog_mode.filter(|_| !self.key.unclamped_colors);
        let fog = fog.map(|mode| match mode {
            FogMode::Linear => "OPTION ARB_fog_linear;\n",
            FogMode::Exp => "OPTION ARB_fog_exp;\n",
            FogMode::Exp2 => "OPTION ARB_fog_exp2;\n",
        });
        format!("{shadow}{}", fog.unwrap_or_default())
    }

    /// Emits fog for colors that are not clamped, unlike the colors of the fog options; nothing
    /// without fog. The factor is clamped. GL 2.1 section 3.10, ARB_color_buffer_float issue 12.
    fn emit_fog(&mut self) {
        let Some(mode) = self.key.fog_mode else {
            return;
        };
        for line in format_fog_factor(mode) {
            self.emit_line(&line);
        }
        self.emit_line("LRP color.xyz, fog.x, color, state.fog.color");
    }

    /// Returns true if a unit is enabled; false for units that do not exist.
    fn is_unit_enabled(&self, unit_index: usize) -> bool {
        let unit = self.key.texture_units.get(unit_index);
        unit.is_some_and(|unit| unit.target.is_some())
    }

    /// Returns true if a unit modifies the color: it is enabled, and so are the units whose
    /// textures it combines. ARB_texture_env_crossbar.
    fn is_unit_applied(&self, unit_index: usize) -> bool {
        let combine = self.key.texture_units[unit_index].get_combine();
        let mut sources = combine.into_iter().flat_map(Combine::list_sources);
        self.is_unit_enabled(unit_index)
            && self.passing_units >> unit_index & 1 == 0
            && sources.all(|source| match source {
                CombineSource::TextureUnit(other) => self.is_unit_enabled(usize::from(other)),
                CombineSource::Texture
                | CombineSource::Constant
                | CombineSource::PrimaryColor
                | CombineSource::Previous
                | CombineSource::Zero
                | CombineSource::One => true,
            })
    }

    /// Returns true if a unit that modifies the color has this source in its combiners.
    fn is_source_used(&self, wanted: CombineSource) -> bool {
        (0..MAX_TEXTURE_UNITS).any(|number| {
            let combine = self.key.texture_units[number].get_combine();
            let mut sources = combine.into_iter().flat_map(Combine::list_sources);
            self.is_unit_applied(number) && sources.any(|source| source == wanted)
        })
    }

    /// Returns for each unit whether its texture is looked up: by its own environment, or by the
    /// combiners of any unit that modifies the color.
    fn find_sampled_units(&self) -> [bool; MAX_TEXTURE_UNITS] {
        std::array::from_fn(|number| {
            let unit = &self.key.texture_units[number];
            let own = self.is_unit_applied(number)
                && match unit.get_combine() {
                    Some(combine) => combine
                        .list_sources()
                        .any(|it| it == CombineSource::Texture),
                    None => true,
                };
            own || self.is_source_used(CombineSource::TextureUnit(number as u8))
        })
    }

    /// Emits the texture lookup of a unit into the temporary of its texel; nothing for a disabled
    /// unit.
    fn emit_lookup(&mut self, number: usize) {
        let Some((opcode, target)) = self.key.texture_units[number].get_lookup() else {
            return;
        };
        self.emit_line(&format!(
            "{opcode}{{sat}} texel{number}, fragment.texcoord[{number}], texture[{number}], {target}"
        ));
    }

    /// Emits the texture environment of a unit, which modifies `color`. GL 2.1 tables 3.22 and
    /// 3.23.
    fn emit_unit(&mut self, unit_index: usize) {
        let unit = self.key.texture_units[unit_index];
        let texel = format_texel_name(unit_index);
        match unit.environment {
            TextureEnvironment::Replace => self.emit_replace(unit.base_format, &texel),
            TextureEnvironment::Modulate => match unit.base_format {
                BaseFormat::Alpha => self.emit_modulate_alpha(&texel),
                BaseFormat::Luminance | BaseFormat::Rgb => {
                    self.emit_line(&format!("MUL{{env}} color.xyz, color, {texel}"));
                }
                BaseFormat::LuminanceAlpha | BaseFormat::Intensity | BaseFormat::Rgba => {
                    self.emit_line(&format!("MUL{{env}} color, color, {texel}"));
                }
            },
            TextureEnvironment::Decal => match unit.base_format {
                BaseFormat::Rgb => self.emit_line(&format!("MOV color.xyz, {texel}")),
                BaseFormat::Rgba => {
                    let weight = self.emit_weight(&texel, "a0");
                    self.emit_line(&format!("LRP{{env}} color.xyz, {weight}.w, {texel}, color"));
                }
                BaseFormat::Alpha
                | BaseFormat::Luminance
                | BaseFormat::LuminanceAlpha
                | BaseFormat::Intensity => {}
            },
            TextureEnvironment::Blend => self.emit_blend(unit.base_format, &texel, unit_index),
            TextureEnvironment::Add => self.emit_add(unit.base_format, &texel),
            TextureEnvironment::Combine(combine) => self.emit_combine(&combine, unit_index),
        }
    }

    /// Returns an operand that has the components of a color, but 0 for negative ones, which is
    /// emitted to `temporary`; the color itself if it has none, or if colors are not clamped.
    fn emit_weight(&mut self, color: &str, temporary: &str) -> String {
        if !self.is_signed || self.key.unclamped_colors {
            return color.to_owned();
        }
        self.emit_line(&format!("MAX {temporary}, {color}, 0"));
        temporary.to_owned()
    }

    /// Emits the product of color and texel for alpha only.
    fn emit_modulate_alpha(&mut self, texel: &str) {
        self.emit_line(&format!("MUL{{env}} color.w, color, {texel}"));
    }

    /// Emits the environment `REPLACE` to the components of `color` that the base format of the
    /// texture has. GL 2.1 table 3.22.
    fn emit_replace(&mut self, format: BaseFormat, texel: &str) {
        // Texels are clamped at their lookup.
        let lanes = match format {
            BaseFormat::Alpha => ".w",
            BaseFormat::Luminance | BaseFormat::Rgb => ".xyz",
            BaseFormat::LuminanceAlpha | BaseFormat::Intensity | BaseFormat::Rgba => "",
        };
        self.emit_line(&format!("MOV color{lanes}, {texel}"));
    }

    /// Emits the environment `BLEND`, which modifies `color`, for the base format of the texture:
    /// with the environment color, and alpha multiplied except for intensities. GL 2.1 table 3.23.
    fn emit_blend(&mut self, format: BaseFormat, texel: &str, unit_index: usize) {
        let lanes = match format {
            BaseFormat::Alpha => return self.emit_modulate_alpha(texel),
            BaseFormat::Luminance | BaseFormat::Rgb => ".xyz",
            BaseFormat::Intensity => "",
            BaseFormat::LuminanceAlpha | BaseFormat::Rgba => ".xyz",
        };
        let weight = self.emit_weight(texel, "a0");
        self.emit_line(&format!(
            "LRP{{env}} color{lanes}, {weight}, state.texenv[{unit_index}].color, color"
        ));
        match format {
            BaseFormat::LuminanceAlpha | BaseFormat::Rgba => self.emit_modulate_alpha(texel),
            BaseFormat::Alpha | BaseFormat::Luminance | BaseFormat::Rgb | BaseFormat::Intensity => {
            }
        }
    }

    /// Emits the environment `ADD`, which modifies `color`, for the base format of the texture:
    /// alpha is multiplied except for intensities. GL 2.1 table 3.23.
    fn emit_add(&mut self, format: BaseFormat, texel: &str) {
        let lanes = match format {
            BaseFormat::Alpha => return self.emit_modulate_alpha(texel),
            BaseFormat::Intensity => "",
            BaseFormat::Luminance
            | BaseFormat::Rgb
            | BaseFormat::LuminanceAlpha
            | BaseFormat::Rgba => ".xyz",
        };
        self.emit_line(&format!("ADD{{env}} color{lanes}, color, {texel}"));
        if self.is_signed && !self.key.unclamped_colors {
            self.emit_line(&format!("MIN color{lanes}, color, 1"));
            self.emit_line(&format!("MAX color{lanes}, color, -1"));
        }
        match format {
            BaseFormat::LuminanceAlpha | BaseFormat::Rgba => self.emit_modulate_alpha(texel),
            BaseFormat::Alpha | BaseFormat::Luminance | BaseFormat::Rgb | BaseFormat::Intensity => {
            }
        }
    }

    /// Emits the environment `COMBINE`: the combiners of color and alpha; `DOT3_RGBA` writes both.
    /// GL 2.1 section 3.8.13, table 3.24.
    fn emit_combine(&mut self, combine: &Combine, number: usize) {
        // Red, green and blue come first: alpha reads the old alpha, which they preserve, and
        // DOT3_RGBA reads their product.
        self.emit_combiner(&combine.rgb, CombinerChannels::Rgb, number);
        match combine.rgb.function {
            CombineFunction::Dot3Rgba => {
                self.emit_dot(&combine.alpha, "color.w");
            }
            CombineFunction::Replace
            | CombineFunction::Modulate
            | CombineFunction::Add
            | CombineFunction::AddSigned
            | CombineFunction::Interpolate
            | CombineFunction::Subtract
            | CombineFunction::Dot3Rgb
            | CombineFunction::ModulateAdd
            | CombineFunction::ModulateSignedAdd
            | CombineFunction::ModulateSubtract
            | CombineFunction::AddProducts
            | CombineFunction::AddProductsSigned => {
                self.emit_combiner(&combine.alpha, CombinerChannels::Alpha, number);
            }
        }
    }

    /// Emits a combiner for color or alpha of a unit: the function of its arguments, scaled and
    /// clamped, into the channels of `color`. Dot products remain in `a2`, for alpha.
    fn emit_combiner(&mut self, combiner: &Combiner, lanes: CombinerChannels, unit_index: usize) {
        let count = count_arguments(combiner.function);
        let used = combiner.arguments.iter().take(count);
        let mut names = [const { String::new() }; 4];
        let temporaries = ["a0", "a1", "a2", "a3"];
        for ((name, argument), temporary) in names.iter_mut().zip(used).zip(temporaries) {
            *name = self.emit_argument(*argument, (lanes, unit_index), temporary);
        }
        let [a0, a1, a2, a3] = names;
        let result = match lanes {
            CombinerChannels::Rgb => "color.xyz",
            CombinerChannels::Alpha => "color.w",
        };
        let scale = combiner.scale.factor();
        // Scaled results are clamped after scaling.
        let sat = if scale == 1 { "{sat}" } else { "" };
        match (combiner.function, lanes) {
            (CombineFunction::Replace, _) => self.emit_line(&format!("MOV{sat} {result}, {a0}")),
            (CombineFunction::Modulate, _)
            | (CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba, CombinerChannels::Alpha) => {
                self.emit_line(&format!("MUL{sat} {result}, {a0}, {a1}"));
            }
            (CombineFunction::Add, _) => self.emit_line(&format!("ADD{sat} {result}, {a0}, {a1}")),
            (CombineFunction::AddSigned, _) => {
                self.emit_line(&format!("ADD {result}, {a0}, {a1}"));
                self.emit_line(&format!("SUB{sat} {result}, color, 0.5"));
            }
            (CombineFunction::Interpolate, _) => {
                self.emit_line(&format!("LRP{sat} {result}, {a2}, {a0}, {a1}"));
            }
            (CombineFunction::Subtract, _) => {
                self.emit_line(&format!("SUB{sat} {result}, {a0}, {a1}"));
            }
            (CombineFunction::ModulateAdd, _) => {
                self.emit_line(&format!("MAD{sat} {result}, {a0}, {a2}, {a1}"));
            }
            (CombineFunction::ModulateSignedAdd, _) => {
                self.emit_line(&format!("MAD {result}, {a0}, {a2}, {a1}"));
                self.emit_line(&format!("SUB{sat} {result}, color, 0.5"));
            }
            (CombineFunction::ModulateSubtract, _) => {
                self.emit_line(&format!("MAD{sat} {result}, {a0}, {a2}, -{a1}"));
            }
            // The first product needs a temporary: the arguments may be the color itself.
            (CombineFunction::AddProducts, _) => {
                self.emit_line(&format!("MUL a0, {a0}, {a1}"));
                self.emit_line(&format!("MAD{sat} {result}, {a2}, {a3}, a0"));
            }
            (CombineFunction::AddProductsSigned, _) => {
                self.emit_line(&format!("MUL a0, {a0}, {a1}"));
                self.emit_line(&format!("MAD {result}, {a2}, {a3}, a0"));
                self.emit_line(&format!("SUB{sat} {result}, color, 0.5"));
            }
            // For arguments in [0, 1] that represent vectors of [-1, 1], (2 a0 - 1) . (2 a1 - 1),
            // which is 4 (a0 - 1/2) . (a1 - 1/2).
            (CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba, CombinerChannels::Rgb) => {
                self.emit_line(&format!("SUB a0.xyz, {a0}, 0.5"));
                self.emit_line(&format!("SUB a1.xyz, {a1}, 0.5"));
                self.emit_line("DP3 a2, a0, a1");
                return self.emit_dot(combiner, result);
            }
        }
        if scale != 1 {
            self.emit_line(&format!("MUL{{sat}} {result}, color, {scale}"));
        }
    }

    /// Emits four times the dot product, which is in `a2`, with the scale of a combiner, clamped,
    /// to `result`.
    fn emit_dot(&mut self, combiner: &Combiner, result: &str) {
        let factor = 4 * combiner.scale.factor();
        self.emit_line(&format!("MUL{{sat}} {result}, a2, {factor}"));
    }

    /// Returns an argument as an operand; one minus a color is emitted to `temporary`. GL 2.1
    /// tables 3.25 and 3.26.
    fn emit_argument(
        &mut self,
        argument: CombineArgument,
        (lanes, unit_index): (CombinerChannels, usize),
        temporary: &str,
    ) -> String {
        let source = match argument.source {
            CombineSource::Texture => format_texel_name(unit_index),
            CombineSource::TextureUnit(other) => format_texel_name(usize::from(other)),
            CombineSource::Constant => format!("state.texenv[{unit_index}].color"),
            CombineSource::PrimaryColor => "primary".to_owned(),
            CombineSource::Previous => "color".to_owned(),
            CombineSource::Zero => "unit.x".to_owned(),
            CombineSource::One => "unit.y".to_owned(),
        };
        let is_constant = matches!(argument.source, CombineSource::Zero | CombineSource::One);
        let (suffix, inverted) = match argument.operand {
            CombineOperand::Color => ("", false),
            CombineOperand::OneMinusColor => ("", true),
            CombineOperand::Alpha => (".w", false),
            CombineOperand::OneMinusAlpha => (".w", true),
        };
        // Operands of alpha combiners read alpha in all modes: table 3.26 has no others.
        let suffix = match lanes {
            _ if is_constant => "",
            CombinerChannels::Rgb => suffix,
            CombinerChannels::Alpha => ".w",
        };
        let source = match argument.source {
            CombineSource::Texture
            | CombineSource::TextureUnit(_)
            | CombineSource::PrimaryColor
            | CombineSource::Previous => self.emit_weight(&source, temporary),
            CombineSource::Constant | CombineSource::Zero | CombineSource::One => source,
        };
        if inverted {
            self.emit_line(&format!("SUB {temporary}, 1, {source}{suffix}"));
            temporary.to_owned()
        } else {
            format!("{source}{suffix}")
        }
    }
}
