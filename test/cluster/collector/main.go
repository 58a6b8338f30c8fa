// A minimal OpenTelemetry Collector: it receives OTLP, and writes what it has received to its output, a line of JSON for
// each request.
package main

import (
	"context"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry"
)

var jsonType = component.MustNewType("json")

// In one write, so that lines are never mixed.
func writeLine(line []byte, err error) error {
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n'))
	}
	return err
}

func noConfig() component.Config { return &struct{}{} }

func newTraces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	return exporterhelper.NewTraces(ctx, set, cfg, func(_ context.Context, traces ptrace.Traces) error {
		return writeLine((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
	})
}

func newMetrics(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Metrics, error) {
	return exporterhelper.NewMetrics(ctx, set, cfg, func(_ context.Context, metrics pmetric.Metrics) error {
		return writeLine((&pmetric.JSONMarshaler{}).MarshalMetrics(metrics))
	})
}

func factories() (otelcol.Factories, error) {
	lines := exporter.NewFactory(jsonType, noConfig,
		exporter.WithTraces(newTraces, component.StabilityLevelStable),
		exporter.WithMetrics(newMetrics, component.StabilityLevelStable))
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](lines)
	return otelcol.Factories{
		Receivers: receivers,
		Exporters: exporters,
		Telemetry: telemetry.NewFactory(noConfig),
	}, err
}

func main() {
	collector := otelcol.NewCommand(otelcol.CollectorSettings{
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				DefaultScheme:     "yaml",
				ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
			},
		},
	})
	if err := collector.Execute(); err != nil {
		log.Fatal(err)
	}
}
