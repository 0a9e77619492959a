//! Prints the tees and the counts of items of every snapshot of a demo, as libtw2 reads it.
use std::env;
use std::fs::File;
use std::io::{stdout, BufReader, Write};
use twsnap::compat::ddnet::{DemoChunk, DemoReader};
use twsnap::Snap;

fn main() {
    let file = File::open(env::args().nth(1).expect("expected a demo")).expect("a file");
    let mut reader = DemoReader::new(BufReader::new(file)).expect("the head of a demo");
    let mut snap = Snap::default();
    let mut out = stdout().lock();
    writeln!(out, "map {} {}", reader.map_name(), reader.map_data().map_or(0, |data| data.len())).unwrap();
    let (mut snapshots, mut messages) = (0, 0);
    while let Some(chunk) = reader.next_chunk(&mut snap).expect("a chunk") {
        let DemoChunk::Snapshot(tick) = chunk else {
            messages += 1;
            continue;
        };
        snapshots += 1;
        let tick = tick.snap_tick();
        for (id, player) in snap.players.iter() {
            if let Some(tee) = &player.tee {
                let (pos, vel) = (tee.pos, tee.vel);
                write!(out, "tee {} {} {} {} {} {} ", tick, id.0, pos.x, pos.y, vel.x, vel.y).unwrap();
                let (hook, state, weapon) = (tee.hook_pos, tee.hook_state as i32, tee.weapon as i32);
                let (angle, direction) = (tee.angle, tee.direction as i32);
                writeln!(out, "{} {} {} {} {} {}", angle, direction, state, hook.x, hook.y, weapon).unwrap();
            }
        }
        let shots = snap.projectiles.len() + snap.map_projectiles.len();
        let (players, lasers, pickups) = (snap.players.len(), snap.lasers.len(), snap.pickups.len());
        writeln!(out, "items {} {} {} {} {}", tick, players, shots, lasers, pickups).unwrap();
    }
    writeln!(out, "end {} {}", snapshots, messages).unwrap();
}
