//! How much machine code a derived struct was when the file was last written: `xtask/cost.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// By how much a size may differ, in percent.
const MARGIN: u64 = 5;

/// Bytes of machine code by shape, and the compiler that made it.
#[derive(Debug, PartialEq)]
pub(super) struct Known {
    pub(super) compiler: String,
    pub(super) code: BTreeMap<String, u64>,
}

impl Known {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next().ok_or("it is empty")?.to_owned();
        let size = |line: &str| {
            let (shape, size) = line.split_once(": ")?;
            Some((shape.to_owned(), size.parse().ok()?))
        };
        let code = lines.map(|line| size(line).ok_or_else(|| format!("`{line}` is not a shape and a size")));
        Ok(Self { compiler, code: code.collect::<Result<_, _>>()? })
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::from(
            "# Bytes of machine code on x86-64 for a derived struct, written and read, in one unit: cargo xtask cost --check\n",
        );
        let _ = writeln!(text, "{}", self.compiler);
        for (shape, size) in &self.code {
            let _ = writeln!(text, "{shape}: {size}");
        }
        text
    }

    /// A line for each shape, and whether all sizes are near those that were known.
    pub(super) fn compare(&self, found: &Self) -> (String, bool) {
        let (mut text, mut all_near) = (String::new(), self.code.len() == found.code.len());
        for (shape, &size) in &found.code {
            let Some(&before) = self.code.get(shape) else {
                let _ = writeln!(text, "{shape:8} {:>8} {size:>8}          NEW", "");
                all_near = false;
                continue;
            };
            let is_near = size.abs_diff(before) * 100 <= before * MARGIN;
            let change = (size as f64 / before as f64 - 1.0) * 100.0;
            let word = if is_near { "" } else { "DIFFERS" };
            let line = format!("{shape:8} {before:>8} {size:>8} {change:+6.1} % {word}");
            let _ = writeln!(text, "{}", line.trim_end());
            all_near &= is_near;
        }
        (text, all_near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(sizes: &[(&str, u64)]) -> Known {
        let code = sizes.iter().map(|(shape, size)| ((*shape).to_owned(), *size)).collect();
        Known { compiler: "rustc 1.95.0".to_owned(), code }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let sizes = known(&[("10", 1000), ("nested", 2000)]);
        assert_eq!(Known::read(&sizes.to_text()).unwrap(), sizes);
        assert!(Known::read("").is_err());
        assert!(Known::read("rustc 1.95.0\n10: many\n").unwrap_err().contains("10: many"));
    }

    #[test]
    fn five_percent_are_allowed() {
        let before = known(&[("10", 1000)]);
        assert!(before.compare(&known(&[("10", 1050)])).1);
        let (text, is_near) = before.compare(&known(&[("10", 1051)]));
        assert_eq!((&*text, is_near), ("10           1000     1051   +5.1 % DIFFERS\n", false));
        // Less code has to be noted too, or it may come back unseen.
        assert!(!before.compare(&known(&[("10", 900)])).1);
        assert!(!before.compare(&known(&[("10", 1000), ("500", 1)])).1);
        assert!(!before.compare(&known(&[])).1);
    }
}
