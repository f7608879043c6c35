/** What the gateway sends to an OpenTelemetry collector, and how. */
export type TelemetrySettings = {
  /** The version of the semantic conventions whose names are used. */
  conventions: '1.41' | 'next'
  traces: CollectorAddress | undefined
  metrics: CollectorAddress | undefined
  /** Only coding agents have logs. */
  logs: CollectorAddress | undefined
  serviceName: string
  /** Further attributes of the resource. */
  resource: Readonly<Record<string, string>>
  sampler: Sampler
  spans: { queueSize: number; batchSize: number; delayMs: number; exportTimeoutMs: number }
  metricIntervalMs: number
}

/** `headers` may hold secrets, and `tls` holds a private key. */
export type CollectorAddress = {
  protocol: OtlpProtocol
  /** With gRPC, only its origin counts. */
  url: string
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  compression: 'gzip' | 'none'
  /** PEM texts: the authorities to trust instead of the usual ones, and the certificate of this client with its key. */
  tls: { ca?: string; cert?: string; key?: string } | undefined
}

export type OtlpProtocol = 'http/json' | 'http/protobuf' | 'grpc'

/** `ratio` is the share of traces that are kept; 0 and 1 are `always_off` and `always_on`. */
export type Sampler = { ratio: number; isParentBased: boolean }
