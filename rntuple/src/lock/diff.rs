//! What is different between two lists of lines.

/// Lists whose product is larger are shown one after the other: this is for people.
const MOST_PAIRS: usize = 1 << 22;

/// Unchanged lines shown before and behind a change.
const CONTEXT: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The changes as text: `- old`, `+ new`, and two unchanged lines around them.
pub(super) fn text(old: &[String], new: &[String]) -> String {
    let lines = lines(old, new);
    let is_near = |at: usize| {
        let near = lines.get(at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1));
        near.is_some_and(|near| near.iter().any(|line| !matches!(line, Line::Same(_))))
    };
    // A mark would take as much room as the one line that it stands for.
    let is_alone = |at: usize| {
        let before = at.checked_sub(1).is_none_or(is_near);
        before && (at + 1 == lines.len() || is_near(at + 1))
    };
    let mut text = String::new();
    let mut is_left_out = false;
    for (at, line) in lines.iter().enumerate() {
        let (mark, line) = match line {
            Line::Old(line) => ("- ", line),
            Line::New(line) => ("+ ", line),
            Line::Same(line) if is_near(at) || is_alone(at) => ("  ", line),
            Line::Same(_) => {
                if !is_left_out {
                    text += "  ...\n";
                }
                is_left_out = true;
                continue;
            }
        };
        is_left_out = false;
        text += mark;
        text += line;
        text.push('\n');
    }
    text
}

/// A shortest list of changes, old lines before new ones.
fn lines<'a>(old: &'a [String], new: &'a [String]) -> Vec<Line<'a>> {
    let same = |pair: &(&String, &String)| pair.0 == pair.1;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_middle, end) = old_rest.split_at(old_rest.len() - tail);
    let (new_middle, _) = new_rest.split_at(new_rest.len() - tail);

    let mut lines: Vec<Line<'a>> = old.iter().take(head).map(|line| Line::Same(line)).collect();
    if old_middle.len().saturating_mul(new_middle.len()) > MOST_PAIRS {
        lines.extend(old_middle.iter().map(|line| Line::Old(line)));
        lines.extend(new_middle.iter().map(|line| Line::New(line)));
    } else {
        changes(old_middle, new_middle, &mut lines);
    }
    lines.extend(end.iter().map(|line| Line::Same(line)));
    lines
}

/// Walks along a longest common subsequence.
fn changes<'a>(old: &'a [String], new: &'a [String], lines: &mut Vec<Line<'a>>) {
    let common = common_lengths(old, new);
    let length = |i: usize, j: usize| common.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    let (mut i, mut j) = (0, 0);
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                lines.push(Line::Same(a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || length(i + 1, j) >= length(i, j + 1) => {
                lines.push(Line::Old(a));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push(Line::New(b));
                j += 1;
            }
            (_, None) => return,
        }
    }
}

/// By position in `old` and `new`: how many lines the rests from there on have in common, in order.
fn common_lengths(old: &[String], new: &[String]) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; new.len() + 1]];
    for a in old.iter().rev() {
        let below = rows.last().map(Vec::as_slice).unwrap_or_default();
        // Built from the end, as the rows are.
        let mut row = vec![0u32];
        let pairs = below.iter().rev().zip(below.iter().rev().skip(1));
        for (b, (diagonal, under)) in new.iter().rev().zip(pairs) {
            let right = row.last().copied().unwrap_or(0);
            row.push(if a == b { diagonal + 1 } else { right.max(*under) });
        }
        row.reverse();
        rows.push(row);
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    fn marks(old: &str, new: &str) -> String {
        text(&list(old), &list(new)).replace("  ...\n", "~").replace([' ', '\n'], "")
    }

    #[test]
    fn changes_are_few_and_in_order() {
        assert_eq!(marks("abc", "axc"), "a-b+xc");
        assert_eq!(marks("abc", "abcd"), "abc+d");
        assert_eq!(marks("abcd", "abcde"), "~cd+e");
        assert_eq!(marks("bac", "abc"), "-ba+bc");
        assert_eq!(marks("", "ab"), "+a+b");
        assert_eq!(marks("ab", ""), "-a-b");
        assert_eq!(marks("aaaa", "aa"), "aa-a-a");
        assert_eq!(marks("abcdefgxhijklmnop", "aBcdefghijklmnoP"), "a-b+Bcdefg-xhi~no-p+P");
    }

    #[test]
    fn long_lists_are_not_compared_in_every_way() {
        let old: Vec<String> = (0..3000).map(|i| format!("a{i}")).collect();
        let new: Vec<String> = (0..3000).map(|i| format!("b{i}")).collect();
        let lines = lines(&old, &new);
        assert_eq!(lines.len(), 6000);
        assert_eq!(lines[2999..3001], [Line::Old("a2999"), Line::New("b0")]);
    }

    /// The longest common subsequence, by trying.
    fn longest(old: &[String], new: &[String]) -> usize {
        match (old.split_first(), new.split_first()) {
            (Some((a, rest)), Some((b, others))) if a == b => 1 + longest(rest, others),
            (Some((_, rest)), Some((_, others))) => longest(rest, new).max(longest(old, others)),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn both_lists_are_in_the_difference(old in "[abc]{0,7}", new in "[abc]{0,7}") {
            let (old, new) = (list(&old), list(&new));
            let lines = lines(&old, &new);
            let kept = |is_new: bool| -> Vec<String> {
                let keep = |line: &Line<'_>| match *line {
                    Line::Same(line) => Some(line.to_owned()),
                    Line::Old(line) => (!is_new).then(|| line.to_owned()),
                    Line::New(line) => is_new.then(|| line.to_owned()),
                };
                lines.iter().filter_map(keep).collect()
            };
            prop_assert_eq!(kept(false), &*old);
            prop_assert_eq!(kept(true), &*new);
            let same = lines.iter().filter(|line| matches!(line, Line::Same(_))).count();
            prop_assert_eq!(same, longest(&old, &new));
        }
    }
}
