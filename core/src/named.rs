//! `Display` and `FromStr` of types that are a list of names.

/// Implements `Display` for types with a method `name`: writes the name.
macro_rules! display_name {
    ($($type:ty),+ $(,)?) => {
        $(impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        })+
    };
}

/// Implements `FromStr` for types with `ALL` and a method `name`. The error lists the known names.
macro_rules! parse_name {
    ($($type:ty, $what:literal;)+) => {
        $(impl core::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<Self, $crate::Error> {
                let found = Self::ALL.iter().copied().find(|known| known.name() == name);
                found.ok_or_else(|| {
                    let known = $crate::options::listed(Self::ALL.iter().map(|known| known.name()), ", ");
                    let detail = alloc::format!("no {} is called {name}; known: {known}", $what);
                    $crate::Error::new($crate::Code::UnknownName, 0, detail)
                })
            }
        })+
    };
}

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum of option values.
macro_rules! option_names {
    ($type:ty, $what:literal: $($variant:ident $name:literal),+ $(,)?) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The names of [`ALL`](Self::ALL), in its order.
            pub(crate) const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in options.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        $crate::named::display_name!($type);
        $crate::named::parse_name! { $type, $what; }
    };
}

pub(crate) use {display_name, option_names, parse_name};
