//! SHA-256, FIPS 180-4 section 6.2.

/// First 32 bits of the fractional parts of the square roots of the first 8 primes: section 5.3.3.
const INITIAL: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes: section 4.2.2.
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// A digest of the bytes added.
#[derive(Clone, Debug)]
pub(super) struct Sha256 {
    state: [u32; 8],
    block: [u8; 64],
    /// Number of bytes; the bytes after the last complete block are in `block`.
    len: u64,
}

impl Sha256 {
    /// Returns the state before the first byte: FIPS 180-4 section 5.3.3.
    pub(super) const fn new() -> Self {
        Self {
            state: INITIAL,
            block: [0; 64],
            len: 0,
        }
    }

    /// Appends bytes to the message, and hashes its complete blocks of 64 bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let filled = (self.len % 64) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(64 - filled));
            self.block[filled..filled + now.len()].copy_from_slice(now);
            self.len += now.len() as u64;
            if filled + now.len() == 64 {
                compress(&mut self.state, &self.block);
            }
            bytes = later;
        }
    }

    /// Returns the digest of the message. Section 5.1.1: a bit, zeros up to eight bytes before the
    /// end of a block, the number of bits.
    pub(super) fn finish(mut self) -> [u8; 32] {
        let bits = 8 * self.len;
        self.update(&[0x80]);
        let filled = (self.len % 64) as usize;
        let zeros = (56 + 64 - filled) % 64;
        self.update(&[0; 64][..zeros]);
        self.update(&bits.to_be_bytes());
        let mut digest = [0; 32];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        digest
    }
}

/// Updates the state with a block of 64 bytes of the message. FIPS 180-4 section 6.2.2.
fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut schedule = [0u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for t in 16..64 {
        let [near, far] = [schedule[t - 2], schedule[t - 15]];
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
        let sum = near.wrapping_add(schedule[t - 7]).wrapping_add(far);
        schedule[t] = sum.wrapping_add(schedule[t - 16]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (constant, word) in ROUNDS.into_iter().zip(schedule) {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(sum).wrapping_add(choice);
        let first = first.wrapping_add(constant).wrapping_add(word);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = sum.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::Sha256;
    use crate::cache::format_hex;

    fn digest(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.as_ref());
        }
        format_hex(&digest.finish())
    }

    /// The examples of the standard, and lengths around the end of a block.
    #[test]
    fn digests_are_those_of_the_standard() {
        let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        for (text, expected) in [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                two_blocks,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (
                &"a".repeat(1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ),
            (
                &"x".repeat(55),
                "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072",
            ),
            (
                &"x".repeat(63),
                "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2",
            ),
            (
                &"x".repeat(64),
                "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c",
            ),
            (
                &"x".repeat(119),
                "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c",
            ),
        ] {
            assert_eq!(digest([text]), expected, "{} bytes", text.len());
            assert_eq!(digest(text.as_bytes().chunks(7)), expected);
        }
    }
}
