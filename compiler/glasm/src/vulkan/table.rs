//! The table of features as functions over the structures of Vulkan.

use super::chain::FeatureChain;
use ash::vk;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// Visits the member of a structure that a row of the table is about, if it is about one and the structure is there.
#[doc(hidden)]
#[macro_export]
macro_rules! feature_member {
    ($all:ident $visitor:ident $name:literal ()) => {};
    ($all:ident $visitor:ident $name:literal (extension)) => {};
    ($all:ident $visitor:ident $name:literal (other)) => {};
    ($all:ident $visitor:ident $name:literal (core.$member:ident)) => {
        $visitor($name, &mut $all.core.$member);
    };
    ($all:ident $visitor:ident $name:literal ($($chain:ident)|+.$member:ident)) => {
        $(if let Some(structure) = &mut $all.$chain {
            $visitor($name, &mut structure.$member);
        })+
    };
}

/// A list of the name of a feature if an extension is all there is of it.
#[doc(hidden)]
#[macro_export]
macro_rules! feature_extension {
    ($name:literal (extension)) => {
        &[
            match ::std::ffi::CStr::from_bytes_with_nul(::std::concat!($name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => ::std::panic!("a name with a zero in it"),
            },
        ]
    };
    ($name:literal $place:tt) => {
        &[]
    };
}

/// The rows of [`device_features`](crate::device_features) as a [`FeatureTable`].
#[doc(hidden)]
#[macro_export]
macro_rules! feature_table {
    ($(
        $(feature $name:literal $place:tt $opengl:tt $field:tt $needs:tt)?
        $(plain $need:ident $capability:ident $($extension:literal $core:ident)?)?;
    )*) => {
        $crate::vulkan::FeatureTable {
            visit: |all, visitor| {
                $($($crate::feature_member! { all visitor $name $place })?)*
            },
            extensions: &[$($($crate::feature_extension!($name $place),)?)*],
        }
    };
}

/// What is called for every feature that a device may have, with its name.
pub type Visitor<'a> = dyn FnMut(&'static str, &mut vk::Bool32) + 'a;

/// Some features.
pub struct FeatureTable {
    /// Visits those that are members of structures.
    pub visit: fn(&mut FeatureChain, &mut Visitor<'_>),
    /// Extensions that count as features under their names.
    pub extensions: &'static [&'static [&'static CStr]],
}

/// The features that modules may need.
pub(super) static OF_MODULES: FeatureTable = glasm_codegen::device_features! { feature_table {} };

impl FeatureTable {
    /// Names of the members that are on.
    pub(super) fn names(&self, chain: &mut FeatureChain) -> BTreeSet<&'static str> {
        let mut names = BTreeSet::new();
        (self.visit)(chain, &mut |name, on| {
            if *on == vk::TRUE {
                names.insert(name);
            }
        });
        names
    }
}
