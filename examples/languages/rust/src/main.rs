//! Print the players of a replay, from a file through a pipe or from a service:
//! cargo run match.dem; PLAYHEAD_TOKEN=… cargo run http://127.0.0.1:8000/replays/ID
use arrow_array::cast::AsArray;
use arrow_ipc::reader::StreamReader;
use std::{env, error::Error, io::Read, process::{Command, Stdio}};

fn open(place: &str) -> Result<Box<dyn Read>, Box<dyn Error>> {
    if place.starts_with("http") {
        let answer = ureq::get(format!("{place}/tables/players?format=arrow"))
            .header("Authorization", format!("Bearer {}", env::var("PLAYHEAD_TOKEN")?)).call()?;
        return Ok(Box::new(answer.into_body().into_reader()));
    }
    let words = ["export", place, "--table", "players", "--format", "arrow"];
    let export = Command::new("playhead").args(words).stdout(Stdio::piped()).spawn()?;
    Ok(Box::new(export.stdout.unwrap()))
}

fn main() -> Result<(), Box<dyn Error>> {
    for batch in StreamReader::try_new(open(&env::args().nth(1).expect("a file or an address"))?, None)? {
        let batch = batch?;
        let names = batch.column_by_name("name").expect("players have names");
        for name in names.as_string::<i32>().iter().flatten() {
            println!("{name}");
        }
    }
    Ok(())
}
