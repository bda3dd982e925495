#![no_main]
#![allow(missing_docs, reason = "the table of targets says what this is")]

rntuple_fuzz::program!(PLAN);
