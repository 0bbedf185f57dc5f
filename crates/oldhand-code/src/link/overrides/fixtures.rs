//! Which member stands in for which, per language, and what impact and flow make of it.

use insta::assert_snapshot;

use crate::answer::flow::flow;
use crate::answer::impact::{Bounds, Direction, impact};
use crate::answer::step::is_override;
use crate::answer::target::{locate, qualified_name};
use crate::snapshot::Snapshot;
use crate::testing::{shown, snapshot};

/// Only the links between members.
fn overrides(fixture: &str) -> String {
    let graph = snapshot(fixture);
    shown(&graph, |graph, from, to| {
        let mut between = graph.outgoing(from).filter(|edge| edge.to == to);
        between.any(|edge| is_override(graph, &edge))
    })
}

fn reached(graph: &Snapshot, target: &str, direction: Direction, nodes: usize) -> String {
    let bounds = Bounds {
        depth: 5,
        nodes,
        confidence: 0,
    };
    let answer = impact(graph, &locate(graph, target), direction, bounds);
    let mut lines: Vec<String> = answer
        .reached
        .iter()
        .filter(|one| !graph.is_file(one.node))
        .map(|one| {
            let steps: Vec<String> = one
                .path
                .iter()
                .map(|step| format!("{} {}", step.word(), qualified_name(graph, step.to)))
                .collect();
            format!("{:.2} {}", one.strength, steps.join(", "))
        })
        .collect();
    if answer.is_cut {
        lines.push("cut".to_owned());
    }
    lines.join("\n")
}

fn ways(graph: &Snapshot, from: &str, to: &str) -> String {
    let flow = flow(graph, &locate(graph, from), &locate(graph, to), 6);
    let lines = flow.paths.iter().map(|path| {
        let steps = path.steps.iter();
        let steps = steps.map(|step| format!("{} {}", step.word(), qualified_name(graph, step.to)));
        steps.collect::<Vec<_>>().join(", ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

const TYPESCRIPT: &str = r"
//- shape.ts
export interface Named { name(): string }
export interface Shape extends Named { area(): number; size: number }
export abstract class Base implements Shape {
  size = 1
  constructor() {}
  abstract area(): number
  name() { return 'base' }
}
//- square.ts
import { Base, Shape } from './shape'
export class Square extends Base {
  constructor() { super() }
  area() { return side() }
  name() { return 'square' }
}
export class Grown extends Square {
  area() { return 2 }
}
export const point: Shape = {
  size: 0,
  area() { return 0 },
  name() { return 'point' },
}
export class Stranger { area() { return 9 } }
function side() { return 1 }
//- draw.ts
import { Shape } from './shape'
export function draw(shape: Shape) { return shape.area() }
//- draw.test.ts
import { draw } from './draw'
it('draws', () => { draw(null) })
";

#[test]
fn members_of_classes_and_objects_stand_in_for_those_of_interfaces_and_bases() {
    assert_snapshot!(overrides(TYPESCRIPT), @"
    shape.ts:Base.size implements shape.ts:Shape.size
    shape.ts:Base.area implements shape.ts:Shape.area
    shape.ts:Base.name implements shape.ts:Named.name
    square.ts:Square.area extends shape.ts:Base.area
    square.ts:Square.name extends shape.ts:Base.name
    square.ts:Grown.area extends square.ts:Square.area
    square.ts:point.size implements shape.ts:Shape.size
    square.ts:point.size uses shape.ts:Shape.size (90)
    square.ts:point.area implements shape.ts:Shape.area
    square.ts:point.area uses shape.ts:Shape.area (90)
    square.ts:point.name implements shape.ts:Named.name
    square.ts:point.name uses shape.ts:Named.name (90)
    ");
}

#[test]
fn a_change_of_an_interface_reaches_implementations_and_those_of_one_implementation_its_callers() {
    let graph = snapshot(TYPESCRIPT);
    assert_snapshot!(reached(&graph, "Shape.area", Direction::Dependents, 100), @"
    0.72 calls draw
    0.66 implements Base.area
    0.66 implements point.area
    0.56 calls draw, calls draws
    0.44 implements Base.area, extends Square.area
    0.29 implements Base.area, extends Square.area, extends Grown.area
    ");
    assert_snapshot!(reached(&graph, "Grown.area", Direction::Dependents, 100), @"
    0.66 overridden_by Square.area
    0.44 overridden_by Square.area, overridden_by Base.area
    0.29 overridden_by Square.area, overridden_by Base.area, implemented_by Shape.area
    0.21 overridden_by Square.area, overridden_by Base.area, implemented_by Shape.area, calls draw
    0.17 overridden_by Square.area, overridden_by Base.area, implemented_by Shape.area, calls draw, calls draws
    ");
    assert_snapshot!(reached(&graph, "Stranger.area", Direction::Dependents, 100), @"");
}

#[test]
fn a_call_through_an_interface_stands_on_the_implementations() {
    let graph = snapshot(TYPESCRIPT);
    assert_snapshot!(reached(&graph, "draw", Direction::Dependencies, 100), @"
    0.72 calls Shape.area
    0.49 uses Shape
    0.48 calls Shape.area, implemented_by Base.area
    0.48 calls Shape.area, implemented_by point.area
    0.34 uses Shape, extends Named
    0.32 calls Shape.area, implemented_by Base.area, overridden_by Square.area
    0.25 calls Shape.area, implemented_by Base.area, overridden_by Square.area, calls side
    0.21 calls Shape.area, implemented_by Base.area, overridden_by Square.area, overridden_by Grown.area
    ");
    // Another implementation is no part of it.
    assert_snapshot!(reached(&graph, "Grown.area", Direction::Dependencies, 100), @"
    0.66 extends Square.area
    0.52 extends Square.area, calls side
    0.44 extends Square.area, extends Base.area
    0.29 extends Square.area, extends Base.area, implements Shape.area
    ");
}

#[test]
fn a_way_leads_through_an_interface_but_not_from_one_implementation_to_another() {
    let graph = snapshot(TYPESCRIPT);
    assert_snapshot!(ways(&graph, "draw", "side"), @"calls Shape.area, implemented_by Base.area, overridden_by Square.area, calls side");
    assert_snapshot!(ways(&graph, "Grown.area", "point.area"), @"");
}

#[test]
fn an_interface_with_many_implementations_is_cut_and_says_so() {
    let jobs = (0..40).map(|n| format!("export class Job{n} implements Job {{ run() {{}} }}"));
    let jobs = jobs.collect::<Vec<_>>().join("\n");
    let fixture = format!(
        "//- a.ts\nexport interface Job {{ run(): void }}\nexport function all(job: Job) {{ job.run() }}\n//- b.ts\nimport {{ Job }} from './a'\n{jobs}\n",
    );
    let graph = snapshot(&fixture);
    for direction in [Direction::Dependents, Direction::Dependencies] {
        let told = reached(&graph, "all", direction, 5);
        let implementations = told.matches("implemented_by").count();
        match direction {
            Direction::Dependents => assert_eq!(implementations, 0, "{told}"),
            Direction::Dependencies => {
                assert_eq!(implementations, 3, "{told}");
                assert!(told.ends_with("cut"), "{told}");
            }
        }
    }
    assert_eq!(
        reached(&graph, "Job.run", Direction::Dependents, 5)
            .lines()
            .count(),
        6
    );
}

#[test]
fn python_methods_override_those_of_bases_in_other_modules() {
    let fixture = r"
//- app/__init__.py
from .base import Handler
//- app/base.py
from abc import ABC, abstractmethod
class Root:
    def close(self): pass
class Handler(Root):
    timeout = 1
    def __init__(self): pass
    @abstractmethod
    def handle(self, event): ...
    def run(self, event): return self.handle(event)
//- app/mail.py
from app import Handler
class Mail(Handler):
    timeout = 5
    def __init__(self): pass
    def handle(self, event): return event
    def close(self): super().close()
class Other:
    def handle(self, event): pass
";
    assert_snapshot!(overrides(fixture), @"
    app/mail.py:Mail.timeout extends app/base.py:Handler.timeout
    app/mail.py:Mail.handle extends app/base.py:Handler.handle
    app/mail.py:Mail.close calls app/base.py:Root.close
    app/mail.py:Mail.close extends app/base.py:Root.close
    ");
}

#[test]
fn rust_methods_of_an_impl_stand_in_for_those_of_its_trait() {
    let fixture = r"
//- Cargo.toml
[package]
name = 'a'
//- src/lib.rs
mod file;
mod memory;
pub trait Named { fn name(&self) -> String; }
pub trait Store: Named {
    fn get(&self, key: u32) -> u32;
    fn has(&self, key: u32) -> bool { self.get(key) > 0 }
}
pub fn dynamic(store: &dyn Store) -> u32 { store.get(1) }
pub fn bounded<S: Store>(store: S) -> u32 { store.get(1) }
pub fn opaque(store: impl Store) -> u32 { store.get(1) }
pub fn boxed(store: Box<dyn Store>) -> u32 { store.get(1) }
//- src/file.rs
use crate::Named;
pub struct File;
impl Named for File { fn name(&self) -> String { String::new() } }
impl crate::Store for File {
    fn get(&self, key: u32) -> u32 { open(key) }
}
impl File { fn get_all(&self) {} fn name_it(&self) {} }
fn open(key: u32) -> u32 { key }
//- src/memory.rs
use crate::{Named, Store};
impl Named for Vec<u32> { fn name(&self) -> String { String::new() } }
impl Store for Vec<u32> {
    fn get(&self, key: u32) -> u32 { key }
    fn has(&self, key: u32) -> bool { true }
}
";
    assert_snapshot!(overrides(fixture), @"
    src/file.rs:File.name implements src/lib.rs:Named.name
    src/file.rs:File.get implements src/lib.rs:Store.get
    src/memory.rs:Vec.name implements src/lib.rs:Named.name
    src/memory.rs:Vec.get implements src/lib.rs:Store.get
    src/memory.rs:Vec.has implements src/lib.rs:Store.has
    ");
    let graph = snapshot(fixture);
    assert_snapshot!(reached(&graph, "src/file.rs:File.get", Direction::Dependents, 100), @"
    0.66 implemented_by Store.get
    0.51 implemented_by Store.get, calls Store.has
    0.48 implemented_by Store.get, calls dynamic
    0.48 implemented_by Store.get, calls bounded
    0.48 implemented_by Store.get, calls opaque
    0.48 implemented_by Store.get, calls boxed
    ");
    assert_snapshot!(ways(&graph, "opaque", "open"), @"calls Store.get, implemented_by File.get, calls open");
}

#[test]
fn go_methods_stand_in_by_their_shape_and_are_reached_through_the_interface() {
    let fixture = r"
//- go.mod
module example.org/a
//- store.go
package a
type Store interface { Get(key int) int }
func use(store Store) int { return store.Get(1) }
//- file.go
package a
type File struct{}
func (f *File) Get(key int) int { return open(key) }
func open(key int) int { return key }
type Half struct{}
func (h *Half) Get() int { return 0 }
";
    assert_snapshot!(overrides(fixture), @"file.go:File.Get implements store.go:Store.Get (80)");
    let graph = snapshot(fixture);
    assert_snapshot!(reached(&graph, "File.Get", Direction::Dependents, 100), @"
    0.56 implemented_by Store.Get
    0.40 implemented_by Store.Get, calls use
    ");
    assert_snapshot!(ways(&graph, "use", "open"), @"calls Store.Get, implemented_by File.Get, calls open");
}

#[test]
fn other_languages_tell_what_overrides_what_where_they_name_a_base() {
    let fixture = r"
//- src/Animal.java
package zoo;
public interface Animal { String speak(); }
//- src/Dog.java
package zoo;
public class Dog implements Animal { public String speak() { return null; } }
//- a.kt
package zoo
interface Sound {
    fun play()
}
open class Bell : Sound {
    override fun play() {}
}
class Gong : Bell() {
    override fun play() {}
}
//- a.cs
namespace Zoo { interface IRun { void Run(); } class Horse : IRun { public void Run() {} } }
//- a.rb
class Tool
  def initialize; end
  def use; end
end
class Saw < Tool
  def initialize; end
  def use; end
end
//- a.php
<?php
interface Door { public function open(); }
class Gate implements Door { public function open() {} }
//- a.swift
protocol Lamp { func shine() }
class Torch: Lamp { func shine() {} }
//- a.scala
trait Wheel { def turn(): Unit }
class Cog extends Wheel { def turn(): Unit = {} }
//- a.cpp
class Engine { public: virtual void start() {} };
class Diesel : public Engine { public: void start() {} };
";
    assert_snapshot!(overrides(fixture), @"
    a.cpp:Diesel.start extends a.cpp:Engine.start
    a.cs:Horse.Run implements a.cs:IRun.Run
    a.kt:Bell.play implements a.kt:Sound.play
    a.kt:Gong.play extends a.kt:Bell.play
    a.php:Gate.open implements a.php:Door.open
    a.rb:Saw.use extends a.rb:Tool.use
    a.scala:Cog.turn implements a.scala:Wheel.turn
    a.swift:Torch.shine implements a.swift:Lamp.shine
    src/Dog.java:Dog.speak implements src/Animal.java:Animal.speak
    ");
}

#[test]
fn what_stands_in_for_a_member_is_not_told_among_its_references() {
    let graph = snapshot(TYPESCRIPT);
    let square = locate(&graph, "Square.area");
    let area = locate(&graph, "Base.area");
    let named = crate::answer::references::references(&graph, &area);
    // It has the same name without naming it.
    assert!(named.iter().all(|site| !square.contains(&site.within)));
}

#[test]
fn an_override_that_calls_what_it_overrides_is_reached_through_it() {
    let graph = snapshot(
        r"
//- helpers.py
def helper(): return 1
//- base.py
from helpers import helper
class A:
    def run(self): return helper()
//- child.py
from base import A
class B(A):
    def run(self): return super().run() + 1
class C(A):
    def run(self): return 2
",
    );
    let told = reached(&graph, "helpers.py:helper", Direction::Dependents, 100);
    assert!(told.contains("calls A.run, calls B.run"), "{told}");
    assert!(!told.contains("C.run"), "{told}");
}
