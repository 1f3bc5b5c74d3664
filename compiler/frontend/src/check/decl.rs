//! Declarations. NV_gpu_program4 sections 2.X.3.1 to 2.X.3.8.

use super::binding::Bound;
use super::{BufferLayout, BufferView, Checker, Implicit, IoBinding, Named, Var, VarKind, VarSize};
use crate::ast::{Decl, DeclKind, Item, Literal, Size, VarMods};
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Traits, is_conventional};
use crate::lang::{limits, options};
use crate::names::NameId;
use crate::source::Version;
use glasm_ir::types::{Base, Type};
use glasm_ir::{ParamSource, Semantic, Span, Stage};

/// The elements of a declaration, by kind.
enum Elements {
    Attribs(Vec<(&'static BindingInfo, u32)>),
    Results(Vec<(&'static BindingInfo, u32)>),
    Params(Vec<ParamSource>),
    Textures(Vec<u32>),
    Buffer { binding: u32, elements: Option<(u32, u32)> },
    Shared(Option<(u32, u32)>),
}

impl Checker<'_> {
    pub(super) fn decl(&mut self, number: u32) {
        let decl = self.program.ast.decls[number as usize];
        self.decl_modifiers(&decl);
        match decl.kind {
            DeclKind::Temp => self.temps(&decl),
            DeclKind::Alias => self.alias(&decl),
            DeclKind::GroupSize => self.group_size(&decl),
            DeclKind::SharedMemory => self.shared_memory(&decl),
            DeclKind::Attrib
            | DeclKind::Param
            | DeclKind::Output
            | DeclKind::Buffer
            | DeclKind::Buffer4
            | DeclKind::Cbuffer
            | DeclKind::Texture
            | DeclKind::Shared => self.bound_variable(&decl),
        }
    }

    /// Whether the modifiers go with the kind of declaration. NV_gpu_program4 section 2.X.3.1.
    fn decl_modifiers(&mut self, decl: &Decl) {
        let (kind, mods, span) = (decl.kind, decl.mods, decl.span);
        let five = self.version >= Version::V5_0;
        let long = kind == DeclKind::Temp || kind == DeclKind::Attrib && self.stage == Stage::Vertex && five;
        if mods.contains(VarMods::LONG) && !long {
            self.reports.error(Code::LongNotAllowed, span, "LONG is not allowed here");
        }
        if mods.contains(VarMods::SHORT) && !matches!(kind, DeclKind::Temp | DeclKind::Output) {
            self.reports.error(Code::ShortNotAllowed, span, "SHORT is not allowed here");
        }
        let typed = matches!(
            kind,
            DeclKind::Temp | DeclKind::Attrib | DeclKind::Param | DeclKind::Output | DeclKind::Buffer | DeclKind::Buffer4
        );
        if mods.intersects(VarMods::ANY_TYPE) && !typed {
            self.reports.error(Code::TypeNotAllowed, span, "a data type is not allowed here");
        }
        let interpolation = mods.intersection(VarMods::ANY_INTERPOLATION);
        if !interpolation.is_empty() && (kind != DeclKind::Attrib || self.stage != Stage::Fragment) {
            let message = "interpolation modifiers apply to attributes of fragment programs";
            self.reports.error(Code::InterpolationNotAllowed, span, message);
        }
        let flat_mix = mods.contains(VarMods::FLAT) && interpolation != VarMods::FLAT;
        if flat_mix || mods.contains(VarMods::CENTROID | VarMods::SAMPLE) {
            self.reports.error(Code::InterpolationMix, span, "these interpolation modifiers exclude each other");
        }
        if mods.contains(VarMods::SAMPLE) && self.version < Version::V4_1 {
            self.reports.error(Code::FeatureNewer, span, "SAMPLE needs language version 4.1");
        }
        let integer = mods.intersects(VarMods::INT | VarMods::UINT) && kind == DeclKind::Attrib;
        if integer && self.stage == Stage::Fragment && !mods.contains(VarMods::FLAT) {
            self.reports.error(Code::IntNotFlat, span, "integer attributes of fragment programs must be FLAT");
        }
    }

    /// Adds a variable under a new name.
    fn declare(&mut self, name: Option<(NameId, Span)>, var: Var) -> u32 {
        let number = self.program.vars.len() as u32;
        self.program.vars.push(var);
        if let Some((name, span)) = name {
            if let Named::Var(other) = self.named[name.index()] {
                let text = self.name_text(name);
                let line = self.line_of(self.program.vars[other as usize].span);
                let notes = vec![format!("the first declaration is in line {line}")];
                self.reports.error_with(Code::DuplicateName, span, format!("`{text}` is declared already"), notes);
            } else {
                self.named[name.index()] = Named::Var(number);
            }
        }
        number
    }

    fn line_of(&self, span: Span) -> usize {
        let before = &self.program.ast.text[..span.start as usize];
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn new_var(&self, decl: &Decl, kind: VarKind, array: Option<u32>) -> Var {
        let size = if decl.mods.contains(VarMods::SHORT) {
            VarSize::Short
        } else if decl.mods.contains(VarMods::LONG) && self.version >= Version::V5_0 {
            VarSize::Long
        } else {
            VarSize::Normal
        };
        let base = base_of(decl.mods);
        Var { kind, name: decl.name.map(|(name, _)| name), base, size, array, relative: false, used: false, span: decl.span }
    }

    fn temps(&mut self, decl: &Decl) {
        for index in 0..decl.item_count {
            let Item::Name(name, size, span) = self.program.ast.items[(decl.first_item + index) as usize] else { continue };
            let array = match size {
                Size::Single => None,
                Size::Of(0, place) => {
                    self.reports.error(Code::ArraySizeBad, place, "an array has at least one element");
                    Some(1)
                }
                Size::Of(count, _) => Some(count),
                Size::Open => {
                    self.reports.error(Code::ArraySizeBad, span, "an array of temporaries needs a size");
                    Some(1)
                }
            };
            self.temporaries += u64::from(array.unwrap_or(1));
            if self.temporaries > limits::TEMPORARIES {
                let message = format!("more than {} temporaries", limits::TEMPORARIES);
                self.reports.error(Code::TooManyTemporaries, span, message);
                self.temporaries = 0;
                self.named[name.index()] = Named::Poisoned;
                continue;
            }
            let var = Var { name: Some(name), span, ..self.new_var(decl, VarKind::Temp, array) };
            self.declare(Some((name, span)), var);
        }
    }

    fn alias(&mut self, decl: &Decl) {
        let (Some((name, span)), [Item::Name(old, _, old_span)]) = (decl.name, self.program.ast.items(decl)) else { return };
        let (old, old_span) = (*old, *old_span);
        let target = self.var_of(old, old_span);
        if matches!(self.named[name.index()], Named::Var(_)) {
            let text = self.name_text(name);
            self.reports.error(Code::DuplicateName, span, format!("`{text}` is declared already"));
        } else {
            self.named[name.index()] = target.map_or(Named::Poisoned, Named::Var);
        }
    }

    /// NV_compute_program5 section 2.X.7.Y.
    fn group_size(&mut self, decl: &Decl) {
        if !self.compute_only(decl) {
            return;
        }
        let items = self.program.ast.items(decl).to_vec();
        if std::mem::replace(&mut self.group_size_seen, true) {
            self.reports.error(Code::GroupSize, decl.span, "GROUP_SIZE is declared twice");
        }
        if items.len() > 3 {
            self.reports.error(Code::GroupSize, decl.span, "GROUP_SIZE has at most three sizes");
        }
        let mut product = 1u64;
        for (axis, item) in items.iter().take(3).enumerate() {
            let &Item::Number(value, span) = item else { continue };
            product = product.saturating_mul(u64::from(value));
            if value == 0 || value > limits::GROUP_SIZE[axis] || product > u64::from(limits::GROUP_SIZE[0]) {
                let message = format!("the size {value} is out of range");
                self.reports.error(Code::GroupSize, span, message);
            }
            self.program.group_size[axis] = value;
        }
    }

    fn shared_memory(&mut self, decl: &Decl) {
        if !self.compute_only(decl) {
            return;
        }
        let items = self.program.ast.items(decl).to_vec();
        if std::mem::replace(&mut self.shared_seen, true) {
            self.reports.error(Code::SharedMemory, decl.span, "SHARED_MEMORY is declared twice");
        }
        match items[..] {
            [Item::Number(size, _)] if size <= limits::SHARED_BYTES => self.program.shared_bytes = size,
            [Item::Number(size, span)] => {
                let message = format!("{size} bytes of shared memory are more than {}", limits::SHARED_BYTES);
                self.reports.error(Code::SharedMemory, span, message);
            }
            _ => self.reports.error(Code::SharedMemory, decl.span, "SHARED_MEMORY has one size"),
        }
    }

    fn compute_only(&mut self, decl: &Decl) -> bool {
        let compute = self.stage == Stage::Compute;
        if !compute {
            let message = "this declaration belongs to compute programs";
            self.reports.error(Code::DeclarationNotAllowed, decl.span, message);
        }
        compute
    }

    /// ATTRIB, PARAM, OUTPUT, BUFFER, TEXTURE, SHARED.
    fn bound_variable(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else { return };
        let before = self.reports_len();
        let allowed = self.allowed_here(decl);
        let elements = if allowed { self.elements(decl) } else { None };
        let var = elements.and_then(|elements| self.bind(decl, elements));
        match var {
            Some(var) if self.reports_len() == before => {
                self.declare(decl.name, var);
            }
            _ => {
                let poisoned = self.new_var(decl, VarKind::Poisoned, None);
                if self.named[name.index()] == Named::Nothing {
                    self.named[name.index()] = Named::Poisoned;
                } else {
                    self.declare(Some((name, span)), poisoned);
                }
            }
        }
    }

    fn reports_len(&self) -> usize {
        self.reports.len()
    }

    /// Whether the program type and the language version have this kind of declaration.
    fn allowed_here(&mut self, decl: &Decl) -> bool {
        let five = self.version >= Version::V5_0;
        let (code, message) = match decl.kind {
            DeclKind::Output if self.stage == Stage::Compute => {
                (Code::DeclarationNotAllowed, "compute programs have no results")
            }
            DeclKind::Shared if self.stage != Stage::Compute => {
                (Code::DeclarationNotAllowed, "shared memory belongs to compute programs")
            }
            DeclKind::Texture if !five => (Code::FeatureNewer, "TEXTURE declarations need language version 5.0"),
            DeclKind::Cbuffer if !five && !self.program.features.contains(options::Features::CBUFFER) => {
                (Code::FeatureOption, "CBUFFER needs OPTION NV_parameter_buffer_object2")
            }
            _ => return true,
        };
        self.reports.error(code, decl.span, message);
        false
    }

    /// Resolves the items of a declaration.
    fn elements(&mut self, decl: &Decl) -> Option<Elements> {
        let mut elements: Option<Elements> = None;
        let mut failed = false;
        for index in 0..decl.item_count {
            let item = self.program.ast.items[(decl.first_item + index) as usize];
            match self.item(decl, item) {
                Some(found) => match &mut elements {
                    None => elements = Some(found),
                    Some(list) => failed |= !self.append(list, found, item_span(self, item)),
                },
                None => failed = true,
            }
        }
        elements.filter(|_| !failed)
    }

    fn append(&mut self, list: &mut Elements, found: Elements, span: Span) -> bool {
        match (list, found) {
            (Elements::Attribs(list), Elements::Attribs(more)) => list.extend(more),
            (Elements::Results(list), Elements::Results(more)) => list.extend(more),
            (Elements::Params(list), Elements::Params(more)) => list.extend(more),
            (Elements::Textures(list), Elements::Textures(more)) => list.extend(more),
            (
                Elements::Buffer { binding, elements: Some((first, count)) },
                Elements::Buffer { binding: other, elements: Some((next, more)) },
            ) if *binding == other && *first + *count == next => *count += more,
            (Elements::Shared(Some((first, count))), Elements::Shared(Some((next, more)))) if *first + *count == next => {
                *count += more;
            }
            _ => {
                let message = "the bindings of a buffer variable must be consecutive elements of one buffer";
                self.reports.error(Code::BufferBindings, span, message);
                return false;
            }
        }
        true
    }

    fn item(&mut self, decl: &Decl, item: Item) -> Option<Elements> {
        match item {
            Item::Path(path) => self.path_item(decl, path),
            Item::Scalar(literal) if decl.kind == DeclKind::Param => {
                let bits = self.constant(&[literal], base_of(decl.mods))?;
                Some(Elements::Params(vec![ParamSource::Literal([bits[0]; 4])]))
            }
            Item::Vector { first, count, .. } if decl.kind == DeclKind::Param => {
                let literals: Vec<u32> = (first..first + u32::from(count)).collect();
                let bits = self.constant(&literals, base_of(decl.mods))?;
                Some(Elements::Params(vec![ParamSource::Literal(bits)]))
            }
            Item::Scalar(_) | Item::Vector { .. } | Item::Name(..) | Item::Number(..) => {
                let span = item_span(self, item);
                self.wrong_binding(decl, span);
                None
            }
        }
    }

    #[cold]
    fn wrong_binding(&mut self, decl: &Decl, span: Span) {
        let wanted = match decl.kind {
            DeclKind::Attrib => "an attribute",
            DeclKind::Output => "a result",
            DeclKind::Param => "a parameter or a constant",
            DeclKind::Buffer | DeclKind::Buffer4 | DeclKind::Cbuffer => "program.buffer",
            DeclKind::Texture => "a texture image unit",
            DeclKind::Shared => "program.sharedmem",
            DeclKind::Temp | DeclKind::Alias | DeclKind::GroupSize | DeclKind::SharedMemory => "nothing",
        };
        self.reports.error(Code::BindingUnknown, span, format!("this declaration needs {wanted} as binding"));
    }

    fn path_item(&mut self, decl: &Decl, path: u32) -> Option<Elements> {
        let span = self.program.ast.paths[path as usize].span;
        let resolved = self.resolve(path)?;
        if let Some(rest) = resolved.rest {
            self.reports.error(Code::UnexpectedToken, rest.span, "a binding in a declaration has no suffix");
            return None;
        }
        let is_array = decl.size != Size::Single;
        let spread = |row: &'static BindingInfo, first, count| (first..first + count).map(|n| (row, n)).collect();
        let elements = match (decl.kind, resolved.bound) {
            (DeclKind::Attrib, Bound::Attrib(row, first, count)) => Elements::Attribs(spread(row, first, count)),
            (DeclKind::Output, Bound::Result(row, first, count)) => Elements::Results(spread(row, first, count)),
            (DeclKind::Param, Bound::Params(params)) => Elements::Params(params),
            (DeclKind::Texture, Bound::Texture { first, count }) => Elements::Textures((first..first + count).collect()),
            (DeclKind::Buffer | DeclKind::Buffer4 | DeclKind::Cbuffer, Bound::Buffer { bindings, elements }) => {
                if bindings.1 > 1 || decl.size2 != Size::Single {
                    let message = "variables over several parameter buffers are not supported yet";
                    self.reports.error(Code::Unsupported, span, message);
                    return None;
                }
                Elements::Buffer { binding: bindings.0, elements }
            }
            (DeclKind::Shared, Bound::Shared(elements)) => Elements::Shared(elements),
            _ => {
                self.wrong_binding(decl, span);
                return None;
            }
        };
        if resolved.range && !is_array {
            let matrix = matches!(&elements, Elements::Params(list) if matches!(list[0], ParamSource::State(_)));
            let whole = matrix && !self.source_text(span).contains(".row");
            let (code, message) = if whole {
                (Code::MatrixNeedsRow, "a whole matrix needs an array; select a row with .row[n]")
            } else {
                (Code::RangeAsOperand, "a range needs an array variable")
            };
            self.reports.error(code, span, message);
            return None;
        }
        Some(elements)
    }

    /// Makes the variable of resolved elements.
    fn bind(&mut self, decl: &Decl, elements: Elements) -> Option<Var> {
        match elements {
            Elements::Attribs(list) => {
                let array = self.array_of(decl, list.len())?;
                self.array_kind(decl, &list)?;
                let first = self.program.attribs.len() as u32;
                for &(row, number) in &list {
                    self.bind_attrib(decl, row, number);
                }
                Some(self.new_var(decl, VarKind::Attrib { first }, array))
            }
            Elements::Results(list) => {
                let array = self.array_of(decl, list.len())?;
                if array.is_some() && self.stage == Stage::Fragment {
                    self.reports.error(Code::OutputArray, decl.span, "fragment programs have no arrays of results");
                    return None;
                }
                self.array_kind(decl, &list)?;
                let first = self.program.results.len() as u32;
                self.program.results.extend(list.iter().map(|&(row, number)| io_binding(row, number)));
                Some(self.new_var(decl, VarKind::Result { first }, array))
            }
            Elements::Params(list) => {
                let array = self.array_of(decl, list.len())?;
                self.parameters += list.len() as u64;
                if self.parameters > limits::PARAMETERS {
                    self.reports.error(Code::TooManyParameters, decl.span, "too many parameters");
                    self.parameters = 0;
                    return None;
                }
                let first = self.program.params.len() as u32;
                self.program.params.extend(list);
                Some(self.new_var(decl, VarKind::Param { first }, array))
            }
            Elements::Textures(list) => {
                let array = self.array_of(decl, list.len())?;
                if list.windows(2).any(|pair| pair[0] + 1 != pair[1]) {
                    self.reports.error(Code::TextureUnits, decl.span, "the units of a texture array must be consecutive");
                }
                Some(self.new_var(decl, VarKind::Texture { unit: list[0] }, array))
            }
            Elements::Buffer { binding, elements } => self.bind_buffer(decl, binding, elements),
            Elements::Shared(elements) => {
                let size = self.program.shared_bytes;
                let (start, count) = elements.unwrap_or((0, size.max(1)));
                let array = self.view_array(decl, elements.is_some(), count)?;
                Some(self.new_var(decl, VarKind::Shared { start }, array))
            }
        }
    }

    fn bind_buffer(&mut self, decl: &Decl, binding: u32, elements: Option<(u32, u32)>) -> Option<Var> {
        let layout = match decl.kind {
            DeclKind::Buffer4 => BufferLayout::Vectors,
            DeclKind::Cbuffer => BufferLayout::Bytes,
            _ => BufferLayout::Words,
        };
        if layout != BufferLayout::Bytes && *self.buffer_layouts.entry(binding).or_insert(layout) != layout {
            let message = format!("parameter buffer {binding} is used by BUFFER and BUFFER4 variables");
            self.reports.error(Code::BufferKind, decl.span, message);
        }
        let (start, count) = elements.unwrap_or((0, limits::PARAMETER_BUFFER_WORDS * 4 / layout.stride()));
        let array = self.view_array(decl, elements.is_some(), count)?;
        let kind = VarKind::Buffer(BufferView { layout, binding, start });
        Some(self.new_var(decl, kind, array))
    }

    /// Array size of a view of a buffer: a whole buffer takes the declared size.
    fn view_array(&mut self, decl: &Decl, bounded: bool, count: u32) -> Option<Option<u32>> {
        match decl.size {
            Size::Of(size, _) if !bounded && size > 0 => Some(Some(size)),
            _ => self.array_of(decl, count as usize),
        }
    }

    /// The number of elements of an array declaration, checked against its bindings; `None` for single variables.
    fn array_of(&mut self, decl: &Decl, count: usize) -> Option<Option<u32>> {
        match decl.size {
            Size::Single => Some(None),
            Size::Open => Some(Some(count as u32)),
            Size::Of(size, _) if size as usize == count => Some(Some(size)),
            Size::Of(size, span) => {
                let message = format!("the size is {size}, but there are {count} bindings");
                self.reports.error(Code::ArraySizeMismatch, span, message);
                None
            }
        }
    }

    /// Attribute and result arrays hold consecutive bindings of one kind. NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5.
    fn array_kind(&mut self, decl: &Decl, list: &[(&'static BindingInfo, u32)]) -> Option<()> {
        if decl.size == Size::Single {
            return Some(());
        }
        let (row, _) = list[0];
        if !row.traits.contains(Traits::ARRAY) || list.iter().any(|(other, _)| other.path != row.path) {
            let message = "an array holds bindings of one kind that exists in arrays";
            self.reports.error(Code::ArrayKinds, decl.span, message);
            return None;
        }
        if list.windows(2).any(|pair| pair[0].1 + 1 != pair[1].1) {
            self.reports.error(Code::ArrayOrder, decl.span, "the bindings of an array must have consecutive numbers");
            return None;
        }
        Some(())
    }

    fn bind_attrib(&mut self, decl: &Decl, row: &'static BindingInfo, number: u32) {
        let binding = io_binding(row, number);
        self.program.attribs.push(binding);
        self.use_slot(row, binding.semantic, decl.span);
        if self.stage != Stage::Fragment {
            return;
        }
        let mods = decl.mods.intersection(VarMods::ANY_INTERPOLATION);
        let primitive_id = binding.semantic == Semantic::PrimitiveId;
        if !mods.is_empty() && !row.traits.contains(Traits::INTERPOLATED) || primitive_id && mods.intersects(!VarMods::FLAT) {
            let message = format!("`{}` takes no interpolation modifier", row.path);
            self.reports.error(Code::InterpolationNotAllowed, decl.span, message);
        }
        // Primary and secondary color must agree; they are kept under one key beside their own.
        let color = matches!(binding.semantic, Semantic::Color(_));
        let previous = self.program.interpolation.insert(binding.semantic, mods);
        let partner = match binding.semantic {
            Semantic::Color(index) => self.program.interpolation.get(&Semantic::Color(1 - index)).copied(),
            _ => None,
        };
        if previous.is_some_and(|other| other != mods) || color && partner.is_some_and(|other| other != mods) {
            let message = format!("`{}` is declared with different interpolation modifiers", row.path);
            self.reports.error(Code::InterpolationConflict, decl.span, message);
        }
    }

    /// Conventional and numbered vertex attributes of one slot exclude each other. NV_vertex_program4 section 2.X.3.2.
    pub(super) fn use_slot(&mut self, row: &BindingInfo, semantic: Semantic, span: Span) {
        let Semantic::Attrib(slot) = semantic else { return };
        let number = usize::from(!is_conventional(row));
        let Some(pair) = self.slots.get_mut(slot as usize) else { return };
        let first = !pair[number];
        pair[number] = true;
        if first && pair[1 - number] {
            let message = format!("vertex attribute {slot} is bound by its conventional name and by its number");
            self.reports.error(Code::AliasPair, span, message);
        }
    }

    /// Bits of a constant in a declaration: floats unless the declaration is of integer type.
    fn constant(&mut self, literals: &[u32], base: Option<Base>) -> Option<[u32; 4]> {
        let ty = Type::of(base.unwrap_or(Base::Float), glasm_ir::Width::W32);
        let mut bits = default_constant(ty);
        for (lane, &literal) in literals.iter().enumerate() {
            let literal = self.program.ast.literals[literal as usize];
            bits[lane] = self.literal(literal, ty)?;
        }
        Some(bits.map(|bits| bits as u32))
    }

    /// Bits of a literal in type `ty`; reports literals that do not fit.
    pub(super) fn literal(&mut self, literal: Literal, ty: Type) -> Option<u64> {
        match literal_bits(self.program.ast.text, literal, ty) {
            Ok(bits) => Some(bits),
            Err(code) => {
                let text = self.source_text(literal.span);
                let sign = if literal.negative { "-" } else { "" };
                let message = format!("`{sign}{text}` cannot be a value of type {}", ty.name());
                self.reports.error(code, literal.span, message);
                None
            }
        }
    }

    /// The unnamed variable of a binding used directly.
    pub(super) fn implicit(&mut self, key: Implicit, span: Span, make: impl FnOnce(&mut Self) -> VarKind) -> u32 {
        if let Some(&var) = self.implicit.get(&key) {
            return var;
        }
        let kind = make(self);
        let var = Var {
            kind,
            name: None,
            base: None,
            size: VarSize::Normal,
            array: None,
            relative: false,
            used: true,
            span,
        };
        let number = self.declare(None, var);
        self.implicit.insert(key, number);
        number
    }
}

/// A row's binding for a number.
pub(super) fn io_binding(row: &BindingInfo, number: u32) -> IoBinding {
    IoBinding {
        semantic: (row.semantic)(number as u8),
        base: row.base,
        typeless: row.traits.contains(Traits::TYPELESS),
    }
}

fn base_of(mods: VarMods) -> Option<Base> {
    if mods.contains(VarMods::INT) {
        Some(Base::Signed)
    } else if mods.contains(VarMods::UINT) {
        Some(Base::Unsigned)
    } else if mods.contains(VarMods::FLOAT) {
        Some(Base::Float)
    } else {
        None
    }
}

fn item_span(checker: &Checker<'_>, item: Item) -> Span {
    match item {
        Item::Name(_, _, span) | Item::Vector { span, .. } | Item::Number(_, span) => span,
        Item::Path(path) => checker.program.ast.paths[path as usize].span,
        Item::Scalar(literal) => checker.program.ast.literals[literal as usize].span,
    }
}

/// The vector (0, 0, 0, 1) in a type: what missing components of a constant are.
pub(crate) fn default_constant(ty: Type) -> [u64; 4] {
    let one = match ty {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F64 => 1f64.to_bits(),
        _ => 1,
    };
    [0, 0, 0, one]
}

/// Bits of a literal in type `ty`. NV_gpu_program4 section 2.X.3.3, constant bindings.
pub(crate) fn literal_bits(text: &[u8], literal: Literal, ty: Type) -> Result<u64, Code> {
    let digits = || std::str::from_utf8(&text[literal.span.range()]).unwrap_or("");
    if ty.is_float() {
        // Decimal digits are read at the width of the type, so that the value is rounded once.
        let hex = digits().starts_with("0x");
        return Ok(match (ty, literal.int) {
            (Type::F64, Some(value)) if hex => signed(value as f64, literal.negative).to_bits(),
            (_, Some(value)) if hex => u64::from((signed(value as f64, literal.negative) as f32).to_bits()),
            (Type::F64, _) => signed(digits().parse().unwrap_or(0.0), literal.negative).to_bits(),
            _ => {
                let value: f32 = digits().parse().unwrap_or(0.0);
                u64::from((if literal.negative { -value } else { value }).to_bits())
            }
        });
    }
    let Some(value) = literal.int else { return Err(Code::FloatAsInteger) };
    if literal.overflow {
        return Err(Code::LiteralTooLarge);
    }
    let bits = ty.width().bits();
    let limit = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    if literal.negative {
        return match ty.base() {
            Base::Unsigned if value != 0 => Err(Code::NegativeUnsigned),
            _ if value > limit / 2 + 1 => Err(Code::LiteralTooLarge),
            _ => Ok(value.wrapping_neg() & limit),
        };
    }
    // Bit patterns with the top bit set are written for signed operands as well.
    if value > limit { Err(Code::LiteralTooLarge) } else { Ok(value) }
}

fn signed(value: f64, negative: bool) -> f64 {
    if negative { -value } else { value }
}
