//! What each rule of Rust gives, as small trees with their edges.

use insta::assert_snapshot;

use crate::testing::{all_edges, definitions, edges, imports};

#[test]
fn modules_are_files_declared_or_named_in_use_trees() {
    assert_snapshot!(imports(r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
mod cart;
pub mod price;
use crate::price::tax::{self, rate};
//- src/cart.rs
use super::price::{tax::rate as r, Price};
use crate::cart::inner::*;
mod inner;
//- src/cart/inner.rs
use super::super::price;
//- src/price/mod.rs
pub mod tax;
pub struct Price;
//- src/price/tax.rs
pub fn rate() {}
use super::Price;
//- src/main.rs
use shop::price::Price;
use serde::Serialize;
//- tests/it.rs
mod common;
use shop::price;
//- tests/common/mod.rs
"#), @"
    src/cart.rs -> src/cart/inner.rs
    src/cart.rs -> src/price/mod.rs
    src/cart.rs -> src/price/tax.rs
    src/cart/inner.rs -> src/price/mod.rs
    src/lib.rs -> src/cart.rs
    src/lib.rs -> src/price/mod.rs
    src/lib.rs -> src/price/tax.rs
    src/main.rs -> src/price/mod.rs
    src/price/mod.rs -> src/price/tax.rs
    src/price/tax.rs -> src/price/mod.rs
    tests/it.rs -> src/price/mod.rs
    tests/it.rs -> tests/common/mod.rs
    ");
}

#[test]
fn workspace_crates_are_found_by_name() {
    assert_snapshot!(edges(r#"
//- Cargo.toml
[workspace]
members = ["crates/*"]
//- crates/core-lib/Cargo.toml
[package]
name = "core-lib"
//- crates/core-lib/src/lib.rs
mod engine;
pub use engine::Engine;
pub mod prelude { pub use crate::engine::start; }
//- crates/core-lib/src/engine.rs
pub struct Engine;
impl Engine { pub fn new() -> Self { Engine } pub fn run(&self) {} }
pub fn start() {}
//- crates/app/Cargo.toml
[package]
name = "app"
//- crates/app/src/main.rs
use core_lib::{Engine, prelude::*};
fn main() {
    let engine = Engine::new();
    engine.run();
    start();
    core_lib::prelude::start();
}
"#), @"
    crates/app/src/main.rs imports crates/core-lib/src/engine.rs:Engine
    crates/app/src/main.rs imports crates/core-lib/src/lib.rs
    crates/core-lib/src/lib.rs imports crates/core-lib/src/engine.rs
    crates/core-lib/src/lib.rs imports crates/core-lib/src/engine.rs:Engine
    crates/core-lib/src/lib.rs imports crates/core-lib/src/engine.rs:start
    crates/app/src/main.rs:main uses crates/core-lib/src/engine.rs:Engine
    crates/app/src/main.rs:main calls crates/core-lib/src/engine.rs:Engine.new
    crates/app/src/main.rs:main calls crates/core-lib/src/engine.rs:Engine.run (85)
    crates/app/src/main.rs:main calls crates/core-lib/src/engine.rs:start
    crates/app/src/main.rs:main uses crates/core-lib/src/lib.rs:prelude
    ");
}

#[test]
fn methods_traits_and_paths_are_found() {
    assert_snapshot!(all_edges(r#"
//- Cargo.toml
[package]
name = "m"
//- src/lib.rs
mod other;
pub trait Run { fn run(&self) { self.step() } fn step(&self); }
pub struct Child { part: Part }
impl Run for Child { fn step(&self) { self.part.turn(); Self::help(); other::far(); crate::other::far() } }
impl Child { fn help() {} }
pub struct Part;
impl Part { fn turn(&self) {} }
fn take(child: &mut Child) -> Option<Part> {
    child.step();
    let part: Part = make();
    part.turn();
    let made = make();
    made.turn();
    child.elsewhere();
    Some(Part)
}
fn make() -> Part { Part }
enum Kind { One, Two(Part) }
fn pick() -> Kind { Kind::One }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn takes() { super::take(&mut todo()); make(); }
}
//- src/other.rs
pub fn far() {}
impl super::Child { pub fn elsewhere(&self) {} }
"#), @"
    src/lib.rs:Run.run calls src/lib.rs:Run.step
    src/lib.rs:Child implements src/lib.rs:Run
    src/lib.rs:Child.part uses src/lib.rs:Part
    src/lib.rs:Child.step implements src/lib.rs:Run.step
    src/lib.rs:Child.step uses src/lib.rs:Child.part
    src/lib.rs:Child.step calls src/lib.rs:Child.help
    src/lib.rs:Child.step calls src/lib.rs:Part.turn (90)
    src/lib.rs:Child.step calls src/other.rs:far
    src/lib.rs:take uses src/lib.rs:Child
    src/lib.rs:take calls src/lib.rs:Child.step (90)
    src/lib.rs:take uses src/lib.rs:Part
    src/lib.rs:take calls src/lib.rs:Part.turn (90)
    src/lib.rs:take calls src/lib.rs:make
    src/lib.rs:take calls src/other.rs:super::Child.elsewhere (90)
    src/lib.rs:make uses src/lib.rs:Part
    src/lib.rs:Kind.Two uses src/lib.rs:Part
    src/lib.rs:pick uses src/lib.rs:Kind
    src/lib.rs:pick uses src/lib.rs:Kind.One
    src/lib.rs:tests.takes calls src/lib.rs:take
    src/lib.rs:tests.takes calls src/lib.rs:make
    ");
}

#[test]
fn definitions_have_documentation_and_visibility() {
    assert_snapshot!(definitions(r"
//- src/lib.rs
//! What the crate is for.

/// A shop.
#[derive(Debug)]
pub struct Shop<T> { pub open: bool, inner: T }
/// How many.
const LIMIT: u8 = 3;
macro_rules! sell { () => {} }
mod inline { pub(crate) fn f() {} }
type Alias = Shop<u8>;
"), @"
    class src/lib.rs:Shop | A shop.
    field src/lib.rs:Shop.open
    field src/lib.rs:Shop.inner private
    constant src/lib.rs:LIMIT private | How many.
    macro src/lib.rs:sell private
    module src/lib.rs:inline private
    function src/lib.rs:inline.f
    type src/lib.rs:Alias private
    ");
}

#[test]
fn macros_are_seen_all_over_their_crate_and_their_arguments_are_code() {
    assert_snapshot!(edges(r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
#[macro_use]
mod macros;
mod cart;
mod item;
//- src/macros.rs
macro_rules! check {
    ($a:expr, $b:expr) => { assert_eq!($a, $b) };
}
//- src/item.rs
pub struct Item { pub price: u32 }
impl Item {
    pub fn new(price: u32) -> Option<Self> { Some(Self { price }) }
    pub fn double(&self) -> u32 { 2 }
}
//- src/cart.rs
use crate::item::Item;
fn total(item: &Item) {
    check!(item.double(), 4);
    check!(vec![item.price], items.map(|one: Item, _| one.double()));
}
fn first() {
    let item = Item::new(1).unwrap();
    item.double();
    if let Some(other) = Item::new(2) {
        other.double();
    }
    let Item { price } = item;
    Item { price: 3 };
}
"#), @"
    src/cart.rs imports src/item.rs
    src/cart.rs imports src/item.rs:Item
    src/lib.rs imports src/cart.rs
    src/lib.rs imports src/item.rs
    src/lib.rs imports src/macros.rs
    src/cart.rs:total uses src/item.rs:Item
    src/cart.rs:total uses src/item.rs:Item.price (90)
    src/cart.rs:total calls src/item.rs:Item.double (90)
    src/cart.rs:total calls src/macros.rs:check
    src/cart.rs:first calls src/item.rs:Item
    src/cart.rs:first uses src/item.rs:Item
    src/cart.rs:first uses src/item.rs:Item.price (90)
    src/cart.rs:first calls src/item.rs:Item.new
    src/cart.rs:first calls src/item.rs:Item.double (85)
    ");
}

#[test]
fn crates_may_be_renamed_and_modules_lie_elsewhere() {
    assert_snapshot!(imports(r#"
//- Cargo.toml
[workspace]
members = ["app", "core-lib"]
//- app/Cargo.toml
[package]
name = "app"
[target.'cfg(unix)'.dependencies]
heart = { package = "core-lib", path = "../core-lib" }
//- app/src/main.rs
use heart::beat;
pub extern crate core_lib as again;
#[cfg(unix)]
#[path = "unix_side.rs"]
mod side;
use side::go;
//- app/src/unix_side.rs
pub fn go() {}
//- core-lib/Cargo.toml
[package]
name = "core-lib"
//- core-lib/src/lib.rs
pub fn beat() {}
"#), @"
    app/src/main.rs -> app/src/unix_side.rs
    app/src/main.rs -> core-lib/src/lib.rs
    ");
}

#[test]
fn a_type_parameter_has_the_methods_of_its_bound() {
    assert_snapshot!(edges(r"
//- src/lib.rs
mod find;
mod run;
//- src/find.rs
pub trait Find { fn find(&self) -> Match; }
pub struct Match;
impl Match { pub fn start(&self) {} }
//- src/run.rs
use crate::find::{Find, Match};
fn run<F: Find>(finder: &F, other: impl Find, boxed: Box<dyn Find>) {
    finder.find().start();
    other.find();
    boxed.find();
}
"), @"
    src/lib.rs imports src/find.rs
    src/lib.rs imports src/run.rs
    src/run.rs imports src/find.rs
    src/run.rs imports src/find.rs:Find
    src/run.rs imports src/find.rs:Match
    src/run.rs:run uses src/find.rs:Find
    src/run.rs:run calls src/find.rs:Find.find (90)
    src/run.rs:run calls src/find.rs:Match.start (85)
    ");
}

#[test]
fn a_local_may_hide_the_function_that_made_it() {
    assert_snapshot!(edges(r#"
//- Cargo.toml
[package]
name = "m"
//- src/lib.rs
mod words;
use words::split;
pub fn wrap(text: &str) -> usize {
    let split = split(text);
    split.len()
}
//- src/words.rs
pub fn split(text: &str) -> Vec<&str> { text.split(' ').collect() }
"#), @"
    src/lib.rs imports src/words.rs
    src/lib.rs imports src/words.rs:split
    src/lib.rs:wrap calls src/words.rs:split
    ");
}
