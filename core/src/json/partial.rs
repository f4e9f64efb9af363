//! JSON that is still growing.
