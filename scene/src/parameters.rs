//! Values of parameters and constant buffers: those of the command line, matrices of the view where
//! a program uses parameters as such, and colors for all others.

use super::attributes::format_numbers;
use super::options::{ParameterBank, ParameterKey, SceneOptions};
use super::program::{InputSetting, Language, SceneInput, SceneProgram};
use super::vectors::{
    MatrixRole, MatrixVector, VectorBank, VectorSource, VectorUse, get_vector_source,
};
use glasm::frontend::lang::limits::PARAMETER_BUFFERS;
use glasm::ir::ParamSource;
use glasm::state::matrix::{IDENTITY, get_row, multiply};
use glasm::state::{GlState, MatrixForm, MatrixName};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Values of parameters that nothing sets, in turn: colors that are bright enough for products to
/// show something, and different, so that they can be distinguished.
const COLORS: [&str; 8] = [
    "0.9 0.7 0.5 1",
    "0.5 0.7 0.9 1",
    "0.6 0.9 0.6 1",
    "0.9 0.6 0.8 1",
    "0.8 0.8 0.4 1",
    "0.5 0.9 0.8 1",
    "0.7 0.6 0.9 1",
    "0.8 0.8 0.8 1",
];

/// Value of vectors of dot products that are not of a matrix: a direction of length 1.
const DIRECTION: &str = "0.36 0.48 0.8 1";

/// Value of vectors from which positions are subtracted, in the direction of the viewer of the
/// torus.
const POSITION: &str = "1.5 -3 3.2 1";

/// Value of vectors that are only added: small, so that sums remain below 1.
const ADDEND: &str = "0.15 0.2 0.25 0";

/// Value of a vector of a program.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    /// Words of a script from the command line.
    Given(String),
    /// Vector of a matrix, which depends on the view.
    Matrix(MatrixVector),
    /// Number of a color.
    Color(usize),
    /// [`DIRECTION`], [`POSITION`] or [`ADDEND`].
    Fixed(&'static str),
    /// Two addresses of the middle of [`MEMORY`].
    Addresses,
}

/// Name of the buffer whose address programs receive that access memory.
const MEMORY: &str = "memory";

/// Bytes of that buffer.
const MEMORY_BYTES: u32 = 1 << 22;

/// Values of all parameters of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ParameterValues {
    vectors: BTreeMap<VectorSource, Value>,
    /// Values of parameters with names.
    named: BTreeMap<String, Value>,
}

impl ParameterValues {
    /// Chooses the values of the parameters of a program. Each setting of the options that it uses
    /// is added to `used`.
    pub(super) fn new(
        program: &SceneProgram,
        options: &SceneOptions,
        used: &mut BTreeSet<usize>,
    ) -> Self {
        let mut values = Self::default();
        let Some(ir) = &program.ir else {
            return values;
        };
        let mut vectors: BTreeSet<VectorSource> = BTreeSet::new();
        let sources = ir.params.iter().map(|param| param.source);
        vectors.extend(sources.clone().filter_map(get_vector_source));
        vectors.retain(|vector| vector.bank.program_matrix().is_none());
        for (binding, count) in &program.usage.constants {
            let bank = VectorBank::Constant(*binding);
            vectors.extend((0..*count).map(|number| VectorSource { bank, number }));
        }
        for vector in vectors {
            let key = ParameterKey::Number {
                buffer: match vector.bank {
                    VectorBank::Constant(binding) => binding,
                    VectorBank::Env | VectorBank::Local | VectorBank::ProgramMatrix(_) => 0,
                },
                number: vector.number,
            };
            let given = find_setting(options, program, get_bank(vector.bank), &key, used);
            let matrix = program.usage.matrices.get(&vector).copied();
            let value = given.or(matrix.map(Value::Matrix));
            let default = if program.usage.reads_memory {
                Value::Addresses
            } else {
                match program.usage.vectors.get(&vector) {
                    Some(VectorUse::Direction) => Value::Fixed(DIRECTION),
                    Some(VectorUse::Position) => Value::Fixed(POSITION),
                    Some(VectorUse::Addend) => Value::Fixed(ADDEND),
                    Some(VectorUse::Other) | None => Value::Color(vector.number as usize),
                }
            };
            values.vectors.insert(vector, value.unwrap_or(default));
        }
        for source in sources {
            let ParamSource::Named(number) = source else {
                continue;
            };
            let Some(param) = ir.named_params.get(number as usize) else {
                continue;
            };
            let name = ir.names.get(param.name);
            let key = ParameterKey::Name(name.to_owned());
            let given = find_setting(options, program, ParameterBank::Local, &key, used);
            let default = (param.initial == [0; 4]).then_some(Value::Color(values.named.len()));
            if let Some(value) = given.or(default) {
                values.named.insert(name.to_owned(), value);
            }
        }
        values
    }

    /// Returns true if a value depends on the view.
    pub(super) fn depends_on_view(&self) -> bool {
        self.vectors.values().any(
            |value| matches!(value, Value::Matrix(vector) if vector.role != MatrixRole::Identity),
        )
    }

    /// Returns the commands that set the parameters for a state of the matrices.
    pub(super) fn format_commands(&self, program: &SceneProgram, state: &GlState) -> String {
        let suffix = program.bank_suffix();
        let mut text = String::new();
        let mut buffers: BTreeMap<u32, String> = BTreeMap::new();
        if program.usage.reads_memory {
            let _ = writeln!(text, "buffer {MEMORY} size {MEMORY_BYTES}");
        }
        for (vector, value) in &self.vectors {
            let number = vector.number;
            let bank = match vector.bank {
                VectorBank::Env => "env",
                VectorBank::Local => "local",
                VectorBank::Constant(binding) => {
                    let data = buffers.entry(binding).or_default();
                    let _ = write!(data, " \\\n  {}", value.format(state));
                    continue;
                }
                VectorBank::ProgramMatrix(_) => continue,
            };
            let words = value.format_for_parameter(state);
            let _ = writeln!(text, "parameter {bank}_{suffix} {number} {words}");
        }
        for (name, value) in &self.named {
            let words = value.format(state);
            let _ = writeln!(text, "parameter named_{suffix} {name} ({words})");
        }
        for (binding, data) in buffers {
            text += &self.format_buffer(binding, &data, suffix);
        }
        text
    }

    /// Returns the commands that set a constant buffer of a program to vectors.
    fn format_buffer(&self, binding: u32, data: &str, suffix: &str) -> String {
        // Later bindings exist for all programs together only.
        let has_own = binding < PARAMETER_BUFFERS;
        let name = if has_own {
            format!("buffer constants_{suffix}_{binding}")
        } else {
            format!("ubo {binding}")
        };
        let mut text = format!("{name} data vec4 0{data}\n");
        for (vector, value) in &self.vectors {
            if vector.bank == VectorBank::Constant(binding) && *value == Value::Addresses {
                let at = 16 * vector.number;
                let offset = MEMORY_BYTES / 2;
                let address = format!("{MEMORY} +{offset}");
                let _ = writeln!(text, "{name} address {at} {address} {address}");
            }
        }
        if has_own {
            let _ = writeln!(
                text,
                "bind buffer_{suffix} {binding} constants_{suffix}_{binding}"
            );
        }
        text
    }

    /// Appends the parameters that the options do not set, consecutive ones with equal values as
    /// one input.
    pub(super) fn append_inputs(&self, program: &SceneProgram, inputs: &mut Vec<SceneInput>) {
        let stage = program.program_type.identifier();
        let mut last: Option<(VectorSource, String, u32)> = None;
        let mut finish = |run: Option<(VectorSource, String, u32)>| {
            let Some((first, value, count)) = run else {
                return;
            };
            let end = first.number + count - 1;
            let (name, key) = name_vectors(first, end, program.language);
            inputs.push(SceneInput {
                name: format!("{name} of {}", program.describe()),
                value,
                option: format!("{} {stage}:{key}=X,Y,Z,W", get_bank(first.bank).option()),
                setting: InputSetting::Parameter(
                    get_bank(first.bank),
                    format!("{stage}:{key}"),
                    count,
                ),
            });
        };
        for (vector, value) in &self.vectors {
            let Some(value) = value.describe() else {
                finish(last.take());
                continue;
            };
            match &mut last {
                Some((first, known, count))
                    if first.bank == vector.bank
                        && *known == value
                        && first.number + *count == vector.number =>
                {
                    *count += 1;
                }
                _ => {
                    finish(last.take());
                    last = Some((*vector, value, 1));
                }
            }
        }
        finish(last);
        for (name, value) in &self.named {
            inputs.extend(value.describe().map(|value| SceneInput {
                name: format!("`{name}` of {}", program.describe()),
                value,
                option: format!("--local {stage}:{name}=X,Y,Z,W"),
                setting: InputSetting::Parameter(
                    ParameterBank::Local,
                    format!("{stage}:{name}"),
                    1,
                ),
            }));
        }
    }
}

impl Value {
    /// Returns four numbers as words of a script, for a state of the matrices; zeros for addresses.
    fn format(&self, state: &GlState) -> String {
        match self {
            Self::Given(words) => words.clone(),
            Self::Matrix(vector) => format_numbers(&vector.evaluate(state)),
            Self::Color(number) => format_color(*number).to_owned(),
            Self::Fixed(words) => (*words).to_owned(),
            Self::Addresses => "0 0 0 0".to_owned(),
        }
    }

    /// Returns the words of a script that follow the name of a parameter, for a state of the
    /// matrices.
    fn format_for_parameter(&self, state: &GlState) -> String {
        if *self == Self::Addresses {
            let offset = MEMORY_BYTES / 2;
            format!("address {MEMORY} +{offset} {MEMORY} +{offset}")
        } else {
            format!("({})", self.format(state))
        }
    }

    /// Returns the description of a value that nothing sets; `None` for one of the command line.
    fn describe(&self) -> Option<String> {
        match self {
            Self::Given(_) => None,
            Self::Matrix(vector) => {
                let matrix = match vector.role {
                    MatrixRole::ModelviewProjection => "modelview-projection matrix",
                    MatrixRole::Modelview => "modelview matrix",
                    MatrixRole::Projection => "projection matrix",
                    MatrixRole::Identity => "identity matrix",
                };
                let part = if vector.is_column { "columns" } else { "rows" };
                Some(format!("{part} of the {matrix}"))
            }
            Self::Color(number) => Some(format_color(*number).to_owned()),
            Self::Fixed(words) => Some((*words).to_owned()),
            Self::Addresses => Some("addresses of a buffer of zeros".to_owned()),
        }
    }
}

/// Returns the color with a number; the colors repeat.
fn format_color(number: usize) -> &'static str {
    COLORS[number % COLORS.len()]
}

impl MatrixVector {
    /// Returns the row or column for a state of the matrices.
    fn evaluate(self, state: &GlState) -> [f32; 4] {
        let matrix = self.role.compute(state);
        if self.is_column {
            matrix.get(self.index).copied().unwrap_or_default()
        } else {
            get_row(&matrix, self.index.min(3))
        }
    }
}

impl MatrixRole {
    /// Returns the matrix for a state of the matrices.
    pub(super) fn compute(self, state: &GlState) -> glasm::state::Matrix {
        let modelview = state.compute_matrix(MatrixName::Modelview(0), MatrixForm::Plain);
        match self {
            Self::ModelviewProjection => multiply(&state.projection, &modelview),
            Self::Modelview => modelview,
            Self::Projection => state.projection,
            Self::Identity => IDENTITY,
        }
    }
}

/// Returns the bank of a vector on the command line.
fn get_bank(bank: VectorBank) -> ParameterBank {
    match bank {
        VectorBank::Env => ParameterBank::Env,
        VectorBank::Local | VectorBank::ProgramMatrix(_) => ParameterBank::Local,
        VectorBank::Constant(_) => ParameterBank::Constant,
    }
}

/// Returns the value of the last setting for a parameter of a program, and adds all settings for it
/// to `used`.
fn find_setting(
    options: &SceneOptions,
    program: &SceneProgram,
    bank: ParameterBank,
    key: &ParameterKey,
    used: &mut BTreeSet<usize>,
) -> Option<Value> {
    let mut found = None;
    for (index, (known, setting)) in options.parameters.iter().enumerate() {
        let is_type = |wanted| wanted == program.program_type;
        let is_same = *known == bank && setting.key == *key;
        if is_same && setting.program_type.is_none_or(is_type) {
            used.insert(index);
            found = Some(Value::Given(setting.value.join(" ")));
        }
    }
    found
}

/// Returns the name of consecutive vectors for users, and the number of the first one on the
/// command line.
fn name_vectors(first: VectorSource, end: u32, language: Language) -> (String, String) {
    let number = first.number;
    let range = if end > number {
        format!("{number}..{end}")
    } else {
        number.to_string()
    };
    match first.bank {
        VectorBank::Env => (format!("program.env[{range}]"), number.to_string()),
        VectorBank::Local | VectorBank::ProgramMatrix(_) => {
            (format!("program.local[{range}]"), number.to_string())
        }
        VectorBank::Constant(binding) if language == Language::Assembly => (
            format!("program.buffer[{binding}], vector {range}"),
            format!("{binding}.{number}"),
        ),
        VectorBank::Constant(0) => (format!("CONST[{range}]"), number.to_string()),
        VectorBank::Constant(binding) => (
            format!("CONST[{binding}][{range}]"),
            format!("{binding}.{number}"),
        ),
    }
}

/// Checks that each parameter of the options belongs to exactly one program.
///
/// # Errors
/// If no program has a parameter, or a number without stage denotes those of several programs.
pub(super) fn check_settings(
    programs: &[SceneProgram],
    options: &SceneOptions,
    used_by: &[BTreeSet<usize>],
) -> Result<(), String> {
    for (index, (bank, setting)) in options.parameters.iter().enumerate() {
        let users = programs.iter().zip(used_by);
        let users = users.filter(|(_, used)| used.contains(&index));
        let stages: Vec<&str> = users
            .map(|(program, _)| program.program_type.identifier())
            .collect();
        let key = match &setting.key {
            ParameterKey::Number { buffer: 0, number } => number.to_string(),
            ParameterKey::Number { buffer, number } => format!("{buffer}.{number}"),
            ParameterKey::Name(name) => name.clone(),
        };
        let option = bank.option();
        // Programs with errors have no parameters.
        if stages.is_empty() && programs.iter().all(|program| program.ir.is_some()) {
            let stage = setting
                .program_type
                .map_or(String::new(), |it| format!("{}:", it.identifier()));
            return Err(format!(
                "{option} {stage}{key}: no program reads that parameter"
            ));
        }
        if stages.len() > 1 {
            return Err(format!(
                "{option} {key}: several programs read that parameter; name the stage, for example \
                 {option} {}:{key}=...",
                stages[0]
            ));
        }
    }
    Ok(())
}
