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
