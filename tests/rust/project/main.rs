//! The project itself: dependencies, versions, the pages of coverage and of options, and the comparer of the bindings.

mod comparer;
mod coverage_page;
mod dependencies;
mod option_types;
mod options_page;
mod versions;
