//! Counts in bins, as SQL and Rust make them.

use std::fmt;

use datafusion::arrow::array::{AsArray as _, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::prelude::SessionContext;

/// Bins of each histogram, without those below and above.
pub(crate) const BINS: usize = 100;

/// The range of a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Axis {
    fn width(self) -> f64 {
        (self.end - self.start) / BINS as f64
    }

    /// The query that counts a column of another: its rows are bins and counts. Bins below and above the range are -1 and 100.
    pub(crate) fn counted(self, query: &str, column: &str) -> String {
        let (start, width) = (self.start, self.width());
        format!(
            "SELECT greatest(-1, least({BINS}, floor(({column}::double - {start:?}) / {width:?})))::bigint AS bin, count(*)
             FROM ({query}) GROUP BY bin"
        )
    }
}

/// Counts in bins of equal width, and below and above all of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Histogram {
    axis: Axis,
    counts: Vec<u64>,
}

impl Histogram {
    pub(crate) fn new(axis: Axis) -> Self {
        Self { axis, counts: vec![0; BINS + 2] }
    }

    /// Counts a value.
    pub(crate) fn fill(&mut self, value: impl Into<f64>) {
        let bin = ((value.into() - self.axis.start) / self.axis.width()).floor().clamp(-1.0, BINS as f64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 101")]
        let place = (bin + 1.0) as usize;
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
        }
    }

    /// Adds what another part of the events has.
    pub(crate) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Counts by bin; the first and the last are below and above the range.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Counts what a query has in a column.
    pub(crate) async fn query(
        context: &SessionContext,
        query: &str,
        column: &str,
        axis: Axis,
    ) -> Result<Self> {
        let mut histogram = Self::new(axis);
        for batch in context.sql(&axis.counted(query, column)).await?.collect().await? {
            histogram.add_rows(&batch)?;
        }
        Ok(histogram)
    }

    fn add_rows(&mut self, rows: &RecordBatch) -> Result<()> {
        let column = |number: usize| {
            rows.columns().get(number).and_then(|column| column.as_primitive_opt::<Int64Type>())
        };
        let wrong = || internal_datafusion_err!("bins and counts are two columns of integers");
        let (bins, counts) = column(0).zip(column(1)).ok_or_else(wrong)?;
        for (&bin, &count) in bins.values().iter().zip(counts.values()) {
            let place = usize::try_from(bin + 1).ok().and_then(|place| self.counts.get_mut(place));
            *place.ok_or_else(wrong)? +=
                u64::try_from(count).map_err(|error| DataFusionError::External(error.into()))?;
        }
        Ok(())
    }
}

/// Ten lines: how many values each has of ten bins.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: u64 = 60;
        let inside = self.counts.get(1..=BINS).unwrap_or_default();
        let lines: Vec<u64> = inside.chunks(10).map(|bins| bins.iter().sum()).collect();
        let most = lines.iter().copied().max().unwrap_or_default().max(1);
        for (number, count) in lines.iter().enumerate() {
            let start = self.axis.start + self.axis.width() * 10.0 * number as f64;
            writeln!(
                f,
                "{start:8.2} {count:8} {}",
                "#".repeat(usize::try_from(count * LONGEST / most).unwrap_or(0))
            )?;
        }
        Ok(())
    }
}
