//! Programs in captures of RenderDoc and bundles of Unity, which the tests build from descriptions
//! of the formats.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use glasm_extract::Limits;
use std::io::Write;
use std::process::{Command, Stdio};
use support::{PROGRAM, list, scan, scan_with};

/// Returns bytes that do not compress well.
fn noise(length: u32) -> Vec<u8> {
    let bytes = (0..length).map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8);
    bytes.collect()
}

/// Returns data over several blocks: the program crosses the border of the first two of LZ4, and is
/// repeated in the second, which then refers to it.
fn contents() -> Vec<u8> {
    let start = noise((64 << 10) - 20);
    let text = format!("{PROGRAM}\n");
    [&start, text.as_bytes(), &noise(1000), &start].concat()
}

/// Packs data in blocks with their lengths.
fn pack_blocks<'a>(
    blocks: impl Iterator<Item = &'a [u8]>,
    mut pack: impl FnMut(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let packed = blocks.flat_map(|block| {
        let packed = pack(block);
        [(packed.len() as u32).to_le_bytes().to_vec(), packed].concat()
    });
    packed.collect()
}

/// Packs data as RenderDoc does with LZ4: each block has the one before as its dictionary.
fn pack_lz4(data: &[u8]) -> Vec<u8> {
    let mut before: &[u8] = &[];
    let blocks: Vec<&[u8]> = data.chunks(64 << 10).collect();
    let mut index = 0;
    pack_blocks(blocks.iter().copied(), |block| {
        let packed = lz4_flex::block::compress_with_dict(block, before);
        before = blocks[index];
        index += 1;
        packed
    })
}

/// Packs data with a program, if it is installed.
fn pack_with(program: &str, data: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    let command = command.arg("-c").stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(data).ok()?;
    Some(child.wait_with_output().ok()?.stdout)
}

/// Returns a section of a capture in binary form.
fn section(name: &str, flags: u32, length: usize, packed: &[u8]) -> Vec<u8> {
    let name = [name.as_bytes(), b"\0"].concat();
    let mut bytes = vec![0; 4];
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend((packed.len() as u64).to_le_bytes());
    bytes.extend((length as u64).to_le_bytes());
    bytes.extend(7_u64.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend(name);
    bytes.extend(packed);
    bytes
}

/// Returns a capture with a thumbnail of 3 bytes and these sections.
fn capture(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"RDOC\0\0\0\0".to_vec();
    bytes.extend(0x102_u32.to_le_bytes());
    bytes.extend((32 + 8 + 3 + 13 + 4_u32).to_le_bytes());
    bytes.extend([b'v', b'1', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([2, 0, 2, 0, 3, 0, 0, 0, 9, 9, 9]);
    bytes.extend([0; 12]);
    bytes.extend([4, b'G', b'L', 0, 0]);
    [bytes, sections.concat()].concat()
}

#[test]
fn sections_of_captures_are_unpacked() {
    let data = contents();
    let offset = (64 << 10) - 20;
    let stored = section("stored", 0, data.len(), &data);
    let lz4 = section("frame", 2, data.len(), &pack_lz4(&data));
    let text = format!("A\n{}\n4\n1\nnotes\n{PROGRAM}", PROGRAM.len());
    let file = capture(&[stored, lz4, text.into_bytes()]);
    let found = scan("a.rdc", &file);
    assert_eq!(found.problems, [""; 0]);
    let expected = [
        ("stored", offset, PROGRAM),
        ("frame", offset, PROGRAM),
        ("notes", 0, PROGRAM),
    ];
    assert_eq!(list(&found), expected);
    let mut is_installed = true;
    let packed = pack_blocks(data.chunks(128 << 10), |block| {
        let packed = pack_with("zstd", block);
        is_installed &= packed.is_some();
        packed.unwrap_or_default()
    });
    if is_installed {
        let zstd = capture(&[section("z", 4, data.len(), &packed)]);
        assert_eq!(list(&scan("z.rdc", &zstd)), [("z", offset, PROGRAM)]);
    }
}

#[test]
fn captures_that_are_cut_off_give_what_precedes_the_end() {
    let data = contents();
    let lz4 = section("frame", 2, data.len(), &pack_lz4(&data));
    let file = capture(&[lz4]);
    // The last block is incomplete; the program ends in the one before.
    let cut = scan("cut.rdc", &file[..file.len() - 1]);
    assert_eq!(list(&cut).len(), 1);
    assert_eq!(cut.problems.len(), 1);
    for length in [0, 8, 17, 40, 60, 61, 90, 120, 5000] {
        scan("short.rdc", &file[..length]);
    }
    for position in (0..file.len()).step_by(file.len() / 60) {
        let mut damaged = file.clone();
        damaged[position] ^= 0xff;
        scan("damaged.rdc", &damaged);
    }
}

/// Returns a bundle with a list and blocks: each packed, with its unpacked length and its flags.
fn bundle(list: &[u8], list_flags: u32, packed_list: &[u8], blocks: &[u8]) -> Vec<u8> {
    let mut bytes = b"UnityFS\0".to_vec();
    bytes.extend(7_u32.to_be_bytes());
    bytes.extend(b"5.x.x\x002019.4.1f1\0");
    bytes.extend(0_u64.to_be_bytes());
    for number in [packed_list.len() as u32, list.len() as u32, list_flags] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    if list_flags & 0x80 != 0 {
        return [&bytes, blocks, packed_list].concat();
    }
    bytes.extend(packed_list);
    if list_flags & 0x200 != 0 {
        bytes.resize(bytes.len().next_multiple_of(16), 0);
    }
    [&bytes, blocks].concat()
}

/// Returns the list of a bundle: blocks (unpacked and packed length, flags) and files (offset,
/// length, name).
fn bundle_list(blocks: &[(usize, usize, u16)], files: &[(usize, usize, &str)]) -> Vec<u8> {
    let mut list = vec![0; 16];
    list.extend((blocks.len() as u32).to_be_bytes());
    for (unpacked, packed, flags) in blocks {
        list.extend((*unpacked as u32).to_be_bytes());
        list.extend((*packed as u32).to_be_bytes());
        list.extend(flags.to_be_bytes());
    }
    list.extend((files.len() as u32).to_be_bytes());
    for (offset, length, name) in files {
        list.extend((*offset as u64).to_be_bytes());
        list.extend((*length as u64).to_be_bytes());
        list.extend(4_u32.to_be_bytes());
        list.extend([name.as_bytes(), b"\0"].concat());
    }
    list
}

/// Packs data as a block of LZMA: properties, size of the dictionary, data.
fn pack_lzma(data: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::LzmaOptions::default();
    let writer = lzma_rust2::LzmaWriter::new_no_header(Vec::new(), &options, false);
    let mut writer = writer.unwrap();
    let properties = writer.props();
    writer.write_all(data).unwrap();
    let size = options.dict_size.to_le_bytes();
    [vec![properties], size.to_vec(), writer.finish().unwrap()].concat()
}

#[test]
fn files_of_bundles_are_unpacked() {
    let data = contents();
    // The second file begins 20 bytes before the program; bytes before it belong to no file.
    let start = (64 << 10) - 40;
    let files = [(0, 100, "CAB-1"), (start, data.len() - start, "CAB-2")];
    let (first, second) = data.split_at(70_000);
    for (name, list_flags) in [("front", 0x240), ("end", 0xc3)] {
        let blocks = [lz4_flex::block::compress(first), pack_lzma(second)];
        let list = bundle_list(
            &[
                (first.len(), blocks[0].len(), 3),
                (second.len(), blocks[1].len(), 1),
            ],
            &files,
        );
        let packed = match list_flags & 0x3f {
            0 => list.clone(),
            _ => lz4_flex::block::compress(&list),
        };
        let file = bundle(&list, list_flags, &packed, &blocks.concat());
        let found = scan(name, &file);
        assert_eq!(found.problems, [""; 0], "{name}");
        assert_eq!(crate::list(&found), [("CAB-2", 20, PROGRAM)], "{name}");
        for position in (0..file.len()).step_by(file.len() / 30) {
            let mut damaged = file.clone();
            damaged[position] ^= 0xff;
            scan("damaged.unity3d", &damaged);
            scan("cut.unity3d", &file[..position]);
        }
    }
}

#[test]
fn bundles_are_no_bombs() {
    let limits = Limits {
        free_bytes: 1 << 20,
        ratio: 10,
        ..Limits::default()
    };
    let zeros = vec![0; 16 << 20];
    for (packed, flags) in [
        (lz4_flex::block::compress(&zeros), 2),
        (pack_lzma(&zeros), 1),
    ] {
        let block = (zeros.len(), packed.len(), flags);
        // One file is searched, the other gap is skipped.
        for files in [[(0, zeros.len(), "a")], [(zeros.len(), 1, "b")]] {
            let list = bundle_list(&[block], &files);
            let file = bundle(&list, 0x40, &list, &packed);
            let scan = scan_with("bomb.unity3d", &file, &limits);
            let is_reported = |it: &String| it.contains("more bytes than allowed");
            assert!(scan.problems.iter().any(is_reported), "{:?}", scan.problems);
        }
    }
}

#[test]
fn large_lists_of_bundles_are_rejected() {
    let list = vec![0; 33 << 20];
    let file = bundle(&list, 0x41, &pack_lzma(&list), &[]);
    let scan = scan("list.unity3d", &file);
    let is_reported = |it: &String| it.contains("the list of the bundle is too large");
    assert!(scan.problems.iter().any(is_reported), "{:?}", scan.problems);
}
