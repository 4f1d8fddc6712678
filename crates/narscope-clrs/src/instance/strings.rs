//! Two strings: to compare, or to find one in the other.

use super::Instance;
use super::user::{Data, UserInstance, invalid, wrong_form};
use crate::options::{OptionName, Options, bad};
use crate::rng::Rng;
use crate::values::{Classes as _, NodeClass, NodeMask, NodeOrder, NodeScalar};
use crate::{Error, Result};

crate::classes!(
    /// The alphabet.
    Letter {
        /// The first letter.
        A,
        /// The second letter.
        B,
        /// The third letter.
        C,
        /// The fourth letter.
        D,
    }
);

/// Two strings.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoStrings {
    /// The first string, or the haystack.
    pub first: Vec<Letter>,
    /// The second string, or the needle.
    pub second: Vec<Letter>,
}

/// The relation between the two strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Two strings of about the same length.
    Peers,
    /// The second occurs in the first.
    Needle,
}

impl TwoStrings {
    /// Returns the number of letters of both strings.
    pub fn nodes(&self) -> usize {
        self.first.len() + self.second.len()
    }
    /// Mask of the letters of the second string: the `string` input.
    pub fn membership(&self) -> NodeMask {
        crate::values::Node((0..self.nodes()).map(|i| i >= self.first.len()).collect())
    }
    /// The position of each letter in its string: the `pos` input.
    pub fn positions(&self) -> NodeScalar {
        let mut positions = NodeScalar::positions(self.first.len());
        positions.0.extend_from_slice(&NodeScalar::positions(self.second.len()));
        positions
    }
    /// The first node of the second string, from the `string` input.
    pub fn split(membership: &NodeMask) -> usize {
        membership.partition_point(|&second| !second)
    }
    /// The letters of both strings: the `key` input.
    pub fn letters(self) -> NodeClass<Letter> {
        crate::values::Node([self.first, self.second].concat())
    }
    /// Pointers from each letter to the previous one of the same string: the `pred_h` hint.
    pub fn to_left(first: usize, second: usize) -> NodeOrder {
        let mut pointers = NodeOrder::to_left(first);
        pointers.0.extend(NodeOrder::to_left(second).iter().map(|i| first + i));
        pointers
    }
}

#[cfg(test)]
impl TwoStrings {
    /// Two strings of the letters a to d, or A to D.
    pub(crate) fn of(first: &str, second: &str) -> Self {
        let letter = |byte: u8| Letter::from_code((byte.to_ascii_lowercase() - b'a') as i8);
        let letters = |string: &str| string.bytes().map(letter).collect();
        Self { first: letters(first), second: letters(second) }
    }
}

impl Instance for TwoStrings {
    type Params = Relation;

    fn options(params: &Relation, _options: &Options) -> Vec<OptionName> {
        match params {
            Relation::Peers => vec![OptionName::Length2, OptionName::Chars],
            Relation::Needle => vec![OptionName::LengthNeedle, OptionName::Chars],
        }
    }

    fn sample(params: &Relation, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        match params {
            Relation::Peers => sample_peers(rng, length, options),
            Relation::Needle => sample_needle(rng, length, options),
        }
    }

    fn wanted(params: &Relation) -> String {
        match params {
            Relation::Peers => "two lines of text: two strings of at most 4 different letters",
            Relation::Needle => {
                "two lines of text: a haystack and a needle that occurs in it, of at most 4 different letters"
            }
        }
        .to_owned()
    }

    fn read(params: &Relation, user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let Data::Text(lines) = &user.data else { return Err(wrong_form(&wanted, &user.data)) };
        let [first, second] = lines.as_slice() else { return Err(wrong_form(&wanted, &user.data)) };
        if first.is_empty() || second.is_empty() {
            return Err(invalid(wanted, "an empty string"));
        }
        let mut alphabet: Vec<char> = first.chars().chain(second.chars()).collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        if alphabet.len() > Letter::NAMES.len() {
            let found =
                format!("{} different letters ({})", alphabet.len(), String::from_iter(alphabet));
            return Err(invalid(wanted, found));
        }
        let letters = |string: &String| -> Vec<Letter> {
            let code = |c| alphabet.binary_search(&c).expect("the alphabet contains every letter");
            string.chars().map(|c| Letter::from_code(code(c) as i8)).collect()
        };
        // Parity: without a match, the reference leaves the trace incomplete and fails later.
        if *params == Relation::Needle && !first.contains(second.as_str()) {
            return Err(invalid(wanted, format!("{second:?}, which does not occur in {first:?}")));
        }
        Ok(Self { first: letters(first), second: letters(second) })
    }
}

fn string(rng: &mut Rng, chars: usize, length: usize) -> Vec<Letter> {
    rng.integers(chars, length).iter().map(|&code| Letter::from_code(code as i8)).collect()
}

fn sample_peers(rng: &mut Rng, length: usize, options: &Options) -> Result<TwoStrings> {
    let chars = options.letters()?;
    // Parity: without `length_2`, `length` is that of both strings together; with it, of the first.
    let (first, second) = match options.length_2 {
        None => (length - length / 2, length / 2),
        Some(second) => (length, second),
    };
    if first == 0 || second == 0 {
        return Err(match options.length_2 {
            Some(0) => bad("length_2", "at least 1", 0),
            Some(_) => Error::TooSmall { least: 1, got: length },
            None => Error::TooSmall { least: 2, got: length },
        });
    }
    Ok(TwoStrings { first: string(rng, chars, first), second: string(rng, chars, second) })
}

fn sample_needle(rng: &mut Rng, length: usize, options: &Options) -> Result<TwoStrings> {
    let chars = options.letters()?;
    let needle = match options.length_needle {
        None if length < 5 => 1,
        None => length / 5,
        Some(0) => {
            return Err(bad("length_needle", "positive, or negative for a random length", 0));
        }
        // Parity: a random length is drawn first, and may be too long.
        Some(most) if most < 0 => 1 + rng.below(most.unsigned_abs() as usize),
        Some(given) => given as usize,
    };
    // Parity: the last possible shift is never drawn, so the haystack must be longer than the
    // needle.
    if length <= 2 * needle {
        return Err(match options.length_needle {
            None => Error::TooSmall { least: 3, got: length },
            Some(given) => {
                let drawn = if given < 0 {
                    format!("{needle}, drawn from {given}")
                } else {
                    given.to_string()
                };
                let longest = length.saturating_sub(1) / 2;
                let wanted = format!(
                    "at most {longest}: more than half of length {length} must be left for the haystack"
                );
                bad("length_needle", wanted, drawn)
            }
        });
    }
    let second = string(rng, chars, needle);
    let mut first = string(rng, chars, length - needle);
    let shift = rng.below(first.len() - needle);
    first[shift..shift + needle].copy_from_slice(&second);
    Ok(TwoStrings { first, second })
}
