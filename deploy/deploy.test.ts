import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { MB } from '../src/base/units/units.ts'
import { SETTINGS } from '../src/platform/config/settings.ts'
import { planMemory } from '../src/server/memory-plan.ts'

// What can be checked about the files of a deployment without the tools that use them. `npm run deploy-check` uses the tools.

const ROOT = join(import.meta.dirname, '..')
const [dockerfile, compose, nginx] = [read('Dockerfile'), read('compose.yaml'), read('deploy/nginx/nginx.conf')]
const [unit, values] = [read('deploy/systemd/gatehouse.service'), read('deploy/helm/gatehouse/values.yaml')]
/** A shutdown has to close the store after the last request. */
const CLOSE_SECONDS = 2
const DRAIN = { delaySeconds: SETTINGS.drainDelaySeconds.fallback, seconds: SETTINGS.drainSeconds.fallback }

test('compose, Kubernetes and systemd wait longer before they kill a gateway than it drains', () => {
  const needed = DRAIN.delaySeconds + DRAIN.seconds + CLOSE_SECONDS
  const gateway = compose.slice(compose.indexOf('x-gateway:'), compose.indexOf('x-settings:'))
  const granted = {
    chart: number(values, /^terminationGracePeriodSeconds: (\d+)$/m),
    compose: number(gateway, /^ {2}stop_grace_period: (\d+)s$/m),
    nginx: number(compose.slice(compose.indexOf('  nginx:')), /^ {4}stop_grace_period: (\d+)s$/m),
    unit: number(unit, /^TimeoutStopSec=(\d+)$/m),
  }
  for (const [who, seconds] of Object.entries(granted)) assert.ok(seconds > needed, `${who}: ${seconds} s`)
  assert.equal(granted.chart, 60)
})

test('chart and compose file drain as long as the program does by itself', () => {
  assert.equal(number(values, /^ {2}delaySeconds: (\d+)$/m), DRAIN.delaySeconds)
  assert.equal(number(values, /^ {2}seconds: (\d+)$/m), DRAIN.seconds)
  assert.equal(number(compose, /^ {2}DRAIN_DELAY_SECONDS: "(\d+)"$/m), DRAIN.delaySeconds)
  assert.equal(number(compose, /^ {2}DRAIN_SECONDS: "(\d+)"$/m), DRAIN.seconds)
})

test('every variable that a deployment sets is a setting, or one of Node or PostgreSQL', () => {
  const known = new Set(Object.values(SETTINGS).map(({ env }) => env as string))
  const others = /^(?:NODE_\w+|HOME|POSTGRES_\w+|GATEHOUSE_CONFIG|[A-Z]+_API_KEY|ENGINES|GATEHOUSE_IMAGE)$/
  const named = [
    ...matches(/^(?:ENV| {3}) .*$/gm, dockerfile).flatMap((line) => matches(/\b([A-Z_]+)=/g, line)),
    ...matches(/^ +([A-Z_]+): /gm, compose),
    ...matches(/^#?([A-Z_]+)=/gm, read('deploy/systemd/gatehouse.env')),
    ...matches(/^Environment=([A-Z_]+)=/gm, unit),
    ...matches(/name: ([A-Z_]+)\b/g, read('deploy/helm/gatehouse/templates/_pod.tpl')),
  ]
  assert.ok(named.length > 40, `${named.length}`)
  assert.deepEqual(
    named.filter((name) => !known.has(name) && !others.test(name)),
    [],
  )
})

test('only the API is published, the admin port is not', () => {
  assert.deepEqual(matches(/^EXPOSE (.*)$/gm, dockerfile), ['8080'])
  assert.deepEqual(matches(/^ +ports: (.*)$/gm, compose), [`["\${PUBLISH:-127.0.0.1:8080}:8080"]`])
  assert.match(values, /^admin:\n {2}enabled: false$/m)
  for (const listener of ['HOST=0.0.0.0', 'ADMIN_HOST=0.0.0.0']) assert.ok(dockerfile.includes(listener))
})

test('the image runs as a user without a name, ends by SIGTERM, and Node is its first process', () => {
  assert.match(dockerfile, /^USER 10001:10001$/m)
  assert.match(dockerfile, /^STOPSIGNAL SIGTERM$/m)
  assert.match(dockerfile, /^ENTRYPOINT \["node", /m)
  assert.match(dockerfile, /^ARG BASE_IMAGE=\S+\/node:24-\S+$/m)
})

test('each gateway of the compose file has a volume for its journal, and both have one for files', () => {
  const volumes = matches(/^ {4}volumes: (\["gateway.*)$/gm, compose).map((list) => JSON.parse(list) as string[])
  assert.deepEqual(volumes, [
    ['gateway-1:/data', 'blobs:/data/blobs'],
    ['gateway-2:/data', 'blobs:/data/blobs'],
  ])
  assert.equal(matches(/^ {2}(GATEHOUSE_ENCRYPTION_KEY): \$\{\w+:\?/gm, compose).length, 1)
})

test('nginx speaks HTTP/1.1 to the gateways, buffers no stream and waits for a slow model', () => {
  for (const line of ['proxy_http_version 1.1;', 'proxy_set_header Connection "";', 'proxy_buffering off;'])
    assert.ok(nginx.includes(`\n    ${line}\n`), line)
  assert.ok(number(nginx, /proxy_read_timeout (\d+)s;/) > 600)
  assert.doesNotMatch(nginx, /non_idempotent/)
})

test('image and chart have the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const chart = read('deploy/helm/gatehouse/Chart.yaml')
  assert.deepEqual(matches(/^ARG VERSION=(.*)$/gm, dockerfile), [version])
  assert.deepEqual(matches(/^appVersion: "(.*)"$/gm, chart), [version])
  assert.deepEqual(matches(/^version: (.*)$/gm, chart), [version])
})

test('every value of the chart is in its schema, and the other way around', () => {
  const schema = JSON.parse(read('deploy/helm/gatehouse/values.schema.json')) as ObjectSchema
  const inValues = pathsOf(parse(values) as Record<string, unknown>, schema)
  assert.ok(inValues.length > 100, `${inValues.length}`)
  assert.deepEqual(inValues.toSorted(), pathsOfSchema(schema).toSorted())
})

test('the default memory of a pod gives the engines three threads, and each what a large scan needs', () => {
  const megabytes = number(values, /^ {2}limits: \{ memory: (\d+)Gi \}$/m) * 1024
  const { threads, threadBytes } = planMemory({ limitBytes: megabytes * MB, heapBytes: 4096 * MB }).engines
  assert.equal(threads, 3)
  assert.ok(threadBytes > 450 * MB, `${threadBytes / MB} MB`)
})

test('workflows publish what has the version of the tag, to a registry that variables name', () => {
  const release = read('.github/workflows/release.yml')
  for (const file of ['package.json', 'Dockerfile', 'Chart.yaml']) assert.ok(release.includes(file), file)
  assert.doesNotMatch(release, /\b(?:ghcr|docker|npmjs|quay|pkg)\.(?:io|com|org|dev)\b/)
})

type ObjectSchema = { properties?: Record<string, ObjectSchema> }

/** The paths of values, as deep as the schema names members. */
function pathsOf(value: Record<string, unknown>, schema: ObjectSchema, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = schema.properties?.[name]
    if (!inner?.properties || isOpen(prefix + name)) return [prefix + name]
    return pathsOf(member as Record<string, unknown>, inner, `${prefix}${name}.`)
  })
}

function pathsOfSchema({ properties = {} }: ObjectSchema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, inner]) => {
    if (prefix + name === 'global') return []
    return inner.properties && !isOpen(prefix + name) ? pathsOfSchema(inner, `${prefix}${name}.`) : [prefix + name]
  })
}

/** Not every member of these has a default. */
function isOpen(path: string): boolean {
  return /(?:^|\.)(?:resources|timeouts|\w+Probe)$/.test(path)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** The first group of each match, or the match. */
function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole)
}

function number(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1])
}
