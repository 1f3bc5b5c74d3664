//! Functions over Vulkan structures, generated from the table of features.

use super::pnext_chain::FeatureChain;
use ash::vk;
use std::collections::BTreeSet;
use std::ffi::CStr;

/// Visits the structure member of a table entry, if the entry has one and the structure is present.
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

/// Expands to a list with the name of a feature if the feature consists of an extension only.
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

/// Expands the entries of [`device_features`](crate::device_features) to a [`FeatureTable`].
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

/// Callback for every feature that a device may have, with its name.
pub type Visitor<'a> = dyn FnMut(&'static str, &mut vk::Bool32) + 'a;

/// A set of features.
pub struct FeatureTable {
    /// Visits the features that are members of structures.
    pub visit: fn(&mut FeatureChain, &mut Visitor<'_>),
    /// Extensions that are features, by their names.
    pub extensions: &'static [&'static [&'static CStr]],
}

/// The features that modules may need.
pub(super) static OF_MODULES: FeatureTable = glasm_codegen::device_features! { feature_table {} };

impl FeatureTable {
    /// Returns the names of the members that are set.
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
