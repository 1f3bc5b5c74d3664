//! Programs in archives, and archives that are hostile. Archives are written by the crates' own
//! writers where they have one, else by the program of the format, without which a test ends.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use glasm_extract::Limits;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use support::{PROGRAM, list, scan, scan_with};
use zip::write::SimpleFileOptions;

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in entries {
        let options =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(contents).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, contents) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(contents.len() as u64);
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, *contents).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(contents: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(contents: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

/// Compresses with a program, if it is installed.
fn compress(program: &str, contents: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(contents).unwrap();
    Some(child.wait_with_output().unwrap().stdout)
}

fn apitrace(contents: &[u8]) -> Vec<u8> {
    let mut trace = b"at".to_vec();
    for chunk in contents.chunks(40) {
        let packed = snap::raw::Encoder::new().compress_vec(chunk).unwrap();
        trace.extend((packed.len() as u32).to_le_bytes());
        trace.extend(packed);
    }
    trace
}

#[test]
fn every_format_is_unpacked() {
    let text = format!("12345{PROGRAM}\n");
    let found = [("gzip", 5, PROGRAM)];
    assert_eq!(list(&scan("a.gz", &gzip(text.as_bytes()))), found);
    // Two members, as `cat a.gz b.gz` writes them.
    let two = [gzip(b"12345"), gzip(PROGRAM.as_bytes())].concat();
    assert_eq!(list(&scan("b.gz", &two)), found);
    assert_eq!(
        list(&scan("a.bz2", &bzip2(text.as_bytes()))),
        [("bzip2", 5, PROGRAM)]
    );
    assert_eq!(
        list(&scan("a.trace", &apitrace(text.as_bytes()))),
        [("apitrace", 5, PROGRAM)]
    );
    let entries: [(&str, &[u8]); 3] = [("a/b.txt", b"x"), ("c", text.as_bytes()), ("../d", b"")];
    assert_eq!(list(&scan("a.zip", &zip(&entries))), [("c", 5, PROGRAM)]);
    assert_eq!(list(&scan("a.tar", &tar(&entries))), [("c", 5, PROGRAM)]);
    for (program, entry) in [("xz", "xz"), ("zstd", "zstd")] {
        if let Some(packed) = compress(program, text.as_bytes()) {
            assert_eq!(list(&scan(program, &packed)), [(entry, 5, PROGRAM)]);
        }
    }
}

#[test]
fn archives_of_7z_are_unpacked() {
    // Written with `py7zr`: `a.txt` with 5 bytes and the program, LZMA2.
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/one.7z");
    let scan = scan("one.7z", &fs::read(path).unwrap());
    assert_eq!(list(&scan), [("a.txt", 5, PROGRAM)]);
}

#[test]
fn packages_of_debian_are_unpacked() {
    let data = gzip(&tar(&[("./usr/bin/game", PROGRAM.as_bytes())]));
    let mut package = b"!<arch>\n".to_vec();
    for (name, contents) in [("debian-binary", &b"2.0\n"[..]), ("data.tar.gz/", &data)] {
        let length = contents.len();
        package.extend(format!("{name:<16}{:<32}{length:<10}`\n", "0").bytes());
        package.extend(contents);
        package.extend(&b"\n"[..length % 2]);
    }
    let entry = "data.tar.gz!/gzip!/./usr/bin/game";
    assert_eq!(list(&scan("a.deb", &package)), [(entry, 0, PROGRAM)]);
}

#[test]
fn archives_in_archives_are_unpacked_to_a_depth() {
    let inner = tar(&[("p.fp", PROGRAM.as_bytes())]);
    let middle = zip(&[("i.tar.gz", &gzip(&inner))]);
    let outer = tar(&[("m.pk3", &middle)]);
    let entry = "m.pk3!/i.tar.gz!/gzip!/p.fp";
    assert_eq!(list(&scan("o.tar", &outer)), [(entry, 0, PROGRAM)]);
    let mut deep = PROGRAM.as_bytes().to_vec();
    for _ in 0..20 {
        deep = gzip(&deep);
    }
    let scan = scan("deep.gz", &deep);
    assert_eq!(scan.programs, []);
    assert!(scan.problems[0].contains("nested too deeply"), "{scan:?}");
}

#[test]
fn archives_after_other_data_are_unpacked() {
    let mut installer = vec![0x90; 100_000];
    installer.extend(zip(&[("p", PROGRAM.as_bytes())]));
    assert_eq!(list(&scan("setup.exe", &installer)), [("p", 0, PROGRAM)]);
}

#[test]
fn programs_at_the_border_of_a_window_are_found_once() {
    // Windows of a stream have 16 MiB.
    let window = 16 << 20;
    for at in [window - 5, window - (1 << 20) - 5] {
        let mut data = vec![b'\n'; window + 4000];
        let long = PROGRAM.replace("MOV", &format!("{}MOV", "# !!VP1.0\n".repeat(200)));
        data[at..at + long.len()].copy_from_slice(long.as_bytes());
        let scan = scan("window.gz", &gzip(&data));
        assert_eq!(list(&scan), [("gzip", at as u64, long.as_str())]);
        // Parts of a plain file have 16 MiB, too.
        let scan = self::scan("part", &data);
        assert_eq!(list(&scan), [("", at as u64, long.as_str())]);
    }
}

#[test]
fn bombs_stop_at_the_limit() {
    let limits = Limits {
        free_bytes: 1 << 20,
        ratio: 10,
        ..Limits::default()
    };
    let zeros = vec![0; 8 << 20];
    let mut bombs = vec![("z.gz", gzip(&zeros)), ("z.bz2", bzip2(&zeros))];
    bombs.push(("z.zip", zip(&[("a", &zeros), ("b", &zeros)])));
    bombs.push(("n.gz", gzip(&gzip(&zeros))));
    for (name, bomb) in bombs {
        let scan = scan_with(name, &bomb, &limits);
        // The file itself is searched, too, because it has no programs in its entries.
        let allowed = (1 << 20) + 11 * bomb.len() as u64;
        assert!(scan.bytes <= allowed, "{name}: {} bytes", scan.bytes);
        let problem = scan
            .problems
            .iter()
            .any(|it| it.contains("more bytes than allowed"));
        assert!(problem, "{name}: {:?}", scan.problems);
    }
}

#[test]
fn truncated_archives_give_what_precedes_the_end() {
    let noise: Vec<u8> = (0..200_000_u32)
        .map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let text = [PROGRAM.as_bytes(), b"\n", &noise].concat();
    let packed = gzip(&text);
    let scan_half = scan("half.gz", &packed[..packed.len() / 2]);
    assert_eq!(list(&scan_half), [("gzip", 0, PROGRAM)]);
    assert!(!scan_half.problems.is_empty());
    for archive in [
        zip(&[("a", &text)]),
        tar(&[("a", &text)]),
        bzip2(&text),
        apitrace(&text),
    ] {
        for length in [0, 1, 3, 10, 100, 600, archive.len() / 2, archive.len() - 1] {
            let _ = scan("cut", &archive[..length]);
        }
    }
}

#[test]
fn damaged_archives_do_not_panic() {
    let text = [PROGRAM.as_bytes(), &[7; 3000]].concat();
    let archives = [
        zip(&[("a", &text), ("b", &text)]),
        gzip(&tar(&[("a", &text)])),
        tar(&[("a", &text)]),
        bzip2(&text),
        apitrace(&text),
        fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/one.7z")).unwrap(),
        compress("xz", &text).unwrap_or_default(),
        compress("zstd", &text).unwrap_or_default(),
    ];
    let limits = Limits {
        free_bytes: 1 << 20,
        ..Limits::default()
    };
    let mut random = 1_u64;
    for archive in archives.iter().filter(|it| !it.is_empty()) {
        for _ in 0..50 {
            let mut damaged = archive.clone();
            for _ in 0..4 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (random >> 33) as usize % damaged.len();
                damaged[at] = (random >> 20) as u8;
            }
            let _ = scan_with("damaged", &damaged, &limits);
        }
    }
}
