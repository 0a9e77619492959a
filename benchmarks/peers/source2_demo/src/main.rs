//! Plays a Source 2 demo with source2-demo and prints the state at its end, one JSON value a line.
//!
//! The form of the lines is described in compare.py. With `--quiet`, nothing but the counters is printed; with
//! `--times=RUNS`, the CPU seconds of so many runs in one process instead.

use serde_json::{Map, Value, json};
use source2_demo::prelude::*;
use source2_demo::proto::CMsgDotaCombatLogEntry;
use std::io::{BufWriter, Write};

#[derive(Default)]
struct Counters {
    creates: u64,
    updates: u64,
    deletes: u64,
    combat_log: u64,
}

impl Observer for Counters {
    fn interests(&self) -> Interests {
        Interests::ENTITY_STATE
            | Interests::ENTITY_EVENTS
            | Interests::STRING_TABLE_STATE
            | Interests::DOTA_USER_MESSAGE
    }

    fn on_entity(&mut self, _: &Context, event: EntityEvents, _: &Entity) -> ObserverResult {
        match event {
            EntityEvents::Created => self.creates += 1,
            EntityEvents::Updated => self.updates += 1,
            EntityEvents::Deleted => self.deletes += 1,
        }
        Ok(())
    }

    fn on_dota_user_message(
        &mut self,
        _: &Context,
        kind: EDotaUserMessages,
        data: &[u8],
    ) -> ObserverResult {
        // The crate's own combat log wants the names' table; the entries are counted with or without.
        if kind == EDotaUserMessages::DotaUmCombatLogDataHltv
            && CMsgDotaCombatLogEntry::decode(data).is_ok()
        {
            self.combat_log += 1;
        }
        Ok(())
    }
}

fn floats(values: &[f32]) -> Value {
    let parts: Vec<String> = values.iter().map(|v| format!("{:08x}", v.to_bits())).collect();
    Value::String(format!("f:{}", parts.join(",")))
}

fn canonical(value: &FieldValue) -> Value {
    match value {
        FieldValue::Boolean(v) => json!(v),
        FieldValue::String(v) => Value::String(format!("s:{v}")),
        FieldValue::Float(v) => floats(&[*v]),
        FieldValue::Vector2D(v) => floats(v),
        FieldValue::Vector3D(v) => floats(v),
        FieldValue::Vector4D(v) => floats(v),
        FieldValue::Signed8(v) => json!(v),
        FieldValue::Signed16(v) => json!(v),
        FieldValue::Signed32(v) => json!(v),
        FieldValue::Signed64(v) => json!(v),
        FieldValue::Unsigned8(v) => json!(v),
        FieldValue::Unsigned16(v) => json!(v),
        FieldValue::Unsigned32(v) => json!(v),
        FieldValue::Unsigned64(v) => json!(v),
    }
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cpu_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The CPU seconds of one run, from before the file is read.
fn play(path: &str) -> anyhow::Result<f64> {
    let start = cpu_seconds();
    let data = std::fs::read(path)?;
    let mut parser = Parser::from_slice(&data)?;
    let _counters = parser.register_observer::<Counters>();
    parser.run_to_end()?;
    Ok(cpu_seconds() - start)
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quiet = arguments.iter().any(|argument| argument == "--quiet");
    let path = arguments.iter().find(|argument| !argument.starts_with("--"));
    let path = path.expect("usage: source2-demo-dump FILE.dem [--quiet] [--times=RUNS]");
    let runs = arguments.iter().find_map(|argument| argument.strip_prefix("--times="));
    if let Some(runs) = runs {
        let times: Vec<f64> = (0..runs.parse()?).map(|_| play(path)).collect::<anyhow::Result<_>>()?;
        println!("{}", json!({"times": times}));
        return Ok(());
    }
    let data = std::fs::read(path)?;

    let mut parser = Parser::from_slice(&data)?;
    let counters = parser.register_observer::<Counters>();
    parser.run_to_end()?;

    let mut out = BufWriter::new(std::io::stdout().lock());
    let context = parser.context();
    for entity in context.entities().iter().filter(|_| !quiet) {
        let mut fields = Map::new();
        for field in entity.fields() {
            if let Some(value) = field.value {
                let path: Vec<String> = field.path.iter().map(u16::to_string).collect();
                fields.insert(path.join("."), canonical(value));
            }
        }
        let line = json!({
            "entity": entity.index(),
            "serial": entity.serial(),
            "class": entity.class().name(),
            "fields": fields,
        });
        writeln!(out, "{line}")?;
    }
    for table in context.string_tables().iter().filter(|_| !quiet) {
        let items: Vec<Value> = table
            .iter()
            .map(|row| json!([row.index(), row.key(), row.value().map(hex)]))
            .collect();
        writeln!(out, "{}", json!({"table": table.name(), "items": items}))?;
    }
    let counters = counters.borrow();
    let line = json!({"counters": {
        "creates": counters.creates,
        "updates": counters.updates,
        "deletes": counters.deletes,
        "combat_log": counters.combat_log,
    }});
    writeln!(out, "{line}")?;
    Ok(())
}
