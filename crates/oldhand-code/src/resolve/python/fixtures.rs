//! What each rule of Python gives, as small trees with their edges.

use insta::assert_snapshot;

use crate::testing::{all_edges, definitions, edges, imports};

#[test]
fn packages_modules_and_relative_imports_are_files() {
    assert_snapshot!(imports(r"
//- app/__init__.py
//- app/main.py
import app.util.text
import app.models as m
from . import config
from .util import text as t, numbers
from ..outside import x
from .models import User
import json
//- app/config.py
//- app/models.py
class User: pass
//- app/util/__init__.py
//- app/util/text.py
//- app/util/numbers.py
//- outside.py
x = 1
"), @"
    app/main.py -> app/config.py
    app/main.py -> app/models.py
    app/main.py -> app/util/numbers.py
    app/main.py -> app/util/text.py
    app/main.py -> outside.py
    ");
}

#[test]
fn source_folders_and_namespace_packages_are_found() {
    assert_snapshot!(imports(r"
//- src/shop/__init__.py
//- src/shop/cart.py
from shop.price import price
//- src/shop/price.py
def price(): pass
//- tests/test_cart.py
import shop.cart
from shop import price
import helpers
//- tests/helpers.py
//- space/inner/mod.py
def f(): pass
//- space/user.py
from space.inner import mod
from space.inner.mod import f
"), @"
    space/user.py -> space/inner/mod.py
    src/shop/cart.py -> src/shop/price.py
    tests/test_cart.py -> src/shop/cart.py
    tests/test_cart.py -> src/shop/price.py
    tests/test_cart.py -> tests/helpers.py
    ");
}

#[test]
fn reexports_of_a_package_lead_to_the_definition() {
    assert_snapshot!(edges(r"
//- lib/__init__.py
from .core import Engine, start as begin
from .extra import *
//- lib/core.py
class Engine:
    def run(self): pass
def start(): pass
//- lib/extra.py
def bonus(): pass
//- use.py
from lib import Engine, begin, bonus
import lib
def go():
    begin()
    bonus()
    engine = Engine()
    engine.run()
    lib.core.start()
    lib.begin()
"), @"
    lib/__init__.py imports lib/core.py
    lib/__init__.py imports lib/core.py:Engine
    lib/__init__.py imports lib/core.py:start
    lib/__init__.py imports lib/extra.py
    use.py imports lib/__init__.py
    use.py imports lib/core.py:Engine
    use.py imports lib/core.py:start
    use.py imports lib/extra.py:bonus
    use.py:go calls lib/core.py:Engine
    use.py:go calls lib/core.py:Engine.run (85)
    use.py:go calls lib/core.py:start
    use.py:go calls lib/extra.py:bonus
    ");
}

#[test]
fn methods_are_found_on_self_super_and_known_types() {
    assert_snapshot!(all_edges(r"
//- a.py
from b import Base, make
class Child(Base):
    def __init__(self, part: Part):
        self.part = part
        self.other = Part()
    def run(self):
        self.step()
        super().start()
        self.start()
        self.other.turn()
    def step(self): pass
class Part:
    def turn(self): pass
def use(child: Child):
    child.step()
    made = make()
    made.start()
//- b.py
class Base:
    def start(self): pass
def make() -> Base:
    return Base()
"), @"
    a.py:Child extends b.py:Base
    a.py:Child.__init__ uses a.py:Part
    a.py:Child.other calls a.py:Part
    a.py:Child.run uses a.py:Child.other
    a.py:Child.run calls a.py:Child.step
    a.py:Child.run calls a.py:Part.turn (90)
    a.py:Child.run calls b.py:Base.start
    a.py:use uses a.py:Child
    a.py:use calls a.py:Child.step (90)
    a.py:use calls b.py:Base.start (85)
    a.py:use calls b.py:make
    b.py:make calls b.py:Base
    b.py:make uses b.py:Base
    ");
}

#[test]
fn a_local_name_hides_the_imported_one() {
    assert_snapshot!(all_edges(r"
//- a.py
from b import item
def shadow(item): return item
def inner():
    item = 2
    return item
def comprehended(): return [item for item in range(3)]
def keyword(): return shadow(item=1)
def real(): return item
//- b.py
item = 1
"), @"
    a.py:keyword calls a.py:shadow
    a.py:real uses b.py:item
    ");
}

#[test]
fn definitions_have_their_documentation_and_visibility() {
    assert_snapshot!(definitions(r#"
//- a.py
"""What the module is for."""
LIMIT: int = 3
class Shop:
    """Sells."""
    open = True
    def _count(self): pass
    @property
    def name(self) -> str:
        """What it is called."""
def test_shop(): pass
"#), @"
    variable a.py:LIMIT
    class a.py:Shop | Sells.
    field a.py:Shop.open
    method a.py:Shop._count private
    method a.py:Shop.name | What it is called.
    test a.py:test_shop
    ");
}

#[test]
fn a_star_gives_what_all_names_or_no_underscore_hides() {
    assert_snapshot!(edges(r#"
//- shop/__init__.py
from .cart import *
from .price import *
//- shop/cart.py
__all__ = ["Cart"]
class Cart: pass
def helper(): pass
//- shop/price.py
def price(): pass
def _round(): pass
//- main.py
from shop import *
import shop
Cart()
helper()
price()
_round()
shop.price()
"#), @"
    main.py imports shop/__init__.py
    main.py calls shop/cart.py:Cart
    main.py calls shop/price.py:price
    shop/__init__.py imports shop/cart.py
    shop/__init__.py imports shop/price.py
    ");
}

#[test]
fn values_are_known_by_annotation_parameter_and_own_calls() {
    assert_snapshot!(edges(r#"
//- app.py
class Config:
    def load(self): pass

class App:
    def __init__(self):
        self.config = self.make_config()
    def make_config(self) -> Config: ...
    def run(self): pass

class Failure(Exception):
    def tell(self): pass

current: "App" = proxy()
//- use.py
import typing as t
from app import App, Failure, current

class Context:
    def __init__(self, app: t.Optional[App]):
        self.app = app

    def go(self):
        self.app.run()
        self.app.config.load()

def start():
    current.run()
    try:
        pass
    except Failure as failure:
        failure.tell()
"#), @"
    use.py imports app.py
    use.py imports app.py:App
    use.py imports app.py:Failure
    use.py imports app.py:current
    use.py:Context.__init__ uses app.py:App
    use.py:Context.go calls app.py:Config.load (90)
    use.py:Context.go uses app.py:App.config (90)
    use.py:Context.go calls app.py:App.run (90)
    use.py:start calls app.py:App.run
    use.py:start uses app.py:Failure
    use.py:start calls app.py:Failure.tell (90)
    use.py:start uses app.py:current
    ");
}

#[test]
fn the_names_of_an_import_are_no_uses() {
    assert_snapshot!(edges(r"
//- shop/__init__.py
from . import cli
//- shop/cli.py
def run(): pass
cli = 1
//- main.py
from shop import cli
def f():
    from shop.cli import run
    run()
"), @"
    main.py imports shop/cli.py
    main.py imports shop/cli.py:run
    shop/__init__.py imports shop/cli.py
    main.py:f calls shop/cli.py:run
    ");
}
