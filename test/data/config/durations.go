//go:build ignore

// Prints how Go parses many durations, one JSON object per line:
//
//	go run test/data/config/durations.go > test/data/config/durations.jsonl
package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"
)

type row struct {
	Text   string `json:"text"`
	Nanos  string `json:"nanos,omitempty"`
	String string `json:"string,omitempty"`
}

func main() {
	texts := []string{
		"0", "+0", "-0", "00", "0s", "5s", "+5s", "-5s", "5", "", "+", "-", ".", ".s", "-.s", "+.s", "1.s", ".5s", "1.5h",
		"1h2m0.5s", "300ms", "2m0s", "5m0s", "1h0m0s", "10ns", "11us", "12µs", "12μs", "13ms", "14s", "15m", "16h", "1d", "1w",
		"1y", "1S", "1H", "1Ms", "s", "h", " 5s", "5s ", "5 s", "5s\n", "1h 2m", "--5s", "+-5s", "1-5s", "1h-2m", "1e3s", "0x1s",
		"1_000s", "1,5s", "1..5s", "1.5.5s", "1m1h", "1s1s", "5m5m", "1.2.3s", "39h9m14.425s", "52763797000ns", "0.3333333333333333333h",
		"9007199254740993ns", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "-9223372036854775809ns",
		"9223372036854775.807us", "9223372036854775.808us", "9223372036s854ms775us807ns", "9223372036s854ms775us808ns",
		"-9223372036s854ms775us808ns", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "2562048h", "3000000h",
		"0.100000000000000000000h", "0.830103483285477580700h", "0.9223372036854775807h", "0.92233720368547758079h",
		"100000000000000000000ns", "18446744073709551616ns", "0.000000001s", "0.0000000001s", "1.0000000009s", "576h", "577h", "24h",
		"٣s", "５s", "1µ", "1 ms", "1h1", "1h1m1", "∞", "1ns1us1ms1s1m1h", "0.1ms", "0.001ms", "999.999999ms", "59.999999999s",
		"3599.999999999s", "1.1s", "0.5us", "1500us", "-1.5h", "-0.5ns", "0.9ns", "nan", "null", "true", strings.Repeat("1", 300) + "s",
		strings.Repeat("1s", 300), "0." + strings.Repeat("0", 300) + "1h",
	}
	random := rand.New(rand.NewSource(1))
	units := []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h"}
	for range 300 {
		var text strings.Builder
		for range 1 + random.Intn(4) {
			text.WriteString(strconv.FormatInt(random.Int63n(1<<uint(1+random.Intn(40))), 10))
			if random.Intn(2) == 0 {
				text.WriteString("." + strconv.FormatInt(random.Int63(), 10)[:1+random.Intn(15)])
			}
			text.WriteString(units[random.Intn(len(units))])
		}
		texts = append(texts, text.String())
	}
	alphabet := []rune("0123459..+-nuµmsh ")
	for range 300 {
		var text strings.Builder
		for range 1 + random.Intn(7) {
			text.WriteRune(alphabet[random.Intn(len(alphabet))])
		}
		texts = append(texts, text.String())
	}
	for range 100 {
		texts = append(texts, time.Duration(random.Int63()>>uint(random.Intn(62))).String())
	}
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for _, text := range texts {
		line := row{Text: text}
		if duration, err := time.ParseDuration(text); err == nil {
			line.Nanos, line.String = strconv.FormatInt(int64(duration), 10), duration.String()
		}
		if err := output.Encode(line); err != nil {
			panic(err)
		}
	}
}
