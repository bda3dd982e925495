//! The queries of the benchmark, <https://github.com/iris-hep/adl-benchmarks-index>. The sixth has two histograms.

use rntuple::Result;

use super::derive::{self, Input};
use super::histogram::{Axis, Histogram};

/// In GeV, but for the b-tag.
pub(crate) const MET: Axis = Axis { start: 0.0, end: 200.0 };
pub(crate) const PT: Axis = Axis { start: 15.0, end: 60.0 };
pub(crate) const TRIJET_PT: Axis = Axis { start: 15.0, end: 40.0 };
pub(crate) const BTAG: Axis = Axis { start: 0.0, end: 1.0 };
pub(crate) const SUM_PT: Axis = Axis { start: 15.0, end: 200.0 };
pub(crate) const MASS: Axis = Axis { start: 15.0, end: 250.0 };

/// A histogram, in SQL and in Rust.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) name: &'static str,
    /// What is drawn.
    pub(crate) about: &'static str,
    pub(crate) sql: &'static str,
    /// The column of the query that is drawn.
    pub(crate) column: &'static str,
    pub(crate) axis: Axis,
    pub(crate) derive: fn(Input<'_>) -> Result<Histogram>,
}

pub(crate) const QUERIES: &[Query] = &[
    Query {
        name: "Q1",
        about: "missing momentum of all events",
        sql: include_str!("sql/q1.sql"),
        column: "met",
        axis: MET,
        derive: derive::q1,
    },
    Query {
        name: "Q2",
        about: "pt of all jets",
        sql: include_str!("sql/q2.sql"),
        column: "pt",
        axis: PT,
        derive: derive::q2,
    },
    Query {
        name: "Q3",
        about: "pt of central jets",
        sql: include_str!("sql/q3.sql"),
        column: "pt",
        axis: PT,
        derive: derive::q3,
    },
    Query {
        name: "Q4",
        about: "missing momentum of events with two hard jets",
        sql: include_str!("sql/q4.sql"),
        column: "met",
        axis: MET,
        derive: derive::q4,
    },
    Query {
        name: "Q5",
        about: "missing momentum of events with a pair of muons",
        sql: include_str!("sql/q5.sql"),
        column: "met",
        axis: MET,
        derive: derive::q5,
    },
    Query {
        name: "Q6a",
        about: "pt of the three jets that are most like a top quark",
        sql: include_str!("sql/q6.sql"),
        column: "pt",
        axis: TRIJET_PT,
        derive: derive::q6_pt,
    },
    Query {
        name: "Q6b",
        about: "highest b-tag of these jets",
        sql: include_str!("sql/q6.sql"),
        column: "btag",
        axis: BTAG,
        derive: derive::q6_btag,
    },
    Query {
        name: "Q7",
        about: "sum of pt of jets that are not near a lepton",
        sql: include_str!("sql/q7.sql"),
        column: "sum_pt",
        axis: SUM_PT,
        derive: derive::q7,
    },
    Query {
        name: "Q8",
        about: "transverse mass of missing momentum and a lepton that is not of the Z boson",
        sql: include_str!("sql/q8.sql"),
        column: "mass",
        axis: MASS,
        derive: derive::q8,
    },
];
