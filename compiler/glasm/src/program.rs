//! Programs that are loaded once and compiled for any number of states.

use crate::compiler::{Compiler, Shader};
use glasm_codegen::{Options, SourceText};
use glasm_frontend::{Counts, Diagnostics, Dialect, Source, Usage};
use glasm_ir::{self as ir, Input, Output, Semantic, Stage};
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
/// flat.fixed.flat_colors = true;
/// assert_ne!(program.compile(&flat)?.words, smooth.words);
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    program: ir::Program,
    warnings: Diagnostics,
    dialect: Option<Dialect>,
    name: Box<str>,
    text: Box<[u8]>,
    /// The source without its name and text.
    settings: Source<'static>,
    counted: OnceLock<(Counts, Usage)>,
}

/// Returns a predicate for the textures on one of these units, a mask; arrays of units are treated
/// as their first unit.
fn is_among(units: u32) -> impl Fn(&ir::Texture) -> bool {
    let has = move |unit: u32| units.checked_shr(unit).unwrap_or(0) & 1 != 0;
    move |texture| texture.units.first().is_some_and(has)
}

impl Program {
    /// Loads a program string. Callers with many of them use a [`Compiler`] for [`Compiler::load`].
    ///
    /// # Errors
    /// All errors of the program, with positions.
    pub fn load(source: &Source<'_>) -> Result<Self, Diagnostics> {
        Compiler::new().load(source)
    }

    pub(crate) fn new(source: &Source<'_>, program: ir::Program, warnings: Diagnostics) -> Self {
        let dialect = source.dialect;
        Self(Arc::new(Loaded {
            program,
            warnings,
            // A dialect that the caller specifies overrides the header.
            dialect: dialect.or_else(|| Dialect::of(&source.text[source.part().range()])),
            name: source.name.into(),
            text: source.text.into(),
            settings: Source {
                name: "",
                text: &[],
                ..*source
            },
            counted: OnceLock::new(),
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
    pub fn counts(&self) -> &Counts {
        &self.get_counts().0
    }

    /// Returns the indices of resources that GL limits, with their spans.
    pub(crate) fn usage(&self) -> &Usage {
        &self.get_counts().1
    }

    fn get_counts(&self) -> &(Counts, Usage) {
        // A loaded program is counted without errors.
        let count = || glasm_frontend::count_and_index(&self.source()).unwrap_or_default();
        self.0.counted.get_or_init(count)
    }

    /// Returns the same program for textures that do not compare: lookups of shadow targets on
    /// `units`, a mask of texture image units, return the texel, as drivers did. If a texture's
    /// `TEXTURE_COMPARE_MODE` is `NONE`, the result of such a lookup is undefined otherwise
    /// (ARB_fragment_program_shadow). Arrays of units are treated as their first unit.
    pub fn with_plain_lookups(&self, units: u32) -> Self {
        self.clone_with(|program| program.look_up_plainly(is_among(units)))
    }

    /// Returns the same program for depth textures that compare: lookups of ordinary targets of one
    /// and two dimensions on `units` compare with the third coordinate. Programs of
    /// NV_fragment_program look up textures as OpenGL without programs does: `TEXTURE_COMPARE_MODE`
    /// applies (section 3.11.5.38). In the ARB languages the result of such a lookup is undefined.
    pub fn with_compared_lookups(&self, units: u32) -> Self {
        self.clone_with(|program| program.look_up_compared(is_among(units)))
    }

    /// Returns the same fragment program with texels instead of its primary color: texels of the
    /// two-dimensional texture of `unit` at the floor of `coordinate`, clamped as `saturate`
    /// specifies. So a rectangle draws the pixels of `glDrawPixels`. `None` if the program
    /// evaluates its color at other locations, or reads it with an index.
    pub fn with_texel_colors(
        &self,
        unit: u32,
        coordinate: Semantic,
        saturate: ir::Saturate,
    ) -> Option<Self> {
        let mut is_done = false;
        let changed = self.clone_with(|program| {
            is_done = program.read_texel_colors(unit, coordinate, saturate);
        });
        is_done.then_some(changed)
    }

    /// Returns the same program for missing textures on `units`, a mask of texture image units:
    /// lookups return (0, 0, 0, 0), as `!!FP1.0` programs define it for targets without a
    /// consistent set of images (NV_fragment_program section 3.11.5.38). Arrays of units are
    /// treated as their first unit.
    pub fn with_zero_lookups(&self, units: u32) -> Self {
        self.clone_with(|program| program.look_up_zeros(is_among(units)))
    }

    /// Returns the same program with clip distances that clip only if their planes are enabled
    /// ([`FixedState::clip_planes`](crate::FixedState::clip_planes)), as in OpenGL. Otherwise all
    /// written distances clip, except in programs of NV_vertex_program2. For the last stage before
    /// rasterization.
    pub fn with_enabled_clip_distances(&self) -> Self {
        self.clone_with(|program| program.modes.enabled_clip_distances = true)
    }

    /// Returns another program with the same source.
    fn clone_with(&self, change: impl FnOnce(&mut ir::Program)) -> Self {
        let mut program = self.0.program.clone();
        change(&mut program);
        Self(Arc::new(Loaded {
            program,
            warnings: self.0.warnings.clone(),
            dialect: self.0.dialect,
            name: self.0.name.clone(),
            text: self.0.text.clone(),
            settings: self.0.settings,
            counted: self.0.counted.clone(),
        }))
    }

    /// Returns the source that it was loaded from, to render diagnostics with.
    pub fn source(&self) -> Source<'_> {
        Source {
            name: &self.0.name,
            text: &self.0.text,
            ..self.0.settings
        }
    }

    pub(crate) fn source_text(&self) -> SourceText<'_> {
        SourceText {
            name: &self.0.name,
            text: &self.0.text,
        }
    }
}
