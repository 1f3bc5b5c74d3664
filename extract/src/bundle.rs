//! Bundles of Unity with the signature `UnityFS`: a list of blocks, which LZ4 or LZMA may have
//! compressed, and of the files in the unpacked blocks. Numbers are big-endian.

use std::io::{self, Cursor, Read};

/// First bytes of a bundle.
pub(crate) const MAGIC: &[u8] = b"UnityFS\0";

/// Bytes of an unpacked block of LZ4, and of the dictionary of LZMA at most. Unity writes blocks of
/// 128 KiB.
const MAX_UNPACKED: u32 = 256 << 20;

/// Bytes of the unpacked list at most. A block has 10 bytes in it.
const MAX_LIST: u32 = 32 << 20;

/// Bits of the flags that name the compression.
const COMPRESSION: u32 = 0x3f;

/// Flag: the list is at the end of the file.
const LIST_AT_END: u32 = 0x80;

/// Flag: padding between the list and the blocks.
const HAS_PADDING: u32 = 0x200;

/// Version since which the header is padded.
const PADDED_VERSION: u32 = 7;

/// Block of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    unpacked: u32,
    packed: u32,
    flags: u32,
}

/// File in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BundleFile {
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) name: String,
}

/// A bundle in memory.
pub(crate) struct Bundle<'a> {
    /// Packed blocks.
    data: &'a [u8],
    blocks: std::vec::IntoIter<Block>,
    /// Unpacked data of the current block.
    current: Box<dyn Read + 'a>,
}

/// Returns the error about a damaged bundle.
fn err_damaged() -> io::Error {
    io::Error::other("the bundle is damaged")
}

/// Fields of a header or a list.
struct Fields<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Fields<'a> {
    /// Returns the next bytes.
    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let end = self.position.checked_add(length).ok_or_else(err_damaged)?;
        let bytes = self.bytes.get(self.position..end).ok_or_else(err_damaged)?;
        self.position = end;
        Ok(bytes)
    }

    /// Returns the next number of a number of bytes.
    fn read_number(&mut self, length: usize) -> io::Result<u64> {
        let bytes = self.take(length)?.iter();
        Ok(bytes.fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Returns the next number of 32 bits.
    fn read_word(&mut self) -> io::Result<u32> {
        self.read_number(4).map(|number| number as u32)
    }

    /// Returns the string up to the next zero byte.
    fn read_string(&mut self) -> io::Result<String> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let length = memchr::memchr(0, rest).ok_or_else(err_damaged)?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.take(1)?;
        Ok(text)
    }

    /// Skips bytes up to a multiple of 16.
    fn align(&mut self) {
        self.position = self.position.next_multiple_of(16);
    }
}

impl<'a> Bundle<'a> {
    /// Reads the header and the list of a bundle. Returns the bundle at the start of its unpacked data,
    /// and the files in it.
    ///
    /// # Errors
    /// If they are damaged, or compressed in another way.
    pub(crate) fn open(bytes: &'a [u8]) -> io::Result<(Self, Vec<BundleFile>)> {
        let mut header = Fields { bytes, position: 0 };
        header.take(MAGIC.len())?;
        let version = header.read_word()?;
        header.read_string()?;
        header.read_string()?;
        header.read_number(8)?;
        let [packed, unpacked, flags] = [(); 3].map(|()| header.read_word());
        let (packed, unpacked, flags) = (packed?, unpacked?, flags?);
        if unpacked > MAX_LIST {
            return Err(io::Error::other("the list of the bundle is too large"));
        }
        if version >= PADDED_VERSION {
            header.align();
        }
        let list = if flags & LIST_AT_END != 0 {
            let start = bytes.len().checked_sub(packed as usize);
            &bytes[start.ok_or_else(err_damaged)?..]
        } else {
            header.take(packed as usize)?
        };
        let block = Block {
            unpacked,
            packed,
            flags,
        };
        let mut contents = Vec::new();
        block
            .open(list)?
            .take(u64::from(unpacked))
            .read_to_end(&mut contents)?;
        if flags & HAS_PADDING != 0 {
            header.align();
        }
        let (blocks, files) = read_list(&contents)?;
        let bundle = Self {
            data: bytes.get(header.position..).ok_or_else(err_damaged)?,
            blocks: blocks.into_iter(),
            current: Box::new(io::empty()),
        };
        Ok((bundle, files))
    }
}

/// Returns the blocks and files of a list; the files in the order of their offsets.
fn read_list(contents: &[u8]) -> io::Result<(Vec<Block>, Vec<BundleFile>)> {
    let mut fields = Fields {
        bytes: contents,
        position: 0,
    };
    // A hash of the unpacked data.
    fields.take(16)?;
    let mut blocks = Vec::new();
    for _ in 0..fields.read_word()? {
        blocks.push(Block {
            unpacked: fields.read_word()?,
            packed: fields.read_word()?,
            flags: fields.read_number(2)? as u32,
        });
    }
    let mut files = Vec::new();
    for _ in 0..fields.read_word()? {
        let (offset, size) = (fields.read_number(8)?, fields.read_number(8)?);
        fields.read_word()?;
        files.push(BundleFile {
            offset,
            size,
            name: fields.read_string()?,
        });
    }
    files.sort_by_key(|file| file.offset);
    Ok((blocks, files))
}

impl Block {
    /// Returns a reader of the unpacked data of the block, of which `packed` are the bytes.
    fn open<'a>(self, packed: &'a [u8]) -> io::Result<Box<dyn Read + 'a>> {
        let is_small = self.unpacked <= MAX_UNPACKED;
        match self.flags & COMPRESSION {
            0 => Ok(Box::new(packed)),
            1 => {
                let (properties, data) = packed.split_at_checked(5).ok_or_else(err_damaged)?;
                let size = [1, 2, 3, 4].map(|index| properties[index]);
                // A dictionary need not be larger than the data.
                let size = u32::from_le_bytes(size).min(self.unpacked.max(4096));
                if size > MAX_UNPACKED {
                    return Err(io::Error::other("a block of the bundle is too large"));
                }
                let length = u64::from(self.unpacked);
                let reader =
                    lzma_rust2::LzmaReader::new_with_props(data, length, properties[0], size, None);
                Ok(Box::new(reader.map_err(io::Error::other)?))
            }
            2 | 3 if is_small => {
                // A byte of LZ4 unpacks to at most 255.
                let bound = (packed.len() as u64).saturating_mul(255);
                let size = u64::from(self.unpacked).min(bound) as usize;
                let mut unpacked = vec![0; size];
                let size = lz4_flex::block::decompress_into(packed, &mut unpacked);
                unpacked.truncate(size.map_err(io::Error::other)?);
                Ok(Box::new(Cursor::new(unpacked)))
            }
            2 | 3 => Err(io::Error::other("a block of the bundle is too large")),
            _ => Err(io::Error::other("the compression of the bundle is unknown")),
        }
    }
}

impl Read for Bundle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.current.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(block) = self.blocks.next() else {
                return Ok(0);
            };
            let packed = self.data.split_at_checked(block.packed as usize);
            let (packed, rest) = packed.ok_or_else(err_damaged)?;
            self.data = rest;
            self.current = block.open(packed)?;
        }
    }
}
