//! Memory of pages that are on storage by now, for those to come.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use super::sealed::{Body, OpenPage, PageMemory, ValuePage};
use crate::encoding::Element;

/// Buffers that are kept, up to a limit.
#[derive(Default)]
pub(super) struct Spare {
    buffers: Vec<Vec<u8>>,
    /// By the type of their values.
    pages: HashMap<TypeId, Vec<Box<dyn PageMemory>>>,
    /// Bytes of all of them.
    length: usize,
    limit: usize,
}

impl Spare {
    /// Keeps up to `length` bytes.
    pub(super) fn limit(&mut self, length: usize) {
        self.limit = length;
    }

    /// Returns an empty buffer.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let buffer = self.buffers.pop().unwrap_or_default();
        self.length -= buffer.capacity();
        buffer
    }

    /// Returns a page with room for `count` values, whatever they are.
    pub(super) fn take_page<E: Element>(&mut self, count: usize) -> OpenPage<E> {
        let pages = self.pages.get_mut(&TypeId::of::<ValuePage<E>>());
        let found = pages.and_then(|pages| {
            // Most pages are as long as pages may be.
            let position = pages.iter().rposition(|page| page.length() == count * size_of::<E>())?;
            Some(pages.swap_remove(position))
        });
        if let Some(page) = found {
            self.length -= page.length();
            let page: Box<dyn Any> = page;
            if let Ok(page) = page.downcast::<ValuePage<E>>() {
                return page.values;
            }
        }
        vec![E::default(); count].into_boxed_slice()
    }

    /// Keeps the memory of a page.
    pub(super) fn put(&mut self, body: Body) {
        let length = match &body {
            Body::Bytes(bytes) => bytes.capacity(),
            Body::Values(values) => values.length(),
        };
        if self.length + length > self.limit {
            return;
        }
        self.length += length;
        match body {
            Body::Bytes(mut bytes) => {
                bytes.clear();
                self.buffers.push(bytes);
            }
            Body::Values(values) => {
                let type_id = (*values).type_id();
                self.pages.entry(type_id).or_default().push(values);
            }
        }
    }
}
