import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Type from '../../../base/schema/type.ts'
import { words } from '../../../base/schema/fields.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { checkSection } from '../section.ts'
import { flag, listOfPairs, milliseconds, set, whole } from './otel-values.ts'
import { readSampler } from './sampler-settings.ts'
import type { CollectorAddress, OtlpProtocol, TelemetrySettings } from './telemetry.ts'

// OpenTelemetry has names for its variables, and every program reads the same ones. So there is no name of ours for them.

const Settings = Type.Object({ conventions: Type.Optional(words(['1.41', 'next'])) }, { additionalProperties: false })

const TIMEOUT_MS = 10_000
const SPANS = { queueSize: 2_048, batchSize: 512, delayMs: 5_000, exportTimeoutMs: 30_000 }
const METRIC_INTERVAL_MS = 60_000
const MAX_QUEUE = 1_000_000

/** Reads `telemetry` of the config file and the OTEL_ variables. Undefined if nothing is to be sent. */
export function readTelemetry(section: unknown, environment: Environment): TelemetrySettings | undefined {
  if (section !== undefined) checkSection('telemetry', Settings, section)
  const { conventions = '1.41' } = (section ?? {}) as { conventions?: TelemetrySettings['conventions'] }
  if (flag(environment, 'OTEL_SDK_DISABLED')) return undefined
  const traces = addressOf('TRACES', environment)
  const metrics = addressOf('METRICS', environment)
  const logs = addressOf('LOGS', environment)
  if (!traces && !metrics && !logs) return undefined
  const { 'service.name': named, ...resource } = listOfPairs(environment, 'OTEL_RESOURCE_ATTRIBUTES')
  return {
    conventions,
    traces,
    metrics,
    logs,
    serviceName: set(environment, 'OTEL_SERVICE_NAME') ?? named ?? 'gatehouse',
    resource,
    sampler: readSampler(environment),
    spans: spanLimits(environment),
    metricIntervalMs: milliseconds(environment, 'OTEL_METRIC_EXPORT_INTERVAL', METRIC_INTERVAL_MS),
  }
}

function spanLimits(environment: Environment): TelemetrySettings['spans'] {
  const queueSize = whole(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', SPANS.queueSize, MAX_QUEUE)
  const batchSize = whole(
    environment,
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    Math.min(SPANS.batchSize, queueSize),
    MAX_QUEUE,
  )
  if (batchSize > queueSize)
    throw new ConfigError('OTEL_BSP_MAX_EXPORT_BATCH_SIZE: should not be more than OTEL_BSP_MAX_QUEUE_SIZE')
  return {
    queueSize,
    batchSize,
    delayMs: milliseconds(environment, 'OTEL_BSP_SCHEDULE_DELAY', SPANS.delayMs),
    exportTimeoutMs: milliseconds(environment, 'OTEL_BSP_EXPORT_TIMEOUT', SPANS.exportTimeoutMs),
  }
}

const COMMON_ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
type SignalName = 'TRACES' | 'METRICS' | 'LOGS'

/** The variables of a signal come before those of all signals. */
function addressOf(signal: SignalName, environment: Environment): CollectorAddress | undefined {
  if (!isExported(signal, environment)) return undefined
  const protocol = readProtocol(nameFor(signal, 'PROTOCOL', environment), environment)
  const url = urlOf(signal, protocol, environment)
  if (url === undefined) return undefined
  return {
    protocol,
    url,
    headers: readHeaders(nameFor(signal, 'HEADERS', environment), environment),
    timeoutMs: milliseconds(environment, nameFor(signal, 'TIMEOUT', environment), TIMEOUT_MS),
    compression: readCompression(nameFor(signal, 'COMPRESSION', environment), environment),
    tls: readTls((what) => nameFor(signal, what, environment), environment),
  }
}

/** The endpoint of a signal is used as it is; the common one gets the path of the signal. gRPC has paths of its own. */
function urlOf(signal: SignalName, protocol: OtlpProtocol, environment: Environment): string | undefined {
  const variable = nameFor(signal, 'ENDPOINT', environment)
  const text = set(environment, variable)
  if (text === undefined) return undefined
  const url = checkedUrl(variable, text)
  if (protocol === 'grpc') return originOf(variable, url)
  if (variable === COMMON_ENDPOINT) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`
  return url.href
}

/** The variable of the signal if it is set, otherwise that of all signals. */
function nameFor(signal: SignalName, what: string, environment: Environment): string {
  const own = `OTEL_EXPORTER_OTLP_${signal}_${what}`
  return set(environment, own) === undefined ? `OTEL_EXPORTER_OTLP_${what}` : own
}

function isExported(signal: SignalName, environment: Environment): boolean {
  const variable = `OTEL_${signal}_EXPORTER`
  const exporter = set(environment, variable) ?? 'otlp'
  if (exporter === 'otlp' || exporter === 'none') return exporter === 'otlp'
  throw new ConfigError(`${variable}: should be otlp or none`)
}

const PROTOCOLS: readonly OtlpProtocol[] = ['http/json', 'http/protobuf', 'grpc']

function readProtocol(variable: string, environment: Environment): OtlpProtocol {
  const text = set(environment, variable) ?? 'http/json'
  const protocol = PROTOCOLS.find((one) => one === text)
  if (protocol) return protocol
  throw new ConfigError(`${variable}: should be one of ${PROTOCOLS.join(', ')}`)
}

/** A path would be that of OTLP over HTTP, whose port does not speak gRPC. */
function originOf(variable: string, url: URL): string {
  if (url.pathname === '/' && url.search === '') return url.origin
  throw new ConfigError(`${variable}: should have no path with the protocol grpc, such as http://localhost:4317`)
}

type TlsSettings = NonNullable<CollectorAddress['tls']>

function readTls(nameOf: (what: string) => string, environment: Environment): CollectorAddress['tls'] {
  const tls: TlsSettings = {
    ...pemIn('ca', nameOf('CERTIFICATE'), environment),
    ...pemIn('cert', nameOf('CLIENT_CERTIFICATE'), environment),
    ...pemIn('key', nameOf('CLIENT_KEY'), environment),
  }
  if ((tls.cert === undefined) !== (tls.key === undefined))
    throw new ConfigError(
      `${nameOf(tls.cert === undefined ? 'CLIENT_CERTIFICATE' : 'CLIENT_KEY')}: should be set, because the other one of the certificate and its key is`,
    )
  return Object.keys(tls).length > 0 ? tls : undefined
}

function pemIn(name: keyof TlsSettings, variable: string, environment: Environment): TlsSettings {
  const file = set(environment, variable)
  if (file === undefined) return {}
  const [what, isUsable] =
    name === 'key' ? (['a private key', isKey] as const) : (['a certificate', isCertificate] as const)
  const pem = readFile(file)
  if (pem !== undefined && isUsable(pem)) return { [name]: pem }
  throw new ConfigError(`${variable}: should be a file with ${what} (PEM)`)
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem))
  } catch {
    return false
  }
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private'
  } catch {
    return false
  }
}

/** Errors do not repeat the address: it may hold a secret. */
function checkedUrl(variable: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${variable}: should be an http:// or https:// address, such as http://localhost:4318`)
  if (url.username || url.password)
    throw new ConfigError(`${variable}: should have no password; OTEL_EXPORTER_OTLP_HEADERS is the place for secrets`)
  return url
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/
/** The client writes these itself, or HTTP/2 does not have them. */
const OUR_HEADERS =
  /^(?:host|content-(?:length|type|encoding)|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|te|grpc-.*)$/i

function readHeaders(variable: string, environment: Environment): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(listOfPairs(environment, variable))) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || OUR_HEADERS.test(name))
      throw new ConfigError(`${variable}: should be headers as name=value, separated by commas`)
    headers[name.toLowerCase()] = value
  }
  return headers
}

function readCompression(variable: string, environment: Environment): 'gzip' | 'none' {
  const compression = set(environment, variable) ?? 'none'
  if (compression === 'gzip' || compression === 'none') return compression
  throw new ConfigError(`${variable}: should be gzip or none`)
}
