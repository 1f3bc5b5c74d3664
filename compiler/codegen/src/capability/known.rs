//! Deserialization of names of requirements: each name is replaced by the static string in the
//! table, so that [`Requirements`](crate::reflect::Requirements) owns no strings. A name that
//! is not in the table comes from another version of this crate and is an error.

use super::{REQUIREMENTS, RequirementInfo};
use serde::de::{Deserialize, Deserializer, Error};

/// Deserializes names of capabilities; fails for one that no requirement has.
pub(crate) fn capabilities<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    deserialize_interned(deserializer, |entry| Some(entry.name))
}

/// Deserializes names of extensions; fails for one that no requirement has.
pub(crate) fn extensions<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    deserialize_interned(deserializer, |entry| entry.extension.map(|(name, _)| name))
}

/// Deserializes names of device features; fails for one that no requirement has.
pub(crate) fn features<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    deserialize_interned(deserializer, |entry| {
        entry.feature.as_ref().map(|feature| feature.name)
    })
}

/// Deserializes a list of names, each replaced by the equal string in a column of the table.
/// Returns an error for a name that is not in the column.
fn deserialize_interned<'de, D: Deserializer<'de>>(
    deserializer: D,
    column: fn(&RequirementInfo) -> Option<&'static str>,
) -> Result<Vec<&'static str>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let intern = |name: &String| {
        let found = REQUIREMENTS
            .iter()
            .filter_map(column)
            .find(|known| known == name);
        found.ok_or_else(|| D::Error::custom(format_args!("no module needs `{name}`")))
    };
    names.iter().map(intern).collect()
}
