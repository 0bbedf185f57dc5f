//! What each rule of Go gives, as small trees with their edges.

use insta::assert_snapshot;

use crate::testing::{all_edges, definitions, edges, imports};

#[test]
fn imports_are_packages_of_modules_and_their_used_files() {
    assert_snapshot!(imports(r#"
//- go.mod
module example.org/shop

replace example.org/money => ./money
//- main.go
package main

import (
	"fmt"
	"example.org/shop/cart"
	p "example.org/shop/price/v2"
	_ "example.org/shop/setup"
	"example.org/money"
)

func main() {
	fmt.Println(cart.New(), p.Of(1), money.Zero)
}
//- cart/cart.go
package cart

func New() int { return 1 }
//- cart/unused.go
package cart
//- cart/cart_test.go
package cart
//- price/v2/price.go
package price

func Of(x int) int { return x }
//- setup/setup.go
package setup
//- money/go.mod
module example.org/money
//- money/money.go
package money

const Zero = 0
"#), @"
    main.go -> cart/cart.go
    main.go -> money/money.go
    main.go -> price/v2/price.go
    main.go -> setup/setup.go
    ");
}

#[test]
fn a_package_is_one_scope_over_its_files() {
    assert_snapshot!(edges(r"
//- go.mod
module m
//- a.go
package m

func Run() { helper(); s := Store{}; s.Save(); NewStore().Load() }
//- b.go
package m

type Store struct{}

func NewStore() *Store { return nil }
func helper() {}
//- c.go
package m

func (s *Store) Save() {}
func (s *Store) Load() {}
//- a_test.go
package m

func TestRun(t *T) { Run() }
"), @"
    a.go:Run calls b.go:Store
    a.go:Run calls b.go:NewStore
    a.go:Run calls b.go:helper
    a.go:Run calls c.go:Store.Save (90)
    a.go:Run calls c.go:Store.Load (85)
    a_test.go:TestRun calls a.go:Run
    c.go:Store.Save uses b.go:Store
    c.go:Store.Load uses b.go:Store
    ");
}

#[test]
fn methods_are_found_on_receivers_fields_and_embedded_types() {
    assert_snapshot!(all_edges(r"
//- a.go
package m

type Base struct{ n int }

func (b *Base) Start() {}

type Part struct{}

func (p Part) Turn() {}

type Child struct {
	*Base
	part Part
}

func (c *Child) Run() {
	c.Start()
	c.part.Turn()
}

func use(c *Child) (Part, error) {
	var p Part
	p.Turn()
	q, _ := use(c)
	q.Turn()
	return p, nil
}
"), @"
    a.go:Base.Start uses a.go:Base
    a.go:Part.Turn uses a.go:Part
    a.go:Child extends a.go:Base
    a.go:Child.part uses a.go:Part
    a.go:Child.Run calls a.go:Base.Start (90)
    a.go:Child.Run calls a.go:Part.Turn (90)
    a.go:Child.Run uses a.go:Child
    a.go:Child.Run uses a.go:Child.part (90)
    a.go:use uses a.go:Part
    a.go:use calls a.go:Part.Turn (90)
    a.go:use uses a.go:Child
    ");
}

#[test]
fn definitions_are_seen_by_their_capital() {
    assert_snapshot!(definitions(r"
//- a.go
// Package m sells.
package m

// Limit is how many.
const Limit = 3

var count = 1

type Shop interface {
	// Sell sells.
	Sell(x int) error
}

type Handler func(int)

func hidden() {}
"), @"
    constant a.go:Limit | Limit is how many.
    variable a.go:count private
    interface a.go:Shop
    method a.go:Shop.Sell | Sell sells.
    type a.go:Handler
    function a.go:hidden private
    ");
}

#[test]
fn literals_name_the_fields_of_their_types() {
    assert_snapshot!(edges(r#"
//- go.mod
module example.org/shop
//- item/item.go
package item

type Item struct {
	Name string
	Parts []*Part
	ByName map[string]Part
}

type Part struct{ Size int }

func (p *Part) Turn() {}
//- main.go
package main

import "example.org/shop/item"

var one = &item.Item{Name: "a"}

var all = []item.Part{{Size: 1}, {Size: 2}}

func main() {
	_ = one.Name
	for _, part := range one.Parts {
		part.Turn()
	}
	one.Parts[0].Turn()
	one.ByName["x"].Turn()
	_ = []struct{ Name string }{{Name: "b"}}
}
"#), @"
    main.go imports item/item.go
    main.go:one calls item/item.go:Item
    main.go:one uses item/item.go:Item.Name (90)
    main.go:all uses item/item.go:Part
    main.go:all uses item/item.go:Part.Size (90)
    main.go:main uses item/item.go:Item.Name
    main.go:main uses item/item.go:Item.Parts
    main.go:main uses item/item.go:Item.ByName
    main.go:main calls item/item.go:Part.Turn (90)
    ");
}

#[test]
fn values_are_known_by_assertion_result_and_other_values() {
    assert_snapshot!(edges(r#"
//- go.mod
module example.org/shop
//- store/store.go
package store

type Store struct{ inner *Store }

func Open() (store *Store, err error) { return nil, nil }

func (s *Store) Get() *Store { return s }

func (s *Store) Close() {}
//- main.go
package main

import (
	"example.org/shop/store"
	other "example.org/shop/store"
	. "example.org/shop/store"
)

func main() {
	s, _ := store.Open()
	s.Get().Get().Close()
	t := s.Get()
	t.Close()
	var any interface{} = t
	u := any.(*other.Store)
	u.Close()
	v := &t
	v.Close()
	Open()
}
"#), @"
    main.go imports store/store.go
    main.go:main uses store/store.go:Store
    main.go:main calls store/store.go:Open
    main.go:main calls store/store.go:Store.Get (85)
    main.go:main calls store/store.go:Store.Close (90)
    ");
}

#[test]
fn replaced_modules_and_internal_packages_are_folders() {
    assert_snapshot!(imports(r#"
//- go.mod
module example.org/shop

require example.org/tools v1.0.0

replace (
	example.org/tools => ./tools
)
//- main.go
package main

import (
	"example.org/shop/internal/deep"
	"example.org/tools/text"
	_ "example.org/shop/side"
	"fmt"
)

func main() { deep.Go(); text.Trim(); fmt.Println() }
//- internal/deep/deep.go
package deep

func Go() {}
//- internal/deep/unused.go
package deep

func Other() {}
//- side/side.go
package side

func init() {}
//- tools/go.mod
module example.org/tools
//- tools/text/text.go
package text

func Trim() {}
"#), @"
    main.go -> internal/deep/deep.go
    main.go -> side/side.go
    main.go -> tools/text/text.go
    ");
}

#[test]
fn a_type_implements_the_interfaces_whose_methods_it_has() {
    assert_snapshot!(all_edges(r"
//- shape/shape.go
package shape

type Area interface{ Size() int }

type Shape interface {
	Area
	Draw(width int, label string) error
}

type Other interface{ Draw(width int) error }
//- circle/circle.go
package circle

type Circle struct{}

func (c Circle) Size() int { return 1 }

type Half struct{}

func (h *Half) Draw(w int, s string) error { return nil }
//- circle/draw.go
package circle

func (c *Circle) Draw(w int, s string) error { return nil }
"), @"
    circle/circle.go:Circle implements shape/shape.go:Area (80)
    circle/circle.go:Circle implements shape/shape.go:Shape (80)
    circle/circle.go:Circle.Size uses circle/circle.go:Circle
    circle/circle.go:Circle.Size implements shape/shape.go:Area.Size (80)
    circle/circle.go:Half.Draw uses circle/circle.go:Half
    circle/draw.go:Circle.Draw uses circle/circle.go:Circle
    circle/draw.go:Circle.Draw implements shape/shape.go:Shape.Draw (80)
    shape/shape.go:Shape extends shape/shape.go:Area
    ");
}
