// Print the players of a replay, from a file through a pipe or from a service:
// go run . match.dem; PLAYHEAD_TOKEN=… go run . http://127.0.0.1:8000/replays/ID
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"
)

func open(place string) (io.Reader, error) {
	if !strings.HasPrefix(place, "http") {
		export := exec.Command("playhead", "export", place, "--table", "players", "--format", "arrow")
		pipe, _ := export.StdoutPipe()
		return pipe, export.Start()
	}
	request, err := http.NewRequest("GET", place+"/tables/players?format=arrow", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PLAYHEAD_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

func main() {
	stream, err := open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	reader, err := ipc.NewReader(stream)
	if err != nil {
		log.Fatal(err)
	}
	name := reader.Schema().FieldIndices("name")[0]
	for reader.Next() {
		column := reader.RecordBatch().Column(name)
		for row := range column.Len() {
			fmt.Println(column.ValueStr(row))
		}
	}
}
