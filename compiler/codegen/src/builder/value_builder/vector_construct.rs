//! Construction of vectors from lanes of several values: a constant, a shuffle, an insertion or a
//! construction.

use super::{Lane, LaneSelection, ModuleWriter, Scalar, ValueBuilder, ValueOrigin};
use crate::builder::lane::are_leading_components;
use crate::spirv_writer::ValueWord;
use spirv::Op;

/// Constituents of a vector.
#[derive(Default)]
struct VectorParts {
    /// First two vectors.
    vectors: [ValueWord; 2],
    vector_count: usize,
    constants: [ValueWord; 4],
    constant_count: usize,
    /// True if there are scalars that are not constants.
    has_scalars: bool,
}

impl VectorParts {
    /// Returns true if one `OpVectorShuffle` suffices: of two vectors, one of which may consist of
    /// all constants.
    fn are_two_vectors(&self) -> bool {
        !self.has_scalars && self.vector_count + usize::from(self.constant_count > 0) == 2
    }
}

/// Emits a vector of lanes that belong to several values, each cast to the type `to`; undefined
/// lanes are 0. Chooses the instruction by the values: a constant, shuffle, insertion or
/// construction.
pub(super) fn gather_mixed(builder: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let size = lanes.len() as u8;
    let mut cast = [Lane::UNDEFINED; 4];
    for (to_lane, &lane) in cast.iter_mut().zip(lanes) {
        *to_lane = cast_lane(builder, lane, to);
    }
    let first = cast[0];
    // `LaneSelection` requires the lanes after the last one to repeat the first.
    cast[lanes.len()..].fill(first);
    let lanes = &cast[..lanes.len()];
    let parts = classify_lanes(builder, lanes);
    if !parts.has_scalars && parts.vector_count == 0 {
        return make_constant_vector(builder, lanes, to);
    }
    if !parts.has_scalars && parts.vector_count == 1 && parts.constant_count == 0 {
        let picks = LaneSelection::from_components(&cast, size);
        return builder.swizzle(parts.vectors[0], picks);
    }
    if are_whole_values(builder, lanes) {
        return emit_construction(builder, lanes, to);
    }
    // A shuffle of two accepts any of their components; scalars would first have to form a vector.
    if parts.are_two_vectors() {
        return emit_shuffle(builder, lanes, to, &parts);
    }
    match find_odd_lane(builder, lanes) {
        // Three vectors or more, or scalars and vectors.
        Some((odd, base)) => emit_insertion(builder, lanes, to, odd, base),
        None => emit_construction(builder, lanes, to),
    }
}

/// Returns a lane as a lane of type `to`, by a cast of its whole value where possible; undefined
/// lanes become 0.
fn cast_lane(builder: &mut ValueBuilder, lane: Lane, to: Scalar) -> Lane {
    if !lane.is_some() {
        return Lane::scalar(builder.constant(to, 0));
    }
    let info = builder.value_info(lane.id());
    // Casts from and to pairs change the number of components.
    if info.scalar == Scalar::Pair || to == Scalar::Pair {
        return Lane::scalar(builder.read_lane(lane, to));
    }
    // Constants are decomposed, so that vectors of them are constants again.
    if info.origin == ValueOrigin::Constant {
        let part = builder.extract(lane.id(), lane.component());
        return Lane::scalar(builder.cast(part, to));
    }
    Lane::from_component(builder.cast(lane.id(), to), lane.component())
}

/// Collects the distinct constants and the first two distinct vectors among lanes, and detects
/// scalars, which determines how to construct their vector.
fn classify_lanes(module: &ModuleWriter, lanes: &[Lane]) -> VectorParts {
    let mut parts = VectorParts::default();
    for id in lanes.iter().map(|lane| lane.id()) {
        let info = module.value_info(id);
        if info.origin == ValueOrigin::Constant {
            if !parts.constants[..parts.constant_count].contains(&id) {
                parts.constants[parts.constant_count] = id;
                parts.constant_count += 1;
            }
        } else if info.size == 1 {
            parts.has_scalars = true;
        // Counted beyond two, but only two are ever used.
        } else if !parts.vectors[..parts.vector_count.min(2)].contains(&id) {
            if let Some(vector) = parts.vectors.get_mut(parts.vector_count) {
                *vector = id;
            }
            parts.vector_count += 1;
        }
    }
    parts
}

/// Returns the constant vector of lanes that are all components of constants.
fn make_constant_vector(builder: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let mut parts = [ValueWord::NONE; 4];
    for (part, lane) in parts.iter_mut().zip(lanes) {
        *part = builder.extract(lane.id(), lane.component());
    }
    builder.constant_composite(to, &parts[..lanes.len()])
}

/// Returns the part of the function where a value derived from all of `lanes` can be defined.
fn find_common_origin(module: &ModuleWriter, lanes: &[Lane]) -> ValueOrigin {
    let homes = lanes.iter().map(|lane| module.value_info(lane.id()).origin);
    homes.max().unwrap_or(ValueOrigin::Body)
}

/// Emits one `OpVectorShuffle` that takes all lanes from at most two vectors, one of which may be
/// formed of constants.
fn emit_shuffle(
    builder: &mut ValueBuilder,
    lanes: &[Lane],
    to: Scalar,
    parts: &VectorParts,
) -> ValueWord {
    let [first, mut second] = parts.vectors;
    let constants = &parts.constants[..parts.constant_count];
    if let Some(&constant) = constants.first() {
        // Vectors have at least two components.
        second = match constants.len() {
            1 => builder.constant_composite(to, &[constant; 2]),
            _ => builder.constant_composite(to, constants),
        };
    }
    let first_size = u32::from(builder.value_info(first).size);
    let mut operands = [first.0, second.0, 0, 0, 0, 0];
    for (operand, lane) in operands[2..].iter_mut().zip(lanes) {
        // The indices of components of the second vector follow those of the first
        // (`OpVectorShuffle`).
        *operand = if lane.id() == first {
            lane.component() as u32
        } else if let Some(position) = constants.iter().position(|&id| id == lane.id()) {
            first_size + position as u32
        } else {
            first_size + lane.component() as u32
        };
    }
    let (origin, size) = (find_common_origin(builder, lanes), lanes.len());
    builder.emit_variadic_op_at(
        origin,
        Op::VectorShuffle,
        to,
        size as u8,
        &operands[..2 + size],
    )
}

/// Returns true if the lanes are whole values in order, so that one construction suffices.
// `OpCompositeConstruct` of a vector accepts both scalars and whole vectors, if their components
// are in order.
fn are_whole_values(module: &ModuleWriter, lanes: &[Lane]) -> bool {
    let mut remaining = lanes;
    while let Some(first) = remaining.first() {
        let size = module.value_info(first.id()).size as usize;
        if size > remaining.len() || !are_leading_components(&remaining[..size]) {
            return false;
        }
        remaining = &remaining[size..];
    }
    true
}

/// Finds the only lane that differs from the same component of a vector, and that vector. Returns
/// `None` if several lanes differ from any vector of this size.
fn find_odd_lane(module: &ModuleWriter, lanes: &[Lane]) -> Option<(usize, ValueWord)> {
    // All lanes but one come from the base, so one of the first two does.
    (0..2).map(|index| lanes[index].id()).find_map(|base| {
        if module.value_info(base).size as usize != lanes.len() {
            return None;
        }
        let is_odd = |(index, lane): &(usize, &Lane)| **lane != Lane::from_component(base, *index);
        let mut odd = lanes.iter().enumerate().filter(is_odd);
        let (first, _) = odd.next()?;
        odd.next().is_none().then_some((first, base))
    })
}

/// Emits one `OpCompositeInsert` of lane `odd`, the only one that differs from the vector `base`.
fn emit_insertion(
    builder: &mut ValueBuilder,
    lanes: &[Lane],
    to: Scalar,
    odd: usize,
    base: ValueWord,
) -> ValueWord {
    let value = builder.extract(lanes[odd].id(), lanes[odd].component());
    let (origin, size) = (find_common_origin(builder, lanes), lanes.len() as u8);
    let operands = [value.0, base.0, odd as u32];
    builder.emit_op_at(origin, Op::CompositeInsert, to, size, &operands)
}

/// Emits an `OpCompositeConstruct` of whole vectors, parts of vectors and scalars. Caches the
/// components of the result that are operands.
fn emit_construction(builder: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let mut operands = [0; 4];
    let mut count = 0;
    let mut remaining = lanes;
    while let Some(&first) = remaining.first() {
        let run = match builder.value_info(first.id()).size {
            // A scalar that is repeated is an operand each time.
            1 => 1,
            _ => (remaining.iter().take_while(|lane| lane.id() == first.id())).count(),
        };
        operands[count] = gather_constituent(builder, &remaining[..run], to).0;
        count += 1;
        remaining = &remaining[run..];
    }
    let (origin, size) = (find_common_origin(builder, lanes), lanes.len() as u8);
    let operation = Op::CompositeConstruct;
    let value = builder.emit_variadic_op_at(origin, operation, to, size, &operands[..count]);
    // Each operand is one component: these need no extraction later.
    if count == lanes.len() {
        builder.derived_mut(value).parts = operands.map(ValueWord);
    }
    value
}

/// Returns adjacent lanes of one value as an operand of `OpCompositeConstruct`, which may require a
/// shuffle or an extraction.
fn gather_constituent(builder: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    match lanes {
        [lane] => builder.extract(lane.id(), lane.component()),
        // A repeated component is returned as one scalar.
        _ => builder.gather_vector(lanes, to).id,
    }
}
