module weeder.dev/workload

go 1.26.0
