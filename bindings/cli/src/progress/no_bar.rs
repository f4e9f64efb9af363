//! The twin of `bar.rs` in builds without the feature `progress-bar`: draws nothing.

pub(super) struct Bar;

impl Bar {
    pub(super) fn new(_files: usize) -> Self {
        Self
    }

    pub(super) fn set_size(&self, _size: u64) {}

    pub(super) fn draw(&self, _position: u64, _message: String) {}

    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        print()
    }

    pub(super) fn finish(&self) {}
}
