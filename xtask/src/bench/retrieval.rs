//! The right memory first: the stages in their room, then the same questions through the binary.

use anyhow::{Result, bail};

use super::{ask_room, build};
use crate::house::House;

const EXAMPLE: [&str; 7] = [
    "run",
    "--release",
    "--package",
    "oldhand-recall",
    "--example",
    "retrieval_bench",
    "--",
];

pub(super) fn run(house: &House, over: &[String]) -> Result<String> {
    let [folder] = over else {
        bail!("name the folder of the data");
    };
    let ask =
        |what: &str, data: &[String]| ask_room(house, &[&EXAMPLE[..], &[what]].concat(), data);
    let oldhand = build(house, "oldhand", "oldhand", &[])?;
    let oldhand = oldhand.to_string_lossy().into_owned();
    let through = ask("through", &[folder.clone(), oldhand])?;
    let stages = ask("stages", std::slice::from_ref(folder))?;
    let kinds = ask("kinds", std::slice::from_ref(folder))?;
    Ok(format!("{through}\n{stages}\n{kinds}"))
}
