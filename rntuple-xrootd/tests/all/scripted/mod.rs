//! A server that follows a script.
