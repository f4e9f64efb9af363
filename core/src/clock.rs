//! [`Clock`]: the time, as the caller provides it.

use core::fmt;

/// The time in whole seconds since 1970, as the caller provides it: a function that is called when a time is written, or a fixed time. The
/// core itself reads no clock.
///
/// ```
/// use std::time::{SystemTime, UNIX_EPOCH};
/// use deltafold::{Clock, Writer, WriterOptions};
/// fn now() -> u64 {
///     SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
/// }
/// let options = WriterOptions::from_json_with_clock(r#"{"id":"resp_1"}"#, Clock::new(now))?;
/// assert!(options.created_at > 1_700_000_000);
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Clock(Time);

#[derive(Clone, Copy)]
enum Time {
    Fixed(u64),
    Read(fn() -> u64),
}

impl Clock {
    /// A clock that calls a function, which returns whole seconds since 1970.
    pub const fn new(now: fn() -> u64) -> Self {
        Self(Time::Read(now))
    }

    /// A clock that always returns this time.
    pub const fn fixed(seconds: u64) -> Self {
        Self(Time::Fixed(seconds))
    }

    /// Returns the time in whole seconds since 1970.
    pub fn now(self) -> u64 {
        match self.0 {
            Time::Fixed(seconds) => seconds,
            Time::Read(now) => now(),
        }
    }
}

impl PartialEq for Clock {
    /// Returns `true` if both return the same fixed time or call the same function.
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Time::Fixed(one), Time::Fixed(two)) => one == two,
            (Time::Read(one), Time::Read(two)) => core::ptr::fn_addr_eq(one, two),
            _ => false,
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Time::Fixed(seconds) => f.debug_tuple("Clock").field(&seconds).finish(),
            Time::Read(_) => f.write_str("Clock(function)"),
        }
    }
}
