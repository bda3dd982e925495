//! Items in groups, laid out in one piece of memory.

/// Items grouped by a number, each group in the order in which its items came.
///
/// ```text
/// items   a c | | b d e      starts   0 2 2 5
/// ```
#[derive(Clone, Debug)]
pub(super) struct Groups<T> {
    items: Vec<T>,
    /// Where each group begins, and one end.
    starts: Vec<usize>,
}

impl<T: Copy + Default> Groups<T> {
    /// Sorts `(group, item)` pairs into `count` groups by counting. Pairs of other groups are left out.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (group, _) in pairs.clone().filter(|(group, _)| *group < count) {
            if let Some(size) = starts.get_mut(group + 1) {
                *size += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); total];
        for (group, item) in pairs.filter(|(group, _)| *group < count) {
            if let Some(place) = next.get_mut(group) {
                if let Some(slot) = items.get_mut(*place) {
                    *slot = item;
                }
                *place += 1;
            }
        }
        Self { items, starts }
    }

    /// The same groups, each sorted by `key`; equal keys keep their order.
    pub(super) fn sorted_by_key<'k, K: Ord + ?Sized + 'k>(&self, key: impl Fn(T) -> &'k K) -> Self {
        let mut sorted = self.clone();
        for range in sorted.starts.windows(2) {
            if let [start, end] = *range
                && let Some(group) = sorted.items.get_mut(start..end)
            {
                group.sort_by(|a, b| key(*a).cmp(key(*b)));
            }
        }
        sorted
    }

    /// The items of a group; none where there is no such group.
    pub(super) fn get(&self, group: usize) -> &[T] {
        match (self.starts.get(group), group.checked_add(1).and_then(|next| self.starts.get(next))) {
            (Some(start), Some(end)) => self.items.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_the_order_of_their_items() {
        let pairs = [(2, 'e'), (0, 'c'), (2, 'b'), (7, 'x'), (0, 'a'), (2, 'd')];
        let groups = Groups::new(3, pairs.into_iter());
        assert_eq!(groups.get(0), ['c', 'a']);
        assert_eq!(groups.get(1), []);
        assert_eq!(groups.get(2), ['e', 'b', 'd']);
        assert_eq!(groups.get(3), []);
        assert_eq!(groups.get(usize::MAX), []);
        const NAMES: &str = "abcde";
        let sorted = groups.sorted_by_key(|item| &NAMES[NAMES.find(item).unwrap()..]);
        assert_eq!(sorted.get(0), ['a', 'c']);
        assert_eq!(sorted.get(2), ['b', 'd', 'e']);
    }
}
