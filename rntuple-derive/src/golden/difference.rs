//! What makes one expansion another.

/// Of removed lines that follow each other, more than these are counted instead.
const SHOWN: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Same,
    Removed,
    Added,
}

/// The lines that only one of two texts has, below the blocks of both that they are in.
pub(super) fn difference(basic: &str, found: &str) -> String {
    let lines = aligned(&Vec::from_iter(basic.lines()), &Vec::from_iter(found.lines()));
    let mut is_shown: Vec<bool> = lines.iter().map(|(kind, _)| *kind != Kind::Same).collect();
    for position in 0..lines.len() {
        if lines[position].0 != Kind::Same {
            show_blocks(&lines, position, &mut is_shown);
        }
    }
    let (mut text, mut removed) = (String::new(), 0);
    for (position, (kind, line)) in lines.iter().enumerate().filter(|(position, _)| is_shown[*position]) {
        removed = if *kind == Kind::Removed { removed + 1 } else { 0 };
        if removed <= SHOWN {
            let mark = [' ', '-', '+'][*kind as usize];
            text += format!("{mark}{line}").trim_end();
            text.push('\n');
        } else if lines.get(position + 1).is_none_or(|(next, _)| *next != Kind::Removed) {
            text += &format!("-.. {} more\n", removed - SHOWN);
        }
    }
    text
}

/// Marks the first line of every block around a line.
fn show_blocks(lines: &[(Kind, &str)], position: usize, is_shown: &mut [bool]) {
    let kind = lines[position].0;
    let mut depth = indent(lines[position].1);
    let mut is_middle = false;
    for (earlier, (other, line)) in lines.iter().enumerate().take(position).rev() {
        let is_of_both = *other == Kind::Same || *other == kind;
        if !is_of_both || line.is_empty() || indent(line) >= depth + usize::from(is_middle) {
            continue;
        }
        depth = indent(line);
        is_shown[earlier] = true;
        // The head of a block may have several lines.
        is_middle =
            ["{", "where", "for ", ")", ">"].iter().any(|middle| line.trim_start().starts_with(middle));
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines of two texts as one list, with as much as possible in common.
fn aligned<'a>(basic: &[&'a str], found: &[&'a str]) -> Vec<(Kind, &'a str)> {
    // Letters in common, of the texts from these lines on.
    let mut common = vec![vec![0; found.len() + 1]; basic.len() + 1];
    for row in (0..basic.len()).rev() {
        for column in (0..found.len()).rev() {
            let without = common[row + 1][column].max(common[row][column + 1]);
            common[row][column] = if basic[row] == found[column] {
                without.max(common[row + 1][column + 1] + basic[row].trim().len())
            } else {
                without
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < basic.len() || column < found.len() {
        let (one, other) = (basic.get(row), found.get(column));
        let here = common[row][column];
        match (one, other) {
            (Some(line), Some(other))
                if line == other && here == common[row + 1][column + 1] + line.trim().len() =>
            {
                lines.push((Kind::Same, *line));
                (row, column) = (row + 1, column + 1);
            }
            (Some(line), _) if other.is_none() || here == common[row + 1][column] => {
                lines.push((Kind::Removed, *line));
                row += 1;
            }
            (_, Some(line)) => {
                lines.push((Kind::Added, *line));
                column += 1;
            }
            (_, None) => break,
        }
    }
    lines
}

#[test]
fn only_what_differs_is_left_and_where_it_is() {
    let basic = "impl A {\n    fn a() {\n        1;\n        2;\n    }\n    fn b() {\n        3;\n    }\n}\n";
    let found = basic.replace("3;\n", "3;\n        4;\n").replace("        1;\n", "");
    let left = " impl A {\n     fn a() {\n-        1;\n     fn b() {\n+        4;\n";
    assert_eq!(difference(basic, &found), left);
    assert_eq!(difference(basic, basic), "");
}

#[test]
fn heads_of_blocks_have_several_lines_and_long_removals_are_counted() {
    let basic = "impl A\nfor B\nwhere\n    C: D,\n{\n    1;\n    2;\n    3;\n    4;\n    5;\n}\n";
    let left = " impl A\n for B\n where\n {\n-    1;\n-    2;\n-    3;\n-.. 2 more\n+    6;\n";
    let found = "impl A\nfor B\nwhere\n    C: D,\n{\n    6;\n}\n";
    assert_eq!(difference(basic, found), left);
}
