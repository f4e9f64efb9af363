//! The project itself: dependencies, versions, the coverage page, and the comparer of the bindings.

mod comparer;
mod coverage_page;
mod dependencies;
mod versions;
