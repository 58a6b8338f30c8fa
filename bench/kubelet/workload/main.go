// All that runs in the benchmark's pods, in one static program:
//
//	workload pause              a pod's sandbox
//	workload serve PORT         the service: GET / answers 200 when it is there, else 503; POST /back, POST /away
//	workload depend URL LIVES   the dependant: asks for the service, and exits LIVES after the first answer without it
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
	// As process 1 of its container it is ended by no signal that it does not ask for.
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
	var isThere atomic.Bool
	isThere.Store(true)
	http.HandleFunc("POST /back", func(http.ResponseWriter, *http.Request) { isThere.Store(true) })
	http.HandleFunc("POST /away", func(http.ResponseWriter, *http.Request) { isThere.Store(false) })
	http.HandleFunc("GET /", func(answer http.ResponseWriter, _ *http.Request) {
		if !isThere.Load() {
			answer.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return http.ListenAndServe("127.0.0.1:"+port, nil)
}

func depend(url string, lives string) {
	span, err := time.ParseDuration(lives)
	if err != nil {
		fail(err)
	}
	for isThere(url) {
		time.Sleep(500 * time.Millisecond)
	}
	time.Sleep(span)
	fail(fmt.Errorf("the service is not there"))
}

func isThere(url string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
