//! Counts in bins, drawn in a terminal.

use std::fmt;
use std::ops::Range;

/// Counts in bins of equal width.
///
/// ```
/// use rntuple_examples::histogram::Histogram;
/// let mut masses = Histogram::new(60.0..120.0, 60);
/// for mass in [91.2, 91.7, 90.1, 200.0] {
///     masses.fill(mass);
/// }
/// assert_eq!(masses.peak(), Some(31));
/// assert_eq!(masses.bin(31), 91.0..92.0);
/// assert_eq!(masses.count(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    range: Range<f64>,
    counts: Vec<u64>,
}

/// Lines of a drawing.
const HEIGHT: u64 = 12;

/// A twelfth of a drawing's height, filled by eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Histogram {
    /// Empty bins that divide a range.
    pub fn new(range: Range<f64>, bins: usize) -> Self {
        Self { range, counts: vec![0; bins] }
    }

    /// Counts a value; what lies outside of the range is left out.
    pub fn fill(&mut self, value: f64) {
        let position = (value - self.range.start) / self.width();
        if position >= 0.0 {
            #[expect(clippy::cast_possible_truncation, reason = "rounding down is the point")]
            let bin = position as usize;
            if let Some(count) = self.counts.get_mut(bin) {
                *count += 1;
            }
        }
    }

    /// Counts by bin.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The sum over all bins.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The values that fall into a bin.
    pub fn bin(&self, bin: usize) -> Range<f64> {
        let edge = |bin: usize| self.range.start + self.width() * bin as f64;
        edge(bin)..edge(bin + 1)
    }

    /// The fullest bin, the first of several; `None` if all are empty.
    pub fn peak(&self) -> Option<usize> {
        let fullest = self.counts.iter().copied().max().filter(|count| *count > 0)?;
        self.counts.iter().position(|count| *count == fullest)
    }

    /// Where a resonance is: the values around that of a Breit–Wigner distribution go as `1 / (1 + x²)`, so that
    /// one over the counts is a parabola. Three bins give its lowest point. Where they do not, the middle of
    /// the fullest bin is given.
    pub fn resonance(&self) -> Option<f64> {
        let peak = self.peak()?;
        let Range { start, end } = self.bin(peak);
        let inverse = |bin: Option<usize>| {
            let count = self.counts.get(bin?).copied().filter(|count| *count > 0)?;
            Some(1.0 / count as f64)
        };
        let sides = inverse(peak.checked_sub(1)).zip(inverse(Some(peak))).zip(inverse(peak.checked_add(1)));
        let shift = sides.map_or(0.0, |((left, middle), right)| {
            let curvature = left - 2.0 * middle + right;
            if curvature > 0.0 { 0.5 * (left - right) / curvature } else { 0.0 }
        });
        Some((start + end) / 2.0 + shift * self.width())
    }

    fn width(&self) -> f64 {
        (self.range.end - self.range.start) / self.counts.len() as f64
    }
}

/// A column for every bin, ten of them between two ticks of the axis.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.counts.iter().copied().max().unwrap_or_default().max(1);
        for line in (0..HEIGHT).rev() {
            match line {
                _ if line == HEIGHT - 1 => write!(f, "{most:>8} ┤")?,
                _ => write!(f, "{:>8} │", "")?,
            }
            for &count in &self.counts {
                // In eighths of a line, rounded up: whatever is there is seen.
                let height = (u128::from(count) * u128::from(HEIGHT) * 8).div_ceil(u128::from(most));
                let eighths = height.saturating_sub(u128::from(line) * 8).min(8);
                let block = usize::try_from(eighths).ok().and_then(|eighths| BLOCKS.get(eighths));
                write!(f, "{}", block.unwrap_or(&' '))?;
            }
            writeln!(f)?;
        }
        write!(f, "{:>8} └", 0)?;
        for bin in 0..self.counts.len() {
            f.write_str(if bin % 10 == 0 { "┬" } else { "─" })?;
        }
        write!(f, "\n{:>9}", "")?;
        for bin in (0..self.counts.len()).step_by(10) {
            write!(f, " {:<9}", self.bin(bin).start)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "counts")]
mod tests {
    use super::*;

    #[test]
    fn values_outside_are_left_out() {
        let mut histogram = Histogram::new(0.0..10.0, 5);
        for value in [-0.1, 10.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            histogram.fill(value);
        }
        assert_eq!((histogram.count(), histogram.peak(), histogram.resonance()), (0, None, None));
        histogram.fill(0.0);
        histogram.fill(9.99);
        assert_eq!(histogram.counts(), [1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_resonance_is_found_between_bins() {
        let mut histogram = Histogram::new(60.0..120.0, 60);
        let centre = 91.19;
        for bin in 0..60 {
            let Range { start, end } = histogram.bin(bin);
            let x = ((start + end) / 2.0 - centre) / 1.25;
            (0..(10_000.0 / (1.0 + x * x)) as u32).for_each(|_| histogram.fill(start + 0.5));
        }
        let found = histogram.resonance().unwrap();
        assert!((found - centre).abs() < 0.01, "{found}");
    }

    #[test]
    fn a_peak_without_neighbours_is_in_its_middle() {
        for value in [0.5, 2.5, 4.5] {
            let mut histogram = Histogram::new(0.0..5.0, 5);
            histogram.fill(value);
            assert_eq!(histogram.resonance(), Some(value));
        }
    }

    #[test]
    fn a_drawing_shows_every_bin() {
        let mut histogram = Histogram::new(60.0..80.0, 20);
        (0..96).for_each(|_| histogram.fill(71.5));
        histogram.fill(60.5);
        let drawing = histogram.to_string();
        let lines: Vec<&str> = drawing.lines().collect();
        assert_eq!(lines.len(), 14);
        assert_eq!(lines.first().copied(), Some("      96 ┤           █        "));
        assert_eq!(lines.get(11).copied(), Some("         │▁          █        "));
        assert_eq!(lines.get(12).copied(), Some("       0 └┬─────────┬─────────"));
        assert_eq!(lines.get(13).map(|line| line.trim_end()), Some("          60        70"));
    }
}
