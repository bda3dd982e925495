//! The items of an envelope as a tree, which is changed without breaking the sizes of its frames.

use crate::mutator::Mutator;

/// What an item looks like.
#[derive(Debug)]
enum Shape {
    /// That many bytes.
    Bytes(usize),
    /// A string: its length, its bytes.
    Text,
    /// A frame around these items.
    Record(&'static [Shape]),
    /// A frame around any number of these; bytes may follow the last one.
    List(&'static Shape),
    /// Items without a frame.
    Row(&'static [Shape]),
}

/// What an envelope is made of, and what it is called in a file.
#[derive(Debug)]
pub(crate) struct Grammar(&'static [Shape]);

use Shape::{Bytes, List, Record, Row, Text};

const FIELD: Shape = Record(&[Bytes(4), Bytes(4), Bytes(4), Bytes(2), Bytes(2), Text, Text, Text, Text]);
const COLUMN: Shape = Record(&[Bytes(2), Bytes(2), Bytes(4), Bytes(2), Bytes(2)]);
const ALIAS: Shape = Record(&[Bytes(4), Bytes(4)]);
const EXTRA: Shape = Record(&[Bytes(4), Bytes(4), Text, Text]);
const GROUP: Shape = Record(&[Bytes(8), Bytes(8), Bytes(4), Bytes(8), Bytes(4), Bytes(8)]);
const SET: Shape = Record(&[Bytes(2), Bytes(2), Bytes(4), Bytes(4), Bytes(8), Text]);
const PAGE: Shape = Row(&[Bytes(4), Bytes(4), Bytes(8)]);

/// Flags, name, description, writer, schema.
pub(crate) const HEADER: Grammar =
    Grammar(&[Bytes(8), Text, Text, Text, List(&FIELD), List(&COLUMN), List(&ALIAS), List(&EXTRA)]);

/// Flags, the header's checksum, the extension of the schema, cluster groups, attribute sets.
pub(crate) const FOOTER: Grammar = Grammar(&[
    Bytes(8),
    Bytes(8),
    Record(&[List(&FIELD), List(&COLUMN), List(&ALIAS), List(&EXTRA)]),
    List(&GROUP),
    List(&SET),
]);

/// The header's checksum, clusters, their pages.
pub(crate) const PAGE_LIST: Grammar =
    Grammar(&[Bytes(8), List(&Record(&[Bytes(8), Bytes(8)])), List(&List(&List(&PAGE)))]);

/// Where the cluster groups are in the items of a footer, and in each of them the length, size and offset of its page
/// list.
const GROUPS: usize = 3;
const LINK: std::ops::Range<usize> = 3..6;

/// What names and types of fields are made of.
const WORDS: [&str; 24] = [
    "bool",
    "char",
    "std::byte",
    "std::int8_t",
    "std::uint32_t",
    "std::int64_t",
    "float",
    "double",
    "std::string",
    "std::vector<float>",
    "std::vector<std::vector<bool>>",
    "ROOT::VecOps::RVec<double>",
    "std::array<float,3>",
    "std::bitset<9>",
    "std::pair<char,float>",
    "std::tuple<bool,char,float>",
    "std::optional<float>",
    "std::unique_ptr<std::string>",
    "std::variant<float,std::string>",
    "std::map<std::string,float>",
    "std::atomic<bool>",
    "ROOT::RNTupleCardinality<std::uint64_t>",
    "_0",
    "_1",
];

#[derive(Clone, Debug)]
enum Node {
    Bytes(Vec<u8>),
    Text(Vec<u8>),
    Record(Vec<Node>),
    /// Items, the number of those that were not understood, and the bytes after the others.
    List(Vec<Node>, usize, Vec<u8>),
    Row(Vec<Node>),
}

/// The items of one envelope.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    nodes: Vec<Node>,
    /// Whether frames have sizes of 64 bits.
    is_wide: bool,
}

fn split<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn parse_all(shapes: &[Shape], mut bytes: &[u8], is_wide: bool) -> Vec<Node> {
    let mut nodes = Vec::new();
    for shape in shapes {
        let mut rest = bytes;
        let Some(node) = parse(shape, &mut rest, is_wide) else { break };
        nodes.push(node);
        bytes = rest;
    }
    if !bytes.is_empty() {
        nodes.push(Node::Bytes(bytes.to_vec()));
    }
    nodes
}

fn parse(shape: &Shape, bytes: &mut &[u8], is_wide: bool) -> Option<Node> {
    let width = if is_wide { 8 } else { 4 };
    Some(match shape {
        Bytes(count) => Node::Bytes(split(bytes, *count)?.to_vec()),
        Text => {
            let length = usize::try_from(number(split(bytes, 4)?)).ok()?;
            Node::Text(split(bytes, length)?.to_vec())
        }
        Record(shapes) => {
            let size = usize::try_from(number(split(bytes, width)?)).ok()?;
            Node::Record(parse_all(shapes, split(bytes, size.checked_sub(width)?)?, is_wide))
        }
        List(shape) => {
            let word = number(split(bytes, width)?);
            let negative = if is_wide { word.wrapping_neg() } else { word.wrapping_neg() & 0xFFFF_FFFF };
            let count = number(split(bytes, 4)?);
            let mut inside = split(bytes, usize::try_from(negative).ok()?.checked_sub(width + 4)?)?;
            let mut nodes = Vec::new();
            for _ in 0..count {
                let mut rest = inside;
                match parse(shape, &mut rest, is_wide) {
                    Some(node) if rest.len() < inside.len() => nodes.push(node),
                    _ => break,
                }
                inside = rest;
            }
            let unknown = usize::try_from(count).ok()?.saturating_sub(nodes.len());
            Node::List(nodes, unknown, inside.to_vec())
        }
        Row(shapes) => {
            let nodes: Option<_> = shapes.iter().map(|shape| parse(shape, bytes, is_wide)).collect();
            Node::Row(nodes?)
        }
    })
}

impl Node {
    fn write(&self, out: &mut Vec<u8>, is_wide: bool) {
        let start = out.len();
        let width = if is_wide { 8 } else { 4 };
        match self {
            Self::Bytes(bytes) => return out.extend(bytes),
            Self::Text(bytes) => {
                out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
                return out.extend(bytes);
            }
            Self::Row(nodes) => return nodes.iter().for_each(|node| node.write(out, is_wide)),
            Self::Record(nodes) => {
                out.resize(start + width, 0);
                nodes.iter().for_each(|node| node.write(out, is_wide));
            }
            Self::List(nodes, unknown, rest) => {
                out.resize(start + width, 0);
                let count = nodes.len().saturating_add(*unknown);
                out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
                nodes.iter().for_each(|node| node.write(out, is_wide));
                out.extend(rest);
            }
        }
        let size = (out.len() - start) as u64;
        let size = if matches!(self, Self::List(..)) { size.wrapping_neg() } else { size };
        for (to, from) in out.iter_mut().skip(start).zip(size.to_le_bytes()).take(width) {
            *to = from;
        }
    }

    fn children(&self) -> &[Self] {
        match self {
            Self::Bytes(_) | Self::Text(_) => &[],
            Self::Record(nodes) | Self::List(nodes, ..) | Self::Row(nodes) => nodes,
        }
    }

    fn children_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Bytes(_) | Self::Text(_) => &mut [],
            Self::Record(nodes) | Self::List(nodes, ..) | Self::Row(nodes) => nodes,
        }
    }

    /// What could take its place.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a.len() == b.len(),
            (Self::Text(_), Self::Text(_)) | (Self::List(..), Self::List(..)) => true,
            (Self::Record(a), Self::Record(b)) | (Self::Row(a), Self::Row(b)) => a.len() == b.len(),
            _ => false,
        }
    }

    fn change(&mut self, donor: &Self, mutator: &mut Mutator) {
        if self.is_like(donor) && mutator.one_in(4) {
            return self.clone_from(donor);
        }
        match self {
            Self::Bytes(bytes) if bytes.len() <= 8 && !bytes.is_empty() => mutator.number(bytes),
            Self::Bytes(bytes) => mutator.bytes(bytes, 64),
            Self::Text(bytes) if mutator.one_in(2) => {
                *bytes = mutator.pick(&WORDS).map(|word| word.as_bytes().to_vec()).unwrap_or_default();
            }
            Self::Text(bytes) => mutator.bytes(bytes, 80),
            Self::Record(nodes) | Self::Row(nodes) => match mutator.below(3) {
                0 => nodes.push(Self::Bytes(vec![0; 1 << mutator.below(4)])),
                1 if nodes.len() > 1 => drop(nodes.pop()),
                _ => nodes.iter_mut().for_each(|node| {
                    if mutator.one_in(3) {
                        node.change(donor, mutator);
                    }
                }),
            },
            Self::List(nodes, _, rest) => {
                let at = mutator.below(nodes.len().max(1));
                match mutator.below(6) {
                    0 | 1 if at < nodes.len() => drop(nodes.remove(at)),
                    2 | 3 if at < nodes.len() && nodes.len() < 1000 => {
                        let Some(node) = nodes.get(at).cloned() else { return };
                        for _ in 0..1 << mutator.below(4) {
                            nodes.insert(at, node.clone());
                        }
                    }
                    4 if at < nodes.len() => {
                        let other = mutator.below(nodes.len());
                        nodes.swap(at, other);
                    }
                    _ if rest.is_empty() => nodes.push(donor.clone()),
                    _ => mutator.bytes(rest, 64),
                }
            }
        }
    }
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + count(node.children())).sum()
}

/// The node of a number, counted in the order of the file.
fn find<'a>(nodes: &'a [Node], number: &mut usize) -> Option<&'a Node> {
    for node in nodes {
        match number.checked_sub(1) {
            None => return Some(node),
            Some(rest) => *number = rest,
        }
        if let Some(found) = find(node.children(), number) {
            return Some(found);
        }
    }
    None
}

fn with(nodes: &mut [Node], number: &mut usize, change: &mut dyn FnMut(&mut Node)) -> bool {
    for node in nodes {
        match number.checked_sub(1) {
            None => {
                change(node);
                return true;
            }
            Some(rest) => *number = rest,
        }
        if with(node.children_mut(), number, change) {
            return true;
        }
    }
    false
}

impl Items {
    /// Takes the bytes between the framing of an envelope apart. What cannot be understood remains as bytes.
    pub(crate) fn parse(grammar: &Grammar, bytes: &[u8], is_wide: bool) -> Self {
        Self { nodes: parse_all(grammar.0, bytes, is_wide), is_wide }
    }

    /// The bytes, with all sizes and counts right.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.nodes.iter().for_each(|node| node.write(&mut out, self.is_wide));
        out
    }

    /// Changes one or a few items.
    pub(crate) fn mutate(&mut self, mutator: &mut Mutator) {
        for _ in 0..=mutator.below(3) {
            let all = count(&self.nodes);
            let (mut at, mut donor) = (mutator.below(all), mutator.below(all));
            let Some(donor) = find(&self.nodes, &mut donor).cloned() else { return };
            with(&mut self.nodes, &mut at, &mut |node| node.change(&donor, mutator));
        }
    }

    /// Lets a footer say that the page list of a cluster group is elsewhere.
    pub(crate) fn link(&mut self, group: usize, offset: u64, size: u32) {
        let Some(Node::List(groups, ..)) = self.nodes.get_mut(GROUPS) else { return };
        let Some(Node::Record(items)) = groups.get_mut(group) else { return };
        let Some([Node::Bytes(length), Node::Bytes(stored), Node::Bytes(place)]) = items.get_mut(LINK) else {
            return;
        };
        *length = u64::from(size).to_le_bytes().to_vec();
        *stored = size.to_le_bytes().to_vec();
        *place = offset.to_le_bytes().to_vec();
    }
}

#[cfg(test)]
mod tests {
    use rntuple_tests::sample::Random;

    use super::*;
    use crate::mutator::strike;

    /// Flags, three strings, and lists that are empty.
    fn header() -> Vec<u8> {
        let mut bytes = vec![0; 8];
        for text in ["Events", "", "us"] {
            bytes.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        for _ in 0..4 {
            bytes.extend((-12_i64).to_le_bytes());
            bytes.extend([0; 4]);
        }
        bytes
    }

    #[test]
    fn what_is_taken_apart_is_put_together_again() {
        let bytes = header();
        let items = Items::parse(&HEADER, &bytes, true);
        assert_eq!(items.nodes.len(), 8);
        assert_eq!(items.write(), bytes);
        for end in 0..bytes.len() {
            assert_eq!(Items::parse(&HEADER, &bytes[..end], true).write(), bytes[..end]);
        }
    }

    /// Otherwise the mutator would only test how sizes are checked.
    #[test]
    fn changes_keep_the_frames_whole() {
        let mut mutator = Mutator { random: Random::new(1), strike };
        let mut whole = 0;
        for _ in 0..100 {
            let mut items = Items::parse(&HEADER, &header(), true);
            items.mutate(&mut mutator);
            let bytes = items.write();
            let again = Items::parse(&HEADER, &bytes, true);
            assert_eq!(again.write(), bytes);
            whole += usize::from(again.nodes.len() == 8);
        }
        assert!(whole > 90, "{whole}");
    }
}
