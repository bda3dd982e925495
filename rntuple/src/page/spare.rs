//! Memory of pages that are on storage by now, for those to come.

use std::any::{Any, TypeId};

use super::sealed::{Body, OpenPage, PageMemory, ValuePage};
use crate::encoding::Element;

/// Buffers that are kept, up to a limit.
#[derive(Default)]
pub(super) struct Spare {
    buffers: Vec<Vec<u8>>,
    /// Most are as long as pages may be, so that there are few kinds.
    pages: Vec<Kept>,
    /// Bytes of all of them.
    length: usize,
    limit: usize,
}

/// Pages of values of one type, and of one length in bytes.
struct Kept {
    kind: (TypeId, usize),
    pages: Vec<Box<dyn PageMemory>>,
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

    /// Returns a page that is as long as `page`, whatever its values are.
    pub(super) fn take_page<E: Element>(&mut self, page: &OpenPage<E>) -> OpenPage<E> {
        let kind = (TypeId::of::<ValuePage<E>>(), size_of_val(&**page));
        let found = self.pages.iter_mut().find(|kept| kept.kind == kind).and_then(|kept| kept.pages.pop());
        if let Some(page) = found {
            self.length -= kind.1;
            let page: Box<dyn Any> = page;
            if let Ok(page) = page.downcast::<ValuePage<E>>() {
                return page.values;
            }
        }
        // These values are in the cache: copying them takes no longer than writing zeros.
        page.clone()
    }

    /// Keeps the memory of a page.
    pub(super) fn put(&mut self, body: Body) {
        let length = match &body {
            Body::Bytes(bytes) => bytes.capacity(),
            Body::Values(values) => values.bytes().len(),
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
                let kind = ((*values).type_id(), length);
                match self.pages.iter_mut().find(|kept| kept.kind == kind) {
                    Some(kept) => kept.pages.push(values),
                    None => self.pages.push(Kept { kind, pages: vec![values] }),
                }
            }
        }
    }
}
