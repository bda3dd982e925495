//! Nothing is compiled: these packages are there to be resolved.
