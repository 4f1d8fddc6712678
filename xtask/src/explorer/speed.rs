//! The engine of the explorer in node against the same code natively, one thread each, and what the
//! page weighs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{PAGE, kept};
use crate::arguments::Arguments;
use crate::context::machine;
use crate::run::{cargo, output, release_binary, run, target};
use crate::statistics::geometric_mean;
use crate::{Result, wasm};

/// Files of the page whose sizes count.
const FILES: [&str; 5] = ["index.html", "page.css", "page.js", "worker.js", "engine.wasm"];

/// Prints the milliseconds of a rollout per algorithm on both sides, and the sizes of the page.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let lengths = arguments.get("--lengths").unwrap_or("16,64");
    let rounds = arguments.get("--rounds").unwrap_or("3");
    let example = ["--package", "narscope-web", "--example", "rollout_speed"];
    run(cargo(&["build", "--release"]).args(example))?;
    let folder = target().join("explorer-speed");
    let file = |name: &str| -> Result<PathBuf> {
        std::path::absolute(folder.join(name)).map_err(|error| error.to_string())
    };
    let unwritable = |error| format!("{} cannot be written: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(unwritable)?;
    let (weights, requests) = (file("weights.safetensors")?, file("requests.json")?);
    let mut native = Command::new(release_binary("examples/rollout_speed"));
    let native = output(native.args([lengths, rounds]).arg(&weights))?;
    fs::write(&requests, &native).map_err(unwritable)?;
    let module = std::path::absolute(kept("engine.wasm")).map_err(|error| error.to_string())?;
    let mut node = Command::new("node");
    node.args(["test/engine/run.mjs", "--speed", rounds]).args([&module, &weights, &requests]);
    let node = output(node.current_dir(PAGE))?;
    let parse = |text: &str| -> Result<Value> {
        serde_json::from_str(text).map_err(|error| format!("{error} in {text:.200}"))
    };
    let (native, node) = (parse(&native)?, parse(&node)?);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    println!("{}; node {}", machine()?, output(Command::new("node").arg("--version"))?);
    println!("\n| algorithm | n | native, ms | {}, ms | times slower |", wasm::TARGET);
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut ratios = vec![];
    for (native, node) in list(&native["measured"]).iter().zip(list(&node)) {
        let (a, b) = (number(&native["milliseconds"])?, number(&node)?);
        let algorithm = native["request"]["algorithm"].as_str().unwrap_or_default();
        println!("| {algorithm} | {} | {a:.2} | {b:.2} | {:.1} |", native["length"], b / a);
        ratios.push(b / a);
    }
    println!("\ngeometric mean: {:.1} times slower", geometric_mean(&ratios));
    println!("\n| file | bytes |\n| --- | ---: |");
    for name in FILES {
        let size = fs::metadata(kept(name)).map_err(|error| format!("{name}: {error}"))?.len();
        println!("| {name} | {size} |");
    }
    Ok(())
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("expected milliseconds, found {value}"))
}
