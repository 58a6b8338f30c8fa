// All programs of the pods in the benchmark, as one static program:
//
//	workload pause                  the sandbox of a pod
//	workload serve PORT             the service: GET / returns 200 while it is up, or else 503; POST /up, POST /down
//	workload depend URL RUNS-FOR    the dependant: polls the service, and exits RUNS-FOR after the first failure
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	// Process 1 of a container receives only the signals that it handles.
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		switch os.Args[1] {
		case "serve":
			fail(serve(os.Args[2]))
		case "depend":
			depend(os.Args[2], os.Args[3])
		}
	}()
	<-end
}

func serve(port string) error {
	var isUp atomic.Bool
	isUp.Store(true)
	http.HandleFunc("POST /up", func(http.ResponseWriter, *http.Request) { isUp.Store(true) })
	http.HandleFunc("POST /down", func(http.ResponseWriter, *http.Request) { isUp.Store(false) })
	http.HandleFunc("GET /", func(response http.ResponseWriter, _ *http.Request) {
		if !isUp.Load() {
			response.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return http.ListenAndServe("127.0.0.1:"+port, nil)
}

func depend(url string, runsFor string) {
	duration, err := time.ParseDuration(runsFor)
	if err != nil {
		fail(err)
	}
	for isUp(url) {
		time.Sleep(500 * time.Millisecond)
	}
	time.Sleep(duration)
	fail(fmt.Errorf("the service is down"))
}

func isUp(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
