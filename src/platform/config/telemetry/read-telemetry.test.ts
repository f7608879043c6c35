import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../../net/egress/fixtures/self-made-certificate.ts'
import { readTelemetry } from './read-telemetry.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' }

function read(environment: Record<string, string>, section?: unknown) {
  return readTelemetry(section, { ...ENDPOINT, ...environment })
}

test('without an address nothing is sent, nor if it is disabled', () => {
  assert.equal(readTelemetry(undefined, {}), undefined)
  assert.equal(readTelemetry({ conventions: 'next' }, { OTEL_SERVICE_NAME: 'x' }), undefined)
  assert.equal(read({ OTEL_SDK_DISABLED: 'true' }), undefined)
  assert.equal(
    read({ OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }),
    undefined,
  )
  assert.equal(readTelemetry(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }), undefined)
})

test('the defaults are those of OpenTelemetry', () => {
  const settings = read({})!
  assert.equal(settings.traces!.url, 'http://collector.test:4318/v1/traces')
  assert.equal(settings.metrics!.url, 'http://collector.test:4318/v1/metrics')
  assert.equal(settings.traces!.timeoutMs, 10_000)
  assert.deepEqual(settings.sampler, { isParentBased: true, ratio: 1 })
  assert.deepEqual(settings.spans, { queueSize: 2_048, batchSize: 512, delayMs: 5_000, exportTimeoutMs: 30_000 })
  assert.deepEqual(
    [settings.metricIntervalMs, settings.serviceName, settings.conventions],
    [60_000, 'gatehouse', '1.41'],
  )
})

test('the variables of a signal win, and its endpoint is used as it is', () => {
  const settings = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.test/otel/?tenant=1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://b.test/api/public/otel/v1/traces',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=common, x-b=2',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20cGs6c2s%3D',
    OTEL_EXPORTER_OTLP_TIMEOUT: '7',
    OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '8',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
  })!
  assert.equal(settings.traces!.url, 'https://b.test/api/public/otel/v1/traces')
  assert.equal(settings.metrics!.url, 'https://a.test/otel/v1/metrics?tenant=1')
  assert.deepEqual(settings.traces!.headers, { authorization: 'Basic cGs6c2s=' })
  assert.deepEqual(settings.metrics!.headers, { 'api-key': 'common', 'x-b': '2' })
  assert.deepEqual([settings.traces!.timeoutMs, settings.metrics!.timeoutMs], [7, 8])
  assert.deepEqual([settings.traces!.compression, settings.metrics!.compression], ['gzip', 'none'])
})

test('the resource, the service and the sampler', () => {
  const settings = read({
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=of-list,team=a%2Cb',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })!
  assert.deepEqual([settings.serviceName, settings.resource], ['of-list', { team: 'a,b' }])
  assert.deepEqual(settings.sampler, { isParentBased: false, ratio: 0.25 })
  assert.equal(read({ OTEL_SERVICE_NAME: 'own', OTEL_RESOURCE_ATTRIBUTES: 'service.name=x' })!.serviceName, 'own')
  assert.deepEqual(read({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })!.sampler, { isParentBased: true, ratio: 0 })
})

test('a signal has its own protocol, and with gRPC an address without a path', () => {
  const settings = read({
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test:4317/',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
  })!
  assert.deepEqual([settings.traces!.protocol, settings.traces!.url], ['grpc', 'https://collector.test:4317'])
  assert.deepEqual(
    [settings.metrics!.protocol, settings.metrics!.url],
    ['http/protobuf', 'https://collector.test:4317/v1/metrics'],
  )
  assert.equal(read({})!.traces!.protocol, 'http/json')
  const withPath = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.test/v1/traces' }
  assert.throws(() => read(withPath), /^ConfigError: OTEL_EXPORTER_OTLP_ENDPOINT: should have no path/)
})

test('certificates are read from the files of a signal, or from those of all signals', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-otlp-'))
  t.after(() => rm(folder, { recursive: true }))
  const { cert, key } = makeCertificate(['localhost'])
  const [certFile, keyFile, noFile] = [join(folder, 'c.pem'), join(folder, 'k.pem'), join(folder, 'none.pem')]
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)])
  const settings = read({
    OTEL_EXPORTER_OTLP_CERTIFICATE: certFile,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: certFile,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: keyFile,
  })!
  assert.deepEqual(settings.traces!.tls, { ca: cert, cert, key })
  assert.deepEqual(settings.metrics!.tls, { ca: cert })
  assert.equal(read({})!.traces!.tls, undefined)
  for (const [variable, file] of [
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', noFile],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', keyFile],
    ['OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY', certFile],
  ] as const)
    assert.throws(() => read({ [variable]: file }), { message: new RegExp(`^${variable}: should be a file with a`) })
  assert.throws(
    () => read({ OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certFile }),
    /OTEL_EXPORTER_OTLP_CLIENT_KEY: should be set/,
  )
})

test('what is not valid is refused by its name, and no value is repeated', () => {
  const invalid: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'secret-place:4318x',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://me:secret@collector.test',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=secret%0d%0ab',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'content-length=3',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'secret',
    OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: 'secret',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'secret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'secret',
    OTEL_TRACES_SAMPLER: 'secret',
    OTEL_METRIC_EXPORT_INTERVAL: '0',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
    OTEL_SDK_DISABLED: 'secret',
    OTEL_TRACES_EXPORTER: 'secret',
    OTEL_RESOURCE_ATTRIBUTES: 'secret%zz=',
  }
  for (const header of ['te', 'connection', 'grpc-timeout', 'Content-Type'])
    assert.throws(() => read({ OTEL_EXPORTER_OTLP_HEADERS: `${header}=x` }), /HEADERS: should be headers/, header)
  for (const [variable, value] of Object.entries(invalid))
    assert.throws(
      () => read({ [variable]: value }),
      ({ message }: Error) =>
        message.startsWith(`${variable}: should`) && !message.includes('secret-') && !/secret(?!s)/.test(message),
      variable,
    )
  assert.throws(
    () => read({ OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '11' }),
    /BATCH_SIZE: should/,
  )
  assert.throws(
    () => read({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }),
    /SAMPLER_ARG: should/,
  )
  assert.throws(() => read({}, { conventions: '1.0' }), /telemetry\.conventions/)
  assert.throws(() => read({}, { convention: 'next' }), /telemetry\.convention/)
})
