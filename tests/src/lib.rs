//! Loader, split strategies and canonical JSON for the test suites.
