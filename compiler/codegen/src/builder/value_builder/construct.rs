//! Construction of vectors from lanes of several values: a constant, a shuffle, an insertion or a
//! construction.

use super::{Home, Lane, ModuleWriter, Picks, Scalar, ValueBuilder};
use crate::builder::lane::is_start;
use crate::words::ValueWord;
use spirv::Op;

/// Constituents of a vector.
#[derive(Default)]
struct Parts {
    /// First two vectors.
    vectors: [ValueWord; 2],
    vector_count: usize,
    constants: [ValueWord; 4],
    constant_count: usize,
    /// True if there are scalars that are not constants.
    has_scalars: bool,
}

impl Parts {
    /// Returns true if one `OpVectorShuffle` suffices: of two vectors, one of which may consist of
    /// all constants.
    fn are_two_vectors(&self) -> bool {
        !self.has_scalars && self.vector_count + usize::from(self.constant_count > 0) == 2
    }
}

/// Gathers a vector of lanes that are not all of one value.
pub(super) fn gather_mixed(w: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let size = lanes.len() as u8;
    let mut cast = [Lane::UNDEFINED; 4];
    for (to_lane, &lane) in cast.iter_mut().zip(lanes) {
        *to_lane = cast_lane(w, lane, to);
    }
    let first = cast[0];
    // `Picks` requires the lanes after the last one to repeat the first.
    cast[lanes.len()..].fill(first);
    let lanes = &cast[..lanes.len()];
    let parts = find_parts(w, lanes);
    if !parts.has_scalars && parts.vector_count == 0 {
        return make_constant(w, lanes, to);
    }
    if !parts.has_scalars && parts.vector_count == 1 && parts.constant_count == 0 {
        let picks = Picks::of_components(&cast, size);
        return w.swizzle(parts.vectors[0], picks);
    }
    if is_construction(w, lanes) {
        return emit_construction(w, lanes, to);
    }
    // A shuffle of two accepts any of their components; scalars would first have to form a vector.
    if parts.are_two_vectors() {
        return emit_shuffle(w, lanes, to, &parts);
    }
    match find_odd_lane(w, lanes) {
        // Three vectors or more, or scalars and vectors.
        Some((odd, base)) => emit_insertion(w, lanes, to, odd, base),
        None => emit_construction(w, lanes, to),
    }
}

fn cast_lane(w: &mut ValueBuilder, lane: Lane, to: Scalar) -> Lane {
    if !lane.is_some() {
        return Lane::scalar(w.constant(to, 0));
    }
    let info = w.info(lane.id());
    // Casts from and to pairs change the number of components.
    if info.scalar == Scalar::Pair || to == Scalar::Pair {
        return Lane::scalar(w.scalar(lane, to));
    }
    // Constants are decomposed, so that vectors of them are constants again.
    if info.home == Home::Constant {
        let part = w.extract(lane.id(), lane.component());
        return Lane::scalar(w.cast(part, to));
    }
    Lane::of(w.cast(lane.id(), to), lane.component())
}

fn find_parts(w: &ModuleWriter, lanes: &[Lane]) -> Parts {
    let mut parts = Parts::default();
    for id in lanes.iter().map(|lane| lane.id()) {
        let info = w.info(id);
        if info.home == Home::Constant {
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

fn make_constant(w: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let mut parts = [ValueWord::NONE; 4];
    for (part, lane) in parts.iter_mut().zip(lanes) {
        *part = w.extract(lane.id(), lane.component());
    }
    w.composite(to, &parts[..lanes.len()])
}

/// Returns the part of the function where a value derived from all of `lanes` can be defined.
fn find_common_home(w: &ModuleWriter, lanes: &[Lane]) -> Home {
    let homes = lanes.iter().map(|lane| w.info(lane.id()).home);
    homes.max().unwrap_or(Home::Body)
}

/// Emits one `OpVectorShuffle`.
fn emit_shuffle(w: &mut ValueBuilder, lanes: &[Lane], to: Scalar, parts: &Parts) -> ValueWord {
    let [first, mut second] = parts.vectors;
    let constants = &parts.constants[..parts.constant_count];
    if let Some(&constant) = constants.first() {
        // Vectors have at least two components.
        second = match constants.len() {
            1 => w.composite(to, &[constant; 2]),
            _ => w.composite(to, constants),
        };
    }
    let first_size = u32::from(w.info(first).size);
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
    let (home, size) = (find_common_home(w, lanes), lanes.len());
    w.derive_long(
        home,
        Op::VectorShuffle,
        to,
        size as u8,
        &operands[..2 + size],
    )
}

/// Returns true if the lanes are whole values in order, so that one construction suffices.
// `OpCompositeConstruct` of a vector accepts both scalars and whole vectors, if their components
// are in order.
fn is_construction(w: &ModuleWriter, lanes: &[Lane]) -> bool {
    let mut rest = lanes;
    while let Some(first) = rest.first() {
        let size = w.info(first.id()).size as usize;
        if size > rest.len() || !is_start(&rest[..size]) {
            return false;
        }
        rest = &rest[size..];
    }
    true
}

/// Finds the only lane that differs from the same component of a vector, and that vector.
fn find_odd_lane(w: &ModuleWriter, lanes: &[Lane]) -> Option<(usize, ValueWord)> {
    // All lanes but one come from the base, so one of the first two does.
    (0..2).map(|index| lanes[index].id()).find_map(|base| {
        if w.info(base).size as usize != lanes.len() {
            return None;
        }
        let is_odd = |(index, lane): &(usize, &Lane)| **lane != Lane::of(base, *index);
        let mut odd = lanes.iter().enumerate().filter(is_odd);
        let (first, _) = odd.next()?;
        odd.next().is_none().then_some((first, base))
    })
}

/// Emits one `OpCompositeInsert`.
fn emit_insertion(
    w: &mut ValueBuilder,
    lanes: &[Lane],
    to: Scalar,
    odd: usize,
    base: ValueWord,
) -> ValueWord {
    let value = w.extract(lanes[odd].id(), lanes[odd].component());
    let (home, size) = (find_common_home(w, lanes), lanes.len() as u8);
    let operands = [value.0, base.0, odd as u32];
    w.derive(home, Op::CompositeInsert, to, size, &operands)
}

/// Emits an `OpCompositeConstruct` of whole vectors, parts of vectors and scalars.
fn emit_construction(w: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    let mut operands = [0; 4];
    let mut count = 0;
    let mut rest = lanes;
    while let Some(&first) = rest.first() {
        let run = match w.info(first.id()).size {
            // A scalar that is repeated is an operand each time.
            1 => 1,
            _ => (rest.iter().take_while(|lane| lane.id() == first.id())).count(),
        };
        operands[count] = gather_constituent(w, &rest[..run], to).0;
        count += 1;
        rest = &rest[run..];
    }
    let (home, size) = (find_common_home(w, lanes), lanes.len() as u8);
    let operation = Op::CompositeConstruct;
    let value = w.derive_long(home, operation, to, size, &operands[..count]);
    // Each operand is one component: these need no extraction later.
    if count == lanes.len() {
        w.derived_mut(value).parts = operands.map(ValueWord);
    }
    value
}

/// Gathers lanes of one value as an operand of a construction.
fn gather_constituent(w: &mut ValueBuilder, lanes: &[Lane], to: Scalar) -> ValueWord {
    match lanes {
        [lane] => w.extract(lane.id(), lane.component()),
        // A repeated component is returned as one scalar.
        _ => w.gather_vector(lanes, to).id,
    }
}
