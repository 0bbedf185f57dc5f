//! Enums with one spelling everywhere: database, JSON, command line and panel.

/// A word that is not in the vocabulary it was looked up in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{word}`")]
pub struct UnknownWord {
    pub what: &'static str,
    pub word: String,
    /// Every spelling that would have been accepted.
    pub known: &'static [&'static str],
}

/// Declares an enum whose variants each have exactly one spelling.
///
/// The list is written once; parsing, printing and serde all read it, so they cannot disagree.
macro_rules! spelled {
    ($(#[$outer:meta])* $name:ident, $what:literal, { $($(#[$inner:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$inner])* $variant,)+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            pub const SPELLINGS: &'static [&'static str] = &[$($text,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::spelled::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::spelled::UnknownWord {
                        what: $what,
                        word: text.to_owned(),
                        known: Self::SPELLINGS,
                    }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use spelled;
