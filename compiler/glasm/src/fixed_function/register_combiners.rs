//! Register combiners as a program: NV_register_combiners, NV_register_combiners2.
//!
//! A fragment passes through general combiner stages, each of which replaces registers by products
//! and sums of mapped registers, and through the final combiner, which computes its color. The
//! constant colors are local parameters of the program: they change without a new program.

use super::enumerants::enumerants;
use super::fragment::{build_shadow_option, format_fog_factor};
use super::program_text::{ComputedTexels, ProgramText};
use super::{BaseFormat, FixedFragmentKey, MAX_TEXTURE_UNITS, TextureTarget, TextureUnit};

/// Number of general combiner stages (`MAX_GENERAL_COMBINERS_NV`).
pub const MAX_GENERAL_COMBINERS: usize = 8;

/// Number of local parameters of a program that [`generate_combiner_program`] returns:
/// `CONSTANT_COLOR0_NV` and `CONSTANT_COLOR1_NV`, then those of each general combiner stage.
pub const COMBINER_CONSTANTS: usize = 2 + 2 * MAX_GENERAL_COMBINERS;

enumerants! {
    /// Registers: table NV_register_combiners.1, and the two pseudo-registers of the final
    /// combiner.
    CombinerRegister {
        /// `ZERO`
        Zero "zero" 0x0000;
        /// `CONSTANT_COLOR0_NV`
        Constant0 "constant0" 0x852A;
        /// `CONSTANT_COLOR1_NV`
        Constant1 "constant1" 0x852B;
        /// `FOG`: the fog color, and in alpha the fog factor, which is 1 without fog. General
        /// combiners read the color only.
        Fog "fog" 0x0B60;
        /// `PRIMARY_COLOR_NV`
        PrimaryColor "primary" 0x852C;
        /// `SECONDARY_COLOR_NV`
        SecondaryColor "secondary" 0x852D;
        /// `SPARE0_NV`: initially 0, with the alpha of texture 0.
        Spare0 "spare0" 0x852E;
        /// `SPARE1_NV`: initially 0.
        Spare1 "spare1" 0x852F;
        /// `TEXTURE0_ARB`
        Texture0 "texture0" 0x84C0;
        /// `TEXTURE1_ARB`
        Texture1 "texture1" 0x84C1;
        /// `TEXTURE2_ARB`
        Texture2 "texture2" 0x84C2;
        /// `TEXTURE3_ARB`
        Texture3 "texture3" 0x84C3;
        /// `TEXTURE4_ARB`
        Texture4 "texture4" 0x84C4;
        /// `TEXTURE5_ARB`
        Texture5 "texture5" 0x84C5;
        /// `TEXTURE6_ARB`
        Texture6 "texture6" 0x84C6;
        /// `TEXTURE7_ARB`
        Texture7 "texture7" 0x84C7;
        /// `E_TIMES_F_NV`: only the final combiner reads it.
        ETimesF "e_times_f" 0x8531;
        /// `SPARE0_PLUS_SECONDARY_COLOR_NV`: only the final combiner reads it.
        Spare0PlusSecondary "spare0_plus_secondary" 0x8532;
    }
}

enumerants! {
    /// Mappings of input variables: table NV_register_combiners.4.
    InputMapping {
        /// `UNSIGNED_IDENTITY_NV`: max(0, e)
        UnsignedIdentity "unsigned_identity" 0x8536;
        /// `UNSIGNED_INVERT_NV`: 1 - min(max(e, 0), 1)
        UnsignedInvert "unsigned_invert" 0x8537;
        /// `EXPAND_NORMAL_NV`: 2 max(0, e) - 1
        ExpandNormal "expand_normal" 0x8538;
        /// `EXPAND_NEGATE_NV`: -2 max(0, e) + 1
        ExpandNegate "expand_negate" 0x8539;
        /// `HALF_BIAS_NORMAL_NV`: max(0, e) - 1/2
        HalfBiasNormal "half_bias_normal" 0x853A;
        /// `HALF_BIAS_NEGATE_NV`: -max(0, e) + 1/2
        HalfBiasNegate "half_bias_negate" 0x853B;
        /// `SIGNED_IDENTITY_NV`: e
        SignedIdentity "signed_identity" 0x853C;
        /// `SIGNED_NEGATE_NV`: -e
        SignedNegate "signed_negate" 0x853D;
    }
}

enumerants! {
    /// Components of a register that an input variable reads.
    ComponentUsage {
        /// `RGB`
        Rgb "rgb" 0x1907;
        /// `ALPHA`
        Alpha "alpha" 0x1906;
        /// `BLUE`
        Blue "blue" 0x1905;
    }
}

enumerants! {
    /// Scales of the outputs of a general combiner stage.
    OutputScale {
        /// `NONE`: 1
        One "one" 0x0000;
        /// `SCALE_BY_TWO_NV`
        Two "two" 0x853E;
        /// `SCALE_BY_FOUR_NV`
        Four "four" 0x853F;
        /// `SCALE_BY_ONE_HALF_NV`
        Half "half" 0x8540;
    }
}

impl CombinerRegister {
    /// Returns the texture unit of a texture register; `None` for other registers.
    pub fn texture_unit(self) -> Option<usize> {
        let unit = self.enumerant().checked_sub(Self::Texture0.enumerant())?;
        usize::try_from(unit)
            .ok()
            .filter(|unit| *unit < MAX_TEXTURE_UNITS)
    }

    /// Returns true if general combiner stages can write the register.
    pub const fn is_writable(self) -> bool {
        match self {
            Self::PrimaryColor
            | Self::SecondaryColor
            | Self::Spare0
            | Self::Spare1
            | Self::Texture0
            | Self::Texture1
            | Self::Texture2
            | Self::Texture3
            | Self::Texture4
            | Self::Texture5
            | Self::Texture6
            | Self::Texture7 => true,
            Self::Zero
            | Self::Constant0
            | Self::Constant1
            | Self::Fog
            | Self::ETimesF
            | Self::Spare0PlusSecondary => false,
        }
    }
}

/// Assignment of an input variable: `CombinerInputNV`, `FinalCombinerInputNV`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct CombinerInput {
    /// The register. The pseudo-registers are 0 in general combiner stages.
    pub register: CombinerRegister,
    /// Mapping of the value.
    pub mapping: InputMapping,
    /// Components that are read. Alpha variables treat `Rgb` as `Alpha`, others `Blue` as `Rgb`.
    pub usage: ComponentUsage,
}

/// The RGB or alpha portion of a general combiner stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct CombinerPortion {
    /// Variables A, B, C and D.
    pub inputs: [CombinerInput; 4],
    /// Registers of the products AB and CD and of their sum, which are written in this order;
    /// `None` discards the output. Registers that are not writable are ignored.
    pub outputs: [Option<CombinerRegister>; 3],
    /// Scale of all outputs.
    pub scale: OutputScale,
    /// `BIAS_BY_NEGATIVE_ONE_HALF_NV`: -1/2 is added before the scale.
    pub has_bias: bool,
    /// AB and CD are dot products. Ignored for alpha.
    pub dot_products: [bool; 2],
    /// The sum is AB if the alpha of `SPARE0_NV` is less than 1/2, otherwise CD.
    pub selects: bool,
}

/// A general combiner stage. The default is GL's: table NV_register_combiners.5.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct GeneralCombiner {
    /// Red, green and blue.
    pub rgb: CombinerPortion,
    /// Alpha.
    pub alpha: CombinerPortion,
}

impl Default for GeneralCombiner {
    fn default() -> Self {
        let portion = |usage| {
            let input = |register, mapping| CombinerInput {
                register,
                mapping,
                usage,
            };
            let zero = input(CombinerRegister::Zero, InputMapping::UnsignedIdentity);
            CombinerPortion {
                inputs: [
                    input(
                        CombinerRegister::PrimaryColor,
                        InputMapping::UnsignedIdentity,
                    ),
                    input(CombinerRegister::Zero, InputMapping::UnsignedInvert),
                    zero,
                    zero,
                ],
                outputs: [None, None, Some(CombinerRegister::Spare0)],
                scale: OutputScale::One,
                has_bias: false,
                dot_products: [false; 2],
                selects: false,
            }
        };
        Self {
            rgb: portion(ComponentUsage::Rgb),
            alpha: portion(ComponentUsage::Alpha),
        }
    }
}

/// State of the register combiners, except for the constant colors. The default is GL's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct RegisterCombiners {
    /// General combiner stages, of which [`Self::count`] are active.
    pub general: [GeneralCombiner; MAX_GENERAL_COMBINERS],
    /// `NUM_GENERAL_COMBINERS_NV`
    pub count: u8,
    /// Variables A to G of the final combiner.
    pub final_inputs: [CombinerInput; 7],
    /// `COLOR_SUM_CLAMP_NV`
    pub clamps_color_sum: bool,
    /// `PER_STAGE_CONSTANTS_NV`
    pub per_stage_constants: bool,
}

impl Default for RegisterCombiners {
    /// Returns tables NV_register_combiners.5 and NV_register_combiners.6.
    fn default() -> Self {
        let input = |register, usage| CombinerInput {
            register,
            mapping: InputMapping::UnsignedIdentity,
            usage,
        };
        let zero = input(CombinerRegister::Zero, ComponentUsage::Rgb);
        Self {
            general: [GeneralCombiner::default(); MAX_GENERAL_COMBINERS],
            count: 1,
            final_inputs: [
                input(CombinerRegister::Fog, ComponentUsage::Alpha),
                input(CombinerRegister::Spare0PlusSecondary, ComponentUsage::Rgb),
                input(CombinerRegister::Fog, ComponentUsage::Rgb),
                zero,
                zero,
                zero,
                input(CombinerRegister::Spare0, ComponentUsage::Alpha),
            ],
            clamps_color_sum: true,
            per_stage_constants: false,
        }
    }
}

/// Key of the program for register combiners. The default is GL's initial state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct CombinerKey {
    /// Textures, fog and clamping. Texture environments and the color sum are ignored: register
    /// combiners replace them.
    pub fragment: FixedFragmentKey,
    /// Bit n: the texture of unit n has depths.
    pub depth_texture_mask: u8,
    /// State of the combiners.
    pub combiners: RegisterCombiners,
}

/// Returns the source of the ARB fragment program of the register combiners.
///
/// Local parameters 0 and 1 are `CONSTANT_COLOR0_NV` and `CONSTANT_COLOR1_NV`, and 2 + 2n and
/// 3 + 2n those of stage n for [`RegisterCombiners::per_stage_constants`]. Values that the
/// specifications leave undefined are 0. The sum of a stage with dot products is that of the dot
/// products (NV_register_combiners, issues). NV_register_combiners section 3.8.12,
/// NV_register_combiners2.
pub fn generate_combiner_program(key: &CombinerKey) -> String {
    generate_program(key, None)
}

/// Returns the source of the program of the register combiners. `texels` are the initial values of
/// the texture registers; `None` if the textures of the units are looked up.
pub(super) fn generate_program(key: &CombinerKey, texels: Option<ComputedTexels>) -> String {
    let has_texels = texels.is_some();
    let texels = texels.unwrap_or_default();
    let mut program = CombinerBuilder {
        text: texels.text,
        key,
        has_texels,
    };
    let stages = key.combiners.count_stages();
    program.emit_registers();
    for (number, stage) in key.combiners.general.iter().enumerate().take(stages) {
        program.emit_stage(number, stage);
    }
    program.emit_final();
    let names = TEMPORARIES.into_iter();
    let names = names.chain(texels.temporaries.iter().map(String::as_str));
    let names = names.chain(CombinerRegister::ALL.iter().map(|register| register.word()));
    let temporaries = program.text.build_temp_declaration(names);
    let options = build_shadow_option(&key.fragment);
    let body = program.text.body;
    format!("!!ARBfp1.0\n{options}{temporaries}{body}END\n")
}

/// Temporaries that are not registers. Names of instructions and of the temporaries of texture
/// shaders must differ from them.
const TEMPORARIES: [&str; 10] = ["a", "b", "c", "d", "ab", "cd", "sum", "mux", "ef", "t"];

/// Names of the variables A, B, C and D, and of the outputs of a stage.
const VARIABLES: [&str; 4] = ["a", "b", "c", "d"];
const OUTPUTS: [&str; 3] = ["ab", "cd", "sum"];

/// Components that a portion writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Portion {
    Rgb,
    Alpha,
}

impl Portion {
    /// Returns the write mask.
    const fn get_write_mask(self) -> &'static str {
        match self {
            Self::Rgb => ".xyz",
            Self::Alpha => ".w",
        }
    }
}

impl RegisterCombiners {
    /// Returns the number of active general stages: at least 1, at most all.
    fn count_stages(&self) -> usize {
        usize::from(self.count).clamp(1, MAX_GENERAL_COMBINERS)
    }

    /// Returns true if an active variable reads a register; the initial alpha of `SPARE0_NV` reads
    /// texture 0, and selections read `SPARE0_NV`.
    fn is_read(&self, register: CombinerRegister) -> bool {
        let stages = self.general.iter().take(self.count_stages());
        let portions = stages.flat_map(|stage| [&stage.rgb, &stage.alpha]);
        let inputs = portions.clone().flat_map(|portion| portion.inputs);
        let inputs = inputs.chain(self.final_inputs);
        let is_named = |register| inputs.clone().any(|input| input.register == register);
        let has_sum = is_named(CombinerRegister::Spare0PlusSecondary);
        let selects = portions.clone().any(|portion| portion.selects);
        let reads_spare0 = has_sum || selects || is_named(CombinerRegister::Spare0);
        let is_implied = match register {
            CombinerRegister::Spare0 | CombinerRegister::Texture0 => reads_spare0,
            CombinerRegister::SecondaryColor => has_sum,
            CombinerRegister::Zero
            | CombinerRegister::Constant0
            | CombinerRegister::Constant1
            | CombinerRegister::Fog
            | CombinerRegister::PrimaryColor
            | CombinerRegister::Spare1
            | CombinerRegister::Texture1
            | CombinerRegister::Texture2
            | CombinerRegister::Texture3
            | CombinerRegister::Texture4
            | CombinerRegister::Texture5
            | CombinerRegister::Texture6
            | CombinerRegister::Texture7
            | CombinerRegister::ETimesF
            | CombinerRegister::Spare0PlusSecondary => false,
        };
        is_implied || is_named(register)
    }
}

impl TextureUnit {
    /// Returns the component of a lookup of a depth texture that has the depth or the result of
    /// the comparison: by the format that `DEPTH_TEXTURE_MODE` names.
    const fn get_depth_component(&self) -> &'static str {
        match self.base_format {
            BaseFormat::Luminance
            | BaseFormat::LuminanceAlpha
            | BaseFormat::Rgb
            | BaseFormat::Rgba => ".x",
            BaseFormat::Alpha | BaseFormat::Intensity => ".w",
        }
    }
}

/// A program under construction.
struct CombinerBuilder<'a> {
    text: ProgramText,
    key: &'a CombinerKey,
    /// The texture registers have their initial values already.
    has_texels: bool,
}

impl CombinerBuilder<'_> {
    /// Appends an instruction, in which `{sat}` is replaced by `_SAT`, unless colors are not
    /// clamped.
    fn emit(&mut self, line: &str) {
        let suffix = if self.key.fragment.unclamped_colors {
            ""
        } else {
            "_SAT"
        };
        let line = line.replace("{sat}", suffix);
        self.text.push_line(format_args!("{line}"));
    }

    /// Emits the clamping of a value to [-1, 1]; nothing if colors are not clamped.
    fn emit_signed_clamp(&mut self, name: &str, mask: &str) {
        if !self.key.fragment.unclamped_colors {
            self.emit(&format!("MIN {name}{mask}, {name}, 1"));
            self.emit(&format!("MAX {name}{mask}, {name}, -1"));
        }
    }

    /// Emits the initial values of the registers that are read: table NV_register_combiners.1.
    fn emit_registers(&mut self) {
        let combiners = &self.key.combiners;
        for number in 0..MAX_TEXTURE_UNITS {
            let register = CombinerRegister::from_enumerant(0x84C0 + number as u32);
            if register.is_some_and(|register| combiners.is_read(register)) {
                self.emit_texture(number);
            }
        }
        let colors = [
            (CombinerRegister::PrimaryColor, "fragment.color"),
            (CombinerRegister::SecondaryColor, "fragment.color.secondary"),
        ];
        for (register, source) in colors {
            if combiners.is_read(register) {
                self.emit(&format!("MOV{{sat}} {}, {source}", register.word()));
            }
        }
        if combiners.is_read(CombinerRegister::Spare0) {
            self.emit("MOV spare0, 0");
            if self.key.fragment.texture_units[0].target.is_some() {
                self.emit("MOV spare0.w, texture0");
            }
        }
        if combiners.is_read(CombinerRegister::Spare1) {
            self.emit("MOV spare1, 0");
        }
        if combiners.is_read(CombinerRegister::Fog) {
            self.emit_fog();
        }
    }

    /// Emits the lookup of a texture into its register: table NV_register_combiners.2. Units
    /// without texture are 0.
    fn emit_texture(&mut self, number: usize) {
        let unit = self.key.fragment.texture_units[number];
        let Some((opcode, target)) = unit.get_lookup() else {
            return self.emit(&format!("MOV texture{number}, 0"));
        };
        if !self.has_texels {
            self.emit(&format!(
                "{opcode} texture{number}, fragment.texcoord[{number}], texture[{number}], {target}"
            ));
        }
        let has_depths = self.key.depth_texture_mask >> number & 1 != 0
            && !matches!(unit.target, Some(TextureTarget::Cube | TextureTarget::D3));
        if has_depths {
            let component = unit.get_depth_component();
            self.emit(&format!("MOV texture{number}, texture{number}{component}"));
            if !unit.compares_depth {
                self.emit(&format!("MOV texture{number}.xyz, 0"));
            }
        }
        self.emit_signed_clamp(&format!("texture{number}"), "");
    }

    /// Emits the fog register: the color, and the fog factor or 1.
    fn emit_fog(&mut self) {
        match self.key.fragment.fog_mode {
            Some(mode) => {
                for line in format_fog_factor(mode) {
                    self.emit(&line);
                }
                self.emit("MOV fog.w, fog.x");
            }
            None => self.emit("MOV fog.w, 1"),
        }
        self.emit("MOV{sat} fog.xyz, state.fog.color");
    }

    /// Emits a general combiner stage. All inputs are read before a register is written. Section
    /// 3.8.12.2.
    fn emit_stage(&mut self, number: usize, stage: &GeneralCombiner) {
        if stage.rgb.selects || stage.alpha.selects {
            self.emit("SUB mux, spare0.w, 0.5");
        }
        self.emit_portion(number, &stage.rgb, Portion::Rgb);
        self.emit_portion(number, &stage.alpha, Portion::Alpha);
        for (portion, lanes) in [(&stage.rgb, Portion::Rgb), (&stage.alpha, Portion::Alpha)] {
            for (name, output) in OUTPUTS.iter().zip(portion.outputs) {
                if let Some(register) = output.filter(|register| register.is_writable()) {
                    let word = register.word();
                    self.emit(&format!("MOV {word}{}, {name}", lanes.get_write_mask()));
                }
            }
        }
    }

    /// Emits the outputs of a portion to the temporaries `ab`, `cd` and `sum`; discarded ones only
    /// if others need them.
    fn emit_portion(&mut self, number: usize, portion: &CombinerPortion, lanes: Portion) {
        let [has_ab, has_cd, has_sum] = portion.outputs.map(|output| output.is_some());
        let mask = lanes.get_write_mask();
        for (index, needed) in [(0, has_ab || has_sum), (1, has_cd || has_sum)] {
            if !needed {
                continue;
            }
            for variable in [2 * index, 2 * index + 1] {
                let input = portion.inputs[variable];
                self.emit_input(VARIABLES[variable], input, lanes, Some(number));
            }
            let opcode = match (lanes, portion.dot_products[index]) {
                (Portion::Rgb, true) => "DP3",
                (Portion::Rgb | Portion::Alpha, _) => "MUL",
            };
            let [result, left, right] = [
                OUTPUTS[index],
                VARIABLES[2 * index],
                VARIABLES[2 * index + 1],
            ];
            self.emit(&format!("{opcode} {result}{mask}, {left}, {right}"));
        }
        if has_sum && portion.selects {
            self.emit(&format!("CMP sum{mask}, mux, ab, cd"));
        } else if has_sum {
            self.emit(&format!("ADD sum{mask}, ab, cd"));
        }
        for (name, output) in OUTPUTS.iter().zip(portion.outputs) {
            if output.is_some() {
                self.emit_scale(name, portion, mask);
            }
        }
    }

    /// Emits the bias, the scale and the clamping of an output.
    fn emit_scale(&mut self, name: &str, portion: &CombinerPortion, mask: &str) {
        if portion.has_bias {
            self.emit(&format!("ADD {name}{mask}, {name}, -0.5"));
        }
        let factor = match portion.scale {
            OutputScale::One => None,
            OutputScale::Two => Some("2"),
            OutputScale::Four => Some("4"),
            OutputScale::Half => Some("0.5"),
        };
        if let Some(factor) = factor {
            self.emit(&format!("MUL {name}{mask}, {name}, {factor}"));
        }
        self.emit_signed_clamp(name, mask);
    }

    /// Returns the operand of a register in a general stage, or in the final combiner (`None`).
    fn format_operand(&self, register: CombinerRegister, stage: Option<usize>) -> String {
        let constant = |number: usize| {
            let first = match stage.filter(|_| self.key.combiners.per_stage_constants) {
                Some(stage) => 2 + 2 * stage,
                None => 0,
            };
            format!("program.local[{}]", first + number)
        };
        match register {
            CombinerRegister::Constant0 => constant(0),
            CombinerRegister::Constant1 => constant(1),
            CombinerRegister::ETimesF => "ef".to_owned(),
            CombinerRegister::Spare0PlusSecondary => "sum".to_owned(),
            CombinerRegister::Zero
            | CombinerRegister::Fog
            | CombinerRegister::PrimaryColor
            | CombinerRegister::SecondaryColor
            | CombinerRegister::Spare0
            | CombinerRegister::Spare1
            | CombinerRegister::Texture0
            | CombinerRegister::Texture1
            | CombinerRegister::Texture2
            | CombinerRegister::Texture3
            | CombinerRegister::Texture4
            | CombinerRegister::Texture5
            | CombinerRegister::Texture6
            | CombinerRegister::Texture7 => register.word().to_owned(),
        }
    }

    /// Emits the assignment of an input variable to the temporary of its name: table
    /// NV_register_combiners.4. `stage` is `None` for the final combiner.
    fn emit_input(
        &mut self,
        name: &str,
        input: CombinerInput,
        lanes: Portion,
        stage: Option<usize>,
    ) {
        let is_pseudo = matches!(
            input.register,
            CombinerRegister::ETimesF | CombinerRegister::Spare0PlusSecondary
        );
        let is_zero = input.register == CombinerRegister::Zero || is_pseudo && stage.is_some();
        let suffix = match (lanes, input.usage) {
            (Portion::Rgb, ComponentUsage::Rgb | ComponentUsage::Blue) => "",
            (Portion::Alpha, ComponentUsage::Blue) => ".z",
            (_, ComponentUsage::Alpha | ComponentUsage::Rgb) => ".w",
        };
        let source = if is_zero {
            "0".to_owned()
        } else {
            format!("{}{suffix}", self.format_operand(input.register, stage))
        };
        let name = format!("{name}{}", lanes.get_write_mask());
        let not_negative = |it: &mut Self| {
            if it.key.fragment.unclamped_colors {
                it.emit(&format!("MOV {name}, {source}"));
            } else {
                it.emit(&format!("MAX {name}, {source}, 0"));
            }
        };
        let temporary = name.split('.').next().unwrap_or_default();
        match input.mapping {
            InputMapping::UnsignedIdentity => not_negative(self),
            InputMapping::UnsignedInvert => {
                self.emit(&format!("MOV{{sat}} {name}, {source}"));
                self.emit(&format!("SUB {name}, 1, {temporary}"));
            }
            InputMapping::ExpandNormal => {
                not_negative(self);
                self.emit(&format!("MAD {name}, {temporary}, 2, -1"));
            }
            InputMapping::ExpandNegate => {
                not_negative(self);
                self.emit(&format!("MAD {name}, {temporary}, -2, 1"));
            }
            InputMapping::HalfBiasNormal => {
                not_negative(self);
                self.emit(&format!("ADD {name}, {temporary}, -0.5"));
            }
            InputMapping::HalfBiasNegate => {
                not_negative(self);
                self.emit(&format!("SUB {name}, 0.5, {temporary}"));
            }
            InputMapping::SignedIdentity => self.emit(&format!("MOV {name}, {source}")),
            InputMapping::SignedNegate => {
                self.emit(&format!("MOV {name}, {source}"));
                self.emit(&format!("MOV {name}, -{temporary}"));
            }
        }
    }

    /// Emits the final combiner: A B + (1 - A) C + D and G. Section 3.8.12.3.
    fn emit_final(&mut self) {
        let inputs = self.key.combiners.final_inputs;
        let colors = &inputs[..4];
        let reads = |register| colors.iter().any(|input| input.register == register);
        if reads(CombinerRegister::ETimesF) {
            self.emit_input("a", inputs[4], Portion::Rgb, None);
            self.emit_input("b", inputs[5], Portion::Rgb, None);
            self.emit("MUL ef.xyz, a, b");
        }
        if reads(CombinerRegister::Spare0PlusSecondary) {
            self.emit_color_sum();
        }
        for (name, input) in VARIABLES.iter().zip(&inputs[..4]) {
            self.emit_input(name, *input, Portion::Rgb, None);
        }
        self.emit_input("a", inputs[6], Portion::Alpha, None);
        // D is added in a second step, as the products need all sources of LRP.
        self.emit("LRP t.xyz, a, b, c");
        self.emit("ADD{sat} t.xyz, t, d");
        self.emit("MOV t.w, a");
        self.emit("MOV result.color, t");
    }

    /// Emits `SPARE0_PLUS_SECONDARY_COLOR_NV` to `sum`. Without clamped fragment colors the sum is
    /// clamped regardless of `COLOR_SUM_CLAMP_NV` (dependencies on ARB_color_buffer_float).
    fn emit_color_sum(&mut self) {
        let input = |register| CombinerInput {
            register,
            mapping: InputMapping::UnsignedIdentity,
            usage: ComponentUsage::Rgb,
        };
        self.emit_input("a", input(CombinerRegister::Spare0), Portion::Rgb, None);
        self.emit_input(
            "b",
            input(CombinerRegister::SecondaryColor),
            Portion::Rgb,
            None,
        );
        let clamps = self.key.combiners.clamps_color_sum || self.key.fragment.unclamped_colors;
        let opcode = if clamps { "ADD_SAT" } else { "ADD" };
        self.emit(&format!("{opcode} sum.xyz, a, b"));
    }
}
