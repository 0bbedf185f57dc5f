//! What each rule of JavaScript and TypeScript gives, as small trees with their edges.

use insta::assert_snapshot;

use crate::testing::{all_edges, edges, imports};

#[test]
fn relative_imports_find_files_extensions_and_folders() {
    assert_snapshot!(imports(r"
//- src/a.ts
import './b'
import { c } from './c.js'
import d from './d'
import e = require('../e')
import('./f.mjs')
//- src/b.tsx
//- src/c.ts
export const c = 1
//- src/d/index.ts
export default function d() {}
//- e.d.ts
//- src/f.mts
"), @"
    src/a.ts -> e.d.ts
    src/a.ts -> src/b.tsx
    src/a.ts -> src/c.ts
    src/a.ts -> src/d/index.ts
    src/a.ts -> src/f.mts
    ");
}

#[test]
fn named_default_and_namespace_imports_reach_definitions() {
    assert_snapshot!(edges(r"
//- a.ts
import make, { Thing, help as aid } from './b'
import * as b from './b'
function run(thing: Thing) {
  aid(thing)
  make()
  b.help()
}
//- b.ts
export interface Thing {}
export function help(t: Thing) {}
export default function build() {}
function hidden() {}
"), @"
    a.ts imports b.ts
    a.ts imports b.ts:Thing
    a.ts imports b.ts:help
    a.ts imports b.ts:build
    a.ts:run uses b.ts:Thing
    a.ts:run calls b.ts:help
    a.ts:run calls b.ts:build
    ");
}

#[test]
fn reexports_are_followed_to_the_definition() {
    assert_snapshot!(edges(r"
//- a.ts
import { one, deux, ns } from './index'
one(); deux(); ns.three()
//- index.ts
export * from './one'
export { two as deux } from './two'
export * as ns from './three'
//- one.ts
export const one = () => 1
//- two.ts
export const two = () => 2
//- three.ts
export const three = () => 3
"), @"
    a.ts imports index.ts
    a.ts imports one.ts:one
    a.ts calls one.ts:one
    a.ts uses three.ts
    a.ts calls three.ts:three
    a.ts imports two.ts:two
    a.ts calls two.ts:two
    index.ts imports one.ts
    index.ts imports three.ts
    index.ts imports two.ts
    index.ts exports two.ts:two
    ");
}

#[test]
fn cyclic_reexports_end() {
    assert_snapshot!(edges(r"
//- a.ts
export * from './b'
import { nowhere } from './b'
nowhere()
//- b.ts
export * from './a'
"), @"
    a.ts imports b.ts
    b.ts imports a.ts
    ");
}

#[test]
fn paths_and_base_url_of_the_nearest_config_apply() {
    assert_snapshot!(imports(r#"
//- tsconfig.base.json
{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["app/src/*"], "exact": ["app/src/exact.ts"] } } }
//- app/tsconfig.json
{ // comments are fine
  "extends": "../tsconfig.base.json", }
//- app/src/a.ts
import '@/lib/b'
import 'exact'
import 'app/src/c'
//- app/src/lib/b.ts
//- app/src/exact.ts
//- app/src/c.ts
"#), @"
    app/src/a.ts -> app/src/c.ts
    app/src/a.ts -> app/src/exact.ts
    app/src/a.ts -> app/src/lib/b.ts
    ");
}

#[test]
fn a_solution_config_lends_the_rules_of_its_references() {
    assert_snapshot!(imports(r#"
//- tsconfig.json
{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }
//- tsconfig.app.json
{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }
//- src/a.ts
import '~/b'
//- src/b.ts
"#), @"src/a.ts -> src/b.ts");
}

#[test]
fn workspace_packages_are_found_by_name_and_exports() {
    assert_snapshot!(imports(r##"
//- package.json
{ "workspaces": ["packages/*"] }
//- packages/app/package.json
{ "name": "app", "imports": { "#inner/*": "./src/inner/*.ts" } }
//- packages/app/src/main.ts
import '@acme/lib'
import '@acme/lib/sub'
import '@acme/lib/deep/x'
import 'plain'
import '#inner/y'
import 'react'
//- packages/app/src/inner/y.ts
//- packages/lib/package.json
{ "name": "@acme/lib", "exports": { ".": { "import": "./dist/index.js" }, "./sub": "./src/sub.ts", "./deep/*": { "types": "./dist/deep/*.d.ts" } } }
//- packages/lib/src/index.ts
//- packages/lib/src/sub.ts
//- packages/lib/src/deep/x.ts
//- packages/plain/package.json
{ "name": "plain", "main": "dist/plain.cjs.js" }
//- packages/plain/src/index.ts
"##), @"
    packages/app/src/main.ts -> packages/app/src/inner/y.ts
    packages/app/src/main.ts -> packages/lib/src/deep/x.ts
    packages/app/src/main.ts -> packages/lib/src/index.ts
    packages/app/src/main.ts -> packages/lib/src/sub.ts
    packages/app/src/main.ts -> packages/plain/src/index.ts
    ");
}

#[test]
fn methods_are_found_on_this_on_typed_values_and_on_results() {
    assert_snapshot!(all_edges(r"
//- a.ts
import { Base, make } from './b'
class Child extends Base {
  part = new Part()
  run() {
    this.step()
    super.start()
    this.start()
    this.part.turn()
  }
  step() {}
}
class Part { turn() {} }
function use(child: Child) {
  child.step()
  const part = new Part()
  part.turn()
  const made = make()
  made.start()
  make().start()
}
//- b.ts
export class Base { start() {} }
export function make(): Base { return new Base() }
"), @"
    a.ts:Child extends b.ts:Base
    a.ts:Child.part calls a.ts:Part
    a.ts:Child.run uses a.ts:Child.part
    a.ts:Child.run calls a.ts:Child.step
    a.ts:Child.run calls a.ts:Part.turn (90)
    a.ts:Child.run calls b.ts:Base.start
    a.ts:use uses a.ts:Child
    a.ts:use calls a.ts:Child.step (90)
    a.ts:use calls a.ts:Part
    a.ts:use calls a.ts:Part.turn (90)
    a.ts:use calls b.ts:Base.start (85)
    a.ts:use calls b.ts:make
    b.ts:make calls b.ts:Base
    b.ts:make uses b.ts:Base
    ");
}

#[test]
fn a_local_name_hides_the_imported_one() {
    assert_snapshot!(all_edges(r"
//- a.ts
import { item } from './b'
function shadow(item: number) { return item + 1 }
function inner() { const item = 2; return item }
function real() { return item }
//- b.ts
export const item = 1
"), @"a.ts:real uses b.ts:item");
}

#[test]
fn an_unknown_receiver_keeps_few_candidates() {
    assert_snapshot!(all_edges(r"
//- a.ts
function call(x) { x.unusual(); x.shared() }
//- b.ts
class A { unusual() {} shared() {} }
class B { shared() {} }
"), @"
    a.ts:call calls b.ts:A.unusual (45)
    a.ts:call calls b.ts:A.shared (22)
    a.ts:call calls b.ts:B.shared (22)
    ");
}

#[test]
fn ambient_names_are_seen_everywhere() {
    assert_snapshot!(edges(r"
//- a.ts
export function f(x: Options) { return __DEV__ && VERSION }
//- globals.d.ts
declare const __DEV__: boolean
interface Options {}
//- more.d.ts
export {}
declare global {
  const VERSION: string
}
"), @"
    a.ts:f uses globals.d.ts:__DEV__
    a.ts:f uses globals.d.ts:Options
    a.ts:f uses more.d.ts:global.VERSION
    ");
}

#[test]
fn require_and_module_exports_link_scripts() {
    assert_snapshot!(edges(r"
//- a.js
const b = require('./b')
const { help } = require('./b')
b.help()
help()
class Page { show() { return [1].map((part) => help(part)) } }
//- b.js
function help() {}
exports.help = help
"), @"
    a.js imports b.js
    a.js imports b.js:help
    a.js calls b.js:help
    a.js:Page.show calls b.js:help
    ");
}

#[test]
fn values_keep_their_types_through_members_calls_and_patterns() {
    assert_snapshot!(all_edges(
        r"
//- a.ts
import { Node, Shape, find } from './b'
function chain(node: Node) {
  const parent = node.parent
  parent.first.go()
  for (const child of node.children) child.go()
  node.children[0].go()
  find('x').parent!.go()
}
function taken({ parent }: Node) { parent.go() }
function apart(node: Node) {
  const { first } = node
  first.go()
}
function cast(x: unknown) { (x as Node).go() }
function either(shape: Shape) { shape.area }
const made: Node = { first: null }
//- b.ts
export interface Node { parent: Node; first: Node; children: Node[]; go(): void }
export interface Round { area: number }
export interface Square { area: number }
export type Shape = Round | Square
export function find(name: string): Node { return null }
"
    ), @"
    a.ts:chain uses b.ts:Node
    a.ts:chain uses b.ts:Node.parent (90)
    a.ts:chain uses b.ts:Node.first (90)
    a.ts:chain uses b.ts:Node.children (90)
    a.ts:chain calls b.ts:Node.go (90)
    a.ts:chain calls b.ts:find
    a.ts:taken uses b.ts:Node
    a.ts:taken uses b.ts:Node.parent (90)
    a.ts:taken calls b.ts:Node.go (90)
    a.ts:apart uses b.ts:Node
    a.ts:apart uses b.ts:Node.first (90)
    a.ts:apart calls b.ts:Node.go (90)
    a.ts:cast uses b.ts:Node
    a.ts:cast calls b.ts:Node.go (90)
    a.ts:either uses b.ts:Round.area (90)
    a.ts:either uses b.ts:Square.area (90)
    a.ts:either uses b.ts:Shape
    a.ts:made uses b.ts:Node
    a.ts:made.first implements b.ts:Node.first
    a.ts:made.first uses b.ts:Node.first (90)
    b.ts:Node.parent uses b.ts:Node
    b.ts:Node.first uses b.ts:Node
    b.ts:Node.children uses b.ts:Node
    b.ts:Shape uses b.ts:Round
    b.ts:Shape uses b.ts:Square
    b.ts:find uses b.ts:Node
    ");
}

#[test]
fn values_have_the_types_that_callers_callees_and_unions_give_them() {
    assert_snapshot!(edges(
        r"
//- a.ts
import { Element, Text, Visit, Options, walk, make, Context } from './b'
export const visit: Visit = (node, context) => { node.parent; context.report() }
export function either(node: Element | Text) { node.parent }
export function deep(nodes: Array<Element | Text>) { nodes.forEach(node => node.parent) }
export function calls() { walk(1, { strict: true, done() {} }) }
export function back(): Options { return { strict: false } }
function helper() { const made = make(); return { made, first: made.children[0] as Text } }
export function unpacked() {
  const { made: renamed, first: { content } } = helper()
  renamed.tag
}
export function given() { walk(1, { strict: true }, node => node.tag) }
export function chosen(a: boolean, x: Element, y: Element) {
  const one = a ? x : y
  one.tag
}
export type Part = Context['report']
//- b.ts
export interface Base { parent: Element }
export interface Element extends Base { tag: string; children: Text[] }
export interface Text extends Base { content: string }
interface Shared { strict: boolean }
export interface Options extends Required<Shared> { done(): void }
export interface Context { report(): void }
export type Visit = (node: Element | Text, context: Context) => void
export type Each = (node: Element) => void
export function walk(depth: number, options: Options, each?: Each) {}
export function make(): Element { return null }
"
    ), @"
    a.ts imports b.ts
    a.ts imports b.ts:Element
    a.ts imports b.ts:Text
    a.ts imports b.ts:Options
    a.ts imports b.ts:Context
    a.ts imports b.ts:Visit
    a.ts imports b.ts:walk
    a.ts imports b.ts:make
    a.ts:visit uses b.ts:Base.parent (90)
    a.ts:visit calls b.ts:Context.report (90)
    a.ts:visit uses b.ts:Visit
    a.ts:either uses b.ts:Base.parent (90)
    a.ts:either uses b.ts:Element
    a.ts:either uses b.ts:Text
    a.ts:deep uses b.ts:Base.parent (90)
    a.ts:deep uses b.ts:Element
    a.ts:deep uses b.ts:Text
    a.ts:calls uses b.ts:Shared.strict (90)
    a.ts:calls calls b.ts:walk
    a.ts:calls.done uses b.ts:Options.done (90)
    a.ts:back uses b.ts:Shared.strict (90)
    a.ts:back uses b.ts:Options
    a.ts:helper calls b.ts:make
    a.ts:helper.first uses b.ts:Element.children (85)
    a.ts:helper.first uses b.ts:Text
    a.ts:unpacked uses b.ts:Element.tag (90)
    a.ts:unpacked uses b.ts:Text.content (90)
    a.ts:given uses b.ts:Element.tag (90)
    a.ts:given uses b.ts:Shared.strict (90)
    a.ts:given calls b.ts:walk
    a.ts:chosen uses b.ts:Element
    a.ts:chosen uses b.ts:Element.tag (90)
    a.ts:Part uses b.ts:Context
    a.ts:Part uses b.ts:Context.report (90)
    ");
}

#[test]
fn lookups_that_go_in_circles_end() {
    assert_snapshot!(edges(
        r"
//- a.ts
import { B } from './b'
export interface A extends B { next: B }
export const value = other.value
export function f(a: A) { a.next.next.missing() }
//- b.ts
import { A } from './a'
export interface B extends A { next: A }
export const other = value.other
"
    ), @"
    a.ts imports b.ts
    a.ts imports b.ts:B
    b.ts imports a.ts
    b.ts imports a.ts:A
    a.ts:A extends b.ts:B
    a.ts:A.next uses b.ts:B
    a.ts:A.next extends b.ts:B.next
    a.ts:f uses b.ts:B.next (90)
    b.ts:B extends a.ts:A
    b.ts:B.next uses a.ts:A
    b.ts:B.next extends a.ts:A.next
    ");
}
