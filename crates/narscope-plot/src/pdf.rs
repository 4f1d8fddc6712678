//! PDF with vectors, and text that can be selected and searched.

use std::collections::BTreeMap;

use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

use crate::raster::{USVG_DPI, tree};
use crate::{Error, Result};

/// Converts an SVG of ours to a PDF of one page of the same size.
pub(crate) fn pdf(svg: &str) -> Result<Vec<u8>> {
    let page = PageOptions { dpi: USVG_DPI as f32 };
    let pdf = to_pdf(&tree(svg)?, ConversionOptions::default(), page)
        .map_err(|error| Error::Pdf(error.to_string()))?;
    in_order(&pdf).ok_or_else(|| Error::Pdf("its objects cannot be read back".to_owned()))
}

/// An object of a PDF: a dictionary, and perhaps the bytes of a stream with what follows them.
struct Object {
    dictionary: String,
    rest: Vec<u8>,
}

/// The same PDF with its objects numbered in the order in which they are referred to, and resources sorted by name.
///
/// `svg2pdf` writes fonts and resources in the order of a hash map, which differs from run to run.
fn in_order(pdf: &[u8]) -> Option<Vec<u8>> {
    let table_at: usize = after(pdf, b"startxref\n")?.split('\n').next()?.trim().parse().ok()?;
    let table = std::str::from_utf8(pdf.get(table_at..)?).ok()?;
    let objects = objects(pdf, table, table_at)?;
    let trailer = sorted(table.split_once("trailer")?.1.split_once("startxref")?.0);
    // Breadth first, from the trailer.
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut order: Vec<usize> = vec![];
    let mut visit = |text: &str, order: &mut Vec<usize>| {
        with_references(text, |old| {
            *numbers.entry(old).or_insert_with(|| {
                order.push(old);
                order.len()
            })
        })
    };
    let trailer = visit(&trailer, &mut order);
    let header = pdf.get(..objects.values().map(|it| it.0).min()?)?;
    let (mut written, mut offsets) = (header.to_vec(), vec![]);
    let mut next = 0;
    while let Some(old) = order.get(next).copied() {
        let (_, object) = objects.get(&old)?;
        let dictionary = visit(&object.dictionary, &mut order);
        next += 1;
        offsets.push(written.len());
        written.extend_from_slice(format!("{next} 0 obj{dictionary}").as_bytes());
        written.extend_from_slice(&object.rest);
    }
    let start = written.len();
    let mut end = format!("xref\n0 {}\n0000000000 65535 f\r\n", offsets.len() + 1);
    end.extend(offsets.iter().map(|offset| format!("{offset:010} 00000 n\r\n")));
    // Objects that nothing refers to are gone.
    let size = trailer.lines().filter(|line| !line.trim_start().starts_with("/Size"));
    let trailer = size.collect::<Vec<_>>().join("\n");
    let trailer = trailer.replacen("<<", &format!("<<\n  /Size {}", offsets.len() + 1), 1);
    written.extend_from_slice(end.as_bytes());
    let end = format!("trailer{trailer}\nstartxref\n{start}\n%%EOF");
    written.extend_from_slice(end.as_bytes());
    Some(written)
}

/// The text after the last occurrence of a word.
fn after<'a>(pdf: &'a [u8], word: &[u8]) -> Option<&'a str> {
    let at = pdf.windows(word.len()).rposition(|bytes| bytes == word)?;
    std::str::from_utf8(&pdf[at + word.len()..]).ok()
}

/// Objects by number, with their offsets.
fn objects(pdf: &[u8], table: &str, table_at: usize) -> Option<BTreeMap<usize, (usize, Object)>> {
    let lines = table.lines().skip(2).take_while(|line| !line.starts_with("trailer"));
    let offset =
        |line: &str| line.ends_with('n').then(|| line[..10].parse::<usize>().ok()).flatten();
    let offsets: Vec<Option<usize>> = lines.map(|line| offset(line.trim_end())).collect();
    let mut ends: Vec<usize> = offsets.iter().flatten().copied().chain([table_at]).collect();
    ends.sort_unstable();
    let mut objects = BTreeMap::new();
    for (number, start) in offsets.iter().enumerate().filter_map(|(i, it)| Some((i, (*it)?))) {
        let end = *ends.iter().find(|end| **end > start)?;
        let bytes = pdf.get(start..end)?;
        let stream = b"stream\n";
        let split = bytes.windows(stream.len()).position(|it| it == stream);
        let (dictionary, rest) = bytes.split_at(split.unwrap_or(bytes.len()));
        let dictionary = std::str::from_utf8(dictionary).ok()?.split_once("obj")?.1;
        let object = Object { dictionary: sorted(dictionary), rest: rest.to_vec() };
        objects.insert(number, (start, object));
    }
    Some(objects)
}

/// A dictionary with neighbouring lines of a name and a reference in the order of their names.
fn sorted(dictionary: &str) -> String {
    let mut lines: Vec<&str> = dictionary.split('\n').collect();
    let is_entry = |line: &str| line.trim_start().starts_with('/') && line.ends_with(" 0 R");
    for run in lines.chunk_by_mut(|a, b| is_entry(a) && is_entry(b)) {
        run.sort_unstable();
    }
    lines.join("\n")
}

/// A text with other numbers in its references, `7 0 R`.
fn with_references(text: &str, mut number: impl FnMut(usize) -> usize) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let length = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let (digits, behind) = from.split_at(length);
        written.push_str(before);
        match digits.parse() {
            Ok(old) if behind.starts_with(" 0 R") => {
                written.push_str(&number(old).to_string());
            }
            _ => written.push_str(digits),
        }
        // The generation and the letter are no number of an object.
        let skipped = if behind.starts_with(" 0 R") { 4 } else { 0 };
        written.push_str(&behind[..skipped]);
        rest = &behind[skipped..];
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_get_other_numbers() {
        let text = "<<\n  /Count 1\n  /Kids [5 0 R 12 0 R]\n  /Box [0 0 5 0]\n>>";
        let expected = "<<\n  /Count 1\n  /Kids [50 0 R 120 0 R]\n  /Box [0 0 5 0]\n>>";
        assert_eq!(with_references(text, |old| 10 * old), expected);
    }

    #[test]
    fn resources_are_sorted_within_their_dictionary() {
        let text = "<<\n/B 2 0 R\n/A 3 0 R\n>>\n/D 1 0 R\n/C 4 0 R";
        assert_eq!(sorted(text), "<<\n/A 3 0 R\n/B 2 0 R\n>>\n/C 4 0 R\n/D 1 0 R");
    }

    #[test]
    fn every_object_is_where_the_table_says() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20mm\" height=\"10mm\" \
                   viewBox=\"0 0 20 10\" font-family=\"DejaVu Sans\"><text y=\"5\">a</text>\
                   <text y=\"9\" font-weight=\"bold\">b</text></svg>";
        let written = pdf(svg).unwrap();
        let start: usize =
            after(&written, b"startxref\n").unwrap().split('\n').next().unwrap().parse().unwrap();
        let table = std::str::from_utf8(&written[start..]).unwrap();
        let found = objects(&written, table, start).unwrap();
        assert!(found.len() > 10, "{}", found.len());
        for (number, (offset, _)) in found {
            let expected = format!("{number} 0 obj");
            assert!(written[offset..].starts_with(expected.as_bytes()), "{number}");
        }
        assert!(table.contains("/Info 1 0 R") && table.contains("/Root 2 0 R"), "{table}");
    }
}
