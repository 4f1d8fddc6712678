//! The header of a `.npy` file: a magic string, a version, a length, and a Python dictionary.
//!
//! NumPy evaluates the dictionary as a Python literal. Literals nest without bound; this parser reads only what
//! NumPy writes for arrays of numbers, in one pass over at most [`MAX_LENGTH`] bytes.

use std::io::Read;

use crate::element_type::ElementType;
use crate::error::{Misread, misread};

/// Far more than the header of an array of numbers needs: NumPy writes 118 bytes.
const MAX_LENGTH: u32 = 1 << 16;
/// The maximum number of axes of a NumPy array.
const MAX_AXES: usize = 64;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What the header says about the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub(crate) element: ElementType,
    pub(crate) big_endian: bool,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
}

impl NpyHeader {
    /// Reads the header; the elements follow.
    pub(crate) fn read(file: &mut impl Read) -> Result<Self, Misread> {
        let [magic @ .., major, minor]: [u8; 8] = array(file)?;
        if magic != *MAGIC {
            return Err(misread("a .npy file", "a file without its first bytes, \"\\x93NUMPY\","));
        }
        let length = match major {
            1 => u16::from_le_bytes(array(file)?).into(),
            2 | 3 => u32::from_le_bytes(array(file)?),
            _ => {
                let found = format!("version {major}.{minor}");
                return Err(misread("a .npy file of version 1.0, 2.0 or 3.0", found));
            }
        };
        if length > MAX_LENGTH {
            let expected = format!("a .npy file whose header has at most {MAX_LENGTH} bytes");
            return Err(misread(expected, format!("{length} bytes")));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).map_err(|error| misread("a .npy file", error.to_string()))?;
        Literal { text: &text, position: 0 }.header()
    }
}

fn array<const N: usize>(file: &mut impl Read) -> Result<[u8; N], Misread> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).map_err(|error| misread("a .npy file", error.to_string()))?;
    Ok(bytes)
}

/// The text of a header, and how far it is read.
struct Literal<'a> {
    text: &'a [u8],
    position: usize,
}

impl Literal<'_> {
    fn header(mut self) -> Result<NpyHeader, Misread> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.token(b'{')?;
        while !self.accept(b'}') {
            let key = self.string("a key in quotes")?;
            self.token(b':')?;
            let is_first = match key.as_str() {
                "descr" => descr.replace(self.element()?).is_none(),
                "fortran_order" => fortran_order.replace(self.boolean()?).is_none(),
                "shape" => shape.replace(self.shape()?).is_none(),
                _ => false,
            };
            if !is_first {
                let expected = "a .npy file whose header has descr, fortran_order and shape once";
                return Err(misread(expected, format!("{key:?}")));
            }
            if !self.accept(b',') {
                self.token(b'}')?;
                break;
            }
        }
        self.skip_spaces();
        if self.position < self.text.len() {
            return Err(self.unexpected("the end of the header"));
        }
        let missing = |key| misread(format!("{key} in the header of a .npy file"), "none");
        let (element, big_endian) = descr.ok_or_else(|| missing("descr"))?;
        Ok(NpyHeader {
            element,
            big_endian,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.position += 1;
        }
    }

    /// Skips spaces, and the byte if it is next.
    fn accept(&mut self, byte: u8) -> bool {
        self.skip_spaces();
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }

    fn token(&mut self, byte: u8) -> Result<(), Misread> {
        if self.accept(byte) { Ok(()) } else { Err(self.unexpected(&char::from(byte).to_string())) }
    }

    fn unexpected(&self, expected: &str) -> Misread {
        let found = match self.peek() {
            None => "its end".to_owned(),
            Some(byte) => format!("{:?} at byte {}", char::from(byte), self.position),
        };
        misread(format!("{expected} in the header of a .npy file"), found)
    }

    /// The bytes up to the first that `is_part` does not accept, as text.
    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> String {
        let start = self.position;
        while self.peek().is_some_and(&is_part) {
            self.position += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.position]).into_owned()
    }

    fn string(&mut self, expected: &str) -> Result<String, Misread> {
        self.skip_spaces();
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        self.position += 1;
        let text = self.take_while(|byte| byte != quote);
        if self.accept(quote) { Ok(text) } else { Err(self.unexpected("a closing quote")) }
    }

    /// The element type, and whether it is big-endian.
    fn element(&mut self) -> Result<(ElementType, bool), Misread> {
        if self.accept(b'[') {
            return Err(misread("an array of numbers", "an array of records"));
        }
        let descr = self.string("a type in quotes")?;
        let kind = descr.trim_start_matches(['<', '>', '|', '=']);
        let is_known = descr.len() - kind.len() <= 1;
        let element = ElementType::from_numpy(kind).filter(|_| is_known);
        let found = || misread("an array of numbers", format!("an array of type {descr:?}"));
        Ok((element.ok_or_else(found)?, descr.starts_with('>')))
    }

    fn boolean(&mut self) -> Result<bool, Misread> {
        self.skip_spaces();
        let start = self.position;
        match self.take_while(|byte| byte.is_ascii_alphabetic()).as_str() {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => {
                self.position = start;
                Err(self.unexpected("True or False"))
            }
        }
    }

    /// A tuple of sizes.
    fn shape(&mut self) -> Result<Vec<usize>, Misread> {
        self.token(b'(')?;
        let mut shape = vec![];
        while !self.accept(b')') {
            self.skip_spaces();
            let digits = self.take_while(|byte| byte.is_ascii_digit());
            if digits.is_empty() {
                return Err(self.unexpected("the size of an axis"));
            }
            let size = digits.parse();
            let too_large = |_| misread("an array that fits into memory", format!("size {digits}"));
            shape.push(size.map_err(too_large)?);
            if shape.len() > MAX_AXES {
                return Err(misread(format!("an array of at most {MAX_AXES} axes"), "more"));
            }
            // Python 2 marks its long integers.
            self.accept(b'L');
            if !self.accept(b',') {
                self.token(b')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ElementType::{F64, I32, U8};

    /// A header with the text of its dictionary.
    fn file(major: u8, text: &str) -> Vec<u8> {
        let length = text.len() as u32;
        let mut file = [MAGIC.as_slice(), &[major, 0]].concat();
        match major {
            1 => file.extend((length as u16).to_le_bytes()),
            _ => file.extend(length.to_le_bytes()),
        }
        file.extend(text.bytes());
        file
    }

    fn read(major: u8, text: &str) -> Result<NpyHeader, String> {
        let header = NpyHeader::read(&mut file(major, text).as_slice());
        header.map_err(|Misread { expected, found }| format!("expected {expected}, found {found}"))
    }

    #[test]
    fn headers_that_numpy_wrote_are_read() {
        let header = |element, big_endian, fortran_order, shape: &[usize]| NpyHeader {
            element,
            big_endian,
            fortran_order,
            shape: shape.to_vec(),
        };
        for (text, expected) in [
            // numpy.save(numpy.zeros((3, 4)))
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n",
                header(F64, false, false, &[3, 4]),
            ),
            // numpy.save(numpy.asfortranarray(numpy.ones((2, 1), '>i4')))
            (
                "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 1), }\n",
                header(I32, true, true, &[2, 1]),
            ),
            // numpy.save(numpy.array(True)), numpy.save(numpy.zeros(7, 'u1'))
            (
                "{'descr': '|b1', 'fortran_order': False, 'shape': (), }",
                header(U8, false, false, &[]),
            ),
            (
                "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }",
                header(U8, false, false, &[7]),
            ),
            // Python 2.
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 10L), }",
                header(F64, false, false, &[3, 10]),
            ),
            // Written by other programs: another order, double quotes, no trailing comma.
            (
                "{\"shape\":(0,),\"fortran_order\":False,\"descr\":\"<f8\"}",
                header(F64, false, false, &[0]),
            ),
        ] {
            for major in 1..=3 {
                assert_eq!(read(major, text), Ok(expected.clone()), "{text}");
            }
        }
    }

    #[test]
    fn a_header_that_nests_forty_lists_is_refused_at_once() {
        let brackets = "[".repeat(40);
        assert_eq!(
            read(1, &brackets).unwrap_err(),
            "expected { in the header of a .npy file, found '[' at byte 0"
        );
        for text in [
            format!("{{'descr': {brackets}"),
            format!("{{'shape': {}", "(".repeat(40)),
            format!("{{'shape': ({}", "(".repeat(40)),
            format!("{{'fortran_order': {brackets}"),
            format!("{{'other': {brackets}"),
            "{".repeat(40),
        ] {
            read(1, &text).unwrap_err();
        }
    }

    #[test]
    fn an_error_says_what_is_wrong_with_a_header() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
        for (old, new, sentence) in [
            ("'<f8'", "'<c16'", "expected an array of numbers, found an array of type \"<c16\""),
            ("'<f8'", "'|O'", "expected an array of numbers, found an array of type \"|O\""),
            ("'<f8'", "'<<f8'", "expected an array of numbers, found an array of type \"<<f8\""),
            ("'<f8'", "[('x', '<f8')]", "expected an array of numbers, found an array of records"),
            (
                "False",
                "0",
                "expected True or False in the header of a .npy file, found '0' at byte 34",
            ),
            (
                "(3, 4)",
                "(3, -4)",
                "expected the size of an axis in the header of a .npy file, found '-' at byte 54",
            ),
            ("(3, 4)", "(3 4)", "expected ) in the header of a .npy file, found '4' at byte 53"),
            (
                "(3, 4)",
                "(99999999999999999999,)",
                "expected an array that fits into memory, found size 99999999999999999999",
            ),
            ("'shape': (3, 4), ", "", "expected shape in the header of a .npy file, found none"),
            (
                "}",
                "} 1",
                "expected the end of the header in the header of a .npy file, found '1' at byte 60",
            ),
            (
                "'shape'",
                "'descr'",
                "expected a type in quotes in the header of a .npy file, found '(' at byte 50",
            ),
            (
                "'fortran_order': False",
                "'descr': '<f4'",
                "expected a .npy file whose header has descr, fortran_order and shape once, found \"descr\"",
            ),
        ] {
            assert!(good.contains(old));
            assert_eq!(read(1, &good.replacen(old, new, 1)).unwrap_err(), sentence);
        }
        assert!(read(4, good).unwrap_err().ends_with("found version 4.0"));
        let long = file(2, &" ".repeat(MAX_LENGTH as usize + 1));
        assert!(NpyHeader::read(&mut long.as_slice()).unwrap_err().found.ends_with("65537 bytes"));
    }

    proptest! {
        #[test]
        fn every_header_that_numpy_writes_is_read(
            descr in proptest::sample::select(vec![
                "<f2", "<f4", "<f8", ">f8", "|i1", "<i2", "<i4", ">i8", "|u1", "<u2", "<u4", "<u8", "|b1",
            ]),
            fortran_order: bool,
            shape in proptest::collection::vec(0usize..1 << 40, 0..6),
            order in Just([0, 1, 2]).prop_shuffle(),
            major in 1u8..=3,
            padding in 0usize..64,
        ) {
            let sizes: String = match shape.as_slice() {
                [size] => format!("({size},)"),
                sizes => format!("{sizes:?}").replace('[', "(").replace(']', ")"),
            };
            let order_text = if fortran_order { "True" } else { "False" };
            let parts = [
                format!("'descr': '{descr}', "),
                format!("'fortran_order': {order_text}, "),
                format!("'shape': {sizes}, "),
            ];
            let parts = order.map(|part| parts[part].as_str()).concat();
            let text = format!("{{{parts}}}{}\n", " ".repeat(padding));
            let header = read(major, &text).unwrap();
            prop_assert_eq!(header.shape, shape);
            prop_assert_eq!(header.fortran_order, fortran_order);
            prop_assert_eq!(header.big_endian, descr.starts_with('>'));
            prop_assert_eq!(header.element.size().to_string(), &descr[2..]);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            text in "[{}()\\[\\]'\",: a-z0-9L<>|\\n]{0,200}",
            major in 0u8..5,
        ) {
            let _ = NpyHeader::read(&mut bytes.as_slice());
            let _ = read(major, &text);
            let _ = read(major, &String::from_utf8_lossy(&bytes));
        }
    }
}
