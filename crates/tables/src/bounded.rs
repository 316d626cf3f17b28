//! A Parquet file whose page sizes are checked before anything is unpacked.
//!
//! The library allocates the memory that a page's header requests, up to two gigabytes, before it reads the page. So
//! each header is checked first, when the library requests it.

use std::io::{Cursor, Read};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// The maximum unpacked size of a page. Writers make pages of about a megabyte.
pub(crate) const PAGE_BYTES_MAX: u64 = 64 << 20;

/// The number of bytes of a page's header to check: it starts with three small numbers.
const LOOKED_AT: u64 = 24;

/// The size of the footer of every file.
const FOOTER_BYTES: u64 = 8;

/// A file that refuses pages of more than [`PAGE_BYTES_MAX`].
pub(crate) struct Bounded<F>(pub(crate) F);

impl<F: Length> Length for Bounded<F> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<F: ChunkReader> ChunkReader for Bounded<F> {
    type T = std::io::Chain<Cursor<Vec<u8>>, F::T>;

    /// The library requests a reader at the start of a page's header, and at the end of the file.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut rest = self.0.get_read(start)?;
        let mut head = Vec::new();
        rest.by_ref().take(LOOKED_AT).read_to_end(&mut head)?;
        match Head::of(&head) {
            Some(page) => page.check()?,
            None if self.is_at_the_end(start) => {}
            None => return Err(ParquetError::General(format!("no page begins at byte {start}, where one should"))),
        }
        Ok(Cursor::new(head).chain(rest))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Check that the bytes exist before allocating memory for them.
        match start.checked_add(length as u64) {
            Some(end) if end <= self.0.len() => self.0.get_bytes(start, length),
            _ => Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.0.len()))),
        }
    }
}

impl<F: Length> Bounded<F> {
    /// Whether the file metadata, in the last bytes, begins here.
    fn is_at_the_end(&self, start: u64) -> bool {
        start + FOOTER_BYTES >= self.0.len()
    }
}

/// The start of a page (Apache Parquet format, `PageHeader`, in Thrift's compact protocol).
struct Head {
    unpacked_bytes: u64,
    /// The number of values in a dictionary; `None` for other pages.
    dictionary: Option<u64>,
}

impl Head {
    /// It starts with three 32-bit numbers, each after a type byte, and every writer writes them in this order: the
    /// page's kind, its unpacked size and its stored size. After them and an optional checksum comes the header of
    /// the page's kind, which starts with the number of values. `None` if it starts otherwise.
    fn of(head: &[u8]) -> Option<Self> {
        /// The kind of a dictionary page.
        const DICTIONARY: u64 = 2;
        /// The low half of the byte before a group of fields.
        const GROUP: u8 = 0x0c;
        let (kind, rest) = number(head)?;
        let (unpacked_bytes, rest) = number(rest)?;
        let (_, rest) = number(rest)?;
        let rest = number(rest).map_or(rest, |(_, behind)| behind);
        let of_kind = rest.split_first().filter(|(first, _)| **first & 0x0f == GROUP);
        let values = of_kind.and_then(|(_, group)| Some(number(group)?.0));
        Some(Self { unpacked_bytes, dictionary: values.filter(|_| kind == DICTIONARY) })
    }

    /// The library allocates a dictionary of the stated size, so the size has to match its bytes.
    fn check(&self) -> Result<()> {
        let bytes = self.unpacked_bytes;
        let told = match self.dictionary {
            _ if bytes > PAGE_BYTES_MAX => format!("{bytes} bytes unpacked; at most {PAGE_BYTES_MAX} are read"),
            Some(values) if values > bytes => format!("a dictionary of {values} values in {bytes} bytes"),
            _ => return Ok(()),
        };
        Err(ParquetError::General(format!("a page says that it has {told}")))
    }
}

/// The next 32-bit number, and the rest. Negative numbers become large.
fn number(head: &[u8]) -> Option<(u64, &[u8])> {
    /// The byte before such a number.
    const NEXT_NUMBER: u8 = 0x15;
    let (NEXT_NUMBER, rest) = head.split_first().map(|(first, rest)| (*first, rest))? else { return None };
    let length = 1 + rest.iter().position(|byte| *byte < 0x80)?;
    let bits = rest[..length].iter().rev().fold(0_u64, |bits, byte| (bits << 7) | u64::from(byte & 0x7f));
    // Zigzag: the last bit is the sign.
    Some((if bits % 2 == 0 { bits / 2 } else { u64::MAX }, &rest[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page's head of this kind and size, with this many values.
    fn head(kind: u8, unpacked_bytes: u64, values: u64) -> Vec<u8> {
        let number = |number: u64| {
            let mut bytes = vec![0x15];
            let mut rest = 2 * number;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
            bytes
        };
        let group = if kind == 2 { 0x4c } else { 0x2c };
        [number(kind.into()), number(unpacked_bytes), number(7), vec![group], number(values)].concat()
    }

    #[test]
    fn a_page_that_asks_for_too_much_is_refused_before_it_is_unpacked() {
        let read = |head: Vec<u8>, beyond: usize| {
            let file = [head, vec![0; beyond]].concat();
            Bounded(Bytes::from(file)).get_read(0).map(drop)
        };
        assert!(read(head(0, 1 << 20, 100_000_000), 100).is_ok(), "many values in few bytes, run by run");
        assert!(read(head(0, PAGE_BYTES_MAX, 1), 100).is_ok());
        assert!(read(head(0, PAGE_BYTES_MAX + 1, 1), 100).is_err());
        assert!(read(head(2, 1 << 10, 1 << 10), 100).is_ok());
        assert!(read(head(2, 1 << 10, (1 << 10) + 1), 100).is_err());
        assert!(read(vec![0; 20], 100).is_err(), "no page at all");
        assert!(read(vec![0; 8], 0).is_ok(), "the end of the file");
        assert!(Bounded(Bytes::from(vec![0; 9])).get_bytes(4, usize::MAX).is_err());
    }

    #[test]
    fn what_is_read_is_what_stands_there() {
        let file: Vec<u8> = head(0, 300, 20).into_iter().chain(0..200).collect();
        let mut read = Vec::new();
        Bounded(Bytes::from(file.clone())).get_read(0).expect("a page").read_to_end(&mut read).expect("memory");
        assert_eq!(read, file);
    }
}
