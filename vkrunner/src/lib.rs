//! Placeholder.
mod data;
mod float16;
mod format;
mod image;
mod outcome;
mod probe;
mod script;
