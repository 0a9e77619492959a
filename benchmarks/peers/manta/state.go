package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unsafe"

	"github.com/dotabuff/manta"
	"github.com/dotabuff/manta/dota"
)

// private returns the field of that name of the struct that v points to, readable and writable though it is not
// exported. It panics if there is none, as it must if manta's version is changed without looking at this file.
func private(v reflect.Value, name string) reflect.Value {
	field := reflect.Indirect(v).FieldByName(name)
	if !field.IsValid() {
		panic("manta has no " + name + " any more")
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// beforeServerInfo calls fn before manta's own handler of CSVCMsg_ServerInfo.
func beforeServerInfo(callbacks *manta.Callbacks, fn func(*dota.CSVCMsg_ServerInfo)) {
	handlers := private(reflect.ValueOf(callbacks), "onCSVCMsg_ServerInfo").Addr().Interface().(*[]func(*dota.CSVCMsg_ServerInfo) error)
	first := func(m *dota.CSVCMsg_ServerInfo) error {
		fn(m)
		return nil
	}
	*handlers = append([]func(*dota.CSVCMsg_ServerInfo) error{first}, *handlers...)
}

func isActive(e *manta.Entity) bool {
	return private(reflect.ValueOf(e), "active").Bool()
}

// fieldsOf returns every value that the entity has, by path.
func fieldsOf(e *manta.Entity) map[string]interface{} {
	out := map[string]interface{}{}
	collect(private(reflect.ValueOf(e), "state"), nil, out)
	return out
}

// The kinds of manta's cells (field_state.go).
const (
	cellEmpty = iota
	cellFloat32
	cellInt32
	cellUint32
	cellUint64
	cellBool
	cellRef
	cellSub
)

func collect(state reflect.Value, prefix []string, out map[string]interface{}) {
	cells := private(state, "state")
	for i := 0; i < cells.Len(); i++ {
		cell := cells.Index(i).Addr()
		path := append(prefix[:len(prefix):len(prefix)], strconv.Itoa(i))
		number := uint32(private(cell, "num").Uint())
		name := strings.Join(path, ".")
		switch private(cell, "kind").Uint() {
		case cellFloat32:
			out[name] = floats(math.Float32frombits(number))
		case cellInt32:
			out[name] = int32(number)
		case cellUint32, cellUint64:
			out[name] = number
		case cellBool:
			out[name] = number != 0
		case cellRef:
			out[name] = canonical(private(cell, "ref").Interface())
		case cellSub:
			collect(private(cell, "ref").Elem(), path, out)
		}
	}
}

func floats(values ...float32) string {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = fmt.Sprintf("%08x", math.Float32bits(value))
	}
	return "f:" + strings.Join(parts, ",")
}

func canonical(value interface{}) interface{} {
	switch x := value.(type) {
	case string:
		return "s:" + x
	case []byte:
		return "b:" + hex.EncodeToString(x)
	case []float32:
		return floats(x...)
	default:
		return x
	}
}

type stringTable struct {
	name  string
	items []stringItem
}

type stringItem struct {
	index int32
	key   string
	value []byte
}

// stringTablesOf returns the tables in the order of their numbers, their items in the order of theirs.
func stringTablesOf(parser *manta.Parser) []stringTable {
	var out []stringTable
	tables := private(private(reflect.ValueOf(parser), "stringTables"), "Tables")
	for number := int32(0); ; number++ {
		table := tables.MapIndex(reflect.ValueOf(number))
		if !table.IsValid() {
			return out
		}
		listed := stringTable{name: private(table, "name").String()}
		entries := private(table, "Items").MapRange()
		for entries.Next() {
			item := entries.Value()
			listed.items = append(listed.items, stringItem{
				int32(private(item, "Index").Int()), private(item, "Key").String(), private(item, "Value").Bytes(),
			})
		}
		sort.Slice(listed.items, func(i, j int) bool { return listed.items[i].index < listed.items[j].index })
		out = append(out, listed)
	}
}
