// CoreDNS with the plugins that a cluster needs for the names of its Services. The official build has fifty more
// plugins, with the clients of three clouds, and takes as long to build as the kubelet.
package main

import (
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func main() {
	coremain.Run()
}
