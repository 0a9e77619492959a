//! What the crate `teehistorian` takes to read a recording: `count FILE messages` iterates over its messages,
//! `count FILE columns` also follows ticks, positions and inputs and keeps them as columns of i32.
//!
//! Prints one line of JSON: rows, a sum over all cells (to compare with playhead's), CPU seconds from before the file
//! is read, and the peak of the process's memory in bytes.

use std::env;
use std::fs;
use teehistorian::{Chunk, Th, ThBufReader};

const SLOTS: usize = 128;

#[derive(Default)]
struct Columns {
    positions: [Vec<i32>; 4], // tick, client, x, y
    inputs: [Vec<i32>; 12],   // tick it acts on, client, ten numbers
}

struct Follower {
    tick: i32,
    last: i32,
    x: [i32; SLOTS],
    y: [i32; SLOTS],
    input: [[i32; 10]; SLOTS],
    columns: Columns,
}

impl Follower {
    fn step(&mut self, cid: i32) -> usize {
        if cid <= self.last {
            self.tick += 1;
        }
        self.last = cid;
        cid as usize
    }

    fn position(&mut self, slot: usize) {
        let row = [self.tick, slot as i32, self.x[slot], self.y[slot]];
        for (column, cell) in self.columns.positions.iter_mut().zip(row) {
            column.push(cell);
        }
    }

    fn input(&mut self, slot: usize) {
        self.columns.inputs[0].push(self.tick + 1);
        self.columns.inputs[1].push(slot as i32);
        for (column, cell) in self.columns.inputs[2..].iter_mut().zip(self.input[slot]) {
            column.push(cell);
        }
    }

    fn take(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::PlayerDiff(diff) => {
                let slot = self.step(diff.cid);
                self.x[slot] = self.x[slot].wrapping_add(diff.dx);
                self.y[slot] = self.y[slot].wrapping_add(diff.dy);
                self.position(slot);
            }
            Chunk::PlayerNew(new) => {
                let slot = self.step(new.cid);
                self.x[slot] = new.x;
                self.y[slot] = new.y;
                self.position(slot);
            }
            Chunk::PlayerOld { cid } => {
                let slot = self.step(cid);
                self.position(slot);
            }
            Chunk::TickSkip { dt } => {
                self.tick += dt + 1;
                self.last = -1;
            }
            Chunk::InputDiff(diff) => {
                let slot = diff.cid as usize;
                for (cell, change) in self.input[slot].iter_mut().zip(diff.dinput) {
                    *cell = cell.wrapping_add(change);
                }
                self.input(slot);
            }
            Chunk::InputNew(new) => {
                self.input[new.cid as usize] = new.input;
                self.input(new.cid as usize);
            }
            _ => {}
        }
    }
}

fn cpu_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let (path, mode) = (&arguments[1], arguments[2].as_str());
    let start = cpu_seconds();
    let file = fs::File::open(path).expect("a recording");
    let mut reader = Th::parse(ThBufReader::new(file)).expect("a teehistorian file");
    reader.header().expect("a header");
    let mut follower = Follower {
        tick: 0,
        last: i32::MAX,
        x: [0; SLOTS],
        y: [0; SLOTS],
        input: [[0; 10]; SLOTS],
        columns: Columns::default(),
    };
    let mut messages: u64 = 0;
    let mut cells: i64 = 0;
    loop {
        match reader.next_chunk() {
            Ok(Chunk::Eos) => {
                messages += 1;
                break;
            }
            Ok(chunk) => {
                messages += 1;
                if mode == "columns" {
                    follower.take(chunk);
                } else {
                    std::hint::black_box(&chunk);
                }
            }
            Err(error) if error.is_eof() => break,
            Err(error) => panic!("{error:?}"),
        }
    }
    let seconds = cpu_seconds() - start;
    let peak = peak_bytes();
    let columns = follower.columns;
    for column in columns.positions.iter().chain(&columns.inputs) {
        cells += column.iter().map(|&cell| i64::from(cell)).sum::<i64>();
    }
    println!(
        "{{\"messages\": {messages}, \"positions\": {}, \"inputs\": {}, \"sum\": {cells}, \"cpu\": {seconds:.4}, \"peak\": {peak}}}",
        columns.positions[0].len(),
        columns.inputs[0].len(),
    );
}
