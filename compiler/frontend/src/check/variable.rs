//! Variables with bindings: ATTRIB, PARAM, OUTPUT, buffers, TEXTURE, SHARED.
//! NV_gpu_program4 sections 2.X.3.2 to 2.X.3.6, NV_gpu_program5 section 2.X.3.8.

use super::brackets::{Bound, Resolved};
use super::buffers::BufferRange;
use super::declare::{attrib_binding, base_of, io_binding};
use super::{Checker, IoBinding, Named, Var, VarKind};
use crate::ast::{Decl, DeclKind, Item, Size, VarMods};
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Traits};
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::lang::options::Features;
use crate::source::Version;
use crate::vars::{Holder, VertexOf};
use glasm_ir::{ParamSource, Semantic, Span, Stage};

/// What a declaration needs to be there at all.
#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    /// Language version 5.0.
    Version,
    Option(Features),
    /// An option before language version 5.0.
    VersionOrOption(Features),
}

/// Declarations that take bindings: kind, word, what its bindings are, what it needs.
static BOUND: &[(DeclKind, &str, &str, Needs)] = &[
    (DeclKind::Attrib, "ATTRIB", "an attribute", Needs::Nothing),
    (DeclKind::Output, "OUTPUT", "a result", Needs::Nothing),
    (
        DeclKind::Param,
        "PARAM",
        "a parameter or a constant",
        Needs::Nothing,
    ),
    (DeclKind::Buffer, "BUFFER", "program.buffer", Needs::Nothing),
    (
        DeclKind::Buffer4,
        "BUFFER4",
        "program.buffer",
        Needs::Nothing,
    ),
    (
        DeclKind::Cbuffer,
        "CBUFFER",
        "program.buffer",
        Needs::VersionOrOption(Features::CBUFFER),
    ),
    (
        DeclKind::Storage,
        "STORAGE",
        "program.storage",
        Needs::Option(Features::STORAGE_BUFFER),
    ),
    (
        DeclKind::Counter,
        "COUNTER",
        "program.counter",
        Needs::Option(Features::ATOMIC_COUNTERS),
    ),
    (
        DeclKind::Shared,
        "SHARED",
        "program.sharedmem",
        Needs::Nothing,
    ),
    (
        DeclKind::Texture,
        "TEXTURE",
        "a texture image unit",
        Needs::Version,
    ),
    (DeclKind::Image, "IMAGE", "an image unit", Needs::Version),
    (
        DeclKind::Subroutine,
        "SUBROUTINE",
        "program.subroutine",
        Needs::Version,
    ),
];

/// The elements of a declaration, by kind.
enum Elements {
    /// Those of the checker's list, and what has them.
    Attribs(Holder),
    /// Those of the checker's list.
    Results,
    /// The parameters of the program from this one on.
    Params(u32),
    Textures(Units),
    Images(Units),
    Subroutines(Vec<u32>),
    Buffer(BufferRange),
    Shared(Option<(u32, u32)>),
    /// A binding with run-time index.
    Relative(Bound, u32),
}

/// Texture units or image units.
#[derive(Clone, Copy)]
struct Units {
    first: u32,
    count: u32,
    /// Whether each is the one behind the one before.
    is_ordered: bool,
}

impl Units {
    fn new(first: u32, count: u32) -> Self {
        Self {
            first,
            count,
            is_ordered: true,
        }
    }

    fn append(&mut self, next: Self) {
        self.is_ordered &= next.is_ordered && self.first + self.count == next.first;
        self.count += next.count;
    }
}

impl Checker<'_> {
    /// A variable with bindings.
    pub(super) fn bound_variable(&mut self, decl: &Decl) {
        if decl.name.is_none() {
            return;
        }
        // Compared below: an error that leaves a variable, such as one of its interpolation, must still poison the name.
        let before = self.reports_len();
        // Bindings of a declaration that the program cannot have are not looked at: each would be an error of its own.
        let allowed = self.allowed_here(decl);
        let elements = if allowed { self.elements(decl) } else { None };
        let var = elements.and_then(|elements| self.bind(decl, elements));
        match var {
            Some(var) if self.reports_len() == before => {
                self.declare(decl.name, var);
            }
            // A declaration with errors still declares its name, so that uses are no errors of their own.
            _ => self.poison(decl),
        }
    }

    /// `ALIAS name = binding`: a variable of that binding.
    #[cold]
    pub(super) fn binding_alias(&mut self, decl: &Decl, path: u32) {
        let span = self.ast.paths[path as usize].span;
        let text = self.source_text(span);
        let message = format!("`{text}` is a binding, not the name of a variable");
        // "The right hand side must be an established variable name": NV_gpu_program4 section 2.X.3.8. Drivers take a binding, too.
        let accepted = self
            .lenient(Rule::AliasOfBinding, span, message)
            .then(|| self.resolve(path))
            .flatten();
        let Some(resolved) = accepted else {
            return self.poison(decl);
        };
        let kind = resolved.bound.declared_by();
        let size = match resolved.range {
            true => Size::Open,
            false => Size::Single,
        };
        let variable = Decl {
            kind,
            size,
            ..*decl
        };
        // A SUBROUTINE variable needs a type, which such a line has no place for.
        if kind == DeclKind::Subroutine {
            self.report_wrong_binding(decl, span);
            return self.poison(decl);
        }
        // Units have no names before version 5.0, but they do as aliases.
        let is_unit = kind == DeclKind::Texture && !resolved.range && resolved.rest.is_none();
        match is_unit.then(|| self.implicit_var(resolved.bound, span)) {
            Some(Some(var)) => {
                let info = self.program.vars[var as usize];
                self.declare(decl.name, info);
            }
            Some(None) => self.poison(decl),
            None => self.bound_variable(&variable),
        }
    }

    /// Keeps later uses of a name from being reported.
    fn poison(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        let poisoned = self.new_var(decl, VarKind::Poisoned, None);
        // A name that is taken is reported by `declare`; what it stands for stays.
        if self.symbols[name.index()].named == Named::Nothing {
            self.symbols[name.index()].named = Named::Poisoned;
        } else {
            self.declare(Some((name, span)), poisoned);
        }
    }

    fn reports_len(&self) -> usize {
        self.reports.len()
    }

    /// Whether the program type, the language version and the options have this kind of declaration.
    fn allowed_here(&mut self, decl: &Decl) -> bool {
        let (kind, span) = (decl.kind, decl.span);
        let is_compute = self.stage == Stage::Compute;
        let wrong_stage = match (kind, is_compute) {
            (DeclKind::Output, true) => Some("compute programs have no results"),
            (DeclKind::Shared, false) => Some("shared memory belongs to compute programs"),
            // All other kinds are in all stages; what they may be bound to depends on the stage.
            _ => None,
        };
        if let Some(message) = wrong_stage {
            self.error(Code::DeclarationNotAllowed, span, message);
            return false;
        }
        let row = BOUND.iter().find(|(other, ..)| *other == kind);
        let Some(&(_, word, _, needs)) = row else {
            return true;
        };
        match needs {
            Needs::Nothing => true,
            Needs::Version => self.need_version(
                Version::V5_0,
                span,
                format_args!("{word} declarations need"),
            ),
            Needs::Option(needs) => self.need_option(needs, span, format_args!("{word} needs")),
            Needs::VersionOrOption(needs) => {
                self.version >= Version::V5_0
                    || self.need_option(needs, span, format_args!("{word} needs"))
            }
        }
    }

    /// Resolves the items of a declaration.
    fn elements(&mut self, decl: &Decl) -> Option<Elements> {
        let mut elements: Option<Elements> = None;
        let mut failed = false;
        // A declaration with an error may have left some.
        self.io_elements.clear();
        // The first item of SUBROUTINE is its type.
        let first = u32::from(decl.kind == DeclKind::Subroutine);
        for index in first..decl.item_count {
            let item = self.ast.items[(decl.first_item + index) as usize];
            // Every item may be a range, so the sum is bounded before the next one is spread out.
            if elements
                .as_ref()
                .is_some_and(|elements| self.count(elements) as u64 > limits::PARAMETERS)
            {
                let message = "too many bindings in an array";
                self.error(Code::TooManyParameters, self.item_span(item), message);
                return None;
            }
            match self.item(decl, item) {
                Some(found) => match &mut elements {
                    None => elements = Some(found),
                    Some(list) => failed |= !self.append(list, found, self.item_span(item)),
                },
                None => failed = true,
            }
        }
        elements.filter(|_| !failed)
    }

    /// The number of elements.
    fn count(&self, elements: &Elements) -> usize {
        match elements {
            Elements::Attribs(_) | Elements::Results => self.io_elements.len(),
            Elements::Params(first) => self.program.params.len() - *first as usize,
            Elements::Textures(units) | Elements::Images(units) => units.count as usize,
            Elements::Subroutines(list) => list.len(),
            // Of memory only the bounds are kept, whatever its size.
            Elements::Buffer(_) | Elements::Shared(_) | Elements::Relative(..) => 1,
        }
    }

    fn append(&mut self, list: &mut Elements, found: Elements, span: Span) -> bool {
        if let (Elements::Buffer(list), Elements::Buffer(found)) = (&mut *list, &found)
            && list.append(*found)
        {
            return true;
        }
        match (list, found) {
            // Their lists have them already.
            (Elements::Attribs(first), Elements::Attribs(next)) => {
                self.same_holder(*first, next, span)
            }
            (Elements::Results, Elements::Results) | (Elements::Params(_), Elements::Params(_)) => {
                true
            }
            (Elements::Textures(list), Elements::Textures(more))
            | (Elements::Images(list), Elements::Images(more)) => {
                list.append(more);
                true
            }
            (Elements::Subroutines(list), Elements::Subroutines(more)) => {
                list.extend(more);
                true
            }
            // "Must increase consecutively": NV_compute_program5 section 2.X.3.Y.
            (Elements::Shared(Some((first, count))), Elements::Shared(Some((next, more))))
                if *first + *count == next =>
            {
                *count += more;
                true
            }
            _ => self.not_consecutive(span),
        }
    }

    #[cold]
    fn not_consecutive(&mut self, span: Span) -> bool {
        let message =
            "the bindings of a buffer variable must be consecutive elements of one buffer";
        self.error(Code::BufferBindings, span, message);
        false
    }

    /// Adds a parameter of the program.
    fn param(&mut self, source: ParamSource) -> Elements {
        self.program.params.push(source);
        Elements::Params(self.program.params.len() as u32 - 1)
    }

    fn item(&mut self, decl: &Decl, item: Item) -> Option<Elements> {
        match item {
            Item::Path(path) => self.path_item(decl, path),
            // The type of the declaration decides what the digits mean. NV_gpu_program4 section 2.X.3.3.
            Item::Scalar(literal) if decl.kind == DeclKind::Param => {
                let bits = self.scalar_constant(literal, base_of(decl.mods))?;
                Some(self.param(ParamSource::Literal(bits)))
            }
            Item::Vector { first, count, .. } if decl.kind == DeclKind::Param => {
                let bits = self.vector_constant(first, count, base_of(decl.mods))?;
                Some(self.param(ParamSource::Literal(bits)))
            }
            Item::Scalar(_) | Item::Vector { .. } | Item::Name(..) | Item::Number(..) => {
                let span = self.item_span(item);
                self.report_wrong_binding(decl, span);
                None
            }
        }
    }

    #[cold]
    fn report_wrong_binding(&mut self, decl: &Decl, span: Span) {
        let row = BOUND.iter().find(|(kind, ..)| *kind == decl.kind);
        let wanted = row.map_or("nothing", |(_, _, wanted, _)| wanted);
        let message = format!("this declaration needs {wanted} as binding");
        self.error(Code::BindingUnknown, span, message);
    }

    fn path_item(&mut self, decl: &Decl, path: u32) -> Option<Elements> {
        let span = self.ast.paths[path as usize].span;
        let resolved = self.resolve(path)?;
        if let Some(rest) = resolved.rest {
            let message = "a binding in a declaration has no suffix";
            self.error(Code::UnexpectedToken, rest, message);
            return None;
        }
        let Some(elements) = self.elements_of_path(decl, &resolved) else {
            self.report_wrong_binding(decl, span);
            return None;
        };
        // A range has several elements, even one such as [2..2], whose place is in braces.
        if resolved.range && decl.size == Size::Single {
            let is_matrix = matches!(resolved.bound, Bound::Params(params) if params.is_matrix());
            self.range_without_array(is_matrix, span);
            return None;
        }
        Some(elements)
    }

    #[inline]
    fn add_io_elements(&mut self, row: &'static BindingInfo, first: u32, count: u32) {
        let numbers = first..first + count;
        self.io_elements.extend(numbers.map(|number| (row, number)));
    }

    /// The elements of a binding; `None` if the declaration is one of other bindings.
    #[inline]
    fn elements_of_path(&mut self, decl: &Decl, resolved: &Resolved) -> Option<Elements> {
        Some(match (decl.kind, resolved.bound) {
            (DeclKind::Attrib, bound @ Bound::Attrib(..))
            | (DeclKind::Output, bound @ Bound::Result(..))
                // Before the arms for bindings with numbers: here `bound` is everything that the index can select.
                if resolved.relative.is_some() && decl.size == Size::Single =>
            {
                Elements::Relative(bound, resolved.relative.unwrap_or_default())
            }
            (DeclKind::Attrib, Bound::Attrib(row, first, count, holder)) => {
                self.add_io_elements(row, first, count);
                Elements::Attribs(holder)
            }
            (DeclKind::Output, Bound::Result(row, first, count)) => {
                self.add_io_elements(row, first, count);
                Elements::Results
            }
            (DeclKind::Param, Bound::Params(params)) => {
                let first = self.program.params.len() as u32;
                self.program.params.extend(params.sources());
                Elements::Params(first)
            }
            (DeclKind::Texture, Bound::Texture { first, count }) => {
                Elements::Textures(Units::new(first, count))
            }
            (DeclKind::Image, Bound::Image { first, count }) => {
                Elements::Images(Units::new(first, count))
            }
            // Whatever the kind: several declarations take `program.buffer`.
            (_, Bound::Buffer(range)) if Self::takes_buffers(decl, range) => {
                Elements::Buffer(range)
            }
            (DeclKind::Shared, Bound::Shared(elements)) => Elements::Shared(elements),
            (DeclKind::Subroutine, Bound::Subroutines { first, count }) => {
                Elements::Subroutines((first..first + count).collect())
            }
            _ => return None,
        })
    }

    #[cold]
    fn range_without_array(&mut self, is_matrix: bool, span: Span) {
        let whole = is_matrix && !self.source_text(span).contains(".row");
        let (code, message) = if whole {
            (
                Code::MatrixNeedsRow,
                "a whole matrix needs an array; select a row with .row[n]",
            )
        } else {
            (Code::RangeAsOperand, "a range needs an array variable")
        };
        self.error(code, span, message);
    }

    /// The array size of texture or image units, which must be consecutive.
    fn units(&mut self, decl: &Decl, units: Units) -> Option<Option<u32>> {
        let array = self.array_of(decl.size, units.count as usize)?;
        if !units.is_ordered {
            let message = "the units of an array must be consecutive";
            self.error(Code::TextureUnits, decl.span, message);
        }
        Some(array)
    }

    /// Makes the variable of resolved elements.
    fn bind(&mut self, decl: &Decl, elements: Elements) -> Option<Var> {
        match elements {
            // The list is taken out while the checker binds its elements, and put back to keep its memory.
            Elements::Attribs(holder) => {
                let list = std::mem::take(&mut self.io_elements);
                let var = self.bind_attribs(decl, &list, holder);
                self.io_elements = list;
                var
            }
            Elements::Results => {
                let list = std::mem::take(&mut self.io_elements);
                let var = self.bind_results(decl, &list);
                self.io_elements = list;
                var
            }
            Elements::Params(first) => self.bind_params(decl, first),
            Elements::Textures(units) => {
                let array = self.units(decl, units)?;
                Some(self.new_var(decl, VarKind::Texture { unit: units.first }, array))
            }
            Elements::Images(units) => {
                let array = self.units(decl, units)?;
                Some(self.new_var(decl, VarKind::Image { unit: units.first }, array))
            }
            Elements::Subroutines(list) => {
                let array = self.array_of(decl.size, list.len())?;
                let kind = self.subroutine_kind(decl, &list)?;
                Some(self.new_var(decl, kind, array))
            }
            Elements::Relative(bound, relative) => self.bind_relative(decl, &bound, relative),
            Elements::Buffer(range) => self.bind_buffer(decl, range),
            Elements::Shared(elements) => {
                // Where SHARED_MEMORY follows or is missing, only the rule for accesses bounds them.
                let size = match self.shared_declared {
                    Some(start) if start < decl.span.start => self.program.shared_bytes.max(1),
                    Some(_) | None => limits::SHARED_BYTES,
                };
                let (start, count) = elements.unwrap_or((0, size));
                let array = self.view_array(decl.size, elements.is_some(), count)?;
                Some(self.new_var(decl, VarKind::Shared { start }, array))
            }
        }
    }

    fn bind_attribs(
        &mut self,
        decl: &Decl,
        list: &[(&'static BindingInfo, u32)],
        holder: Holder,
    ) -> Option<Var> {
        let array = self.array_of(decl.size, list.len())?;
        self.array_kind(decl, list)?;
        let first = self.program.attribs.len() as u32;
        for &(row, number) in list {
            self.bind_attrib(decl, row, attrib_binding(row, number, holder));
        }
        Some(Var {
            by_vertex: holder.vertex == VertexOf::Each,
            ..self.new_var(decl, VarKind::Attrib { first }, array)
        })
    }

    fn bind_results(&mut self, decl: &Decl, list: &[(&'static BindingInfo, u32)]) -> Option<Var> {
        let array = self.array_of(decl.size, list.len())?;
        // "Fragment program result variables may not be declared as arrays": NV_fragment_program4 section 2.X.3.5.
        if array.is_some() && self.stage == Stage::Fragment {
            let message = "fragment programs have no arrays of results";
            self.error(Code::OutputArray, decl.span, message);
            return None;
        }
        self.array_kind(decl, list)?;
        let first = self.program.results.len() as u32;
        let bindings = list.iter().map(|&(row, number)| io_binding(row, number));
        self.program.results.extend(bindings);
        Some(self.new_var(decl, VarKind::Result { first }, array))
    }

    fn bind_relative(&mut self, decl: &Decl, bound: &Bound, relative: u32) -> Option<Var> {
        let (kind, count) = self.relative_row(bound)?;
        self.address_index(relative);
        self.check_loop_index_use(relative, decl.span);
        Some(Var {
            relative: true,
            element: Some(relative),
            ..self.new_var(decl, kind, Some(count))
        })
    }

    /// The parameters from `first` on are those of the declaration.
    fn bind_params(&mut self, decl: &Decl, first: u32) -> Option<Var> {
        let count = self.program.params.len() - first as usize;
        let array = self.array_of(decl.size, count)?;
        let limit = limits::PARAMETERS - self.reserved().parameters;
        let has_room = self.count_parameters(count as u64, limit, decl.span);
        has_room.then(|| self.new_var(decl, VarKind::Param { first }, array))
    }

    /// Counts parameters; reports if there are too many.
    #[inline]
    pub(super) fn count_parameters(&mut self, count: u64, limit: u64, span: Span) -> bool {
        self.parameters += count;
        let has_room = self.parameters <= limit;
        if !has_room {
            self.error(Code::TooManyParameters, span, "too many parameters");
            // Counted anew, so that not every further one is an error.
            self.parameters = 0;
        }
        has_room
    }

    /// Attribute and result arrays hold consecutive bindings of one kind. NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5.
    fn array_kind(&mut self, decl: &Decl, list: &[(&'static BindingInfo, u32)]) -> Option<()> {
        if decl.size == Size::Single {
            return Some(());
        }
        // An array has an element at least: the grammar wants one in its braces.
        let (row, _) = list[0];
        if !row.traits.contains(Traits::ARRAY)
            // Paths, not rows: `result.color` and `result.color.primary` are of different kinds though they mean the same.
            || list.iter().any(|(other, _)| other.path != row.path)
        {
            let message = "an array holds bindings of one kind that exists in arrays";
            self.error(Code::ArrayKinds, decl.span, message);
            return None;
        }
        if list.windows(2).any(|pair| pair[0].1 + 1 != pair[1].1) {
            let message = "the bindings of an array must have consecutive numbers";
            self.error(Code::ArrayOrder, decl.span, message);
            return None;
        }
        Some(())
    }

    fn bind_attrib(&mut self, decl: &Decl, row: &'static BindingInfo, binding: IoBinding) {
        self.program.attribs.push(binding);
        self.use_slot(row, binding.semantic, decl.span);
        // Only fragments interpolate. NV_fragment_program4 section 2.X.3.1.
        if self.stage != Stage::Fragment {
            return;
        }
        let mods = decl.mods.intersection(VarMods::ANY_INTERPOLATION);
        self.interpolation_allowed(decl, row, binding, mods);
        // "If multiple attribute variables with different interpolation modifiers are bound to the same fragment attribute."
        let interpolation = &mut self.program.interpolation;
        let previous = interpolation.insert(binding.semantic, mods);
        // Primary and secondary color must agree; they are kept under one key beside their own.
        let partner = if let Semantic::Color(index) = binding.semantic {
            interpolation.get(&Semantic::Color(1 - index)).copied()
        } else {
            None
        };
        let differs = |other: Option<VarMods>| other.is_some_and(|other| other != mods);
        if differs(previous) || differs(partner) {
            let path = row.path;
            let message = format!("`{path}` is declared with different interpolation modifiers");
            self.error(Code::InterpolationConflict, decl.span, message);
        }
    }

    #[inline]
    fn interpolation_allowed(
        &mut self,
        decl: &Decl,
        row: &BindingInfo,
        binding: IoBinding,
        mods: VarMods,
    ) {
        let primitive_id = binding.semantic == Semantic::PrimitiveId;
        if !mods.is_empty() && !row.traits.contains(Traits::INTERPOLATED)
            // The number is the same for all of a primitive, so that FLAT changes nothing and the others have no meaning.
            || primitive_id && mods.intersects(!VarMods::FLAT)
        {
            let message = format!("`{}` takes no interpolation modifier", row.path);
            self.error(Code::InterpolationNotAllowed, decl.span, message);
        }
    }
}
