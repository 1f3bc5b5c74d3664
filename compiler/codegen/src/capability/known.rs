//! Deserialization of names of requirements: each name is replaced by the static string in the
//! table, so that [`Requirements`](crate::reflect::Requirements) owns no strings. A name that is
//! not in the table comes from another version of this crate and is an error.

use super::{ROWS, Row};
use serde::de::{Deserialize, Deserializer, Error};

pub(crate) fn capabilities<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    read(deserializer, |row| Some(row.name))
}

pub(crate) fn extensions<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    read(deserializer, |row| row.extension.map(|(name, _)| name))
}

pub(crate) fn features<'de, D>(deserializer: D) -> Result<Vec<&'static str>, D::Error>
where
    D: Deserializer<'de>,
{
    read(deserializer, |row| {
        row.feature.as_ref().map(|feature| feature.name)
    })
}

fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
    column: fn(&Row) -> Option<&'static str>,
) -> Result<Vec<&'static str>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let known = |name: &String| {
        let found = ROWS.iter().filter_map(column).find(|known| known == name);
        found.ok_or_else(|| D::Error::custom(format_args!("no module needs `{name}`")))
    };
    names.iter().map(known).collect()
}
