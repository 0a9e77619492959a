//! Decodes recordings with the crate `teehistorian` and messages of clients with libtw2, and encodes both again.
//!
//! Standard input has for each its kind (0 a recording, 1 a message of protocol 0.6), its size as u32 in little endian,
//! and its bytes. Standard output has for each whether it ended well (1 or 0), the number of decoded messages as u32,
//! and the size and the bytes of each.

use libtw2_gamenet_ddnet::msg::Game;
use libtw2_packer::{with_packer, Unpacker, Warning};
use libtw2_warn::Warn;
use std::io::{stdin, stdout, Read, Write};
use teehistorian::{Chunk, Th, ThBufReader};

/// Whether a packed int had padding, of which libtw2 counts a bit; the server ignores all of it.
struct Padding(bool);

impl Warn<Warning> for Padding {
    fn warn(&mut self, warning: Warning) {
        self.0 |= matches!(warning, Warning::NonZeroIntPadding);
    }
}

fn recording(data: &[u8]) -> (bool, Vec<Vec<u8>>) {
    let mut out = Vec::new();
    let Ok(mut reader) = Th::parse(ThBufReader::new(data)) else { return (false, out) };
    if reader.header().is_err() {
        return (false, out);
    }
    loop {
        match reader.next_chunk() {
            Ok(chunk) => {
                let mut bytes = Vec::new();
                if chunk.serialize_into(&mut bytes).is_err() {
                    return (false, out);
                }
                out.push(bytes);
                if chunk == Chunk::Eos {
                    return (true, out);
                }
            }
            Err(_) => return (false, out),
        }
    }
}

fn message(data: &[u8]) -> (bool, Vec<Vec<u8>>) {
    let mut padding = Padding(false);
    let Ok(found) = Game::decode(&mut padding, &mut Unpacker::new(data)) else { return (false, Vec::new()) };
    if padding.0 {
        return (false, Vec::new());
    }
    let mut bytes = Vec::with_capacity(1 << 16);
    match with_packer(&mut bytes, |packer| found.encode(packer).map(|_| ())) {
        Ok(()) => (true, vec![bytes]),
        Err(_) => (false, Vec::new()),
    }
}

fn main() -> std::io::Result<()> {
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut head = [0; 5];
    while input.read_exact(&mut head).is_ok() {
        let size = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let mut data = vec![0; size as usize];
        input.read_exact(&mut data)?;
        let (ended, found) = if head[0] == 0 { recording(&data) } else { message(&data) };
        output.write_all(&[ended as u8])?;
        output.write_all(&(found.len() as u32).to_le_bytes())?;
        for bytes in found {
            output.write_all(&(bytes.len() as u32).to_le_bytes())?;
            output.write_all(&bytes)?;
        }
        output.flush()?;
    }
    Ok(())
}
