//go:build ignore

// Prints which names and selectors Kubernetes accepts, and which plain YAML scalars it parses as strings, one JSON object
// per line. It needs a module that requires k8s.io/apimachinery, such as the module of the cluster tests:
//
//	cd test/cluster/controlplane && go run ../../data/config/names.go > ../../data/config/names.jsonl
package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

type row struct {
	Kind     string                `json:"kind"`
	Text     string                `json:"text"`
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	Ok       bool                  `json:"ok"`
}

func main() {
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	print := func(line row) {
		if err := output.Encode(line); err != nil {
			panic(err)
		}
	}
	for _, text := range texts() {
		print(row{Kind: "labelKey", Text: text, Ok: len(validation.IsQualifiedName(text)) == 0})
		print(row{Kind: "labelValue", Text: text, Ok: len(validation.IsValidLabelValue(text)) == 0})
		print(row{Kind: "dnsLabel", Text: text, Ok: len(validation.IsDNS1123Label(text)) == 0})
	}
	for _, text := range scalars() {
		var read map[string]any
		err := yaml.Unmarshal([]byte("value: "+text), &read)
		_, isText := read["value"].(string)
		print(row{Kind: "scalar", Text: text, Ok: err == nil && isText})
	}
	for _, operator := range []string{"In", "NotIn", "Exists", "DoesNotExist", "in", "Equals", ""} {
		for _, values := range [][]string{nil, {}, {"a"}, {"a", "b"}, {""}, {"-"}, {"a b"}} {
			for _, key := range []string{"role", "gardener.cloud/role", "a b", ""} {
				selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: key, Operator: metav1.LabelSelectorOperator(operator), Values: values},
				}}
				_, err := metav1.LabelSelectorAsSelector(selector)
				print(row{Kind: "selector", Selector: selector, Ok: err == nil})
			}
		}
	}
}

func scalars() []string {
	all := []string{"", "~", "a", "x1", "v1", "1.2.3", "2026-11-21", "12:30:45", "on1", "nope", "infinity", "NaN", "inf", "0x", "0b", "0o", "1h", "e5"}
	for _, word := range []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"} {
		all = append(all, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:], word+"X")
	}
	all = append(all, "tRue", "oN", ".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", ".NAN", "1", "-1", "+1", "0", "00", "07", "0777", "08", "1_000",
		"0x1F", "0X1f", "0b101", "0B11", "0o17", "0O17", "1.5", "1.", ".5", "-.5", "1e3", "1E3", "1e+3", "1.5e-3", "1e", "1234e567", "12e03", "0.10",
		"1_0.5", "9007199254740993", "18446744073709551616", "1.2e3.4", "-0x1", "+0b1", "_1", "1_", "0x_1", "--1", "5e5e5")
	return all
}

func texts() []string {
	long := strings.Repeat("a", 63)
	subdomain := strings.Repeat(long+".", 3) + strings.Repeat("b", 61)
	all := []string{
		"", "a", "A", "1", "-", ".", "_", "/", "a-", "-a", "a.", ".a", "a_b", "a.b", "a..b", "a-b", "a--b", "a b", " a", "a ", "a\n", "ä", "a/b",
		"a/", "/a", "a/b/c", "A/b", "a.b/c", "a..b/c", "a.b./c", ".a/b", "a_b/c", "-a/b", "a-/b", "a-.b/c", "a/B_c.d-e", "a/-b", long, long + "a",
		"x/" + long, "x/" + long + "a", long + "/a", long + "a/a", subdomain + "/a", subdomain + "b/a", strings.Repeat("a", 253) + "/a",
		strings.Repeat("a", 254) + "/a", "kubernetes.io/service-name", "gardener.cloud/role", "constructor", "__proto__", "toString", "0.1", "a/0",
	}
	random := rand.New(rand.NewSource(2))
	alphabet := []rune("aZ09-._/ é")
	for range 400 {
		var text strings.Builder
		for range 1 + random.Intn(8) {
			text.WriteRune(alphabet[random.Intn(len(alphabet))])
		}
		all = append(all, text.String())
	}
	return all
}
