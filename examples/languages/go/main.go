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

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func open(place string) io.Reader {
	if !strings.HasPrefix(place, "http") {
		export := exec.Command("playhead", "export", place, "--table", "players", "--format", "arrow")
		export.Stderr = os.Stderr
		pipe, err := export.StdoutPipe()
		check(err)
		check(export.Start())
		return pipe
	}
	request, err := http.NewRequest("GET", place+"/tables/players?format=arrow", nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PLAYHEAD_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	check(err)
	if answer.StatusCode != http.StatusOK {
		log.Fatal("error: ", answer.Status)
	}
	return answer.Body
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("expected a file or an address")
	}
	reader, err := ipc.NewReader(open(os.Args[1]))
	check(err)
	for reader.Next() {
		column := reader.RecordBatch().Column(reader.Schema().FieldIndices("name")[0])
		for row := range column.Len() {
			fmt.Println(column.ValueStr(row))
		}
	}
	check(reader.Err())
}
