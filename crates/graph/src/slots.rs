use std::marker::PhantomData;

/// Records by dense id. Ids are never used again, so an erased one leaves a hole of one empty slot.
#[derive(Debug, Clone)]
pub(crate) struct Slots<I, T> {
    slots: Vec<Option<T>>,
    id: PhantomData<I>,
}

impl<I, T> Default for Slots<I, T> {
    fn default() -> Self {
        Slots { slots: Vec::new(), id: PhantomData }
    }
}

impl<I: Into<u32>, T> Slots<I, T> {
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.slots.get(id.into() as usize)?.as_ref()
    }

    pub(crate) fn insert(&mut self, id: I, value: T) -> Option<T> {
        let index = id.into() as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.slots[index].replace(value)
    }

    pub(crate) fn remove(&mut self, id: I) -> Option<T> {
        self.slots.get_mut(id.into() as usize)?.take()
    }

    /// In order of id.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }
}
