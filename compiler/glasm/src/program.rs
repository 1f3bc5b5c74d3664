//! Programs that are loaded once and compiled for any number of states, and the compiler from
//! program strings to SPIR-V.

use crate::cache::{CacheKey, combine_options, compute_source_key};
use crate::program_errors::{OwnedSource, ProgramErrors};
use glasm_codegen::error::{Error, ErrorKind};
use glasm_codegen::{Emitter, Options, Reflection, SourceText};
use glasm_frontend::{
    Code, Diagnostic, Diagnostics, Dialect, Location, ResourceCounts, ResourceUsage, Scratch,
    Source,
};
use glasm_ir::{self as ir, Input, Output, Semantic, Stage};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A loaded program: parsed, checked and translated.
///
/// [`Program::compile`] and [`link`](crate::link()) only emit its module, for one state or set of
/// adjacent stages at a time. It owns all its data, can be shared between threads, and its clones
/// share the same program.
///
/// ```
/// use glasm::{Options, Program, Source};
///
/// let program = Program::load(&Source::new("tint", "!!ARBfp1.0\nMUL result.color, fragment.color, program.local[0];\nEND"))?;
/// let smooth = program.compile(&Options::default())?;
/// let mut flat = Options::default();
/// flat.pipeline_state.flat_colors = true;
/// assert_ne!(program.compile(&flat)?.words, smooth.words);
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program(Arc<LoadedProgram>);

#[derive(Debug)]
struct LoadedProgram {
    program: ir::Program,
    warnings: Diagnostics,
    dialect: Option<Dialect>,
    source: OwnedSource,
    resource_usage: OnceLock<ResourceUsage>,
    /// Changes of the program after it was loaded.
    variants: Vec<Variant>,
    /// Key of the source and the changes, without options.
    key: OnceLock<CacheKey>,
}

/// A change of a loaded program, by the function of [`Program`] that makes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Variant {
    NonComparisonLookups(u32),
    ComparisonLookups(u32),
    TexelColors(u32, Semantic, ir::Saturate),
    MissingTextures(u32),
    EnabledClipDistances,
}

/// Returns a predicate for the textures on one of these units, a mask of the units 0 to 31; arrays
/// of units are treated as their first unit.
fn make_unit_predicate(units: u32) -> impl Fn(&ir::Texture) -> bool {
    let has = move |unit: u32| units.checked_shr(unit).unwrap_or(0) & 1 != 0;
    move |texture| texture.units.first().is_some_and(has)
}

impl AsRef<ir::Program> for Program {
    fn as_ref(&self) -> &ir::Program {
        self.ir()
    }
}

impl Program {
    /// Loads a program string. Callers with many of them use a [`Compiler`] for [`Compiler::load`].
    ///
    /// # Errors
    /// All errors of the program, with positions.
    pub fn load(source: &Source<'_>) -> Result<Self, Diagnostics> {
        Compiler::new().load(source)
    }

    /// Loads a program string as `glProgramStringARB` does for the target of a stage: programs of
    /// other stages are errors. `name` is for messages. [`Program::load`] has all settings of a
    /// [`Source`].
    ///
    /// ```
    /// use glasm::{Program, Stage};
    ///
    /// let program = Program::load_string("white.fp", Stage::Fragment, "!!ARBfp1.0\nMOV result.color, 1;\nEND")?;
    /// assert_eq!(program.stage(), Stage::Fragment);
    /// assert!(Program::load_string("white.vp", Stage::Vertex, program.source().text).is_err());
    /// # Ok::<(), glasm::ProgramErrors>(())
    /// ```
    ///
    /// # Errors
    /// All errors of the program, with a copy of the string.
    pub fn load_string(
        name: &str,
        stage: Stage,
        text: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<Self, ProgramErrors> {
        let source = Source::new(name, text).for_stage(stage);
        Self::load(&source).map_err(|errors| ProgramErrors::new(errors, &source))
    }

    /// Returns a loaded program with a copy of its source and its warnings.
    pub(crate) fn new(source: &Source<'_>, program: ir::Program, warnings: Diagnostics) -> Self {
        let dialect = source.dialect;
        Self(Arc::new(LoadedProgram {
            program,
            warnings,
            // A dialect that the caller specifies overrides the header.
            dialect: dialect
                .or_else(|| Dialect::detect(&source.text[source.program_span().range()])),
            source: OwnedSource::new(source),
            resource_usage: OnceLock::new(),
            variants: Vec::new(),
            key: OnceLock::new(),
        }))
    }

    /// Compiles the program to SPIR-V.
    ///
    /// # Errors
    /// If it cannot be expressed for the target or for the device that the options describe.
    pub fn compile(&self, options: &Options) -> Result<Shader, Diagnostics> {
        Compiler::new().compile_program(self, options)
    }

    /// Returns the shader stage.
    pub fn stage(&self) -> Stage {
        self.0.program.stage
    }

    /// Returns the language.
    pub fn dialect(&self) -> Option<Dialect> {
        self.0.dialect
    }

    /// Returns the warnings of loading.
    pub fn warnings(&self) -> &Diagnostics {
        &self.0.warnings
    }

    /// Returns the inputs that it reads: of the previous stage, of the vertex or of the system.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Input> {
        self.0.program.inputs.iter()
    }

    /// Returns the outputs that it writes for the following stage.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = &Output> {
        self.0.program.outputs.iter()
    }

    /// Returns the program in glasm's intermediate representation.
    pub fn ir(&self) -> &ir::Program {
        &self.0.program
    }

    /// Returns the number of resources that it uses and that GL limits, for callers that answer
    /// GL's queries. The first call takes as long as loading the program.
    pub fn counts(&self) -> &ResourceCounts {
        &self.resource_usage().counts
    }

    /// Returns the use of limited resources; the first call parses the source again and caches it.
    pub(crate) fn resource_usage(&self) -> &ResourceUsage {
        // A loaded program is analyzed without errors.
        let analyze = || glasm_frontend::analyze_resource_usage(&self.source()).unwrap_or_default();
        self.0.resource_usage.get_or_init(analyze)
    }

    /// Returns the same program for textures that do not compare: lookups of shadow targets on
    /// `units`, a mask of texture image units, return the texel, as drivers did. If a texture's
    /// `TEXTURE_COMPARE_MODE` is `NONE`, the result of such a lookup is undefined otherwise
    /// (ARB_fragment_program_shadow). Arrays of units are treated as their first unit.
    pub fn with_non_comparison_lookups(&self, units: u32) -> Self {
        self.clone_with(Variant::NonComparisonLookups(units), |program| {
            program.remove_comparisons(make_unit_predicate(units));
        })
    }

    /// Returns the same program for depth textures that compare: lookups of ordinary targets of one
    /// and two dimensions on `units` compare with the third coordinate. Programs of
    /// NV_fragment_program look up textures as OpenGL without programs does: `TEXTURE_COMPARE_MODE`
    /// applies (section 3.11.5.38). In the ARB languages the result of such a lookup is undefined.
    pub fn with_comparison_lookups(&self, units: u32) -> Self {
        self.clone_with(Variant::ComparisonLookups(units), |program| {
            program.add_comparisons(make_unit_predicate(units));
        })
    }

    /// Returns the same fragment program with texels instead of its primary color: texels of the
    /// two-dimensional texture of `unit` at the floor of `coordinate`, clamped as `saturate`
    /// specifies. So a rectangle draws the pixels of `glDrawPixels`. `None` if the program is
    /// not a fragment program, evaluates its color at other locations, or reads it with an index.
    pub fn with_texel_colors(
        &self,
        unit: u32,
        coordinate: Semantic,
        saturate: ir::Saturate,
    ) -> Option<Self> {
        let mut is_done = false;
        let variant = Variant::TexelColors(unit, coordinate, saturate);
        let changed = self.clone_with(variant, |program| {
            is_done = program.replace_color_by_texels(unit, coordinate, saturate);
        });
        is_done.then_some(changed)
    }

    /// Returns the same program for missing textures on `units`, a mask of texture image units:
    /// lookups return (0, 0, 0, 0), as `!!FP1.0` programs define it for targets without a
    /// consistent set of images (NV_fragment_program section 3.11.5.38). Arrays of units are
    /// treated as their first unit.
    pub fn with_missing_textures(&self, units: u32) -> Self {
        self.clone_with(Variant::MissingTextures(units), |program| {
            program.zero_missing_lookups(make_unit_predicate(units));
        })
    }

    /// Returns the same program with clip distances that clip only if their planes are enabled
    /// ([`PipelineState::clip_plane_mask`](crate::PipelineState::clip_plane_mask)), as in OpenGL.
    /// Otherwise all written distances clip, except in `!!VP2.0` programs. For the last
    /// stage before rasterization.
    pub fn with_enabled_clip_distances(&self) -> Self {
        self.clone_with(Variant::EnabledClipDistances, |program| {
            program.modes.enabled_clip_distances = true;
        })
    }

    /// Returns a program with the same source and a copy of the intermediate representation that
    /// `change` has modified. Counts that are cached remain those of the source.
    fn clone_with(&self, variant: Variant, change: impl FnOnce(&mut ir::Program)) -> Self {
        let mut program = self.0.program.clone();
        change(&mut program);
        let variants = self.0.variants.iter().cloned();
        Self(Arc::new(LoadedProgram {
            program,
            warnings: self.0.warnings.clone(),
            dialect: self.0.dialect,
            source: self.0.source.clone(),
            resource_usage: self.0.resource_usage.clone(),
            variants: variants.chain([variant]).collect(),
            key: OnceLock::new(),
        }))
    }

    /// Returns the key of the result of [`Program::compile`] with these options: module, reflection
    /// and warnings, or the errors.
    ///
    /// It covers the source and its settings, the changes of the program by functions such as
    /// [`Program::with_missing_textures`], the options on which the program depends
    /// ([`Options::for_program`]), and [`VERSION`](crate::VERSION). Options that cannot change the
    /// module do not change the key. The name of the source is covered only with debug line
    /// information, because only such modules contain it. As for
    /// [`compute_cache_key`](crate::compute_cache_key), keys are the same in all processes, and the
    /// key of a linked pipeline is the [combination](CacheKey::combine) of those of its programs.
    pub fn cache_key(&self, options: &Options) -> CacheKey {
        let loaded = &*self.0;
        let source_key = loaded
            .key
            .get_or_init(|| compute_source_key(&self.source(), &loaded.variants));
        let name = options.debug.lines.then_some(self.source().name);
        combine_options(source_key, name, &options.for_program(self))
    }

    /// Returns the source that it was loaded from, to render diagnostics with.
    pub fn source(&self) -> Source<'_> {
        self.0.source.source()
    }

    /// Returns name and content of the source, for debug information of the module.
    pub(crate) fn source_text(&self) -> SourceText<'_> {
        let Source { name, text, .. } = self.source();
        SourceText { name, text }
    }
}

/// Programs are equal if they were loaded from equal sources, and changed by the same functions in
/// the same order. Names of sources are for messages, and may differ.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        fn unnamed(program: &Program) -> Source<'_> {
            Source {
                name: "",
                ..program.source()
            }
        }
        Arc::ptr_eq(&self.0, &other.0)
            || unnamed(self) == unnamed(other) && self.0.variants == other.0.variants
    }
}

impl Eq for Program {}

/// A compiled program.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Shader {
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// Interface that the module expects of its caller.
    pub reflection: Reflection,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl Shader {
    /// Returns a shader that was compiled before, from the words and the reflection that a caller
    /// has stored. They are not validated.
    pub fn from_cached(words: Vec<u32>, reflection: Reflection) -> Self {
        Self {
            words,
            reflection,
            warnings: Diagnostics::default(),
        }
    }

    /// Returns the words of the module as bytes, little endian as in files: `.spv`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.collect()
    }

    /// Returns true if another shader has the same module and the same reflection; warnings may
    /// differ. Shaders whose words alone are equal share a module of Vulkan, but may have different
    /// values in their parameter blocks.
    ///
    /// ```
    /// use glasm::{Options, Source, compile};
    ///
    /// let [one, other] = ["program.local[0]", "program.local[1]"].map(|color| {
    ///     let text = format!("!!ARBfp1.0\nMOV result.color, {color};\nEND");
    ///     compile(&Source::new("color", &text), &Options::default()).unwrap()
    /// });
    /// assert!(one.is_same_module(&one.clone()));
    /// assert!(one.words == other.words && !one.is_same_module(&other));
    /// ```
    pub fn is_same_module(&self, other: &Self) -> bool {
        self.words == other.words && self.reflection == other.reflection
    }
}

/// Compiles a program string to SPIR-V.
///
/// Callers with many programs use a [`Compiler`], which reuses its memory.
///
/// # Errors
/// All errors of the program, with positions, if it does not load or cannot be expressed for the
/// target.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Shader, Diagnostics> {
    Compiler::new().compile(source, options)
}

/// Compiler that reuses its memory for consecutive programs.
#[derive(Debug, Default)]
pub struct Compiler {
    frontend_scratch: Scratch,
    emitter: Emitter,
}

impl Compiler {
    /// Returns a compiler without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles a program string to SPIR-V.
    ///
    /// # Errors
    /// All errors of the program, with positions, if it does not load or cannot be expressed for
    /// the target.
    pub fn compile(
        &mut self,
        source: &Source<'_>,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        let (program, warnings) =
            glasm_frontend::translate_with(&mut self.frontend_scratch, source);
        let Some(program) = program else {
            return Err(warnings);
        };
        if cfg!(debug_assertions) {
            verify_ir(&program)?;
        }
        let text = SourceText {
            name: source.name,
            text: source.text,
        };
        let shader = self.emit(&program, options, Some(text), warnings);
        self.frontend_scratch.recycle(program);
        shader
    }

    /// Loads a program string: [`Program::load`].
    ///
    /// # Errors
    /// All errors of the program, with positions.
    pub fn load(&mut self, source: &Source<'_>) -> Result<Program, Diagnostics> {
        let (program, diagnostics) =
            glasm_frontend::translate_with(&mut self.frontend_scratch, source);
        let Some(program) = program else {
            return Err(diagnostics);
        };
        if cfg!(debug_assertions) {
            verify_ir(&program)?;
        }
        Ok(Program::new(source, program, diagnostics))
    }

    /// Compiles a loaded program: [`Program::compile`].
    ///
    /// # Errors
    /// If it cannot be expressed for the target or for the device that the options describe.
    pub fn compile_program(
        &mut self,
        program: &Program,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        let text = Some(program.source_text());
        self.emit(program.ir(), options, text, program.warnings().clone())
    }

    /// Compiles a program of the intermediate representation, for tools that create or modify such
    /// programs.
    ///
    /// # Errors
    /// If the program breaks a rule of the IR, as internal errors of glasm, or cannot be expressed
    /// for the target.
    pub fn compile_ir(
        &mut self,
        program: &ir::Program,
        options: &Options,
    ) -> Result<Shader, Diagnostics> {
        verify_ir(program)?;
        self.emit(program, options, None, Diagnostics::default())
    }

    /// Emits the module of a program. Returns the warnings with the shader; fails with the warnings
    /// and the error of code generation.
    pub(crate) fn emit(
        &mut self,
        program: &ir::Program,
        options: &Options,
        source: Option<SourceText<'_>>,
        warnings: Diagnostics,
    ) -> Result<Shader, Diagnostics> {
        let mut words = Vec::new();
        match self.emitter.emit_into(program, options, source, &mut words) {
            Ok(reflection) => Ok(Shader {
                words,
                reflection,
                warnings,
            }),
            Err(error) => Err(add_codegen_error(warnings, &error)),
        }
    }
}

/// Returns `diagnostics` with an error of code generation, at its source location if it has one,
/// sorted.
fn add_codegen_error(mut diagnostics: Diagnostics, error: &Error) -> Diagnostics {
    let (code, feature) = match error.kind {
        ErrorKind::Unsupported => (Code::Unsupported, None),
        ErrorKind::MissingFeature(feature) => (Code::FeatureMissing, Some(Cow::Borrowed(feature))),
        ErrorKind::Limit => (Code::OutputTooLarge, None),
    };
    diagnostics.push(Diagnostic {
        location: error.span.map_or(Location::WholeProgram, Location::Span),
        feature,
        ..Diagnostic::whole_program(code, &*error.message)
    });
    diagnostics.sort();
    diagnostics
}

/// Verifies a program. Fails with internal errors for a program that breaks a rule of the IR: it is
/// a bug of glasm, which must be reported before code generation fails on it.
pub(crate) fn verify_ir(program: &ir::Program) -> Result<(), Diagnostics> {
    glasm_ir::verify(program).map_err(|errors| {
        let messages = errors
            .iter()
            .map(|error| Diagnostic::bug(Location::WholeProgram, error.to_string()));
        Diagnostics {
            list: messages.collect(),
        }
    })
}
