//! Column types: how values become bytes.
