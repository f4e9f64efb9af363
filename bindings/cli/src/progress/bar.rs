//! The progress bar on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on stderr of this process; not drawn before the first [`Bar::draw`].
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(files: usize) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if files > 1 {
            bar.set_length(files as u64);
            set_template(&bar, "[{bar:24}] {pos}/{len} files, {msg}");
        } else {
            set_template(&bar, "{msg}");
        }
        Self(bar)
    }

    /// Sets the size of the only file.
    pub(super) fn set_size(&self, size: u64) {
        self.0.set_length(size);
        set_template(&self.0, "[{bar:24}] {percent:>3} % {msg}");
    }

    /// Draws the bar, at most five times per second. The position counts files, or the bytes of the only file.
    pub(super) fn draw(&self, position: u64, message: String) {
        if self.0.is_hidden() {
            self.0.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        }
        self.0.set_message(message);
        self.0.set_position(position);
    }

    /// Hides the bar while `print` writes something else.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn set_template(bar: &ProgressBar, template: &str) {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("#>."));
}
