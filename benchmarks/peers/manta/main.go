// Command manta-dump plays a Source 2 demo with manta and prints the state at its end, one JSON value a line.
//
// The form of the lines is described in compare.py. With -quiet, nothing but the counters is printed.
//
// manta shows less than it knows: Entity.Map leaves out what lies in vectors below pointers (Map walks them with
// the whole path from the place it already is at), and string tables are not shown but for their keys. So this
// looks into the objects of the one version that go.mod names (see state.go).
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/dotabuff/manta"
	"github.com/dotabuff/manta/dota"
	"google.golang.org/protobuf/proto"
)

type entityLine struct {
	Entity int32                  `json:"entity"`
	Serial int32                  `json:"serial"`
	Class  string                 `json:"class"`
	Active bool                   `json:"active"`
	Fields map[string]interface{} `json:"fields"`
}

type tableLine struct {
	Table string          `json:"table"`
	Items [][]interface{} `json:"items"`
}

func run(path string, quiet bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	parser, err := manta.NewStreamParser(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return err
	}

	counters := map[string]int{"creates": 0, "updates": 0, "deletes": 0, "leaves": 0, "combat_log": 0}
	var accommodated []string

	// manta gives up on a recording whose game_dir has no /dota_vNNNN/ (a local server, CS2, Deadlock): name the
	// build of the file's header, or a recent one, instead, so that the rest can be compared.
	build := int32(10000)
	parser.Callbacks.OnCDemoFileHeader(func(m *dota.CDemoFileHeader) error {
		if m.GetBuildNum() > 1027 {
			build = m.GetBuildNum()
		}
		return nil
	})
	beforeServerInfo(parser.Callbacks, func(m *dota.CSVCMsg_ServerInfo) {
		if !strings.Contains(m.GetGameDir(), "/dota_v") {
			m.GameDir = proto.String(fmt.Sprintf("/dota_v%d/", build))
			accommodated = append(accommodated, "game_dir names no build")
		}
	})
	parser.Callbacks.OnCMsgDOTACombatLogEntry(func(m *dota.CMsgDOTACombatLogEntry) error {
		counters["combat_log"]++
		return nil
	})
	parser.OnEntity(func(e *manta.Entity, op manta.EntityOp) error {
		switch {
		case op.Flag(manta.EntityOpCreated):
			counters["creates"]++
		case op.Flag(manta.EntityOpUpdated):
			counters["updates"]++
		case op.Flag(manta.EntityOpDeleted):
			counters["deletes"]++
		case op.Flag(manta.EntityOpLeft):
			counters["leaves"]++
		}
		return nil
	})
	if err := parser.Start(); err != nil {
		return err
	}

	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if !quiet {
		entities := parser.FilterEntity(func(e *manta.Entity) bool { return e != nil })
		sort.Slice(entities, func(i, j int) bool { return entities[i].GetIndex() < entities[j].GetIndex() })
		for _, e := range entities {
			line := entityLine{e.GetIndex(), e.GetSerial(), e.GetClassName(), isActive(e), fieldsOf(e)}
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
		for _, table := range stringTablesOf(parser) {
			line := tableLine{table.name, [][]interface{}{}}
			for _, item := range table.items {
				line.Items = append(line.Items, []interface{}{item.index, item.key, hex.EncodeToString(item.value)})
			}
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
	}
	last := map[string]interface{}{"counters": counters}
	if len(accommodated) > 0 {
		last["accommodated"] = accommodated
	}
	return encoder.Encode(last)
}

func main() {
	quiet := flag.Bool("quiet", false, "print the counters only")
	flag.Parse()
	if err := run(flag.Arg(0), *quiet); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
