//! The two ways to repeat an experiment of the paper: as its code did it, and as its text describes it.

use std::fmt;
use std::str::FromStr;

use narscope_clrs::registry;
use serde::{Deserialize, Serialize};

use crate::Error;

/// How an experiment of the paper is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// As the text of the paper describes it.
    AsStated,
    /// As the authors' published code does it.
    AsCoded,
}

impl Protocol {
    /// Both protocols.
    pub const ALL: [Self; 2] = [Self::AsStated, Self::AsCoded];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsStated => "as-stated",
            Self::AsCoded => "as-coded",
        }
    }

    /// Returns the name in words, for the middle of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::AsStated => "as stated",
            Self::AsCoded => "as coded",
        }
    }

    /// Returns the name in words, for the start of a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::AsStated => "As stated",
            Self::AsCoded => "As coded",
        }
    }

    /// Returns the end of keys of measures.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::AsStated => "_as_stated",
            Self::AsCoded => "_as_coded",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Ok(*registry::find("protocol", &Self::ALL, |protocol| protocol.name(), name)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_is_found_by_its_name() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.name().parse::<Protocol>().unwrap(), protocol);
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.name());
        }
        let error = "as-code".parse::<Protocol>().unwrap_err().to_string();
        assert_eq!(error, r#"unknown protocol "as-code"; the closest name is "as-coded""#);
    }
}
