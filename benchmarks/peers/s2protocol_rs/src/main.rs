//! What the crate `s2protocol` takes to decode the events of StarCraft II replays: `s2protocol-time RUNS FILE…`.
//!
//! Prints a line of JSON a file: events of the game, message and tracker streams together, or why they could not be
//! read, and the CPU seconds of each run, from before the file is read.

use s2protocol::{read_game_events, read_message_events, read_mpq, read_tracker_events};
use std::env;
use std::panic::catch_unwind;

fn cpu_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn count(path: &str) -> Result<usize, String> {
    let (mpq, data) = read_mpq(path).map_err(|error| error.to_string())?;
    let game = read_game_events(path, &mpq, &data).map_err(|error| error.to_string())?;
    let messages = read_message_events(path, &mpq, &data).map_err(|error| error.to_string())?;
    let tracker = read_tracker_events(path, &mpq, &data).map_err(|error| error.to_string())?;
    Ok(game.len() + messages.len() + tracker.len())
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let runs: usize = arguments[1].parse().expect("usage: s2protocol-time RUNS FILE…");
    std::panic::set_hook(Box::new(|_| {}));
    for path in &arguments[2..] {
        let mut times = Vec::new();
        let mut events = 0;
        let mut error = "";
        for _ in 0..runs {
            let start = cpu_seconds();
            match catch_unwind(|| count(path)) {
                Ok(Ok(found)) => events = found,
                Ok(Err(_)) => error = "an error",
                Err(_) => error = "a panic",
            }
            times.push(format!("{:.6}", cpu_seconds() - start));
            if !error.is_empty() {
                break;
            }
        }
        println!("{{\"events\": {events}, \"error\": \"{error}\", \"times\": [{}]}}", times.join(", "));
    }
}
