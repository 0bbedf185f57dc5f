//! The languages of which definitions and imports are known: a small tree of each, with what is found in it.

use insta::assert_snapshot;

use crate::testing::{definitions, imports};

fn both(fixture: &str) -> String {
    format!("{}\n{}", definitions(fixture), imports(fixture))
}

#[test]
fn java_names_packages_and_types() {
    assert_snapshot!(both(r"
//- src/main/java/a/b/X.java
package a.b;
import a.b.c.Helper;
import static a.util.Text.trim;
import a.f.*;
import java.util.List;
/** Sells things. */
public class X extends Base implements Shop {
  private int n;
  public X(int a) { this.n = a; }
  Helper m() { trim(); return new Helper(); }
  Used u;
  @Test void works() {}
}
//- src/main/java/a/b/Base.java
package a.b;
class Base {}
//- src/main/java/a/b/c/Helper.java
package a.b.c;
public class Helper {}
//- src/main/java/a/util/Text.java
package a.util;
public class Text { public static void trim() {} }
//- src/main/java/a/f/Used.java
package a.f;
public class Used {}
//- src/main/java/a/f/Unused.java
package a.f;
public class Unused {}
"), @"
    class src/main/java/a/b/Base.java:Base
    class src/main/java/a/b/X.java:X | Sells things.
    field src/main/java/a/b/X.java:X.n private
    method src/main/java/a/b/X.java:X.X
    method src/main/java/a/b/X.java:X.m
    field src/main/java/a/b/X.java:X.u
    test src/main/java/a/b/X.java:X.works
    class src/main/java/a/b/c/Helper.java:Helper
    class src/main/java/a/f/Unused.java:Unused
    class src/main/java/a/f/Used.java:Used
    class src/main/java/a/util/Text.java:Text
    method src/main/java/a/util/Text.java:Text.trim
    src/main/java/a/b/X.java -> src/main/java/a/b/c/Helper.java
    src/main/java/a/b/X.java -> src/main/java/a/f/Used.java
    src/main/java/a/b/X.java -> src/main/java/a/util/Text.java
    ");
}

#[test]
fn c_and_cpp_include_files_beside_and_below() {
    assert_snapshot!(both(r#"
//- src/a.c
#include "a.h"
#include "util/text.h"
#include <stdio.h>
#include <lib/api.h>
#define MAX 3
static int helper(int x) { return x; }
int *make(void) { return helper(MAX); }
//- src/a.h
typedef struct thing { int size; } thing_t;
enum color { RED };
int *make(void);
//- src/util/text.h
//- include/lib/api.h
//- src/b.cpp
#include "b.hpp"
void shop::Cart::add() {}
template <typename T> T same(T x) { return x; }
//- src/b.hpp
namespace shop { class Cart : public Base { public: void add(); private: int n; }; }
"#), @"
    constant src/a.c:MAX
    function src/a.c:helper private
    function src/a.c:make
    type src/a.h:thing_t
    class src/a.h:thing_t.thing
    field src/a.h:thing_t.thing.size
    enum src/a.h:color
    field src/a.h:color.RED
    function src/a.h:make
    method src/b.cpp:Cart.add
    function src/b.cpp:same
    module src/b.hpp:shop
    class src/b.hpp:shop.Cart
    method src/b.hpp:shop.Cart.add
    field src/b.hpp:shop.Cart.n
    src/a.c -> include/lib/api.h
    src/a.c -> src/a.h
    src/a.c -> src/util/text.h
    src/b.cpp -> src/b.hpp
    ");
}

#[test]
fn csharp_opens_namespaces() {
    assert_snapshot!(both(r"
//- App/Program.cs
using System.Text;
using Shop.Core;
namespace App;
public class Program : Base {
  public Cart Cart { get; set; }
  private int n;
  public void Run(int x) { new Cart(); }
  [Fact] public void Works() {}
}
interface IShop { void Sell(); }
enum Color { Red }
//- Core/Cart.cs
namespace Shop.Core;
public class Cart {}
//- Core/Unused.cs
namespace Shop.Core;
public class Unused {}
"), @"
    class App/Program.cs:Program
    field App/Program.cs:Program.Cart
    field App/Program.cs:Program.n private
    method App/Program.cs:Program.Run
    test App/Program.cs:Program.Works
    interface App/Program.cs:IShop
    method App/Program.cs:IShop.Sell
    enum App/Program.cs:Color
    field App/Program.cs:Color.Red
    class Core/Cart.cs:Cart
    class Core/Unused.cs:Unused
    App/Program.cs -> Core/Cart.cs
    ");
}

#[test]
fn ruby_requires_files() {
    assert_snapshot!(both(r"
//- lib/shop.rb
require 'json'
require 'shop/cart'
require_relative 'shop/price'
module Shop
  # Sells.
  class Seller < Base
    RATE = 1
    def sell(item); end
    def self.open; end
  end
end
//- lib/shop/cart.rb
//- lib/shop/price.rb
"), @"
    module lib/shop.rb:Shop
    class lib/shop.rb:Shop.Seller | Sells.
    field lib/shop.rb:Shop.Seller.RATE
    method lib/shop.rb:Shop.Seller.sell
    method lib/shop.rb:Shop.Seller.open
    lib/shop.rb -> lib/shop/cart.rb
    lib/shop.rb -> lib/shop/price.rb
    ");
}

#[test]
fn php_uses_names_and_requires_files() {
    assert_snapshot!(both(r"
//- src/Shop/Seller.php
<?php
namespace App\Shop;
use App\Models\Cart;
use App\Models\{Price as Cost, Tax};
require_once __DIR__ . '/../helpers.php';
class Seller extends Base implements Sells {
  const RATE = 1;
  private $n;
  public function sell(Cart $cart): Tax { return $this->tax(); }
}
function help() {}
//- src/Models/Cart.php
<?php
namespace App\Models;
class Cart {}
//- src/Models/Tax.php
<?php
namespace App\Models;
class Tax {}
//- src/helpers.php
<?php
function helper() {}
"), @"
    class src/Models/Cart.php:Cart
    class src/Models/Tax.php:Tax
    class src/Shop/Seller.php:Seller
    field src/Shop/Seller.php:Seller.RATE
    field src/Shop/Seller.php:Seller.n private
    method src/Shop/Seller.php:Seller.sell
    function src/Shop/Seller.php:help
    function src/helpers.php:helper
    src/Shop/Seller.php -> src/Models/Cart.php
    src/Shop/Seller.php -> src/Models/Tax.php
    src/Shop/Seller.php -> src/helpers.php
    ");
}

#[test]
fn kotlin_imports_types_and_functions() {
    assert_snapshot!(both(r"
//- src/main/kotlin/a/App.kt
package a
import a.b.Cart
import a.c.help
import a.d.*
import a.e.Long as Short

/** Starts. */
class App(val name: String) : Base(), Runs {
    private val count = 1
    fun run(cart: Cart): Cart {
        help()
        return cart
    }
}

interface Runs

object Single

fun main() {
}
//- src/main/kotlin/a/b/Cart.kt
package a.b

class Cart
//- src/main/kotlin/a/c/Functions.kt
package a.c

fun help() {
}
//- src/main/kotlin/a/e/Types.kt
package a.e

class Long
"), @"
    class src/main/kotlin/a/App.kt:App | Starts.
    field src/main/kotlin/a/App.kt:App.name
    field src/main/kotlin/a/App.kt:App.count private
    method src/main/kotlin/a/App.kt:App.run
    interface src/main/kotlin/a/App.kt:Runs
    class src/main/kotlin/a/App.kt:Single
    function src/main/kotlin/a/App.kt:main
    class src/main/kotlin/a/b/Cart.kt:Cart
    function src/main/kotlin/a/c/Functions.kt:help
    class src/main/kotlin/a/e/Types.kt:Long
    src/main/kotlin/a/App.kt -> src/main/kotlin/a/b/Cart.kt
    src/main/kotlin/a/App.kt -> src/main/kotlin/a/c/Functions.kt
    src/main/kotlin/a/App.kt -> src/main/kotlin/a/e/Types.kt
    ");
}

#[test]
fn swift_imports_targets() {
    assert_snapshot!(both(r"
//- Sources/App/main.swift
import Foundation
import Core

public class App: Base, Runs {
    var count: Int = 0
    init(a: Int) {
    }
    func run(x: Int) -> Cart {
        return Cart()
    }
}

struct Point {
    let x: Int
}

protocol Runs {
    func go()
}

extension App {
    func extra() {
    }
}

func top() {
}
//- Sources/Core/Cart.swift
public struct Cart {
}
"), @"
    class Sources/App/main.swift:App
    field Sources/App/main.swift:App.count
    method Sources/App/main.swift:App.init
    method Sources/App/main.swift:App.run
    class Sources/App/main.swift:Point
    field Sources/App/main.swift:Point.x
    interface Sources/App/main.swift:Runs
    method Sources/App/main.swift:Runs.go
    method Sources/App/main.swift:App.extra
    function Sources/App/main.swift:top
    class Sources/Core/Cart.swift:Cart
    Sources/App/main.swift -> Sources/Core/Cart.swift
    ");
}

#[test]
fn scala_imports_names_groups_and_packages() {
    assert_snapshot!(both(r"
//- src/main/scala/a/App.scala
package a
import a.b.Cart
import a.b.{Price, Tax => Levy}
import a.c._

class App(name: String) extends Base with Runs {
  private val count = 1
  def run(cart: Cart): Levy = help(cart)
}
object Single
trait Runs { def go(): Int }
case class Point(x: Int)
//- src/main/scala/a/b/Cart.scala
package a.b
class Cart
//- src/main/scala/a/b/Money.scala
package a.b
class Price
class Tax
"), @"
    class src/main/scala/a/App.scala:App
    field src/main/scala/a/App.scala:App.count private
    method src/main/scala/a/App.scala:App.run
    class src/main/scala/a/App.scala:Single
    interface src/main/scala/a/App.scala:Runs
    method src/main/scala/a/App.scala:Runs.go
    class src/main/scala/a/App.scala:Point
    class src/main/scala/a/b/Cart.scala:Cart
    class src/main/scala/a/b/Money.scala:Price
    class src/main/scala/a/b/Money.scala:Tax
    src/main/scala/a/App.scala -> src/main/scala/a/b/Cart.scala
    src/main/scala/a/App.scala -> src/main/scala/a/b/Money.scala
    ");
}

#[test]
fn shell_sources_files() {
    assert_snapshot!(both(r#"
//- bin/run.sh
source ./common.sh
. "$ROOT/lib/text.sh"
# Says it.
function say() { echo "$1"; }
shout() { say; }
LEVEL=1
//- bin/common.sh
//- lib/text.sh
"#), @"
    function bin/run.sh:say | Says it.
    function bin/run.sh:shout
    variable bin/run.sh:LEVEL
    bin/run.sh -> bin/common.sh
    bin/run.sh -> lib/text.sh
    ");
}
